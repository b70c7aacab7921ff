"""The verdict on a function's answers, the same in the notebook and in the judge, and what a student sees of it.

Where a function adds up what lines are worth, `fit` names the mistake; where it searches, `trace` does, by what it has
asked.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import cache
from html import escape
from itertools import cycle
from typing import Any, NamedTuple

from ttt.board import Board, Line, Mark, opponent
from ttt.exercises import asking
from ttt.exercises.asking import CHANGED, ENDLESS, INTERRUPTED, REFUSED, STOPS, UNWRITTEN, Answer, Clock, Question
from ttt.exercises.exercise import SENTENCES, Case, Exercise, Mistake, digest, number_word
from ttt.svg import Picture, beside, draw

SIGNS = {"right": "✓ Right.", "not yet": "✗ Not yet.", "not started": "○ Not started."}
FAULTS = SENTENCES["answers"]
RAISED = {STOPS, REFUSED, ENDLESS, INTERRUPTED, CHANGED}  # these come before answers of the wrong type
NOTHING = {"nothing returned", "printed instead of returned"}
CHANGES = "state kept between calls"


# ------------------------------------------------------------------------------------------------------- the verdict


@dataclass(frozen=True)
class Verdict:
    """What answers show of a function.

    Args:
        outcome: "right", "wrong" or "not started".
        mistake: its name, or "" if none explains the answers.
        sentence: what the student is told of it.
        place: of the question to be shown.
        wrong: the places of the questions that were answered wrongly, or not at all.
        findings: the plain facts behind the mistake, for the marks.
        lines: what the mistake is about, to be drawn on the board that is shown.
    """

    outcome: str
    mistake: str = ""
    sentence: str = ""
    place: int | None = None
    wrong: tuple[int, ...] = ()
    findings: tuple[str, ...] = ()
    lines: tuple[Line, ...] = ()


def verdict(exercise: Exercise, answers: Sequence[Answer]) -> Verdict:
    """What the answers to the exercise's questions show, in their order and as many as came."""
    if answers and all(answer.fault == UNWRITTEN for answer in answers):
        return Verdict("not started", sentence="The function is still as it was handed out.")
    wrong = [place for place, answer in enumerate(answers) if not exercise.is_right(place, answer)]
    missing = range(len(answers), len(exercise.questions))
    if not wrong and not missing:
        return Verdict("right")
    faulty = {place: fault for place in wrong if (fault := _fault(exercise, answers[place]))}
    place = min(wrong, default=len(answers))
    if faulty:
        place = min(faulty, key=lambda place: (faulty[place] not in RAISED, place))
    mistake = _by_all(exercise, answers) if RAISED.isdisjoint(faulty.values()) and not missing else None
    if mistake is None and faulty:
        mistake = _told(exercise, faulty[place], answers[place], faulty)
    elif mistake is None and missing:
        mistake = Mistake(ENDLESS, f"{FAULTS[ENDLESS]} It was stopped before it had answered everything.")
    elif mistake is None:
        several = in_common(exercise, [place for place in wrong if place < len(exercise.once)])
        mistake = diagnosed(exercise, answers) or Mistake("", several)
    lines = mistake.lines(exercise.questions[place]) if mistake.lines else ()
    return Verdict("wrong", mistake.name, mistake.sentence, place, (*wrong, *missing), mistake.findings, lines)


def _by_all(exercise: Exercise, answers: Sequence[Answer]) -> Mistake | None:
    """The mistake that shows where a question is asked again, or in the answers as a whole."""
    if any(answers[place] != answers[first] for place, first in exercise.again.items()):
        return Mistake(CHANGES, FAULTS[CHANGES], (CHANGES,))
    return exercise.mistakes.get(digest(answers[: exercise.known_by])) if exercise.known_by else None


def _fault(exercise: Exercise, answer: Answer) -> str:
    """The name of the mistake in the kind of answer; "" if there is none."""
    is_cells = isinstance(answer.value, tuple)
    if answer.fault in RAISED | NOTHING:
        return answer.fault
    if answer.fault == UNWRITTEN:
        return STOPS
    if exercise.wants_cells:
        return "" if is_cells else "no list of cells"
    return "tuple returned" if is_cells else answer.fault


