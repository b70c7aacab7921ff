"""What a submission's file says: its source, read and never run."""

from __future__ import annotations

import json
from pathlib import Path

from ttt.grading.inside.submission import CELL_END

LARGEST = 20 << 20  # bytes; plots make notebooks large
LONGEST = 1 << 20  # characters of code


class Unreadable(ValueError):
    """The file is no notebook or no text; the message says what is wrong with it."""


def read_source(path: Path) -> str:
    """The code of a submission, a notebook's cells separated by form feeds. Raises `Unreadable`."""
    text = _text(path)
    source = _cells(text) if path.suffix.lower() == ".ipynb" else text.replace(CELL_END, " ")
    if len(source) > LONGEST:
        raise Unreadable(f"There are more than {LONGEST:,} characters of code.")
    if "\0" in source or any("\ud800" <= mark <= "\udfff" for mark in source):
        raise Unreadable("The code has characters in it that no program can have.")
    return source


def read_cells(path: Path) -> list[str]:
    """The code cells of a notebook; a program is one cell. Raises `Unreadable`."""
    return read_source(path).split(f"\n{CELL_END}")


def _text(path: Path) -> str:
    try:
        if not path.is_file():
            raise Unreadable("There is no such file.")
        with path.open("rb") as file:
            data = file.read(LARGEST + 1)
    except OSError as error:
        raise Unreadable(f"The file can't be opened: {error.strerror}.") from None
    if len(data) > LARGEST:
        raise Unreadable(f"The file is larger than {LARGEST >> 20} MB.")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise Unreadable("The file is not text in UTF-8.") from None


def _cells(text: str) -> str:
    try:
        cells = [cell for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]
        sources = ["".join(cell["source"]) for cell in cells]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise Unreadable("The file is not a Jupyter notebook, or it is damaged.") from None
    return f"\n{CELL_END}".join(source.replace(CELL_END, " ") for source in sources)
