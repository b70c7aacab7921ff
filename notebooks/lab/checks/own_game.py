"""Checks a game you wrote: plays it at random, and reports the first mistake with the position where it shows."""

from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from inspect import getattr_static, getsource
from itertools import product
from random import Random
from time import monotonic
from typing import Any

from lab.checks.causes import gaps_in
from lab.checks.source import EDITED, is_edited
from lab.checks.verdict import Check
from lab.drawing.own_positions import brief, called, move_name, move_told, picture
from lab.timeouts import explain_timeout, explained, timeout
from ttt.position import (
    ATTRIBUTES,
    MAX_GAME_MOVES,
    MAX_PLIES,
    BadGame,
    came_back,
    comes_back,
    endless_message,
    next_position,
    require_attributes,
    require_sense,
)
from ttt.search import alphabeta
from ttt.words import count_phrase, short_repr, without_addresses

MAX_GAMES = 300  # to play, if there is time
STAGE_SECONDS = (0.6, 1.6, 2.0)  # after these: stop trying every move; start no more games; abort
ENDLESS = "over must become True, whatever is played, and moves must contain only what your rules allow"
MAX_MOVES_TOLD = 12  # moves shown of a game


class Unfinished(Exception):
    """The time ran out before any game ended; the message says how far it came."""


class GameTrial:
    """Random games from a position, with a look at every position on the way."""

    def __init__(self, start: Any) -> None:
        self.start = self.here = start
        self.moves: list[Any] = []  # the moves that led to `here`
        self.move: Any = None  # the move being tried
        self.rng, self.began = Random(1), monotonic()
        self.known: dict[Any, tuple[Any, ...]] = {}  # the attributes of each position
        self.games: list[tuple[list[Any], Any]] = []  # (moves, winner) of each game

    def late(self, stage: int) -> bool:
        return monotonic() > self.began + STAGE_SECONDS[stage]

    def run(self) -> None:
        """Play games while there is time. Raises `BadGame` at the first mistake, or if no game ends."""
        require_attributes(self.start, "check_game()")
        require_sense(self.start)
        if self.start.over:
            raise BadGame("The game is over before it begins: start from a position that has moves.")
        while not self.games or (len(self.games) < MAX_GAMES and not self.late(1)):
            self.play()

    def play(self) -> None:
        """Play one game, and keep it if it ends in time."""
        self.here, self.moves = self.start, []
        in_sight = MAX_PLIES + max(2 * len(game) for game, _ in self.games) if self.games else 0
        self.look()
        while not self.here.over:
            number = len(self.moves)
            if number == MAX_GAME_MOVES:
                raise BadGame(endless_message(self.start, ENDLESS, MAX_GAME_MOVES))
            if self.late(1):
                if number < in_sight:
                    return
                raise Unfinished(f"Checked as far as {count_phrase(number, 'move')}.")
            self.move = self.rng.choice(self.here.moves)
            self.here = next_position(self.here, self.move)
            self.moves.append(self.move)
            self.look()
        self.games.append((self.moves, self.here.winner))

    def look(self) -> None:
        """Try all moves of a new position: they must leave it unchanged, and have a name."""
        met, self.move = len(self.known), None
        self.remember(self.here)
        for move in self.here.moves if len(self.known) > met and not self.here.over else ():
            if self.late(0):
                return
            self.move = move
            require_repeatable(self.here, move)
            self.remember(self.here.play(move))
            self.remember(self.here)
            called(self.here, move)
        self.move = None

    def remember(self, here: Any) -> None:
        """Note a position's attributes, which must be the same for equal positions."""
        require_sense(here)
        name, tells = type(here).__name__, (here.turn, frozenset(here.moves), here.over, here.winner)
        for part, one, other in zip(ATTRIBUTES, tells, self.known.setdefault(here, tells), strict=False):
            if one != other:
                raise BadGame(
                    f"Two equal {name} positions differ in their {part}. Equal positions must agree "
                    "in everything that matters, and nothing may be random."
                )
        if here.over and here.moves and here.winner is None:
            raise BadGame(
                f"A position of {name} is over without a winner, but has moves, {short_repr(here.moves)}: is it "
                "over too soon? If not, make `moves` empty there."
            )


