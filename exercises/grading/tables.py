"""CSV files: written so that no cell can be taken for a formula, and read as spreadsheets and platforms save them."""

from __future__ import annotations

import codecs
import csv
import io
import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from exercises.grading import GradingError

LARGEST = 20 << 20  # bytes
SPREADSHEET = b"PK\x03\x04"  # how .xlsx and .ods begin, being zips
MARK = "\ufeff"  # a byte order mark
FORMULA = ("=", "+", "-", "@", "\t", "\r", "'")  # what a spreadsheet takes for the start of a formula, or our own quote

Cell = str | float | None


def write(path: Path, data: str | bytes) -> None:
    """Write a file in one step, so that no reader finds half of it. Raises `GradingError`."""
    part = path.with_name(f".{path.name}.part")
    try:
        part.write_bytes(data.encode() if isinstance(data, str) else data)
        os.replace(part, path)  # noqa: PTH105
    except OSError as error:
        with suppress(OSError):
            part.unlink()
        raise GradingError(f"{path} can't be written: {error.strerror}. Is it open in another program?") from None


def make_folder(path: Path) -> None:
    """Make a folder, and those above it, where there is none. Raises `GradingError`."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise GradingError(f"{path} can't be written: {error.strerror}.") from None


def write_table(path: Path, columns: Sequence[str], rows: Iterable[Sequence[Cell]]) -> None:
    """Write a CSV file in which numbers are numbers and None is empty. Raises `GradingError`."""
    write(path, csv_text([columns, *([cell(value) for value in row] for row in rows)]))


def cell(value: Cell) -> str:
    """A value as a cell of a table; text that would be a formula begins with an apostrophe."""
    if value is None:
        return ""
    if isinstance(value, str):
        return f"'{value}" if value.startswith(FORMULA) else value
    return f"{value:.10g}"


def text_of(cell: str) -> str:
    """The text that a cell was written from."""
    return cell[1:] if cell.startswith("'") and cell[1:].startswith(FORMULA) else cell


def decimal(cell: str) -> float | None:
    """The number in a cell, with a decimal point or a comma; None if there is none."""
    try:
        return float(cell.replace(",", "."))
    except ValueError:
        return None


def csv_text(rows: Iterable[Sequence[str]], delimiter: str = ",", end: str = "\n") -> str:
    """Rows as the text of a CSV file."""
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter, lineterminator=end).writerows(rows)
    return text.getvalue()


@dataclass(frozen=True)
class Sheet:
    """The rows of a CSV file, the header first, and how they were written, to write them back the same."""

    path: Path
    rows: list[list[str]]
    delimiter: str
    end: str
    mark: str  # the byte order mark, if the file has one

    @classmethod
    def read(cls, path: Path) -> Sheet:
        """Read a file separated by commas, semicolons or tabs, in UTF-8, UTF-16 or cp1252. Raises `GradingError`."""
        try:
            if path.stat().st_size > LARGEST:
                raise GradingError(f"{path} is larger than {LARGEST >> 20} MB.")
            data = path.read_bytes()
            if data.startswith(SPREADSHEET):
                raise GradingError(f"{path} is a spreadsheet, not a CSV file: save it as CSV.")
            text, mark = decoded(data)
            header = text.partition("\n")[0]
            delimiter = max(",;\t", key=header.count)
            rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))
        except (OSError, UnicodeDecodeError, csv.Error) as error:
            raise GradingError(f"{path} can't be read as a CSV file: {error}.") from None
        if not rows or not any(rows[0]):
            raise GradingError(f"{path} is empty.")
        return cls(path, rows, delimiter, "\r\n" if header.endswith("\r") else "\n", mark)

    def column(self, name: str) -> int | None:
        """The number of the first column with this name, in upper or lower case."""
        heads = [head.strip().casefold() for head in self.rows[0]]
        return heads.index(name) if name in heads else None

    def cells(self, *names: str) -> list[tuple[str, ...]]:
        """These columns of each row below the header, with "" for what is missing."""
        columns = [self.column(name) for name in names]
        return [
            tuple(row[column] if column is not None and column < len(row) else "" for column in columns)
            for row in self.rows[1:]
        ]

    def filled(self, cells: Mapping[tuple[int, int], str]) -> str:
        """The file's text with new cells, by the number of the row below the header and that of the column."""
        rows = [list(row) for row in self.rows]
        for (number, column), text in cells.items():
            row = rows[number + 1]
            row += [""] * (column + 1 - len(row))
            row[column] = text
        return self.mark + csv_text(rows, self.delimiter, self.end)


def decoded(data: bytes) -> tuple[str, str]:
    """A file's text, and the mark that the text written back begins with. Platforms want UTF-8, Excel a mark to see it.

    What is neither UTF-8 nor marked as UTF-16 was saved by a program on Windows.
    """
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data.decode("utf-16"), MARK
    try:
        text = data.decode("utf-8-sig")
        return text, MARK if data.startswith(codecs.BOM_UTF8) else ""
    except UnicodeDecodeError:
        return data.decode("cp1252"), MARK
