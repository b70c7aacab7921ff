"""The command `ttt`, which starts the grader."""

import runpy
import subprocess
import sys
from pathlib import Path

import pytest

TTT = Path(sys.executable).with_name("ttt")


@pytest.mark.skipif(not TTT.exists(), reason="ttt is not installed here")
def test_what_is_written_behind_the_command_its_output_and_its_exit_status_are_the_graders():
    command = [TTT, "tournament", "random", "perfect", "--out", "no/page.html"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (1, "no/page.html: No such file or directory\n")
    assert "perfect" in done.stdout


def test_a_wrong_command_ends_with_a_sentence(monkeypatch):
    monkeypatch.setattr(sys, "argv", ["ttt", "tournament", "nobody", "perfect"])
    with pytest.raises(SystemExit, match="nobody"):
        runpy.run_module("exercises.grading", run_name="__main__")
