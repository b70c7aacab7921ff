"""What all plots share: a figure in the page's ink and with words, colours, and scales."""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from matplotlib import pyplot, rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, MaxNLocator, NullFormatter

from ttt.drawing.ink import image, inked
from ttt.drawing.svg import INK

if TYPE_CHECKING:
    from pandas import DataFrame

COLOURS = (INK["X"], INK["O"], "#399779", "#9A5D8F", "#7E50E7", "#727F3D", "#000000")  # for colour-blind readers, too
MARKERS = "osD^vPX"
DASHES = ("-", "--", "-.", ":")
HATCHES = ("", "///", "\\\\\\", "xxx", "---", "|||", "++")  # none of dots, which make a drawing large
HATCHED: dict[str, Any] = {"edgecolor": "white", "linewidth": 0}  # the hatching is white, and there is no outline
BLACK = "#010101"  # for numbers on coloured or white ground, which stay black on a dark page


class Plot(Figure):
    """A matplotlib figure that a notebook shows in the page's ink."""

    said: tuple[str, ...] = ()  # the numbers, in words

    @property
    def words(self) -> str:
        """What is drawn: the title, what the axes count, and the numbers."""
        ax = self.axes[0]
        x, y = ax.get_xlabel(), ax.get_ylabel()
        told = [ax.get_title("left"), x and f"Across: {x}", y and f"Upwards: {y}", *self.said]
        plain = (" ".join(text.split()) for text in told if text)
        return " ".join(text if text.endswith(("?", "!")) else f"{text}." for text in plain)

    @property
    def svg(self) -> str:
        """The plot as SVG in the page's ink."""
        file = io.StringIO()
        with rc_context({"svg.fonttype": "none", "svg.hashsalt": "ttt"}):
            self.savefig(file, format="svg", transparent=True, metadata={"Date": None})
        return inked(file.getvalue(), self.words)

    def _ipython_display_(self) -> None:
        from IPython.display import display

        shown = {"text/html": image(self.svg, self.words), "text/plain": self.words}
        display(shown, raw=True)  # type: ignore[no-untyped-call]
        pyplot.close(self)  # or the cell would show it once more at its end


def axes_for(ax: Axes | None, title: str, x: str, y: str, height: float = 3.6) -> Axes:
    """The caller's axes, or those of a new figure so many inches high, with a title and what x and y count."""
    if ax is None:
        figure: Any = pyplot.figure(FigureClass=Plot, figsize=(6.4, height), dpi=110, layout="constrained")
        ax = figure.add_subplot()
        vars(ax)["_ipython_display_"] = figure._ipython_display_  # as a cell's last value, the axes show the plot
    ax.spines[["top", "right"]].set_visible(False)
    ax.set(xlabel=x, ylabel=y)
    ax.set_title(title, loc="left", wrap=True, fontweight="bold", fontsize=11.5, parse_math=False)  # a $ is a dollar
    return ax


def say(ax: Axes, label: str, told: Mapping[Any, float | str]) -> None:
    """Add to the words that stand for the picture, where the axes are a plot's."""
    figure = ax.get_figure()
    if isinstance(figure, Plot):
        numbers = [f"{name} = {one if isinstance(one, str) else short(one)}" for name, one in told.items()]
        figure.said += (f"{label}: {', '.join(numbers)}".replace("\n", ", "),)


class Kind(NamedTuple):
    """The rows that have one value in a column, and the look of this value in every plot."""

    label: str
    rows: DataFrame
    colour: str
    marker: str
    dashes: str
    hatch: str


def kinds(frame: DataFrame, hue: str | None) -> list[Kind]:
    """The rows of each value of a column; the values of a category keep their looks when rows are left out."""
    if hue is None:
        parts = [("", frame)]
    else:
        column = frame[hue]
        values = column.cat.categories if column.dtype == "category" else column.dropna().unique()
        if column.dtype.kind in "biuf":
            values = sorted(values)
        parts = [(label_of(hue, value), frame[column == value]) for value in values]
    looks = (COLOURS, MARKERS, DASHES, HATCHES)
    every = [Kind(*part, *(look[n % len(look)] for look in looks)) for n, part in enumerate(parts)]
    return [kind for kind in every if len(kind.rows)]


def label_of(column: str, value: Any) -> str:
    """A value in words: "best-gain", "value -1", "table", "no table"."""
    if isinstance(value, str):
        return value
    if type(value).__name__.startswith("bool"):  # numpy's, too
        return column if value else f"no {column}"
    return f"{column} {value:g}"


def with_legend(ax: Axes) -> Axes:
    """The axes with a legend, in place of an earlier one: below a plot of our own, else within the axes."""
    figure = ax.get_figure()
    if isinstance(figure, Plot):
        figure.legends.clear()
        longest = max(map(len, ax.get_legend_handles_labels()[1]))
        figure.legend(loc="outside lower left", ncols=3 if longest <= 16 else 2, frameon=False)
    else:
        ax.legend(frameon=False)
    return ax


def log_scale(ax: Axes, side: str) -> None:
    """Give an axis a log scale whose numbers are all written out, or from a million on all powers of ten."""
    ax.set(**{f"{side}scale": "log"})
    axis = {"x": ax.xaxis, "y": ax.yaxis}[side]
    low, high = axis.get_view_interval()
    if high < 8 * low:
        axis.set_major_locator(MaxNLocator(5, steps=[1, 2, 5, 10]))
    else:
        axis.set_major_locator(LogLocator(subs=(1,) if high > 200 * low else (1, 2, 5), numticks=7))
    axis.set_minor_formatter(NullFormatter())
    if high < 1e6:
        axis.set_major_formatter(lambda value, _: short(value))


def short(value: float) -> str:
    """A number to four places at most: 0.1235, 1,235."""
    return f"{value:,.4g}" if abs(value) < 1000 else f"{value:,.0f}"
