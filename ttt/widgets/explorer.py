"""The pruning explorer: a position's game tree, alpha-beta going through it step by step, and practice with it."""

from __future__ import annotations

from dataclasses import fields, replace
from operator import index
from typing import Any

import traitlets

from ttt.board import Board
from ttt.heuristics import Heuristic
from ttt.search import BadSearch, Search
from ttt.svg import Picture
from ttt.widgets.narrator import Frame, Narrator
from ttt.widgets.practice import Practice
from ttt.widgets.snapshot import Announcer, script, style
from ttt.widgets.trace import Setting, Trace
from ttt.widgets.tree import POSITIONS, as_data, picture


class Explorer(Announcer):
    """Watch alpha-beta think: the game tree of a position, step by step, with the reason for every cut.

    Args:
        board: the position, on a flat board; by default one with something to see, two plies deep.
        depth: how many plies to look ahead; by default to the end of the game.
        heuristic: judges unfinished boards at that depth; without it they count 0.
        options: order, killer, table, symmetry and pvs, as for `alphabeta`.

    All values, alpha and beta are seen from the side to move at the root, MAX. `step` is the number of the step shown,
    from 0, and can be set; `frames` holds all steps; `search` and `minimax` are what the two searches found. `practise`
    asks about other trees, as the button *Practise* does.

    Raises `BadSearch`, and `TreeTooLarge` for more than 400 nodes.

    >>> Explorer(Board.from_text("O-- OXX X--"))
    Alpha-beta visits 29 of 49 nodes: O gets 0 with cell 2.
    """

    _esm = script("practice.js", "explorer.js")
    _css = style("../trees.css", "controls.css", "explorer.css")

    data = traitlets.Dict().tag(sync=True)
    step = traitlets.Int(0).tag(sync=True)
    question = traitlets.Dict().tag(sync=True)  # of the practice, empty without one
    frames: tuple[Frame, ...] = ()
    _trace: Trace
    _practice: Practice | None = None
    _before: tuple[Trace, int]  # what was shown before the practice, and its step
    _seed = 0  # of the last practice

    def __init__(
        self, board: Board | None = None, depth: int | None = None, heuristic: Heuristic | None = None, **options: Any
    ) -> None:
        super().__init__()
        if board is None:
            text, plies = next(iter(POSITIONS.values()))
            board, depth = Board.from_text(text), plies if depth is None else depth
        self._show(Trace(_changed(Setting(board, depth, heuristic), options)))
        self.on_request("change", self._asked, "The explorer")
        self.on_request("practise", lambda _: self.practise(), "The explorer")
        self.on_request("answer", lambda given: self.answer(*given), "The explorer")
        self.on_request("next_question", lambda _: self.next_question(), "The explorer")
        self.on_request("stop_practising", lambda _: self.stop_practising(), "The explorer")

    @property
    def board(self) -> Board:
        """The position at the root."""
        return self._trace.setting.board

    @property
    def search(self) -> Search:
        """What alpha-beta found, and what it cost."""
        return self._trace.search

    @property
    def minimax(self) -> Search:
        """What minimax finds in the same tree, and what it costs."""
        return self._trace.minimax

    def change(self, **changes: Any) -> None:
        """Change the board, depth, heuristic or options; whatever isn't named stays the same.

        Raises `BadSearch` and `TreeTooLarge`; then nothing changes.

        >>> explorer = Explorer()
        >>> explorer.change(order="best-gain")
        >>> explorer
        Alpha-beta visits 14 of 26 nodes: X gets 0 with cell 6.
        """
        self.stop_practising()
        before, trace = self._trace, Trace(_changed(self._trace.setting, changes))
        self._show(trace)
        old, new = before.setting, trace.setting
        same_tree = (old.board, old.depth, old.heuristic) == (new.board, new.depth, new.heuristic)
        changed = same_tree and before.search.nodes != trace.search.nodes
        self.say(trace.sentence() + (f" Before, it was {before.search.nodes}." if changed else ""))

    # ------------------------------------------------------------------------------------------------------ practice

    def practise(self, seed: int | None = None) -> None:
        """Ask what comes next in the search of small trees: a node's worth, alpha and beta, visited or cut off.

        Args:
            seed: the same seed gives the same questions; by default another one each time, beginning with 1.

        >>> explorer = Explorer()
        >>> explorer.practise(seed=1)
        >>> explorer.question["ask"]
        'Every move after cell 1 has been searched. What is cell 1 worth for O?'
        >>> explorer.answer("-7")
        'Right.'
        """
        self.stop_practising()
        self._seed = self._seed + 1 if seed is None else seed
        self._before = self._trace, self.step
        self._practice = Practice(self._seed)
        self._ask(self._practice)

    def answer(self, *given: str) -> str:
        """Answer the question of the practice; returns what is said to it, and shows the step that it is about.

        Args:
            given: the worth; or alpha and beta; or "visited" or "cut off". What should be a number and is none doesn't
                count as an answer.
        """
        if self._practice is None or self._practice.was_right is not None:
            return ""  # nothing is asked, or it is answered already
        if text := self._practice.unreadable(given):
            refusal = f"“{text}” is not a number. Write one, such as −1."
            self.say(refusal, "error")
            return refusal
        self._practice.judge(given)
        with self.hold_sync():
            self.step = self._practice.question.step
            self.question = self._practice.as_data()
        return str(self.question["verdict"])

    def next_question(self) -> None:
        """Ask the next question of the practice, after the last was answered."""
        if self._practice is not None and self._practice.was_right is not None:
            self._practice.go_on()
            self._ask(self._practice)

    def stop_practising(self) -> None:
        """Go back to what was shown before the practice."""
        if self._practice is None:
            return
        trace, step = self._before
        self._practice = None
        with self.hold_sync():
            self._show(trace)
            self.step = step
            self.question = {}

    def _ask(self, practice: Practice) -> None:
        """Show a question, at the step before the one that answers it."""
        with self.hold_sync():
            if self._trace is not practice.trace:
                self._show(practice.trace)
            self.step = practice.question.step - 1
            self.question = practice.as_data()

    # ---------------------------------------------------------------------------------------------------- what is shown

    def picture(self, step: int | None = None) -> Picture:
        """Draw the whole tree, at the end of the search or at the given step.

        Raises `BadSearch` if there is no such step.
        """
        number = self._last if step is None else index(step)
        if not 0 <= number <= self._last:
            raise BadSearch(f"The steps are 0 to {self._last}, not {step}.")
        return picture(self._trace, self.frames, number)

    def snapshot(self) -> Picture:
        return self.picture()

    def _show(self, trace: Trace) -> None:
        """Show a trace from its start, or from its end if the last one was at its end."""
        at_end = bool(self.frames) and self.step == self._last
        self._trace, self.frames = trace, tuple(Narrator(trace).narrate())
        with self.hold_sync():
            self.data = as_data(trace, self.frames)
            self.step = self._last if at_end else 0

    @property
    def _last(self) -> int:
        return len(self.frames) - 1

    def _asked(self, changes: dict[str, Any]) -> None:
        """Make the changes that a person asked for on the page."""
        try:
            if "board" in changes:
                changes = changes | {"board": Board.from_text(changes["board"], self.board.shape, self.board.k)}
            if "position" in changes:
                text, depth = POSITIONS[changes["position"]]
                changes = {"board": Board.from_text(text), "depth": depth}
            self.change(**changes)
        except ValueError as error:
            self.say(str(error), "error")

    @traitlets.validate("step")
    def _within(self, proposal: Any) -> int:
        return max(0, min(int(proposal["value"]), self._last))

    def __repr__(self) -> str:
        return self._trace.sentence()


def _changed(setting: Setting, changes: dict[str, Any]) -> Setting:
    if changes.pop("deepening", False):
        raise BadSearch("The explorer shows a single search to one depth, so leave deepening out.")
    names = [field.name for field in fields(Setting)]
    if unknown := [name for name in changes if name not in names]:
        raise BadSearch(f"The explorer has no option {' or '.join(unknown)}; it takes {', '.join(names)}.")
    return replace(setting, **changes)
