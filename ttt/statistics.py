"""What searches cost: one search for each position, depth and setting of a grid, as a table with a row for each.

>>> frame = sweep(Board(), grid(["minimax", "alphabeta"], table=[False, True]), depths=[3, 4])
>>> frame[["setting", "depth", "nodes"]]
             setting  depth  nodes
0            minimax      3    586
1            minimax      4   3610
2         alpha-beta      3     96
3         alpha-beta      4    206
4  alpha-beta, table      3     96
5  alpha-beta, table      4    178
"""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Iterable, Mapping
from concurrent.futures import Executor
from contextlib import closing, suppress
from dataclasses import asdict, dataclass, fields, replace
from difflib import get_close_matches
from functools import cache
from itertools import product
from numbers import Integral
from pathlib import Path
from random import Random
from time import perf_counter
from typing import TYPE_CHECKING, Any, TypeAlias

from ttt.board import Board, BoardError, Mark
from ttt.engine import cube
from ttt.heuristics import Heuristic, open_lines
from ttt.jobs import FailedTask, WorkerPool, each
from ttt.players import explained
from ttt.players.cube import open_lines_worth
from ttt.players.loader import NoPlayer, defined, sources
from ttt.progress import progress
from ttt.search import ORDERS, Search, alphabeta, mcts, minimax, negamax
from ttt.search.options import NO_OPTION, Options
from ttt.search.tree import plies_of
from ttt.store import Key, Row, Table, unescape_formula
from ttt.symmetry import canonical

if TYPE_CHECKING:
    from pandas import DataFrame

    Searches: TypeAlias = Search | Iterable[Search] | Mapping[str, Any] | DataFrame | Path | str

SWITCHES = tuple(field.name for field in fields(Options) if field.name != "order")
ASKED = (
    "shape",
    "k",
    "board",
    "marks",
    "heuristic",
    "setting",
    "method",
    "order",
    *SWITCHES,
    "depth",
    "seed",
    "playouts",
)
FOUND = ("player", "value", "move", "best_moves", "move_values", "principal_variation")
COST = ("nodes", "interior", "leaves", "cutoffs", "nodes_per_ply", "cutoffs_by_move")
COLUMNS = (*ASKED, *FOUND, *COST, "seconds")  # seconds come last: they alone differ on another machine
KEY = ("shape", "k", "board", "heuristic", "setting", "seed", "plies")  # what identifies a row that is kept
WHOLE = ("k", "marks", "depth", "nodes", "interior", "leaves", "cutoffs")
WHOLE_OR_EMPTY = ("seed", "playouts", "move")
REAL = ("value", "seconds")

UNCUT = {"minimax": minimax, "negamax": negamax}
METHODS = ("alphabeta", *UNCUT, "gains", "mcts")
ENGINE = "4×4×4 engine: "  # how the records of `ttt.engine.cube` begin
CUBE = {  # positions on 4×4×4 with 6, 12 and 20 marks, which no order of moves finds easy
    "mid6": (0x10010000000080, 0x8800000000000010),
    "mid12": (0x4000001C8040, 0x516010000000000),
    "mid20": (0x300002040180C801, 0xC822008120420000),
}
MOST_CELLS = 12  # of boards whose positions can all be listed
TRIES = 1000  # to find one more position with so many marks
MAY_CHANGE = "may change"  # the version of a function whose source isn't known


class BadSweep(ValueError):
    """What was asked for is not a grid of searches; the message says what to do."""


# ------------------------------------------------------------------------------------------------- heuristics


@dataclass(frozen=True)
class LineWeights:
    """A heuristic: a line with n marks of one side alone is worth weights[n] to it, and as much less to the other.

    Args:
        weights: for 0, 1, 2, … marks, up to one less than win; a completed line ends the game.

    >>> LineWeights((0, 1, 5))(Board.from_text("XX- --- --O"), "X")
    5
    """

    weights: tuple[int, ...]

    def __call__(self, board: Board, player: Mark) -> int:
        """What a board is worth to a player."""
        return open_lines_worth(board, player, self.weights)

    def __str__(self) -> str:
        return f"line-weights:{','.join(map(str, self.weights))}"


