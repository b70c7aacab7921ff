"""4×4×4: the 3D project report's computer, faults and all, and three levels to play against.

Source: the 3D project report: "Phase 3" for the heuristic, `model.py` for the search, "Challenges" for the cut. The
levels stand on the gains engine of `ttt.qubic`, and look ahead as far as no numba is needed to.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from math import dist, inf
from operator import index
from typing import NamedTuple

from ttt.board import Board, GameOver, Mark, opponent
from ttt.heuristics import Heuristic
from ttt.players.player import Player, Policy, WrongBoard, best_moves, evenly

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
    return _open_lines_worth(board, player, (0, 1, 2, 3, 4))


def line_weights(board: Board, player: Mark) -> int:
    """The gains engine's evaluation, for comparison: such a line is worth 1, 10 or 100.

    >>> line_weights(Board(shape=(4, 4, 4)).play(0).play(63), "X")
    0
    """
    return _open_lines_worth(board, player, (0, 1, 10, 100, 1_000))


def _open_lines_worth(board: Board, player: Mark, worth: Sequence[int]) -> int:
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
        nearest: how many of the moves, in that order, are looked at from each node, 1 or more; None for all.
        last: X's last cell and O's, None where it is not known. A board does not know them: unless told, a side's
            last mark in the order of the cells is taken for its last move, which is certain only where it has no other.
        heuristic: judges the leaves.

    Its faults, all kept:

    - Of the moves only the nearest 20 are searched, and far off may lie the only good one: a win, or the cell that
      stops one.
    - How near a move is says little of its worth. Four plies after a corner, with lines that count 1, 10 and 100, all
      moves by distance take 155,816 calls; by gain they take 15,842.
    - A line's worth grows by 1 a mark, so three marks in a row count no more than three single ones.
    - The "theoretical minimum" of 4,096 calls is 64 to the power of 4/2. The widths are 64·63·62·61, and the
      least tree of both halves has 7,810 leaves (Knuth and Moore 1975).

    The report does not say what a win counts: here 100,000, and 1 more for each ply that was left.

    Raises `WrongBoard`, `GameOver`, `BadSearch` and `OffBoard`.
    """
    _check_board(board)
    most = None if nearest is None else _one_or_more("nearest", nearest)
    report = _Report(board.turn, _one_or_more("depth", depth), most, heuristic)
    return report.search(board, _last_marks(board) if last is None else _checked(last, board))


def _check_board(board: Board) -> None:
    """Raises `WrongBoard` where it is not 4×4×4, and `GameOver` where there is nothing left to search."""
    if not REPORT.plays_on(board):
        raise WrongBoard(f"The report's search knows 4×4×4 with 4 in a row only, not {board!r}.")
    if board.over:
        raise GameOver("The game is over: there is no move left to search.")


def _one_or_more(name: str, number: int) -> int:
    from ttt.search import BadSearch

    try:
        whole = index(number)
    except TypeError:
        whole = 0
    if whole < 1:
        raise BadSearch(f"{name} is a whole number, 1 or more, not {number!r}.")
    return whole


def _checked(last: Last, board: Board) -> Last:
    """The last moves as cells, of which each has its side's mark."""
    from ttt.search import BadSearch

    if not isinstance(last, tuple) or len(last) != 2:
        raise BadSearch(f"last is a pair, X's last cell and O's, not {last!r}. Give None for one that is not known.")
    for mark, cell in zip("XO", last, strict=True):
        if cell is not None and board[cell] != mark:
            raise BadSearch(f"{mark}'s last move was not in cell {cell}: there is no {mark} there.")
    x, o = (None if cell is None else board.cell(cell) for cell in last)
    return x, o


class _Report:
    """One search by the report's program: the computer maximizes, the person minimizes."""

    def __init__(self, computer: Mark, depth: int, nearest: int | None, heuristic: Heuristic) -> None:
        self.computer, self.depth, self.nearest, self.heuristic = computer, depth, nearest, heuristic
        self.calls = 0

    def search(self, board: Board, last: Last) -> Found:
        """The computer's move."""
        best, move = self.visit(board, -inf, inf, self.depth, last)
        return Found(move, best, self.calls)

    def visit(self, board: Board, alpha: float, beta: float, depth: int, last: Last) -> tuple[float, int]:
        """`maxSearch` where it is the computer's turn, else `minSearch`: a value for the computer, and the move."""
        self.calls += 1
        if board.winner:
            return (WIN + depth if board.winner == self.computer else -WIN - depth), -1
        if depth == 0 or board.over:
            return self.heuristic(board, self.computer), -1
        sign = 1 if board.turn == self.computer else -1
        best, best_move = -inf, -1
        for move in sorted(board.moves, key=_distances(last).__getitem__)[: self.nearest]:
            after = (move, last[1]) if board.turn == "X" else (last[0], move)
            found = sign * self.visit(board.play(move), alpha, beta, depth - 1, after)[0]
            if found > best:
                best, best_move = found, move
            if sign == 1:
                alpha = max(alpha, best)
            else:
                beta = min(beta, -best)
            if alpha >= beta:
                break
        return sign * best, best_move


@cache
def _distances(last: Last) -> tuple[float, ...]:
    """For each cell the sum of its distances to both last moves, as the crow flies."""
    cube = Board(shape=(4, 4, 4))
    known = [cube.coordinates(cell) for cell in last if cell is not None]
    return tuple(sum((dist(cube.coordinates(cell), place) for place in known), 0.0) for cell in range(len(cube)))


def _last_marks(board: Board) -> Last:
    """Each side's last mark in the order of the cells, None where it has none."""
    x, o = (cells.bit_length() - 1 if cells else None for cells in (board.x, board.o))
    return x, o


def _report(board: Board) -> int:
    """Searches four plies among the 20 moves nearest to the last ones. Its faults: see `report_search`."""
    return report_search(board).move


def _easy(board: Board) -> Policy:
    """Completes a line where it can, else plays anywhere: it does not see what the other side is about to do."""
    return evenly([move for move in board.moves if board.play(move).winner] or board.moves)


def _medium(board: Board) -> Policy:
    """Takes what gains the most at once, so it builds two threes where it had to stop one."""
    from ttt.search.ordering import gain  # the engines are loaded with their first move: most games are of 3×3

    return evenly(best_moves(gain(board)))


def _hard(board: Board) -> int:
    """Looks five plies ahead."""
    from ttt import qubic

    move = qubic.search(board, HARD_DEPTH, compiled=False).move
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
EASY = Player("cube-easy", _easy, "On 4×4×4: completes a line where it can, else plays anywhere.", shape=CUBE)
MEDIUM = Player("cube-medium", _medium, "On 4×4×4: takes the cell that gains the most at once.", shape=CUBE)
HARD = Player("cube-hard", _hard, "On 4×4×4: looks five plies ahead.", shape=CUBE)
LEVELS = (EASY, MEDIUM, HARD)
PERFECT = Player(
    "cube-perfect",
    _Perfect(),
    "On 4×4×4: moving first it wins every game, by a proof; moving second it promises nothing, and plays as cube-hard.",
    shape=CUBE,
)
