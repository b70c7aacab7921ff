"""The lab sheet's other assessment, a redesigned interface: what a program can find out of it, and a form for the rest.

The submitted notebook runs in the jail, on the stage of `stage.py`. From here it is asked to play forty games; what it
answers is checked here, move by move. Whether it is *better* a person says, in `interface_review.csv`.
"""

from __future__ import annotations

import csv
import json
import re
import tomllib
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field, replace
from hashlib import sha256
from io import StringIO
from pathlib import Path
from random import Random
from time import monotonic
from typing import Any

from ttt.board import Board, Mark, opponent
from ttt.grading import picture
from ttt.grading.actor import Actor, Gone
from ttt.grading.feedback import file_names
from ttt.grading.grade import Grade
from ttt.grading.roster import plain
from ttt.store import escape_formula, unescape_formula

SETTINGS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
FORM = "interface_review.csv"
COLUMNS = ("student", "a", "b", "c", "d", "comment")
PARTS = {
    "a": ("works", "(a) the interface works"),
    "b": ("heuristic_2", "(b) heuristic 2 plays"),
    "c": ("better", "(c) the interface is better"),
    "d": ("scores", "(d) the scores of both sides are shown"),
}
WAITING = "needs a person"
GAMES = 40
SEED = 1  # every submission meets the same person
MOST_CLICKS = 60


class Broken(Exception):
    """The interface does not do what it must; the message says what, and where."""


@dataclass(frozen=True)
class Finding:
    """What was found on one part of the rubric: whether it holds, and the evidence in words."""

    holds: bool
    evidence: str


@dataclass
class Played:
    """What forty games brought to light."""

    won: Counter[Mark | None] = field(default_factory=Counter)
    answers: int = 0
    unlike: str = ""  # the first answer that is not heuristic 2's
    miscounted: str = ""  # the first game after which the score was wrong
    unseen: str = ""  # the first time that the score was not to be read


def grade_interface(path: Path, out: Path, isolation: str = "full", student: str = "") -> Grade:
    """Judge a submitted notebook, put a picture and the evidence into `out`, and a line for it into the form there.

    Where a person has filled in that line, it says the marks. Raises `judge.TooLittleIsolation`.

    Args:
        student: the name in the form; that of the notebook's folder unless told otherwise.
    """
    student = student or (path.parent.name if path.stem == "interface" else path.stem)
    row = _rows(out / FORM).get(student)
    if row is not None and row["c"].strip():
        return _by_person(row)
    cells = code_cells(path)
    if digest(cells) == SETTINGS["handed_out"]:
        return _grade({}, "not started", "The notebook is still as it was handed out.")
    pages = out / "interface"
    pages.mkdir(parents=True, exist_ok=True)
    findings = watch(cells, pages / file_names([student])[student], isolation)
    _ask_person(out / FORM, student, findings)
    evidence = " ".join(f"({part}) {found.evidence}" for part, found in findings.items())
    return _grade(findings, WAITING, f"{evidence} (c) waits for a person, in {FORM}.")


def mark_file(path: Path, isolation: str, out: Path, student: str) -> Grade:
    """Grade a submission's file, as `ttt grade` does. Raises `judge.TooLittleIsolation`."""
    begun = monotonic()
    graded = grade_interface(path, out, isolation, student)
    return replace(graded, seconds=monotonic() - begun, isolation=isolation)


def depends_on(out: Path, student: str) -> bytes:
    """What a grade follows from besides the submission: the student's line in the form."""
    return repr(_rows(out / FORM).get(student)).encode()


def code_cells(path: Path) -> list[str]:
    """The sources of a notebook's code cells; none where it is no notebook."""
    try:
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return []


def digest(cells: list[str]) -> str:
    """By which the notebook is known as it is handed out, where the notebook itself isn't at hand."""
    return sha256("\0".join(cells).encode("utf-8", "replace")).hexdigest()


def watch(cells: list[str], page: Path, isolation: str = "full") -> dict[str, Finding]:
    """What is found on (a), (b) and (d), with the evidence also beside the page's name, as text and as a picture."""
    with Actor(isolation) as actor:
        findings = _findings(actor, cells)
        seen = _picture(actor, page.with_suffix(".png"))
    told = [f"({part}) {'yes' if found.holds else 'no'}: {found.evidence}" for part, found in findings.items()]
    page.with_suffix(".txt").write_text("\n".join([*told, seen, ""]), encoding="utf-8")
    return findings


# ----------------------------------------------------------------------------------------------- what a program can see


