"""A sweep's CSV file: each line holds a row and a checksum, so a row is known by what it holds, wherever it is."""

import csv
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import StringIO
from pathlib import Path
from typing import Any, BinaryIO
from zlib import crc32

SWITCHES = ("killer", "table", "symmetry", "deepening")
OPTIONS = ("order", *SWITCHES, "playouts", "seed")
POSITION = ("shape", "k", "board", "marks")
SETTING = ("heuristic", "setting", "method", *OPTIONS, "options", "depth", "times")
FOUND = ("value", "move", "nodes", "interior", "leaves", "cutoffs")
LISTS = ("moves", "move_values", "nodes_per_ply", "cutoffs_by_move")
COLUMNS_OF_SWEEPS = (*POSITION, *SETTING, *FOUND, *LISTS, "seconds")
TEXTS = {"shape", "board", "heuristic", "setting", "method", "order", "options"}
OTHER_ENDS = "Another program has saved this file with other line ends."
FIRST_LINE = ",".join((*COLUMNS_OF_SWEEPS, "check")).encode()

Row = dict[str, Any]
Setting = tuple[str, ...]  # a search's full setting: its cells in the columns POSITION and SETTING


@contextmanager
def opened(path: Path | str) -> Iterator[BinaryIO]:
    """Open a file to add rows to, as soon as no other sweep uses it."""
    with Path(path).open("ab+") as file:
        with suppress(ImportError, OSError):  # some systems have no such locks
            _lock(file)
        yield file


def _lock(file: BinaryIO) -> None:
    """Wait until this process is the only one with this lock, which ends with the process."""
    from fcntl import LOCK_EX, LOCK_NB, flock

    try:
        flock(file, LOCK_EX | LOCK_NB)
    except BlockingIOError:
        print(f"Another sweep is writing {file.name}. This one waits until it ends.")
        flock(file, LOCK_EX)


def stored(file: BinaryIO) -> dict[Setting, Row]:
    """A file's rows. Removes an incomplete last line; gives a new file its header."""
    file.seek(0)
    text = file.read()
    if FIRST_LINE.startswith(text):
        file.truncate(0)
        file.write(FIRST_LINE + b"\n")
        return {}
    rows = rows_of(file)
    file.truncate(text.rfind(b"\n") + 1)
    return rows


def rows_of(file: BinaryIO) -> dict[Setting, Row]:
    """The rows of a file by their settings. Raises `ValueError` with the number of the first damaged line."""
    file.seek(0)
    header, *lines = file.read().split(b"\n")
    if header != FIRST_LINE:
        raise ValueError(f"{file.name}, line 1: {_wrong_header(header)}")
    rows: dict[Setting, Row] = {}
    for number, line in enumerate(lines[:-1], 2):
        text, _, check = line.rpartition(b",")
        if check != _checksum(text):
            why = OTHER_ENDS if line.endswith(b"\r") else "This row was damaged or changed."
            raise ValueError(f"{file.name}, line {number}: {why} Delete the line, and sweep again.")
        cells = zip(COLUMNS_OF_SWEEPS, next(csv.reader([text.decode()])), strict=True)
        row = {name: _value(name, cell) for name, cell in cells}
        rows.setdefault(setting_of(row), row)
    return rows


def _wrong_header(header: bytes) -> str:
    if b"fast" in header.split(b","):
        return (
            "An earlier version of the lab wrote this file: it has a column fast. Repeat the sweep into another file; "
            'compiled searches are now method="compiled.alphabeta" and "compiled.minimax".'
        )
    if header.rstrip(b"\r") == FIRST_LINE:
        return f"{OTHER_ENDS} Repeat the sweep into another file."
    return "These are not the columns of a sweep's file. Choose another name."


def as_line(row: Row) -> bytes:
    """A row as a line of the file."""
    text = StringIO()
    csv.writer(text, lineterminator="").writerow([_cell(name, row.get(name)) for name in COLUMNS_OF_SWEEPS])
    line = text.getvalue().encode()
    return line + b"," + _checksum(line) + b"\n"


def _checksum(text: bytes) -> bytes:
    return f"{crc32(text):08x}".encode()


def setting_of(row: Row) -> Setting:
    """What a row is known by."""
    return tuple(_cell(name, row.get(name)) for name in (*POSITION, *SETTING))


def _cell(name: str, value: Any) -> str:
    """A value as text: JSON, except in columns of texts."""
    if value is None:
        return ""
    return str(value) if name in TEXTS else json.dumps(value)


def _value(name: str, cell: str) -> Any:
    """The value in a cell, as it was before `_cell`."""
    if not cell:
        return None
    return cell if name in TEXTS else json.loads(cell)


def simple(value: Any) -> Any:
    """An option or a move as a table and a file hold it: None, a number (Python's, not numpy's), or a text."""
    if value is None or isinstance(value, int | float | str):
        return value
    return value.item() if hasattr(value, "item") else name_of(value)


def name_of(function: Any) -> str:
    """A method's or heuristic's name in the table: "alphabeta", "open_lines", "LineWeights(0, 1, 3, 9)", "none"."""
    name = "none" if function is None else f"{getattr(function, '__name__', function)}"
    if getattr(function, "__module__", "") == "ttt.search.compiled":
        name = f"compiled.{name}"
    return " ".join(re.sub(r" at 0x\w+", "", name).strip("<>").split())  # one line, the same in every run
