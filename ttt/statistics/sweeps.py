"""A search for each position, depth and setting, as a row of a table, and of a CSV file as soon as it is found."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Executor
from contextlib import nullcontext
from functools import partial
from io import StringIO
from itertools import product
from math import isnan
from numbers import Real
from operator import index
from pathlib import Path
from random import Random
from timeit import repeat
from typing import TYPE_CHECKING, Any, TextIO

from ttt.board import Board, require_board
from ttt.heuristics import Heuristic
from ttt.runtime.jobs import processes
from ttt.runtime.progress import progress
from ttt.search import alphabeta, mcts, minimax, negamax
from ttt.search.record import Search

if TYPE_CHECKING:
    from pandas import DataFrame

SWITCHES = ("killer", "table", "symmetry", "deepening")
OPTIONS: dict[Any, dict[str, Any]] = {  # of each method, with what they are unless given
    "alphabeta": {"order": "row-major", **dict.fromkeys((*SWITCHES, "fast"), False)},
    "minimax": {"fast": False},
    "negamax": {"fast": False},
    "mcts": {"playouts": 1000, "seed": 0},
}
POSITION = ("shape", "k", "board", "marks")
CATEGORIES = ("heuristic", "setting", "method", "order")
SETTING = (*CATEGORIES, *SWITCHES, "fast", "playouts", "seed", "depth", "times")
LISTS = ("moves", "move_values", "nodes_per_ply", "cutoffs_by_move")
FOUND = ("value", "move", "nodes", "interior", "leaves", "cutoffs", *LISTS)
COLUMNS = (*POSITION, *SETTING, *FOUND, "seconds")
WHOLE = ("k", "marks", "playouts", "seed", "depth", "times", *FOUND[1:6])
TYPES: Any = dict.fromkeys(("shape", "board", *CATEGORIES), "str") | dict.fromkeys(WHOLE, "Int64")
TYPES |= dict.fromkeys((*SWITCHES, "fast"), "boolean") | dict.fromkeys(("value", "seconds"), "float64")

Row = dict[str, Any]


def _mcts(board: Board, *_: None, playouts: int, seed: int) -> Search:
    return mcts(board, playouts, rng=Random(seed))


METHODS: dict[Any, Any] = {"alphabeta": alphabeta, "minimax": minimax, "negamax": negamax, "mcts": _mcts}


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
    **options: Any,
) -> DataFrame:
    """Search every position to every depth in every way: a table with a row for each search.

    A list is swept: each of its values is combined with each of the others. For other unions, `pandas.concat` sweeps.

    Args:
        depth: in plies; to the end of the game unless given, or where fewer cells are free.
        method: "alphabeta", "minimax", "negamax", "mcts", or a function of (board, depth, heuristic) that returns a
            value or a `Search`.
        heuristic: a function of a board and a player, such as `open_lines`.
        out: a CSV file, to which each row is added when it is found. Rows that are there are not searched again.
        n_jobs, executor: how many processes to use, or any `concurrent.futures.Executor`, such as dask's.
        times: how often to run each search, for the seconds of the quickest run.
        options: of alpha-beta (order, killer, table, symmetry, deepening, fast), minimax and negamax (fast), and mcts
            (playouts, seed).

    Raises `ValueError`, `OSError`, what the searches raise, and what the executor raises, as when a process dies.
    """
    methods, heuristics = _several(method), _several(heuristic)
    settings = [*_settings(methods, heuristics, options)]
    plan = _plan(_several(boards), settings, _several(depth), index(times))
    alone = executor or n_jobs == 1
    with (
        Path(out).open("a+", encoding="utf-8", errors="replace", newline="") if out else StringIO() as file,
        nullcontext(executor) if alone else processes(n_jobs, [*methods, *heuristics]) as pool,
    ):
        stored = _stored(file)
        there = {*stored}
        missing = [key for key in plan if key not in there]
        if len(missing) < len(plan):
            share = f"{len(plan) - len(missing):,} of {len(plan):,} rows"
            print(f"{share} were already in {out}: delete it after changing a function.")
        lines = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        rows = (pool.map if pool else map)(_row, [plan[key] for key in missing])
        for row in progress(rows, "searches", len(missing)):
            lines.writerow(row)
            file.flush()
        file.seek(0)
        places = {key: place for place, key in enumerate([*stored, *missing])}
        return read(file).iloc[[places[key] for key in plan]].reset_index(drop=True)


def read(file: Path | str | TextIO) -> DataFrame:
    """The rows of a sweep's file: lists as lists, settings as ordered categories. Raises `ValueError` for another."""
    import pandas

    lists: Any = dict.fromkeys(LISTS, lambda text: json.loads(text) if text else [])
    frame = pandas.read_csv(file, dtype=TYPES, converters=lists, keep_default_na=False, na_values=[""])
    if tuple(frame) != COLUMNS:
        raise ValueError(f"{file} has other columns than a sweep's file: another program or version has written it.")
    return with_categories(frame)


