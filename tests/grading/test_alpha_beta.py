"""The key of the exercise alpha-beta: its search, what can go wrong in it, its questions, and what the judge makes of
submissions."""

import json
import re
import tomllib
from collections import Counter
from math import inf
from pathlib import Path

import pytest
from conftest import need

from ttt import exercises
from ttt.checks import check
from ttt.exercises import Answer, searching
from ttt.exercises.answers import heuristic
from ttt.grading import alpha_beta, marking
from ttt.grading.alpha_beta import StudentSearch
from ttt.grading.inside.submission import function_in

FOLDER = Path(__file__).parent / "submissions"
RIGHT, WRONG = (tomllib.loads((FOLDER / f"alpha_beta_{kind}.toml").read_text()) for kind in ("right", "wrong"))
KEY = alpha_beta.key()
EXERCISE = KEY.exercise
SLIPS = [(slip.name, n) for slip in KEY.slips for n in range(len(slip.functions))]


def function_of_slip(name, n):
    return next(slip for slip in KEY.slips if slip.name == name).functions[n]


def answers_of(function):
    return [KEY.answer(function, question) for question in EXERCISE.probes]


@pytest.mark.parametrize("form", alpha_beta.FORMS, ids=repr)
def test_every_form_of_the_search_is_the_right_one_without_a_slip(form):
    assert all(KEY.answer(form, question) == right for question, right in zip(KEY.questions, KEY.answers, strict=True))


def test_the_right_search_cuts_nothing_that_matters_and_looks_at_nothing_that_it_need_not():
    """A node that was visited had a window in which its value could matter; one that was not had none."""
    for question in KEY.questions[:60]:
        visited = []
        value = alpha_beta.solution(*question[:2], heuristic(question.heuristic), visited=visited)
        assert value == StudentSearch(cuts="never")(*question[:2], heuristic(question.heuristic))
        bounds = [(-inf if n.alpha is None else n.alpha, inf if n.beta is None else n.beta) for n in visited]
        assert all(alpha < beta for alpha, beta in bounds)


@pytest.mark.parametrize("name, n", SLIPS)
def test_each_slip_is_wrong_somewhere_and_known_under_its_name(name, n):
    answers = answers_of(function_of_slip(name, n))
    wrong = EXERCISE.wrong(answers)
    assert wrong
    found = EXERCISE.diagnosed(answers, EXERCISE.probes[min(wrong)]).name
    same = {"window not passed down", "window not turned round"}  # some look at all that minimax looks at
    assert found == name or (name in same and found == "never cuts")


def test_each_slip_shows_on_a_tree_that_is_drawn_or_on_the_root_alone():
    for name, n in SLIPS:
        place = min(EXERCISE.wrong(answers_of(function_of_slip(name, n))))
        case = EXERCISE.case(place)
        assert case.tree or case.question[1] == 0 or case.board.over or name == "window not passed down", name


def test_no_answers_belong_to_two_mistakes_but_where_a_window_cuts_nothing():
    digests = Counter(digest for known in EXERCISE.mistakes for digest in known.digests)
    several = {known.name for known in EXERCISE.mistakes if any(digests[one] > 1 for one in known.digests)}
    assert several == {"never cuts", "window not passed down", "window not turned round"}


def test_what_students_get_follows_from_the_key():
    assert EXERCISE.hints == KEY.hints and EXERCISE.worked == KEY.worked
    told = [(known.name, known.sentence) for known in EXERCISE.mistakes]
    assert told == [(slip.name, slip.sentence) for slip in KEY.slips]
    for case in EXERCISE.cases:
        assert KEY.explained(alpha_beta.Question(*case.question)) == case
    for known, slip in list(zip(EXERCISE.mistakes, KEY.slips, strict=True))[::5]:
        assert KEY.known(slip, [alpha_beta.Question(*question) for question in EXERCISE.probes]) == known


def test_students_get_neither_a_search_nor_the_boards_that_it_looks_at():
    text = (Path(exercises.__file__).parent / "alpha_beta.json").read_text()
    given = {"board", "depth", "heuristic", "shape", "k", "value", "digest", "tree"}
    assert all(set(case) <= given for case in json.loads(text)["cases"]) and "def " not in text
    for path in Path(exercises.__file__).parent.glob("*.py"):
        source = path.read_text()
        assert not re.search(r"alpha\s*>=?\s*beta", re.sub(r'"[^"\n]*"', "", source)), path


