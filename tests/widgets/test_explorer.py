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
from ttt.widgets import Explorer
from ttt.widgets.narrator import looks_after
from ttt.widgets.trace import TreeTooLarge
from ttt.widgets.tree import POSITIONS, ExplorerTree

BLOCK = Board.from_text("O-- OXX X--")
X_TO_MOVE = Board.from_text("--X --X OO-")
FORK = Board.from_text("-X- -XO --O")
BOARDS = [BLOCK, X_TO_MOVE, FORK, Board.from_text("X-- O-O --X"), Board.from_text("XO- -X- O--")]
OPTIONS = [
    {},
    {"order": "best-gain"},
    {"order": "most-lines", "killer": True},
    {"table": True},
    {"symmetry": True},
    {"table": True, "symmetry": True},
    {"pvs": True},
    {"killer": True, "table": True, "symmetry": True, "pvs": True, "order": "best-gain"},
]


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
    return explorer._trace.nodes


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize("options", OPTIONS)
def test_it_tells_every_step_of_the_search_but_for_two_that_would_say_nothing(board, options):
    explorer = Explorer(board, **options)
    steps, found = steps_of(board, **options), alphabeta(board, **options)
    kinds = ("visit", "leaf", "value", "symmetric")
    told = {kind: sum(frame.kind == kind for frame in explorer.frames) for kind in kinds}
    assert told == {kind: sum(step.kind == kind for step in steps) for kind in told}
    assert told["visit"] + told["leaf"] == found.nodes == explorer.frames[-1].visits == explorer.search.nodes
    cuts = [frame for frame in explorer.frames if frame.kind == "cut"]
    assert len(cuts) <= found.cutoffs
    assert all(any(change.state == "cut" for change in frame.changes) for frame in cuts)


def test_without_other_options_what_is_visited_and_what_is_cut_off_are_the_whole_tree():
    for board in BOARDS:
        for order in ("row-major", "most-lines", "best-gain"):
            explorer = Explorer(board, order=order)
            looks = looks_after(explorer.frames, len(nodes(explorer)))
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


def test_a_step_is_turned_to_the_side_to_move_at_the_root():
    for event, step in zip(Explorer(BLOCK)._trace.events, steps_of(BLOCK), strict=True):
        board = BLOCK
        for move in event.node.path:
            board = board.play(move)
        assert board == step.board == event.node.board and event.kind == step.kind
        if step.ply % 2:
            assert (event.alpha, event.beta) == (-step.beta, -step.alpha)
            assert event.value == (None if step.value is None else -step.value)
        else:
            assert (event.alpha, event.beta, event.value) == (step.alpha, step.beta, step.value)
        assert step.move is None or event.child.path == (*event.node.path, step.move)


@pytest.mark.parametrize("options", OPTIONS)
def test_every_value_in_the_tree_is_true_of_its_position(options):
    for board in BOARDS:
        explorer = Explorer(board, **options)
        for frame in explorer.frames:
            for change in frame.changes:
                if change.state == "done":
                    sign, number = re.fullmatch(r"([≤≥]?) ?([+−]?\d)", change.label).groups()
                    true, said = worth(nodes(explorer)[change.first].board, board.turn), int(number.replace("−", "-"))
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
        cut = [change for change in frame.changes if change.state == "cut"]
        assert int(found[6]) == len(cut) and int(found[7]) == sum(change.count for change in cut)
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


def test_a_test_of_principal_variation_search_is_called_one():
    frames = Explorer(X_TO_MOVE, pvs=True).frames
    asked = [frame for frame in frames if frame.test]
    assert any("as a test only: is it worth more than" in frame.text for frame in asked)
    assert any(frame.kind == "cut" and "The only question is whether" in frame.text for frame in asked)
    assert not any(frame.test for frame in Explorer(X_TO_MOVE).frames)


