"""The ladder of the challenge: what a player can do, rung by rung, and by how much it misses the next one.

Nothing is sampled: the player is asked about every position that it can meet, on both sides.
"""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from html import escape
from typing import Any

from ttt.arena import HiddenChance, best_reply, exact, shortest_loss, steady_policy
from ttt.board import Board, Mark
from ttt.limits import explained, timeout
from ttt.players import AnyPlayer, Player, Policy, as_player
from ttt.svg import Picture, draw, strip

SECONDS = 10.0  # for one move, of which most players need a thousandth; this long means an endless loop
NEARLY_A_WIN = 0.99  # what a draw is worth to a player that is not to lose, and yet to win as often as it can
ROUNDING = 1e-9  # by which exact shares may be off
SIDES: tuple[Mark, Mark] = ("X", "O")
SIGNS = {True: "✓ Reached", False: "✗ Missed", None: "○ Not tried"}
GOALS = (
    "a legal move on every board",
    "more wins against random than open-lines has, on both sides",
    "no game lost as O",
    "no game lost at all",
    "no game lost, and as many wins against random as such a player can have",
)

Function = Callable[[Board], Any]


@dataclass(frozen=True)
class Rung:
    """A rung of the ladder.

    Args:
        goal: what a player must show, as the rest of a sentence.
        reached: whether it does; None if it couldn't be tried.
        message: what it misses, in a sentence or two.
        picture: the game or the board that shows it.
    """

    goal: str
    reached: bool | None = None
    message: str = ""
    picture: Picture | None = None

    def __str__(self) -> str:
        return f"{SIGNS[self.reached]}: {self.goal}. {self.message}".strip()


@dataclass(frozen=True)
class Ladder:
    """Where a player stands.

    Args:
        rungs: from the lowest to the highest.
        started: whether the player is another one than the notebook's.
    """

    rungs: tuple[Rung, ...]
    started: bool = True

    @property
    def height(self) -> int:
        """How many rungs have been reached without missing one below."""
        reached = [rung.reached is True for rung in self.rungs]
        return [*reached, False].index(False)

    @property
    def title(self) -> str:
        """Where the player stands, in a sentence."""
        if not self.started:
            return "○ Not started. Change my_player, run its cell, and then this one."
        if self.height == len(self.rungs):
            return "✓ The top of the ladder."
        return f"Rung {self.height} of {len(self.rungs)}." if self.height else "Below the first rung."

    def __str__(self) -> str:
        return "\n".join([self.title, *(f"{number}. {rung}" for number, rung in enumerate(self.rungs, 1))])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        items = "".join(f"<li><p>{escape(str(rung))}</p><p>{rung.picture or ''}</p></li>" for rung in self.rungs)
        return f'<div role="status"><p><strong>{escape(self.title)}</strong></p><ol>{items}</ol></div>'


class _NoAnswer(Exception):
    """The player gave no answer that counts; the message says why, and for which board."""

    def __init__(self, why: str, board: Board) -> None:
        super().__init__(f"{why.removesuffix('.')}. The board was {board!r}.")
        self.board = board


def climb(function: Function) -> Ladder:
    """Where a player stands, and what it misses.

    Args:
        function: the player, from a board to a cell, or to cells with their probabilities.
    """
    if not callable(function):
        told = f"The ladder needs the function itself, not {function!r}: write its name without brackets or quotes."
        return _below(Rung(GOALS[0], False, told))
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            climber = _Climber(function)
            if climber.as_handed_out:
                return _below(Rung(GOALS[0]), started=False)
            return Ladder((Rung(GOALS[0], True), climber.often(), climber.safe_as_o(), climber.safe(), climber.best()))
    except NotImplementedError:
        return _below(Rung(GOALS[0]), started=False)
    except _NoAnswer as problem:
        return _below(Rung(GOALS[0], False, str(problem), draw(problem.board, numbers=True)))


def _below(first: Rung, started: bool = True) -> Ladder:
    """The ladder of a player that doesn't reach the first rung."""
    return Ladder((first, *map(Rung, GOALS[1:])), started)


