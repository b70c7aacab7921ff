"""The Flash lab's two computers, and the clever one with its bug fixed.

Source: the Flash lab sheet, sections 5 and 6. There the computer plays O; here it can play either side. The flaws of
the clever one are kept: it blocks in an earlier line even if it could win in a later one, and it doesn't see forks.
"""

from ttt.board import Board, opponent, require_board
from ttt.heuristics import move_values, open_lines
from ttt.players.player import Player, Policy, best_moves, evenly
from ttt.position import Position


def _random(board: Position) -> Policy:
    """Plays at random: all moves are equally likely."""
    return evenly(board.moves)


def _clever(board: Board) -> int:
    """The Flash lab's clever computer: fills the first line with two equal marks, otherwise follows open lines."""
    return _fill_or_best(board, "XO")


def _fixed(board: Board) -> int:
    """The clever computer, fixed: it wins before it blocks."""
    return _fill_or_best(board, board.turn, opponent(board.turn))


def _fill_or_best(board: Board, *wanted: str) -> int:
    """The free cell of the first line that a wanted player can complete, else the first of the best by heuristic 2."""
    require_board(board, "The clever computer")
    for players in wanted:
        for cells, marks in zip(board.line_cells, board.lines, strict=True):
            if marks.count("-") == 1 and any(marks.count(player) == board.k - 1 for player in players):
                return cells[marks.index("-")]
    first: int = best_moves(move_values(open_lines, board))[0]
    return first


RANDOM = Player("random", _random)
CLEVER = Player("flash-clever", _clever, heuristic=open_lines)
FIXED = Player("flash-fixed", _fixed, heuristic=open_lines)
