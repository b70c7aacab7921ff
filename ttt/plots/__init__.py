"""Plots that say one thing each, in the colours of the boards, with hatching so that a grey print stays readable.

Each takes `ax`, as seaborn's do, and returns matplotlib's `Axes`; only `heat` is a drawing of the board. Those of
searches take a table with a row for each, and the names of its columns.
"""

from ttt.plots.results import columns, convergence, crosstable, heat, outcomes
from ttt.plots.searches import curves, cutoffs, paired, reference

__all__ = ["columns", "convergence", "crosstable", "curves", "cutoffs", "heat", "outcomes", "paired", "reference"]
