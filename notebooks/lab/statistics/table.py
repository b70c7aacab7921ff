"""A search's row, in the table and in a sweep's CSV file.

Each line of the file holds a row and a checksum, so a row is known by what it holds, wherever it is.
"""

from __future__ import annotations

import csv
import json
import platform
import re
from collections.abc import Container, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from io import StringIO
from itertools import chain
from operator import index
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO
from zlib import crc32

from lab.statistics.names import simple, two_versions
from ttt.board import Board
from ttt.search import Search
from ttt.words import short_repr

if TYPE_CHECKING:
    from pandas import DataFrame, Series

SHAPE = re.compile(r"\d+(x\d+)*")
SWITCHES = ("killer", "table", "symmetry", "deepening")
OPTIONS = ("order", *SWITCHES, "playouts", "seed")
POSITION = ("shape", "k", "board", "marks")
SETTING = ("heuristic", "setting", "method", *OPTIONS, "options", "depth", "times")
FOUND = ("value", "move", "nodes", "interior", "leaves", "cutoffs")
LISTS = ("moves", "move_values", "nodes_per_ply", "cutoffs_by_move")
RESULT = (*FOUND, *LISTS, "measures", "seconds", "machine", "error")
COLUMNS_OF_SWEEPS = (*POSITION, *SETTING, "code", *RESULT)
TAKEN = (*COLUMNS_OF_SWEEPS, "position")  # names that a column of your own can't have
KEY = ("shape", "k", "board", *SETTING, "code")  # what a row is known by
TEXTS = {"shape", "board", "heuristic", "setting", "method", "order", "options", "code", "machine", "error"}
MAX_WHOLE = 2**63 - 1  # what a column of whole numbers holds
OTHER_ENDS = "Another program has saved this file with other line ends."
OTHER_COLUMNS = (
    "These are not the columns of a sweep's file. Another program, such as pandas or a spreadsheet, or an earlier"
    " version of the lab has written it. Choose another name; to keep a table, use `to_pickle`."
)
FIRST_LINE = ",".join((*COLUMNS_OF_SWEEPS, "check")).encode()
TYPES: dict[str, Any] = dict.fromkeys(("k", "marks", "playouts", "seed", "depth", "times", *FOUND[2:]), "Int64")
TYPES |= dict.fromkeys(SWITCHES, "boolean") | dict.fromkeys(("value", "seconds"), "float64")
TYPES |= dict.fromkeys(TEXTS, "string")

Row = dict[str, Any]
Key = tuple[str, ...]  # cells in the columns KEY


def tabulate(searches: Iterable[Search]) -> DataFrame:
    """A table of searches that you ran one by one, with one row per search, for all that takes a sweep's table.

    `setting` is the method in words, and `depth` the number of plies that a search looked ahead (empty for mcts).
    Arguments that a `Search` doesn't hold are empty; add them with pandas' `assign`.
    """
    rows = []
    for search in searches:
        asked: Row = {"setting": search.method, "method": search.method.partition(",")[0]}
        asked |= {"playouts": search.playouts} if search.playouts else {"depth": search.depth}
        rows.append(row_of_position(search.board) | asked | dict(zip(RESULT, result_of(search), strict=True)))
    return as_frame(rows)


def read(file: Path | str) -> DataFrame:
    """Load a sweep's file: lists as lists, settings as ordered categories. Raises `ValueError` for other files.

    Says so if a function's code changed between rows; the column `code` tells which rows belong together.
    """
    with Path(file).open("rb") as opened:
        frame = as_frame(rows_of(opened).values())
    if several := two_versions(frame):
        print(f"{file}: {several}")
    return frame


def board_of(row: Any) -> Any:
    """The position in a row of a sweep's table: `board_of(frame.loc[0])`."""
    if isinstance(row["shape"], str):
        if not SHAPE.fullmatch(row["shape"]):
            raise ValueError(f"`shape` must be a shape such as 4x4, not {row['shape']!r}. Give yours another name.")
        return Board.from_text(row["board"], tuple(map(int, row["shape"].split("x"))), int(row["k"]))
    if not hasattr(row.get("position"), "play"):
        raise ValueError(f"A file can't hold {row['board']}. Get the table from `sweep` with the same `out`.")
    return row["position"]


