"""Practice in the explorer: whether its questions have the right answers, and how a session goes."""

import re
from collections import Counter
from itertools import groupby, islice
from operator import itemgetter
from random import Random

import pytest
from conftest import naming
from lab.boards import Explorer
from lab.boards.practice import endless, possible_questions, small_tree
from lab.drawing.narration import node_name
from textbook import NODE, below, press, searched

from ttt.notation import signed

TREES = 60  # of each kind
NEXT = ["visit", "cut"]
KINDS = {"worth": ["worth to X"], "alpha": ["alpha", "beta"], "visited": NEXT, "cut off": NEXT}  # what each asks about


@pytest.mark.parametrize("numbers", [True, False])
def test_every_answer_agrees_with_a_textbook_seen_from_x(numbers):
    asked, roots = Counter(), set()
    for seed in range(TREES):
        tree = small_tree(Random(seed), numbers)
        roots.add(tree.board.turn)
        highest = tree.board.turn == "X"
        children = below(tree.board, tree.depth, tree.numbers)
        found = searched(tree.board, children, highest=highest)
        worth = searched(tree.board, children, cuts=False, highest=highest).values
        nodes = {node_name(node): node for node in tree.nodes}
        for question in possible_questions(tree):
            assert naming(*KINDS[question.kind]).search(question.ask)
            assert naming(*question.answer.values()).search(question.why)
            node, step = nodes[re.search(NODE, question.ask)[0]], tree.steps[question.step]
            assert question.why.removeprefix("At ").startswith(node_name(question.node))
            if question.kind == "worth":
                right = [signed(worth[node.path])]
                assert ("largest" in question.why) == (node.board.turn == "X") == ("smallest" not in question.why)
            elif "next" in question.answer:
                assert node is tree.steps[question.step - 1].node
                move = int(re.search(r"is (\d)\.", question.ask)[1])
                assert naming("alpha", signed(step.alpha.value), "beta", signed(step.beta.value)).search(question.why)
                right = ["visited" if (*node.path, move) in found.arrived else "cut off"]
            elif step.kind == "visit":
                right = list(map(signed, found.arrived[node.path]))
            else:
                right = list(map(signed, found.after[node.path]))
                assert naming(f"{signed(found.values[node.path])} for X").search(question.ask)
                may_change = ["MAX", "alpha can", "rise"] if step.node.is_max else ["MIN", "beta can", "fall"]
                assert naming(*may_change).search(question.why)
            assert list(question.answer.values()) == right, (tree.board, question)
            asked[question.kind] += 1
    assert min(asked[kind] for kind in KINDS) > TREES / 4 and roots == {"X", "O"}


def test_each_tree_has_questions_of_each_kind_and_no_answer_has_been_shown():
    for tree, group in islice(groupby(endless(Random(3)), itemgetter(0)), 20):
        asked = [*group]
        assert {question.kind for question in asked} == set(KINDS)
        assert len(asked) < len(list(possible_questions(tree)))
        steps = [question.step for question in asked]
        assert steps == sorted(set(steps))


def test_the_same_seed_asks_the_same_questions_and_another_seed_others():
    def asked(seed):
        return [(one.tree.board, one.step, one.ask, one.answer) for one in islice(endless(Random(seed)), 12)]

    assert asked(7) == asked(7) != asked(8)


def answer(explorer, right=True):
    """Answer a question as the page does."""
    given = explorer.practice.question.answer
    press(explorer, "answer", given if right else dict.fromkeys(given, "1000"))


def test_no_question_is_skipped_none_is_asked_without_practice_and_each_practice_starts_anew():
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
