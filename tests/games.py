"""Games other than tic-tac-toe on boards, as a student writes them, and players of any game."""

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache

from oracles import LINES, other, with_mark, worth

from ttt import Board


@dataclass(frozen=True)
class Bare:
    """A board with all that a position has, and nothing else."""

    board: Board

    turn = property(lambda self: self.board.turn)
    moves = property(lambda self: self.board.moves)
    over = property(lambda self: self.board.over)
    winner = property(lambda self: self.board.winner)

    def play(self, move):
        return Bare(self.board.play(move))


@dataclass(frozen=True)
class Nim:
    """Take 1, 2 or 3; who takes the last one wins."""

    heap: int
    turn: str = "X"

    moves = property(lambda self: tuple(range(1, min(3, self.heap) + 1)))
    over = property(lambda self: self.heap == 0)
    winner = property(lambda self: other(self.turn) if self.over else None)

    def play(self, take):
        return replace(self, heap=self.heap - take, turn=other(self.turn))

    def __str__(self):
        return f"{self.heap} left"


@dataclass(frozen=True)
class Misere:
    """Tic-tac-toe whose line loses."""

    marks: str = "-" * 9

    turn = property(lambda self: "X" if self.marks.count("-") % 2 else "O")
    moves = property(lambda self: [cell for cell in range(9) if self.marks[cell] == "-"])
    over = property(lambda self: self.winner is not None or "-" not in self.marks)

    @property
    def winner(self):
        return self.turn if any(self.marks[a] == self.marks[b] == self.marks[c] != "-" for a, b, c in LINES) else None

    def play(self, cell):
        return Misere(with_mark(self.marks, cell, self.turn))


@dataclass(frozen=True)
class Kayles:
    """Knock down one pin, or two side by side; who knocks down the last wins."""

    pins: str
    turn: str = "X"

    moves = property(lambda self: [(n, n + k) for k in (1, 2) for n in range(9) if self.pins[n : n + k] == "!" * k])
    over = property(lambda self: "!" not in self.pins)
    winner = property(lambda self: other(self.turn) if self.over else None)

    def play(self, move):
        start, end = move
        return Kayles(self.pins[:start] + "." * (end - start) + self.pins[end:], other(self.turn))


@dataclass(frozen=True)
class Chomp:
    """Eat a square and all below and right of it; who eats the poisoned corner loses."""

    rows: tuple[int, ...]
    turn: str = "X"

    moves = property(lambda self: [f"{row}{column}" for row, left in enumerate(self.rows) for column in range(left)])
    over = property(lambda self: not any(self.rows))
    winner = property(lambda self: self.turn if self.over else None)

    def play(self, square):
        row, column = map(int, square)
        rows = (min(left, column) if at >= row else left for at, left in enumerate(self.rows))
        return Chomp(tuple(rows), other(self.turn))


@dataclass(frozen=True)
class Four:
    """Connect Four on 4×4: marks fall to the bottom of a column; four in a line win."""

    columns: tuple[str, ...] = ("",) * 4

    turn = property(lambda self: "XO"[sum(map(len, self.columns)) % 2])
    moves = property(lambda self: [column for column in range(4) if len(self.columns[column]) < 4])
    over = property(lambda self: self.winner is not None or not self.moves)

    @property
    def winner(self):
        full = [column.ljust(4) for column in self.columns]
        diagonals = ["".join(full[n][n] for n in range(4)), "".join(full[n][3 - n] for n in range(4))]
        lines = [*full, *map("".join, zip(*full, strict=True)), *diagonals]
        return next((mark for mark in "XO" if mark * 4 in lines), None)

    def play(self, column):
        return Four(tuple(pile + self.turn * (at == column) for at, pile in enumerate(self.columns)))


def nim(name, heap=5, **parts):
    """A game that differs from Nim in some parts."""
    return type(name, (Nim,), parts)(heap)


class Plain:
    """Nim in which equal positions are not equal; its heap may be a list that all positions share."""

    over, winner, moves = Nim.over, Nim.winner, Nim.moves

    def __init__(self, heap, turn="X"):
        self.heap, self.turn = heap, turn

    def play(self, take):
        return type(self)(self.heap - take, other(self.turn))


class Changing(Plain):
    def play(self, take):
        self.heap -= take
        return self


class Shared(Plain):
    over = property(lambda self: self.heap[0] == 0)
    moves = property(lambda self: range(1, min(3, self.heap[0]) + 1))

    def play(self, take):
        self.heap[0] -= take
        return Shared(self.heap, other(self.turn))


def stays(self, take):
    """The turn is passed, but for the last move."""
    return Nim.play(self, take) if take < self.heap else replace(self, heap=0)


def forgets(self, take):
    """Nothing is returned for moves that are neither the first nor the last."""
    return None if take == 2 < self.heap else Nim.play(self, take)


one_mistake_each = [
    nim("Method", over=lambda self: False),
    nim("MisereNim", play=lambda self, take: Nim(self.heap - take, other(self.turn))),
    nim("Same", play=lambda self, take: replace(self, heap=self.heap - take)),
    nim("Stays", play=stays),
    nim("Forgets", 9, play=forgets),
    nim("Nothing", play=lambda self, take: None),
    nim("Draw", winner=property(lambda self: "draw" if self.over else None)),
    nim("One", winner=property(lambda self: 1 if self.over else None)),
    nim("Stuck", over=False),
    nim("Early", winner="X"),
    nim("Unhashable", __hash__=None),
]
BROKEN = {type(game).__name__: game for game in one_mistake_each}
GAMES = [Nim(11), Misere(), Kayles("!!!!!!"), Chomp((3, 3, 2)), Four()]


def to_x(position):
    """The same for X, at the end of the game."""
    return worth(position) if position.turn == "X" else -worth(position)


def first(position):
    """A player that makes the first of the moves."""
    return position.moves[0]


def evenly(position):
    """The policy that makes all moves alike, in fractions."""
    return {move: Fraction(1, len(position.moves)) for move in position.moves}


@cache
def chances(position, x, o):
    """Those of X's win, a draw, and O's win by two policies, from an enumeration of all games."""
    if position.over:
        return tuple(Fraction(position.winner == end) for end in ("X", None, "O"))
    policy = (x if position.turn == "X" else o)(position)
    ends = [[Fraction(chance) * part for part in chances(position.play(move), x, o)] for move, chance in policy.items()]
    return tuple(map(sum, zip(*ends, strict=True)))
