"""The pruning explorer, without a browser: what it tells of a search, and whether that is true."""

import re
from functools import cache
from itertools import pairwise
from math import inf

import pytest

from ttt.board import Board
from ttt.heuristics import open_lines
from ttt.search import BadSearch, alphabeta, minimax
from ttt.svg import Picture, signed
from ttt.trees import Tree, TreeTooLarge
from ttt.widgets import Explorer
from ttt.widgets.tree import POSITIONS

BLOCK = Board.from_text("O-- OXX X--")
X_TO_MOVE = Board.from_text("--X --X OO-")
FORK = Board.from_text("-X- -XO --O")
BOARDS = [BLOCK, X_TO_MOVE, FORK, Board.from_text("X-- O-O --X"), Board.from_text("XO- -X- O--")]
ORDERS = ["row-major", "most-lines", "best-gain"]


def worth(board, player):
    """What a position is really worth to a player."""
    if board.over:
        return 0 if board.winner is None else 1 if board.winner == player else -1
    return _best(board) if board.turn == player else -_best(board)


@cache
def _best(board):
    return max(worth(board.play(move), board.turn) for move in board.moves)


def textbook(board, player, alpha, beta, seen):
    """Alpha-beta with max and min, as in a textbook: alpha and beta are player's at every node, as `seen` notes."""
    seen.append((board, alpha, beta))
    if board.over:
        return worth(board, player)
    best = -inf if board.turn == player else inf
    for move in board.moves:
        value = textbook(board.play(move), player, alpha, beta, seen)
        if board.turn == player:
            best = max(best, value)
            alpha = max(alpha, best)
        else:
            best = min(best, value)
            beta = min(beta, best)
        if alpha >= beta:
            break
    return best


def steps_of(board, **options):
    steps = []
    alphabeta(board, watch=steps.append, **options)
    return steps


def nodes(explorer):
    return explorer.tree.nodes


def changed(explorer, frame, state="cut"):
    """The nodes that come into a state with a frame."""
    before = explorer.frames[explorer.frames.index(frame) - 1].looks
    return [n for n, look in enumerate(frame.looks) if look.state == state and before[n] != look]


def orders(explorer):
    """The node counts beside the orders in the menu."""
    return {name: int(nodes) for name, nodes in re.findall(r">([\w-]+) \((\d+) nodes\)<", explorer.html)}


def press(explorer, action, value=None):
    explorer._handle_custom_msg({"do": action, "value": value}, [])


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize("order", ORDERS)
def test_it_tells_every_step_of_the_search_but_for_two_that_would_say_nothing(board, order):
    explorer = Explorer(board, order=order)
    steps, found = steps_of(board, order=order), alphabeta(board, order=order)
    kinds = ("visit", "leaf", "value")
    told = {kind: sum(frame.kind == kind for frame in explorer.frames) for kind in kinds}
    assert told == {kind: sum(step.kind == kind for step in steps) for kind in told}
    assert told["visit"] + told["leaf"] == found.nodes == explorer.frames[-1].visits == explorer.search.nodes
    cuts = [frame for frame in explorer.frames if frame.kind == "cut"]
    assert len(cuts) <= found.cutoffs
    assert all(changed(explorer, frame) for frame in cuts)


def test_without_other_options_what_is_visited_and_what_is_cut_off_are_the_whole_tree():
    for board in BOARDS:
        for order in ("row-major", "most-lines", "best-gain"):
            explorer = Explorer(board, order=order)
            looks = explorer.frames[-1].looks
            assert {look.state for look in looks} <= {"done", "cut"}
            assert sum(look.state == "done" for look in looks) == alphabeta(board, order=order).nodes
            assert len(looks) == minimax(board).nodes == explorer.minimax.nodes


@pytest.mark.parametrize("board", BOARDS)
def test_alpha_and_beta_are_those_of_a_textbook_with_max_and_min(board):
    seen = []
    assert textbook(board, board.turn, -inf, inf, seen) == alphabeta(board).value
    explorer = Explorer(board)
    entered = [frame for frame in explorer.frames if frame.kind in ("visit", "leaf")]
    assert [(nodes(explorer)[frame.node].board, frame.alpha, frame.beta) for frame in entered] == seen


