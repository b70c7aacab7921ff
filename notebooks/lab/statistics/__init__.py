"""What searches cost: sample positions, a table with one row per search, and summaries of it."""

from lab.statistics.best import least_tree, lucky, right
from lab.statistics.positions import every_position, random_positions
from lab.statistics.summaries import compare, summary
from lab.statistics.sweeps import sweep
from lab.statistics.table import board_of, read, tabulate

__all__ = ["board_of", "compare", "every_position", "least_tree", "lucky", "random_positions"]
__all__ += ["read", "right", "summary", "sweep", "tabulate"]
