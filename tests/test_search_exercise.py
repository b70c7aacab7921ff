"""The exercise alpha-beta as students meet it: what the check says, draws and names, and the trees on paper."""

import re
import tomllib
from pathlib import Path

import pytest

from ttt import Board, exercises, open_lines
from ttt.checks import check, expect, hint
from ttt.exercises import searching
from ttt.exercises.answers import Answer, Cells, Move, call, heuristic
from ttt.exercises.showing import NOT_YOURS, YOURS, picture, question_in_words
from ttt.search import alphabeta, minimax
from ttt.trees import PITCH

FOLDER = Path(__file__).parent / "grading" / "submissions"
RIGHT, WRONG = (tomllib.loads((FOLDER / f"alpha_beta_{kind}.toml").read_text()) for kind in ("right", "wrong"))
EXERCISE = exercises.load("alpha_beta")


def function_of(source):
    names = {}
    exec(source.replace("<next cell>", ""), names)
    return names["alpha_beta"]


NEGAMAX = function_of(RIGHT["negamax, fail-soft"])
MINIMAX = function_of(WRONG["never cuts"])


def recorded(function, question):
    """The value and the boards asked about, recorded apart from what the check does."""
    board, depth, name = question
    asked = []

    def listen(board, player):
        asked.append((board, player))
        return listen.silent(board, player)

    listen.silent = heuristic(name)
    return function(board, depth, listen), asked


@pytest.mark.parametrize("name", RIGHT)
def test_right_functions_are_right_in_whatever_hand(name):
    if "numpy" in name:
        pytest.importorskip("numpy")
    found = check(function_of(RIGHT[name]), "alpha_beta")
    assert found.right and "looks at just the boards that it must" in found.message and found.picture is None


@pytest.mark.parametrize("name", WRONG)
def test_wrong_functions_are_told_their_mistake(name):
    found = check(function_of(WRONG[name]), "alpha_beta")
    assert found.outcome == "not yet" and (found.mistake or "no name") == name.partition(" / ")[0]


def test_nearly_all_wrong_functions_get_their_mistake_named():
    assert len(RIGHT) >= 12 and len(WRONG) >= 25
    assert sum(not name.startswith("no name") for name in WRONG) >= 0.88 * len(WRONG)


def test_the_questions_have_several_shapes_depths_and_heuristics_with_many_ties_and_with_few():
    shapes = {case.board.shape for case in EXERCISE.cases}
    _, depths, heuristics = map(set, zip(*(case.question for case in EXERCISE.cases), strict=True))
    assert len(shapes) == 3 and depths == {0, 1, 2, 3, 4}
    assert {name.partition(",")[0] for name in heuristics} == {
        "open-lines", "numbers to 1", "numbers to 3", "numbers to 99",
    }  # fmt: skip
    values = {case.value for case in EXERCISE.cases}
    assert {1000, -1000, 0} < values and {case.player for case in EXERCISE.cases} == {"X", "O"}


def for_the_lab(case):
    """The question for the lab's searches, which ask the heuristic for the side to move on each board."""
    root, depth, name = case.question

    def seen(board, player):
        return heuristic(name)(board, root.turn) * (1 if player == root.turn else -1)

    return root, depth, seen


def test_the_values_are_those_of_minimax():
    for case in EXERCISE.cases:
        value = minimax(*for_the_lab(case)).value
        assert case.value == (value if abs(value) < 100_000 else 1000 if value > 0 else -1000)


def test_where_no_game_ends_the_heuristic_is_asked_as_often_as_the_labs_own_search_has_leaves():
    compared = 0
    for case in EXERCISE.cases:
        seen = []
        leaves = alphabeta(*for_the_lab(case), watch=lambda step, seen=seen: seen.append(step.board)).leaves
        if not any(board.over for board in seen):
            compared += 1
            assert len(recorded(NEGAMAX, case.question)[1]) == leaves
    assert compared > 15


def test_the_tree_shows_the_first_question_that_goes_wrong_with_alpha_and_beta():
    found = check(MINIMAX, "alpha_beta")
    case = next(case for case in EXERCISE.cases if recorded(MINIMAX, case.question) != recorded(NEGAMAX, case.question))
    text = str(found)
    assert str(case.board) in text and f"looks {case.question[1]} plies ahead" in text
    (tried,) = re.findall("You can ask it yourself: (.*)", found.message)
    names = {"alpha_beta": NEGAMAX, "Board": Board, "heuristic_named": heuristic}
    assert eval(tried, names) == case.value and repr(case.board) in tried
    assert "root: worth" in text and "α −∞ β +∞ on arrival" in text
    more = len(recorded(MINIMAX, case.question)[1]) - len(recorded(NEGAMAX, case.question)[1])
    assert text.count(f"({YOURS})") == more > 0 and NOT_YOURS not in text
    assert found.picture.body.count('class="node ringed"') == more


