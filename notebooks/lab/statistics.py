"""What searches cost: sample positions, a table with one row per search, and summaries of it."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import suppress
from functools import cache, partial
from inspect import signature
from io import StringIO
from itertools import product
from math import prod
from operator import index
from pathlib import Path
from random import Random
from timeit import repeat
from typing import TYPE_CHECKING, Any, TextIO

import numpy as np

from ttt.arena.games import reachable
from ttt.board import Board, BoardError, require_board
from ttt.heuristics import Heuristic, move_values
from ttt.players import best_moves
from ttt.players.negamax import outcome
from ttt.progress import progress
from ttt.search import Search, alphabeta, mcts, minimax, negamax
from ttt.search.search import count_phrase
from ttt.symmetry import canonical

if TYPE_CHECKING:
    from pandas import DataFrame, Series

TRIES = 1000  # attempts to find another position with a given number of marks
MOST_FREE = 10  # free cells of a board to solve exactly, at most
RESAMPLES = 1000
FEWEST = 10  # positions for an interval, at least
END = -1  # as a depth: to the end of the game

SWITCHES = ("killer", "table", "symmetry", "deepening")
OPTIONS = ("order", *SWITCHES, "playouts", "seed")
POSITION = ("shape", "k", "board", "marks")
SETTING = ("heuristic", "setting", "method", *OPTIONS, "depth", "times")
FOUND = ("value", "move", "nodes", "interior", "leaves", "cutoffs")
LISTS = ("moves", "move_values", "nodes_per_ply", "cutoffs_by_move")
COLUMNS = (*POSITION, *SETTING, *FOUND, *LISTS, "seconds")

Row = dict[str, Any]
Key = tuple[str, ...]  # a search's full setting: its row in the columns POSITION and SETTING


def every_position(board: Board) -> list[Board]:
    """Every unfinished position reachable from a board, one from each set of mirror images: 627 on 3×3.

    Raises `ValueError` for more than 100,000.
    """
    unfinished = {canonical(position) for position in reachable("random", board=board) if not position.over}
    return sorted(unfinished, key=lambda position: (-len(position.moves), position.x, position.o))


def random_positions(
    board: Board, count: int, seed: int = 0, *, free: int = 1, marks: Container[int] | None = None
) -> list[Board]:
    """Distinct unfinished positions reachable from a board, spread evenly over the numbers of marks.

    Each has at least `free` free cells and one of the numbers of marks given, such as `range(1, 9)`: with `free=4`
    none is too small for a search of four plies. Positions with equally many marks are equally likely; if there are
    too few, other numbers get more. Mirror images count as different. Raises `ValueError` if there are too few in
    all.

    >>> [len(position) - len(position.moves) for position in random_positions(Board(), 10, seed=7)]
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 1]
    """
    chance = Random(seed)
    positions: dict[Board, None] = {}
    there = len(board) - len(board.moves)
    levels = [n for n in range(len(board.moves) - free + 1) if marks is None or there + n in marks]
    while levels and len(positions) < count:
        for more in levels[: count - len(positions)]:
            position = _another(board, more, positions, chance)
            if position:
                positions[position] = None
            else:
                levels.remove(more)
    if len(positions) < count:
        found = count_phrase(len(positions), "different position")
        raise ValueError(f"`random_positions()` found only {found}, not {count}. Ask for fewer.")
    return list(positions)


def _another(board: Board, marks: int, known: Mapping[Board, None], chance: Random) -> Board | None:
    """A new position with this many more marks; None if none is found."""
    for _ in range(TRIES):
        cells = chance.sample(board.moves, marks)
        own, other = (sum(1 << cell for cell in some) for some in (cells[::2], cells[1::2]))
        x, o = (own, other) if board.turn == "X" else (other, own)
        with suppress(BoardError):  # both sides have won
            position = Board(board.shape, board.k, x=board.x | x, o=board.o | o)
            if not position.over and position not in known:
                return position
    return None


def _mcts(board: Board, *_: object, playouts: int = 1000, seed: int = 0) -> Search:
    return mcts(board, index(playouts), rng=Random(index(seed)))


def _compiled_minimax(*search: Any) -> Search:
    from ttt.search import compiled  # needs numba, which is an extra

    return compiled.minimax(*search)


def _compiled_alphabeta(*search: Any, order: str = "row-major") -> Search:
    from ttt.search import compiled

    return compiled.alphabeta(*search, order=order)


METHODS: Any = {
    "alphabeta": alphabeta,
    "minimax": minimax,
    "negamax": negamax,
    "mcts": _mcts,
    "compiled.alphabeta": _compiled_alphabeta,
    "compiled.minimax": _compiled_minimax,
}


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
    """Search every position to every depth in every way, and return a table with one row per search.

    Lists are swept: every value is combined with every other. For other combinations, `pandas.concat` several sweeps.

    Args:
        boards: a board or several, as from `random_positions` or `every_position`.
        depth: in plies; by default to the end of the game. If fewer cells are free, the row holds their number.
        method: "alphabeta", "minimax", "negamax", "mcts", or a function of (board, depth, heuristic) that returns a
            value or a `Search`. Where numba is installed, "compiled.alphabeta" and "compiled.minimax" find the same
            as the readable searches, about a hundred times as fast.
        heuristic: a function of a board and a player, such as `open_lines` or `LineWeights(0, 1, 3, 9)` of
            `ttt.heuristics`; or None.
        out: a CSV file that receives each row as soon as it is found. Existing rows are not searched again, so a
            stopped sweep can resume. Delete the file after changing a function; `read` loads its table.
        n_jobs: how many processes to use; worthwhile if searches take minutes, as starting takes a second or two.
            You may define your own functions in the notebook.
        executor: any `concurrent.futures.Executor` to use instead: with dask, `Client(ADDRESS).get_executor()`.
        times: how often to run each search; `seconds` is the fastest run.
        options: of alpha-beta (order, killer, table, symmetry, deepening; compiled only order) and mcts (playouts,
            seed); your own function may take any of these. `killer=[False, True]` compares, and
            `seed=[1, 2, 3]` searches three times, but `summary` and `compare` count each position once.

    The columns are `board` (for `board_of`), `marks`, `setting` (the method with its options) and all arguments;
    the results `value`, `move`, `nodes`, `interior`, `leaves`, `cutoffs` and `seconds`; and lists, for pandas'
    `explode`: `nodes_per_ply`, `cutoffs_by_move`, `moves` and `move_values`.

    Raises `ValueError`, `OSError`, and whatever the searches and processes raise, such as when a process dies.
    """
    plan = _plan(_several(boards), _several(method), _several(heuristic), _several(depth), options, index(times))
    with Path(out).open("a+", encoding="utf-8", errors="replace", newline="") if out else StringIO() as file:
        stored = _stored(file)
        missing = [key for key in plan if key not in stored]
        if len(missing) < len(plan):
            share = f"{len(plan) - len(missing):,} of {count_phrase(len(plan), 'row')}"
            print(f"Already in {out}: {share}. Delete the file after changing a function.")
        lines = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        rows = _rows([(key, plan[key]) for key in missing], n_jobs, executor)
        for row in progress(rows, "searches", len(missing)):
            lines.writerow(row)
            file.flush()
        file.seek(0)
        places = {key: place for place, key in enumerate([*stored, *missing])}
        return read(file).iloc[[places[key] for key in plan]].reset_index(drop=True)


def read(file: Path | str | TextIO) -> DataFrame:
    """Load a sweep's file: lists as lists, settings as ordered categories. Raises `ValueError` for other files."""
    import pandas

    types: Any = dict.fromkeys(SWITCHES, "boolean") | dict.fromkeys(("value", "seconds"), "float64")
    lists: Any = dict.fromkeys(LISTS, lambda text: json.loads(text or "[]"))
    form: Any = {"dtype": types, "dtype_backend": "numpy_nullable", "keep_default_na": False, "na_values": ["", "nan"]}
    known = {*COLUMNS, "fast"}
    frame = pandas.read_csv(file, usecols=known.__contains__, converters=lists, **form)
    _require_header([*frame], getattr(file, "name", file))
    return with_categories(frame)


