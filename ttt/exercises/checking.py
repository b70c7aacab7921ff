"""The verdict on a function's answers: the same in the notebook and in the judge.

Where a function adds up what lines are worth, `fit` names the mistake; where it searches,
`trace` does, by what it has asked.
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
from typing import Any

from ttt.board import Board, Line, Mark, opponent
from ttt.exercises.asking import (
    CHANGED,
    ENDLESS,
    INTERRUPTED,
    REFUSED,
    STOPS,
    UNWRITTEN,
    Answer,
    Clock,
    Function,
    Question,
    withheld,
)
from ttt.exercises.asking import answers as answers_to
from ttt.exercises.exercise import SENTENCES, Case, Exercise, Mistake, digest, number_word
from ttt.svg import Picture, beside, draw

SIGNS = {"right": "✓ Right.", "not yet": "✗ Not yet.", "not started": "○ Not started."}


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
    place = min(wrong, default=len(answers))
    faulty = {place: fault for place in wrong if (fault := _fault(exercise, answers[place]))}
    raised = not RAISED.isdisjoint(faulty.values())
    changes = not missing and any(answers[place] != answers[first] for place, first in exercise.again.items())
    known = exercise.mistakes.get(digest(answers[: exercise.known_by])) if exercise.known_by else None
    if changes and not raised:
        mistake: Mistake | None = Mistake(CHANGES, FAULTS[CHANGES], (CHANGES,))
    elif known and not raised and not missing:
        mistake = known
    elif faulty:
        place = min(faulty, key=lambda place: (faulty[place] not in RAISED, place))
        mistake = _told(exercise, faulty[place], answers[place], faulty)
    elif missing:
        mistake = Mistake(ENDLESS, f"{FAULTS[ENDLESS]} It was stopped before it had answered everything.")
    else:
        mistake = diagnosed(exercise, answers)
    if mistake is None:
        mistake = Mistake("", in_common(exercise, [place for place in wrong if place < len(exercise.once)]))
    lines = mistake.lines(exercise.questions[place]) if mistake.lines else ()
    return Verdict("wrong", mistake.name, mistake.sentence, place, (*wrong, *missing), mistake.findings, lines)


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


RAISED = {STOPS, REFUSED, ENDLESS, INTERRUPTED, CHANGED}  # these come before answers of the wrong type
CHANGES = "state kept between calls"
FAULTS = SENTENCES["answers"]


def _fault(exercise: Exercise, answer: Answer) -> str:
    """The name of the mistake in the kind of answer; "" if there is none."""
    if answer.fault == UNWRITTEN:
        return STOPS
    if exercise.wants_cells and answer.fault not in ("", "nothing returned", "printed instead of returned", *RAISED):
        return "no list of cells"
    if answer.fault or isinstance(answer.value, tuple) == exercise.wants_cells:
        return answer.fault
    return "no list of cells" if exercise.wants_cells else "tuple returned"


def _told(exercise: Exercise, fault: str, answer: Answer, faulty: Mapping[int, str]) -> Mistake:
    """A mistake in the kind of answer, with how often it comes and the error's own words."""
    times = sum(name == fault for name in faulty.values())
    often = "" if times == len(faulty) and times > 1 and 0 in faulty else f" (on {times:,} of the boards asked)"
    told = FAULTS.get(fault, "")
    if fault == STOPS:
        end = "Your function calls itself without end. " if "RecursionError" in answer.words else ""
        told = f"{end}{answer.words.removesuffix('.')}{often}."
    elif fault == REFUSED:
        told = answer.words
    elif "infinity" in answer.words and "depth" in exercise.takes:
        told = FAULTS["infinity returned"]
    return Mistake(fault, told, (fault,))


# ---------------------------------------------------------------------------------- where nothing explains the answers


def _alone(board: Board, player: Mark) -> bool:
    """Whether a player has two marks in a line, and nobody else has one there."""
    return any(line.count(player) == 2 and opponent(player) not in line for line in board.lines)


TRAITS: dict[str, Callable[[Board, Mark], bool]] = {
    "have been won by the player": lambda board, player: board.winner == player,
    "have been won by the opponent": lambda board, player: board.winner == opponent(player),
    "have been won": lambda board, player: board.winner is not None,
    "are full": lambda board, player: not board.moves,
    "are seen from X": lambda board, player: player == "X",
    "are seen from O": lambda board, player: player == "O",
    "are seen from the side to move": lambda board, player: player == board.turn,
    "are seen from the side that has just moved": lambda board, player: player != board.turn,
    "have two of the player's marks in a line, and none of the opponent's": _alone,
    "have two of the opponent's marks in a line, and none of the player's": lambda board, player: _alone(
        board, opponent(player)
    ),
    "have a blocked line, which holds marks of both sides": lambda board, player: any(
        "X" in line and "O" in line for line in board.lines
    ),
}


