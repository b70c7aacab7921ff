"""A search for each position, depth and setting, as a row of a table; the CSV file of a sweep is its store."""

from __future__ import annotations

import csv
import io
import json
import pickle
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import product
from operator import index
from pathlib import Path
from random import Random
from time import perf_counter
from typing import IO, TYPE_CHECKING, Any

from ttt import qubic
from ttt.board import Board
from ttt.heuristics import Heuristic
from ttt.jobs import each, workers
from ttt.progress import progress
from ttt.record import Search
from ttt.search import alphabeta, mcts, minimax, negamax
from ttt.statistics.functions import digest, function_from, name_of

if TYPE_CHECKING:
    from pandas import DataFrame

POSITION = ("shape", "k", "board", "marks")
SWITCHES = ("killer", "table", "symmetry", "deepening", "pvs")
OPTIONS: dict[str, dict[str, Any]] = {  # of each method, with what they are unless given
    "alphabeta": {"order": "row-major", **dict.fromkeys(SWITCHES, False)},
    "minimax": {},
    "negamax": {},
    "mcts": {"playouts": 1000, "seed": 0},
    "qubic": {},
}
SETTING = ("heuristic", "setting", "method", "order", *SWITCHES, "playouts", "seed", "depth")
LISTS = ("best_moves", "moves", "move_values", "principal_variation", "nodes_per_ply", "cutoffs_by_move")
FOUND = ("player", "value", "move", *LISTS[:4], "nodes", "interior", "leaves", "cutoffs", *LISTS[4:])
COLUMNS = (*POSITION, *SETTING, *FOUND, "seconds", "times", "fast", "source")
KEY = ("shape", "k", "board", "heuristic", "setting", "depth", "playouts", "seed")
CATEGORIES = ("heuristic", "setting", "method", "order")
WHOLE = ("k", "marks", "playouts", "seed", "depth", "move", "nodes", "interior", "leaves", "cutoffs", "times")
TYPES = {
    **dict.fromkeys(WHOLE, "Int64"),
    **dict.fromkeys((*SWITCHES, "fast"), "boolean"),
    **dict.fromkeys(("value", "seconds"), "float64"),
}

HEADER = f"{','.join(COLUMNS)}\n"

Method = str | Callable[..., Any]
Setting = tuple[Method, Heuristic | None, tuple[tuple[str, Any], ...]]
Row = dict[str, str]
Key = tuple[str, ...]


