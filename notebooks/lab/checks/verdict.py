"""Judges a function's answers, identically in the notebook and in the grader, and words the result for the student.

If the function adds up line values, `line_sums` names the mistake; if it searches, `search_trace` does, from the
questions it asked its heuristic.
"""

import re
import tomllib
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import cached_property
from html import escape
from importlib import import_module
from pathlib import Path

from lab.checks.calling import (
    COLLECTION,
    ENDLESS,
    NOTHING,
    PRINTED,
    RAISED,
    STOPS,
    UNWRITTEN,
    WAITS,
    Answer,
    Question,
    Value,
)
from lab.checks.exercise import SENTENCES, Case, Counts, Exercise, Mistake, alone, number_word
from lab.checks.names import MIXED
from lab.checks.wording import COUNTED
from lab.drawing.cards import TRY, folded_hints, notice
from ttt.board import Board, Mark, opponent
from ttt.geometry import Line
from ttt.heuristics import open_for
from ttt.svg import Grid, Picture, beside, draw, ink, line

SIGNS = {"right": "✓ Right.", "not yet": "✗ Not yet.", "not started": "○ Not started."}
KINDS = {"right": "good", "not yet": "soon", "not started": "plain"}  # of cards
SHADE = "#e0927a"  # of cells that should not have been returned
FAULTS = SENTENCES["answers"]
DRAWN: dict[str, Callable[..., Sequence[Line]]] = {"my_open_lines": open_for, "lines_with": alone}  # by task
CAME = tomllib.loads(Path(__file__).with_name("came.toml").read_text(encoding="utf-8"))
CHANGES = "state kept between calls"
DEEPER = " Does each call get `depth - 1`, and does the search stop where `depth` is 0?"
SINGLE = ("number", "truth")  # what a function may return as one thing


@dataclass(frozen=True)
class Verdict:
    """The verdict on a function, with the evidence."""

    outcome: str  # "right", "wrong" or "not started"
    mistakes: tuple[Mistake, ...] = ()  # that explain the answers; one without a name if none does
    place: int = 0  # index of the question to show
    wrong: tuple[int, ...] = ()  # indices of the questions answered wrongly or not at all

    @property
    def mistake(self) -> str:
        """The names of the mistakes; "" if none explains the answers."""
        return "; ".join(one.name for one in self.mistakes if one.name)

    @property
    def sentence(self) -> str:
        """The text for the student: one line per mistake."""
        return "\n".join(one.sentence for one in self.mistakes)

    @property
    def counts(self) -> Counts:
        """For kinds of lines with a wrong weight: the right and the actual one."""
        return {kind: count for one in self.mistakes for kind, count in one.counts.items()}


class Given:
    """The answers to an exercise's questions, in order, as many as came; and what is wrong with them."""

    def __init__(self, exercise: Exercise, answers: Sequence[Answer]) -> None:
        self.exercise, self.answers = exercise, answers
        self.wrong = exercise.wrong(answers)
        self.missing = range(len(answers), len(exercise.questions))
        self.faulty = {place: fault for place in self.wrong if (fault := _fault(exercise, answers[place]))}
        self.raised = [place for place in self.faulty if self.faulty[place] in RAISED]
        self.enough = not self.missing or bool(self.wrong and len(answers) >= exercise.enough)

    @property
    def first(self) -> int:
        """The index of the question to show: an error, what is no answer, or a wrong value, before what it asked."""
        asked, takes = self.exercise.asked, self.exercise.takes
        off = [place for place in self.wrong if self.answers[place].value != asked[place].value]
        deep = [place for place in self.wrong if "depth" in takes and asked[place].question[1]]  # has an order of moves
        return next(iter(self.raised or self.faulty or off or deep or self.wrong), len(self.answers))

    @cached_property
    def known(self) -> Mistake | None:
        """The known mistake with these answers; a player that stops only on some boards may have one, too."""
        asks = self.exercise.returns == "move" if self.raised else self.enough
        return self.exercise.known(self.answers) if asks else None

    def form(self, place: int) -> Mistake:
        """The mistake in the type of an answer, with how often it occurs and the error message."""
        exercise, fault, words = self.exercise, self.faulty[place], self.answers[place].words
        came = came_back(words, fault) or came_back(words, f"{fault}, {exercise.returns}")
        told = came or FAULTS.get(fault, exercise.refusal)
        if fault == STOPS:
            endless = re.match(r"(The submission said: “)?\w+ stopped with RecursionError", words)
            end = "Your function never stops calling itself. " if endless else ""
            told = f"{end}{words}{'' if words.endswith(('.', '?')) else '.'}{self._how_often(fault)}"
        elif fault in (ENDLESS, WAITS) and words:
            deeper = fault == ENDLESS and "depth" in exercise.takes and exercise.function  # a lesson's search
            told += f" It was stopped {words}.{DEEPER if deeper else ''}"
        elif "infinity" in words and {"depth", "alpha"} & {*exercise.takes}:
            told = FAULTS["infinity returned"]
        elif fault in (NOTHING, "no number"):
            told += self._how_often(fault)
        if exercise.returns == "truth":
            told = told.replace("not a number", "neither `True` nor `False`")
        return Mistake(fault, told, (fault,))

    def _how_often(self, fault: str) -> str:
        """How often a fault occurs, in a sentence; "" if always, or only when a question is repeated."""
        asked = len(self.exercise.once)
        times = sum(self.faulty[place] == fault for place in self.faulty if place < asked)
        return f" This happens {share_told(self.exercise, times)}." if 0 < times < asked <= len(self.answers) else ""


