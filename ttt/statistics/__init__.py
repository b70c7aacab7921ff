"""What searches cost: one search for each position, depth and setting of a grid, as rows of a table."""

from ttt.statistics.positions import CUBE, every_position
from ttt.statistics.sweep import COLUMNS, METHODS, BadSweep, Setting, Task, known, plan, read, sweep, totals

__all__ = [
    "COLUMNS",
    "CUBE",
    "METHODS",
    "BadSweep",
    "Setting",
    "Task",
    "every_position",
    "known",
    "plan",
    "read",
    "sweep",
    "totals",
]
