"""The table of searches: a row for each, with what was asked and what was found."""

from __future__ import annotations

import json
from collections.abc import Iterable
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lab.statistics.sweep_file import COLUMNS_OF_SWEEPS, FOUND, LISTS, SWITCHES, TEXTS, Row, rows_of, simple
from ttt.board import Board
from ttt.search import Search
from ttt.words import short_repr

if TYPE_CHECKING:
    from pandas import DataFrame


def tabulate(searches: Iterable[Search]) -> DataFrame:
    """A table of searches that you ran one by one, with one row per search, for all that takes a sweep's table.

    `setting` is the method in words, and `depth` the number of plies that a search looked ahead (empty for mcts).
    Arguments that a `Search` doesn't hold are empty; add them with pandas' `assign`.
    """
    rows = []
    for search in searches:
        asked: Row = {"setting": search.method, "method": search.method.partition(",")[0]}
        asked |= {"playouts": search.playouts} if search.playouts else {"depth": search.depth}
        rows.append(row_of_position(search.board) | asked | row_of_result(search))
    return as_frame(rows)


def read(file: Path | str) -> DataFrame:
    """Load a sweep's file: lists as lists, settings as ordered categories. Raises `ValueError` for other files."""
    with Path(file).open("rb") as opened:
        return as_frame([*rows_of(opened).values()])


def board_of(row: Any) -> Any:
    """The position in a row of a sweep's table: `board_of(frame.loc[0])`."""
    if isinstance(row["shape"], str):
        return Board.from_text(row["board"], tuple(map(int, row["shape"].split("x"))), int(row["k"]))
    if not hasattr(row.get("position"), "play"):
        raise ValueError(f"A file can't hold {row['board']}. Get the table from `sweep` with the same `out`.")
    return row["position"]


def row_of_position(position: Any) -> Row:
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


def row_of_result(result: Any) -> Row:
    """What a search found, in the columns of a table. Raises the errors of `float` if the value is not a number."""
    lists: Row = {name: [] for name in LISTS}
    if not isinstance(result, Search):
        return {"value": float(result)} | lists
    row = {name: getattr(result, name) for name in FOUND} | {"move": simple(result.move)}
    moves, values = ([*map(simple, some)] for some in (result.values, result.values.values()))
    return row | {"moves": moves, "move_values": values} | {name: [*getattr(result, name)] for name in LISTS[2:]}


def as_frame(rows: list[Row]) -> DataFrame:
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
    return with_categories(frame)


def with_categories(frame: DataFrame) -> DataFrame:
    """Restore the settings as ordered categories, which `pandas.concat` turns into text."""
    from pandas import Categorical

    texts = [frame[name] for name in ("heuristic", "setting", "method", "order") if frame[name].dtype != "category"]
    return frame.assign(**{f"{text.name}": Categorical(text, text.dropna().unique(), ordered=True) for text in texts})


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
