"""The command `ttt`: the lab from a terminal."""

from __future__ import annotations

import logging
import sys
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from io import TextIOWrapper
from pathlib import Path
from random import Random
from socket import SO_REUSEADDR, SOL_SOCKET, socket
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer

from ttt.board import Board, BoardError
from ttt.players import PLAYERS, Player, UnknownPlayer
from ttt.terminal import INTERRUPTED, Commands, stop, stop_for

if TYPE_CHECKING:  # loaded when something is shown: `ttt grade` is quicker without
    from rich.console import Console
    from rich.text import Text

    from ttt.tournament import Tournament

OPPONENTS = [name for name, player in PLAYERS.items() if player.plays_on(Board())]
KEYPAD = "789456123"  # the key of each cell, laid out as on a keyboard's number pad
STYLES = {"X": "bold blue", "O": "bold red", "-": "dim"}


class Lab(Commands):
    """The lab's commands."""

    later: ClassVar[dict[str, tuple[str, str]]] = {
        "bench": ("ttt.bench", "bench"),
        "search-stats": ("ttt.sweep", "search_stats"),
        "prove": ("ttt.qubic.command", "prove"),
        "verify": ("ttt.qubic.command", "verify"),
    }


app = typer.Typer(cls=Lab, no_args_is_help=True, add_completion=False, help="The tic-tac-toe lab.")


@cache
def _console() -> Console:
    """Where games are shown."""
    from rich.console import Console

    return Console(highlight=False)


@app.callback()
def main_options() -> None:
    """The tic-tac-toe lab."""


@app.command("play")
def play_command(
    opponent: Annotated[
        str, typer.Option("--opponent", "-o", help=f"Who plays against you: {', '.join(OPPONENTS)}.")
    ] = "flash-clever",
) -> None:
    """Play against the computer, with the keys of the number pad."""
    if opponent not in OPPONENTS:
        raise typer.BadParameter(_no_opponent(opponent), param_hint="--opponent")
    player = PLAYERS[opponent]
    _console().print(f"Tic-tac-toe against [bold]{player.name}[/]. {player.about}")
    _console().print("The keys 1 to 9 are laid out as on the number pad. Leave at any time with q.")
    try:
        _play_games(player)
    except (EOFError, KeyboardInterrupt):
        _console().print()
    _console().print("Thanks for playing. Goodbye!")


def _no_opponent(name: str) -> str:
    """A sentence on who there is instead."""
    from difflib import get_close_matches  # loaded for the mistake

    close = get_close_matches(name, OPPONENTS, n=1)
    why = f"{name} does not play on 3×3." if name in PLAYERS else f"There is no player {name!r}."
    return f"{why}{f' Did you mean {close[0]!r}?' if close else ''} The players are {', '.join(OPPONENTS)}."


@app.command("app")
def app_command(
    dark: Annotated[bool, typer.Option("--dark", help="Begin on a dark page; the page has a switch as well.")] = False,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Where to serve; if taken, or 0, a free one.")] = 8866,
    browser: Annotated[bool, typer.Option(help="Whether to open a browser, where there is one.")] = True,
) -> None:
    """Serve the boards as an app without code, large enough for a hall. Ctrl+C ends it."""
    try:
        from voila.app import Voila
    except ModuleNotFoundError:
        stop("The app needs Voilà. In the lab's folder: .venv/bin/python -m pip install --editable '.[app]'")
    port = _free_port(port)
    options = [f"--port={port}", f"--theme={'dark' if dark else 'light'}", "--Voila.ip=127.0.0.1"]
    options += [f"--Voila.open_browser={browser}", "--Voila.log_level=CRITICAL"]
    options += [f"--MappingKernelManager.cull_{what}" for what in ("idle_timeout=120", "interval=30")]  # closed pages'
    logging.disable(logging.WARNING)  # nobody reads it in a hall
    typer.echo(f"The boards are at http://127.0.0.1:{port}/. Ctrl+C ends the app.")
    Voila.launch_instance([str(Path(__file__).parent / "widgets" / "hall.ipynb"), *options])


