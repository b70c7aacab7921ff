"""Sweeps: one search for each position, depth and setting of a grid, kept as rows of a CSV file.

A sweep can be killed at any time. The next run with the same file keeps every whole row and searches what is missing.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Generator, Iterable, Sequence
from concurrent.futures import Executor
from contextlib import closing
from dataclasses import asdict, dataclass
from difflib import get_close_matches
from operator import index
from pathlib import Path
from typing import Annotated, Any

import typer

from ttt.board import Board, BoardError
from ttt.heuristics import Heuristic, open_lines
from ttt.jobs import FailedTask, Key, NoCluster, NotKept, Row, Rows, WorkerPool, each, pool
from ttt.progress import progress
from ttt.search import ORDERS, BadSearch, Search, alphabeta, minimax, negamax
from ttt.search.options import Options
from ttt.symmetry import TooManySymmetries, canonical
from ttt.terminal import INTERRUPTED, stop, stop_for

KEY = ("shape", "k", "board", "heuristic", "method", "depth")  # what a row is known by
FOUND = ("player", "value", "move", "best_moves", "move_values", "principal_variation")
COST = ("nodes", "interior", "leaves", "cutoffs", "nodes_per_ply", "cutoffs_by_move", "playouts")
COLUMNS = (*KEY, *FOUND, *COST)

PLAIN = Options()
UNCUT = {"minimax": minimax, "negamax": negamax}
METHODS = ("alphabeta", *UNCUT)
SWITCHES = ("killer", "table", "symmetry", "deepening", "pvs")
HEURISTICS: dict[str, Heuristic | None] = {"none": None, "open-lines": open_lines}
CUBE = {  # positions on 4×4×4 with 6, 12 and 20 marks, which no order of moves finds easy
    "mid6": (0x10010000000080, 0x8800000000000010),
    "mid12": (0x4000001C8040, 0x516010000000000),
    "mid20": (0x300002040180C801, 0xC822008120420000),
}
MOST_CELLS = 12  # of boards whose positions are all listed


class BadSweep(ValueError):
    """What was asked for is no grid of searches, or the file is not a sweep's; the message says what would do."""


@dataclass(frozen=True)
class Setting:
    """How to search.

    Args:
        method: "alphabeta", "minimax" or "negamax".
        pieces: what alpha-beta uses besides the window.
        heuristic: judges unfinished boards; None for 0. Worker processes need one that a module defines.
    """

    method: str = "alphabeta"
    pieces: Options = PLAIN
    heuristic: Heuristic | None = None

    def __post_init__(self) -> None:
        _known(self.method, METHODS, "method")

    def search(self, board: Board, depth: int, fast: bool = False) -> Search:
        """The search of a board to a depth. Raises `BadSearch`."""
        if self.method in UNCUT:
            return UNCUT[self.method](board, depth, self.heuristic, fast=fast)
        return alphabeta(board, depth, self.heuristic, **asdict(self.pieces), fast=fast)

    @property
    def judge(self) -> str:
        """The name of the heuristic."""
        return "none" if self.heuristic is None else getattr(self.heuristic, "__name__", "heuristic").replace("_", "-")

    def __str__(self) -> str:
        """The method in the words of the search's own record."""
        return self.method if self.method in UNCUT else str(self.pieces)


@dataclass(frozen=True)
class Task:
    """One search of a sweep."""

    board: Board
    depth: int
    setting: Setting
    fast: bool = False

    @property
    def key(self) -> Key:
        """What the row is known by. The fast engine searches the same tree, so it makes no other row."""
        shape = "x".join(map(str, self.board.shape))
        text = str(self.board).replace("\n", " / ")
        return shape, str(self.board.k), text, self.setting.judge, str(self.setting), str(self.depth)

    def row(self) -> Row:
        """Search, and write down what was found as plain text and numbers."""
        record = self.setting.search(self.board, self.depth, self.fast).record()
        return dict(zip(KEY, self.key, strict=True)) | {name: _plain(record[name]) for name in (*FOUND, *COST)}


# ------------------------------------------------------------------------------------------------- the sweep


