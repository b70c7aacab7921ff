"""The positions to search: some by name, all that there are, or a sample."""

from collections.abc import Container, Mapping
from contextlib import suppress
from random import Random

from ttt.board import Board, BoardError
from ttt.symmetry import canonical

MOST_CELLS = 12  # of boards whose positions can all be listed
TRIES = 1000  # to find one more position with so many marks


def every_position(board: Board) -> list[Board]:
    """Every unfinished position that games from a board can reach, one of each set of mirror images: 627 on 3×3."""
    if len(board) > MOST_CELLS:
        raise ValueError(f"There are too many positions on {len(board)} cells; up to {MOST_CELLS} they can be listed.")
    positions: list[Board] = []
    level = {canonical(board)} if not board.over else set()
    while level:
        positions += sorted(level, key=lambda position: (position.x, position.o))
        level = {
            canonical(after) for position in level for after in map(position.play, position.moves) if not after.over
        }
    return positions


def random_positions(
    board: Board, count: int, seed: int = 0, *, free: int = 1, marks: Container[int] | None = None
) -> list[Board]:
    """Different unfinished positions that games from a board can reach, spread evenly over the numbers of marks.

    Each has so many free cells or more, and as many marks as one of those given: with `free=4` none is too small for a
    search of four plies. Of those with equally many marks, each is as likely; where there are too few, the other
    numbers get more. Mirror images count as different. Raises `ValueError` if there are too few in all.

    >>> [len(position) - len(position.moves) for position in random_positions(Board(), 10, seed=7)]
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 1]
    """
    chance = Random(seed)
    positions: dict[Board, None] = {}
    there = len(board) - len(board.moves)
    levels = [n for n in range(len(board.moves) - free + 1) if marks is None or there + n in marks]
    while levels and len(positions) < count:
        for more in levels[: count - len(positions)]:
            position = _another(board, more, positions, chance)
            if position:
                positions[position] = None
            else:
                levels.remove(more)
    if len(positions) < count:
        raise ValueError(f"Only {len(positions)} different positions turned up, not {count}: ask for fewer.")
    return list(positions)


def _another(board: Board, marks: int, known: Mapping[Board, None], chance: Random) -> Board | None:
    """A position with so many more marks that is new; None if none turns up."""
    for _ in range(TRIES):
        cells = chance.sample(board.moves, marks)
        own, other = (sum(1 << cell for cell in some) for some in (cells[::2], cells[1::2]))
        x, o = (own, other) if board.turn == "X" else (other, own)
        with suppress(BoardError):  # both sides have won
            position = Board(board.shape, board.k, x=board.x | x, o=board.o | o)
            if not position.over and position not in known:
                return position
    return None