@pytest.mark.parametrize("order", ORDERS)
def test_every_value_in_the_tree_is_true_of_its_position(order):
    for board in BOARDS:
        explorer = Explorer(board, order=order)
        for frame in explorer.frames:
            for number in changed(explorer, frame, "done"):
                sign, text = re.fullmatch(r"([≤≥]?) ?([+−]?\d)", frame.looks[number].label).groups()
                true, said = worth(nodes(explorer)[number].board, board.turn), int(text.replace("−", "-"))
                assert {"": true == said, "≤": true <= said, "≥": true >= said}[sign]


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize("order", ["row-major", "most-lines", "best-gain"])
def test_the_words_of_a_cut_name_the_sides_the_values_and_the_cells(board, order):
    """Each part of the sentence is checked against the positions themselves, and against the rest of the tree."""
    explorer, mine = Explorer(board, order=order), board.turn
    other = "O" if mine == "X" else "X"
    for frame in (frame for frame in explorer.frames if frame.kind == "cut"):
        node = nodes(explorer)[frame.node]
        side = mine if node.ply % 2 == 0 else other
        above = other if side == mine else mine
        has = f"{mine} already has at least" if above == mine else f"{other} already holds {mine} to at most"
        gets = f"{mine} gets at least" if side == mine else f"{other} holds {mine} to at most"
        known, here = (frame.beta, frame.alpha) if side == mine else (frame.alpha, frame.beta)
        cell, reply = r"cell (\d)", re.escape(signed(here))
        head = (
            rf"{has} {re.escape(signed(known))} with {cell}( at the root|, (\d) plies up)?\. Here {gets} {reply} with"
        )
        found = re.match(rf"{head} {cell}, so (.*): (\d) moves? (?:is|are) cut off \((\d+) nodes?\)\.$", frame.text)
        assert found, frame.text
        assert int(found[4]) == nodes(explorer)[frame.came].move and node.board.turn == side
        ends = [f"{above} will not play cell {node.move}", f"cell {node.move} gains {above} nothing"]
        ends += [f"{above} will not let it come to this", f"coming here gains {above} nothing"]
        assert found[5] in ends and ("nothing" in found[5]) == (known == here)
        cut = changed(explorer, frame)
        firsts = [number for number in cut if nodes(explorer)[number].parent == node.number]
        assert int(found[6]) == len(firsts) and int(found[7]) == len(cut)
        up = node.ply if found[2] == " at the root" else int(found[3] or 1)
        there = worth(_up(explorer, node, up).board.play(int(found[1])), mine)
        assert there >= known if above == mine else there <= known
        true = worth(node.board, mine)
        assert true >= here if side == mine else true <= here


def _up(explorer, node, plies):
    """The node so many plies above another."""
    return node if plies == 0 else _up(explorer, nodes(explorer)[node.parent], plies - 1)


def test_the_first_cut_says_what_one_would_say_at_the_blackboard():
    first = next(frame for frame in Explorer(BLOCK).frames if frame.kind == "cut")
    assert first.text == (
        "X already holds O to at most −1 with cell 2. Here O gets at least +1 with cell 2, so X will not play cell 7: "
        "1 move is cut off (2 nodes)."
    )


def test_another_order_costs_what_alphabeta_says():
    explorer = Explorer(X_TO_MOVE)
    for order in ("row-major", "most-lines", "best-gain"):
        explorer.change(order=order)
        assert explorer.search.nodes == alphabeta(X_TO_MOVE, order=order).nodes == orders(explorer)[order]
    assert (orders(explorer)["row-major"], orders(explorer)["best-gain"]) == (73, 10)
    assert explorer.minimax.nodes == 98
    explorer.change(order="row-major")
    assert "Before, it was 10." in explorer.message


def test_another_order_is_shown_from_its_end_to_whoever_saw_the_end():
    explorer = Explorer()
    explorer.change(order="best-gain")
    assert explorer.step == 0
    explorer.step = 10_000
    assert explorer.step == len(explorer.frames) - 1
    explorer.change(order="row-major")
    assert explorer.step == len(explorer.frames) - 1


def test_a_tree_that_is_too_large_is_refused_with_what_to_do():
    with pytest.raises(TreeTooLarge, match=r"549,946 nodes.*limit is 400.*depth=2: 82 nodes.*start later"):
        Explorer(Board())
    with pytest.raises(TreeTooLarge, match=r"more than 400 nodes.*depth=1: 65 nodes"):
        Explorer(Board(shape=(8, 8), k=4))
    assert Explorer(Board(), depth=2).minimax.nodes == 82


def test_what_can_not_be_drawn_is_refused():
    with pytest.raises(BadSearch, match="flat boards"):
        Explorer(Board(shape=(4, 4, 4)), depth=1)
    with pytest.raises(BadSearch, match="game is over"):
        Explorer(Board.from_text("XXX OO- ---"))
    with pytest.raises(BadSearch, match="no option deepening"):
        Explorer(deepening=True)
    with pytest.raises(BadSearch, match="random"):
        Explorer(order="random")
    with pytest.raises(BadSearch, match="steps are 0 to"):
        Explorer().picture(1000)


def test_what_the_screen_asks_for_is_done_or_answered_in_words():
    explorer = Explorer(BLOCK)
    press(explorer, "order", "best-gain")
    assert explorer.search.nodes == alphabeta(BLOCK, order="best-gain").nodes
    press(explorer, "position", "The empty board")
    assert explorer.board == Board() and explorer.search.depth == 2
    press(explorer, "step", 3)
    assert explorer.step == 3 and explorer.message == explorer.frames[3].text
    press(explorer, "order", "random")
    assert explorer.tone == "error" and explorer.search.depth == 2


