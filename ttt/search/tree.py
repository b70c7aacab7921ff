"""The tree that a search walks: how far down it goes, what its leaves are worth, and what has been counted so far."""

from __future__ import annotations

from math import inf
from operator import index
from typing import Any

from ttt.board import Board
from ttt.heuristics import Heuristic, value
from ttt.search.result import Search, Watch

WIN = 100_000  # more than any heuristic says of an unfinished board
MANY_CELLS = 16  # with so many free nobody waits for the end of a search that forgets what it has seen


class BadSearch(ValueError):
    """What a search was told makes no sense, or would never end; the message says what would."""


class Tree:
    """A board and all that follows from it, as far as a search looks, with the counts of what it visited.

    Args:
        board: the root.
        depth: the plies to look ahead; None for to the end of the game.
        heuristic: judges unfinished boards at that depth; without one they count 0.
        sooner: whether a win counts 1 more for each ply that was left.
        watch: is told every step.
        remembers: whether the search has a table, which brings the end of a cell more into sight.

    Raises `BadSearch`.
    """

    def __init__(
        self,
        board: Board,
        depth: int | None,
        heuristic: Heuristic | None,
        sooner: bool,
        watch: Watch | None = None,
        remembers: bool = False,
    ) -> None:
        require_board(board)
        if heuristic is not None and not callable(heuristic):
            raise BadSearch(f"{heuristic!r} is no heuristic: give a function (board, player) → number.")
        self.board = board
        self.depth = plies_of(board, depth, MANY_CELLS + remembers)
        self.heuristic = heuristic
        self.win, self.haste = (1, int(sooner)) if heuristic is None else (WIN, 1)
        self.watch = watch
        self.nodes = [0] * (self.depth + 1)
        self.leaves = 0
        self.cutoffs = [0] * (len(board.moves) + 1)
        self.lines: list[tuple[int, ...]] = [()] * (self.depth + 2)  # the best line below the last node of each ply
        self.values: dict[int, float] = {}  # of the root's moves, as far as known exactly

    def enter(self, board: Board, ply: int) -> float | None:
        """Count a node. A leaf's worth to the side to move there; None where the search goes on."""
        self.nodes[ply] += 1
        if ply < self.depth and not board.winner:  # a full board is never above the last ply
            return None
        self.leaves += 1
        self.lines[ply] = ()
        if board.winner:  # whoever moved last
            return -(self.win + self.haste * (self.depth - ply))
        return 0 if self.heuristic is None or board.over else self.judged(board, self.heuristic)

    def judged(self, board: Board, heuristic: Heuristic) -> float:
        """What the heuristic says of a leaf. Raises `BadSearch` where that is infinite: it would outweigh a win."""
        worth = value(heuristic, board, board.turn)
        if abs(worth) == inf:
            raise BadSearch(f"The heuristic says {worth} of {board!r}. A win counts {self.win:,}: stay below that.")
        return worth

    def found(self, method: str, worth: float) -> Search:
        """The record of the search, once it is over."""
        line = self.lines[0]
        known = tuple(move for move, value in self.values.items() if value == worth)
        return Search(
            method=method,
            board=self.board,
            player=self.board.turn,
            value=worth,
            move=line[0] if line else None,
            best_moves=known or line[:1],
            move_values=tuple(self.values.items()),
            principal_variation=line,
            depth=self.depth,
            nodes_per_ply=_shortened(self.nodes),
            leaves=self.leaves,
            cutoffs_by_move=_shortened(self.cutoffs),
        )


def require_board(board: Any) -> None:
    """Raises `BadSearch` for what is no board."""
    if not isinstance(board, Board):
        raise BadSearch(f"A search starts from a board, and {board!r} is none. Board.from_text makes one of a text.")


def plies_of(board: Board, depth: int | None, many: int = MANY_CELLS) -> int:
    """The plies that there are to search. Raises `BadSearch`.

    Args:
        many: with so many free cells the end is out of sight.
    """
    free = 0 if board.over else len(board.moves)
    if depth is None and free >= many:
        raise BadSearch(f"With {free} free cells the tree has no end in sight: give a depth, such as depth=3.")
    try:
        plies = free if depth is None else index(depth)
    except TypeError:
        raise BadSearch(f"A depth is a whole number of plies, not {depth!r}.") from None
    if plies < 0:
        raise BadSearch(f"A depth is 0 plies or more, not {depth}.")
    return min(plies, free)


def _shortened(counts: list[int]) -> tuple[int, ...]:
    """The counts without the zeros at the end."""
    end = len(counts)
    while end and not counts[end - 1]:
        end -= 1
    return tuple(counts[:end])
