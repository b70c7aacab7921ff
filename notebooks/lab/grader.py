"""The command `ttt`, for instructors: starts the grader, or says where it is.

The grader is `exercises/grading`, in the lab's repository; students' editions and wheels don't have it.
"""

import os
import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]
WHERE = """\
`ttt` is the instructor's command: it grades, writes the student edition and runs tournaments of students' players. Its
grader, exercises/grading, is in the lab's repository, but not in the student edition: run it in a clone of
the repository, after `make lab`. In a notebook, you can run a tournament without it: `from ttt import tournament`."""


def main() -> int:
    """Run the grader with the arguments after `ttt`; return its exit status.

    Where possible, the grader replaces this process, so that killing this process kills the grader. It
    sees only the lab's packages (`-P`), because the current folder may contain students' submissions.
    """
    if not (REPOSITORY / "exercises" / "grading").exists():
        print(WHERE, file=sys.stderr)
        return 1
    command = [sys.executable, "-P", "-m", "exercises.grading", *sys.argv[1:]]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(REPOSITORY), str(REPOSITORY / "notebooks")])}
    if os.name == "posix":
        os.execve(sys.executable, command, environment)
    try:
        return subprocess.run(command, env=environment, check=False).returncode
    except KeyboardInterrupt:  # the grader gets it, too, and says what is saved
        return 130


if __name__ == "__main__":
    sys.exit(main())
