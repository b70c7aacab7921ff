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
        board: the root: a board of any shape, or a position of a game of your own.
        depth: how many plies to look ahead; to the end of the game unless given.
        heuristic: judges unfinished boards at that depth. A win then counts 100,000 and the plies that were left, so a
            heuristic's values must stay below 100,000 in size.
        sooner: whether a win counts more the earlier it comes: 1, and 1 more for each ply that was left. In a game of
            your own this needs a depth, and so does a heuristic.
        fast: search the same tree, node for node, compiled by numba, where it is installed: a board of up to 64 cells
            without a heuristic, or with `open_lines` or `LineWeights` of whole numbers.

    Raises `BadSearch`, also for a tree that is too large, or a game that goes on for more than 200 plies;
    `HeuristicError` for a heuristic's value that is too large; and `ValueError` for a game that is played wrongly.

    >>> minimax(Board()).nodes
    549946
    """
    require_sense(board, depth, heuristic, sooner=sooner, fast=fast)
    plies = plies_to_search(board, depth)
    if fast and (search := by_machine_code("minimax", board, plies, heuristic, sooner)):
        return search
    play, sides = play_of(board), (board.turn, opponent(board.turn))
    nodes, leaves = [0] * (plies + 1), [0] * (plies + 1)  # by ply
    values: dict[Any, float] = {}  # of the root's moves

    def worth(board: Position, ply: int) -> Worth:
        """What a board is worth to the side to move at the root, which moves at every even ply."""
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
    """Minimax, said once for both sides: what is good for me is as bad for you.

    It takes what `minimax` takes, visits the same tree, and finds the same. Source: the negamax blog post.
    """
    require_sense(board, depth, heuristic, sooner=sooner, fast=fast)
    plies = plies_to_search(board, depth)
    if fast and (search := by_machine_code("negamax", board, plies, heuristic, sooner)):
        return search
    play, sides = play_of(board), (board.turn, opponent(board.turn))
    nodes, leaves = [0] * (plies + 1), [0] * (plies + 1)  # by ply
    values: dict[Any, float] = {}  # of the root's moves

    def worth(board: Position, ply: int) -> Worth:
        """What a board is worth to the side to move."""
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
    """What a leaf is worth to the side that would be to move there, at one of so many plies."""
    if board.winner is not None:
        win = 1 + sooner * (plies - ply) if heuristic is None else WIN + plies - ply
        return win if board.winner == side else -win
    if ply > MOST_PLIES and not board.over:
        raise BadSearch(endless(board, "give a depth, as depth=3"))
    if heuristic is None or board.over:
        return 0
    return value(heuristic, board, side, WIN)


def by_machine_code(
    method: str, board: Position, plies: int, heuristic: Heuristic | None, sooner: bool, order: str | None = None
) -> Search | None:
    """What the compiled search finds, by minimax unless alpha-beta's order is given; None where it can't search it."""
    if type(board) is not Board:
        return None
    try:
        from ttt.search import compiled  # loads numba, which takes a while
    except (ImportError, RuntimeError):  # there is none, or no folder where it could keep what it compiles
        return None
    return compiled.compiled_search(method, board, plies, heuristic, sooner, order)
