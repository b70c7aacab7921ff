"""What searches cost: sample positions, a table with one row per search, and summaries of it."""

from __future__ import annotations

import json
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import nullcontext, suppress
from functools import cache, partial
from inspect import Parameter, signature
from itertools import chain, product, zip_longest
from math import prod
from operator import index
from pathlib import Path
from random import Random
from threading import Lock
from time import process_time
from timeit import repeat
from typing import TYPE_CHECKING, Any

import numpy as np

from lab.batches import in_batches, pool
from lab.sweep_file import (
    COLUMNS_OF_SWEEPS,
    FOUND,
    LISTS,
    OPTIONS,
    POSITION,
    SETTING,
    SWITCHES,
    TEXTS,
    Row,
    Setting,
    name_of,
    opened,
    rows_of,
    setting_of,
    simple,
    write_row,
)
from ttt.arena.games import reachable
from ttt.board import Board, BoardError, short_repr
from ttt.heuristics import Heuristic
from ttt.position import MAX_PLIES, Position, require_position
from ttt.progress import progress
from ttt.search import Search, alphabeta, mcts, minimax, negamax
from ttt.search.search import count_phrase
from ttt.symmetry import canonical

if TYPE_CHECKING:
    from pandas import DataFrame, Series

MAX_TRIES = 1000  # attempts to find another position with a given number of marks
MAX_CELLS_TO_SOLVE = 10  # free cells of a board to solve exactly
MAX_POSITIONS_TO_SOLVE = 500_000  # of other games
RESAMPLES = 1000
MIN_POSITIONS = 10  # for an interval
END = -1  # as a depth: to the end of the game

_TIMING = Lock()  # held while a process measures times


def every_position(board: Position) -> list[Any]:
    """Every unfinished position reachable from a board, one from each set of mirror images: 627 on 3×3.

    In other games, mirror images count as different. Raises `ValueError` for more than 100,000.
    """
    unfinished = [position for position in reachable("random", board=board) if not position.over]
    if not isinstance(board, Board):
        return sorted(unfinished, key=repr)
    return sorted({*map(canonical, unfinished)}, key=lambda position: (-len(position.moves), position.x, position.o))


def random_positions(
    board: Position, count: int, seed: int = 0, *, free: int = 1, marks: Container[int] | None = None
) -> list[Any]:
    """Distinct unfinished positions reachable from a board, spread evenly over the numbers of marks.

    Each has at least `free` free cells, so with `free=4` none is too small for a search of four plies, and one of the
    numbers of marks given, such as `range(1, 9)`. Positions with equally many marks are equally likely; if there are
    too few, other numbers get more. Mirror images count as different.

    In other games, positions are those of random games; `marks` counts the moves made, and `free` those to choose from.

    Raises `ValueError` if there are too few in all.

    >>> [len(position) - len(position.moves) for position in random_positions(Board(), 10, seed=7)]
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 1]
    """
    require_position(board, "random_positions()", ValueError)
    find = _random_boards if isinstance(board, Board) else _positions_of_games
    positions = find(board, count, Random(seed), free, marks)
    if len(positions) < count:
        found = count_phrase(len(positions), "different position")
        raise ValueError(f"`random_positions()` found only {found}, not {count}. Ask for fewer.")
    return positions


def _random_boards(board: Any, count: int, chance: Random, free: int, marks: Container[int] | None) -> list[Any]:
    positions: dict[Board, None] = {}
    there = len(board) - len(board.moves)
    levels = [n for n in range(len(board.moves) - free + 1) if marks is None or there + n in marks]
    while levels and len(positions) < count:
        for more in levels[: count - len(positions)]:
            tries = (_with_more_marks(board, more, chance) for _ in range(MAX_TRIES))
            new = next((one for one in tries if one and not one.over and one not in positions), None)
            if new:
                positions[new] = None
            else:
                levels.remove(more)
    return list(positions)


def _with_more_marks(board: Board, marks: int, chance: Random) -> Board | None:
    """A board with this many more marks at random; None if both sides would have won."""
    cells = chance.sample(board.moves, marks)
    own, other = (sum(1 << cell for cell in some) for some in (cells[::2], cells[1::2]))
    x, o = (own, other) if board.turn == "X" else (other, own)
    with suppress(BoardError):
        return Board(board.shape, board.k, x=board.x | x, o=board.o | o)
    return None


