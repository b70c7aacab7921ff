"""The command `ttt tournament`."""

from pathlib import Path
from typing import Annotated

import typer

from ttt.arena.round_robin import tournament
from ttt.cli.grader import GRADER, started
from ttt.cli.terminal import stop, stop_for
from ttt.exercises.loader import NoPlayer, load_player
from ttt.players import PLAYERS, Player, PlayerError


def play_tournament(
    players: Annotated[
        list[str] | None,
        typer.Argument(help="Names, and files (.py or .ipynb) with a function my_player(board); by default all names."),
    ] = None,
    out: Annotated[Path | None, typer.Option(help="A page to write, such as tournament.html.")] = None,
    isolation: Annotated[str, typer.Option(help="The sandbox of players in files: full or limits.")] = "full",
) -> None:
    """Let players play everybody against everybody on 3×3, from both sides, with exact results.

    Players in files are asked in the grader's sandbox. Where there is no grader they are asked in this very process.
    """
    names = players or [name for name, player in PLAYERS.items() if player.shape in (None, (3, 3))]
    if GRADER.exists() and any(name not in PLAYERS for name in names):
        page = ["--out", str(out)] if out else []
        raise typer.Exit(started("tournament", [*names, "--isolation", isolation, *page]))
    try:
        found = tournament([name if name in PLAYERS else _trusted(Path(name)) for name in names])
        typer.echo(str(found))
        if out is not None:
            out.write_text(found.html, encoding="utf-8")
            typer.echo(f"The page is {out}.")
    except (ValueError, PlayerError) as error:
        stop(str(error))
    except OSError as error:
        stop_for(error, out)


def _trusted(path: Path) -> Player:
    """The player in a file, which is asked in this process. Raises `NoPlayer`."""
    if path.suffix.lower() not in (".py", ".ipynb"):
        raise NoPlayer(
            f"There is no player {path}. The players are {', '.join(PLAYERS)}; a file ends in .py or .ipynb."
        )
    typer.echo(f"{path} is asked without a sandbox: let only files play that you trust.", err=True)
    return load_player(path)
