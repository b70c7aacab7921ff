"""The verdict on a function's answers, the same in the notebook and in the judge, and what a student sees of it.

Where a function adds up what lines are worth, `fit` names the mistake; where it searches, `trace` does, by what it has
asked.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from html import escape

from ttt.board import Board, Line, Mark, opponent
from ttt.checks.asking import (
    CHANGED,
    ENDLESS,
    INTERRUPTED,
    NOTHING,
    PRINTED,
    REFUSED,
    STOPS,
    UNWRITTEN,
    Answer,
    Question,
)
from ttt.checks.exercise import SENTENCES, Counts, Exercise, Mistake, number_word
from ttt.drawing.prose import notice
from ttt.drawing.svg import Picture, beside, draw
from ttt.heuristics import open_for

SIGNS = {"right": "✓ Right.", "not yet": "✗ Not yet.", "not started": "○ Not started."}
FAULTS = SENTENCES["answers"]
RAISED = {STOPS, REFUSED, ENDLESS, INTERRUPTED, CHANGED}  # these come before answers of the wrong type
CHANGES = "state kept between calls"


@dataclass(frozen=True)
class Verdict:
    """What answers show of a function."""

    outcome: str  # "right", "wrong" or "not started"
    mistake: str = ""  # its name, or "" if none explains the answers
    sentences: tuple[str, ...] = ()  # what the student is told, one for each mistake
    place: int = 0  # of the question to be shown
    wrong: tuple[int, ...] = ()  # the places of the questions that were answered wrongly, or not at all
    findings: tuple[str, ...] = ()  # the plain facts behind the mistake, for the marks
    lines: tuple[Line, ...] = ()  # what the mistake is about, to be drawn on the board that is shown
    counts: Counts = field(default_factory=dict)  # of the kinds of lines that count something else

    @property
    def sentence(self) -> str:
        """What the student is told, a line for each mistake."""
        return "\n".join(self.sentences)


def verdict(exercise: Exercise, answers: Sequence[Answer]) -> Verdict:
    """What the answers to the exercise's questions show, in their order and as many as came."""
    if answers and all(answer.fault == UNWRITTEN for answer in answers):
        return Verdict("not started", sentences=("The function is still as it was handed out.",))
    wrong = exercise.wrong(answers)
    missing = range(len(answers), len(exercise.questions))
    if not wrong and not missing:
        return Verdict("right")
    faulty = {place: fault for place in wrong if (fault := _fault(exercise, answers[place]))}
    raised = [place for place in faulty if faulty[place] in RAISED]
    numbers = exercise.numbers(answers)
    if faulty and numbers != list(answers):
        return _in_another_form(exercise, answers, faulty, verdict(exercise, numbers))
    first = next(iter(raised or faulty or wrong), len(answers))
    known = exercise.known(answers) if not missing and not raised else None
    mistakes = [_told(exercise, answers, first, faulty)] if faulty and not known else []
    if missing and not faulty:
        mistakes = [Mistake("questions unanswered", f"Your function {left(exercise, answers)}.")]
    elif not missing and not raised and any(answers[now] != answers[then] for now, then in exercise.again.items()):
        mistakes = [Mistake(CHANGES, FAULTS[CHANGES], (CHANGES,))]
    elif not missing:
        mistakes += diagnosed(exercise, answers, known)
    if not mistakes:
        mistakes = [Mistake("", in_common(exercise, wrong))]
    return Verdict(
        "wrong",
        "; ".join(mistake.name for mistake in mistakes),
        tuple(mistake.sentence for mistake in mistakes),
        first,
        (*wrong, *missing),
        tuple(finding for mistake in mistakes for finding in mistake.findings),
        tuple(line for mistake in mistakes for line in mistake.lines),
        {kind: count for mistake in mistakes for kind, count in mistake.counts.items()},
    )


