"""Any game of two: what a position tells so that searches, matches and players can do with it. A `Board` does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol, Self

from ttt.board import Board, BoardError, Mark, require_board, shown

MOST_PLIES = 200  # that a search or a proof goes down: each is a call or two, and Python stops at 1,000
MOST_MOVES = 10_000  # of one game that is played

Play = Callable[[Any, Any], Any]  # from a position and a move to the position after it


class Position(Protocol):
    """A position in a game of two who move by turns. Equal positions are equal, and hash alike."""

    @property
    def turn(self) -> Mark:
        """Whose turn it is, "X" or "O"; after each move it is the other side's."""
        ...

    @property
    def moves(self) -> Sequence[Any]:
        """What can be played: different from each other, hashable and not None, as numbers, texts and tuples are."""
        ...

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        ...

    @property
    def winner(self) -> Mark | None:
        """Who has won: "X", "O", or None for a draw and while the game goes on."""
        ...

    def play(self, move: Any, /) -> Self:
        """The position after a move. This one stays as it is."""
        ...


PARTS = ("turn", "moves", "over", "winner", "play")


class BadGame(ValueError):
    """A game that somebody wrote makes no sense; the message says what to write."""


def require_position(position: Any, who: str, error: type[Exception] = BoardError) -> None:
    """Raises the error unless this is a board or has what a position has; `BadGame` if it is played wrongly."""
    if type(position) is Board:
        return
    name, missing = type(position).__name__, [part for part in PARTS if part not in dir(position)]
    if isinstance(position, type) or len(missing) == len(PARTS):
        require_board(position, who, error)
    if missing:
        raise error(f"{who} needs a Board, or a position with {', '.join(PARTS)}; {name} has no {missing[0]}.")
    for part in PARTS[:-1]:
        if callable(getattr(position, part)):
            raise error(f"{name}.{part} is a method: write @property above its def.")
    require_values(position)
    _require_sense(position)
    if not position.over:
        require_repeatable(position, position.moves[0])


def require_values(position: Any) -> None:
    """Raises `BadGame` unless a position and its moves can be told from others and kept in a table."""
    name, moves = type(position).__name__, position.moves
    if not isinstance(moves, Sequence):
        raise BadGame(f"{name}.moves is a tuple or a list, not {shown(moves)}.")
    try:
        hash(position)
    except TypeError:
        raise BadGame(
            f"Positions of {name} can't be hashed: write @dataclass(frozen=True), and tuples in place of lists."
        ) from None
    try:
        different = {*moves}
    except TypeError:
        raise BadGame(f"{name}.moves has a move that can't be hashed: write a tuple in place of a list.") from None
    if len(different) < len(moves) or None in different:
        raise BadGame(f"{name}.moves has the same move twice, or None: {shown(moves)}.")


def require_repeatable(position: Any, move: Any) -> None:
    """Raises `BadGame` unless a move leads to the same position whenever it is played."""
    after, again = successor(position, move), successor(position, move)
    if after == again and hash(after) == hash(again):
        return
    name, compares = type(position).__name__, any("__eq__" in vars(kind) for kind in type(after).__mro__[:-1])
    if not compares or after == again:
        raise BadGame(
            f"Two positions after the same move in {name} must be equal, and hash alike: write "
            f"@dataclass(frozen=True) above the class."
        )
    raise BadGame(f"{name}.play({shown(move)}) led to two different positions: leave nothing to chance in play().")


def play_of(position: Position) -> Play:
    """How positions of this game are played on: a board by itself, those of other games with a look at each."""
    return Board.play if type(position) is Board else successor


def successor(position: Any, move: Any) -> Any:
    """The position after a move in a game that somebody wrote. Raises `BadGame` for one that makes no sense."""
    turn, moves = position.turn, tuple(position.moves)
    after = position.play(move)
    name = type(position).__name__
    if after is None:
        raise BadGame(f"{name}.play({shown(move)}) returned None: is its return missing?")
    if after is position or (turn, moves) != (position.turn, tuple(position.moves)):
        raise BadGame(f"{name}.play({shown(move)}) changed its own position: make a new one, with new lists.")
    if type(after) is not type(position):
        raise BadGame(
            f"{name}.play({shown(move)}) returned an instance of {type(after).__name__}, not of {name}: "
            f"make the new position by type(self)(...) or dataclasses.replace(self, ...)."
        )
    if after.turn == turn:
        raise BadGame(
            f"After {turn} has played {shown(move)} in {name} it is {turn}'s turn again, and sides must move by "
            f'turns. For a second move in a row give the other side one move, "pass".'
        )
    _require_sense(after)
    return after


def _require_sense(position: Any) -> None:
    name = type(position).__name__
    if position.turn not in ("X", "O"):
        raise BadGame(f'{name}.turn is "X" or "O", not {shown(position.turn)}.')
    if position.winner not in ("X", "O", None):
        raise BadGame(f'{name}.winner is "X", "O" or, for a draw, None, not {shown(position.winner)}.')
    over = position.over
    if over is None:
        raise BadGame(f"{name}.over returned None: is its return missing?")
    if position.winner and not over:
        raise BadGame(f"A position of {name} has a winner, {position.winner}, and yet is not over.")
    if not over and not position.moves:
        raise BadGame(f"A position of {name} is not over, and yet there is no move.")


def endless(position: Position, advice: str, plies: int = MOST_PLIES) -> str:
    """A sentence on a game that has no end in sight."""
    return f"A game of {type(position).__name__} went on for more than {plies:,} moves and may never end: {advice}."
