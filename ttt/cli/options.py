"""The options that several commands share."""

from __future__ import annotations

from typing import Annotated

import typer

from ttt.board import Board, BoardError

Shape = Annotated[str, typer.Option("--board", help="The board's shape, such as 3x3 or 4x4x4.")]
InARow = Annotated[int, typer.Option("--k", min=0, help="How many in a row win; 0 for the shortest side.")]
Workers = Annotated[int, typer.Option(min=0, help="How many processes to use; 0 for one per core.")]
Dask = Annotated[str, typer.Option(help="Use the workers of this dask scheduler, such as tcp://HOST:8786.")]


def board_from(text: str, k: int = 0) -> Board:
    """The empty board of a shape such as 3x3 or 4x4x4; k in a row win, 0 for the shortest side. Raises `BoardError`.

    >>> board_from("4x4x4")
    Board(shape=(4, 4, 4))
    """
    sides = text.lower().replace("×", "x").split("x")
    if not all(side.strip().isdecimal() for side in sides):
        raise BoardError(f"{text!r} is not the shape of a board: write 3x3, 4x4x4 or the like.")
    return Board(tuple(map(int, sides)), k or None)
