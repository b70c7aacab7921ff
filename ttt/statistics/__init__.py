"""What searches cost: one search for each position, depth and setting of a grid, as rows of a table."""

from ttt.statistics.parsing import CUBE, HEURISTICS, every_position
from ttt.statistics.sweep import COLUMNS, METHODS, BadSweep, Setting, Task, plan, read, sweep, totals

__all__ = [
    "COLUMNS",
    "CUBE",
    "HEURISTICS",
    "METHODS",
    "BadSweep",
    "Setting",
    "Task",
    "every_position",
    "plan",
    "read",
    "sweep",
    "totals",
]
