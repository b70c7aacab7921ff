"""Mistakes get their names: families that are generated, and all known edits, in check and judge alike."""

import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cache
from itertools import cycle, islice
from math import inf
from operator import itemgetter
from typing import NamedTuple

import pytest
from conftest import sampled
from lab.checks.calling import STOPS, Answer, answers
from lab.checks.exercise import comparable, each_way, edited
from lab.checks.graded import answered, forms, load, settings
from lab.checks.search_trace import Visit, is_asked, leaves, searched
from lab.checks.verdict import verdict
from lab.timeouts import Clock
from submissions import sources

from exercises.grading.judging.key import key
from ttt import Board, opponent


def function(name, text):
    """The function of that name that a text defines, as a notebook would."""
    names = {"__name__": "__main__", "Board": Board, "opponent": opponent, "inf": inf}
    exec(text, names)
    return names[name]


# ------------------------------------------------------------------------------------- heuristic 1: generated families

LINES = Board().line_cells
RIGHT = {(1, 0): 1, (2, 0): 3, (0, 1): -1, (0, 2): -3}  # what lines count, by the player's and the opponent's marks
GROUPS = {"rows": LINES[:3], "columns": LINES[3:6], "diagonals": LINES[6:]}
WRONG_LINES = [(2, 4, 7), (1, 4, 6), (0, 1, 3), (0, 1, 5)]
OTHER_SIDE = '"O" if player == "X" else "X"'


class Program(NamedTuple):
    """A program that is generated, by what is in it."""

    worths: dict = RIGHT
    lines: tuple = LINES
    player: str = "player"
    other: str = OTHER_SIDE
    done: str = "sum(worths)"

    @property
    def text(self):
        return f"""
WORTHS, LINES = {self.worths}, {self.lines}
def heuristic_1(board, player):
    player, other = {self.player}, None
    other = {self.other}
    marks = [(board[a], board[b], board[c]) for a, b, c in LINES]
    worths = [WORTHS.get((line.count(player), line.count(other)), 0) for line in marks]
    return {self.done}
"""

    def at(self, player):
        """What it does when asked for this player."""
        return self._replace(player=repr(player)) if self.player == "player" else self


class Marks(tuple):
    """A board as generated programs read it, which takes less time: its marks, whose turn it is, and who has won."""

    turn: str
    winner: str | None


@cache
def boards():
    """All boards of the questions, as marks."""
    made = []
    for case in load("heuristic_1").cases[::2]:
        marks = Marks(case.question[0])
        marks.turn, marks.winner = case.question[0].turn, case.question[0].winner
        made.append(marks)
    return made


@cache
def values(text):
    """What a program says to all questions."""
    heuristic_1 = function("heuristic_1", text)
    return tuple(heuristic_1(board, player) for board in boards() for player in "XO")


def told(text):
    """The verdict on a program."""
    exercise = load("heuristic_1")
    given = list(map(Answer, values(text)))
    return verdict(exercise, [*given, *(given[place] for place in exercise.again.values())])


KINDS = [(own, other) for own in range(4) for other in range(4 - own)]
ONE_KIND = [Program(RIGHT | {kind: worth}) for kind in KINDS for worth in (RIGHT.get(kind, 0) + 4, -2)]
OTHER_LINES = [
    *(Program(lines=tuple(other for other in LINES if other != line)) for line in LINES),
    *(Program(lines=(*LINES, line)) for line in LINES),
    *(Program(lines=(*LINES[:7], wrong)) for wrong in WRONG_LINES),
    *(Program(lines=group) for group in GROUPS.values()),
    *(Program(lines=(*LINES, *group)) for group in GROUPS.values()),
    *(Program(lines=tuple(line for line in LINES if line not in group)) for group in GROUPS.values()),
    *(Program(lines=(line,) * 8) for line in LINES[::3]),
]
OTHER_SIDES = [
    Program(player='"X"'),
    Program(player='"O"'),
    Program(player="board.turn"),
    Program(player='"O" if board.turn == "X" else "X"'),
    Program(other='"O"'),
    Program(other='"X"'),
    Program(other='"O" if board.turn == "X" else "X"'),
]
DONE = {  # to the worths of the lines, and what is said of it
    "abs(sum(worths))": "absolute value",
    "(sum(worths) > 0) - (sum(worths) < 0)": "only the sign",
    "sum(worths) // 2": "values halved",
    "sum(worths) / 2": "values divided",
    "5 * sum(worths)": "values multiplied",
    "-sum(worths)": "signs swapped",
    "max(0, sum(worths))": "never negative",
    "min(4, sum(worths))": "something done to the sum",
    "max(-3, min(3, sum(worths)))": "something done to the sum",
    "sum(worths) + 2": "a number added",
    "7": "always the same number",
    "worths[0]": "returned inside the loop",
    "sum(worths) if not board.winner else 100 if board.winner == player else -100": "ends of the game apart",
    "sum(w for w in worths if w > 0)": "opponent ignored",
    "sum(w for w in worths if w < 0)": "own lines ignored",
    "sum(abs(w) for w in worths)": "opponent added",
    "sum(w for w in worths if w > 0) / (1 - sum(w for w in worths if w < 0))": "ratio of the halves",
    "max(sum(w for w in worths if w > 0), -sum(w for w in worths if w < 0))": "the larger half",
    "sum({worth: worth for worth in worths}.values())": "set instead of added",
}
READ = {  # the same, known only where nothing else is wrong
    "next((worth for worth in worths if worth), 0)": "only the first line that counts",
    "next((worth for worth in worths[::-1] if worth), 0)": "only the last line that counts",
    "max(worths)": "only the best line",
    "sum(dict(zip(marks, worths)).values())": "equal lines counted once",
    "sum(map((player,).count, board)) - sum(map((other,).count, board))": "marks on the board counted",
}
WHOLE_TABLES = {
    "weights swapped": (3, 1, 0, -1),
    "the factor forgotten": (1, 1, 0, -1),
    "heuristic 2 instead": (1, 1, 1, -1),
    "pairs not counted": (1, 0, 0, -1),
    "single marks not counted": (0, 3, 0, -1),
    "marks counted": (1, 2, 3, -1),
    "powers of the marks": (1, 4, 9, -1),
    "at least for exactly": (1, 4, 4, -1),
}