def test_nobody_is_said_to_be_to_move_on_a_finished_board():
    finished = next(case for case in EXERCISE.cases if case.board.over)
    told = question_in_words("alpha_beta", EXERCISE.takes, finished)
    assert "the game is over" in told and "plies ahead" not in told


def test_what_was_not_asked_is_shown_too():
    found = check(lambda board, depth, ask: NEGAMAX(board, depth, ask if depth < 2 else open_lines), "alpha_beta")
    assert f"({NOT_YOURS})" in str(found)


def test_a_tree_is_the_smallest_on_which_the_mistake_shows():
    sizes = [len(searching.Visit(case, Answer(0)).leaves) for case in EXERCISE.cases]
    assert sizes[:12] == sorted(sizes[:12])
    for name in ("never cuts", "> instead of >=", "window not passed down", "cuts one move late"):
        found = check(function_of(WRONG[name]), "alpha_beta")
        assert found.picture and len(re.findall(r"\n +[XO] at cell", found.picture.text)) <= 50


def test_a_value_that_is_right_is_not_told_as_wrong():
    asked = "The value, 1000, is right, but your function asks the heuristic twice, and alpha-beta once."
    assert asked in check(MINIMAX, "alpha_beta").message
    for name, told in (
        ("heuristic asked for the side to move", "the heuristic is not asked for O, the side to move at the root."),
        ("moves in another order", "the heuristic is not asked about the boards in the order of the moves."),
    ):
        assert f"is right, but {told}" in check(function_of(WRONG[name]), "alpha_beta").message


def test_an_error_is_told_with_the_question_at_which_it_came():
    def endless(board, depth, ask):
        return ask(board, board.turn) if depth == 0 and not board.over else endless(board, depth, ask)

    found = check(endless, "alpha_beta")
    assert found.mistake == "stops with an error" and "calls itself without end" in found.message
    (tried,) = re.findall("You can ask it yourself: (.*)", found.message)
    with pytest.raises(RecursionError):
        eval(tried, {"alpha_beta": endless, "Board": Board, "heuristic_named": heuristic})


def test_infinity_is_told_with_where_it_comes_from():
    def without_draws(board, depth, ask):
        return float("-inf") if board.over and not board.winner else NEGAMAX(board, depth, ask)

    found = check(without_draws, "alpha_beta")
    assert found.mistake == "no number" and "begins at -inf or inf was never replaced" in found.message
    assert "never replaced" not in check(lambda board, depth, ask: True, "alpha_beta").message


def test_what_is_noted_below_neighbouring_boards_does_not_run_into_each_other():
    pictures = [picture(case, Answer(None)) for case in EXERCISE.cases if case.tree]
    notes = [line for one in pictures for line in re.findall('class="note"[^>]*>([^<]*)<', one.body)]
    assert {"not", "yours", "α −∞", "β +∞", "α +1000"} <= set(notes)
    assert max(map(len, notes)) * 7.6 < PITCH  # of 12 pixels: "α −1000" is 53 wide


@pytest.mark.parametrize("name", ["> instead of >=", "never cuts"])
def test_every_branch_that_is_cut_off_has_its_strokes_and_the_words_say_dashed_only_then(name):
    shown = check(function_of(WRONG[name]), "alpha_beta").picture
    assert "Dashed: cut off." in shown.text
    assert len(re.findall(r'data-part="\d+" data-state="cut"', shown.body)) == shown.text.count(": cut off") - 1 > 0
    assert "Dashed" not in check(function_of(WRONG["moves in another order"]), "alpha_beta").picture.text


def test_the_stub_is_not_started_and_hints_go_on():
    def alpha_beta(board, depth, heuristic):
        raise NotImplementedError

    assert check(alpha_beta, "alpha_beta").outcome == "not started"
    assert hint("alpha_beta").startswith("Hint 1 of 6")


