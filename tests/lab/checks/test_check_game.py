"""The check of a game you wrote: the first mistake is named with its position, and right games are right."""

import re
from dataclasses import dataclass, replace
from itertools import count
from random import Random

import pytest
from conftest import naming
from games import BROKEN, GAMES, Changing, Nim, Plain, Shared, nim
from lab import check, check_game, hint
from lab.checks import own_game as module
from oracles import other

from ttt import Board, opponent


@pytest.fixture(autouse=True)
def ticks(monkeypatch):
    """A clock that ticks whenever it is read, so that it makes no difference how fast the machine is."""
    ticks = count()
    monkeypatch.setattr(module, "monotonic", ticks.__next__)
    monkeypatch.setattr(module, "STAGE_SECONDS", (200, 1_500, 60.0))
    monkeypatch.setattr(module, "MAX_GAME_MOVES", 500)
    return ticks


RIGHT = [*GAMES, Board(), Board((4, 4), 4), Nim(700), Nim(1)]


@pytest.mark.parametrize("start", RIGHT, ids=lambda start: type(start).__name__)
def test_a_right_game_is_right_and_one_of_its_games_is_told_as_it_was_played(start):
    found = check_game(start)
    assert found.right and not re.search(r"<locals>|0x", str(found))
    played, story, question = found.message.splitlines()
    assert re.search(naming("at random", "X won", "O won", "draw"), played) and "rules" in question
    here, moves = start, re.findall(r"[XO] plays (\d, \d|\w+)", story)
    if "and so on" not in story:
        for move in moves:
            here = here.play(next(own for own in here.moves if str(own).strip("()") == move))
        assert here.over and story.endswith(f"{here.winner} has won." if here.winner else "it is a draw.")


def ones(heap):
    """The moves of a game in which only one may be taken."""
    return [f"{'XO'[n % 2]} plays 1 ({heap - n - 1} left)" for n in range(heap)]


RETOLD = [  # a game, and what is said of it
    (Nim(4), """In 300 games at random (2 to 4 moves), X won 100, O won 200, and none ended in a draw.
One of them, from the start (4 left): X plays 1 (3 left), O plays 3 (0 left); O has won."""),
    (Board(), """In 300 games at random (5 to 9 moves), X won 184, O won 79, and 37 ended in a draw.
One of them, from the start: X plays 7, O plays 4, X plays 6, O plays 1, X plays 8; X has won."""),
    (nim("One", 12, moves=(1,)), f"""In 300 games at random (12 to 12 moves), X won 0, O won 300, and \
none ended in a draw.
One of them, from the start (12 left): {", ".join(ones(12))}; O has won."""),
    (nim("One", 13, moves=(1,)), f"""In 300 games at random (13 to 13 moves), X won 300, O won 0, and \
none ended in a draw.
One of them, from the start (13 left): {", ".join([*ones(13)[:6], "and so on", *ones(13)[7:]])}; X has won."""),
]  # fmt: skip


@pytest.mark.parametrize(("start", "said"), RETOLD)
def test_a_game_without_mistakes_is_retold_in_these_words(start, said, monkeypatch):
    monkeypatch.setattr(module, "STAGE_SECONDS", (200, 10**9, 60.0))
    assert check_game(start).message == f"{said}\nIs that what your rules say?"


def test_moves_are_told_by_the_names_that_a_game_gives_them():
    named = nim("Told", 4, describe=lambda self, take: f"take {take} of {self.heap}")
    story = check_game(named).message.splitlines()[1]
    takes = re.findall(r"[XO]: take \d of \d", story)
    assert takes[0].startswith("X: take ") and takes[0].endswith(" of 4") and "plays" not in story
    assert sum(int(take.split()[2]) for take in takes) == 4 and len(takes) == story.count(": take")


def test_a_position_of_several_lines_is_shown_as_it_ends():
    assert re.search(r"\?(\n[XO-] [XO-] [XO-]){3}$", str(check_game(Board())))


def looping(self):
    while True:
        pass


class Half(Plain):
    """Equal by its heap alone, so that equal positions tell different turns."""

    def __eq__(self, other):
        return self.heap == other.heap

    def __hash__(self):
        return hash(self.heap)


