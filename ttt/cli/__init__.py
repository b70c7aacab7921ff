"""The command `ttt`: the lab from a terminal."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from io import TextIOWrapper
from typing import ClassVar

import typer

from ttt.cli.play import play_command
from ttt.cli.serve import app_command
from ttt.terminal import Commands


class Lab(Commands):
    """The lab's commands."""

    later: ClassVar[dict[str, tuple[str, str]]] = {
        "tournament": ("ttt.cli.tournament", "play_tournament"),
        "search-stats": ("ttt.cli.search_stats", "search_stats"),
        "prove": ("ttt.qubic.command", "prove"),
        "verify": ("ttt.qubic.command", "verify"),
    }


app = typer.Typer(
    cls=Lab,
    no_args_is_help=True,
    add_completion=False,
    help="The tic-tac-toe lab.",
    context_settings={"color": False if "NO_COLOR" in os.environ else None},
)
app.command("play")(play_command)
app.command("app")(app_command)

with suppress(ModuleNotFoundError):  # students have no ttt.grading
    from ttt.grading import command

    for instructors in (command.grade, command.release, command.variant):
        app.command()(instructors)


def main() -> None:
    """Run the command; the entry point of the console script `ttt`. Characters that a terminal lacks become "?"."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")
    app(prog_name="ttt")
