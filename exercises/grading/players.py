"""Players in files, asked in the sandbox about the boards that they can reach, for the exact tournament."""

import json
import secrets
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, suppress
from itertools import islice
from pathlib import Path
from typing import Any

from exercises.grading import GradingError
from exercises.grading.collect import collected
from exercises.grading.judge import packed, said
from exercises.grading.people import quoted
from exercises.grading.reading import defines
from exercises.grading.sandbox import PLAYER, Sandbox, require, sandboxed
from ttt.arena.games import START, Forfeit
from ttt.arena.tournament import Tournament, tournament
from ttt.board import Board
from ttt.checks.loader import FUNCTION
from ttt.players import PLAYERS, AnyPlayer, Player, PlayerError, Policy
from ttt.runtime.progress import progress

LONGEST = 200  # characters of a reason
ONCE_MORE = 6  # answers on a board where such a player gave the same one twice
SAMPLES = 30  # answers on a board, from a player that changes its answer
LATE = {
    "move": f"took more than {PLAYER.each:g} seconds for a move",
    "boards": f"took more than {PLAYER.total:g} seconds for all boards",
}


Table = dict[Board, list[Policy] | str]  # what a player answers on boards: when asked several times, or why not


def played(names: Sequence[str], level: str = "full") -> Tournament:
    """The tournament of players by name and of those in files. Raises `GradingError`."""
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
                    raise GradingError(f"{name}: there is another {player}; rename the file.")
                sandboxes[player] = ready(Path(name), level, opened)
            except GradingError as error:
                notes.append(f"Left out: {error}")
        if len(entrants) + len(sandboxes) < 2:
            raise GradingError("\n".join([*notes, "A tournament needs at least two different players."]))
        for name, sandbox in progress(sandboxes.items(), "players"):
            table = asked_everywhere(name, sandbox)
            entrants.append(entrant(name, table))
            if estimated(table):
                notes.append(f"≈ {name} leaves its moves to chance, so its points are estimated.")
            notes += [f"{name} plays as {other} does wherever it gets." for other in alike(table)]
    try:
        return tournament(entrants, notes=notes)
    except PlayerError as error:  # such as that it plays on the cube alone
        raise GradingError(str(error)) from None


def asked_everywhere(name: str, sandbox: Sandbox) -> Table:
    """What a player in a sandbox answers on each board that it can reach, as X and as O."""
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


def alike(table: Table) -> list[str]:
    """The registered player that answers the same on all these boards, such as one that a file calls."""

    def same(player: Player, board: Board, answer: list[Policy] | str) -> bool:
        with suppress(PlayerError):
            return isinstance(answer, list) and answer == [player.policy(board)] * len(answer)
        return False

    players = (player for player in PLAYERS.values() if all(same(player, *one) for one in table.items()))
    return [player.name for player in islice(players, 1)]


def entrant(name: str, table: Table) -> Player:
    """The player of a table. The sign ≈ before its name says that its moves by chance are only estimated."""

    def rule(board: Board) -> Policy:
        answer = table[board]
        if isinstance(answer, str):
            where = str(board).replace(" ", "").replace("\n", " / ")
            raise Forfeit(f"on {where}: {answer}")
        return _mean(answer)

    return Player(f"≈ {name}" if estimated(table) else name, rule)


def estimated(table: Table) -> bool:
    """Whether the player was asked many times on some board, since it changes its answer."""
    return any(isinstance(answer, list) and len(answer) == SAMPLES for answer in table.values())


def asked(name: str, sandbox: Sandbox, boards: Sequence[Board]) -> dict[Board, list[Policy] | str]:
    """What a player answers on each board when it is asked twice, and where it changes its answer, many times."""
    known = dict(zip(boards, answers(sandbox, name, boards, 2), strict=True))
    if any(map(_changes, known.values())):  # then it may have answered alike by chance
        alike = [board for board, answer in known.items() if isinstance(answer, list) and not _changes(answer)]
        known |= dict(zip(alike, answers(sandbox, name, alike, ONCE_MORE), strict=True))
    unsure = [board for board, answer in known.items() if _changes(answer)]
    return known | dict(zip(unsure, answers(sandbox, name, unsure, SAMPLES), strict=True))


def _changes(answer: list[Policy] | str) -> bool:
    return isinstance(answer, list) and any(policy != answer[0] for policy in answer)


def _mean(policies: Sequence[Policy]) -> Policy:
    cells = dict.fromkeys(cell for policy in policies for cell in policy)
    return {cell: sum(policy.get(cell, 0) for policy in policies) / len(policies) for cell in cells}


def ready(file: Path, level: str, opened: ExitStack) -> Sandbox:
    """The player in a file, in a sandbox of its own. Raises `GradingError` if it can't play at all."""
    if not file.is_file():
        raise GradingError(f"{file}: there is no such player and no such file. The players: {', '.join(PLAYERS)}.")
    (submission, *_) = collected(file, FUNCTION).submissions
    if submission.cells is None or not defines(submission.cells, FUNCTION):
        why = (
            " ".join(submission.notes) if submission.cells is None else f"it must define a function {FUNCTION}(board)."
        )
        raise GradingError(f"{file} has no player: {why}")
    sandbox = opened.enter_context(sandboxed(level, PLAYER, {"cells": submission.cells, "function": FUNCTION}))
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
