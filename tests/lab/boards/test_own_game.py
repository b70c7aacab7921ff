"""Your own game on screen: a button for each move, announced and scored as on boards, whatever you press."""

import re
from html import unescape
from random import Random

import pytest
from conftest import naming
from games import GAMES, Chomp, Misere, Nim, first, nim, other, worth
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


def rows(game):
    """The buttons of each row, in the order in which the page has them and the arrow keys reach them."""
    parts = game.html.partition('role="toolbar"')[2].partition('class="beside"')[0].split('<div class="verbs">')[1:]
    found = [re.findall(r'data-at="0 0 (\d+)"[^>]*>([^<]*)<', part) for part in parts]
    places = [int(place) for row in found for place, _ in row]
    assert places == [*range(len(places))]
    return [[unescape(label) for _, label in row] for row in found]


def heaps(text):
    """A game on three heaps, of which the second is empty, that says this of itself."""
    told = {
        "moves": [(2, 1), (0, 1), (0, 2)],
        "play": lambda self, move: type(self)(self.heap, other(self.turn)),
        "describe": lambda self, move: f"take {move[1]} from heap {move[0] + 1}",
        "__str__": lambda self: text,
    }
    return GameBoard(first, start=nim("Heaps", **told))


def test_the_moves_that_name_a_heap_are_in_its_box_and_each_button_keeps_its_whole_name():
    game = heaps("Heap 1: ||  Heap 2: empty  Heap 3: |")
    assert rows(game) == [["take 1", "take 2"], ["take 1"]]
    whole = re.findall(r'data-do="play"[^>]*aria-label="([^"]*)"', game.html)
    assert whole == ["take 1 from heap 1", "take 2 from heap 1", "take 1 from heap 3"]
    one, empty, three = re.findall("<small>(Heap .)</small> <(span|small)>([^<]*)<(.*?)</div>", game.html)
    assert [each[:3] for each in (one, empty, three)] == [
        ("Heap 1", "span", "||"),
        ("Heap 2", "small", "empty"),
        ("Heap 3", "span", "|"),
    ]
    assert [each[3].count("<button") for each in (one, empty, three)] == [2, 0, 1]
    press(game, "play", buttons(game)["take 2"])
    assert game._plies[1].move == (0, 2)


@pytest.mark.parametrize("text", ["1: ||  2: -  3: |", "heap 1: ||, heap 3: |", "heap 11: ||  heap: |", "||  |"])
def test_moves_that_name_no_box_are_below_it_under_their_whole_names(text):
    assert rows(heaps(text)) == [["take 1 from heap 3"], ["take 1 from heap 1", "take 2 from heap 1"]]


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
