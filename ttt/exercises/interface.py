"""The interface exercise: what a program can find out about a redesigned interface.

It clicks whatever can be clicked, and plays forty games. The check plays them in the student's notebook, and the
grading in a sandbox; both say the same. Whether the interface is *better* is for a person to say.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

from ttt.board import Board, Mark
from ttt.heuristics import move_values, open_lines
from ttt.players.rules import block, win

GAMES = 40
SEED = 1  # every interface meets the same opponent
MOST_CLICKS = 60


class InterfaceError(Exception):
    """The interface does not do what it must, or no longer answers; the message says what is wrong."""


@dataclass(frozen=True)
class Finding:
    """Whether one part of the rubric holds, and the evidence in words."""

    holds: bool
    evidence: str

    def __str__(self) -> str:
        return f"{'Yes.' if self.holds else 'Not yet:'} {self.evidence}"


UNTRIED = Finding(False, "it could not be tried out, because of (a).")


def called(do: str, cell: int | None = None, number: int | None = None) -> str:
    """What a request calls, as a student would write it.

    >>> called("play", 4)
    '.play(4)'
    """
    names = {
        "open": "interface()",
        "play": f".play({cell})",
        "new_game": ".new_game()",
        "click": f"click number {number}",
    }
    return names.get(do, "the interface")


class Trial:
    """Forty games on an interface, and the faults they bring to light.

    Args:
        ask: sends a request to `ttt.widgets.driver`, and returns its answer. Raises `InterfaceError`.
    """

    def __init__(self, ask: Callable[..., dict[str, Any]]) -> None:
        self.ask = ask
        self.won: Counter[Mark | None] = Counter()
        self.answers = 0
        self.other_moves = ""  # the first answer that is not heuristic 2's
        self.wrong_score = ""  # the first game with a wrong score after it
        self.hidden_score = ""  # the first time that the score was missing on the screen

    def findings(self) -> dict[str, Finding]:
        """Click and play; returns what was found on (a), (b) and (d)."""
        try:
            clicks = self._click(self._open())
            self._open()  # start over after the clicks
            self._play_taken_cells()
            self._play_games()
        except InterfaceError as error:
            return {"a": Finding(False, str(error)), "b": self._heuristic(), "d": UNTRIED}
        works = f"{GAMES} games were played to the end by the rules, and a taken cell changed nothing. {clicks}"
        problem = self.wrong_score or self.hidden_score
        ends = f"{self.won['X']} won by you, {self.won['O']} by the computer, {self.won[None]} drawn"
        scores = Finding(not problem, problem or f"The score is right after each game ({ends}), and shown.")
        return {"a": Finding(True, works), "b": self._heuristic(), "d": scores}

    def _heuristic(self) -> Finding:
        if not self.answers:
            return UNTRIED
        fits = f"All of its {self.answers} answers are moves that heuristic 2 may make."
        return Finding(not self.other_moves, self.other_moves or fits)

    def _open(self) -> int:
        """Make an interface; returns how many things on it can be clicked."""
        opened = self._asked("open")
        kinds = opened.get("kinds", [])
        if "ipywidgets.widgets.widget.Widget" not in kinds:
            raise InterfaceError(f"interface() returned {opened.get('returned')}, which is not a widget.")
        if "ttt.widgets.game.GameBoard" in kinds:
            raise InterfaceError("interface() returned ttt's own GameBoard rather than one of your own.")
        count: int = opened["clicks"]
        return count

    def _click(self, count: int) -> str:
        """Click everything, each in a new game; returns a sentence on the cells that were played by it."""
        played = set()
        for number in range(1, min(count, MOST_CLICKS) + 1):
            self._new_game()
            marks = self._asked("click", number=number).get("board")
            if isinstance(marks, str) and marks.count("X") == 1:
                played.add(marks.index("X"))
        if played == set(range(9)):
            return "Each cell can be clicked."
        some = len(played) or "None"
        return f"{some} of the cells can be played with a button, so a person has to find out how to play."

    def _play_taken_cells(self) -> None:
        """Play a cell that is the person's and one that is the computer's: neither may change anything."""
        board, _ = self._play(self._new_game(), 4)
        for cell in (4, "".join(board).index("O")):
            self._play_in_vain(board, cell, "that cell was taken")

    def _play_in_vain(self, board: Board, cell: int, why: str) -> None:
        if _board(self.ask("play", cell=cell)) != board:
            raise InterfaceError(f".play({cell}) changed the board {_text(board)}, where {why}.")

    def _play_games(self) -> None:
        """Play carefully and carelessly by turns, so that each side wins some games."""
        rng = Random(SEED)
        for number in range(GAMES):
            board, score = self._new_game(), None
            while not board.over:
                cell = _choice(board, rng, careful=number % 2 == 0)
                before = board.play(cell)
                board, score = self._play(board, cell)
                if not before.over:
                    self._check_move(before, board)
            self.won[board.winner] += 1
            self._check_score(score, on_screen=number in (GAMES // 2, GAMES - 1))
            self._play_in_vain(board, 0, "the game was over")

    def _new_game(self) -> Board:
        board = _board(self._asked("new_game"))
        if board != Board():
            raise InterfaceError(f".new_game() leaves marks on the board: {_text(board)}.")
        return board

    def _play(self, board: Board, cell: int) -> tuple[Board, object]:
        """Play a free cell; returns the board after the computer's answer to it, and the score."""
        answer = self._asked("play", cell=cell)
        after, mine = _board(answer), board.play(cell)
        expected = {mine} if mine.over else {mine.play(free) for free in mine.moves}
        if after not in expected:
            right = "which ends the game" if mine.over else "and one O more"
            raise InterfaceError(
                f".play({cell}) on {_text(board)} leads to {_text(after)}. Expected: X in cell {cell}, {right}."
            )
        return after, answer.get("score")

    def _asked(self, do: str, **details: int) -> dict[str, Any]:
        """The answer to a request that no exception may stop. Raises `InterfaceError`."""
        answer = self.ask(do, **details)
        if answer.get("raised"):
            raise InterfaceError(str(answer["raised"]))
        return answer

    def _check_move(self, before: Board, after: Board) -> None:
        self.answers += 1
        cell = next(cell for cell in before.moves if after[cell] != "-")
        if cell not in allowed(before) and not self.other_moves:
            good = ", ".join(map(str, sorted(allowed(before))))
            self.other_moves = f"on {_text(before)} it plays cell {cell}; heuristic 2 plays {good}."

    def _check_score(self, score: object, on_screen: bool) -> None:
        right = [self.won["X"], self.won["O"]]
        if score != right and not self.wrong_score:
            given = f".score says {_pair(score)}" if isinstance(score, list) else "there are no two numbers in .score"
            self.wrong_score = f"after game {self.won.total()} the score is {_pair(right)}, but {given}."
        if on_screen and not self.hidden_score:
            numbers = re.findall(r"\d+", " ".join(map(str, self.ask("texts").get("texts", []))))
            if not set(map(str, right)) <= set(numbers):
                self.hidden_score = f"when the score is {_pair(right)}, these numbers are not on the screen."


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


def _board(answer: dict[str, Any]) -> Board:
    """The board in an answer. Raises `InterfaceError`."""
    if answer.get("board") is None:
        raise InterfaceError(str(answer.get("raised") or "the interface has no .board."))
    try:
        return Board.from_text(str(answer["board"]))
    except ValueError as error:
        raise InterfaceError(f".board makes no sense: {error}") from None


def _text(board: Board) -> str:
    marks = "".join(board)
    return " / ".join(marks[row : row + 3] for row in (0, 3, 6))


def _pair(score: list[Any]) -> str:
    return str(tuple(score[:3]))
