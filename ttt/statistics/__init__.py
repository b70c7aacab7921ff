"""What searches cost: one search for each position, depth and setting of a grid, as a table with a row for each.

>>> from ttt import Board
>>> from ttt.statistics import grid, sweep
>>> frame = sweep(Board(), grid(["minimax", "alphabeta"], table=[False, True]), depths=[3, 4])
>>> frame[["setting", "depth", "nodes"]]
             setting  depth  nodes
0            minimax      3    586
1            minimax      4   3610
2         alpha-beta      3     96
3         alpha-beta      4    206
4  alpha-beta, table      3     96
5  alpha-beta, table      4    178
"""

from ttt.statistics.heuristics import BadSweep, FileHeuristic, LineWeights, heuristic_from
from ttt.statistics.positions import CUBE, every_position, random_positions
from ttt.statistics.settings import METHODS, Setting, grid
from ttt.statistics.sweeps import plan, sweep
from ttt.statistics.tables import ASKED, COLUMNS, POSITION, SWITCHES, frame_of, per_move, per_ply, read, summary

__all__ = [
    "ASKED",
    "COLUMNS",
    "CUBE",
    "METHODS",
    "POSITION",
    "SWITCHES",
    "BadSweep",
    "FileHeuristic",
    "LineWeights",
    "Setting",
    "every_position",
    "frame_of",
    "grid",
    "heuristic_from",
    "per_move",
    "per_ply",
    "plan",
    "random_positions",
    "read",
    "summary",
    "sweep",
]
