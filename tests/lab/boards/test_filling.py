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


def why(tree, answers):
    """What is wrong with the answers that are wrong."""
    tree.check(answers)
    return {number: verdict[1] for number, verdict in tree.verdicts.items() if verdict[0] == "wrong"}


def test_what_is_wrong_is_explained():
    tree = fill_in(Board.from_text("O-- OXX X--"))
    first, right = tree.nodes[1], tree.solution
    assert first.side == "MAX" and [signed(child.value) for child in first.children] == ["+1", "−1", "−1"]
    largest = naming("O's move 1", "MAX", "largest", "+1, −1, −1")
    wrong = why(tree, {**right, 0: "2", 1: "7"})
    assert set(wrong) == {0, 1} and naming("root", "below").search(wrong[0])
    assert largest.search(wrong[1]) and "smallest" not in wrong[1]
    assert largest.search(said := why(tree, {**right, 1: "−1"})[1]) and "You chose the smallest" in said
    assert naming("O's move 1", "number", "−1", "“nan”").search(why(tree, {**right, 1: "nan"})[1])
    [said] = why(fill_in(BOARD), {2: "1"}).values()
    assert naming("O's move 1 (after 0)", "one child", "worth 0").search(said)


def test_what_is_empty_is_counted_and_not_called_wrong():
    tree = fill_in(BOARD)
    assert naming("worth to X", "bottom up", "Check").search(tree.message)
    tree.check({2: "0", 1: " "})
    assert naming("1 right", "0 wrong", "9 empty").search(tree.message) and set(tree.verdicts) == {2}
    assert naming("9 of 10 nodes are empty").search(repr(tree))
    tree.check({number: answer for number, answer in tree.solution.items() if number})
    assert naming("1 of 10 nodes is empty").search(repr(tree))
    tree.check({})
    assert naming("nothing", "above the leaves").search(tree.message) and tree.tone == "error"


def test_the_rest_is_shown_only_after_an_attempt_and_what_was_right_stays_right():
    tree = fill_in(BOARD)
    press(tree, "show")
    assert naming("fill in", "Check").search(tree.message) and tree.tone == "error" and tree.answers == {}
    press(tree, "check", {"2": "0", "1": "9"})
    press(tree, "show")
    assert kinds(tree).pop(2) == "right" and Counter(kinds(tree).values()) == {"right": 1, "shown": 9}
    assert tree.answers == tree.solution and naming("filled in", "from the leaves up").search(tree.message)


def test_its_drawing_shows_the_leaves_and_no_answer():
    tree = fill_in(BOARD)
    assert tree._repr_mimebundle_()[0]["text/plain"] == repr(tree)
    assert str(tree.snapshot()).count(">?</text>") == 10
    assert "the root: ?" in tree.snapshot().text and "X's move 4 (after 0, 1): 0" in tree.snapshot().text
