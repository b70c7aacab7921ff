"""The table of searches: from records, from a file, and one row for each ply or move."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from ttt.board import Board
from ttt.record import Options
from ttt.search import ORDERS, Search
from ttt.statistics.heuristics import BadSweep
from ttt.statistics.settings import ENGINE, only, words_of
from ttt.store import Row, unescape_formula

if TYPE_CHECKING:
    from pandas import DataFrame

    Searches: TypeAlias = Search | Iterable[Search] | Mapping[str, Any] | DataFrame | Path | str

SWITCHES = tuple(field.name for field in fields(Options) if field.name != "order")
POSITION = ("shape", "k", "board", "marks")
METHOD = ("method", "order", *SWITCHES)
ASKED = (*POSITION, "heuristic", "setting", *METHOD, "depth", "seed", "playouts")
FOUND = ("player", "value", "move", "best_moves", "move_values", "principal_variation")
COST = ("nodes", "interior", "leaves", "cutoffs", "nodes_per_ply", "cutoffs_by_move")
COLUMNS = (*ASKED, *FOUND, *COST, "seconds")  # seconds come last: they alone differ on another machine
TYPES = {
    **dict.fromkeys(("k", "marks", "depth", "nodes", "interior", "leaves", "cutoffs"), "int64"),
    **dict.fromkeys(("seed", "playouts", "move"), "Int64"),  # with a capital, a field can be empty
    **dict.fromkeys(("value", "seconds"), "float64"),
    **dict.fromkeys(SWITCHES, "boolean"),
}
MEANT = {"int64": "a whole number", "Int64": "a whole number", "float64": "a number", "boolean": "TRUE or FALSE"}


def read(path: Path | str) -> DataFrame:
    """The rows of a file that a sweep has written, with the types that `sweep` gives them. Raises `BadSweep`."""
    import pandas

    try:
        frame = pandas.read_csv(path, dtype=str, keep_default_na=False)
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else str(error).strip()
        raise BadSweep(f"{path} can't be read: {why}.") from None
    if tuple(frame) != COLUMNS:
        raise BadSweep(f"{path} has other columns than a sweep's file: another program or version has written it.")
    frame["heuristic"] = [unescape_formula(name) for name in frame["heuristic"]]
    try:
        return _typed(frame)
    except BadSweep as error:
        raise BadSweep(f"{path} can't be read. {error}") from None


def frame_of(searches: Searches) -> DataFrame:
    """The table of searches that were made already, or of a sweep's file; a table is returned as it is.

    Args:
        searches: one `Search` or many, a table, a file's name, or a mapping from labels to any of these; a label
            takes the place of `setting`. What a search's record doesn't tell is empty: heuristic, seed, seconds.

    Raises `BadSweep`.

    >>> from ttt.search import minimax
    >>> frame_of([minimax(Board(), depth) for depth in (1, 2)])["nodes"].tolist()
    [10, 82]
    """
    import pandas

    if isinstance(searches, pandas.DataFrame):
        return searches
    if isinstance(searches, (str, Path)):
        return read(searches)
    if isinstance(searches, Mapping):
        labelled = [frame_of(some).assign(setting=label) for label, some in searches.items()]
        return pandas.concat(labelled, ignore_index=True) if labelled else frame_of_rows([])
    return frame_of_rows(map(row_of, only(Search, searches, "A table is made of Search records")))


def per_ply(frame: DataFrame) -> DataFrame:
    """For each search and ply a row: what was asked for, the `ply` (0 for the root), and the `nodes` there.

    >>> from ttt.search import minimax
    >>> per_ply(frame_of(minimax(Board(), 2)))[["ply", "nodes"]].to_numpy().tolist()
    [[0, 1], [1, 9], [2, 72]]
    """
    return _long(frame, "nodes_per_ply", "ply", 0, "nodes")


def per_move(frame: DataFrame) -> DataFrame:
    """For each search and place in the order of moves a row: what was asked for, `tried`, and the `cutoffs` there.

    `tried` is 1 for the move that was tried first. A search without cutoffs has no rows.

    >>> from ttt.search import alphabeta
    >>> per_move(frame_of(alphabeta(Board(), 5)))[["tried", "cutoffs"]].to_numpy().tolist()
    [[1, 92], [2, 16], [3, 21], [4, 11], [5, 38], [6, 9]]
    """
    return _long(frame, "cutoffs_by_move", "tried", 1, "cutoffs")


def summary(frame: DataFrame) -> DataFrame:
    """For each setting the number of searches, their nodes, and the ratio of these to those of the first setting.

    Where there are several heuristics, each is told apart.
    """
    by = ["setting", "heuristic"] if frame["heuristic"].nunique() > 1 else ["setting"]
    sums = frame.groupby(by, sort=False).agg(searches=("nodes", "size"), nodes=("nodes", "sum")).reset_index()
    return sums.assign(ratio=sums["nodes"] / sums["nodes"][0])


def _long(frame: DataFrame, column: str, place: str, first: int, name: str) -> DataFrame:
    """A row for each number in a column of lists, with its place in the list, counted from `first`."""
    numbers = lists_in(frame, column)
    kept = frame[[asked for asked in ASKED if asked in frame]]
    long = kept.iloc[[n for n, some in enumerate(numbers) for _ in some]].reset_index(drop=True)
    long[place] = [n for some in numbers for n in range(first, first + len(some))]
    long[name] = [number for some in numbers for number in some]
    return long


def lists_in(frame: DataFrame, column: str) -> list[list[int]]:
    """The whole numbers in each field of a column of lists, such as "1 9 72". Raises `BadSweep`."""
    try:
        return [[int(number) for number in text.split()] for text in frame[column].fillna("").astype(str)]
    except ValueError:
        raise BadSweep(f"The column {column!r} must hold whole numbers, such as '1 9 72', in every row.") from None


def frame_of_rows(rows: Iterable[Row]) -> DataFrame:
    """The table of rows that are text."""
    import pandas

    return _typed(pandas.DataFrame(list(rows), columns=list(COLUMNS), dtype=str))


def _typed(frame: DataFrame) -> DataFrame:
    """The table with numbers for the texts of numbers, and booleans for the texts of switches. Raises `BadSweep`."""
    import pandas

    for column, kind in TYPES.items():
        values = [_value(text, kind, column) for text in frame[column]]
        frame[column] = pandas.Series(values, frame.index, kind)
    return frame


def _value(text: str, kind: str, column: str) -> bool | float | None:
    """What the text of a field stands for; None if it is empty and may be."""
    if not text and kind != "int64":
        return None
    try:
        if kind == "boolean":
            return {"TRUE": True, "FALSE": False}[text.upper()]
        return float(text) if kind == "float64" else int(text)
    except (KeyError, ValueError):
        raise BadSweep(f"In the column {column!r}, {text!r} must be {MEANT[kind]}.") from None


def row_of(found: Search) -> Row:
    """What a search's record tells, as text."""
    row = dict.fromkeys(COLUMNS, "") | board_columns(found.board) | _method_columns(found.method)
    row |= {name: as_text(getattr(found, name)) for name in ("depth", *FOUND, *COST)}
    row["setting"] = words_of(found.method, found.playouts)
    row["playouts"] = str(found.playouts) if found.playouts else ""
    return row


