"""The options that several commands share, and what runs their tasks."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from typing import Annotated, Any

import typer

from ttt import jobs
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


@contextmanager
def executors(workers: int, dask: str = "") -> Iterator[Sequence[Executor]]:
    """What `--workers` and `--dask` ask for: a cluster, processes, or nothing, for this process.

    Raises `ValueError` if dask is missing, or no scheduler answers.
    """
    count = workers or os.cpu_count() or 1
    if not dask and count == 1:
        yield []
    elif not dask:
        with jobs.workers(count) as processes:
            yield processes
    else:
        with _client(dask) as client:
            yield [client.get_executor(pure=False)]


def _client(address: str) -> Any:
    try:
        from distributed import Client
    except ImportError:
        raise ValueError('A cluster needs dask: pip install "ttt[cluster]".') from None
    try:
        connect: Any = Client
        return connect(address, timeout=10, set_as_default=False)
    except (OSError, ValueError) as error:
        raise ValueError(f"No dask scheduler answers at {address}: {error} It looks like tcp://HOST:8786.") from None
