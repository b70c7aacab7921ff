"""The view of search statistics: choose what a plot shows, and see the plot with the code that makes it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from math import inf
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

import traitlets

from ttt.svg import Picture
from ttt.widgets.statistics_base import Announcer, script, style

if TYPE_CHECKING:
    from pandas import DataFrame, Series

    from ttt.plots import Plot

FIRST = {  # what is plotted until somebody chooses: of these columns the first that differs and has no empty field
    "x": ("playouts", "depth", "marks", "setting"),
    "y": ("nodes",),
    "by": ("setting", "heuristic"),
}
MOST = 12  # values of a column that colours lines, or by which rows are chosen
LISTS = ("board", "best_moves", "move_values", "principal_variation", "nodes_per_ply", "cutoffs_by_move")
FIGURES = ("value", "move", "nodes", "interior", "leaves", "cutoffs", "seconds")  # by which no rows are chosen
LONGEST = 88  # characters in a line of code


class StatisticsView(Announcer):
    """Choose what goes on x, y and colour, and which searches; see the plot, and the code that makes it.

    Args:
        data: what plots of searches take: searches, a mapping from labels to them, a table, or a file's name.
        choice: x, y, by (the column that gives the colours) and where, as for `plots.lines`; what isn't named is chosen
            by what differs between the searches.

    `plot` is what is shown, and `code` what makes it. There the data has the name of the notebook's variable that holds
    it, or "rows" if none does. Raises `BadPlot`.
    """

    _esm = script("statistics.js")
    _css = style("statistics_controls.css", "statistics.css")

    data = traitlets.Dict().tag(sync=True)
    plot: Plot
    code: str

    def __init__(self, data: Any, **choice: Any) -> None:
        from ttt.plots.measures import table_of

        super().__init__()
        self._table = table_of(data)
        self._name = _name_of(data)
        self._columns = _columns(self._table)
        self._choice = _first_choice(self._table, self._columns)
        self.change(**choice)
        self.on_request("change", lambda choice: self.change(**choice), "The view")

    def change(self, **choice: Any) -> None:
        """Plot something else; whatever isn't named stays the same.

        Args:
            choice: x, y, by and where, as for `plots.lines`.

        Raises `BadPlot`; then nothing changes.
        """
        from ttt import plots
        from ttt.plots.measures import kept
        from ttt.statistics.settings import several

        wanted = self._choice | choice
        wanted["where"] = {column: several(values) for column, values in (wanted["where"] or {}).items()}
        plot = plots.lines(self._table, **wanted)
        self._choice, self.plot, self.code = wanted, plot, _code(self._name, wanted)
        drawn = len(kept(self._table, wanted["where"]).dropna(subset=[wanted["x"], wanted["y"]]))
        with self.hold_sync():
            self.data = wanted | {
                "columns": self._columns,
                "filters": _filters(self._table),
                "picture": plot.svg,
                "code": self.code,
            }
            self.say(f"{drawn:,} of {len(self._table):,} searches are drawn.")

    def snapshot(self) -> Picture:
        width, height = (round(inches * 72) for inches in self.plot.get_size_inches())
        return Picture(width, height, self.data["picture"], self.plot.title, self.plot.words)

    def __repr__(self) -> str:
        return f"{self.plot.words}\n{self.code}"


# ------------------------------------------------------------------------------------------------- what can be chosen


def _columns(table: DataFrame) -> dict[str, list[str]]:
    """The columns that can go on x, y and colour: what differs between searches, and for y what they cost."""
    from pandas.api.types import is_bool_dtype, is_numeric_dtype

    from ttt.statistics import ASKED

    numbers = [name for name in table if is_numeric_dtype(table[name]) and not is_bool_dtype(table[name])]
    differing = _differing(table)
    few = _differing(table, MOST)
    return {
        "x": [name for name in differing if name in numbers or name in few] or ["setting"],
        "y": [name for name in numbers if name == "nodes" or (name in differing and name not in (*ASKED, "move"))],
        "by": ["", *few],
    }


def _filters(table: DataFrame) -> list[dict[str, Any]]:
    """The columns by which rows are chosen, each with its values."""
    return [{"name": name, "values": _values(table[name])} for name in _differing(table, MOST) if name not in FIGURES]


def _differing(table: DataFrame, most: float = inf) -> list[str]:
    """The columns that hold at least two different values, empty fields aside, and this many at most."""
    return [name for name in table if name not in LISTS and 2 <= _count(table[name]) <= most]


def _count(column: Series) -> int:
    """How many different values a column holds, empty fields aside; 0 if they can't be told apart, as lists can't."""
    try:
        return int(column.replace("", None).nunique())
    except TypeError:
        return 0


def _values(column: Series) -> list[Any]:
    """The different values of a column: texts as they come, others in order; last None, if fields are empty."""
    values = column.dropna().unique().tolist()
    ordered = values if any(isinstance(value, str) for value in values) else sorted(values)
    return [*ordered, None] if column.hasnans else ordered


def _first_choice(table: DataFrame, columns: Mapping[str, list[str]]) -> dict[str, Any]:
    """What is plotted until somebody chooses."""
    choice: dict[str, Any] = {}
    for name, preferred in FIRST.items():
        free = [column for column in preferred if column in columns[name] and column not in choice.values()]
        full = [column for column in free if table[column].notna().all()]
        choice[name] = [*full, columns[name][0]][0]
    return choice | {"where": {}}


# ------------------------------------------------------------------------------------------------- the code


def _name_of(data: Any) -> str:
    """What the code calls the data: a file by its name, other things by the notebook's variable that holds them."""
    from IPython import get_ipython

    if isinstance(data, str | PathLike):
        return json.dumps(fspath(data), ensure_ascii=False)
    shell = get_ipython()
    variables = shell.user_ns if shell else {}
    names = [name for name, value in variables.items() if value is data and not name.startswith("_")]
    return names[0] if names else "rows"


def _code(data: str, choice: Mapping[str, Any]) -> str:
    """The code that plots this choice, formatted as ruff does."""
    arguments = [data, *(f"{name}={_literal(value)}" for name, value in choice.items() if value or name != "where")]
    call = f"plots.lines({', '.join(arguments)})"
    if len(call) > LONGEST:
        call = "".join(["plots.lines(\n", *(f"    {argument},\n" for argument in arguments), ")"])
    return f"from ttt import plots\n\n{call}"


def _literal(value: Any) -> str:
    """A value as Python writes it, with texts in double quotes; a list of one thing is written as that thing."""
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_literal(key)}: {_literal(one)}" for key, one in value.items()) + "}"
    if isinstance(value, list) and len(value) == 1:
        return _literal(value[0])
    if isinstance(value, list):
        return f"[{', '.join(map(_literal, value))}]"
    return repr(value)
