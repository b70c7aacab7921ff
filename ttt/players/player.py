"""A player is a named policy: for every board, the moves it would make and how likely each is."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from inspect import Parameter, signature
from math import isclose, isnan, nan
from random import Random
from typing import Any

from ttt.board import Board, BoardError, GameOver, Mark, by, require_board, shown
from ttt.heuristics import Heuristic, HeuristicError, move_values, number
from ttt.position import Position

Policy = dict[Any, float]  # of each move that it would make, the probability


class PlayerError(ValueError):
    """A player can't play, or its answer is not a move; the message says why, and what would be one."""


@dataclass(frozen=True, eq=False, repr=False)
class Player:
    """A named policy.

    The rule takes a `Board` that is not over and returns a free cell (index or coordinates), or {cell: probability}
    where it leaves the choice to chance; in another game it takes a position and returns one of its moves. Raises
    `PlayerError` for one that can't be called with a board alone.

    >>> Player("first", lambda board: board.moves[0]).policy(Board().play(0))
    {1: 1.0}
    """

    name: str  # what tables and messages call it
    rule: Callable[[Any], Any]
    about: str = ""  # one sentence on how it plays; by default the first line of the rule's docstring
    shape: tuple[int, ...] | None = None  # the only one that it plays on, with a whole side in a row; by default any
    reach: int | None = None  # the most free cells from which it searches to the end; by default it doesn't search
    sees: Heuristic | None = None  # judges the board after each of its moves, for a board on screen to show
    fills: bool = False  # whether it completes or stops a line first, and only then asks what it sees

    def __post_init__(self) -> None:
        if not _takes(self.rule, 1) or _searches(self.rule):
            advice = "give a player, a name such as 'random', or a function that takes a board and no more."
            raise PlayerError(f"{_described(self.rule)} can't play: {_meant(self.rule) or advice}")
        if not self.about:
            vars(self)["about"] = (self.rule.__doc__ or "").strip().partition("\n")[0]

    def plays_on(self, board: Board) -> bool:
        """Whether the player plays on boards of this shape, and with as many free cells as this one has."""
        right_shape = self.shape is None or (board.shape == self.shape and board.k == min(self.shape))
        return right_shape and (self.reach is None or len(board.moves) <= self.reach)

    def policy(self, board: Position) -> Policy:
        """The moves that the player would make in a position, each with its probability; they sum to 1.

        Raises `GameOver`, and `PlayerError` on boards on which it does not play, or if its rule returns something that
        is not a move. Errors of the rule itself pass through.
        """
        self.require_turn(board)
        answer = self.rule(board)
        if not isinstance(answer, Mapping):
            return {self._move(board, answer): 1.0}
        policy: Policy = {}
        for move, share in answer.items():
            move, chance = self._move(board, move), number(share)
            policy[move] = policy.get(move, 0.0) + (nan if chance is None or chance < 0 else chance)
        total = sum(policy.values())
        if not isclose(total, 1):  # nan is close to nothing
            wrong = "must be numbers, 0 or more" if isnan(total) else f"sum to {total:g}, not to 1"
            raise PlayerError(f"{self.name} returned {shown(answer)}: its probabilities {wrong}.")
        return {move: chance for move, chance in policy.items() if chance > 0}

    def choose(self, board: Position, rng: Random) -> Any:
        """One move of the policy, drawn by its probabilities. Raises as `policy` does."""
        policy = self.policy(board)
        return rng.choices(list(policy), list(policy.values()))[0] if len(policy) > 1 else next(iter(policy))

    def require_board(self, board: Any) -> None:
        """Raises `PlayerError` if this is no position, or one in which the player does not play."""
        if self.shape or self.reach or not hasattr(type(board), "play"):
            require_board(board, self.name, PlayerError)
        if isinstance(board, Board) and not self.plays_on(board):
            shape = f"{by(board.shape)} board has {len(board.moves)}"
            plays = f"searches to the end of the game, with up to {self.reach} free cells; this {shape}"
            if self.shape:
                own = f"{by(self.shape)} with {min(self.shape)} in a row"
                plays = f"plays on {own}, not on {by(board.shape)} with {board.k} in a row"
            raise PlayerError(f"{self.name} {plays}. The player flash-mended plays on every board.")

    def require_turn(self, board: Position) -> None:
        """Raises `GameOver` if there is no move left, and what `require_board` does."""
        self.require_board(board)
        if board.over:
            raise GameOver(f"The game is over: there is no move for {self.name} to make.")

    def _move(self, board: Any, answer: object) -> Any:
        """The position's own move that an answer stands for."""
        cells = isinstance(board, Board)
        problem, must = (", which is not a cell.", "be a free cell") if cells else (", which is no move.", "be one of")
        with suppress(BoardError):
            move = board.cell(answer) if cells else answer
            if move in board.moves:
                return board.moves[board.moves.index(move)]
            problem = f", which is taken by {board[move]}." if cells else problem
        problem = ": is its return missing?" if answer is None else problem
        moves = ", ".join(map(shown, board.moves))
        told = f"{self.name} returned {shown(answer)}{problem} It must {must}: {moves}."
        if cells and number(answer) is not None:
            told += f" If it says what a board is worth to X, write searcher({_name(self.rule)})."
        raise PlayerError(told)

    def __repr__(self) -> str:
        return f"Player({self.name!r}, {_name(self.rule)}, {self.about!r})"


