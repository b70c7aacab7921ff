"""The lab sheet's other assessment, a redesigned interface: what a program can judge, and a form for the rest.

The submitted notebook runs in a sandbox, behind `inside/interface_server.py`. This module plays forty games on it and
checks every answer here. Whether the interface is *better* is for a person to say, in `interface_review.csv`.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from random import Random
from time import monotonic
from typing import Any

from ttt.board import Board, Mark
from ttt.grading import picture
from ttt.grading.feedback import file_names
from ttt.grading.grade import Grade
from ttt.grading.interface_client import Client, InterfaceError, connected
from ttt.grading.roster import plain
from ttt.grading.sheet import Sheet, csv_text
from ttt.grading.source import Unreadable, read_cells
from ttt.heuristics import move_values, open_lines
from ttt.players.rules import block, win
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
MARKS = {part: float(SETTINGS["marks"][name]) for part, (name, _) in PARTS.items()}
WAITING = "needs a person"
GAMES = 40
SEED = 1  # every submission meets the same opponent
MOST_CLICKS = 60


@dataclass(frozen=True)
class Finding:
    """Whether one part of the rubric holds, and the evidence in words."""

    holds: bool
    evidence: str


def mark_file(path: Path, isolation: str, out: Path, student: str) -> Grade:
    """Judge a submission, write a picture and the evidence into `out`, and add the student's row to the form there.

    If a person has filled in that row, it decides the marks. Raises `TooLittleIsolation`.
    """
    begun = monotonic()
    grade = _judged(path, isolation, out, student)
    return replace(grade, seconds=monotonic() - begun, isolation=isolation)


def _judged(path: Path, isolation: str, out: Path, student: str) -> Grade:
    row = _rows(out / FORM).get(student)
    if row is not None and row["c"].strip():
        return _by_person(row)
    try:
        cells = read_cells(path)
    except Unreadable as error:
        return _grade({}, "problem", str(error))
    if digest(cells) == SETTINGS["handed_out"]:
        return _grade({}, "not started", "The notebook is still as it was handed out.")
    pages = out / "interface"
    pages.mkdir(parents=True, exist_ok=True)
    findings = watch(cells, pages / file_names([student])[student], isolation)
    points = {part: MARKS[part] if found.holds else 0.0 for part, found in findings.items()}
    _add_row(out / FORM, student, points)
    evidence = " ".join(f"({part}) {found.evidence}" for part, found in findings.items())
    return _grade(points, WAITING, f"{evidence} (c) waits for a person, in {FORM}.")


def depends_on(out: Path, student: str) -> bytes:
    """What a grade depends on besides the submission: the student's row in the form."""
    return repr(_rows(out / FORM).get(student)).encode()


def digest(cells: list[str]) -> str:
    """A digest of a notebook's code cells, by which the notebook as handed out is recognised."""
    return sha256("\0".join(cells).encode("utf-8", "replace")).hexdigest()


def watch(cells: list[str], page: Path, isolation: str = "full") -> dict[str, Finding]:
    """Judge (a), (b) and (d), and write the evidence next to the page's name, as text and as a picture."""
    with connected(isolation) as client:
        findings = Trial(client).findings(cells)
        try:
            shown = picture.take(client.ask("picture"), page.with_suffix(".png"))
        except InterfaceError as error:
            shown = f"There is no picture. {error}"
    lines = [f"({part}) {'yes' if found.holds else 'no'}: {found.evidence}" for part, found in findings.items()]
    page.with_suffix(".txt").write_text("\n".join([*lines, shown, ""]), encoding="utf-8")
    return findings


# ----------------------------------------------------------------------------------------------- what a program can see


