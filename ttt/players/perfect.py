"""The perfect player, and the beatable one, which is the perfect one blended with chance.

Source: the blog post on negamax. The perfect player mends its faults: it wins as soon, and loses as late, as can be.
The beatable one answers its optional task: "make it beatable but still smart".
"""

from __future__ import annotations

from functools import lru_cache
from math import exp
from numbers import Real

from ttt.board import Board, Mark
from ttt.heuristics import move_values
from ttt.players.negamax import MOST_FREE_CELLS, MOST_REMEMBERED, check_searchable, outcome
from ttt.players.player import Player, Policy, best_moves, evenly

DISCOUNT = 0.5  # what a move's delay leaves of a value; halves are exact
SCALE = 8.0  # how sharply strength 0.5 tells good moves from bad ones


class BadStrength(ValueError):
    """A strength is a number from 0 to 1."""


def prospect(board: Board, player: Mark) -> float:
    """What a position is worth to a player if both sides play their best, as a heuristic: sooner weighs more.

    A game just won is worth 1, just lost −1, a draw 0; every move that the end is away halves it.

    Raises `TooManyFreeCells`.

    >>> prospect(Board.from_text("XX- OO- ---"), "X"), prospect(Board.from_text("XX- O-- O--"), "O")
    (0.5, -0.5)
    """
    check_searchable(board, "perfect")
    value = _value(board)
    return value if player == board.turn else 0.0 - value  # 0.0 - value, for a draw that is not -0.0


@lru_cache(MOST_REMEMBERED)
def _value(board: Board) -> float:
    """The prospect of the side to move: half the best that it can leave the other side, with the sign turned."""
    if board.over:
        return -1.0 if board.winner else 0.0
    return DISCOUNT * max(0.0 - _value(board.play(cell)) for cell in board.moves)


def _perfect(board: Board) -> Policy:
    """Wins as soon as it can and loses as late as it must; equally good cells are equally likely.

    Raises `TooManyFreeCells`.
    """
    check_searchable(board, "perfect")
    return evenly(best_moves(move_values(prospect, board)))


def beatable(strength: float = 0.5, name: str | None = None) -> Player:
    """The player that is beatable but still smart: the better a move, the likelier it plays it.

    Args:
        strength: from 0, which is random, to 1, which is perfect.
        name: what tables and messages call it; `beatable(strength)` unless told otherwise.

    A move's chance is proportional to exp(prospect · t), with t = 8 · strength / (1 − strength). Since what is far
    off weighs less, it seldom misses a win or a threat, and more often a fork.

    Source: the blog post on negamax, "Optional task". Raises `BadStrength`; the player, `TooManyFreeCells`.

    >>> beatable(0.5).policy(Board.from_text("XX- OO- ---"))[2] > 0.98
    True
    """
    if not isinstance(strength, Real) or not 0 <= strength <= 1:
        raise BadStrength(f"A strength is a number from 0 (random) to 1 (perfect), not {strength!r}.")

    def rule(board: Board) -> Policy:
        if strength == 1:
            return _perfect(board)
        check_searchable(board, title)
        return _softmax(move_values(prospect, board), SCALE * strength / (1 - strength))

    title = name or f"beatable({strength:.3g})"
    about = f"At strength {strength:.3g} of 1: the better a move, the likelier it plays it."
    return Player(title, rule, about, reach=MOST_FREE_CELLS, sees=outcome)


def _softmax(values: dict[int, float], sharpness: float) -> Policy:
    """Every move with a chance proportional to exp(value · sharpness)."""
    highest = max(values.values())
    weights = {cell: exp((value - highest) * sharpness) for cell, value in values.items()}
    total = sum(weights.values())
    return {cell: weight / total for cell, weight in weights.items()}


PERFECT = Player(
    "perfect",
    _perfect,
    "Never loses, wins as soon and loses as late as can be; equally good cells are equally likely.",
    reach=MOST_FREE_CELLS,
    sees=outcome,
)
BEATABLE = beatable(name="beatable")
