"""What all plots share: the figure that a notebook shows, its colours, its words, and the ways to draw lines and rows.

A notebook shows a plot as an `<img>` with an SVG inside, without paper. Where the page runs what it is given, as a
trusted notebook does, the image puts its drawing in its own place: then black is the colour of the page's text, light
or dark. Where it doesn't (a notebook that is not trusted, GitHub), the image stays, and its black is the grey of all
drawings, which can be read on both kinds of page. All other colours have a contrast of at least 3:1 against both.
Either way the words are its alternative text, and the notebook keeps the drawing once.
"""

from __future__ import annotations

import io
import math
import re
import textwrap
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from itertools import count
from numbers import Real
from typing import Any
from xml.etree import ElementTree

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, MaxNLocator, NullFormatter

from ttt.svg import INK, TEXT

COLOURS = (INK["X"], INK["O"], "#399779", "#9A5D8F", "#7E50E7", "#727F3D", "#000000")  # for colour-blind readers too
MARKERS = "osD^vPX*"
DASHES = ("-", "--", "-.", ":")
HATCHES = ("", "///", "\\\\\\", "xxx", "---", "|||", "++")  # none of dots, which make a drawing large
HATCHED: dict[str, Any] = {"edgecolor": "white", "linewidth": 0}  # the hatching is white, and there is no outline
BLACK = "#010101"  # for numbers on coloured or white ground, which stay black on a dark page
BELOW: dict[str, Any] = {"loc": "outside lower center", "frameon": False}
WIDTH = 6.4  # inches
LETTERS = 68  # of a title, in a line
SMALL_LETTERS = 74  # of what the x-axis counts
WIDE = 100  # a scale is a log scale if its greatest number is so many times the least
CROWDED = 20  # points, from which on a line would join neighbours that have nothing to do with one another
MANY = 12  # in words, a line with more points is described by its two ends
PLAIN = str.maketrans({"$": "", "{": "(", "}": ")", "\n": " "})  # formulas and line breaks, to be read aloud
MOST_DECADES = 6  # with a number each; of more, every second or third has one
RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
TOO_EXACT = re.compile(r"(\.\d\d)\d+")  # decimals of a coordinate that nobody sees
SVG, LINK = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"
GREY = f"color:{TEXT};"
UNPACK = f"this.outerHTML=atob(this.src.split(',')[1]).replace('{GREY}','')"

Points = Mapping[Any, float]  # from x to y
Band = tuple[float, float, float]  # the middle between the two ends
Bands = Mapping[Any, Band]  # from x to y


class BadPlot(ValueError):
    """This can't be drawn; the message says what can."""


class Plot(Figure):
    """A matplotlib figure that a notebook shows as a cell's last value, with words for those who can't see it.

    `savefig` writes it to a file (SVG, PNG, PDF) as it is on white paper.

    Args:
        title: what the plot says, its first sentence.
        height: in inches.
    """

    def __init__(self, title: str, height: float) -> None:
        super().__init__(figsize=(WIDTH, height), dpi=110, layout="constrained")
        self._sentences = [title]

    def say(self, *sentences: str) -> None:
        """Add to the words that stand for the picture."""
        self._sentences += sentences

    @property
    def title(self) -> str:
        """What the plot says, its first sentence."""
        return self._sentences[0]

    @property
    def words(self) -> str:
        """What is drawn: the title, what the axes count, and the numbers of every line, bar and table."""
        plain = (sentence.translate(PLAIN).rstrip(".") for sentence in self._sentences if sentence)
        return " ".join(sentence if sentence.endswith(("?", "!")) else f"{sentence}." for sentence in plain)

    @property
    def html(self) -> str:
        """The plot for a page: an image, which puts its drawing in its place where the page lets it."""
        source = f"data:image/svg+xml;base64,{b64encode(self.svg.encode()).decode()}"
        return f'<img alt="{escape(self.words)}" src="{source}" onload="{escape(UNPACK)}">'

    def _ipython_display_(self) -> None:
        """Show the plot as HTML, which has room for the words; a plain image has none."""
        from IPython.display import display

        show: Any = display
        show({"text/html": self.html, "text/plain": self.words}, raw=True)

    @property
    def svg(self) -> str:
        """The plot as SVG in ASCII: black is the grey of all drawings; without `GREY`, it is the page's text colour.

        Its fonts are the page's, the same plot has the same drawing, and its style sheet, which would style the whole
        page, becomes attributes.
        """
        file = io.BytesIO()
        with rc_context({"svg.fonttype": "none", "svg.hashsalt": "ttt", "font.sans-serif": ["DejaVu Sans"]}):
            unsigned = dict.fromkeys(("Creator", "Date", "Format", "Type"))
            self.savefig(file, format="svg", transparent=True, metadata=unsigned)
        root = ElementTree.fromstring(file.getvalue())
        for parent in list(root.iter()):
            if parent.tag == f"{{{SVG}}}g":
                parent.attrib.pop("id", None)
            for place in {"d", "x", "y"} & set(parent.attrib):
                parent.attrib[place] = TOO_EXACT.sub(r"\1", parent.attrib[place])
            for child in list(parent):
                if child.tag in {f"{{{SVG}}}metadata", f"{{{SVG}}}style"}:
                    parent.remove(child)
        root.attrib |= {
            "role": "img",
            "aria-label": self.words,
            "fill": "currentColor",
            "stroke-linejoin": "round",
            "style": f"{GREY}max-width:100%;height:auto",
        }
        ElementTree.register_namespace("", SVG)
        ElementTree.register_namespace("xlink", LINK)
        return ElementTree.tostring(root).decode().replace("#000000", "currentColor")


