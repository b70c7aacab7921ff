"""A search's result and cost, and the errors it raises. Cost is counted in nodes, the same on every machine."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import factorial, perm
from numbers import Integral
from typing import Any

from ttt.board import Board, Mark
from ttt.position import MOST_PLIES, Position, require_position

MANY_CELLS = 16  # trees of 16! leaves are refused, or 17! with a table
Worth = tuple[float, tuple[Any, ...]]  # (value, principal variation)


class BadSearch(ValueError):
    """A search request that makes no sense or would never end; the message says what would work."""


def require_sense(board: Position, depth: object, heuristic: object, **switches: object) -> None:
    """Raise `BadSearch` unless this is a position, a depth and a heuristic, and each switch is True or False."""
    require_position(board, "A search", BadSearch)
    if depth is not None and (not isinstance(depth, Integral) or depth < 0):
        raise BadSearch(f"The depth must be a whole number of plies, 0 or more, not {depth!r}.")
    if heuristic is not None and not callable(heuristic):
        raise BadSearch(f"{heuristic!r} is not a heuristic: give a function (board, player) → number.")
    for name, switch in switches.items():
        if not isinstance(switch, bool):
            raise BadSearch(f"`{name}` must be True or False, not {switch!r}.")
    if depth is None and type(board) is not Board and (heuristic is not None or switches.get("sooner")):
        raise BadSearch("The earlier a win, the more it counts here, so this search needs a depth, such as `depth=3`.")


def plies_to_search(board: Position, depth: int | None, table: bool = False) -> int:
    """The number of plies to search: the depth, but no more than the board has free cells.

    Another game is searched to its end, up to one ply more than allowed. Raises `BadSearch` for a depth beyond
    that, and for a board with as many ways to continue as there are to fill `MANY_CELLS`.
    """
    if board.over:
        return 0
    if type(board) is not Board:
        if depth is not None and depth > MOST_PLIES:
            raise BadSearch(f"A search can look at most {MOST_PLIES} plies ahead, not {depth}.")
        return MOST_PLIES + 1 if depth is None else int(depth)
    free = len(board.moves)
    plies = free if depth is None else min(int(depth), free)
    if perm(free, plies) >= factorial(MANY_CELLS + table):
        far = "to its end: give a depth" if plies == free else f"{plies} plies deep: give a smaller depth"
        raise BadSearch(f"With {free} free cells the tree is too large to search {far}, such as `depth=3`.")
    return plies


@dataclass(frozen=True, repr=False, kw_only=True)
class Search:
    """A search's result on one board, and what it visited for it. pandas makes a DataFrame from a list of these.

    A **node** is a position the search visits, counted at each visit: the root, the positions between, and the
    leaves. A **leaf** is a node with nothing searched below it, because the game is over, the depth is used up, or
    the table knows its value; every other node is **interior**.
    """

    method: str  # the method in words: "alpha-beta, most-lines, table"
    board: Position  # the root
    player: Mark = field(init=False)  # the side to move at the root; all values are for this side
    value: float  # 1 for a win, 0 for a draw, -1 for a loss, unless the search uses other values
    move: Any = field(init=False)  # the first best move; None if the game is over
    best_moves: tuple[Any, ...] = ()  # moves known to be best: all of them with minimax; with alpha-beta none is better
    move_values: tuple[tuple[Any, float], ...]  # (move, value) for each move with an exactly known value, in order
    principal_variation: tuple[Any, ...]  # the moves if both sides follow the search
    depth: int = field(init=False)  # the largest number of plies looked ahead
    nodes_per_ply: tuple[int, ...]  # nodes at the root, one ply below, and so on
    leaves: int
    cutoffs_by_move: tuple[int, ...] = ()  # how often the first move tried caused a cutoff, the second, …
    playouts: int = 0  # random games played to the end, if the search uses them
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
        """The value of each move for the side to move, if the search knows it exactly."""
        return dict(self.move_values)

    def __str__(self) -> str:
        worth = f"worth {round(self.value, 3):g} to {self.player}"
        if self.move is None:
            why = "the game is already over" if self.board.over else "no move was looked at"
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
    """Make a search's record from its counts per ply and its knowledge of the root's moves."""
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
    """A number with its noun in the singular or plural.

    >>> counted(1, "ply", "plies"), counted(1000, "node")
    ('1 ply', '1,000 nodes')
    """
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"
