"""A search for each position, depth and setting, as a row of a table; the CSV file of a sweep is its store."""

from __future__ import annotations

import csv
import hashlib
import inspect
import json
import marshal
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Executor
from contextlib import nullcontext
from functools import cache, partial
from itertools import product
from operator import index, itemgetter
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from timeit import repeat
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any, NamedTuple

import ttt
from ttt.board import Board, require_board
from ttt.heuristics import Heuristic
from ttt.runtime.jobs import each, workers
from ttt.runtime.progress import progress
from ttt.search import alphabeta, mcts, minimax, negamax
from ttt.search.record import Search

if TYPE_CHECKING:
    from pandas import DataFrame

POSITION = ("shape", "k", "board", "marks")
SWITCHES = ("killer", "table", "symmetry", "deepening")
SETTING = ("heuristic", "setting", "method", "order", *SWITCHES, "playouts", "seed", "depth")
LISTS = ("best_moves", "moves", "move_values", "principal_variation", "nodes_per_ply", "cutoffs_by_move")
FOUND = ("player", "value", "move", *LISTS[:4], "nodes", "interior", "leaves", "cutoffs", *LISTS[4:])
COLUMNS = (*POSITION, *SETTING, *FOUND, "seconds", "times", "fast", "source")
CATEGORIES = ("heuristic", "setting", "method", "order")
WHOLE = ("k", "marks", "playouts", "seed", "depth", "move", "nodes", "interior", "leaves", "cutoffs", "times")
TYPES: Any = {name: "str" for name in COLUMNS if name not in LISTS} | dict.fromkeys(WHOLE, "Int64")
TYPES |= dict.fromkeys((*SWITCHES, "fast"), "boolean") | dict.fromkeys(("value", "seconds"), "float64")
SOURCES = ("board.py", "position.py", "heuristics.py", "symmetry.py", "search/*.py")  # of all searches
OPTIONS: dict[Any, dict[str, Any]] = {  # of the methods that have some, with what they are unless given
    "alphabeta": {"order": "row-major", **dict.fromkeys(SWITCHES, False)},
    "mcts": {"playouts": 1000, "seed": 0},
}

Row = dict[str, str]

key_of: Callable[[Row], tuple[str, ...]] = itemgetter("shape", "k", "board", *SETTING)  # tells a row from all others


def _mcts(board: Board, *_: None, fast: bool, playouts: int, seed: int) -> Search:
    return mcts(board, playouts, rng=Random(seed))


METHODS: dict[Any, Any] = {"alphabeta": alphabeta, "minimax": minimax, "negamax": negamax, "mcts": _mcts}


class Task(NamedTuple):
    """One search: the columns that say what is searched, how to do it, and how often, to measure the time."""

    asked: Row
    search: Callable[[], Search | float]
    times: int

    def __str__(self) -> str:
        return ", ".join(self.asked[name] for name in ("board", "heuristic", "setting", "depth") if self.asked[name])

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

    def found_in(self, row: Row) -> bool:
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
    method: str | Callable[..., Any] | list[Any] = "alphabeta",
    heuristic: Heuristic | list[Heuristic | None] | None = None,
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
        depth: in plies; to the end of the game unless given, or where fewer cells are free.
        method: "alphabeta", "minimax", "negamax", "mcts", or a function of (board, depth, heuristic) that gives a
            value or a `Search`.
        heuristic: a function of a board and a player, such as `open_lines`.
        out: a CSV file. A row that is there is not searched again while the searches and your functions stay the same.
        n_jobs, executor: how many processes to use, or any `concurrent.futures.Executor`, such as dask's.
        times: how often to run each search, for the seconds of the quickest run.
        fast: whether to search compiled what can be, which finds and counts the same.
        options: those of alpha-beta (order, killer, table, symmetry, deepening) and of mcts (playouts, seed).

    Returns the rows of this sweep, as `read` does. Raises `ValueError`, `OSError`, `jobs.WorkerDied`, and what the
    searches raise.
    """
    methods, heuristics = _several(method), _several(heuristic)
    settings = list(_settings(methods, heuristics, options, fast))
    plan = _plan(
        boards if isinstance(boards, Iterable) and not isinstance(boards, Board) else [boards],
        settings,
        _several(depth),
        times,
    )
    started: Any = nullcontext([executor] if executor else [])
    if n_jobs > 1 and not executor:
        _require_sendable([*methods, *heuristics])
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
    frame = pandas.read_csv(file, dtype=TYPES, converters=lists, keep_default_na=False, na_values=[""])
    if tuple(frame) != COLUMNS:
        raise ValueError(f"{file} has other columns than a sweep's file: another program or version has written it.")
    for column in CATEGORIES:
        frame[column] = pandas.Categorical(frame[column], frame[column].dropna().unique(), ordered=True)
    return frame


def board_of(row: Any) -> Board:
    """The board of a row of a sweep's table: `board_of(frame.loc[0])`."""
    return Board.from_text(row["board"], tuple(map(int, row["shape"].split("x"))), int(row["k"]))


