"""What long jobs keep: results in SQLite as they are reached, tables as CSV, and files that are never half written."""

from __future__ import annotations

import csv
import json
import re
import sys
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Self

# How a formula begins for a spreadsheet, wide forms included, at the start of a text or of a part of it.
BEGINNING = r"""(?=[ '"]*[=+\-@\t\r\n＝＋－＠])"""
FORMULA = re.compile(rf"(^|[;\r\n]){BEGINNING}")
ESCAPED = re.compile(rf"(^|[;\r\n])'{BEGINNING}")
SCHEMA = """
create table if not exists results (
    kind text, key text, version text, result text,
    kept_at text default current_timestamp, primary key (kind, key))
"""
Row = dict[str, str]
Key = tuple[str, ...]


class StoreError(RuntimeError):
    """A store can't be read or written; the message says what to do."""


class Store:
    """The results of a long job, each committed as it is reached: they survive however the program ends.

    A result is anything that JSON can hold. It is valid for one version: a digest of whatever it follows from, such as
    a submission and the code that judged it.

    Args:
        path: the SQLite file; created if missing.
        kind: what the results are, such as "grades"; one file can hold several kinds.

    Everything raises `StoreError` if the file is not a store, is damaged, or can't be written.
    """

    def __init__(self, path: Path, kind: str) -> None:
        import sqlite3  # missing from Python in a browser

        self._path, self._kind, self._error = path, kind, sqlite3.Error
        with self._errors_explained():
            self._database = sqlite3.connect(path, timeout=30, isolation_level=None)  # each statement is committed
        self._execute("pragma journal_mode = wal")  # with this, a commit takes microseconds
        self._execute("pragma synchronous = normal")
        self._execute(SCHEMA)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    def keep(self, key: str, result: Any, version: str = "") -> None:
        """Keep a result, replacing an earlier one with this key."""
        insert = "insert or replace into results (kind, key, version, result) values (?, ?, ?, ?)"
        self._execute(insert, self._kind, key, version, json.dumps(result))

    def kept(self, key: str, version: str = "") -> Any:
        """The result kept under this key, if it has this version; None otherwise."""
        select = "select result from results where kind = ? and key = ? and version = ?"
        rows = self._execute(select, self._kind, key, version)
        with self._errors_explained():
            return json.loads(rows[0][0]) if rows else None

    def results(self, version: str = "") -> dict[str, Any]:
        """All results of this version, by key."""
        select = "select key, result from results where kind = ? and version = ? order by key"
        rows = self._execute(select, self._kind, version)
        with self._errors_explained():
            return {key: json.loads(text) for key, text in rows}

    def kinds(self) -> list[str]:
        """What kinds of results the file holds."""
        return [kind for (kind,) in self._execute("select distinct kind from results order by kind")]

    def forget(self, keys: Iterable[str] | None = None) -> None:
        """Start over: delete the results with these keys, or all results of this kind."""
        if keys is None:
            self._execute("delete from results where kind = ?", self._kind)
        else:
            for key in keys:
                self._execute("delete from results where kind = ? and key = ?", self._kind, key)

    def _execute(self, statement: str, *values: str) -> list[Any]:
        """Execute an SQL statement; return its rows."""
        with self._errors_explained():
            return self._database.execute(statement, values).fetchall()

    @contextmanager
    def _errors_explained(self) -> Iterator[None]:
        try:
            yield
        except (self._error, ValueError) as error:  # a damaged file, or damaged text in it
            raise StoreError(f"{self._path} can't be used: {error}. Move it away, or choose another place.") from None