def _in_another_form(
    exercise: Exercise, answers: Sequence[Answer], faulty: Mapping[int, str], numbers: Verdict
) -> Verdict:
    """The verdict on numbers that were printed, or returned as a text or in a list."""
    place = next(place for place, fault in faulty.items() if fault not in RAISED)
    mistake = _told(exercise, answers, place, faulty)
    return replace(
        numbers,
        outcome="wrong",
        mistake="; ".join(filter(None, [mistake.name, numbers.mistake])),
        sentences=(mistake.sentence, *numbers.sentences),
        place=numbers.place if numbers.outcome == "wrong" else place,
        wrong=numbers.wrong or tuple(faulty),
    )


def left(exercise: Exercise, answers: Sequence[Answer]) -> str:
    """How many questions a function has answered that did not come to the end, and how many of them rightly."""
    wrong, number = len(exercise.wrong(answers)), len(exercise.questions)
    how = f"{wrong:,} of them wrongly" if wrong else "all of them rightly"
    if not answers:
        return f"answered no question of {number:,}"
    return f"answered {len(answers):,} of {number:,} questions, {how}"


def _fault(exercise: Exercise, answer: Answer) -> str:
    """The name of the mistake in the kind of answer; "" if there is none."""
    fault = STOPS if answer.fault == UNWRITTEN else answer.fault
    number = exercise.returns == "number"
    if fault in RAISED | {NOTHING, PRINTED} or number != isinstance(answer.value, tuple):
        return fault
    return "tuple returned" if number else "no list of cells"


def _told(exercise: Exercise, answers: Sequence[Answer], place: int, faulty: Mapping[int, str]) -> Mistake:
    """A mistake in the kind of answer, with how often it comes and the error's own words."""
    fault, words = faulty[place], answers[place].words
    told = exercise.refusal if fault == REFUSED else FAULTS.get(fault, "")
    times = [*faulty.values()].count(fault)
    some = times < len(answers) == len(exercise.questions)
    often = f" That is so on {times:,} of {len(answers):,} boards." if some else ""
    if fault == STOPS:
        endless = re.match(r"(The submission said: “)?\w+ stopped with RecursionError", words)
        end = "Your function calls itself without end. " if endless else ""
        told = f"{end}{words}{'' if words.endswith(('.', '?')) else '.'}{often}"
    elif fault == ENDLESS and words:
        deeper = " Does each call get depth - 1?" if "depth" in exercise.takes and exercise.function else ""
        told += f" It was stopped {words}.{deeper}"
    elif "infinity" in words and {"depth", "alpha"} & {*exercise.takes}:
        told = FAULTS["infinity returned"]
    elif fault in (NOTHING, "no number"):
        told += often
    return Mistake(fault, told, (fault,))


def diagnosed(exercise: Exercise, answers: Sequence[Answer], known: Mistake | None) -> list[Mistake]:
    """The mistakes that explain all values that were answered, by a known name if there is one; [] if none do."""
    found: list[Mistake] = [known] if known else []
    if exercise.weights:
        with suppress(ImportError):  # where there is no numpy
            from ttt.checks import fit

            return fit.diagnosed(exercise, answers[: len(exercise.cases)], known) or found
    if "heuristic" in exercise.takes and not known and not any(answer.fault for answer in answers):
        from ttt.checks import trace

        return trace.diagnosed(exercise.cases[: exercise.known_by], answers)
    return found


TRAITS: dict[str, Callable[[Board, Mark], object]] = {
    "have been won by the player": lambda board, player: board.winner == player,
    "have been won by the opponent": lambda board, player: board.winner == opponent(player),
    "have been won": lambda board, player: board.winner,
    "are full": lambda board, player: not board.moves,
    "are seen from X": lambda board, player: player == "X",
    "are seen from O": lambda board, player: player == "O",
    "are seen from the side to move": lambda board, player: player == board.turn,
    "are seen from the side that has just moved": lambda board, player: player != board.turn,
    "have a line with just two of the player's marks": lambda board, player: alone(board, player, 2),
    "have a line with just two of the opponent's marks": lambda board, player: alone(board, opponent(player), 2),
    "have a line with marks of both sides": lambda board, player: any({"X", "O"} <= {*line} for line in board.lines),
}


