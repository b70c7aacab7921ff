"""The line-counting computer from a programming blog, which challenged readers to send in a better one.

Source: the TicTacToe challenge, its selection algorithm and listing. There the computer plays O; here it can play
either side. Its flaws are kept: it looks only at the first row, column and diagonal with a given number of marks,
so that a full main diagonal hides the other one; it builds in lines that can't be won; and it doesn't see forks.
"""

from ttt.board import Board, Mark, opponent
from ttt.geometry import Line
from ttt.players.player import Player, Policy, evenly

ROWS, COLUMNS, DIAGONALS = slice(0, 3), slice(3, 6), slice(6, 8)  # their places among the lines of a 3×3 board


def _line_counts(board: Board) -> Policy:
    """Counts marks in lines: tries to win, then to block, to build and to spoil."""
    own, rival = board.turn, opponent(board.turn)
    for player, count in ((own, 2), (rival, 2), (own, 1), (rival, 1)):
        row, column, diagonal = (_target(board, kind, player, count) for kind in (ROWS, COLUMNS, DIAGONALS))
        for step in range(3):  # the main diagonal is looked at after the first cells, the other one after the second
            whole = diagonal if step == (0 if 0 in diagonal else 1) else ()
            for cell in (*row[step : step + 1], *column[step : step + 1], *whole):
                if board[cell] == "-":
                    return {cell: 1.0}
    return evenly(board.moves)


def _target(board: Board, kind: slice, player: Mark, count: int) -> Line:
    """The first line of a kind with this many of the player's marks, full or not; () if there is none."""
    lines = zip(board.line_cells[kind], board.lines[kind], strict=True)
    return next((cells for cells, marks in lines if marks.count(player) == count), ())


LINE_COUNTS = Player("line-counts", _line_counts, shape=(3, 3))