class Table:
    """Rows that a long job reaches, each kept in a store at once; at the end they become a CSV file.

    The store is next to the CSV file, under the same name but ending in .db. A job that was stopped goes on from it; to
    start over, delete it.

    Args:
        path: the CSV file; None to keep the rows in memory only.
        columns: the columns of the file.
        key: what identifies a row; rows are sorted by it, numbers as numbers. A row may have more entries than the
            file has columns; the store keeps them.
        written_by_people: the columns that a spreadsheet might take for formulas.

    Raises `StoreError` if the file holds something else, and `OSError` if it can't be written.
    """

    def __init__(
        self, path: Path | None, columns: Sequence[str], key: Sequence[str], written_by_people: Collection[str] = ()
    ) -> None:
        self._path, self._columns, self._key, self._written_by_people = path, columns, key, written_by_people
        self._store: Store | None = None
        self.rows: dict[Key, Row] = {}
        if path:
            self._refuse_other_files(path)
            path.parent.mkdir(parents=True, exist_ok=True)
            self._store = Store(path.with_suffix(".db"), ",".join(columns))
            self._refuse_other_rows(self._store, path.with_suffix(".db"))
            self.rows = {self.key_of(row): row for row in self._store.results().values()}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        if self._store:
            self._store.close()
        if self._path:
            self._export(self._path)

    def key_of(self, row: Row) -> Key:
        """What identifies a row."""
        return tuple(row[column] for column in self._key)

    def keep(self, row: Row) -> None:
        """Keep a row, replacing an earlier one with its key."""
        key = self.key_of(row)
        if self._store:
            self._store.keep(json.dumps(key), row)
        self.rows[key] = row

    def forget(self, keys: Collection[Key]) -> None:
        """Delete the rows with these keys."""
        if self._store:
            self._store.forget(map(json.dumps, keys))
        for key in keys:
            del self.rows[key]

    def _refuse_other_rows(self, store: Store, path: Path) -> None:
        kinds = store.kinds()
        if kinds and ",".join(self._columns) not in kinds:
            store.close()
            raise StoreError(f"{path} holds rows with other columns, as an earlier version wrote them: move it away.")

    def _refuse_other_files(self, path: Path) -> None:
        if path.suffix == ".db":
            raise StoreError(f"{path} can't be a CSV file: .db is the ending of its store. Choose another name.")
        if path.exists():
            with path.open(encoding="utf-8", errors="replace") as file:
                header = file.readline()
            if header and header != ",".join(self._columns) + "\n":
                raise StoreError(f"{path} has other columns: choose another file.")

    def _export(self, path: Path) -> None:
        with written_whole(path) as part, part.open("w", encoding="utf-8", newline="") as file:
            lines = csv.DictWriter(file, self._columns, lineterminator="\n", extrasaction="ignore")
            lines.writeheader()
            for key in sorted(self.rows, key=lambda key: [*map(_in_order, key)]):
                row = self.rows[key]
                lines.writerow(row | {column: escape_formula(row[column]) for column in self._written_by_people})


def _in_order(text: str) -> tuple[int, str]:
    """What texts are sorted by: numbers as numbers, and before other texts."""
    return (int(text), "") if text.isdecimal() else (sys.maxsize, text)


@contextmanager
def written_whole(path: Path) -> Iterator[Path]:
    """A file to write to, which replaces `path` when the block ends without an error: nobody ever finds half a file.

    Raises `OSError`, which names `path`, before the block if the file can't be written.
    """
    part = path.with_name(f".{path.name}.part")
    try:
        part.touch()
        if path.is_dir():
            raise IsADirectoryError(21, "Is a directory")
        yield part
        part.replace(path)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None
    finally:
        with suppress(OSError):
            part.unlink()


def escape_formula(text: str) -> str:
    """The text with an apostrophe before whatever a spreadsheet would take for a formula.

    A spreadsheet that expects semicolons between cells parts the text there and at the end of a line.

    >>> escape_formula("=1+1"), escape_formula("wrong; =1+1"), escape_formula("Ann")
    ("'=1+1", "wrong;' =1+1", 'Ann')
    """
    return FORMULA.sub(r"\1'", text)


def unescape_formula(text: str) -> str:
    """The text that `escape_formula` was given."""
    return ESCAPED.sub(r"\1", text)