def _positions_of_games(start: Any, count: int, chance: Random, free: int, marks: Container[int] | None) -> list[Any]:
    """Positions that random games reach, taken in turn from those after no move, one move, two moves, and so on."""
    levels: list[dict[Any, None]] = [{} for _ in range(MAX_PLIES)]
    seen = set()
    for _ in range(MAX_TRIES + 10 * count):
        position = start
        for level in levels:
            if position.over:
                break
            if position not in seen and len(position.moves) >= free:
                seen.add(position)
                level[position] = None
            position = position.play(chance.choice(position.moves))
    chosen = [level for made, level in enumerate(levels) if marks is None or made in marks]
    in_turn = chain.from_iterable(zip_longest(*chosen))
    return [position for position in in_turn if position is not None][:count]


def _mcts(board: Board, *_: object, playouts: int = 1000, seed: int = 0) -> Search:
    return mcts(board, playouts, rng=Random(index(seed)))


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
    **options: Any,
) -> DataFrame:
    """Search every position to every depth in every way, and return a table with one row per search.

    Lists are swept: every value is combined with every other. For other combinations, `pandas.concat` several sweeps.

    Args:
        boards: a board or several, as from `random_positions` or `every_position`, or positions of your own game.
        depth: in plies; by default to the end of the game. If fewer cells are free, the row holds their number.
        method: "alphabeta", "minimax", "negamax", "mcts", or a function of (board, depth, heuristic) that returns a
            value or a `Search`. With numba, "compiled.alphabeta" and "compiled.minimax" find the same as the readable
            searches, about a hundred times as fast.
        heuristic: a function of a board and a player, such as `open_lines` or `LineWeights(0, 1, 3, 9)`; or None.
        out: a CSV file that receives each row as soon as it is found. Existing rows are not searched again, so a
            stopped sweep can resume. Delete the file after changing a function; `read` loads its table.
        n_jobs: how many processes to use; worthwhile if searches take minutes, as starting takes a second or two.
        executor: any `concurrent.futures.Executor` to use instead: with dask, `Client(ADDRESS).get_executor()`.
        times: how often to run each search; `seconds` is the processor time of the fastest run.
        options: of alpha-beta (order, killer, table, symmetry, deepening; compiled only order), mcts (playouts,
            seed), or your own function (its parameters after the third). `killer=[False, True]` compares, and
            `seed=[1, 2, 3]` searches three times, but `summary` and `compare` count each position once.

    The columns are `board` (for `board_of`), `marks`, `setting` (the method with its options) and all arguments;
    the results `value`, `move`, `nodes`, `interior`, `leaves`, `cutoffs` and `seconds`; and lists, for pandas'
    `explode`: `nodes_per_ply`, `cutoffs_by_move`, `moves` and `move_values`. For positions of other games, `board` is
    their `repr`, `position` holds them, and what only boards have is empty.

    Raises `ValueError`, `OSError`, and whatever the searches and processes raise, such as when a process dies.
    """
    if times and isinstance(executor, ThreadPoolExecutor):
        raise ValueError("With `times`, a process must run one search at a time, so use processes instead of threads.")
    methods = _by_name((name_of(one), _function(one)) for one in _several(method))
    heuristics = _by_name((name_of(one), one) for one in _several(heuristic))
    depths = [None if plies is None else index(plies) for plies in _several(depth)]
    plan = _plan(_several(boards), [*_ways(methods, heuristics, depths, options)], times)
    store: Any = opened(out) if out else nullcontext((None, {}))
    with store as (file, rows), pool(n_jobs, executor) as processes:
        missing = {setting: search for setting, (_, search) in plan.items() if setting not in rows}
        if len(missing) < len(plan):
            share = f"{len(plan) - len(missing):,} of {count_phrase(len(plan), 'row')}"
            print(f"Already in {out}: {share}. Delete the file after changing a function.")
        found = in_batches(missing, processes) if processes else ((name, missing[name]()) for name in missing)
        for setting, row in progress(found, "searches", len(missing)):
            rows[setting] = plan[setting][0] | row
            if file:
                write_row(file, rows[setting])
    return _frame([rows[setting] | {"position": asked["position"]} for setting, (asked, _) in plan.items()])


