"""How to search: a setting, and the grid of all that are to be compared."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from itertools import product
from numbers import Integral
from random import Random
from typing import Any

from ttt import qubic
from ttt.board import Board
from ttt.heuristics import Heuristic
from ttt.record import Options
from ttt.search import Search, alphabeta, mcts, minimax, negamax
from ttt.statistics.heuristics import CUBE_WEIGHTS, BadSweep, LineWeights, heuristic_from, known, name_of, version_of

NO_OPTION = Options()
UNCUT = {"minimax": minimax, "negamax": negamax}
METHODS = ("alphabeta", *UNCUT, "gains", "mcts")
ENGINE = "4×4×4 engine: "  # how the records of `ttt.qubic` begin


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
        whole(self.seed, "seed")
        if whole(self.playouts, "playouts") < 1:
            raise BadSweep("mcts needs at least 1 playout.")
        if self.heuristic is not None and not callable(self.heuristic):
            raise BadSweep(f"A heuristic is a function or the name of one, not {self.heuristic!r}.")

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
            return mcts(board, self.playouts, rng=Random(int(self.seed)))  # numpy's integers are refused
        if self.method == "gains":
            return qubic.search(board, depth)
        if self.method in UNCUT:
            return UNCUT[self.method](board, depth, self.heuristic, fast=fast)
        return alphabeta(board, depth, self.heuristic, **asdict(self.options), fast=fast)

    @property
    def heuristic_name(self) -> str:
        """The name of the heuristic."""
        return name_of(CUBE_WEIGHTS if self.method == "gains" else self.heuristic)

    @property
    def version(self) -> str:
        """The version of its heuristic: rows found with another version are not valid for this setting."""
        return version_of(self.heuristic)

    def __str__(self) -> str:
        """The search in the words of its own record; for Monte-Carlo tree search also the number of playouts."""
        if self.method == "mcts":
            return words_of(self.method, self.playouts)
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
        order, killer, table, symmetry, deepening, pvs: the options of alpha-beta; see `ttt.record.Options`.
        heuristic: functions or names as in `heuristic_from`; for minimax, negamax and alpha-beta.
        playouts, seed: for Monte-Carlo tree search.

    Raises `BadSweep`, and `BadSearch` for an unknown order.

    >>> [str(setting) for setting in grid(["minimax", "alphabeta", "mcts"], table=[False, True], playouts=[10, 100])]
    ['minimax', 'alpha-beta', 'alpha-beta, table', 'mcts, 10 playouts', 'mcts, 100 playouts']
    """
    heuristics = [heuristic_from(one) if isinstance(one, str) else one for one in several(heuristic)]
    switches = (map(_switch, several(given)) for given in (killer, table, symmetry, deepening, pvs))
    options = [Options(*combined) for combined in product(several(order), *switches)]
    settings: list[Setting] = []
    for name in several(method):
        if name == "mcts":
            settings += [Setting(name, playouts=n, seed=s) for n, s in product(several(playouts), several(seed))]
        elif name == "gains":
            settings.append(Setting(name))
        elif name == "alphabeta":
            settings += [Setting(name, one, function) for function, one in product(heuristics, options)]
        else:
            settings += [Setting(name, heuristic=function) for function in heuristics]
    return list(dict.fromkeys(settings))


def _switch(given: Any) -> bool:
    """True or False, which numpy may have made, too. Raises `BadSweep`."""
    if given not in (True, False):
        raise BadSweep(f"An option is switched on by True and off by False, not by {given!r}.")
    return bool(given)


def words_of(method: str, playouts: int) -> str:
    """A search in words: as its record has it, but "gains" for the best setting of the 4×4×4 engine."""
    if method == f"{ENGINE}alpha-beta, best-gain, table, symmetry, bounds":
        return "gains"
    return f"{method}, {playouts} playouts" if playouts else method


def _is_cube(board: Board) -> bool:
    return (board.shape, board.k) == ((4, 4, 4), 4)


def whole(number: int, name: str) -> int:
    """A whole number from 0. Raises `BadSweep`."""
    if not isinstance(number, Integral) or number < 0:
        raise BadSweep(f"{name} must be a whole number, 0 or more, not {number!r}.")
    return int(number)


def several(things: Any) -> list[Any]:
    """One thing or many, as a list."""
    if isinstance(things, (str, Board, Setting, Search)) or not isinstance(things, Iterable):
        return [things]
    return list(things)


def only(kind: type, things: Any, must: str) -> list[Any]:
    """One thing or many, if all are of this kind. Raises `BadSweep`."""
    found = several(things)
    for one in found:
        if not isinstance(one, kind):
            raise BadSweep(f"{must}, not {one!r}.")
    return found
