"""What all plots share: a figure in the page's ink with a text version, colours, and scales."""

from __future__ import annotations

import io
import re
from base64 import b64encode
from collections.abc import Mapping, Sequence
from html import escape
from itertools import product
from math import ceil, floor, log10
from textwrap import fill
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from matplotlib import pyplot, rc_context, rcParams
from matplotlib.axes import Axes
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.legend import Legend
from matplotlib.lines import Line2D
from matplotlib.text import Annotation
from matplotlib.ticker import FixedLocator, Formatter, LogLocator, MaxNLocator, NullLocator
from PIL import Image

from ttt.svg import DARK_INK, DARK_STYLE, INK, TEXT_INK, ink

if TYPE_CHECKING:
    from pandas import DataFrame, Series

COLOURS = (INK["X"], INK["O"], "#399779", "#9A5D8F", "#7E50E7", "#727F3D", "#000000")  # for colour-blind readers, too
DARK_COLOURS = (DARK_INK["X"], DARK_INK["O"], "#5CC7A3", "#D08FC6", "#AC8FFA", "#AFBF6B", "#FFFFFF")
PANELS_IN_A_ROW = 4
MARKERS = "osD^vPX*"  # one more than colours, so that the eighth line differs from the first
DASHES = ("-", "--", "-.", ":")
SIZE = 9  # of letters, in points: 12 pixels
WIDE, NARROW = 6.4, 2.9  # of a figure, in inches; the narrow one fits the column of a phone
MAX_NAME = 0.3  # of the figure's width; a longer name at the end of a line would leave too little for the lines
MIN_FACTOR = 8  # between the ends of a log scale; with less, its numbers are those of a linear scale
LOG_STEPS = {200: (1, 2, 5), 3_000: (1, 3)}  # the numbers in each power of ten, for up to such a factor
MAX_UPWARDS = 22  # letters of a line beside an axis
ALPHA = 0.3  # of areas, through which the grid is seen
PALE = "#A6A6A680"  # the frame and the grid, on light and on dark pages
BLACK = "#010101"  # for numbers on a coloured or white background, black even on a dark page
_STYLE = (
    f"<style>@media (prefers-color-scheme:dark){{svg:root{{color:#e0e0e0;--ttt-rule:#555}}}}{DARK_STYLE}"
    f".ttt-narrow{{display:none}}@media (max-width:{96 * WIDE - 1:.0f}px)"
    "{.ttt-narrow{display:inline}.ttt-wide{display:none}}</style>"
)
_DRAWN: Any = {"svg.fonttype": "none", "svg.hashsalt": "ttt", "path.simplify_threshold": 0.5}  # of a point, unseen
_LEFT_OUT = re.compile(r"\A.*?(?=<svg)|<metadata>.*?</metadata>|<style.*?</style>|(?<=<g) id=\"[^\"]*\"", re.DOTALL)
_WHOLE = re.compile(r"(?<=\d) | (?=[^()]{,16}\))")  # spaces where a line isn't broken: "40 positions (1 to 5 a point)"
_SIZE = re.compile(r'width="[^"]*" height="[^"]*"')
_FONT = re.compile(r"'DejaVu Sans',[^;\"]*?sans-serif")  # replaced by the page's own font


