"""A search for each position, depth and setting, as a row of a table; the CSV file of a sweep is its store."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Executor
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from itertools import product
from operator import index, itemgetter
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from timeit import repeat
from typing import TYPE_CHECKING, Any

from ttt import qubic
from ttt.board import Board
from ttt.heuristics import Heuristic, LineWeights
from ttt.runtime.jobs import each, workers
from ttt.runtime.progress import progress
from ttt.search import alphabeta, mcts, minimax, negamax
from ttt.search.record import Search
from ttt.statistics.functions import digest, function_from, name_of, require_sendable

if TYPE_CHECKING:
    from pandas import DataFrame

POSITION = ("shape", "k", "board", "marks")
SWITCHES = ("killer", "table", "symmetry", "deepening", "pvs")
SETTING = ("heuristic", "setting", "method", "order", *SWITCHES, "playouts", "seed", "depth")
LISTS = ("best_moves", "moves", "move_values", "principal_variation", "nodes_per_ply", "cutoffs_by_move")
FOUND = ("player", "value", "move", *LISTS[:4], "nodes", "interior", "leaves", "cutoffs", *LISTS[4:])
COLUMNS = (*POSITION, *SETTING, *FOUND, "seconds", "times", "fast", "source")
KEY = ("shape", "k", "board", "heuristic", "setting", "depth", "playouts", "seed")  # tells a row from all others
CATEGORIES = ("heuristic", "setting", "method", "order")
WHOLE = ("k", "marks", "playouts", "seed", "depth", "move", "nodes", "interior", "leaves", "cutoffs", "times")
TYPES = dict.fromkeys(COLUMNS, "str") | dict.fromkeys(WHOLE, "Int64")
TYPES |= dict.fromkeys((*SWITCHES, "fast"), "boolean") | dict.fromkeys(("value", "seconds"), "float64")
OPTIONS: dict[Any, dict[str, Any]] = {  # of the methods that have some, with what they are unless given
    "alphabeta": {"order": "row-major", **dict.fromkeys(SWITCHES, False)},
    "mcts": {"playouts": 1000, "seed": 0},
}

Method = str | Callable[..., Any]
Row = dict[str, str]
Key = tuple[str, ...]

_key: Callable[[Row], Key] = itemgetter(*KEY)


def _mcts(board: Board, depth: None, heuristic: None, *, fast: bool, playouts: int, seed: int) -> Search:
    return mcts(board, playouts, rng=Random(seed))


def _qubic(board: Board, depth: int | None, heuristic: Heuristic, *, fast: bool) -> Search:
    return qubic.search(board, len(board.moves) if depth is None else depth)


METHODS: dict[Any, Callable[..., Search]] = {
    "alphabeta": alphabeta,
    "minimax": minimax,
    "negamax": negamax,
    "mcts": _mcts,
    "qubic": _qubic,
}
HEURISTICS: dict[Any, Heuristic | None] = {"mcts": None, "qubic": LineWeights(0, 1, 10, 100)}  # for whatever is asked


@dataclass(frozen=True)
class Task:
    """One search: the columns that say what is searched, how to do it, and how often, to measure the time."""

    asked: Row
    search: Callable[[], Search | float]
    times: int

    def __str__(self) -> str:
        return ", ".join(filter(None, _key(self.asked)))

    def row(self) -> Row:
        """Search, and write down what was found. Raises `ValueError` where the package is another version."""
        if not self.asked["source"].startswith(digest()):
            raise ValueError("The workers have another version of ttt: install this one there.")
        found = self.search()
        row: dict[str, Any] = {"value": found}
        if isinstance(found, Search):
            row = {name: getattr(found, name, None) for name in FOUND}
            row |= {"moves": [*found.values], "move_values": [*found.values.values()]}
        if self.times:
            row |= {"seconds": min(repeat(self.search, number=1, repeat=self.times)), "times": self.times}
        return self.asked | _texts(row)

    def accepts(self, row: Row) -> bool:
        """Whether a row was found by the same source, and timed at least as well as this one is to be."""
        timed = int(row["times"] or 0) >= self.times and row["fast"] == self.asked["fast"]
        return row["source"] == self.asked["source"] and (timed or not self.times)


def _texts(values: Mapping[str, Any]) -> Row:
    """The fields of the file; a list as JSON, which `read` makes a list again."""
    texts = {name: json.dumps(value) if isinstance(value, tuple | list) else value for name, value in values.items()}
    return {name: "" if value is None else str(value) for name, value in texts.items()}


def sweep(
    boards: Board | Iterable[Board],
    depth: int | Iterable[int] | None = None,
    *,
    method: Method | list[Method] = "alphabeta",
    heuristic: Heuristic | str | list[Heuristic | str | None] | None = None,
    out: Path | str | None = None,
    n_jobs: int = 1,
    executor: Executor | None = None,
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
    """
    methods: Any = [function_from(one) if isinstance(one, str) and ":" in one else one for one in _several(method)]
    heuristics: Any = [function_from(one) if isinstance(one, str) else one for one in _several(heuristic)]
    positions = [boards] if isinstance(boards, Board) else boards
    settings = list(_settings(methods, heuristics, options))
    plan = _plan(product(positions, settings, _several(depth)), fast, times)
    started: Any = nullcontext([executor] if executor else [])
    if n_jobs > 1 and not executor:
        require_sendable([*methods, *heuristics])
        started = workers(n_jobs)
    with TemporaryDirectory() as folder:
        file = Path(out or Path(folder, "rows.csv"))
        stored = _stored(file, plan)
        missing = [key for key in plan if key not in stored]
        tasks = [plan[key] for key in missing]
        with file.open("a", encoding="utf-8", newline="") as opened, started as executors:
            lines = csv.DictWriter(opened, COLUMNS, lineterminator="\n")
            for row in progress(each(Task.row, tasks, executors), "searches", len(tasks)):
                lines.writerow(row)
                opened.flush()
        places = {key: place for place, key in enumerate([*stored, *missing])}
        return read(file).iloc[[places[key] for key in plan]].reset_index(drop=True)


