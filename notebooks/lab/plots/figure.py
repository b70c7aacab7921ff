"""What all plots share: a figure in the page's ink with a text version, colours, and scales."""

from __future__ import annotations

import io
import re
from base64 import b64encode
from collections.abc import Mapping, Sequence
from html import escape
from itertools import product
from math import ceil
from textwrap import fill
from typing import TYPE_CHECKING, Any, NamedTuple

from matplotlib import pyplot, rc_context, rcParams
from matplotlib.axes import Axes
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.ticker import FixedLocator, Formatter, LogLocator, MaxNLocator, NullLocator
from PIL import Image

from ttt.svg import DARK_INK, DARK_STYLE, INK, ink

if TYPE_CHECKING:
    from pandas import DataFrame, Series

COLOURS = (INK["X"], INK["O"], "#399779", "#9A5D8F", "#7E50E7", "#727F3D", "#000000")  # for colour-blind readers, too
DARK_COLOURS = (DARK_INK["X"], DARK_INK["O"], "#5CC7A3", "#D08FC6", "#AC8FFA", "#AFBF6B", "#FFFFFF")
PANELS_IN_A_ROW = 4
MARKERS = "osD^vPX*"  # one more than colours, so that the eighth line differs from the first
DASHES = ("-", "--", "-.", ":")
SIZE = 9  # of letters, in points: 12 pixels
MIN_FACTOR, MAX_FACTOR = 8, 200  # between the ends of a log scale with numbers at 1, 2, 5, 10, 20 and so on
MAX_UPWARDS = 22  # letters of a line beside an axis
ALPHA = 0.3  # of areas, through which the grid is seen
PALE = "#A6A6A680"  # the frame and the grid, on light and on dark pages
BLACK = "#010101"  # for numbers on a coloured or white background, black even on a dark page
_DARK = f"<style>@media (prefers-color-scheme:dark){{svg:root{{color:#e0e0e0}}}}{DARK_STYLE}</style>"
_LEFT_OUT = re.compile(r"\A.*?(?=<svg)|<metadata>.*?</metadata>|<style.*?</style>|(?<=<g) id=\"[^\"]*\"", re.DOTALL)
_FONT = re.compile(r"'DejaVu Sans',[^;\"]*?sans-serif")  # replaced by the page's own font


class Plot(Figure):
    """A matplotlib figure that a notebook shows in the page's ink."""

    said: tuple[str, ...] = ()  # the numbers, in words
    key: Legend | None = None  # made by `with_legend`

    def draw(self, renderer: Any) -> None:
        """Draw the plot, with legend and labels that fit its size; `set_size_inches` may have changed it."""
        for ax in self.axes:
            _turn_labels(ax)
        if self.key and self.key is self.axes[0].get_legend():  # and not replaced
            with_legend(self.axes[0])
        super().draw(renderer)

    @property
    def words(self) -> str:
        """The plot in words: title, axes and numbers."""
        return " ".join(self._sentences())

    def _sentences(self) -> list[str]:
        x, y = self.get_supxlabel() or self.axes[0].get_xlabel(), self.axes[0].get_ylabel()
        numbers = self.said or [", ".join(text.get_text() for text in self.axes[0].texts)]
        told = [self.get_suptitle(), x and f"Across: {', '.join(x.splitlines())}", y and f"Upwards: {y}", *numbers]
        plain = (" ".join(text.split()) for text in told if text.strip())
        return [text if text.endswith(("?", "!")) else f"{text}." for text in plain]

    @property
    def svg(self) -> str:
        """The plot as SVG in the page's ink."""
        file = io.StringIO()
        with rc_context({"svg.fonttype": "none", "svg.hashsalt": "ttt"}):
            self.savefig(file, format="svg", transparent=True, metadata={"Date": None})
        title, *text = self._sentences() or [""]
        return _inked(file.getvalue(), title, " ".join(text))

    @property
    def png(self) -> bytes:
        """The plot as PNG, on white with few colours, for hosts that don't show SVG."""
        drawn, file = io.BytesIO(), io.BytesIO()
        self.savefig(drawn, format="png", dpi=80)
        Image.open(drawn).convert("RGB").quantize(64, Image.Quantize.FASTOCTREE).save(file, "PNG", optimize=True)
        return file.getvalue()

    def _ipython_display_(self) -> None:
        from IPython.display import display

        png = b64encode(self.png).decode()
        shown = {"image/svg+xml": self.svg, "image/png": png, "text/plain": self.words}
        display(shown, raw=True)  # type: ignore[no-untyped-call]
        pyplot.close(self)  # otherwise the cell would show it again at its end