def weighed(one, two, three=0, theirs=-1):
    """What lines of one side alone count with other weights."""
    weights = list(enumerate((one, two, three), 1))
    return {(n, 0): w for n, w in weights} | {(0, n): theirs * w for n, w in weights}


NAMED = [  # written otherwise than the edits that the names are known by
    *((name, Program(weighed(*weights))) for name, weights in WHOLE_TABLES.items()),
    ("bracket lost", Program(RIGHT | {(0, 1): 1})),
    *((name, Program(done=done)) for done, name in (DONE | READ).items()),
]
SINGLE = [*ONE_KIND, *OTHER_LINES, *OTHER_SIDES, *(program for _, program in NAMED)]


def pairs():
    """Two mistakes in one program."""
    for kinds, lines in zip(ONE_KIND, OTHER_LINES, strict=False):
        yield kinds._replace(lines=lines.lines)
    for other, sides in zip((*ONE_KIND, *OTHER_LINES), cycle(OTHER_SIDES)):
        yield other._replace(player=sides.player, other=sides.other)
    for done, sides in zip(DONE, cycle(OTHER_SIDES)):
        yield sides._replace(done=done)
    for first, second in zip(ONE_KIND, ONE_KIND[3:], strict=False):
        yield Program(RIGHT | changes(first.worths, RIGHT) | changes(second.worths, RIGHT))


def changes(some, others):
    """What is in some of two dictionaries only, or has another value there."""
    return {key: value for key, value in some.items() if others.get(key, 0) != value}


# What a name says of a program: the part of it in which there must be something else than in the right one.
ABOUT = {
    "worths": r"weight of|(blocked|completed|empty) lines counted|bracket lost|elif|or instead",
    "lines": r"missing|only (rows|columns|diagonals|one line)|counted (twice|\w+ times)|wrong line|no line counted",
    "player": r"always seen from",
    "sides": r"always the same number|right for|sides treated",
}


def is_in(name, program):
    """Whether what a name says is in a program."""
    name = re.sub(r" for (X|O|the side to move|the side that has just moved)$", "", name)
    if name in WHOLE_TABLES or re.match(ABOUT["worths"], name):
        return program.worths != RIGHT or " for w in " in program.done
    if re.search(ABOUT["lines"], name):
        return program.lines != LINES or program.done == "worths[0]"
    if re.match(ABOUT["player"], name):
        return program.player != "player" or program.done == "7"
    if program.player != "player" or program.other != OTHER_SIDE:
        return bool(re.match(ABOUT["sides"], name)) or program.done != "sum(worths)"
    return name in {*(DONE | READ).values(), "the halves put together differently"} and program.done != "sum(worths)"


@pytest.mark.parametrize("name, program", sampled(NAMED, 4), ids=lambda part: part if isinstance(part, str) else "")
def test_a_known_mistake_is_named_however_the_program_is_written(name, program):
    assert told(program.text).mistake.startswith(name)


def test_each_mistake_that_is_generated_is_named_and_nothing_is_said_of_a_program_that_is_not_in_it():
    for program in sampled((*SINGLE, *pairs()), 19):
        found = told(program.text)
        assert found.outcome == "wrong" and found.mistake, program
        for name in filter(None, found.mistake.split("; ")):
            assert is_in(name, program), (name, program)
        if program.done == "sum(worths)" and not any("sides" in one.findings for one in found.mistakes):
            assert all(program.worths.get(kind, 0) == worth for kind, (_, worth) in found.counts.items())
            lines = [line for one in found.mistakes for line in one.lines]
            assert all(program.lines.count(line) != LINES.count(line) for line in lines)


# -------------------------------------------------------------------------------------- alpha-beta: every edit of both


