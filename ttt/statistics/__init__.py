"""What searches cost: a search for each position, depth and setting, as a pandas table with a row for each.

>>> from ttt import Board
>>> from ttt.statistics import compare, sweep
>>> frame = sweep(Board(), [3, 6], order=["row-major", "best-gain"])
>>> frame.groupby(["order", "depth"])["nodes"].median().tolist()
[96.0, 1886.0, 96.0, 934.0]
>>> compare(frame.query("depth == 6"), "order", "row-major")["ratio"].round(2).tolist()
[0.5]
"""

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
