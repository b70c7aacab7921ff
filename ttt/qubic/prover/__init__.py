"""The prover: finds afresh, in about a minute, that the first player wins 4×4×4. It needs numba."""

from ttt.qubic.prover.prover import Proof, ProverError, prove, to_bytes

__all__ = ["Proof", "ProverError", "prove", "to_bytes"]
