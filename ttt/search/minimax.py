"""Minimax and negamax: the whole tree, no tricks."""

from math import inf
from typing import Any

from ttt.board import Board, Mark, opponent
from ttt.heuristics import WIN, Heuristic, value
from ttt.position import MOST_PLIES, Position, endless, play_of
from ttt.runtime.progress import progress
from ttt.search.record import BadSearch, Search, Worth, as_search, plies_to_search, require_sense


def minimax(
    board: Position,
    depth: int | None = None,
    heuristic: Heuristic | None = None,
    *,
    sooner: bool = False,
    fast: bool = False,
) -> Search:
    """Try every move and every answer to it: one side picks the highest value, the other side the lowest.

    Args:
        board: the root: a board of any shape, or a position of your own game.
        depth: how many plies to look ahead; by default to the end of the game.
        heuristic: judges unfinished boards at that depth. A win then counts 100,000 plus the plies left, so a
            heuristic's values must be smaller than 100,000 in size.
        sooner: whether a win counts more the earlier it comes: 1, plus 1 for each ply left. In
            your own game this needs a depth, as does a heuristic.
        fast: search the same tree, node for node, compiled by numba if it is installed: on a board of up to 64 cells,
            without a heuristic, or with `open_lines` or `LineWeights` of whole numbers.

    Raises `BadSearch`, also for a tree that is too large or a game of more than 200 plies;
    `HeuristicError` for heuristic values that are too large; and `ValueError` for an inconsistent game.

    >>> minimax(Board()).nodes
    549946
    """
    require_sense(board, depth, heuristic, sooner=sooner, fast=fast)
    plies = plies_to_search(board, depth)
    if fast and (search := by_machine_code("minimax", board, plies, heuristic, sooner)):
        return search
    play, sides = play_of(board), (board.turn, opponent(board.turn))
    nodes, leaves = [0] * (plies + 1), [0] * (plies + 1)  # by ply
    values: dict[Any, float] = {}  # the values of the root's moves

    def worth(board: Position, ply: int) -> Worth:
        """The value of a board for the side to move at the root, which moves at every even ply."""
        nodes[ply] += 1
        highest = ply % 2 == 0
        if ply == plies or board.over:
            leaves[ply] += 1
            end = leaf(board, sides[ply % 2], ply, plies, heuristic, sooner)
            return (end if highest else -end), ()
        best: float = -inf if highest else inf
        line: tuple[Any, ...] = ()
        for move in board.moves if ply else progress(board.moves, "moves"):
            value, below = worth(play(board, move), ply + 1)
            if ply == 0:
                values[move] = value
            if value > best if highest else value < best:
                best, line = value, (move, *below)
        return best, line

    return as_search("minimax", board, worth(board, 0), nodes, leaves, values)


def negamax(
    board: Position,
    depth: int | None = None,
    heuristic: Heuristic | None = None,
    *,
    sooner: bool = False,
    fast: bool = False,
) -> Search:
    """Minimax written once for both sides: what is good for me is equally bad for you.

    Takes the same arguments as `minimax`, visits the same tree and finds the same value. Source: the negamax blog post.
    """
    require_sense(board, depth, heuristic, sooner=sooner, fast=fast)
    plies = plies_to_search(board, depth)
    if fast and (search := by_machine_code("negamax", board, plies, heuristic, sooner)):
        return search
    play, sides = play_of(board), (board.turn, opponent(board.turn))
    nodes, leaves = [0] * (plies + 1), [0] * (plies + 1)  # by ply
    values: dict[Any, float] = {}  # the values of the root's moves

    def worth(board: Position, ply: int) -> Worth:
        """The value of a board for the side to move."""
        nodes[ply] += 1
        if ply == plies or board.over:
            leaves[ply] += 1
            return leaf(board, sides[ply % 2], ply, plies, heuristic, sooner), ()
        best: float = -inf
        line: tuple[Any, ...] = ()
        for move in board.moves if ply else progress(board.moves, "moves"):
            value, below = worth(play(board, move), ply + 1)
            if ply == 0:
                values[move] = -value
            if -value > best:
                best, line = -value, (move, *below)
        return best, line

    return as_search("negamax", board, worth(board, 0), nodes, leaves, values)


def leaf(board: Position, side: Mark, ply: int, plies: int, heuristic: Heuristic | None, sooner: bool) -> float:
    """The value of a leaf, at `ply` of `plies`, for the side that would move there."""
    if board.winner is not None:
        win = 1 + sooner * (plies - ply) if heuristic is None else WIN + plies - ply
        return win if board.winner == side else -win
    if ply > MOST_PLIES and not board.over:
        raise BadSearch(endless(board, "give a depth, such as `depth=3`"))
    if heuristic is None or board.over:
        return 0
    return value(heuristic, board, side, WIN)


def by_machine_code(
    method: str, board: Position, plies: int, heuristic: Heuristic | None, sooner: bool, order: str | None = None
) -> Search | None:
    """The compiled search's result, by minimax unless alpha-beta's order is given; None if it can't search this."""
    if type(board) is not Board:
        return None
    try:
        from ttt.search import compiled  # loads numba, which is slow
    except (ImportError, RuntimeError):  # numba is missing, or has no folder for its cache
        return None
    return compiled.compiled_search(method, board, plies, heuristic, sooner, order)
