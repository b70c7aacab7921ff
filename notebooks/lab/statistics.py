"""What searches cost: sample positions, a table with one row per search, and summaries of it."""

from __future__ import annotations

import json
from collections.abc import Callable, Container, Iterable, Sequence
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
    as_line,
    name_of,
    opened,
    rows_of,
    setting_of,
    simple,
    stored,
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

ONE_AT_A_TIME = "With `times`, a process must run one search at a time, so threads can't be used. Use processes."
_TIMING = Lock()  # held while a process measures times
_solved: dict[Any, int] = {}  # the exact results of positions


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

    Each has at least `free` free cells and one of the numbers of marks given, such as `range(1, 9)`: with `free=4`
    none is too small for a search of four plies. Positions with equally many marks are equally likely; if there are
    too few, other numbers get more. Mirror images count as different.

    In other games, positions are those of random games, spread evenly over the numbers of moves made, which are their
    `marks`; `free` is how many moves each leaves at least.

    Raises `ValueError` if there are too few in all.

    >>> [len(position) - len(position.moves) for position in random_positions(Board(), 10, seed=7)]
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 1]
    """
    require_position(board, "random_positions()", ValueError)
    chance = Random(seed)
    if isinstance(board, Board):
        positions = _random_boards(board, count, chance, free, marks)
    else:
        positions = _positions_of_games(board, count, chance, free, marks)
    if len(positions) < count:
        found = count_phrase(len(positions), "different position")
        raise ValueError(f"`random_positions()` found only {found}, not {count}. Ask for fewer.")
    return positions


def _random_boards(board: Board, count: int, chance: Random, free: int, marks: Container[int] | None) -> list[Board]:
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
    return list(positions)


def _another(board: Board, marks: int, known: Container[Board], chance: Random) -> Board | None:
    """A new position with this many more marks; None if none is found."""
    for _ in range(MAX_TRIES):
        cells = chance.sample(board.moves, marks)
        own, other = (sum(1 << cell for cell in some) for some in (cells[::2], cells[1::2]))
        x, o = (own, other) if board.turn == "X" else (other, own)
        with suppress(BoardError):  # both sides have won
            position = Board(board.shape, board.k, x=board.x | x, o=board.o | o)
            if not position.over and position not in known:
                return position
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
    plan = _plan(_several(boards), _several(method), _several(heuristic), _several(depth), options, times)
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
    with Path(file).open("rb") as opened:
        return _frame([*rows_of(opened).values()])


def board_of(row: Any) -> Any:
    """The position in a row of a sweep's table: `board_of(frame.loc[0])`."""
    if isinstance(row["shape"], str):
        return Board.from_text(row["board"], tuple(map(int, row["shape"].split("x"))), int(row["k"]))
    if not hasattr(row.get("position"), "play"):
        raise ValueError(f"A file can't hold {row['board']}. Get the table from `sweep` with the same `out`.")
    return row["position"]


def _frame(rows: list[Row]) -> DataFrame:
    """The rows as a table, with a column for each option of your own, and positions if they are not boards."""
    from pandas import DataFrame, Series

    types: dict[str, Any] = dict.fromkeys(("k", "marks", "playouts", "seed", "depth", "times", *FOUND[2:]), "Int64")
    types |= dict.fromkeys(SWITCHES, "boolean") | dict.fromkeys(("value", "seconds"), "float64")
    types |= dict.fromkeys(TEXTS, "string")
    frame = DataFrame(rows, columns=[*COLUMNS_OF_SWEEPS]).astype(types)
    columns: dict[str, list[Any]] = {"move": [row.get("move") for row in rows]}
    options = [json.loads(row.get("options") or "{}") for row in rows]
    for name in chain.from_iterable(options):
        columns.setdefault(name, [some.get(name) for some in options])
    frame = frame.assign(**{name: Series(column, dtype=object).convert_dtypes() for name, column in columns.items()})
    if any(row.get("position") is not None for row in rows):
        frame["position"] = Series([row.get("position") for row in rows], dtype=object)
    return _with_categories(frame)


def _with_categories(frame: DataFrame) -> DataFrame:
    """Restore the settings as ordered categories, which `pandas.concat` turns into text."""
    from pandas import Categorical

    texts = [frame[name] for name in ("heuristic", "setting", "method", "order") if frame[name].dtype != "category"]
    return frame.assign(**{f"{text.name}": Categorical(text, text.dropna().unique(), ordered=True) for text in texts})