def test_another_order_costs_what_alphabeta_says():
    explorer = Explorer(X_TO_MOVE)
    for order in ("row-major", "most-lines", "best-gain"):
        explorer.change(order=order)
        assert explorer.search.nodes == alphabeta(X_TO_MOVE, order=order).nodes == explorer.data["orders"][order]
    assert (explorer.data["orders"]["row-major"], explorer.data["orders"]["best-gain"]) == (73, 10)
    assert explorer.minimax.nodes == 98
    explorer.change(order="row-major")
    assert "Before, it was 10." in explorer.status["text"]


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
    with pytest.raises(BadSearch, match="leave deepening out"):
        Explorer(deepening=True)
    with pytest.raises(BadSearch, match="no order 'random'"):
        Explorer(order="random")
    with pytest.raises(BadSearch, match="steps are 0 to"):
        Explorer().picture(1000)


def test_what_the_screen_asks_for_is_done_or_answered_in_words():
    explorer = Explorer(BLOCK)
    explorer._handle_custom_msg({"change": {"order": "best-gain", "killer": True}}, [])
    assert explorer.search.nodes == alphabeta(BLOCK, order="best-gain", killer=True).nodes
    explorer._handle_custom_msg({"change": {"board": "--X--XOO-"}}, [])
    assert explorer.board == X_TO_MOVE and explorer.data["position"] == "Order is everything"
    explorer._handle_custom_msg({"change": {"board": "XXX---OO-"}}, [])
    assert explorer.board == X_TO_MOVE and "over" in explorer.status["text"] and explorer.status["tone"] == "error"
    explorer._handle_custom_msg({"change": {"board": "XX-------"}}, [])
    assert "X begins" in explorer.status["text"] and explorer.status["tone"] == "error"
    explorer._handle_custom_msg({"change": {"board": "---------"}}, [])
    assert "549,946" in explorer.status["text"] and explorer.board == X_TO_MOVE
    explorer._handle_custom_msg({"change": {"position": "The empty board"}}, [])
    assert explorer.board == Board() and explorer.data["options"]["depth"] == 2


def test_an_error_in_a_heuristic_is_told_with_its_line_when_the_screen_asked():
    def broken(board, player):
        return [][len(board.moves) - 7] if len(board.moves) < 8 else 0

    explorer = Explorer(Board(), 1, broken)
    explorer._handle_custom_msg({"change": {"depth": 2}}, [])
    assert explorer.status["text"].startswith("The explorer stopped with IndexError") and explorer.search.depth == 1


def test_every_position_of_the_menu_can_be_drawn_and_is_cut():
    for text, depth in POSITIONS.values():
        explorer = Explorer(Board.from_text(text), depth)
        assert any(frame.kind == "cut" for frame in explorer.frames)
        assert explorer.search.nodes < explorer.minimax.nodes


def test_in_the_first_position_x_is_max_and_a_better_order_cuts_more():
    text, depth = next(iter(POSITIONS.values()))
    explorer = Explorer()
    assert explorer.board == Board.from_text(text) and explorer.search.depth == depth
    assert explorer.data["max"] == explorer.board.turn == "X"
    assert explorer.data["orders"]["best-gain"] < explorer.data["orders"]["row-major"] < explorer.minimax.nodes
    assert Explorer(depth=1).search.depth == 1 and Explorer(Board.from_text(text)).search.depth == 5


def test_a_heuristic_judges_the_leaves_of_an_unfinished_tree():
    explorer = Explorer(Board(), 2, open_lines, order="most-lines")
    assert explorer.search.value == alphabeta(Board(), 2, open_lines).value
    assert any("depth limit is reached: the heuristic says" in frame.text for frame in explorer.frames)


def test_nodes_stand_over_the_middle_of_their_children_and_never_on_each_other():
    whole, folded = (tree(Explorer(FORK), is_folded) for is_folded in (False, True))
    for drawn in (whole, folded):
        rows = {}
        for node in (node for node in drawn.trace.nodes if drawn.shown[node.number]):
            rows.setdefault(node.ply, []).append(drawn.places[node.number])
            children = [drawn.places[child] for child in node.children if drawn.shown[child]]
            assert not children or drawn.places[node.number] == pytest.approx((children[0] + children[-1]) / 2)
        for row in rows.values():
            assert all(right - left > 0.999 for left, right in pairwise(row))
    assert min(whole.places) == 0 == min(folded.places) and max(folded.places) < max(whole.places)