def _require_header(columns: Sequence[str], name: object) -> None:
    """Raise `ValueError` unless these are the columns of a sweep's file."""
    if "fast" in columns:
        raise ValueError(
            f"{name} was written by an earlier version of the lab: it has a column fast. Repeat the sweep into another "
            f'file; compiled searches are now method="compiled.alphabeta" and "compiled.minimax".'
        )
    if not {*COLUMNS} <= {*columns}:
        raise ValueError(f"{name} does not have the columns of a sweep's file. Choose another name.")


def with_categories(frame: DataFrame) -> DataFrame:
    """Restore the settings as ordered categories, which `pandas.concat` turns into text."""
    from pandas import Categorical

    texts = [frame[name] for name in ("heuristic", "setting", "method", "order") if frame[name].dtype != "category"]
    return frame.assign(**{f"{text.name}": Categorical(text, text.dropna().unique(), ordered=True) for text in texts})


def board_of(row: Any) -> Board:
    """The board in a row of a sweep's table: `board_of(frame.loc[0])`."""
    return Board.from_text(row["board"], tuple(map(int, row["shape"].split("x"))), int(row["k"]))


def _plan(
    boards: list[Any], methods: list[Any], heuristics: list[Any], depths: list[Any], options: Row, times: int
) -> dict[Key, Callable[[], Any]]:
    """All searches to run, keyed by their settings. Raises `ValueError` for unknown options."""
    for functions in (set(methods), set(heuristics)):
        if len(functions) > len(names := set(map(_name_of, functions))):
            raise ValueError(f"Two functions among {', '.join(names)} share a name. Rename one of them.")
    usual = {method: _usual_options(method) for method in methods}
    known = dict.fromkeys(name for method in methods for name in usual[method])
    for name in options:
        if name not in known:
            there = f"The options are: {', '.join(known)}" if known else "This method has no options"
            raise ValueError(f"There is no option {name!r}. {there}.")
    plan: dict[Key, Callable[[], Any]] = {}
    for board, method in product(boards, methods):
        require_board(board, "sweep()", ValueError)
        text = f"\n{board}".replace(" ", "").replace("\n", "/")  # a leading dash would start a formula in a spreadsheet
        position = ("x".join(map(str, board.shape)), board.k, text, len(board) - len(board.moves))
        swept = {name: _several(options.get(name, value)) for name, value in usual[method].items()}
        for heuristic, *values, plies in product(heuristics, *swept.values(), depths):
            chosen = dict(zip(swept, values, strict=True))
            depth = None if plies is None else min(index(plies), len(board.moves))
            words = [_name_of(method), chosen.get("order"), *filter(chosen.get, SWITCHES)]
            asked = {**dict(zip(POSITION, position, strict=True)), **chosen, "method": words[0], "times": times}
            if method == "mcts":
                words.append(f"{chosen['playouts']} playout{'' if chosen['playouts'] == 1 else 's'}")
            else:
                asked |= {"heuristic": _name_of(heuristic), "depth": depth}
            asked["setting"] = ", ".join(filter(None, words))
            key = tuple("" if asked.get(name) is None else str(asked[name]) for name in (*POSITION, *SETTING))
            plan.setdefault(key, partial(METHODS.get(method, method), board, depth, heuristic, **chosen))
    return plan


