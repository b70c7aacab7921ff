"""A search's result and cost, counted in nodes: the same on every machine."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ttt.board import Mark
from ttt.position import Position
from ttt.words import count_phrase

Worth = tuple[float, tuple[Any, ...]]  # (value, principal variation)


class BadSearch(ValueError):
    """A search request that makes no sense or would never end; the message says what would work."""


@dataclass(frozen=True, repr=False, kw_only=True)
class Search:
    """A search's result on one board, and what it visited for it.

    A **node** is a position the search visits, counted at each visit: the root, the positions between, and the
    leaves. A **leaf** is a node with nothing searched below it, because the game is over, the depth is used up, or
    the table knows its value; every other node is **interior**.
    """

    method: str  # the method in words: "alpha-beta, most-lines, table"
    board: Position  # the root
    player: Mark  # the side to move at the root; all values are for this side
    value: float  # 1 for a win, 0 for a draw, -1 for a loss, unless the search uses other values
    move: Any  # the first best move; None if the game is over
    best_moves: tuple[Any, ...]  # moves known to be best: all of them with minimax; with alpha-beta none is better
    move_values: tuple[tuple[Any, float], ...]  # (move, value) for each move with an exactly known value, in order
    principal_variation: tuple[Any, ...]  # the moves if both sides follow the search
    depth: int  # the largest number of plies looked ahead
    nodes_per_ply: tuple[int, ...]  # nodes at the root, one ply below, and so on
    leaves: int
    cutoffs_by_move: tuple[int, ...]  # how often the first move tried caused a cutoff, the second, …
    playouts: int  # random games played to the end, if the search uses them
    nodes: int
    interior: int
    cutoffs: int

    @property
    def values(self) -> dict[Any, float]:
        """The value of each move for the side to move, if the search knows it exactly."""
        return dict(self.move_values)

    def __str__(self) -> str:
        worth = f"worth {round(self.value, 3):g} to {self.player}"
        if self.move is None:
            why = "the game is already over" if self.board.over else "no move was looked at"
            return f"{self.method}: {why}, {worth}."
        work = f"{count_phrase(self.playouts, 'playout')}, " if self.playouts else ""
        cut = f", {count_phrase(self.cutoffs, 'cutoff')}" if self.cutoffs_by_move else ""
        line = " ".join(map(str, self.principal_variation))
        leaves = count_phrase(self.leaves, "leaf", "leaves")
        return (
            f"{self.method}: {self.player} plays {self.move}, {worth}, best line {line}; {work}"
            f"{count_phrase(self.nodes, 'node')} ({self.interior:,} interior, {leaves})"
            f"{cut}, {count_phrase(self.depth, 'ply', 'plies')} deep."
        )

    __repr__ = __str__


def as_search(
    method: str,
    board: Position,
    worth: Worth,
    nodes: Iterable[int],
    leaves: int,
    values: Mapping[Any, float],
    *,
    best_moves: tuple[Any, ...] = (),
    cutoffs: Iterable[int] = (),
    playouts: int = 0,
) -> Search:
    """Make a search's record from its counts by ply and its knowledge of the root's moves."""
    value, line = worth
    nodes, cutoffs = _without_last_zeros(nodes), _without_last_zeros(cutoffs)
    known = tuple((move, values[move]) for move in board.moves if move in values)
    return Search(
        method=method,
        board=board,
        player=board.turn,
        value=value,
        move=line[0] if line else None,
        best_moves=best_moves or tuple(move for move, worth in known if worth == value) or line[:1],
        move_values=known,
        principal_variation=line,
        depth=len(nodes) - 1,
        nodes_per_ply=nodes,
        leaves=leaves,
        cutoffs_by_move=cutoffs,
        playouts=playouts,
        nodes=sum(nodes),
        interior=sum(nodes) - leaves,
        cutoffs=sum(cutoffs),
    )


def _without_last_zeros(counts: Iterable[int]) -> tuple[int, ...]:
    counts = [*counts]
    while counts and not counts[-1]:
        counts.pop()
    return tuple(counts)
