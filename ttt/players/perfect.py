"""The perfect player, and a beatable one that mixes perfect play with chance.

Source: the blog post on negamax. The perfect player corrects the flaws of the program there, and the beatable one
solves the optional task: "make it beatable but still smart".
"""

from dataclasses import replace
from math import copysign, exp

from ttt.board import Board, Mark
from ttt.heuristics import move_values
from ttt.players.negamax import MOST_FREE_CELLS, solved
from ttt.players.player import Player, Policy, best_moves, evenly


def early_win(board: Board, player: Mark) -> int:
    """A heuristic: the result for a player if both sides play their best, and how soon.

    A win is worth 1, plus 1 for each cell still free at the end; a loss as much below 0; a draw 0. Raises
    `PlayerError` for a board with more than 12 free cells.

    >>> early_win(Board.from_text("XX- OO- ---"), "X"), early_win(Board.from_text("XX- O-- O--"), "O")
    (5, -5)
    """
    PERFECT.require_board(board)
    return solved(board) if player == board.turn else -solved(board)


def prospect(board: Board, player: Mark) -> float:
    """A heuristic: what a position is worth to a player if both sides play perfectly and prefer an early win.

    A won game is worth 1, a lost one −1, a draw 0; the value is halved for every move still to be played.

    >>> prospect(Board.from_text("XX- OO- ---"), "X"), prospect(Board.from_text("XX- O-- O--"), "O")
    (0.5, -0.5)
    """
    value = early_win(board, player)
    moves_left = len(board.moves) + 1 - abs(value)
    return copysign(0.5**moves_left, value) if value else 0.0


def _perfect(board: Board) -> Policy:
    """Searches to the end and prefers an early win; equally good moves are equally likely."""
    return evenly(best_moves(move_values(early_win, board)))


def beatable(strength: float = 0.5) -> Player:
    """A player that is beatable but still smart: the better a move, the more likely it is.

    The strength is from 0 (random) to 1 (perfect). A move's probability is proportional to exp(prospect · t), with t =
    8 · strength / (1 − strength). Because distant results weigh less, it rarely misses a win, but more often a fork.

    >>> beatable(0.5).policy(Board.from_text("XX- OO- ---"))[2] > 0.98
    True
    """
    if not 0 <= strength <= 1:
        raise ValueError(f"The strength must be a number from 0 (random) to 1 (perfect), not {strength!r}.")

    def rule(board: Board) -> Policy:
        if strength == 1:
            return _perfect(board)
        values, sharpness = move_values(prospect, board), 8 * strength / (1 - strength)
        highest = max(values.values())
        weights = {cell: exp((value - highest) * sharpness) for cell, value in values.items()}
        total = sum(weights.values())
        return {cell: weight / total for cell, weight in weights.items()}

    about = f"Strength {strength:.3g} of 1: the better a move, the more likely it is."
    return Player(f"beatable({strength:.3g})", rule, about, reach=MOST_FREE_CELLS, sees=prospect)


PERFECT = Player("perfect", _perfect, reach=MOST_FREE_CELLS, sees=early_win)
BEATABLE = replace(beatable(), name="beatable")