def require_repeatable(position: Any, move: Any) -> None:
    """Raise `BadGame` unless a move leads to the same position every time."""
    after, again = next_position(position, move), next_position(position, move)
    if after == again and hash(after) == hash(again):
        return
    name, compares = type(position).__name__, any("__eq__" in vars(kind) for kind in type(after).__mro__[:-1])
    if not compares:
        raise BadGame(
            f"Two positions after the same move in {name} must be equal and have equal hashes: write "
            f"`@dataclass(frozen=True)` above the class."
        )
    if after == again:
        raise BadGame(f"Equal positions of {name} have different hashes: `__hash__` must use what `__eq__` compares.")
    if vars(after) == vars(again):
        raise BadGame(f"Two positions of {name} with the same contents are not equal: look at your `__eq__`.")
    raise BadGame(f"`{name}.play({short_repr(move)})` led to two unequal positions: it must be deterministic.")


def check_game(position: Any) -> Check:
    """Play your own game at random from a position and report what is wrong with it, in at most two seconds.

    If nothing is, it retells one of the games, move by move: only you can say whether that follows your rules.
    """
    trial, name = GameTrial(position), type(position).__name__
    if early := _not_to_be_asked(type(position)):
        return early
    try:
        with timeout(STAGE_SECONDS[2]):
            trial.run()
            return _retold(trial)
    except Unfinished as cut:
        told = "Nothing contradicts itself up to there, but the time ran out with no end in sight. Does `over`"
        told = f"{told} become true, whatever is played? If the game is just long or slow, check a smaller one."
        return Check("not yet", told, sign=f"○ {cut}")
    except TimeoutError as error:
        told = explain_timeout(error, name, STAGE_SECONDS[2])
    except Exception as error:
        told = explained(error, name)
        if isinstance(error, NameError) and error.name in dir(position):
            told = f"{told}. Inside a class, write `self.{error.name}`."
    return Check("not yet", without_addresses(f"{told}\n{_place(trial)}".rstrip()))


def _not_to_be_asked(game: type) -> Check | None:
    """The result for a class that is older than its cell, or still has gaps."""
    if is_edited(game):
        return Check("not yet", EDITED.format(game.__name__))
    for part in ATTRIBUTES:
        method = getattr_static(game, part, None)
        if gaps_in(getattr(method, "fget", method)):
            dots = f"Your `{part}` still contains `...`. Replace it with your code, run its cell, then this one."
            return Check("not started", dots)
    return None


def _place(trial: GameTrial) -> str:
    """Where a mistake showed: the position, or the moves that led to it, and the move being tried."""
    here = trial.here
    if here is None or isinstance(here, type | str):
        return ""
    move = "" if trial.move is None else f", with the move {short_repr(trial.move)}"
    with suppress(Exception):  # the mistake may be in its repr
        before, names = trial.start, []
        for each in trial.moves:
            names.append(move_name(before, each))
            before = before.play(each)
        place = f"the position after {', '.join(names)}" if names else "the first position"
        return f"This happened in {place if repr(here) == object.__repr__(here) else short_repr(here)}{move}."
    return ""


