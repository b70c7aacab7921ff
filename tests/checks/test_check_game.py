"""The check of a game of one's own: each mistake has its sentence, first fault first, and right games are right."""

import re
from dataclasses import dataclass, replace
from random import Random
from time import monotonic

import pytest
from games import GAMES, Changing, Nim, Plain, Shared, nim
from oracles import other

from ttt import Board, check, check_game, exact
from ttt.checks import game as module
from ttt.search import minimax


@dataclass(frozen=True)
class ConnectFour:
    """On 5×4, written slowly, as students do."""

    columns: tuple[str, ...] = ("",) * 5

    @property
    def turn(self):
        return "XO"[sum(map(len, self.columns)) % 2]

    @property
    def moves(self) -> tuple[int, ...]:
        return tuple(n for n in range(5) if len(self.columns[n]) < 4)

    @property
    def over(self):
        return self.winner is not None or len(self.moves) == 0

    @property
    def winner(self):
        for mark in "XO":
            for column in range(5):
                for row in range(4):
                    for right, up in ((1, 0), (0, 1), (1, 1), (1, -1)):
                        cells = [(column + n * right, row + n * up) for n in range(4)]
                        if all(self.at(*cell) == mark for cell in cells):
                            return mark
        return None

    def at(self, column, row):
        inside = column < 5 and 0 <= row < len(self.columns[column])
        return self.columns[column][row] if inside else ""

    def play(self, move):
        columns = list(self.columns)
        columns[move] += self.turn
        return ConnectFour(tuple(columns))

    def __str__(self):
        return "\n".join(" ".join(self.at(n, row) or "." for n in range(5)) for row in (3, 2, 1, 0))


RIGHT = [*GAMES, ConnectFour(), Board(), Board((4, 4), 4), Nim(700), Nim(1)]


@pytest.mark.parametrize("start", RIGHT, ids=lambda start: type(start).__name__)
def test_a_right_game_is_right_within_two_seconds_and_one_of_its_games_is_told_as_it_was_played(start):
    before = monotonic()
    found = check_game(start)
    assert found.right and monotonic() - before < 4
    assert found.message.endswith("Is that what your rules say?") and not re.search(r"<locals>|0x", str(found))
    story = found.message.splitlines()[1]
    here, moves = start, re.findall(r"[XO] plays (\(\d, \d\)|\w+)", story)
    if "and so on" not in story:
        for move in moves:
            here = here.play(next(own for own in here.moves if str(own) == move))
        assert here.over and story.endswith(f"{here.winner} has won." if here.winner else "it is a draw.")


def test_a_position_of_several_lines_is_shown_as_it_ends():
    shown = str(check_game(ConnectFour()))
    assert shown.count("\n") == 6 and re.search(r"(\. ){2}", shown)


def looping(self):
    while True:
        pass


class Half(Plain):
    """Equal by its heap alone, so that equal positions tell different turns."""

    def __eq__(self, other):
        return self.heap == other.heap

    def __hash__(self):
        return hash(self.heap)


