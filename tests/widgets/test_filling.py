"""The tree to fill in, without a browser: which answers are right, and what is said to the others."""

import re
from collections import Counter
from html import unescape

import pytest
from textbook import press, searched

from ttt import Board, fill_in
from ttt.drawing.svg import signed
from ttt.search import BadSearch, minimax

BOARD = Board.from_text("--X X-O OXO")


def solved(tree):
    """The right answers: a tree to fill in after "Show the rest"."""
    tree.check({0: "0.5"})
    tree.on_show()
    return {tree.nodes[number].path: answer for number, answer in tree.answers.items()}


@pytest.mark.parametrize("text, depth", [("--X X-O OXO", None), ("XOX --O -XO", None), ("O-- OXX X--", 2)])
def test_each_node_is_worth_to_x_what_a_textbook_and_the_labs_search_say(text, depth):
    board = Board.from_text(text)
    free = len(board.moves)

    def below(board):
        if board.over or (depth is not None and free - len(board.moves) == depth):
            return {"X": 1, "O": -1, None: 0}[board.winner]
        return [(move, board.play(move)) for move in board.moves]

    tree = fill_in(board, depth)
    answers, values = solved(tree), searched(board, below, cuts=False, highest=board.turn == "X").values
    assert answers == {node.path: signed(values[node.path]) for node in tree.nodes if node.children}
    for node in (node for node in tree.nodes if node.children):
        value = minimax(node.board, None if depth is None else depth - node.ply).value
        assert answers[node.path] == signed(value if node.board.turn == "X" else -value)


def kinds(tree):
    return {number: kind for number, (kind, _) in tree.verdicts.items()}


def test_its_own_solution_is_right_in_every_way_of_writing_numbers():
    for minus in ("-", "−"):
        tree = fill_in(BOARD)
        tree.check({number: f" {answer.replace('−', minus)} " for number, answer in tree.solution.items()})
        assert tree.message == "All of it is right: the root is worth +1 to X." and tree.tone == "end"
        assert set(kinds(tree).values()) == {"right"}
        press(tree, "show")
        assert tree.message.startswith("All of it is right") and set(kinds(tree).values()) == {"right"}


def why(tree, answers):
    tree.check(answers)
    return {number: verdict[1] for number, verdict in tree.verdicts.items() if verdict[0] == "wrong"}


def test_what_is_wrong_is_explained():
    tree = fill_in(Board.from_text("O-- OXX X--"), 2)
    first, *replies = tree.nodes[1], *tree.nodes[1].children
    assert first.side == "MAX" and [signed(node.worth) for node in replies] == ["+1", "0", "0"]
    largest = "O's move 1: MAX takes the largest of +1, 0, 0."
    assert why(tree, {1: "7"}) == {1: largest}
    below = "The root depends on the nodes below it. Put those right first."
    assert why(tree, {1: "0", 0: "2"}) == {0: below, 1: f"{largest} You took the smallest."}
    assert why(tree, {1: "nan"}) == {1: "O's move 1 needs a number, such as −1, not “nan”."}
    assert why(fill_in(BOARD), {2: "1"}) == {2: "O's move 1 (after 0) has only one child, which is worth 0."}


def test_what_is_empty_is_counted_and_not_called_wrong():
    tree = fill_in(BOARD)
    tree.check({2: "0", 1: " "})
    assert tree.message == "1 right, 0 not yet, 9 empty." and set(tree.verdicts) == {2}
    assert repr(tree) == "A tree to fill in: 9 of 10 nodes are empty."
    tree.check({})
    assert tree.message.startswith("Nothing is filled in yet")


def test_the_rest_is_shown_only_after_a_try_and_what_was_right_stays_right():
    tree = fill_in(BOARD)
    press(tree, "show")
    assert tree.message.startswith("Try it first") and tree.answers == {}
    press(tree, "check", {"2": "0", "1": "9"})
    press(tree, "show")
    assert kinds(tree).pop(2) == "right" and Counter(kinds(tree).values()) == {"right": 1, "shown": 9}
    assert tree.answers == tree.solution


def test_its_drawing_tells_the_leaves_and_no_answer():
    tree = fill_in(BOARD)
    assert tree._repr_mimebundle_()[0]["text/plain"] == repr(tree)
    assert str(tree.snapshot()).count(">?</text>") == 10
    assert "the root: ?" in tree.snapshot().text and "X's move 4 (after 0, 1): 0" in tree.snapshot().text


def test_the_fields_come_from_the_leaves_up_and_say_what_is_below_them():
    tree = fill_in(BOARD)
    names = [unescape(name) for name in re.findall(r'<input[^>]*aria-label="([^"]*)"', tree.html)]
    assert names[0] == "O's move 1 (after 0), MAX. Below: X's move 4 (after 0, 1) 0"
    assert names[-1].startswith("the root, MAX. Below: X's move 0 to be filled in; X's move 1 to be")
    plies = [tree.nodes[int(number)].ply for number in re.findall(r'<input[^>]* name="(\d+)"', tree.html)]
    assert plies == sorted(plies, reverse=True)


def test_what_is_wrong_is_seen_where_it_is_typed():
    tree = fill_in(BOARD)
    tree.check({2: "5", 4: "1"})
    fields = {int(re.search(r' name="(\d+)"', field)[1]): field for field in re.findall(r"<input[^>]*>", tree.html)}
    assert 'aria-invalid="true"' in fields[2] and "only one child" in fields[2] and 'value="5"' in fields[2]
    assert 'class="fill right"' in fields[4] and 'class="fill "' in fields[0]


@pytest.mark.parametrize("board, said", [("X--------", "needs a Board, not 'X-"), (Board(), "more than 60 nodes")])
def test_what_can_not_be_filled_in_is_told_in_a_sentence(board, said):
    with pytest.raises(BadSearch, match=said):
        fill_in(board)