def _told(exercise: Exercise, fault: str, answer: Answer, faulty: Mapping[int, str]) -> Mistake:
    """A mistake in the kind of answer, with how often it comes and the error's own words."""
    told = answer.words if fault == REFUSED else FAULTS.get(fault, "")
    if fault == STOPS:
        times = sum(name == fault for name in faulty.values())
        everywhere = times == len(faulty) and times > 1 and 0 in faulty
        end = "Your function calls itself without end. " if "RecursionError" in answer.words else ""
        often = "" if everywhere else f" (on {times:,} of the boards asked)"
        told = f"{end}{answer.words.removesuffix('.')}{often}."
    elif "infinity" in answer.words and "depth" in exercise.takes:
        told = FAULTS["infinity returned"]
    return Mistake(fault, told, (fault,))


def diagnosed(exercise: Exercise, answers: Sequence[Answer]) -> Mistake | None:
    """The mistake that explains the answers to all questions; None if none does."""
    once = answers[: len(exercise.once)]
    if exercise.weights:
        with suppress(ImportError):  # where there is no numpy
            from ttt.exercises import fit

            return fit.diagnosed(exercise, once)
    if "depth" in exercise.takes:
        from ttt.exercises import trace

        return trace.diagnosed(exercise.cases[: exercise.known_by], once)
    return None


# ---------------------------------------------------------------------------------- where nothing explains the answers


TRAITS: dict[str, Callable[[Board, Mark], bool]] = {
    "have been won by the player": lambda board, player: board.winner == player,
    "have been won by the opponent": lambda board, player: board.winner == opponent(player),
    "have been won": lambda board, player: board.winner is not None,
    "are full": lambda board, player: not board.moves,
    "are seen from X": lambda board, player: player == "X",
    "are seen from O": lambda board, player: player == "O",
    "are seen from the side to move": lambda board, player: player == board.turn,
    "are seen from the side that has just moved": lambda board, player: player != board.turn,
    "have a line with just two of the player's marks": lambda board, player: bool(alone(board, player, 2)),
    "have a line with just two of the opponent's marks": lambda board, player: bool(alone(board, opponent(player), 2)),
    "have a blocked line, which holds marks of both sides": lambda board, player: any(
        {"X", "O"} <= {*line} for line in board.lines
    ),
}


def in_common(exercise: Exercise, wrong: Sequence[int]) -> str:
    """A sentence on what the wrongly answered questions have in common, and on how many they are."""
    told = f"{len(wrong):,} of {len(exercise.once):,} boards asked about come out wrong."
    if "depth" in exercise.takes:
        least = min((exercise.once[place][1] for place in wrong), default=0)
        right = f" Everything comes out right up to depth {least - 1}; at depth {least} something goes wrong."
        return told + (right if least else "")
    sides = [(board, rest[0] if rest else board.turn) for board, *rest in exercise.once]
    shared = [name for name, trait in TRAITS.items() if all(trait(*sides[place]) for place in wrong)]
    like_that = {name: sum(TRAITS[name](*side) for side in sides) for name in shared}
    rarest = min(shared, key=lambda name: like_that[name], default="")
    if rarest and like_that[rarest] < len(sides):
        told += f" All boards that come out wrong {rarest}."
    return told


# ------------------------------------------------------------------------------------------------- what is shown of it


class Explained(NamedTuple):
    """What a student is shown of a question that came out wrong: lines, and the board or the tree of the search."""

    lines: tuple[str, ...] = ()
    picture: Picture | None = None


def explained(exercise: Exercise, found: Verdict, answers: Sequence[Answer]) -> Explained:
    """What the check and the feedback page show below the sentence."""
    if found.place is None:
        return Explained()
    case = exercise.case(found.place)
    answer = answers[found.place] if found.place < len(answers) else Answer(None, (), ENDLESS, "no answer")
    compared = _compared(exercise, found.place, answer)
    if "depth" in exercise.takes:
        from ttt.exercises.tree import tree_picture

        picture = tree_picture(case, answer) or draw(case.question[0], numbers=True)
        return Explained((_asked(exercise, found.place), compared), picture)
    counted = [lines_that_count(exercise, case)] if exercise.weights else []
    return Explained((compared, *counted), _board_picture(exercise, case, answer, found.lines))


def described_question(exercise: Exercise, place: int) -> str:
    """A question in a line: its board, and what else the function is given."""
    board, *rest = exercise.questions[place]
    named = zip(exercise.takes[1:], rest, strict=True)
    told = [f"seen from {part}" if name == "player" else f"{name} {part}" for name, part in named]
    return ", ".join([str(board).replace("\n", " / "), *told])