def _settings(methods: list[Any], heuristics: list[Any], options: Mapping[str, Any], fast: bool) -> Iterator[Any]:
    """All ways to search: a method, a heuristic, options and the columns of a row. Raises `ValueError`."""
    known = list(dict.fromkeys(name for method in methods for name in OPTIONS.get(method, {})))
    for name in options:
        if name not in known:
            raise ValueError(f"There is no option {name!r}; there is {', '.join(known) or 'none for this method'}.")
    for functions in (set(methods), set(heuristics)):
        if len(functions) > len(names := set(map(_name_of, functions))):
            raise ValueError(f"Two functions have one name among {', '.join(names)}: rename one of them.")
    for method in methods:
        if not callable(method) and method not in METHODS:
            raise ValueError(f"There is no method {method!r}: choose {', '.join(METHODS)}, or a function of your own.")
        swept = {name: _several(options.get(name, usual)) for name, usual in OPTIONS.get(method, {}).items()}
        for heuristic, *values in product([None] if method == "mcts" else heuristics, *swept.values()):
            if heuristic is not None and not callable(heuristic):
                raise ValueError(f"A heuristic is a function of a board and a player, not {heuristic!r}.")
            chosen = dict(zip(swept, values, strict=True))
            order = [chosen["order"]] if chosen.get("order", "row-major") != "row-major" else []
            setting = ", ".join([_name_of(method), *order, *filter(chosen.get, SWITCHES)])
            columns = chosen | {"method": _name_of(method), "setting": setting, "fast": fast}
            columns |= {"heuristic": _name_of(heuristic), "source": digest(heuristic, method)}
            yield method, heuristic, chosen | {"fast": fast} if method in METHODS else {}, columns


def _plan(boards: Iterable[Board], settings: list[Any], depths: list[Any], times: int) -> dict[Any, Task]:
    """All searches by their keys, each once. Raises `ValueError`."""
    plan: dict[Any, Task] = {}
    shortened = 0
    for board, (method, heuristic, chosen, columns), plies in product(boards, settings, depths):
        require_board(board, "sweep()")
        depth = None if plies is None or method == "mcts" else min(index(plies), len(board.moves))
        shortened += depth is not None and depth != plies
        shape, marks = "x".join(map(str, board.shape)), len(board) - len(board.moves)
        text = f"\n{board}".replace(" ", "").replace("\n", "/")  # a leading dash is a spreadsheet's formula
        row = columns | {"shape": shape, "k": board.k, "board": text, "marks": marks, "depth": depth}
        search = partial(METHODS.get(method, method), board, depth, heuristic, **chosen)
        asked = dict.fromkeys(COLUMNS, "") | _texts(row)
        plan.setdefault(key_of(asked), Task(asked, search, times))
    if not plan:
        raise ValueError("There is nothing to search: give at least one board.")
    if shortened:
        print(f"{shortened:,} searches were shortened: their boards have fewer free cells than the depth.")
    return plan


