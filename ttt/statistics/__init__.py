"""What searches cost: a search for each position, depth and setting, as a pandas table with a row for each."""

from ttt.statistics.measures import compare, effective_branching, interval, least_tree, lucky, right
from ttt.statistics.positions import CUBE, every_position, random_positions
from ttt.statistics.sweeps import board_of, read, sweep

__all__ = [
    "CUBE",
    "board_of",
    "compare",
    "effective_branching",
    "every_position",
    "interval",
    "least_tree",
    "lucky",
    "random_positions",
    "read",
    "right",
    "sweep",
]
