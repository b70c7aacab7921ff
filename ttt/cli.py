"""The command `ttt`: the lab from a terminal."""

from __future__ import annotations

import logging
import sys
from contextlib import suppress
from functools import cache
from io import TextIOWrapper
from pathlib import Path
from random import Random
from socket import SO_REUSEADDR, SOL_SOCKET, socket
from typing import TYPE_CHECKING, Annotated, ClassVar

import typer

from ttt.board import Board
from ttt.players import PLAYERS, Player
from ttt.terminal import Commands, stop

if TYPE_CHECKING:  # loaded when something is shown: `ttt grade` starts faster without
    from rich.console import Console
    from rich.text import Text

OPPONENTS = [name for name, player in PLAYERS.items() if player.plays_on(Board())]
KEYPAD = "789456123"  # the key of each cell, laid out as on a keyboard's number pad
STYLES = {"X": "bold blue", "O": "bold red", "-": "dim"}


class Lab(Commands):
    """The lab's commands."""

    later: ClassVar[dict[str, tuple[str, str]]] = {
        "tournament": ("ttt.tournament.command", "command"),
        "search-stats": ("ttt.statistics.command", "search_stats"),
        "prove": ("ttt.qubic.command", "prove"),
        "verify": ("ttt.qubic.command", "verify"),
    }


app = typer.Typer(cls=Lab, no_args_is_help=True, add_completion=False, help="The tic-tac-toe lab.")

with suppress(ModuleNotFoundError):  # students have no ttt.grading
    from ttt.grading import command

    for instructors in (command.grade, command.release, command.variant):
        app.command()(instructors)


# ------------------------------------------------------------------------------------------------- ttt app


@app.command("app")
def app_command(
    dark: Annotated[bool, typer.Option("--dark", help="Begin with a dark page; a switch is on the page.")] = False,
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Where to serve; if it is taken, or 0, a free port.")
    ] = 8866,
    browser: Annotated[bool, typer.Option(help="Whether to open a browser, if there is one.")] = True,
) -> None:
    """Serve the boards as an app without code, large enough for a lecture hall. Ctrl+C ends it."""
    try:
        from voila.app import Voila
    except ModuleNotFoundError:
        stop("The app needs Voilà. In the lab's folder: .venv/bin/python -m pip install --editable '.[app]'")
    port = _free_port(port)
    options = [f"--port={port}", f"--theme={'dark' if dark else 'light'}", "--Voila.ip=127.0.0.1"]
    options += [f"--Voila.open_browser={browser}", "--Voila.log_level=CRITICAL"]
    options += [f"--MappingKernelManager.cull_{what}" for what in ("idle_timeout=120", "interval=30")]  # closed pages
    logging.disable(logging.WARNING)  # the terminal shows the address only
    typer.echo(f"The boards are at http://127.0.0.1:{port}/. Ctrl+C ends the app.")
    Voila.launch_instance([str(Path(__file__).parent / "widgets" / "hall.ipynb"), *options])


def _free_port(wanted: int) -> int:
    """This port, or any other if it is taken."""
    for port in (wanted, 0):
        with socket() as probe, suppress(OSError):
            probe.setsockopt(SOL_SOCKET, SO_REUSEADDR, 1)
            probe.bind(("127.0.0.1", port))
            return int(probe.getsockname()[1])
    raise OSError("There is no free port.")


# ------------------------------------------------------------------------------------------------- ttt play


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
    """A sentence that names the opponents there are."""
    from difflib import get_close_matches  # imported only for the mistake

    close = get_close_matches(name, OPPONENTS, n=1)
    why = f"{name} does not play on 3×3." if name in PLAYERS else f"There is no player {name!r}."
    hint = f" Did you mean {close[0]!r}?" if close else ""
    return f"{why}{hint} The players are {', '.join(OPPONENTS)}."


def _play_games(player: Player) -> None:
    again = True
    while again:
        _play_game(player, "X" if _yes("Do you want to go first?") else "O")
        again = _yes("Play again?")


def _play_game(player: Player, person: str) -> None:
    """One game, to its end."""
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
    """The cell of the key that the person presses; asks until it is a free one."""
    from rich.text import Text

    free = ", ".join(sorted(KEYPAD[cell] for cell in board.moves))
    while True:
        key = _ask(f"You are {board.turn}. Your key ({free})")
        if not key:
            _console().print("Press a key from 1 to 9, then Enter.")
        elif len(key) != 1 or key not in KEYPAD:
            _console().print(Text(f"{key!r} is not a key from 1 to 9."))
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
    """The board, with its key in each free cell."""
    from rich.text import Text

    winning = {cell for line in board.winning_lines for cell in line}
    upright, across, cross = "│─┼" if "utf" in _console().encoding.lower() else "|-+"
    text = Text()
    for cell, mark in enumerate(board):
        row, column = divmod(cell, 3)
        if row and not column:
            text.append("\n  " + cross.join([3 * across] * 3))
        text.append(f" {upright}" if column else "\n  ")
        style = f"{STYLES[mark]} reverse" if cell in winning else STYLES[mark]
        text.append(" ").append(KEYPAD[cell] if mark == "-" else mark, style)
    return text.append("\n")


@cache
def _console() -> Console:
    """Where games are shown."""
    from rich.console import Console

    return Console(highlight=False)


def main() -> None:
    """Run the command; the entry point of the console script `ttt`. Characters that a terminal lacks become "?"."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")
    app(prog_name="ttt")
