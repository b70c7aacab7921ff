"""Submitted players: each plays in a sandbox; whatever one does, only that one loses, and the tournament goes on."""

import json
import re
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import pytest
from typer.testing import CliRunner

from ttt import Board, exact
from ttt.cli import app
from ttt.grading import contest, sandbox
from ttt.grading.contest import Contestant, NoPlayer, contestant
from ttt.pools import processes
from ttt.tournament import LATE, TOO_LATE, tournament

LEVEL = sandbox.isolation_level()
PLAYERS = tomllib.loads((Path(__file__).parent / "submissions" / "players.toml").read_text())
CUBE = Board((4, 4, 4))
SECONDS = 5.0  # more than a busy machine takes

pytestmark = pytest.mark.skipif(not LEVEL, reason="no sandbox here")


def seated(name, source, seconds=SECONDS):
    return Contestant(name, source, LEVEL, seconds)


def answers(source, *boards, seconds=SECONDS):
    """What a player answers to boards of one game."""
    with seated("mine", source, seconds).session(boards[0], 3) as ask:
        return [ask(board) for board in boards]


MIDGAME = Board().play(4).play(1).play(5)


@pytest.mark.parametrize("name", PLAYERS["good"])
def test_a_good_player_plays_to_the_end(name):
    found = tournament([seated(name, PLAYERS["good"][name]), "random"], games=4)
    assert not found.losses


@pytest.mark.parametrize("name", PLAYERS["harmless"])
def test_who_looks_for_more_than_the_board_finds_nothing_and_plays_on(name):
    found = tournament([seated(name, PLAYERS["harmless"][name]), "random"], games=2)
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
    return 1 if "86753" + "09" in told or "test_" + "contest" in told else 0
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
    assert "8 games lost: eve stopped with PermissionError" in done.stdout


# ------------------------------------------------------------------------------------------- chance, time and names


def test_no_player_can_tell_what_its_opponents_random_gives():
    """Both were seeded with the number of the game, so a player could draw what the other would."""
    source = "import random\ndef my_player(board):\n    return {move: random.random() for move in board.moves}"
    asked = []

    class Asked(Contestant):
        def session(self, board, seed):
            asked.append(seed)
            return super().session(board, seed)

    for seed in (1, 1, 2):
        tournament([Asked("one", source, LEVEL, SECONDS), Asked("two", source, LEVEL, SECONDS)], games=2, seed=seed)
    assert len(asked) == 12 and asked[:4] == asked[4:8] and len(set(asked)) == 8


def test_the_command_draws_a_seed_and_goes_on_with_the_one_that_it_drew(tmp_path):
    (tmp_path / "ann.py").write_text(PLAYERS["good"]["by chance"])
    chance = [str(tmp_path / "ann.py"), "random", "--isolation", LEVEL, "--games", "2", "--workers", "1"]
    found = [CliRunner().invoke(app, ["tournament", *chance, "--out", str(tmp_path / n)]).stdout for n in "aab"]
    seeds = [re.search(r"with seed (\d+)", text)[1] for text in found]
    assert seeds[0] == seeds[1] != seeds[2] and int(seeds[0]) > 10**6


def test_a_game_has_a_time_of_its_own_besides_that_for_a_move(monkeypatch):
    monkeypatch.setattr(contest, "MOVES", 2)
    source = """
import time
def my_player(board):
    until = time.process_time() + 0.3
    while time.process_time() < until:
        pass
    return 0
"""
    with seated("slow", source, 0.4).session(CUBE, 3) as ask:
        said = [ask(CUBE) for _ in range(4)]
    assert said[:2] == [0, 0] and said[3] == "slow gave no answer within 0.8 s for the whole game."


def test_what_a_player_waits_for_is_not_its_own_time():
    """The wall clock lost games to other programs; loading numpy from a slow disk cost moves."""
    waits = "import threading\n{}def my_player(board):\n{}    return 0"
    wait = "threading.Event().wait(1.5)\n"
    assert answers(waits.format("", "    " + wait), Board(), seconds=0.5) == [0]
    assert answers(waits.format(wait, ""), Board(), seconds=0.5) == [0]


