"""What calls print, return, warn of and raise, in words, to be approved."""

import io
import re
import warnings
from contextlib import redirect_stdout

import numpy as np
from lab.statistics.table import machine
from matplotlib.collections import LineCollection, PolyCollection, QuadMesh
from matplotlib.colors import to_hex
from matplotlib.patches import Patch


def told(*calls):
    """What some calls say, one after another; codes of functions and this machine are left out."""
    text = "\n".join(map(_told, calls)).replace(machine(), "this machine")
    return re.sub(r"\b(?=[a-f]*\d)[0-9a-f]{10}\b", "CODE", text)


def _told(call):
    printed = io.StringIO()
    with redirect_stdout(printed), warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            said = shown(call())
        except Exception as error:
            said = "\n".join([f"{type(error).__name__}: {error.args[0]}", *getattr(error, "__notes__", [])])
    return "\n".join([*printed.getvalue().splitlines(), *(f"{one.message}" for one in warned), said])


def shown(found):
    """A table as a line for each column, with its type and its values; a plot as it is drawn; or a text."""
    if hasattr(found, "figure"):
        return "\n".join(drawn(found.figure))
    if not hasattr(found, "columns"):
        return f"{found}"
    index = [(name or "", found.index.get_level_values(n)) for n, name in enumerate(found.index.names)]
    columns = [*(index if any(found.index.names) else []), *found.items()]
    return "\n".join(f"{name} ({_type(values)}): {_row([*map(_short, values)])}" for name, values in columns)


def _type(values):
    return f"{values.dtype}" if values.dtype != "str" else "object"  # which a text is before pandas 3


def _row(texts):
    same = len(texts) > 1 and len({*texts}) == 1
    return f"{texts[0]} in each of {len(texts)} rows" if same else " ".join(texts)


def _short(value):
    if isinstance(value, float):
        return f"{value:.5g}"
    return f"{value}".replace(" ", "") if isinstance(value, list) else f"{value!r}" if " " in f"{value}" else f"{value}"


# ------------------------------------------------------------------------------------------------------------- plots


def drawn(figure):
    """A plot in words, and all that is drawn, in the numbers of its axes."""
    yield figure.words
    width, height = figure.get_size_inches()
    keys = [*figure.legends, *filter(None, (ax.get_legend() for ax in figure.axes))]
    named = [text.get_text().replace("\n", " ") for key in keys for text in key.get_texts()]
    yield f"{width:g} × {height:g} inches, legend: {'; '.join(named) or 'none'}"
    for ax in figure.axes:
        yield from (f"{name}: {_ticks(axis)}" for name, axis in (("across", ax.xaxis), ("upwards", ax.yaxis)))
        for line in ax.lines:
            look = (to_hex(line.get_color()), line.get_marker(), line.get_linestyle(), f"{line.get_linewidth():g}")
            label = "" if line.get_label().startswith("_") else f" {line.get_label()}"
            yield f"line{label}, {' '.join(look)}: {_points(line.get_xydata())}"
        for some in (*ax.collections, *ax.patches):
            yield f"{_kind(some)} {_colour(some)}: {'; '.join(map(_extent, _paths(some)))}"
        yield from (f"text at {_points([text.get_position()])}: {text.get_text()}" for text in ax.texts)


def _ticks(axis):
    low, high = sorted(axis.get_view_interval())
    ticks = zip(axis.get_majorticklocs(), axis.get_majorticklabels(), strict=False)  # no labels if they are hidden
    texts = [text.get_text().replace("\n", " ") for place, text in ticks if low <= place <= high * (1 + 1e-9)]
    turned = ", from top to bottom" if axis.get_inverted() else ""
    return f"{axis.get_scale()} from {low:.4g} to {high:.4g}{turned}, at {' | '.join(filter(None, texts)) or 'nothing'}"


def _kind(some):
    kinds = {QuadMesh: "cells", LineCollection: "bars", PolyCollection: "area", Patch: "box"}
    return next(kind for of, kind in kinds.items() if isinstance(some, of))


def _points(pairs):
    return " ".join(f"({x:.4g}, {y:.4g})" for x, y in pairs)


def _paths(some):
    if hasattr(some, "get_coordinates"):  # the cells of a table
        return []
    return [path.vertices for path in some.get_paths()] if hasattr(some, "get_paths") else [some.get_path().vertices]


def _colour(some):
    if isinstance(some, QuadMesh):
        some.update_scalarmappable()  # the colours of its cells, one by one
    colours = [*np.atleast_2d(some.get_facecolor()), *np.atleast_2d(some.get_edgecolor())]
    names = [*dict.fromkeys(to_hex(colour, keep_alpha=True) for colour in colours if len(colour))]
    return " ".join(names) if len(names) < 9 else f"{names[0]} to {names[-1]}"


def _extent(vertices):
    """A shape by the heights that it covers at each of its places across."""
    places = dict.fromkeys(x for x, _ in vertices)
    heights = {place: [y for x, y in vertices if x == place] for place in places}
    return " ".join(f"{place:.4g}: {min(some):.4g} to {max(some):.4g}" for place, some in sorted(heights.items()))