def in_common(exercise: Exercise, wrong: Iterable[int]) -> str:
    """A sentence on what the wrongly answered questions have in common, and on how many they are."""
    wrong = [place for place in wrong if place < len(exercise.once)]
    comes = "comes" if len(wrong) == 1 else "come"
    told = f"{len(wrong):,} of {len(exercise.once):,} boards asked about {comes} out wrong."
    if "depth" in exercise.takes:
        least = min((exercise.once[place][1] for place in wrong), default=0)
        right = f" Everything comes out right up to depth {least - 1}; at depth {least} something goes wrong."
        return told + (right if least else "")
    seen = "player" in exercise.takes
    sides = [(board, rest[0] if seen else board.turn) for board, *rest in exercise.once]
    traits = {name: trait for name, trait in TRAITS.items() if seen or ("player" not in name and "seen" not in name)}
    shared = [name for name, trait in traits.items() if all(trait(*sides[place]) for place in wrong)]
    like_that = {name: sum(bool(TRAITS[name](*side)) for side in sides) for name in shared}
    rarest = min(shared, key=like_that.__getitem__, default="")
    if 2 * like_that.get(rarest, len(sides)) <= len(sides):  # or it may be a coincidence
        told += f" All boards that come out wrong {rarest}."
    return told


def explained(exercise: Exercise, found: Verdict, answers: Sequence[Answer]) -> tuple[tuple[str, ...], Picture]:
    """What the check and the feedback page show below the sentence: lines, and the board or the tree of a search."""
    case = exercise.asked[found.place]
    board, *rest = case.question
    answer = (*answers, Answer(None, (), ENDLESS, "no answer"))[found.place]
    compared = _compared(exercise, found.place, answer)
    if "heuristic" in exercise.takes:
        from ttt.checks.trace import tree_picture

        call = f'{exercise.name}({board!r}, {rest[0]}, heuristic_named("{rest[1]}"))'
        picture = tree_picture(case, answer) or draw(board, numbers=True)
        return (f"You can ask it yourself: {call}", compared), picture
    if exercise.returns == "order":
        return (), draw(board, numbers=True)
    if exercise.returns == "number":
        if answer.fault or not exercise.weights:  # no number that a formula could explain
            lines = exercise.lines(case.question)
            return (compared,), draw(board, numbers=not lines, lines=lines, player=rest[0] if lines else "-")
        kinds = [(line.count(rest[0]), line.count(opponent(rest[0]))) for line in board.lines]
        alike = [cells for cells, kind in zip(board.line_cells, kinds, strict=True) if kind in found.counts]
        picture = lines_picture(exercise, case.question, sorted({*found.lines, *alike}))
        return (compared, lines_that_count(exercise, case.question)), picture
    drawings = []
    for caption, cells in (("right", case.value), ("yours", answer.value)):
        dots = {cell: "●" for cell in cells if cell in board.moves} if isinstance(cells, tuple) else {}
        drawings.append(draw(board, values=dots, numbers=not dots, caption=caption))
    return (compared,), beside(drawings)


def described_question(exercise: Exercise, place: int) -> str:
    """A question in a line: its board, and what else the function is given."""
    board, *rest = exercise.questions[place]
    named = zip(exercise.takes[1:], rest, strict=True)
    told = [f"seen from {part}" if name == "player" else f"{name} {part}" for name, part in named]
    return ", ".join([str(board).replace("\n", " / "), *told])


def _compared(exercise: Exercise, place: int, answer: Answer) -> str:
    """The right answer, and the one that came."""
    board, *rest = exercise.questions[place]
    right, given = exercise.asked[place].value, answer.words[:60] or short(answer.value)
    if isinstance(right, tuple):
        cells = f"cells {', '.join(map(str, right))} are right" if right else "no cell is right"
        if len(right) == 1:
            cells = f"only cell {right[0]} is right"
        yours = "gives no answer there" if answer.fault in RAISED else f"returns {given}"
        return f"{board.turn} is to move, and {cells} on this board; your function {yours}."
    if answer.value == right and "heuristic" in exercise.takes:
        from ttt.checks.trace import asked_in_words

        return f"The value, {given}, is right, but {asked_in_words(exercise.asked[place], answer)}."
    if answer.value == right and answer.fault:
        return f"The number, {short(right)}, is right on this board."
    if answer.value == right:
        return f"The value here is right; on another call with the same board yours was another than {short(right)}."
    side = f"For {rest[0]}," if "player" in exercise.takes else f"{board.turn} is to move, and"
    yours = "" if answer.fault in RAISED else f"; yours is {given}"
    if len(rest) > ("player" in exercise.takes):
        call = f"{exercise.function or exercise.name}(board, {', '.join(map(repr, rest))})"
        return f"{board.turn} is to move, and on this board {call} should be {short(right)}{yours}."
    return f"{side} the right value on this board is {short(right)}{yours}."


