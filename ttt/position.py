"""Any two-player game: what searches, matches and players need to know of a position. A `Board` qualifies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol, Self

from ttt.board import Board, BoardError, Mark, require_board, shown

MOST_PLIES = 200  # max. depth of a search or proof; a ply costs a call or two, and Python's limit is 1,000
MOST_MOVES = 10_000  # max. length of a game played

Play = Callable[[Any, Any], Any]  # (position, move) → next position


class Position(Protocol):
    """A position in a game of two players who take turns. Equal positions must compare equal and have equal hashes."""

    @property
    def turn(self) -> Mark:
        """Whose turn it is, "X" or "O"; each move passes the turn to the other side."""
        ...

    @property
    def moves(self) -> Sequence[Any]:
        """The legal moves: distinct, hashable and not None, such as numbers, texts and tuples."""
        ...

    @property
    def over(self) -> bool:
        """Whether the game is over."""
        ...

    @property
    def winner(self) -> Mark | None:
        """The winner: "X", "O", or None for a draw and while the game goes on."""
        ...

    def play(self, move: Any, /) -> Self:
        """The position after a move. This one stays unchanged."""
        ...


PARTS = ("turn", "moves", "over", "winner", "play")


class BadGame(ValueError):
    """A user-written game is inconsistent; the message says what to write instead."""


def require_position(position: Any, who: str, error: type[Exception] = BoardError) -> None:
    """Raise the error unless this is a board or has a position's attributes; raise `BadGame` if they are unusable."""
    if type(position) is Board:
        return
    name, missing = type(position).__name__, [part for part in PARTS if part not in dir(position)]
    if isinstance(position, type) or len(missing) == len(PARTS):
        require_board(position, who, error)
    if missing:
        raise error(f"{who} needs a Board or a position with {', '.join(PARTS)}, but {name} has no {missing[0]}.")
    for part in PARTS[:-1]:
        if callable(getattr(position, part)):
            raise error(f"{name}.{part} must not be a method: write @property above its def.")
    require_values(position)
    _require_sense(position)
    if not position.over:
        require_repeatable(position, position.moves[0])


def require_values(position: Any) -> None:
    """Raise `BadGame` unless a position and its moves can be compared and used as dictionary keys."""
    name, moves = type(position).__name__, position.moves
    if not isinstance(moves, Sequence):
        raise BadGame(f"{name}.moves must be a tuple or a list, not {shown(moves)}.")
    try:
        hash(position)
    except TypeError:
        raise BadGame(
            f"Positions of {name} must be hashable: write @dataclass(frozen=True), and use tuples instead of lists."
        ) from None
    try:
        different = {*moves}
    except TypeError:
        raise BadGame(f"Every move in {name}.moves must be hashable: use a tuple instead of a list.") from None
    if len(different) < len(moves) or None in different:
        raise BadGame(f"{name}.moves must not contain None or the same move twice: {shown(moves)}.")


def require_repeatable(position: Any, move: Any) -> None:
    """Raise `BadGame` unless a move leads to the same position every time."""
    after, again = successor(position, move), successor(position, move)
    if after == again and hash(after) == hash(again):
        return
    name, compares = type(position).__name__, any("__eq__" in vars(kind) for kind in type(after).__mro__[:-1])
    if not compares or after == again:
        raise BadGame(
            f"Two positions after the same move in {name} must be equal and have equal hashes: write "
            f"@dataclass(frozen=True) above the class."
        )
    raise BadGame(f"{name}.play({shown(move)}) led to two unequal positions: play() and __eq__ must be deterministic.")


def play_of(position: Position) -> Play:
    """The function that makes moves in this game: a board's own `play`, or `successor`, which checks each move."""
    return Board.play if type(position) is Board else successor


def successor(position: Any, move: Any) -> Any:
    """The position after a move in a user-written game. Raises `BadGame` if it is inconsistent."""
    turn, moves = position.turn, tuple(position.moves)
    after = position.play(move)
    name = type(position).__name__
    if after is None:
        raise BadGame(f"{name}.play({shown(move)}) returned None. Is its return missing?")
    if after is position or (turn, moves) != (position.turn, tuple(position.moves)):
        raise BadGame(f"{name}.play({shown(move)}) changed its own position. It must make a new one, with new lists.")
    if type(after) is not type(position):
        raise BadGame(
            f"{name}.play({shown(move)}) must return an instance of {name}, not of {type(after).__name__}: "
            f"make the new position by type(self)(...) or dataclasses.replace(self, ...)."
        )
    if after.turn == turn:
        raise BadGame(
            f"After {turn} plays {shown(move)} in {name}, it is {turn}'s turn again, but the sides must take "
            f'turns. For a second move in a row, give the other side a single move, "pass".'
        )
    _require_sense(after)
    return after


def _require_sense(position: Any) -> None:
    name = type(position).__name__
    if position.turn not in ("X", "O"):
        raise BadGame(f'{name}.turn must be "X" or "O", not {shown(position.turn)}.')
    if position.winner not in ("X", "O", None):
        raise BadGame(f'{name}.winner must be "X", "O" or (for a draw) None, not {shown(position.winner)}.')
    over = position.over
    if over is None:
        raise BadGame(f"{name}.over returned None. Is its return missing?")
    if position.winner and not over:
        raise BadGame(f"A position of {name} has a winner, {position.winner}, but is not over.")
    if not over and not position.moves:
        raise BadGame(f"A position of {name} is not over, but it has no moves.")


def endless(position: Position, advice: str, plies: int = MOST_PLIES) -> str:
    """The message for a game with no end in sight."""
    return f"A game of {type(position).__name__} lasted more than {plies:,} moves and may never end: {advice}."
