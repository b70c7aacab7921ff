"""The instructors' commands: they start the grader, which lies beside the exercises."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import typer

from ttt.cli.terminal import INTERRUPTED, stop

ROOT = Path(__file__).parents[2]
GRADER = ROOT / "exercises" / "grading"


def forward(context: typer.Context) -> None:
    """For instructors, who have the lab's repository."""
    if not GRADER.exists():
        stop(
            f"`ttt {context.info_name}` needs the grader, exercises/grading, which comes with the lab's repository and "
            "not with what students are given. Run it in a clone of the repository, after `make lab`."
        )
    raise typer.Exit(started(str(context.info_name), context.args))


def started(command: str, arguments: Sequence[str]) -> int:
    """Run a command of the grader; returns its exit status.

    Nothing is imported from the current folder (-P), which may be one of submissions. Where that can be done the grader
    takes the place of this process, so that whoever kills it kills the grader.
    """
    folders = filter(os.path.isabs, os.environ.get("PYTHONPATH", "").split(os.pathsep))
    whole = [sys.executable, "-P", "-m", "exercises.grading", command, *arguments]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), *folders])}
    if os.name == "posix":
        sys.stdout.flush()
        sys.stderr.flush()
        os.execve(sys.executable, whole, environment)
    try:
        return subprocess.run(whole, env=environment, check=False).returncode
    except KeyboardInterrupt:  # the grader has heard it, too, and says what is kept
        return INTERRUPTED