def _plan(
    positions: list[Any], methods: list[Any], heuristics: list[Any], depths: list[Any], options: Row, times: int
) -> dict[Setting, tuple[Row, Callable[[], Any]]]:
    """All searches to run, with what is asked, keyed by their settings. Raises `ValueError` for unknown options."""
    for functions in (set(methods), set(heuristics)):
        if len(functions) > len(names := set(map(name_of, functions))):
            raise ValueError(f"Two functions among {', '.join(names)} share a name. Rename one of them.")
    swept = {method: _swept(method, options) for method in methods}
    known = dict.fromkeys(name for method in methods for name in swept[method])
    for name in options:
        if name not in known:
            there = f"The options are: {', '.join(known)}" if known else "This method has no options"
            raise ValueError(f"There is no option {name!r}. {there}.")
    depths = [None if plies is None else _whole_number("depth", plies, 0) for plies in depths]
    plan: dict[Setting, tuple[Row, Callable[[], Any]]] = {}
    for position in positions:
        require_position(position, "sweep()", ValueError)
        described = _described(position)
        for method in methods:
            for heuristic, *values, depth in product(heuristics, *swept[method].values(), depths):
                chosen = dict(zip(swept[method], values, strict=True))
                if isinstance(position, Board) and depth is not None:
                    depth = min(depth, len(position.moves))
                asked = described | _asked(method, chosen) | {"times": times}
                if method != "mcts":
                    asked |= {"heuristic": name_of(heuristic), "depth": depth}
                search = partial(METHODS.get(method, method), position, depth, heuristic, **chosen)
                same = plan.setdefault(setting_of(asked), (asked, partial(_row, search, times)))[0]
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
        return _found(search())
    if not _TIMING.acquire(blocking=False):
        raise ValueError(ONE_AT_A_TIME)
    try:
        return _found(search()) | {"seconds": min(repeat(search, timer=process_time, number=1, repeat=times))}
    finally:
        _TIMING.release()


def _found(result: Any) -> Row:
    """What a search found, in the columns of a table. Raises the errors of `float` if the value is not a number."""
    lists: Row = {name: [] for name in LISTS}
    if not isinstance(result, Search):
        return {"value": float(result)} | lists
    row = {name: getattr(result, name) for name in FOUND} | {"move": simple(result.move)}
    moves, values = ([*map(simple, some)] for some in (result.values, result.values.values()))
    return row | {"moves": moves, "move_values": values} | {name: [*getattr(result, name)] for name in LISTS[2:]}


def _several(value: Any) -> list[Any]:
    """A single value as a list of one; several values as a list."""
    single = isinstance(value, str) or callable(value) or hasattr(value, "play") or not isinstance(value, Iterable)
    return [value] if single else list(value)


def require_columns(frame: DataFrame, *names: str) -> None:
    """Raise `KeyError` unless the table has these columns."""
    for name in names:
        if name not in frame:
            raise KeyError(f"There is no column {name!r}. The columns are {', '.join(map(str, frame))}.")


def cost_column(frame: DataFrame, y: str | None = None) -> str:
    """The column for costs: y or, by default, "nodes", or "seconds" if some searches counted no nodes."""
    require_columns(frame, y or "nodes")
    for name in [y] if y else ("nodes", "seconds"):
        if y or (name in frame and frame[name].notna().all()):
            return name
    raise ValueError("Some of these searches counted no nodes. Sweep with `times=1` to compare seconds, or choose `y`.")


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
        raise ValueError(f"`{y}` must be above 0 with {column} {baseline!r}, and known in every row, to give ratios.")
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
    from pandas import Series

    found = [row["move"] in map(simple, _best_moves(board_of(row))) for _, row in frame.iterrows()]
    return Series(found, frame.index, dtype=bool)


def lucky(frame: DataFrame) -> Series[float]:
    """The probability that a random mover plays one of the best moves in each search's position.

    It is 1 if every move is best; only below 1 does the choice matter. Raises `ValueError` as `right` does.
    """
    from pandas import Series

    boards = [board_of(row) for _, row in frame.iterrows()]
    return Series([len(_best_moves(board)) / len(board.moves) for board in boards], frame.index, dtype=float)


@cache
def _best_moves(position: Any) -> tuple[Any, ...]:
    if isinstance(position, Board) and len(position.moves) > MAX_CELLS_TO_SOLVE:
        raise ValueError(f"{len(position.moves)} free cells on {position!r} are too many to find the best moves.")
    values = {move: -_exact(position.play(move)) for move in position.moves}
    return tuple(move for move, value in values.items() if value == max(values.values()))


def _exact(position: Any) -> int:
    """The result for the side to move if both sides play their best: 1, 0 or -1."""
    if position.over:
        return 0 if position.winner is None else 1 if position.winner == position.turn else -1
    if position not in _solved:
        if len(_solved) >= MAX_POSITIONS_TO_SOLVE:
            _solved.clear()
            raise ValueError(f"{short_repr(position)} belongs to a game too large to find the best moves.")
        _solved[position] = max(-_exact(position.play(move)) for move in position.moves)
    return _solved[position]


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
    """The size of the least tree for each search's board and depth; NaN if a game or a table ended it sooner.

    A search that reached the full depth everywhere has a tree of uniform depth, for which the minimum is proved.
    """

    def nodes(row: Any) -> float:
        plies, free = row["nodes_per_ply"], row["board"].count("-")
        whole = isinstance(row["shape"], str) and plies and row["leaves"] == plies[-1] and row["method"] != "mcts"
        return sum(least_tree(range(free, free + 1 - len(plies), -1))) if whole else np.nan

    return frame.apply(nodes, axis=1)
