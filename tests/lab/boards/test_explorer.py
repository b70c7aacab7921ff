"""The pruning explorer, without a browser: what it says about a search, and whether that is true."""

import re
from collections import Counter
from enum import Enum
from itertools import pairwise
from math import inf
from typing import NamedTuple

import pytest
from conftest import naming
from games import Misere, Nim, nim, to_x
from lab.boards import Explorer, fill_in
from lab.drawing.layout import SIDE, Tree
from lab.drawing.narration import WORTH, explain_step, level_name, line_at_work
from lab.drawing.trees import SearchTree, game_tree
from oracles import other
from textbook import searched

from ttt.board import Board
from ttt.search import ORDERS, BadSearch, alphabeta, minimax

BLOCK = Board.from_text("O-- OXX X--")
X_TO_MOVE = Board.from_text("--X --X OO-")
FORK = Board.from_text("-X- -XO --O")
BOARDS = [BLOCK, X_TO_MOVE, FORK, Board.from_text("X-- O-O --X"), Board.from_text("XO- -X- O--")]


def changed(tree, step, state="cut"):
    """The nodes that a step brings into a state."""
    before = tree.steps[tree.steps.index(step) - 1].looks
    return [n for n, look in enumerate(step.looks) if look.state == state and before[n] != look]


def cuts_of(tree):
    return [step for step in tree.steps if step.kind == "cut"]


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize("order", ORDERS)
def test_nodes_windows_and_cuts_are_those_of_a_textbook_and_of_alphabeta(board, order):
    def below(board):
        return to_x(board) if board.over else [(move, board.play(move)) for move in ORDERS[order](board)]

    tree, search = SearchTree(board, order=order), alphabeta(board, order=order)
    expected = searched(board, below, highest=board.turn == "X")
    assert expected.values[()] == tree.nodes[0].value == (search.value if board.turn == "X" else -search.value)
    visits = [step for step in tree.steps if step.kind in ("visit", "leaf")]
    assert [(step.node.path, (step.alpha.value, step.beta.value)) for step in visits] == [*expected.arrived.items()]
    cuts = Counter(path[:-1] for path, value in expected.values.items() if value == "cut")
    assert [(step.node.path, len(step.rest)) for step in cuts_of(tree)] == [*cuts.items()]
    states = [look.state for look in tree.steps[-1].looks]
    assert set(states) <= {"done", "cut"} and len(states) == minimax(board).nodes
    assert len(visits) == search.nodes == tree.visited == states.count("done")


@pytest.mark.parametrize("order", ORDERS)
def test_every_value_in_the_tree_is_true_of_its_position_seen_from_x(order):
    for board in BOARDS:
        tree = SearchTree(board, order=order)
        for step in tree.steps:
            for number in changed(tree, step, "done"):
                sign, text = re.fullmatch(r"([≤≥]?) ?([+−]?\d)", step.looks[number].label).groups()
                true, said = to_x(tree.nodes[number].board), int(text.replace("−", "-"))
                assert {"": true == said, "≤": true <= said, "≥": true >= said}[sign]


def test_the_code_on_the_page_finds_the_value_and_has_a_line_for_each_kind_of_step():
    names = {"inf": inf, "in_order": ORDERS["row-major"]}
    exec("\n".join(line for _, line in WORTH), names)
    at_work = {line_at_work(step) for board in BOARDS for step in SearchTree(board).steps}
    assert at_work == {kind for kind, _ in WORTH if kind} == {"visit", "leaf", "value MAX", "value MIN", "cut", "end"}
    for board in BOARDS:
        assert names["worth"](board, -inf, inf) == to_x(board)


def test_the_lowest_level_is_the_end_only_if_all_games_are_over_there():
    _, *nodes = game_tree(Board.from_text("XX- OO- ---"), depth=1)
    over = [node for node in nodes if node.board.over]
    assert 0 < len(over) < len(nodes)
    assert level_name(nodes) == ("depth", "limit") and level_name(over) == ("the end",)


REFUSED = [
    ({"board": Board()}, ["400 nodes", "later"]),
    ({"board": Board(shape=(5, 5))}, ["400 nodes", "later"]),
    ({"board": Board(shape=(4, 4, 4))}, ["flat boards", "3×3"]),
    ({"board": Board.from_text("XXX OO- ---")}, ["game is over"]),
    ({"order": "random"}, ["'random'", *ORDERS]),
    ({"board": Nim(3), "order": "best-gain"}, ["order best-gain", "boards only", "leave out `order`"]),
]


@pytest.mark.parametrize("wrong, words", REFUSED)
def test_what_cannot_be_drawn_is_refused_with_what_to_do(wrong, words):
    with pytest.raises(BadSearch, match=naming(*words)):
        Explorer(**wrong)


