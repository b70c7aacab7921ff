"""Sweeps: the searches of a grid, each kept as it is reached."""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Mapping
from concurrent.futures import Executor
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

from ttt.board import Board
from ttt.jobs import FailedTask, WorkerPool, each
from ttt.progress import progress
from ttt.record import plies_of
from ttt.statistics.heuristics import MAY_CHANGE, BadSweep, name_of
from ttt.statistics.settings import Setting, only, several, whole
from ttt.statistics.tables import COLUMNS, as_text, board_columns, frame_of_rows, row_of
from ttt.store import Key, Row, Table

if TYPE_CHECKING:
    from pandas import DataFrame

KEY = ("shape", "k", "board", "heuristic", "setting", "seed", "plies")  # what identifies a row that is kept


@dataclass(frozen=True)
class Task:
    """One search of a sweep.

    Args:
        board: the root.
        depth: in plies; 0 for Monte-Carlo tree search.
        setting: how to search.
        fast: whether to use the fast engine where possible. It searches the same tree, so it makes no other row.
        times: how often to search, to record the seconds of the fastest; 0 to record none.
    """

    board: Board
    depth: int
    setting: Setting
    fast: bool = False
    times: int = 0

    @cached_property
    def key(self) -> Key:
        """What identifies the row."""
        row = board_columns(self.board) | {
            "heuristic": self.setting.heuristic_name,
            "setting": str(self.setting),
            "seed": str(self.setting.seed) if self.setting.method == "mcts" else "",
            "plies": str(self.depth),
        }
        return tuple(row[name] for name in KEY)

    @property
    def made_from(self) -> Row:
        """What else the row depends on, which is kept in the store, though not in the file."""
        return {"version": self.setting.version, "times": str(self.times), "fast": as_text(self.fast)}

    def row(self) -> Row:
        """Search, and write down what was found as text."""
        seconds = []
        for _ in range(self.times or 1):
            start = perf_counter()
            found = self.setting.search(self.board, self.depth, self.fast)
            seconds.append(perf_counter() - start)
        row = row_of(found) | dict(zip(KEY, self.key, strict=True)) | self.made_from
        return row | {"seconds": as_text(min(seconds)) if self.times else ""}

    def is_valid(self, row: Row) -> bool:
        """Whether this row was made from the same source, and timed if this one is to be."""
        if row["version"] != self.setting.version or row["version"] == MAY_CHANGE:
            return False
        return self.times == 0 or (int(row["times"]) >= self.times and row["fast"] == as_text(self.fast))


def sweep(
    positions: Board | Iterable[Board],
    settings: Setting | Iterable[Setting],
    depths: int | Iterable[int] | None = None,
    *,
    out: Path | str | None = None,
    executor: WorkerPool | Executor | None = None,
    fast: bool = False,
    times: int = 0,
) -> DataFrame:
    """Search every position to every depth with every setting; a table with a row for each search.

    Args:
        positions: a board, or many; on a board with fewer free cells than a depth, all of them are searched.
        settings: how to search: `grid(...)`.
        depths: in plies; to the end of the game unless given. Monte-Carlo tree search has none.
        out: a CSV file for the rows. Each is kept at once in a store next to it (`rows.db` next to `rows.csv`): what is
            there, from this sweep or another one, is not searched again, unless the heuristic's file has changed since.
            What a function does may change at any time, so searches with one are always made again. The file is
            sorted: the same searches make the same file with any workers, except for seconds.
        executor: what runs the searches, such as a `ProcessPoolExecutor` or a `jobs.WorkerPool`; by default this
            process. Its waiting work is cancelled when the sweep is interrupted.
        fast: whether to use the fast engine where possible.
        times: how often to run each search, to record the seconds that the fastest run took. Unlike nodes, they don't
            carry over to another machine.

    The columns are `COLUMNS`: what was asked for, what was found, and what it cost, as in a `Search`. Lists are text:
    "4 0 8" for cells, "4=1 0=-1" for their values; see `per_ply` and `per_move`. A board is the text of its rows,
    "/X--/-O-/---", which `Board.from_text` reads. The depth of Monte-Carlo tree search is that of its tree.

    Returns the rows of this grid, in its order. Raises `BadSweep`, `StoreError`, `OSError` if the file can't be
    written, and what the searches raise.

    >>> from ttt.statistics import grid
    >>> sweep(Board(), grid("mcts", playouts=[10, 20]))["nodes"].tolist()
    [11, 21]
    """
    tasks = plan(positions, settings, depths, fast, times)
    if isinstance(executor, WorkerPool) and not executor.far:
        _check_can_be_sent(tasks)
    with Table(None if out is None else Path(out), COLUMNS, KEY, ("heuristic",)) as table:
        versions = {task.setting.heuristic_name: task.setting.version for task in tasks}
        table.forget([key for key, row in table.rows.items() if _is_stale(row, versions)])
        missing = [task for task in tasks if task.key not in table.rows or not task.is_valid(table.rows[task.key])]
        with closing(each(Task.row, missing, executor)) as found:
            for task, row in progress(found, "searches", len(missing)):
                if isinstance(row, FailedTask):
                    search = ", ".join(task.key)
                    raise BadSweep(f"The search {search} failed: {row.why}. Out of memory? Try fewer --workers.")
                table.keep(row)
    return frame_of_rows(table.rows[task.key] for task in tasks)


def plan(
    positions: Board | Iterable[Board],
    settings: Setting | Iterable[Setting],
    depths: int | Iterable[int] | None = None,
    fast: bool = False,
    times: int = 0,
) -> list[Task]:
    """The searches of a grid, each once; the arguments are those of `sweep`. Raises `BadSweep`."""
    plies = [None if depth is None else whole(depth, "depth") for depth in several(depths)]
    runs = whole(times, "times")
    boards = only(Board, positions, "Positions are boards")
    ways = only(Setting, settings, "Settings are what grid() returns")
    tasks: dict[Key, Task] = {}
    for board in boards:
        for setting in ways:
            setting.require(board)
            for depth in [0] if setting.method == "mcts" else plies:
                task = Task(board, plies_of(board, depth), setting, fast, runs)
                if tasks.setdefault(task.key, task) != task:
                    raise BadSweep(f"Two heuristics are called {setting.heuristic_name}: rename one of them.")
    if not tasks:
        raise BadSweep("There is nothing to search: give at least one position, one depth and one setting.")
    return list(tasks.values())


def _is_stale(row: Row, versions: Mapping[str, str]) -> bool:
    """Whether a row was found with another version of its heuristic, or one that may have changed."""
    current = versions.get(row["heuristic"], row["version"])
    return row["version"] != current or current == MAY_CHANGE


def _check_can_be_sent(tasks: Iterable[Task]) -> None:
    for heuristic in {task.setting.heuristic for task in tasks}:
        try:
            pickle.dumps(heuristic)
        except Exception:
            raise BadSweep(
                f"{name_of(heuristic)} can't be sent to another process: define it in a file, or use one worker."
            ) from None