def tabulate(searches: Iterable[Search]) -> DataFrame:
    """A table of searches that you ran one by one, with one row per search, for all that takes a sweep's table.

    `setting` is the method in words, and `depth` the number of plies that a search looked ahead (empty for mcts).
    Arguments that a `Search` doesn't hold are empty; add them with pandas' `assign`.
    """
    rows = []
    for search in searches:
        asked: Row = {"setting": search.method, "method": search.method.partition(",")[0]}
        asked |= {"playouts": search.playouts} if search.playouts else {"depth": search.depth}
        rows.append(_described(search.board) | asked | _found(search))
    return _frame(rows)


def read(file: Path | str) -> DataFrame:
    """Load a sweep's file: lists as lists, settings as ordered categories. Raises `ValueError` for other files."""
    return _frame([*rows_of(Path(file).read_bytes(), f"{file}").values()])


def board_of(row: Any) -> Any:
    """The position in a row of a sweep's table: `board_of(frame.loc[0])`."""
    if isinstance(row["shape"], str):
        return Board.from_text(row["board"], tuple(map(int, row["shape"].split("x"))), int(row["k"]))
    if not hasattr(row.get("position"), "play"):
        raise ValueError(f"A file can't hold {row['board']}. Get the table from `sweep` with the same `out`.")
    return row["position"]


def _frame(rows: list[Row]) -> DataFrame:
    """The rows as a table, with a column for each option of your own, and positions if they are not boards."""
    from pandas import DataFrame

    types: dict[str, Any] = dict.fromkeys(("k", "marks", "playouts", "seed", "depth", "times", *FOUND[2:]), "Int64")
    types |= dict.fromkeys(SWITCHES, "boolean") | dict.fromkeys(("value", "seconds"), "float64")
    types |= dict.fromkeys(TEXTS, "string")
    options = [json.loads(row.get("options") or "{}") for row in rows]
    own = [*dict.fromkeys(chain.from_iterable(options))]
    rows = [some | row for some, row in zip(options, rows, strict=True)]
    where = ["position"] if any(row.get("position") is not None for row in rows) else []
    frame = DataFrame(rows, columns=[*COLUMNS_OF_SWEEPS, *own, *where], dtype=object).astype(types)
    return _with_categories(frame.assign(**{name: frame[name].convert_dtypes() for name in ("move", *own)}))


def _with_categories(frame: DataFrame) -> DataFrame:
    """Restore the settings as ordered categories, which `pandas.concat` turns into text."""
    from pandas import Categorical

    texts = [frame[name] for name in ("heuristic", "setting", "method", "order") if frame[name].dtype != "category"]
    return frame.assign(**{f"{text.name}": Categorical(text, text.dropna().unique(), ordered=True) for text in texts})


def _several(value: Any) -> list[Any]:
    """A single value as a list of one; several values as a list."""
    single = isinstance(value, str) or callable(value) or hasattr(value, "play") or not isinstance(value, Iterable)
    return [value] if single else list(value)


def _function(method: Any) -> Any:
    """A method's function. Raises `ValueError` if there is no such method."""
    if callable(method):
        return method
    if method in COMPILED:
        from ttt.search import compiled  # needs numba, which is an extra

        return getattr(compiled, method.removeprefix("compiled."))
    if method in METHODS:
        return METHODS[method]
    names = ", ".join((*METHODS, *COMPILED))
    raise ValueError(f"There is no method {method!r}. The methods are {names}, or your own function.")