def sweep(
    positions: Iterable[Board],
    depths: Iterable[int],
    settings: Iterable[Setting],
    out: Path | str,
    executor: WorkerPool | Executor | None = None,
    fast: bool = False,
) -> list[Row]:
    """Search every position to every depth with every setting, and keep the rows in a CSV file.

    Rows that the file has already are not searched again, and those of other sweeps stay. At the end it is sorted, so
    that the same searches make the same file, whoever did the work.

    Args:
        positions: the boards; a depth beyond a board's free cells is taken for all of them.
        depths: in plies.
        settings: how to search.
        out: the file.
        executor: who does the work, such as a `ProcessPoolExecutor` or a `jobs.WorkerPool`; this process unless given.
            Where the sweep is cut short it is left without work.
        fast: let the fast engine search where it can.

    Returns the rows of this grid, in its order. Raises `BadSweep`, and what the searches raise.
    """
    tasks, kept = plan(positions, depths, settings, fast), _rows(Path(out))
    rows = read(kept.path)
    missing = [task for task in tasks if task.key not in rows]
    with closing(_searched(missing, executor)) as found:
        deque(progress(kept.kept(rows, found), "searches", len(missing)), maxlen=0)
    return [rows[task.key] for task in tasks]


def plan(
    positions: Iterable[Board], depths: Iterable[int], settings: Iterable[Setting], fast: bool = False
) -> list[Task]:
    """The searches of a grid, each once. Raises `BadSweep`."""
    plies, ways = [_depth(depth) for depth in depths], list(settings)
    tasks = {}
    for board in positions:
        free = 0 if board.over else len(board.moves)
        for setting in ways:
            for depth in plies:
                task = Task(board, min(depth, free), setting, fast)
                tasks[task.key] = task
    if not tasks:
        raise BadSweep("There is nothing to search: give a position, a depth and a setting at least.")
    return list(tasks.values())


def read(path: Path) -> dict[Key, Row]:
    """The rows of a file by what they are known by; a row that was torn off in the middle is none.

    Raises `BadSweep` for a file that no sweep has written.
    """
    try:
        return _rows(path).read()
    except NotKept as error:
        raise BadSweep(str(error)) from None


def _rows(path: Path) -> Rows:
    return Rows(path, COLUMNS, KEY, "table of searches")


def _searched(tasks: Sequence[Task], pool: WorkerPool | Executor | None) -> Generator[Row, None, None]:
    """The rows of the tasks, as they come. Raises `BadSweep` for one that no worker survives."""
    with closing(each(Task.row, tasks, pool)) as found:
        for task, row in found:
            if isinstance(row, FailedTask):
                shown = ", ".join(task.key)
                raise BadSweep(f"Of the search {shown}, {row.why}. For want of memory? Try fewer --workers.")
            yield row


def _plain(figure: Any) -> str:
    """A figure of a record as a text without line ends: "4 0 8" for cells, "4:1 0:-1" for their values."""
    if isinstance(figure, tuple):
        parts = [":".join(map(_plain, part)) if isinstance(part, tuple) else _plain(part) for part in figure]
        return " ".join(parts)
    if isinstance(figure, float) and figure.is_integer():
        return str(int(figure))
    return "" if figure is None else str(figure)


# ------------------------------------------------------------------------------------------------- what was asked for


def positions_from(text: str, board: Board) -> list[Board]:
    """The positions that a text names: by name, drawn like X---O----, in a file with one a line, or "all".

    All are those that a game from the board can reach, up to symmetry and without the finished ones.

    Raises `BadSweep`.

    >>> positions_from("empty,corner", Board())
    [Board(), Board.from_text('X-- --- ---')]
    """
    if text == "all":
        return every_position(board)
    if not Path(text).is_file():
        return [_position(name, board) for name in _items(text)]
    lines = Path(text).read_text("utf-8", "replace").splitlines()
    drawn = [(n, line) for n, line in enumerate(lines, 1) if line.strip() and not line.startswith("#")]
    return [_drawn(line, board, f"{text}, line {n}") for n, line in drawn]


