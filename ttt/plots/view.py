"""The view of a table: choose what a plot shows, and see the line of code that makes it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from matplotlib import pyplot

from ttt.plots.searches import curves

if TYPE_CHECKING:
    from pandas import DataFrame

FEW = 12  # values of a column that colours lines, or by which rows are chosen


def view(frame: DataFrame) -> None:
    """Choose x, y, hue, which rows, and median or mean; the plot is shown with the line of code that makes it.

    Rows are chosen by a query, as in `frame.query("depth == 4")`; some are offered, and others can be typed.
    """
    from ipywidgets import Combobox, Dropdown, interact

    name = _name_of(frame)
    numbers = [column for column in frame if frame[column].dtype.kind in "iufb" and frame[column].notna().any()]
    values = {column: _values(frame, column) for column in frame}
    differing = [column for column in frame if values[column]]
    few = [column for column in differing if len(values[column]) <= FEW]
    queries = [f"{column} == {value!r}" for column in few for value in values[column]]

    def show(x: str, y: str, hue: str | None, rows: str, estimator: str) -> None:
        print(code(name, x, y, hue, rows, estimator))
        try:
            curves(frame.query(rows) if rows else frame, x, y, hue, estimator=estimator)
        except Exception as error:  # a query that is half typed, or leaves nothing
            print(error)
        else:
            pyplot.show()

    interact(
        show,
        x=Dropdown(options=differing, value=_first(("playouts", "depth", "marks"), differing)),
        y=Dropdown(options=numbers, value=_first(("nodes",), numbers)),
        hue=Dropdown(options=[None, *few], value=_first(("setting", "order"), [*few, None])),
        rows=Combobox(options=queries, placeholder="all, or a query", continuous_update=False),
        estimator=Dropdown(options=["median", "mean"]),
    )


def code(name: str, x: str, y: str, hue: str | None, rows: str, estimator: str) -> str:
    """The line of code that makes a plot.

    >>> code("frame", "depth", "nodes", None, "k == 3", "median")
    "plots.curves(frame.query('k == 3'), 'depth', 'nodes')"
    """
    frame = f"{name}.query({rows!r})" if rows else name
    chosen = [frame, repr(x), repr(y), *([repr(hue)] if hue else [])]
    if estimator != "median":
        chosen.append(f"estimator={estimator!r}")
    return f"plots.curves({', '.join(chosen)})"


def _values(frame: DataFrame, column: str) -> list[Any]:
    """The different values of a column, if there are several; none of a column of lists."""
    try:
        found = frame[column].dropna().unique().tolist()
    except TypeError:
        return []
    return found if len(found) > 1 else []


def _first(wanted: tuple[str, ...], offered: list[Any]) -> Any:
    return next((one for one in wanted if one in offered), offered[0] if offered else None)


def _name_of(frame: DataFrame) -> str:
    """The notebook's variable that holds the table."""
    from IPython import get_ipython

    shell: Any = get_ipython()
    variables = shell.user_ns if shell else {}
    return next((name for name, value in variables.items() if value is frame and not name.startswith("_")), "frame")