def short(value: object) -> str:
    """An answer in a few words."""
    if isinstance(value, tuple):
        return str(list(value))
    text = str(value).removesuffix(".0").replace("-", "−") if isinstance(value, (int, float)) else repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def lines_that_count(exercise: Exercise, question: Question) -> str:
    """A sentence on the lines that make up a formula's value."""
    board, player = question
    told = [
        f"{number_word(len(lines))} with just {number_word(number)} {mark}"
        for mark in (player, opponent(player))
        for number in (3, 2, 1)
        if exercise.weights[number] and (lines := alone(board, mark, number))
    ]
    return f"The lines that count: {', '.join(told) or 'none'}."


def counts_table(exercise: Exercise, counts: Counts) -> tuple[tuple[str, ...], ...]:
    """What lines count, where some count something else: a row for the player's marks, a column for the opponent's."""
    weights, rows = exercise.weights, []
    for own in range(4) if counts else ():
        row = [f"{own} of yours"]
        for other in range(4 - own):
            right = weights[own] if not other else 0 if own else -weights[other]
            should, does = counts.get((own, other), (right, right))
            row.append(short(round(does, 4)) + (f", not {short(round(should, 4))}" if should != does else ""))
        rows.append((*row, *[""] * own))
    return (("", *(f"{n} of the opponent's" for n in range(4))), *rows) if counts else ()


def alone(board: Board, mark: Mark, number: int) -> tuple[Line, ...]:
    """The lines with so many marks of one side, and none of the other."""
    return tuple(cells for cells in open_for(board, mark) if [board[cell] for cell in cells].count(mark) == number)


def lines_picture(exercise: Exercise, question: Question, lines: Sequence[Line] = ()) -> Picture:
    """The board, with the lines that count for each side, and those that a mistake is about."""
    board, *players = question
    drawings = []
    for mark in (*players, *map(opponent, players)) if exercise.weights else ():
        counted = [line for number in (1, 2, 3) if exercise.weights[number] for line in alone(board, mark, number)]
        drawings.append(draw(board, lines=counted, player=mark, caption=f"lines of {mark} alone"))
    if lines:
        drawings.append(draw(board, lines=lines, caption="look at these lines"))
    return beside(drawings) if drawings else draw(board, numbers=True)


def misnamed(name: str, names: Iterable[str]) -> str:
    """A sentence on the one of the names that comes close to the name asked for, or ""."""
    folded = {given.casefold(): given for given in names}
    close = get_close_matches(name, folded, 1, 0.8)
    return f"Rename {folded[close[0]]}: the name has to be {name}, letter for letter." if close else ""


@dataclass(frozen=True)
class Check:
    """What a check found."""

    outcome: str  # "right", "not yet" or "not started"
    message: str  # what to know, in a few sentences
    mistake: str = ""  # the name of the mistake that explains the answers
    picture: Picture | None = None  # a board where it went wrong
    table: Sequence[Sequence[str]] = ()  # what lines count, to be shown below

    @property
    def right(self) -> bool:
        """Whether everything is right."""
        return self.outcome == "right"

    def __str__(self) -> str:
        return f"{SIGNS[self.outcome]} {self.message}" + (f"\n{self.picture.text}" if self.picture else "")

    __repr__ = __str__

    def _repr_html_(self) -> str:
        rows = ["".join(f"<td>{escape(text)}</td>" for text in row) for row in self.table]
        table = f"<table>{''.join(f'<tr>{row}</tr>' for row in rows)}</table>" if rows else ""
        return notice(SIGNS[self.outcome], self.message.splitlines(), table + str(self.picture or ""))
