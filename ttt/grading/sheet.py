"""CSV files as spreadsheets and learning platforms save them, read and written back with nothing else changed."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ttt.grading.grade import GradingError


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
        """Read a file separated by commas, semicolons or tabs. Raises `GradingError`."""
        try:
            text = path.read_bytes().decode("utf-8")
            mark = "\ufeff" if text.startswith("\ufeff") else ""
            text = text.removeprefix(mark)
            header = text.partition("\n")[0]
            delimiter = max(",;\t", key=header.count)
            rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))
        except (OSError, UnicodeDecodeError, csv.Error) as error:
            raise GradingError(f"{path} can't be read as a CSV file: {error}.") from None
        if not rows:
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

    def filled(self, column: int, cells: Mapping[int, str]) -> str:
        """The file's text with new cells in one column, by the number of the row below the header."""
        rows = [list(row) for row in self.rows]
        for number, text in cells.items():
            row = rows[number + 1]
            row += [""] * (column + 1 - len(row))
            row[column] = text
        return self.mark + csv_text(rows, self.delimiter, self.end)


def csv_text(rows: Iterable[Sequence[str]], delimiter: str = ",", end: str = "\n") -> str:
    """Rows as the text of a CSV file."""
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter, lineterminator=end).writerows(rows)
    return text.getvalue()
