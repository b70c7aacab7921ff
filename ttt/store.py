"""What is kept: results in SQLite as they are reached, files that appear whole, and cells that no spreadsheet runs."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

FORMULA = tuple("=+-@\t\r\n＝＋－＠")  # how a formula begins for a spreadsheet, wide forms included
TABLE = """
create table if not exists results (
    kind text, key text, version text, result text,
    kept_at text default current_timestamp, primary key (kind, key))
"""


class StoreError(RuntimeError):
    """A store can't be read or written; the message says what to do."""


class Store:
    """The results of a long job, each committed as it is reached, in a file that survives any end of the program.

    A result is anything that JSON can hold. It stands for as long as its version does: a digest of whatever it follows
    from, such as a submission and the code that judged it.

    Args:
        path: the SQLite file, made where there is none.
        kind: what the results are, such as "grades"; one file can hold several kinds.

    Raises `StoreError` where the file is no store or can't be written.
    """

    def __init__(self, path: Path, kind: str) -> None:
        self._path, self._kind = path, kind
        try:
            self._database = sqlite3.connect(path, timeout=30, isolation_level=None)  # each statement is committed
            self._database.execute(TABLE)
        except sqlite3.Error as error:
            raise StoreError(f"{path} can't be used: {error}. Move it away, or choose another place.") from None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._database.close()

    def keep(self, key: str, result: Any, version: str = "") -> None:
        """Keep a result in place of an earlier one with this key; once this returns, nothing loses it."""
        values = (self._kind, key, version, json.dumps(result))
        try:
            self._database.execute(
                "insert or replace into results (kind, key, version, result) values (?, ?, ?, ?)", values
            )
        except sqlite3.Error as error:
            raise StoreError(f"{self._path} can't be written: {error}. What was kept before is safe.") from None

    def kept(self, key: str, version: str = "") -> Any:
        """The result kept under this key, if it has this version; None otherwise."""
        query = "select result from results where kind = ? and key = ? and version = ?"
        row = self._database.execute(query, (self._kind, key, version)).fetchone()
        return json.loads(row[0]) if row else None

    def results(self, version: str = "") -> dict[str, Any]:
        """All results of this version by their keys."""
        query = "select key, result from results where kind = ? and version = ? order by key"
        return {key: json.loads(text) for key, text in self._database.execute(query, (self._kind, version))}

    def forget(self) -> None:
        """Start over: no result of this kind is left."""
        self._database.execute("delete from results where kind = ?", (self._kind,))


@contextmanager
def written_whole(path: Path) -> Iterator[Path]:
    """A file to write, which takes the place of `path` when the block ends well: nobody ever finds half a file.

    That it can't be written is found out at once. Raises `OSError`, which names `path`.
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
    """A text that no spreadsheet takes for a formula: one that begins like a formula gets an apostrophe in front.

    >>> escape_formula("=1+1"), escape_formula("Ann")
    ("'=1+1", 'Ann')
    """
    return f"'{text}" if text.lstrip(" '").startswith(FORMULA) else text


def unescape_formula(text: str) -> str:
    """The text that `escape_formula` was given."""
    return text[1:] if text.startswith("'") and escape_formula(text) != text else text
