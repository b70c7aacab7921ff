"""Searches many positions in many ways, in this process or in others."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable
from concurrent.futures import Executor
from contextlib import nullcontext, suppress
from functools import partial
from inspect import Parameter, signature
from itertools import product
from operator import index
from pathlib import Path
from random import Random
from timeit import repeat
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

from lab.statistics import table
from lab.statistics.batches import in_batches, pool
from lab.statistics.names import RENAME, described, fingerprint, is_of_the_lab, name_of, simple
from lab.statistics.table import KEY, MAX_WHOLE, OPTIONS, RESULT, Row, cells_of, result_of
from ttt.board import Board
from ttt.heuristics import Heuristic
from ttt.position import Position, require_position
from ttt.progress import progress
from ttt.search import Search, alphabeta, mcts, minimax, negamax
from ttt.words import count_phrase

if TYPE_CHECKING:
    from pandas import DataFrame


def _mcts(board: Board, *_: object, playouts: int = 1000, seed: int = 0) -> Search:
    return mcts(board, index(playouts), rng=Random(index(seed)))


METHODS: Any = {"alphabeta": alphabeta, "minimax": minimax, "negamax": negamax, "mcts": _mcts}
COMPILED = ("compiled.alphabeta", "compiled.minimax")


def sweep(
    boards: Position | Iterable[Position],
    depth: int | Iterable[int] | None = None,
    *,
    method: str | Callable[..., Any] | list[Any] = "alphabeta",
    heuristic: Heuristic | list[Heuristic | None] | None = None,
    out: Path | str | None = None,
    n_jobs: int = 1,
    executor: Executor | None = None,
    times: int = 0,
    errors: str = "raise",
    **options: Any,
) -> DataFrame:
    """Search every position to every depth in every way, and return a table with one row per search.

    Lists are swept: every value is combined with every other. For other combinations, `pandas.concat` several sweeps.
    Equal positions are searched once.

    Args:
        boards: a board or several, as from `random_positions` or `every_position`, or positions of your own game.
        depth: in plies; by default to the end of the game. If fewer cells are free, the row holds their number.
        method: "alphabeta", "minimax", "negamax", "mcts", or a function of (board, depth, heuristic). It returns a
            value, a `Search`, or a dictionary such as `{"value": 1, "nodes": 40, "table hits": 7}`, whose keys become
            columns. Where numba is installed, "compiled.alphabeta" and "compiled.minimax" find the same as the
            readable searches, about a hundred times as fast.
        heuristic: a function of a board and a player, such as `open_lines` or `LineWeights(0, 1, 3, 9)` of
            `ttt.heuristics`; or None.
        out: a CSV file that receives each row as soon as it is found. Existing rows are not searched again, so a
            stopped sweep can resume. A function whose code has changed gets new rows; `code` tells them apart. Delete
            the file after changing what a function imports. `read` loads its table. A second sweep on the same file
            waits for the first.
        n_jobs: how many processes to use; worthwhile if searches take minutes, as starting takes a second or two.
            You may define your own functions in the notebook.
        executor: any `concurrent.futures.Executor` to use instead, or dask's `Client(ADDRESS)`.
        times: how often to run each search; `seconds` is the time of the fastest run, on the processor and in its
            thread.
        errors: what to do if a search raises an error. With "raise" the sweep ends; the error says which search it
            was, and holds the table so far in `rows`. With "keep" the sweep continues, and the search's row holds
            nothing but the error's text, in the column `error`. To run failed searches again, repeat the sweep with
            the same `out`: it takes only the other rows from the file.
        options: of alpha-beta (order, killer, table, symmetry, deepening; compiled only order), mcts (playouts,
            seed), or your own function (its parameters after the third). `killer=[False, True]` compares, and
            `seed=[1, 2, 3]` searches three times, but `summary` and `compare` count each position once. `order` may
            also be a function of a board that returns its moves.

    The columns are `board` (for `board_of`), `marks`, `setting` (the method with its options) and all arguments; the
    results `value`, `move`, `nodes`, `interior`, `leaves`, `cutoffs` and `seconds`; lists, for pandas' `explode`:
    `nodes_per_ply`, `cutoffs_by_move`, `moves` and `move_values`; and `machine`, the versions and the processor. For
    other games, `board` is the `repr`, `position` holds the position, and `marks` is the number of moves with which
    `random_positions` or `every_position` reached it (for the list that these return, as it is).

    Raises `ValueError`, `OSError`, and whatever the searches and processes raise, such as when a process dies.
    """
    times, n_jobs = _whole_number("times", times, 0), _whole_number("n_jobs", n_jobs, 1)
    if errors not in ("raise", "keep"):
        raise ValueError(f"`errors` must be 'raise' or 'keep', not {errors!r}.")
    ways = _ways(_several(method), _several(heuristic), options, times)
    depths = [None if plies is None else _whole_number("depth", plies, 0) for plies in _several(depth)]
    plan = _Plan(_positions(boards), ways, depths, errors == "keep")
    with pool(n_jobs, executor) as processes, table.opened(out) if out else nullcontext() as file:
        if file:
            plan.take(file)
        plan.search(partial(_run, [way.search for way in ways], times), processes, file)
    if failed := sum(found[-1] is not None for found in plan.found.values()):
        print(f"{count_phrase(failed, 'search', 'searches')} failed: the column `error` says why.")
    return plan.frame()


Task = tuple[Any, int, int | None]  # a position, the number of a way, and a depth


class _Way(NamedTuple):
    """A way to search: what it is asked, in the columns of a table, and a function with its last arguments."""

    asked: Row
    search: tuple[Callable[..., Any], Heuristic | None, Row]


class _Plan:
    """All searches to run, as tasks for `_run`, and what they found: None until they are done."""

    def __init__(self, positions: dict[Any, Row], ways: list[_Way], depths: list[int | None], keep: bool) -> None:
        self.positions, self.ways, self.keep = positions, ways, keep
        self.found: dict[Task, Any] = {}
        for position in positions:
            free = len(position.moves) if isinstance(position, Board) else MAX_WHOLE
            plies = [None if depth is None else min(depth, free) for depth in depths]
            for n, way in enumerate(ways):
                some = [None] if way.asked["method"] == "mcts" else plies
                self.found |= dict.fromkeys((position, n, depth) for depth in some)

    def take(self, file: BinaryIO) -> None:
        """Take what a file holds, except for searches that failed."""
        rows, taken = table.stored(file), 0
        for task in self.found:
            row = rows.get(cells_of(self.asked(task), KEY))
            if row and not row["error"]:
                self.found[task] = tuple(row[name] for name in RESULT)
                taken += 1
        if taken:
            share = f"{taken:,} of {count_phrase(len(self.found), 'row')}"
            print(f"Already in {file.name}: {share}. Delete the file after changing what a function imports.")

    def search(self, run: Callable[[Task], Any], processes: Executor | None, file: BinaryIO | None) -> None:
        """Make the searches that are missing, and write each to the file, if there is one."""
        tasks = [task for task, found in self.found.items() if not found]
        results = in_batches(run, tasks, processes) if processes else ((n, run(task)) for n, task in enumerate(tasks))
        try:
            for n, result in progress(results, "searches", len(tasks)):
                self.found[tasks[n]] = self.checked(tasks[n], result)
                if file:
                    file.write(table.as_line(self.row(tasks[n])))
                    file.flush()
        except BaseException as error:
            vars(error)["rows"] = self.frame()
            raise
        finally:
            results.close()

    def checked(self, task: Task, result: Any) -> tuple[Any, ...]:
        """What a search found. An error is raised with a note that says where it happened, or kept as a text."""
        if not isinstance(result, Exception):
            return result  # type: ignore[no-any-return]
        if self.keep:
            return result_of({}, error=" ".join(f"{type(result).__name__}: {result}".split()))
        position, way, depth = task
        result.add_note(f"This happened in {self.ways[way].asked['setting']}, depth {depth}, on {position!r}.")
        raise result

    def asked(self, task: Task) -> Row:
        """What a search is asked, in the columns of a table."""
        position, way, depth = task
        return self.positions[position] | self.ways[way].asked | {"depth": depth}

    def row(self, task: Task) -> Row:
        """A search's row, when it is done."""
        return self.asked(task) | dict(zip(RESULT, self.found[task], strict=True))

    def frame(self) -> DataFrame:
        """The table of all searches that are done."""
        return table.as_frame(self.row(task) for task, found in self.found.items() if found)


