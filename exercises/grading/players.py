"""Players in files, asked in the sandbox about the boards that they can reach, for the exact tournament."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import cached_property
from pathlib import Path
from subprocess import Popen
from threading import Timer
from typing import Any

from exercises.grading import GradingError, sandbox
from exercises.grading.collect import collected, defines
from exercises.grading.judge import NotStarted, line_of, lines, packed, send
from exercises.grading.people import plain
from ttt.board import Board
from ttt.loader import FUNCTION
from ttt.players import PLAYERS, AnyPlayer, Player, PlayerError, Policy
from ttt.tournament import MOVE_SECONDS, PLAYER_SECONDS, Tournament, tournament

LOADING = 15.0  # seconds until a file has been read and run, imports included
PATIENCE = 30  # how many times as long a move may take on a busy machine as it may compute
LONGEST = 200  # characters of a reason


def played(names: Sequence[str], level: str = "full") -> Tournament:
    """The tournament of players by name and of those in files. Raises `GradingError`."""
    files = [Path(name) for name in names if name not in PLAYERS]
    if files:
        sandbox.require(level)
    with ExitStack() as opened:
        asked: dict[str, Session] = {}
        left_out = []
        for file in files:
            try:
                session = opened.enter_context(_session(file, level))
            except GradingError as error:
                left_out.append(f"Left out: {error}")
                continue
            if file.stem in PLAYERS or file.stem in asked:
                left_out.append(f"Left out: {file}: there is another {file.stem}; rename the file.")
            else:
                asked[file.stem] = session

        def ask(player: Player, board: Board) -> Policy:
            return asked[player.name].ask(board) if player.name in asked else player.policy(board)

        entrants: list[AnyPlayer] = [
            *(name for name in names if name in PLAYERS),
            *(session.player for session in asked.values()),
        ]
        if len(entrants) < 2:
            raise GradingError("\n".join([*left_out, "A tournament needs two players or more."]))
        found = tournament(entrants, ask=ask)
        return Tournament(found.standings, found.results, tuple(left_out))


class Session:
    """A player in its sandbox: a board goes in, and what it would play comes out. Nothing that it says is trusted."""

    def __init__(self, name: str, process: Popen[bytes], said: Iterator[Any]) -> None:
        self.name, self._process, self._said = name, process, said
        self._left, self._asked, self._lost = PLAYER_SECONDS, 0, ""

    @cached_property
    def player(self) -> Player:
        """The player, for a table of names."""
        return Player(self.name, self.ask)

    def ask(self, board: Board) -> Policy:
        """The player's policy on a board. Raises `PlayerError`, which says why there is none."""
        if self._lost:
            raise PlayerError(self._lost)
        self._asked += 1
        before = sandbox.computed(self._process)
        clock = Timer(MOVE_SECONDS * PATIENCE, self._process.kill)
        clock.start()
        try:
            send(self._process, line_of([self._asked, packed((board,))]))
            answer = next(self._said, None)
        finally:
            clock.cancel()
        took = sandbox.computed(self._process) - before
        self._left -= took
        if answer is None or self._left <= 0:
            self._lost = f"{self.name} ended its program, or computed too long."
            raise PlayerError(self._lost)
        return self._policy(board, answer)

    def _policy(self, board: Board, answer: object) -> Policy:
        match answer:
            case [int(number), list(pairs), ""] if number == self._asked and pairs:
                try:
                    return Player(self.name, lambda _: dict(pairs)).policy(board)
                except (TypeError, ValueError):
                    raise PlayerError(f"{self.name} gave what is no move.") from None
            case [int(number), _, str(why)] if number == self._asked and why:
                raise PlayerError(plain(why.replace("the player", self.name, 1), LONGEST))
        raise PlayerError(f"{self.name} answered what nobody asked.")


@contextmanager
def _session(file: Path, level: str) -> Iterator[Session]:
    """The player in a file, in a sandbox of its own. Raises `GradingError` if it can't play at all."""
    if not file.is_file():
        raise GradingError(f"{file}: there is no such player and no such file. The players: {', '.join(PLAYERS)}.")
    (one, *_) = collected(file, FUNCTION).submissions
    if one.cells is None or not defines(one.cells, FUNCTION):
        why = " ".join(one.notes) if one.cells is None else f"it must define a function {FUNCTION}(board)."
        raise GradingError(f"{file} has no player: {why}")
    order = {
        "kind": "player",
        "cells": list(one.cells),
        "function": FUNCTION,
        "limits": sandbox.limits(level, sandbox.PLAYER),
        "clock": {"total": PLAYER_SECONDS, "each": MOVE_SECONDS, "patience": PATIENCE},
    }
    with sandbox.sandboxed(level, sandbox.PLAYER) as process:
        said = lines(process)
        clock = Timer(LOADING * PATIENCE, process.kill)
        clock.start()
        send(process, line_of(order) + b"[]\n")
        started, ready = next(said, None), next(said, None)
        clock.cancel()
        if started is None:
            raise NotStarted(f"{file}: the sandbox did not start.")
        if ready != {"ready": True}:
            told = ready.get("missing") if isinstance(ready, dict) else "it did not get ready."
            raise GradingError(f"{file} can't play: {plain(str(told), LONGEST)}")
        yield Session(file.stem, process, said)
