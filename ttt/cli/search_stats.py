"""The command `ttt search-stats`, and how it reads what to search."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ttt.board import Board, BoardError
from ttt.cli.options import Dask, InARow, Shape, Workers, board_from
from ttt.heuristics import HeuristicError
from ttt.jobs import NoCluster, pool
from ttt.record import Options
from ttt.search import ORDERS, BadSearch
from ttt.statistics import (
    CUBE,
    METHODS,
    SWITCHES,
    BadSweep,
    Setting,
    every_position,
    grid,
    heuristic_from,
    random_positions,
    summary,
    sweep,
)
from ttt.statistics.heuristics import known
from ttt.store import StoreError, written_whole
from ttt.symmetry import TooManySymmetries
from ttt.terminal import INTERRUPTED, stop, stop_for

if TYPE_CHECKING:
    from pandas import DataFrame

    from ttt.plots import Plot

PICTURES = (".svg", ".png", ".pdf")
ENDINGS = ".svg, .png or .pdf"


def search_stats(
    out: Annotated[
        Path,
        typer.Option(help="The CSV file for the rows. rows.db next to rows.csv keeps them; delete it to start over."),
    ],
    plot: Annotated[Path | None, typer.Option(help=f"Draw the rows, too: a file that ends in {ENDINGS}.")] = None,
    board: Shape = "3x3",
    k: InARow = 0,
    positions: Annotated[
        str,
        typer.Option(
            help="empty, corner, edge, centre, a drawing like X---O----, all, random:200 (spread evenly over the "
            "numbers of marks), or a file with one a line."
        ),
    ] = "empty",
    depths: Annotated[str, typer.Option(help="Plies, such as 1-4 or 1,3,5.")] = "1-4",
    method: Annotated[str, typer.Option(help=f"One or more of {', '.join(METHODS)}.")] = "alphabeta",
    pieces: Annotated[
        str, typer.Option(help=f"For alphabeta, combined with +: {', '.join((*ORDERS, *SWITCHES))}, or all.")
    ] = "",
    heuristic: Annotated[
        str,
        typer.Option(help="One or more of none, open-lines, line-weights:0,1,3, FILE.py:NAME, FILE.ipynb:NAME."),
    ] = "none",
    playouts: Annotated[str, typer.Option(help="For mcts: how many games, such as 10,100,1000.")] = "1000",
    seed: Annotated[str, typer.Option(help="Of mcts, one or more; the first is that of random positions, too.")] = "0",
    fast: Annotated[bool, typer.Option("--fast", help="Search the same trees with the fast engine.")] = False,
    times: Annotated[
        int,
        typer.Option(
            min=0,
            help="Run each search this often and record the fastest run's seconds, true for this machine only.",
        ),
    ] = 0,
    workers: Workers = 0,
    dask: Dask = "",
) -> None:
    """Count what searches cost: every position to every depth with every setting, as rows of a CSV file.

    Lists are separated by commas. If the command is killed or interrupted, run it again: it goes on where it was.
    """
    try:
        start, seeds = board_from(board, k), numbers_from(seed, "seed")
        settings = settings_from(method, pieces, heuristic, numbers_from(playouts, "number of playouts"), seeds)
        boards, plies = positions_from(positions, start, seeds[0]), depths_from(depths)
        if plot and (plot.suffix.lower() not in PICTURES or plot == out):
            raise BadSweep(f"The plot needs a file of its own that ends in {ENDINGS}, not {plot}.")
        frame = sweep(boards, settings, plies, out=out, executor=pool(workers, dask), fast=fast, times=times)
        if plot:
            _draw(frame, plot, several_depths=len(set(plies)) > 1)
    except (BadSweep, BoardError, BadSearch, HeuristicError, TooManySymmetries, NoCluster, StoreError) as error:
        stop(str(error))
    except OSError as error:
        stop_for(error, out)
    except KeyboardInterrupt:
        stop("Interrupted: run the same command again, and it goes on where it was.", INTERRUPTED)
    _summarise(frame)


def _draw(frame: DataFrame, path: Path, several_depths: bool) -> None:
    """Write the plot that suits the rows, with its words as its title."""
    if frame["heuristic"].nunique() > 1:
        with_heuristic = frame["setting"] + ", " + frame["heuristic"]
        frame = frame.assign(setting=frame["setting"].where(frame["heuristic"] == "none", with_heuristic))
    figure = plot_of(frame, several_depths)
    path.parent.mkdir(parents=True, exist_ok=True)
    with written_whole(path) as part:
        figure.savefig(part, format=path.suffix[1:].lower(), metadata={"Title": figure.words})


def plot_of(frame: DataFrame, several_depths: bool) -> Plot:
    """Nodes by depth, or each setting's ratio to the first; for Monte-Carlo tree search alone its error by playouts."""
    from ttt import plots

    to_a_depth = frame[frame["method"] != "mcts"]
    if to_a_depth.empty:
        try:
            return plots.playout_error(frame)
        except plots.BadPlot:  # too large a board to know the exact values
            return plots.lines(frame, "playouts", "nodes", by="method")
    if several_depths:
        return plots.nodes_by_depth(to_a_depth)
    if to_a_depth["setting"].nunique() > 1:
        return plots.paired(to_a_depth)
    return plots.distribution(to_a_depth)


