"""The numbers that a lesson tells, and the cell that shows each: `python tests/numbers_told.py 13_a_tree_that_learns`.

A cell shows a number if its result or its code contains it, exactly or rounded; a share may be told in per cent, or as
what is left of the whole. Without a name, the script lists the numbers of all lessons that no cell shows: years, sizes
of boards, and numbers worked out in the text itself.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import nbformat
from kept import LESSONS, ROW

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


def main(names: list[str]) -> None:
    for path in LESSONS:
        if not names or path.stem in names:
            for number, words, cell in numbers(path):
                if names or not cell:
                    print(f"{path.stem[:2]} {number:>8} {cell or 'no cell':8} {words}")


if __name__ == "__main__":
    main(sys.argv[1:])