def _asked(exercise: Exercise, place: int) -> str:
    """How a search was called, which a student can repeat."""
    board, depth, heuristic = exercise.questions[place]
    where = f"Here {board.turn} is to move, and the search looks {depth} {'ply' if depth == 1 else 'plies'} ahead."
    if board.over:
        where = f"Here the game is over; {board.turn} would be to move."
    call = f'{exercise.name}({board!r}, {depth}, heuristic_named("{heuristic}"))'
    return f"{where}\nYou can ask it yourself: {call}"


def _compared(exercise: Exercise, place: int, answer: Answer) -> str:
    """The right answer, and the one that came."""
    board, *rest = exercise.questions[place]
    right, given = exercise.values[place], answer.words[:60] or short(answer.value)
    if isinstance(right, tuple):
        cells = f"cells {', '.join(map(str, right))} are right" if right else "no cell is right"
        if len(right) == 1:
            cells = f"only cell {right[0]} is right"
        return f"{board.turn} is to move, and {cells} on this board; your function returns {given}."
    if answer.value == right and "depth" in exercise.takes:
        from ttt.exercises.trace import asked_in_words

        return f"The value, {given}, is right, but {asked_in_words(exercise.case(place), answer)}."
    if answer.value == right:
        return f"The value here is right; on another call with the same board yours was another than {short(right)}."
    side = f"For {rest[0]}," if "player" in exercise.takes else f"{board.turn} is to move, and"
    yours = "there is none of yours" if answer.fault in RAISED else f"yours is {given}"
    return f"{side} the right value on this board is {short(right)}; {yours}."


def short(value: object) -> str:
    """An answer in a few words."""
    if isinstance(value, tuple):
        return str(list(value))
    text = str(value).replace("-", "−") if isinstance(value, (int, float)) else repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def lines_that_count(exercise: Exercise, case: Case) -> str:
    """A sentence on the lines that make up a formula's value."""
    board, player = case.question
    told = [
        f"{number_word(len(lines))} with just {number_word(number)} {mark}"
        for mark in (player, opponent(player))
        for number in (3, 2, 1)
        if exercise.weights[number] and (lines := alone(board, mark, number))
    ]
    return f"The lines that count: {', '.join(told) or 'none'}."


def alone(board: Board, mark: Mark, number: int) -> tuple[Line, ...]:
    """The lines with so many marks of one side, and none of the other."""
    lines = zip(board.line_cells, board.lines, strict=True)
    return tuple(cells for cells, marks in lines if marks.count(mark) == number and opponent(mark) not in marks)


def _board_picture(exercise: Exercise, case: Case, answer: Answer, lines: Sequence[Line] = ()) -> Picture:
    """The board with the lines that count and those that a mistake is about, or with the right cells and the given."""
    board = case.question[0]
    drawings = []
    if exercise.wants_cells:
        for caption, cells in (("right", case.value), ("yours", answer.value)):
            dots = {cell: "●" for cell in cells if cell in board.moves} if isinstance(cells, tuple) else {}
            drawings.append(draw(board, values=dots, numbers=not dots, caption=caption))
    elif exercise.weights:
        for mark in (case.question[1], opponent(case.question[1])):
            counted = [alone(board, mark, number) for number in (1, 2, 3) if exercise.weights[number]]
            drawings.append(draw(board, lines=sum(counted, ()), player=mark, caption=f"lines of {mark} alone"))
    if lines:
        drawings.append(draw(board, lines=tuple(lines), player="-", caption="look at these lines"))
    return beside(drawings) if drawings else draw(board, numbers=True)


# ---------------------------------------------------------------------------------------------------------- the check


class NotYetRight(AssertionError):
    """Raised where nbgrader validates a notebook, since it looks for errors alone."""


@dataclass(frozen=True)
class Check:
    """What a check found.

    Args:
        outcome: "right", "not yet" or "not started".
        message: what to know, in a few sentences.
        mistake: the name of the mistake that explains the answers, or "".
        picture: a board where it went wrong.
    """

    outcome: str
    message: str
    mistake: str = ""
    picture: Picture | None = None

    @property
    def right(self) -> bool:
        """Whether everything is right."""
        return self.outcome == "right"

    def __str__(self) -> str:
        return f"{SIGNS[self.outcome]} {self.message}" + (f"\n{self.picture.text}" if self.picture else "")

    __repr__ = __str__

    def _repr_html_(self) -> str:
        title, *rest = f"{SIGNS[self.outcome]} {self.message}".splitlines()
        lines = "".join(f"<p>{escape(line)}</p>" for line in rest)
        return f'<div role="status"><p><strong>{escape(title)}</strong></p>{lines}{self.picture or ""}</div>'


