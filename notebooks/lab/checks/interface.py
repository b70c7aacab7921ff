"""The interface exercise: what a program can test in a redesigned interface.

It plays ten games. The check plays them in the student's notebook, the grader in a sandbox; both report the same.
Whether the interface is *better* is for a person to judge.
"""

import io
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout, suppress
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

import ipywidgets
from IPython.core.getipython import get_ipython
from ipywidgets.embed import dependency_state

from lab.boards.game import GameBoard
from lab.timeouts import explained, timeout
from ttt.board import Board, Mark
from ttt.heuristics import move_values, open_lines
from ttt.players.rules import block, win

if TYPE_CHECKING:
    from lab.checks.verdict import Check

GAMES = 10
SEED = 1  # every interface meets the same opponent
UNTRIED = "this was not tested, because (a) failed."
MAX_ANSWER_SECONDS = 10.0  # seconds for an answer; most take far less, so this long means an endless loop
UNSEEN = ("heard", "count")  # attributes of a panel
MARKUP = re.compile(r"<[^>]*>|IPY_MODEL_\w*")


class InterfaceError(Exception):
    """The interface misbehaves or no longer answers; the message says how."""


class Seen(NamedTuple):
    """What an interface shows after an action."""

    said: str  # the exception as a sentence, or ""
    marks: str | None  # the marks on its board, if it has one
    score: list[int] | None


