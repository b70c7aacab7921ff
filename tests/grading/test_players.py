"""Players in files: asked in the sandbox, about the boards that they can reach, and believed in nothing."""

import time
from contextlib import ExitStack
from dataclasses import replace

import pytest
from submissions import program, sources

from exercises.grading import GradingError, feedback, players, sandbox
from ttt import Board, Player, exact
from ttt.drawing.svg import draw

LEVEL = sandbox.reached()
BOARDS = [Board(), Board().play(4)]
FIRST = "def my_player(board):\n    return board.moves[0]\n"


def answers(folder, source):
    """What a player's file answers about two boards, each twice."""
    file = folder / "mine.py"
    file.write_text(program("my_player", source))
    with ExitStack() as opened:
        return list(players.answers(players.ready(file, LEVEL, opened), "mine", BOARDS, 2))


@pytest.mark.parametrize("name, source", sources("players")["good"].items())
def test_a_player_may_use_the_lab_and_chance(name, source, tmp_path):
    for board, policies in zip(BOARDS, answers(tmp_path, source), strict=True):
        assert len(policies) == 2 and all(set(policy) <= set(board.moves) for policy in policies)


@pytest.mark.parametrize("name, source, reason", [(name, *both) for name, both in sources("players")["bad"].items()])
def test_a_player_that_fails_loses_by_a_reason_that_says_how(name, source, reason, tmp_path, monkeypatch):
    monkeypatch.setattr(players, "PLAYER", replace(players.PLAYER, each=0.3))
    assert any(isinstance(answer, str) and reason in answer for answer in answers(tmp_path, source))


def test_files_play_the_exact_games_of_their_functions_and_others_are_left_out_with_a_note(tmp_path):
    files = {
        "first": FIRST,
        "taken": "def my_player(board):\n    return 4\n",
        "dice": "from random import Random\ndice = Random(2)\ndef my_player(board): return dice.choice(board.moves)\n",
        "none": "def other(board): return 0\n",
        "dies": "def my_player(board): return 0\nimport os; os._exit(3)\n",
    }
    for name, source in files.items():
        (tmp_path / f"{name}.py").write_text(source)
    found = players.played([*(str(tmp_path / f"{name}.py") for name in files), "random", "nobody.py"], LEVEL)
    assert {one.player for one in found.standings} == {"first", "taken", "≈ dice", "random"}
    assert [name for name in ("none.py", "dies.py", "nobody.py") if any(name in note for note in found.notes)]
    points = {(result.x, result.o): result.points for result in found.results}
    truth = exact("random", Player("first", lambda board: board.moves[0])).points
    assert points["random", "first"] == pytest.approx(truth)
    assert points["≈ dice", "first"] == pytest.approx(truth, abs=0.2)
    (row,) = [one for one in found.standings if one.player == "taken"]
    assert "taken by" in row.loses and row.points > 0


def test_a_registered_player_in_the_clothes_of_a_file_is_remarked_on(tmp_path):
    sources = {
        "mine": "from ttt.players import PLAYERS\ndef my_player(board): return PLAYERS['rules'].policy(board)\n",
        "own": FIRST,
    }
    for name, source in sources.items():
        (tmp_path / f"{name}.py").write_text(source)
    found = players.played([*(str(tmp_path / f"{name}.py") for name in sources), "random"], LEVEL)
    assert [note for note in found.notes if "plays as" in note] == ["mine plays as rules does wherever it gets."]


def test_the_page_draws_the_board_where_a_player_fails_or_loses():
    failed, lost = "on O-- / -X- / ---: mine gave no answer.", "can lose as O in 5 moves: 0 4 3 1 6"
    assert feedback.drawn(failed) == ("on this board mine gave no answer.", str(draw(Board.from_text("O-- -X- ---"))))
    assert feedback.drawn(lost) == (lost, str(draw(Board.from_text("XO- XO- X--"), last=6)))
    assert feedback.drawn("never loses") == ("never loses", "")


def test_where_nobody_can_play_each_file_is_named():
    with pytest.raises(GradingError, match=r"nobody\.py"):
        players.played(["nobody.py", "random"], LEVEL)


def test_a_player_may_wait_for_its_turn_while_others_compute(tmp_path, monkeypatch):
    """Its sandbox is started with those of the others, long before it is asked."""
    monkeypatch.setattr(sandbox, "WAITING", 1)
    monkeypatch.setattr(sandbox, "LOOK", 0.2)
    (tmp_path / "mine.py").write_text(FIRST)
    with ExitStack() as opened:
        waiting = players.ready(tmp_path / "mine.py", LEVEL, opened)
        time.sleep(1.6)
        assert list(players.answers(waiting, "mine", BOARDS, 1)) == [[{0: 1}], [{0: 1}]]