class Plot(Figure):
    """A matplotlib figure that a notebook shows in the page's ink."""

    said: tuple[str, ...] = ()  # the numbers, in words
    key: Legend | None = None  # made by `with_legend`
    names: tuple[Annotation, ...] = ()  # at the ends of lines, instead of the legend

    def draw(self, renderer: Any) -> None:
        """Draw the plot, with legend and labels that fit its size; `set_size_inches` may have changed it."""
        vars(self)["_suptitle"].set_x(0.04 / self.get_figwidth())
        for ax in self.axes:
            _turn_labels(ax)
        engine = vars(self)["_layout_engine"]
        laid_out = isinstance(engine, ConstrainedLayoutEngine)  # not when a file is written, once its places are fixed
        if laid_out and self.key and self.key is self.axes[0].get_legend():  # and not replaced
            self.key.set_in_layout(False)
            engine.execute(self)  # so that the axes are as wide as they can be
            _name_ends(self, with_legend(self.axes[0]))
        super().draw(renderer)

    @property
    def words(self) -> str:
        """The plot in words: title, axes and numbers."""
        return " ".join(self._sentences())

    def _sentences(self) -> list[str]:
        across = (*(ax.get_xlabel() for ax in self.axes), self.get_supxlabel())
        x, y = ", ".join(filter(None, across)), self.axes[0].get_ylabel()
        numbers = self.said or [", ".join(text.get_text() for text in self.axes[0].texts)]
        told = [self.get_suptitle(), x and f"Across: {x}", y and f"Upwards: {y}", *numbers]
        plain = (" ".join(text.split()) for text in told if text.strip())
        return [text if text.endswith(("?", "!")) else f"{text}." for text in plain]

    @property
    def svg(self) -> str:
        """The plot as SVG in the page's ink: also drawn for a narrow column, if it has one pair of axes."""
        (wide, high), (title, *text) = self.get_size_inches().tolist(), self._sentences() or [""]
        width, height = 96 * wide, 96 * high
        if len(self.axes) == 1 and wide == WIDE:
            narrow, drawn = self._drawn(NARROW, high, "narrow"), self._drawn(wide, high, "wide")
            place = f'width="100%" height="{height:g}" style="max-width:{width:.0f}px"'
        else:
            narrow, drawn = "", self._drawn(wide, high, "one")
            place = f'width="{width:g}" height="{height:g}" viewBox="0 0 {width:g} {height:g}"'
            place += ' style="max-width:100%;height:auto"'
        start = f'<svg xmlns="http://www.w3.org/2000/svg" {place} role="img" fill="currentColor"'
        words = f"<title>{escape(title)}</title><desc>{escape(' '.join(text))}</desc>"
        svg = f'{start} stroke-linejoin="round">{words}{_STYLE}{drawn}{narrow}</svg>'
        return svg.encode("ascii", "xmlcharrefreplace").decode()

    def _drawn(self, width: float, height: float, name: str) -> str:
        """The drawing in this size in inches, in a single line, for pages of a width with this name."""
        self.set_size_inches(width, height)
        for ax in self.axes:
            if spec := ax.get_subplotspec():
                ax.set_subplotspec(spec)  # where it began, so that the same plot gives the same drawing
        file = io.StringIO()
        with rc_context(_DRAWN):
            self.savefig(file, format="svg", transparent=True, metadata={"Date": None})
        return _inked(file.getvalue(), f'class="ttt-{name}" preserveAspectRatio="xMinYMin"')

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


def _inked(svg: str, place: str) -> str:
    """A drawing of matplotlib's as one line, with this place instead of a size; black and greys become the page's own.

    JupyterLab shows a drawing as an image, which only knows whether the page is light or dark. Other pages embed it.
    """
    svg = _FONT.sub("system-ui, sans-serif", " ".join(_LEFT_OUT.sub("", svg).split()))  # a single line in a notebook
    for mark in "XO":
        svg = svg.replace(INK[mark].lower(), ink(mark))
    svg = svg.replace(INK["-"], TEXT_INK).replace(PALE[:7].lower(), f"var(--ttt-rule,{PALE[:7]})")
    return _SIZE.sub(place, svg, count=1).replace("#000000", "currentColor")


def axes(title: str = "", x: str = "", y: str = "") -> Axes:
    """Empty axes in the look of all plots, to draw on: `Series(counts).plot.bar(ax=axes("Title", "x", "y"))`."""
    [ax] = panels(title, x, y)
    ax.set_prop_cycle(color=colours())
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_formatter(lambda value, _: in_four_digits(value))
    return ax


