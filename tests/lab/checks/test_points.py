"""The points say what is right in a function, and no wrong function has them all."""

import re
import sys
from contextlib import suppress
from dataclasses import replace
from functools import cache
from itertools import chain, takewhile
from math import inf
from pathlib import Path
from random import Random, random
from traceback import walk_tb
from types import FunctionType
from typing import ClassVar

import numpy as np
import pytest
from approved import approved
from conftest import ROOT, sampled
from lab import check
from lab.checks.calling import REFUSED, STOPS, Answer, answers, ask, taken
from lab.checks.exercise import SENTENCES, each_way, edited, positions
from lab.checks.graded import GRADED, by_hand, forms, load, made, settings
from lab.checks.shared_tree import answer_of
from lab.checks.verdict import verdict
from lab.timeouts import Clock
from mutants import mutants
from test_mistakes import RIGHT, function, weighed

from exercises.grading.judging.alpha_beta import FULL, HALF, changed, in_halves
from exercises.grading.judging.heuristic_1 import LOST, formulas, kind
from exercises.grading.judging.key import full_points, key, parts_of, total
from exercises.grading.judging.search_questions import can_end, questions_for_points
from ttt import Board, opponent

SAID = Path(__file__).parent / "said" / "points.txt"


def answers_of(function, exercise):
    """A function's answers in the order of asking, as the check and the judge get them."""
    return tuple(answers(function, exercise.questions, Clock(each=inf), once=len(exercise.cases)))


def quick_answers_of(function, exercise):
    """The same of a function that keeps and prints nothing, and returns a number or stops."""
    given = [
        answer_of(function, one) if "heuristic" in exercise.takes else answer(function, one) for one in exercise.once
    ]
    return (*given, *(given[place] for place in exercise.again.values()))


def answer(formula, question):
    try:
        returned = formula(*question)
        return returned if isinstance(returned, Answer) else Answer(returned)
    except ZeroDivisionError:
        return Answer(None, (), STOPS, "heuristic_1 stopped with an error")


def bill(given, made):
    """What answers get, by which names, and what is said of each loss, with the question that shows it."""
    exercise, about = made.exercise, verdict(made.exercise, given)
    found, full = made.earned(given, about), full_points(made.exercise.name)
    parts = [f"{part} {got:g} of {full[part]}" for part, got in found.points.items() if got != full[part]]
    lines = [f"{sum(found.points.values()):g} points: {', '.join(parts) or 'all of them'}"]
    lines += [f"in the check: {about.mistake}"] * bool(about.mistake)
    lines += [f"in the class: {found.mistake}"] * bool(found.mistake)
    lines += ["A person should confirm this."] * found.unsure
    for one in found.lost:
        lines.append(f"{one.points:g} lost: {one.sentence}")
        if one.place is not None:
            board, given, *_ = exercise.questions[one.place]
            lines.append(f"    {board!r}, {given!r}")
        lines += [f"    in the picture: {one.name}" for one in one.mistakes if one.name]
    assert sum(found.points.values()) == total(exercise.name) - sum(one.points for one in found.lost)
    return "\n".join(lines)


@cache
def marks_of_lines(board, player):
    """Of each line, how many marks are the player's and how many the opponent's."""
    return [(line.count(player), line.count(opponent(player))) for line in board.lines]


def right(board, player, lines=slice(None), table=RIGHT):
    """Heuristic 1 by a table of what lines count."""
    return sum(table.get(marks, 0) for marks in marks_of_lines(board, player)[lines])


def read(board, player, *lines):
    """Heuristic 1 over cells that may be no lines at all."""
    marks = [[board[cell] for cell in line] for line in lines]
    return sum(RIGHT.get((line.count(player), line.count(opponent(player))), 0) for line in marks)


def counts(board, player):
    return tuple(map(marks_of_lines(board, player).count, ((2, 0), (1, 0), (0, 2), (0, 1))))


@cache
def in_an_array(numbers):
    """What comes of them, of which there are few; to write each array takes long."""
    return taken(np.array(numbers, float), Board())


def by_places(board, player, worth, theirs=-1):
    """A sum over marks, each by its own cell."""
    count = {player: 1, opponent(player): theirs, "-": 0}
    return sum(count[mark] * number for mark, number in zip(board, worth, strict=True))


