"""A game of one's own on screen: a button for each move, told and scored as on boards, whatever somebody presses."""

import re
from html import unescape
from random import Random
from time import monotonic, sleep

import pytest
from games import GAMES, Chomp, Four, Kayles, Misere, Nim, nim, worth

from ttt import CubeGame, GameBoard, searcher
from ttt.board import BoardError
from ttt.drawing.svg import signed
from ttt.widgets.game import Score


@pytest.fixture(autouse=True)
def no_players_of_ones_own(monkeypatch):
    monkeypatch.setattr("ttt.widgets.game.OWN", {})


def first(here):
    return here.moves[0]


def endless(here):
    while True:
        pass


def buttons(game):
    """What a press of each move's button sends, by its label."""
    found = re.findall(r'data-do="play" data-value="([^"]*)"[^>]*>([^<]*)<', game.html)
    return {unescape(label): value for value, label in found}


def press(game, value, action="play"):
    game._handle_custom_msg({"do": action, "value": value}, [])


@pytest.mark.parametrize("start", GAMES, ids=lambda start: type(start).__name__)
def test_any_game_is_played_to_its_end_by_buttons_and_scored(start):
    game, rng = GameBoard(first, start=start), Random(2)
    for _ in range(3):
        while not game.board.over:
            assert [*buttons(game)] == [str(move) for move in game.board.moves]
            press(game, rng.choice([*buttons(game).values()]))
        end = {"X": "You win as X!", "O": "You lose: first wins as O.", None: "It is a draw."}[game.board.winner]
        assert game.message.endswith(end) and game.tone == "end" and not buttons(game)
        press(game, None, "new_game")
    assert sum(game.score) == 3 and game.board == start


def test_a_press_for_an_earlier_position_does_nothing_so_that_a_double_click_moves_once():
    game = GameBoard(first, start=Nim(12))
    again = buttons(game)["2"]
    for _ in range(3):
        press(game, again)
    assert game._moves == [2, 1] and game.board == Nim(9) and game.tone == ""
    press(game, None, "undo")
    press(game, buttons(game)["3"])
    assert game._moves == [3, 1]


def test_what_is_shown_is_its_drawing_or_its_words_escaped_or_what_is_wrong_with_them():
    told = nim("Told", __str__=lambda self: "<b> & c")
    assert '<pre class="own">&lt;b&gt; &amp; c</pre>' in GameBoard(start=told).html
    drawn = GameBoard(start=nim("Drawn", _repr_svg_=lambda self: "<svg/>", __str__=lambda self: "a heap"))
    assert '<img class="own" alt="a heap" src="data:image/svg+xml;base64,' in drawn.html
    assert "<image" in str(drawn.snapshot()) and "a heap" in repr(drawn)
    broken = GameBoard(start=nim("Broken", __str__=lambda self: self.heaps))
    assert "Broken stopped with AttributeError" in broken.html and buttons(broken)


def test_moves_in_python_are_those_of_the_game_and_others_are_told():
    game = GameBoard(first, start=Kayles("!!!!!!"))
    game.play((1, 2))
    game.play(3, 5)
    assert game._moves == [(1, 2), (0, 1), (3, 5), (2, 3)]
    with pytest.raises(BoardError, match=r"\(9, 10\) is no move here\. It must be one of: \(5, 6\)\."):
        game.play((9, 10))
    assert game.tone == "error" and game.message.startswith("(9, 10) is no move here.")
    with pytest.raises(BoardError, match="Hints are for boards"):
        game.hint()


def test_the_computer_begins_where_the_person_plays_o_and_undo_and_replay_go_back():
    game = GameBoard(first, start=Nim(12), person="O")
    assert game.board == Nim(11, "O") and game.message == "X plays 1. Your move."
    game.play(3)
    game.replay(1)
    assert "11 left" in unescape(game.html) and 'aria-disabled="true"' in game.html
    press(game, buttons(game)["2"])
    assert game.message.startswith("This is a replay.") and game.board == Nim(7, "O")
    game.undo()
    assert game.board == Nim(11, "O")
    game.person = "X"
    assert game.board == Nim(12)


