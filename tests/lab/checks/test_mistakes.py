"""Mistakes get their names: families that are generated, and all known edits, in check and judge alike."""

import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cache
from itertools import cycle, islice
from math import inf
from operator import itemgetter
from pathlib import Path
from typing import NamedTuple

from approved import all_approved
from conftest import sampled
from lab.checks.calling import STOPS, Answer, answers
from lab.checks.exercise import comparable, each_way, edited
from lab.checks.graded import answered, forms, load, settings
from lab.checks.search_trace import Visit, is_asked, leaves, searched
from lab.checks.verdict import verdict
from lab.timeouts import Clock
from own_names import fewer
from submissions import sources

from exercises.grading.judging.key import key
from ttt import Board, opponent

SAID = Path(__file__).parent / "said" / "programs.txt"


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


class Marks(tuple):
    """A board as generated programs read it, which takes less time: its marks, whose turn it is, and who has won."""

    turn: str
    winner: str | None


def values(text, exercise):
    """What a program says to all questions."""
    heuristic_1 = function("heuristic_1", text)
    return [heuristic_1(marks(board), player) for board, player in exercise.once]


@cache
def marks(board):
    """A board as generated programs read it, which takes less time."""
    made = Marks(board)
    made.turn, made.winner = board.turn, board.winner
    return made


KINDS = [(own, other) for own in range(4) for other in range(4 - own)]
TABLES = [  # of whole functions: what lines of one side alone count
    *((3, 1, 0, -1), (1, 1, 0, -1), (1, 1, 1, -1), (1, 0, 0, -1), (0, 3, 0, -1), (3, 3, 0, -1), (1, 2, 3, -1)),
    *((1, 4, 9, -1), (1, 4, 4, -1), (1, 3, 0, 0), (1, 3, 0, 1), (-1, -3, 0, -1), (2, 6, 0, -1), (0.5, 1.5, 0, -1)),
    *((0, 0, 0, 0), (1, 3, 0, -2)),
]
OTHER_LINES = [
    *(tuple(other for other in LINES if other != line) for line in LINES),
    *((*LINES, line) for line in LINES[::6]),
    *((*LINES[:7], wrong) for wrong in WRONG_LINES),
    *((*LINES, wrong) for wrong in WRONG_LINES[:1]),
    *GROUPS.values(),
    *((*LINES, *group, *group) for group in GROUPS.values()),
    *(tuple(line for line in LINES if line not in group) for group in GROUPS.values()),
    *((line,) * 8 for line in LINES[::6]),
    LINES[3:4],
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
DONE = [  # to the worths of the lines
    *("abs(sum(worths))", "(sum(worths) > 0) - (sum(worths) < 0)", "sum(worths) // 2", "sum(worths) / 3"),
    *("5 * sum(worths)", "-sum(worths)", "max(0, sum(worths))", "min(0, sum(worths))", "min(4, sum(worths))"),
    *("max(-3, min(3, sum(worths)))", "sum(worths) + 2", "sum(worths) - 0.5", "7", "-1000", "worths[0]"),
    "sum(worths) if not board.winner else 100 if board.winner == player else -100",
    *("sum(w for w in worths if w > 0)", "sum(w for w in worths if w < 0)", "sum(abs(w) for w in worths)"),
    "sum(w for w in worths if w > 0) / (1 - sum(w for w in worths if w < 0))",
    "max(sum(w for w in worths if w > 0), -sum(w for w in worths if w < 0))",
    "sum(w for w in worths if w > 0) * sum(w for w in worths if w < 0)",
    "sum({worth: worth for worth in worths}.values())",
    *("next((worth for worth in worths if worth), 0)", "next((worth for worth in worths[::-1] if worth), 0)"),
    *("max(worths)", "sum(dict(zip(marks, worths)).values())"),
    "sum(map((player,).count, board)) - sum(map((other,).count, board))",
    *("sum(worths) + board.count(player)", "sum(worths) * board.count('-')", "sum(worths) + (board[4] == player)"),
    "worths.count(1) * worths.count(3) - worths.count(-1)",
    "sum(worths[:7]) + 2 * (board[2] == player) - (board[4] == other) * (board[6] == other)",
    "sum((3, 2, 3, 2, 4, 2, 3, 2, 3)[n] * ((mark == player) - (mark == other)) for n, mark in enumerate(board))",
]


def programs():
    """Programs with a mistake, and some with two."""
    one_kind = [Program(RIGHT | {kind: RIGHT.get(kind, 0) + 4}) for kind in KINDS]
    whole = [Program(weighed(*weights)) for weights in TABLES]
    lines = [Program(lines=lines) for lines in OTHER_LINES]
    done = [Program(done=done) for done in DONE]
    yield from (*one_kind, *whole, Program(RIGHT | {(0, 1): 1}), *lines, *OTHER_SIDES, *done)
    yield from (kinds._replace(lines=other.lines) for kinds, other in zip(one_kind[::4], lines[::4], strict=False))
    yield from (
        other._replace(player=sides.player, other=sides.other)
        for other, sides in zip((*one_kind, *lines, *done)[::11], cycle(OTHER_SIDES))
    )


def weighed(one, two, three=0, theirs=-1):
    """What lines of one side alone count with other weights."""
    weights = list(enumerate((one, two, three), 1))
    return {(n, 0): w for n, w in weights} | {(0, n): theirs * w for n, w in weights}


def described(program):
    """What is different in a program."""
    weights = [(kind, program.worths.get(kind, 0), RIGHT.get(kind, 0)) for kind in KINDS]
    told = [f"{own} and {other} count {does:g}" for (own, other), does, should in weights if does != should]
    times = {line: program.lines.count(line) for line in sorted({*LINES, *program.lines})}
    told += [f"{line} {times[line]}×" for line in times if times[line] != LINES.count(line)]
    told += [f"player = {program.player}"] * (program.player != "player")
    told += [f"other = {program.other}"] * (program.other != OTHER_SIDE)
    told += [program.done.replace("sum(worths)", "sum")] * (program.done != "sum(worths)")
    return "; ".join(told)


def test_each_program_with_a_mistake_is_told_this_and_nothing_else():
    exercise, told = fewer("heuristic_1"), {}
    for program in programs():
        given = [Answer(value) for value in values(program.text, exercise)]
        found = verdict(exercise, [*given, *(given[place] for place in exercise.again.values())])
        told[described(program)] = f"{found.sentence}\n({found.mistake})"
    assert all_approved(SAID, told)


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
    ("cuts on one side only", "window not passed down"): "cuts on one side only",
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
