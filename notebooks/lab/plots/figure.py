"""What all plots share: a figure in the page's ink with a text version, colours, and scales."""

from __future__ import annotations

import io
import re
from base64 import b64encode
from collections.abc import Mapping, Sequence
from html import escape
from itertools import product
from math import ceil, inf
from typing import TYPE_CHECKING, Any, NamedTuple

from matplotlib import pyplot, rc_context, rcParams
from matplotlib.axes import Axes
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure
from matplotlib.ticker import Formatter, LogFormatter, LogLocator, MaxNLocator, NullLocator
from PIL import Image

from ttt.svg import DARK_INK, DARK_STYLE, INK, ink

if TYPE_CHECKING:
    from pandas import DataFrame, Series

COLOURS = (INK["X"], INK["O"], "#399779", "#9A5D8F", "#7E50E7", "#727F3D", "#000000")  # for colour-blind readers, too
DARK_COLOURS = (DARK_INK["X"], DARK_INK["O"], "#5CC7A3", "#D08FC6", "#AC8FFA", "#AFBF6B", "#FFFFFF")
PANELS_IN_A_ROW = 4
MARKERS = "osD^vPX*"  # one more than colours, so that the eighth line differs from the first
DASHES = ("-", "--", "-.", ":")
LEAST_HEIGHT = 1.2  # of axes below a legend, in inches
SIZE = 9  # of letters, in points
ACROSS: dict[str, Any] = {"fontsize": SIZE, "wrap": True}
BOLD: dict[str, Any] = {"fontsize": SIZE + 2, "fontweight": "bold"}
MAX_DECADES = 2  # powers of ten on a log scale that has numbers at 2 and 5, too
ALPHA = 0.3  # of areas, through which the grid is seen
PALE = "#A6A6A680"  # the frame and the grid, on light and on dark pages
BLACK = "#010101"  # for numbers on a coloured or white background, black even on a dark page
_DARK = f"<style>@media (prefers-color-scheme:dark){{svg:root{{color:#e0e0e0}}}}{DARK_STYLE}</style>"
_LEFT_OUT = re.compile(r"\A.*?(?=<svg)|<metadata>.*?</metadata>|<style.*?</style>|(?<=<g) id=\"[^\"]*\"", re.DOTALL)
_FONT = re.compile(r"'DejaVu Sans',[^;\"]*?sans-serif")  # replaced by the page's own font


class Plot(Figure):
    """A matplotlib figure that a notebook shows in the page's ink."""

    said: tuple[str, ...] = ()  # the numbers, in words

    def set_size_inches(self, *size: Any, **options: Any) -> None:
        """Change the size, for example to (3.4, 2.6) for a column of a page; legends and labels adapt."""
        before = [*self.get_size_inches()]
        super().set_size_inches(*size, **options)
        for ax in self.axes if before != [*self.get_size_inches()] else ():  # the same, with another resolution
            own = vars(ax).get("own_legend")
            if own and own in (ax.get_legend(), *self.legends):
                with_legend(ax)
            if vars(ax).get("own_labels"):
                turn_labels(ax)

    @property
    def words(self) -> str:
        """The plot in words: title, axes and numbers."""
        return " ".join(self._sentences())

    def _sentences(self) -> list[str]:
        ax = self.axes[0]
        title, x = self.get_suptitle() or ax.get_title("left"), self.get_supxlabel() or ax.get_xlabel()
        across = x.replace("\n", ", ")
        numbers = self.said or [", ".join(text.get_text() for text in ax.texts)]
        told = [title.strip(), x and f"Across: {across}", (y := ax.get_ylabel()) and f"Upwards: {y}", *numbers]
        plain = (" ".join(text.split()) for text in told if text)
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
    ax = axes_for(None, title, x, y)
    ax.set_prop_cycle(color=colours())
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_formatter(lambda value, _: in_four_digits(value))
    return ax


def axes_for(ax: Axes | None, title: str, x: str, y: str, height: float = 3.6) -> Axes:
    """The caller's axes, or those of a new figure of this height in inches, with a title and axis labels."""
    if ax is None:
        ax = _figure(6.4, height).subplots()
    figure: Any = ax.get_figure()
    if figure.get_layout_engine() is None:
        figure.set_layout_engine("constrained")  # otherwise a small figure would cut off labels
    if isinstance(figure, Plot):
        vars(ax)["_ipython_display_"] = figure._ipython_display_  # axes at the end of a cell show the plot
    ax.spines[["top", "right", "left"]].set_visible(False)
    ax.spines["bottom"].set_color(PALE)
    ax.grid(axis="y", color=PALE, linewidth=0.8)
    ax.set_axisbelow(True)
    ax.tick_params(which="both", length=0, labelsize=SIZE - 1)
    ax.set_xlabel(x, **ACROSS)
    ax.set_ylabel(y, fontsize=SIZE)
    _set_title(ax, title)
    return ax


def _set_title(ax: Axes, title: str, pad: float = 8, **look: Any) -> None:
    look = BOLD | {"loc": "left", "pad": pad, "wrap": True, "parse_math": False} | look  # a $ is just a dollar sign
    ax.set_title(title, **look)


def small_multiples(parts: Sequence[Style], title: str, x: str, y: str) -> list[Axes]:
    """Axes with the same scales in rows of a new figure, one for each part, labelled above."""
    wide = min(PANELS_IN_A_ROW, len(parts))
    high = ceil(len(parts) / wide)
    figure = _figure(max(6.4, 2.4 * wide), 1.2 + 2.2 * high)
    grid = figure.subplots(high, wide, sharex=True, sharey=True, squeeze=False).ravel()
    figure.suptitle(title, x=0, ha="left", wrap=True, parse_math=False, **BOLD)
    figure.supxlabel(x, **ACROSS)
    for n, ax in enumerate(grid[len(parts) :], len(parts)):
        grid[n - wide].tick_params(labelbottom=True)  # nothing is below it
        ax.remove()
    for n, (ax, part) in enumerate(zip(grid, parts, strict=False)):
        axes_for(ax, "", "", "" if n % wide else y)
        _set_title(ax, part.label, fontsize=SIZE, fontweight="normal")
    return [*grid[: len(parts)]]