def tree(explorer, folded):
    return ExplorerTree(explorer._trace, explorer.frames, folded)


@pytest.mark.parametrize("options", OPTIONS)
def test_folding_hides_nothing_that_the_search_comes_to(options):
    explorer = Explorer(FORK, **options)
    shown = tree(explorer, folded=True).shown
    assert all(shown[frame.node] for frame in explorer.frames)
    assert all(shown[node.parent] for node in nodes(explorer)[1:] if shown[node.number])
    assert sum(shown) == explorer.data["trees"][1]["drawing"].count('role="treeitem"')


def test_a_folded_tree_has_no_empty_rows():
    for board in BOARDS:
        explorer = Explorer(board, order="best-gain")
        folded = tree(explorer, folded=True)
        plies = {node.ply for node in nodes(explorer) if folded.shown[node.number]}
        lowest = max(plies) * (explorer.data["levels"][1][2] - explorer.data["levels"][0][2])
        assert lowest < folded.height < lowest + 110
    assert folded.height <= tree(explorer, folded=False).height


def test_its_picture_needs_no_kernel_and_its_text_is_a_sentence():
    explorer = Explorer(BLOCK)
    assert repr(explorer) == "Alpha-beta visits 29 of 49 nodes: O gets 0 with cell 2."
    assert len(repr(Explorer(Board(), 2, open_lines))) <= 110  # more would be cut off where it is shown
    assert explorer._repr_mimebundle_()[0]["text/plain"] == repr(explorer)
    end, start = explorer.picture(), explorer.picture(0)
    assert isinstance(end, Picture) and "The search is over" in end.text and "Step 0 of" in start.text
    assert str(end).count("cut, ") == sum(c.state == "cut" for frame in explorer.frames for c in frame.changes)
    assert str(start).count("cut, ") == 0


@pytest.mark.parametrize(
    "wrong, said",
    [
        ({"depth": 0}, "at least one ply ahead"),
        ({"depth": "x"}, "A depth is a whole number of plies, not 'x'"),
        ({"depth": -1}, "A depth is 0 plies or more"),
        ({"bogus": 1}, "no option bogus; it takes board, depth, heuristic, order"),
        ({"order": ["row-major"]}, "no order"),
        ({"board": "X--------"}, r"Board\.from_text"),
    ],
)
def test_what_the_explorer_can_not_take_is_told_in_a_sentence(wrong, said):
    with pytest.raises(BadSearch, match=said):
        Explorer(**wrong)


def test_looking_less_far_ahead_leaves_the_position_its_name():
    explorer = Explorer()
    explorer.change(depth=2)
    assert explorer.data["position"] == next(iter(POSITIONS))


def test_what_it_was_before_is_said_of_the_same_tree_only():
    explorer = Explorer(order="best-gain")
    for change in ({"depth": 2}, {"board": X_TO_MOVE}, {"heuristic": open_lines}):
        explorer.change(**change)
        assert "Before" not in explorer.status["text"]
    explorer.change(order="row-major")
    assert "Before, it was" in explorer.status["text"]


def test_a_move_is_tried_for_its_value_or_as_a_test_and_never_both():
    texts = [frame.text for board in BOARDS for frame in Explorer(board, pvs=True).frames]
    assert any("now for its value" in text for text in texts) and any("as a test only" in text for text in texts)
    assert not any("now for its value" in text and "as a test only" in text for text in texts)


def test_the_last_row_is_the_end_only_where_no_game_goes_on():
    assert Explorer(BLOCK).data["levels"][-1][:2] == ("", "the end")
    assert Explorer(BLOCK, 2).data["levels"][-1][:2] == ("", "depth limit")