def verdict(exercise: Exercise, answers: Sequence[Answer]) -> Verdict:
    """Judge the answers; a number that was printed, or is in a text or a list, also as that number."""
    if answers and all(answer.fault == UNWRITTEN for answer in answers):
        return Verdict("not started", (Mistake("", "Your function is still as it was handed out."),))
    numbers = exercise.numbers(answers)
    found = _judged(Given(exercise, numbers))
    if numbers == list(answers):
        return found
    given = Given(exercise, answers)
    place = next(place for place in given.faulty if place not in given.raised)
    shown = found.place if found.outcome == "wrong" else place
    return Verdict("wrong", (given.form(place), *found.mistakes), shown, found.wrong or tuple(given.faulty))


def _judged(given: Given) -> Verdict:
    """The verdict on answers as they are, by the first explanation there is."""
    if not given.wrong and not given.missing:
        return Verdict("right")
    mistakes = next(filter(None, (explain(given) for explain in EXPLANATIONS)))
    return Verdict("wrong", tuple(mistakes), given.first, (*given.wrong, *given.missing))


def _unfinished(given: Given) -> list[Mistake]:
    """Too few answers to say more."""
    if given.enough or given.known or given.faulty:
        return []
    return [Mistake("questions unanswered", f"Your function {left(given.exercise, given.answers)}.")]


def _keeps(given: Given) -> list[Mistake]:
    """Another answer to the same question."""
    if given.enough and not given.raised and given.exercise.changes(given.answers):
        return [Mistake(CHANGES, changes_told(given.exercise, given.answers), (CHANGES,))]
    return []


def changes_told(exercise: Exercise, answers: Sequence[Answer]) -> str:
    """What to say of a function whose answers change."""
    return MIXED if exercise.mixes_players(answers) else FAULTS[CHANGES]


def _answers_prove(given: Given) -> list[Mistake]:
    """What is no answer, unless a known mistake explains it; and what explains all the others."""
    form = [given.form(given.first)] if given.faulty and not given.known else []
    known = [given.known] if given.known else []
    if not given.exercise.explained_by or not (given.known or given.enough):
        return form + known
    with suppress(ImportError):  # where there is no numpy
        explained = import_module(f"lab.checks.{given.exercise.explained_by}").diagnosed
        found = explained(given.exercise, given.answers, given.known) or known
        return found if any("parts" in one.findings for one in found) else form + found
    return form + known


def _share(given: Given) -> list[Mistake]:
    """No explanation: how many answers are wrong."""
    few = len(given.answers) < len(given.exercise.cases)
    told = f"Your function {left(given.exercise, given.answers)}."
    return [Mistake("", told if few else share_wrong(given.exercise, given.wrong))]