def failing_on(*kinds):
    """Heuristic 1 that stops on boards with a line of these kinds: as many marks of one side, and of the other."""

    def fails(board, player):
        if any(tuple(sorted(marks)) in kinds for marks in marks_of_lines(board, player)):
            raise ZeroDivisionError
        return right(board, player)

    return fails


def broken(board, player):
    raise ValueError("no")


SUMS = {  # heuristic 1, but for what lines count
    "weights swapped; blocked lines counted": weighed(3, 1) | {(1, 1): 2, (2, 1): -1, (1, 2): 1},
    "the factor forgotten; completed lines counted": weighed(1, 1, 4),
    "pairs not counted; blocked lines counted": weighed(1, 0) | {(2, 1): 3, (1, 2): -3},
    "opponent ignored; weights swapped": weighed(3, 1, theirs=0),
    "own lines ignored; weight of the opponent's pairs": {(0, 1): -1, (0, 2): -5},
    "opponent added; weight of your own pairs": weighed(1, 3, theirs=1) | {(2, 0): 4},
    "the opponent ignored": weighed(1, 3, theirs=0),
    "only the player's pairs counted": {(2, 0): 3},
}
FORMULAS = {  # which return a number, or stop
    "right": right,
    **{name: lambda board, player, table=table: right(board, player, table=table) for name, table in SUMS.items()},
    "a diagonal missing": lambda board, player: right(board, player, slice(7)),
    "the opponent ignored, a line missing": lambda board, player: right(
        board, player, slice(7), weighed(1, 3, theirs=0)),
    "absolute values": lambda board, player: abs(right(board, player)),
    "divided": lambda board, player: right(board, player) / 2,
    "a number added": lambda board, player: right(board, player) + 2,
    "a point for the centre": lambda board, player: right(board, player) + (board[4] == player),
    "a cell of another line": lambda board, player: read(board, player, *Board().line_cells[:7], (2, 4, 8)),
    "X-X not counted": lambda board, player: right(board, player) - sum(
        3 * (line == (player, "-", player)) - 3 * (line == (opponent(player), "-", opponent(player)))
        for line in board.lines),
    "one line again and again": lambda board, player: 8 * right(board, player, slice(1)),
    "break for continue": lambda board, player: sum(RIGHT.get(marks, 0) for marks in takewhile(
        lambda marks: 0 in marks, marks_of_lines(board, player))),
    "marks by their places": lambda board, player: by_places(board, player, (2, 1, 2, 1, 3, 1, 2, 1, 2)),
    "only the player's marks by their places": lambda board, player: by_places(board, player, range(1, 10), 0),
    "in eight bits, without a sign": lambda board, player: right(board, player) % 256,
    "wrong above zero": lambda board, player: min(right(board, player), 0) - (right(board, player) > 0),
    "weights swapped, one move ahead": lambda board, player: max(
        [right(board.play(move), player, table=weighed(3, 1)) for move in board.moves if not board.over],
        default=right(board, player, table=weighed(3, 1))),
    "weights swapped, the larger half": lambda board, player: max(
        right(board, one, table=weighed(3, 1, theirs=0)) for one in (player, opponent(player))),
    "the best line": lambda board, player: max(right(board, player, slice(n, n + 1)) for n in range(8)),
    "cut off": lambda board, player: max(-3, min(3, right(board, player))),
    "marks on the board": lambda board, player: [*board].count(player) - [*board].count(opponent(player)),
    "a constant for each outcome": lambda board, player: 0 if not board.winner else 9 if board.winner == player else -9,
    "a number for the free cells": lambda board, player: len(board.moves) + 1000,
    "very large numbers": lambda board, player: 10**9 * right(board, player),
    "an error below zero": lambda board, player: right(board, player) if right(board, player) >= 0 else 1 / 0,
    "an error on won boards, weights swapped": lambda board, player: 1 / 0 if board.winner else right(
        board, player, table=weighed(3, 1)),
    "an error on lines with one mark": failing_on((0, 1)),
    "an error on lines of both sides": failing_on((1, 1), (1, 2)),
    "an error for O": lambda board, player: right(board, player) if player == "X" else 1 / 0,
    "an error on one board": lambda board, player: right(board, player) if board != Board() else 1 / 0,
    "the four counts in an array": lambda board, player: in_an_array(counts(board, player)),
    "something that nothing explains": lambda board, player: (31 * board.x + 17 * board.o + ord(player)) % 13 - 6,
}  # fmt: skip
OTHERS = {  # which also return something else, print, or stop always
    "in 32 bits, with a point": lambda board, player: np.float32(right(board, player)),
    "a little chance": lambda board, player: right(board, player) + random() / 100,
    "a dictionary": lambda board, player: {"value": right(board, player), "player": player},
    "printed, weights swapped": lambda board, player: print(right(board, player, table=weighed(3, 1))),
    "printed text": lambda board, player: print("the value is", right(board, player), "or", 3),
    "right on the first boards, then nothing": lambda board, player: right(board, player) if board.moves[6:] else None,
    "right on the empty board, then a tuple": lambda board, player: 0 if board == Board() else (1, 2),
    "an error everywhere": broken,
}  # fmt: skip


