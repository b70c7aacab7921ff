"""The command `ttt tournament`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from ttt.board import Board, BoardError
from ttt.cli.options import Dask, InARow, Shape, Workers, board_from
from ttt.jobs import NoCluster, pool
from ttt.players import PLAYERS, Player, UnknownPlayer
from ttt.players.loader import NoPlayer, load_player
from ttt.store import StoreError
from ttt.terminal import INTERRUPTED, stop, stop_for
from ttt.tournament import BadTournament, RemotePlayer, Tournament, tournament
from ttt.tournament.schedule import GAMES


def play_tournament(
    players: Annotated[
        list[str] | None,
        typer.Argument(
            help="Names, and files (.py or .ipynb) with a function my_player(board); by default all registered players."
        ),
    ] = None,
    board: Shape = "3x3",
    k: InARow = 0,
    games: Annotated[int, typer.Option(min=2, help="Games for each pair of players, half with either as X.")] = GAMES,
    seed: Annotated[int, typer.Option(help="The seed of all chance: the same seed gives the same results.")] = 0,
    out: Annotated[
        Path | None,
        typer.Option(
            help="A folder for the games, tables and plots. games.db in it keeps the games; delete it to start over."
        ),
    ] = None,
    workers: Workers = 0,
    dask: Dask = "",
    seconds: Annotated[
        float | None, typer.Option(min=0.1, help="A submitted player's time for a move, if not the contest's.")
    ] = None,
    isolation: Annotated[str, typer.Option(help="The sandbox for submitted players: full, limits or none.")] = "full",
) -> None:
    """Let players play everybody against everybody, from both sides, and rate them.

    With --out, a tournament that was killed or interrupted can be run again: it goes on where it was.
    """
    try:
        if games % 2:
            raise BadTournament(f"Half of the games have either as X: --games must be even, not {games}.")
        start = board_from(board, k)
        entrants = _entrants(players or _players_on(start), seconds, isolation)
        found = tournament(entrants, games, start, seed, out and out / "games.csv", pool(workers, dask))
        _show(found, out)
    except (BadTournament, NoPlayer, UnknownPlayer, BoardError, NoCluster, StoreError) as error:
        stop(str(error))
    except OSError as error:
        stop_for(error, out)
    except KeyboardInterrupt:
        on = "run the same command again, and it goes on where it was" if out else "with --out the games are kept"
        stop(f"Interrupted: {on}.", INTERRUPTED)


def _players_on(board: Board) -> list[str]:
    return [name for name, player in PLAYERS.items() if player.plays_on(board)]


def _entrants(players: Sequence[str], seconds: float | None, isolation: str) -> list[str | Player | RemotePlayer]:
    """Players by name, and those in files: each in a sandbox, or without `ttt.grading` in this process."""
    files = [name for name in players if name not in PLAYERS and _is_file(name)]
    try:
        from ttt.grading import contest
    except ModuleNotFoundError:
        if files:
            typer.echo("Without the sandbox: play only files that you trust.", err=True)
        return [load_player(Path(name)) if name in files else name for name in players]
    seconds = seconds or contest.SECONDS
    return [contest.contestant(Path(name), isolation, seconds) if name in files else name for name in players]


def _is_file(name: str) -> bool:
    """Whether the name is that of a player's file. Raises `BadTournament` for a name that can't be a player's."""
    path = Path(name)
    if path.is_dir():
        folder = name.rstrip("/\\")
        raise BadTournament(f"{folder}/ is a folder: name its files, as in {folder}/*.py.")
    if path.suffix.lower() in (".py", ".ipynb"):
        return True
    if path.suffix or path.exists():
        raise BadTournament(f"{name} can't play: a player's file ends in .py or .ipynb.")
    return False


def _show(found: Tournament, out: Path | None) -> None:
    """Print the tables; write them to the folder, with the plots."""
    typer.echo(str(found))
    if out is None:
        return
    from ttt import plots

    texts = {"crosstable.csv": found.csv, "ratings.csv": found.ratings_csv, "tournament.html": found.html}
    for name, text in texts.items():
        (out / name).write_text(text, "utf-8", newline="")
    best = found.ratings[0].player
    plots.crosstable(found.results, f"{best} does best").savefig(out / "crosstable.svg")
    plots.ratings(found.ratings, f"{best} is rated highest").savefig(out / "ratings.svg")
    typer.echo(f"The games, the tables and the plots are in {out}.")
