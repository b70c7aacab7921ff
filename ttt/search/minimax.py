"""Minimax and negamax: the whole tree, no tricks."""

from math import inf
from typing import Any

from ttt.heuristics import Heuristic
from ttt.position import Position
from ttt.progress import progress
from ttt.search.lookahead import Lookahead
from ttt.search.record import Search, Worth

MAX_FREE_CELLS = 12  # trees with as many leaves as there are ways to fill so many cells take minutes, and are refused


def minimax(
    board: Position, depth: int | None = None, heuristic: Heuristic | None = None, *, sooner: bool = False
) -> Search:
    """Try every move and every answer to it: one side picks the highest value, the other side the lowest.

    Args:
        board: the root: a board of any shape, or a position of your own game.
        depth: how many plies to look ahead; by default to the end of the game.
        heuristic: judges unfinished boards at that depth, below 100,000 in size: a win counts that plus the plies left.
        sooner: whether a win counts 1 more for each ply left. In your own game this needs a depth, like a heuristic.

    Raises `BadSearch`, also for a tree that is too large or a game of more than 200 plies; `HeuristicError`;
    `BoardError` for anything but a board or a position; and `BadGame` for an inconsistent game.

    >>> from ttt import Board
    >>> minimax(Board()).nodes
    549946
    """
    look = Lookahead(board, depth, heuristic, MAX_FREE_CELLS, sooner=sooner)
    nodes, plies, leaf = look.nodes, look.plies, look.leaf  # local names are faster

    def worth(board: Position, ply: int) -> Worth:
        """The value of a board for the side to move at the root, which moves at every even ply."""
        nodes[ply] += 1
        highest = ply % 2 == 0
        if ply == plies or board.over:
            end = leaf(board, ply)
            return (end if highest else -end), ()
        best: float = -inf if highest else inf
        line: tuple[Any, ...] = ()
        for move in board.moves if ply else progress(board.moves, "moves"):
            value, below = worth(board.play(move), ply + 1)
            if ply == 0:
                look.values[move] = value
            if value > best if highest else value < best:
                best, line = value, (move, *below)
        return best, line

    return look.result("minimax", worth(board, 0))


def negamax(
    board: Position, depth: int | None = None, heuristic: Heuristic | None = None, *, sooner: bool = False
) -> Search:
    """Minimax written once for both sides: what is good for me is equally bad for you.

    Takes the same arguments as `minimax`, visits the same tree and finds the same value. Source: the negamax blog post.
    """
    look = Lookahead(board, depth, heuristic, MAX_FREE_CELLS, sooner=sooner)
    nodes, plies, leaf = look.nodes, look.plies, look.leaf

    def worth(board: Position, ply: int) -> Worth:
        """The value of a board for the side to move."""
        nodes[ply] += 1
        if ply == plies or board.over:
            return leaf(board, ply), ()
        best: float = -inf
        line: tuple[Any, ...] = ()
        for move in board.moves if ply else progress(board.moves, "moves"):
            value, below = worth(board.play(move), ply + 1)
            if ply == 0:
                look.values[move] = -value
            if -value > best:
                best, line = -value, (move, *below)
        return best, line

    return look.result("negamax", worth(board, 0))