def _free_port(wanted: int) -> int:
    """This port, or any other where it is taken."""
    for port in (wanted, 0):
        with socket() as probe, suppress(OSError):
            probe.setsockopt(SOL_SOCKET, SO_REUSEADDR, 1)
            probe.bind(("127.0.0.1", port))
            return int(probe.getsockname()[1])
    raise OSError("There is no free port.")


@app.command("tournament")
def tournament_command(
    players: Annotated[
        list[str] | None,
        typer.Argument(
            help="Names, and files (.py or .ipynb) with a function my_player(board); all of the board's own by default."
        ),
    ] = None,
    board: Annotated[str, typer.Option(help="The board's shape, such as 3x3 or 4x4x4.")] = "3x3",
    k: Annotated[int, typer.Option("--k", min=0, help="How many in a row win; 0 for the shortest side.")] = 0,
    games: Annotated[int, typer.Option(min=2, help="Games for each two players, half of them with either as X.")] = 100,
    seed: Annotated[int, typer.Option(help="What chance comes from: the same seed gives the same results.")] = 0,
    out: Annotated[Path | None, typer.Option(help="A folder for the games, the tables and the plots.")] = None,
    workers: Annotated[int, typer.Option(min=0, help="How many processes play at once; 0 for one a core.")] = 0,
    dask: Annotated[str, typer.Option(help="A dask scheduler, such as tcp://HOST:8786, whose workers play.")] = "",
    seconds: Annotated[float, typer.Option(min=0.1, help="A submitted player's time for a move.")] = 2.0,
    isolation: Annotated[str, typer.Option(help="The jail for submitted players: full, limits or none.")] = "full",
) -> None:
    """Let players play, everybody against everybody from both sides, and rate them.

    With --out, killed or interrupted, run it again: it goes on where it was.
    """
    from ttt import tournament
    from ttt.jobs import NoCluster, pool
    from ttt.players.loader import NoPlayer
    from ttt.sweep import BadSweep, board_from

    try:
        if games % 2:
            raise tournament.BadTournament(f"Half of the games have either as X: --games must be even, not {games}.")
        start = board_from(board, k)
        names = players or [name for name, player in PLAYERS.items() if player.plays_on(start)]
        entrants = _entrants(names, seconds, isolation)
        kept = out and out / "games.csv"
        found = tournament.tournament(entrants, games, start, seed, kept, pool(workers, dask))
        _show_tournament(found, out)
    except (tournament.BadTournament, NoPlayer, UnknownPlayer, BadSweep, BoardError, NoCluster) as error:
        stop(str(error))
    except OSError as error:
        stop_for(error, out)
    except KeyboardInterrupt:
        on = "run the same command again, and it goes on where it was" if out else "with --out the games are kept"
        stop(f"Interrupted: {on}.", INTERRUPTED)


def _entrants(players: Sequence[str], seconds: float, isolation: str) -> list[Any]:
    """Players by name, and those in files: each in a jail, or where the instructor's wing is missing as they are."""
    from ttt.players.loader import load_player
    from ttt.tournament import BadTournament

    submitted = [name for name in players if name not in PLAYERS and _is_file(name)]
    try:
        from ttt.grading import contest
    except ModuleNotFoundError:
        if submitted:
            typer.echo("Without the sandbox: play only files that you trust.", err=True)
        return [load_player(Path(name)) if name in submitted else name for name in players]
    try:
        return [contest.contestant(Path(name), isolation, seconds) if name in submitted else name for name in players]
    except contest.NoPlayer as error:
        raise BadTournament(str(error)) from None


def _is_file(name: str) -> bool:
    """Whether a player's file is meant. Raises `BadTournament` for what can't be one."""
    from ttt.tournament import BadTournament

    path = Path(name)
    if path.is_dir():
        folder = name.rstrip("/\\")
        raise BadTournament(f"{folder}/ is a folder: name its files, as in {folder}/*.py.")
    if path.suffix.lower() in (".py", ".ipynb"):
        return True
    if path.suffix or path.exists():
        raise BadTournament(f"{name} can't play: a player's file ends in .py or .ipynb.")
    return False