def _summarise(frame: DataFrame) -> None:
    """The totals as a table on the terminal."""
    from rich.console import Console
    from rich.table import Table

    sums = summary(frame)
    table = Table(*sums.columns)
    for column, kind in zip(table.columns, sums.dtypes, strict=True):
        column.justify = "right" if kind.kind in "if" else "left"
    for row in sums.itertuples(index=False):
        *names, searches, nodes, ratio = row
        table.add_row(*names, f"{searches:,}", f"{nodes:,}", f"{ratio:.3g}")
    Console().print(table)


# ------------------------------------------------------------------------------------------------- what to search


def positions_from(text: str, board: Board, seed: int = 0) -> list[Board]:
    """The positions that a text lists: by name, drawn like X---O----, in a file, "all", or "random:200".

    Raises `BadSweep`.

    >>> positions_from("empty,corner", Board())
    [Board(), Board.from_text('X-- --- ---')]
    """
    items = [text] if Path(text).is_file() else _items(text)
    return [one for item in items for one in _positions(item, board, seed)]


def depths_from(text: str) -> list[int]:
    """The depths that a text lists, such as "1-4" or "1,3,5-7". Raises `BadSweep`.

    >>> depths_from("1,5-7")
    [1, 5, 6, 7]
    """
    depths: list[int] = []
    for item in _items(text):
        numbers = re.fullmatch(r"(\d+)(?:\s*-\s*(\d+))?", item, re.ASCII)
        if not numbers:
            raise BadSweep(f"{item!r} is not a depth: write plies such as 4, 1-6 or 1,3,5.")
        first, last = int(numbers[1]), int(numbers[2] or numbers[1])
        if last < first:
            raise BadSweep(f"{item!r} runs backwards: write {last}-{first}.")
        depths += range(first, last + 1)
    return depths


def numbers_from(text: str, kind: str) -> list[int]:
    """The whole numbers that a text lists. Raises `BadSweep`.

    >>> numbers_from("10,100", "number of playouts")
    [10, 100]
    """
    items = _items(text)
    for item in items:
        if not re.fullmatch(r"\d+", item, re.ASCII):
            raise BadSweep(f"{item!r} is not a {kind}: write a whole number, such as 10.")
    return [int(item) for item in items]


def settings_from(
    methods: str,
    pieces: str = "",
    heuristic: str = "none",
    playouts: Sequence[int] = (1000,),
    seeds: Sequence[int] = (0,),
) -> list[Setting]:
    """The settings that texts list: alpha-beta with each of several sets of options, and other methods as they are.

    Raises `BadSweep`.

    >>> [str(setting) for setting in settings_from("minimax,alphabeta", "row-major,best-gain+table")]
    ['minimax', 'alpha-beta', 'alpha-beta, best-gain, table']
    """
    # a comma before a number parts weights, and not heuristics
    heuristics = [heuristic_from(item.strip()) for item in re.split(r",(?!\s*-?\d+\s*(?:,|$))", heuristic)]
    names = [known(name, METHODS, "method") for name in _items(methods)]
    if pieces and "alphabeta" not in names:
        raise BadSweep(f"Only alphabeta has pieces: {' and '.join(names)} can't use {pieces}.")
    settings: list[Setting] = []
    for name in names:
        if name == "alphabeta":
            options = [options_from(item) for item in _items(pieces or "row-major")]
            settings += [Setting(name, one, function) for function in heuristics for one in options]
        else:
            settings += grid(name, heuristic=heuristics, playouts=playouts, seed=seeds)
    return settings


def options_from(text: str) -> Options:
    """The options of alpha-beta that a text combines with +, or all of them. Raises `BadSweep`.

    >>> options_from("best-gain+table") == Options(order="best-gain", table=True)
    True
    """
    if text == "all":
        text = "+".join(("best-gain", *SWITCHES))
    names = [known(name.strip(), (*ORDERS, *SWITCHES, "all"), "piece") for name in text.split("+")]
    orders = [name for name in names if name in ORDERS] or ["row-major"]
    if len(orders) > 1 or "all" in names:
        raise BadSweep(f"{text} can't be combined: choose one order, and all by itself.")
    return Options(orders[0], **{switch: switch in names for switch in SWITCHES})


def _positions(text: str, board: Board, seed: int) -> list[Board]:
    if text == "all":
        return every_position(board)
    if text.startswith("random:"):
        return random_positions(board, numbers_from(text.removeprefix("random:"), "number of positions")[0], seed)
    if not Path(text).is_file():
        return [_position(text, board)]
    lines = Path(text).read_text("utf-8", "replace").splitlines()
    drawn = [(n, line) for n, line in enumerate(lines, 1) if line.strip() and not line.startswith("#")]
    return [_drawn(line, board, f"{text}, line {n}") for n, line in drawn]


def _position(name: str, board: Board) -> Board:
    """The position with this name, or drawn like this."""
    if name and not set(name) - set("XO-/ "):
        return _drawn(name, board, name)
    cells: dict[str, int | tuple[int, ...]] = {"corner": 0, "edge": 1, "centre": tuple(n // 2 for n in board.shape)}
    middles = CUBE if board.shape == (4, 4, 4) else {}
    known(
        name,
        ("empty", *cells, *middles),
        "position",
        " Or write all or random:200, draw it like X---O----, or name a file.",
    )
    if name in middles:
        x, o = middles[name]
        return Board(board.shape, board.k, x=x, o=o)
    return board.play(cells[name]) if name in cells else board


def _drawn(text: str, board: Board, place: str) -> Board:
    try:
        return Board.from_text(text, board.shape, board.k)
    except BoardError as error:
        raise BadSweep(f"{place}: {error}") from None


def _items(text: str) -> list[str]:
    return [item.strip() for item in text.split(",")]
