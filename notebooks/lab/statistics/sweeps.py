"""Searches many positions in many ways, in this process or in others."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import nullcontext, suppress
from functools import partial
from inspect import Parameter, signature
from itertools import product
from operator import index
from pathlib import Path
from random import Random
from threading import Lock
from time import process_time
from timeit import repeat
from typing import TYPE_CHECKING, Any

from lab.statistics.batches import in_batches, pool
from lab.statistics.sweep_file import (
    COLUMNS_OF_SWEEPS,
    OPTIONS,
    SWITCHES,
    Row,
    Setting,
    as_line,
    name_of,
    opened,
    setting_of,
    simple,
    stored,
)
from lab.statistics.table import as_frame, row_of_position, row_of_result
from ttt.board import Board
from ttt.heuristics import Heuristic
from ttt.position import Position, require_position
from ttt.progress import progress
from ttt.search import Search, alphabeta, mcts, minimax, negamax
from ttt.words import count_phrase

if TYPE_CHECKING:
    from pandas import DataFrame

ONE_AT_A_TIME = "With `times`, a process must run one search at a time, so threads can't be used. Use processes."
_TIMING = Lock()  # held while a process measures times


def _mcts(board: Board, *_: object, playouts: int = 1000, seed: int = 0) -> Search:
    return mcts(board, index(playouts), rng=Random(index(seed)))


def _compiled_minimax(*search: Any) -> Search:
    from ttt.search import compiled  # needs numba, which is an extra

    return compiled.minimax(*search)


def _compiled_alphabeta(*search: Any, order: str = "row-major") -> Search:
    from ttt.search import compiled

    return compiled.alphabeta(*search, order=order)


Plan = dict[Setting, tuple[Row, Callable[[], Any]]]  # what is asked, and the search

METHODS: Any = {
    "alphabeta": alphabeta,
    "minimax": minimax,
    "negamax": negamax,
    "mcts": _mcts,
    "compiled.alphabeta": _compiled_alphabeta,
    "compiled.minimax": _compiled_minimax,
}


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
    **options: Any,
) -> DataFrame:
    """Search every position to every depth in every way, and return a table with one row per search.

    Lists are swept: every value is combined with every other. For other combinations, `pandas.concat` several sweeps.

    Args:
        boards: a board or several, as from `random_positions` or `every_position`, or positions of your own game.
        depth: in plies; by default to the end of the game. If fewer cells are free, the row holds their number.
        method: "alphabeta", "minimax", "negamax", "mcts", or a function of (board, depth, heuristic) that returns a
            value or a `Search`. Where numba is installed, "compiled.alphabeta" and "compiled.minimax" find the same
            as the readable searches, about a hundred times as fast.
        heuristic: a function of a board and a player, such as `open_lines` or `LineWeights(0, 1, 3, 9)` of
            `ttt.heuristics`; or None.
        out: a CSV file that receives each row as soon as it is found. Existing rows are not searched again, so a
            stopped sweep can resume. Delete the file after changing a function; `read` loads its table. A second
            sweep on the same file waits for the first.
        n_jobs: how many processes to use; worthwhile if searches take minutes, as starting takes a second or two.
            You may define your own functions in the notebook.
        executor: any `concurrent.futures.Executor` to use instead: with dask, `Client(ADDRESS).get_executor()`.
        times: how often to run each search; `seconds` is the processor time of the fastest run. A process may then
            run only one search at a time, so threads are refused.
        options: of alpha-beta (order, killer, table, symmetry, deepening; compiled only order), mcts (playouts,
            seed), or your own function (its parameters after the third). `killer=[False, True]` compares, and
            `seed=[1, 2, 3]` searches three times, but `summary` and `compare` count each position once.

    The columns are `board` (for `board_of`), `marks`, `setting` (the method with its options) and all arguments;
    the results `value`, `move`, `nodes`, `interior`, `leaves`, `cutoffs` and `seconds`; and lists, for pandas'
    `explode`: `nodes_per_ply`, `cutoffs_by_move`, `moves` and `move_values`. For positions of other games, `board` is
    their `repr`, `position` holds them, and what only boards have is empty.

    Raises `ValueError`, `OSError`, and whatever the searches and processes raise, such as when a process dies.
    """
    times, n_jobs = _whole_number("times", times, 0), _whole_number("n_jobs", n_jobs, 1)
    _require_executor(executor, times)
    positions = _several(boards)
    for position in positions:
        require_position(position, "sweep()")
    plan = _plan(positions, _several(method), _several(heuristic), _several(depth), options, times)
    with opened(out) if out else nullcontext() as file, pool(n_jobs, executor) as processes:
        rows = stored(file) if file else {}
        missing = {setting: search for setting, (_, search) in plan.items() if setting not in rows}
        if len(missing) < len(plan):
            share = f"{len(plan) - len(missing):,} of {count_phrase(len(plan), 'row')}"
            print(f"Already in {out}: {share}. Delete the file after changing a function.")
        found = in_batches(missing, processes) if processes else ((name, missing[name]()) for name in missing)
        for setting, row in progress(found, "searches", len(missing)):
            rows[setting] = plan[setting][0] | row
            if file:
                file.write(as_line(rows[setting]))
                file.flush()
    return as_frame([rows[setting] | {"position": asked["position"]} for setting, (asked, _) in plan.items()])


def _plan(
    positions: list[Any], methods: list[Any], heuristics: list[Any], depths: list[Any], options: Row, times: int
) -> Plan:
    """All searches to run, with what is asked, keyed by their settings. Raises `ValueError` for unknown options."""
    _require_different_names(methods)
    _require_different_names(heuristics)
    swept = {method: _swept(method, options) for method in methods}
    _require_known(options, [name for values in swept.values() for name in values])
    depths = [None if plies is None else _whole_number("depth", plies, 0) for plies in depths]
    plan: Plan = {}
    for position, method in product(positions, methods):
        there = row_of_position(position)
        for heuristic, *values, depth in product(heuristics, *swept[method].values(), depths):
            chosen = dict(zip(swept[method], values, strict=True))
            if isinstance(position, Board) and depth is not None:
                depth = min(depth, len(position.moves))
            asked = there | _asked(method, chosen) | {"times": times}
            if method != "mcts":
                asked |= {"heuristic": name_of(heuristic), "depth": depth}
            search = partial(METHODS.get(method, method), position, depth, heuristic, **chosen)
            same, _ = plan.setdefault(setting_of(asked), (asked, partial(_row, search, times)))
            if same["position"] != there["position"]:
                raise ValueError(f"Two different positions have the `repr` {asked['board']}. Make them differ.")
    return plan


def _require_different_names(functions: Iterable[Any]) -> None:
    """Raise `ValueError` if the table would hold two functions under one name."""
    different = {*functions}
    names = {*map(name_of, different)}
    if len(names) < len(different):
        raise ValueError(f"Two functions among {', '.join(names)} share a name. Rename one of them.")


def _require_known(options: Iterable[str], known: list[str]) -> None:
    """Raise `ValueError` for an option that no method has."""
    for name in options:
        if name not in known:
            there = f"The options are: {', '.join(dict.fromkeys(known))}" if known else "This method has no options"
            raise ValueError(f"There is no option {name!r}. {there}.")


def _asked(method: Any, chosen: Row) -> Row:
    """A method and its options in the columns of a table."""
    asked = {name: simple(value) for name, value in chosen.items()}
    own = {name: asked.pop(name) for name in chosen if name not in OPTIONS}
    words = [name_of(method), chosen.get("order"), *filter(chosen.get, SWITCHES)]
    if method == "mcts":
        words.append(count_phrase(chosen["playouts"], "playout").replace(",", ""))
    words += [f"{name}={name_of(value)}" for name, value in own.items()]
    options = json.dumps(own) if own else None
    return asked | {"method": words[0], "setting": ", ".join(filter(None, words)), "options": options}


def _swept(method: Any, given: Row) -> dict[str, list[Any]]:
    """A method's options with all their values. Raises `ValueError` if there is no such method."""
    if not callable(method) and method not in METHODS:
        raise ValueError(f"There is no method {method!r}. The methods are {', '.join(METHODS)}, or your own function.")
    parameters = signature(METHODS.get(method, method)).parameters
    names = [name for name in OPTIONS if name in parameters]
    if method not in METHODS and method not in METHODS.values():
        kinds = (Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY)
        names = [name for name in [*parameters][3:] if parameters[name].kind in kinds]
    swept = {name: _several(given[name]) if name in given else [parameters[name].default] for name in names}
    for name, values in swept.items():
        if values == [Parameter.empty]:
            raise ValueError(f"{name_of(method)}() needs a value for `{name}`: pass `{name}=` to `sweep`.")
        if name in COLUMNS_OF_SWEEPS and name not in OPTIONS:
            raise ValueError(f"`{name}` is a column of the table. Give the option of {name_of(method)}() another name.")
    return swept