def panels(
    title: str, x: str, y: str, height: float = 3.6, labels: Sequence[str] = ("",), note: str = ""
) -> list[Axes]:
    """Axes in a new figure: one of this height in inches, or several with the same scales and a label above each."""
    columns = min(PANELS_IN_A_ROW, len(labels))
    rows = ceil(len(labels) / columns)
    size = (WIDE, height) if len(labels) == 1 else (max(WIDE, 2.4 * columns), 1.2 + 2.2 * rows)
    figure: Any = pyplot.figure(FigureClass=Plot, figsize=size, dpi=110, layout="constrained")
    grid = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False).ravel()
    words: dict[str, Any] = {"wrap": True, "parse_math": False}  # a $ is just a dollar sign
    figure.suptitle(title, ha="left", fontsize=SIZE + 2, fontweight="bold", **words)
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
    grid[columns * (rows - 1)].set_xlabel(x, loc="left", fontsize=SIZE, **words)
    note = _WHOLE.sub("\N{NO-BREAK SPACE}", note)  # quiet, at the foot
    figure.supxlabel(note, x=0.008, ha="left", fontsize=SIZE - 1, color=INK["-"], **words)
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
    columns, found = [hue] if isinstance(hue, str) else [*(hue or ())], []
    for n, values in enumerate(product(*(values_of(frame[name]) for name in columns))):
        rows = frame
        for name, value in zip(columns, values, strict=True):
            rows = rows[rows[name] == value]
        if len(rows):
            looks = (look[n % len(look)] for look in (colours(), MARKERS, DASHES))
            found.append(Style(", ".join(map(label_of, columns, values)), rows, *looks))
    return found


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
    for columns in range(len(lines), -1, -1):  # 0 is one column in small letters and short lines
        look |= {"loc": "lower left", "bbox_to_anchor": (0, 1), "borderaxespad": 0.5, "ncols": max(columns, 1)}
        look |= {"fontsize": SIZE if columns else SIZE - 1, "labelspacing": 0.3 if columns > 1 else 0.1}
        labels = lines if columns else [fill(label, MAX_UPWARDS, break_long_words=False) for label in lines]
        figure.key = ax.legend([*lines.values()], [*labels], **look)
        if figure.key.get_window_extent().x1 <= ax.bbox.x1:
            break
    return ax


def _name_ends(figure: Any, ax: Axes) -> None:
    """Name lines at their ends instead of in the legend if all end at the right, far enough from one another."""
    for name in figure.names:
        name.remove()
    figure.names = ()
    lines, labels = ax.get_legend_handles_labels()
    curves: list[Any] = [line for line in lines if isinstance(line, Line2D)]
    ends = {line.get_xdata()[-1] for line in curves if line.get_transform() == ax.transData}
    if len(curves) < len(lines) or len(ends) != 1:
        return
    place: Any = {"xycoords": ax.get_yaxis_transform(), "textcoords": "offset points", "annotation_clip": False}
    place |= {"xytext": (4, 0), "va": "center", "fontsize": SIZE, "parse_math": False}
    heights = [line.get_ydata()[-1] for line in curves]
    names = [ax.annotate(label, (1, y), **place) for label, y in zip(labels, heights, strict=True)]
    upwards = ax.get_yaxis_transform().transform([(1, y) for y in heights])[:, 1]
    apart = np.diff(np.sort(upwards)) >= 1.5 * SIZE * figure.dpi / 72
    if all(apart) and all(name.get_window_extent().width <= MAX_NAME * figure.bbox.width for name in names):
        figure.names = (*names,)
        figure.key.set_visible(False)
    else:
        for name in names:
            name.remove()


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


class _EndsAtTick(LogLocator):
    """The ticks of a log scale that ends at one, also for later drawings."""

    _subs: tuple[float, ...]

    def view_limits(self, vmin: float, vmax: float) -> tuple[float, float]:
        power = 10.0 ** floor(log10(vmax))
        return vmin, min(step * power for step in (*self._subs, 10) if step * power >= vmax)


def log_scale(ax: Axes, side: str) -> None:
    """Give an axis a log scale, with numbers in full, or powers of ten from a million on."""
    ax.set(**{f"{side}scale": "log"})
    axis = {"x": ax.xaxis, "y": ax.yaxis}[side]
    low, high = axis.get_view_interval()
    steps = next((steps for factor, steps in LOG_STEPS.items() if high < factor * low), (1,))
    locator = _EndsAtTick(subs=steps) if side == "y" else LogLocator(subs=steps if len(steps) > 2 else (1,))
    axis.set_major_locator(MaxNLocator(5, steps=[1, 2, 5, 10]) if high < MIN_FACTOR * low else locator)
    ax.autoscale_view(scalex=False)
    axis.set_minor_locator(NullLocator())
    if high < 1e6:
        axis.set_major_formatter(lambda value, _: in_four_digits(value))


def in_four_digits(value: float) -> str:
    """A number with at most four digits: 0.1235, 1,235, −2."""
    return Formatter.fix_minus(f"{value:,.4g}" if abs(value) < 1000 else f"{value:,.0f}")
