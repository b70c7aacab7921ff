"""Plots that each make one point, in the boards' colours, hatched so that they stay readable when printed in grey.

Each takes `ax`, as in seaborn, and returns matplotlib's `Axes`; only `heat` draws the board. Plots of
searches take a table with one row per search, and the names of its columns.
"""

from lab.plots.figure import axes
from lab.plots.results import convergence, crosstable, heat, outcomes
from lab.plots.searches import curves, cutoffs, paired, reference, scatter

__all__ = [
    "axes",
    "convergence",
    "crosstable",
    "curves",
    "cutoffs",
    "heat",
    "outcomes",
    "paired",
    "reference",
    "scatter",
]
