"""Your own game on screen: a button for each move, announced and scored as on boards, whatever you press."""

import re
from html import unescape
from random import Random

import pytest
from conftest import naming
from games import GAMES, Chomp, Kayles, Misere, Nim, first, nim, worth
from lab import GameBoard
from lab.boards.game import Score
from lab.drawing.own_positions import brief
from textbook import press
from waiting import LONG

from ttt import searcher
from ttt.board import BoardError
from ttt.notation import signed


@pytest.fixture(autouse=True)
def notebook(monkeypatch):
    """Each test is a new notebook, which waits for numbers, however slow the machine is."""
    monkeypatch.setattr("lab.boards.game.MAX_JUDGING_SECONDS", LONG)


def buttons(game):
    """What each move's button sends, by its label."""
    found = re.findall(r'data-do="play" data-value="([^"]*)"[^>]*>([^<]*)<', game.html)
    return {unescape(label): value for value, label in found}


def moves(game):
    """The moves made so far."""
    return [ply.move for ply in game._plies[1:]]


def make(game, label):
    """Press a move's button."""
    press(game, "play", buttons(game)[label])


def name(move):
    """A move's label in a game that doesn't describe its moves."""
    return ", ".join(map(str, move)) if isinstance(move, tuple) else str(move)


@pytest.mark.parametrize("start", GAMES, ids=lambda start: type(start).__name__)
def test_any_game_is_played_to_its_end_by_buttons_and_scored(start):
    game, rng = GameBoard(first, start=start), Random(2)
    for _ in range(3):
        while not game.board.over:
            assert sorted(buttons(game)) == sorted(map(name, game.board.moves))
            press(game, "play", rng.choice([*buttons(game).values()]))
        ends = {"X": ["you win", "X"], "O": ["you lose", "first wins as O"], None: ["draw"]}
        assert naming(*ends[game.board.winner]).search(game.message) and game.tone == "end" and not buttons(game)
        press(game, "new_game")
    assert sum(game.score) == 3 and game.board == start


def test_a_position_is_shown_by_its_escaped_text_or_the_error_it_raises():
    told = nim("Told", __str__=lambda self: "<b> & c")
    assert '<pre class="own">&lt;b&gt; &amp; c</pre>' in GameBoard(start=told).html
    apart = GameBoard(start=nim("Apart", __str__=lambda self: "1: <   b c"))
    assert '<pre class="own"><span><small>1: </small>&lt;</span>  <span>b c</span></pre>' in apart.html
    table = GameBoard(start=nim("Table", __str__=lambda self: "a  b\nc  d"))
    assert '<pre class="own">a  b\nc  d</pre>' in table.html
    heap = GameBoard(start=nim("Heap", __str__=lambda self: "a heap"))
    assert "a heap" in str(heap.snapshot()) and "a heap" in repr(heap)
    broken = GameBoard(start=nim("Broken", __str__=lambda self: self.heaps))
    assert naming("Broken", "AttributeError").search(broken.html) and buttons(broken)


def rows(game):
    """The buttons of each row, in the order in which the page has them and the arrow keys reach them."""
    parts = game.html.partition('role="toolbar"')[2].partition('class="beside"')[0].split('<div class="verbs">')[1:]
    found = [re.findall(r'data-at="0 0 (\d+)"[^>]*>([^<]*)<', part) for part in parts]
    places = [int(place) for row in found for place, _ in row]
    assert places == [*range(len(places))]
    return [[unescape(label) for _, label in row] for row in found]


@pytest.mark.parametrize(
    "describe, words",
    [
        (lambda self, take: self.heaps, ["no attribute 'heaps'"]),
        (lambda self, take: None, ["Misnamed.describe(1)", "must return a text", "not None"]),
        (lambda self, take: " ", ["Misnamed.describe(1)", "must return a text", "not ' '"]),
        (lambda self: "a move", ["TypeError", "argument"]),
        ("a move", ["TypeError", "not callable"]),
    ],
)
def test_a_name_that_goes_wrong_says_why_on_its_button_and_the_game_continues(describe, words):
    game = GameBoard(first, start=nim("Misnamed", 9, describe=describe))
    [[label, *_]] = rows(game)
    assert naming(*words).search(label)
    game.play(2)
    assert moves(game) == [2, 1] and naming("O: ", "your move").search(game.message)


def test_moves_in_python_are_those_of_the_game_and_others_are_refused():
    game = GameBoard(first, start=Kayles("!!!!!!"))
    game.play((1.0, 2))
    game.play(3, 5)
    assert str(moves(game)) == "[(1, 2), (0, 1), (3, 5), (2, 3)]"  # the game's own, not 1.0
    refused = naming("(9, 10)", "only move is (5, 6)")
    with pytest.raises(BoardError, match=refused):
        game.play((9, 10))
    assert game.tone == "error" and refused.search(game.message)
    with pytest.raises(BoardError, match=naming("hints", "show what the computer sees")):
        game.hint()
    for heap, there in {12: "The moves are 1, 2, 3.", 2: "The moves are 1, 2.", 1: "The only move is 1."}.items():
        with pytest.raises(BoardError, match=f"^4 is not a move here. {there}$"):
            GameBoard(first, start=Nim(heap)).play(4)


@pytest.mark.parametrize("start", [Nim(9), Misere("XO--X-OX-"), Chomp((3, 2))], ids=lambda start: type(start).__name__)
def test_each_move_has_the_value_that_a_search_to_the_end_finds(start):
    game = GameBoard("random", start=start, person=start.turn)
    press(game, "sees", True)
    assert [*buttons(game)] == [f"{move} ({signed(-worth(start.play(move)))})" for move in start.moves]
    assert naming("each move", "best play").search(game.html) and "framed" not in game.html
    if start.turn == "X" and isinstance(start, Nim):
        game.opponent = searcher(lambda position: position.heap)
        assert [*buttons(game)] == ["1 (+8)", "2 (+7)", "3 (+6)"]


def test_the_lab_offers_random_play_and_best_play_which_never_loses_a_won_game():
    game = GameBoard("random", start=Nim(12), person="X")
    assert re.findall(r'<option value="([^"]*)"', game.html)[:2] == ["random", "best-play"]
    press(game, "opponent", "best-play")
    while not game.board.over:
        press(game, "play", Random(3).choice([*buttons(game).values()]))
    assert game.score == Score(computer=1)


def test_the_board_says_whose_an_error_is_the_players_or_the_games_and_nothing_is_lost():
    game = GameBoard(lambda here: 9, start=Nim(12))
    make(game, "1")
    assert naming("<lambda> returned 9", "move", "1, 2, 3").search(game.message)
    late = nim("Late", 12, play=lambda self, take: Nim.play(self, take // (take != 2)))  # off the root's first games
    game = GameBoard(lambda here: 2, start=late)
    make(game, "1")
    assert naming("Late", "ZeroDivisionError").search(game.message) and game.board.heap == 11
    none = nim("None", 12, play=lambda self, take: None if take == 2 else Nim.play(self, take))
    game = GameBoard(lambda here: 2, start=none)
    make(game, "1")
    assert naming("None.play(2)", "returned `None`").search(game.message) and game.board.heap == 11


@pytest.mark.parametrize("text, told", [(39 * "x", f" ({39 * 'x'})"), (40 * "x", ""), ("a\nb", "")])
def test_a_position_is_told_in_brackets_if_it_is_short_and_in_one_line(text, told):
    assert brief(nim("Told", __str__=lambda self: text)) == told
