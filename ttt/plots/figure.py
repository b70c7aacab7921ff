"""What all plots share: the figure that a notebook shows, in the page's ink and with words, colours, and scales.

A notebook shows a plot as an `<img>` with an SVG inside. Where the page runs what it is given, as a trusted notebook
does, the image puts its drawing in its own place: then black is the colour of the page's text, light or dark. Where it
doesn't (a notebook that is not trusted, GitHub), the image stays, and its black is a grey that can be read on both.
"""

from __future__ import annotations

import io
import re
import textwrap
from base64 import b64encode
from collections.abc import Iterable, Mapping
from html import escape
from typing import TYPE_CHECKING, Any

from matplotlib import pyplot, rc_context
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, MaxNLocator, NullFormatter

from ttt.svg import INK, TEXT

if TYPE_CHECKING:
    from pandas import DataFrame

COLOURS = (INK["X"], INK["O"], "#399779", "#9A5D8F", "#7E50E7", "#727F3D", "#000000")  # for colour-blind readers, too
MARKERS = "osD^vPX"
DASHES = ("-", "--", "-.", ":")
HATCHES = ("", "///", "\\\\\\", "xxx", "---", "|||", "++")  # none of dots, which make a drawing large
HATCHED: dict[str, Any] = {"edgecolor": "white", "linewidth": 0}  # the hatching is white, and there is no outline
BLACK = "#010101"  # for numbers on coloured or white ground, which stay black on a dark page
WIDTH = 6.4  # inches
GOLDEN = 0.618034  # the fractions of its multiples lie evenly: dots at such heights don't hide each other
LETTERS = 68  # of a title, in a line
GREY = f"color:{TEXT};"
UNPACK = f"this.outerHTML=atob(this.src.split(',')[1]).replace('{GREY}','')"
LEFT_OUT = re.compile(r"<\?xml.*?<svg|<metadata>.*?</metadata>|<style.*?</style>|(?<=<g) id=\"[^\"]*\"", re.DOTALL)


class Plot(Figure):
    """A matplotlib figure that a notebook shows in the page's ink, with words for those who can't see it."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.said: list[str] = []

    @property
    def words(self) -> str:
        """What is drawn: the title, what the axes count, and the numbers."""
        axes = self.axes[0]
        labels = {"Across": axes.get_xlabel(), "Upwards": axes.get_ylabel()}
        told = [axes.get_title("left"), *(f"{way}: {label}" for way, label in labels.items() if label), *self.said]
        plain = (re.sub(r"[${}\\]", "", " ".join(text.split())).rstrip(".") for text in told if text)
        return " ".join(text if text.endswith(("?", "!")) else f"{text}." for text in plain)

    @property
    def svg(self) -> str:
        """The plot as SVG in ASCII, in the page's font; without `GREY`, in its text colour."""
        file = io.StringIO()
        with rc_context({"svg.fonttype": "none", "svg.hashsalt": "ttt"}):
            self.savefig(file, format="svg", transparent=True, metadata={"Date": None})
        drawing = LEFT_OUT.sub(lambda found: "<svg" if found[0].endswith("<svg") else "", file.getvalue())
        look = f'role="img" aria-label="{escape(self.words)}" fill="currentColor" stroke-linejoin="round"'
        drawing = drawing.replace("<svg", f'<svg {look} style="{GREY}max-width:100%;height:auto"', 1)
        return drawing.replace("#000000", "currentColor").encode("ascii", "xmlcharrefreplace").decode()

    @property
    def html(self) -> str:
        """The plot for a page: an image, which puts its drawing in its place where the page lets it."""
        source = f"data:image/svg+xml;base64,{b64encode(self.svg.encode()).decode()}"
        return f'<img alt="{escape(self.words)}" src="{source}" onload="{escape(UNPACK)}">'

    def _ipython_display_(self) -> None:
        from IPython.display import display

        show: Any = display
        show({"text/html": self.html, "text/plain": self.words}, raw=True)


class _Shown(Axes):
    """The axes of a `Plot`: as a cell's last value they show it, once."""

    def _ipython_display_(self) -> None:
        figure = self.get_figure()
        assert isinstance(figure, Plot), "only a Plot has these axes"
        figure._ipython_display_()
        pyplot.close(figure)  # or the cell would show it once more at its end


