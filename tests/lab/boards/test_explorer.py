"""The pruning explorer, without a browser: what it says about a search, and whether that is true."""

import re
from collections import Counter
from enum import Enum
from html import unescape
from itertools import pairwise
from math import inf
from typing import NamedTuple

import pytest
from conftest import naming
from games import Misere, Nim, nim, to_x
from lab.boards import Explorer, fill_in
from lab.boards.tree import POSITIONS
from lab.drawing.layout import SIDE, Tree, chip
from lab.drawing.narration import WORTH, explain_step, level_name, line_at_work, node_name
from lab.drawing.trees import SearchTree, game_tree
from oracles import other
from textbook import press, searched

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


WORDS = """
X is to move. X looks for the highest value (MAX), O for the lowest (MIN).
X plays 0. Now O has 2 moves.
O plays 1. Now X has 1 move.
X plays 4, and the game is a draw: 0 for X.
Move 4 is worth 0 to X: alpha changes from −∞ to 0.
Move 1 is worth 0 to X: beta changes from +∞ to 0.
O plays 4. Now X has 1 move.
X plays 1, and X wins: +1 for X.
Move 1 is worth +1 to X: alpha changes from −∞ to +1.
Move 4 is worth +1 to X: beta stays 0.
Move 0 is worth 0 to X: alpha changes from −∞ to 0.
"""
CUTS = {  # the number of a step in the tree of a board, and its words
    (X_TO_MOVE, 46): "Elsewhere X can get at least −1 with X's move 0. Here O can hold X to at most −1 with O's move 3 "
    "(after 1, 0, 4), so X has no reason to come here: 1 move is cut off (1 node).",
    (BLOCK, 48): "Elsewhere O can hold X to at most 0 with O's move 2. Here X can get at least 0 with X's move 1 "
    "(after 7), so O has no reason to come here: 2 moves are cut off (6 nodes).",
    (BLOCK, 8): "Move 7 is worth at most −1 to X: alpha stays +1.",
    (BLOCK, 49): "Move 7 is worth at least 0 to X: beta stays 0.",
}


def test_each_step_is_told_in_words():
    """The values and nodes in them are those of the steps, which are compared with a textbook's above."""
    tree = SearchTree(Board.from_text("--X X-O OXO"))
    assert [explain_step(tree, step) for step in tree.steps[:11]] == WORDS.strip().splitlines()
    end = "The search is over: X plays 1, worth +1 to X. Alpha-beta visited 14 nodes, minimax 16."
    assert explain_step(tree, tree.steps[-1]) == end
    for (board, number), words in CUTS.items():
        tree = SearchTree(board)
        assert explain_step(tree, tree.steps[number]) == words
    ahead = SearchTree(Nim(3), depth=1, numbers=lambda here: here.heap)
    assert explain_step(ahead, ahead.steps[1]) == "X plays 1, and here the search stops: +2 for X."


def test_a_tree_is_drawn_with_its_levels_edges_and_names():
    drawing = str(Explorer(Nim(2)).picture())
    assert re.findall(r'"translate\(([\d,]+)\)"', drawing) == ["56", "44,12", "12,128", "12,244", "76,128"]
    assert re.findall(r'class="branch" d="(.*?)"', drawing) == [  # from below the board above to the name of the move
        "M56 -36H24V-22",
        "M24 -36H24V-22",
        "M-8 -36H24V-22",
    ]
    assert re.findall(r'class="trail way" .*? d="(.*?)"', drawing) == ["M100 92H100V106"]  # the same, to its best move
    levels, tree = (
        ["▲ MAX", "X moves", "▼ MIN", "O moves", "the end"],
        ["2 left", "+1", "X plays 1", "1 left", "−1"],
    )
    tree += ["O plays 1", "0 left", "−1", "X plays 2", "0 left", "+1"]
    caption = ["The search is over: X plays 2, worth +1 to X.", "Alpha-beta visited 4 nodes, minimax 4."]
    assert re.findall(r">([^<]+)</text>", drawing) == tree + levels + caption


def test_the_lowest_level_is_the_end_only_if_all_games_are_over_there():
    _, *nodes = game_tree(Board.from_text("XX- OO- ---"), depth=1)
    over = [node for node in nodes if node.board.over]
    assert 0 < len(over) < len(nodes)
    assert level_name(nodes) == ("depth", "limit") and level_name(over) == ("the end",)