def chain(nodes):
    """A game with this many positions, one after another."""
    return nim("Chain", nodes - 1, moves=property(lambda self: (1,) if self.heap else ()))


@pytest.mark.parametrize("show, most", [(Explorer, 400), (fill_in, 60)])
def test_a_tree_may_have_as_many_nodes_as_it_says(show, most):
    show(chain(most))
    with pytest.raises(BadSearch, match=f"^This tree has more than {most} nodes. Start later in the game.$"):
        show(chain(most + 1))


@pytest.mark.parametrize("game", [Nim(4), Nim(3, "O"), Misere("XX-OOXO--")])
def test_any_game_is_searched_and_described_by_the_names_of_its_own_moves(game):
    explorer, search = Explorer(game), alphabeta(game)
    tree = explorer.tree
    assert tree.nodes[0].value == (search.value if game.turn == "X" else -search.value)
    assert (tree.visited, len(tree.nodes)) == (search.nodes, minimax(game).nodes)
    assert naming(f"{game.turn} plays {search.move},").search(repr(explorer)) and "most-lines" not in explorer.html
    for node in tree.nodes[1:]:
        assert f">{node.mover} plays {node.move}</text>" in explorer.html
    assert all("cell" not in explain_step(tree, step) and "line" not in explain_step(tree, step) for step in tree.steps)
    filling = fill_in(game)
    filling.check(filling.solution)
    assert filling.tone == "end"


class Pair(NamedTuple):
    """What a student may write: moves without an order, no length, markup, and an `__eq__` that checks no type."""

    left: tuple[int, ...] = (1, 2)
    turn: str = "X"

    moves = property(lambda self: [{1: "<1>", 2: Take.TWO, 3: (3, None)}[n] for n in self.left])
    over = property(lambda self: not self.left)
    winner = property(lambda self: other(self.turn) if self.over else None)

    def play(self, move):
        return Pair(self.left[: self.moves.index(move)], other(self.turn))

    def __len__(self):
        return 0

    def __eq__(self, position):
        return (self.left, self.turn) == (position.left, position.turn)

    def __hash__(self):
        return hash((self.left, self.turn))


Take = Enum("Take", ["ONE", "TWO"])


def test_a_tree_shows_any_positions_and_moves_escaped_and_apart():
    explorer = Explorer(Pair((1, 2, 3)))
    assert explorer.tree.nodes[0].value == 1 and ">X plays &lt;1&gt;</text>" in explorer.html
    assert "<1>" not in explorer.html + str(explorer.picture()) and ">X plays 3, None</text>" in explorer.html
    drawn = Tree(explorer.tree.nodes)
    assert drawn.pitch > 5.5 * len("O plays Take.TWO")
    for view in (explorer, fill_in(Pair())):
        assert view.snapshot() and "0x" not in view.html
    explorer.when_position("Much to cut off")
    explorer.when_position("Your own")
    assert explorer.tree.board == Pair((1, 2, 3))


def test_nodes_are_over_the_middle_of_their_children_and_no_board_or_name_covers_another():
    drawn, rows = Tree(SearchTree(FORK).nodes), {}
    for node in drawn.nodes.values():
        rows.setdefault(node.ply, []).append(drawn.places[node.number])
        below = [drawn.places[child.number] for child in node.children]
        assert not below or drawn.places[node.number] == pytest.approx((below[0] + below[-1]) / 2)
    for row in rows.values():
        assert all(right - left > 0.999 for left, right in pairwise(row))
    assert min(drawn.places.values()) == 0
    assert drawn.pitch > 5.5 * len("X plays 0")  # the width of its letters


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize("order", ORDERS)
def test_the_trail_leads_to_where_the_search_is_and_in_the_end_down_the_best_moves(board, order):
    explorer = Explorer(board, order)
    tree, layout = explorer.tree, Tree(explorer.tree.nodes)
    for number in (0, 3, len(tree.steps) // 2, len(tree.steps)):
        explorer.go_to(number)
        step = tree.steps[explorer.step]
        end = tree.variation if step.kind == "end" else step.node
        corners = re.findall(r"H([\d.]+)V([\d.]+)", explorer.parts["way"]["d"])
        way = [node for node in tree.nodes if node.path and node.path == end.path[: node.ply]]
        places = [(x + SIDE / 2, y) for x, y in map(layout.place, reversed(way))]
        assert [float(x) for x, _ in corners] == [x for x, _ in places]
        assert all(8 < y - float(end) < 30 for (_, end), (_, y) in zip(corners, places, strict=True))  # above a name
    here = board
    for move in tree.variation.path:
        here = here.play(move)
        assert to_x(here) == to_x(board)
    assert here.over
