"""The positions to search: some by name, all that there are, or a sample."""

from collections.abc import Mapping
from contextlib import suppress
from random import Random

from ttt.board import Board, BoardError
from ttt.symmetry import canonical

CUBE = {  # positions on 4×4×4 with 6, 12 and 20 marks, which no order of moves finds easy
    "mid6": (0x10010000000080, 0x8800000000000010),
    "mid12": (0x4000001C8040, 0x516010000000000),
    "mid20": (0x300002040180C801, 0xC822008120420000),
}
MOST_CELLS = 12  # of boards whose positions can all be listed
TRIES = 1000  # to find one more position with so many marks


def every_position(board: Board) -> list[Board]:
    """Every unfinished position that games from a board can reach, one of each set of mirror images: 627 on 3×3."""
    if len(board) > MOST_CELLS:
        raise ValueError(f"There are too many positions on {len(board)} cells; up to {MOST_CELLS} they can be listed.")
    found: list[Board] = []
    level = {canonical(board)} if not board.over else set()
    while level:
        found += sorted(level, key=lambda one: (one.x, one.o))
        level = {canonical(after) for one in level for after in map(one.play, one.moves) if not after.over}
    return found


def random_positions(board: Board, count: int, seed: int = 0) -> list[Board]:
    """Different unfinished positions that games from a board can reach, spread evenly over the numbers of marks.

    Of those with equally many marks, each is as likely; where there are too few, the other numbers of marks get more.
    Mirror images count as different. Raises `ValueError` if there are too few in all.

    >>> [len(one) - len(one.moves) for one in random_positions(Board(), 10, seed=7)]
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 1]
    """
    chance = Random(seed)
    found: dict[Board, None] = {}
    levels = list(range(len(board.moves)))
    while levels and len(found) < count:
        for marks in levels[: count - len(found)]:
            position = _another(board, marks, found, chance)
            if position:
                found[position] = None
            else:
                levels.remove(marks)
    if len(found) < count:
        raise ValueError(f"Only {len(found)} different positions turned up, not {count}: ask for fewer.")
    return list(found)


def _another(board: Board, marks: int, found: Mapping[Board, None], chance: Random) -> Board | None:
    """A position with so many more marks that is new; None if none turns up."""
    for _ in range(TRIES):
        cells = chance.sample(board.moves, marks)
        own, other = (sum(1 << cell for cell in some) for some in (cells[::2], cells[1::2]))
        x, o = (own, other) if board.turn == "X" else (other, own)
        with suppress(BoardError):  # both sides have won
            position = Board(board.shape, board.k, x=board.x | x, o=board.o | o)
            if not position.over and position not in found:
                return position
    return None