@dataclass(frozen=True)
class FileHeuristic:
    """A heuristic in one's own file, which carries its source, so that workers on other machines can run it.

    Args:
        file: the name of a program or a notebook.
        name: the function in it.
        sources: the source text of the program, or of each code cell, by a name for it.
    """

    file: str
    name: str
    sources: tuple[tuple[str, str], ...]

    def __call__(self, board: Board, player: Mark) -> Any:
        """What the function says. Raises `BadSweep` where it fails."""
        function = _loaded(self)
        try:
            return function(board, player)
        except Exception as error:
            raise BadSweep(f"{self} failed on {board!r}: {explained(error, self.file)}.") from None

    def __str__(self) -> str:
        return f"{self.file}:{self.name}"

    @property
    def __name__(self) -> str:
        return str(self)


@cache
def _loaded(heuristic: FileHeuristic) -> Heuristic:
    """The function, which each process loads once."""
    missing = f"There is no heuristic {heuristic}: the file must define a function {heuristic.name}(board, player)."
    try:
        return defined(heuristic.name, dict(heuristic.sources), missing)
    except NoPlayer as error:
        raise BadSweep(str(error)) from None


CUBE_WEIGHTS = LineWeights((0, 1, 10, 100))  # what the 4×4×4 engine has built in
HEURISTICS: dict[str, Heuristic | None] = {"none": None, "open-lines": open_lines}


def heuristic_from(text: str) -> Heuristic | None:
    """The heuristic that a text names: none, open-lines, line-weights:0,1,3, or one's own as FILE.py:NAME.

    A line with n marks of one side alone counts as line-weights' number n, from 0. A notebook can be named in place of
    a program: FILE.ipynb:NAME. Raises `BadSweep`.

    >>> heuristic_from("line-weights:0,1,3")
    LineWeights(weights=(0, 1, 3))
    """
    path, colon, name = text.rpartition(":")
    if path == "line-weights":
        try:
            return LineWeights(tuple(map(int, name.split(","))))
        except ValueError:
            raise BadSweep(f"{text!r} needs whole numbers, such as line-weights:0,1,3.") from None
    if not colon:
        more = " Or write line-weights:0,1,3, or FILE.py:NAME for your own."
        return HEURISTICS[known(text, HEURISTICS, "heuristic", more)]
    try:
        heuristic = FileHeuristic(Path(path).name, name, tuple(sources(Path(path)).items()))
    except NoPlayer as error:
        raise BadSweep(str(error)) from None
    _loaded(heuristic)
    return heuristic


# ------------------------------------------------------------------------------------------------- how to search