def _by_name(functions: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    named: dict[str, Any] = {}
    for name, function in functions:
        if named.setdefault(name, function) != function:
            raise ValueError(f"Two functions share the name {name}. Rename one of them.")
    return named


def _ways(methods: Row, heuristics: Row, depths: list[int | None], options: Row) -> Iterator[tuple[Any, ...]]:
    """Every method with every heuristic, value of its options, and depth. Raises `ValueError` for unknown options."""
    swept = {name: _swept(function, options) for name, function in methods.items()}
    known = dict.fromkeys(chain.from_iterable(swept.values()))
    for option in options:
        if option not in known:
            there = f"The options are: {', '.join(known)}" if known else "This method has no options"
            raise ValueError(f"There is no option {option!r}. {there}.")
    for name, own in swept.items():
        for heuristic, *values, depth in product(heuristics, *own.values(), depths):
            yield name, methods[name], heuristic, heuristics[heuristic], depth, dict(zip(own, values, strict=True))


def _swept(function: Any, given: Row) -> dict[str, list[Any]]:
    """A function's options with all their values. Those without one are left to the function's own error."""
    parameters = [*signature(function).parameters.values()]
    if function is _mcts or function.__module__.startswith("ttt.search"):
        own = [parameter for parameter in parameters if parameter.name in OPTIONS]
    else:
        kinds = (Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY)
        own = [parameter for parameter in parameters[3:] if parameter.kind in kinds]
    swept = {one.name: _several(given[one.name]) if one.name in given else [one.default] for one in own}
    for name in swept:
        if name in COLUMNS_OF_SWEEPS and name not in OPTIONS:
            raise ValueError(f"`{name}` is a column of the table. Give this option of your function another name.")
    return {name: values for name, values in swept.items() if values != [Parameter.empty]}


def _plan(positions: list[Any], ways: list[Any], times: int) -> dict[Setting, tuple[Row, Callable[[], Any]]]:
    """All searches to run, with what is asked, keyed by their settings."""
    plan: dict[Setting, tuple[Row, Callable[[], Any]]] = {}
    for position in positions:
        require_position(position, "sweep()", ValueError)
        described = _described(position)
        for method, function, heuristic_name, heuristic, depth, options in ways:
            if isinstance(position, Board) and depth is not None:
                depth = min(depth, len(position.moves))
            asked = described | _asked(method, options) | {"times": times}
            if function is not _mcts:
                asked |= {"heuristic": heuristic_name, "depth": depth}
            search = partial(_row, partial(function, position, depth, heuristic, **options), times)
            same, _ = plan.setdefault(setting_of(asked), (asked, search))
            if same["position"] != described["position"]:
                raise ValueError(f"Two different positions have the `repr` {asked['board']}. Make them differ.")
    return plan


def _described(position: Any) -> Row:
    """A position in the columns of a table. Raises `ValueError` if its `repr` doesn't say which it is."""
    if isinstance(position, Board):
        text = f"\n{position}".replace(" ", "").replace("\n", "/")  # a leading dash starts a formula in a spreadsheet
        shape = "x".join(map(str, position.shape))
        marks = len(position) - len(position.moves)
        return {"shape": shape, "k": position.k, "board": text, "marks": marks, "position": None}
    if " at 0x" in repr(position):
        name = type(position).__name__
        raise ValueError(f"{short_repr(position)} doesn't say which position it is: make {name} a dataclass.")
    return {"board": " ".join(short_repr(position).split()), "position": position}


def _asked(method: str, chosen: Row) -> Row:
    """A method and its options in the columns of a table."""
    asked = {name: simple(value) for name, value in chosen.items()}
    own = {name: asked.pop(name) for name in chosen if name not in OPTIONS}
    words = [method, chosen.get("order"), *filter(chosen.get, SWITCHES)]
    if "playouts" in asked:
        words.append(count_phrase(asked["playouts"], "playout").replace(",", ""))
    words += [f"{name}={name_of(value)}" for name, value in own.items()]
    options = json.dumps(own) if own else None
    return asked | {"method": method, "setting": ", ".join(filter(None, words)), "options": options}


def _row(search: Callable[[], Any], times: int) -> Row:
    """What a search found and, if it is to be timed, its seconds. Threads of one process take turns at that."""
    if not times:
        return _found(search())
    with _TIMING:
        return _found(search()) | {"seconds": min(repeat(search, timer=process_time, number=1, repeat=times))}


def _found(result: Any) -> Row:
    """What a search found, in the columns of a table. Raises the errors of `float` if the value is not a number."""
    lists: Row = {name: [] for name in LISTS}
    if not isinstance(result, Search):
        return {"value": float(result)} | lists
    row = {name: getattr(result, name) for name in FOUND} | {"move": simple(result.move)}
    moves, values = ([*map(simple, some)] for some in (result.values, result.values.values()))
    return row | {"moves": moves, "move_values": values} | {name: [*getattr(result, name)] for name in LISTS[2:]}


def require_columns(frame: DataFrame, *names: str) -> None:
    """Raise `KeyError` unless the table has these columns."""
    for name in names:
        if name not in frame:
            raise KeyError(f"There is no column {name!r}. The columns are {', '.join(map(str, frame))}.")


def cost_column(frame: DataFrame, y: str | None = None) -> str:
    """The column for costs: y or, by default, "nodes", or "seconds" if some searches counted no nodes."""
    require_columns(frame, y or "nodes")
    return y or ("nodes" if frame["nodes"].notna().all() else "seconds")


def compare(frame: DataFrame, column: str, baseline: Any, y: str | None = None) -> DataFrame:
    """Each search's cost relative to the baseline's on the same position, all else being equal: one row per pair.

    Args:
        column: what differs within a pair, such as "order" or "killer"; "setting" for methods, whose options differ.
        baseline: the value of that column to divide by, such as "row-major", False or "mcts, 100 playouts".
        y: the cost; by default the nodes, or the seconds if a search counted no nodes.

    A setting that one method lacks, such as a depth in mcts, counts as equal. Of searches that differ only in the
    seed, the median counts. The columns are those that a pair shares, the column, y, `baseline` (its cost), and
    `ratio`. Raises `KeyError` and `ValueError`.
    """
    require_columns(frame, column, *POSITION, *SETTING)
    y = cost_column(frame, y)
    frame = _with_categories(frame)
    values = frame[column].dropna().unique().tolist()
    if baseline not in values:
        there = ", ".join(map(repr, values))
        raise ValueError(f"There is no {column} {baseline!r} to compare with. Choose from {there}.")
    own = dict.fromkeys(name for text in frame["options"].dropna().unique() for name in json.loads(text))
    shared = [name for name in (*SETTING, *own) if name not in (column, "setting", "options", "seed")]
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
    if not (pairs["baseline"] > 0).fillna(False).all() or pairs[y].isna().any():
        advice = "For seconds, sweep with `times=1`."
        raise ValueError(f"`{y}` must be above 0 with {column} {baseline!r}, and known in every row. {advice}")
    ratios = pairs[y].astype(float) / pairs["baseline"].astype(float)
    return pairs.assign(depth=pairs["depth"].mask(pairs["depth"] == END), ratio=ratios)


def summary(frame: DataFrame, by: str | Sequence[str], y: str, estimator: str | None = None) -> DataFrame:
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
    position = [name for name in POSITION if name in frame] if "board" in frame else []
    if frame[y].isna().all():
        raise ValueError(f"No row has a value of {y!r}. Choose another column.")

    def measures(group: DataFrame) -> Series[float]:
        values = group.groupby(position, sort=False, dropna=False)[y].agg(estimator) if position else group[y]
        low = high = np.nan
        if len(values) >= MIN_POSITIONS:
            draws = np.random.default_rng(0).choice(values, (RESAMPLES, len(values)))
            low, high = np.percentile(getattr(np, estimator)(draws, axis=1), (2.5, 97.5))
        return pandas.Series({"n": len(values), "middle": values.agg(estimator), "low": low, "high": high})

    groups = frame.dropna(subset=[y]).astype({y: float}).groupby(by, observed=True)
    return groups[[*position, y]].apply(measures).astype({"n": int})


def right(frame: DataFrame) -> Series[bool]:
    """Whether each search plays one of the best moves, according to minimax to the end of the game.

    Raises `ValueError` for more than ten free cells, and for other games if they are too large.
    """
    found = [row["move"] in map(simple, _best_moves(board_of(row))) for _, row in frame.iterrows()]
    return frame.assign(right=found)["right"].astype(bool)


def lucky(frame: DataFrame) -> Series[float]:
    """The probability that a random mover plays one of the best moves in each search's position.

    It is 1 if every move is best; only below 1 does the choice matter. Raises `ValueError` as `right` does.
    """
    boards = [board_of(row) for _, row in frame.iterrows()]
    return frame.assign(lucky=[len(_best_moves(board)) / len(board.moves) for board in boards])["lucky"].astype(float)


@cache
def _best_moves(position: Any) -> tuple[Any, ...]:
    if isinstance(position, Board) and len(position.moves) > MAX_CELLS_TO_SOLVE:
        raise ValueError(f"{len(position.moves)} free cells on {position!r} are too many to find the best moves.")
    values = {move: -_exact(position.play(move)) for move in position.moves}
    return tuple(move for move, value in values.items() if value == max(values.values()))


@cache
def _exact(position: Any) -> int:
    """The result for the side to move if both sides play their best: 1, 0 or -1."""
    if position.over:
        return 0 if position.winner is None else 1 if position.winner == position.turn else -1
    if _exact.cache_info().currsize >= MAX_POSITIONS_TO_SOLVE:
        _exact.cache_clear()
        raise ValueError(f"{short_repr(position)} belongs to a game too large to find the best moves.")
    return max(-_exact(position.play(move)) for move in position.moves)


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