def _stored(file: Path, plan: Mapping[Any, Task]) -> list[Any]:
    """Rid a file of a torn line and of rows that are to be searched again; the keys of the others, in its order."""
    file.parent.mkdir(parents=True, exist_ok=True)
    text = file.read_text("utf-8") if file.exists() else ""
    header, whole = f"{','.join(COLUMNS)}\n", text[: text.rfind("\n") + 1]
    if not (whole.startswith(header) if whole else header.startswith(text)):
        raise ValueError(f"{file} has other columns than a sweep's file: choose another name.")
    rows = {key_of(row): row for row in csv.DictReader(whole.splitlines())}
    valid = {key: row for key, row in rows.items() if key not in plan or plan[key].found_in(row)}
    if len(valid) < len(rows):
        print(f"{len(rows) - len(valid):,} rows of {file} are searched again: what they were found with has changed.")
    part = file.with_name(f"{file.name}.part")  # so that the file is never half written
    with part.open("w", encoding="utf-8", newline="") as opened:
        opened.write(header)
        csv.DictWriter(opened, COLUMNS, lineterminator="\n").writerows(valid.values())
    part.replace(file)
    return list(valid)


def _several(value: Any) -> list[Any]:
    """One value as a list; what holds several, as the list of them."""
    one = value is None or isinstance(value, str) or callable(value) or not isinstance(value, Iterable)
    return [value] if one else list(value)


def _name_of(function: Any) -> str:
    """The name of a method or heuristic in a table: "alphabeta", "open_lines", "LineWeights(0, 1, 3, 9)", "none"."""
    return "none" if function is None else str(getattr(function, "__name__", function)).strip("<>")


def _require_sendable(functions: Iterable[Any]) -> None:
    """Raises `ValueError` if other processes can't import a function of yours, such as one in a notebook."""
    for function in functions:
        name, module = _name_of(function), inspect.getmodule(function)
        importable = hasattr(module, "__file__") and getattr(module, name, None) is function
        if isinstance(function, FunctionType) and not importable:
            raise ValueError(f"{name} can't be sent to other processes: define it in a file, or use n_jobs=1.")


def digest(*functions: Any) -> str:
    """Eight letters that change with the package's searches, and eight more for each function."""
    texts = [_package(), *(repr([*_parts(one, [])]) for one in functions if callable(one))]
    return "".join(hashlib.sha256(text.encode()).hexdigest()[:8] for text in texts)


@cache
def _package() -> str:
    """The text of the package's searches."""
    folder = Path(ttt.__file__).parent
    return repr([file.read_text("utf-8") for name in SOURCES for file in sorted(folder.glob(name))])


def _parts(thing: Any, seen: list[Any]) -> Iterator[str]:
    """What the answers of your own function depend on: its text, and what its names mean."""
    if not isinstance(thing, FunctionType) or f"{thing.__module__}".startswith("ttt."):
        yield re.sub(r" at 0x[0-9a-f]+", "", repr(thing))
    elif thing not in seen:
        seen.append(thing)
        try:
            yield inspect.getsource(thing)
        except OSError:  # it has none, as in `python -c`
            yield marshal.dumps(thing.__code__).hex()
        names = sorted(_names(thing.__code__) & {*thing.__globals__})
        for used in (*inspect.getclosurevars(thing).nonlocals.values(), *map(thing.__globals__.get, names)):
            if not inspect.ismodule(used):
                yield from _parts(used, seen)


def _names(code: CodeType) -> set[str]:
    """The names that a function uses, also in the functions within it."""
    inner = (_names(part) for part in code.co_consts if isinstance(part, CodeType))
    return {*code.co_names}.union(*inner)
