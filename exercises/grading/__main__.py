"""The commands for instructors: `ttt grade`, `release`, `variant`, `guesses` and `tournament`."""

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from exercises.grading import GradingError

FILE: dict[str, Any] = {"exists": True, "dir_okay": False}

app = typer.Typer(add_completion=False, no_args_is_help=True)


@app.command()
def grade(
    submissions: Annotated[Path, typer.Argument(help="A folder of submissions, or a Moodle or Canvas download.")],
    out: Annotated[Path, typer.Option(help="The folder for grades.csv, class.html and feedback/.")],
    exercise: Annotated[str, typer.Option(help="Which exercise it is.")] = "heuristic_1",
    isolation: Annotated[str, typer.Option(help="The isolation to insist on: full or limits.")] = "full",
    workers: Annotated[int, typer.Option(min=0, help="How many to judge at once; 0 for one on each core.")] = 0,
    dask: Annotated[str, typer.Option(help="A dask scheduler, such as tcp://HOST:8786, whose workers judge.")] = "",
    canvas: Annotated[Path | None, typer.Option(help="A gradebook from Canvas, to be filled in.", **FILE)] = None,
    moodle: Annotated[Path | None, typer.Option(help="A worksheet from Moodle, to be filled in.", **FILE)] = None,
    regrade: Annotated[bool, typer.Option("--regrade", help="Judge everything again.")] = False,
) -> None:
    """Grade a class: writes grades.csv, a feedback page for each student, and a page on the class.

    If it was stopped, run it again: it goes on where it was. Marks in review.csv, which it writes, override its own.
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
    out: Annotated[Path, typer.Argument(help="The folder that gets the bundle and its zip.")],
    solutions: Annotated[bool, typer.Option("--solutions", help="Write the instructor's edition, solved.")] = False,
) -> None:
    """Write the student bundle: the lab and its exercises, without solutions and without the grader."""
    from exercises.grading.release import release

    what = "instructor's edition" if solutions else "student bundle"
    typer.echo(f"The {what} is {release(out, solutions)}, and unpacked beside it.")


@app.command()
def variant(
    what: Annotated[str, typer.Argument(help="What 0, 1, 2 and 3 marks count: 0,1,4,0; or an exercise.")] = "",
) -> None:
    """Give heuristic 1 other weights everywhere, or work out afresh what students' checks know of exercises."""
    from exercises.grading.release import variant

    typer.echo("\n".join(f"Changed: {path}" for path in variant(what)) or "Nothing has changed.")


@app.command()
def guesses(
    submissions: Annotated[Path, typer.Argument(help="A folder of notebooks, or a Moodle or Canvas download.")],
    out: Annotated[Path, typer.Option(help="The page to write.")] = Path("guesses.html"),
    notebook: Annotated[str, typer.Option(help="Which lesson, such as 06_minimax, if there are several.")] = "",
) -> None:
    """Draw what a class guessed in a lesson beside the results, for the discussion; no names are shown."""
    from exercises.grading.guesses import guessed

    typer.echo("\n".join(guessed(submissions, out, notebook)))


@app.command()
def tournament(
    players: Annotated[list[str], typer.Argument(help="Names, and files with a function my_player(board).")],
    out: Annotated[Path | None, typer.Option(help="A page to write, such as tournament.html.")] = None,
    isolation: Annotated[str, typer.Option(help="The isolation of the players in files: full or limits.")] = "full",
) -> None:
    """Let players play everybody against everybody, exactly; players in files are asked in the sandbox."""
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
    except (GradingError, OSError) as error:
        sys.exit(str(error))
