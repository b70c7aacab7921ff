"""Reads and writes tables as spreadsheets and platforms do, and writes files in one step."""

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
from exercises.grading.people import MARK, decoded

FORMULA = ("=", "+", "-", "@", "\t", "\r", "'")  # what a spreadsheet treats as the start of a formula, or our own quote


def write(path: Path, data: str | bytes) -> None:
    """Write a file, with its parent folders, in one step, so that nobody can read half of it. Raises `GradingError`."""
    part = path.with_name(f".{path.name}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        part.write_bytes(data.encode() if isinstance(data, str) else data)
        os.replace(part, path)  # noqa: PTH105
    except OSError as error:
        with suppress(OSError):
            part.unlink()
        raise GradingError(f"{path} can't be written: {error.strerror}. Is the file open in another program?") from None


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
    """A value as a table cell: None becomes empty, and text that looks like a formula gets an apostrophe in front."""
    if isinstance(value, str):
        return f"'{value}" if value.startswith(FORMULA) else value
    return "" if value is None else f"{value:.10g}"


def text_of(cell: str) -> str:
    """Recover the text a cell was written from."""
    return cell[1:] if cell.startswith("'") and cell[1:].startswith(FORMULA) else cell


def csv_text(rows: Iterable[Sequence[str]], delimiter: str = ",", end: str = "\n", mark: str = MARK) -> str:
    """Rows as the text of a CSV file, with the byte order mark by which Excel knows the encoding."""
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter, lineterminator=end).writerows(rows)
    return mark + text.getvalue()


def decimal(cell: str) -> float | None:
    """The number in a cell, with a decimal point or comma; None if it holds no number."""
    with suppress(ValueError):
        return float(cell.replace(",", "."))
    return None


@dataclass(frozen=True)
class Sheet:
    """The rows of a CSV file, header first and all of the same length, and how they were written."""

    path: Path
    rows: list[list[str]]
    delimiter: str
    end: str
    mark: str  # the byte order mark, if the file has one

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read a file with commas, semicolons or tabs, in UTF-8, UTF-16 or cp1252. Raises `GradingError`."""
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
        """The index of the first column with this name, ignoring case."""
        heads = [head.strip().casefold() for head in self.rows[0]]
        return heads.index(name) if name in heads else None

    def cells(self, *names: str) -> list[tuple[str, ...]]:
        """These columns of each row below the header, with "" for missing columns."""
        columns = [self.column(name) for name in names]
        return [tuple("" if n is None else row[n] for n in columns) for row in self.rows[1:]]

    def filled(self, cells: Mapping[tuple[int, int], str]) -> str:
        """The file's text with new cells, given by row number (below the header) and column number."""
        rows = [list(row) for row in self.rows]
        for (number, column), text in cells.items():
            rows[number + 1][column] = text
        return csv_text(rows, self.delimiter, self.end, self.mark)
