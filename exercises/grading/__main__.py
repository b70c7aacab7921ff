"""The commands for instructors: `ttt grade`, `release`, `variant`, `guesses` and `tournament`."""

import sys
from importlib.metadata import version
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


def tell_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"ttt {version('ttt')}")
        raise typer.Exit


def require_address(scheduler: str) -> str:
    if scheduler and "://" not in scheduler:
        raise typer.BadParameter(f"{scheduler!r} is no address; one looks like tcp://HOST:8786.")
    return scheduler


@app.callback()
def ttt(
    show_version: Annotated[
        bool, typer.Option("--version", callback=tell_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """The tic-tac-toe lab's commands for instructors; exercises/README.md goes through them one by one."""


@app.command()
def grade(
    submissions: Annotated[Path, typer.Argument(help="A folder of submissions, or a download from Moodle or Canvas.")],
    out: Annotated[Path, typer.Option(help="The folder for the results.")],
    exercise: Annotated[str, typer.Option(help="The exercise: heuristic_1, alpha_beta or interface.")] = "heuristic_1",
    isolation: Annotated[Isolation, typer.Option(help="The isolation that submissions must have.")] = "full",
    workers: Annotated[
        int, typer.Option(min=0, help="How many submissions to judge at the same time; 0: one on each core.")
    ] = 0,
    dask: Annotated[
        str,
        typer.Option(help="A dask scheduler whose workers judge, such as tcp://HOST:8786.", callback=require_address),
    ] = "",
    canvas: Annotated[Path | None, typer.Option(help="A gradebook from Canvas to fill in.", **FILE)] = None,
    moodle: Annotated[Path | None, typer.Option(help="A grading worksheet from Moodle to fill in.", **FILE)] = None,
    regrade: Annotated[
        bool, typer.Option("--regrade", help="Judge all submissions again, even if nothing has changed.")
    ] = False,
) -> None:
    """Grade a class.

    Writes grades.csv, a feedback page for each student, and class.html, a page on the class. If you stop the command,
    run it again: it goes on where it was. The points that you fill in in review.csv override its own.
    """
    from exercises.grading import run

    options = run.Options(submissions, out, exercise, isolation, workers, dask, canvas, moodle, regrade)
    try:
        typer.echo(run.summary(options, *run.graded(options)))
    except KeyboardInterrupt:
        typer.echo("Interrupted. What was reached is kept: run the same command again, and it goes on.", err=True)
        raise typer.Exit(130) from None


@app.command()
def release(
    out: Annotated[Path, typer.Argument(help="The folder for the bundle and its ZIP.")],
    solutions: Annotated[
        bool, typer.Option("--solutions", help="Write the instructor's edition, with all exercises solved.")
    ] = False,
) -> None:
    """Write what students get, as a folder and a ZIP.

    These are the lessons, the exercises and the package, without solutions and without the grader.
    """
    from exercises.grading.release import release

    what = "instructor's edition" if solutions else "student bundle"
    typer.echo(f"The {what} is {release(out, solutions)}, and unpacked beside it.")


@app.command()
def variant(
    what: Annotated[
        str,
        typer.Argument(help="What a line with 0, 1, 2 and 3 marks counts, such as 0,1,4,0; or an exercise."),
    ] = "",
) -> None:
    """Give heuristic 1 other weights, so that last year's answers don't work.

    With an exercise in place of weights, or with nothing, write anew what students' checks know of exercises, after you
    have changed a key.
    """
    from exercises.grading.release import variant

    typer.echo("\n".join(f"Changed: {path}" for path in variant(what)) or "Nothing has changed.")


@app.command()
def guesses(
    submissions: Annotated[Path, typer.Argument(help="A folder of notebooks, or a download from Moodle or Canvas.")],
    out: Annotated[Path, typer.Option(help="The page to write.")] = Path("guesses.html"),
    notebook: Annotated[
        str, typer.Option(help="The lesson, such as 06_minimax, if notebooks of several lessons are there.")
    ] = "",
) -> None:
    """Draw what a class guessed, beside the results.

    The page is for the discussion of a lesson, and shows no names.
    """
    from exercises.grading.guesses import guessed

    typer.echo("\n".join(guessed(submissions, out, notebook)))


@app.command()
def tournament(
    players: Annotated[
        list[str],
        typer.Argument(help="The lab's players, such as perfect, and files with a function my_player(board)."),
    ],
    out: Annotated[Path | None, typer.Option(help="A page to write, such as tournament.html.")] = None,
    isolation: Annotated[Isolation, typer.Option(help="The isolation that players in files must have.")] = "full",
) -> None:
    """Let players compete, everybody against everybody.

    Results are exact: nothing is sampled. Players in files run in the sandbox.
    """
    from exercises.grading.feedback import rendered
    from exercises.grading.players import played

    results = played(players, isolation)
    typer.echo(str(results))
    if out is not None:
        out.write_text(rendered("tournament.html", tables=results.tables, notes=results.notes), encoding="utf-8")
        typer.echo(f"The page is {out}.")


if __name__ == "__main__":
    try:
        app(prog_name="ttt")
    except GradingError as error:
        sys.exit(str(error))
    except OSError as error:
        sys.exit(f"{error.filename}: {error.strerror}" if error.filename else str(error))
