"""Your own game on screen: a button for each move, announced and scored as on boards, whatever you press."""

import re
from html import unescape
from random import Random

import pytest
from conftest import naming
from games import GAMES, Chomp, Misere, Nim, first, worth
from lab import GameBoard
from lab.boards.game import Score
from textbook import press
from waiting import LONG

from ttt import searcher
from ttt.notation import signed


@pytest.fixture(autouse=True)
def notebook(monkeypatch):
    """Each test is a new notebook, which waits for numbers, however slow the machine is."""
    monkeypatch.setattr("lab.boards.game.MAX_JUDGING_SECONDS", LONG)


def buttons(game):
    """What each move's button sends, by its label."""
    found = re.findall(r'data-do="play" data-value="([^"]*)"[^>]*>([^<]*)<', game.html)
    return {unescape(label): value for value, label in found}


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