def agrees(name, text):
    """Whether a bill is what was approved; lines of this file may move."""
    return approved(SAID, name, re.sub(r"in line \d+", "in line N", text))


@pytest.mark.parametrize("name", FORMULAS | OTHERS)
def test_heuristic_1_keeps_what_is_right_in_it_and_each_loss_has_its_reason_and_a_board(name):
    made = key("heuristic_1")
    given = (
        answers_of(OTHERS[name], made.exercise) if name in OTHERS else quick_answers_of(FORMULAS[name], made.exercise)
    )
    assert agrees(f"heuristic 1: {name}", bill(given, made))


def test_of_what_nothing_explains_each_part_earns_what_is_true_of_the_values_and_a_person_is_asked():
    def odd(board, player):
        return right(board, player) + (board.x % 5 == 0 if board.winner else 0)

    made = key("heuristic_1")
    given = quick_answers_of(odd, made.exercise)
    found = made.earned(given, verdict(made.exercise, given))
    boards = [board for board, _ in made.exercise.once if kind(board) == "completed"]
    share = sum(board.x % 5 > 0 for board in boards) / len(boards)
    assert found.unsure and found.points["completed"] == int(2 * 2 * share) / 2 == 1.5
    assert [found.points[part] for part in ("lines", "counts", "blocked", "sides")] == [0, 4, 0, 0]


def test_an_early_end_counts_what_was_answered():
    made = key("heuristic_1")
    given = quick_answers_of(right, made.exercise)
    for number in (0, 1, 3000, 9000, len(given) - 1):
        assert agrees(f"heuristic 1: an end after {number} right answers", bill(given[:number], made))


def keeping(begun, body):
    """The right formula, asked by a function that keeps something outside."""
    right_form = forms("heuristic_1")[0].replace("def heuristic_1", "def first")
    return f"{right_form}\n{begun}\ndef heuristic_1(board, player):\n{body}"


HALVED = """
    if (board, player) in known:
        return known[board, player]
    value = first(board, player)
    known[board, player] = value // 2 - 1
    return value"""
LAST = """
    global last
    asked = opponent(player) if player == last else player
    last = player
    return first(board, asked)"""
KEEPS = {  # what heuristic 1 keeps from one call to the next
    "the last player": keeping("last = ''", LAST),
    "values without their player": keeping("known = {}", "    return known.setdefault(board, first(board, player))"),
    "values halved": keeping("known = {}", HALVED),
    "the number of calls, which it adds": keeping(
        "calls = 0", "    global calls\n    calls += 1\n    return first(board, player) + calls"
    ),
}
KEEPS["values without their player, and the weights swapped"] = KEEPS["values without their player"].replace(
    "ONE, TWO = 1, 3", "ONE, TWO = 3, 1"
)


@pytest.mark.parametrize("name", KEEPS)
def test_what_heuristic_1_keeps_costs_four_points_besides_what_its_first_answers_lose(name):
    given = answers_of(function("heuristic_1", KEEPS[name]), key("heuristic_1").exercise)
    assert agrees(f"heuristic 1 keeps {name}", bill(given, key("heuristic_1")))


