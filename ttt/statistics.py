"""What searches cost: one search for each position, depth and setting of a grid, as rows of a CSV file."""

from __future__ import annotations

import csv
from collections import Counter, defaultdict
from collections.abc import Iterable
from concurrent.futures import Executor
from contextlib import closing
from dataclasses import asdict, dataclass
from difflib import get_close_matches
from numbers import Integral
from pathlib import Path
from typing import Any

from ttt.board import Board
from ttt.heuristics import Heuristic
from ttt.jobs import FailedTask, WorkerPool, each
from ttt.progress import progress
from ttt.search import Search, alphabeta, minimax, negamax
from ttt.search.options import Options
from ttt.store import Key, Row, Table
from ttt.symmetry import canonical

KEY = ("shape", "k", "board", "heuristic", "method", "depth")  # what identifies a row
FOUND = ("player", "value", "move", "best_moves", "move_values", "principal_variation")
COST = ("nodes", "interior", "leaves", "cutoffs", "nodes_per_ply", "cutoffs_by_move", "playouts")
COLUMNS = (*KEY, *FOUND, *COST)

PLAIN = Options()
UNCUT = {"minimax": minimax, "negamax": negamax}
METHODS = ("alphabeta", *UNCUT)
CUBE = {  # positions on 4×4×4 with 6, 12 and 20 marks, which no order of moves finds easy
    "mid6": (0x10010000000080, 0x8800000000000010),
    "mid12": (0x4000001C8040, 0x516010000000000),
    "mid20": (0x300002040180C801, 0xC822008120420000),
}
MOST_CELLS = 12  # of boards whose positions can all be listed


class BadSweep(ValueError):
    """What was asked for is not a grid of searches; the message says what to do."""


@dataclass(frozen=True)
class Setting:
    """How to search.

    Args:
        method: "alphabeta", "minimax" or "negamax".
        options: what alpha-beta uses besides its window.
        heuristic: rates unfinished boards; None for 0. Worker processes need one that is defined in a module.
    """

    method: str = "alphabeta"
    options: Options = PLAIN
    heuristic: Heuristic | None = None

    def __post_init__(self) -> None:
        known(self.method, METHODS, "method")

    def search(self, board: Board, depth: int, fast: bool = False) -> Search:
        """Search a board to a depth. Raises `BadSearch`."""
        if self.method in UNCUT:
            return UNCUT[self.method](board, depth, self.heuristic, fast=fast)
        return alphabeta(board, depth, self.heuristic, **asdict(self.options), fast=fast)

    @property
    def heuristic_name(self) -> str:
        """The name of the heuristic."""
        return "none" if self.heuristic is None else getattr(self.heuristic, "__name__", "heuristic").replace("_", "-")

    def __str__(self) -> str:
        """The method in the words of the search's own record."""
        return self.method if self.method in UNCUT else str(self.options)


@dataclass(frozen=True)
class Task:
    """One search of a sweep."""

    board: Board
    depth: int
    setting: Setting
    fast: bool = False

    @property
    def key(self) -> Key:
        """What identifies the row. The fast engine searches the same tree, so it makes no other row."""
        shape = "x".join(map(str, self.board.shape))
        text = str(self.board).replace("\n", " / ")
        return shape, str(self.board.k), text, self.setting.heuristic_name, str(self.setting), str(self.depth)

    def row(self) -> Row:
        """Search, and write down what was found as text."""
        record = self.setting.search(self.board, self.depth, self.fast).record()
        return dict(zip(KEY, self.key, strict=True)) | {name: _as_text(record[name]) for name in (*FOUND, *COST)}


