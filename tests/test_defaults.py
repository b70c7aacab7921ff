"""Defaults: what an option is if it is left out, and that None does what the description says."""

import inspect
from functools import cache
from pathlib import Path

import lab
from approved import approved
from lab import plots, statistics

import ttt
from ttt import Board, Player, search, svg

SAID = Path(__file__).with_name("said") / "defaults.txt"
NEW, LATE = Board(), Board.from_text("X-O -X- O--")
DEEP = {"depth": 5}  # the plies to the end


def worth(board, player):
    return len(board.moves)


def value(board):
    return len(board.moves)


def options(function):
    """A function's options, each with what it is if it is left out."""
    given = inspect.signature(function).parameters.values()
    return {one.name: one.default for one in given if one.default is not one.empty}


def test_what_students_call_has_these_options_and_defaults():
    modules = (ttt, search, lab, statistics, plots)
    every = {f"{module.__name__}.{name}": getattr(module, name) for module in modules for name in module.__all__}
    told = []
    for name, one in {**every, "ttt.svg.draw": svg.draw}.items():
        if inspect.isroutine(one) or (inspect.isclass(one) and not issubclass(one, Exception)):
            told += [f"{name}: " + ", ".join(f"{name}={value!r}" for name, value in options(one).items())]
    assert approved(SAID, "options", "\n".join(line for line in told if "=" in line))


@cache
def written_out():
    """For each function: what it needs, and what the options mean that are None, as its description says."""
    swept = statistics.sweep(
        statistics.random_positions(NEW, 12, seed=1, free=3), [1, 2], order=["row-major", "best-gain"]
    )
    deep = swept.query("depth == 2")
    return {
        Board: ((), {"k": 3}),
        ttt.greedy: ((worth,), {"name": "worth"}),
        ttt.searcher: ((value,), {"name": "value"}),
        **dict.fromkeys([search.alphabeta, search.minimax, search.negamax, search.plain_alphabeta], ((LATE,), DEEP)),
        svg.draw: ((LATE,), {"values": {}, "fills": {}}),
        lab.GameBoard: ((), {"opponent": "flash-clever", "start": NEW, "labels": {}}),
        statistics.compare: ((deep, "order", "row-major"), {"y": "nodes"}),
        statistics.random_positions: ((NEW, 9), {"marks": range(9)}),
        plots.curves: ((swept,), {"y": "nodes", "yscale": "log"}),
        plots.paired: ((deep, "order", "row-major"), {"y": "nodes"}),
        plots.spread: ((swept.assign(setting="a"),), {"y": "nodes", "yscale": "log"}),
    }


def shown(found):
    """What can be seen of a result."""
    if isinstance(found, Player):
        return found.name, found.about, found.policy(NEW), found.policy(LATE)
    if hasattr(found, "figure"):
        return found.figure.words, found.get_xscale(), found.get_yscale(), found.get_ylim()
    if hasattr(found, "to_csv"):
        return found.to_csv()
    if isinstance(found, lab.GameBoard):
        return found.html, found.parts, found.said, repr(found)
    return str(found) if isinstance(found, svg.Picture) else found


def test_an_option_that_is_left_out_means_what_its_description_says():
    for function, (needed, meant) in written_out().items():
        assert {*meant} <= {name for name, default in options(function).items() if default is None}
        assert shown(function(*needed)) == shown(function(*needed, **meant)), function