def test_next_cut_goes_from_cut_to_cut_and_then_to_the_end():
    explorer = Explorer()
    cuts = [number for number, frame in enumerate(explorer.frames) if frame.kind == "cut"]
    for number in [*cuts, len(explorer.frames) - 1]:
        press(explorer, "next_cut")
        assert explorer.step == number


def test_the_read_out_says_where_the_search_is():
    explorer = Explorer()
    press(explorer, "next_cut")
    assert "MIN · α −1 · β −1 · visited 10 of 26" in explorer.html


def test_the_page_is_told_how_each_node_looks_and_which_one_it_is_about():
    explorer = Explorer(BLOCK)
    explorer.step = 9
    frame = explorer.frames[9]
    for number, look in enumerate(frame.looks):
        assert explorer.parts[f"label-{number}"] == {"text": look.label}
        assert explorer.parts[str(number)]["data-state"] == look.state
    assert [n for n in range(49) if "ringed" in explorer.parts[str(n)]["class"]] == [frame.node]


def test_every_position_of_the_menu_can_be_drawn_and_is_cut():
    for text, depth in POSITIONS.values():
        explorer = Explorer(Board.from_text(text), depth)
        assert any(frame.kind == "cut" for frame in explorer.frames)
        assert explorer.search.nodes < explorer.minimax.nodes


def test_in_the_first_position_x_is_max_and_a_better_order_cuts_more():
    text, depth = next(iter(POSITIONS.values()))
    explorer = Explorer()
    assert explorer.board == Board.from_text(text) and explorer.search.depth == depth
    assert explorer.search.player == explorer.board.turn == "X"
    assert orders(explorer)["best-gain"] < orders(explorer)["row-major"] < explorer.minimax.nodes
    assert Explorer(depth=1).search.depth == 1 and Explorer(Board.from_text(text)).search.depth == 5


def test_a_heuristic_judges_the_leaves_of_an_unfinished_tree():
    explorer = Explorer(Board(), 2, open_lines, order="most-lines")
    assert explorer.search.value == alphabeta(Board(), 2, open_lines).value
    assert any("depth limit is reached: the heuristic says" in frame.text for frame in explorer.frames)


def test_nodes_stand_over_the_middle_of_their_children_and_never_on_each_other():
    drawn, rows = Tree(nodes(Explorer(FORK))), {}
    for node in drawn.nodes:
        rows.setdefault(node.ply, []).append(drawn.places[node.number])
        below = [drawn.places[child] for child in node.children]
        assert not below or drawn.places[node.number] == pytest.approx((below[0] + below[-1]) / 2)
    for row in rows.values():
        assert all(right - left > 0.999 for left, right in pairwise(row))
    assert min(drawn.places) == 0


def test_its_picture_needs_no_kernel_and_its_text_is_a_sentence():
    explorer = Explorer(BLOCK)
    assert repr(explorer) == "Alpha-beta visits 29 of 49 nodes: O gets 0 with cell 2."
    assert len(repr(Explorer(Board(), 2, open_lines))) <= 110  # more would be cut off where it is shown
    assert explorer._repr_mimebundle_()[0]["text/plain"] == repr(explorer)
    end, start = explorer.picture(), explorer.picture(0)
    assert isinstance(end, Picture) and "The search is over" in end.text and "Step 0 of" in start.text
    assert str(end).count(">cut, ") == sum(look.label.startswith("cut") for look in explorer.frames[-1].looks) > 0
    assert str(start).count("cut, ") == 0


@pytest.mark.parametrize(
    "wrong, said",
    [
        ({"depth": 0}, "1 or more, not 0"),
        ({"depth": "x"}, "A depth is a whole number of plies, 1 or more, not 'x'"),
        ({"depth": -1}, "1 or more"),
        ({"bogus": 1}, "no option bogus; it takes board, depth, heuristic, order"),
        ({"order": ["row-major"]}, "no order"),
        ({"board": "X--------"}, "needs a Board, not 'X"),
    ],
)
def test_what_the_explorer_can_not_take_is_told_in_a_sentence(wrong, said):
    with pytest.raises(BadSearch, match=said):
        Explorer(**wrong)


def test_looking_less_far_ahead_leaves_the_position_its_name():
    explorer = Explorer()
    explorer.change(depth=1)
    assert f"selected>{next(iter(POSITIONS))}<" in explorer.html


def test_what_it_was_before_is_said_of_the_same_tree_only():
    explorer = Explorer(order="best-gain")
    for change in ({"depth": 2}, {"board": X_TO_MOVE}, {"heuristic": open_lines}):
        explorer.change(**change)
        assert "Before" not in explorer.message
    explorer.change(order="row-major")
    assert "Before, it was" in explorer.message


def test_the_last_row_is_the_end_only_where_no_game_goes_on():
    assert ">the end<" in Explorer(BLOCK).html and ">depth limit<" not in Explorer(BLOCK).html
    assert ">depth limit<" in Explorer(BLOCK, 2).html
