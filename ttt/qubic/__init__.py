"""The fast 4×4×4 engine: search by gains, forced wins, the proof that the first player wins, and the perfect player."""

from ttt.engine.cube import BEST, Setting, alphabeta, minimax, search

__all__ = ["BEST", "Setting", "alphabeta", "minimax", "search"]
