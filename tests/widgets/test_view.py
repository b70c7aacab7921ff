"""The board's widget, without a browser: what it tells the screen, and what it makes of a click."""

import pytest
from traitlets import TraitError

from ttt import Board, BoardView


def click(view, cell):
    view._handle_custom_msg({"play": cell}, [])


def test_it_tells_the_screen_everything_about_a_position():
    board = Board.from_text("XXX OO- ---")
    view = BoardView(board, on_play=print)
    assert (view.size, view.marks, view.turn, view.winning) == ([1, 3, 3], "XXXOO----", "", [0, 1, 2])
    view.show(Board().play(4), last=4, values={0: 1, 2: 3, 8: 3}, hint=2)
    assert (view.turn, view.last, view.best, view.hint) == ("O", 4, [2, 8], 2)
    assert view.values == ["+1", "", "+3", "", "", "", "", "", "+3"]
    view.show(Board(shape=(4, 4, 4)))
    assert view.size == [4, 4, 4] and view.names[63] == "layer 4, row 4, column 4"


def test_a_click_is_passed_on_and_a_board_to_look_at_has_no_mark_to_come():
    chosen = []
    view = BoardView(Board(), on_play=chosen.append)
    click(view, 7)
    view._handle_custom_msg({"something": "else"}, [])
    assert chosen == [7] and view.turn == "X"
    quiet = BoardView(Board())
    click(quiet, 7)
    assert quiet.turn == "" and quiet.board == Board()


def test_an_exception_in_what_a_click_calls_is_told_on_the_board():
    view = BoardView(Board(), on_play=lambda cell: 1 / 0)
    click(view, 3)
    assert view.status["tone"] == "error" and "ZeroDivisionError" in view.status["text"]


def test_the_same_message_twice_is_two_messages():
    view = BoardView()
    view.say("Taken.", "error")
    first = view.status
    view.say("Taken.", "error")
    assert view.status != first and view.status["text"] == first["text"]


def test_its_text_is_the_message_and_the_board():
    view = BoardView(Board().play(0))
    assert repr(view) == "X - -\n- - -\n- - -"
    view.say("Hello.")
    assert repr(view) == "Hello.\nX - -\n- - -\n- - -"


def test_a_board_that_waits_has_no_mark_to_come_and_a_clock():
    view = BoardView(Board(), on_play=print)
    view.show(Board().play(4), playable=False)
    assert view.turn == "" and view.thinking == {}
    view.think(1.5, "depth 3")
    assert view.thinking == {"seconds": 1.5, "note": "depth 3"}
    view.think(None)
    assert view.thinking == {}


def test_layers_are_arranged_as_asked_and_other_looks_are_refused():
    assert BoardView(Board(shape=(4, 4, 4)), look="turned").look == "turned"
    with pytest.raises(TraitError, match=r"'slanted', 'turned', 'side'.*'round'"):
        BoardView(look="round")