class _Climber:
    """A player on the ladder, with its exact results against `random` and the shortest games that it can lose."""

    def __init__(self, function: Function) -> None:
        self._asked = as_player(function)
        self._policies: dict[Board, Policy] = {}
        self.player = Player(self._asked.name, self._policy)
        self.losses = {side: shortest_loss(self.player, side) for side in SIDES}
        self.wins = {side: share_won(self.player, side) for side in SIDES}

    def _policy(self, board: Board) -> Policy:
        """The player's policy, which is asked for only once. Raises `_NoAnswer`."""
        if board not in self._policies:
            self._policies[board] = self._answer(board)
        return self._policies[board]

    def _answer(self, board: Board) -> Policy:
        """The policy that the player gives in time, and gives again. Raises `_NoAnswer`."""
        try:
            with timeout(SECONDS):
                return steady_policy(self._asked, board)
        except TimeoutError:
            advice = (
                "Is there an endless loop? If it searches, alphabeta visits far fewer nodes than minimax, and a search "
                "of your own can remember what it has found by functools.cache"
            )
            raise _NoAnswer(f"It gave no answer within {SECONDS:g} s. {advice}", board) from None
        except HiddenChance:
            advice = "Return {cell: probability} where chance is to decide, and the results are exact"
            raise _NoAnswer(
                f"It chooses its move at random, or another one when asked again. {advice}", board
            ) from None
        except NotImplementedError:
            raise
        except Exception as error:
            raise _NoAnswer(explained(error, self.player.name), board) from error

    @property
    def as_handed_out(self) -> bool:
        """Whether it plays as the notebook's player does, which takes the first free cell."""
        return all(policy == {board.moves[0]: 1} for board, policy in self._policies.items())

    def often(self) -> Rung:
        """Does it beat random more often than open-lines does?"""
        missed = [side for side in SIDES if self.wins[side] < share_won("open-lines", side) + ROUNDING]
        shares = [
            f"As {side} it wins {percent(self.wins[side])} of its games, and open-lines "
            f"{percent(share_won('open-lines', side))}."
            for side in missed
        ]
        return Rung(GOALS[1], not missed, " ".join(shares))

    def safe_as_o(self) -> Rung:
        """Does it never lose as O?"""
        return self._safe(GOALS[2], "O")

    def safe(self) -> Rung:
        """Does it never lose at all?"""
        if self.losses["O"] and not self.losses["X"]:
            return Rung(GOALS[3], False, "As X it loses none, but as O it can.")
        return self._safe(GOALS[3], "X")

    def _safe(self, goal: str, side: Mark) -> Rung:
        loss = self.losses[side]
        if loss is None:
            return Rung(goal, True)
        cells = ", ".join(map(str, loss.moves))
        message = f"As {side} it can lose. The shortest way, move by move: cells {cells}."
        return Rung(goal, False, message, strip(loss.boards, title=str(loss)))

    def best(self) -> Rung:
        """Does it never lose, and beat random as often as that allows?"""
        missed = [side for side in SIDES if self.wins[side] < most_won(side) - ROUNDING]
        messages = [
            f"As {side} it wins {percent(self.wins[side])} of its games; a player that never loses can win "
            f"{percent(most_won(side))}."
            for side in missed
        ]
        if any(self.losses.values()):
            messages.insert(0, "It can lose.")
        return Rung(GOALS[4], not messages, " ".join(messages))


def share_won(player: AnyPlayer, side: Mark) -> float:
    """The share of its games against `random` that a player wins on a side."""
    return exact(player, "random").x_wins if side == "X" else exact("random", player).o_wins


@cache
def most_won(side: Mark) -> float:
    """The greatest share of games that a player can win against `random` on a side if it never loses to anybody.

    `random` may make any move, so whoever never loses to it never loses to anybody. And its best reply never does, if
    a draw is worth nearly as much as a win.
    """
    return share_won(best_reply("random", side, draw=NEARLY_A_WIN), side)


def percent(share: float) -> str:
    """A share of games as text.

    >>> percent(191 / 192)
    '99.48 %'
    """
    return f"{100 * share:.2f} %"
