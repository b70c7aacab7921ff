"""The tree to fill in, without a browser: which answers are right, and what is said to the others."""

import re
from html import unescape
from math import inf
from random import Random

import pytest
from textbook import press, searched

from ttt import Board, fill_in
from ttt.drawing.svg import signed
from ttt.search import BadSearch, alphabeta, minimax

BOARD = Board.from_text("--X X-O OXO")
NUMBERS = [[3, 5], [2, 9], [0, [1, 7]]]


def grown(random, plies):
    """Numbers in lists, with one to three branches at each node; some branches are shorter."""
    if plies == 0 or (plies < 3 and random.random() < 0.2):
        return random.randint(-9, 9)
    return [grown(random, plies - 1) for _ in range(random.randint(1, 3))]


def below(tree):
    return tree if isinstance(tree, int) else list(enumerate(tree, 1))


def solved(tree):
    """The right answers: a tree to fill in after "Show the rest"."""
    tree.check({0: "0.5"})
    tree.on_show()
    return {tree.nodes[number].path: answer for number, answer in tree.answers.items()}


@pytest.mark.parametrize("cuts", [False, True])
def test_each_node_returns_or_is_cut_off_as_in_a_textbook(cuts):
    given = []
    for seed in range(200):
        numbers = [grown(Random(seed), 2), grown(Random(-seed - 1), 3)]
        tree, found = fill_in(numbers, alphabeta=cuts), searched(numbers, below, cuts).values
        answers = solved(tree)
        leaves = {node.path for node in tree.nodes if not node.children}
        expected = {path: value if value == "cut" else signed(value) for path, value in found.items()}
        assert answers == {path: value for path, value in expected.items() if value == "cut" or path not in leaves}
        given += answers.values()
    assert (given.count("cut") > 50) == cuts


@pytest.mark.parametrize("text, depth", [("--X X-O OXO", None), ("XOX --O -XO", None), ("O-- OXX X--", 2)])
def test_each_node_of_a_board_is_worth_and_cut_off_as_the_labs_searches_say(text, depth):
    board = Board.from_text(text)
    tree, pruned = fill_in(board, depth), fill_in(board, depth, alphabeta=True)
    answers = solved(tree)
    for node in (node for node in tree.nodes if node.children):
        value = minimax(node.board, None if depth is None else depth - node.ply).value
        assert answers[node.path] == signed(value if node.board.turn == "X" else -value)
    assert sum(node.value is not None for node in pruned.nodes) == alphabeta(board, depth).nodes


def kinds(tree):
    return {number: kind for number, (kind, _) in tree.verdicts.items()}


def test_its_own_solution_is_right_in_every_way_of_writing_numbers_and_decimals_are_as_the_tree_shows_them():
    for tree in (fill_in(BOARD), fill_in(NUMBERS, alphabeta=True)):
        for minus in ("-", "−"):
            tree.check({number: f" {tree.solution[number].replace('−', minus).upper()} " for number in tree.asked})
            assert tree.message.startswith("All of it is right") and tree.tone == "end"
            assert set(kinds(tree).values()) == {"right"}
    tree = fill_in([[1 / 3, 5], [0.256, 9]])
    tree.check({1: "0.33", 4: "0,26", 0: "0.34"})
    assert kinds(tree) == {0: "wrong", 1: "right", 4: "right"}


def why(tree, answers):
    tree.check(answers)
    return {number: verdict[1] for number, verdict in tree.verdicts.items() if verdict[0] == "wrong"}


def test_what_is_wrong_is_explained():
    tree = fill_in(NUMBERS)
    smallest = "Node 1: MIN takes the smallest of its children: +3, +5."
    assert why(tree, {1: "7"}) == {1: smallest}
    below = "The root depends on the nodes below it. Put those right first."
    assert why(tree, {1: "5", 0: "2"}) == {0: below, 1: f"{smallest} You took the largest."}
    assert why(tree, {1: "nan"}) == {1: "Node 1 needs a number, such as −1, not “nan”."}
    right = {1: "3", 4: "2", 9: "7", 7: "0"}
    largest = "The root: MAX takes the largest of its children: +3, +2, 0. You took the smallest."
    assert why(tree, right | {0: "0"}) == {0: largest}
    assert why(fill_in(BOARD), {2: "1"}) == {2: "O's move 1 (after 0) has only one child, which is worth 0."}