EXPLANATIONS = (_unfinished, _keeps, _answers_prove, _share)  # the first that finds something is told


def left(exercise: Exercise, answers: Sequence[Answer]) -> str:
    """How many questions an unfinished function answered, and how many of them correctly, as the rest of a sentence."""
    wrong, number = len(exercise.wrong(answers)), len(exercise.questions)
    how = f"{wrong:,} of them wrong" if wrong else "all of them right"
    if not answers:
        return f"answered none of the {number:,} calls"
    return f"answered {len(answers):,} of the {number:,} calls, {how}"


def _fault(exercise: Exercise, answer: Answer) -> str:
    """The name of the mistake in the type of the answer; "" if there is none."""
    fault = STOPS if answer.fault == UNWRITTEN else answer.fault
    number = exercise.returns in SINGLE
    if fault in RAISED | {NOTHING, PRINTED} or number != isinstance(answer.value, tuple):
        return fault
    return COLLECTION if number else "no list of cells"


def came_back(words: str, instead: str) -> str:
    """What came back instead of a list of cells or a number, in a sentence; "" if nobody knows."""
    inside = re.search(r"[\w.'\"-]+", words)
    told = next((told for pattern, told in CAME.get(instead, {}).items() if re.search(pattern, words)), "")
    return told.replace("{first}", inside[0] if inside else "")


def share_told(exercise: Exercise, number: int) -> str:
    """How many of the questions that is, each counted once: of boards, if a board is all that a call is given."""
    if exercise.takes == ("board",):
        return f"on {number:,} of {len(exercise.once):,} boards"
    return f"in {number:,} of {len(exercise.once):,} calls"


def share_wrong(exercise: Exercise, wrong: Iterable[int]) -> str:
    """How many questions a function gets wrong, and from which depth on, in sentences."""
    wrong = [place for place in wrong if place < len(exercise.once)]
    told = f"Your function is wrong {share_told(exercise, len(wrong))}."
    depth = min((exercise.once[place][1] for place in wrong), default=0) if "depth" in exercise.takes else 0
    if depth:
        told += f" Its answers are right up to depth {depth - 1}; the first errors appear at depth {depth}."
    return told


def shown_below(exercise: Exercise, found: Verdict, answers: Sequence[Answer]) -> tuple[Sequence[str], Picture | None]:
    """What the check and the feedback page show below the sentence: lines of text, and a board or a search tree."""
    case = exercise.asked[found.place]
    board, *rest = case.question
    answer = (*answers, Answer(None, (), ENDLESS, "no answer"))[found.place]
    both = compared(exercise, found.place, answer)
    if "board" not in exercise.takes:
        return (both,), None
    if "heuristic" in exercise.takes:
        from lab.checks.search_trace import tree_picture

        call = f'{exercise.name}({board!r}, {rest[0]}, heuristic_named("{rest[1]}"))'
        legend, tree = tree_picture(case, answer)
        return (both, *filter(None, [legend]), f"{TRY}`{call}`"), tree or draw(board)
    if exercise.returns == "order":
        return (), draw(board, numbers=True)
    if exercise.returns not in SINGLE:
        return (both,), _cells_picture(board, case.value, answer.value)
    if answer.fault or not exercise.weights:  # not a number that a formula could explain
        lines = DRAWN[exercise.name](board, *rest) if exercise.name in DRAWN else ()
        drawn = draw(board, lines=lines, player=rest[0] if lines else "-")
        if exercise.name == "lines_with" and found.mistake == "blocked lines counted":
            drawn = _with_blocked(case, answer) or drawn
        return (both,), drawn
    return (both, lines_that_count(exercise, case.question)), _formula_picture(exercise, case.question, found)


def _with_blocked(case: Case, answer: Answer) -> Picture | None:
    """The board with the lines to count, and the blocked ones that were counted, too; None if these are others."""
    board, player, number = case.question
    blocked = []
    for cells, marks in zip(board.line_cells, board.lines, strict=True):
        if marks.count(player) == number and opponent(player) in marks:
            blocked.append(cells)
    if len(alone(board, player, number)) + len(blocked) != answer.value:
        return None
    drawn = draw(board, lines=alone(board, player, number), player=player, caption="dashed: blocked")
    dashed = "".join(line(Grid(board), cells, ink("-"), 5, 1) for cells in blocked)
    told = "; ".join(f"cells {', '.join(map(str, cells))}" for cells in blocked)
    body = f'{drawn.body}<g stroke-dasharray="6 10">{dashed}</g>'
    return replace(drawn, body=body, text=f"{board}\ncounted, but blocked: {told}")