def _findings(actor: Actor, cells: list[str]) -> dict[str, Finding]:
    played = Played()
    try:
        _curtain_up(actor, cells)
        clicked = _clicked(actor)
        actor.ask("open")  # whatever the clicks have set is gone
        _manners(actor)
        _play(actor, played)
    except (Broken, Gone) as problem:
        nothing = Finding(False, "Could not be tried out.")
        return {"a": Finding(False, plain(str(problem))), "b": _heuristic(played), "d": nothing}
    works = f"{GAMES} games were played to the end by the rules, and a taken cell changed nothing. {clicked}"
    return {"a": Finding(True, works), "b": _heuristic(played), "d": _scores(played)}


def _curtain_up(actor: Actor, cells: list[str]) -> None:
    """Run the notebook and make its interface."""
    errors = actor.ask("run", cells=cells).get("errors")
    opened = actor.ask("open")
    if "error" in opened:
        first = f" Its code cell {errors[0][0] + 1} stopped with {errors[0][1]}." if errors else ""
        raise Broken(f"interface() stopped with {opened['error']}.{first}")
    kinds = opened.get("kinds", [])
    if "ipywidgets.widgets.widget.Widget" not in kinds:
        raise Broken("interface() did not return a widget.")
    if "ttt.widgets.game.GameBoard" in kinds:
        raise Broken("The interface is ttt's own GameBoard rather than one of the student's.")


def _manners(actor: Actor) -> None:
    """A taken cell must change nothing, nor must a move after the end."""
    _new_game(actor)
    board = _answered(Board().play(4), actor.ask("play", cell=4))
    for cell in (4, next(cell for cell in range(9) if board[cell] == "O")):
        if _board(actor.ask("play", cell=cell)) != board:
            raise Broken(f"Playing cell {cell}, which was taken, changed the board {_text(board)}.")


