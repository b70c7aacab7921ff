"""Who plays whom, what is still to be played, and the record of it all."""

from __future__ import annotations

import pickle
from collections import Counter
from collections.abc import Generator, Iterable, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import closing
from dataclasses import replace
from itertools import combinations
from pathlib import Path

from ttt.arena import START, Result
from ttt.board import Board
from ttt.players import AnyPlayer, Player, as_player
from ttt.pools import FailedTask, WorkerPool, each
from ttt.progress import progress
from ttt.store import Key, Row, Table
from ttt.tournament.games import (
    COLUMNS,
    KEY,
    LATE,
    MAY_CHANGE,
    MOST_LATE,
    BadTournament,
    Entrant,
    RemotePlayer,
    Task,
    name_in_rows,
)
from ttt.tournament.record import Loss, Pairing, Tournament

GAMES = 100


def tournament(
    players: Iterable[AnyPlayer | RemotePlayer],
    games: int = GAMES,
    board: Board = START,
    seed: int = 0,
    out: Path | str | None = None,
    executor: WorkerPool | Executor | None = None,
) -> Tournament:
    """Everybody against everybody, as X and as O.

    On 3×3, results between policies are exact. Otherwise games are played; a player that breaks one (by a crash, an
    illegal move, or no move in time) loses it, and a remote player that ran out of time in three games forfeits the
    rest. The same seed gives the same results with any number of workers, unless players use chance of their own.

    Args:
        players: players, registered names, functions from a board to a cell, and remote players.
        games: how many for each pair of players, half of them with either as X.
        board: where all games start.
        seed: the seed of all chance. A remote player that knew it could predict its opponents.
        out: a CSV file for the games. Each is kept in a store next to it (`games.db` next to `games.csv`), and what is
            in the store is not played again, except for games of functions, which may have changed.
        executor: what runs the games, such as a `ProcessPoolExecutor` or a `pools.WorkerPool`; by default this process.

    Raises `BadTournament`, `UnknownPlayer` for a name that is not registered, and `StoreError`.
    """
    entrants = _entrants(players)
    _check(games, board, entrants, executor)
    pairs = _pairs(entrants, games, board, seed)
    with Table(Path(out) if out else None, COLUMNS, KEY, ("x", "o", "reason")) as table:
        table.rows = {key: row for key, row in table.rows.items() if not _may_have_changed(row)}
        while tasks := _standing(pairs, table.rows)[1]:
            with closing(_played(tasks, executor)) as found:
                for row in progress(found, "results", len(tasks)):
                    table.keep(row)
        table.rows |= _standing(pairs, table.rows)[0]
    return _record(pairs, table.rows, board, games, seed)


# ------------------------------------------------------------------------------------------------- who plays whom


def _entrants(players: Iterable[AnyPlayer | RemotePlayer]) -> list[Entrant]:
    """The players, with names that tell them apart."""
    entrants = [one if isinstance(one, RemotePlayer) else as_player(one) for one in players]
    twice = [name for name, times in Counter(one.name for one in entrants).items() if times > 1]
    if twice:
        raise BadTournament(f"Two players are called {twice[0]!r}: give each a different name.")
    if len(entrants) < 2:
        raise BadTournament("A tournament needs at least two players.")
    return entrants


def _check(games: int, board: Board, entrants: Sequence[Entrant], executor: WorkerPool | Executor | None) -> None:
    if games < 2:
        raise BadTournament(f"Each pair of players needs at least 2 games, one from either side, not {games}.")
    if board.over:
        raise BadTournament("The game is over on this board: there is nothing to play.")
    elsewhere = [one.name for one in entrants if isinstance(one, Player) and not one.plays_on(board)]
    if elsewhere:
        shape = "×".join(map(str, board.shape))
        raise BadTournament(f"{' and '.join(elsewhere)} can't play on {shape} with {board.k} in a row.")
    if executor is None or (isinstance(executor, WorkerPool) and executor.far):
        return
    for one in entrants:
        try:
            pickle.dumps(one)
        except Exception:
            raise BadTournament(
                f"{one.name} can't be sent to another process: define it in a module, or use one worker."
            ) from None