def in_common(exercise: Exercise, wrong: Sequence[int]) -> str:
    """A sentence on what the wrongly answered questions have in common, and on how many they are."""
    several = f"{len(wrong):,} of {len(exercise.once):,} boards asked about come out wrong."
    if "depth" in exercise.takes:
        least = min((exercise.once[place][1] for place in wrong), default=0)
        right = f" Everything comes out right up to depth {least - 1}; at depth {least} something goes wrong."
        return several + (right if least else "")
    sides = [(board, rest[0] if rest else board.turn) for board, *rest in exercise.once]
    failed, left = [sides[place] for place in wrong], len(sides)
    told = ""
    for name, trait in TRAITS.items():
        if all(trait(*side) for side in failed):
            like_that = sum(trait(*side) for side in sides)
            if like_that < left:
                told, left = f" All boards that come out wrong {name}.", like_that
    return several + told


# ------------------------------------------------------------------------------------------------- what is shown of it


@dataclass(frozen=True)
class Explained:
    """What a student is shown of a question that came out wrong.

    Args:
        lines: what was asked, the right value and the one that came, and what counts.
        picture: the board, or the tree of the search.
    """

    lines: tuple[str, ...] = ()
    picture: Picture | None = None


def explained(exercise: Exercise, found: Verdict, answers: Sequence[Answer]) -> Explained:
    """What the check and the feedback page show below the sentence."""
    if found.place is None:
        return Explained()
    place = found.place
    case = exercise.case(place)
    answer = answers[place] if place < len(answers) else Answer(None, (), ENDLESS, "no answer")
    lines = [_asked(exercise, place), _compared(exercise, place, answer), lines_that_count(exercise, case)]
    if "depth" in exercise.takes:
        from ttt.exercises.tree import tree_picture

        tree = tree_picture(case, answer)
        return Explained(tuple(filter(None, lines)), tree or draw(case.question[0], numbers=True))
    return Explained(tuple(filter(None, lines)), _board_picture(exercise, case, answer, found.lines))


def described_question(exercise: Exercise, place: int) -> str:
    """A question in a line: its board, and what else the function is given."""
    board, *rest = exercise.questions[place]
    named = zip(exercise.takes[1:], rest, strict=True)
    told = [f"seen from {part}" if name == "player" else f"{name} {part}" for name, part in named]
    return ", ".join([str(board).replace("\n", " / "), *told])


def _asked(exercise: Exercise, place: int) -> str:
    """How a search was called, which a student can repeat."""
    if "depth" not in exercise.takes:
        return ""
    board, depth, heuristic = exercise.questions[place]
    plies = "1 ply" if depth == 1 else f"{depth} plies"
    where = f"Here {board.turn} is to move, and the search looks {plies} ahead."
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
    side = f"For {rest[0]}" if exercise.takes[1:2] == ("player",) else f"{board.turn} is to move, and"
    yours = "there is none of yours" if answer.fault in RAISED else f"yours is {given}"
    return f"{side} the right value on this board is {short(right)}; {yours}.".replace("X the", "X, the")


def short(value: object) -> str:
    """An answer in a few words."""
    if isinstance(value, tuple):
        return str(list(value))
    text = str(value).replace("-", "−") if isinstance(value, (int, float)) else repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def lines_that_count(exercise: Exercise, case: Case) -> str:
    """A sentence on the lines that make up a formula's value, or ""."""
    if not exercise.weights:
        return ""
    board, player = case.question
    told = []
    for mark in (player, opponent(player)):
        for number in reversed(range(1, len(exercise.weights))):
            lines = alone(board, mark, number)
            if lines and exercise.weights[number]:
                told.append(f"{number_word(len(lines))} with just {number_word(number)} {mark}")
    return f"The lines that count: {', '.join(told) or 'none'}."


def alone(board: Board, mark: Mark, number: int) -> tuple[Line, ...]:
    """The lines with so many marks of one side, and none of the other."""
    lines = zip(board.line_cells, board.lines, strict=True)
    return tuple(cells for cells, marks in lines if marks.count(mark) == number and opponent(mark) not in marks)


