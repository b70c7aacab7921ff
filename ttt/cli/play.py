"""The command `ttt play`: a game against the computer in a terminal."""

from __future__ import annotations

import sys
from difflib import get_close_matches
from random import Random
from typing import Annotated

import typer

from ttt.board import Board
from ttt.players import PLAYERS, Player

OPPONENTS = [name for name, player in PLAYERS.items() if player.plays_on(Board())]
KEYPAD = "789456123"  # the key of each cell, laid out as on a keyboard's number pad
COLOURS = {"X": "blue", "O": "red"}


def play_command(
    opponent: Annotated[
        str, typer.Option("--opponent", "-o", help=f"Who plays against you: {', '.join(OPPONENTS)}.")
    ] = "flash-clever",
) -> None:
    """Play against the computer, with the keys of the number pad."""
    if opponent not in OPPONENTS:
        raise typer.BadParameter(_no_opponent(opponent), param_hint="--opponent")
    player = PLAYERS[opponent]
    typer.echo(f"Tic-tac-toe against {typer.style(player.name, bold=True)}. {player.about}")
    typer.echo("The keys 1 to 9 are laid out as on the number pad. Leave at any time with q.")
    try:
        _play_games(player)
    except (EOFError, KeyboardInterrupt):
        typer.echo()
    typer.echo("Thanks for playing. Goodbye!")


def _no_opponent(name: str) -> str:
    """A sentence that names the opponents there are."""
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
            typer.echo(_drawn(board))
            board = board.play(_ask_cell(board))
        else:
            cell = player.choose(board, rng)
            typer.echo(f"{player.name} plays {KEYPAD[cell]}.")
            board = board.play(cell)
    typer.echo(_drawn(board))
    ends = {person: "You win!", None: "It is a draw."}
    typer.secho(ends.get(board.winner, f"You lose: {player.name} wins."), bold=True)


def _ask_cell(board: Board) -> int:
    """The cell of the key that the person presses; asks until it is a free one."""
    free = ", ".join(sorted(KEYPAD[cell] for cell in board.moves))
    while True:
        key = _ask(f"You are {board.turn}. Your key ({free})")
        if not key:
            typer.echo("Press a key from 1 to 9, then Enter.")
        elif len(key) != 1 or key not in KEYPAD:
            typer.echo(f"{key!r} is not a key from 1 to 9.")
        elif board[KEYPAD.index(key)] != "-":
            typer.echo(f"{key} is taken by {board[KEYPAD.index(key)]}. Free are {free}.")
        else:
            return KEYPAD.index(key)


def _yes(question: str) -> bool:
    while True:
        answer = _ask(f"{question} (y/n)").lower()
        if answer in ("y", "yes", "n", "no"):
            return answer.startswith("y")
        typer.echo("Please answer y for yes or n for no.")


def _ask(question: str) -> str:
    """A line of input. Raises `EOFError` at its end, and when the person asks to leave."""
    answer = input(f"{question}: ").strip()
    if answer.lower() in ("q", "quit", "exit"):
        raise EOFError
    return answer


def _drawn(board: Board) -> str:
    """The board, with its key in each free cell."""
    upright, across, cross = "│─┼" if "utf" in sys.stdout.encoding.lower() else "|-+"
    winning = {cell for line in board.winning_lines for cell in line}
    cells = [
        typer.style(KEYPAD[cell], dim=True)
        if mark == "-"
        else typer.style(mark, fg=COLOURS[mark], bold=True, reverse=cell in winning)
        for cell, mark in enumerate(board)
    ]
    rows = [f"   {f' {upright} '.join(cells[start : start + 3])}\n" for start in (0, 3, 6)]
    return "\n" + f"  {cross.join([3 * across] * 3)}\n".join(rows)