def _inked(svg: str, title: str, text: str) -> str:
    """The SVG as one line of ASCII, with a title and a description; black, X's and O's colour become the page's own.

    JupyterLab shows a drawing as an image, which only knows whether the page is light or dark. Other pages embed it.
    """
    svg = _FONT.sub("system-ui, sans-serif", " ".join(_LEFT_OUT.sub("", svg).split()))  # a single line in a notebook
    for mark in "XO":
        svg = svg.replace(INK[mark].lower(), ink(mark))
    start, drawing = svg.replace("#000000", "currentColor").split(">", 1)
    start += ' role="img" fill="currentColor" stroke-linejoin="round" style="max-width:100%;height:auto"'
    words = f"<title>{escape(title)}</title><desc>{escape(text)}</desc>"
    return f"{start}>{words}{_DARK}{drawing}".encode("ascii", "xmlcharrefreplace").decode()


def axes(title: str = "", x: str = "", y: str = "") -> Axes:
    """Empty axes in the look of all plots, to draw on: `Series(counts).plot.bar(ax=axes("Title", "x", "y"))`."""
    [ax] = panels(title, x, y)
    ax.set_prop_cycle(color=colours())
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_formatter(lambda value, _: in_four_digits(value))
    return ax


def panels(title: str, x: str, y: str, height: float = 3.6, labels: Sequence[str] = ("",)) -> list[Axes]:
    """Axes in a new figure: one of this height in inches, or several with the same scales and a label above each."""
    columns = min(PANELS_IN_A_ROW, len(labels))
    rows = ceil(len(labels) / columns)
    size = (6.4, height) if len(labels) == 1 else (max(6.4, 2.4 * columns), 1.2 + 2.2 * rows)
    figure: Any = pyplot.figure(FigureClass=Plot, figsize=size, dpi=110, layout="constrained")
    grid = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False).ravel()
    words: dict[str, Any] = {"wrap": True, "parse_math": False}  # a $ is just a dollar sign
    figure.suptitle(title, x=0.04 / size[0], ha="left", fontsize=SIZE + 2, fontweight="bold", **words)
    for n, ax in enumerate(grid[len(labels) :], len(labels)):
        grid[n - columns].tick_params(labelbottom=True)  # nothing is below it
        ax.remove()
    for ax, label in zip(grid, labels, strict=False):
        ax.set_title(label, loc="left", fontsize=SIZE)
        ax.spines[["top", "right", "left"]].set_visible(False)
        ax.spines["bottom"].set_color(PALE)
        ax.grid(axis="y", color=PALE, linewidth=0.8)
        ax.set_axisbelow(True)
        ax.tick_params(which="both", length=0, labelsize=SIZE)
        vars(ax)["_ipython_display_"] = figure._ipython_display_  # axes at the end of a cell show the plot
    upwards = fill(y, MAX_UPWARDS, break_long_words=False, break_on_hyphens=False)
    for ax in grid[::columns]:
        ax.set_ylabel(upwards, fontsize=SIZE, parse_math=False)
    if len(labels) > 1:
        figure.supxlabel(x, x=0, ha="left", fontsize=SIZE, **words)
    else:
        grid[0].set_xlabel(x, loc="left", fontsize=SIZE, **words)  # no wider than the axes
    return [*grid[: len(labels)]]


def colours() -> list[str]:
    """The colours of lines, lighter in a dark style of matplotlib's; the last is the text's."""
    text = rcParams["text.color"]
    return [*(DARK_COLOURS if sum(to_rgb(text)) > 1.5 else COLOURS)[:-1], to_hex(text)]


def say(ax: Axes, label: str, told: Mapping[Any, float | str]) -> None:
    """Add to the plot's text version, if it has one."""
    figure = ax.get_figure()
    if isinstance(figure, Plot):
        numbers = [f"{name} = {one if isinstance(one, str) else in_four_digits(one)}" for name, one in told.items()]
        where = ", ".join(filter(None, (ax.get_title("left"), label)))
        figure.said += (f"{where}: {', '.join(numbers)}".replace("\n", ", "),)


