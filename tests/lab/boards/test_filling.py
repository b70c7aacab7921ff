"""The tree to fill in, without a browser: which answers are right, and what it says about the others."""

from collections import Counter

import pytest
from conftest import naming
from lab import fill_in
from textbook import below, press, searched

from ttt import Board
from ttt.notation import signed
from ttt.search import minimax

BOARD = Board.from_text("--X X-O OXO")


def solved(tree):
    """The right answers: a tree to fill in after "Show the rest"."""
    tree.check({0: "0.5"})
    tree.when_show()
    return {tree.nodes[number].path: answer for number, answer in tree.answers.items()}


@pytest.mark.parametrize("text", ["--X X-O OXO", "XOX --O -XO", "O-- OXX X--"])
def test_each_node_is_worth_to_x_what_a_textbook_and_the_labs_search_say(text):
    board = Board.from_text(text)
    tree = fill_in(board)
    values = searched(board, below(board), cuts=False, highest=board.turn == "X").values
    answers = solved(tree)
    assert answers == {node.path: signed(values[node.path]) for node in tree.nodes if node.children}
    for node in (node for node in tree.nodes if node.children):
        value = minimax(node.board).value
        assert answers[node.path] == signed(value if node.board.turn == "X" else -value)


def kinds(tree):
    return {number: kind for number, (kind, _) in tree.verdicts.items()}


def test_its_own_solution_is_right_in_every_way_of_writing_numbers():
    for minus in ("-", "−"):
        tree = fill_in(BOARD)
        tree.check({number: f" {answer.replace('−', minus)} " for number, answer in tree.solution.items()})
        for _ in range(2):
            assert naming("root", "+1", "X").search(tree.message) and tree.tone == "end"
            assert set(kinds(tree).values()) == {"right"}
            press(tree, "show")


def test_what_is_wrong_is_explained():
    tree = fill_in(Board.from_text("O-- OXX X--"))
    right, below = tree.solution, "The root depends on the nodes below it. Correct those first."
    assert [[child.value for child in tree.nodes[number].children] for number in (0, 1)] == [[1, 0, 1, 1], [1, -1, -1]]
    for answers, said in [
        ({0: "2", 1: "7"}, {1: "O's move 1: MAX takes the largest of +1, −1, −1.", 0: below}),
        ({1: "−1"}, {1: "O's move 1: MAX takes the largest of +1, −1, −1. You chose the smallest."}),
        ({1: "nan"}, {1: "O's move 1 needs a number, such as −1, not “nan”."}),
        ({0: "5"}, {0: "The root: MIN takes the smallest of +1, 0, +1, +1."}),
        ({0: "1"}, {0: "The root: MIN takes the smallest of +1, 0, +1, +1. You chose the largest."}),
    ]:
        tree.check({**right, **answers})
        assert {number: why for number, (kind, why) in tree.verdicts.items() if kind == "wrong"} == said
    lonely = fill_in(BOARD)
    lonely.check({2: "1"})
    assert lonely.verdicts == {2: ("wrong", "O's move 1 (after 0) has only one child, which is worth 0.")}


def test_what_is_empty_is_counted_and_not_called_wrong():
    tree = fill_in(BOARD)
    assert tree.message == "Fill in each board's worth to X, from the bottom up, then press Check."
    tree.check({2: "0", 1: " "})
    assert tree.message == "✓ 1 right, ✗ 0 wrong, ○ 9 empty." and set(tree.verdicts) == {2}
    assert repr(tree) == "A tree to fill in: 9 of 10 nodes are empty."
    tree.check({number: answer for number, answer in tree.solution.items() if number})
    assert repr(tree) == "A tree to fill in: 1 of 10 nodes is empty."
    tree.check({})
    assert (tree.message, tree.tone) == ("Nothing is filled in yet. Start just above the leaves.", "error")


def test_the_rest_is_shown_only_after_an_attempt_and_what_was_right_stays_right():
    tree = fill_in(BOARD)
    press(tree, "show")
    assert (tree.message, tree.tone) == ("Try first: fill in at least one node and press Check.", "error")
    assert tree.answers == {}
    press(tree, "check", {"2": "0", "1": "9"})
    press(tree, "show")
    assert kinds(tree).pop(2) == "right" and Counter(kinds(tree).values()) == {"right": 1, "shown": 9}
    assert tree.answers == tree.solution and naming("filled in", "from the leaves up").search(tree.message)


def test_its_drawing_shows_the_leaves_and_no_answer():
    tree = fill_in(BOARD)
    assert tree._repr_mimebundle_()[0]["text/plain"] == repr(tree)
    assert str(tree.snapshot()).count(">?</text>") == 10
    assert "the root: ?" in tree.snapshot().text and "X's move 4 (after 0, 1): 0" in tree.snapshot().text
