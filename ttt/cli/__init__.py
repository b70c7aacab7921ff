"""The command `ttt`: the lab from a terminal."""

import os
import sys
from io import TextIOWrapper

import typer

from ttt.cli.grader import forward
from ttt.cli.qubic import prove, verify
from ttt.cli.search_stats import search_stats
from ttt.cli.tournament import play_tournament

FORWARDED = {  # to the grader, with whatever is written behind them
    "grade": "For instructors: grade a class, and write a feedback page for each student.",
    "guesses": "For instructors: draw what a class guessed, beside the results.",
    "release": "For instructors: write what students get, or the solutions.",
    "variant": "For instructors: give heuristic 1 other weights.",
}

colour = {"color": False if "NO_COLOR" in os.environ else None}
app = typer.Typer(help="The tic-tac-toe lab.", no_args_is_help=True, add_completion=False, context_settings=colour)
app.command("tournament")(play_tournament)
app.command()(search_stats)
app.command()(prove)
app.command()(verify)
for name, about in FORWARDED.items():
    anything = {"ignore_unknown_options": True, "allow_extra_args": True}
    app.command(name, help=about, add_help_option=False, context_settings=anything)(forward)


def main() -> None:
    """Run the command; the entry point of the console script `ttt`. Characters that a terminal lacks become "?"."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")
    app(prog_name="ttt")