@dataclass(frozen=True)
class Setting:
    """How to search.

    Args:
        method: "alphabeta", "minimax", "negamax", "gains" (the 4×4×4 engine with its best options) or "mcts".
        options: what alpha-beta uses besides its window.
        heuristic: rates unfinished boards; None for 0. Worker processes need one that is defined in a module or a file.
            The 4×4×4 engine has its own, which is line-weights:0,1,10,100.
        playouts: how many games Monte-Carlo tree search plays.
        seed: of its chance.
    """

    method: str = "alphabeta"
    options: Options = NO_OPTION
    heuristic: Heuristic | None = None
    playouts: int = 1000
    seed: int = 0

    def __post_init__(self) -> None:
        known(self.method, METHODS, "method")
        if self.method == "mcts" and _whole(self.playouts, "playouts") < 1:
            raise BadSweep("mcts needs at least 1 playout.")

    def require(self, board: Board) -> None:
        """Raises `BadSweep` where this board can't be searched like this."""
        if self.method == "gains" and not _is_cube(board):
            raise BadSweep("gains searches 4×4×4 with 4 in a row, and no other board.")
        if isinstance(self.heuristic, LineWeights) and len(self.heuristic.weights) < board.k:
            numbers = f"{board.k} numbers, for lines with 0 to {board.k - 1} marks"
            raise BadSweep(f"With {board.k} in a row, line-weights needs {numbers}, not {self.heuristic}.")

    def search(self, board: Board, depth: int, fast: bool = False) -> Search:
        """Search a board to a depth, which Monte-Carlo tree search ignores. Raises `BadSearch`."""
        if self.method == "mcts":
            return mcts(board, self.playouts, rng=Random(self.seed))
        if self.method == "gains":
            return cube.search(board, depth)
        if fast and self._has_twin(board, depth):
            return self._twin(board, depth)
        if self.method in UNCUT:
            return UNCUT[self.method](board, depth, self.heuristic, fast=fast)
        return alphabeta(board, depth, self.heuristic, **asdict(self.options), fast=fast)

    def _has_twin(self, board: Board, depth: int) -> bool:
        """Whether the 4×4×4 engine searches the same tree, and finds as much: one ply deep, it values one move only."""
        alike = self.heuristic == CUBE_WEIGHTS and self.options == Options(self.options.order)
        return _is_cube(board) and alike and depth > 1

    def _twin(self, board: Board, depth: int) -> Search:
        """What it finds, as the readable search tells it: the moves' values in the order in which moves are tried."""
        if self.method in UNCUT:
            found = cube.minimax(board, depth)
        else:
            found = cube.alphabeta(board, depth, order=self.options.order)
        values = tuple((cell, found.values[cell]) for cell in ORDERS[self.options.order](board) if cell in found.values)
        return replace(found, method=str(self), move_values=values)

    @property
    def heuristic_name(self) -> str:
        """The name of the heuristic."""
        return _name(CUBE_WEIGHTS if self.method == "gains" else self.heuristic)

    @property
    def version(self) -> str:
        """A digest of the heuristic's source: what was found with another one is not valid for this setting."""
        if isinstance(self.heuristic, FileHeuristic):
            return hashlib.sha256(repr(self.heuristic.sources).encode()).hexdigest()
        of_the_package = isinstance(self.heuristic, LineWeights) or self.heuristic in HEURISTICS.values()
        return "" if of_the_package else MAY_CHANGE

    def __str__(self) -> str:
        """The search in the words of its own record; for Monte-Carlo tree search also the number of playouts."""
        if self.method == "mcts":
            return _words(self.method, self.playouts)
        return str(self.options) if self.method == "alphabeta" else self.method


def grid(
    method: str | Iterable[str] = "alphabeta",
    *,
    order: str | Iterable[str] = "row-major",
    killer: bool | Iterable[bool] = False,
    table: bool | Iterable[bool] = False,
    symmetry: bool | Iterable[bool] = False,
    deepening: bool | Iterable[bool] = False,
    pvs: bool | Iterable[bool] = False,
    heuristic: Heuristic | str | Iterable[Heuristic | str | None] | None = None,
    playouts: int | Iterable[int] = 1000,
    seed: int | Iterable[int] = 0,
) -> list[Setting]:
    """Every combination of these that makes sense, each once. Each argument is one thing, or a list of things.

    Args:
        method: see `Setting`.
        order, killer, table, symmetry, deepening, pvs: the options of alpha-beta; see `ttt.search.options`.
        heuristic: functions or names as in `heuristic_from`; for minimax, negamax and alpha-beta.
        playouts, seed: for Monte-Carlo tree search.

    Raises `BadSweep`, and `BadSearch` for an order that there isn't.

    >>> [str(setting) for setting in grid(["minimax", "alphabeta", "mcts"], table=[False, True], playouts=[10, 100])]
    ['minimax', 'alpha-beta', 'alpha-beta, table', 'mcts, 10 playouts', 'mcts, 100 playouts']
    """
    heuristics = [heuristic_from(one) if isinstance(one, str) else one for one in _several(heuristic)]
    switches = (_several(switch) for switch in (killer, table, symmetry, deepening, pvs))
    options = [Options(*combined) for combined in product(_several(order), *switches)]
    settings: list[Setting] = []
    for name in _several(method):
        if name == "mcts":
            settings += [Setting(name, playouts=n, seed=s) for n, s in product(_several(playouts), _several(seed))]
        elif name == "gains":
            settings.append(Setting(name))
        elif name == "alphabeta":
            settings += [Setting(name, one, function) for function, one in product(heuristics, options)]
        else:
            settings += [Setting(name, heuristic=function) for function in heuristics]
    return list(dict.fromkeys(settings))


# ------------------------------------------------------------------------------------------------- the searches


