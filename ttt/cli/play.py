"""The command `ttt play`: a game against the computer in a terminal."""

from __future__ import annotations

from functools import cache
from random import Random
from typing import TYPE_CHECKING, Annotated

import typer

from ttt.board import Board
from ttt.players import PLAYERS, Player

if TYPE_CHECKING:  # loaded when something is shown: `ttt grade` starts faster without
    from rich.console import Console
    from rich.text import Text

OPPONENTS = [name for name, player in PLAYERS.items() if player.plays_on(Board())]
KEYPAD = "789456123"  # the key of each cell, laid out as on a keyboard's number pad
STYLES = {"X": "bold blue", "O": "bold red", "-": "dim"}


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