def _whole_number(name: str, value: Any, least: int) -> int:
    """The number as an int. Raises `ValueError` if it is not a whole number or is too small."""
    with suppress(TypeError):
        if index(value) >= least:
            return index(value)
    raise ValueError(f"`{name}` must be a whole number, {least} or more, not {value!r}.")


def _require_executor(executor: Any, times: int) -> None:
    """Raise `ValueError` for anything but an executor, and for threads if times are measured."""
    if executor is not None and not hasattr(executor, "submit"):
        advice = "With dask, write `Client(ADDRESS).get_executor()`."
        raise ValueError(f"`executor` must be an executor of `concurrent.futures`, not {executor!r}. {advice}")
    if times and isinstance(executor, ThreadPoolExecutor):
        raise ValueError(ONE_AT_A_TIME)


def _row(search: Callable[[], Any], times: int) -> Row:
    """What a search found and, if it is to be timed, its seconds. Raises `ValueError` if another is timed here, too."""
    if not times:
        return row_of_result(search())
    if not _TIMING.acquire(blocking=False):
        raise ValueError(ONE_AT_A_TIME)
    results: list[Any] = []
    try:
        seconds = min(repeat(lambda: results.append(search()), timer=process_time, number=1, repeat=times))
        return row_of_result(results[0]) | {"seconds": seconds}
    finally:
        _TIMING.release()


def _several(value: Any) -> list[Any]:
    """A single value as a list of one; several values as a list."""
    single = isinstance(value, str) or callable(value) or hasattr(value, "play") or not isinstance(value, Iterable)
    return [value] if single else list(value)
