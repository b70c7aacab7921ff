"""The challenge's ladder: what a player can do, rung by rung, and how far it is from the next one.

Nothing is sampled: the player is asked about every position it can meet, on both sides.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from functools import cache
from html import escape
from io import StringIO

from lab.checks.exercise import positions
from lab.drawing.cards import card, prose
from lab.timeouts import Clock, explained
from ttt.arena.games import HiddenChance, best_reply, exact, shortest_loss, steady_policy
from ttt.board import Board, Mark
from ttt.players import AnyPlayer, Player, PlayerError, Policy, as_player
from ttt.svg import Picture, draw, frames, strip

MAX_MOVE_SECONDS = 10.0  # most players need a thousandth of that, so this long means an endless loop
NEARLY_A_WIN = 0.99  # worth of a draw to a player that must never lose but win as often as possible
ROUNDING = 1e-9  # tolerance for exact shares
SIDES: tuple[Mark, Mark] = ("X", "O")
RUNG_SIGNS = {True: "✓ Reached", False: "✗ Not yet", None: "○ Not tried"}
GOALS = (
    "make a legal move on every board",
    "beat `random` more often than `open-lines` does, as X and as O",
    "never lose as O",
    "never lose at all",
    "never lose, and beat `random` at least as often as `rules` does, as X and as O",
    "never lose, and beat `random` as often as such a player can",
)
TOO_SLOW = (
    "Your player gave no answer in time. Is there an endless loop? If it searches, `alphabeta` visits far fewer nodes "
    "than `minimax`, and your own search can remember its results with `functools.cache`"
)
UNTRIED = "So the other rungs can't be tried."


@dataclass(frozen=True)
class Rung:
    """A rung of the ladder."""

    goal: str  # what the player must do, as a verb phrase
    reached: bool | None = None  # None if it couldn't be tried
    message: str = ""  # what is missing, in a sentence or two
    picture: Picture | None = None  # a game or board that shows it
    frames: Sequence[Picture] = ()  # the same, if it is a game, board by board

    def __str__(self) -> str:
        return f"{RUNG_SIGNS[self.reached]}: {self.goal}. {self.message}".strip()


@dataclass(frozen=True)
class Ladder:
    """A player's rungs, from the lowest to the highest."""

    rungs: tuple[Rung, ...]

    @property
    def height(self) -> int:
        """How many rungs are reached without missing one below."""
        return [*(rung.reached is True for rung in self.rungs), False].index(False)

    @property
    def title(self) -> str:
        """Where the player stands, as a sentence."""
        if self.rungs[0].reached is None:
            return "○ Not started. Write your player, run its cell, then this one."
        if self.height == len(self.rungs):
            return "✓ Your player has reached the top of the ladder."
        if self.height == 1:
            return f"You have a player that never cheats. That is rung 1 of {len(self.rungs)}. Next: rung 2."
        if self.height:
            return f"You are on rung {self.height} of {len(self.rungs)}. Next: rung {self.height + 1}."
        return "Below the first rung."

    def __str__(self) -> str:
        return "\n".join([self.title, *(f"{number}. {rung}" for number, rung in enumerate(self.rungs, 1))])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        items = ""
        for number, rung in reversed([*enumerate(self.rungs, 1)]):  # the lowest is at the bottom, as on a ladder
            kind = "good" if number <= self.height else "soon" if number == self.height + 1 else ""
            sign = RUNG_SIGNS[rung.reached if kind else rung.reached or None][0]  # what comes later has not failed
            line = f'<span class="sign">{sign}</span> {prose(rung.goal)}'
            if rung.message or rung.picture:
                shown, told = " open" if kind == "soon" else "", prose(rung.message).replace(" %", "&nbsp;%")
                line = f"<details{shown}><summary>{line}</summary> {told}{_drawn(rung)}</details>"
            items += f'<li value="{number}" class="{kind}">{line}</li>'
        kind = "good" if self.height == len(self.rungs) else "soon" if self.rungs[0].reached is False else "plain"
        return card(kind, f'<p><strong>{prose(self.title)}</strong></p><ol reversed class="ladder">{items}</ol>')


def _drawn(rung: Rung) -> str:
    """A rung's picture; the boards of a game wrap where it is narrow."""
    if rung.picture is None or not rung.frames:
        return str(rung.picture or "")
    boards = ""
    for frame in rung.frames:
        size = f'width="86" viewBox="0 0 {frame.width} {frame.height}" font-family="system-ui,sans-serif"'
        boards += f"<svg {size}>{frame.body}</svg>"
    return f'<div role="img" aria-label="{escape(rung.picture.title)}">{boards}</div>'