def test_half_of_the_questions_are_about_numbers_that_are_others_each_time():
    other = alpha_beta.key_for(alpha_beta.settings(), "another secret")
    same = set(KEY.questions) & set(other.questions)
    assert same >= {alpha_beta.Question(*question) for question in EXERCISE.probes}
    secret = [question for question in KEY.questions if question not in same]
    assert len(secret) > 0.4 * len(KEY.questions)
    assert {part.name for part in KEY.parts if part.questions & {KEY.places[q] for q in secret}} >= {
        "deep",
        "leaves",
        "all",
    }


def test_the_same_seed_draws_the_same_questions_and_each_has_numbers_of_its_own():
    one, again = alpha_beta.key_for(alpha_beta.settings(), "autumn"), KEY.drawn_with("autumn")
    assert one.questions == again.questions != KEY.questions
    drawn = [question.heuristic for question in one.questions[len(EXERCISE.cases) :]]
    made_up = [name for name in drawn if name != "open-lines"]
    assert len(made_up) == len(set(made_up)) > 60


def test_the_parts_ask_for_both_sides_and_only_two_of_them_for_the_boards():
    assert {part.name: part.marks for part in KEY.parts} == {
        "ends": 2, "values": 3, "sides": 2, "deep": 3, "leaves": 3, "all": 2,
    }  # fmt: skip
    assert [part.name for part in KEY.parts if part.asked] == ["leaves", "all"]
    sides = {part.name: {KEY.questions[place].player for place in part.questions} for part in KEY.parts}
    assert sides["values"] == {"X"} and sides["sides"] == {"O"} and sides["deep"] == {"X", "O"}
    assert all(len(part.questions) >= 20 for part in KEY.parts)


def test_the_parts_are_called_the_same_wherever_they_stand():
    folder = Path(__file__).parents[2] / "exercises"
    notebook = json.loads((folder / "alpha_beta" / "alpha_beta.ipynb").read_text(encoding="utf-8"))
    pages = ["".join(cell["source"]) for cell in notebook["cells"]]
    pages.append((folder / "README.md").read_text(encoding="utf-8").partition("| part of alpha-beta")[2])
    named = [(part.title, str(part.marks)) for part in KEY.parts]
    told = [re.findall(r"^\| (.+) \| (\d) \|$", page, re.MULTILINE) for page in pages]
    assert [table for table in told if table] == [named, named]


def test_minimax_without_cutting_earns_the_values_and_not_the_boards():
    minimax = dict(enumerate(KEY.answer(StudentSearch(cuts="never"), question) for question in KEY.questions))
    earned = {part.name for part in KEY.parts if KEY.earns(minimax, part)}
    assert earned == {"ends", "values", "sides", "deep"}


def test_a_search_that_is_right_for_x_alone_earns_nothing_that_asks_for_o():
    for_x = dict(enumerate(KEY.answer(StudentSearch(max_for="X"), question) for question in KEY.questions))
    assert {part.name for part in KEY.parts if KEY.earns(for_x, part)} == {"values"}


def test_sentences_are_for_every_mistake_that_what_was_asked_can_show():
    assert set(searching.SIGNS) < set(searching.SENTENCES)
    assert EXERCISE.diagnosed([Answer(0)] * len(EXERCISE.probes), EXERCISE.probes[0]).name == "heuristic never asked"


# ------------------------------------------------------------------------------- the check and the judge agree


def verdicts(source):
    """What the check and the judge say: whether it is right, and the mistake."""
    source = source.replace("<next cell>", "\f")
    found = check(function_in(source, "alpha_beta")[0], "alpha_beta")
    graded = marking.mark(KEY, source)[1]
    return (found.right, found.mistake), (graded.status == "right", graded.misconception)


@pytest.mark.parametrize("name", RIGHT)
def test_both_accept_what_is_right(name):
    need("sandbox")
    assert verdicts(RIGHT[name]) == ((True, ""), (True, ""))


@pytest.mark.parametrize("name", WRONG)
def test_both_refuse_what_is_wrong_and_name_the_same_mistake(name):
    need("sandbox")
    told = "" if name.startswith("no name") else name.partition(" / ")[0]
    assert verdicts(WRONG[name]) == ((False, told), (False, told))
