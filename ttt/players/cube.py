"""4×4×4: the 3D project report's computer, flaws included, and opponents of several levels.

Source: the 3D project report: "Phase 3" for the heuristic, `model.py` for the search, "Challenges" for the cut. The
flaws of its search are kept:

- It searches only the nearest 20 moves, and the only good one may be further away.
- Distance says little about a move's worth: ordered by gain, the same search takes a tenth of the calls.
- Three marks in a row count no more than three single ones.

The report does not say what a win counts. Here it is 100,000, plus 1 for each ply left.
"""

from functools import cache
from math import dist, inf
from typing import NamedTuple

from ttt.board import Board, own_and_other
from ttt.heuristics import WIN_VALUE, Heuristic, LineWeights, gain
from ttt.players.player import Player, Policy, best_moves, evenly
from ttt.players.rules import block, win
from ttt.position import is_count

_EMPTY = Board(shape=(4, 4, 4))
REPORTED = LineWeights(0, 1, 2, 3, 0)  # the report's heuristic

Last = tuple[int | None, int | None]  # X's last cell and O's; None if unknown


class Found(NamedTuple):
    """The result of the report's search: the move, its value for the computer, and the calls of its two functions."""

    move: int
    value: float
    calls: int


def report_search(
    board: Board, depth: int = 4, *, nearest: int | None = 20, last: Last | None = None, heuristic: Heuristic = REPORTED
) -> Found:
    """The report's alpha-beta for the side to move, with the moves nearest to the last ones first.

    Args:
        board: a 4×4×4 board that is not over.
        depth: plies to look ahead, 1 or more; 4 is the report's highest difficulty.
        nearest: how many moves, in that order, to search at each node; None for all.
        last: X's last cell and O's; by default each side's last mark in the order of the cells.
        heuristic: judges the leaves.
    """
    REPORT.require_turn(board)
    for number in (depth, 1 if nearest is None else nearest):
        if not is_count(number):
            raise ValueError(f"`depth` and `nearest` must be 1 or more, not {depth!r} and {nearest!r}.")
    computer, calls = board.turn, 0

    def visit(board: Board, alpha: float, beta: float, depth: int, last: Last) -> tuple[float, int]:
        """The report's `maxSearch` and `minSearch` in one: a value for the side to move, and its move."""
        nonlocal calls
        calls += 1
        if board.winner:
            return -WIN_VALUE - depth, -1
        if depth == 0 or board.over:
            worth = heuristic(board, computer)
            return (worth if board.turn == computer else -worth), -1
        best, best_move = -inf, -1
        for move in sorted(board.moves, key=_distances(last).__getitem__)[:nearest]:
            after = (move, last[1]) if board.turn == "X" else (last[0], move)
            value = -visit(board.play(move), -beta, -alpha, depth - 1, after)[0]
            if value > best:
                best, best_move = value, move
                alpha = max(alpha, best)
            if alpha >= beta:
                break
        return best, best_move

    x, o = (cells.bit_length() - 1 if cells else None for cells in (board.x, board.o))
    value, move = visit(board, -inf, inf, depth, last or (x, o))
    return Found(move, value, calls)


@cache
def _distances(last: Last) -> tuple[float, ...]:
    """For each cell, the sum of the straight-line distances to both last moves."""
    known = [_EMPTY.coordinates(cell) for cell in last if cell is not None]
    return tuple(sum((dist(_EMPTY.coordinates(cell), place) for place in known), 0.0) for cell in _EMPTY.moves)


def _report(board: Board) -> int:
    """The 3D project's computer on 4×4×4: looks four plies ahead, at the 20 moves nearest to the last ones."""
    return report_search(board).move


def _easy(board: Board) -> Policy:
    """On 4×4×4: completes or blocks a line, otherwise plays anywhere."""
    return evenly(win(board) or block(board) or board.moves)


def _medium(board: Board) -> Policy:
    """On 4×4×4: completes or blocks a line, otherwise takes the cell with the largest immediate gain."""
    return evenly(win(board) or block(board) or best_moves(gain(board)))


def _hard(board: Board) -> int:
    """On 4×4×4: forces a win, or blocks a line, or takes the largest gain that allows no forced win."""
    from ttt.qubic.forced import winning_line  # loaded with the first move, because most games are 3×3

    own, other = own_and_other(board, board.turn)
    cells = winning_line(own, other) or block(board)
    if cells:
        return cells[0]
    gains = gain(board)
    by_gain = sorted(gains, key=gains.__getitem__, reverse=True)
    return next((cell for cell in by_gain if not winning_line(other, own | 1 << cell)), by_gain[0])


def _proof(board: Board) -> int:
    """Plays the proof that the first player wins; in positions outside the proof, plays like cube-hard."""
    from ttt.qubic import strategy

    choice = strategy.choose(board)
    return choice.cell if choice else _hard(board)


REPORT = Player("cube-report", _report, shape=_EMPTY.shape)
EASY = Player("cube-easy", _easy, shape=_EMPTY.shape)
SEEN = LineWeights(0, 1, 10, 100, 1_000)  # as `gain` counts
MEDIUM = Player("cube-medium", _medium, shape=_EMPTY.shape, heuristic=SEEN)
HARD = Player("cube-hard", _hard, shape=_EMPTY.shape)
CERTAIN = Player(
    "cube-perfect",
    _proof,
    "On 4×4×4: moving first, it plays from a proof; moving second, it promises nothing and plays like cube-hard.",
    shape=_EMPTY.shape,
)
