"""The line-counting computer that a programming blog offered as a challenge: send in a better one.

Source: the TicTacToe challenge, its selection algorithm and the full listing. There the computer plays O; here it can
play either side.
"""

from __future__ import annotations

from ttt.board import Board, Line, Mark, opponent
from ttt.players.player import Player, Policy, evenly

ROWS, COLUMNS, DIAGONALS = slice(0, 3), slice(3, 6), slice(6, 8)  # where they stand among the lines of a 3×3 board
MAIN = (0, 4, 8)  # the diagonal that is looked at first


def _line_counts(board: Board) -> Policy:
    """Counts marks in lines: tries to win, to block, to build and to spoil; a full line can hide an open one.

    Source: the challenge, the four calls after "Tries to win". The listing's faults that matter in play are kept:

    - It counts the marks of one side only, and looks only at the first row, column and diagonal found, full or not. So
      a full main diagonal hides the other one: it overlooks wins, and it overlooks threats.
    - It builds in dead lines, in which the other side already has a mark.
    - It looks one move ahead, so a fork beats it.
    """
    own, rival = board.turn, opponent(board.turn)
    for player, count in ((own, 2), (rival, 2), (own, 1), (rival, 1)):
        for cell in _order(board, player, count):
            if board[cell] == "-":
                return {cell: 1.0}
    return evenly(board.moves)


def _order(board: Board, player: Mark, count: int) -> Line:
    """The cells of the target row, column and diagonal: first their first cells, then their second ones, …

    A diagonal's cells come all at once: the main one's after the first cells, the other one's after the second.
    """
    row, column, diagonal = (_target(board, kind, player, count) for kind in (ROWS, COLUMNS, DIAGONALS))
    main, other = (diagonal, ()) if diagonal == MAIN else ((), diagonal)
    return (*row[:1], *column[:1], *main, *row[1:2], *column[1:2], *other, *row[2:], *column[2:])


def _target(board: Board, kind: slice, player: Mark, count: int) -> Line:
    """The first row, column or diagonal with this many marks of the player, full or not; () if there is none."""
    lines = zip(board.line_cells[kind], board.lines[kind], strict=True)
    return next((cells for cells, marks in lines if marks.count(player) == count), ())


LINE_COUNTS = Player("line-counts", _line_counts, shape=(3, 3))