@dataclass(frozen=True)
class Task:
    """One search: a position, how to search it, and how often to measure the time."""

    board: Board
    depth: int | None
    method: Method
    heuristic: Heuristic | None
    options: tuple[tuple[str, Any], ...]
    fast: bool
    times: int
    source: str  # a digest of what the row depends on: the package's searches, and functions of your own

    def asked(self) -> Row:
        """The columns that say what is searched, and how."""
        board, options = self.board, dict(self.options)
        heuristic = "LineWeights(0, 1, 10, 100)" if self.method == "qubic" else name_of(self.heuristic)
        row = {
            "shape": "x".join(map(str, board.shape)),
            "k": board.k,
            "board": "/"
            + str(board).replace(" ", "").replace("\n", "/"),  # with a dash, a spreadsheet's formula begins
            "marks": len(board) - len(board.moves),
            "heuristic": heuristic,
            "setting": self.setting,
            "method": self.name,
            "depth": self.depth,
            **options,
        }
        return {name: _text(value) for name, value in row.items()}

    @property
    def name(self) -> str:
        """The name of the method."""
        return self.method if isinstance(self.method, str) else name_of(self.method)

    @property
    def setting(self) -> str:
        """The method and the options that are switched on: "alphabeta, best-gain, table"."""
        switched = [name for name in SWITCHES if dict(self.options).get(name)]
        order = dict(self.options).get("order", "row-major")
        return ", ".join([self.name, *([] if order == "row-major" else [order]), *switched])

    @property
    def key(self) -> Key:
        """What tells a row from all others."""
        asked = self.asked()
        return tuple(asked.get(name, "") for name in KEY)

    def __str__(self) -> str:
        return ", ".join(filter(None, self.key))

    def search(self) -> Search | float:
        """Search the position once."""
        options: dict[str, Any] = dict(self.options)
        if self.method == "mcts":
            return mcts(self.board, options["playouts"], rng=Random(options["seed"]))
        if self.method == "qubic":
            return qubic.search(self.board, len(self.board.moves) if self.depth is None else self.depth)
        if callable(self.method):
            answer: Search | float = self.method(self.board, self.depth, self.heuristic)
            return answer
        searches: dict[str, Callable[..., Search]] = {"alphabeta": alphabeta, "minimax": minimax, "negamax": negamax}
        return searches[self.method](self.board, self.depth, self.heuristic, **options, fast=self.fast)

    def row(self) -> Row:
        """Search, and write down what was found as text. Raises `ValueError` where the package is another version."""
        if not self.source.startswith(digest()):
            raise ValueError("The workers have another version of ttt: install this one there.")
        seconds = []
        for _ in range(self.times or 1):
            start = perf_counter()
            found = self.search()
            seconds.append(perf_counter() - start)
        row = self.asked() | _found(found) | {"fast": _text(self.fast), "source": self.source}
        if self.times:
            row |= {"seconds": _text(min(seconds)), "times": _text(self.times)}
        return {name: row.get(name, "") for name in COLUMNS}

    def accepts(self, row: Row) -> bool:
        """Whether a row was found by the same source, and timed at least as well as this one is to be."""
        timed = row["times"] and int(row["times"]) >= self.times and row["fast"] == _text(self.fast)
        return row["source"] == self.source and bool(timed or not self.times)


def _found(found: Search | float) -> Row:
    if not isinstance(found, Search):
        return {"value": _text(found)}
    row = {name: getattr(found, name) for name in FOUND if name != "moves"}
    row |= {"moves": [cell for cell, _ in found.move_values], "move_values": [worth for _, worth in found.move_values]}
    return {name: _text(value) for name, value in row.items()}


def _text(value: Any) -> str:
    """A field of the file; a list as JSON, which `read` makes a list again."""
    if isinstance(value, tuple | list):
        return json.dumps(value)
    return "" if value is None else str(value)


def sweep(
    boards: Board | Iterable[Board],
    depth: int | Iterable[int] | None = None,
    *,
    method: Method | list[Method] = "alphabeta",
    heuristic: Heuristic | str | list[Heuristic | str | None] | None = None,
    out: Path | str | None = None,
    n_jobs: int = 1,
    executor: Executor | Sequence[Executor] | None = None,
    times: int = 0,
    fast: bool = False,
    **options: Any,
) -> DataFrame:
    """Search every position to every depth in every way: a table with a row for each search.

    A list is swept: each of its values is combined with each of the others. For other unions, `pandas.concat` sweeps.

    Args:
        boards: one or many.
        depth: in plies; to the end of the game unless given. On a board with fewer free cells, the search ends there.
        method: "alphabeta", "minimax", "negamax", "mcts", "qubic" (the 4×4×4 engine), or a function of your own, called
            with a board, a depth and a heuristic, which returns a value or a `Search`.
        heuristic: a function, or its name: "open-lines", "LineWeights(0, 1, 3, 9)", "mine.py:corners".
        out: a CSV file. Each row is written as soon as it is found, and what is there is not searched again, unless
            the source of the searches or of your functions has changed.
        n_jobs: how many processes to use.
        executor: any `concurrent.futures.Executor` in their place, such as dask's `Client().get_executor()`.
        times: how often to run each search, for the seconds of the quickest run.
        fast: whether to use the compiled engine where it can search the same tree.
        options: those of alpha-beta (order, killer, table, symmetry, deepening, pvs) and of mcts (playouts, seed).

    Returns the rows of this sweep, as `read` does. Raises `ValueError`, `OSError`, `jobs.WorkerDied`, and what the
    searches raise.

    >>> sweep(Board(), [3, 4], table=[False, True])[["setting", "depth", "nodes"]]
                setting  depth  nodes
    0         alphabeta      3     96
    1         alphabeta      4    206
    2  alphabeta, table      3     96
    3  alphabeta, table      4    178
    """
    plan = _plan(boards, depth, _settings(method, heuristic, options), fast, times)
    with _store(out, plan) as (file, rows):
        missing = [task for key, task in plan.items() if key not in rows]
        with _executors(n_jobs, executor, missing) as executors:
            _search(missing, executors, file, rows)
        file.seek(0)
        places = {key: place for place, key in enumerate(rows)}
        return read(file).iloc[[places[key] for key in plan]].reset_index(drop=True)


