"""The lab sheet's other assessment, a redesigned interface: what a program can judge of it.

The submitted notebook runs in a sandbox, behind `inside/interface_server.py`. This module plays forty games on it and
checks every answer here. Whether the interface is *better* is for a person to say, in `review.csv`.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from hashlib import sha256
from pathlib import Path
from random import Random
from time import monotonic
from typing import Any

from ttt.board import Board, Mark
from ttt.grading import picture
from ttt.grading.grade import NOT_STARTED, PROBLEM, WAITING, Grade, PartMarks
from ttt.grading.interface_client import Client, InterfaceError, connected
from ttt.grading.roster import plain
from ttt.grading.source import Unreadable, read_cells
from ttt.heuristics import move_values, open_lines
from ttt.players.rules import block, win

PARTS = {
    "a": ("works", "(a) the interface works"),
    "b": ("heuristic_2", "(b) heuristic 2 plays"),
    "c": ("better", "(c) the interface is better"),
    "d": ("scores", "(d) the scores of both sides are shown"),
}
BY_A_PERSON = "c"
GAMES = 40
SEED = 1  # every submission meets the same opponent
MOST_CLICKS = 60


@dataclass(frozen=True)
class Finding:
    """Whether one part of the rubric holds, and the evidence in words."""

    holds: bool
    evidence: str


@cache
def settings() -> dict[str, Any]:
    """The marks, and the digest of the notebook as handed out, from `interface.toml`. Raises `ValueError`."""
    return tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))


def rubric() -> tuple[PartMarks, ...]:
    """The parts, with no marks yet."""
    marks = settings()["marks"]
    return tuple(PartMarks(part, title, None, float(marks[name])) for part, (name, title) in PARTS.items())


def mark_file(path: Path, isolation: str, page: Path) -> Grade:
    """Judge a submission, and write a picture and the evidence next to the page's name. Raises `TooLittleIsolation`."""
    begun = monotonic()
    grade = _judged(path, isolation, page)
    return replace(grade, seconds=monotonic() - begun, isolation=isolation)


def _judged(path: Path, isolation: str, page: Path) -> Grade:
    try:
        cells = read_cells(path)
    except Unreadable as error:
        return Grade(_marks({}), PROBLEM, str(error))
    if digest(cells) == settings()["handed_out"]:
        return Grade(_marks({}), NOT_STARTED, "The notebook is still as it was handed out.")
    page.parent.mkdir(parents=True, exist_ok=True)
    findings = watch(cells, page, isolation)
    evidence = " ".join(f"({part}) {found.evidence}" for part, found in findings.items())
    return Grade(_marks(findings), WAITING, evidence)


def _marks(findings: Mapping[str, Finding]) -> tuple[PartMarks, ...]:
    """The marks for what was found. Without any finding there are none, and nothing is left for a person to judge."""
    earned = {part.name: part.most for part in rubric() if part.name in findings and findings[part.name].holds}
    left = BY_A_PERSON if findings else ""
    return tuple(part._replace(got=None if part.name == left else earned.get(part.name, 0.0)) for part in rubric())


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
