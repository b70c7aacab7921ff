"""CSV files as spreadsheets and learning platforms save them, read and written back with nothing else changed."""

from __future__ import annotations

import codecs
import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ttt.grading.grade import GradingError

LARGEST = 20 << 20  # bytes
SPREADSHEET = b"PK\x03\x04"  # how .xlsx and .ods begin, being zips
MARK = "\ufeff"  # a byte order mark


@dataclass(frozen=True)
class Sheet:
    """The rows of a CSV file, the header first, and how they were written."""

    path: Path
    rows: list[list[str]]
    delimiter: str
    end: str
    mark: str  # the byte order mark, if the file has one

    @classmethod
    def read(cls, path: Path) -> Sheet:
        """Read a file separated by commas, semicolons or tabs, in UTF-8, UTF-16 or cp1252.

        Raises `GradingError`.
        """
        try:
            if path.stat().st_size > LARGEST:
                raise GradingError(f"{path} is larger than {LARGEST >> 20} MB.")
            data = path.read_bytes()
            if data.startswith(SPREADSHEET):
                raise GradingError(f"{path} is a spreadsheet, not a CSV file: save it as CSV.")
            text, mark = _text(data)
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

    def cell(self, row: int, column: int) -> str:
        """A cell, by the number of its row below the header, or "" if it is missing."""
        cells = self.rows[row + 1]
        return cells[column] if column < len(cells) else ""

    def filled(self, cells: Mapping[tuple[int, int], str]) -> str:
        """The file's text with new cells, by the number of the row below the header and that of the column."""
        rows = [list(row) for row in self.rows]
        for (number, column), text in cells.items():
            row = rows[number + 1]
            row += [""] * (column + 1 - len(row))
            row[column] = text
        return self.mark + csv_text(rows, self.delimiter, self.end)


def _text(data: bytes) -> tuple[str, str]:
    """A file's text, and the mark that the text written back begins with. Platforms want UTF-8, Excel a mark to see it.

    What is neither UTF-8 nor marked as UTF-16 was saved by a program on Windows.
    """
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data.decode("utf-16"), MARK
    if data.startswith(codecs.BOM_UTF8):
        return data.decode("utf-8-sig"), MARK
    try:
        return data.decode("utf-8"), ""
    except UnicodeDecodeError:
        return data.decode("cp1252"), MARK


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