def evenly(moves: Sequence[Any]) -> Policy:
    """The policy that makes any of these moves, all equally likely, however often each is named.

    >>> evenly([0, 8])
    {0: 0.5, 8: 0.5}
    """
    different = dict.fromkeys(moves)  # in their order
    return {move: 1 / len(different) for move in different}


def best_moves(values: Mapping[Any, float]) -> tuple[Any, ...]:
    """The moves with the highest value, in their order.

    >>> best_moves({1: -1, 3: 0, 5: 0})
    (3, 5)
    """
    highest = max(values.values())
    return tuple(move for move, value in values.items() if value == highest)


def greedy(heuristic: Heuristic, name: str | None = None) -> Player:
    """The player that looks one move ahead: it makes the move after which the heuristic is highest for it.

    Equally good moves are equally likely. Raises `HeuristicError` if this is no function of a board and a player.

    >>> from ttt.heuristics import open_lines
    >>> greedy(open_lines).policy(Board())
    {4: 1.0}
    """
    if not _takes(heuristic, 2) or _searches(heuristic):
        needs = _meant(heuristic) or "greedy() needs a function (board, player) → number."
        raise HeuristicError(f"{_described(heuristic)} is not a heuristic: {needs}")

    def rule(board: Position) -> Policy:
        return evenly(best_moves(move_values(heuristic, board)))

    title = name or _name(heuristic).replace("_", "-")
    return Player(
        title, rule, f"Plays where {title} is highest; equally good cells are equally likely.", sees=heuristic
    )


def searcher(worth: Callable[..., Any], depth: int | None = None, *, name: str | None = None, **more: Any) -> Player:
    """The player of a search: it makes the move that is worth most to its side; equally good moves are equally likely.

    The search says what a board is worth to X, the more the better for X. The depth is how many plies the player looks
    ahead, and its own move is the first of them: the search is called with one less. What else the search needs
    goes by name. Raises `PlayerError` for what can't be called so.

    >>> searcher(lambda board: len(board.moves) if board.winner else 0).policy(Board.from_text("XX- OO- ---"))
    {2: 1.0}
    """
    if depth is not None:
        if type(depth) is not int or depth < 1:
            raise PlayerError(f"The depth is how many plies it looks ahead, 1 or more, not {depth!r}.")
        more["depth"] = depth - 1
    if not _takes(worth, 1, **more) or "to_mover" in _name(worth):
        advice = "searcher() needs a function that says what a board is worth to X, such as worth(board)."
        raise PlayerError(f"{_described(worth)} can't be asked for each move: {_meant(worth) or advice}")

    def to_player(board: Board, player: Mark) -> Any:
        value = worth(board, **more)
        if board.winner and number(value) is not None and (value < 0) == (board.winner == "X") and value:
            raise PlayerError(f"{_name(worth)} returned {value!r} for {board!r}, which {board.winner} has won: {TO_X}.")
        return value if player == "X" or number(value) is None else -value

    to_player.__name__ = _name(worth)
    ahead = "" if depth is None else f" {depth}"
    title = name or _name(worth).replace("_", "-") + ahead
    about = f"Plays the move that {title} finds best; equally good moves are equally likely."
    return replace(greedy(to_player, title), about=about)


TO_X = "it is to say what a board is worth to X, more than 0 where X has won and less where O has"


def _searches(function: Any) -> bool:
    """Whether this can only be a search, by its name or its parameters: a value 0 or 1 can't be told from a cell."""
    names = [*_parameters(function)]
    return names[1:2] != ["player"] and (_name(function).startswith("worth") or {"alpha", "beta"} <= {*names})


def _meant(function: Any) -> str:
    """A question with the right call, for a function of another kind than is wanted; "" for one of no kind."""
    needed = [name for name, about in _parameters(function).items() if about.default is Parameter.empty]
    if {"alpha", "beta"} & {*needed}:
        return "write alpha=-inf, beta=inf in its def line, so that it can be called without them."
    if needed[1:] == ["depth"]:
        return f"did you mean searcher({_name(function)}, depth=2)?"
    if len(needed) == 1 and _searches(function) and "to_mover" not in _name(function):
        return f"did you mean searcher({_name(function)})?"
    return f"did you mean greedy({_name(function)})?" if _takes(function, 2) and not _searches(function) else ""


def _parameters(function: Any) -> Mapping[str, Parameter]:
    """The parameters of a function by name; none of what is no function, or doesn't tell."""
    with suppress(TypeError, ValueError):
        return signature(function).parameters
    return {}


def _takes(function: Any, arguments: int, **named: Any) -> bool:
    """Whether this is a function that can be called with so many arguments."""
    with suppress(ValueError):  # some functions written in C don't tell
        try:
            signature(function).bind(*range(arguments), **named)
        except TypeError:
            return False
    return True


def _name(function: object) -> str:
    return getattr(function, "__name__", type(function).__name__)


def _described(function: Any) -> str:
    return f"{_name(function)}{signature(function)}" if callable(function) else repr(function)
