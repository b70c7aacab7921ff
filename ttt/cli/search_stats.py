"""The command `ttt search-stats`: what `ttt.statistics.sweep` does, from a terminal."""

from __future__ import annotations

import os
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ttt.board import Board
from ttt.cli.terminal import INTERRUPTED, stop, stop_for
from ttt.cli.texts import heuristic_named, in_file, items, numbers, positions_named
from ttt.heuristics import HeuristicError
from ttt.runtime.jobs import WorkerDied
from ttt.search import ORDERS
from ttt.statistics import compare, sweep
from ttt.statistics.sweeps import METHODS, OPTIONS

if TYPE_CHECKING:
    from pandas import DataFrame

Switch = Annotated[str, typer.Option(help="False, True or False,True.")]
PICTURES = (".svg", ".png", ".pdf")


def search_stats(
    out: Annotated[Path, typer.Option(help="The CSV file. What it has already is not searched again.")],
    plot: Annotated[Path | None, typer.Option(help="Draw the rows, too: .svg, .png or .pdf.")] = None,
    board: Annotated[str, typer.Option(help="The board's shape, such as 3x3 or 4x4x4.")] = "3x3",
    k: Annotated[int, typer.Option(min=0, help="How many in a row win; 0 for the shortest side.")] = 0,
    positions: Annotated[str, typer.Option(help="empty, all, random:200, X---O----, or a file of such.")] = "empty",
    depths: Annotated[str, typer.Option(help="Plies, such as 1-4 or 1,3,5; none for the game's end.")] = "1-4",
    method: Annotated[str, typer.Option(help=f"{', '.join(METHODS)}, or your own, FILE.py:NAME.")] = "alphabeta",
    heuristic: Annotated[str, typer.Option(help="none, open_lines, LineWeights(0,1,3,9), FILE.py:NAME.")] = "none",
    order: Annotated[str, typer.Option(help=f"For alphabeta: {', '.join(ORDERS)}.")] = "row-major",
    killer: Switch = "False",
    table: Switch = "False",
    symmetry: Switch = "False",
    deepening: Switch = "False",
    pvs: Switch = "False",
    playouts: Annotated[str, typer.Option(help="For mcts: how many games, such as 10,100.")] = "1000",
    seed: Annotated[str, typer.Option(help="For mcts; the first is that of random positions.")] = "0",
    fast: Annotated[bool, typer.Option("--fast", help="Search the same trees with the compiled engine.")] = False,
    times: Annotated[int, typer.Option(min=0, help="Run each search so often, for the quickest run's seconds.")] = 0,
    workers: Annotated[int, typer.Option(min=0, help="How many processes to use; 0 for one per core.")] = 0,
    dask: Annotated[str, typer.Option(help="Use the workers of this scheduler, such as tcp://HOST:8786.")] = "",
) -> None:
    """Count what searches cost: every position to every depth in every way, a row for each in a CSV file.

    Commas part what is to be compared. Interrupted or killed, it goes on where it was when it is run again.
    """
    switches = {"killer": killer, "table": table, "symmetry": symmetry, "deepening": deepening, "pvs": pvs}
    try:
        if plot and plot.suffix.lower() not in PICTURES:
            raise ValueError(f"The plot needs a file that ends in {', '.join(PICTURES)}, not {plot}.")
        options: dict[str, Any] = {name: [one == "True" for one in items(text)] for name, text in switches.items()}
        if not {"False", "True"}.issuperset(items(",".join(switches.values()))):
            raise ValueError(f"{', '.join(switches)} must be False or True, or False,True for both.")
        options |= {"order": items(order), "playouts": numbers(playouts), "seed": numbers(seed)}
        asked: dict[str, Any] = {"method": [in_file(one) if ":" in one else one for one in items(method)]}
        asked |= {"heuristic": list(map(heuristic_named, items(heuristic))), "fast": fast, "times": times}
        asked |= {name: options[name] for one in asked["method"] for name in OPTIONS.get(one, {})}
        boards = positions_named(
            positions, Board(tuple(numbers(board.replace("x", ","))), k or None), options["seed"][0]
        )
        with _client(dask) as client:
            executor = client and client.get_executor(pure=False)
            jobs: dict[str, Any] = {"n_jobs": workers or os.cpu_count() or 1, "executor": executor}
            frame = sweep(boards, None if depths == "none" else numbers(depths), out=out, **jobs, **asked)
        _summarise(frame, plot)
    except (ValueError, HeuristicError, WorkerDied) as error:
        stop(str(error))
    except OSError as error:
        stop_for(error, out)
    except KeyboardInterrupt:
        stop("Interrupted: run the same command again, and it goes on where it was.", INTERRUPTED)


def _client(address: str) -> Any:
    """The client of a dask cluster, if there is an address. Raises `ValueError` if nobody answers there."""
    if not address:
        return nullcontext()
    try:
        import distributed

        client: Any = distributed.Client
        return client(address, timeout=10, set_as_default=False)
    except ImportError:
        raise ValueError('A cluster needs dask: pip install "ttt[cluster]".') from None
    except (OSError, ValueError) as error:
        raise ValueError(f"No dask scheduler answers at {address}: {error} It looks like tcp://HOST:8786.") from None


def _summarise(frame: DataFrame, plot: Path | None) -> None:
    """The nodes of each kind of search at the greatest depth, and their ratio to the first kind's; then the plot."""
    from ttt import plots

    depth = frame["depth"].max()
    rows = frame[frame["depth"].isin([depth])]
    column = next((name for name in ("setting", "heuristic", "playouts") if rows[name].nunique() > 1), "setting")
    table = rows.groupby(column, observed=True)["nodes"].agg(searches="size", median="median")
    baseline, compared = table.index[0], column != "playouts" and len(table) > 1
    if compared:
        ratios = compare(rows, column, baseline).groupby(column, observed=True)["ratio"]
        table = table.join(ratios.agg(pairs="size", ratio="median").round(3))
    typer.echo(f"Nodes at depth {depth}, as a ratio to {baseline} on the same positions (medians):")
    typer.echo(table.to_string(na_rep=""))
    if plot:
        several = next((name for name in ("playouts", "depth") if frame[name].nunique() > 1), "")
        paired = compared and not several
        ax = plots.paired(rows, column, baseline) if paired else plots.curves(frame, several or "marks", hue=column)
        figure: Any = ax.figure
        figure.savefig(plot)