@contextmanager
def _executors(n_jobs: int, given: Any, tasks: Sequence[Task]) -> Iterator[Sequence[Executor]]:
    """What runs the searches: the caller's executors, processes, or nothing, for this process."""
    if given or n_jobs == 1 or not tasks:
        yield [given] if isinstance(given, Executor) else given or []
        return
    _require_sendable(tasks)
    with workers(n_jobs) as processes:
        yield processes


def _search(tasks: Sequence[Task], executors: Sequence[Executor], file: IO[str], rows: dict[Key, Row]) -> None:
    """Search, and write each row at the end of the file, in the order of the tasks."""
    lines = csv.DictWriter(file, COLUMNS, lineterminator="\n")
    found = each(Task.row, tasks, executors)
    for task, row in zip(tasks, progress(found, "searches", len(tasks)), strict=True):
        lines.writerow(row)
        file.flush()
        rows[task.key] = row


def read(file: Path | str | IO[str]) -> DataFrame:
    """The rows of a file that a sweep has written: lists as lists, settings as ordered categories, `<NA>` for no entry.

    Raises `OSError`, and `ValueError` for another file.
    """
    import pandas

    lists: Any = dict.fromkeys(LISTS, lambda text: json.loads(text) if text else [])
    types: Any = dict.fromkeys(set(COLUMNS) - set(LISTS) - set(TYPES), str) | TYPES
    frame = pandas.read_csv(file, dtype=types, converters=lists, keep_default_na=False, na_values=[""])
    if tuple(frame) != COLUMNS:
        raise ValueError(f"{file} has other columns than a sweep's file: another program or version has written it.")
    for column in CATEGORIES:
        frame[column] = pandas.Categorical(frame[column], frame[column].dropna().unique(), ordered=True)
    return frame


def board_of(row: Any) -> Board:
    """The board of a row of a sweep's table: `board_of(frame.loc[0])`."""
    return Board.from_text(row["board"], tuple(map(int, row["shape"].split("x"))), int(row["k"]))


def _settings(method: Any, heuristic: Any, options: dict[str, Any]) -> Iterator[Setting]:
    """All ways to search that the arguments of `sweep` ask for. Raises `ValueError`."""
    methods = [_method(one) for one in _several(method)]
    heuristics = [function_from(one) if isinstance(one, str) else one for one in _several(heuristic)]
    known = {name for one in methods for name in _options_of(one)}
    for name in options:
        if name not in known:
            raise ValueError(f"There is no option {name!r}; there is {', '.join(known) or 'none for this method'}.")
    for one in methods:
        chosen = {name: _several(options.get(name, usual)) for name, usual in _options_of(one).items()}
        judges = [None] if one in ("mcts", "qubic") else heuristics
        for judge, values in product(judges, product(*chosen.values())):
            yield one, judge, tuple(zip(chosen, values, strict=True))