def row_of_position(position: Any, plies: int | None = None) -> Row:
    """A position in the columns of a table; `plies` are the moves made in another game.

    Raises `ValueError` if its `repr` doesn't say which it is.
    """
    if isinstance(position, Board):
        text = f"\n{position}".replace(" ", "").replace("\n", "/")  # a leading dash starts a formula in a spreadsheet
        shape = "x".join(map(str, position.shape))
        marks = len(position) - len(position.moves)
        return {"shape": shape, "k": position.k, "board": text, "marks": marks, "position": None}
    if " at 0x" in repr(position):
        name = type(position).__name__
        raise ValueError(f"{short_repr(position)} doesn't say which position it is: make {name} a dataclass.")
    text = " ".join(short_repr(position).split())
    return {"board": text, "marks": plies, "position": position}


def result_of(
    result: Any, taken: Container[str] = (), seconds: float | None = None, error: str | None = None
) -> tuple[Any, ...]:
    """What a search found, in the order of RESULT. Raises `TypeError` and `ValueError` for what no column can hold.

    The result is a `Search`, a number, or a dictionary of measures, none of which has a name that is taken.
    """
    row: Row = {"seconds": seconds, "machine": machine(), "error": error} | {name: [] for name in LISTS}
    measures: Row = {}
    if isinstance(result, Search):
        lists = (result.values, result.values.values(), result.nodes_per_ply, result.cutoffs_by_move)
        result = {name: getattr(result, name) for name in FOUND} | dict(zip(LISTS, lists, strict=True))
    for name, value in (result if isinstance(result, Mapping) else {"value": result}).items():
        if name in (*FOUND, *LISTS):
            row[name] = _measure(name, value)
        elif not isinstance(name, str) or name in TAKEN or name in taken:
            raise ValueError(f"A search can't return {name!r}, a column of the table. Give the measure another name.")
        else:
            measures[name] = [*map(simple, value)] if isinstance(value, list | tuple) else simple(value)
    row["measures"] = measures or None
    return tuple(map(row.get, RESULT))


def _measure(name: str, value: Any) -> Any:
    """A measure as its column holds it: the value as a float, counts as whole numbers."""
    if name in LISTS:
        return [*map(simple, value)]
    if name == "move" or (value is None and name != "value"):
        return simple(value)
    try:
        return float(value) if name == "value" else index(value)
    except (TypeError, ValueError):
        kind = "number" if name == "value" else "whole number"
        advice = "A search returns its value, a `Search`, or a dictionary, which may leave `value` out."
        raise TypeError(f"`{name}` must be a {kind}, not {short_repr(value)}. {advice}") from None


@cache
def machine() -> str:
    """What the seconds of this process depend on: the versions of Python and the lab, and the processor."""
    names, processor = [f"Python {platform.python_version()}"], platform.processor() or platform.machine()
    with suppress(PackageNotFoundError):
        names.append(f"ttt {version('ttt')}")
    with suppress(OSError):  # only Linux has this file
        found = re.search("model name.*: (.*)", Path("/proc/cpuinfo").read_text(encoding="utf-8"))
        processor = found[1] if found else processor
    return ", ".join([*names, processor])


def as_frame(rows: Iterable[Row]) -> DataFrame:
    """The rows as a table, with a column for each option and measure of your own, and positions of other games."""
    from pandas import DataFrame

    columns: dict[str, list[Any]] = {name: [] for name in (*COLUMNS_OF_SWEEPS, "position")}
    for row in rows:
        for name, column in columns.items():
            column.append(row.get(name))
    positions, measures = columns.pop("position"), columns.pop("measures")
    options = {text: json.loads(text) for text in {*columns["options"]} if text}
    own = [options.get(text, {}) | (some or {}) for text, some in zip(columns["options"], measures, strict=True)]
    for name in dict.fromkeys(chain.from_iterable(own)):
        columns[name] = [some.get(name) for some in own]
    if any(position is not None for position in positions):
        columns["position"] = positions
    typed = {name: _typed(name, columns.pop(name)) for name in [*columns]}  # frees each list as soon as possible
    return with_categories(DataFrame(typed, copy=False))


def _typed(name: str, values: list[Any]) -> Series[Any]:
    """A column of the type that its name asks for; whole numbers that are too large for it stay Python's."""
    from pandas import Series

    if name in TYPES:
        with suppress(TypeError, OverflowError):
            return Series(values, dtype=TYPES[name])
    column = Series(values, dtype=object)
    too_large = any(isinstance(value, int) and abs(value) > MAX_WHOLE for value in values)
    return column if too_large or name in (*LISTS, "position") else column.convert_dtypes()


def with_categories(frame: DataFrame) -> DataFrame:
    """Restore the settings as ordered categories, which `pandas.concat` turns into text."""
    from pandas import Categorical

    texts = [frame[name] for name in ("heuristic", "setting", "method", "order") if frame[name].dtype != "category"]
    return frame.assign(**{f"{text.name}": Categorical(text, text.dropna().unique(), ordered=True) for text in texts})