class _NoAnswer(Exception):
    """The player gave no valid answer on a board; carries the reason and a picture."""


def ladder(player: AnyPlayer) -> Ladder:
    """Place a player on the challenge's ladder and say what is missing. Put it last in a cell to see the ladder."""
    policies: dict[Board, Policy] = {}
    clock = Clock(each=MAX_MOVE_SECONDS)

    def policy(board: Board, answer: Callable[[Player, Board], Policy] = steady_policy) -> Policy:
        if board not in policies:
            try:
                policies[board] = clock.run(answer, asked, board)
            except (NotImplementedError, HiddenChance):
                raise
            except Exception as error:
                why = TOO_SLOW if isinstance(error, TimeoutError) else explained(error, asked.name)
                why = why if why.endswith((".", "?")) else f"{why}."
                raise _NoAnswer(f"{why} This happened on `{board!r}`.", draw(board, numbers=True)) from error
        return policies[board]

    try:
        asked = as_player(player)
        with clock.ticking(), redirect_stdout(StringIO()):
            try:
                rungs = tuple(_rungs(Player(asked.name, policy)))
            except HiddenChance as chance:
                for board in positions():
                    if not board.over:
                        policy(board, Player.policy)
                return Ladder(
                    (Rung(GOALS[0], True), Rung(GOALS[1], None, f"{chance} {UNTRIED}"), *map(Rung, GOALS[2:]))
                )
    except NotImplementedError:
        return _below()
    except (PlayerError, _NoAnswer) as problem:
        return _below(False, *problem.args)
    if all(policy == {board.moves[0]: 1} for board, policy in policies.items()):  # like the player in the notebook
        return _below()
    return Ladder(rungs)


def _below(reached: bool | None = None, message: str = "", picture: Picture | None = None) -> Ladder:
    """The ladder for a player below the first rung."""
    return Ladder((Rung(GOALS[0], reached, message, picture), *map(Rung, GOALS[1:])))


def _rungs(player: Player) -> Iterator[Rung]:
    """Yield the rungs for a player that makes legal moves."""
    losses = {side: shortest_loss(player, side) for side in SIDES}
    wins = {side: share_won(player, side) for side in SIDES}
    yield Rung(GOALS[0], True)
    beaten = {side: share_won("open-lines", side) + 2 * ROUNDING for side in SIDES}
    fewer = _fewer(wins, beaten, "; `open-lines` wins")
    yield Rung(GOALS[1], not fewer, fewer)
    for goal, side in zip(GOALS[2:4], ("O", "X"), strict=True):
        if loss := losses[side]:
            told = f"Your player can lose as {side}. Its quickest loss: cells {', '.join(map(str, loss.moves))}."
            yield Rung(goal, False, told, strip(loss.boards, title=str(loss)), frames(loss.boards))
        elif side == "X" and losses["O"]:
            yield Rung(goal, False, "Your player never loses as X, but it can lose as O.")
        else:
            yield Rung(goal, True)
    fewer = _fewer(wins, {side: share_won("rules", side) for side in SIDES}, "; `rules` wins")
    less = _fewer(wins, {side: most_won(side) for side in SIDES}, "; a player that never loses can win")
    for goal, missed in zip(GOALS[4:], (fewer, less), strict=True):
        message = f"{'Your player can lose. ' if any(losses.values()) else ''}{missed}".strip()
        yield Rung(goal, not message, message)


def _fewer(wins: Mapping[Mark, float], wanted: Mapping[Mark, float], whose: str) -> str:
    """Name the sides on which a player wins fewer games than wanted, in sentences."""
    return " ".join(
        f"As {side} your player wins {100 * wins[side]:.2f} % of its games{whose} {100 * wanted[side]:.2f} %."
        for side in SIDES
        if wins[side] < wanted[side] - ROUNDING
    )


def share_won(player: AnyPlayer, side: Mark) -> float:
    """The share of games a player wins on this side against `random`."""
    return exact(player, "random").x_wins if side == "X" else exact("random", player).o_wins


@cache
def most_won(side: Mark) -> float:
    """The largest share of games an unbeatable player can win on this side against `random`.

    `random` may make any move, so a player that never loses to it never loses to anybody. Its best reply never loses if
    a draw is worth nearly as much as a win.
    """
    return share_won(best_reply("random", side, draw=NEARLY_A_WIN), side)
