"""The game in a terminal: whole sessions through a pipe, and leaving in the middle."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from conftest import moves_to

from ttt.cli.play import KEYPAD

TTT = [sys.executable, "-m", "ttt"]


def session(*lines, command=(*TTT, "play")):
    environment = os.environ | {"NO_COLOR": "1", "COLUMNS": "200"}
    return subprocess.run(command, input="\n".join(lines), capture_output=True, text=True, env=environment, timeout=60)


def keys_to(winner, person="X"):
    return [KEYPAD[move] for move in moves_to(winner, person)]


@pytest.mark.parametrize("winner, said", [("X", "You win!"), ("O", "You lose: flash-clever wins."), (None, "a draw.")])
def test_a_game_is_played_to_its_end_which_is_announced_at_once(winner, said):
    done = session("y", *keys_to(winner), "n")
    assert done.returncode == 0 and not done.stderr
    assert said in done.stdout.split("Play again?")[0].splitlines()[-1]
    assert done.stdout.endswith("Goodbye!\n")


def test_the_computer_goes_first_when_asked_to_and_one_can_play_again():
    done = session("n", *keys_to("X", person="O"), "y", "y", "q")
    assert "flash-clever plays 5." in done.stdout.split("Your key")[0]
    assert done.stdout.count("Do you want to go first?") == 2 and "You are O" in done.stdout


def test_the_keys_lie_as_on_the_number_pad():
    done = session("y", "7", "q")
    assert "7 │ 8 │ 9" in done.stdout and "X │ 8 │ 9" in done.stdout


def test_nonsense_and_taken_cells_are_refused_politely_and_nothing_is_lost():
    done = session("maybe", "y", "5", "5", "7", "0", "foo", "", "²", "[bold]", "9", "q")
    for said in (
        "Please answer y for yes or n for no.",
        "5 is taken by X. Free are 1, 2, 3, 4, 6, 8, 9.",
        "7 is taken by O.",
        "'0' is not a key from 1 to 9.",
        "'foo' is not a key",
        "Press a key from 1 to 9, then Enter.",
        "'²' is not a key",
        "'[bold]' is not a key",
    ):
        assert said in done.stdout
    assert "O │ 8 │ X" in done.stdout and "Traceback" not in done.stdout + done.stderr


def test_a_terminal_without_box_characters_gets_plain_ones():
    environment = os.environ | {"PYTHONIOENCODING": "ascii", "NO_COLOR": "1"}
    done = subprocess.run([*TTT, "play"], input="y\nq\n", capture_output=True, text=True, env=environment, timeout=60)
    assert "7 | 8 | 9" in done.stdout and done.returncode == 0 and not done.stderr


@pytest.mark.parametrize("command", [["--help"], ["play", "--help"], ["tournament", "random", "perfect"]])
def test_a_plain_locale_shows_what_it_can(command):
    environment = os.environ | {"LC_ALL": "C", "PYTHONUTF8": "0", "NO_COLOR": "1"}
    done = subprocess.run([*TTT, *command], capture_output=True, env=environment, timeout=60)
    assert done.returncode == 0 and done.stdout and not done.stderr


def test_the_end_of_input_leaves_cleanly():
    for lines in ((), ("y",), ("y", "5")):
        done = session(*lines)
        assert done.returncode == 0 and done.stdout.endswith("Goodbye!\n") and not done.stderr


def test_ctrl_c_leaves_cleanly():
    pty = pytest.importorskip("pty")
    screen, terminal = pty.openpty()
    game = subprocess.Popen([*TTT, "play"], stdin=terminal, stdout=terminal, stderr=terminal, start_new_session=True)
    os.close(terminal)
    shown = b""
    while b"go first" not in shown:
        shown += os.read(screen, 4096)
    time.sleep(0.2)
    game.send_signal(signal.SIGINT)
    assert game.wait(20) == 0
    while b"Goodbye" not in shown:
        shown += os.read(screen, 4096)
    os.close(screen)
    assert b"Traceback" not in shown


def test_for_an_unknown_opponent_the_closest_name_is_suggested():
    done = session(command=[*TTT, "play", "--opponent", "randon"])
    assert done.returncode == 2 and "Did you mean 'random'?" in done.stderr and "Traceback" not in done.stderr


def test_only_players_of_3_by_3_are_listed():
    said = session(command=[*TTT, "play", "-o", "nobody"]).stderr
    assert "There is no player 'nobody'." in said and "perfect" in said and "cube" not in said


def test_the_command_is_installed_next_to_python():
    command = Path(sys.executable).parent / "ttt"
    assert "Play against the computer" in session(command=[command, "--help"]).stdout


def test_an_opponent_that_does_not_play_on_3_by_3_is_refused():
    done = session(command=[*TTT, "play", "--opponent", "cube-hard"])
    assert done.returncode == 2 and "cube-hard does not play on 3×3." in done.stderr
