"""Submitted players: each plays in a jail; whatever one of them does, it loses by it, and the tournament goes on."""

import json
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from ttt import Board, exact
from ttt.grading import sandbox
from ttt.grading.contest import Contestant, NoPlayer, contestant
from ttt.jobs import processes
from ttt.tournament import LATE, TOO_LATE, tournament

LEVEL = sandbox.isolation_level()
PLAYERS = tomllib.loads((Path(__file__).parent / "submissions" / "players.toml").read_text())
CUBE = Board((4, 4, 4))
SECONDS = 5.0  # more than a busy machine takes

pytestmark = pytest.mark.skipif(LEVEL == "none", reason="no jail here")


def seated(name, source, seconds=SECONDS):
    return Contestant(name, source, LEVEL, seconds)


def answers(source, *boards):
    """What a player answers to boards of one game."""
    with seated("mine", source).session(boards[0], 3) as ask:
        return [ask(board) for board in boards]


MIDGAME = Board().play(4).play(1).play(5)


@pytest.mark.parametrize("name", PLAYERS["good"])
def test_a_good_player_plays_to_the_end(name):
    found = tournament([seated(name, PLAYERS["good"][name]), "random"], games=4)
    assert not found.losses


@pytest.mark.parametrize("name", PLAYERS["bad"])
def test_a_bad_player_loses_its_games_with_the_reason_and_the_others_go_on(name):
    bad = PLAYERS["bad"][name]
    found = tournament([seated(name, bad["source"], bad.get("seconds", SECONDS)), "random", "flash-clever"], games=2)
    lost = [loss for loss in found.losses if loss.player == name]
    assert len(lost) == len(found.losses) == 4
    given_up = [loss for loss in lost if loss.reason == f"{name} {TOO_LATE}"]
    assert len(given_up) == (LATE.strip() in bad["reason"])
    for loss in lost:
        assert (
            (bad["reason"] in loss.reason or loss in given_up)
            and loss.reason.startswith(name)
            and loss.reason.isprintable()
        )
    clever = next(p for p in found.pairings if (p.result.x, p.result.o) == ("random", "flash-clever"))
    assert clever.exact and clever.result == exact("random", "flash-clever")


def test_a_cell_its_coordinates_numpys_numbers_and_policies_are_moves():
    assert answers("def my_player(board):\n    return 8", Board(), MIDGAME) == [8, 8]
    assert answers("def my_player(board):\n    return (2, 2)", Board()) == [8]
    assert answers("import numpy\ndef my_player(board):\n    return numpy.int64(7)", Board()) == [7]
    evenly = "def my_player(board):\n    return {move: 1 / len(board.moves) for move in board.moves}"
    assert answers(evenly, MIDGAME) == [dict.fromkeys(MIDGAME.moves, 1 / 6)]
    layered = "def my_player(board):\n    return (3, 3, 3) if len(board) == 64 else 0"
    assert answers(layered, CUBE) == [63]


def test_it_sees_the_very_board_and_keeps_nothing_from_game_to_game():
    source = "seen = []\ndef my_player(board):\n    seen.append(1)\n    return board.moves[len(seen)]"
    assert answers(source, MIDGAME, MIDGAME) == [MIDGAME.moves[1], MIDGAME.moves[2]]
    assert answers(source, MIDGAME) == [MIDGAME.moves[1]]
    marks = "def my_player(board):\n    return ['-', 'X', 'O'].index(board[4]) + 3 * (board.turn == 'O')"
    assert answers(marks, MIDGAME) == [4]


def test_its_chance_is_the_same_in_every_run_and_another_in_another_game():
    source = "import random\ndef my_player(board):\n    return random.randrange(64)"
    games = []
    for number in (1, 1, 2):
        with seated("mine", source).session(CUBE, number) as ask:
            games.append([ask(CUBE) for _ in range(8)])
    assert games[0] == games[1] != games[2]


def test_nothing_of_the_tournament_is_in_its_process():
    """All that it can read or import holds neither the seed nor the opponent's name."""
    source = """
import sys, os
def my_player(board):
    told = repr({name: repr(vars(module))[:10**6] for name, module in list(sys.modules.items()) if module})
    told += repr(os.environ) + repr(sys.argv) + repr(dir(board))
    return 1 if "8675309" in told or "test_contest" in told else 0
"""
    found = tournament([seated("spy", source), "random"], games=2, seed=8675309)
    with seated("spy", source).session(Board(), 0) as ask:
        assert ask(Board()) == 0
    assert len(found.pairings) == 2


def test_a_player_comes_from_a_program_or_a_notebook(tmp_path):
    (tmp_path / "ann.py").write_text("def my_player(board):\n    return board.moves[0]\n")
    cells = ["from ttt import exact, play\n%matplotlib inline", "def my_player(board):\n    return board.moves[-1]"]
    cells = [{"cell_type": "code", "source": cell} for cell in [*cells, "play(my_player, 'random')"]]
    (tmp_path / "bo.ipynb").write_text(json.dumps({"cells": cells}))
    found = tournament([contestant(tmp_path / name, LEVEL) for name in ("ann.py", "bo.ipynb")], games=2)
    ends = {(p.result.x, p.result.x_wins) for p in found.pairings}
    assert not found.losses and {name for name, _ in ends} == {"ann", "bo"}
    assert exact(lambda board: board.moves[0], lambda board: board.moves[-1]).x_wins == dict(ends)["ann"]


@pytest.mark.parametrize(
    "name, text, said",
    [
        ("gone.py", None, "There is no such file"),
        ("wrong.py", "def my_playr(board):\n    return 0\n", "must define a function my_player(board)"),
        ("wrong.ipynb", "no notebook", "not a Jupyter notebook"),
        ("wrong.py", b"\xff\xfe", "not text in UTF-8"),
    ],
)
def test_a_file_without_a_player_is_told(name, text, said, tmp_path):
    if text is not None:
        (tmp_path / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(NoPlayer, match=name) as told:
        contestant(tmp_path / name)
    assert said in str(told.value)


def test_another_source_is_another_player():
    one, other = seated("mine", "a"), seated("mine", "b")
    assert one.digest == seated("mine", "a").digest != other.digest != Contestant("mine", "b", LEVEL, 9).digest


def test_the_same_tournament_comes_out_of_several_workers():
    players = [seated(name, PLAYERS["good"][name]) for name in ("by chance", "a policy")]
    alone = tournament([*players, "random"], games=6, seed=5)
    assert tournament([*players, "random"], games=6, seed=5, executor=processes(2)) == alone


def test_the_command_lets_files_play(tmp_path):
    (tmp_path / "ann.py").write_text(PLAYERS["good"]["first free"])
    (tmp_path / "eve.py").write_text(PLAYERS["bad"]["forks"]["source"])
    files = [tmp_path / "ann.py", tmp_path / "eve.py"]
    command = [sys.executable, "-m", "ttt", "tournament", *files, "random", "--games", "4", "--isolation", LEVEL]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert "8 games lost: eve cheated: it tried to start or stop a process, with os.fork." in done.stdout