def new_figure(title: str, height: float, x: str, y: str = "", upright: str = "Upwards") -> tuple[Plot, Axes]:
    """A figure with one pair of axes, of which x and y say what they count."""
    if not isinstance(title, str):
        raise BadPlot(f"The title of a plot is text, not {title!r}.")
    figure = Plot(title, height)
    axes = figure.subplots()
    figure.suptitle(in_lines(title, LETTERS), x=0.01, ha="left", fontweight="bold", fontsize=11.5)
    axes.set(xlabel=in_lines(x, SMALL_LETTERS), ylabel=y)
    axes.spines[["top", "right"]].set_visible(False)
    figure.say(f"Across: {x}", f"{upright}: {y}" if y else "")
    return figure, axes


def in_lines(text: str, letters: int) -> str:
    """The text with its lines broken between words, never at a hyphen."""
    return "\n".join(textwrap.fill(line, letters, break_on_hyphens=False) for line in text.split("\n"))


def draw_lines(
    title: str,
    x: str,
    y: str,
    series: Mapping[str, Bands],
    references: Mapping[str, Points] = {},
    *,
    band: str = "median and middle half",
    log: bool | None = False,
    log_x: bool = False,
    bottom: float | None = None,
) -> Plot:
    """A figure with a line for each label, told apart by colour, marker and dashes, and grey lines for reference.

    Places on the x-axis that aren't numbers stand side by side, with a bar instead of a band, and without a line.

    Args:
        band: what a line and the band around it are, said on the y-axis if there is any band.
        log: whether y has a log scale; None for one if the greatest number is 100 times the least.
        log_x: whether x has a log scale where it is a number above 0.
        bottom: the least y, where its scale isn't a log scale.
    """
    middles = [middle for points in series.values() for _, middle, _ in points.values()]
    places = list(dict.fromkeys(place for points in series.values() for place in points))
    in_order = all(map(_is_number, places))
    log = _far_apart(middles) if log is None else log
    log_x = log_x and in_order and min(places) > 0
    if any(low < high for points in series.values() for low, _, high in points.values()):
        y = f"{y},\n{band}"
    figure, axes = new_figure(title, 3.4, f"{x} (log scale)" if log_x else x, f"{y} (log scale)" if log else y)
    for n, (style, (label, points)) in enumerate(zip(styles(), series.items(), strict=False)):
        if in_order:
            _draw_band(axes, label, points, style)
        else:
            shift = 0.5 * (n + 0.5) / len(series) - 0.25
            _draw_bars(axes, label, {places.index(place) + shift: ends for place, ends in points.items()}, style)
        figure.say(f"{label}: {_told(points)}")
    for dashes, (label, line) in zip(DASHES, references.items(), strict=False):
        draw_line(figure, label, line, linestyle=dashes, color=INK["-"], linewidth=1.2, zorder=1)
    if log_x:
        log_scale(axes, "x")
    elif in_order:
        axes.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
    else:
        axes.set_xticks(range(len(places)), [str(place) for place in places])
    if log:
        log_scale(axes, "y")
    elif bottom is not None:
        axes.set_ylim(bottom, None)
    return with_legend(figure)


def draw_line(figure: Plot, label: str, points: Points, **style: Any) -> None:
    """A line, and its points in words."""
    figure.axes[0].plot(list(points), list(points.values()), label=label, **style)
    figure.say(f"{label}: {_told({x: (y, y, y) for x, y in points.items()})}")


def log_scale(axes: Axes, side: str) -> None:
    """Give the x-axis or the y-axis a log scale with numbers written out, more of them where it covers little."""
    axes.set(**{f"{side}scale": "log"})
    axis = {"x": axes.xaxis, "y": axes.yaxis}[side]
    low, high = axis.get_view_interval()
    if high < 8 * low:
        axis.set_major_locator(MaxNLocator(5, steps=(1, 2, 5, 10)))
    else:
        axis.set_major_locator(LogLocator(subs=(1,) if high > 200 * low else (1, 2, 5), numticks=MOST_DECADES))
    axis.set_major_formatter(lambda value, _: _at_tick(value))
    axis.set_minor_formatter(NullFormatter())