def _usual_options(method: Any) -> Row:
    """A method's options with their defaults. Raises `ValueError` if there is no such method."""
    if not callable(method) and method not in METHODS:
        raise ValueError(f"There is no method {method!r}. The methods are {', '.join(METHODS)}, or your own function.")
    parameters = signature(METHODS.get(method, method)).parameters
    return {name: parameters[name].default for name in OPTIONS if name in parameters}


def _rows(tasks: list[Any], n_jobs: int, executor: Executor | None) -> Iterator[Row]:
    """Yield the searches' rows in order, each as soon as it is found."""
    if executor:
        return executor.map(_row, tasks)
    if n_jobs == 1:
        return map(_row, tasks)
    from joblib import Parallel, delayed  # missing from Python in a browser

    rows: Iterator[Row] = Parallel(n_jobs, return_as="generator", idle_worker_timeout=2)(map(delayed(_row), tasks))
    return rows


def _row(task: tuple[Key, Callable[[], Search | float]]) -> Row:
    """Search and record the result. Raises the search's errors, and those of `float` if the value is not a number."""
    key, search = task
    result = search()
    row: Row = dict(zip((*POSITION, *SETTING), key, strict=True))
    if isinstance(result, Search):
        lists = {**vars(result), "moves": [*result.values], "move_values": [*result.values.values()]}
        row |= {name: getattr(result, name) for name in FOUND} | {name: json.dumps(lists[name]) for name in LISTS}
    else:
        row["value"] = float(result)
    if times := int(row["times"]):
        row["seconds"] = min(repeat(search, number=1, repeat=times))
    return row


