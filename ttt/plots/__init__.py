"""Plots that say one thing each, in the colours of the boards, with hatching so that a grey print stays readable.

Each is a `Plot`, a matplotlib figure that can also say in words what it shows; only `heat` is a drawing of the board.
Given anything that it can't draw, a plot raises `BadPlot`.

Those about searches take `Search` records (one, many, or a mapping from labels to them), a table as
`ttt.statistics.sweep` returns it, or the name of a file that it has written.
"""

from ttt.plots.figure import COLOURS, HATCHES, BadPlot, Plot, readable_on, styles
from ttt.plots.measures import effective_branching, least_tree, median_interval, ratios
from ttt.plots.positions import distribution, nodes_by_order, paired
from ttt.plots.results import EVEN, WORTH, columns, convergence, crosstable, heat, outcomes, ratings
from ttt.plots.searches import (
    branching,
    cutoffs_by_move,
    learned,
    lines,
    nodes_by_depth,
    playout_error,
    shares_by_ply,
)

__all__ = [
    "COLOURS",
    "EVEN",
    "HATCHES",
    "WORTH",
    "BadPlot",
    "Plot",
    "branching",
    "columns",
    "convergence",
    "crosstable",
    "cutoffs_by_move",
    "distribution",
    "effective_branching",
    "heat",
    "learned",
    "least_tree",
    "lines",
    "median_interval",
    "nodes_by_depth",
    "nodes_by_order",
    "outcomes",
    "paired",
    "playout_error",
    "ratings",
    "ratios",
    "readable_on",
    "shares_by_ply",
    "styles",
]
