"""The command `ttt`, for instructors: it starts the grader, which lies beside the exercises in the lab's repository."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
WHERE = """\
`ttt` is the instructor's command: it grades, writes what students get, and holds tournaments of their players. Its
grader, exercises/grading, comes with the lab's repository, and not with what students are given: run it in a clone of
the repository, after `make lab`. In a notebook, `from ttt import tournament` holds a tournament without it."""


def main() -> int:
    """Run the grader with what is written behind `ttt`; returns its exit status.

    Where that can be done the grader takes the place of this process, so that whoever kills it kills the grader. It
    sees the lab's packages and no others: `-P`, since in the current folder may lie what students have handed in.
    """
    if not (ROOT / "exercises" / "grading").exists():
        print(WHERE, file=sys.stderr)
        return 1
    command = [sys.executable, "-P", "-m", "exercises.grading", *sys.argv[1:]]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    if os.name == "posix":
        os.execve(sys.executable, command, environment)
    try:
        return subprocess.run(command, env=environment, check=False).returncode
    except KeyboardInterrupt:  # the grader has heard it, too, and says what is kept
        return 130


if __name__ == "__main__":
    sys.exit(main())