def _stored(file: TextIO) -> dict[Key, None]:
    """The settings in a file's rows. Removes an incomplete last line; gives a new file its header."""
    file.seek(0)
    header, text = f"{','.join(COLUMNS)}\n", file.read()
    if not (text.startswith(header) or header.startswith(text)):
        _require_header(text.partition("\n")[0].split(","), file.name)
        raise ValueError(f"{file.name} has other columns besides a sweep's. Choose another name.")
    whole = text[: text.rfind("\n") + 1]
    file.truncate(len(whole.encode()))
    if not whole:
        file.write(header)
    return {tuple(row[name] for name in (*POSITION, *SETTING)): None for row in csv.DictReader(whole.splitlines())}


def _several(value: Any) -> list[Any]:
    """A single value as a list of one; several values as a list."""
    single = isinstance(value, str | Board) or callable(value) or not isinstance(value, Iterable)
    return [value] if single else list(value)


def _name_of(function: Any) -> str:
    """A method's or heuristic's name in the table: "alphabeta", "open_lines", "LineWeights(0, 1, 3, 9)", "none"."""
    name = "none" if function is None else f"{getattr(function, '__name__', function)}"
    if getattr(function, "__module__", "") == "ttt.search.compiled":
        name = f"compiled.{name}"
    return " ".join(re.sub(r" at 0x\w+", "", name).strip("<>").split())  # one line, the same in every run


def require_columns(frame: DataFrame, *names: str) -> None:
    """Raise `KeyError` unless the table has these columns."""
    for name in names:
        if name not in frame:
            raise KeyError(f"There is no column {name!r}. The columns are {', '.join(map(str, frame))}.")


def compare(frame: DataFrame, column: str, baseline: Any, y: str = "nodes") -> DataFrame:
    """Each search's cost relative to the baseline's on the same position, all else being equal: one row per pair.

    Args:
        column: what differs within a pair, such as "order" or "killer"; "setting" for methods, whose options differ.
        baseline: the value of that column to divide by, such as "row-major", False or "mcts, 100 playouts".

    A setting that one method lacks, such as a depth in mcts, counts as equal. Of searches that differ only in the
    seed, the median counts. The columns are those that a pair shares, the column, y, `baseline` (its cost), and
    `ratio`. Raises `KeyError` and `ValueError`.
    """
    require_columns(frame, column, y, *POSITION, *SETTING)
    frame = with_categories(frame)
    values = frame[column].dropna().unique().tolist()
    if baseline not in values:
        there = ", ".join(map(repr, values))
        raise ValueError(f"There is no {column} {baseline!r} to compare with. Choose from {there}.")
    shared = [name for name in SETTING if name not in (column, "setting", "seed")]
    if column == "setting":
        shared = ["heuristic", "depth", "times"]  # a setting says the rest
    to_the_end = frame["depth"].isna() & (frame["method"] != "mcts")
    rows = frame.assign(depth=frame["depth"].astype("Int64").mask(to_the_end, END)).dropna(subset=column)
    costs = (
        rows.groupby([*POSITION, *shared, column], dropna=False, observed=True, sort=False)[y].median().reset_index()
    )
    base = costs[costs[column] == baseline].drop(columns=column).rename(columns={y: "baseline"})
    pairs = costs[costs[column] != baseline].merge(base, on=[*POSITION], suffixes=("", " of baseline"))
    for name in shared:
        own, other = pairs[name], pairs.pop(f"{name} of baseline")
        pairs = pairs.assign(**{name: own.fillna(other)})[(own == other).fillna(False) | own.isna() | other.isna()]
    if pairs.empty:
        raise ValueError(f"No position was searched with {column} {baseline!r} and another {column}, all else equal.")
    if not (pairs["baseline"] > 0).all():
        raise ValueError(f"With {column} {baseline!r}, `{y}` must be above 0 in every row to give ratios.")
    ratios = pairs[y].astype(float) / pairs["baseline"].astype(float)
    return pairs.assign(depth=pairs["depth"].mask(pairs["depth"] == END), ratio=ratios)


