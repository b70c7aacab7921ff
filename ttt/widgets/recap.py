"""The questions at the end of a lesson: checked, with a sentence on each answer, and without marks."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from difflib import get_close_matches
from html import escape
from pathlib import Path
from random import Random
from typing import Any

import traitlets
from IPython import display as ipython

from ttt.widgets.snapshot import Announcer, script, style

display: Any = ipython.display  # which has no types
FOLDER = Path(__file__).parents[1] / "recaps"


class UnknownRecap(ValueError):
    """No lesson has this name; the message says which have questions."""


@dataclass(frozen=True)
class Question:
    """A question with its choices.

    Args:
        ask: the question.
        right: the right choice.
        because: what is said after it is chosen.
        wrong: the wrong choices, each with what is wrong with it.
    """

    ask: str
    right: str
    because: str
    wrong: dict[str, str]

    @property
    def choices(self) -> list[str]:
        """All choices, in an order that is always the same and says nothing about which is right."""
        choices = sorted([self.right, *self.wrong])
        Random(self.ask).shuffle(choices)
        return choices

    def reply(self, choice: str) -> dict[str, Any]:
        """What is said to a choice."""
        if choice == self.right:
            return {"right": True, "text": f"Right. {self.because}"}
        return {"right": False, "text": f"Not quite. {self.wrong[choice]}"}


def questions(lesson: str) -> list[Question]:
    """The questions of a lesson, by its notebook's name. Raises `UnknownRecap`."""
    path = FOLDER / f"{lesson}.toml"
    lessons = sorted(path.stem for path in FOLDER.glob("*.toml"))
    if lesson not in lessons:
        near = get_close_matches(str(lesson), lessons, n=1)
        hint = f'did you mean "{near[0]}"?' if near else f"there are {', '.join(lessons)}."
        raise UnknownRecap(f"There are no questions for {lesson!r}: {hint}")
    return [Question(**question) for question in tomllib.loads(path.read_text("utf-8"))["questions"]]


def recap(lesson: str) -> None:
    """Ask the questions of a lesson. Choose an answer and press Check; nothing is marked.

    Args:
        lesson: its notebook's name, such as "06_minimax".

    As long as the kernel runs, a question keeps its answer, also if the cell is run again. Raises `UnknownRecap`.
    """
    display(Recap(questions(lesson), _answers.setdefault(lesson, {})))


_answers: dict[str, dict[int, str]] = {}  # of each lesson, by the question's number


class Recap(Announcer):
    """Questions with radio buttons; each answer gets a sentence.

    Args:
        questions: what is asked.
        answers: what was answered before, by the question's number; new answers are added to it.
    """

    _esm = script("recap.js")
    _css = style("controls.css", "recap.css")

    questions = traitlets.List(traitlets.Dict()).tag(sync=True)  # ask, choices
    answers = traitlets.List(traitlets.Dict()).tag(sync=True)  # choice, right and text; empty for no answer

    def __init__(self, questions: list[Question], answers: dict[int, str] | None = None) -> None:
        super().__init__()
        self._asked = questions
        self._given = {} if answers is None else answers
        self.questions = [{"ask": one.ask, "choices": one.choices} for one in questions]
        self.answers = [self._reply(n) for n in range(len(questions))]
        self.on_request("answer", self._answer, "The recap")

    def _answer(self, given: dict[str, Any]) -> None:
        number, choice = given["question"], given["choice"]
        if choice in self._asked[number].choices:
            self._given[number] = choice
            self.answers = [self._reply(n) for n in range(len(self._asked))]

    def _reply(self, number: int) -> dict[str, Any]:
        choice = self._given.get(number)
        return {} if choice is None else self._asked[number].reply(choice) | {"choice": choice}

    def _repr_mimebundle_(self, **arguments: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        """With the questions, but not with their answers, for readers without a kernel."""
        self.keep_snapshot = False
        data, metadata = super()._repr_mimebundle_(**arguments)
        asked = "".join(f"<li><p>{escape(one['ask'])}</p>{_list(one['choices'])}</li>" for one in self.questions)
        return data | {"text/html": f"<ol>{asked}</ol>"}, metadata

    def __repr__(self) -> str:
        lines = []
        for number, question in enumerate(self.questions, 1):
            lines += [f"{number}. {question['ask']}", *(f"   ○ {choice}" for choice in question["choices"])]
        return "\n".join(lines)


def _list(choices: list[str]) -> str:
    return f"<ul>{''.join(f'<li>{escape(choice)}</li>' for choice in choices)}</ul>"