def test_another_order_costs_what_alphabeta_says_and_is_shown_at_its_end_if_the_end_was_shown_before():
    explorer = Explorer(X_TO_MOVE)
    assert explorer.tree.visited == 73
    for order in (*ORDERS, "row-major"):
        before = explorer.tree
        press(explorer, "order", order)
        visited = explorer.tree.visited
        assert visited == alphabeta(X_TO_MOVE, order=order).nodes and explorer.step == 0
        assert explorer.message.endswith(f" In {before.order} order it was {before.visited}.")
        assert explorer.message.startswith(f"Alpha-beta visits {visited} of 98 nodes: X plays ")
    explorer.go_to(10_000)
    press(explorer, "order", "best-gain")
    assert explorer.step == len(explorer.tree.steps) - 1


def test_another_position_is_searched_in_the_same_order():
    explorer = Explorer(Nim(4))
    explorer.do("position", "Much to cut off")
    explorer.do("order", "best-gain")
    for name in POSITIONS:
        explorer.do("position", name)
        assert explorer.tree.order == "best-gain" and explorer.tree.board == POSITIONS[name]
    explorer.do("position", "Your own")  # which has no lines to go by
    assert explorer.tree.order == "row-major" and explorer.tree.board == Nim(4)
    explorer.do("position", "X has to block")
    assert explorer.tree.order == "best-gain"
    assert Explorer(POSITIONS["X has to block"], "most-lines").tree.order == "most-lines"


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


@pytest.mark.parametrize(
    "label, side", [("+1", "X"), ("−1", "O"), ("0", ""), ("≥ +1", ""), ("≤ −1", ""), ("3 cut", ""), ("", ""), (" ", "")]
)
def test_behind_a_label_is_a_chip_of_its_width_in_the_colour_of_the_side_that_the_value_favours(label, side):
    behind = chip(label)
    width = float(behind["width"])
    assert behind["data-for"] == side and float(behind["x"]) + width / 2 == pytest.approx(SIDE / 2)
    assert (width > 7 * len(label)) if label.strip() else (width == 0)


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


def test_moves_have_the_names_that_a_game_gives_them():
    explorer = Explorer(nim("Told", 3, describe=lambda self, take: f"take <{take}> of {self.heap}"))
    for node in explorer.tree.nodes[1:]:
        above = explorer.tree.nodes[node.parent].board.heap
        assert node.names[-1] == f"take <{node.move}> of {above}"
        assert f">{node.mover}: take &lt;{node.move}&gt; of {above}</text>" in explorer.html
    assert naming("X: take <3> of 3, worth +1").search(repr(explorer)) and "plays" not in repr(explorer)
    told = naming("O: take <1> of 2", "X has 1 move")
    assert any(told.search(explain_step(explorer.tree, step)) for step in explorer.tree.steps)
    assert "O's move take <1> of 2 (after take <1> of 3)" in [node_name(node) for node in explorer.tree.nodes]


@pytest.mark.parametrize(
    "describe, words", [(lambda self, take: self.heaps, "no attribute 'heaps'"), (lambda self, take: None, "not None")]
)
def test_a_faulty_name_is_shown_and_keeps_boards_close_together(describe, words):
    explorer = Explorer(nim("Misnamed", 3, describe=describe))
    for node in explorer.tree.nodes[1:]:
        assert words in node.names[-1]
    assert explorer.tree.nodes[0].value == 1 and Tree(explorer.tree.nodes).pitch < 250
    assert words in unescape(explorer.html)  # for screen readers, in full


@pytest.mark.parametrize(
    "words, shown",
    [
        ("2 sheep", [">2 sheep<"]),
        ("20 sheep", [">▲<"]),
        ("a & b", [">a &amp; b<"]),
        ("a\nb", [">▲<", ">▼<", ">●<"]),
    ],
)
def test_a_position_shows_its_text_if_that_is_short_or_a_mark(words, shown):
    html = Explorer(nim("Told", 2, __str__=lambda self: words)).html
    assert all(part in html for part in shown)


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


def test_its_picture_needs_no_kernel_and_its_text_is_a_summary():
    explorer = Explorer(BLOCK)
    assert repr(explorer) == "Alpha-beta visits 29 of 49 nodes: O plays 2, worth 0 to X."
    picture = explorer.picture()
    end = explain_step(explorer.tree, explorer.tree.steps[-1])
    words = " ".join(re.findall(r">([^<]+)</text>", unescape(str(picture))))  # the caption is in several lines
    assert repr(explorer) in picture.text and end in words
    cut = Counter(f"{node.size}" for step in cuts_of(explorer.tree) for node in step.rest)
    assert Counter(re.findall(r">(\d+) cut<", str(picture))) == cut and cut
    assert ">the end<" in str(picture) and ">depth limit<" not in str(picture)
