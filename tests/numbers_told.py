"""The numbers that a lesson tells, and the cell that shows each; those of all lessons are in `said/numbers.txt`.

A cell shows a number if its result or its code contains it, exactly or rounded; a share may be told in per cent, or as
what is left of the whole. No cell shows years, sizes of boards, and numbers worked out in the text itself.
"""

import re
from collections.abc import Iterator
from pathlib import Path

import nbformat
from kept import ROW

NUMBER = r"(?<![\w.,*])−?\d+(?:,\d{3})*(?:\.\d+)?(?![\w*]|\.\d|,\d)"
NOT_TOLD = (
    r"```.*?```|`[^`]*`|\[[^]]*\]\([^)]*\)|<[^>]+>|\d×\d(×\d)?|^(> )?\d+\. |"  # code, links, sizes, numbers of a list
    r"\*\*Sources:.*|[Ll]essons? \d+|Time: [^.]*|^# .*"
)


def value(text: str) -> float:
    return float(text.replace(",", "").replace("−", "-"))


def shown(cell: nbformat.NotebookNode) -> str:
    """A code cell's source and what it shows in words."""
    texts = [output.get("text") or output.get("data", {}).get("text/plain", "") for output in cell.outputs]
    return "\n".join([cell.source, *texts]).replace("_", "")


def shows(text: str, told: str) -> bool:
    """Whether a cell's text contains a number that is told like this."""
    places = len(told.partition(".")[2])
    slack = 0.5000001 * 10**-places  # what rounding may change
    for found in map(value, re.findall(r"\d+(?:,\d{3})*(?:\.\d+)?", text)):
        exact = found == int(found) and not places
        forms = (found, 100 * found, 100 - found)
        if any(abs(abs(value(told)) - form) <= (0 if exact else slack) for form in forms):
            return True
    return False


def numbers(lesson: Path) -> Iterator[tuple[str, str, str]]:
    """Each number in the prose of a lesson, with the words around it, and the nearest cell that shows it, or ""."""
    cells = nbformat.read(lesson, 4).cells
    code = [(n, cell.id, shown(cell)) for n, cell in enumerate(cells) if cell.cell_type == "code"]
    for n, cell in enumerate(cells):
        if cell.cell_type == "code" or cell.id == ROW:
            continue
        prose = re.sub(NOT_TOLD, " ", cell.source, flags=re.DOTALL | re.MULTILINE)
        for found in re.finditer(NUMBER, prose):
            near = sorted(code, key=lambda one: abs(one[0] - n))
            where = next((name for _, name, text in near if shows(text, found[0])), "")
            around = prose[max(found.start() - 30, 0) : found.end() + 30]
            yield found[0], " ".join(around.split()), where
