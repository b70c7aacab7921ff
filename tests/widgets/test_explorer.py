"""The pruning explorer, without a browser: what it tells of a search, and whether that is true."""

import re
from collections import Counter
from functools import cache
from itertools import pairwise

import pytest
from textbook import press, searched

from ttt.board import Board
from ttt.drawing.svg import signed
from ttt.drawing.trees import Tree
from ttt.heuristics import open_lines
from ttt.search import ORDERS, BadSearch, alphabeta, minimax
from ttt.widgets import Explorer
from ttt.widgets.tree import POSITIONS

BLOCK = Board.from_text("O-- OXX X--")
X_TO_MOVE = Board.from_text("--X --X OO-")
FORK = Board.from_text("-X- -XO --O")
BOARDS = [BLOCK, X_TO_MOVE, FORK, Board.from_text("X-- O-O --X"), Board.from_text("XO- -X- O--")]


def worth(board, player):
    """What a position is really worth to a player."""
    if board.over:
        return 0 if board.winner is None else 1 if board.winner == player else -1
    return _best(board) if board.turn == player else -_best(board)


@cache
def _best(board):
    return max(worth(board.play(move), board.turn) for move in board.moves)


def changed(explorer, step, state="cut"):
    """The nodes that come into a state with a step."""
    before = explorer.tree.steps[explorer.tree.steps.index(step) - 1].looks
    return [n for n, look in enumerate(step.looks) if look.state == state and before[n] != look]


def cuts_of(explorer):
    return [step for step in explorer.tree.steps if step.kind == "cut"]


def orders(explorer):
    """The node counts beside the orders in the menu."""
    return {name: int(nodes) for name, nodes in re.findall(r">([\w-]+) \((\d+) nodes\)<", explorer.html)}


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize("order", ORDERS)
def test_nodes_windows_and_cuts_are_those_of_a_textbook_and_of_alphabeta(board, order):
    def below(board):
        return worth(board, mine) if board.over else [(move, board.play(move)) for move in ORDERS[order](board)]

    explorer, found, mine = Explorer(board, order=order), alphabeta(board, order=order), board.turn
    expected, steps = searched(board, below), explorer.tree.steps
    assert expected.values[()] == found.value == explorer.tree.nodes[0].value
    visits = [step for step in steps if step.kind in ("visit", "leaf")]
    assert [(step.node.path, (step.alpha.value, step.beta.value)) for step in visits] == [*expected.arrived.items()]
    cuts = Counter(path[:-1] for path, value in expected.values.items() if value == "cut")
    assert [(step.node.path, len(step.rest)) for step in cuts_of(explorer)] == [*cuts.items()]
    assert len(visits) == found.nodes == steps[-1].visits
    states = [look.state for look in steps[-1].looks]
    assert set(states) <= {"done", "cut"} and states.count("done") == found.nodes
    assert len(states) == minimax(board).nodes