def board_columns(board: Board) -> Row:
    """The columns that say which position it is. The board's text begins with a slash: a dash begins a formula."""
    return {
        "shape": "x".join(map(str, board.shape)),
        "k": str(board.k),
        "board": "/" + str(board).replace(" ", "").replace("\n", "/"),
        "marks": str(len(board) - len(board.moves)),
    }


def _method_columns(words: str) -> Row:
    """The columns that say how it was searched, as its record has it in words.

    >>> _method_columns("minimax"), _method_columns("alpha-beta, table")["order"]
    ({'method': 'minimax'}, 'row-major')
    """
    name, *options = words.removeprefix(ENGINE).split(", ")
    if name != "alpha-beta":
        return {"method": name}
    method = "gains" if words.startswith(ENGINE) else "alphabeta"
    orders = [option for option in options if option in ORDERS]
    switched = {switch: as_text(switch in options) for switch in SWITCHES}
    return {"method": method, "order": orders[0] if orders else "row-major", **switched}


def as_text(figure: Any) -> str:
    """A figure of a record: "4 0 8" for cells, "4=1 0=-1" for their values; 4:1 is a time for a spreadsheet."""
    if isinstance(figure, bool):
        return str(figure).upper()  # as R and spreadsheets have it, and pandas can
    if isinstance(figure, tuple):
        return " ".join("=".join(map(as_text, part)) if isinstance(part, tuple) else as_text(part) for part in figure)
    if isinstance(figure, float) and figure.is_integer():
        return str(int(figure))
    return "" if figure is None else str(figure)