class Style(NamedTuple):
    """The rows with one value in a column, and the look of this value in every plot."""

    label: str
    rows: DataFrame
    colour: str
    marker: str
    dashes: str


def styles(frame: DataFrame, hue: str | Sequence[str] | None) -> list[Style]:
    """Group rows by the values of a column or several; a value keeps its look even if other rows are left out."""
    columns = [hue] if isinstance(hue, str) else hue or ()
    every = []
    for n, values in enumerate(product(*(values_of(frame[name]) for name in columns))):
        rows = frame
        for name, value in zip(columns, values, strict=True):
            rows = rows[rows[name] == value]
        looks = (look[n % len(look)] for look in (colours(), MARKERS, DASHES))
        every.append(Style(", ".join(map(label_of, columns, values)), rows, *looks))
    return [kind for kind in every if len(kind.rows)]


def values_of(column: Series[Any]) -> list[Any]:
    """A column's values in order: numbers by size, settings as swept, and others as they come."""
    if column.dtype == "category":
        return [*column.cat.categories]
    if column.dtype.kind == "b":
        return [False, True]
    return sorted(column.dropna().unique()) if column.dtype.kind in "iuf" else [*column.dropna().unique()]


def label_of(column: str, value: Any) -> str:
    """A value in words: "best-gain", "value -1", "table", "no table"."""
    if isinstance(value, str):
        return value
    if type(value).__name__.startswith("bool"):  # also numpy's
        return column if value else f"no {column}"
    return f"{column} {value:g}" if hasattr(value, "__float__") else f"{value}"


def with_legend(ax: Axes) -> Axes:
    """Add a legend, replacing any earlier one: above the axes, in as many columns as fit, or beside several."""
    figure: Any = ax.get_figure()
    panels = figure.axes if ax.get_title("left") else [ax]
    lines = {label: line for each in panels for line, label in zip(*each.get_legend_handles_labels(), strict=True)}
    look: Any = {"frameon": False, "fontsize": SIZE, "columnspacing": 1.2, "borderpad": 0}
    if ax.get_title("left"):
        figure.legends.clear()
        figure.legend([*lines.values()], [*lines], loc="outside right center", **look)
        return ax
    for columns in range(len(lines), -1, -1):
        look |= {"loc": "lower left", "bbox_to_anchor": (0, 1), "borderaxespad": 0, "ncols": max(columns, 1)}
        look["fontsize"] = SIZE if columns else SIZE - 1  # smaller if even one column is too wide
        figure.key = ax.legend([*lines.values()], [*lines], **look)
        if figure.key.get_window_extent().width <= ax.bbox.width:
            break
    return ax


def _turn_labels(ax: Axes) -> None:
    """Turn the texts below an axis upright if they have no room side by side."""
    if isinstance(ax.xaxis.get_major_locator(), FixedLocator):
        ax.tick_params(axis="x", labelrotation=0)
        labels = ax.get_xticklabels()
        wide = 1.1 * len(labels) * max((label.get_window_extent().width for label in labels), default=0)
        ax.tick_params(axis="x", labelrotation=90 if wide > ax.bbox.width else 0)


def from_zero(ax: Axes) -> None:
    """Start the vertical axis at 0, with room above the highest mark, also for later drawings."""
    ax.update_datalim([(0, 0)], updatex=False)
    for line in ax.lines:
        line.sticky_edges.y.append(0)
    ax.autoscale_view()
    ax.yaxis.set_major_formatter(lambda value, _: in_four_digits(value))


def log_scale(ax: Axes, side: str) -> None:
    """Give an axis a log scale, with numbers in full, or powers of ten from a million on."""
    ax.set(**{f"{side}scale": "log"})
    axis = {"x": ax.xaxis, "y": ax.yaxis}[side]
    low, high = axis.get_view_interval()
    locator = LogLocator(subs=(1, 2, 5) if high < MAX_FACTOR * low else (1,))
    axis.set_major_locator(MaxNLocator(5, steps=[1, 2, 5, 10]) if high < MIN_FACTOR * low else locator)
    axis.set_minor_locator(NullLocator())
    if high < 1e6:
        axis.set_major_formatter(lambda value, _: in_four_digits(value))


def in_four_digits(value: float) -> str:
    """A number with at most four digits: 0.1235, 1,235, −2."""
    return Formatter.fix_minus(f"{value:,.4g}" if abs(value) < 1000 else f"{value:,.0f}")
