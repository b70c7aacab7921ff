"""A player is a named policy: for every board, the moves it would make and how likely each is."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from operator import index
from random import Random
from typing import Any

from ttt.board import Board, BoardError, GameOver
from ttt.heuristics import Heuristic, move_values

Policy = dict[int, float]


class PlayerError(ValueError):
    """A player's answer is no move; the message says what it was and what would be one."""


class Player:
    """A named policy.

    Args:
        name: what tables and messages call it.
        rule: a function that takes a `Board` that is not over and returns a free cell (index or coordinates), or
            {cell: probability} where it leaves the choice to chance.
        about: one sentence on how it plays.

    >>> Player("first", lambda board: board.moves[0]).policy(Board().play(0))
    {1: 1.0}
    """

    def __init__(self, name: str, rule: Callable[[Board], Any], about: str = "") -> None:
        self.name = name
        self.rule = rule
        self.about = about

    def policy(self, board: Board) -> Policy:
        """The moves that the player would make on a board, each with its probability; they sum to 1.

        Raises `GameOver` where there is nothing to play, and `PlayerError` where the rule answers nonsense. What the
        rule itself raises comes through as it is.
        """
        if board.over:
            raise GameOver(f"The game is over: there is no move for {self.name} to make.")
        answer = self.rule(board)
        if not isinstance(answer, Mapping):
            return {self._free_cell(board, answer): 1.0}
        policy = {self._free_cell(board, cell): chance for cell, chance in answer.items()}
        if not all(chance >= 0 for chance in policy.values()) or not math.isclose(sum(policy.values()), 1):
            raise PlayerError(f"{self.name} gave {answer!r}: its probabilities must be 0 or more and sum to 1.")
        return {cell: float(chance) for cell, chance in policy.items() if chance > 0}

    def choose(self, board: Board, rng: Random) -> int:
        """One move of the policy, drawn by chance where it leaves a choice. Raises as `policy` does."""
        policy = self.policy(board)
        return rng.choices(list(policy), list(policy.values()))[0] if len(policy) > 1 else next(iter(policy))

    def _free_cell(self, board: Board, answer: object) -> int:
        try:
            cell = board.cell(answer if isinstance(answer, tuple) else index(answer))  # type: ignore[arg-type]
            problem = "" if board[cell] == "-" else f", which is taken by {board[cell]}."
        except (BoardError, TypeError):
            problem = ": is its `return` missing?" if answer is None else ", which is no cell."
        if problem:
            free = ", ".join(map(str, board.moves))
            raise PlayerError(f"{self.name} returned {answer!r}{problem} It must be a free cell: {free}.")
        return cell

    def __repr__(self) -> str:
        return f"Player({self.name!r}, {getattr(self.rule, '__name__', self.rule)}, {self.about!r})"


def greedy(heuristic: Heuristic, name: str | None = None) -> Player:
    """The player that looks one move ahead: it makes the move after which the heuristic is highest for it.

    Equally good moves are equally likely.

    >>> from ttt.heuristics import open_lines
    >>> greedy(open_lines).policy(Board())
    {4: 1.0}
    """

    def rule(board: Board) -> Policy:
        values = move_values(heuristic, board)
        highest = max(values.values())
        best = [cell for cell, value in values.items() if value == highest]
        return {cell: 1 / len(best) for cell in best}

    title = name or getattr(heuristic, "__name__", "heuristic").replace("_", "-")
    return Player(title, rule, f"Plays where {title} is highest; equally good cells are equally likely.")
