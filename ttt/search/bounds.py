"""What a search knows of a node's value: the value itself, or a bound where it lies outside the window."""

from __future__ import annotations

EXACT, AT_LEAST, AT_MOST = 0, 1, 2


def bound_kind(value: float, alpha: float, beta: float) -> int:
    """What the value that a search with this window found says of the true one."""
    if value >= beta:
        return AT_LEAST
    if value <= alpha:
        return AT_MOST
    return EXACT


def settles(kind: int, value: float, alpha: float, beta: float) -> bool:
    """Whether a value that was found earlier, with another window, makes it needless to search with this one."""
    return kind == EXACT or (kind == AT_LEAST and value >= beta) or (kind == AT_MOST and value <= alpha)
