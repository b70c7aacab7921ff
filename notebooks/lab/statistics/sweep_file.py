"""A sweep's CSV file: each line holds a row and a checksum, so a row is known by what it holds, wherever it is."""

import csv
import json
from collections.abc import Iterable, Iterator
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
RESULT = (*FOUND, *LISTS, "measures", "seconds", "machine", "error")
COLUMNS_OF_SWEEPS = (*POSITION, *SETTING, "code", *RESULT)
TAKEN = (*COLUMNS_OF_SWEEPS, "position")  # names that a column of your own can't have
KEY = ("shape", "k", "board", *(name for name in SETTING if name != "depth"), "code", "depth")
TEXTS = {"shape", "board", "heuristic", "setting", "method", "order", "options", "code", "machine", "error"}
MAX_WHOLE = 2**63 - 1  # what a column of whole numbers holds
OTHER_ENDS = "Another program has saved this file with other line ends."
OTHER_COLUMNS = (
    "These are not the columns of a sweep's file. Another program, such as pandas or a spreadsheet, or an earlier"
    " version of the lab has written it. Choose another name; to keep a table, use `to_pickle`."
)
FIRST_LINE = ",".join((*COLUMNS_OF_SWEEPS, "check")).encode()

Row = dict[str, Any]
Key = tuple[str, ...]  # what a row is known by: its cells in the columns KEY


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
        file.truncate(0)
        file.write(FIRST_LINE + b"\n")
        return {}
    rows, last = rows_of(file), text.rpartition(b"\n")[2]
    if last and _is_whole(last):
        file.write(b"\n")
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
        cells = next(csv.reader([line.rpartition(b",")[0].decode()]))
        named = zip(COLUMNS_OF_SWEEPS, cells, strict=True)
        row = {name: (cell or None) if name in TEXTS else json.loads(cell or "null") for name, cell in named}
        key = (*cells_of(row, KEY),)
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


def cells_of(row: Row, names: Iterable[str]) -> list[str]:
    """Values as texts: JSON, except in columns of texts."""
    values = ((name, row.get(name)) for name in names)
    return ["" if value is None else str(value) if name in TEXTS else json.dumps(value) for name, value in values]