def every_position(board: Board) -> list[Board]:
    """Every unfinished position that can follow on a board, one of several mirror images. Raises `BadSweep`.

    >>> len(every_position(Board()))
    627
    """
    if len(board) > MOST_CELLS:
        raise BadSweep(f"All positions are too many on {len(board)} cells; up to {MOST_CELLS} they can be listed.")
    found: list[Board] = []
    level = {canonical(board)} if not board.over else set()
    while level:
        found += sorted(level, key=lambda one: (one.x, one.o))
        after = (position.play(move) for position in level for move in position.moves)
        level = {canonical(position) for position in after if not position.over}
    return found


def depths_from(text: str) -> list[int]:
    """The depths that a text names, such as "1-4" or "1,3,5-7". Raises `BadSweep`.

    >>> depths_from("1,5-7")
    [1, 5, 6, 7]
    """
    depths: list[int] = []
    for item in _items(text):
        first, dash, last = (part.strip() for part in item.partition("-"))
        if not all(part.isdecimal() for part in (first, last)[: 1 + bool(dash)]):
            raise BadSweep(f"{item!r} is no depth: write plies such as 4, 1-6 or 1,3,5.")
        if last and int(last) < int(first):
            raise BadSweep(f"{item!r} runs backwards: write {last}-{first}.")
        depths += range(int(first), int(last or first) + 1)
    return depths


def settings_from(methods: str, pieces: str = "", heuristic: str = "none") -> list[Setting]:
    """The settings that texts name: alpha-beta with each of several sets of pieces, and other methods as they are.

    Raises `BadSweep`.

    >>> [str(setting) for setting in settings_from("minimax,alphabeta", "row-major,best-gain+table")]
    ['minimax', 'alpha-beta', 'alpha-beta, best-gain, table']
    """
    judge = HEURISTICS[_known(heuristic, HEURISTICS, "heuristic")]
    names = [_known(name, METHODS, "method") for name in _items(methods)]
    if pieces and "alphabeta" not in names:
        raise BadSweep(f"Pieces are alpha-beta's: {' and '.join(names)} can't use {pieces}.")
    settings = []
    for name in names:
        used = [pieces_from(item) for item in _items(pieces or "row-major")] if name == "alphabeta" else [PLAIN]
        settings += [Setting(name, one, judge) for one in used]
    return settings


def pieces_from(text: str) -> Options:
    """The pieces that a text combines with +, or all of them. Raises `BadSweep`.

    >>> pieces_from("best-gain+table") == Options(order="best-gain", table=True)
    True
    """
    if text == "all":
        return Options("best-gain", *([True] * len(SWITCHES)))
    names = [_known(name.strip(), (*ORDERS, *SWITCHES, "all"), "piece") for name in text.split("+")]
    orders = [name for name in names if name in ORDERS] or ["row-major"]
    if len(orders) > 1 or "all" in names:
        raise BadSweep(f"{text} makes no sense: take one order, and all by itself.")
    return Options(orders[0], *(switch in names for switch in SWITCHES))


def board_from(text: str, k: int = 0) -> Board:
    """The empty board of a shape such as 3x3 or 4x4x4, with k in a row to win where that is told.

    Raises `BadSweep`, and `BadShape` where there is no such board.

    >>> board_from("4x4x4")
    Board(shape=(4, 4, 4))
    """
    sides = text.lower().replace("×", "x").split("x")
    if not all(side.strip().isdecimal() for side in sides):
        raise BadSweep(f"{text!r} is no shape of a board: write 3x3, 4x4x4 or the like.")
    return Board(tuple(map(int, sides)), k or None)


