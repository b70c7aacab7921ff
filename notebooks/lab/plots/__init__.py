"""Plots that each make one point, in the boards' colours, with markers and dashes so that they stay readable in grey.

A plot makes a figure of its own and returns matplotlib's `Axes`. For the column of a page, use
`ax.figure.set_size_inches(3.4, 2.6)`. `axes` makes empty ones, and `reference` draws into some. `outcomes` and `heat`
return drawings, such as those of boards. Plots of searches take a table with one row per search, and the names of its
columns.
"""

from lab.plots.figure import axes
from lab.plots.results import convergence, crosstable, heat, outcomes
from lab.plots.searches import curves, paired, reference, scatter, spread

__all__ = ["axes", "convergence", "crosstable", "curves", "heat"]
__all__ += ["outcomes", "paired", "reference", "scatter", "spread"]