def _run(searches: list[Any], times: int, task: Task) -> tuple[Any, ...] | Exception:
    """Make a search, here or in another process. Returns its result, or the error that it raised."""
    position, way, depth = task
    function, heuristic, chosen = searches[way]
    search, results = partial(function, position, depth, heuristic, **chosen), []
    try:
        if not times:
            return result_of(search(), chosen)
        seconds = repeat(lambda: results.append(search()), timer=time.thread_time, number=1, repeat=times)
        return result_of(results[0], chosen, min(seconds))
    except Exception as error:
        return error


def _ways(methods: list[Any], heuristics: list[Any], options: Row, times: int) -> list[_Way]:
    """All ways to search. Raises `ValueError` for unknown options, and for values that the table can't tell apart."""
    _require_different_names("method", methods)
    _require_different_names("heuristic", heuristics)
    swept = {method: _swept(method, options) for method in methods}
    known = dict.fromkeys(name for values in swept.values() for name in values)
    if unknown := [name for name in options if name not in known]:
        there = f"The options are: {', '.join(known)}" if known else "This method has no options"
        raise ValueError(f"There is no option {unknown[0]!r}. {there}.")
    ways: dict[table.Key, _Way] = {}
    for method in methods:
        for heuristic, *values in product([None] if method == "mcts" else heuristics, *swept[method].values()):
            way = _way(method, heuristic, dict(zip(swept[method], values, strict=True)), times)
            ways.setdefault(cells_of(way.asked, KEY), way)
    return [*ways.values()]


