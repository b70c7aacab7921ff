"""Minimax and negamax: the whole tree, no tricks."""

from __future__ import annotations

from ttt.board import Board
from ttt.engine import any_shape
from ttt.heuristics import Heuristic
from ttt.record import Search, Watch
from ttt.search.tree import Tree


def minimax(
    board: Board,
    depth: int | None = None,
    heuristic: Heuristic | None = None,
    *,
    sooner: bool = False,
    fast: bool = False,
    watch: Watch | None = None,
) -> Search:
    """Try every move and every answer to it: one side picks the highest value, the other side the lowest.

    Args:
        board: the root, on a board of any shape.
        depth: how many plies to look ahead; to the end of the game unless given.
        heuristic: judges unfinished boards at that depth. A win then counts 100,000 and the plies that were left.
        sooner: whether a win counts more the earlier it comes: 1, and 1 more for each ply that was left.
        fast: let the fast engine search the same tree, node for node, where it can.
        watch: is told every step.

    Raises `BadSearch`.

    >>> minimax(Board.from_text("XX- OO- ---")).best_moves
    (2,)
    >>> minimax(Board()).nodes
    549946
    """
    tree = Tree(board, depth, heuristic, sooner, watch, from_root=True)
    player = tree.board.turn
    if fast and any_shape.can_search(tree):
        return any_shape.search(tree, "minimax")

    def worth(board: Board, ply: int) -> float:
        """What a board is worth to the side to move at the root."""
        node = tree.enter(board, ply)
        if node.is_leaf:
            return node.worth
        values = [node.note(move, worth(board.play(move), ply + 1)) for move in node.moves()]
        return node.leave(max(values) if board.turn == player else min(values))

    return tree.found("minimax", worth(board, 0))


def negamax(
    board: Board,
    depth: int | None = None,
    heuristic: Heuristic | None = None,
    *,
    sooner: bool = False,
    fast: bool = False,
    watch: Watch | None = None,
) -> Search:
    """Minimax, said once for both sides: what is good for me is as bad for you.

    It takes what `minimax` takes, visits the same tree, and finds the same. Source: the negamax blog post.

    >>> negamax(Board.from_text("XX- OO- ---")).value
    1
    """
    tree = Tree(board, depth, heuristic, sooner, watch)
    if fast and any_shape.can_search(tree):
        return any_shape.search(tree, "negamax")

    def worth(board: Board, ply: int) -> float:
        """What a board is worth to the side to move."""
        node = tree.enter(board, ply)
        if node.is_leaf:
            return node.worth
        values = [node.note(move, -worth(board.play(move), ply + 1)) for move in node.moves()]
        return node.leave(max(values))

    return tree.found("negamax", worth(board, 0))
