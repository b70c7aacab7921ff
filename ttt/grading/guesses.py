"""What a class guessed in a lesson, read from its notebooks, which are never run, and drawn without names."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ttt import plots
from ttt.grading import gradebook, submissions
from ttt.grading.grade import TWICE, GradingError
from ttt.grading.pages import render
from ttt.grading.roster import listing, plain
from ttt.grading.source import Unreadable, kind, read_notebook
from ttt.grading.submissions import Submission
from ttt.guesses import Guess, Value, in_notebook, in_words
from ttt.record import counted

MOST = 40  # questions on a page
CLASS = 3  # notebooks, from which on a question that only one of them has is left out
GAP = 15  # between drawings, in points


@dataclass(frozen=True)
class Asked:
    """What a class guessed at one question.

    Args:
        question: its name, kind and options, with the result if a notebook has it.
        guesses: what was guessed before the result was shown, in an order that says nothing about who guessed.
        late: how many students guessed only after that.
    """

    question: Guess
    guesses: tuple[Value, ...]
    late: int

    @property
    def in_words(self) -> str:
        """A sentence on the question."""
        if not self.guesses:
            return f"{self.question.name}: nobody guessed before the result was shown."
        return f"{self.question.name}: {counted(len(self.guesses), 'guess', 'guesses')}."

    @property
    def note(self) -> str:
        """A sentence on the guesses that came too late, or ""."""
        return f"{counted(self.late, 'student')} guessed only after the result was shown." if self.late else ""


def of_class(source: Path, notebook: str = "") -> tuple[list[Asked], list[str]]:
    """What was guessed in a class's notebooks, question by question, and sentences on what had to be left out.

    Args:
        source: whatever `submissions.opened` can read.
        notebook: the lesson, such as "06_minimax", if students have handed in several.

    Raises `GradingError` if there are no guesses.
    """
    with submissions.opened(source, notebook or "NOTEBOOK") as (found, notes):
        each, more = _read(found)  # while what was unpacked is there
    if not any(each):
        raise GradingError(" ".join([f"No guesses are kept in the notebooks in {source}.", *more]))
    asked = _by_question(each)
    if len(asked) > MOST:
        more.append(f"Left out: {len(asked) - MOST:,} more questions.")
    return asked[:MOST], [*notes, *more]


def _read(found: Sequence[Submission]) -> tuple[list[dict[str, Guess]], list[str]]:
    """Each notebook's guesses by name, and sentences on what can't be read."""
    each: list[dict[str, Guess]] = []
    left_out: defaultdict[str, list[str]] = defaultdict(list)
    for one in found:
        if one.file is None or kind(one.file.name) != ".ipynb":
            several = one.status == TWICE
            reason = "Handed in several notebooks; choose one with --notebook" if several else "Handed in no notebook"
            left_out[reason].append(one.student)
            continue
        try:
            each.append(in_notebook(read_notebook(one.file)))
        except Unreadable:
            left_out["The notebook can't be read"].append(one.student)
            continue
        if not each[-1]:
            left_out["No guess is kept in the notebook"].append(one.student)
    return each, [f"{reason}: {listing(students)}." for reason, students in left_out.items()]


def _by_question(each: Sequence[dict[str, Guess]]) -> list[Asked]:
    """The guesses of a class, a question after another; the result is the one that most notebooks have.

    A question that only one notebook has is not the class's, or its student handed in another lesson. Where notebooks
    have several questions of one name, the class's is the one that most of them have.
    """
    records: dict[Guess, list[Guess]] = {}
    for notebook in each:
        for one in notebook.values():
            records.setdefault(Guess(one.name, one.kind, one.options), []).append(one)
    shared = {question: those for question, those in records.items() if len(those) > 1 or len(each) < CLASS}
    commonest = {question.name: question for question in sorted(shared, key=lambda one: len(shared[one]))}
    asked = []
    for question, those in shared.items():
        if question != commonest[question.name]:
            continue
        truths = Counter(one.truth for one in those if one.truth is not None)
        truth = truths.most_common(1)[0][0] if truths else None
        guesses = sorted((one.guess for one in those if one.guess is not None), key=_rank)
        late = sum(one.guess is None and one.later is not None for one in those)
        asked.append(Asked(replace(question, truth=truth), tuple(guesses), late))
    return asked


def _rank(value: Value) -> tuple[float, str]:
    return (0, in_words(value)) if isinstance(value, str | tuple) else (value, "")


# ------------------------------------------------------------------------------------------------- what is written


def write(path: Path, asked: Sequence[Asked]) -> None:
    """Write a page, a table or a drawing, as the file's name says. Raises `GradingError`."""
    writers = {".html": _write_page, ".svg": _write_drawing, ".csv": _write_table}
    writer = writers.get(path.suffix.lower())
    if writer is None:
        raise GradingError(f"The name of the file to write ends in .html, .svg or .csv, not {plain(path.name)}.")
    writer(path, asked)


def _write_page(path: Path, asked: Sequence[Asked]) -> None:
    drawn = [(one, plots.guesses(one.question, one.guesses).figure if one.guesses else None) for one in asked]
    gradebook.write(path, render("guesses.html", asked=drawn))


def _write_drawing(path: Path, asked: Sequence[Asked]) -> None:
    """One drawing, with the questions one below the other."""
    parts: list[str] = []
    width = height = 0.0
    for one in asked:
        if one.guesses:
            plot: Any = plots.guesses(one.question, one.guesses).figure
            parts.append(plot.svg.replace("<svg ", f'<svg y="{height:g}pt" ', 1))
            across, upwards = (72 * inches for inches in plot.get_size_inches())
            width, height = max(width, across), height + upwards + GAP
    size = f'width="{width:g}pt" height="{height:g}pt" style="background:#fff"'
    gradebook.write(path, f'<svg xmlns="http://www.w3.org/2000/svg" {size}>{"".join(parts)}</svg>\n')


def _write_table(path: Path, asked: Sequence[Asked]) -> None:
    """A row for each guess."""
    rows = [
        (one.question.name, one.question.kind, _cell(guess), _cell(one.question.truth))
        for one in asked
        for guess in one.guesses
    ]
    gradebook.write_table(path, ["question", "kind", "guess", "result"], rows)


def _cell(value: Value | None) -> str | float | None:
    return ", ".join(value) if isinstance(value, tuple) else value
