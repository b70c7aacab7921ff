"""The command `ttt`: the lab from a terminal."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from io import TextIOWrapper
from typing import Any

import typer
from typer.core import TyperGroup

COMMANDS = {  # the module of each command and the function there, imported when it is called
    "tournament": ("ttt.cli.tournament", "play_tournament"),
    "search-stats": ("ttt.cli.search_stats", "search_stats"),
    "prove": ("ttt.cli.qubic", "prove"),
    "verify": ("ttt.cli.qubic", "verify"),
}
FORWARDED = {  # to the grader, with whatever is written behind them
    "grade": "For instructors: grade a class, and write a feedback page for each student.",
    "guesses": "For instructors: draw what a class guessed, beside the results.",
    "release": "For instructors: write what students get, or the solutions.",
    "variant": "For instructors: give heuristic 1 other weights.",
}
COMMANDS |= dict.fromkeys(FORWARDED, ("ttt.cli.grader", "forward"))


class Lab(TyperGroup):
    """The lab's commands, each imported when it is called, so that the others start faster."""

    def list_commands(self, ctx: Any) -> list[str]:
        """The names of all commands."""
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """A command by its name, or None."""
        if cmd_name not in COMMANDS:
            return None
        module, function = COMMANDS[cmd_name]
        alone = typer.Typer(add_completion=False)
        passed_on = cmd_name in FORWARDED
        settings = {"ignore_unknown_options": passed_on, "allow_extra_args": passed_on}
        about = FORWARDED.get(cmd_name)
        command = alone.command(cmd_name, help=about, add_help_option=not passed_on, context_settings=settings)
        command(getattr(import_module(module), function))
        return typer.main.get_command(alone)


app = typer.Typer(
    cls=Lab,
    no_args_is_help=True,
    add_completion=False,
    context_settings={"color": False if "NO_COLOR" in os.environ else None},
)


@app.callback()
def lab() -> None:
    """The tic-tac-toe lab."""


def main() -> None:
    """Run the command; the entry point of the console script `ttt`. Characters that a terminal lacks become "?"."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")
    app(prog_name="ttt")
