"""Practice in the explorer: whether its questions have the right answers, and how a session goes."""

import re
from collections import Counter
from itertools import groupby, islice
from operator import itemgetter
from random import Random

import pytest
from textbook import press, searched

from ttt.drawing.narration import named
from ttt.drawing.svg import signed
from ttt.widgets import Explorer
from ttt.widgets.practice import endless, questions, small_tree

TREES = 200  # of each sort
KINDS = {"worth", "alpha", "visited", "cut off"}


def below(tree):
    """What a board of this tree leads to, or what it is worth to X."""

    def below(board):
        if board.over:
            return {"X": 1, "O": -1, None: 0}[board.winner]
        if len(tree.board.moves) - len(board.moves) == tree.depth:
            says = tree.heuristic(board, board.turn)
            return says if board.turn == "X" else -says
        return [(move, board.play(move)) for move in board.moves]

    return below


@pytest.mark.parametrize("numbers", [True, False])
def test_every_answer_is_that_of_a_textbook_seen_from_x(numbers):
    asked, roots = Counter(), set()
    for seed in range(TREES):
        tree = small_tree(Random(seed), numbers)
        roots.add(tree.board.turn)
        highest = tree.board.turn == "X"
        found = searched(tree.board, below(tree), highest=highest)
        worth = searched(tree.board, below(tree), cuts=False, highest=highest).values
        nodes = {named(node): node for node in tree.nodes}
        for question in questions(tree):
            before = tree.steps[question.step - 1]
            if question.kind == "worth":
                node = nodes[re.match(r"Every move after (.*) has been searched", question.ask)[1]]
                right = [signed(worth[node.path])]
                assert ("the largest of" in question.why) == (node.board.turn == "X")
            elif "next" in question.answer:
                above, move = re.search(r"next move to try, at (.*), is (\d)\.", question.ask).groups()
                assert nodes[above] is before.node
                right = ["visited" if (*before.node.path, int(move)) in found.arrived else "cut off"]
            elif "begin there" in question.ask:
                node = nodes[re.search(r"goes down to (.*)\. With", question.ask)[1]]
                right = list(map(signed, found.arrived[node.path]))
            else:
                node = nodes[re.match(r"(.*) comes back", question.ask)[1]]
                right = list(map(signed, found.after[node.path]))
            assert list(question.answer.values()) == right, (tree.board, question)
            asked[question.kind] += 1
    assert min(asked[kind] for kind in KINDS) > TREES / 4 and roots == {"X", "O"}


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


def answer(explorer, right=True):
    """Answer a question as the page does."""
    given = explorer.practice.question.answer
    press(explorer, "answer", given if right else dict.fromkeys(given, "1000"))


def test_a_session_counts_what_was_right_and_explains_what_was_wrong():
    explorer = Explorer()
    explorer.go_to(4)
    explorer.practise(seed=2)
    for number in range(12):
        question, right = explorer.practice.question, number % 3 > 0
        assert explorer.step == question.step - 1 and explorer.message == question.ask
        made_up = explorer.tree.heuristic is not None
        assert ("leaves are made up" in explorer.html) == made_up == ("the game is over" not in explorer.html)
        assert max(len(question.ask), len(question.why) + 11) <= len(explorer.room)
        answer(explorer, right)
        assert explorer.message.startswith(f"Right, {number % 3} in a row." if right else "Not quite.")
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
    assert explorer.message == "Right, 1 in a row." and "1 of 1 right" in explorer.html


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