def test_only_where_one_player_gets_the_others_value_does_the_check_say_so():
    for name in ("values without their player", "values halved"):
        shown = check(function("heuristic_1", KEEPS[name])).message
        assert ("gave the second player the value for the first" in shown) == (name != "values halved")
        assert ("Begin the function with" in shown) == (name == "values halved")


def test_every_finding_belongs_to_a_part():
    parts = {part.name for part in parts_of("heuristic_1")}
    for findings, _ in SENTENCES["heuristic_1"].values():
        assert all(LOST[finding] and parts.issuperset(LOST[finding]) for finding in findings.split())


def test_every_name_that_the_class_page_can_show_is_in_what_students_get_wrong():
    told = (ROOT / "exercises" / "mistakes.md").read_text(encoding="utf-8")
    for table, names in SENTENCES.items():
        for name in () if table == "came" else (*names, STOPS, REFUSED, "questions unanswered", "no mistake named"):
            assert re.search(re.sub(r"\\{\w+\\}", r"\\w+", re.escape(name)), told), name


# ------------------------------------------------------------------------------------------------------- alpha-beta


NEVER = settings("alpha_beta")["edits"]["never cuts"][0]
X_MAXIMISES = ["board.turn == me", 'board.turn == "X"']
X_CUTS = ["if alpha >= beta", 'if board.turn == "X" and alpha >= beta']
DEPTH_FIRST = ["if board.over:", "if board.over and depth > 0:"]
LESS_EACH_TIME = ["            value =", "            depth -= 1\n            value =", "depth - 1,", "depth,"]
AT_ROOT = "    return go(board, depth, -inf, inf)"
BEST_MOVE = """
    if board.over or depth == 0:
        return 1 / 0
    values = {move: go(board.play(move), depth - 1, -inf, inf) for move in board.moves}
    return max(values, key=values.get)
"""
SHUFFLED = [
    "in board.moves:",
    "in sample(board.moves, len(board.moves)):",
    "    me =",
    "    from random import sample\n    me =",
]
WORTHS = ("1", "1000 * (1 + 0.001 * depth)", "inf", "1.5 ** (depth - top)")
SEARCHES = {  # the edits of a right search
    "right": [],
    "never cuts": NEVER,
    "> instead of >=": ["alpha >= beta", "alpha > beta"],
    **{f"a win is worth {worth}": ["me =", "top = depth\n    me =", "1000", f"({worth})"] for worth in WORTHS},
    "a win is worth 1, and no cuts": [*NEVER, "1000", "1"],
    "MAX cuts": ["if alpha >= beta", "if board.turn == me and alpha >= beta"],
    "depth first": DEPTH_FIRST,
    "X always maximises": X_MAXIMISES,
    "X always maximises, and no cuts": [*X_MAXIMISES, *NEVER],
    "X always maximises and cuts": [*X_MAXIMISES, *X_CUTS],
    "X always maximises, > instead of >=": [*X_MAXIMISES, "alpha >= beta", "alpha > beta"],
    "X always maximises, depth first": [*X_MAXIMISES, *DEPTH_FIRST],
    "X always maximises and cuts, depth first": [*X_MAXIMISES, *X_CUTS, *DEPTH_FIRST],
    "minus at the root": ["return go(board, depth, -inf", "return -go(board, depth, -inf"],
    "one ply less": ["depth == 0", "depth <= 1"],
    "cuts that skip a little less than a quarter": ["if alpha >= beta", "if move > 6 and alpha >= beta"],
    "cuts that skip a little less than 60 %": ["if alpha >= beta", "if move % 3 == 1 and alpha >= beta"],
    "cuts that skip a little more than 60 %": ["if alpha >= beta", "if move > 3 and alpha >= beta"],
    "a look at the root": ["    me = board.turn\n", "    me = board.turn\n    heuristic(board, me)\n"],
    "only nine cells": ["in board.moves", 'in [cell for cell in range(9) if board[cell] == "-"]'],
    "one ply more for the first move": [
        "depth == 0", "depth <= 0", "depth - 1", "depth - 1 - (move != board.moves[0])"],
    "depth counted down in the loop, and no cuts": [*LESS_EACH_TIME, "depth == 0", "depth <= 0", *NEVER],
    "an error wherever O is to move at the end": [
        "return heuristic(board, me)", 'return heuristic(board, me if board.turn == "X" else them)'],
    "moves that are used up": ["in board.moves:", "in iter(board.moves[1:]):"],
    "three plies at most": ["return go(board, depth", "return go(board, min(depth, 3)"],
    "the last move left out": ["in board.moves:", "in board.moves[:-1] or board.moves:"],
    "bounds exchanged, and the heuristic asked for the side to move": [
        "depth - 1, alpha, beta", "depth - 1, beta, alpha", "heuristic(board, me)", "heuristic(board, board.turn)"],
    "best = 0": ["-inf if board.turn == me else inf", "0"],
    "moves in a random order": SHUFFLED,
    "one ply ahead, whatever the depth": ["go(board, depth, -inf", "go(board, min(depth, 1), -inf"],
    "the best move": [AT_ROOT, BEST_MOVE],
    "a constant": [AT_ROOT, "    return 7"],
    "something that nothing explains": [AT_ROOT, "    return 3 * heuristic(board, me) + len(board.moves) % 5"],
    "wrong on one board": [AT_ROOT, f"{AT_ROOT} + (''.join(board) == 'OXX-XXOO-')"],
    "an error but at the end": ["for move in board.moves", "for move in boards"],
    "a move and the value, and X always maximises": [*X_MAXIMISES, "return go(", "return 4, go("],
}  # fmt: skip
RANDOM = ("moves in a random order",)  # is shown by another board in each run
ANSWERED_OTHERWISE = {
    "a little chance": ["    return go(", "    from random import random\n    return random() / 1000 + go("],
    **{
        f"in other words, {text}": [AT_ROOT, f"    best = go(board, depth, -inf, inf)\n    {text}"]
        for text in ("return {'value': best}", "return best, 4", "return None, best", "print(best)")
    },
}
KEPT = {  # what is kept from one call to the next, as edits of the right search
    "a window": [
        "go(board, depth, -inf, inf)", "go(board, depth)", "def go(board, depth, alpha, beta)", "def go(board, depth)",
        "        best = -inf", "        global alpha, beta\n        best = -inf", ", alpha, beta)", ")",
        "def alpha_beta", "alpha, beta = -inf, inf\ndef alpha_beta"],
    "alpha, in a class": [
        "def alpha_beta", "class Kept:\n    alpha = -inf\ndef alpha_beta",
        "alpha = max(alpha, best)", "alpha = Kept.alpha = max(Kept.alpha, best)"],
    "the first player": [
        "me = board.turn\n", "me = first.setdefault(0, board.turn)\n", "def alpha_beta", "first = {}\ndef alpha_beta"],
    "boards, in a default value": [
        "heuristic):\n", "heuristic, known={}):\n", "        return best\n",
        "        known[board, depth] = best\n        return best\n", "        if depth == 0:",
        "        if (board, depth) in known:\n            return known[board, depth]\n        if depth == 0:"],
}  # fmt: skip
TABLE = [  # of all boards that were searched, each with its window and the heuristic
    "        if board.over:",
    "        key = board, depth, alpha, beta, heuristic\n        if key in known:\n            return known[key]\n"
    "        if board.over:",
    "        return best\n",
    "        known[key] = best\n        return best\n",
]
KEEPING = {
    **KEPT,
    "a table that outlives the call": ["def alpha_beta", "known = {}\ndef alpha_beta", *TABLE],
    "a table for each call": ["    me = board.turn\n", "    known = {}\n    me = board.turn\n", *TABLE],
}