@dataclass(frozen=True)
class Task:
    """One search of a sweep.

    Args:
        board: the root.
        depth: in plies; 0 for Monte-Carlo tree search.
        setting: how to search.
        fast: whether to use the fast engine where possible. It searches the same tree, so it makes no other row.
        times: how often to search, to record the seconds of the fastest; 0 to record none.
    """

    board: Board
    depth: int
    setting: Setting
    fast: bool = False
    times: int = 0

    @property
    def key(self) -> Key:
        """What identifies the row."""
        row = _board_row(self.board) | {
            "heuristic": self.setting.heuristic_name,
            "setting": str(self.setting),
            "seed": str(self.setting.seed) if self.setting.method == "mcts" else "",
            "plies": str(self.depth),
        }
        return tuple(row[name] for name in KEY)

    @property
    def made_from(self) -> Row:
        """What else the row follows from, which is kept with it, though not in the file."""
        return {"version": self.setting.version, "times": str(self.times), "fast": _as_text(self.fast)}

    def row(self) -> Row:
        """Search, and write down what was found as text."""
        seconds = []
        for _ in range(self.times or 1):
            start = perf_counter()
            found = self.setting.search(self.board, self.depth, self.fast)
            seconds.append(perf_counter() - start)
        row = _row(found) | dict(zip(KEY, self.key, strict=True)) | self.made_from
        return row | {"seconds": _as_text(min(seconds)) if self.times else ""}

    def is_valid(self, row: Row) -> bool:
        """Whether this row was made from the same source, and timed if this one is to be."""
        if row["version"] != self.setting.version or row["version"] == MAY_CHANGE:
            return False
        return self.times == 0 or (int(row["times"]) >= self.times and row["fast"] == _as_text(self.fast))


def sweep(
    positions: Board | Iterable[Board],
    settings: Setting | Iterable[Setting],
    depths: int | Iterable[int] | None = None,
    *,
    out: Path | str | None = None,
    executor: WorkerPool | Executor | None = None,
    fast: bool = False,
    times: int = 0,
) -> DataFrame:
    """Search every position to every depth with every setting; a table with a row for each search.

    Args:
        positions: a board, or many; on a board with fewer free cells than a depth, all of them are searched.
        settings: how to search: `grid(...)`.
        depths: in plies; to the end of the game unless given. Monte-Carlo tree search has none.
        out: a CSV file for the rows. Each is kept at once in a store next to it (`rows.db` next to `rows.csv`): what is
            there, from this sweep or another one, is not searched again, unless the heuristic's file has changed since.
            (A heuristic given as a function may change at any time: it is always searched again.)
            The file is sorted, so the same searches make the same file with any workers, except for times.
        executor: what runs the searches, such as a `ProcessPoolExecutor` or a `jobs.WorkerPool`; by default this
            process. Its waiting work is cancelled when the sweep is interrupted.
        fast: whether to use the fast engine where possible.
        times: how often to run each search, to record the seconds that the fastest run took. Unlike nodes, they don't
            carry over to another machine.

    The columns are `COLUMNS`: what was asked for, what was found, and what it cost, as in a `Search`. Lists are text:
    "4 0 8" for cells, "4:1 0:-1" for their values; see `per_ply` and `per_move`. A board is the text of its rows,
    "/X--/-O-/---", which `Board.from_text` reads.

    Returns the rows of this grid, in its order. Raises `BadSweep`, `StoreError`, and what the searches raise.

    >>> sweep(Board(), grid("mcts", playouts=[10, 20]))["nodes"].tolist()
    [11, 21]
    """
    tasks = plan(positions, settings, depths, fast, times)
    if isinstance(executor, WorkerPool) and not executor.far:
        _check_can_be_sent(tasks)
    with Table(None if out is None else Path(out), COLUMNS, KEY, ("heuristic",)) as table:
        versions = {task.setting.heuristic_name: task.setting.version for task in tasks}
        table.forget([key for key, row in table.rows.items() if _is_stale(row, versions)])
        missing = [task for task in tasks if task.key not in table.rows or not task.is_valid(table.rows[task.key])]
        with closing(each(Task.row, missing, executor)) as found:
            for task, row in progress(found, "searches", len(missing)):
                if isinstance(row, FailedTask):
                    search = ", ".join(task.key)
                    raise BadSweep(f"The search {search} failed: {row.why}. Out of memory? Try fewer --workers.")
                table.keep(row)
    return _frame(table.rows[task.key] for task in tasks)