class Trial:
    """Ten games on an interface, and the first problem they reveal in each part of the rubric."""

    def __init__(self, function: object) -> None:
        self.function = function  # the function that makes an interface
        self.widget: Any = None
        self.won: Counter[Mark | None] = Counter()
        self.answers = 0
        self.faults: dict[str, str] = {}

    def findings(self) -> dict[str, tuple[bool, str]]:
        """Play; return whether (a), (b) and (d) hold, with the evidence in words."""
        rng = Random(SEED)
        try:
            self.open()
            board, _ = self._play(self._new_game(), 4)
            for cell in (4, "".join(board).index("O")):
                self._play_in_vain(board, cell, "that cell was already taken")
            for number in range(GAMES):
                self._play_game(number, rng)
        except InterfaceError as error:
            self.faults |= {"a": str(error), "d": UNTRIED}
        if not self.answers:
            self.faults["b"] = UNTRIED
        ends = f"{self.won['X']} won by X, {self.won['O']} by O, {self.won[None]} drawn"
        good = {
            "a": f"{GAMES} games ran to the end by the rules, and playing a taken cell changed nothing.",
            "b": f"All {self.answers} moves of the computer are ones that heuristic 2 allows.",
            "d": f"The score is right after each game ({ends}) and is shown.",
        }
        return {part: (part not in self.faults, self.faults.get(part, said)) for part, said in good.items()}

    def open(self) -> None:
        """Make an interface."""
        if not callable(function := self.function):
            raise InterfaceError("there is no function `interface()`. Define it and run its cell.")
        self._done("`interface()`", lambda: setattr(self, "widget", function()))
        if not isinstance(self.widget, ipywidgets.Widget):
            raise InterfaceError(f"`interface()` returned `{repr(self.widget)[:60]}`, which is not a widget.")
        if any(isinstance(widget, GameBoard) for widget in _tree(self.widget)):
            raise InterfaceError("`interface()` returned the lab's `GameBoard` instead of an interface of your own.")

    def texts(self) -> list[str]:
        """All texts on the screen."""
        models = dependency_state([self.widget]).values()
        shown = [model["state"] for model in models if not model["model_name"].endswith(("LayoutModel", "StyleModel"))]
        return list(_texts(shown))

    def _play_game(self, number: int, rng: Random) -> None:
        """Play alternately with and without care, so that each side wins some games."""
        board, score = self._new_game(), None
        while not board.over:
            cells = () if number % 2 else win(board) or block(board)
            cell = min(cells) if cells else rng.choice(board.moves)
            before = board.play(cell)
            board, score = self._play(board, cell)
            if not before.over:
                self._check_move(before, board)
        self.won[board.winner] += 1
        self._check_score(score, on_screen=number in (GAMES // 2, GAMES - 1))
        self._play_in_vain(board, 0, "the game was already over")

    def _play_in_vain(self, board: Board, cell: int, why: str) -> None:
        """Play a cell where nothing may change; an exception is allowed."""
        if _board(self._do(f"`.play({cell})`", lambda: self.widget.play(cell))) != board:
            raise InterfaceError(f"`.play({cell})` changed the board {_text(board)}, although {why}.")

    def _new_game(self) -> Board:
        board = _board(self._done("`.new_game()`", lambda: self.widget.new_game()))
        if board != Board():
            raise InterfaceError(f"`.new_game()` leaves marks on the board: {_text(board)}.")
        return board

    def _play(self, board: Board, cell: int) -> tuple[Board, list[int] | None]:
        """Play a free cell; return the board after the computer's answer, and the score."""
        seen = self._done(f"`.play({cell})`", lambda: self.widget.play(cell))
        after, mine = _board(seen), board.play(cell)
        if after not in ([mine] if mine.over else map(mine.play, mine.moves)):
            right = "which ends the game" if mine.over else "and one more O"
            raise InterfaceError(
                f"`.play({cell})` on {_text(board)} leads to {_text(after)}. Expected: X in cell {cell}, {right}."
            )
        return after, seen.score

    def _done(self, name: str, action: Callable[[], object]) -> Seen:
        """Do something that must not raise an exception."""
        seen = self._do(name, action)
        if seen.said:
            raise InterfaceError(seen.said)
        return seen

    def _do(self, name: str, action: Callable[[], object]) -> Seen:
        """Do something and look at the result. Raises `InterfaceError` if it never ends."""
        marks = score = None
        try:
            with timeout(MAX_ANSWER_SECONDS), redirect_stdout(io.StringIO()):
                said = _raised(name, action)
                with suppress(Exception):
                    marks = "".join(self.widget.board)
                with suppress(Exception):
                    score = [int(number) for number in self.widget.score]
        except TimeoutError:
            raise InterfaceError(
                f"{name} gave no answer within {MAX_ANSWER_SECONDS:g} s. Is there an endless loop?"
            ) from None
        return Seen(said, marks, score)

    def _check_move(self, before: Board, after: Board) -> None:
        """Check that the computer's move is best by heuristic 2, or the clever computer's, which wins and blocks."""
        self.answers += 1
        values = move_values(open_lines, before)
        good = {cell for cell in values if values[cell] == max(values.values())} | {*win(before), *block(before)}
        cell = next(cell for cell in before.moves if after[cell] != "-")
        if cell not in good:
            told = f"on {_text(before)} the computer plays cell {cell}; by heuristic 2 it plays"
            told = f"{told} {' or '.join(map(str, sorted(good)))}."
            self.faults.setdefault("b", told)

    def _check_score(self, score: list[int] | None, on_screen: bool) -> None:
        """Check that the score is right and its numbers are on the screen."""
        right = self.won["X"], self.won["O"]
        if score != [*right]:
            given = f"`.score` says {tuple(score[:3])}" if score else "`.score` does not contain two numbers"
            self.faults.setdefault("d", f"after game {self.won.total()} the score should be {right}, but {given}.")
        if on_screen and not set(map(str, right)) <= set(re.findall(r"\d+", " ".join(self.texts()))):
            self.faults.setdefault("d", f"when the score is {right}, these numbers are not on the screen.")


def check_interface(interface: Callable[..., Any]) -> "Check":
    """Play ten games on the interface that a function makes, and report on (a), (b) and (d)."""
    from lab.checks.verdict import Check  # missing in the sandbox

    lines = ["(c) is for a person to judge."]
    findings = Trial(interface).findings()
    lines += [f"({part}) {'Yes.' if holds else 'Not yet:'} {said}" for part, (holds, said) in findings.items()]
    return Check("right" if all(holds for holds, _ in findings.values()) else "not yet", "\n".join(lines))


def _board(seen: Seen) -> Board:
    """The board of an interface. Raises `InterfaceError`."""
    if seen.marks is None:
        raise InterfaceError(seen.said or "the interface has no `.board`.")
    try:
        return Board.from_text(seen.marks)
    except ValueError as error:
        raise InterfaceError(f"`.board` is not a valid board: {error}") from None


def _text(board: Board) -> str:
    return str(board).replace(" ", "").replace("\n", " / ")


def _raised(name: str, action: Callable[[], object]) -> str:
    """Do something; return the exception it raised as a sentence, or "".

    ipywidgets swallows what a click handler raises, and so does its `Output`: both hand it to IPython to show.
    """
    caught: list[Any] = []
    shell: Any = get_ipython()
    if shell:
        shell.showtraceback = lambda error=None, **_: caught.append(error[1] if error else sys.exc_info()[1])
    try:
        action()
    except (Exception, SystemExit) as error:
        caught.append(error)
    finally:
        if shell:
            del shell.showtraceback
    return explained(caught[0], name).removesuffix(".") + "." if caught else ""


def _tree(widget: Any) -> Iterator[Any]:
    yield widget
    for child in getattr(widget, "children", ()):
        yield from _tree(child)


def _texts(value: object) -> Iterator[str]:
    """The texts and numbers in a widget's state, except names that begin with _, which are internal."""
    if isinstance(value, dict):
        value = [part for name, part in value.items() if not name.startswith("_") and name not in UNSEEN]
    if isinstance(value, list | tuple):
        for part in value:
            yield from _texts(part)
    elif isinstance(value, str | int | float):
        yield MARKUP.sub(" ", str(value)).strip()