def read(file: Path | str) -> DataFrame:
    """The rows of a file that a sweep has written: lists as lists, settings as ordered categories, `<NA>` for no entry.

    Raises `OSError`, and `ValueError` for another file.
    """
    import pandas

    lists: Any = dict.fromkeys(LISTS, lambda text: json.loads(text) if text else [])
    types: Any = {name: TYPES[name] for name in COLUMNS if name not in LISTS}
    frame = pandas.read_csv(file, dtype=types, converters=lists, keep_default_na=False, na_values=[""])
    if tuple(frame) != COLUMNS:
        raise ValueError(f"{file} has other columns than a sweep's file: another program or version has written it.")
    for column in CATEGORIES:
        frame[column] = pandas.Categorical(frame[column], frame[column].dropna().unique(), ordered=True)
    return frame


def board_of(row: Any) -> Board:
    """The board of a row of a sweep's table: `board_of(frame.loc[0])`."""
    return Board.from_text(row["board"], tuple(map(int, row["shape"].split("x"))), int(row["k"]))


def _stored(file: Path, plan: Mapping[Key, Task]) -> list[Key]:
    """Rid a file of a torn line and of rows that are to be searched again; the keys of the others, in its order."""
    file.parent.mkdir(parents=True, exist_ok=True)
    text = file.read_text("utf-8") if file.exists() else ""
    header, whole = f"{','.join(COLUMNS)}\n", text[: text.rfind("\n") + 1]
    if not (whole.startswith(header) if whole else header.startswith(text)):
        raise ValueError(f"{file} has other columns than a sweep's file: choose another name.")
    rows = {_key(row): row for row in csv.DictReader(io.StringIO(whole))}
    valid = {key: row for key, row in rows.items() if key not in plan or plan[key].accepts(row)}
    if len(valid) < len(rows):
        print(f"{len(rows) - len(valid):,} rows of {file} are searched again: what they were found with has changed.")
    part = file.with_name(f"{file.name}.part")  # so that the file is never half written
    with part.open("w", encoding="utf-8", newline="") as opened:
        opened.write(header)
        csv.DictWriter(opened, COLUMNS, lineterminator="\n").writerows(valid.values())
    part.replace(file)
    return list(valid)


def _plan(asked: Iterable[tuple[Board, Any, int | None]], fast: bool, times: int) -> dict[Key, Task]:
    """All searches by their keys, each once. Raises `ValueError`."""
    plan: dict[Key, Task] = {}
    shortened = 0
    for board, (method, heuristic, chosen, columns), plies in asked:
        depth = None if plies is None or method == "mcts" else min(index(plies), len(board.moves))
        shortened += depth is not None and depth != plies
        row = columns | {
            "shape": "x".join(map(str, board.shape)),
            "k": board.k,
            # A spreadsheet takes what begins with a dash for a formula.
            "board": f"\n{board}".replace(" ", "").replace("\n", "/"),
            "marks": len(board) - len(board.moves),
            "depth": depth,
            "fast": fast,
        }
        search: Any = METHODS.get(method, method)
        keywords = chosen | {"fast": fast} if method in METHODS else {}
        texts = dict.fromkeys(COLUMNS, "") | _texts(row)
        plan.setdefault(_key(texts), Task(texts, partial(search, board, depth, heuristic, **keywords), times))
    if not plan:
        raise ValueError("There is nothing to search: give at least one board.")
    if shortened:
        print(f"{shortened:,} searches were shortened: their boards have fewer free cells than the depth.")
    return plan


def _settings(methods: list[Any], heuristics: list[Any], options: Mapping[str, Any]) -> Iterator[Any]:
    """All ways to search: a method, a heuristic, options and the columns of a row. Raises `ValueError`."""
    known = {name for method in methods for name in OPTIONS.get(method, {})}
    if unknown := sorted({*options} - known):
        raise ValueError(f"There is no option {unknown[0]!r}; there is {', '.join(known) or 'none for this method'}.")
    for functions in (set(methods), set(heuristics)):
        if len(functions) > len(names := set(map(name_of, functions))):
            raise ValueError(f"Two functions have one name among {', '.join(names)}: rename one of them.")
    for method in methods:
        if not callable(method) and method not in METHODS:
            raise ValueError(f"There is no method {method!r}: choose {', '.join(METHODS)}, or a function of your own.")
        swept = {name: _several(options.get(name, usual)) for name, usual in OPTIONS.get(method, {}).items()}
        judged_by = [HEURISTICS[method]] if method in HEURISTICS else heuristics
        for heuristic, *values in product(judged_by, *swept.values()):
            chosen = dict(zip(swept, values, strict=True))
            columns = {"heuristic": name_of(heuristic), "source": digest(heuristic, method), "method": name_of(method)}
            order = chosen.get("order", "row-major")
            words = [name_of(method), *([] if order == "row-major" else [order]), *filter(chosen.get, SWITCHES)]
            yield method, heuristic, chosen, columns | chosen | {"setting": ", ".join(words)}


def _several(value: Any) -> list[Any]:
    """One value as a list; what holds several, as the list of them."""
    one = value is None or isinstance(value, str) or callable(value) or not isinstance(value, Iterable)
    return [value] if one else list(value)
