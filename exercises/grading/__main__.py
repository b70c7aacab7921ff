"""The commands for instructors: `ttt grade`, `release`, `variant` and `tournament`."""

import sys
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from exercises.grading import GradingError

FILE: dict[str, Any] = {"exists": True, "dir_okay": False}
Isolation = Literal["full", "limits"]

app = typer.Typer(
    rich_markup_mode="markdown",
    add_completion=False,
    no_args_is_help=True,
    context_settings={"help_option_names": ["--help", "-h"]},
)


@app.callback()
def ttt() -> None:
    """Commands for instructors of the tic-tac-toe lab. `exercises/README.md` explains them one by one."""


@app.command()
def grade(
    submissions: Annotated[Path, typer.Argument(help="Submissions: a folder, or a download from Moodle or Canvas.")],
    out: Annotated[Path, typer.Option(help="Where to write the results.")],
    exercise: Annotated[str, typer.Option(help="`heuristic_1`, `alpha_beta` or `interface`.")] = "heuristic_1",
    isolation: Annotated[Isolation, typer.Option(help="The isolation level to require.")] = "full",
    workers: Annotated[int, typer.Option(min=0, help="How many to judge at the same time; 0 means one per core.")] = 0,
    canvas: Annotated[Path | None, typer.Option(help="A Canvas gradebook to fill in.", **FILE)] = None,
    moodle: Annotated[Path | None, typer.Option(help="A Moodle grading worksheet to fill in.", **FILE)] = None,
    regrade: Annotated[bool, typer.Option("--regrade", help="Judge everything again, even what is unchanged.")] = False,
) -> None:
    """Grade a class.

    Writes `grades.csv`, a feedback page for each student, and `class.html`, an overview of the class. If you stop the
    command, run it again, and it picks up where it left off. Points that you enter in `review.csv` replace those of
    the grader.
    """
    from exercises.grading import run

    options = run.Options(submissions, out, exercise, isolation, workers, canvas, moodle, regrade)
    try:
        typer.echo(run.closing_message(options, *run.graded(options)))
    except KeyboardInterrupt:
        typer.echo("Interrupted. Results so far are saved; run the same command again to resume.", err=True)
        raise typer.Exit(130) from None


@app.command("release")
def _release(
    out: Annotated[Path, typer.Argument(help="Where to write the edition and its ZIP.")],
    solutions: Annotated[
        bool, typer.Option("--solutions", help="Write the instructor's edition instead, with all exercises solved.")
    ] = False,
) -> None:
    """Write the student edition, as a folder and a ZIP.

    It contains the lessons, the exercises and the package, but no solutions and no grader.
    """
    from exercises.grading.release import release

    what = "instructor's edition" if solutions else "student edition"
    typer.echo(f"The {what} is {release(out, solutions)}, with an unpacked copy next to it.")


@app.command("variant")
def _variant(
    weights: Annotated[str, typer.Argument(help="What a line with 0, 1, 2 and 3 marks counts, such as `0,1,4,0`.")],
) -> None:
    """Give heuristic 1 new weights, so that last year's answers don't work."""
    from exercises.grading.judging.heuristic_1 import change_weights

    typer.echo("\n".join(f"Changed: {path}" for path in change_weights(weights)) or "Nothing needed to change.")


@app.command("tournament")
def _tournament(
    players: Annotated[
        list[str],
        typer.Argument(help="Players of the lab, such as `perfect`, and files that define `my_player(board)`."),
    ],
    out: Annotated[Path | None, typer.Option(help="Where to write a page, such as `tournament.html`.")] = None,
    isolation: Annotated[Isolation, typer.Option(help="The isolation level for players in files.")] = "full",
) -> None:
    """Hold a tournament: everybody plays everybody.

    Results are exact unless a player in a file moves at random. Players in files run in the sandbox.
    """
    from exercises.grading.judging.players import hold_tournament
    from exercises.grading.results.feedback import rendered
    from ttt.players import PLAYERS

    results = hold_tournament(players, isolation)
    typer.echo(str(results))
    if out is not None:
        out.write_text(rendered("tournament.html", results=results, lab=PLAYERS), encoding="utf-8")
        typer.echo(f"The page is {out}.")


if __name__ == "__main__":
    try:
        app(prog_name="ttt")
    except GradingError as error:
        sys.exit(str(error))
    except OSError as error:
        sys.exit(f"{error.filename}: {error.strerror}" if error.filename else str(error))
