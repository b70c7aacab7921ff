"""Any two-player game: what searches, matches and players need to know of a position. A `Board` qualifies."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any, Protocol, Self

from ttt.board import Board, BoardError, Mark, require_board, short_repr

MAX_PLIES = 200  # of a search or proof; a ply costs a call or two, and Python's limit is 1,000
MAX_GAME_MOVES = 10_000


class Position(Protocol):
    """A position in a game of two players who take turns. Equal positions must compare equal and have equal hashes."""

    @property
    def turn(self) -> Mark:
        """Whose turn it is, "X" or "O"; each move passes the turn to the other side."""

    @property
    def moves(self) -> Sequence[Any]:
        """The legal moves: distinct, hashable and not None, such as numbers, texts and tuples."""

    @property
    def over(self) -> bool:
        """Whether the game is over."""

    @property
    def winner(self) -> Mark | None:
        """The winner: "X", "O", or None for a draw and while the game goes on."""

    def play(self, move: Any, /) -> Self:
        """The position after a move. This one stays unchanged."""


ATTRIBUTES = ("turn", "moves", "over", "winner", "play")


class BadGame(ValueError):
    """A user-written game is inconsistent; the message says what to write instead."""


def require_position(position: Any, who: str, error: type[Exception] = BoardError) -> None:
    """Raise the error unless this is a board or has a position's attributes; raise `BadGame` if they make no sense.

    In another game, this plays along the first moves and along the last ones, for at most 200 plies. From then on the
    engine trusts the game. `check_game` in `lab` looks at many more positions, and says more about what is wrong.
    """
    require_attributes(position, who, error)
    if type(position) is Board:
        return
    for place in (0, -1):
        here = position
        for _ in range(MAX_PLIES):
            _require_sense(here)
            if here.over:
                break
            here = next_position(here, here.moves[place])


def require_attributes(position: Any, who: str, error: type[Exception] = BoardError) -> None:
    """Raise the error unless a position has all its attributes, and none but `play` is a method."""
    if type(position) is Board:
        return
    name, missing = type(position).__name__, [part for part in ATTRIBUTES if part not in dir(position)]
    if isinstance(position, type) or len(missing) == len(ATTRIBUTES):
        require_board(position, who, error)
    if missing:
        raise error(f"{who} needs a Board or a position with {', '.join(ATTRIBUTES)}, but {name} has no {missing[0]}.")
    for part in ATTRIBUTES[:-1]:
        if callable(getattr(position, part)):
            raise error(f"{name}.{part} must not be a method: write @property above its def.")


def _require_sense(here: Any) -> None:
    name = type(here).__name__
    for part, value, allowed in (("turn", here.turn, ("X", "O")), ("winner", here.winner, ("X", "O", None))):
        if value not in allowed:
            raise BadGame(f"{name}.{part} must be {' or '.join(map(repr, allowed))}, not {short_repr(value)}.")
    if not isinstance(here.moves, Sequence):
        raise BadGame(f"{name}.moves must be a tuple or a list, not {short_repr(here.moves)}.")
    if not here.over and (here.winner or not here.moves):
        raise BadGame(f"A {name} position that is not over must have moves and no winner.")
    try:
        hash((here, *here.moves))
    except TypeError:
        raise BadGame(f"Positions and moves of {name} must be hashable: write @dataclass(frozen=True).") from None


def next_position(here: Any, move: Any) -> Any:
    """The position after a move. Raises `BadGame` unless it is a new one of the same class, with the turn passed."""
    after = here.play(move)
    if type(after) is not type(here) or after is here or after.turn == here.turn:
        name = type(here).__name__
        must = f"must return a new {name} with the other side to move"
        raise BadGame(f"{name}.play({short_repr(move)}) {must}, not {short_repr(after)}.")
    return after


def endless_message(position: Position, advice: str, plies: int = MAX_PLIES) -> str:
    """The message for a game with no end in sight."""
    return f"A game of {type(position).__name__} lasted more than {plies:,} moves and may never end: {advice}."


def as_generator(rng: Random | None, error: type[Exception] = ValueError) -> Random:
    """The random generator given, or a new one for None. Raises the error for anything else."""
    if isinstance(rng, Random | None):
        return rng or Random()
    raise error(f"rng must be a generator such as random.Random(1), not {rng!r}.")
