"""Mistakes get their names: forty as students make them, and families that are generated, in check and judge alike."""

from functools import cache
from itertools import product
from math import inf
from operator import itemgetter
from pathlib import Path

import pytest
from submissions import read, source, sources

from exercises.grading import alpha_beta
from exercises.grading.key import GRADED, answered, key, text_of
from ttt import Board, opponent
from ttt.checks import fit
from ttt.checks.asking import Answer, Clock, answers
from ttt.checks.checking import verdict
from ttt.checks.exercise import digest, load, path_of, positions
from ttt.checks.tasks import each_way
from ttt.checks.trace import Visit, is_asked, searched

MISTAKES = read(Path(__file__).with_name("mistakes.toml"))
SAME = {"window not turned round": "never cuts", "window not passed down": "never cuts"}  # where nothing is ever cut


def function(name, text):
    """The function of that name that a text defines, as a notebook would."""
    names = {"Board": Board, "opponent": opponent, "inf": inf}
    exec(text, names)
    return names[name]


def test_forty_mistakes_as_students_make_them_are_named_and_none_wrongly():
    named = wrong = 0
    for exercise, some in MISTAKES.items():
        for name, entry in some.items():
            right = name.partition(" / ")[0]
            given = tuple(
                answers(function(exercise, source(entry)), load(exercise).questions, Clock(each=20, total=100))
            )
            found = verdict(load(exercise), given)
            assert found.outcome == "wrong" and found.sentence
            if exercise == "heuristic_1":
                assert sum(key(exercise).marks(given, found).values()) < 15
            named += found.mistake == right
            wrong += found.mistake not in (right, SAME.get(right), "")
    assert sum(map(len, MISTAKES.values())) == 40
    assert named >= 36 and not wrong


@pytest.mark.parametrize("name", GRADED)
def test_what_students_have_is_what_the_key_gives(name):
    assert path_of(name).read_text(encoding="utf-8") == text_of(name)


# ------------------------------------------------------------------------------------- heuristic 1: a generated family

WEIGHTS = (0, 1, 3, 0)
LINES = Board().line_cells


@cache
def asked():
    """Every question, with the board's cells as the player sees them: 1 is their own mark and 2 the opponent's."""
    asked = [(board, player) for board in positions() for player in "XO"]
    return [(board, player, [("-", player, opponent(player)).index(mark) for mark in board]) for board, player in asked]


RIGHT = {(1, 0): 1, (2, 0): 3, (0, 1): -1, (0, 2): -3}  # what lines count, by the player's and the opponent's marks


def total(seen, worths=RIGHT, lines=LINES):
    """The sum of what lines count."""
    marks = [[seen[cell] for cell in line] for line in lines]
    return sum(worths.get((line.count(1), line.count(2)), 0) for line in marks)


def weighed(one, two, three=0, mine=1, theirs=-1):
    """What lines count with other weights, and with other factors for each side's lines."""
    weights = enumerate((one, two, three), 1)
    return {kind: worth for n, w in weights for kind, worth in (((n, 0), mine * w), ((0, n), theirs * w))}


OTHER_WEIGHTS = [
    ("weight of single marks", weighed(7, 3)),
    ("weight of single marks", weighed(-2, 3)),
    ("weight of pairs", weighed(1, 7)),
    ("weight of pairs", weighed(1, -2)),
    ("weight of your own single marks", RIGHT | {(1, 0): 7}),
    ("weight of your own pairs", RIGHT | {(2, 0): -2}),
    ("weight of the opponent's single marks", RIGHT | {(0, 1): -7}),
    ("weight of the opponent's pairs", RIGHT | {(0, 2): 2}),
    ("pairs not counted", weighed(1, 0)),
    ("single marks not counted", weighed(0, 3)),
    ("the 3 forgotten", weighed(1, 1)),
    ("the 3 times all", weighed(3, 3)),
    ("completed lines counted", weighed(1, 3, 9)),
    ("empty lines counted", RIGHT | {(0, 0): 2}),
    ("blocked lines counted", RIGHT | {(2, 1): 3}),
    ("blocked lines counted", RIGHT | {(2, 1): 2, (1, 2): -2}),
    ("powers of the marks", weighed(1, 4, 9)),
    ("powers of the marks", weighed(1, 8, 27)),
    ("marks counted", weighed(1, 2, 3)),
    ("opponent ignored", weighed(1, 3, theirs=0)),
    ("own lines ignored", weighed(1, 3, mine=0)),
    ("opponent added", weighed(1, 3, theirs=1)),
    ("bracket lost", RIGHT | {(0, 1): 1}),
    ("signs swapped", weighed(-1, -3)),
    ("heuristic 2 instead", weighed(1, 1, 1)),
    ("values multiplied", weighed(5, 15)),
]