def search_with(edits):
    return function("alpha_beta", edited(forms("alpha_beta")[0], edits))


@pytest.mark.parametrize("name", SEARCHES | ANSWERED_OTHERWISE | KEEPING)
def test_alpha_beta_loses_what_its_mistakes_cost_and_each_loss_has_its_reason_and_a_board(name):
    made = key("alpha_beta", "one")
    ask = quick_answers_of if name in SEARCHES else answers_of
    given = ask(search_with((SEARCHES | ANSWERED_OTHERWISE | KEEPING)[name]), made.exercise)
    text = bill(given, made)
    assert agrees(f"alpha-beta: {name}", re.sub(r"    Board.*", "    a board", text) if name in RANDOM else text)


@pytest.mark.parametrize("name", KEPT)
def test_what_alpha_beta_keeps_between_calls_is_found_in_any_order(name):
    exercise = load("alpha_beta")
    for asked in (exercise, replace(exercise, cases=exercise.cases[::-1], mistakes=())):
        found = verdict(asked, answers_of(search_with(KEPT[name]), asked))
        assert (found.outcome, found.mistake) == ("wrong", "state kept between calls")
    assert check(search_with(KEPT[name]), "alpha_beta").mistake == "state kept between calls"


def test_points_are_rounded_to_halves_and_never_up_to_all():
    assert [in_halves(points, 4) for points in (0, 0.2, 0.25, 1.7, 3.76, 3.999, 4)] == [0, 0, 0.5, 1.5, 3.5, 3.5, 4]


