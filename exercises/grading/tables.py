"""Tables read and written as spreadsheets and platforms have them, and files written in one step."""

import codecs
import csv
import io
import os
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from exercises.grading import GradingError
from exercises.grading.people import decoded

FORMULA = ("=", "+", "-", "@", "\t", "\r", "'")  # what a spreadsheet takes for the start of a formula, or our own quote


def write(path: Path, data: str | bytes) -> None:
    """Write a file in one step, and the folders above it, so that no reader finds half of it. Raises `GradingError`."""
    part = path.with_name(f".{path.name}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        part.write_bytes(data.encode() if isinstance(data, str) else data)
        os.replace(part, path)  # noqa: PTH105
    except OSError as error:
        with suppress(OSError):
            part.unlink()
        raise GradingError(f"{path} can't be written: {error.strerror}. Is it open in another program?") from None


def zipped(files: Mapping[str, bytes]) -> bytes:
    """A zip of files by name. The same files always make the same zip, byte for byte."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name)
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, content, zipfile.ZIP_DEFLATED)
    return data.getvalue()


def cell(value: str | float | None) -> str:
    """A value as a cell of a table: None is empty, and text that would be a formula begins with an apostrophe."""
    if isinstance(value, str):
        return f"'{value}" if value.startswith(FORMULA) else value
    return "" if value is None else f"{value:.10g}"


def text_of(cell: str) -> str:
    """The text that a cell was written from."""
    return cell[1:] if cell.startswith("'") and cell[1:].startswith(FORMULA) else cell


def csv_text(rows: Iterable[Sequence[str]], delimiter: str = ",", end: str = "\n") -> str:
    """Rows as the text of a CSV file."""
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter, lineterminator=end).writerows(rows)
    return text.getvalue()


def decimal(cell: str) -> float | None:
    """The number in a cell, with a decimal point or a comma; None if there is none."""
    with suppress(ValueError):
        return float(cell.replace(",", "."))
    return None


@dataclass(frozen=True)
class Sheet:
    """The rows of a CSV file, the header first and all of its length, and how they were written."""

    path: Path
    rows: list[list[str]]
    delimiter: str
    end: str
    mark: str  # the byte order mark, if the file has one

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read a file separated by commas, semicolons or tabs, in UTF-8, UTF-16 or cp1252. Raises `GradingError`."""
        try:
            data = path.read_bytes()
            if b"\0" in data and not data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
                raise GradingError(f"{path} is not a text file. If it is a spreadsheet, save it as CSV.")
            text, mark = decoded(data)
            header = text.partition("\n")[0]
            delimiter = max(",;\t", key=header.count)
            rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))
        except (OSError, UnicodeDecodeError, csv.Error) as error:
            raise GradingError(f"{path} can't be read: {error}. If it is a spreadsheet, save it as CSV.") from None
        if not rows or not any(rows[0]):
            raise GradingError(f"{path} is empty.")
        rows = [row + [""] * (len(rows[0]) - len(row)) for row in rows if row]
        return cls(path, rows, delimiter, "\r\n" if header.endswith("\r") else "\n", mark)

    def column(self, name: str) -> int | None:
        """The number of the first column with this name, in upper or lower case."""
        heads = [head.strip().casefold() for head in self.rows[0]]
        return heads.index(name) if name in heads else None

    def cells(self, *names: str) -> list[tuple[str, ...]]:
        """These columns of each row below the header, with "" for a column that there isn't."""
        columns = [self.column(name) for name in names]
        return [tuple("" if n is None else row[n] for n in columns) for row in self.rows[1:]]

    def filled(self, cells: Mapping[tuple[int, int], str]) -> str:
        """The file's text with new cells, by the number of the row below the header and that of the column."""
        rows = [list(row) for row in self.rows]
        for (number, column), text in cells.items():
            rows[number + 1][column] = text
        return self.mark + csv_text(rows, self.delimiter, self.end)
