"""Positions to search: all that a game has, or a random sample."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from contextlib import suppress
from itertools import chain, groupby, zip_longest
from random import Random
from typing import Any

from ttt.arena.games import shortest_ways
from ttt.board import Board, BoardError
from ttt.players import as_player
from ttt.position import MAX_PLIES, Position, require_position
from ttt.symmetry import canonical
from ttt.words import count_phrase

MAX_TRIES = 1000  # attempts to find another position with a given number of marks


class Sample(list[Any]):
    """Positions of a game of your own, with the number of moves after which each was met."""

    def __init__(self, positions: Iterable[Any], plies: Mapping[Any, int]) -> None:
        super().__init__(positions)
        self.plies = {position: plies[position] for position in self}


def every_position(board: Position) -> list[Any]:
    """Every unfinished position reachable from a board, one from each set of mirror images: 627 on 3×3.

    In other games, mirror images count as different. Raises `ValueError` for more than 100,000.
    """
    ways = shortest_ways(as_player("random"), "X", board)
    plies = {position: len(moves) for position, moves in ways if not position.over}
    if not isinstance(board, Board):
        return Sample(sorted(plies, key=repr), plies)
    return sorted({*map(canonical, plies)}, key=lambda position: (-len(position.moves), position.x, position.o))


def random_positions(
    board: Position, count: int, seed: int = 0, *, free: int = 1, marks: Container[int] | None = None
) -> list[Any]:
    """Distinct unfinished positions reachable from a board, spread evenly over the numbers of marks.

    Each has at least `free` free cells and one of the numbers of marks given, such as `range(1, 9)`: with `free=4`
    none is too small for a search of four plies. Positions with equally many marks are equally likely; if there are
    too few, other numbers get more. Mirror images count as different.

    In other games, positions are those of random games, spread evenly over the numbers of moves made, which are their
    `marks`; `free` is how many moves each leaves at least.

    Raises `ValueError` if there are too few in all.

    >>> [len(position) - len(position.moves) for position in random_positions(Board(), 10, seed=7)]
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 1]
    """
    require_position(board, "random_positions()")
    chance = Random(seed)
    if isinstance(board, Board):
        positions = _random_boards(board, count, chance, free, marks)
    else:
        positions = _positions_of_games(board, count, chance, free, marks)
    if len(positions) < count:
        found = count_phrase(len(positions), "different position")
        raise ValueError(f"`random_positions()` found only {found}, not {count}. Ask for fewer.")
    return positions


def _random_boards(board: Board, count: int, chance: Random, free: int, marks: Container[int] | None) -> list[Board]:
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
    return list(positions)


def _another(board: Board, marks: int, known: Container[Board], chance: Random) -> Board | None:
    """A new position with this many more marks; None if none is found."""
    for _ in range(MAX_TRIES):
        cells = chance.sample(board.moves, marks)
        own, other = (sum(1 << cell for cell in some) for some in (cells[::2], cells[1::2]))
        x, o = (own, other) if board.turn == "X" else (other, own)
        with suppress(BoardError):  # both sides have won
            position = Board(board.shape, board.k, x=board.x | x, o=board.o | o)
            if not position.over and position not in known:
                return position
    return None


def _positions_of_games(start: Any, count: int, chance: Random, free: int, marks: Container[int] | None) -> list[Any]:
    """Positions that random games reach, taken in turn from those after no move, one move, two moves, and so on."""
    plies: dict[Any, int] = {}
    for _ in range(MAX_TRIES + 10 * count):
        position = start
        for made in range(MAX_PLIES):
            if position.over:
                break
            if len(position.moves) >= free:
                plies.setdefault(position, made)
            position = position.play(chance.choice(position.moves))
    levels = groupby(sorted(plies, key=plies.__getitem__), plies.__getitem__)
    chosen = [[*level] for made, level in levels if marks is None or made in marks]
    in_turn = chain.from_iterable(zip_longest(*chosen))
    return Sample([position for position in in_turn if position is not None][:count], plies)