def require_columns(frame: DataFrame, *names: str) -> None:
    """Raise `KeyError` unless the table has these columns.

    Raises `ValueError` if it has no row, or two versions of a function that none of these columns tells apart.
    """
    for name in names:
        if name not in frame:
            raise KeyError(f"There is no column {name!r}. The columns are {', '.join(map(str, frame))}.")
    if frame.empty:
        raise ValueError("The table has no rows.")
    if "code" in frame and "code" not in names and (several := two_versions(frame)):
        raise ValueError(several)


def numbers_of_positions(frame: DataFrame) -> Series[int]:
    """A number for each row that is equal for equal positions; without boards, each row has a position of its own."""
    if "board" not in frame:
        return frame.assign(row=range(len(frame)))["row"]
    return frame.groupby([name for name in POSITION if name in frame], sort=False, dropna=False).ngroup()


def cost_column(frame: DataFrame, y: str | None, *others: str) -> str:
    """The column for costs: y or, by default, "nodes", or "seconds" if some searches counted no nodes.

    Raises errors as `require_columns` does, also for the other columns.
    """
    require_columns(frame, *others, y or "nodes")
    if y:
        return y
    done = frame[frame["error"].isna()] if "error" in frame else frame
    for name in ("nodes", "seconds"):
        if name in done and done[name].notna().all():
            return name
    raise ValueError("Some of these searches counted no nodes. Sweep with `times=1` to compare seconds, or choose `y`.")


@contextmanager
def opened(path: Path | str) -> Iterator[BinaryIO]:
    """Open a file to add rows to, as soon as no other sweep uses it."""
    with Path(path).open("ab+") as file:
        with suppress(ImportError, OSError):  # some systems have no such locks
            from fcntl import LOCK_EX, LOCK_NB, flock

            try:
                flock(file, LOCK_EX | LOCK_NB)  # until this process ends
            except BlockingIOError:
                print(f"Another sweep is writing {file.name}. This one waits until it ends.")
                flock(file, LOCK_EX)
        yield file


def stored(file: BinaryIO) -> dict[Key, Row]:
    """A file's rows. Removes an incomplete last line; gives a new file its header."""
    file.seek(0)
    text = file.read()
    if FIRST_LINE.startswith(text):
        text = FIRST_LINE + b"\n"
        file.truncate(0)
        file.write(text)
    rows, last = rows_of(file), text.rpartition(b"\n")[2]
    if _is_whole(last):
        file.write(b"\n")  # an editor has taken it away
    else:
        file.truncate(len(text) - len(last))
    return rows


def rows_of(file: BinaryIO) -> dict[Key, Row]:
    """The rows of a file by their keys. Raises `ValueError` with the number of the first damaged line."""
    file.seek(0)
    header, *lines = file.read().split(b"\n")
    if header != FIRST_LINE:
        why = f"{OTHER_ENDS} Repeat the sweep into another file." if header[:-1] == FIRST_LINE else OTHER_COLUMNS
        raise ValueError(f"{file.name}, line 1: {why}")
    if lines and not _is_whole(lines[-1]):
        lines.pop()  # the rest of a row, or nothing
    rows: dict[Key, Row] = {}
    for number, line in enumerate(lines, 2):
        if not _is_whole(line):
            why = OTHER_ENDS if line.endswith(b"\r") else "This row was damaged or changed."
            raise ValueError(f"{file.name}, line {number}: {why} Delete the line, and sweep again.")
        named = zip(COLUMNS_OF_SWEEPS, next(csv.reader([line.rpartition(b",")[0].decode()])), strict=True)
        row = {name: (cell or None) if name in TEXTS else json.loads(cell or "null") for name, cell in named}
        key = cells_of(row, KEY)
        if key not in rows or rows[key]["error"]:
            rows[key] = row
    return rows


def _is_whole(line: bytes) -> bool:
    text, _, check = line.rpartition(b",")
    return check == _checksum(text)


def as_line(row: Row) -> bytes:
    """A row as a line of the file."""
    text = StringIO()
    csv.writer(text, lineterminator="").writerow(cells_of(row, COLUMNS_OF_SWEEPS))
    line = text.getvalue().encode()
    return line + b"," + _checksum(line) + b"\n"


def _checksum(text: bytes) -> bytes:
    return f"{crc32(text):08x}".encode()


def cells_of(row: Row, names: Iterable[str]) -> tuple[str, ...]:
    """Values as texts: JSON, except in columns of texts."""
    values = ((name, row.get(name)) for name in names)
    return (*("" if value is None else str(value) if name in TEXTS else json.dumps(value) for name, value in values),)
