"""4×4×4: the 3D project report's computer, faults and all, and three levels to play against.

Source: the 3D project report: "Phase 3" for the heuristic, `model.py` for the search, "Challenges" for the cut. The
levels use the 4×4×4 engine of `ttt.engine`, and look ahead as far as it is quick without numba.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import count
from math import dist, inf
from numbers import Integral
from typing import NamedTuple

from ttt.board import Board, GameOver, Mark, opponent, require_board
from ttt.heuristics import Heuristic
from ttt.players.player import Player, Policy, WrongBoard, best_moves, evenly
from ttt.players.rules import block, win

NEAREST = 20  # moves that the report's search looks at, from each node
DIFFICULT = 4  # plies: the report's highest difficulty
HARD_DEPTH = 5
WIN = 100_000

Last = tuple[int | None, int | None]  # X's last cell and O's, None where it is not known


def line_marks(board: Board, player: Mark) -> int:
    """The report's heuristic: a line with marks of one side alone is worth their number to that side.

    >>> line_marks(Board(shape=(4, 4, 4)).play(0), "X")
    7
    """
    return open_lines_worth(board, player, (0, 1, 2, 3, 4))


def line_weights(board: Board, player: Mark) -> int:
    """The evaluation of `ttt.qubic.search`: such a line is worth 1, 10 or 100. A move raises it by what it gains.

    >>> line_weights(Board(shape=(4, 4, 4)).play(0).play(63), "X")
    0
    """
    return open_lines_worth(board, player, (0, 1, 10, 100, 1_000))


def open_lines_worth(board: Board, player: Mark, worth: Sequence[int]) -> int:
    """What a player's lines without a mark of the other side are worth by their marks, minus the other side's."""
    require_board(board, "The heuristic")
    rival, total = opponent(player), 0
    for marks in board.lines:
        own, other = marks.count(player), marks.count(rival)
        if not other:
            total += worth[own]
        elif not own:
            total -= worth[other]
    return total


class Found(NamedTuple):
    """What the report's search found: the move, its value for the computer, and the calls of its two functions."""

    move: int
    value: float
    calls: int


def report_search(
    board: Board,
    depth: int = DIFFICULT,
    *,
    nearest: int | None = NEAREST,
    last: Last | None = None,
    heuristic: Heuristic = line_marks,
) -> Found:
    """The report's alpha-beta: a maximizing and a minimizing function, the moves nearest to the last ones first.

    Args:
        board: a 4×4×4 board that is not over; the side to move is the computer.
        depth: plies to look ahead, 1 or more.
        nearest: how many of the moves, in that order, are searched at each node, 1 or more; None for all.
        last: X's last cell and O's, None where it is not known. A board does not record them: unless given, a side's
            last mark in the order of the cells is taken for its last move, which is certain only if it has no other.
        heuristic: judges the leaves.

    Its faults, all kept:

    - Only the nearest 20 moves are searched, and the only good one may be further off: a win, or the cell that stops
      one.
    - How near a move is says little about its worth. Four plies after a corner, with lines that count 1, 10 and 100,
      all moves by distance take 155,816 calls; by gain they take 15,842.
    - A line's worth grows by 1 for each mark, so three marks in a row count no more than three single ones.
    - The "theoretical minimum" of 4,096 calls is 64 to the power of 4/2. The widths are 64·63·62·61, and the
      least tree of both halves has 7,810 leaves (Knuth and Moore 1975).

    The report does not say what a win counts: here 100,000, and 1 more for each ply that was left.

    Raises `WrongBoard`, `GameOver`, `OffBoard`, or `ValueError` for other arguments that make no sense.
    """
    require_board(board, "report_search()")
    if not REPORT.plays_on(board):
        raise WrongBoard(f"The report's search plays 4×4×4 with 4 in a row only, not {board!r}.")
    if board.over:
        raise GameOver("The game is over: there is no move left to search.")
    if nearest is None:
        nearest = len(board)
    if not all(isinstance(number, Integral) and number > 0 for number in (depth, nearest)):
        raise ValueError(f"depth={depth!r}, nearest={nearest!r}: each must be a whole number, 1 or more.")
    computer, calls = board.turn, count()

    def visit(board: Board, alpha: float, beta: float, depth: int, last: Last) -> tuple[float, int]:
        """`maxSearch` where it is the computer's turn, else `minSearch`: a value for the computer, and the move."""
        next(calls)
        if board.winner:
            return (WIN + depth if board.winner == computer else -WIN - depth), -1
        if depth == 0 or board.over:
            return heuristic(board, computer), -1
        sign = 1 if board.turn == computer else -1
        best, best_move = -inf, -1
        for move in sorted(board.moves, key=_distances(last).__getitem__)[:nearest]:
            after = (move, last[1]) if board.turn == "X" else (last[0], move)
            value = sign * visit(board.play(move), alpha, beta, depth - 1, after)[0]
            if value > best:
                best, best_move = value, move
            if sign == 1:
                alpha = max(alpha, best)
            else:
                beta = min(beta, -best)
            if alpha >= beta:
                break
        return sign * best, best_move

    value, move = visit(board, -inf, inf, depth, _last_moves(board, last))
    return Found(move, value, next(calls))