def _cells_picture(board: Board, right: Value, given: Value) -> Picture:
    """The board with the right cells and those returned, and a legend; without them if no cells were returned."""
    if not isinstance(right, tuple) or not isinstance(given, tuple):
        return draw(board)
    signs = {cell: "● right" if cell in given else "○ missing" for cell in right}
    extra = [cell for cell in given if cell not in right and cell < len(board)]
    signs |= {cell: "✗ too many" for cell in extra if cell in board.moves}
    legend = [*dict.fromkeys(signs.values())]
    if extra and "✗ too many" not in legend:  # only cells that hold a mark
        legend.append("shaded: too many")
    values = {cell: sign[0] for cell, sign in signs.items()}
    return draw(board, values=values, fills=dict.fromkeys(extra, SHADE), caption=", ".join(legend))


def _formula_picture(exercise: Exercise, question: Question, found: Verdict) -> Picture:
    """The board with the lines a mistake is about, or else with the lines that count."""
    board, player = question
    lines = {line for one in found.mistakes for line in one.lines}
    patterns = {pattern for one in found.mistakes for pattern in one.patterns}
    for cells, marks in zip(board.line_cells, board.lines, strict=True):
        kind = marks.count(player), marks.count(opponent(player))
        pattern = "".join("-" if mark == "-" else "X" if mark == player else "O" for mark in marks)
        if kind in found.counts or pattern in patterns:
            lines.add(cells)
    if lines:
        caption = "check this line" if len(lines) == 1 else "check these lines"
        return draw(board, lines=sorted(lines), caption=caption)
    counted = [*_counted(exercise, board, "X"), *_counted(exercise, board, "O")]
    return draw(board, lines=counted, caption="the lines that count")


def compared(exercise: Exercise, place: int, answer: Answer) -> str:
    """The right answer next to the function's."""
    board, *rest = exercise.questions[place]
    right, given = exercise.asked[place].value, answer.words or short(answer.value)
    if len(given) > 60:
        given = f"{given[:58]}…{'”' if given[0] == '“' else ''}"
    if exercise.returns == "truth":
        right, given = bool(right), str(bool(answer.value)) if answer.value in (0, 1) else given
    raised = answer.fault in RAISED | {UNWRITTEN}
    if isinstance(right, tuple):
        what, does = ("moves are", "plays") if exercise.returns == "move" else ("answer is", "returns")
        yours = "" if raised else f"; your function {does} `{given}`"
        return f"{board.turn} is to move, and on this board the right {what} `{short(right)}`{yours}."
    if answer.value == right and "heuristic" in exercise.takes and answer.asked != exercise.asked[place].asked:
        from lab.checks.search_trace import asked_in_words

        return asked_in_words(exercise.asked[place], answer)
    if answer.value == right and answer.fault:
        return f"The number itself is right: {short(right)}."
    whose = "The game is over" if board.over else f"{board.turn} is to move"
    side = f"For {rest[0]}," if "player" in exercise.takes else f"{whose}, and"
    when = "when it was asked again, yours was" if place in exercise.again else "yours is"
    yours = "" if raised else f"; {when} {given}"
    call = exercise.call(exercise.questions[place])
    if "board" not in exercise.takes:
        return f"{call[0].upper()}{call[1:]} should be {short(right)}{yours}."
    if len(rest) > ("player" in exercise.takes):
        return f"{whose}, and on this board {call} should be {short(right)}{yours}."
    return f"{side} the right value on this board is {short(right)}{yours}."


