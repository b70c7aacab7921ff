"""The tree to fill in, without a browser: which answers are right, and what it says about the others."""

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
    right, below = tree.solution, "The value comes from the nodes below. Correct those first."
    assert [[child.value for child in tree.nodes[number].children] for number in (0, 1)] == [[1, 0, 1, 1], [1, -1, -1]]
    for answers, said in [
        ({0: "2", 1: "7"}, {1: "MAX takes the largest of +1, −1, −1.", 0: below}),
        ({1: "−1"}, {1: "MAX takes the largest of +1, −1, −1. You chose the smallest."}),
        ({1: "nan"}, {1: "Write a number, such as −1, not “nan”."}),
        ({0: "5"}, {0: "MIN takes the smallest of +1, 0, +1, +1."}),
        ({0: "1"}, {0: "MIN takes the smallest of +1, 0, +1, +1. You chose the largest."}),
    ]:
        tree.check({**right, **answers})
        assert {number: why for number, (kind, why) in tree.verdicts.items() if kind == "wrong"} == said
    lonely = fill_in(BOARD)
    why = "A node with only one child is worth as much as that child."
    lonely.check({2: "1", 4: "0", 0: "0"})
    assert lonely.verdicts == {2: ("wrong", why), 4: ("wrong", why), 0: ("wrong", below)}
    assert f"<li><b>1</b> <b>2</b> {why}</li><li><b>3</b> {below}</li>" in lonely.html  # each reason once
    assert lonely.message == "✗ 3 wrong, ○ 7 empty."