def _last_moves(board: Board, last: Last | None) -> Last:
    """The last moves as cells: those that are given, or else each side's last mark. Raises `ValueError`."""
    if last is None:
        x, o = (cells.bit_length() - 1 if cells else None for cells in (board.x, board.o))
        return x, o
    if not isinstance(last, tuple) or len(last) != 2:
        raise ValueError(f"last must be a pair, X's last cell and O's, not {last!r}. Give None for one you don't know.")
    x, o = (None if cell is None else board.cell(cell) for cell in last)
    for mark, cell in (("X", x), ("O", o)):
        if cell is not None and board[cell] != mark:
            raise ValueError(f"{mark}'s last move was not in cell {cell}: there is no {mark} there.")
    return x, o


@cache
def _distances(last: Last) -> tuple[float, ...]:
    """For each cell the sum of its straight-line distances to both last moves."""
    cube = Board(shape=(4, 4, 4))
    known = [cube.coordinates(cell) for cell in last if cell is not None]
    return tuple(sum((dist(cube.coordinates(cell), place) for place in known), 0.0) for cell in range(len(cube)))


def _report(board: Board) -> int:
    """Searches four plies among the 20 moves nearest to the last ones. Its faults: see `report_search`."""
    return report_search(board).move


def _easy(board: Board) -> Policy:
    """Completes a line, else stops one, else plays anywhere: it plans nothing, and falls for two threes at once."""
    return evenly(win(board) or block(board) or board.moves)


def _medium(board: Board) -> Policy:
    """Completes a line, else stops one, else takes what gains the most at once: it does not look ahead."""
    from ttt.heuristics import gain  # the engines are loaded with their first move: most games are 3×3

    return evenly(win(board) or block(board) or best_moves(gain(board)))


def _hard(board: Board) -> int:
    """Looks five plies ahead."""
    from ttt import qubic

    move = qubic.search(board, HARD_DEPTH).move
    assert move is not None, "the board is not over"
    return move


class _Perfect:
    """Plays the proof that the first player wins; where no proof goes through the position, it plays as cube-hard."""

    def __call__(self, board: Board) -> int:
        from ttt.qubic import perfect

        return perfect.choose(board, _hard).cell

    def remark(self, board: Board) -> str:
        """What it promises on a board on which it is to move."""
        from ttt.qubic import perfect

        if perfect.choose(board, lambda board: board.moves[0]).promise:
            return "From here I win, whatever you do."
        return "From here I promise nothing."


CUBE = (4, 4, 4)
REPORT = Player(
    "cube-report",
    _report,
    "The 3D project's computer on 4×4×4: four plies ahead, among the 20 moves nearest to the last ones.",
    shape=CUBE,
)
EASY = Player("cube-easy", _easy, "On 4×4×4: completes a line or stops one, else plays anywhere.", shape=CUBE)
MEDIUM = Player(
    "cube-medium",
    _medium,
    "On 4×4×4: completes a line or stops one, else takes the cell that gains the most at once.",
    shape=CUBE,
    sees=line_weights,
)
HARD = Player("cube-hard", _hard, "On 4×4×4: looks five plies ahead.", shape=CUBE)
LEVELS = (EASY, MEDIUM, HARD)
PERFECT = Player(
    "cube-perfect",
    _Perfect(),
    "On 4×4×4: moving first it wins every game, by a proof; moving second it promises nothing, and plays as cube-hard.",
    shape=CUBE,
)
