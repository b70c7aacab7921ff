"""The command `ttt`: the lab from a terminal."""

from __future__ import annotations

from contextlib import suppress
from functools import cache
from random import Random
from typing import TYPE_CHECKING, Annotated

import typer

from ttt.board import Board
from ttt.players import PLAYERS, Player, UnknownPlayer
from ttt.sweep import search_stats

if TYPE_CHECKING:  # loaded when something is shown: `ttt grade` is quicker without
    from rich.console import Console
    from rich.text import Text

OPPONENTS = [name for name, player in PLAYERS.items() if player.plays_on(Board())]
KEYPAD = "789456123"  # the key of each cell, laid out as on a keyboard's number pad
STYLES = {"X": "bold blue", "O": "bold red", "-": "dim"}

app = typer.Typer(no_args_is_help=True, add_completion=False, help="The tic-tac-toe lab.")


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
    try:
        player = PLAYERS[opponent]
    except UnknownPlayer as unknown:
        raise typer.BadParameter(str(unknown), param_hint="--opponent") from None
    if opponent not in OPPONENTS:
        raise typer.BadParameter(f"{opponent} does not play on 3×3.", param_hint="--opponent")
    _console().print(f"Tic-tac-toe against [bold]{player.name}[/]. {player.about}")
    _console().print("The keys 1 to 9 are laid out as on the number pad. Leave at any time with q.")
    try:
        _play_games(player)
    except (EOFError, KeyboardInterrupt):
        _console().print()
    _console().print("Thanks for playing. Goodbye!")


app.command()(search_stats)

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
    """Run the command; what the console script `ttt` calls."""
    app(prog_name="ttt")


if __name__ == "__main__":
    main()
