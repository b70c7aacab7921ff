"""The command `ttt`, which starts the grader."""

import subprocess
import sys
from pathlib import Path

import pytest

TTT = Path(sys.executable).with_name("ttt")


@pytest.mark.skipif(not TTT.exists(), reason="ttt is not installed here")
def test_what_is_written_behind_the_command_and_its_exit_status_are_the_graders(tmp_path):
    done = subprocess.run(
        [TTT, "tournament", "random", "perfect", "--out", "no/page.html"], capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (
        1,
        "no/page.html: No such file or directory\n",
    ) and "perfect" in done.stdout
    done = subprocess.run([TTT, "tournament", "nobody", "perfect"], capture_output=True, text=True)
    assert done.returncode == 1 and "nobody" in done.stderr and "Traceback" not in done.stderr