def check(exercise: Exercise, function: asking.Function) -> Check:
    """Ask a function what its exercise asks, and say how it did.

    Raises `NotYetRight` if the function is not right and nbgrader's Validate runs the cell.
    """
    if not callable(function):
        told = f"The check needs the function itself, not {function!r}: write its name without brackets or quotes."
        return Check("not yet", told)
    with asking.withheld(exercise.withheld, exercise.refusal):
        given = tuple(asking.answers(function, exercise.questions, Clock()))
    found = verdict(exercise, given)
    if found.outcome == "right":
        right = "the right cells" if exercise.wants_cells else "the right value"
        every = "every board" if exercise.weights else "every board asked"
        looks = ", and looks at just the boards that it must" if "heuristic" in exercise.takes else ""
        return Check("right", f"Your function gives {right} on {every}{looks}.")
    shown = explained(exercise, found, given)
    told = Check("not yet", "\n".join([found.sentence, *shown.lines]), found.mistake, shown.picture)
    if found.outcome == "not started":
        told = Check("not started", "Write your function in the cell above, run that cell, and then this one.")
    if os.environ.get("NBGRADER_EXECUTION") == "validate":
        raise NotYetRight(told.message)
    return told


def hand_in(exercise: Exercise, names: Mapping[str, Any]) -> Check:
    """Check the function that a notebook would hand in now.

    Args:
        names: what the notebook defines.

    Raises `NotYetRight` as `check` does.
    """
    function = names.get(exercise.name)
    if not callable(function):
        close = misnamed(exercise.name, names)
        return Check("not started", close or f"This notebook defines no {exercise.name}, so there is nothing to mark.")
    found = check(exercise, function)
    last = {"right": "\nSave the notebook and hand it in.", "not yet": "\nHanded in like this, it loses marks."}
    return replace(found, message=found.message + last.get(found.outcome, ""))


def misnamed(name: str, names: Iterable[str]) -> str:
    """A sentence on the one of the names that comes close to the name asked for, or ""."""
    folded = {given.casefold(): given for given in names}
    close = get_close_matches(name, folded, 1, 0.8)
    return f"Rename {folded[close[0]]}: the name has to be {name}, letter for letter." if close else ""


# ---------------------------------------------------------------------------------------------- expectations and hints


def expect(exercise: Exercise, question: Question, **expected: object) -> Check:
    """Check what a student has worked out by hand on one of the exercise's boards or trees.

    Args:
        question: the board and the player, or the tree.
        expected: the value, and the terms that make it up, under the names that the notebook gives them.
    """
    paper = question[0] if len(question) == 1 else question
    right = next((terms for worked, terms in exercise.worked if worked == paper), None)
    if right is None:
        return Check("not yet", "Only this exercise's boards can be checked here, each for the player asked about.")
    if unknown := expected.keys() - right.keys():
        return Check("not yet", f"There is no {', '.join(sorted(unknown))} here: it can be {', '.join(right)}.")
    missing = [name for name, answer in expected.items() if answer is ...]
    wrong = [name for name, answer in expected.items() if answer is not ... and answer != right[name]]
    if len(missing) == len(expected):
        return Check("not started", "Put your numbers in place of the three dots, and run the cell again.")
    if quoted := [name for name in wrong if isinstance(expected[name], str)]:
        return Check("not yet", f"{quoted[0]} is text, because it is in quotes. Write the number without them.")
    shown = _board_picture(exercise, Case(question, None), Answer(None)) if exercise.weights else None
    to_do = f"\nStill to work out: {', '.join(missing)}." if missing else ""
    if wrong:
        counts = " This is what counts." if shown else ""
        return Check("not yet", f"Look again at {', '.join(wrong)}.{counts}{to_do}", picture=shown)
    if missing:
        return Check("not yet", f"Right so far.{to_do}")
    return Check("right", "That is what it comes to.", picture=shown)


class Hint(str):
    """A hint, shown as running text."""

    def _repr_html_(self) -> str:
        return f"<p>{escape(self)}</p>"

    __repr__ = str.__str__


def hint(exercise: Exercise) -> Hint:
    """The next hint. Each one tells a little more; after the last, the first comes again."""
    return next(_hints(exercise.hints))


@cache
def _hints(hints: tuple[str, ...]) -> Iterator[Hint]:
    """An exercise's hints, again and again; each exercise goes on from its own last one."""
    return cycle([Hint(f"Hint {n} of {len(hints)}: {text}") for n, text in enumerate(hints, 1)])
