"""The questions at the end of a lesson: checked, with a reply to every answer, but no marks."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from lab.boards.panel import Panel, attributes
from lab.drawing.cards import prose
from ttt.words import unknown_name

FOLDER = Path(__file__).parents[1] / "recaps"


@dataclass(frozen=True)
class RecapQuestion:
    """A question with the right choice and the reason, and wrong choices with what is wrong with each."""

    ask: str
    right: str
    because: str
    wrong: dict[str, str]

    @property
    def choices(self) -> list[str]:
        """All choices, in a fixed order that doesn't give away the right one."""
        choices = sorted([self.right, *self.wrong])
        Random(str(choices)).shuffle(choices)
        return choices


def load_questions(lesson: str) -> list[RecapQuestion]:
    """Load a lesson's questions by the notebook's name. Raises `ValueError`."""
    lessons = {path.stem: path for path in sorted(FOLDER.glob("*.toml"))}
    if lesson not in lessons:
        raise ValueError(unknown_name("recap", lesson, lessons))
    return [RecapQuestion(**question) for question in tomllib.loads(lessons[lesson].read_text("utf-8"))["questions"]]


def recap(lesson: str) -> Recap:
    """Ask the questions of a lesson, as in recap("06_minimax"). Choose an answer, and read the reply.

    Raises `ValueError`.
    """
    return Recap(load_questions(lesson))


class Recap(Panel):
    """Multiple-choice questions; `answers` holds the answers, by question number."""

    def __init__(self, questions: list[RecapQuestion]) -> None:
        super().__init__()
        self.questions = questions
        self.answers: dict[int, str] = {}
        self._refresh()

    def when_answer(self, given: tuple[str, str]) -> None:
        number, choice = int(given[0]), given[1]
        if choice in self.questions[number].choices:
            self.answers[number] = choice
            self._refresh()

    def _refresh(self) -> None:
        # A form keeps the choices of one view apart from another's.
        right = sum(self.questions[number].right == answer for number, answer in self.answers.items())
        score, kind = "", ""
        if len(self.answers) == len(self.questions):
            score, kind = f"<strong>{right} of {len(self.questions)} right.</strong> Choose again.", "ttt-card plain"
        if right == len(self.questions):
            score, kind = f"<strong>✓ {right} of {right} right.</strong>", "ttt-card good"
        asked = "".join(map(self._asked, range(len(self.questions))))
        self.html = f'<form class="recap">{asked}<p class="{kind}" role="status">{score}</p></form>'

    def _asked(self, number: int) -> str:
        question, given = self.questions[number], self.answers.get(number)
        choices = ""
        for choice in question.choices:
            box = {"type": "radio", "name": number, "data_do": "answer", "data_value": number, "value": choice}
            choices += f"<label><input{attributes(**box, checked=choice == given)}> {prose(choice)}</label>"
        kind, reply = "plain", ""
        if given == question.right:
            kind, reply = "good", f"<strong>✓ Right.</strong> {prose(question.because)}"
        elif given is not None:
            kind, reply = "soon", f"<strong>✗ Not quite.</strong> {prose(question.wrong[given])}"
        return (
            f'<div class="ttt-card {kind}"><fieldset><legend>{number + 1}. {prose(question.ask)}</legend>{choices}'
            f'</fieldset><p role="status">{reply}</p></div>'
        )

    def _repr_mimebundle_(self, **arguments: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        """Include the questions, without their answers, for readers without a kernel."""
        data, metadata = super()._repr_mimebundle_(**arguments)
        asked = ""
        for question in self.questions:
            choices = "".join(f"<li>{prose(choice)}</li>" for choice in question.choices)
            asked += f"<li><p>{prose(question.ask)}</p><ul>{choices}</ul></li>"
        return data | {"text/html": f"<ol>{asked}</ol>"}, metadata

    def __repr__(self) -> str:
        lines = []
        for number, question in enumerate(self.questions, 1):
            lines += [f"{number}. {question.ask}", *(f"   ○ {choice}" for choice in question.choices)]
        return "\n".join(lines)