def colours() -> list[str]:
    """The colours of lines, lighter in a dark style of matplotlib's; the last is the text's."""
    text = rcParams["text.color"]
    return [*(DARK_COLOURS if sum(to_rgb(text)) > 1.5 else COLOURS)[:-1], to_hex(text)]


def _figure(width: float, height: float) -> Any:
    return pyplot.figure(FigureClass=Plot, figsize=(width, height), dpi=110, layout="constrained")


def say(ax: Axes, label: str, told: Mapping[Any, float | str]) -> None:
    """Add to the plot's text version, if the axes belong to a `Plot`."""
    figure = ax.get_figure()
    if isinstance(figure, Plot):
        numbers = [f"{name} = {one if isinstance(one, str) else in_four_digits(one)}" for name, one in told.items()]
        if figure.get_supxlabel():  # small multiples
            label = f"{ax.get_title('left')}, {label}"
        figure.said += (f"{label}: {', '.join(numbers)}".replace("\n", ", "),)


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
    """Add a legend, replacing any earlier one, between the title and the axes; that of small multiples is below."""
    figure: Any = ax.get_figure()
    panels = isinstance(figure, Plot) and figure.get_supxlabel()
    owner, axes = (figure, figure.axes) if panels else (ax, [ax])
    lines = {label: line for each in axes for line, label in zip(*each.get_legend_handles_labels(), strict=True)}
    look: dict[str, Any] = {"frameon": False, "fontsize": SIZE - 1, "columnspacing": 1.2, "borderpad": 0.3}
    look |= {"loc": "lower center"} if panels else {"loc": "lower left", "bbox_to_anchor": (0, 1)}
    look["borderaxespad"] = 0
    for ncols in range(len(lines), 0, -1):
        if panels:
            figure.legends.clear()
        legend = vars(ax)["own_legend"] = owner.legend([*lines.values()], [*lines], ncols=ncols, **look)
        if legend.get_window_extent().width <= owner.get_window_extent().width:
            break
    legend.set_in_layout(False)  # room for it is made here
    height = 1.1 * legend.get_window_extent().height
    if panels:
        label = figure.supxlabel(figure.get_supxlabel(), y=height / figure.bbox.height, **ACROSS)
        below = (height + 1.2 * label.get_window_extent().height) / figure.bbox.height
        figure.get_layout_engine().set(rect=(0, below, 1, 1 - below))
    else:
        _set_title(ax, ax.get_title("left") or " ", pad=height * 72 / figure.dpi + 4)
        _make_room(ax)
    return ax


def _make_room(ax: Axes) -> None:
    """Make the figure higher if its words would leave too little for the axes."""
    figure: Any = ax.get_figure()
    part = ax.get_subplotspec()
    if not part:  # its place was chosen by hand
        return
    box = ax.get_position()
    ax.set_position((box.x0, box.y0, box.width, 0.01))  # for now: a title above the figure would wrap at every word
    ax.set_in_layout(True)
    with_words: Any = ax.get_tightbbox()
    least = part.get_gridspec().nrows * ((with_words.height - ax.bbox.height) / figure.dpi + LEAST_HEIGHT)
    if figure.get_figheight() < least:
        figure.set_figheight(least)


def turn_labels(ax: Axes) -> bool:
    """Turn the texts below an axis upright if they have no room side by side. Returns whether they are."""
    vars(ax)["own_labels"] = True
    ax.tick_params(axis="x", labelrotation=0)
    labels = ax.get_xticklabels()
    upright = 1.1 * len(labels) * max(label.get_window_extent().width for label in labels) > ax.bbox.width
    ax.tick_params(axis="x", labelrotation=90 if upright else 0)
    return upright


def from_zero(ax: Axes) -> None:
    """Start the vertical axis at 0, with room above the highest mark, also for later drawings."""
    ax.update_datalim([(0, 0)], updatex=False)
    for line in ax.lines:
        line.sticky_edges.y.append(0)
    ax.autoscale_view()
    ax.yaxis.set_major_formatter(lambda value, _: in_four_digits(value))


class _Numbers(LogFormatter):
    """Numbers in full where matplotlib labels a log scale."""

    def __call__(self, value: float, position: int | None = None) -> str:
        return in_four_digits(value) if super().__call__(value, position) else ""


def log_scale(ax: Axes, side: str) -> None:
    """Give an axis a log scale, with numbers in full, or powers of ten from a million on."""
    ax.set(**{f"{side}scale": "log"})
    axis = {"x": ax.xaxis, "y": ax.yaxis}[side]
    low, high = axis.get_view_interval()
    narrow = high < 8 * low
    axis.set_minor_locator(NullLocator() if narrow else LogLocator(subs=(2, 5)))
    if narrow:
        axis.set_major_locator(MaxNLocator(5, steps=[1, 2, 5, 10]))
    if high < 1e6:
        shown = inf if narrow else MAX_DECADES
        axis.set_major_formatter(_Numbers(minor_thresholds=(shown, shown + 1)))
        axis.set_minor_formatter(_Numbers(minor_thresholds=(shown, shown + 1)))


def in_four_digits(value: float) -> str:
    """A number with at most four digits: 0.1235, 1,235, −2."""
    return Formatter.fix_minus(f"{value:,.4g}" if abs(value) < 1000 else f"{value:,.0f}")