class Trial:
    """Forty games on a submitted interface, and the faults they brought to light."""

    def __init__(self, client: Client) -> None:
        self.ask = client.ask
        self.won: Counter[Mark | None] = Counter()
        self.answers = 0
        self.other_moves = ""  # the first answer that is not heuristic 2's
        self.wrong_score = ""  # the first game with a wrong score after it
        self.hidden_score = ""  # the first time that the score was missing on the screen

    def findings(self, cells: list[str]) -> dict[str, Finding]:
        """Run the notebook and play; returns what was found on (a), (b) and (d)."""
        try:
            self._open(cells)
            clicks = self._click()
            self.ask("open")  # start over after the clicks
            self._play_taken_cells()
            self._play_games()
        except InterfaceError as error:
            untried = Finding(False, "Could not be tried out.")
            return {"a": Finding(False, plain(str(error))), "b": self._heuristic(), "d": untried}
        works = f"{GAMES} games were played to the end by the rules, and a taken cell changed nothing. {clicks}"
        return {"a": Finding(True, works), "b": self._heuristic(), "d": self._scores()}

    def _open(self, cells: list[str]) -> None:
        """Run the notebook and make its interface."""
        line = self.ask("scan", cells=cells).get("line")
        if line:
            raise InterfaceError(f"The notebook reaches into the program that judges it, so a person decides: {line}")
        errors = self.ask("run", cells=cells).get("errors")
        opened = self.ask("open")
        if "error" in opened:
            first = f" Its code cell {errors[0][0] + 1} stopped with {errors[0][1]}." if errors else ""
            raise InterfaceError(f"interface() stopped with {opened['error']}.{first}")
        kinds = opened.get("kinds", [])
        if "ipywidgets.widgets.widget.Widget" not in kinds:
            raise InterfaceError("interface() did not return a widget.")
        if "ttt.widgets.game.GameBoard" in kinds:
            raise InterfaceError("The interface is ttt's own GameBoard rather than one of the student's.")

    def _click(self) -> str:
        """Click everything, each in a new game; returns a sentence on the cells that were played by it."""
        count = self.ask("open").get("clicks")
        found = set()
        for number in range(min(count if isinstance(count, int) else 0, MOST_CLICKS)):
            self.ask("new_game")
            marks = self.ask("click", number=number).get("board")
            if isinstance(marks, str) and marks.count("X") == 1:
                found.add(marks.index("X"))
        if found == set(range(9)):
            return "Each cell can be clicked."
        return f"{len(found) or 'None'} of the cells can be clicked on a button: see in the notebook how to play."

    def _play_taken_cells(self) -> None:
        """Play a cell that is the person's and one that is the computer's: neither may change anything."""
        self._new_game()
        board = _answered(Board().play(4), self.ask("play", cell=4))
        for cell in (4, next(cell for cell in range(9) if board[cell] == "O")):
            if _board(self.ask("play", cell=cell)) != board:
                raise InterfaceError(f"Playing cell {cell}, which was taken, changed the board {_text(board)}.")

    def _play_games(self) -> None:
        """Play carefully and carelessly by turns, so that each side wins some games."""
        rng = Random(SEED)
        for number in range(GAMES):
            board, score = self._game(rng, careful=number % 2 == 0)
            self.won[board.winner] += 1
            self._check_score(score)
            if number in (GAMES // 2, GAMES - 1):
                self._check_screen()
            if _board(self.ask("play", cell=0)) != board:
                raise InterfaceError(f"Playing on after the end changed the board {_text(board)}.")

    def _game(self, rng: Random, careful: bool) -> tuple[Board, object]:
        """Play a game; returns the last board, and the score after it."""
        board = self._new_game()
        score = None
        while not board.over:
            cell = _choice(board, rng, careful)
            answer = self.ask("play", cell=cell)
            before = board.play(cell)
            board, score = _answered(before, answer), answer.get("score")
            if not before.over:
                self._check_move(before, board)
        return board, score

    def _new_game(self) -> Board:
        if _board(self.ask("new_game")) != Board():
            raise InterfaceError("After new_game() the board is not empty.")
        return Board()

    def _check_move(self, before: Board, after: Board) -> None:
        self.answers += 1
        cell = next(cell for cell in before.moves if after[cell] != "-")
        if cell not in allowed(before) and not self.other_moves:
            good = ", ".join(map(str, sorted(allowed(before))))
            self.other_moves = f"On {_text(before)} it plays cell {cell}; heuristic 2 plays {good}."

    def _check_score(self, score: object) -> None:
        right = [self.won["X"], self.won["O"]]
        if score == right or self.wrong_score:
            return
        given = "there is none" if score is None else plain(str(score), 60)
        game = self.won.total()
        self.wrong_score = f"After game {game} the score is ({right[0]}, {right[1]}); .score says: {given}."

    def _check_screen(self) -> None:
        right = [self.won["X"], self.won["O"]]
        texts = self.ask("texts").get("texts", [])
        numbers = set(re.findall(r"\d+", " ".join(map(str, texts))))
        if not {str(number) for number in right} <= numbers and not self.hidden_score:
            self.hidden_score = f"When the score is ({right[0]}, {right[1]}), these numbers are not on the screen."

    def _heuristic(self) -> Finding:
        if not self.answers:
            return Finding(False, "Could not be tried out.")
        fits = f"All of its {self.answers} answers are moves that heuristic 2 may make."
        return Finding(not self.other_moves, self.other_moves or fits)

    def _scores(self) -> Finding:
        problem = self.wrong_score or self.hidden_score
        ends = f"{self.won['X']} won by the person, {self.won['O']} by the computer, {self.won[None]} drawn"
        return Finding(not problem, problem or f"The score is right after each game ({ends}), and shown.")


def allowed(board: Board) -> set[int]:
    """The cells heuristic 2 may play, alone or in the clever computer: its highest, and lines to complete or block.

    >>> sorted(allowed(Board().play(0)))
    [4]
    """
    values = move_values(open_lines, board)
    best = max(values.values())
    return {cell for cell, value in values.items() if value == best} | {*win(board), *block(board)}


def _choice(board: Board, rng: Random, careful: bool) -> int:
    """A person's move: a careful one completes lines, then blocks them; a careless one sees neither."""
    cells = (win(board) or block(board)) if careful else ()
    return min(cells) if cells else rng.choice(board.moves)


def _answered(before: Board, answer: dict[str, Any]) -> Board:
    """The board after the computer's answer, which must be one move by the rules."""
    board = _board(answer)
    expected = {before} if before.over else {before.play(cell) for cell in before.moves}
    if board not in expected:
        raised = f" ({answer['raised']})" if answer.get("raised") else ""
        raise InterfaceError(f"After a move to {_text(before)} the board is {_text(board)}{raised}.")
    return board


def _board(answer: dict[str, Any]) -> Board:
    if "error" in answer:
        raise InterfaceError(f"It stopped with {answer['error']}.")
    try:
        return Board.from_text(str(answer.get("board")))
    except ValueError as error:
        raise InterfaceError(f"Its board makes no sense: {error}") from None


def _text(board: Board) -> str:
    marks = "".join(board)
    return " / ".join(marks[row : row + 3] for row in (0, 3, 6))


# ----------------------------------------------------------------------------------------------- what a person says


def _grade(points: Mapping[str, float], status: str, reason: str) -> Grade:
    parts = tuple((title, points.get(part, 0.0), MARKS[part]) for part, (_, title) in PARTS.items())
    return Grade(sum(got for _, got, _ in parts), sum(MARKS.values()), parts, status, reason)


def _by_person(row: dict[str, str]) -> Grade:
    """The marks that a person has filled in. If one of them makes no sense, the grade waits, and says so."""
    points = {}
    for part, most in MARKS.items():
        with suppress(ValueError):
            points[part] = float(row[part].replace(",", ".") or 0)
        if not 0 <= points.get(part, -1) <= most:
            wrong = f"{FORM} says {plain(row[part], 20)!r} for ({part}): write a number from 0 to {most:g}."
            return _grade({}, WAITING, wrong)
    return _grade(points, "right" if points == MARKS else "graded", plain(row["comment"]))


def _rows(form: Path) -> dict[str, dict[str, str]]:
    """The form's rows by student, as any spreadsheet may have saved them. Raises `GradingError`."""
    if not form.exists() or not form.stat().st_size:
        return {}
    rows = Sheet.read(form).cells(*COLUMNS)
    return {unescape_formula(row[0]): dict(zip(COLUMNS, row, strict=True)) for row in rows}


def _add_row(form: Path, student: str, points: Mapping[str, float]) -> None:
    """Add a student's row to the form, unless it is there. Several processes can do so at once."""
    if student in _rows(form):
        return
    with suppress(FileExistsError), form.open("x", encoding="utf-8", newline="") as file:
        file.write(csv_text([COLUMNS]))
    marks = {part: f"{most:g}" for part, most in points.items()}
    row = [escape_formula(student), *(marks.get(part, "") for part in PARTS), ""]
    with form.open("a", encoding="utf-8", newline="") as file:
        file.write(csv_text([row]))
