"""A page for each student: the score and its parts, and one board where it went wrong. No scripts, no other files.

All text on it is escaped, and the page forbids itself everything but its own style, so that nothing that a student has
handed in can do anything in whichever browser opens it.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections import Counter
from collections.abc import Sequence
from html import escape
from pathlib import Path

from ttt.board import Board
from ttt.grading.grade import Case
from ttt.grading.gradebook import Record, write

CELL = 56
GAP = 24
LONGEST_NAME = 80
RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)  # to Windows no file names

STYLE = """
:root{color-scheme:light dark;--ink:#1f1f1f;--quiet:#595959;--page:#fff;--rule:#8a8a8a;--x:#0072b2;--o:#b34700}
@media (prefers-color-scheme:dark){:root{--ink:#ececec;--quiet:#b0b0b0;--page:#161616;--x:#5ab4f0;--o:#ff9a4d}}
body{max-width:44em;margin:2em auto;padding:0 1em;color:var(--ink);background:var(--page)}
body{font:1.05em/1.5 system-ui,sans-serif}
h1{font-size:1.5em}h2{font-size:1.15em;margin-top:1.8em}
.score{font-size:1.4em;font-weight:700}
table{border-collapse:collapse}th{text-align:left;font-weight:400}
th,td{padding:.3em .8em;border-bottom:1px solid var(--rule)}
thead th{color:var(--quiet)}td{text-align:right;font-variant-numeric:tabular-nums}
figure{margin:1em 0;display:flex;flex-wrap:wrap;gap:1.5em;align-items:center}
svg{max-width:100%;height:auto}.rule{stroke:var(--rule);stroke-width:2}
.x{stroke:var(--x)}.o{stroke:var(--o)}.x,.o{fill:none;stroke-width:6;stroke-linecap:round}
dl{display:grid;grid-template-columns:auto auto;gap:.2em 1em;margin:0}dt{color:var(--quiet)}
dd{margin:0;font-weight:700;overflow-wrap:anywhere}p{overflow-wrap:anywhere}
"""
ALLOWED = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
HEAD = f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-{ALLOWED}'; \
base-uri 'none'; form-action 'none'">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width, initial-scale=1">
"""


def write_pages(folder: Path, records: Sequence[Record], exercise: str) -> None:
    """Writes a page for each student into a folder that exists. Raises `GradingError`."""
    names = file_names([record.student for record in records])
    for record in records:
        write(folder / names[record.student], page(record, exercise))


def file_names(students: Sequence[str]) -> dict[str, str]:
    """A file name for each student, which every system takes and no two share, whatever their case.

    A student's own name where it will do; else with a few characters behind it that are the same each time.

    >>> file_names(["Ann Lee"])
    {'Ann Lee': 'Ann Lee.html'}
    """
    safe = {student: _safe(student) for student in students}
    times = Counter(name.casefold() for name in safe.values())
    return {
        student: f"{name}.html" if name == student and times[name.casefold()] == 1 else f"{name}-{_tag(student)}.html"
        for student, name in safe.items()
    }


def _safe(student: str) -> str:
    bare = re.sub(r"[^\w .-]", "_", student).strip(" .-")
    while len(bare.encode()) > LONGEST_NAME:
        bare = bare[:-1]
    return "student" if not bare or RESERVED.fullmatch(bare) else bare.rstrip(" .")


def _tag(student: str) -> str:
    return hashlib.sha256(student.encode()).hexdigest()[:8]


def page(record: Record, exercise: str) -> str:
    """The page as HTML."""
    title = exercise.replace("_", " ").capitalize()
    parts = [f"<title>{escape(title)}: {_said(record)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>"]
    parts.append(f"<h1>{escape(title)}: {_own(record.student)}</h1>\n<p class=score>{_said(record)}</p>")
    if record.reason:
        parts.append(f"<p>{_own(record.reason)}</p>")
    if record.misconception:
        parts.append(f"<p>This looks like: <strong>{_own(record.misconception)}</strong>.</p>")
    if record.example:
        parts.append(_shown(record.example))
    if record.parts:
        parts.append(_table(record.parts))
    return HEAD + "\n".join(parts) + "\n</main>\n</body>\n</html>\n"


def _said(record: Record) -> str:
    if record.score is None:
        return f"Not graded: {escape(record.status)}"
    return f"{record.score:g} of {record.max_score:g} points: {escape(record.status)}"


def _own(text: str) -> str:
    """A text that may be a student's: escaped, and kept from turning round what stands beside it."""
    return f"<bdi>{escape(text)}</bdi>"


def _table(parts: Sequence[tuple[str, float, float]]) -> str:
    right = sum(got == possible for _, got, possible in parts)
    rows = "".join(map(_row, parts))
    head = "<thead><tr><th scope=col>what is asked</th><th scope=col>points</th></tr></thead>"
    return f"<h2>{right} of {len(parts)} parts are right</h2>\n<table>{head}<tbody>\n{rows}</tbody></table>"


def _row(part: tuple[str, float, float]) -> str:
    name, got, possible = part
    sign = "✓" if got == possible else "✗"
    return f"<tr><th scope=row>{sign} {escape(name)}</th><td>{got:g} of {possible:g}</td></tr>\n"


def _shown(example: Case) -> str:
    """The board, with the student's value beside the right one."""
    return (
        f"<h2>One board to look at, seen from {escape(example.player)}’s side</h2>\n<figure>{drawn(example.board)}\n"
        f"<dl><dt>your function gave</dt><dd>{_own(example.given)}</dd>"
        f"<dt>right is</dt><dd>{example.right:g}</dd></dl></figure>"
    )


def drawn(board: Board) -> str:
    """A board as SVG, its text inside for those who can't see it. Layers stand side by side."""
    columns = board.shape[-1]
    rows = board.shape[-2] if len(board.shape) > 1 else 1
    layers = len(board) // (rows * columns)
    width, height = layers * (columns * CELL + GAP) - GAP, rows * CELL
    parts = [_grid(layer * (columns * CELL + GAP), rows, columns) for layer in range(layers)]
    for cell, mark in enumerate(board):
        layer, row, column = cell // (rows * columns), cell // columns % rows, cell % columns
        parts.append(_mark(mark, layer * (columns * CELL + GAP) + column * CELL, row * CELL))
    size = f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
    title = f"<title>The board</title><desc>{escape(str(board))}</desc>"
    return f'<svg role="img" {size}>{title}{"".join(parts)}</svg>'


def _grid(x: int, rows: int, columns: int) -> str:
    lines = [(x + n * CELL, 0, x + n * CELL, rows * CELL) for n in range(1, columns)]
    lines += [(x, n * CELL, x + columns * CELL, n * CELL) for n in range(1, rows)]
    return "".join(f'<line class="rule" x1="{a}" y1="{b}" x2="{c}" y2="{d}"/>' for a, b, c, d in lines)


def _mark(mark: str, x: int, y: int) -> str:
    near, far, middle = CELL // 4, 3 * CELL // 4, CELL // 2
    if mark == "O":
        return f'<circle class="o" cx="{x + middle}" cy="{y + middle}" r="{middle - near}"/>'
    strokes = f"M{x + near} {y + near}L{x + far} {y + far}M{x + near} {y + far}L{x + far} {y + near}"
    return f'<path class="x" d="{strokes}"/>' if mark == "X" else ""