def test_a_cut_that_is_missed_or_made_in_the_wrong_place_is_explained_with_alpha_and_beta():
    tree = fill_in(NUMBERS, alphabeta=True)
    turn = "when its turn comes, alpha is {} and beta {} at the node above"
    visited = f"Node 1.1 is visited: {turn.format('−∞', '+∞')}, so alpha is still below beta."
    assert why(tree, {2: "cut"}) == {2: visited}
    cut = f"Node 3.2 is cut off: {turn.format('+3', '0')}, so alpha is no longer below beta."
    assert why(tree, {9: "7"}) == {9: cut}
    assert why(tree, {2: "4"}) == {2: "Node 1.1 is worth +3."} and why(tree, {2: "3"}) == {}
    assert why(tree, {10: "cut", 9: "cut"}) == {}  # nobody asks below a cut


def test_what_is_empty_is_counted_and_not_called_wrong():
    tree = fill_in(NUMBERS)
    tree.check({1: "3", 4: " "})
    assert tree.message == "1 right, 4 empty." and set(tree.verdicts) == {1}
    assert repr(tree) == "A tree to fill in: 4 of 5 nodes are empty."
    tree.check({})
    assert tree.message.startswith("Nothing is filled in yet")
    tree = fill_in(NUMBERS, alphabeta=True)  # how many are missing would say how many are cut off
    tree.check({number: answer for number, answer in tree.solution.items() if answer != "cut"})
    assert tree.message.endswith(" right, but something is missing still.")


def test_the_rest_is_shown_only_after_a_try_and_what_was_right_stays_right():
    tree = fill_in(NUMBERS)
    press(tree, "show")
    assert tree.message.startswith("Try it first") and tree.answers == {}
    press(tree, "check", {"1": "3", "4": "9"})
    press(tree, "show")
    assert kinds(tree) == {0: "shown", 1: "right", 4: "shown", 7: "shown", 9: "shown"}
    assert tree.answers == {0: "+3", 1: "+3", 4: "+2", 7: "0", 9: "+7"}
    tree.check(tree.answers)
    praise = tree.message
    press(tree, "show")
    assert tree.message == praise and set(kinds(tree).values()) == {"right"}


def test_its_drawing_tells_the_leaves_and_what_has_been_found_and_nothing_else():
    tree = fill_in(BOARD)
    assert tree._repr_mimebundle_()[0]["text/plain"] == repr(tree)
    assert str(tree.snapshot()).count(">?</text>") == 10 and "the root: ?" in tree.snapshot().text
    tree.check({2: "0"})
    assert str(tree.snapshot()).count(">?</text>") == 9
    assert "O's move 1 (after 0): 0" in tree.snapshot().text
    hidden = fill_in(NUMBERS, alphabeta=True)
    assert not re.search(r'data-part="\d+" data-state="cut"', str(hidden.snapshot()) + hidden.html)
    hidden.check({6: "cut"})
    assert 'data-part="6" data-state="cut"' in str(hidden.snapshot())


def test_the_fields_come_from_the_leaves_up_and_say_what_is_below_them():
    tree = fill_in(BOARD)
    names = [unescape(name) for name in re.findall(r'<input[^>]*aria-label="([^"]*)"', tree.html)]
    assert names[0] == "O's move 1 (after 0), MAX. Below: X's move 4 (after 0, 1) 0"
    assert names[-1].startswith("the root, MAX. Below: X's move 0 to be filled in; X's move 1 to be")
    plies = [tree.nodes[int(number)].ply for number in re.findall(r'<input[^>]* name="(\d+)"', tree.html)]
    assert plies == sorted(plies, reverse=True)


def test_what_is_wrong_is_seen_where_it_is_typed():
    tree = fill_in(NUMBERS)
    tree.check({1: "5", 4: "2"})
    fields = {int(re.search(r' name="(\d+)"', field)[1]): field for field in re.findall(r"<input[^>]*>", tree.html)}
    assert 'aria-invalid="true"' in fields[1] and "You took the largest" in fields[1] and 'value="5"' in fields[1]
    assert 'class="fill right"' in fields[4] and 'class="fill "' in fields[0]


REFUSED = [
    (("X--------",), r"needs a Board or numbers in lists, such as \[\[3, 5\], \[2, 9\]\], not 'X-"),
    ((Board(),), "more than 60 nodes"),
    (([[3, 5], 2], 1), "leave depth out"),
    (([[3, "5"]],), "but not '5'"),
    (([[3, inf]],), "but not inf"),
    (([[3], []],), r"but not \[\]"),
]


@pytest.mark.parametrize("arguments, said", REFUSED)
def test_what_can_not_be_filled_in_is_told_in_a_sentence(arguments, said):
    with pytest.raises(BadSearch, match=said):
        fill_in(*arguments)
