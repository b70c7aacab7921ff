"""What a search found and cost, and what it refuses. Cost is counted in nodes, the same on every machine."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import factorial, perm
from numbers import Integral
from typing import Any

from ttt.board import Board, Mark
from ttt.position import MOST_PLIES, Position, require_position

MANY_CELLS = 16  # a search never goes through all orders in which these can be filled, or with a table one cell more
Worth = tuple[float, tuple[Any, ...]]  # a value, and the principal variation that leads to it


class BadSearch(ValueError):
    """A search was asked for something that makes no sense or would never end; the message says what would."""


def require_sense(board: Position, depth: object, heuristic: object, **switches: object) -> None:
    """Raises `BadSearch` unless this is a position, a depth and a heuristic, and each switch True or False."""
    require_position(board, "A search", BadSearch)
    if depth is not None and (not isinstance(depth, Integral) or depth < 0):
        raise BadSearch(f"A depth is a whole number of plies, 0 or more, not {depth!r}.")
    if heuristic is not None and not callable(heuristic):
        raise BadSearch(f"{heuristic!r} is no heuristic: give a function (board, player) → number.")
    for name, switch in switches.items():
        if not isinstance(switch, bool):
            raise BadSearch(f"{name} is True or False, not {switch!r}.")
    if depth is None and type(board) is not Board and (heuristic is not None or switches.get("sooner")):
        raise BadSearch("A win counts more the more plies of the depth are left: give a depth, as depth=3.")


def plies_to_search(board: Position, depth: int | None, table: bool = False) -> int:
    """How many plies there are to search: as many as the depth says, and no more than a board has free cells.

    Another game is searched to its end, and one ply further than it may go on. Raises `BadSearch` for a depth beyond
    that, and on a board for as many ways to go on as there are to fill `MANY_CELLS`.
    """
    if board.over:
        return 0
    if type(board) is not Board:
        if depth is not None and depth > MOST_PLIES:
            raise BadSearch(f"A search looks at most {MOST_PLIES} plies ahead, not {depth}.")
        return MOST_PLIES + 1 if depth is None else int(depth)
    free = len(board.moves)
    plies = free if depth is None else min(int(depth), free)
    if perm(free, plies) >= factorial(MANY_CELLS + table):
        far = "to its end: give a depth" if plies == free else f"{plies} plies deep: give a smaller depth"
        raise BadSearch(f"With {free} free cells the tree is too large to search {far}, as depth=3.")
    return plies


@dataclass(frozen=True, repr=False, kw_only=True)
class Search:
    """What a search found from one board, and what it visited for that. A list of them makes a pandas DataFrame.

    A **node** is a position that the search visits, each time it does: the root, the positions between, and the
    leaves. A **leaf** is a node with nothing searched below it, since the game is over there, the depth is used up, or
    the table knows its value; every other node is **interior**.
    """

    method: str  # what searched, in words: "alpha-beta, most-lines, table"
    board: Position  # the root
    player: Mark = field(init=False)  # the side to move at the root, from which all values are seen
    value: float  # 1 for a win, 0 for a draw, -1 for a loss, unless the search was told to value something else
    move: Any = field(init=False)  # the first best move; None where the game is over
    best_moves: tuple[Any, ...] = ()  # those known to be best: minimax knows all, alpha-beta that none is better
    move_values: tuple[tuple[Any, float], ...]  # (move, value) of each move whose value is known exactly, in order
    principal_variation: tuple[Any, ...]  # the moves that both sides play if both follow the search
    depth: int = field(init=False)  # how many plies it looked ahead at most
    nodes_per_ply: tuple[int, ...]  # the nodes at the root, one ply below it, and so on
    leaves: int
    cutoffs_by_move: tuple[int, ...] = ()  # how often the first move that was tried cut off the others, the second, …
    playouts: int = 0  # games played to the end at random, where the search learns from those
    nodes: int = field(init=False)
    interior: int = field(init=False)
    cutoffs: int = field(init=False)

    def __post_init__(self) -> None:
        line, nodes = self.principal_variation, sum(self.nodes_per_ply)
        known = tuple(move for move, value in self.move_values if value == self.value)
        by_ply = _without_last_zeros(self.nodes_per_ply)
        vars(self).update(
            player=self.board.turn,
            move=line[0] if line else None,
            best_moves=self.best_moves or known or line[:1],
            depth=len(by_ply) - 1,
            nodes_per_ply=by_ply,
            cutoffs_by_move=_without_last_zeros(self.cutoffs_by_move),
            nodes=nodes,
            interior=nodes - self.leaves,
            cutoffs=sum(self.cutoffs_by_move),
        )

    @property
    def values(self) -> dict[Any, float]:
        """What each move is worth to the side to move, as far as the search knows exactly."""
        return dict(self.move_values)

    def __str__(self) -> str:
        worth = f"worth {round(self.value, 3):g} to {self.player}"
        if self.move is None:
            why = "the game is over" if self.board.over else "no move was looked at"
            return f"{self.method}: {why}, {worth}."
        work = f"{counted(self.playouts, 'playout')}, " if self.playouts else ""
        cut = f", {counted(self.cutoffs, 'cutoff')}" if self.cutoffs_by_move else ""
        line = " ".join(map(str, self.principal_variation))
        return (
            f"{self.method}: {self.player} plays {self.move}, {worth}, best line {line}; {work}"
            f"{counted(self.nodes, 'node')} ({self.interior:,} interior, {counted(self.leaves, 'leaf', 'leaves')})"
            f"{cut}, {counted(self.depth, 'ply', 'plies')} deep."
        )

    __repr__ = __str__


def as_search(
    method: str,
    board: Position,
    worth: Worth,
    nodes: Iterable[int],
    leaves: Iterable[int],
    values: Mapping[Any, float],
    cutoffs: Iterable[int] = (),
) -> Search:
    """The record of a search, by what it counted at each ply, and knows of the root's moves."""
    value, line = worth
    return Search(
        method=method,
        board=board,
        value=value,
        move_values=tuple((move, values[move]) for move in board.moves if move in values),
        principal_variation=line,
        nodes_per_ply=tuple(nodes),
        leaves=sum(leaves),
        cutoffs_by_move=tuple(cutoffs),
    )


def _without_last_zeros(counts: tuple[int, ...]) -> tuple[int, ...]:
    while counts and not counts[-1]:
        counts = counts[:-1]
    return counts


def counted(number: int, noun: str, plural: str = "") -> str:
    """So many of something, in words.

    >>> counted(1, "ply", "plies"), counted(1000, "node")
    ('1 ply', '1,000 nodes')
    """
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"