def test_a_question_that_makes_no_sense_is_refused_in_the_students_line():
    found = check(lambda board, depth, heuristic: heuristic(board.moves, board.turn), "alpha_beta")
    assert found.mistake == "stops with an error" and "heuristic(board, player) needs a Board" in found.message


def test_the_trees_on_paper_are_those_that_a_search_by_hand_finds():
    def by_hand(tree):
        alpha, returned, looked_at = float("-inf"), [], 0
        for answers in tree:
            best = float("inf")
            for leaf in answers:
                looked_at += 1
                best = min(best, leaf)
                if alpha >= best:
                    break
            returned.append(best)
            alpha = max(alpha, best)
        return returned, alpha, looked_at

    for case in EXERCISE.worked:
        (tree,) = case.question
        returned, value, looked_at = by_hand(tree)
        assert sum(map(len, tree)) == 9 and case.value == value and case.terms["looked_at"] == looked_at
        assert [case.terms[name] for name in "abc" if name in case.terms] in (returned, [])
        assert expect(tree, exercise="alpha_beta", value=value, looked_at=looked_at).right
        wrong = expect(tree, exercise="alpha_beta", value=value, looked_at=9)
        assert wrong.message == "Look again at looked_at." and wrong.outcome == "not yet"
    assert expect(tree, exercise="alpha_beta", value=...).outcome == "not started"


# ------------------------------------------------------------------------------- naming mistakes that are on no list


def named(function):
    answers = [Answer(value, tuple(asked)) for value, asked in (recorded(function, q) for q in EXERCISE.probes)]
    found = searching.diagnosed(EXERCISE, answers, EXERCISE.probes[0])
    return found and found.name


class FirstOnly:
    """A heuristic that is asked once, and then no more; its values stay right."""

    def __init__(self, ask):
        self.ask, self.asked = ask, False

    def __call__(self, board, player):
        if not self.asked:
            self.asked = True
            return self.ask(board, player)
        return self.ask.silent(board, player)


OTHERS = {
    "moves in another order": lambda board, depth, ask: NEGAMAX(board, depth, ask) if depth != 1 else max(
        [1000 if after.winner else 0 if after.over else ask(after, board.turn)
         for after in map(board.play, sorted(board.moves, key=lambda cell: cell % 3))], default=0),
    "heuristic asked twice": lambda board, depth, ask: NEGAMAX(
        board, depth, lambda *question: max(ask(*question) for _ in range(4))),
    "sign of the value": lambda board, depth, ask: -NEGAMAX(board, depth, ask),
    "heuristic asked for both sides": lambda board, depth, ask: NEGAMAX(
        board, depth, lambda board, player: ask(board, "XO"[len(board.moves) % 3 % 2])),
    "heuristic asked at another depth": lambda board, depth, ask: NEGAMAX(board, min(depth, 2), ask),
    "never cuts": lambda board, depth, ask: MINIMAX(board, depth, ask),
    "cuts too little": lambda board, depth, ask: (MINIMAX if depth > 2 else NEGAMAX)(board, depth, ask),
    "depth not counted down": lambda board, depth, ask: NEGAMAX(board, depth or 0, ask if depth == 0 else open_lines),
    "another worth for a win": lambda board, depth, ask: NEGAMAX(board, depth, ask) * (2 if board.winner else 1),
    "draws worth something": lambda board, depth, ask: 5 if board.over and not board.winner else NEGAMAX(
        board, depth, ask),
    "heuristic's value changed": lambda board, depth, ask: NEGAMAX(board, depth, ask) / 2 if depth == 0 and not (
        board.over) else NEGAMAX(board, depth, ask),
    "cuts too much": lambda board, depth, ask: NEGAMAX(
        board, depth, ask if depth < 3 or len(board) > 9 else FirstOnly(ask)),
    "looks at other boards": lambda board, depth, ask: MINIMAX(board, depth, ask) if depth > 2 else NEGAMAX(
        board, depth, ask if depth < 2 else FirstOnly(ask)),
}  # fmt: skip


@pytest.mark.parametrize("name", OTHERS)
def test_what_the_heuristic_was_asked_names_a_mistake_however_it_was_made(name):
    assert named(OTHERS[name]) == name


def test_a_right_function_has_no_mistake_to_name():
    answers = [Answer(value, tuple(asked)) for value, asked in (recorded(NEGAMAX, q) for q in EXERCISE.probes)]
    assert EXERCISE.wrong(answers) == set() and EXERCISE.diagnosed(answers, EXERCISE.probes[0]) is None


# ------------------------------------------------------------------------------------- answers of every type