def sweep(
    positions: Iterable[Board],
    depths: Iterable[int],
    settings: Iterable[Setting],
    out: Path | str,
    executor: WorkerPool | Executor | None = None,
    fast: bool = False,
) -> list[Row]:
    """Search every position to every depth with every setting, and write the rows to a CSV file.

    Each row is kept at once in a store next to the file (`rows.db` next to `rows.csv`): what is there, from this sweep
    or another one, is not searched again. The file is sorted, so the same searches make the same file with any workers.

    Args:
        positions: the boards; on a board with fewer free cells than a depth, all of them are searched.
        depths: in plies.
        settings: how to search.
        out: the CSV file.
        executor: what runs the searches, such as a `ProcessPoolExecutor` or a `jobs.WorkerPool`; by default this
            process. Its waiting work is cancelled when the sweep is interrupted.
        fast: whether to use the fast engine where possible.

    Returns the rows of this grid, in its order. Raises `BadSweep`, `StoreError`, and what the searches raise.
    """
    tasks = plan(positions, depths, settings, fast)
    with Table(Path(out), COLUMNS, KEY) as table:
        missing = [task for task in tasks if task.key not in table.rows]
        with closing(each(Task.row, missing, executor)) as found:
            for task, row in progress(found, "searches", len(missing)):
                if isinstance(row, FailedTask):
                    search = ", ".join(task.key)
                    raise BadSweep(f"The search {search} failed: {row.why}. Out of memory? Try fewer --workers.")
                table.keep(row)
    return [table.rows[task.key] for task in tasks]


def plan(
    positions: Iterable[Board], depths: Iterable[int], settings: Iterable[Setting], fast: bool = False
) -> list[Task]:
    """The searches of a grid, each once. Raises `BadSweep`."""
    plies, ways = [_checked(depth) for depth in depths], list(settings)
    tasks = {}
    for board in positions:
        free = 0 if board.over else len(board.moves)
        for setting in ways:
            for depth in plies:
                task = Task(board, min(depth, free), setting, fast)
                tasks[task.key] = task
    if not tasks:
        raise BadSweep("There is nothing to search: give at least one position, one depth and one setting.")
    return list(tasks.values())


def every_position(board: Board) -> list[Board]:
    """Every unfinished position that games from a board can reach, one of each set of mirror images. Raises `BadSweep`.

    >>> len(every_position(Board()))
    627
    """
    if len(board) > MOST_CELLS:
        raise BadSweep(f"There are too many positions on {len(board)} cells; up to {MOST_CELLS} they can be listed.")
    found: list[Board] = []
    level = {canonical(board)} if not board.over else set()
    while level:
        found += sorted(level, key=lambda one: (one.x, one.o))
        after = (position.play(move) for position in level for move in position.moves)
        level = {canonical(position) for position in after if not position.over}
    return found


def read(path: Path) -> list[Row]:
    """The rows of a file that a sweep has written."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def totals(rows: Iterable[Row]) -> dict[str, Counter[str]]:
    """For each method the number of searches, their nodes, and the cutoffs, by all moves and by the first."""
    sums: dict[str, Counter[str]] = defaultdict(Counter)
    for row in rows:
        first = int((row["cutoffs_by_move"] or "0").split()[0])
        counts = {"searches": 1, "nodes": int(row["nodes"]), "cutoffs": int(row["cutoffs"]), "first": first}
        sums[row["method"]].update(counts)
    return dict(sums)


def known(name: str, names: Iterable[str], kind: str, more: str = "") -> str:
    """The name, if it is one of these. Raises `BadSweep`."""
    every = list(names)
    if name not in every:
        close = get_close_matches(name, every, n=1)
        hint = f" Did you mean {close[0]!r}?" if close else ""
        raise BadSweep(f"There is no {kind} {name!r}.{hint} There is {', '.join(every)}.{more}")
    return name


def _as_text(figure: Any) -> str:
    """A figure of a record without line ends: "4 0 8" for cells, "4:1 0:-1" for their values."""
    if isinstance(figure, tuple):
        return " ".join(":".join(map(_as_text, part)) if isinstance(part, tuple) else _as_text(part) for part in figure)
    if isinstance(figure, float) and figure.is_integer():
        return str(int(figure))
    return "" if figure is None else str(figure)


def _checked(depth: int) -> int:
    if not isinstance(depth, Integral) or depth < 0:
        raise BadSweep(f"A depth is a whole number of plies, 0 or more, not {depth!r}.")
    return int(depth)
