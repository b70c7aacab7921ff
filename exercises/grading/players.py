"""Players in files, asked in the sandbox about the boards that they can reach, for the exact tournament."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from exercises.grading import GradingError
from exercises.grading.bubblewrap import PLAYER
from exercises.grading.collect import collected, defines
from exercises.grading.judge import packed
from exercises.grading.people import plain
from exercises.grading.sandbox import Sandbox, require, sandboxed
from ttt.board import Board
from ttt.loader import FUNCTION
from ttt.players import PLAYERS, AnyPlayer, Player, PlayerError, Policy
from ttt.tournament import MOVE_SECONDS, PLAYER_SECONDS, Tournament, ask_here, tournament

PATIENCE = 5  # how many times as long a move may wait as it may compute
LONGEST = 200  # characters of a reason


def played(names: Sequence[str], level: str = "full") -> Tournament:
    """The tournament of players by name and of those in files. Raises `GradingError`."""
    files = [Path(name) for name in dict.fromkeys(names) if name not in PLAYERS]
    if files:
        require(level)
    with ExitStack() as opened:
        asked: dict[str, Session] = {}
        notes = []
        for file in files:
            try:
                if file.stem in PLAYERS or file.stem in asked:
                    raise GradingError(f"{file}: there is another {file.stem}; rename the file.")
                asked[file.stem] = opened.enter_context(_session(file, level))
            except GradingError as error:
                notes.append(f"Left out: {error}")

        def ask(player: Player, boards: Sequence[Board], times: int) -> Iterator[list[Policy] | str]:
            return asked[player.name].ask(boards, times) if player.name in asked else ask_here(player, boards, times)

        entrants: list[AnyPlayer] = [name for name in dict.fromkeys(names) if name in PLAYERS]
        entrants += [Player(name, lambda _: None) for name in asked]
        if len(entrants) < 2:
            raise GradingError("\n".join([*notes, "A tournament needs two players or more."]))
        return tournament(entrants, ask=ask, notes=notes)


class Session:
    """A player in its sandbox: boards go in, and what it would play comes out. Nothing that it says is trusted."""

    def __init__(self, name: str, sandbox: Sandbox) -> None:
        self.name, self._sandbox, self._requests = name, sandbox, 0

    def ask(self, boards: Sequence[Board], times: int) -> Iterator[list[Policy] | str]:
        """The player's policies on each board, or why there is none."""
        self._requests += 1
        self._sandbox.send([self._requests, times, packed((board,) for board in boards)])
        for board in boards:
            yield self._policies(board, times, next(self._sandbox.lines, None))

    def _policies(self, board: Board, times: int, answer: object) -> list[Policy] | str:
        match answer:
            case None:
                return f"{self.name} ended its program, or computed too long."
            case [self._requests, list(policies)] if len(policies) == times:
                try:
                    return [self._policy(board, pairs) for pairs in policies]
                except (PlayerError, TypeError, ValueError):
                    return f"{self.name} gave what is no move."
            case [self._requests, str(why)] if why:
                return plain(why.replace("the player", self.name, 1), LONGEST)
        return f"{self.name} answered what nobody asked."

    def _policy(self, board: Board, pairs: Any) -> Policy:
        return Player(self.name, lambda _: dict(pairs)).policy(board)


@contextmanager
def _session(file: Path, level: str) -> Iterator[Session]:
    """The player in a file, in a sandbox of its own. Raises `GradingError` if it can't play at all."""
    if not file.is_file():
        raise GradingError(f"{file}: there is no such player and no such file. The players: {', '.join(PLAYERS)}.")
    (one, *_) = collected(file, FUNCTION).submissions
    if one.cells is None or not defines(one.cells, FUNCTION):
        why = " ".join(one.notes) if one.cells is None else f"it must define a function {FUNCTION}(board)."
        raise GradingError(f"{file} has no player: {why}")
    clock = {"total": PLAYER_SECONDS, "each": MOVE_SECONDS, "patience": PATIENCE}
    order = {"kind": "player", "cells": one.cells, "function": FUNCTION, "clock": clock}
    with sandboxed(level, PLAYER, order) as sandbox:
        ready = next(sandbox.lines, None)
        if ready != {"ready": True}:
            told = ready.get("problem") if isinstance(ready, dict) else "it did not get ready."
            raise GradingError(f"{file} can't play: {plain(str(told), LONGEST)}")
        yield Session(file.stem, sandbox)
