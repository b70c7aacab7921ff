"""The prover: finds afresh, in about a minute, that the first player wins 4×4×4. It needs numba."""

from ttt.qubic.prover.prover import Progress, Proof, ProverError, Stopped, prove

__all__ = ["Progress", "Proof", "ProverError", "Stopped", "prove"]
