"""What searches to a depth share: how far they look, what their leaves are worth, and what they count."""

from collections.abc import Iterable
from math import factorial, perm
from typing import Any

from ttt.board import Board, opponent
from ttt.heuristics import WIN_VALUE, Heuristic, heuristic_value
from ttt.position import MAX_PLIES, Position, endless_message, is_count, require_position
from ttt.search.record import BadSearch, Search, Worth, as_search

MAX_FREE_CELLS = 16  # trees with as many leaves as there are ways to fill so many cells are refused


class Lookahead:
    """One search of a position: it looks `plies` ahead, and counts what it visits.

    A win counts 1 or, with `sooner`, 1 more for each ply left; with a heuristic 100,000, and 1 more for each ply left.

    Raises `BadSearch` unless these are a depth and a heuristic, and each switch is True or False; and the errors of
    `plies_to_search`.
    """

    def __init__(
        self,
        board: Position,
        depth: int | None,
        heuristic: Heuristic | None,
        max_free: int = MAX_FREE_CELLS,
        *,
        sooner: bool = False,
        **switches: bool,
    ) -> None:
        plies = plies_to_search(board, depth, heuristic, max_free)
        for name, switch in {"sooner": sooner, **switches}.items():
            if not isinstance(switch, bool):
                raise BadSearch(f"{name} must be True or False, not {switch!r}.")
        if depth is None and type(board) is not Board and (heuristic is not None or sooner):
            raise BadSearch(
                "The earlier a win, the more it counts here, so this search needs a depth, such as `depth=3`."
            )
        self.board, self.heuristic = board, heuristic
        self.win, self.bonus = (1, int(sooner)) if heuristic is None else (WIN_VALUE, 1)
        self.nodes = [0] * (plies + 1)  # by ply
        self.leaves = 0
        self.sides = board.turn, opponent(board.turn)  # to move, at even and at odd plies
        self.begin(plies)

    def begin(self, plies: int) -> None:
        """Start again from the root, to look this many plies ahead; the counts continue."""
        self.plies = plies
        self.wins = [self.win + self.bonus * (plies - ply) for ply in range(plies + 1)]  # what a win counts, by ply
        self.unfinished = False  # whether the game was not over at some leaf
        self.values: dict[Any, float] = {}  # of the root's moves, if known exactly

    def leaf(self, board: Position, ply: int) -> float:
        """Count a leaf, and return its value for the side that would move there."""
        self.leaves += 1
        winner = board.winner
        if winner is not None:
            win = self.wins[ply]
            return win if winner == self.sides[ply % 2] else -win
        if board.over:
            return 0
        if ply > MAX_PLIES:
            raise BadSearch(endless_message(board, "give a depth, such as depth=3"))
        self.unfinished = True
        return 0 if self.heuristic is None else heuristic_value(self.heuristic, board, board.turn, WIN_VALUE)

    def result(self, method: str, worth: Worth, cutoffs: Iterable[int] = ()) -> Search:
        """The search's record, given the root's value and principal variation."""
        return as_search(method, self.board, worth, self.nodes, self.leaves, self.values, cutoffs=cutoffs)


def plies_to_search(
    board: Position, depth: int | None, heuristic: Heuristic | None, max_free: int = MAX_FREE_CELLS
) -> int:
    """The number of plies to search: the depth, but no more than the board has free cells.

    Without a depth, a game of your own is searched to its end; a variation longer than `MAX_PLIES` is refused when a
    leaf reaches it. Raises `BadSearch` for what is no depth or no heuristic, for a depth above `MAX_PLIES`, and for a
    board with too many ways to continue: as many as there are to fill `max_free` cells.
    """
    require_position(board, "A search")
    if depth is not None and not is_count(depth, 0):
        raise BadSearch(f"The depth must be a whole number of plies, 0 or more, not {depth!r}.")
    if heuristic is not None and not callable(heuristic):
        raise BadSearch(f"{heuristic!r} is not a heuristic: give a function (board, player) → number.")
    if type(board) is not Board:
        if depth is not None and depth > MAX_PLIES:
            raise BadSearch(f"A search can look at most {MAX_PLIES} plies ahead, not {depth}.")
        return MAX_PLIES + 1 if depth is None else int(depth)
    free = len(board.moves)
    plies = free if depth is None else min(int(depth), free)
    if not board.over and perm(free, plies) >= factorial(max_free):
        far = "to its end" if plies == free else f"{plies} plies deep"
        advice = f"give a {'smaller depth' if depth else 'depth'}, such as depth=3"
        if max_free == MAX_FREE_CELLS and perm(free, plies) < factorial(MAX_FREE_CELLS + 1):
            advice += ", or let ttt.search.alphabeta remember positions with table=True"
        raise BadSearch(f"With {free} free cells the tree is too large to search {far}: {advice}.")
    return plies
