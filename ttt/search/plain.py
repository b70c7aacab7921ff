"""Minimax and negamax: the whole tree, no tricks."""

from __future__ import annotations

from math import inf

from ttt.board import Board
from ttt.heuristics import Heuristic
from ttt.progress import progress
from ttt.search import engine
from ttt.search.result import Search, Step, Watch
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
    tree = Tree(board, depth, heuristic, sooner, watch)
    if fast and (found := engine.search(tree, "minimax")):
        return found
    enter, lines, values = tree.enter, tree.lines, tree.values

    def visit(board: Board, ply: int) -> float:
        """What a node is worth to the side to move at the root, which moves at every even ply."""
        sign = -1 if ply % 2 else 1
        worth = enter(board, ply)
        if watch:
            watch(Step("visit" if worth is None else "leaf", board, ply, -inf, inf, worth))
        if worth is not None:
            return sign * worth
        best = -sign * inf
        for move in progress(board.moves, "moves") if ply == 0 else board.moves:
            value = visit(board.play(move), ply + 1)
            if watch:
                watch(Step("value", board, ply, -inf, inf, sign * value, move))
            if ply == 0:
                values[move] = value
            if value > best if sign == 1 else value < best:
                best = value
                lines[ply] = (move, *lines[ply + 1])
        if watch:
            watch(Step("return", board, ply, -inf, inf, sign * best))
        return best

    return tree.found("minimax", visit(board, 0))


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
    if fast and (found := engine.search(tree, "negamax")):
        return found
    enter, lines, values = tree.enter, tree.lines, tree.values

    def visit(board: Board, ply: int) -> float:
        """What a node is worth to the side to move there."""
        worth = enter(board, ply)
        if watch:
            watch(Step("visit" if worth is None else "leaf", board, ply, -inf, inf, worth))
        if worth is not None:
            return worth
        best = -inf
        for move in progress(board.moves, "moves") if ply == 0 else board.moves:
            value = -visit(board.play(move), ply + 1)
            if watch:
                watch(Step("value", board, ply, -inf, inf, value, move))
            if ply == 0:
                values[move] = value
            if value > best:
                best = value
                lines[ply] = (move, *lines[ply + 1])
        if watch:
            watch(Step("return", board, ply, -inf, inf, best))
        return best

    return tree.found("negamax", visit(board, 0))