def _at_tick(value: float) -> str:
    """A number on a log scale; those from a million on as powers of ten, which leave room for their neighbours.

    >>> _at_tick(500_000), _at_tick(1_000_000), _at_tick(20_000_000)
    ('500,000', '10⁶', '2×10⁷')
    """
    if value < 1e6:
        return short(value)
    digits, exponent = f"{value:.3e}".split("e+")
    power = f"10{str(int(exponent)).translate(RAISED)}"
    return power if float(digits) == 1 else f"{float(digits):g}×{power}"


def _draw_band(axes: Axes, label: str, points: Bands, style: Mapping[str, Any]) -> None:
    """A line through the middles in a band from end to end; where they are many, only a dot for each middle."""
    x, (low, middle, high) = list(points), zip(*points.values(), strict=True)
    if len(x) > CROWDED:
        axes.plot(x, middle, label=label, **dict(style, linestyle="none"), alpha=0.7)
        return
    axes.plot(x, middle, label=label, **style)
    if low != high:
        axes.fill_between(x, low, high, color=style["color"], alpha=0.18, linewidth=0)


def _draw_bars(axes: Axes, label: str, points: Bands, style: Mapping[str, Any]) -> None:
    """A mark at each middle, with a bar from end to end."""
    low, middle, high = np.array(list(points.values())).T
    errors = (middle - low, high - middle)
    axes.errorbar(list(points), middle, errors, label=label, **dict(style, linestyle="none"), capsize=3)


def _told(points: Bands) -> str:
    """The points of a line in words, with the ends of the band where it has a width."""
    ends = list(points.items())
    if len(ends) > MANY:
        ends = [ends[0], ends[-1]]
    told = []
    for x, (low, middle, high) in ends:
        width = f" ({short(low)} to {short(high)})" if low < high else ""
        told.append(f"{short(middle)}{width} at {short(x) if _is_number(x) else x}")
    return ", ".join(told)


def _is_number(place: Any) -> bool:
    """Whether this is a place on a scale, which True and False are not."""
    return isinstance(place, Real) and not isinstance(place, bool)


def _far_apart(numbers: Sequence[float]) -> bool:
    """Whether a log scale shows these better."""
    return bool(numbers) and min(numbers) > 0 and max(numbers) >= WIDE * min(numbers)


def styles() -> Iterator[dict[str, Any]]:
    """One line after another, told apart by colour, marker and dashes."""
    for n in count():
        marker, dashes = MARKERS[n % len(MARKERS)], DASHES[n % len(DASHES)]
        yield {"color": COLOURS[n % len(COLOURS)], "marker": marker, "linestyle": dashes, "markersize": 5}


def with_legend(figure: Plot) -> Plot:
    """The figure, made higher for a legend below it, which has two columns where the names are short.

    There is none where the title names all that is drawn.
    """
    labels = figure.axes[0].get_legend_handles_labels()[1]
    if len(labels) == 1 and labels[0] in figure.get_suptitle().replace("\n", " "):
        return figure
    across = 2 if max(map(len, labels)) <= 45 else 1
    figure.legend(ncols=across, **BELOW)
    figure.set_figheight(figure.get_figheight() + 0.22 * math.ceil(len(labels) / across))
    return figure


def readable_on(colour: Any) -> str:
    """Black or white, whichever stands out more from a colour, by the contrast that WCAG 2 defines.

    >>> readable_on("#FFFF00"), readable_on("navy")
    ('black', 'white')
    """
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(colour)]
    luminance = sum(weight * c for weight, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))
    return "black" if (luminance + 0.05) / 0.05 > 1.05 / (luminance + 0.05) else "white"


def rounded(value: float) -> str:
    """A number for a title, to two places or more.

    >>> rounded(0.1138), rounded(3.0), rounded(1234.5)
    ('0.11', '3', '1,234')
    """
    return f"{value:.2g}" if abs(value) < 100 else f"{value:,.0f}"


def listed(names: Iterable[str], numbers: Iterable[float]) -> str:
    """Names with their numbers, in words."""
    return ", ".join(f"{name} = {short(number)}" for name, number in zip(names, numbers, strict=False))


def short(value: float) -> str:
    """A number to four places at most.

    >>> short(0.123456), short(1234.56)
    ('0.1235', '1,235')
    """
    return f"{value:,.4g}" if abs(value) < 1000 else f"{value:,.0f}"
