"""Positions to search from: all of a small board, and some on 4×4×4."""

from __future__ import annotations

from ttt.board import Board
from ttt.statistics.sweep import BadSweep
from ttt.symmetry import canonical

CUBE = {  # positions on 4×4×4 with 6, 12 and 20 marks, which no order of moves finds easy
    "mid6": (0x10010000000080, 0x8800000000000010),
    "mid12": (0x4000001C8040, 0x516010000000000),
    "mid20": (0x300002040180C801, 0xC822008120420000),
}
MOST_CELLS = 12  # of boards whose positions can all be listed


def every_position(board: Board) -> list[Board]:
    """Every unfinished position that games from a board can reach, one of each set of mirror images. Raises `BadSweep`.

    >>> len(every_position(Board()))
    627
    """
    if len(board) > MOST_CELLS:
        raise BadSweep(f"There are too many positions on {len(board)} cells; up to {MOST_CELLS} they can be listed.")
    found: list[Board] = []
    level = {canonical(board)} if not board.over else set()
    while level:
        found += sorted(level, key=lambda one: (one.x, one.o))
        after = (position.play(move) for position in level for move in position.moves)
        level = {canonical(position) for position in after if not position.over}
    return found
