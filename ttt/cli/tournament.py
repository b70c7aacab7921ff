"""The command `ttt tournament`."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from ttt.board import Board, BoardError
from ttt.cli.options import Dask, InARow, Shape, Workers, board_from
from ttt.loader import NoPlayer, load_player
from ttt.players import PLAYERS, Player, UnknownPlayer
from ttt.pools import NoCluster, pool
from ttt.store import Store, StoreError
from ttt.terminal import INTERRUPTED, stop, stop_for
from ttt.tournament import BadTournament, RemotePlayer, Tournament, tournament
from ttt.tournament.games import COLUMNS, EXACT
from ttt.tournament.schedule import GAMES

Load = Callable[[Path], tuple[Player | RemotePlayer, list[str]]]  # a file's player, and sentences about it

LONGEST_LABEL = 24  # characters of a name in a plot


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
    seed: Annotated[
        int | None,
        typer.Option(help="The seed of all chance; by default 0, but a new one where files play."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            help="A folder for the games, tables and plots. games.db in it keeps the games; delete it to start over."
        ),
    ] = None,
    workers: Workers = 0,
    dask: Dask = "",
    seconds: Annotated[
        float | None,
        typer.Option(min=0.1, help="A submitted player's seconds of computing for a move, if not the contest's."),
    ] = None,
    isolation: Annotated[str, typer.Option(help="The sandbox for submitted players: full or limits.")] = "full",
) -> None:
    """Let players play everybody against everybody, from both sides, and rate them.

    With --out, a tournament that was killed or interrupted can be run again: it goes on where it was.
    """
    try:
        if games % 2:
            raise BadTournament(f"Half of the games have either as X: --games must be even, not {games}.")
        start = board_from(board, k)
        load = _loader(start, seconds, isolation, dask)
        entrants, notes = _entrants(players or _players_on(start), load)
        _refuse_files_on_the_cube(start, entrants)
        for note in dict.fromkeys(notes):  # some are the same for many files
            typer.echo(note, err=True)
        games_file = out and out / "games.csv"
        if seed is None:
            seed = 0 if all(isinstance(one, str) for one in entrants) else _secret_seed(games_file)
        found = tournament(entrants, games, start, seed, games_file, pool(workers, dask))
        _show(found, out)
    except (BadTournament, UnknownPlayer, BoardError, NoCluster, StoreError) as error:
        stop(str(error))
    except OSError as error:
        stop_for(error, out)
    except KeyboardInterrupt:
        on = "run the same command again, and it goes on where it was" if out else "with --out the games are kept"
        stop(f"Interrupted: {on}.", INTERRUPTED)


def _players_on(board: Board) -> list[str]:
    return [name for name, player in PLAYERS.items() if player.plays_on(board)]


def _secret_seed(games: Path | None) -> int:
    """A seed that no player knows: the one of the games in a file, so that they are not played again, or a new one."""
    if games and games.with_suffix(".db").exists():
        with Store(games.with_suffix(".db"), ",".join(COLUMNS)) as store:
            seeds = [row["seed"] for row in store.results().values() if row["seed"] not in (EXACT, "0")]
        if seeds:
            return int(seeds[-1])
    return secrets.randbits(64)


def _entrants(players: Sequence[str], load: Load) -> tuple[list[str | Player | RemotePlayer], list[str]]:
    """Players by name and those in files, and a sentence for each file that can't play, or is as it was handed out."""
    files = [name for name in players if name not in PLAYERS and _is_file(name)]
    entrants: list[str | Player | RemotePlayer] = [name for name in players if name not in files]
    notes, taken = [], dict.fromkeys(PLAYERS, "one of the lab's players")
    for file in files:
        try:
            player, told = load(Path(file))
        except NoPlayer as error:
            notes.append(f"Left out: {error}")
            continue
        if player.name in taken:
            notes.append(f"Left out: {file} has the same name as {taken[player.name]}: rename the file.")
        else:
            taken[player.name] = file
            entrants.append(player)
            notes += told
    return entrants, notes


def _refuse_files_on_the_cube(board: Board, entrants: Sequence[str | Player | RemotePlayer]) -> None:
    """Raises `BadTournament` if players in files are to play on a board of three dimensions or more."""
    files = [one.name for one in entrants if not isinstance(one, str)]
    if files and len(board.shape) > 2:
        shape = "×".join(map(str, board.shape))
        raise BadTournament(f"Players in files play on flat boards, not on {shape}: leave out {', '.join(files)}.")


def _loader(board: Board, seconds: float | None, isolation: str, dask: str) -> Load:
    """What makes a player of a file: in a sandbox, or without `ttt.grading` in this process."""
    try:
        from ttt.grading import contest, sandbox, source
    except ModuleNotFoundError:
        return _trusted
    if isolation not in sandbox.LEVELS:
        raise BadTournament(f"The levels of isolation are {', '.join(sandbox.LEVELS)}, not {isolation!r}.")

    def load(path: Path) -> tuple[RemotePlayer, list[str]]:
        player = contest.contestant(path, isolation, seconds or contest.SECONDS)
        try:
            problem = "" if dask else player.problem(board)  # with dask, the sandboxes are elsewhere
        except sandbox.TooLittleIsolation as error:
            raise BadTournament(str(error)) from None
        if problem:
            raise NoPlayer(f"{path} can't play: {problem}")
        if source.untouched(path, "challenge"):
            return player, [f"Note: {path} is the challenge as it was handed out."]
        return player, []

    return load


def _trusted(path: Path) -> tuple[Player, list[str]]:
    """The player in a file, which will play in this process, and a warning."""
    return load_player(path), ["Without the sandbox: play only files that you trust."]


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
    labels = {one.player: _label(n, one.player) for n, one in enumerate(found.ratings, 1)}
    best = labels[found.ratings[0].player]
    results = [replace(one, x=labels[one.x], o=labels[one.o]) for one in found.results]
    figure: Any = plots.crosstable(results, f"{best} does best").figure
    figure.savefig(out / "crosstable.svg")
    typer.echo(f"The games, the tables and the plots are in {out}.")


def _label(place: int, name: str) -> str:
    """A player's name for plots, where a dollar begins a formula; a long one is cut short, and told by its place."""
    if len(name) > LONGEST_LABEL:
        name = f"{name[:LONGEST_LABEL]}… ({place})"
    return name.replace("$", r"\$")