WRONG = {  # what is wrong, and what must be named
    "no play": (type("NoPlay", (), dict.fromkeys(("turn", "moves", "over", "winner")))(), ["NoPlay has no play"]),
    "a method": (BROKEN["Method"], ["Method.over", "method", "@property"]),
    "itself changed": (Changing(99), ["Changing.play(1)", "changed its own position"]),
    "a shared list": (Shared([3]), ["Shared.play(1)", "changed its own position", "new lists"]),
    "no return": (BROKEN["Nothing"], ["Nothing.play(1)", "None", "return", "missing"]),
    "inherited play": (
        BROKEN["MisereNim"],
        ["instance of MisereNim", "not of Nim", "type(self)(...)", "dataclasses.replace"],
    ),
    "not equal": (Plain(5), ["Plain", "must be equal", "@dataclass(frozen=True)"]),
    "equal though unlike": (Half(4), ["two equal Half positions", "differ", "turn"]),
    "not hashable": (BROKEN["Unhashable"], ["Unhashable", "hashable", "@dataclass(frozen=True)", "tuple"]),
    "moves not hashable": (
        nim("Lists", moves=property(lambda self: [[1]])),
        ["Lists.moves", "hashable", "tuple", "instead of a list"],
    ),
    "a move twice": (nim("Twice", moves=(1, 1)), ["Twice.moves", "same move twice", "(1, 1)"]),
    "a generator": (
        nim("Lazy", moves=property(lambda self: (n for n in (1, 2)))),
        ["Lazy.moves", "a tuple or a list", "generator"],
    ),
    "one side only": (BROKEN["Same"], ["X plays 1 in Same", "X's turn again"]),
    "the turn kept at the end": (BROKEN["Stays"], ["turn again", "in the last position, too"]),
    "a mistake in the moves between": (BROKEN["Forgets"], ["Forgets.play(2)", "returned `None`"]),
    "another turn": (replace(Nim(5), turn="x"), ["Nim.turn", '"X" or "O"', "not 'x'"]),
    "a winner as text": (BROKEN["Draw"], ["Draw.winner", "not 'draw'"]),
    "a number for a winner": (BROKEN["One"], ["One.winner", "None, not 1"]),
    "a winner before the end": (BROKEN["Early"], ["Early", "winner, X", "not over"]),
    "never over": (BROKEN["Stuck"], ["Stuck", "not over", "no moves", "heap="]),
    "no return in over": (nim("Mute", over=property(lambda self: None)), ["Mute.over", "None", "return", "missing"]),
    "no return in moves": (nim("Void", moves=property(lambda self: None)), ["Void.moves", "None", "return", "missing"]),
    "over too soon": (
        nim("Soon", over=property(lambda self: self.heap < 3), winner=None),
        ["Soon", "is over", "without a winner", "has moves", "(1, 2)"],
    ),
    "over at once": (Nim(0), ["over before it begins"]),
    "chance": (
        nim("Dice", 30, play=lambda self, take: Nim.play(self, Random().choice(self.moves))),
        ["Dice.play(", "unequal positions", "deterministic"],
    ),
    "below zero": (nim("Below", 20, moves=(1, 2, 3)), ["Below", "500 moves", "never end", "over must become True"]),
    "calls itself": (nim("Calls", winner=property(lambda self: self.winner)), ["Calls", "RecursionError", "in line"]),
    "an error": (nim("Typo", moves=property(lambda self: self.heaps)), ["no attribute 'heaps'", "in line"]),
    "no text for a move": (
        nim("Nameless", describe=lambda self, take: None),
        ["Nameless.describe(1)", "must return a text", "not None"],
    ),
    "an error in a move's name": (
        nim("Misnamed", describe=lambda self, take: self.heaps),
        ["Misnamed", "no attribute 'heaps'", "in line"],
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_said_first_with_its_position(name):
    start, words = WRONG[name]
    found = check_game(start)
    first, *place = found.message.splitlines()
    assert found.outcome == "not yet" and re.search(naming(*words), first), first
    assert not re.search(r"<locals>|0x", found.message)
    if isinstance(start, Nim):
        assert re.search(rf"\b{type(start).__name__}\(heap=-?\d+, turn='\w'\)`?(,.* move `?\d`?)?\.$", *place)


@pytest.mark.parametrize(
    ("method", "words"),
    [
        ({"__eq__": lambda self, other: self is other}, ["same contents", "__eq__"]),
        ({"__hash__": lambda self: id(self)}, ["hashes", "__hash__", "__eq__"]),
    ],
)
def test_equality_and_hash_have_a_sentence_each(method, words):
    found = check_game(nim("Odd", **({"__hash__": Nim.__hash__} | method)))
    assert found.outcome == "not yet" and re.search(naming(*words), found.message), found


def test_a_game_without_contradictions_is_not_called_right(monkeypatch):
    assert str(check_game(Nim(5))).startswith("No contradictions found.")
    monkeypatch.setattr(module, "STAGE_SECONDS", (0.1, 0.3, 20))
    assert re.match(r"○ Checked as far as \d+ moves", str(check_game(Nim(200))))


def test_chance_in_its_moves_is_told_of_a_position_or_of_two_that_are_equal():
    """Which of the two is seen first is left to chance, too."""
    cards = nim("Cards", 30, moves=property(lambda self: [n for n in (1, 2, 3) if Random().random() < 0.5] or [1]))
    found = check_game(cards)
    one, two = naming("Cards.play(", "changed its own position"), naming("equal Cards positions", "differ", "moves")
    assert found.outcome == "not yet" and (re.search(one, found.message) or re.search(two, found.message)), found


def test_an_endless_loop_is_told_with_its_line(monkeypatch):
    monkeypatch.setattr(module, "STAGE_SECONDS", (200, 1_500, 0.2))
    found = check_game(nim("Loop", winner=property(looping)))
    assert re.search(naming("Loop", "0.2 seconds", "in line", "looping", "while True", "endless loop"), found.message)


def test_a_position_that_shows_no_more_than_an_address_is_told_by_the_moves_that_led_there():
    assert check_game(Half(4)).message.endswith("in the position after 1, 2.")
    named = type("Named", (Half,), {"describe": lambda self, take: f"take {take} of {self.heap}"})
    assert check_game(named(4)).message.endswith("in the position after take 1 of 4, take 2 of 3.")
    assert check_game(Plain(5)).message.endswith("in the first position, with the move 1.")


def test_three_dots_are_not_started_and_those_of_a_type_are_none():
    class Template(Nim):
        @property
        def winner(self): ...

    class Typed(Nim):
        @property
        def moves(self) -> tuple[int, ...]:
            return Nim.moves.fget(self)

    found = check_game(Template(4))
    assert found.outcome == "not started" and re.search(naming("winner", "..."), found.message)
    assert check_game(Typed(4)).right


@pytest.mark.parametrize("name", ["heap", "over", "play"])
def test_a_field_or_method_without_self_is_told(name):
    class Selfless(Nim):
        @property
        def moves(self):
            return [eval(name)]

    found = check_game(Selfless(4))
    assert found.outcome == "not yet" and re.search(naming(f"name '{name}'", f"`self.{name}`"), found.message)


def test_a_game_that_is_only_long_is_never_called_endless_and_one_cut_short_is_never_right(monkeypatch):
    monkeypatch.setattr(module, "STAGE_SECONDS", (200, 500, 60.0))
    found = check_game(Nim(10**9))
    assert not found.right and "endless" not in found.message and "never end" not in found.message
    assert re.search(naming("time ran out", "no end in sight", "smaller"), found.message)
    assert check_game(Nim(40)).right


def test_no_game_is_begun_when_the_time_is_over(ticks, monkeypatch):
    monkeypatch.setattr(module, "STAGE_SECONDS", (50, 100, 60.0))
    begun = next(ticks)
    assert check_game(Nim(40)).right and next(ticks) - begun < 110


def misere(winner):
    return type("MisereNim", (Heaps,), {"winner": property(winner)})


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


@pytest.mark.parametrize(
    "winner, outcome, words",
    [
        (lambda self: self.turn if self.over else None, "right", ["your rules"]),
        (lambda self: {(): self.turn}.get(tuple(filter(None, self.heaps))), "right", ["your rules"]),
        (lambda self: other(self.turn) if self.over else None, "not yet", ["(0, 0, 1)", "side to move loses"]),
        (lambda self: "X" if self.over else None, "not yet", ["heaps of", "side to move"]),
        (lambda self: None, "not yet", ["no winner", "no match is left"]),
        (lambda self: print(self.turn) if self.over else None, "not yet", ["winner", "`return`", "`print`"]),
        (lambda self: self.turn if over else None, "not yet", ["name 'over'", "`self.over`"]),  # noqa: F821
        (lambda self: self.turn, "not yet", ["winner, X", "not over"]),
        (lambda self: other(self.turn) if sum(self.heaps) == 1 else None, "not yet", ["not over", "heaps=(0, 1)"]),
        (lambda self: ..., "not started", ["winner", "..."]),
    ],
)  # fmt: skip
def test_misere_nim_is_checked_by_who_wins_from_where(winner, outcome, words):
    found = check(misere(winner))
    assert found.outcome == outcome and re.search(naming(*words), found.message), found


def test_a_misere_nim_that_turns_the_winner_of_nim_round_is_told_that_there_may_be_none():
    class MisereNim(Heaps):
        @property
        def winner(self):
            return opponent(super().winner)

    assert re.search(naming("`super().winner`", "`None`", "`self.over`"), check(MisereNim).message)


def test_a_misere_nim_of_its_own_or_with_other_fields_is_told():
    assert re.search(naming("class MisereNim(Nim)"), check(type("MisereNim", (), {})).message)
    assert re.search(naming("MisereNim", "TypeError"), check(type("MisereNim", (), {"play": None})).message)


@dataclass(frozen=True)
class Matches:
    """One heap of matches, as the lesson has it, without its moves."""

    left: int
    turn: str = "X"

    over = property(lambda self: self.left == 0)
    winner = property(lambda self: other(self.turn) if self.over else None)

    def play(self, take):
        return replace(self, left=self.left - take, turn=other(self.turn))


@pytest.mark.parametrize(
    "moves, outcome, words",
    [
        (lambda self: [take for take in (1, 2, 3) if take <= self.left], "right", ["your rules"]),
        (lambda self: range(1, min(3, self.left) + 1), "right", ["your rules"]),
        (lambda self: (3, 2, 1)[-self.left :] if self.left else (), "right", ["your rules"]),
        (lambda self: (1, 2), "not yet", ["5 matches", "1, 2 or 3", "[1, 2]"]),
        (lambda self: [1, 2, 3], "not yet", ["2 matches", "1 or 2", "[1, 2, 3]"]),
        (lambda self: [1, 2, 3][: self.left - 1], "not yet", ["3 matches", "1, 2 or 3", "[1, 2]"]),
        (lambda self: range(1, min(3, self.left)), "not yet", ["5 matches", "[1, 2]", "`range`", "its end"]),
        (lambda self: range(1, min(4, self.left)), "not yet", ["3 matches", "[1, 2]", "`range`", "its end"]),
        (lambda self: [1, 2, 3][: self.left] if self.left > 1 else [2], "not yet", ["1 match left", "take 1", "[2]"]),
        (lambda self: [*range(1, self.left + 1)], "not yet", ["5 matches", "[1, 2, 3, 4, 5]"]),
        (lambda self: [1, 2, 3, 3] if self.left > 2 else [1, 2][: self.left], "not yet", ["same move twice"]),
        (lambda self: None, "not yet", ["Heap.moves", "None", "return"]),
        (lambda self: [take for take in (1, 2, 3) if take <= left], "not yet", ["`self.left`"]),  # noqa: F821
        (lambda self: ..., "not started", ["moves", "..."]),
    ],
)  # fmt: skip
def test_the_heap_of_matches_is_checked_by_its_moves(moves, outcome, words):
    found = check(type("Heap", (Matches,), {"moves": property(moves)}))
    assert found.outcome == outcome and re.search(naming(*words), found.message), found


def test_a_heap_that_cannot_be_made_is_told():
    assert re.search(naming("Heap", "TypeError"), check(type("Heap", (), {})).message)


def test_a_game_of_a_lesson_has_hints_and_an_exercise_with_a_check_of_its_own_says_that_it_has_none():
    for task in ("interface", "comparison"):
        assert re.search(naming(task, "no hints"), hint(task))
    found = check(misere(lambda self: None))
    assert found.hints and re.search(naming("Hint 1", found.hints[0]), hint())
