"""A player is a named policy: for every board, the moves it would make and how likely each is."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from inspect import signature
from math import isclose, isnan, nan
from random import Random
from typing import Any

from ttt.board import Board, GameOver, Mark, OffBoard, require_board
from ttt.geometry import shape_in_words
from ttt.heuristics import Heuristic, HeuristicError, as_number, move_values
from ttt.position import Position, is_count
from ttt.words import count_phrase, short_repr

Policy = dict[Any, float]  # the probability of each move the player would make


class PlayerError(ValueError):
    """A player can't play here, or its answer is not a move; the message says why, and what a move would be."""


@dataclass(frozen=True, eq=False, repr=False)
class Player:
    """A named policy.

    The rule takes an unfinished `Board` and returns a free cell (index or coordinates), or {cell: probability}
    to choose at random; in another game, it takes a position and returns one of its moves. Raises
    `PlayerError` for a rule that can't be called with just a board, and `BoardError` for a shape that no board has.

    >>> Player("first", lambda board: board.moves[0]).policy(Board().play(0))
    {1: 1.0}
    """

    name: str  # its name in tables and messages
    rule: Callable[[Any], Any]
    about: str = ""  # how it plays, in one sentence; by default the first line of the rule's docstring
    shape: tuple[int, ...] | None = None  # the only shape it plays on, with a full side in a row; by default any
    max_free: int | None = None  # max. free cells from which it searches to the end; None if it doesn't search
    heuristic: Heuristic | None = None  # what it goes by: the worth of the board after each of its moves

    def __post_init__(self) -> None:
        if not _accepts(self.rule, 1):
            needed = "a player is a name such as 'random' or a function that takes only a board"
            advice = "`greedy(...)` turns a heuristic into a player, and `searcher(...)` a search."
            raise PlayerError(f"{_written(self.rule)} can't play: {needed}. {advice}")
        if self.shape is not None:
            object.__setattr__(self, "shape", Board(self.shape).shape)
        if self.max_free is not None and not is_count(self.max_free):
            raise PlayerError(f"`max_free` must be a whole number of cells, 1 or more, not {self.max_free!r}.")
        if not self.about:
            object.__setattr__(self, "about", (self.rule.__doc__ or "").strip().partition("\n")[0])

    def plays_on(self, board: Board) -> bool:
        """Whether the player plays on boards of this shape with this many free cells."""
        right_shape = self.shape is None or (board.shape == self.shape and board.k == min(self.shape))
        return right_shape and (self.max_free is None or len(board.moves) <= self.max_free)

    def policy(self, board: Position) -> Policy:
        """The moves the player would make in a position, with their probabilities, which sum to 1.

        Raises `GameOver`, `BoardError` unless this is a board or a position, and `PlayerError` on boards it does not
        play on, or if its rule returns something that is not a move. Errors of the rule itself pass through.
        """
        self.require_turn(board)
        answer = self.rule(board)
        if not isinstance(answer, Mapping):
            return {self._move(board, answer): 1.0}
        policy: Policy = {}
        for move, share in answer.items():
            move, chance = self._move(board, move), as_number(share)
            policy[move] = policy.get(move, 0.0) + (nan if chance is None or chance < 0 else chance)
        total = sum(policy.values())
        if not isclose(total, 1):  # NaN is never close
            wrong = "must be numbers, 0 or more" if isnan(total) else f"sum to {total:g}, not to 1"
            raise PlayerError(f"{self.name} returned {short_repr(answer)}, but its probabilities {wrong}.")
        return {move: chance for move, chance in policy.items() if chance > 0}

    def choose(self, board: Position, rng: Random) -> Any:
        """Draw one move according to the policy. Raises as `policy` does."""
        policy = self.policy(board)
        return rng.choices(list(policy), list(policy.values()))[0] if len(policy) > 1 else next(iter(policy))

    def require_board(self, board: Any) -> None:
        """Raise `BoardError` if this is not a position, and `PlayerError` if the player does not play in it."""
        if self.shape or self.max_free or not hasattr(type(board), "play"):
            require_board(board, self.name)
        if isinstance(board, Board) and not self.plays_on(board):
            here = f"{shape_in_words(board.shape)} with {board.k} in a row"
            right = self.shape and f"{shape_in_words(self.shape)} with {min(self.shape)} in a row"
            plays = f"plays on {right}, not on {here}"
            if right in (None, here):
                free = count_phrase(self.max_free or 0, "free cell")
                plays = f"plays on boards with up to {free}, not with {len(board.moves)} on {here}"
            raise PlayerError(f"{self.name} {plays}. For any board, use the player flash-fixed.")

    def require_turn(self, board: Position) -> None:
        """Raise `GameOver` if there is no move left, and the errors of `require_board`."""
        self.require_board(board)
        if board.over:
            raise GameOver(f"The game is over: {self.name} has no move left.")

    def _move(self, board: Any, answer: Any) -> Any:
        """Convert an answer to one of the position's moves."""
        with suppress(OffBoard):
            move = board.cell(answer) if isinstance(board, Board) else answer
            for one in board.moves:
                if one == move and isinstance(one, bool) == isinstance(move, bool):  # True is not 1
                    return one
        cells = isinstance(board, Board)
        moves = ", ".join(map(short_repr, board.moves))
        must = f"It must return {'a free cell' if cells else 'one of'}: {moves}."
        if cells and as_number(answer) is not None and _name(self.rule).isidentifier():  # not a lambda
            must += f" If it says what a board is worth to X, write `searcher({_name(self.rule)})`."
        raise PlayerError(f"{self.name} returned {short_repr(answer)}{_why_not(board, answer)} {must}")

    def __repr__(self) -> str:
        return f"Player({self.name!r}, {_name(self.rule)}, {self.about!r})"


