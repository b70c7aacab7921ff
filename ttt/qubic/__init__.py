"""4×4×4: search, forced wins, the proof that the first player wins, and the perfect player."""

from ttt.qubic.lookahead import search

__all__ = ["search"]