def _pairs(entrants: Sequence[Entrant], games: int, board: Board, seed: int) -> list[Task]:
    """All games: a task for each pair of players, in either order. The sides alternate from game to game."""
    tasks = []
    for one, other in combinations(entrants, 2):
        for first, (x, o) in enumerate(((one, other), (other, one))):
            names, numbers = (name_in_rows(x), name_in_rows(o)), tuple(range(first, games, 2))
            tasks.append(Task(x, o, names, board, seed, numbers))
    return tasks


# ------------------------------------------------------------------------------------------------- what is to be played


def _may_have_changed(row: Row) -> bool:
    return row["x"].endswith(MAY_CHANGE) or row["o"].endswith(MAY_CHANGE)


def _standing(pairs: Iterable[Task], rows: Mapping[Key, Row]) -> tuple[dict[Key, Row], list[Task]]:
    """The games that are forfeited, and those still to be played.

    Games count by number, not in the order in which workers finish them: whatever was played of a remote player's games
    after the third in which it ran out of time is ignored, so nobody's result depends on the workers.
    """
    forfeited, tasks = dict[Key, Row](), list[Task]()
    late = Counter[str]()
    for pair in pairs:
        if pair.exact_key in rows:
            continue
        left = []
        for number in pair.numbers:
            key = pair.key(number)
            slow = [side for side, name in zip("XO", pair.names, strict=True) if late[name] >= MOST_LATE]
            if slow:
                forfeited[key] = pair.forfeit(number, slow[0])
            elif key in rows:
                late[_late_player(rows[key])] += 1
            else:
                left.append(number)
        if pair.may_be_exact and left:
            tasks.append(replace(pair, numbers=tuple(left)))
        else:
            tasks += [replace(pair, numbers=(number,)) for number in left]
    return forfeited, tasks


def _late_player(row: Row) -> str:
    """The name in the row of the player that ran out of time; "" if neither did."""
    return row[row["lost_by"].lower()] if LATE in row["reason"] and row["lost_by"] else ""


def _played(tasks: Sequence[Task], pool: WorkerPool | Executor | None) -> Generator[Row, None, None]:
    """The rows of the tasks as they come, without further games of players that ran out of time too often.

    Raises `BadTournament` for a game that kills its worker.
    """
    late = Counter[str]()
    wanted = (task for task in tasks if all(late[name] < MOST_LATE for name in task.names))
    with closing(each(Task.rows, wanted, pool)) as found:
        for task, rows in found:
            if isinstance(rows, FailedTask):
                raise BadTournament(f"{' against '.join(task.names)} can't be played: {rows.why}.")
            late.update(map(_late_player, rows))
            yield from rows


# ------------------------------------------------------------------------------------------------- what came out


def _record(pairs: Sequence[Task], rows: Mapping[Key, Row], board: Board, games: int, seed: int) -> Tournament:
    """The record of everything that was played."""
    pairings, losses = list[Pairing](), list[Loss]()
    for pair in pairs:
        x, o = pair.x.name, pair.o.name
        known = rows.get(pair.exact_key)
        played = [known] if known else [rows[pair.key(number)] for number in pair.numbers]
        shares = (sum(float(row[end]) for row in played) / len(played) for end in ("x_wins", "draws", "o_wins"))
        pairings.append(Pairing(Result(x, o, *shares), len(pair.numbers), known is not None))
        losses += [_loss(row, x, o) for row in played if row["reason"]]
    return Tournament(board, games, seed, tuple(pairings), tuple(losses))


def _loss(row: Row, x: str, o: str) -> Loss:
    loser, other = (x, o) if row["lost_by"] == "X" else (o, x)
    return Loss(loser, other, row["lost_by"], int(row["number"]), row["reason"])