def _why_not(board: Any, answer: Any) -> str:
    """Why an answer isn't one of a position's moves."""
    if answer is None:
        return ": is its `return` missing?"
    if not isinstance(board, Board):
        return ", which is not a move."
    with suppress(OffBoard):
        return f", which is taken by {board[answer]}."
    return ", which is not a cell."


def evenly(moves: Sequence[Any]) -> Policy:
    """The policy that makes each of these moves with equal probability, however often it is listed.

    >>> evenly([0, 8])
    {0: 0.5, 8: 0.5}
    """
    different = dict.fromkeys(moves)  # in their order
    return {move: 1 / len(different) for move in different}


def best_moves(values: Mapping[Any, float]) -> tuple[Any, ...]:
    """The moves with the highest value, in the given order.

    >>> best_moves({1: -1, 3: 0, 5: 0})
    (3, 5)
    """
    highest = max(values.values())
    return tuple(move for move, value in values.items() if value == highest)


def greedy(heuristic: Heuristic, name: str | None = None) -> Player:
    """The player that looks one move ahead and makes the move with the highest heuristic value for its side.

    Equally good moves are equally likely. Raises `HeuristicError` unless this is a function of a board and a player.

    >>> from ttt.heuristics import open_lines
    >>> greedy(open_lines).policy(Board())
    {4: 1.0}
    """
    if not _accepts(heuristic, 2):
        needed = "`greedy()` needs a function (board, player) → number"
        raise HeuristicError(f"{_written(heuristic)} is not a heuristic: {needed}.")

    def rule(board: Position) -> Policy:
        return evenly(best_moves(move_values(heuristic, board)))

    title = name or _name(heuristic).replace("_", "-")
    about = f"Plays the cell with the highest {title}; ties are broken at random."
    return Player(title, rule, about, heuristic=heuristic)


def searcher(worth: Callable[..., Any], depth: int | None = None, *, name: str | None = None, **more: Any) -> Player:
    """Turn a search into a player that makes the move worth most to its side; equally good moves are equally likely.

    The search says what a board is worth to X: the higher, the better for X. The depth is how many plies the player
    looks ahead. Its own move is the first of them, so the search is called with one less. Pass whatever else the search
    needs by name. Raises `PlayerError` for a search that can't be called like this.

    >>> searcher(lambda board: len(board.moves) if board.winner else 0).policy(Board.from_text("XX- OO- ---"))
    {2: 1.0}
    """
    if depth is not None:
        if not is_count(depth):
            raise PlayerError(f"The depth says how many plies to look ahead; it must be 1 or more, not {depth!r}.")
        more["depth"] = depth - 1
    if not _accepts(worth, 1, **more):
        needed = "`searcher()` needs a function that says what a board is worth to X"
        advice = "give whatever else it needs by name, such as `depth=2`."
        raise PlayerError(f"{_written(worth)} can't be called with just a board: {needed}; {advice}")

    def to_player(board: Board, player: Mark) -> Any:
        value = worth(board, **more)
        number, sign = as_number(value), {"X": 1, "O": -1}.get(board.winner or "", 0)
        if number is not None and sign * number < 0:
            must = "it must say what a board is worth to X: above 0 if X has won, below 0 if O has"
            raise PlayerError(f"{_name(worth)} returned {value!r} for {board!r}, which {board.winner} has won: {must}.")
        return value if player == "X" or number is None else -value

    to_player.__name__ = _name(worth)
    ahead = "" if depth is None else f" {depth}"
    title = name or _name(worth).replace("_", "-") + ahead
    about = f"Plays the move {title} finds best; ties are broken at random."
    return replace(greedy(to_player, title), about=about)


def _accepts(function: Any, arguments: int, **named: Any) -> bool:
    """Whether this is a function that accepts this many arguments."""
    with suppress(ValueError):  # some functions written in C have no signature
        try:
            signature(function).bind(*range(arguments), **named)
        except TypeError:
            return False
    return True


def _written(function: object) -> str:
    """A function with its parameters, or anything else as Python writes it."""
    return f"{_name(function)}{signature(function)}" if callable(function) else repr(function)


def _name(function: object) -> str:
    return getattr(function, "__name__", type(function).__name__)
