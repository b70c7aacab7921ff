"""What searches cost: a search for each position, depth and setting, as a pandas table with a row for each."""

from ttt.statistics.measures import compare, effective_branching, least_nodes, least_tree, lucky, right, summary
from ttt.statistics.positions import every_position, random_positions
from ttt.statistics.sweeps import board_of, read, sweep

__all__ = [
    "board_of",
    "compare",
    "effective_branching",
    "every_position",
    "least_nodes",
    "least_tree",
    "lucky",
    "random_positions",
    "read",
    "right",
    "summary",
    "sweep",
]
