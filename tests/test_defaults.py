"""Defaults: what is called without options does the same as with each of them written out, as its description says."""

import inspect
from functools import cache
from math import sqrt
from random import Random

import lab
import pytest
from lab import plots, statistics

import ttt
from ttt import Board, Match, Player, Result, exact, match, search, svg

NEW, LATE, CUBE = Board(), Board.from_text("X-O -X- O--"), Board(shape=(4, 4, 4))
LAST = Player("last", lambda board: board.moves[-1])
PLAIN = {"board": NEW}
SEARCHED = {"depth": 5, "heuristic": None}  # 5 plies to the end
FRAMED = {"title": ""}


def worth(board, player):
    return len(board.moves)


def value(board):
    return len(board.moves)


# What is told by its own tests: a task's name, which is that of the function, and a guess, which is by its kind.
BY_NAME = {lab.check, lab.yours, lab.hint, lab.expect, lab.hand_in, lab.guess}


def options(function):
    given = inspect.signature(function).parameters.values()
    return {one.name for one in given if one.default is not one.empty}


def public():
    """The public functions and classes that have options."""
    modules = (ttt, search, lab, statistics, plots)
    every = [svg.draw, *(getattr(module, name) for module in modules for name in module.__all__)]
    some = [
        one for one in every if inspect.isroutine(one) or (inspect.isclass(one) and one.__init__ is not object.__init__)
    ]
    return [one for one in some if one is not search.BadSearch and one not in BY_NAME and options(one)]


@cache
def written_out():
    """For each of them: what it needs, and its options, each as its description says what it is if it is left out."""
    swept = statistics.sweep(
        statistics.random_positions(NEW, 12, seed=1, free=3), [1, 2], order=["row-major", "best-gain"]
    )
    deep = swept.query("depth == 2")
    results = [exact(x, o) for x in ("random", "rules") for o in ("random", "perfect")]
    return {
        Board: ((), {"shape": (3, 3), "k": 3, "x": 0, "o": 0}),
        ttt.Game: (("random", "rules", (4, 0)), {"start": NEW}),
        Player: (("last", LAST.rule), {"about": "", "shape": None, "max_free": None, "heuristic": None}),
        ttt.beatable: ((), {"strength": 0.5}),
        ttt.best_reply: (("flash-clever",), {"plays": "X", "draw": 0.5}),
        exact: (("random", "rules"), PLAIN),
        ttt.greedy: ((worth,), {"name": "worth"}),
        match: ((LAST, "perfect"), {"games": 100, "rng": Random(1)} | PLAIN),
        ttt.play: ((LAST, LAST), {"rng": Random(1)} | PLAIN),
        ttt.reachable: (("rules",), {"plays": "X"} | PLAIN),
        ttt.searcher: ((value,), {"depth": None, "name": "value"}),
        ttt.shortest_loss: (("random",), {"plays": "O"} | PLAIN),
        ttt.strength_for: (("flash-clever", 0.5), {"plays": "O"}),
        ttt.sure_win: (("flash-clever",), {"plays": "O"} | PLAIN),
        ttt.tournament: ((["random", "rules"],), {"notes": ()} | PLAIN),
        search.alphabeta: (
            (LATE,),
            SEARCHED
            | {
                "sooner": False,
                "order": "row-major",
                "killer": False,
                "table": False,
                "symmetry": False,
                "deepening": False,
            },
        ),
        search.mcts: ((LATE,), {"playouts": 1000, "exploration": sqrt(2)}),
        search.minimax: ((LATE,), SEARCHED | {"sooner": False}),
        search.negamax: ((LATE,), SEARCHED | {"sooner": False}),
        search.plain_alphabeta: ((LATE,), SEARCHED),
        svg.draw: (
            (LATE,),
            {"values": {}, "fills": {}, "lines": (), "player": "-", "last": None, "numbers": False}
            | {"caption": "", "look": "side"},
        ),
        lab.CubeGame: ((), {"opponent": "cube-medium", "start": CUBE}),
        lab.Explorer: ((), {"board": None, "order": "row-major"}),  # the first of its positions
        lab.GameBoard: ((), {"opponent": "flash-clever", "person": "X", "start": NEW, "heuristic": None, "labels": {}}),
        statistics.compare: ((deep, "order", "row-major"), {"y": "nodes"}),
        statistics.random_positions: ((NEW, 9), {"seed": 0, "free": 1, "marks": range(9)}),
        statistics.summary: ((swept, "depth", "nodes"), {"level": 0.95, "resamples": 1000}),
        statistics.sweep: (
            ([LATE],),
            {
                "depth": None,
                "method": "alphabeta",
                "heuristic": None,
                "out": None,
                "n_jobs": 1,
                "executor": None,
                "times": 0,
            }
            | {"errors": "raise"},
        ),
        plots.axes: ((), {"title": "", "x": "", "y": ""}),
        plots.convergence: ((match(LAST, "perfect", 9), results[0]), FRAMED),
        plots.crosstable: ((results,), FRAMED),
        plots.curves: (
            (swept,),
            {"x": "depth", "y": "nodes", "hue": None, "col": None, "yscale": "log", "level": 0.95} | FRAMED,
        ),
        plots.heat: ((NEW, {0: 1.5}, "Worth"), {"label": ""}),
        plots.outcomes: ((results,), FRAMED),
        plots.paired: ((deep, "order", "row-major"), {"y": "nodes", "hue": None, "level": 0.95} | FRAMED),
        plots.scatter: (
            (swept.assign(seconds=swept["nodes"]),),
            {"x": "nodes", "y": "seconds", "hue": None, "level": 0.95} | FRAMED,
        ),
        plots.spread: ((swept.assign(setting="a"),), {"x": "setting", "y": "nodes", "yscale": "log"} | FRAMED),
    }


def shown(found):
    """What can be seen of a result."""
    if isinstance(found, Player):
        return found.name, found.about, found.policy(NEW), found.policy(LATE)
    if hasattr(found, "figure"):
        return found.figure.words, found.get_xscale(), found.get_yscale(), found.get_ylim()
    if hasattr(found, "to_csv"):
        return found.to_csv()
    if isinstance(found, lab.GameBoard | lab.Explorer):
        return found.html, found.parts, found.said, repr(found)
    return str(found) if isinstance(found, Match | Result | svg.Picture) else found


@pytest.mark.parametrize("function", public(), ids=lambda function: function.__name__)
def test_without_options_a_function_does_what_they_say_if_they_are_left_out(function):
    needed, meant = written_out()[function]
    assert {*meant} | {"rng"} == options(function) | {"rng"}
    plain, full = ({"rng": Random(1)} if function is search.mcts else {} for _ in range(2))
    assert shown(function(*needed, **plain)) == shown(function(*needed, **meant, **full))