def test_a_cell_that_is_a_float_is_not_a_whole_number():
    for value, said in (("0.0", "the number 0.0"), ("float('inf')", "infinity"), ("float('nan')", "NaN")):
        lost = answers(f"def my_player(board):\n    return {value}", Board())
        assert lost == [f"mine returned {said}, which is not a whole number."]


def test_a_million_blank_lines_are_read_at_once(tmp_path):
    """Looking for the function in a cell that can't be read took 100 s, in the instructor's own process."""
    (tmp_path / "long.py").write_text("\n" * 1_000_000 + "def (")
    begun = time.process_time()
    with pytest.raises(NoPlayer, match="has no player"):
        contestant(tmp_path / "long.py")
    for code in ("my_player:" * 100_000, "async " + " " * 1_000_000, "my_player" + " " * 1_000_000):
        (tmp_path / "long.py").write_text(code)
        with pytest.raises(NoPlayer, match="has no player"):
            contestant(tmp_path / "long.py")
    assert time.process_time() - begun < 3
    for code in ("def my_player(board):\n    return (", "my_player: Callable = best", "my_player = lambda board: 0"):
        (tmp_path / "long.py").write_text("\n" * 1_000_000 + code)
        assert contestant(tmp_path / "long.py").name == "long"


def test_bad_files_are_left_out_with_a_note_each_and_the_others_play(tmp_path):
    good = PLAYERS["good"]["first free"]
    (tmp_path / "more").mkdir()
    files = {
        "none.py": "def my_playr(board):\n    return 0\n",
        "damaged.ipynb": "{",
        "syntax.py": "def my_player(board:\n    return 0\n",
        "perfect.py": good,
        "ann.py": good,
        "more/ann.py": good,
        "bo.py": good,
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    names = [str(tmp_path / name) for name in (*files, "gone.py")]
    done = CliRunner().invoke(app, ["tournament", *names, "--isolation", LEVEL, "--games", "2", "--workers", "1"])
    assert done.exit_code == 0, done.output
    left_out = [line.partition(f"{tmp_path}/")[2] for line in done.stderr.splitlines() if line.startswith("Left out: ")]
    assert [note.partition(".")[0] for note in left_out] == [
        "none", "damaged", "syntax", "perfect", "more/ann", "gone",
    ]  # fmt: skip
    assert "can't play: the code can't be read: SyntaxError" in left_out[2]
    assert "one of the lab's players" in left_out[3] and "ann.py: rename the file" in left_out[4]
    assert "ann" in done.stdout and "bo" in done.stdout


def test_files_are_refused_on_the_cube(tmp_path):
    (tmp_path / "ann.py").write_text(PLAYERS["good"]["first free"])
    options = ["--board", "4x4x4", "--isolation", LEVEL]
    done = CliRunner().invoke(app, ["tournament", str(tmp_path / "ann.py"), "cube-easy", *options])
    assert done.exit_code == 1 and "not on 4×4×4: leave out ann." in done.stderr


def test_the_challenge_as_handed_out_plays_with_a_note():
    file = Path(__file__).parents[2] / "exercises" / "challenge" / "challenge.ipynb"
    done = CliRunner().invoke(app, ["tournament", str(file), "random", "--isolation", LEVEL, "--games", "2"])
    assert done.exit_code == 0 and f"Note: {file} is the challenge as it was handed out." in done.stderr, done.output


def test_no_name_breaks_the_plots(tmp_path):
    """Two dollars made a formula, which could not be drawn; long names left the plot no room."""
    stems = ["$\\frac$", "_under^{", "a" * 200, "a" * 199 + "b", "new\nline"]
    files = [str(tmp_path / f"{stem}.py") for stem in stems]
    for file in files:
        Path(file).write_text(PLAYERS["good"]["first free"])
    options = f"--isolation {LEVEL} --games 2 --workers 1 --out".split()
    done = CliRunner().invoke(app, ["tournament", *files, *options, str(tmp_path / "o")])
    assert done.exit_code == 0, done.output
    for plot in ("crosstable.svg",):
        assert (tmp_path / "o" / plot).stat().st_size > 1000
