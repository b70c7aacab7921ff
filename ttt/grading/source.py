"""What a submission's file says: its source, read and never run."""

from __future__ import annotations

import json
from pathlib import Path

LARGEST = 20 << 20  # bytes; plots make notebooks large
CELL_END = "\f"  # stands between the cells of a notebook; the runner reads them one by one


class Unreadable(ValueError):
    """The file is no notebook or no text; the message says what is wrong with it."""


def read_source(path: Path) -> str:
    """The code of a submission, a notebook's cells separated by form feeds. Raises `Unreadable`."""
    if path.stat().st_size > LARGEST:
        raise Unreadable(f"The file is larger than {LARGEST >> 20} MB.")
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError:
        raise Unreadable("The file is not text in UTF-8.") from None
    return _cells(text) if path.suffix == ".ipynb" else text.replace(CELL_END, " ")


def _cells(text: str) -> str:
    try:
        cells = [cell for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]
        sources = ["".join(cell["source"]) for cell in cells]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise Unreadable("The file is not a Jupyter notebook, or it is damaged.") from None
    return f"\n{CELL_END}\n".join(source.replace(CELL_END, " ") for source in sources)
