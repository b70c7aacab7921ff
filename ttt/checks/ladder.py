"""The ladder of the challenge: what a player can do, rung by rung, and by how much it misses the next one.

Nothing is sampled: the player is asked about every position that it can meet, on both sides.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import redirect_stdout
from dataclasses import dataclass
from functools import cache
from html import escape
from io import StringIO

from ttt.arena.games import HiddenChance, best_reply, exact, shortest_loss, steady_policy
from ttt.board import Board, Mark
from ttt.checks.exercise import positions
from ttt.drawing.prose import COLUMN
from ttt.drawing.svg import Picture, draw, strip
from ttt.players import AnyPlayer, Player, PlayerError, Policy, as_player
from ttt.runtime.limits import Clock, explained

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
    "no game lost, and at least as many wins against random as rules has, on both sides",
    "no game lost, and as many wins against random as such a player can have",
)
TOO_SLOW = (
    "It gave no answer in time. Is there an endless loop? If it searches, alphabeta visits far fewer nodes than "
    "minimax, and a search of your own can remember what it has found by functools.cache"
)
BY_CHANCE = (
    "It chooses its move at random, or another one when asked again. Return {cell: probability} where chance is to "
    "decide, and the results are exact."
)


@dataclass(frozen=True)
class Rung:
    """A rung of the ladder."""

    goal: str  # what a player must show, as the rest of a sentence
    reached: bool | None = None  # whether it does; None if it couldn't be tried
    message: str = ""  # what it misses, in a sentence or two
    picture: Picture | None = None  # the game or the board that shows it

    def __str__(self) -> str:
        return f"{SIGNS[self.reached]}: {self.goal}. {self.message}".strip()


@dataclass(frozen=True)
class Ladder:
    """Where a player stands, by rungs from the lowest to the highest."""

    rungs: tuple[Rung, ...]

    @property
    def height(self) -> int:
        """How many rungs have been reached without missing one below."""
        return [*(rung.reached is True for rung in self.rungs), False].index(False)

    @property
    def title(self) -> str:
        """Where the player stands, in a sentence."""
        if self.rungs[0].reached is None:
            return "○ Not started. Write your player, run its cell, and then this one."
        if self.height == len(self.rungs):
            return "✓ The top of the ladder."
        return f"Rung {self.height} of {len(self.rungs)}." if self.height else "Below the first rung."

    def __str__(self) -> str:
        return "\n".join([self.title, *(f"{number}. {rung}" for number, rung in enumerate(self.rungs, 1))])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        items = "".join(f"<li><p>{escape(str(rung))}</p><p>{rung.picture or ''}</p></li>" for rung in self.rungs)
        return f'<div role="status" {COLUMN}><p><strong>{escape(self.title)}</strong></p><ol>{items}</ol></div>'


class _NoAnswer(Exception):
    """The player gave no answer that counts on a board; says why, and shows it."""


def ladder(player: AnyPlayer) -> Ladder:
    """Where a player stands on the challenge's ladder, and what it misses. Put it last in a cell to see the ladder."""
    policies: dict[Board, Policy] = {}
    clock = Clock(each=SECONDS)

    def policy(board: Board, answer: Callable[[Player, Board], Policy] = steady_policy) -> Policy:
        if board not in policies:
            try:
                policies[board] = clock.run(answer, asked, board)
            except (NotImplementedError, HiddenChance):
                raise
            except Exception as error:
                why = TOO_SLOW if isinstance(error, TimeoutError) else explained(error, asked.name)
                why = why if why.endswith((".", "?")) else f"{why}."
                raise _NoAnswer(f"{why} The board was {board!r}.", draw(board, numbers=True)) from error
        return policies[board]

    try:
        asked = as_player(player)
        with clock.ticking(), redirect_stdout(StringIO()):
            try:
                rungs = tuple(_rungs(Player(asked.name, policy)))
            except HiddenChance:
                for board in positions():
                    if not board.over:
                        policy(board, Player.policy)
                return Ladder((Rung(GOALS[0], True), Rung(GOALS[1], None, BY_CHANCE), *map(Rung, GOALS[2:])))
    except NotImplementedError:
        return _below()
    except (PlayerError, _NoAnswer) as problem:
        return _below(False, *problem.args)
    if all(policy == {board.moves[0]: 1} for board, policy in policies.items()):  # as the notebook's player does
        return _below()
    return Ladder(rungs)


def _below(reached: bool | None = None, message: str = "", picture: Picture | None = None) -> Ladder:
    """The ladder of a player that doesn't reach the first rung."""
    return Ladder((Rung(GOALS[0], reached, message, picture), *map(Rung, GOALS[1:])))


def _rungs(player: Player) -> Iterator[Rung]:
    """The rungs of a player that makes legal moves."""
    losses = {side: shortest_loss(player, side) for side in SIDES}
    wins = {side: share_won(player, side) for side in SIDES}
    yield Rung(GOALS[0], True)
    beaten = {side: share_won("open-lines", side) + 2 * ROUNDING for side in SIDES}
    fewer = _fewer(wins, beaten, ", and open-lines")
    yield Rung(GOALS[1], not fewer, fewer)
    for goal, side in zip(GOALS[2:4], ("O", "X"), strict=True):
        if loss := losses[side]:
            told = f"As {side} it can lose. The shortest way, move by move: cells {', '.join(map(str, loss.moves))}."
            yield Rung(goal, False, told, strip(loss.boards, title=str(loss)))
        elif side == "X" and losses["O"]:
            yield Rung(goal, False, "As X it loses none, but as O it can.")
        else:
            yield Rung(goal, True)
    fewer = _fewer(wins, {side: share_won("rules", side) for side in SIDES}, ", and rules")
    less = _fewer(wins, {side: most_won(side) for side in SIDES}, "; a player that never loses can win")
    for goal, missed in zip(GOALS[4:], (fewer, less), strict=True):
        message = f"{'It can lose. ' if any(losses.values()) else ''}{missed}".strip()
        yield Rung(goal, not message, message)


def _fewer(wins: Mapping[Mark, float], wanted: Mapping[Mark, float], whose: str) -> str:
    """Sentences on the sides on which a player wins fewer games than wanted."""
    return " ".join(
        f"As {side} it wins {100 * wins[side]:.2f} % of its games{whose} {100 * wanted[side]:.2f} %."
        for side in SIDES
        if wins[side] < wanted[side] - ROUNDING
    )


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
