"""Players in files, asked in the sandbox about the boards that they can reach, for the exact tournament."""

import json
import secrets
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from exercises.grading import GradingError
from exercises.grading.collect import collected
from exercises.grading.judge import packed, said
from exercises.grading.people import quoted
from exercises.grading.reading import defines
from exercises.grading.sandbox import PLAYER, Sandbox, require, sandboxed
from ttt.arena.round_robin import Tournament, ask_here, tournament
from ttt.board import Board
from ttt.checks.loader import FUNCTION
from ttt.players import PLAYERS, AnyPlayer, Player, PlayerError, Policy

LONGEST = 200  # characters of a reason
LATE = {
    "move": f"took more than {PLAYER.each:g} seconds for a move",
    "boards": f"took more than {PLAYER.total:g} seconds for all boards",
}


def played(names: Sequence[str], level: str = "full") -> Tournament:
    """The tournament of players by name and of those in files. Raises `GradingError`."""
    entrants: list[AnyPlayer] = []
    asked: dict[str, Sandbox] = {}
    notes = []
    with ExitStack() as opened:
        for name in dict.fromkeys(names):
            if name in PLAYERS:
                entrants.append(name)
                continue
            if Path(name).is_file():
                require(level)
            try:
                player = Path(name).stem
                if player in PLAYERS or player in asked:
                    raise GradingError(f"{name}: there is another {player}; rename the file.")
                asked[player] = ready(Path(name), level, opened)
                entrants.append(Player(player, lambda _: None))
            except GradingError as error:
                notes.append(f"Left out: {error}")
        if len(entrants) < 2:
            raise GradingError("\n".join([*notes, "A tournament needs two players or more."]))

        def ask(player: Player, boards: Sequence[Board], times: int) -> Iterator[list[Policy] | str]:
            if player.name not in asked:
                return ask_here(player, boards, times)
            return answers(asked[player.name], player.name, boards, times)

        return tournament(entrants, ask=ask, notes=notes)


def ready(file: Path, level: str, opened: ExitStack) -> Sandbox:
    """The player in a file, in a sandbox of its own. Raises `GradingError` if it can't play at all."""
    if not file.is_file():
        raise GradingError(f"{file}: there is no such player and no such file. The players: {', '.join(PLAYERS)}.")
    (one, *_) = collected(file, FUNCTION).submissions
    if one.cells is None or not defines(one.cells, FUNCTION):
        why = " ".join(one.notes) if one.cells is None else f"it must define a function {FUNCTION}(board)."
        raise GradingError(f"{file} has no player: {why}")
    sandbox = opened.enter_context(sandboxed(level, PLAYER, {"cells": one.cells, "function": FUNCTION}))
    match next(sandbox.lines, None):
        case {"ready": True}:
            return sandbox
        case {"problem": str(problem)}:
            raise GradingError(f"{file} can't play. {said(problem)}")
    raise GradingError(f"{file} can't play: it did not get ready.")


def _policy(name: str, board: Board, pairs: Any) -> Policy:
    return Player(name, lambda _: dict(pairs)).policy(board)


def answers(sandbox: Sandbox, name: str, boards: Sequence[Board], times: int) -> Iterator[list[Policy] | str]:
    """What a player would play on each board, or why not. Nothing that it says is trusted."""
    number = secrets.randbelow(1 << 30)  # comes back with each answer
    sandbox.send(json.dumps([number, times, packed((board,) for board in boards)]))
    for board in boards:
        match next(sandbox.lines, None):
            case None:
                yield f"{name} gave no answer. {sandbox.why_it_ended()}"
            case [one, list(policies)] if one == number and len(policies) == times:
                try:
                    yield [_policy(name, board, pairs) for pairs in policies]
                except (PlayerError, TypeError, ValueError):
                    yield f"{name} gave what is no move."
            case [one, {"late": str(key)}] if one == number and key in LATE:
                yield f"{name} {LATE[key]}."
            case [one, str(why)] if one == number and why:
                yield f"{name} said: {quoted(why, LONGEST)}"
            case _:
                yield f"{name} answered what nobody asked."