def plan(
    positions: Board | Iterable[Board],
    settings: Setting | Iterable[Setting],
    depths: int | Iterable[int] | None = None,
    fast: bool = False,
    times: int = 0,
) -> list[Task]:
    """The searches of a grid, each once; the arguments are those of `sweep`. Raises `BadSweep`."""
    plies = [None if depth is None else _whole(depth, "depth") for depth in _several(depths)]
    runs = _whole(times, "times")
    boards = _only(Board, positions, "Positions are boards")
    ways = _only(Setting, settings, "Settings are what grid() returns")
    tasks: dict[Key, Task] = {}
    for board in boards:
        for setting in ways:
            setting.require(board)
            for depth in [0] if setting.method == "mcts" else plies:
                task = Task(board, plies_of(board, depth), setting, fast, runs)
                if tasks.setdefault(task.key, task) != task:
                    raise BadSweep(f"Two heuristics are called {setting.heuristic_name}: rename one of them.")
    if not tasks:
        raise BadSweep("There is nothing to search: give at least one position, one depth and one setting.")
    return list(tasks.values())


# ------------------------------------------------------------------------------------------------- positions


def every_position(board: Board) -> list[Board]:
    """Every unfinished position that games from a board can reach, one of each set of mirror images. Raises `BadSweep`.

    >>> len(every_position(Board()))
    627
    """
    if len(board) > MOST_CELLS:
        raise BadSweep(f"There are too many positions on {len(board)} cells; up to {MOST_CELLS} they can be listed.")
    found: list[Board] = []
    level = {canonical(board)} if not board.over else set()
    while level:
        found += sorted(level, key=lambda one: (one.x, one.o))
        level = {canonical(after) for one in level for after in map(one.play, one.moves) if not after.over}
    return found


def random_positions(board: Board, count: int, seed: int = 0) -> list[Board]:
    """Different unfinished positions that games from a board can reach, spread evenly over the numbers of marks.

    As many with 0 more marks as with 1, 2, and so on; where there are too few, the other numbers of marks get more. Of
    those with equally many, each is as likely. Mirror images count as different. Raises `BadSweep` if there are too few
    in all.

    >>> [len(one) - len(one.moves) for one in random_positions(Board(), 10, seed=7)]
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 1]
    """
    chance = Random(seed)
    found: dict[Board, None] = {}
    levels = list(range(len(board.moves)))
    while len(found) < count and levels:
        for marks in list(levels):
            position = _another(board, marks, found, chance)
            if position is None:
                levels.remove(marks)
            elif len(found) < count:
                found[position] = None
    if len(found) < count:
        raise BadSweep(f"Only {len(found)} different positions turned up, not {count}: ask for fewer.")
    return list(found)


def _another(board: Board, marks: int, found: Mapping[Board, None], chance: Random) -> Board | None:
    """A position with so many more marks that is new; None if none turns up."""
    first = board.turn
    for _ in range(TRIES):
        cells = chance.sample(board.moves, marks)
        x, o = ((sum(1 << cell for cell in cells[side::2])) for side in (0, 1))
        if first == "O":
            x, o = o, x
        with suppress(BoardError):  # both sides have won
            position = Board(board.shape, board.k, x=board.x | x, o=board.o | o)
            if not position.over and position not in found:
                return position
    return None


# ------------------------------------------------------------------------------------------------- tables


def read(path: Path | str) -> DataFrame:
    """The rows of a file that a sweep has written, with the types that `sweep` gives them. Raises `BadSweep`."""
    import pandas

    try:
        frame = pandas.read_csv(path, dtype=str, keep_default_na=False)
    except (OSError, ValueError) as error:
        raise BadSweep(f"{path} can't be read: {error}.") from None
    if tuple(frame) != COLUMNS:
        raise BadSweep(f"{path} has other columns than a sweep's file: sweep again with this version.")
    frame["heuristic"] = [unescape_formula(name) for name in frame["heuristic"]]
    try:
        return _typed(frame)
    except ValueError as error:
        raise BadSweep(f"{path} can't be read: {error}.") from None