def _position(name: str, board: Board) -> Board:
    """The position of that name, or that is drawn so."""
    if name and not set(name) - set("XO-/ "):
        return _drawn(name, board, name)
    first: dict[str, int | tuple[int, ...]] = {
        "corner": 0,
        "edge": 1,
        "centre": tuple(side // 2 for side in board.shape),
    }
    marks = CUBE if board.shape == (4, 4, 4) else {}
    _known(name, ("empty", *first, *marks), "position", " Or write all, draw it like X---O----, or name a file.")
    if name in marks:
        return Board(board.shape, board.k, x=marks[name][0], o=marks[name][1])
    return board.play(first[name]) if name in first else board


def _drawn(text: str, board: Board, place: str) -> Board:
    try:
        return Board.from_text(text, board.shape, board.k)
    except BoardError as error:
        raise BadSweep(f"{place}: {error}") from None


def _depth(depth: int) -> int:
    try:
        plies = index(depth)
    except TypeError:
        plies = -1
    if plies < 0:
        raise BadSweep(f"A depth is a whole number of plies, 0 or more, not {depth!r}.")
    return plies


def _items(text: str) -> list[str]:
    return [item.strip() for item in text.split(",")]


def _known(name: str, names: Iterable[str], kind: str, more: str = "") -> str:
    """The name, if it is one of these. Raises `BadSweep`."""
    every = list(names)
    if name not in every:
        close = get_close_matches(name, every, n=1)
        hint = f" Did you mean {close[0]!r}?" if close else ""
        raise BadSweep(f"There is no {kind} {name!r}.{hint} There is {', '.join(every)}.{more}")
    return name


# ------------------------------------------------------------------------------------------------- the command


def search_stats(
    out: Annotated[Path, typer.Option(help="The CSV file for the rows; what it has already is not searched again.")],
    board: Annotated[str, typer.Option(help="The board's shape, such as 3x3 or 4x4x4.")] = "3x3",
    k: Annotated[int, typer.Option("--k", min=0, help="How many in a row win; 0 for the shortest side.")] = 0,
    positions: Annotated[
        str, typer.Option(help="empty, corner, edge, centre, a drawing like X---O----, all, or a file with one a line.")
    ] = "empty",
    depths: Annotated[str, typer.Option(help="Plies, such as 1-4 or 1,3,5.")] = "1-4",
    method: Annotated[str, typer.Option(help=f"One or more of {', '.join(METHODS)}.")] = "alphabeta",
    pieces: Annotated[
        str, typer.Option(help=f"For alphabeta, combined with +: {', '.join((*ORDERS, *SWITCHES))}, or all.")
    ] = "",
    heuristic: Annotated[str, typer.Option(help=f"One of {', '.join(HEURISTICS)}.")] = "none",
    fast: Annotated[bool, typer.Option("--fast", help="Let the fast engine search the same trees.")] = False,
    workers: Annotated[int, typer.Option(min=0, help="How many processes search at once; 0 for one a core.")] = 0,
    dask: Annotated[str, typer.Option(help="A dask scheduler, such as tcp://HOST:8786, whose workers search.")] = "",
) -> None:
    """Count what searches cost: every position to every depth with every setting, as rows of a CSV file.

    Lists are separated by commas. Killed or interrupted, run it again: it goes on where it was.
    """
    try:
        grid = positions_from(positions, board_from(board, k)), depths_from(depths)
        rows = sweep(*grid, settings_from(method, pieces, heuristic), out, pool(workers, dask), fast)
    except (BadSweep, BoardError, BadSearch, TooManySymmetries, NoCluster) as error:
        stop(str(error))
    except OSError as error:
        stop_for(error, out)
    except KeyboardInterrupt:
        stop("Interrupted: run the same command again, and it goes on where it was.", INTERRUPTED)
    else:
        _summarise(rows)
        typer.echo(f"Searches of this grid: {len(rows):,}; in {out}: {len(read(out)):,}.")


def totals(rows: Iterable[Row]) -> dict[str, Counter[str]]:
    """For each method, how many searches there are, their nodes, and the cutoffs, of all moves and of the first."""
    sums: dict[str, Counter[str]] = defaultdict(Counter)
    for row in rows:
        first = int((row["cutoffs_by_move"] or "0").split()[0])
        counts = {"searches": 1, "nodes": int(row["nodes"]), "cutoffs": int(row["cutoffs"]), "first": first}
        sums[row["method"]].update(counts)
    return dict(sums)


def _summarise(rows: Sequence[Row]) -> None:
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
