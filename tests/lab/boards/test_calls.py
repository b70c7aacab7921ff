"""The tree of a recursive function's calls: what it records, in which order, and what it leaves unchanged."""

from functools import cache
from itertools import pairwise

import pytest
from conftest import naming
from lab import call_tree

from ttt import Board
from ttt.search import minimax

THREE_FREE = Board.from_text("XX- OOX -O-")


def games(board):
    if board.over:
        return 1
    return sum(games(board.play(move)) for move in board.moves)


@cache
def remembered(board):
    if board.over:
        return 1
    return sum(remembered(board.play(move)) for move in board.moves)


def worth(board, depth, sign=1):
    """A function with more arguments than the board, which doesn't try all moves."""
    if board.over or depth == 0:
        return 0 if board.winner is None else sign * (1 if board.winner == "X" else -1)
    values = []
    for move in board.moves:
        values.append(worth(board.play(move), depth - 1, sign=sign))
        if values[-1] == (1 if board.turn == "X" else -1):
            break
    return max(values) if board.turn == "X" else min(values)


def bound_elsewhere(board):
    return 1 if board.over else 1 + sum(later(board.play(move)) for move in board.moves)


later = cache(bound_elsewhere)  # as in a notebook that caches a function in the next cell


def number_of_games(board):
    """In how many ways a game can continue, counted without recursion."""
    ahead, ended = [board], 0
    while ahead:
        here = ahead.pop()
        ended += here.over
        ahead += [] if here.over else [here.play(move) for move in here.moves]
    return ended


def walked(board):
    """All positions from a board on, in the order a recursive function meets them."""
    return [board, *(below for move in board.moves if not board.over for below in walked(board.play(move)))]


@pytest.mark.parametrize("function", [games, remembered])
@pytest.mark.parametrize("text", ["XX- OOX -O-", "XO- OXX --O", "XXX OO- ---", "XOX OXO OX-"])
def test_each_call_is_recorded_with_its_board_and_its_return_value(function, text):
    board = Board.from_text(text)
    tree = call_tree(function, board)
    if function is games:
        assert [node.board for node in tree.nodes] == walked(board)
    for node in tree.nodes:
        assert node.answer == str(number_of_games(node.board))
        assert [child.parent for child in node.children] == [node.number] * len(node.children)


def test_what_the_cache_answers_is_marked_as_cached_and_calls_nothing():
    tree = call_tree(remembered, THREE_FREE)
    asked = [node.board for node in tree.nodes]
    again = [node for node in tree.nodes if node.board in asked[: node.number]]
    noted = {step.call for step in tree.steps if step.look.note}
    assert noted == set(again) and again and not any(node.children for node in again)
    assert not any(step.look.note for step in call_tree(games, THREE_FREE).steps)
    assert remembered.cache_info().currsize == 0  # the reader's own cache stays untouched


def test_it_sees_through_a_cache_that_is_added_later_under_another_name():
    for function in (bound_elsewhere, later):
        assert call_tree(function, THREE_FREE).nodes[0].answer == str(len(walked(THREE_FREE)))
    assert any(step.look.note for step in call_tree(later, THREE_FREE).steps)


def test_the_function_may_take_more_arguments_and_leave_moves_out():
    tree = call_tree(worth, THREE_FREE, 3)
    assert tree.nodes[0].answer == str(minimax(THREE_FREE).value) and len(tree.nodes) == 2
    assert "..." not in call_tree(worth, THREE_FREE, 0).html


def test_the_function_itself_stays_unchanged_even_after_an_error():
    before = games

    def fails(board):
        raise KeyError("mine")

    call_tree(games, THREE_FREE)
    with pytest.raises(KeyError, match="mine"):
        call_tree(fails, THREE_FREE)
    with pytest.raises(ValueError, match="31"):
        call_tree(games, Board())
    assert games is before and games(THREE_FREE) == number_of_games(THREE_FREE)


def endless(board):
    return endless(board)


def jumps(board):
    return 1 if board.over else jumps(board.play(board.moves[0]).play(board.moves[1]))


@pytest.mark.parametrize(
    "function, board, words",
    [
        (games, Board.from_text("X-- -O- ---"), ["games", "31", "fewer free cells"]),
        (endless, THREE_FREE, ["endless must call itself", "one move"]),
        (jumps, Board.from_text("XO- OXX --O"), ["jumps must call itself", "one move"]),
        (3, THREE_FREE, ["call_tree()", "function", "board", "not 3"]),
        (games, "XX- OOX -O-", ["call_tree()", "needs a Board", "'XX- OOX -O-'"]),
    ],
)
def test_what_cannot_be_drawn_is_explained(function, board, words):
    with pytest.raises(ValueError, match=naming(*words)):
        call_tree(function, board)


def states(tree):
    return [look.state for look in tree._looks(tree.step)]


def test_it_grows_call_by_call_and_shrinks_again():
    tree = call_tree(games, THREE_FREE)
    seen = [states(tree)]
    assert seen[0] == ["open"] + ["new"] * (len(tree.nodes) - 1)
    for _ in tree.steps[1:]:
        tree.do("step", tree.step + 1)
        seen.append(states(tree))
        assert tree.message == tree.steps[tree.step].words
    assert seen[-1] == ["done"] * len(tree.nodes)
    for before, after in pairwise(seen):
        assert sum(one != other for one, other in zip(before, after, strict=True)) == 1
    tree.do("step", tree.step + 1)  # there are no more steps
    assert states(tree) == seen[-1]
    tree.do("step", tree.step - 1)
    assert states(tree) == seen[-2]
    tree.do("step", 3)
    assert states(tree) == seen[3]


def test_its_words_say_what_happens_and_its_drawing_what_came_out():
    tree = call_tree(games, THREE_FREE)
    words = [step.words for step in tree.steps]
    assert naming("games", "called").search(words[0])
    assert naming("games calls itself", "X plays cell 2", "over", "returns 1").search(words[1])
    assert naming("1, 2, 2", "returns 5").search(words[-1])
    picture = tree.snapshot()
    assert picture.text == repr(tree) and picture.body.count('class="node') == len(tree.nodes) == 12
    for node in tree.nodes[1:]:
        assert node.names == tuple(map(str, node.path))
        assert f">{node.mover} plays {node.path[-1]}</text>" in picture.body


def strange(board):
    return "<b>a long text that nobody asked for</b>"


def test_a_return_value_is_text_in_the_drawing():
    assert "<b>" not in call_tree(strange, THREE_FREE).html