def _plan(
    boards: Board | Iterable[Board], depth: Any, settings: Iterable[Setting], fast: bool, times: int
) -> dict[Key, Task]:
    """All searches by their keys, each once. Raises `ValueError`."""
    boards = [boards] if isinstance(boards, Board) else list(boards)
    plan: dict[Key, Task] = {}
    shortened = 0
    for board, (method, heuristic, options), plies in product(boards, list(settings), _several(depth)):
        searched = None if plies is None or method == "mcts" else min(index(plies), len(board.moves))
        if searched is not None and searched < plies:
            shortened += 1
        source = digest(heuristic, None if isinstance(method, str) else method)
        task = Task(board, searched, method, heuristic, options, fast, times, source)
        if plan.setdefault(task.key, task) != task:
            raise ValueError(f"Two functions have one name in {task}: rename one of them.")
    if not plan:
        raise ValueError("There is nothing to search: give at least one board.")
    if shortened:
        print(f"{shortened:,} searches were shortened: their boards have fewer free cells than the depth.")
    return plan


def _several(value: Any) -> list[Any]:
    """One value as a list; what holds several, as the list of them."""
    one = value is None or isinstance(value, str) or callable(value) or not isinstance(value, Iterable)
    return [value] if one else list(value)


def _method(method: Any) -> Method:
    if isinstance(method, str) and ":" in method:
        method = function_from(method)
    if not callable(method) and method not in OPTIONS:
        raise ValueError(f"There is no method {method!r}: choose {', '.join(OPTIONS)}, or a function of your own.")
    found: Method = method
    return found


def _options_of(method: Method) -> dict[str, Any]:
    return OPTIONS[method] if isinstance(method, str) else {}


def _require_sendable(tasks: Iterable[Task]) -> None:
    """Raises `ValueError` if other processes can't import a function of yours, such as one in a notebook."""
    functions: set[Any] = {task.heuristic for task in tasks} | {task.method for task in tasks}
    for function in functions:
        in_notebook = getattr(function, "__module__", "") == "__main__" and not hasattr(
            sys.modules["__main__"], "__file__"
        )
        try:
            pickle.dumps(function)
        except (pickle.PicklingError, AttributeError, TypeError):
            in_notebook = True
        if in_notebook:
            raise ValueError(
                f"{name_of(function)} can't be sent to other processes: define it in a file, or use n_jobs=1."
            )


# ------------------------------------------------------------------------------------------------- the store


@contextmanager
def _store(out: Path | str | None, plan: Mapping[Key, Task]) -> Iterator[tuple[IO[str], dict[Key, Row]]]:
    """The file for the rows, and the rows that it has already, by their keys."""
    if out is None:
        file = io.StringIO()
        file.write(HEADER)
        yield file, {}
        return
    path = Path(out)
    path.parent.mkdir(parents=True, exist_ok=True)
    text = path.read_text("utf-8") if path.exists() else ""
    whole = text[: text.rfind("\n") + 1]  # a torn line is cut off
    if not (whole or HEADER).startswith(HEADER) or not (HEADER.startswith(text) or whole):
        raise ValueError(f"{path} has other columns than a sweep's file: choose another name.")
    rows = {tuple(row[name] for name in KEY): row for row in csv.DictReader(io.StringIO(whole))}
    valid = {key: row for key, row in rows.items() if key not in plan or plan[key].accepts(row)}
    if len(valid) < len(rows):
        print(f"{len(rows) - len(valid):,} rows of {path} are searched again: what they were found with has changed.")
    if not whole or len(valid) < len(rows) or len(whole) < len(text):
        _write_whole(path, valid)
    with path.open("a+", encoding="utf-8", newline="") as opened:
        yield opened, valid


def _write_whole(path: Path, rows: Mapping[Key, Row]) -> None:
    """Replace the file at once, so that it is never half written."""
    part = path.with_name(f"{path.name}.part")
    with part.open("w", encoding="utf-8", newline="") as file:
        file.write(HEADER)
        csv.DictWriter(file, COLUMNS, lineterminator="\n").writerows(rows.values())
    part.replace(path)
