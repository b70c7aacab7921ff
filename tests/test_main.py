"""The command `ttt`, which starts the grader."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import naming

TTT = Path(sys.executable).with_name("ttt")


@pytest.mark.skipif(not TTT.exists(), reason="ttt is not installed here")
def test_what_is_written_behind_the_command_and_its_exit_status_are_the_graders(tmp_path):
    page = tmp_path / "page.html"
    done = subprocess.run([TTT, "tournament", "random", "perfect", "--out", page], capture_output=True, text=True)
    assert done.returncode == 0 and "perfect" in done.stdout and "perfect" in page.read_text()
    done = subprocess.run([TTT, "tournament", "nobody", "perfect"], capture_output=True, text=True)
    assert done.returncode == 1 and "nobody" in done.stderr


@pytest.mark.skipif(not TTT.exists(), reason="ttt is not installed here")
@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (["grade", "-h"], 0, ["--regrade", "review.csv"]),
        (["grade", ".", "--out", "results", "--isolation", "none"], 2, ["'none'", "full", "limits"]),
        (["tournament", "random", "cube-easy"], 1, ["cube-easy", "4×4×4"]),
        (["tournament", "random", "perfect", "--out", "no/page.html"], 1, ["no/page.html", "no such file"]),
    ],
    ids=lambda given: " ".join(given) if isinstance(given, list) else None,
)
def test_it_says_what_is_wrong_with_what_was_written_without_a_traceback(tmp_path, arguments, status, words):
    done = subprocess.run([TTT, *arguments], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == status and re.search(naming(*words), done.stdout + done.stderr)
    assert "Traceback" not in done.stderr