def _play(actor: Actor, played: Played) -> None:
    """Forty games in which the person is careful and careless by turns, so that either side wins some."""
    rng = Random(SEED)
    for number in range(GAMES):
        board = _new_game(actor)
        score = None
        while not board.over:
            before = board.play(_choice(board, rng, careful=number % 2 == 0))
            said = actor.ask("play", cell=(before.x & ~board.x).bit_length() - 1)
            board, score = _answered(before, said), said.get("score")
            _compare(played, before, board)
        played.won[board.winner] += 1
        _count(actor, played, score, look=number in (GAMES // 2, GAMES - 1))
        if _board(actor.ask("play", cell=0)) != board:
            raise Broken(f"Playing on after the end changed the board {_text(board)}.")


def _choice(board: Board, rng: Random, careful: bool) -> int:
    """A person's move: a careful one completes lines, then blocks them; a careless one sees neither."""
    for side in (board.turn, opponent(board.turn)):
        filling = sorted(_filling(board, side))
        if careful and filling:
            return filling[0]
    return rng.choice(board.moves)


def _filling(board: Board, side: Mark) -> set[int]:
    """The free cells of lines that lack just that one mark of a side."""
    return {
        cells[marks.index("-")]
        for cells, marks in zip(board.line_cells, board.lines, strict=True)
        if marks.count("-") == 1 and marks.count(side) == board.k - 1
    }


def allowed(board: Board) -> set[int]:
    """Where heuristic 2 may play, alone or in the clever computer: its highest cells, and lines to complete or block.

    >>> sorted(allowed(Board().play(0)))
    [4]
    """
    player, rival = board.turn, opponent(board.turn)
    lines = {cell: board.play(cell).lines for cell in board.moves}
    values = {
        cell: sum(rival not in line for line in after) - sum(player not in line for line in after)
        for cell, after in lines.items()
    }
    best = max(values.values())
    return {cell for cell in values if values[cell] == best} | _filling(board, "X") | _filling(board, "O")


def _compare(played: Played, before: Board, after: Board) -> None:
    if before.over:
        return
    played.answers += 1
    cell = next(cell for cell in before.moves if after[cell] != "-")
    if cell not in allowed(before) and not played.unlike:
        good = ", ".join(map(str, sorted(allowed(before))))
        played.unlike = f"On {_text(before)} it plays cell {cell}; heuristic 2 plays {good}."


def _count(actor: Actor, played: Played, score: object, look: bool) -> None:
    """Compare the score with the games, and now and then look for its numbers on the screen."""
    right = [played.won["X"], played.won["O"]]
    if score != right and not played.miscounted:
        games = sum(played.won.values())
        given = "there is none" if score is None else plain(str(score), 60)
        played.miscounted = (
            f"After {games} game{'s' * (games > 1)} the score is ({right[0]}, {right[1]}); .score says: {given}."
        )
    if look and not played.unseen:
        texts = actor.ask("texts").get("texts", [])
        numbers = set(re.findall(r"\d+", " ".join(map(str, texts))))
        if not {str(number) for number in right} <= numbers:
            played.unseen = f"At ({right[0]}, {right[1]}) these numbers are not to be read on the screen."


def _clicked(actor: Actor) -> str:
    """A sentence on the cells that a click plays."""
    found = set()
    for number in range(min(_whole(actor.ask("open").get("clicks")), MOST_CLICKS)):
        actor.ask("new_game")
        marks = actor.ask("click", number=number).get("board")
        if isinstance(marks, str) and marks.count("X") == 1:
            found.add(marks.index("X"))
    if found == set(range(9)):
        return "Each cell can be clicked."
    return f"{len(found) or 'None'} of the cells can be clicked on a button: see in the notebook how one plays."


def _new_game(actor: Actor) -> Board:
    if _board(actor.ask("new_game")) != Board():
        raise Broken("After new_game() the board is not empty.")
    return Board()


def _answered(before: Board, said: dict[str, Any]) -> Board:
    """The board after the computer's answer, which must be one move by the rules."""
    board = _board(said)
    if board not in ({before} if before.over else {before.play(cell) for cell in before.moves}):
        raised = f" ({said['raised']})" if said.get("raised") else ""
        raise Broken(f"After a move to {_text(before)} the board is {_text(board)}{raised}.")
    return board


def _board(said: dict[str, Any]) -> Board:
    if "error" in said:
        raise Broken(f"It stopped with {said['error']}.")
    try:
        return Board.from_text(str(said.get("board")))
    except ValueError as error:
        raise Broken(f"Its board makes no sense: {error}") from None


def _text(board: Board) -> str:
    marks = "".join(board)
    return " / ".join(marks[row : row + 3] for row in (0, 3, 6))


def _whole(value: object) -> int:
    return value if isinstance(value, int) else 0


def _heuristic(played: Played) -> Finding:
    if not played.answers:
        return Finding(False, "Could not be tried out.")
    if played.unlike:
        return Finding(False, played.unlike)
    return Finding(True, f"All of its {played.answers} answers are moves that heuristic 2 may make.")


def _scores(played: Played) -> Finding:
    problem = played.miscounted or played.unseen
    ends = f"{played.won['X']} won by the person, {played.won['O']} by the computer, {played.won[None]} drawn"
    return Finding(not problem, problem or f"The score is right after each game ({ends}), and shown.")


def _picture(actor: Actor, target: Path) -> str:
    """A sentence on the picture, or on why there is none."""
    try:
        return picture.take(actor.ask("picture"), target)
    except (Gone, picture.NoPicture) as problem:
        return f"There is no picture. {problem}"


# ----------------------------------------------------------------------------------------------- what a person says


def _grade(findings: dict[str, Finding], status: str, reason: str) -> Grade:
    points = {part: _marks(part) if found.holds else 0.0 for part, found in findings.items()}
    return _added_up(points, status, reason)


def _added_up(points: dict[str, float], status: str, reason: str) -> Grade:
    parts = tuple((title, points.get(part, 0.0), _marks(part)) for part, (_, title) in PARTS.items())
    return Grade(sum(got for _, got, _ in parts), sum(most for _, _, most in parts), parts, status, reason)


def _marks(part: str) -> float:
    return float(SETTINGS["marks"][PARTS[part][0]])


def _by_person(row: dict[str, str]) -> Grade:
    """The marks that a person has filled in. A mark that makes no sense is told, and waits."""
    points = {}
    for part in PARTS:
        with suppress(ValueError):
            points[part] = float(row[part].replace(",", ".") or 0)
        if not 0 <= points.get(part, -1) <= _marks(part):
            wrong = f"{FORM} says {plain(row[part], 20)!r} for ({part}): write a number from 0 to {_marks(part):g}."
            return replace(_added_up({}, WAITING, wrong))
    graded = _added_up(points, "graded", plain(row["comment"]))
    return replace(graded, status="right") if graded.score == graded.max_score else graded


def _rows(form: Path) -> dict[str, dict[str, str]]:
    """The form's lines by student, from whatever spreadsheet has stored it."""
    if not form.exists():
        return {}
    text = form.read_text(encoding="utf-8-sig")
    delimiter = max(",;\t", key=text.partition("\n")[0].count)
    rows = csv.DictReader(StringIO(text), delimiter=delimiter)
    return {
        unescape_formula(row.get("student") or ""): {column: row.get(column) or "" for column in COLUMNS}
        for row in rows
    }


def _ask_person(form: Path, student: str, findings: dict[str, Finding]) -> None:
    """Put a student's line into the form, unless it is there. A line is added in one piece, by several at once too."""
    if student in _rows(form):
        return
    with suppress(FileExistsError), form.open("x", encoding="utf-8", newline="") as file:
        file.write(",".join(COLUMNS) + "\n")
    points = {part: f"{_marks(part):g}" if found.holds else "0" for part, found in findings.items()}
    cells = [escape_formula(student), points["a"], points["b"], "", points["d"], ""]
    line = StringIO()
    csv.writer(line, lineterminator="\n").writerow(cells)
    with form.open("a", encoding="utf-8", newline="") as file:
        file.write(line.getvalue())