@pytest.mark.parametrize("order", ORDERS)
def test_every_value_in_the_tree_is_true_of_its_position(order):
    for board in BOARDS:
        explorer = Explorer(board, order=order)
        for step in explorer.tree.steps:
            for number in changed(explorer, step, "done"):
                sign, text = re.fullmatch(r"([≤≥]?) ?([+−]?\d)", step.looks[number].label).groups()
                true, said = worth(explorer.tree.nodes[number].board, board.turn), int(text.replace("−", "-"))
                assert {"": true == said, "≤": true <= said, "≥": true >= said}[sign]


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize("order", ORDERS)
def test_the_words_of_a_cut_name_the_sides_the_values_and_the_cells(board, order):
    """Each part of the sentence is checked against the positions themselves, and against the rest of the tree."""
    explorer, mine = Explorer(board, order=order), board.turn
    other = "O" if mine == "X" else "X"
    has_most, gets_most = rf"{other} already holds {mine} to at most (\S+)", rf"{other} holds {mine} to at most (\S+)"
    has_least, gets_least = rf"{mine} already has at least (\S+)", rf"{mine} gets at least (\S+)"
    for step in cuts_of(explorer):
        node, above = step.node, other if step.node.is_max else mine
        has, gets = (has_most, gets_least) if node.is_max else (has_least, gets_most)
        known, here = (step.beta, step.alpha) if node.is_max else (step.alpha, step.beta)
        found = re.fullmatch(
            rf"{has} with cell (\d)( at the root|, (\d) plies up)?\. Here {gets} with cell (\d), "
            rf"so (?:{above} will not (?:play cell {node.move}|let it come to this)"
            rf"|(?:cell {node.move}|coming here) (gains) {above} nothing): "
            r"(\d) moves? (?:is|are) cut off \((\d+) nodes?\)\.",
            step.text,
        )
        assert found, step.text
        has, cell, where, up, gets, reply, nothing, moves, nodes = found.groups()
        assert (has, gets) == (signed(known.value), signed(here.value))
        assert int(reply) == node.children[-len(step.rest) - 1].move and bool(nothing) == (known.value == here.value)
        cut = changed(explorer, step)
        firsts = [number for number in cut if explorer.tree.nodes[number].parent == node.number]
        assert (int(moves), int(nodes)) == (len(firsts), len(cut))
        place = node.path[: -int(up or 1)] if where != " at the root" else ()
        assert (where == " at the root") == (place == ())
        there = next(each.board for each in explorer.tree.nodes if each.path == (*place, int(cell)))
        most, least = (there, node.board) if node.is_max else (node.board, there)
        assert worth(most, mine) <= step.beta.value and worth(least, mine) >= step.alpha.value


def test_the_first_cut_says_what_one_would_say_at_the_blackboard():
    assert cuts_of(Explorer(BLOCK))[0].text == (
        "X already holds O to at most −1 with cell 2. Here O gets at least +1 with cell 2, so X will not play cell 7: "
        "1 move is cut off (2 nodes)."
    )


def test_another_order_costs_what_alphabeta_says_and_is_shown_at_its_end_to_whoever_saw_the_end():
    explorer = Explorer(X_TO_MOVE)
    assert len(explorer.tree.nodes) == 98
    assert (orders(explorer)["row-major"], orders(explorer)["best-gain"]) == (73, 10)
    for order in (*ORDERS, "row-major"):
        before = explorer.tree.visited
        press(explorer, "order", order)
        assert explorer.tree.visited == alphabeta(X_TO_MOVE, order=order).nodes == orders(explorer)[order]
        assert f"Before, it was {before}." in explorer.message and explorer.step == 0
    explorer.step = 10_000
    explorer.change(order="best-gain")
    assert explorer.step == len(explorer.tree.steps) - 1
    explorer.change(depth=2)
    assert "Before" not in explorer.message


REFUSED = [
    ({"board": Board()}, r"more than 400 nodes.*2 plies ahead \(depth=2\).*start later"),
    ({"board": Board(shape=(4, 4, 4)), "depth": 1}, "flat boards"),
    ({"board": Board.from_text("XXX OO- ---")}, "game is over"),
    ({"depth": 0}, "depth is 0"),
    ({"order": "random"}, "random"),
]


@pytest.mark.parametrize("wrong, said", REFUSED)
def test_what_can_not_be_drawn_is_refused_with_what_to_do(wrong, said):
    with pytest.raises(BadSearch, match=said):
        Explorer(**wrong)


def test_a_change_that_is_refused_changes_nothing_and_goes_on_with_the_practice():
    explorer = Explorer(BLOCK)
    explorer.practise(seed=1)
    before = explorer.tree, explorer.step, explorer.message, explorer.practice
    with pytest.raises(BadSearch, match="bad"):
        explorer.change(order="bad")
    assert (explorer.tree, explorer.step, explorer.message, explorer.practice) == before and explorer.practice
    explorer.change(order="best-gain")
    assert explorer.tree.board == BLOCK and explorer.practice is None