WRONG = {
    "no play": (type("NoPlay", (), dict.fromkeys(("turn", "moves", "over", "winner")))(), "; NoPlay has no play"),
    "a method": (nim("Method", winner=lambda self: None), "Method.winner is a method: write @property above its def"),
    "the class": (Nim, r"needs a Board, not <class 'games\.Nim'>: write Nim\(\)"),
    "itself changed": (Changing(99), r"Changing\.play\(1\) changed its own position"),
    "a shared list": (Shared([3]), r"Shared\.play\(1\) changed its own position: make a new one, with new lists"),
    "no return": (nim("Nothing", play=lambda self, take: None), r"play\(1\) returned None: is its return missing"),
    "inherited play": (
        nim("MisereNim", play=lambda self, take: Nim(self.heap - take, other(self.turn))),
        r"returned an instance of Nim, not of MisereNim: make .* type\(self\)\(\.\.\.\) or dataclasses\.replace",
    ),
    "not equal": (Plain(5), "must be equal, and hash alike: write @dataclass.frozen=True. above the class"),
    "equal though unlike": (Half(4), "Two positions of Half are equal, and yet their turn differs"),
    "not hashable": (nim("Thawed", __hash__=None), r"can't be hashed: write @dataclass\(frozen=True\), and tuples"),
    "moves not hashable": (nim("Lists", moves=property(lambda self: [[1]])), "write a tuple in place of a list"),
    "a move twice": (nim("Twice", moves=(1, 1)), r"the same move twice, or None: \(1, 1\)"),
    "a generator": (nim("Lazy", moves=property(lambda self: (n for n in (1, 2)))), "moves is a tuple or a list"),
    "one side only": (nim("Same", play=lambda self, take: replace(self, heap=self.heap - take)), "X's turn again"),
    "another turn": (replace(Nim(5), turn="x"), 'turn is "X" or "O", not \'x\''),
    "a winner as text": (nim("Draw", winner=property(lambda self: "draw" if self.over else None)), "not 'draw'"),
    "a number for a winner": (nim("One", winner=property(lambda self: 1 if self.over else None)), "None, not 1"),
    "a winner before the end": (nim("Early", winner="X"), "has a winner, X, and yet is not over"),
    "never over": (nim("Stuck", over=False), "of Stuck is not over, and yet there is no move"),
    "no return in over": (
        nim("Mute", over=property(lambda self: None)),
        r"Mute\.over returned None: is its return missing",
    ),
    "over too soon": (
        nim("Soon", over=property(lambda self: self.heap < 3), winner=None),
        r"is over and nobody has won, and yet there are moves, \(1, 2\)",
    ),
    "over at once": (Nim(0), "over before it begins"),
    "chance": (
        nim("Dice", 30, play=lambda self, take: Nim.play(self, Random().choice(self.moves))),
        r"Dice\.play\(\d\) led to two different positions: leave nothing to chance",
    ),
    "chance in its moves": (
        nim("Cards", 30, moves=property(lambda self: [n for n in (1, 2, 3) if Random().random() < 0.5] or [1])),
        "nothing may be left to chance|changed its own position",
    ),
    "below zero": (nim("Below", 20, moves=(1, 2, 3)), r"Below went on for more than 10,000 moves and may never end"),
    "an endless loop": (
        nim("Loop", winner=property(looping)),
        "Loop has not answered after .*, in line .*: while True",
    ),
    "calls itself": (nim("Calls", winner=property(lambda self: self.winner)), "Calls stopped with RecursionError"),
    "an error": (nim("Typo", moves=property(lambda self: self.heaps)), "no attribute 'heaps'.*, in line"),
    "no game": ("X-O", "check_game.. needs a Board, not 'X-O': write Board.from_text"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_said_first_with_its_position(name):
    start, sentence = WRONG[name]
    found = check_game(start)
    first, *place = found.message.splitlines()
    assert found.outcome == "not yet" and re.search(sentence, first), first
    assert not re.search(r"<locals>|0x", found.message)
    if isinstance(start, Nim):
        assert re.fullmatch(rf"That was in {type(start).__name__}\(heap=.*\)(, with the move \d)?\.", *place)


@pytest.mark.parametrize("name", ["inherited play", "one side only", "a winner as text", "a winner before the end"])
def test_searches_and_exact_refuse_it_in_the_same_words(name):
    start, _ = WRONG[name]
    sentence = check_game(start).message.splitlines()[0]
    for refuses in (minimax, lambda start: exact("random", "random", start)):
        with pytest.raises(ValueError, match=re.escape(sentence)):
            refuses(start)


def test_a_position_that_shows_no_more_than_an_address_is_told_by_the_moves_that_led_there():
    assert check_game(Half(4)).message.endswith("That was in the position after 1, 2.")
    assert check_game(Plain(5)).message.endswith("That was in the first position.")


def test_three_dots_are_not_started_and_those_of_a_type_are_none():
    class Template(Nim):
        @property
        def winner(self): ...

    class Typed(Nim):
        @property
        def moves(self) -> tuple[int, ...]:
            return Nim.moves.fget(self)

    found = check_game(Template(4))
    assert found.outcome == "not started" and found.message.startswith("Three dots stand in winner: ")
    assert check_game(Typed(4)).right


def test_a_game_that_is_only_long_is_never_called_endless_and_one_cut_short_is_never_right(monkeypatch):
    monkeypatch.setattr(module, "SECONDS", (0.05, 0.1, 2.0))
    found = check_game(Nim(10**9))
    assert not found.right and "endless" not in found.message and "never end" not in found.message
    assert "no end was in sight" in found.message and "check a smaller one" in found.message
    assert check_game(Nim(40)).right


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
    "winner, outcome, sentence",
    [
        (lambda self: self.turn if self.over else None, "right", "Is that what your rules say"),
        (lambda self: {(): self.turn}.get(tuple(filter(None, self.heaps))), "right", "Is that"),
        (lambda self: other(self.turn) if self.over else None, "not yet", r"of \(0, 0, 1\) whoever is to move loses"),
        (lambda self: "X" if self.over else None, "not yet", "whoever is to move"),
        (lambda self: None, "not yet", "whoever is to move"),
        (lambda self: self.turn, "not yet", "has a winner, X, and yet is not over"),
        (lambda self: ..., "not started", "Three dots stand in winner"),
    ],
)  # fmt: skip
def test_misere_nim_is_checked_by_who_wins_from_where(winner, outcome, sentence):
    found = check(misere(winner))
    assert found.outcome == outcome and re.search(sentence, found.message), found


def test_a_misere_nim_with_other_fields_is_told():
    assert "MisereNim stopped with TypeError" in check(type("MisereNim", (), {})).message
