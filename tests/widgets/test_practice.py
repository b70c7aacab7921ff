"""Practice in the explorer: whether its questions have the right answers, and how a session goes."""

import re
from collections import Counter
from itertools import groupby, islice
from operator import itemgetter
from random import Random

import pytest
from textbook import press, searched

from ttt.drawing.svg import signed
from ttt.widgets import Explorer
from ttt.widgets.practice import Practice, endless, questions, small_tree

TREES = 200  # of each sort
KINDS = {"worth", "alpha", "visited", "cut off"}


def below(tree, depth):
    """What a board of this tree leads to, or what it is worth to the side to move at the root."""

    def below(board):
        if board.winner:
            return 1 if board.winner == tree.board.turn else -1
        if not board.over and len(tree.board.moves) - len(board.moves) == depth:
            return tree.heuristic(board, tree.board.turn)
        return 0 if board.over else [(move, board.play(move)) for move in board.moves]

    return below


@pytest.mark.parametrize("numbers", [True, False])
def test_every_answer_is_that_of_a_textbook(numbers):
    asked = Counter()
    for seed in range(TREES):
        tree = small_tree(Random(seed), numbers)
        found = searched(tree.board, below(tree, tree.depth))
        worth = searched(tree.board, below(tree, tree.depth), cuts=False).values
        for question in questions(tree):
            step, before = tree.steps[question.step], tree.steps[question.step - 1]
            if question.kind == "worth":
                right = [signed(worth[step.child.path])]
                assert ("the largest of" in question.why) == step.child.is_max
            elif "next" in question.answer:
                move = int(re.search(r"next move to try, .*, is cell (\d)", question.ask)[1])
                right = ["visited" if (*before.node.path, move) in found.arrived else "cut off"]
            elif "begin there" in question.ask:
                right = list(map(signed, found.arrived[step.node.path]))
            else:
                move = int(re.match(r"Cell (\d) comes back", question.ask)[1])
                right = list(map(signed, found.after[*step.node.path, move]))
            assert list(question.answer.values()) == right, (tree.board, question)
            asked[question.kind] += 1
    assert min(asked[kind] for kind in KINDS) > TREES / 4


def test_of_each_tree_something_of_each_kind_is_asked_and_no_answer_has_been_shown():
    for tree, group in islice(groupby(endless(Random(3)), itemgetter(0)), 20):
        asked = [question for _, question in group]
        assert {question.kind for question in asked} == KINDS
        assert len(asked) < len(list(questions(tree)))
        steps = [question.step for question in asked]
        assert steps == sorted(set(steps))


def test_the_same_seed_asks_the_same_and_another_one_something_else():
    def asked(seed):
        return [(tree.board, question) for tree, question in islice(endless(Random(seed)), 12)]

    assert asked(7) == asked(7) != asked(8)


@pytest.mark.parametrize("given", ["−∞", " -Inf "])
def test_an_infinite_bound_is_read_however_it_is_written(given):
    practice = Practice(seed=1)
    while practice.question.answer.get("alpha") != "−∞":
        practice.go_on()
    practice.judge({"alpha": given, "beta": practice.question.answer["beta"]})
    assert practice.verdict == "Right."


def answer(explorer, right=True):
    """Answer a question as the page does."""
    given = explorer.practice.question.answer
    press(explorer, "answer", given if right else dict.fromkeys(given, "1000"))


def test_a_session_counts_what_was_right_and_explains_what_was_wrong():
    explorer = Explorer()
    explorer.step = 4
    explorer.practise(seed=2)
    for number in range(12):
        question, right = explorer.practice.question, number % 3 > 0
        assert explorer.step == question.step - 1 and explorer.message == question.ask
        answer(explorer, right)
        assert explorer.message.startswith("Right" if right else "Not quite.")
        assert right or next(iter(question.answer.values())) in explorer.message
        assert explorer.step == question.step  # where the tree shows what happened
        answer(explorer)  # once is enough
        press(explorer, "next_question")
    assert "8 of 12 right" in explorer.html
    press(explorer, "stop_practising")
    assert explorer.practice is None and explorer.step == 4 and repr(explorer) == repr(Explorer())


def test_what_is_no_number_is_refused_and_not_counted_as_a_wrong_answer():
    explorer = Explorer()
    explorer.practise(seed=1)
    while "next" in explorer.practice.question.answer:
        explorer.practice.go_on()
    page = explorer.html
    press(explorer, "answer", dict.fromkeys(explorer.practice.question.answer, "abc"))
    assert "“abc” is not a number" in explorer.message and explorer.practice.question.ask in explorer.message
    assert explorer.html == page and explorer.tone == "error"
    answer(explorer)
    assert explorer.message == "Right." and "1 of 1 right" in explorer.html


def test_right_answers_in_a_row_are_counted_and_five_are_enough():
    explorer, said = Explorer(), []
    press(explorer, "practise")
    for right in (True, True, False, True, True, True, True, True, True):
        answer(explorer, right)
        said.append(explorer.message.partition(".")[0])
        press(explorer, "next_question")
    rows = ["Right", "Right, 2 in a row", "Right, 3 in a row", "Right, 4 in a row"]
    assert said == [*rows[:2], "Not quite", *rows, "Right, five right in a row: you can do it", "Right, 6 in a row"]


def test_nothing_is_skipped_nothing_is_asked_without_a_practice_and_each_asks_something_else():
    explorer = Explorer()
    press(explorer, "answer", {"worth": "1"})
    press(explorer, "next_question")
    assert explorer.tone == "" and explorer.practice is None
    press(explorer, "practise")
    first = explorer.message
    press(explorer, "next_question")
    assert explorer.message == first
    answer(explorer)
    press(explorer, "stop_practising")
    press(explorer, "practise")
    assert "right" not in explorer.html.rpartition('class="score"')[2]
    explorer.change(board=Explorer().tree.board)
    assert explorer.practice is None