def _show_tournament(found: Tournament, out: Path | None) -> None:
    """The tables on the terminal, and into the folder with the plots."""
    typer.echo(str(found))
    if out is None:
        return
    from ttt import plots

    for name, text in (
        ("crosstable.csv", found.csv),
        ("ratings.csv", found.ratings_csv),
        ("tournament.html", found.html),
    ):
        (out / name).write_text(text, "utf-8", newline="")
    best = found.ratings[0].player
    plots.crosstable(found.results, f"{best} does best").savefig(out / "crosstable.svg")
    plots.ratings(found.ratings, f"{best} is rated highest").savefig(out / "ratings.svg")
    typer.echo(f"The games, the tables and the plots are in {out}.")


with suppress(ModuleNotFoundError):  # students have no grading
    from ttt.grading import command

    for instructors in (command.grade, command.release, command.variant):
        app.command()(instructors)


def _play_games(player: Player) -> None:
    again = True
    while again:
        _play_game(player, "X" if _yes("Do you want to go first?") else "O")
        again = _yes("Play again?")


def _play_game(player: Player, person: str) -> None:
    """One game; the end is told as soon as it is reached."""
    board, rng = Board(), Random()
    while not board.over:
        if board.turn == person:
            _console().print(_drawn(board))
            board = board.play(_ask_cell(board))
        else:
            cell = player.choose(board, rng)
            _console().print(f"{player.name} plays {KEYPAD[cell]}.")
            board = board.play(cell)
    _console().print(_drawn(board))
    ends = {person: "You win!", None: "It is a draw."}
    _console().print(f"[bold]{ends.get(board.winner, f'You lose: {player.name} wins.')}[/]")


def _ask_cell(board: Board) -> int:
    """The cell of the key that a person presses; asks until it is a free one."""
    from rich.text import Text

    free = ", ".join(sorted(KEYPAD[cell] for cell in board.moves))
    while True:
        key = _ask(f"You are {board.turn}. Your key ({free})")
        if len(key) != 1 or key not in KEYPAD:
            _console().print(
                Text(f"{key!r} is not a key from 1 to 9.") if key else "Press a key from 1 to 9, then Enter."
            )
        elif board[KEYPAD.index(key)] != "-":
            _console().print(f"{key} is taken by {board[KEYPAD.index(key)]}. Free are {free}.")
        else:
            return KEYPAD.index(key)


def _yes(question: str) -> bool:
    while True:
        answer = _ask(f"{question} (y/n)").lower()
        if answer in ("y", "yes", "n", "no"):
            return answer.startswith("y")
        _console().print("Please answer y for yes or n for no.")


def _ask(question: str) -> str:
    """A line of input. Raises `EOFError` at its end, and when the person asks to leave."""
    from rich.text import Text

    answer = _console().input(Text(f"{question}: ")).strip()
    if answer.lower() in ("q", "quit", "exit"):
        raise EOFError
    return answer


def _drawn(board: Board) -> Text:
    """The board, with the key of each free cell in it."""
    from rich.text import Text

    winning = {cell for line in board.winning_lines for cell in line}
    upright, across, cross = "│─┼" if "utf" in _console().encoding.lower() else "|-+"
    text = Text()
    for row in range(3):
        for column in range(3):
            cell = 3 * row + column
            mark = board[cell]
            style = STYLES[mark] + (" reverse" if cell in winning else "")
            text.append(f" {upright}" if column else "\n  ")
            text.append(" ").append(KEYPAD[cell] if mark == "-" else mark, style)
        text.append("\n  " + cross.join([3 * across] * 3) if row < 2 else "\n")
    return text


def main() -> None:
    """Run the command; what the console script `ttt` calls. What a terminal can't show is told as "?"."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")
    app(prog_name="ttt")


if __name__ == "__main__":
    main()