def test_a_game_can_end_within_a_depth_if_one_of_the_games_from_there_does():
    for board in [board for board in positions() if not board.over][::5]:
        for depth in range(5):
            assert can_end(board, depth) == any(ends(board, depth)), (board, depth)


def ends(board, depth):
    """Whether the game is over, for each game from there after this many plies."""
    if board.over or depth == 0:
        return [board.over]
    return [over for move in board.moves for over in ends(board.play(move), depth - 1)]


SEEDS = ("one", "two", "three")
LONG = ("heuristic asked at another depth", "depth not counted down", "depth counted down by two")  # these take long


def test_points_do_not_depend_on_the_seed():
    for search in sampled([one for one in changed()[1:] if one.changes[0] not in LONG], 90):
        found = []
        for judge in (key("alpha_beta", seed) for seed in sampled(SEEDS, 2)):
            given = quick_answers_of(function("alpha_beta", search.source), judge.exercise)
            about = verdict(judge.exercise, given)
            found.append([one.points for one in judge.earned(given, about).lost])
        assert found[1:] == found[:-1], (search.changes, found)
        assert max(found[0]) <= max(search.costs[0], 0 if about.mistake and search.cuts else 7), (search.changes, found)


def test_no_known_mistake_is_right():
    cases = key("alpha_beta", "one").exercise.cases
    for search in changed()[1:]:
        given = (search.answer(case.question) for case in cases)
        assert not all(case.answered_by(answer) for case, answer in zip(cases, given, strict=True)), search.source


def alike(searches, question):
    """The searches in groups with the same value."""
    by = {}
    for search in searches:
        value = search.answer(question).value
        by.setdefault("" if value is None else f"{float(value):.9g}", []).append(search)
    return by.values()


@pytest.mark.parametrize("seed", sampled(SEEDS, 3))
def test_edits_with_the_same_values_have_the_same_cost(seed):
    twins, number = [changed()[1:]], 0
    asked = [question for _, question in questions_for_points(Random(f"points {seed}"))]
    for question in sorted(asked, key=lambda question: (question[1], len(question[0].moves))):
        groups = [group for some in twins for group in alike(some, question)]
        twins = [group for group in groups if len({one.costs for one in group}) > 1]
        number = max(number, len(groups))
    assert number > 10 and not twins, [{(one.changes, one.costs) for one in group} for group in twins]


def test_a_search_with_a_mistake_that_is_left_out_answers_as_one_that_is_kept():
    asked = sampled([case.question for case in load("alpha_beta").cases if case.question[1] < 4], 16)

    def said(source):
        return tuple(answer_of(function("alpha_beta", source), question)[:2] for question in asked)

    for name, ways in sampled(settings("alpha_beta")["edits"].items(), 3):
        kept = {said(source) for way in each_way(ways) for source in made("alpha_beta", name, way)}
        left_out = (text for way in each_way(ways) for form in forms("alpha_beta") if (text := edited(form, way)))
        assert {*map(said, left_out)} == kept, name


def test_our_own_searches_answer_on_the_tree_that_they_share_as_on_boards_of_their_own():
    asked = [case.question for case in load("alpha_beta").cases if case.question[1] < 4]
    for _, source in sampled(load("alpha_beta").mistakes, 60):
        made = function("alpha_beta", source)
        for question in sampled(asked, 8):
            assert answer_of(made, question) == ask(made, question, Clock()), (source, question)