def frame_of(searches: Searches) -> DataFrame:
    """The table of searches that were made already, or of a sweep's file; a table is returned as it is.

    Args:
        searches: one `Search` or many, a table, a file's name, or a mapping from labels to any of these; a label
            takes the place of `setting`. What a search's record doesn't tell is empty: heuristic, seed, seconds.

    Raises `BadSweep`.

    >>> frame_of([minimax(Board(), depth) for depth in (1, 2)])["nodes"].tolist()
    [10, 82]
    """
    import pandas

    if isinstance(searches, pandas.DataFrame):
        return searches
    if isinstance(searches, (str, Path)):
        return read(searches)
    if isinstance(searches, Mapping):
        labelled = [frame_of(some).assign(setting=label) for label, some in searches.items()]
        return pandas.concat(labelled, ignore_index=True) if labelled else _frame([])
    return _frame(map(_row, _only(Search, searches, "A table is made of Search records")))


def per_ply(frame: DataFrame) -> DataFrame:
    """For each search and ply a row: what was asked for, the `ply` (0 for the root), and the `nodes` there.

    >>> per_ply(frame_of(minimax(Board(), 2)))[["ply", "nodes"]].to_numpy().tolist()
    [[0, 1], [1, 9], [2, 72]]
    """
    return _long(frame, "nodes_per_ply", "ply", 0, "nodes")


def per_move(frame: DataFrame) -> DataFrame:
    """For each search and place in the order of moves a row: what was asked for, `tried`, and the `cutoffs` there.

    `tried` is 1 for the move that was tried first. A search without cutoffs has no rows.

    >>> per_move(frame_of(alphabeta(Board(), 5)))[["tried", "cutoffs"]].to_numpy().tolist()
    [[1, 92], [2, 16], [3, 21], [4, 11], [5, 38], [6, 9]]
    """
    return _long(frame, "cutoffs_by_move", "tried", 1, "cutoffs")


def summary(frame: DataFrame) -> DataFrame:
    """For each setting the number of searches, their nodes, and the ratio of these to those of the first setting.

    Where there are several heuristics, each is told apart.
    """
    by = ["setting", "heuristic"] if frame["heuristic"].nunique() > 1 else ["setting"]
    sums = frame.groupby(by, sort=False).agg(searches=("nodes", "size"), nodes=("nodes", "sum")).reset_index()
    return sums.assign(ratio=sums["nodes"] / sums["nodes"][0])


def _long(frame: DataFrame, column: str, place: str, first: int, name: str) -> DataFrame:
    """A row for each number in a column of lists, with its place in the list, counted from `first`."""
    kept = frame[[*ASKED]].reset_index(drop=True)
    numbers = [text.split() for text in frame[column]]
    long = kept.loc[[n for n, some in enumerate(numbers) for _ in some]].reset_index(drop=True)
    long[place] = [n for some in numbers for n in range(first, first + len(some))]
    long[name] = [int(number) for some in numbers for number in some]
    return long


def _frame(rows: Iterable[Row]) -> DataFrame:
    import pandas

    return _typed(pandas.DataFrame(list(rows), columns=list(COLUMNS), dtype=str))


def _typed(frame: DataFrame) -> DataFrame:
    """The table with numbers for the texts of numbers, and booleans for the texts of switches."""
    import pandas

    for column in WHOLE:
        frame[column] = [int(text) for text in frame[column]]
    for column in WHOLE_OR_EMPTY:
        frame[column] = pandas.array([int(text) if text else None for text in frame[column]], dtype="Int64")
    for column in REAL:
        frame[column] = [float(text) if text else float("nan") for text in frame[column]]
    for column in SWITCHES:
        frame[column] = pandas.array(
            [text.upper() == "TRUE" if text else None for text in frame[column]], dtype="boolean"
        )
    return frame


def _row(found: Search) -> Row:
    """What a search's record tells, as text."""
    row = dict.fromkeys(COLUMNS, "") | _board_row(found.board) | _method_row(found.method)
    row |= {name: _as_text(getattr(found, name)) for name in ("depth", *FOUND, *COST)}
    row["setting"] = _words(found.method, found.playouts)
    row["playouts"] = str(found.playouts) if found.playouts else ""
    return row


