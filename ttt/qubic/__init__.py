"""4×4×4: search, forced wins, the proof that the first player wins, and the perfect player."""

from ttt.qubic.lookahead import BEST, alphabeta, minimax, search

__all__ = ["BEST", "alphabeta", "minimax", "search"]
