"""Minimax and negamax: the whole tree, no tricks."""

from collections.abc import Callable

from ttt.board import Board
from ttt.heuristics import Heuristic
from ttt.runtime.progress import progress
from ttt.search.alphabeta import alphabeta
from ttt.search.notes import Notes
from ttt.search.record import Search


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
        fast: let the fast engine search the same tree, node for node, where it can.

    Raises `BadSearch`, and `HeuristicError` for a heuristic's value that is too large.

    >>> minimax(Board()).nodes
    549946
    """
    notes = Notes("minimax", board, depth, heuristic, sooner)
    visit = notes.visit

    def worth(board: Board, ply: int) -> float:
        """What a board is worth to the side to move at the root, which moves at every even ply."""
        end = visit(board, ply)
        if end is not None:
            return -end if ply % 2 else end
        values = [worth(board.play(move), ply + 1) for move in board.moves]
        return min(values) if ply % 2 else max(values)

    return _search(notes, worth, fast)


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

    >>> negamax(Board.from_text("XX- OO- ---")).value
    1
    """
    notes = Notes("negamax", board, depth, heuristic, sooner)
    visit = notes.visit

    def worth(board: Board, ply: int) -> float:
        """What a board is worth to the side to move."""
        end = visit(board, ply)
        if end is not None:
            return end
        return max([-worth(board.play(move), ply + 1) for move in board.moves])

    return _search(notes, lambda board, ply: -worth(board, ply), fast)


def _search(notes: Notes, worth: Callable[[Board, int], float], fast: bool) -> Search:
    """The record of the whole tree, by what each of the root's moves is worth to the side that makes it."""
    if fast and (found := notes.by_engine()):
        return found
    board = notes.board
    end = notes.visit(board, 0)
    if end is not None:
        return notes.record(end)
    notes.values = {move: worth(board.play(move), 1) for move in progress(board.moves, "moves")}
    best = max(notes.values, key=lambda move: notes.values[move])
    below = alphabeta(board.play(best), notes.depth - 1, notes.heuristic, sooner=notes.sooner)
    notes.lines[0] = (best, *below.principal_variation)
    return notes.record(notes.values[best])
