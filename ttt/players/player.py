"""A player is a named policy: for every board, the moves it would make and how likely each is."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from numbers import Real
from operator import index
from random import Random
from typing import Any

from ttt.board import Board, BoardError, GameOver
from ttt.heuristics import Heuristic, HeuristicError, move_values

Policy = dict[int, float]


class PlayerError(ValueError):
    """A player can't play, or its answer is no move; the message says why and what would do."""


class WrongBoard(PlayerError):
    """The player does not play on boards of this shape; the message says on which it does."""


class Player:
    """A named policy.

    Args:
        name: what tables and messages call it.
        rule: a function that takes a `Board` that is not over and returns a free cell (index or coordinates), or
            {cell: probability} where it leaves the choice to chance.
        about: one sentence on how it plays.
        shape: the shape of the only boards it plays on, with a whole side in a row; any board unless given.
        reach: the most free cells that it can play with; any number unless given.
        sees: what it judges a board by, for a board on screen to show.

    >>> Player("first", lambda board: board.moves[0]).policy(Board().play(0))
    {1: 1.0}
    """

    def __init__(
        self,
        name: str,
        rule: Callable[[Board], Any],
        about: str = "",
        shape: tuple[int, ...] | None = None,
        reach: int | None = None,
        sees: Heuristic | None = None,
    ) -> None:
        self.name = name
        self.rule = rule
        self.about = about
        self.shape = shape
        self.reach = reach
        self.sees = sees

    def plays_on(self, board: Board) -> bool:
        """Whether the player plays on boards like this one, and can play from this one on."""
        within = self.reach is None or len(board.moves) <= self.reach
        return within and (self.shape is None or (board.shape == self.shape and board.k == min(self.shape)))

    def policy(self, board: Board) -> Policy:
        """The moves that the player would make on a board, each with its probability; they sum to 1.

        Raises `GameOver` where there is nothing to play, `WrongBoard` where it does not play on such boards, and
        `PlayerError` where the rule answers nonsense. What the rule itself raises comes through as it is.
        """
        self.require_board(board)
        if board.over:
            raise GameOver(f"The game is over: there is no move for {self.name} to make.")
        answer = self.rule(board)
        if not isinstance(answer, Mapping):
            return {self._free_cell(board, answer): 1.0}
        chances = list(answer.values())
        if not all(isinstance(chance, Real) and float(chance) >= 0 for chance in chances):
            raise PlayerError(f"{self.name} gave {answer!r}: its probabilities must be numbers, 0 or more.")
        if not math.isclose(sum(chances), 1):
            raise PlayerError(f"{self.name} gave {answer!r}: its probabilities sum to {sum(chances):g}, not to 1.")
        policy: Policy = {}
        for move, chance in answer.items():
            cell = self._free_cell(board, move)
            if chance > 0:
                policy[cell] = policy.get(cell, 0.0) + float(chance)
        return policy

    def require_board(self, board: Any) -> None:
        """Raises `WrongBoard` for what is no board, or one on which the player does not play."""
        if not isinstance(board, Board):
            raise WrongBoard(f"{self.name} needs a board, and {board!r} is none. Board.from_text makes one of a text.")
        if self.shape and not self.plays_on(board):
            own, given = ("×".join(map(str, shape)) for shape in (self.shape, board.shape))
            raise WrongBoard(
                f"{self.name} plays on {own} with {min(self.shape)} in a row, not on {given} with {board.k} in a row."
            )

    def choose(self, board: Board, rng: Random) -> int:
        """One move of the policy, drawn by chance where it leaves a choice. Raises as `policy` does."""
        policy = self.policy(board)
        return rng.choices(list(policy), list(policy.values()))[0] if len(policy) > 1 else next(iter(policy))

    def _free_cell(self, board: Board, answer: object) -> int:
        try:
            cell = board.cell(answer if isinstance(answer, tuple) else index(answer))  # type: ignore[arg-type]
            problem = "" if board[cell] == "-" else f", which is taken by {board[cell]}."
        except (BoardError, TypeError):
            problem = ": is its return missing?" if answer is None else ", which is no cell."
        if problem:
            free = ", ".join(map(str, board.moves))
            raise PlayerError(f"{self.name} returned {answer!r}{problem} It must be a free cell: {free}.")
        return cell

    def __repr__(self) -> str:
        where = f", shape={self.shape}" if self.shape else ""
        return f"Player({self.name!r}, {getattr(self.rule, '__name__', self.rule)}, {self.about!r}{where})"


def evenly(cells: Sequence[int]) -> Policy:
    """The policy that plays any of these cells, all equally likely.

    >>> evenly([0, 8])
    {0: 0.5, 8: 0.5}
    """
    return {cell: 1 / len(cells) for cell in cells}


def best_moves(values: Mapping[int, float]) -> tuple[int, ...]:
    """The moves with the highest value, in their order.

    >>> best_moves({1: -1, 3: 0, 5: 0})
    (3, 5)
    """
    highest = max(values.values())
    return tuple(cell for cell, value in values.items() if value == highest)


def greedy(heuristic: Heuristic, name: str | None = None) -> Player:
    """The player that looks one move ahead: it makes the move after which the heuristic is highest for it.

    Equally good moves are equally likely. Raises `HeuristicError` for what is no function.

    >>> from ttt.heuristics import open_lines
    >>> greedy(open_lines).policy(Board())
    {4: 1.0}
    """

    if not callable(heuristic):
        raise HeuristicError(f"{heuristic!r} is no heuristic: give a function (board, player) → number.")

    def rule(board: Board) -> Policy:
        return evenly(best_moves(move_values(heuristic, board)))

    title = name or getattr(heuristic, "__name__", "heuristic").replace("_", "-")
    return Player(
        title, rule, f"Plays where {title} is highest; equally good cells are equally likely.", sees=heuristic
    )


def explained(error: BaseException, name: str) -> str:
    """One sentence on what went wrong, with the line of a student's own code where that is what failed."""
    import sysconfig  # loaded for the mistake rather than with the package
    import traceback
    from pathlib import Path

    theirs = ("<frozen", str(Path(__file__).parents[1]), *map(sysconfig.get_path, ("stdlib", "platlib", "purelib")))
    own = [frame for frame in traceback.extract_tb(error.__traceback__) if not frame.filename.startswith(theirs)]
    if isinstance(error, KeyboardInterrupt):
        return f"{name} was interrupted before it had answered."
    if not own and isinstance(error, (BoardError, PlayerError, HeuristicError)):
        return str(error)
    place = f", in line {own[-1].lineno}: {own[-1].line}" if own and own[-1].line else ""
    return f"{name} stopped with {type(error).__name__}: {error}{place}"
