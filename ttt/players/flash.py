"""The Flash lab's two computers, and the clever one with its fault mended.

Source: the Flash lab sheet, sections 5 and 6. There the person plays X and the computer O; here both can play either.
"""

from __future__ import annotations

from ttt.board import Board, opponent
from ttt.heuristics import move_values, open_lines
from ttt.players.player import Player, Policy, best_moves, evenly


def _random(board: Board) -> Policy:
    """Plays any free cell, all equally likely."""  # section 5: draws cells until one is free
    return evenly(board.moves)


def _clever(board: Board) -> int:
    """The Flash lab's clever computer: fills the first line with two equal marks, else follows the open lines.

    It does as the listing of section 6 does. The faults that matter in play are kept:

    - It fills lines of either side alike, so it blocks in an earlier line though it could win in a later one.
    - It looks one move ahead, so a fork beats it.

    Other disagreements of the sheet with its code have no effect on a move: a winning move is tagged 999 in the code
    and 100 in the text; the comments call the computer "player X" though it plays O; one test of a row has its
    brackets wrong and would not compile; after a draw, the sheet says so only at the next click.
    """
    return _fill_or_best(board, "XO")


def _mended(board: Board) -> int:
    """The clever computer, mended: wins before it blocks."""
    return _fill_or_best(board, board.turn, opponent(board.turn))


def _fill_or_best(board: Board, *wanted: str) -> int:
    """The free cell of the first line in which one of some players lacks just one mark, else the first best cell.

    The players wanted first are looked for in all lines before the next. The best cell has the highest heuristic 2.
    """
    for players in wanted:
        for cells, marks in zip(board.line_cells, board.lines, strict=True):
            if marks.count("-") == 1 and any(marks.count(player) == board.k - 1 for player in players):
                return cells[marks.index("-")]
    return best_moves(move_values(open_lines, board))[0]


RANDOM = Player("random", _random)
CLEVER = Player("flash-clever", _clever, sees=open_lines)
MENDED = Player("flash-mended", _mended, sees=open_lines)
