"""Minimax and negamax: the whole tree, no tricks."""

from math import inf

from ttt.board import Board, Mark, opponent
from ttt.heuristics import WIN, Heuristic, value
from ttt.runtime.progress import progress
from ttt.search.record import Search, Worth, as_search, plies_to_search, require_sense


def minimax(
    board: Board,
    depth: int | None = None,
    heuristic: Heuristic | None = None,
    *,
    sooner: bool = False,
    fast: bool = False,
) -> Search:
    """Try every move and every answer to it: one side picks the highest value, the other side the lowest.

    Args:
        board: the root, on a board of any shape.
        depth: how many plies to look ahead; to the end of the game unless given.
        heuristic: judges unfinished boards at that depth. A win then counts 100,000 and the plies that were left, so a
            heuristic's values must stay below 100,000 in size.
        sooner: whether a win counts more the earlier it comes: 1, and 1 more for each ply that was left.
        fast: search the same tree, node for node, compiled by numba, where it is installed: a board of up to 64 cells
            without a heuristic, or with `open_lines` or `LineWeights` of whole numbers.

    Raises `BadSearch`, also for a tree that is too large, and `HeuristicError` for a heuristic's value that is.

    >>> minimax(Board()).nodes
    549946
    """
    require_sense(board, heuristic, sooner=sooner, fast=fast)
    plies = plies_to_search(board, depth)
    if fast and (search := by_machine_code("minimax", board, plies, heuristic, sooner)):
        return search
    sides = board.turn, opponent(board.turn)
    nodes, leaves = [0] * (plies + 1), [0] * (plies + 1)  # by ply
    values: dict[int, float] = {}  # of the root's moves

    def worth(board: Board, ply: int) -> Worth:
        """What a board is worth to the side to move at the root, which moves at every even ply."""
        nodes[ply] += 1
        highest = ply % 2 == 0
        if ply == plies or board.over:
            leaves[ply] += 1
            end = leaf(board, sides[ply % 2], plies - ply, heuristic, sooner)
            return (end if highest else -end), ()
        best: float = -inf if highest else inf
        line: tuple[int, ...] = ()
        for move in board.moves if ply else progress(board.moves, "moves"):
            value, below = worth(board.play(move), ply + 1)
            if ply == 0:
                values[move] = value
            if value > best if highest else value < best:
                best, line = value, (move, *below)
        return best, line

    return as_search("minimax", board, plies, worth(board, 0), nodes, leaves, values)


def negamax(
    board: Board,
    depth: int | None = None,
    heuristic: Heuristic | None = None,
    *,
    sooner: bool = False,
    fast: bool = False,
) -> Search:
    """Minimax, said once for both sides: what is good for me is as bad for you.

    It takes what `minimax` takes, visits the same tree, and finds the same. Source: the negamax blog post.
    """
    require_sense(board, heuristic, sooner=sooner, fast=fast)
    plies = plies_to_search(board, depth)
    if fast and (search := by_machine_code("negamax", board, plies, heuristic, sooner)):
        return search
    sides = board.turn, opponent(board.turn)
    nodes, leaves = [0] * (plies + 1), [0] * (plies + 1)  # by ply
    values: dict[int, float] = {}  # of the root's moves

    def worth(board: Board, ply: int) -> Worth:
        """What a board is worth to the side to move."""
        nodes[ply] += 1
        if ply == plies or board.over:
            leaves[ply] += 1
            return leaf(board, sides[ply % 2], plies - ply, heuristic, sooner), ()
        best: float = -inf
        line: tuple[int, ...] = ()
        for move in board.moves if ply else progress(board.moves, "moves"):
            value, below = worth(board.play(move), ply + 1)
            if ply == 0:
                values[move] = -value
            if -value > best:
                best, line = -value, (move, *below)
        return best, line

    return as_search("negamax", board, plies, worth(board, 0), nodes, leaves, values)


def leaf(board: Board, side: Mark, left: int, heuristic: Heuristic | None, sooner: bool) -> float:
    """What a leaf is worth to the side that would be to move there, with so many plies left of the depth."""
    if board.winner is not None:
        win = 1 + sooner * left if heuristic is None else WIN + left
        return win if board.winner == side else -win
    if heuristic is None or board.over:
        return 0
    return value(heuristic, board, side, WIN)


def by_machine_code(
    method: str, board: Board, plies: int, heuristic: Heuristic | None, sooner: bool, order: str | None = None
) -> Search | None:
    """What the compiled search finds, by minimax unless alpha-beta's order is given; None where it can't search it."""
    try:
        from ttt.search import compiled  # loads numba, which takes a while
    except (ImportError, RuntimeError):  # there is none, or no folder where it could keep what it compiles
        return None
    return compiled.compiled_search(method, board, plies, heuristic, sooner, order)