def axes_for(ax: Axes | None, title: str, x: str, y: str, height: float = 3.6) -> Axes:
    """The caller's axes, or those of a new figure, with a title and what x and y count."""
    if ax is None:
        figure = pyplot.figure(FigureClass=Plot, figsize=(WIDTH, height), dpi=110, layout="constrained")
        ax = figure.add_subplot(axes_class=_Shown)
    ax.spines[["top", "right"]].set_visible(False)
    ax.set(xlabel=x, ylabel=y)
    ax.set_title(_plain("\n".join(textwrap.wrap(title, LETTERS))), loc="left", fontweight="bold", fontsize=11.5)
    return ax


def say(ax: Axes, text: str) -> None:
    """Add to the words that stand for the picture, where the axes are a plot's."""
    figure = ax.get_figure()
    if isinstance(figure, Plot):
        figure.said.append(text)


def _plain(text: str) -> str:
    """The text as matplotlib shows it letter by letter: between two $ it would read a formula."""
    return text.replace("$", r"\$")


def kinds(frame: DataFrame, hue: str | None) -> dict[str, tuple[DataFrame, dict[str, Any]]]:
    """The rows of each value of a column, by its label, with the colour, marker and dashes that it has everywhere.

    The values of a category have theirs by their place in it, so that they keep them when rows are left out.
    """
    if hue is None:
        return {"": (frame, style(0))}
    column = frame[hue]
    values = list(column.cat.categories if column.dtype == "category" else column.dropna().unique())
    if column.dtype.kind in "biuf":
        values.sort()
    parts = {label_of(hue, value): (frame[column == value], style(n)) for n, value in enumerate(values)}
    return {label: part for label, part in parts.items() if len(part[0])}


def style(n: int) -> dict[str, Any]:
    """The look of the line with this number."""
    marker, dashes = MARKERS[n % len(MARKERS)], DASHES[n % len(DASHES)]
    return {"color": COLOURS[n % len(COLOURS)], "marker": marker, "linestyle": dashes, "markersize": 5}


def label_of(column: str, value: Any) -> str:
    """A value in words.

    >>> label_of("order", "best-gain"), label_of("value", -1.0), label_of("table", True), label_of("table", False)
    ('best-gain', 'value -1', 'table', 'no table')
    """
    if isinstance(value, str):
        return value
    if value in (True, False) and type(value).__name__.startswith("bool"):
        return column if value else f"no {column}"
    return f"{column} {value:g}"


def with_legend(ax: Axes) -> Axes:
    """The axes with a legend, in place of an earlier one: below a plot of our own, else within the axes."""
    figure = ax.get_figure()
    if not isinstance(figure, Plot):
        ax.legend(frameon=False)
        return ax
    for old in list(figure.legends):
        old.remove()
    labels = ax.get_legend_handles_labels()[1]
    across = 3 if max(map(len, labels)) <= 16 else 2
    figure.legend(loc="outside lower left", ncols=across, frameon=False)
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


def far_apart(values: Iterable[float], times: float = 100) -> bool:
    """Whether a log scale shows these better: all are above 0, and the greatest is so many times the least."""
    numbers = list(values)
    return bool(numbers) and min(numbers) > 0 and max(numbers) >= times * min(numbers)


def readable_on(colour: Any) -> str:
    """Black or white, whichever stands out more from a colour, by the contrast that WCAG 2 defines.

    >>> readable_on("#FFFF00"), readable_on("navy")
    ('black', 'white')
    """
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(colour)]
    luminance = sum(weight * c for weight, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))
    return "black" if (luminance + 0.05) / 0.05 > 1.05 / (luminance + 0.05) else "white"


def listed(numbers: Mapping[Any, float]) -> str:
    """Names with their numbers, in words."""
    return ", ".join(f"{name} = {short(number)}" for name, number in numbers.items())


def short(value: float) -> str:
    """A number to four places at most.

    >>> short(0.123456), short(1234.56)
    ('0.1235', '1,235')
    """
    return f"{value:,.4g}" if abs(value) < 1000 else f"{value:,.0f}"
