"""The check of a game you wrote: the first mistake is named with its position, and right games are right."""

import re
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from random import Random

import pytest
from approved import approved
from conftest import naming
from games import BROKEN, GAMES, Changing, Nim, Plain, Shared, nim
from lab import check, check_game, hint
from lab.checks import own_game as module
from oracles import other

from ttt import Board, opponent

SAID = Path(__file__).parent / "said" / "games.txt"


@pytest.fixture(autouse=True)
def ticks(monkeypatch):
    """A clock that ticks whenever it is read, so that it makes no difference how fast the machine is."""
    ticks = count()
    monkeypatch.setattr(module, "monotonic", ticks.__next__)
    monkeypatch.setattr(module, "STAGE_SECONDS", (200, 1_500, 60.0))
    monkeypatch.setattr(module, "MAX_GAME_MOVES", 500)
    return ticks


class Half(Plain):
    """Equal by its heap alone, so that equal positions tell different turns."""

    def __eq__(self, other):
        return self.heap == other.heap

    def __hash__(self):
        return hash(self.heap)


class Drawn(Nim):
    """Nim in which one may take all at once, which is a draw."""

    moves = property(lambda self: (*Nim.moves.fget(self), *([self.heap] if self.heap > 3 else [])))
    winner = property(lambda self: None if self.heap or self.turn == "O" else "O")


class Walk(Nim):
    """One step to or fro, the one that leads back first, until somebody is at an end."""

    moves = property(lambda self: (-1, 1) if self.heap % 2 else (1, -1))
    over = property(lambda self: self.heap in (0, 4))


class Template(Nim):
    @property
    def winner(self): ...


class Typed(Nim):
    @property
    def moves(self) -> tuple[int, ...]:
        return Nim.moves.fget(self)


class Selfless(Nim):
    """One of its names, the start's `turn` or part of it, is read without `self`."""

    @property
    def moves(self):
        return [heap if self.heap == 4 else over if self.heap == 5 else play]  # noqa: F821


TAKEN = "take {} of {}".format
TOLD = {"describe": lambda self, take: TAKEN(take, self.heap)}
STARTS = {
    **{type(game).__name__: game for game in BROKEN.values()},
    **{f"a right game, {type(game).__name__}": game for game in GAMES},
    "four matches": Nim(4),
    "one match": Nim(1),
    "seven hundred matches": Nim(700),
    "a board of another shape": Board((4, 4), 4),
    "the usual board": Board(),
    "a game of twelve moves": nim("One", 12, moves=(1,)),
    "a game of thirteen moves": nim("One", 13, moves=(1,)),
    "a draw that is shorter than any game with a winner": Drawn(5),
    "a position that comes back": Walk(2),
    "moves with names": nim("Told", 4, **TOLD),
    "type hints with dots": Typed(4),
    "no play": type("NoPlay", (), dict.fromkeys(("turn", "moves", "over", "winner")))(),
    "itself changed": Changing(99),
    "a shared list": Shared([3]),
    "not equal": Plain(5),
    "equal though unlike": Half(4),
    "equal though unlike, moves with names": type("Named", (Half,), TOLD)(4),
    "moves not hashable": nim("Lists", moves=property(lambda self: [[1]])),
    "a move twice": nim("Twice", moves=(1, 1)),
    "a generator": nim("Lazy", moves=property(lambda self: (n for n in (1, 2)))),
    "another turn": replace(Nim(5), turn="x"),
    "no return in over": nim("Mute", over=property(lambda self: None)),
    "no return in moves": nim("Void", moves=property(lambda self: None)),
    "over too soon": nim("Soon", over=property(lambda self: self.heap < 3), winner=None),
    "over at once": Nim(0),
    "below zero": nim("Below", 20, moves=(1, 2, 3)),
    "calls itself": nim("Calls", winner=property(lambda self: self.winner)),
    "an error": nim("Typo", moves=property(lambda self: self.heaps)),
    "no text for a move": nim("Nameless", describe=lambda self, take: None),
    "an error in a move's name": nim("Misnamed", describe=lambda self, take: self.heaps),
    "its own equality": nim("Odd", __eq__=lambda self, other: self is other, __hash__=Nim.__hash__),
    "its own hash": nim("Odd", __hash__=lambda self: id(self)),
    "three dots": Template(4),
    **{f"a {what} without self": Selfless(heap) for heap, what in ((4, "field"), (5, "property"), (6, "method"))},
}


def agrees(name, found):
    """Whether all that is said of a game is what was approved; lines of this file may move."""
    return approved(SAID, name, re.sub(r"in line \d+", "in line N", str(found)))


@pytest.mark.parametrize("name", STARTS)
def test_a_game_is_told_its_first_mistake_with_its_position_or_one_of_its_games(name, monkeypatch):
    if not isinstance(STARTS[name], Nim) or STARTS[name].heap < 20:  # for the others, there is not time for all games
        monkeypatch.setattr(module, "STAGE_SECONDS", (200, 10**9, 60.0))
    assert agrees(name, check_game(STARTS[name]))


def test_a_game_of_chance_is_told_of_a_move_or_of_two_positions_that_are_equal():
    """Which of the two is seen first is left to chance, too."""
    cards = nim("Cards", 30, moves=property(lambda self: [n for n in (1, 2, 3) if Random().random() < 0.5] or [1]))
    dice = nim("Dice", 30, play=lambda self, take: Nim.play(self, Random().choice(self.moves)))
    one, two = naming("Cards.play(", "changed its own position"), naming("equal Cards positions", "differ", "moves")
    told = check_game(cards).message
    assert re.search(one, told) or re.search(two, told), told
    assert re.search(naming("Dice.play(", "unequal positions", "deterministic"), check_game(dice).message)


