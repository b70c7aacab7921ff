"""Players in files, asked in the sandbox about every board they can reach, for the exact tournament."""

import json
import secrets
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from exercises.grading import GradingError
from exercises.grading.intake.collect import collected
from exercises.grading.intake.reading import defines
from exercises.grading.isolation.sandbox import PLAYER, Sandbox, require, sandboxed
from exercises.grading.judging.judge import pack_questions, said
from exercises.grading.people import quoted
from ttt.arena.games import START, Forfeit
from ttt.arena.tournament import Tournament, tournament
from ttt.board import Board
from ttt.players import PLAYERS, AnyPlayer, Player, PlayerError, Policy
from ttt.progress import progress

FUNCTION = "my_player"  # the function a player's file must define
_LONGEST = 200  # characters of a reason at most
ONCE_MORE = 6  # further answers on a board where a random player gave the same one twice
SAMPLES = 30  # answers per board from a player that changes its answer
LATE = {
    "move": f"took more than {PLAYER.each:g} seconds for one move",
    "boards": f"took more than {PLAYER.total:g} seconds for all boards",
}


Table = dict[Board, list[Policy] | str]  # a player's answers on each board, or why there are none


def hold_tournament(names: Sequence[str], level: str = "full") -> Tournament:
    """Hold a tournament of registered players and players in files. Raises `GradingError`."""
    sandboxes: dict[str, Sandbox] = {}
    entrants: list[AnyPlayer] = []
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
                if player in PLAYERS or player in sandboxes:
                    raise GradingError(f"{name}: there is already a player called {player}. Rename the file.")
                sandboxes[player] = ready(Path(name), level, opened)
            except GradingError as error:
                notes.append(f"Left out: {error}")
        if len(entrants) + len(sandboxes) < 2:
            raise GradingError("\n".join([*notes, "A tournament needs at least two different players."]))
        for name, sandbox in progress(sandboxes.items(), "players"):
            table = asked_everywhere(name, sandbox)
            entrants.append(entrant(name, table))
            if estimated(table):
                notes.append(f"≈ {name} moves at random, so its points are estimated.")
    try:
        return tournament(entrants, notes=notes)
    except PlayerError as error:  # e.g. a player only for the cube
        raise GradingError(str(error)) from None


def asked_everywhere(name: str, sandbox: Sandbox) -> Table:
    """A sandboxed player's answers on every board it can reach, as X and as O."""
    table: Table = {}
    for plays in ("X", "O"):
        boards = [START]
        while boards := [board for board in dict.fromkeys(boards) if not board.over]:
            moves: dict[Board, Iterable[int]] = {board: board.moves for board in boards}
            if boards[0].turn == plays:
                table |= (answer_on := asked(name, sandbox, boards))
                moves = {board: _mean(answer) for board, answer in answer_on.items() if isinstance(answer, list)}
            boards = [board.play(cell) for board, cells in moves.items() for cell in cells]
    return table


def entrant(name: str, table: Table) -> Player:
    """Make a player from a table. A ≈ before its name means that its random moves are only estimated."""

    def rule(board: Board) -> Policy:
        answer = table[board]
        if isinstance(answer, str):
            where = str(board).replace(" ", "").replace("\n", " / ")
            raise Forfeit(f"fails on {where}: {answer}")
        return _mean(answer)

    return Player(f"≈ {name}" if estimated(table) else name, rule)


def estimated(table: Table) -> bool:
    """Whether the player was asked many times on some board because it changes its answer."""
    return any(isinstance(answer, list) and len(answer) == SAMPLES for answer in table.values())


def asked(name: str, sandbox: Sandbox, boards: Sequence[Board]) -> dict[Board, list[Policy] | str]:
    """A player's answers on each board when asked twice, or many times if the answers differ."""
    known = dict(zip(boards, policies_from(sandbox, name, boards, 2), strict=True))
    if any(map(_changes, known.values())):  # then equal answers may be a coincidence
        alike = [board for board, answer in known.items() if isinstance(answer, list) and not _changes(answer)]
        known |= dict(zip(alike, policies_from(sandbox, name, alike, ONCE_MORE), strict=True))
    unsure = [board for board, answer in known.items() if _changes(answer)]
    return known | dict(zip(unsure, policies_from(sandbox, name, unsure, SAMPLES), strict=True))


def _changes(answer: list[Policy] | str) -> bool:
    return isinstance(answer, list) and any(policy != answer[0] for policy in answer)


def _mean(policies: Sequence[Policy]) -> Policy:
    cells = dict.fromkeys(cell for policy in policies for cell in policy)
    return {cell: sum(policy.get(cell, 0) for policy in policies) / len(policies) for cell in cells}


def ready(file: Path, level: str, opened: ExitStack) -> Sandbox:
    """Start the player in a file in its own sandbox. Raises `GradingError` if it can't play at all."""
    if not file.is_file():
        raise GradingError(f"{file} is neither a player nor a file. The players are {', '.join(PLAYERS)}.")
    (submission, *_), _ = collected(file, FUNCTION)
    if submission.cells is None or submission.status:
        raise GradingError(f"{file} has no player: {' '.join(submission.notes)}")
    if not defines(submission.cells, FUNCTION):
        raise GradingError(f"{file} has no player: it must define a function `{FUNCTION}(board)`.")
    sandbox = opened.enter_context(sandboxed(level, PLAYER, {"cells": submission.cells, "function": FUNCTION}))
    match next(sandbox.lines, None):
        case {"ready": True}:
            return sandbox
        case {"problem": str(problem)}:
            raise GradingError(f"{file} can't play. {said(problem)}")
    raise GradingError(f"{file} can't play: it did not start in time.")


def _policy(name: str, board: Board, pairs: Any) -> Policy:
    return Player(name, lambda _: dict(pairs)).policy(board)


def policies_from(sandbox: Sandbox, name: str, boards: Sequence[Board], times: int) -> Iterator[list[Policy] | str]:
    """A player's moves on each board, or why there are none. None of its output is trusted."""
    number = secrets.randbelow(1 << 30)  # comes back with each answer
    sandbox.send(json.dumps([number, times, pack_questions((board,) for board in boards)]))
    for board in boards:
        match next(sandbox.lines, None):
            case None:
                yield f"{name} gave no answer. {sandbox.why_it_ended()}"
            case [one, list(policies)] if one == number and len(policies) == times:
                try:
                    yield [_policy(name, board, pairs) for pairs in policies]
                except (PlayerError, TypeError, ValueError):
                    yield f"{name} gave something that is not a move."
            case [one, {"late": str(key)}] if one == number and key in LATE:
                yield f"{name} {LATE[key]}."
            case [one, str(why)] if one == number and why:
                yield f"{name} said: {quoted(why, _LONGEST)}"
            case _:
                yield f"{name} answered a question that was not asked."
