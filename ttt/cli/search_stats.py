"""The command `ttt search-stats`."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from ttt.board import BoardError
from ttt.cli.options import Dask, InARow, Shape, Workers, board_from
from ttt.jobs import NoCluster, pool
from ttt.search import ORDERS, BadSearch
from ttt.statistics.parsing import HEURISTICS, SWITCHES, depths_from, positions_from, settings_from
from ttt.statistics.sweep import METHODS, BadSweep, read, sweep, totals
from ttt.store import Row, StoreError
from ttt.symmetry import TooManySymmetries
from ttt.terminal import INTERRUPTED, stop, stop_for


def search_stats(
    out: Annotated[
        Path,
        typer.Option(help="The CSV file for the rows. rows.db next to rows.csv keeps them; delete it to start over."),
    ],
    board: Shape = "3x3",
    k: InARow = 0,
    positions: Annotated[
        str, typer.Option(help="empty, corner, edge, centre, a drawing like X---O----, all, or a file with one a line.")
    ] = "empty",
    depths: Annotated[str, typer.Option(help="Plies, such as 1-4 or 1,3,5.")] = "1-4",
    method: Annotated[str, typer.Option(help=f"One or more of {', '.join(METHODS)}.")] = "alphabeta",
    pieces: Annotated[
        str, typer.Option(help=f"For alphabeta, combined with +: {', '.join((*ORDERS, *SWITCHES))}, or all.")
    ] = "",
    heuristic: Annotated[str, typer.Option(help=f"One of {', '.join(HEURISTICS)}.")] = "none",
    fast: Annotated[bool, typer.Option("--fast", help="Search the same trees with the fast engine.")] = False,
    workers: Workers = 0,
    dask: Dask = "",
) -> None:
    """Count what searches cost: every position to every depth with every setting, as rows of a CSV file.

    Lists are separated by commas. If the command is killed or interrupted, run it again: it goes on where it was.
    """
    try:
        start = board_from(board, k)
        settings = settings_from(method, pieces, heuristic)
        rows = sweep(positions_from(positions, start), depths_from(depths), settings, out, pool(workers, dask), fast)
    except (BadSweep, BoardError, BadSearch, TooManySymmetries, NoCluster, StoreError) as error:
        stop(str(error))
    except OSError as error:
        stop_for(error, out)
    except KeyboardInterrupt:
        stop("Interrupted: run the same command again, and it goes on where it was.", INTERRUPTED)
    _summarise(rows)
    typer.echo(f"Searches of this grid: {len(rows):,}; in {out}: {len(read(out)):,}.")


def _summarise(rows: Iterable[Row]) -> None:
    """The totals as a table on the terminal."""
    from rich.console import Console
    from rich.table import Table

    table = Table("", "searches", "nodes", "cutoffs", "by the first move")
    for column in table.columns[1:]:
        column.justify = "right"
    for method, sums in totals(rows).items():
        first = f"{100 * sums['first'] / sums['cutoffs']:.1f} %" if sums["cutoffs"] else ""
        table.add_row(method, *(f"{sums[name]:,}" for name in ("searches", "nodes", "cutoffs")), first)
    Console().print(table)