def test_made_up_numbers_depend_on_board_player_and_seed():
    first, again, other = (heuristic(f"numbers to 99, {seed}") for seed in ("a", "a", "b"))
    boards = [Board().play(cell) for cell in range(9)]
    values = [first(board, player) for board in boards for player in "XO"]
    assert values == [again(board, player) for board in boards for player in "XO"]
    assert values != [other(board, player) for board in boards for player in "XO"]
    assert len(set(values)) > 12 and max(map(abs, values)) <= 99
    assert {heuristic("numbers to 1, a")(board, "X") for board in boards} == {-1, 0, 1}
    assert heuristic("open-lines") is open_lines
    with pytest.raises(ValueError, match="There is no heuristic"):
        heuristic("closed-lines")


def test_what_a_heuristic_is_asked_is_recorded_in_order():
    board = Board()
    asks = lambda board, heuristic: [heuristic(board.play(move), "O") for move in (4, 0)]  # noqa: E731
    made = call(asks, ("board", "heuristic"), (board, "open-lines"))
    assert made.asked == ((board.play(4), "O"), (board.play(0), "O"))


def test_cells_are_the_same_in_any_order_and_container():
    board = Board()
    for cells in ([4, 0], (0, 4), {4, 0}, [(1, 1), (0, 0)], [0, 4, 4]):
        assert Cells().plain(cells, board) == (0, 4)
    for nothing in (4, "04", [9], None, [None]):
        assert Cells().plain(nothing, board) is None and Cells().wrong(nothing, board)


@pytest.mark.parametrize(
    "answer, name",
    [(0, ""), ((0, 1), ""), ({0: 0.5, 1: 0.5}, ""), (4, "a taken cell"), ((1, 1), "a taken cell"), (9, "no cell"),
     (None, "nothing returned"), ("centre", "no cell"),
     ({0: 0.5}, "no probabilities"), ({0: 3, 1: 1}, "no probabilities"), ({4: 1}, "no probabilities"),
     ({}, "no probabilities")],
)  # fmt: skip
def test_a_move_is_legal_or_its_mistake_has_a_name(answer, name):
    assert Move().wrong(answer, Board().play(4)) == name


# ------------------------------------------------------------------------------------- what is written in lessons


def threats(board, player):
    return [line for line in board.lines if line.count(player) == 2 and "-" in line]


@pytest.mark.parametrize(
    "name, holds",
    [
        ("", lambda board, after: len(threats(after, board.turn)) >= 2),
        ("threats of the other side", lambda board, after: len(threats(after, after.turn)) >= 2),
        ("one threat is enough", lambda board, after: bool(threats(after, board.turn))),
        ("three threats left out", lambda board, after: len(threats(after, board.turn)) == 2),
        ("asked about the board before the move", lambda board, after: len(threats(board, board.turn)) >= 2),
        ("no cell found", lambda board, after: False),
    ],
)
def test_lesson_05s_fork_is_checked(name, holds):
    found = check(lambda board: [cell for cell in board.moves if holds(board, board.play(cell))], "my_fork")
    assert (found.right, found.mistake) == (not name, name)


def test_what_is_said_of_cells_reads_as_a_sentence():
    said = [Cells().compared(right, "[]") for right in ((), (4,), (0, 2), (0, 2, 6))]
    assert said == [
        "no cell is right on this board; your function returns [].",
        "only cell 4 is right on this board; your function returns [].",
        "cells 0 and 2 are right on this board; your function returns [].",
        "cells 0, 2 and 6 are right on this board; your function returns [].",
    ]
    message = check(lambda board: [], "my_fork").message
    assert "X is to move, and only cell 4 is right on this board; your function returns []." in message


def test_lesson_06s_worth_is_checked():
    def worth(board, highest=max, lowest=min):
        if board.over:
            return {"X": 1, "O": -1, None: 0}[board.winner]
        values = [worth(board.play(move), highest, lowest) for move in board.moves]
        return highest(values) if board.turn == "X" else lowest(values)

    assert check(worth, "worth").right
    assert check(lambda board: worth(board, min, max), "worth").mistake == "max and min swapped"
    assert "O is to move, and the right value" in check(lambda board: -worth(board), "worth").message


def test_the_challenges_player_is_checked_for_legal_moves():
    assert check(lambda board: board.moves[-1], "my_player").right
    assert check(lambda board: 4, "my_player").mistake == "a taken cell"