def _way(method: Any, heuristic: Any, chosen: Row, times: int) -> _Way:
    """A method with its options."""
    asked = {name: simple(value) for name, value in chosen.items()}
    own = {name: asked.pop(name) for name in chosen if name not in OPTIONS}
    words = [name_of(method), asked.get("order"), *filter(chosen.get, table.SWITCHES)]
    if method == "mcts":
        words.append(count_phrase(chosen["playouts"], "playout").replace(",", ""))
    words += [f"{name}={name_of(value)}" for name, value in own.items()]
    asked |= {"method": words[0], "setting": ", ".join(filter(None, words)), "times": times}
    asked["options"] = json.dumps(own) if own else None
    asked["code"] = fingerprint({"method": method, "heuristic": heuristic} | chosen)
    asked["heuristic"] = None if method == "mcts" else name_of(heuristic)
    return _Way(asked, (_function(method), heuristic, chosen))


def _positions(boards: Any) -> dict[Any, Row]:
    """Each position in the columns of a table. Raises `ValueError` for anything else, and for equal `repr`s."""
    if getattr(boards, "ndim", 1) > 1:
        raise ValueError("An array takes boards apart, so its elements are no boards. Give a list of boards.")
    several = _several(boards)
    for position in several:
        require_position(position, "sweep()")
    plies = getattr(boards, "plies", {})  # of a sample
    positions = {position: table.row_of_position(position, plies.get(position)) for position in dict.fromkeys(several)}
    if len(positions) < len(several):
        merged = f"{len(several) - len(positions):,} of {count_phrase(len(several), 'position')}"
        print(f"Equal positions are searched once: {merged} had been given before.")
    if not positions:
        print("There are no positions to search, so the table is empty.")
    texts: dict[Any, Row] = {}
    for row in positions.values():
        if texts.setdefault((row.get("shape"), row.get("k"), row["board"]), row) is not row:
            raise ValueError(f"Two different positions have the `repr` {row['board']}. Make them differ.")
    return positions


def _require_different_names(option: str, values: Iterable[Any]) -> None:
    """Raise `ValueError` if the table would hold two different values under one name."""
    named: dict[str, str] = {}
    for value in values:
        name, text = name_of(value), described(value)
        if named.setdefault(name, text) != text:
            advice = f"{RENAME}, or, if they are objects, let their `repr` say what differs."
            raise ValueError(f"Two different values of `{option}` have the name {name}. {advice}")


def _function(method: Any) -> Any:
    """The function of a method. Raises `ValueError` if there is no such method."""
    if method in COMPILED:
        from ttt.search import compiled  # needs numba, which is an extra

        return getattr(compiled, method.partition(".")[2])
    if not callable(method) and method not in METHODS:
        there = ", ".join((*METHODS, *COMPILED))
        raise ValueError(f"There is no method {method!r}. The methods are {there}, or your own function.")
    return method if callable(method) else METHODS[method]


def _swept(method: Any, given: Row) -> dict[str, list[Any]]:
    """A method's options with all their values. Raises `ValueError` for options that the table can't hold."""
    function = _function(method)
    parameters = signature(function).parameters
    names = [name for name in OPTIONS if name in parameters]
    if not is_of_the_lab(function):
        kinds = (Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY)
        names = [name for name in [*parameters][3:] if parameters[name].kind in kinds]
    swept = {name: _several(given[name]) if name in given else [parameters[name].default] for name in names}
    for name, values in swept.items():
        if values == [Parameter.empty]:
            raise ValueError(f"{name_of(method)}() needs a value for `{name}`: pass `{name}=` to `sweep`.")
        if name in table.TAKEN and name not in OPTIONS:
            raise ValueError(f"`{name}` is a column of the table. Give the option of {name_of(method)}() another name.")
        _require_different_names(name, values)
        for value in map(simple, values):
            if isinstance(value, int) and abs(value) > MAX_WHOLE:
                raise ValueError(f"`{name}` must be between -2**63 and 2**63, not {value}.")
    return swept


def _whole_number(name: str, value: Any, least: int) -> int:
    """The number as an int. Raises `ValueError` if it is not a whole number or is too small."""
    with suppress(TypeError):
        if index(value) >= least:
            return index(value)
    raise ValueError(f"`{name}` must be a whole number, {least} or more, not {value!r}.")


def _several(value: Any) -> list[Any]:
    """A single value as a list of one; several values as a list."""
    single = isinstance(value, str) or callable(value) or hasattr(value, "play") or not isinstance(value, Iterable)
    return [value] if single else list(value)
