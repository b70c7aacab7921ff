"""Any two-player game: what searches, matches and players need to know of a position. A `Board` qualifies."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from random import Random
from typing import Any, Protocol, Self, TypeGuard

from ttt.board import Board, BoardError, Mark, require_board
from ttt.words import count_phrase, short_repr

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


def require_position(position: Any, who: str) -> None:
    """Raise `BoardError` unless this is a board or has a position's attributes, and `BadGame` if they make no sense.

    In another game, this plays along the first moves and along the last ones, for at most 200 plies. From then on the
    engine trusts the game. `check_game` asks the same of many more positions.
    """
    require_attributes(position, who)
    if type(position) is Board:
        return
    require_sense(position)
    for place in (0, -1):
        here = position
        for _ in range(MAX_PLIES):
            if here.over:
                break
            here = next_position(here, here.moves[place])


def require_attributes(position: Any, who: str) -> None:
    """Raise `BoardError` unless a position has all its attributes, and none but `play` is a method."""
    if type(position) is Board:
        return
    name, missing = type(position).__name__, [part for part in ATTRIBUTES if part not in dir(position)]
    if isinstance(position, type) or len(missing) == len(ATTRIBUTES):
        require_board(position, who)
    if missing:
        needed = f"{who} needs a Board or a position with {', '.join(ATTRIBUTES)}"
        raise BoardError(f"{needed}, but {name} has no {missing[0]}.")
    for part in ATTRIBUTES[:-1]:
        if callable(getattr(position, part)):
            raise BoardError(f"{name}.{part} must not be a method: write @property above its def.")


def require_sense(position: Any) -> None:
    """Raise `BadGame` unless a position's attributes go together, and can be compared and used as dictionary keys."""
    name, turn, moves = type(position).__name__, position.turn, position.moves
    winner, over = position.winner, position.over
    if turn not in ("X", "O"):
        raise BadGame(f'`{name}.turn` must be "X" or "O", not {short_repr(turn)}.')
    if winner not in ("X", "O", None):
        raise BadGame(f'`{name}.winner` must be "X", "O" or (for a draw) None, not {short_repr(winner)}.')
    for part, given in (("over", over), ("moves", moves)):
        if given is None:
            raise BadGame(f"`{name}.{part}` returned `None`. Is its `return` missing?")
    if winner and not over:
        raise BadGame(f"A position of {name} has a winner, {winner}, but is not over: {short_repr(position)}.")
    if isinstance(moves, str) or not isinstance(moves, Sequence):
        raise BadGame(f"`{name}.moves` must be a tuple or a list, not {short_repr(moves)}.")
    if not moves and not over:
        advice = 'If a side that has no move must pass, give it a single move, "pass".'
        raise BadGame(f"A position of {name} is not over, but it has no moves: {short_repr(position)}. {advice}")
    try:
        different = {*moves}
    except TypeError:
        raise BadGame(f"Every move in `{name}.moves` must be hashable: use a tuple instead of a list.") from None
    if len(different) < len(moves) or None in different:
        raise BadGame(f"`{name}.moves` must not contain None or the same move twice: {short_repr(moves)}.")
    try:
        hash(position)
    except TypeError:
        raise BadGame(
            f"{name} must be hashable: write `@dataclass(frozen=True)`, and use tuples instead of lists."
        ) from None


def next_position(position: Any, move: Any) -> Any:
    """The position after a move: a new one of the same class, with the other side to move. Raises `BadGame` if not."""
    before = _seen(position)
    after = position.play(move)
    name, played = type(position).__name__, f"{type(position).__name__}.play({short_repr(move)})"
    if after is None:
        raise BadGame(f"`{played}` returned `None`. Is its `return` missing?")
    if after is position or before != _seen(position):
        raise BadGame(f"`{played}` changed its own position. It must make a new one, with new lists.")
    if type(after) is not type(position):
        raise BadGame(
            f"`{played}` must return an instance of {name}, not of {type(after).__name__}: "
            f"make the new position by `type(self)(...)` or `dataclasses.replace(self, ...)`."
        )
    require_sense(after)
    if after.turn == position.turn:
        advice = 'For a second move in a row, give the other side a single move, "pass".'
        if after.over:
            advice = "The turn must pass to the other side in the last position, too."
        raise BadGame(
            f"After {after.turn} plays {short_repr(move)} in {name}, it is {after.turn}'s turn again, "
            f"but the sides must take turns. {advice}"
        )
    return after


def _seen(position: Any) -> tuple[Any, ...]:
    """What can be seen of a position, to tell whether it has changed."""
    return position.turn, tuple(position.moves), position.over, position.winner


def endless_message(position: Position, advice: str, plies: int = MAX_PLIES) -> str:
    """The message for a game with no end in sight."""
    long = f"A game of {type(position).__name__} lasted more than {plies:,} moves"
    back = comes_back(position)
    if back:
        return f"{long}. {came_back(back)}: {advice}."
    return f"{long} and may never end: {advice}."


def came_back(moves: int) -> str:
    """What it means that a position has come back after this many moves."""
    return f"The same position comes back after {count_phrase(moves, 'move')}, so the game may never end"


def comes_back(position: Any) -> int:
    """After how many moves the same position comes back if the first or the last move is always played; 0 if never."""
    for place in (0, -1):
        here, met = position, dict[Any, int]()
        while not here.over and here not in met and len(met) < MAX_PLIES:
            met[here] = len(met)
            here = here.play(here.moves[place])
        if here in met:
            return len(met) - met[here]
    return 0


def is_count(number: object, least: int = 1) -> TypeGuard[int]:
    """Whether this is a whole number, and at least so large; True and False are none."""
    return isinstance(number, Integral) and not isinstance(number, bool) and int(number) >= least


def as_generator(rng: Random | None) -> Random:
    """The random generator given, or a new one for None. Raises `ValueError` for anything else."""
    if isinstance(rng, Random | None):
        return rng or Random()
    raise ValueError(f"`rng` must be a generator such as random.Random(1), not {rng!r}.")