GROUPS = {"rows": (0, 1, 2), "columns": (3, 4, 5), "main diagonal": (6,), "other diagonal": (7,)}
OTHER_LINES = [
    *((f"{name} missing", [LINES[n] for n in range(8) if n not in some]) for name, some in GROUPS.items()),
    *((f"only {name}", [LINES[n] for n in GROUPS[name]]) for name in ("rows", "columns")),
    *(("line missing", [line for line in LINES if line != gone]) for gone in LINES[:6]),
    *(("line counted twice", [*LINES, twice]) for twice in LINES[:6:2]),
    *((f"{name} counted twice", [*LINES, *(LINES[n] for n in GROUPS[name])]) for name in ("rows", "columns")),
    ("diagonals missing", LINES[:6]),
    ("diagonals counted twice", [*LINES, *LINES[6:]]),
    ("line counted three times", [*LINES, LINES[1], LINES[1]]),
    *(("wrong line", [*LINES[:7], wrong]) for wrong in ((2, 4, 7), (1, 4, 6))),
    ("wrong line", [(0, 1, 3), *LINES[1:]]),
    ("wrong line", [*LINES[:7], (0, 1, 5)]),
    ("returned inside the loop", LINES[:1]),
]


DONE = [
    ("absolute value", abs),
    ("only the sign", lambda value: (value > 0) - (value < 0)),
    ("values divided", lambda value: value / 2),
    ("values rounded", lambda value: value // 2),
    ("values rounded", lambda value: round(value / 8)),
    ("values cut off", lambda value: max(0, value)),
    ("values cut off", lambda value: min(value, 4)),
    ("values cut off", lambda value: max(-3, min(3, value))),
    ("a number added", lambda value: value + 2),
    ("always the same number", lambda value: 7),
]


PICKED = {
    "only the best line": lambda worths, marks: max(worths),
    "only the last line": lambda worths, marks: next((worth for worth in reversed(worths) if worth), 0),
    "returned inside the loop": lambda worths, marks: next((worth for worth in worths if worth), 0),
    "equal lines counted once": lambda worths, marks: sum(dict(zip(marks, worths, strict=True)).values()),
    "order of marks in a line": lambda worths, marks: sum(
        worth * (abs(worth) < 3 or line[1] != 0) for worth, line in zip(worths, marks, strict=True)
    ),
}
SIDES = {
    "X": lambda board, player: player == "X",
    "O": lambda board, player: player == "O",
    "the side to move": lambda board, player: player == board.turn,
    "the side that has just moved": lambda board, player: player != board.turn,
}
WRONG_SIDES = {"opponent ignored": (1, 0), "own lines ignored": (0, -1), "opponent added": (1, 1)}
WRONG_WEIGHTS = {"weights swapped": (3, 1), "the 3 forgotten": (1, 1), "weight of": (2, 7)}


def of(worths=RIGHT, lines=LINES, done=lambda value: value):
    """What a function answers that adds up such lines, and does something to the sum."""
    return lambda board, player, seen: done(total(seen, worths, lines))


def of_side(sees):
    return lambda board, player, seen: total(seen if sees(board, player) else [(3 - mark) % 3 for mark in seen])


def of_picked(choose):
    """A choice among the worths of the lines, in their order."""

    def answer(board, player, seen):
        marks = [tuple(seen[cell] for cell in line) for line in LINES]
        return choose([RIGHT.get((line.count(1), line.count(2)), 0) for line in marks], marks)

    return answer


def right_for(side):
    return lambda board, player, seen: total(seen) * (1 if player == side else 2)


FAMILY = [
    *((name, of(worths)) for name, worths in OTHER_WEIGHTS),
    *((name, of(lines=lines)) for name, lines in OTHER_LINES),
    *((name, of(done=done)) for name, done in DONE),
    *((name, of_picked(choose)) for name, choose in PICKED.items()),
    *((f"always seen from {name}", of_side(sees)) for name, sees in SIDES.items()),
    *((f"right for {side} only, values multiplied", right_for(side)) for side in "XO"),
    *(
        (f"{sided}, {heavy}", of(weighed(*WRONG_WEIGHTS[heavy], 0, *WRONG_SIDES[sided])))
        for sided, heavy in product(WRONG_SIDES, WRONG_WEIGHTS)
    ),
    *(
        (f"a number added, {heavy}", of(weighed(*WRONG_WEIGHTS[heavy]), done=lambda value: value + 2))
        for heavy in WRONG_WEIGHTS
    ),
    ("pairs not counted, blocked lines counted", of(weighed(1, 0) | {(2, 1): 2, (1, 2): -2})),
    ("diagonals missing, blocked lines counted", of(RIGHT | {(2, 1): 2, (1, 2): -2}, LINES[:6])),
    ("", lambda board, player, seen: 100 if board.winner == player else abs(total(seen))),  # nothing explains it
]


@pytest.mark.parametrize("names, answer", FAMILY, ids=[f"{n} {names}" for n, (names, _) in enumerate(FAMILY)])
def test_what_a_function_adds_up_wrongly_is_named(names, answer):
    found = fit.fitted(tuple(float(answer(*question)) for question in asked()), WEIGHTS) or ()
    wanted = names.split(", ") if names else []
    assert len(found) == len(wanted)
    assert all(one.name.startswith(name) for one, name in zip(found, wanted, strict=True))


# -------------------------------------------------------------------------------------- alpha-beta: every edit of both


def ways():
    """Every edit of the right searches, with the form that it is tried on by turns."""
    for name in alpha_beta.SETTINGS["edits"]:
        for number, way in enumerate(each_way(alpha_beta.SETTINGS["edits"][name])):
            fits = [text for form in alpha_beta.FORMS if (text := alpha_beta.edited(form, way))]
            yield name, fits[number % len(fits)]


def test_every_edit_of_the_searches_is_named_in_check_and_judge_alike():
    exercise, judge = load("alpha_beta"), key("alpha_beta", "a class").exercise
    right = digest(answered(function("alpha_beta", alpha_beta.SIDES), judge.once))
    by_answers = {}
    for name, text in ways():
        given = tuple(answers(function("alpha_beta", text), judge.questions, Clock(each=60, total=600)))
        by_answers.setdefault(digest(given), (given, set()))[1].add(name)
    assert len(by_answers) > 60
    for given, names in by_answers.values():
        if digest(given[: len(judge.once)]) == right:
            continue  # an edit that changes nothing
        at_home = verdict(exercise, at_home_answers(exercise, judge, given))
        at_school = verdict(judge, given)
        assert at_home.mistake in names, (names, at_home)
        assert (at_school.mistake, at_school.sentence) == (at_home.mistake, at_home.sentence)


def test_a_search_that_never_cuts_asks_about_all_leaves():
    text = next(text for name, text in ways() if name == "never cuts")
    cases = load("alpha_beta").cases
    given = answered(function("alpha_beta", text), [case.question for case in cases])
    for case, answer in zip(cases, given, strict=True):
        visit = Visit(case, answer)
        assert visit.boards == visit.leaves


def at_home_answers(exercise, judge, given):
    """What the same function answers to the questions of the check, which are among the judge's."""
    place = {question: n for n, question in enumerate(judge.once)}
    return tuple(given[place[question]] for question in exercise.questions)


def test_the_forms_of_the_right_search_and_its_trees_agree():
    cases = load("alpha_beta").cases
    questions = [case.question for case in cases]
    wanted = [Answer(case.value, (), "", "")._replace(asked=()).value for case in cases]
    for form in (*alpha_beta.FORMS, sources("alpha_beta_right")["two functions"]):
        given = answered(function("alpha_beta", form), questions)
        assert [answer.value for answer in given] == wanted
        assert [answer.digest for answer in given] == [case.digest for case in cases]
    trees = [(searched(case.question), case) for case in cases]
    for nodes, case in filter(itemgetter(0), trees):
        asked = [f"{''.join(node.board)}{case.question[0].turn}" for node in nodes if is_asked(node, case.question[1])]
        assert nodes[0].value == case.value and Answer(asked=tuple(asked)).digest == case.digest
    assert sum(len(nodes) > 1 for nodes, _ in trees) > 20