def test_what_the_screen_asks_for_is_done_or_answered_in_words_and_the_page_told_how_each_node_looks():
    explorer = Explorer(BLOCK)
    press(explorer, "position", "The empty board")
    assert explorer.tree.board == Board() and explorer.tree.depth == 2
    press(explorer, "order", "random")
    assert explorer.tone == "error" and explorer.tree.order == "row-major"
    press(explorer, "step", 9)
    step = explorer.tree.steps[9]
    assert explorer.step == 9 and explorer.message == step.text
    for number, look in enumerate(step.looks):
        assert explorer.parts[f"label-{number}"] == {"text": look.label}
        assert explorer.parts[str(number)]["data-state"] == look.state
    ringed = [node.number for node in explorer.tree.nodes if "ringed" in explorer.parts[str(node.number)]["class"]]
    assert ringed == [step.node.number]


def test_next_cut_goes_from_cut_to_cut_and_then_to_the_end_and_the_read_out_follows():
    explorer = Explorer()
    assert explorer.tree.board.turn == "X" and explorer.tree.depth == 2
    assert orders(explorer)["best-gain"] < orders(explorer)["row-major"] < len(explorer.tree.nodes) == 26
    for step in [*cuts_of(explorer), explorer.tree.steps[-1]]:
        press(explorer, "next_cut")
        assert explorer.tree.steps[explorer.step] is step
        assert f"visited {step.visits} of 26" in explorer.html
    assert explorer.message.startswith("No more cuts.")
    press(explorer, "position", "Order is everything")
    assert explorer.step == 0 and explorer.message == explorer.tree.steps[0].text
    explorer = Explorer()
    explorer.step = explorer.tree.steps.index(cuts_of(explorer)[0])
    assert "MIN · α −1 · β −1 · visited 10 of 26" in explorer.html


@pytest.mark.parametrize("name", POSITIONS)
def test_every_position_of_the_menu_can_be_drawn_and_is_cut(name):
    explorer = Explorer()
    press(explorer, "position", name)
    assert cuts_of(explorer) and f"selected>{name}<" in explorer.html


def test_a_heuristic_judges_the_leaves_of_an_unfinished_tree():
    explorer = Explorer(Board(), 2, open_lines, order="most-lines")
    assert explorer.tree.nodes[0].value == alphabeta(Board(), 2, open_lines).value
    assert any("the heuristic says" in step.text for step in explorer.tree.steps)
    assert len(repr(explorer)) <= 110  # more would be cut off where it is shown


def test_nodes_stand_over_the_middle_of_their_children_and_never_on_each_other():
    drawn, rows = Tree(Explorer(FORK).tree.nodes), {}
    for node in drawn.nodes:
        rows.setdefault(node.ply, []).append(drawn.places[node.number])
        below = [drawn.places[child.number] for child in node.children]
        assert not below or drawn.places[node.number] == pytest.approx((below[0] + below[-1]) / 2)
    for row in rows.values():
        assert all(right - left > 0.999 for left, right in pairwise(row))
    assert min(drawn.places.values()) == 0


def test_its_picture_needs_no_kernel_and_its_text_is_a_sentence():
    explorer = Explorer(BLOCK)
    assert repr(explorer) == "Alpha-beta visits 29 of 49 nodes: O gets 0 with cell 2."
    assert explorer._repr_mimebundle_()[0]["text/plain"] == repr(explorer)
    picture = explorer.picture()
    assert repr(explorer) in picture.text and "The search is over" in str(picture)
    cut = sum(look.label.startswith("cut") for look in explorer.tree.steps[-1].looks)
    assert str(picture).count(">cut, ") == cut > 0
    assert ">the end<" in str(picture) and ">depth limit<" not in str(picture)
    assert ">depth limit<" in str(Explorer(BLOCK, 2).picture())  # where a game goes on