def short(value: object) -> str:
    """A short text for an answer."""
    if isinstance(value, tuple):
        return str(list(value))
    if isinstance(value, bool):
        return str(value)
    text = f"{value:,}".removesuffix(".0").replace("-", "−") if isinstance(value, (int, float)) else repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def lines_that_count(exercise: Exercise, question: Question) -> str:
    """The lines that make up a formula's value, as a sentence."""
    board, player = question
    told = [
        f"{number_word(len(lines))} with exactly {number_word(number)} {mark}"
        for mark in (player, opponent(player))
        for number in (3, 2, 1)
        if exercise.weights[number] and (lines := alone(board, mark, number))
    ]
    return f"These lines count here: {', '.join(told)}." if told else "No line counts here."


def counts_table(exercise: Exercise, counts: Counts) -> tuple[tuple[str, ...], ...]:
    """Line weights as a table, if some are wrong: a row per count of the player's marks, a column per opponent's."""
    weights, rows = exercise.weights, []
    for own in range(4) if counts else ():
        row = [f"{own}"]
        for other in range(4 - own):
            right = weights[own] if not other else 0 if own else -weights[other]
            should, does = counts.get((own, other), (right, right))
            row.append(short(round(does, 4)) + (f", not {short(round(should, 4))}" if should != does else ""))
        rows.append((*row, *[""] * own))
    return (("player's marks", *map(str, range(4))), *rows) if counts else ()


def lines_picture(exercise: Exercise, question: Question) -> Picture:
    """The board once for each side, with the lines that count for that side."""
    board, player = question
    counted = {mark: _counted(exercise, board, mark) for mark in (player, opponent(player))}
    return beside([draw(board, lines=counted[one], player=one, caption=f"lines with only {one}") for one in counted])


def _counted(exercise: Exercise, board: Board, mark: Mark) -> list[Line]:
    """The lines that count for a side in a formula."""
    return [line for number in (1, 2, 3) if exercise.weights[number] for line in alone(board, mark, number)]


def misnamed(name: str, names: Iterable[str]) -> str:
    """Advice to rename the name closest to the one asked for, or "" if none is close."""
    folded = {given.casefold(): given for given in names}
    close = get_close_matches(name, folded, 1, 0.8)
    return f"Rename `{folded[close[0]]}` to `{name}`: the name must match letter for letter." if close else ""


@dataclass(frozen=True)
class Check:
    """The result of a check."""

    outcome: str  # "right", "not yet" or "not started"
    message: str  # a few sentences for the student
    mistake: str = ""  # the name of the mistake that explains the answers
    picture: Picture | None = None  # a board on which the function is wrong
    table: Sequence[Sequence[str]] = ()  # line weights, shown below the message
    sign: str = ""  # shown above, if that of the outcome would say too much
    hints: Sequence[str] = ()  # to open on the card

    @property
    def right(self) -> bool:
        """Whether everything is right."""
        return self.outcome == "right"

    def __str__(self) -> str:
        return f"{self.sign or SIGNS[self.outcome]} {self.message}" + (f"\n{self.picture.text}" if self.picture else "")

    __repr__ = __str__

    def _repr_html_(self) -> str:
        table = _table(self.table) if self.table else ""
        shown = "".join(f'<div class="scroll">{part}</div>' for part in (table, self.picture) if part)
        sign, hints = self.sign or SIGNS[self.outcome], folded_hints(self.hints)
        message = COUNTED.sub("", self.message) if table else self.message
        return notice(sign, message.splitlines(), shown, hints, KINDS[self.outcome])


def _table(rows: Sequence[Sequence[str]]) -> str:
    """A table with a head for each row and column, which counts the opponent's marks; wrong numbers stand out."""
    html = f'<tr><td></td><th scope="colgroup" colspan="{len(rows[0]) - 1}">opponent\'s marks</th></tr>'
    for n, row in enumerate(rows):
        cells = ""
        for m, text in enumerate(row):
            does, wrong, should = text.partition(", not ")
            if wrong:
                cells += f'<td class="bad"><b>✗ {escape(does)}</b> <small>not {escape(should)}</small></td>'
            elif (n and m) or not text:
                cells += f"<td>{escape(text)}</td>"
            else:
                cells += f'<th scope="{"row" if n else "col"}">{escape(text)}</th>'
        html += f"<tr>{cells}</tr>"
    return f"<table>{html}</table>"
