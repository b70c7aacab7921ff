"""Players that search to the end of the game: negamax, the perfect one, and a beatable one, which also takes chances.

Source: `MiniMax` in the blog post on a half-hour tic-tac-toe. Its flaws are kept in `negamax`: it plays the first cell
that leads to the best result, however far off, so it misses immediate wins; and if all moves lose, it blocks nothing.
`perfect` corrects them, and `beatable` solves the optional task: "make it beatable but still smart".
"""

from dataclasses import replace
from functools import lru_cache
from math import copysign, exp

from ttt.board import Board, Mark, opponent
from ttt.heuristics import as_number, move_values
from ttt.players.player import Player, Policy, best_moves, evenly

MAX_FREE_CELLS = 12  # about 140,000 positions in a second; each further cell triples the time
MAX_CACHED_POSITIONS = 2**19


@lru_cache(MAX_CACHED_POSITIONS)
def _value(board: Board) -> int:
    """The same as `early_win`, for the side to move: its best move leaves the other side the worst value."""
    if board.over:
        return -1 - len(board.moves) if board.winner else 0
    return max(-_value(board.play(cell)) for cell in board.moves)


def early_win(board: Board, player: Mark) -> int:
    """A heuristic: the result for a player if both sides play their best, and how soon.

    A win is worth 1, plus 1 for each cell still free at the end; a loss as much below 0; a draw 0. Raises
    `PlayerError` for a board with more than 12 free cells.

    >>> early_win(Board.from_text("XX- OO- ---"), "X"), early_win(Board.from_text("XX- O-- O--"), "O")
    (5, -5)
    """
    PERFECT.require_board(board)
    return _value(board) if opponent(player) != board.turn else -_value(board)


def outcome(board: Board, player: Mark) -> int:
    """A heuristic: the result for a player if both sides play their best. Win +1, draw 0, loss −1.

    >>> outcome(Board(), "X"), outcome(Board.from_text("XX- O-- O--"), "O")
    (0, -1)
    """
    return max(-1, min(1, early_win(board, player)))


def prospect(board: Board, player: Mark) -> float:
    """A heuristic: what a position is worth to a player if both sides play perfectly and prefer an early win.

    A won game is worth 1, a lost one −1, a draw 0; the value is halved for every move still to be played.

    >>> prospect(Board.from_text("XX- OO- ---"), "X"), prospect(Board.from_text("XX- O-- O--"), "O")
    (0.5, -0.5)
    """
    value = early_win(board, player)
    moves_left = len(board.moves) + 1 - abs(value)
    return copysign(0.5**moves_left, value) if value else 0.0


def _negamax(board: Board) -> Policy:
    """Searches to the end and takes the first of the best moves in reading order."""
    return evenly(best_moves(move_values(outcome, board))[:1])


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
    number = as_number(strength)
    if number is None or not 0 <= number <= 1:
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
    return Player(f"beatable({strength:.3g})", rule, about, max_free=MAX_FREE_CELLS, heuristic=prospect)


NEGAMAX = Player("negamax", _negamax, max_free=MAX_FREE_CELLS, heuristic=outcome)
PERFECT = Player("perfect", _perfect, max_free=MAX_FREE_CELLS, heuristic=early_win)
BEATABLE = replace(beatable(), name="beatable")
