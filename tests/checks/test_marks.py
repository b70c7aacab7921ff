"""The marks say what is right in a function, and no wrong function has them all."""

from math import inf

import pytest
from test_mistakes import DONE, RIGHT, function, weighed

from exercises.grading import alpha_beta
from exercises.grading.heuristic_1 import LOST, formulas, kind, students_file, variant
from exercises.grading.key import GRADED, each_way, key, parts_of, total
from ttt import open_lines, opponent
from ttt.checks.asking import Clock, answers
from ttt.checks.checking import verdict
from ttt.checks.exercise import SENTENCES


def right(board, player, lines=slice(None), table=RIGHT):
    """Heuristic 1 by a table of what lines count."""
    return sum(table.get((line.count(player), line.count(opponent(player))), 0) for line in board.lines[lines])


def marked(function, made=None):
    """The marks for a function, by part."""
    made = made or key("heuristic_1")
    given = tuple(answers(function, made.exercise.questions, Clock(each=60, total=600)))
    return made.marks(given, verdict(made.exercise, given))


def test_the_parts_of_both_exercises_have_fifteen_marks():
    assert [total(name) for name in GRADED] == [15, 15]
    assert sum(marked(right).values()) == 15


PARTLY = {
    "a diagonal missing": (12, lambda board, player: right(board, player, slice(7))),
    "weights swapped": (11, lambda board, player: right(board, player, table=weighed(3, 1))),
    "blocked lines counted": (12, lambda board, player: right(board, player, table=RIGHT | {(2, 1): 3, (1, 2): -3})),
    "X's side always": (12, lambda board, player: right(board, "X")),
    "completed lines counted": (13, lambda board, player: right(board, player, table=weighed(1, 3, 9))),
}  # fmt: skip


def first_line(board, player):
    return next((value for line in range(8) if (value := right(board, player, slice(line, line + 1)))), 0)


LITTLE = {
    "heuristic 2": open_lines,
    "heuristic 2 doubled": lambda board, player: 2 * open_lines(board, player),
    "heuristic 2 halved": lambda board, player: open_lines(board, player) / 2,
    "the opponent ignored": lambda board, player: right(board, player, table=weighed(1, 3, theirs=0)),
    "one line for the sum": first_line,
    "the best line": lambda board, player: max(right(board, player, slice(n, n + 1)) for n in range(8)),
    **{
        f"{name} {number}": lambda board, player, done=done: done(right(board, player))
        for number, (name, done) in enumerate(DONE[:-1])
    },
}


def broken(board, player):
    raise ValueError("no")


NOTHING = {
    "a constant": lambda board, player: 1,
    "nought": lambda board, player: 0,
    "a constant for each side": lambda board, player: 3 if player == "X" else -3,
    "a constant for each outcome": lambda board, player: 0 if not board.winner else 9 if board.winner == player else -9,
    "text": lambda board, player: str(right(board, player)),
    "print": lambda board, player: print(right(board, player)),
    "an error everywhere": broken,
    "a number for the free cells": lambda board, player: len(board.moves) + 1000,
}


CASES = [
    *((function, most, most) for most, function in PARTLY.values()),
    *((function, 1, 5) for function in LITTLE.values()),
    *((function, 0, 0) for function in NOTHING.values()),
]


@pytest.mark.parametrize("function, least, most", CASES, ids=[*PARTLY, *LITTLE, *NOTHING])
def test_a_function_keeps_what_is_right_in_it_and_has_little_for_what_is_not_the_sum(function, least, most):
    assert least <= sum(marked(function).values()) <= most


def test_what_nothing_explains_earns_by_the_share_of_each_parts_boards():
    def odd(board, player):
        return right(board, player) + (board.x % 3 % 2 if board.winner else 0)

    found = marked(odd)
    assert found["lines"] == found["sides"] == 0
    assert (found["counts"], found["blocked"]) == (4, 3)
    boards = [board for board, _ in key("heuristic_1").exercise.once if kind(board) == "completed"]
    share = sum(board.x % 3 % 2 == 0 for board in boards) / len(boards)
    assert found["completed"] == int(2 * share) < 2


def test_an_early_end_counts_what_was_answered():
    made = key("heuristic_1")
    given = tuple(answers(right, made.exercise.questions, Clock()))
    for number in (0, 1, 3000, len(given) - 1):
        some = given[:number]
        found = verdict(made.exercise, some)
        assert found.outcome == "wrong" and found.mistake == "questions unanswered"
        assert sum(made.marks(some, found).values()) < 15
    assert made.marks(given[:9000], verdict(made.exercise, given[:9000]))["counts"] == 4


def test_every_finding_belongs_to_a_part():
    parts = {part.name for part in parts_of("heuristic_1")}
    for findings, _ in SENTENCES["heuristic_1"].values():
        assert all(LOST[finding] and parts.issuperset(LOST[finding]) for finding in findings.split())


# ------------------------------------------------------------------------------------------------------- alpha-beta


def test_alpha_beta_has_marks_for_its_values_without_any_cut_and_the_seed_draws_other_questions():
    seeds = [key("alpha_beta", seed) for seed in ("one", "two")]
    new = [set(made.exercise.once) for made in seeds]
    assert len(new[0] & new[1]) >= 90 and len(new[0] - new[1]) > 30
    for made in seeds:
        for edits, most in (
            ((), 15),
            (next(each_way(alpha_beta.SETTINGS["edits"]["never cuts"])), 10),
            (["1000", "1"], 3),
        ):
            text = alpha_beta.edited(alpha_beta.SIDES, edits)
            found = sum(marked(function("alpha_beta", text), made).values())
            assert found == most or found < most == 3


def test_infinity_and_answers_of_another_type_have_no_marks():
    made = key("alpha_beta", "one")
    for value in (inf, None, "3"):
        assert sum(marked(lambda *_, value=value: value, made).values()) == 0


# ------------------------------------------------------------------------------------------------------ other weights


def test_other_weights_change_the_settings_the_students_file_and_the_notebook():
    texts = {path.name: text for path, text in variant([0, 2, 5, 0]).items()}
    assert "weights = [0, 2, 5, 0]" in texts["heuristic_1.toml"]
    assert '"weights": [0, 2, 5, 0]' in texts["heuristic_1.json"]
    assert "5X_2 + 2X_1 - (5O_2 + 2O_1)" in texts["heuristic_1.ipynb"] and "3X_2" not in texts["heuristic_1.ipynb"]
    by_hand = {row[0][0]: row[1] for row in students_file([0, 2, 5, 0])["worked"]}
    assert by_hand["XX--O----"] == {"value": 5 + 2 - 4, "x1": 1, "x2": 1, "o1": 2, "o2": 0}


@pytest.mark.parametrize("weights", [[0, 1, 3], [1, 1, 3, 0], [0, 0, 3, 0], [0, 1, 0, 0]])
def test_weights_that_make_no_exercise_are_refused(weights):
    with pytest.raises(ValueError, match="four numbers"):
        variant(weights)


def test_the_notebook_states_the_formula_of_the_settings():
    assert formulas((0, 1, 3, 0))[0] == "$$3X_2 + X_1 - (3O_2 + O_1)$$"