def ways():
    """Every edit of the right searches, with the form that it is tried on by turns."""
    edits = settings("alpha_beta")["edits"].items()
    for name, (number, way) in sampled(((name, one) for name, ways in edits for one in enumerate(each_way(ways))), 40):
        fits = [text for form in forms("alpha_beta") if (text := edited(form, way))]
        yield name, fits[number % len(fits)]


# Names of edits that are the same function on every board: which one is told, in words that hold for all of them.
TWINS = {
    ("never cuts", "window not passed down", "window not turned round"): "never cuts",
    ("only the first move", "cuts at once"): "only the first move",
    ("cuts at once", "compared with the wrong bound"): "cuts at once",
    ("cuts at once", "bounds mixed up", "compared with the wrong bound"): "cuts at once",
    ("cuts at once", "best value begins at the wrong end"): "cuts at once",
    (
        "heuristic asked for the side to move",
        "each board seen from its own side",
    ): "heuristic asked for the side to move",
    ("heuristic asked for the other side", "seen from the other side"): "heuristic asked for the other side",
    ("sign of the heuristic", "sides told apart by the depth"): "sign of the heuristic",
}


def every_answer(exercise, text):
    """A search's answers, of which those to repeated questions are the same again."""
    given = [*answers(function("alpha_beta", text), exercise.once, Clock(each=inf))]
    return (*given, *(given[place] for place in exercise.again.values()))


def test_every_edit_of_the_searches_is_named_in_check_and_judge_alike():
    exercise, judge = load("alpha_beta"), key("alpha_beta", "a class").exercise
    by_answers = {}
    for name, text in ways():
        given = every_answer(judge, text)
        by_answers.setdefault(tuple(map(comparable, given)), (given, set()))[1].add(name)
    assert len(by_answers) >= 5
    for given, names in by_answers.values():
        if not judge.wrong(given):
            continue  # an edit that changes nothing
        answered_at_home = at_home_answers(exercise, judge, given)
        at_home, at_school = verdict(exercise, answered_at_home), verdict(judge, given)
        if any(one.fault == STOPS for one in given):  # where a bound or a value is missing, the error comes first
            for found in (at_home, at_school):
                assert found.mistake == STOPS and re.search("NoneType|NameError", found.sentence), found
            continue
        assert (at_school.mistake, at_school.sentence) == (at_home.mistake, at_home.sentence)
        alike = with_the_same_answers(exercise, answered_at_home)
        assert names <= {*alike} and at_home.mistake == TWINS.get(alike, alike[0]), (names, alike, at_home)
        assert len(alike) == 1 or alike in TWINS, alike


def with_the_same_answers(exercise, given):
    """The names of all edits that give these answers, in their order: the exercise does not tell them apart."""
    places = sorted(range(exercise.known_by), key=lambda place: given[place].value == exercise.asked[place].value)
    names = [
        mistake.name
        for mistake, made, theirs in exercise._mistaken
        if all(exercise._given(made, theirs, place) == comparable(given[place]) for place in places)
    ]
    return tuple(dict.fromkeys(names))


def test_a_class_judged_at_once_is_told_what_one_after_another_is():
    exercise = replace(load("alpha_beta"))  # which has asked nothing yet
    some = [every_answer(exercise, text) for _, text in islice(ways(), 8)]
    with ThreadPoolExecutor(4) as executor:
        assert list(executor.map(exercise.known, some)) == [load("alpha_beta").known(given) for given in some]


def test_wins_with_different_wrong_worths_are_told_as_worths_and_not_as_a_sign():
    text = edited(
        forms("alpha_beta")[0], ["1000 if board.winner == me else -1000", "{'X': 1000, 'O': 10}[board.winner]"]
    )
    assert verdict(load("alpha_beta"), every_answer(load("alpha_beta"), text)).mistake == "another worth for a win"


def test_a_search_that_never_cuts_asks_about_all_leaves():
    text = edited(forms("alpha_beta")[0], next(each_way(settings("alpha_beta")["edits"]["never cuts"])))
    cases = load("alpha_beta").cases
    given = answered(function("alpha_beta", text), [case.question for case in cases])
    for case, (_, value, asked) in zip(cases, given, strict=True):
        visit = Visit(case, Answer(value, asked))
        assert visit.boards == leaves(visit.root, visit.depth)


def at_home_answers(exercise, judge, given):
    """What the same function answers to the questions of the check, which are among the judge's."""
    place = {question: n for n, question in enumerate(judge.once)}
    return tuple(given[place[question]] for question in exercise.questions)


def test_the_forms_of_the_right_search_and_its_trees_agree():
    cases = load("alpha_beta").cases
    for form in (*forms("alpha_beta"), sources("alpha_beta_right")["two functions"]):
        assert answered(function("alpha_beta", form), [case.question for case in cases]) == cases
    trees = [(searched(case.question), case) for case in cases]
    for nodes, case in filter(itemgetter(0), trees):
        asked = [f"{''.join(node.board)}{case.question[0].turn}" for node in nodes if is_asked(node, case.question[1])]
        assert nodes[0].value == case.value and tuple(asked) == case.asked
    assert sum(len(nodes) > 1 for nodes, _ in trees) > 20