def test_a_cost_is_one_of_those_that_the_notebook_names():
    told = (ROOT / "exercises" / "alpha_beta" / "alpha_beta.ipynb").read_text(encoding="utf-8")
    named = {int(number) for number in re.findall(r"\| (\d+)(?: more)? \|", told)}
    costs = [cost if isinstance(cost, list) else [cost] for cost in settings("alpha_beta")["costs"].values()]
    assert {*chain(*costs)} - {0, 7} <= named
    assert all(f"fewer than {100 * share:g} %" in told for share in (FULL, HALF))


DEAR = {  # what destroys the idea, and so costs more than six points
    *("never cuts", "cuts too little", "only the first move", "never looks ahead"),
    *("sign not changed", "max and min swapped", "both sides maximise", "always the same number", STOPS),
}


@pytest.mark.slow
@pytest.mark.parametrize("exercise", GRADED)
def test_a_slip_of_one_token_costs_at_most_six_points_unless_it_destroys_the_idea(exercise):
    made, dear, unsure = key(exercise, "one"), [], 0
    slips = [text for form in forms(exercise)[:3] for _, text in mutants(form)]
    for slip in slips[:: len(slips) // 70]:
        given = answers_of(function(exercise, slip), made.exercise)
        about = verdict(made.exercise, given)
        found = made.earned(given, about)
        unsure += found.unsure
        if sum(found.points.values()) < 9 and not {*about.mistake.split("; "), *found.mistake.split("; ")} & DEAR:
            dear.append(slip)
    assert len(dear) <= 3 and unsure <= 2, dear


def test_the_seed_draws_other_questions():
    seeds = [key("alpha_beta", seed) for seed in ("one", "two")]
    new = [set(made.exercise.once) for made in seeds]
    assert len(new[0] & new[1]) >= 90 and len(new[0] - new[1]) > 30


# ------------------------------------------------------------------------------------------------------ other weights


def test_what_is_worked_out_by_hand_follows_the_weights():
    counts = {"x1": 1, "x2": 1, "o1": 2, "o2": 0}
    for player, value in (("X", 5 + 2 - 4), ("O", 4 - 5 - 2)):
        _, numbers = by_hand(["XX- -O- ---", player], (0, 2, 5, 0))
        assert numbers == counts | {"value": value}


def test_the_notebook_states_the_formula_of_the_settings():
    assert formulas((0, 1, 3, 0))[0] == "$$3X_2 + X_1 - (3O_2 + O_1)$$"


# --------------------------------------------------------------------------------------------- the counted heuristic


class Spy(Board):
    """A board that looks at the frames of whoever reads it."""

    frames: ClassVar = []

    def __iter__(self):
        self.frames.append(sys._getframe(1))
        return super().__iter__()


def by_attributes(heuristic):
    names = ("__wrapped__", "__closure__", "__globals__", "__code__", "__self__", "__func__")
    return [getattr(heuristic, name, None) for name in names] + [*getattr(heuristic, "__dict__", {}).values()]


def by_error(heuristic):
    try:
        heuristic("no board", "X")
    except TypeError as error:
        return [frame.f_locals for frame, _ in walk_tb(error.__traceback__)][1:]


def by_board(heuristic):
    spy = Spy()
    with suppress(TypeError):
        heuristic(spy, "X")
    return [frame.f_locals for frame in Spy.frames]


@pytest.mark.parametrize("attack", [by_attributes, by_error, by_board])
def test_nothing_that_answers_without_counting_can_be_taken_out_of_the_heuristic(attack):
    Spy.frames.clear()
    taken = []

    def search(board, depth, heuristic):
        found = attack(heuristic)
        inside = [*found, *(value for one in found if isinstance(one, dict) for value in one.values())]
        taken.extend(one for one in inside if callable(one) and one is not heuristic)
        for one in taken:
            with suppress(Exception):
                one(board, "X")
        return heuristic(board, "X")

    answer = ask(search, (Board(), 1, "numbers to 9, seed"), Clock(each=inf))
    counted = [one for one in taken if isinstance(one, FunctionType)]
    assert not counted and not answer.fault and "---------X" in answer.asked