def with_categories(frame: DataFrame) -> DataFrame:
    """The table with its settings as ordered categories, which `pandas.concat` turns into text."""
    from pandas import Categorical

    texts = [frame[name] for name in CATEGORIES if frame[name].dtype != "category"]
    return frame.assign(**{f"{text.name}": Categorical(text, text.dropna().unique(), ordered=True) for text in texts})


def board_of(row: Any) -> Board:
    """The board of a row of a sweep's table: `board_of(frame.loc[0])`."""
    return Board.from_text(row["board"], tuple(map(int, row["shape"].split("x"))), int(row["k"]))


def _settings(methods: list[Any], heuristics: list[Any], options: Row) -> Iterator[tuple[Row, Any, Any, Row]]:
    """Each way to search: the columns that name it, a function, its heuristic and its options. Raises `ValueError`."""
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
            chosen = dict(zip(swept, values, strict=True))
            columns = chosen | {"method": _name_of(method), "heuristic": _name_of(heuristic)}
            words = [columns["method"], chosen.get("order"), *filter(chosen.get, SWITCHES)]
            if method == "mcts":
                chosen = {name: index(value) for name, value in chosen.items()}
                columns |= {**chosen, "heuristic": None}
                words.append(f"{chosen['playouts']} playouts")
            columns["setting"] = ", ".join(filter(None, words))
            yield columns, METHODS.get(method, method), heuristic, chosen


def _plan(boards: Iterable[Board], settings: list[Any], depths: list[Any], times: int) -> dict[Any, Any]:
    """Each search once, by all that is asked of it: the columns that say so, and a function. Raises `ValueError`."""
    plan: dict[Any, Any] = {}
    shortened = 0
    for board, (columns, function, heuristic, chosen), plies in product(boards, settings, depths):
        require_board(board, "sweep()", ValueError)
        depth = None if plies is None or function is _mcts else min(index(plies), len(board.moves))
        shortened += depth is not None and depth < plies
        text = f"\n{board}".replace(" ", "").replace("\n", "/")  # a leading dash is a spreadsheet's formula
        position = ("x".join(map(str, board.shape)), board.k, text, len(board) - len(board.moves))
        asked = dict(zip(POSITION, position, strict=True)) | columns | {"depth": depth, "times": times}
        plan.setdefault(_key(asked), (asked, partial(function, board, depth, heuristic, **chosen)))
    if not plan:
        raise ValueError("There is nothing to search: give at least one board.")
    if shortened:
        print(f"{shortened:,} searches were shortened: their boards have fewer free cells than the depth.")
    return plan


def _row(task: tuple[Row, Callable[[], Search | float]]) -> Row:
    """Search, and write down what was found. Raises `ValueError` for what is no number."""
    asked, search = task
    result = search()
    row = dict(asked)
    if isinstance(result, Search):
        values = {"moves": [*result.values], "move_values": [*result.values.values()]}
        row |= {name: getattr(result, name, None) for name in FOUND} | values
        row |= {name: json.dumps(row[name]) for name in LISTS}
    elif isinstance(result, Real) and not isnan(result):
        row["value"] = float(result)
    else:
        raise ValueError(f"{asked['method']} returned {result!r}: a method returns a number or a Search.")
    if asked["times"]:
        row["seconds"] = min(repeat(search, number=1, repeat=asked["times"]))
    return row


def _key(row: Mapping[str, Any]) -> tuple[str, ...]:
    """All that is asked of a row's search, as it stands in the file."""
    return tuple("" if row.get(name) is None else str(row[name]) for name in (*POSITION, *SETTING))


def _stored(file: TextIO) -> list[Any]:
    """The keys of a file's rows. A torn last line is cut off, and a new file gets its header."""
    file.seek(0)
    header, text = f"{','.join(COLUMNS)}\n", file.read()
    whole = text[: text.rfind("\n") + 1]
    if not (whole.startswith(header) if whole else header.startswith(text)):
        raise ValueError(f"{file.name} has other columns than a sweep's file: choose another name.")
    file.truncate(len(whole.encode()))
    if not whole:
        file.write(header)
    return [_key(row) for row in csv.DictReader(whole.splitlines())]


def _several(value: Any) -> list[Any]:
    """One value as a list; what holds several, as the list of them."""
    single = isinstance(value, str | Board) or callable(value) or not isinstance(value, Iterable)
    return [value] if single else list(value)


def _name_of(function: Any) -> str:
    """The name of a method or heuristic in a table: "alphabeta", "open_lines", "LineWeights(0, 1, 3, 9)", "none"."""
    name = "none" if function is None else f"{getattr(function, '__name__', function)}"
    return " ".join(re.sub(r" at 0x\w+", "", name).strip("<>").split())  # one line, the same in every run