def summary(frame: DataFrame, by: str | Sequence[str], y: str, estimator: str = "") -> DataFrame:
    """Each group's number of positions, and the median of y (the mean if True or False) in its 95 per cent interval.

    The columns are `n`, `middle`, `low` and `high`; `by` is a column or several, `estimator` "median" or "mean".

    Searches of one position, as with several seeds, count once, by their median or mean. The interval says how far
    off the middle of another sample of this size might lie: if you searched all positions, the middle is a
    fact and needs none. There is none for fewer than ten positions. Percentile bootstrap: Efron and Tibshirani
    1993, "An introduction to the bootstrap", section 13.3. Raises `KeyError` and `ValueError`.
    """
    import pandas

    by = [by] if isinstance(by, str) else [*by]
    require_columns(frame, *by, y)
    estimator = estimator or ("mean" if frame[y].dtype.kind == "b" else "median")
    if estimator not in ("median", "mean"):
        raise ValueError(f"`estimator` must be 'median' or 'mean', not {estimator!r}.")
    position = [name for name in POSITION if name in frame]

    def measures(group: DataFrame) -> Series[float]:
        values = group.groupby(position, sort=False)[y].agg(estimator) if position else group[y]
        low = high = np.nan
        if len(values) >= FEWEST:
            draws = np.random.default_rng(0).choice(values, (RESAMPLES, len(values)))
            low, high = np.percentile(getattr(np, estimator)(draws, axis=1), (2.5, 97.5))
        return pandas.Series({"n": len(values), "middle": values.agg(estimator), "low": low, "high": high})

    groups = frame.dropna(subset=[y]).astype({y: float}).groupby(by, observed=True)
    return groups[[*position, y]].apply(measures).astype({"n": int})


def right(frame: DataFrame) -> Series[bool]:
    """Whether each search plays one of the best moves, according to minimax to the end of the game.

    Raises `ValueError` for more than ten free cells.
    """
    return frame.apply(lambda row: row["move"] in _best_moves(board_of(row)), axis=1)


def lucky(frame: DataFrame) -> Series[float]:
    """The probability that a random mover plays one of the best moves in each search's position.

    It is 1 if every move is best; only below 1 does the choice matter. Raises `ValueError` as `right` does.
    """
    boards = frame.apply(board_of, axis=1)
    return boards.map(lambda board: len(_best_moves(board)) / len(board.moves))


@cache
def _best_moves(board: Board) -> frozenset[int]:
    if len(board.moves) > MOST_FREE:
        raise ValueError(f"{len(board.moves)} free cells on {board!r} are too many to find the best moves.")
    return frozenset(best_moves(move_values(outcome, board)))


def effective_branching(nodes: Any, depth: Any) -> Any:
    """The width b of a uniform tree of this depth and size: nodes = 1 + b + b² + … + b^depth.

    Takes numbers or columns. Source: Nilsson 1971, as in Russell and Norvig's "Artificial intelligence", section 3.6.

    >>> round(float(effective_branching(53, 5)), 2)
    1.92
    """

    def width(nodes: float, depth: float) -> float:
        roots = np.roots([1] * int(depth) + [1 - nodes])
        return max((root.real for root in roots if abs(root.imag) < 1e-9), default=np.nan)

    return np.vectorize(width, otypes=[float])(nodes, depth)[()]


def least_tree(widths: Sequence[int]) -> tuple[int, ...]:
    """The fewest nodes alpha-beta without a table can visit, at the root and at each ply below.

    To be sure of a value, it must see all replies to one move at every other ply, for one side and for the other.
    `widths` holds the number of moves at the root, one ply below, and so on; no game may end before the last ply.

    Sources: Slagle and Dixon 1969, "Experiments with some programs that search game trees"; proved by Knuth and Moore
    1975, "An analysis of alpha-beta pruning", section 6.

    >>> least_tree(range(64, 60, -1))
    (1, 64, 126, 4030, 7810)
    """
    plies = [widths[:ply] for ply in range(len(widths) + 1)]
    return tuple(prod(above[::2]) + prod(above[1::2]) - 1 for above in plies)


def least_nodes(frame: DataFrame) -> Series[float]:
    """The size of the least tree for each search's position and depth; NaN if a game or a table ended it sooner.

    A search that reached the full depth everywhere has a tree of uniform depth, for which the minimum is proved.
    """

    def nodes(row: Any) -> float:
        plies, free = row["nodes_per_ply"], row["board"].count("-")
        whole = plies and row["leaves"] == plies[-1] and row["method"] != "mcts"
        return sum(least_tree(range(free, free + 1 - len(plies), -1))) if whole else np.nan

    return frame.apply(nodes, axis=1)