def _retold(trial: GameTrial) -> Check:
    """The result for a game without mistakes; it retells the shortest game with a winner, if there was one."""
    moves, _ = min(trial.games, key=lambda game: (game[1] is None, len(game[0])))
    here, told = trial.start, []
    for move in moves:
        after = here.play(move)
        told.append(f"{move_told(here.turn, move_name(here, move), here)}{brief(after)}")
        here = after
    if len(told) > MAX_MOVES_TOLD:
        told[MAX_MOVES_TOLD // 2 : -MAX_MOVES_TOLD // 2] = ["and so on"]
    end = f"{here.winner} has won" if here.winner else "it is a draw"
    ends = Counter(winner for _, winner in trial.games)
    lengths = [len(moves) for moves, _ in trial.games]
    back = comes_back(trial.start)
    never = f"{came_back(back)}.\n" if back else ""
    words = (
        f"In {count_phrase(len(lengths), 'game')} at random ({min(lengths)} to {max(lengths)} moves), "
        f"X won {ends['X']}, O won {ends['O']}, and {ends[None] or 'none'} ended in a draw.\n"
        f"One of them, from the start{brief(trial.start)}: {', '.join(told)}; {end}.\n"
        f"{never}Is that what your rules say?"
    )
    shown = None if brief(here) else picture(here, "The final position")
    return Check("right", without_addresses(words), picture=shown, sign="No contradictions found.")


def check_heap(game: Callable[[int], Any]) -> Check:
    """Check the heap of matches, of which one can take 1, 2 or 3: first its moves, then as any other game."""
    try:
        start, told = game(5), ""
    except Exception as error:
        return Check("not yet", explained(error, "Heap"))
    with suppress(Exception), timeout(STAGE_SECONDS[2]):  # whatever fails here fails again below, and is told there
        told = next(filter(None, map(_wrong_takes, map(game, (5, 4, 3, 2, 1, *range(6, 13))))), "")
    if early := _not_to_be_asked(type(start)):
        return early
    return Check("not yet", told) if told else replace(check_game(start), sign="")


def _wrong_takes(heap: Any) -> str:
    """How a heap's moves differ from the rules, or ""."""
    left, moves, right = heap.left, heap.moves, [1, 2, 3][: heap.left]
    if not isinstance(moves, list | tuple | range) or {*moves} == {*right}:
        return ""
    possible = " or ".join(filter(None, [", ".join(map(str, right[:-1])), str(right[-1])]))
    told = f"With {count_phrase(left, 'match', 'matches')} left, you can take {possible}."
    end = " If you use `range`: it leaves out its end." if [*moves] == right[:-1] else ""
    return f"{told} Your `moves` gives `{short_repr([*moves])}`.{end}"


def check_misere(game: Callable[[tuple[int, ...]], Any]) -> Check:
    """Check misère Nim, where taking the last match loses, against the known winners (Bouton 1901)."""
    if not hasattr(game, "play"):
        return Check("not yet", "Your class takes over nothing from `Nim`. Write `class MisereNim(Nim):`.")
    try:
        checked = check_game(game((2, 1)))
    except Exception as error:
        return Check("not yet", explained(error, "MisereNim"))
    if "not None" in checked.message and "super().winner" in _winner_of(game):
        told = "While the game goes on, `super().winner` is `None`, which is no side: ask `self.over` first."
        return replace(checked, message=checked.message.replace("\n", f". {told}\n", 1))
    if checked.right and game((0,)).winner is None:
        told = "Your game has no winner when no match is left. Does the test in `winner` ever succeed, and does it"
        return Check("not yet", f"{told} `return` the side, not `print` it?")
    for heaps in [*product(range(4), repeat=3)][1:] if checked.right else ():
        single = max(heaps) == 1  # no heap holds more than one
        loses = sum(heaps) % 2 == 1 if single else heaps[0] ^ heaps[1] ^ heaps[2] == 0
        if (alphabeta(game(heaps), table=True).value == -1) != loses:
            told = f"From heaps of {heaps} the side to move {'loses' if loses else 'wins'}, but not in your game."
            return Check("not yet", f"{told}\nAt the end, who took the last match, and whose turn is it then?")
    return replace(checked, sign="")


def _winner_of(game: Any) -> str:
    """The source of a game's `winner`; "" if it can't be read."""
    with suppress(OSError, TypeError):
        return getsource(getattr_static(game, "winner", None).fget)
    return ""