def _board_row(board: Board) -> Row:
    """The columns that say which position it is. The board's text begins with a slash: a dash begins a formula."""
    return {
        "shape": "x".join(map(str, board.shape)),
        "k": str(board.k),
        "board": "/" + str(board).replace(" ", "").replace("\n", "/"),
        "marks": str(len(board) - len(board.moves)),
    }


def _method_row(words: str) -> Row:
    """The columns that say how it was searched, as its record has it in words.

    >>> _method_row("minimax"), _method_row("alpha-beta, table")["order"]
    ({'method': 'minimax'}, 'row-major')
    """
    name, *options = words.removeprefix(ENGINE).split(", ")
    if name != "alpha-beta":
        return {"method": name}
    method = "gains" if words.startswith(ENGINE) else "alphabeta"
    orders = [option for option in options if option in ORDERS]
    switched = {switch: _as_text(switch in options) for switch in SWITCHES}
    return {"method": method, "order": orders[0] if orders else "row-major", **switched}


def _words(method: str, playouts: int) -> str:
    """A search in words: as its record has it, but "gains" for the best setting of the 4×4×4 engine."""
    if method == f"{ENGINE}{cube.BEST}":
        return "gains"
    return f"{method}, {playouts} playouts" if playouts else method


def _name(heuristic: Heuristic | None) -> str:
    """The name of a heuristic: its text, or a function's own name."""
    if heuristic is None:
        return "none"
    if isinstance(heuristic, (LineWeights, FileHeuristic)):
        return str(heuristic)
    return getattr(heuristic, "__name__", "heuristic").strip("<>").replace("_", "-")


def known(name: str, names: Iterable[str], kind: str, more: str = "") -> str:
    """The name, if it is one of these. Raises `BadSweep`."""
    every = list(names)
    if name not in every:
        close = get_close_matches(name, every, n=1)
        hint = f" Did you mean {close[0]!r}?" if close else ""
        raise BadSweep(f"There is no {kind} {name!r}.{hint} There is {', '.join(every)}.{more}")
    return name


def _is_stale(row: Row, versions: Mapping[str, str]) -> bool:
    """Whether a row was found with another version of its heuristic, or one that may have changed."""
    current = versions.get(row["heuristic"], row["version"])
    return row["version"] != current or current == MAY_CHANGE


def _check_can_be_sent(tasks: Iterable[Task]) -> None:
    for heuristic in {task.setting.heuristic for task in tasks}:
        try:
            pickle.dumps(heuristic)
        except Exception:
            raise BadSweep(
                f"{_name(heuristic)} can't be sent to another process: define it in a file, or use one worker."
            ) from None


def _several(things: Any) -> list[Any]:
    """One thing or many, as a list."""
    if isinstance(things, (str, Board, Setting, Search)) or not isinstance(things, Iterable):
        return [things]
    return list(things)


def _as_text(figure: Any) -> str:
    """A figure of a record without line ends: "4 0 8" for cells, "4:1 0:-1" for their values."""
    if isinstance(figure, bool):
        return str(figure).upper()  # as R and spreadsheets have it, and pandas can
    if isinstance(figure, tuple):
        return " ".join(":".join(map(_as_text, part)) if isinstance(part, tuple) else _as_text(part) for part in figure)
    if isinstance(figure, float) and figure.is_integer():
        return str(int(figure))
    return "" if figure is None else str(figure)


def _is_cube(board: Board) -> bool:
    return (board.shape, board.k) == ((4, 4, 4), 4)


def _whole(number: int, name: str) -> int:
    if not isinstance(number, Integral) or number < 0:
        raise BadSweep(f"{name} must be a whole number, 0 or more, not {number!r}.")
    return int(number)


def _only(kind: type, things: Any, must: str) -> list[Any]:
    """One thing or many, if all are of this kind. Raises `BadSweep`."""
    found = _several(things)
    for one in found:
        if not isinstance(one, kind):
            raise BadSweep(f"{must}, not {one!r}.")
    return found