@pytest.mark.parametrize(
    "start",
    [
        Nim(9),
        Misere(
            "XO--X-OX-",
        ),
        Chomp((3, 2)),
    ],
    ids=lambda start: type(start).__name__,
)
def test_beside_each_move_stands_what_a_search_to_the_end_finds(start):
    game = GameBoard("random", start=start, person=start.turn)
    press(game, True, "sees")
    assert [*buttons(game)] == [f"{move} ({signed(-worth(start.play(move)))})" for move in start.moves]
    assert "Beside each move: how the game ends with best play" in game.html
    if start.turn == "X" and isinstance(start, Nim):
        game.opponent = searcher(lambda position: position.heap)
        assert [*buttons(game)] == ["1 (+8)", "2 (+7)", "3 (+6)"]


def test_the_lab_offers_chance_and_best_play_which_never_loses_a_won_game():
    game = GameBoard("random", start=Nim(12), person="X")
    assert re.findall(r'<option value="([^"]*)"', game.html)[:2] == ["random", "best-play"]
    press(game, "best-play", "opponent")
    while not game.board.over:
        press(game, Random(3).choice([*buttons(game).values()]))
    assert game.score == Score(computer=1)


def test_a_player_without_an_end_is_stopped_by_stop_or_by_its_time_and_its_move_is_a_quick_one():
    game = GameBoard(endless, start=Nim(12), seconds=None)
    press(game, buttons(game)["1"])
    assert game.thinking and "Press Stop" in game.message and ">Stop<" in game.html
    assert list(buttons(game)) == ["1", "2", "3"] and game.html.count('aria-disabled="true"') == 3
    press(game, buttons(game)["1"])
    assert game.message.startswith("endless is thinking.")
    press(game, None, "stop")
    assert "endless was stopped. O plays" in game.message and "a quick move of random" in game.message
    timed = GameBoard(endless, start=Nim(12), seconds=0.3)
    press(timed, buttons(timed)["1"])
    deadline = monotonic() + 10
    while timed.thinking and monotonic() < deadline:
        sleep(0.01)
    assert len(timed._moves) == 2 and "had no move after 0.3 s and was stopped" in timed.message


def test_numbers_that_take_too_long_are_told_and_the_game_goes_on():
    game = GameBoard(first, start=Four())
    game.longest = 0.2
    press(game, True, "sees")
    assert "had not judged every move after 0.2 s" in game.message and game.tone == "error"
    press(game, buttons(game)["0"])
    assert len(game._moves) == 2


def test_errors_of_players_and_of_the_game_are_told_with_whose_they_are_and_nothing_is_lost():
    game = GameBoard(lambda here: 9, start=Nim(12))
    press(game, buttons(game)["1"])
    assert game.message.startswith("<lambda> returned 9, which is no move. It must be one of: 1, 2, 3.")
    late = nim("Late", 12, winner=property(lambda self: self.heap // 0 if self.heap < 11 else None))
    game = GameBoard(first, start=late)
    press(game, buttons(game)["1"])
    assert game.message.startswith("Late stopped with ZeroDivisionError") and game.board.heap == 11
    same = GameBoard(
        first, start=nim("Same", 12, play=lambda self, take: self if self.heap < 12 else Nim.play(self, take))
    )
    press(same, buttons(same)["1"])
    assert same.message.startswith("Same.play(1) changed its own position") and same.board.heap == 11


@pytest.mark.parametrize(
    "start, sentence",
    [
        (Nim, r"write Nim\(\)"),
        (nim("Method", over=lambda self: False), "write @property"),
        (nim("Set", moves={1, 2}), "a tuple or a list"),
        (42, "needs a Board, not 42"),
    ],
)
def test_what_is_no_game_is_refused(start, sentence):
    with pytest.raises(ValueError, match=sentence):
        GameBoard(start=start)
    with pytest.raises(ValueError, match="needs a Board"):
        CubeGame(start=start)
