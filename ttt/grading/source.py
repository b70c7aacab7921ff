"""What a submission's file says: its source, read and never run."""

from __future__ import annotations

import io
import json
import tokenize
from pathlib import Path
from typing import Any

from ttt.grading.inside.submission import CELL_END

LARGEST = 20 << 20  # bytes; plots make notebooks large
LONGEST = 1 << 20  # characters of code


NO_NOTEBOOK = "The file is not a Jupyter notebook, or it is damaged."
KINDS = (".ipynb", ".py")
ADDED = (".txt", ".json")  # endings that browsers and mail programs add

ENCODINGS = ("utf-8", "utf-8-sig", "iso-8859-1", "iso-8859-15", "cp1252")  # that a program may declare


class Unreadable(ValueError):
    """The file is no notebook or no text; the message says what is wrong with it."""


def kind(name: str) -> str:
    """ ".ipynb" or ".py" if that is what a file's name says it is, else "".

    >>> kind("work.PY"), kind("work.ipynb.txt"), kind("work.pdf")
    ('.py', '.ipynb', '')
    """
    name = name.lower()
    for added in ADDED:
        name = name.removesuffix(added)
    return next((ending for ending in KINDS if name.endswith(ending)), "")


def read_source(path: Path) -> str:
    """The code of a submission, a notebook's cells separated by form feeds. Raises `Unreadable`."""
    data = _content(path)
    if kind(path.name) == ".ipynb":
        source = _cells(_decoded(data, "utf-8-sig"))
    else:
        source = _decoded(data, _declared_encoding(data)).replace(CELL_END, " ")
    if len(source) > LONGEST:
        raise Unreadable(f"There are more than {LONGEST:,} characters of code.")
    if "\0" in source or any("\ud800" <= mark <= "\udfff" for mark in source):
        raise Unreadable("The code has characters in it that no program can have.")
    return source


def read_cells(path: Path) -> list[str]:
    """The code cells of a notebook; a program is one cell. Raises `Unreadable`."""
    return read_source(path).split(f"\n{CELL_END}")


def untouched(path: Path, exercise: str) -> bool:
    """Whether a file has the code of an exercise's notebook as it is handed out. Raises `Unreadable`."""
    handed_out = Path(__file__).parents[2] / "exercises" / exercise / f"{exercise}.ipynb"
    return handed_out.exists() and read_cells(path) == read_cells(handed_out)


def read_notebook(path: Path) -> Any:
    """A notebook's content as plain data. Raises `Unreadable`."""
    return _notebook(_decoded(_content(path), "utf-8-sig"))


def _content(path: Path) -> bytes:
    try:
        if not path.is_file():
            raise Unreadable("There is no such file.")
        with path.open("rb") as file:
            data = file.read(LARGEST + 1)
    except OSError as error:
        raise Unreadable(f"The file can't be opened: {error.strerror}.") from None
    if len(data) > LARGEST:
        raise Unreadable(f"The file is larger than {LARGEST >> 20} MB.")
    return data


def _declared_encoding(data: bytes) -> str:
    """The encoding that a program declares in its first lines, as Python reads it; UTF-8 if it is not a usual one."""
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
    except SyntaxError:
        return "utf-8-sig"
    return encoding if encoding in ENCODINGS else "utf-8-sig"


def _decoded(data: bytes, encoding: str) -> str:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError:
        raise Unreadable("The file is not text in UTF-8.") from None


def _notebook(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise Unreadable(NO_NOTEBOOK) from None


def _cells(text: str) -> str:
    try:
        cells = [cell for cell in _notebook(text)["cells"] if cell["cell_type"] == "code"]
        sources = ["".join(cell["source"]) for cell in cells]
    except (KeyError, TypeError):
        raise Unreadable(NO_NOTEBOOK) from None
    return f"\n{CELL_END}".join(source.replace(CELL_END, " ") for source in sources)