def _board_picture(exercise: Exercise, case: Case, answer: Answer | None, lines: Sequence[Line] = ()) -> Picture:
    """The board with the lines that count and those that a mistake is about, or with the right cells and the given."""
    board = case.question[0]
    if exercise.wants_cells:
        given = answer.value if answer and isinstance(answer.value, tuple) else ()
        right = case.value if isinstance(case.value, tuple) else ()
        marked = {"right": right, "yours": given}
        dots = {name: {cell: "●" for cell in cells if cell in board.moves} for name, cells in marked.items()}
        return beside([draw(board, values=some, numbers=not some, caption=name) for name, some in dots.items()])
    if not exercise.weights:
        return draw(board, numbers=True)
    drawings = []
    for mark in (case.question[1], opponent(case.question[1])):
        counted = [alone(board, mark, number) for number, weight in enumerate(exercise.weights) if number and weight]
        drawings.append(draw(board, lines=sum(counted, ()), player=mark, caption=f"lines of {mark} alone"))
    if lines:
        drawings.append(draw(board, lines=tuple(lines), player="-", caption="look at these lines"))
    return beside(drawings)


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
        title, _, rest = f"{SIGNS[self.outcome]} {self.message}".partition("\n")
        lines = "".join(f"<p>{escape(line)}</p>" for line in rest.splitlines())
        return f'<div role="status"><p><strong>{escape(title)}</strong></p>{lines}{self.picture or ""}</div>'


def check(exercise: Exercise, function: Function) -> Check:
    """Ask a function what its exercise asks, and say how it did.

    Raises `NotYetRight` if the function is not right and nbgrader's Validate runs the cell.
    """
    if not callable(function):
        told = f"The check needs the function itself, not {function!r}: write its name without brackets or quotes."
        return Check("not yet", told)
    with withheld(exercise.withheld, exercise.refusal):
        given = tuple(answers_to(function, exercise.questions, Clock()))
    found = _found(exercise, verdict(exercise, given), given)
    if not found.right and os.environ.get("NBGRADER_EXECUTION") == "validate":
        raise NotYetRight(found.message)
    return found


def _found(exercise: Exercise, judged: Verdict, given: Sequence[Answer]) -> Check:
    if judged.outcome == "right":
        right = "the right cells" if exercise.wants_cells else "the right value"
        every = "every board" if exercise.weights else "every board asked"
        looks = ", and looks at just the boards that it must" if "heuristic" in exercise.takes else ""
        return Check("right", f"Your function gives {right} on {every}{looks}.")
    if judged.outcome == "not started":
        return Check("not started", "Write your function in the cell above, run that cell, and then this one.")
    shown = explained(exercise, judged, given)
    return Check("not yet", "\n".join([judged.sentence, *shown.lines]), judged.mistake, shown.picture)


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
    filled = {name: answer for name, answer in expected.items() if answer is not ...}
    if not filled:
        return Check("not started", "Put your numbers in place of the three dots, and run the cell again.")
    if unknown := expected.keys() - right.keys():
        return Check("not yet", f"There is no {', '.join(sorted(unknown))} here: it can be {', '.join(right)}.")
    if quoted := [name for name, answer in filled.items() if isinstance(answer, str)]:
        return Check("not yet", f"{quoted[0]} is text, because it is in quotes. Write the number without them.")
    wrong = [name for name, answer in filled.items() if answer != right[name]]
    missing = [name for name in expected if name not in filled]
    shown = _board_picture(exercise, Case(question, None), None) if exercise.weights else None
    if not wrong and not missing:
        return Check("right", "That is what it comes to.", picture=shown)
    to_do = f"\nStill to work out: {', '.join(missing)}." if missing else ""
    if not wrong:
        return Check("not yet", f"Right so far: {', '.join(filled)}.{to_do}")
    counts = " This is what counts." if shown else ""
    return Check("not yet", f"Look again at {', '.join(wrong)}.{counts}{to_do}", picture=shown)


class Hint(str):
    """A hint, shown as running text."""

    def _repr_html_(self) -> str:
        return f"<p>{escape(self)}</p>"

    def __repr__(self) -> str:
        return str(self)


def hint(exercise: Exercise) -> Hint:
    """The next hint. Each one tells a little more; after the last, the first comes again."""
    return next(_hints(exercise.hints))


@cache
def _hints(hints: tuple[str, ...]) -> Iterator[Hint]:
    """An exercise's hints, again and again; each exercise goes on from its own last one."""
    return cycle([Hint(f"Hint {n} of {len(hints)}: {text}") for n, text in enumerate(hints, 1)])
