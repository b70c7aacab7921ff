"""The orders for the engine for 4×4×4 and the one for any shape."""

from ttt.board import Board
from ttt.heuristics import gain, gained
from ttt.search.notes import ORDERS, in_order

__all__ = ["ORDERS", "gain", "gained", "most_lines"]


def most_lines(board: Board) -> tuple[int, ...]:
    """The cells with the most lines through them first, whatever marks these lines have."""
    return in_order(board, "most-lines")