def looping(self):
    while True:
        pass


def test_an_endless_loop_is_told_with_its_line(monkeypatch):
    monkeypatch.setattr(module, "STAGE_SECONDS", (200, 1_500, 0.2))
    assert agrees("an endless loop", check_game(nim("Loop", winner=property(looping))))


def test_a_game_that_is_only_long_is_never_called_endless_and_one_cut_short_is_never_right(ticks, monkeypatch):
    monkeypatch.setattr(module, "STAGE_SECONDS", (200, 500, 60.0))
    assert agrees("a game that is only long", check_game(Nim(10**9)))
    monkeypatch.setattr(module, "STAGE_SECONDS", (50, 100, 60.0))
    begun = next(ticks)
    assert check_game(Nim(40)).right and next(ticks) - begun < 110  # no game is begun when the time is over


@dataclass(frozen=True)
class Heaps:
    """Nim with several heaps, as the lesson has it."""

    heaps: tuple[int, ...]
    turn: str = "X"

    moves = property(lambda self: [(n, k) for n, left in enumerate(self.heaps) for k in range(1, left + 1)])
    over = property(lambda self: not any(self.heaps))
    winner = property(lambda self: other(self.turn) if self.over else None)

    def play(self, move):
        left = list(self.heaps)
        left[move[0]] -= move[1]
        return replace(self, heaps=tuple(left), turn=other(self.turn))


class OfTheSuper(Heaps):
    @property
    def winner(self):
        return opponent(super().winner)


@dataclass(frozen=True)
class Matches:
    """One heap of matches, as the lesson has it, without its moves."""

    left: int
    turn: str = "X"

    over = property(lambda self: self.left == 0)
    winner = property(lambda self: other(self.turn) if self.over else None)

    def play(self, take):
        return replace(self, left=self.left - take, turn=other(self.turn))


WRITTEN = [  # what a class is based on, its property, and what students write there, each in a line of its own
    (Heaps, "winner", "right", lambda self: self.turn if self.over else None),
    (Heaps, "winner", "right, by a dictionary", lambda self: {(): self.turn}.get(tuple(filter(None, self.heaps)))),
    (Heaps, "winner", "as in Nim", lambda self: other(self.turn) if self.over else None),
    (Heaps, "winner", "always X", lambda self: "X" if self.over else None),
    (Heaps, "winner", "none", lambda self: None),
    (Heaps, "winner", "printed", lambda self: print(self.turn) if self.over else None),
    (Heaps, "winner", "without self", lambda self: self.turn if over else None),  # noqa: F821
    (Heaps, "winner", "at any time", lambda self: self.turn),
    (Heaps, "winner", "one match before", lambda self: other(self.turn) if sum(self.heaps) == 1 else None),
    (Heaps, "winner", "dots", lambda self: ...),
    (Matches, "moves", "right", lambda self: [take for take in (1, 2, 3) if take <= self.left]),
    (Matches, "moves", "right, by range", lambda self: range(1, min(3, self.left) + 1)),
    (Matches, "moves", "right, from the end", lambda self: (3, 2, 1)[-self.left :] if self.left else ()),
    (Matches, "moves", "never 3", lambda self: (1, 2)),
    (Matches, "moves", "always 3", lambda self: [1, 2, 3]),
    (Matches, "moves", "never all of them", lambda self: [1, 2, 3][: self.left - 1]),
    (Matches, "moves", "range without its end", lambda self: range(1, min(3, self.left))),
    (Matches, "moves", "range without its end, of 4", lambda self: range(1, min(4, self.left))),
    (Matches, "moves", "2 of 1", lambda self: [1, 2, 3][: self.left] if self.left > 1 else [2]),
    (Matches, "moves", "any number", lambda self: [*range(1, self.left + 1)]),
    (Matches, "moves", "a move twice", lambda self: [1, 2, 3, 3] if self.left > 2 else [1, 2][: self.left]),
    (Matches, "moves", "nothing", lambda self: None),
    (Matches, "moves", "without self", lambda self: [take for take in (1, 2, 3) if take <= left]),  # noqa: F821
    (Matches, "moves", "dots", lambda self: ...),
]  # fmt: skip
ONE_OR_TWO = {  # which differs from the right game only where a heap has three
    "winner": property(lambda self: self.turn if self.over else None),
    "moves": property(lambda self: [(n, k) for n, left in enumerate(self.heaps) for k in range(1, min(left, 2) + 1)]),
}
NAMES = {Heaps: "MisereNim", Matches: "Heap"}
CLASSES = {
    **{
        f"{NAMES[of]}, {part}: {name}": type(NAMES[of], (of,), {part: property(how)}) for of, part, name, how in WRITTEN
    },
    "MisereNim, of each heap one or two": type("MisereNim", (Heaps,), ONE_OR_TWO),
    "MisereNim, winner: Nim's turned round": type("MisereNim", (OfTheSuper,), {}),
    "MisereNim of its own": type("MisereNim", (), {}),
    "MisereNim of other fields": type("MisereNim", (), {"play": None}),
    "Heap without fields": type("Heap", (), {}),
}


@pytest.mark.parametrize("name", CLASSES)
def test_a_game_of_a_lesson_is_checked_by_its_own_rules(name):
    assert agrees(name, check(CLASSES[name]))


def test_a_game_of_a_lesson_has_hints_and_an_exercise_with_a_check_of_its_own_says_that_it_has_none():
    for task in ("interface", "comparison"):
        assert re.search(naming(task, "no hints"), hint(task))
    found = check(CLASSES["MisereNim, winner: none"])
    assert found.hints and re.search(naming("Hint 1", found.hints[0]), hint())
