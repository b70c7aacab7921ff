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
    from IPython import get_ipython
    from ipywidgets import Combobox, interact

    variables = getattr(get_ipython(), "user_ns", {})
    name = next((name for name, value in variables.items() if value is frame and not name.startswith("_")), "frame")
    numbers = list(frame.select_dtypes(["number", "bool", "boolean"]).dropna(axis="columns", how="all"))
    flat = [column for column in frame if not isinstance(frame[column].iloc[0], list | tuple)]
    differing = [column for column in flat if frame[column].nunique() > 1]
    few = [column for column in differing if frame[column].nunique() <= FEW]
    queries = [f"{column} == {value!r}" for column in few for value in frame[column].dropna().unique().tolist()]

    def show(x: str, y: str, hue: str | None, rows: str, estimator: str) -> None:
        chosen, named = f"{name}.query({rows!r})" if rows else name, f", {hue!r}" if hue else ""
        print(f"plots.curves({chosen}, {x!r}, {y!r}{named}, estimator={estimator!r})")
        try:
            curves(frame.query(rows) if rows else frame, x, y, hue, estimator=estimator)
        except Exception as error:  # a query that is half typed, or leaves nothing
            print(error)
        else:
            pyplot.show()

    def first(options: list[Any], *wanted: str) -> list[Any]:
        """The options, those that are wanted first."""
        return sorted(options, key=lambda one: [*wanted, one].index(one))

    rows = Combobox(options=queries, placeholder="all, or a query", continuous_update=False)
    x, y = first(differing, "playouts", "depth", "marks"), first(numbers, "nodes")
    interact(show, x=x, y=y, hue=first([*few, None], "setting", "order"), rows=rows, estimator=["median", "mean"])
