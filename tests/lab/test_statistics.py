"""Sweeps compared with other searches, measures with numpy, and the file that workers write, even killed ones.

What a table holds and what is said of a mistake are in `said/statistics.txt`.
"""

import platform
import random
import runpy
import signal
import subprocess
import sys
import textwrap
import threading
import time
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from importlib.metadata import version
from itertools import count
from math import prod
from pathlib import Path

import games
import numpy as np
import pandas as pd
import psutil
import pytest
from approved import all_approved
from conftest import naming
from lab import plots
from lab.statistics import (
    best,
    board_of,
    compare,
    every_position,
    least_tree,
    lucky,
    random_positions,
    read,
    right,
    summary,
    sweep,
    tabulate,
)
from lab.statistics.table import FOUND, LISTS, SWITCHES
from scenes import told

from ttt import Board, open_lines
from ttt.heuristics import LineWeights
from ttt.search import alphabeta, mcts, minimax, negamax

SAID = Path(__file__).parent / "said"
EMPTY = Board()
LATE = Board.from_text("XOX OXO ---")
FOUR = Board(shape=(4, 4))
NIMS = random_positions(games.Nim(9), 12, seed=1)
HEURISTICS = {"none": None, "open_lines": open_lines, "LineWeights(0, 1, 3, 9)": LineWeights(0, 1, 3, 9)}
TWO_ORDERS = {"order": ["row-major", "best-gain"]}
METHODS = {"minimax": minimax, "negamax": negamax, "alphabeta": alphabeta}


@pytest.fixture(scope="module")
def positions():
    return random_positions(EMPTY, 40, seed=3)


# -------------------------------------------------------------------------------------- what is found, and what is said


def corners(board, player):
    return sum((board[cell] == player) - (board[cell] not in (player, "-")) for cell in (0, 2, 6, 8))


def tabled(board, depth, heuristic, table=False):
    return alphabeta(board, depth, heuristic, table=table)


def guess(board, depth, heuristic):
    return heuristic(board, board.turn) + depth


def windowed(board, depth, heuristic, window, weights=(1, 2), *, table=False, **others):
    return window + sum(weights) + table


def measured(board, depth, heuristic, window=1):
    counts = {"nodes": np.int64(40), "hits": 7, "widths": [3, 2], "moves": (4, 0), "note": "late"}
    return counts | {"value": alphabeta(board, depth).value, "huge": 2**64 - 1, "leaves": 2**80}


def returns(result):
    """A sweep with a search that returns this."""

    def returning(board, depth, heuristic, window=1):
        return result

    return lambda: sweep(EMPTY, 1, method=returning)


def fails_late(board, depth, heuristic):
    if len(board.moves) == 5:
        raise RuntimeError("five\n  cells")
    return {"value": 0, "nodes": len(board.moves)}


def from_the_centre(board):
    return sorted(board.moves, key=lambda cell: abs(cell - 4))


NOW = {"works": False}


def works_later(board, depth, heuristic):
    if not NOW["works"]:
        raise RuntimeError("not yet")
    return len(board.moves)


def tried_again(works):
    """A sweep after which a search works, or no longer does."""
    NOW["works"] = works
    return pick("value error", sweep([EMPTY, LATE], 2, method=works_later, errors="keep", out="later.csv"))


def no_search(board, depth, heuristic):
    return 0


class Weights:
    def __call__(self, board, player):
        return 1


class Lines(Weights):
    def __repr__(self):
        return 'two\nlines, and a "quote"'


class Client:
    """What dask's client has."""

    def get_executor(self, *, pure):
        assert not pure, "results of equal calls would be kept"
        return ThreadPoolExecutor(1)


class Silent(games.Nim):
    __repr__ = object.__repr__


class Vague(games.Nim):
    __repr__ = games.Nim.__str__


def rows_of_a_stopped_sweep():
    try:
        sweep(random_positions(EMPTY, 9, free=3), 2, method=fails_late)
    except RuntimeError as error:
        return pick("marks nodes", error.rows)


def lines(file="rows.csv"):
    """The rows of a file without their checksums."""
    return "\n".join(line.rpartition(",")[0] for line in Path(file).read_text().splitlines())


def pick(names, frame):
    return frame[names.split()]


def two_costs(first, second):
    """Searches to depth 1 of two boards, with these cutoffs, and to depth 2."""
    rows = sweep([EMPTY, EMPTY.play(4)], [1, 2])
    rows.loc[rows["depth"] == 1, "cutoffs"] = [first, second]
    return rows


@cache
def judged():
    rows = sweep(random_positions(EMPTY, 12, seed=5), method="mcts", playouts=[3, 100], seed=[1, 2])
    return rows.assign(right=right(rows))


def ratios_to_heuristic(baseline):
    return compare(sweep(EMPTY, 2, heuristic=[None, open_lines]), "heuristic", baseline)["ratio"].tolist()


def shaped():
    return sweep(random_positions(EMPTY, 12), 2, **TWO_ORDERS).assign(shape="small")


WAYS = {"depth": [1, 2], "playouts": 10, "heuristic": [None, open_lines], "seed": [1, 2]}
MY_ORDER = {"order": ["best-gain", from_the_centre], "heuristic": open_lines}
NO_NODES = {"method": [no_search, "alphabeta"]}
SCENES = {
    "a row": [
        lambda: sweep([EMPTY, LATE], [1, 4], killer=[False, True], heuristic=[open_lines, None], out="rows.csv"),
        lines,
    ],
    "other methods": [
        lambda: sweep(LATE, 3, method=["minimax", "negamax", "mcts"], playouts=[1, 2000], seed=[1, 2], out="rows.csv"),
        lines,
        lambda: pick("setting playouts seed depth order killer", sweep(LATE, method="mcts")),
    ],
    "every combination, once": [
        lambda: pick("board setting depth", sweep([EMPTY, LATE], [0, 1, 1], table=[False, True], **TWO_ORDERS)),
        lambda: pick("setting nodes", sweep(EMPTY, 2, method=["minimax", "alphabeta"], **TWO_ORDERS)),
    ],
    "searches one by one": [
        lambda: tabulate([mcts(LATE, 5, rng=random.Random(1)), alphabeta(EMPTY, 2, order="best-gain", killer=True)]),
        lambda: len(tabulate([])),
    ],
    "up to the end of the game": [
        lambda: pick("marks depth nodes", sweep([EMPTY, LATE], [2, 3, 4, 5])),
        lambda: pick("depth value nodes", sweep(LATE)),
    ],
    "your own searches": [
        lambda: pick(
            "setting heuristic value move nodes code",
            sweep(EMPTY, 3, method=[tabled, guess, "alphabeta"], heuristic=corners, table=True),
        ),
        *[lambda: pick("setting nodes code", sweep(EMPTY, 3, out="orders.csv", **MY_ORDER))] * 2,
        lambda: compare(read("orders.csv"), "order", "from_the_centre")["ratio"].tolist(),
        lambda: alphabeta(EMPTY, 3, open_lines, order=from_the_centre).nodes,
        lambda: sweep(EMPTY, 1, method=windowed, window=[10, 50], table=[False, True], out="rows.csv"),
        lambda: compare(read("rows.csv"), "window", 10, "value"),
        lambda: sweep([EMPTY, LATE], [1, 2], method=["alphabeta", measured], out="measures.csv"),
        lambda: pick("method nodes hits widths moves note huge leaves", read("measures.csv")),
        lambda: pick("value nodes", returns(np.float64(2.5))()),
    ],
    "a search can't return it": [
        *map(returns, ({"depth": 3}, {"position": 3}, {"window": 3}, {3: 3}, {"nodes": 40.0}, {"value": "high"})),
        *map(returns, ("best", None, {"value": None, "nodes": 3})),
    ],
    "names": [lambda: pick("heuristic code", sweep(EMPTY, 1, heuristic=[Weights(), Lines()], out="rows.csv"))] * 2,
    "what was searched already": [
        lambda: len(sweep(EMPTY, [1, 2], out="rows.csv")),
        lambda: len(sweep(EMPTY, [1, 2, 3], out="rows.csv")),
        lambda: len(sweep([EMPTY, Board(k=2), Board((3, 4), 3)], 3, out="rows.csv")),
        lambda: pick("shape k depth nodes", read("rows.csv")),
    ],
    "searches that fail": [
        lambda: sweep(random_positions(EMPTY, 9, free=3), 2, method=fails_late),
        rows_of_a_stopped_sweep,
        lambda: pick(
            "marks value nodes seconds error",
            sweep(random_positions(EMPTY, 9, free=3), 2, method=fails_late, errors="keep"),
        ),
        lambda: sweep(random_positions(EMPTY, 14, free=3), 2, method=fails_late, errors="keep", out="rows.csv").size,
        lambda: sweep(random_positions(EMPTY, 14, free=3), 2, method=fails_late, out="rows.csv"),
        lambda: summary(read("rows.csv"), "method", "nodes"),
        *(lambda works=works: tried_again(works) for works in (False, True, False)),
        lambda: pick("value error", read("later.csv")),
    ],
    "options": [
        lambda: sweep(EMPTY, 1, killr=True, tabel=True),
        lambda: sweep(EMPTY, 1, method="minimax", order="best-gain"),
        lambda: sweep(EMPTY, 1, method=guess, order="best-gain"),
        lambda: sweep(EMPTY, 1, method="alpha"),
        lambda: sweep(EMPTY, 1, killer="False"),
        lambda: sweep(EMPTY, 1, order="best"),
        lambda: sweep(EMPTY, 1, method=windowed),
        lambda: sweep(EMPTY, 1, method=lambda board, depth, heuristic, nodes=3: 0),
        lambda: sweep(EMPTY, 1, heuristic="open_lines"),
        lambda: sweep(EMPTY, method="mcts", seed="one"),
        lambda: sweep(EMPTY, method="mcts", playouts=2.5),
        lambda: sweep(EMPTY, method="mcts", seed=[1, 2**63]),
        lambda: sweep(EMPTY, method="mcts", playouts=np.uint64(2**63)),
        lambda: sweep(EMPTY, 1, method=windowed, window=-(2**63)),
        lambda: pick("seed move", sweep(EMPTY, method="mcts", playouts=2, seed=2**63 - 1)),
    ],
    "arguments": [
        lambda: sweep(5),
        lambda: sweep(["X-O -X- --O"]),
        lambda: sweep(np.array([EMPTY, EMPTY])),
        *(lambda depth=depth: sweep(EMPTY, depth) for depth in ("3", [2, 3.0], -1)),
        lambda: sweep(EMPTY, times=-1),
        lambda: sweep(EMPTY, n_jobs=0),
        lambda: sweep(EMPTY, executor="dask"),
        lambda: sweep(EMPTY, executor=ThreadPoolExecutor(1), n_jobs=2),
        lambda: pick("nodes", sweep(EMPTY, 1, executor=Client())),
        lambda: sweep(EMPTY, errors="ignore", out="rows.csv"),
        lambda: Path("rows.csv").exists(),
    ],
    "positions": [
        lambda: pick("shape k board", sweep([EMPTY, FOUR, EMPTY, EMPTY, EMPTY], 1)),
        lambda: len(sweep([], 1)),
        lambda: pick("shape k board marks position", sweep(games.Nim(12), method="mcts", playouts=5)),
        lambda: sweep(Silent(3), 1),
        lambda: sweep([Vague(3), Vague(3, "O")], 1),
        lambda: random_positions("X-O", 3),
        lambda: random_positions(LATE, 100),
        lambda: random_positions(EMPTY, 9, marks=[0]),
        lambda: pick("board", sweep(random_positions(EMPTY, 12, seed=7, free=4), 0)),
        lambda: every_position(games.Nim(3)),
        lambda: pick("board", sweep(every_position(Board.from_text("X-O -X- OXO")), 0)),
    ],
    "costs compared": [
        lambda: compare(sweep(random_positions(EMPTY, 3), 4, killer=[False, True], **TWO_ORDERS), "order", "row-major"),
        lambda: compare(sweep(LATE, method=["alphabeta", "mcts"], **WAYS), "setting", "mcts, 10 playouts", "leaves"),
        lambda: compare(sweep(LATE, method=["alphabeta", "mcts"], **WAYS), "method", "alphabeta", "leaves"),
        lambda: compare(sweep(EMPTY, [1, 2], heuristic=open_lines), "depth", 2, "value"),
        *(lambda name=name: ratios_to_heuristic(name) for name in (None, "none", open_lines)),
        *(lambda costs=costs: [*compare(two_costs(*costs), "depth", 1, "cutoffs")][-2:] for costs in [(0, 3), (3, 3)]),
        lambda: compare(shaped(), "order", "row-major")["ratio"].size,
        lambda: [*compare(sweep(EMPTY, 2, times=1, **TWO_ORDERS), "order", "row-major")][
            -4:
        ],  # nodes, also of timed ones
        lambda: summary(compare(judged(), "playouts", 3, "right"), "playouts", "better"),
        lambda: judged().groupby("playouts")["right"].sum().tolist(),
    ],
    "nothing to compare": [
        lambda: compare(sweep(EMPTY, 2), "order", "most-lines"),
        lambda: compare(sweep(EMPTY, 2), "order", "row-major"),
        lambda: compare(sweep(EMPTY, 2), "ordr", "row-major"),
        lambda: compare(sweep([EMPTY, LATE], 2, **NO_NODES), "method", "alphabeta"),
        lambda: compare(sweep([EMPTY, LATE], 2, **NO_NODES), "method", "alphabeta", "nodes"),
        lambda: compare(sweep([EMPTY, LATE], 2, **NO_NODES), "method", "no_search", "nodes"),
        lambda: [*compare(sweep(EMPTY, 2, times=2, **NO_NODES), "method", "alphabeta")],
        lambda: compare(pd.concat([sweep(LATE, order="best-gain"), sweep(LATE, 2)]), "order", "row-major"),
        lambda: compare(sweep([], 1), "order", "row-major"),
    ],
    "groups": [
        lambda: summary(sweep(random_positions(EMPTY, 12), [1, 2], **TWO_ORDERS), ["depth", "order"], "nodes"),
        *(lambda n=n: summary(sweep(random_positions(EMPTY, n), 2), "order", "nodes") for n in (9, 10)),
        lambda: summary(shaped().assign(early=shaped()["cutoffs"] > 3), "order", "early"),
        lambda: repr(summary(shaped().assign(setting="alphabeta, best-gain, killer"), "setting", "nodes", level=0.9)),
        lambda: summary(pd.DataFrame({"y": np.arange(100) < 97, "one": 1}), "one", "y"),  # in Newcombe's table I, (b)
        lambda: summary(pd.DataFrame({"y": np.arange(100.0), "one": 1}), "one", "y", level=0.5, resamples=50),
        lambda: summary(pd.DataFrame({"marks": [0, 0, 1, 1], "group": ["a"] * 4, "y": [1.0, 2, 3, 4]}), "group", "y"),
        lambda: summary(shaped(), "depth", "node"),
        lambda: summary(shaped(), [], "nodes"),
        lambda: summary(sweep([EMPTY, LATE], 2, method=no_search), "method", "nodes"),
        lambda: summary(sweep([], 1), "depth", "nodes"),
        *(lambda level=level: summary(shaped(), "order", "nodes", level=level) for level in (0, 1, 95)),
        *(lambda n=n: summary(shaped(), "order", "nodes", resamples=n) for n in (0, 2.5)),
    ],
    "right moves": [
        lambda: right(shaped()),
        lambda: right(sweep([EMPTY, LATE], 1, **NO_NODES)).tolist(),
        lambda: [use(sweep(Board((3, 4), 2).play(0).play(11), 1)).tolist() for use in (right, lucky)],
        lambda: right(sweep(Board((3, 4), 2).play(0), 1)),
        lambda: lucky(sweep(FOUR, 1)),
    ],
}


def test_what_tables_hold_and_what_is_said_is_approved(tmp_path, monkeypatch):
    found = {}
    for name, calls in SCENES.items():
        (tmp_path / name).mkdir()
        monkeypatch.chdir(tmp_path / name)
        with pd.option_context("display.width", 80, "display.max_columns", 0):
            found[name] = told(*calls)
    assert all_approved(SAID / "statistics.txt", found)


# --------------------------------------------------------------------------------------- compared with other searches


@pytest.fixture(scope="module")
def rows(positions):
    """Searches of every kind."""
    switched = {name: [False, True] for name in SWITCHES}
    some = random.Random(5).sample(positions, 8)
    parts = [
        sweep(some, [2, 4], **TWO_ORDERS, heuristic=[*HEURISTICS.values()], killer=[False, True]),
        sweep(some[:3], 4, order="most-lines", **switched),
        sweep(some, method=["minimax", "negamax"], depth=[1, 3], heuristic=open_lines),
        sweep(some, method="mcts", playouts=[5, 20], seed=[1, 2]),
        sweep(Board(shape=(4, 4, 4)), [1, 2, 3], killer=True, heuristic=open_lines),
        sweep(random_positions(Board((3, 4), 3), 9, seed=6), [1, 3], order="most-lines", heuristic=open_lines),
    ]
    return pd.concat(parts, ignore_index=True)


def searched_directly(row):
    """The search of a row, called directly."""
    board, method = board_of(row), row["method"]
    if method == "mcts":
        return mcts(board, int(row["playouts"]), rng=random.Random(int(row["seed"])))
    options = {name: row[name] for name in ("order", *SWITCHES) if method == "alphabeta"}
    return METHODS[method](board, int(row["depth"]), HEURISTICS[row["heuristic"]], **options)


def agrees(row, search):
    """Whether a row holds what a search found."""
    assert all(row[name] == getattr(search, name) for name in FOUND)
    assert all(row[name] == list(getattr(search, name)) for name in ("nodes_per_ply", "cutoffs_by_move"))
    return dict(zip(row["moves"], row["move_values"], strict=True)) == search.values


def test_rows_agree_with_direct_searches(rows):
    assert all(agrees(row, searched_directly(row)) for _, row in rows.sample(120, random_state=1).iterrows())


def test_positions_of_any_game_are_swept_and_tabulated_and_what_only_boards_have_is_empty(tmp_path):
    asked = {"depth": [1, 2, 3], "method": ["minimax", "alphabeta"], "table": [False, True]}
    frame = sweep(NIMS, out=tmp_path / "nim.csv", **asked)
    assert len(frame) == 9 * len(NIMS) and frame[["shape", "k"]].isna().all(axis=None)
    searches = []
    for _, row in frame.iterrows():
        options = {"table": bool(row["table"])} if row["method"] == "alphabeta" else {}
        searches.append(METHODS[row["method"]](board_of(row), int(row["depth"]), **options))
        assert agrees(row, searches[-1])
    table = tabulate(searches)
    assert all(table[name].tolist() == frame[name].tolist() for name in ("board", *FOUND, *LISTS))
    pd.testing.assert_frame_equal(frame, sweep(NIMS, out=tmp_path / "nim.csv", **asked))
    assert right(frame).tolist() == right(table).tolist()
    assert set(compare(frame, "table", False)["board"]) == set(map(repr, NIMS))
    with pytest.raises(ValueError, match=naming("file", "Nim(heap=9", "`sweep`", "`out`")):
        right(read(tmp_path / "nim.csv"))


@pytest.mark.parametrize("game", [EMPTY, games.Nim(9), games.Kayles("!!!!!"), games.Misere("XO-OX----")], ids=repr)
def test_right_moves_and_luck_in_any_game_agree_with_an_enumeration(game):
    every = every_position(game)
    frame = sweep(every, 1)
    best = [[move for move in one.moves if -games.worth(one.play(move)) == games.worth(one)] for one in every]
    moves = [search.move for search in (alphabeta(one, 1) for one in every)]
    assert right(frame).tolist() == [move in some for move, some in zip(moves, best, strict=True)]
    assert lucky(frame).tolist() == [len(some) / len(one.moves) for some, one in zip(best, every, strict=True)]
    assert not any(one.over for one in every) and len(every) == len({*every}) > 8


def marks(position):
    """How many moves were made, counted in the position."""
    if isinstance(position, games.Four):
        return sum(map(len, position.columns))
    return 5 - position.marks.count("-") if isinstance(position, games.Misere) else len(position) - len(position.moves)


def test_positions_are_spread_evenly_over_the_numbers_of_marks_of_which_a_sample_knows_those_of_another_game():
    fours = random_positions(games.Four(), 60, seed=1)
    random_positions(games.Nim(7), 5, seed=1)
    for some, each in ((random_positions(FOUR, 160, seed=1), {10, 11}), (fours, {3, 4, 5})):
        made = pd.Series([*map(marks, some)]).value_counts()
        assert len({*some}) == made.sum() and not any(one.over for one in some)
        assert made[0] == 1 and set(made.drop(0)) <= each and len(made) == 16
    for some in (fours, every_position(games.Misere("XO-OX----"))):
        frame = sweep(some, 0)
        assert frame["marks"].tolist() == [*map(marks, frame["position"])]
    assert sweep([*fours], 0)["marks"].isna().all(), "a plain list doesn't know"
    for start in (FOUR, FOUR.play(5), games.Four()):
        late = random_positions(start, 20, seed=2, marks=range(6, 9), free=3)
        assert {*map(marks, late)} == {6, 7, 8} and len(late) == 20
        assert min(len(one.moves) for one in late) == 3 or isinstance(start, Board)
    for start in (FOUR, games.Nim(20)):
        one, again, other = (random_positions(start, 12, seed=seed) for seed in (3, 3, 4))
        assert one == again != other


def test_a_game_that_is_too_large_is_not_solved_nor_are_all_its_positions_listed(monkeypatch):
    assert len(every_position(EMPTY)) == 627 and (lucky(sweep(every_position(EMPTY), 1)) < 1).sum() == 431
    monkeypatch.setattr("ttt.arena.games.MAX_POSITIONS_PER_PLY", 100)
    with pytest.raises(ValueError, match=naming("100 positions")):
        every_position(FOUR)
    monkeypatch.setattr(best, "MAX_POSITIONS_TO_SOLVE", 60)
    for heap, fits in ((12, True), (70, False)):
        best._exact.cache_clear()
        best._best_moves.cache_clear()
        assert ("belongs to a game too large" in told(lambda heap=heap: lucky(sweep(games.Nim(heap), 1)))) != fits


@pytest.mark.parametrize("widths", [[3, 2, 4], [2, 2, 2, 2], [5], []])
def test_the_least_tree_is_what_alpha_beta_visits_if_all_leaves_are_equal(widths):
    visited = [0] * (len(widths) + 1)

    def search(ply, alpha, beta):
        visited[ply] += 1
        for _ in range(widths[ply] if ply < len(widths) else 0):
            alpha = max(alpha, -search(ply + 1, -beta, -alpha))
            if alpha >= beta:
                break
        return alpha if ply < len(widths) else 0

    search(0, -np.inf, np.inf)
    assert least_tree(widths) == tuple(visited) and visited[-1] <= prod(widths)


# ---------------------------------------------------------------------------------------- functions of the reader's own


class Weighs:
    def __init__(self, weight):
        self.weight, self.seen = weight, {}

    def __call__(self, board, player):
        self.seen[board] = self.weight  # a memory is no difference
        return self.weight

    def __repr__(self):
        return "Weighs"


def number(value):
    return lambda board, player: value


DIFFERENT = {  # pairs of functions with one name that do different things
    "constants": (lambda board, player: 1, lambda board, player: 2),
    "attributes": (lambda board, player: board.x, lambda board, player: board.o),
    "closures": (number(1), number(2)),
    "defaults": (lambda board, player, number=1: number, lambda board, player, number=2: number),
    "named defaults": (lambda board, player, *, number=1: number, lambda board, player, *, number=2: number),
    "inner functions": (lambda board, player: number(1)(1, 2), lambda board, player: number(2)(1, 2)),
    "states": (Weighs(1), Weighs(2)),
}


@pytest.mark.parametrize("kind", DIFFERENT)
def test_functions_of_one_name_are_never_taken_for_each_other(tmp_path, kind, capsys):
    one, other = DIFFERENT[kind]
    file = tmp_path / "rows.csv"
    for some in ([one, other], [one, one, other]):
        with pytest.raises(ValueError, match=naming("Two different values of `heuristic`", "name")):
            sweep(EMPTY, 1, heuristic=some)
    with pytest.raises(ValueError, match=naming("Two different values of `f`", "name")):
        sweep(EMPTY, 1, method=lambda board, depth, heuristic, f: 0, f=[one, other])
    values = [sweep(EMPTY, 1, heuristic=which, out=file)["value"][0] for which in (one, other, one, other)]
    assert values == [sweep(EMPTY, 1, heuristic=which)["value"][0] for which in (one, other)] * 2
    assert capsys.readouterr().out.count("Already in") == 2
    both = read(file)
    assert both["code"].nunique() == len(both) == 2
    several = naming("two versions of the heuristic", "`code`", *both["code"].str[-10:], ".__name__ =")
    assert several.search(capsys.readouterr().out)
    other_killer = pd.concat([both[:1], both[1:].assign(killer=True, setting="alphabeta, row-major, killer")])
    for use in (
        lambda: summary(both, "depth", "nodes"),
        lambda: compare(other_killer, "killer", False),
        lambda: plots.curves(other_killer, hue="killer"),
        lambda: plots.spread(both),
        lambda: plots.scatter(both, "nodes", "leaves"),
    ):
        with pytest.raises(ValueError, match=several):
            use()
    assert len(summary(both, "code", "nodes")) == len(compare(both, "code", both["code"][0])) + 1 == 2


CALLS, COUNTED = [], 0


def noted(board, depth, heuristic):
    global COUNTED
    CALLS.append(board)
    COUNTED += 1
    return len(board.moves)


def test_what_a_search_of_your_own_changes_while_it_runs_makes_no_new_rows(tmp_path, positions):
    for some in (positions[:3], positions[:6]):
        frame = sweep(some, method=noted, out=tmp_path / "rows.csv")
    assert len(frame) == 6 == len(CALLS) == COUNTED and frame["code"].nunique() == 1


SCRIPT = """
    from functools import cache, partial
    from ttt import Board
    from lab.statistics import sweep

    FACTOR, WORDS = globals().get("FACTOR", 1), {"a", "b", "c"}

    class Weights:
        def __call__(self, board, player):
            return helper(player)

    @cache
    def helper(player):
        return FACTOR * (player in {"X", "O", "-"})

    def called(board, player):
        return helper(player)

    def given(board, player, number):
        return number

    class Constant:
        def __call__(self, board, player):
            return FACTOR

    can_travel = [Constant(), partial(given, number=FACTOR), lambda board, player: FACTOR]
    if __name__ == "__main__":
        print(*sweep(Board(), 1, heuristic=can_travel, n_jobs=2)["value"])
    print(*sweep(Board(), 1, heuristic=[Weights(), called, *can_travel], out="rows.csv")["value"])
"""


def program(folder, text):
    (folder / "program.py").write_text(textwrap.dedent(text))
    return [sys.executable, "program.py"]


def test_what_a_function_uses_of_its_module_belongs_to_its_code_and_a_script_needs_no_guard_to_use_processes(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    command = program(tmp_path, SCRIPT.replace("rows.csv", "own.csv"))  # in which sets have another order
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert said.splitlines() == [" ".join(["-1.0"] * number) for number in (3, 5)]
    program(tmp_path, SCRIPT)
    for factor, old in ((1, False), (2, False), (1, True)):
        runpy.run_path("program.py", {"FACTOR": factor}, "program")
        *said, values = capsys.readouterr().out.splitlines()
        assert values == " ".join([f"-{factor}.0"] * 5) and ("5 of 5 rows" in "".join(said)) == old
    here, there = (read(file)["code"].tolist()[:5] for file in ("rows.csv", "own.csv"))
    assert [here[n] for n in (1, 3, 4)] == [there[n] for n in (1, 3, 4)]  # of functions; objects have another name


# ------------------------------------------------------------------------------------------- the file and the processes


ASKED = {"order": ["row-major", "best-gain"], "table": [False, True], "heuristic": open_lines}


@pytest.fixture(scope="module")
def whole(positions, tmp_path_factory):
    """The file of a sweep in this process."""
    file = tmp_path_factory.mktemp("whole") / "rows.csv"
    sweep(positions, [1, 3], out=file, **ASKED)
    return file.read_bytes()


def test_a_file_that_ends_anywhere_is_continued_to_the_same_bytes(tmp_path, positions, whole):
    file = tmp_path / "rows.csv"
    for kept in (0, 5, 333, 12_345, -1):
        file.write_bytes(whole[:kept])
        sweep(positions, [1, 3], out=file, **ASKED)
        assert file.read_bytes() == whole
    file.write_bytes(whole[:-1])  # as an editor may leave it
    assert len(read(file)) == whole.count(b"\n") - 1


KILLED = """
    import sys
    from ttt import Board, open_lines
    from lab.statistics import random_positions, sweep

    def run(**where):
        asked = {"order": ["row-major", "best-gain"], "table": [False, True], "heuristic": open_lines}
        sweep(random_positions(Board(), 40, seed=3), [1, 3], out="rows.csv", **where, **asked)

    if __name__ == "__main__" and sys.argv[1] == "dask":
        from distributed import Client, LocalCluster

        with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
            run(executor=Client(cluster).get_executor())
    elif __name__ == "__main__":
        run(n_jobs=int(sys.argv[1]))
"""


@pytest.mark.parametrize(
    ("where", "kills"),
    [("1", 1), ("2", 1), *(pytest.param(where, 20, marks=pytest.mark.slow) for where in ("1", "2", "dask"))],
)
def test_killed_sweeps_lose_and_repeat_nothing_and_two_on_one_file_take_turns(tmp_path, whole, where, kills):
    if where == "dask":
        pytest.importorskip("distributed")
    chance, file = random.Random(where), tmp_path / "rows.csv"
    command = [*program(tmp_path, KILLED), where]
    total, done = len(whole), 0
    for kill in range(kills):
        until = chance.randint(total * kill // (kills + 1), total * (kill + 1) // (kills + 1))
        process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.DEVNULL)
        while process.poll() is None and (not file.exists() or file.stat().st_size < until):
            time.sleep(0.0005)
        process.send_signal(signal.SIGKILL)
        process.wait()
        text = file.read_bytes() if file.exists() else b""
        *lines, _ = text.split(b"\n")  # the last one may be incomplete
        assert len(lines) >= done and len({*lines}) == len(lines) and {*lines} <= {*whole.splitlines()}
        done = len(lines)
    number = 2 if where == "1" else 1  # at a time
    ends = [subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, text=True) for _ in range(number)]
    said = "".join(process.communicate()[0] for process in ends)
    assert sorted(file.read_bytes().splitlines()) == sorted(whole.splitlines())
    assert not any(process.returncode for process in ends)
    assert where != "1" or (file.read_bytes() == whole and "304 of 304 rows" in said)


def test_a_second_sweep_on_a_file_says_that_it_waits_for_the_first(tmp_path, monkeypatch, capsys):
    fcntl, said = pytest.importorskip("fcntl"), []
    monkeypatch.chdir(tmp_path)
    with Path("rows.csv").open("ab+") as first:
        fcntl.flock(first, fcntl.LOCK_EX)
        second = threading.Thread(target=sweep, args=(EMPTY, 1), kwargs={"out": "rows.csv"})
        second.start()
        until(lambda: said.append(capsys.readouterr().out) or "".join(said))
        assert Path("rows.csv").read_bytes() == b""
    second.join()
    assert "".join(said) == "Another sweep is writing rows.csv. This one waits until it ends.\n" and len(
        read("rows.csv")
    )


def in_line_8(change):
    """A change to a file's eighth line."""

    def changed(whole):
        lines = whole.split(b"\n")
        lines[7] = change(lines[7])
        return b"\n".join(lines)

    return changed


DAMAGE = {  # changes to a sweep's file
    "another table": lambda whole: b"board,nodes\n1,2\n",
    "a text": lambda whole: b"a shopping list",
    "other line ends": lambda whole: whole.replace(b"\n", b"\r\n"),
    "an older sweep": lambda whole: whole.replace(b",playouts", b",fast,playouts", 1),
    "pandas": lambda whole: whole.replace(b"shape", b",shape", 1).replace(b",check", b""),
    "a byte order mark": lambda whole: b"\xef\xbb\xbf" + whole,
    "a number changed": in_line_8(lambda line: line.replace(b",1,0,", b",2,0,", 1)),
    "a cell less": in_line_8(lambda line: line.partition(b",")[2]),
    "no text": in_line_8(lambda line: b"\xff\xfe" + line[2:]),
    "nothing": in_line_8(lambda line: b""),
    "half": in_line_8(lambda line: line[: len(line) // 2]),
    "another line end": in_line_8(lambda line: line + b"\r"),
}


def test_what_is_damaged_or_another_file_is_told_with_its_line_and_left_alone(tmp_path, monkeypatch, positions, whole):
    monkeypatch.chdir(tmp_path)
    said, file = {}, Path("rows.csv")
    for damage, change in DAMAGE.items():
        assert change(whole) != whole
        file.write_bytes(change(whole))
        said[damage] = told(lambda: read(file))
        assert told(lambda: sweep(positions, [1, 3], out=file, **ASKED)) == said[damage]
        assert file.read_bytes() == change(whole)
    assert all_approved(SAID / "damage.txt", said)


def test_rows_are_known_by_what_they_hold_wherever_they_are_and_the_file_holds_the_table(tmp_path, positions, whole):
    header, *lines = whole.splitlines(keepends=True)
    file, some = tmp_path / "rows.csv", random.Random(1).choices(lines, k=400)  # many twice, many missing
    file.write_bytes(header + b"".join(some))
    frame = sweep(positions, [1, 3], out=file, **ASKED)
    pd.testing.assert_frame_equal(frame, sweep(positions, [1, 3], **ASKED))
    columns = ["heuristic", "setting", "method", "order"]
    assert {*frame["setting"].cat.categories} == {*read(file)["setting"].cat.categories}
    asked, kept = (
        table.astype(dict.fromkeys(columns, str)).sort_values(["board", "setting", "depth"], ignore_index=True)
        for table in (frame, read(file))
    )
    pd.testing.assert_frame_equal(asked, kept)
    file.write_bytes(whole.replace(lines[6], b""))  # as the message says of a damaged line
    sweep(positions, [1, 3], out=file, **ASKED)
    assert sorted(file.read_bytes().splitlines(keepends=True)) == sorted([header, *lines])


def test_an_error_in_another_process_says_which_search_it_was_and_has_its_traceback():
    class Strange(Exception):
        def __init__(self, one, two):
            super().__init__(one)

    def strange(board, depth, heuristic):
        raise Strange("odd", 2)

    lock = threading.Lock()
    with pytest.raises(TypeError, match="pickle"):
        sweep(EMPTY, 1, heuristic=lambda board, player: lock.locked(), n_jobs=2)
    with pytest.raises(RuntimeError, match=r"^Strange: odd"):  # as a text, since it can't be sent
        sweep(EMPTY, 1, method=strange, executor=ThreadPoolExecutor(1))
    boards = random_positions(EMPTY, 9, free=3)
    with pytest.raises(RuntimeError, match="five") as caught:
        sweep(boards, 2, method=fails_late, executor=ThreadPoolExecutor(2))
    assert naming("fails_late", "depth 2", repr(boards[4]), "in fails_late").search(" ".join(caught.value.__notes__))
    assert set(caught.value.rows["nodes"]) <= {9, 8, 7, 6, 4, 3}
    kept = sweep(boards, 2, method=fails_late, errors="keep", executor=ThreadPoolExecutor(2))
    pd.testing.assert_frame_equal(kept, sweep(boards, 2, method=fails_late, errors="keep"))


SLOW = """
    import os, time
    from pathlib import Path
    from ttt import Board
    from lab.statistics import random_positions, sweep

    def slow(board, depth, heuristic):
        Path(f"started {os.getpid()}").touch()
        while not Path("fail").exists():
            time.sleep(0.01)
        if board == BOARDS[3]:
            raise RuntimeError("as asked")
        return 0

    BOARDS = random_positions(Board(shape=(4, 4)), 20)
    sweep(BOARDS, 2, method=slow, n_jobs=2)
"""


@pytest.mark.parametrize("end", ["SIGKILL", "an error", pytest.param("SIGINT", marks=pytest.mark.slow)])
def test_processes_end_with_their_parent_however_it_ends(tmp_path, end):
    """Run a sweep on two processes, and stop it while they search."""
    with (tmp_path / "said.txt").open("w") as said:
        parent = subprocess.Popen(program(tmp_path, SLOW), cwd=tmp_path, stderr=said)
    until(lambda: len([*tmp_path.glob("started*")]) >= 2)
    started = psutil.Process(parent.pid).children(recursive=True)
    assert len(started) >= 2
    if end == "an error":
        (tmp_path / "fail").touch()
    else:
        parent.send_signal(signal.Signals[end])
    until(lambda: parent.poll() is not None)
    until(lambda: not any(child.is_running() and child.status() != psutil.STATUS_ZOMBIE for child in started))
    text = (tmp_path / "said.txt").read_text()
    assert ("RuntimeError: as asked" in text) == (end == "an error") and "InvalidStateError" not in text


def until(condition):
    """Wait until this is so; only a broken program takes minutes."""
    deadline = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_seconds_are_processor_time_of_the_fastest_run_measured_only_if_asked_for(tmp_path, monkeypatch):
    untimed, timed, again = (sweep(EMPTY, 2, times=times, out=tmp_path / "a.csv") for times in (0, 2, 2))
    assert untimed["seconds"].isna().all() and (timed["seconds"] > 0).all() and timed["times"].tolist() == [2]
    assert again["seconds"].tolist() == timed["seconds"].tolist()
    assert timed["machine"][0].startswith(f"Python {platform.python_version()}, ttt {version('ttt')}, ")
    with ThreadPoolExecutor(2) as executor:
        assert len(sweep(EMPTY, [1, 2], times=1, executor=executor)) == 2
    monkeypatch.setattr("time.thread_time", iter((0, 3, 4, 6, 9, 19)).__next__)  # three runs, of 3, 2 and 10 seconds
    runs = count(7)
    timed = sweep(EMPTY, 1, method=lambda board, depth, heuristic: next(runs), times=3)
    assert (timed["seconds"][0], timed["value"][0], next(runs)) == (2, 7, 10)


def test_a_sweep_needs_at_most_three_times_the_memory_of_its_table():
    def quick(board, depth, heuristic, n):
        return {"value": n, "nodes": 1000 + n, "moves": [n, 1, 2], "nodes_per_ply": [1, 1000 + n]}

    boards = random_positions(FOUR, 250, seed=1)
    sweep(boards[:2], 1, method=quick, n=1)  # so that everything is loaded
    tracemalloc.start()
    frame = sweep(boards, 1, method=quick, n=[*range(8)])
    kept, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(frame) == 2000 and peak < 3 * kept


# -------------------------------------------------------------------------------------- comparisons and their intervals


def test_seconds_are_compared_only_on_the_same_machine():
    timed = sweep(random_positions(EMPTY, 5), 2, **TWO_ORDERS, times=1)
    elsewhere = timed.assign(machine=timed["machine"].where(timed["order"] == "row-major", "another"))
    assert len(compare(timed, "order", "row-major", "seconds")) == len(compare(elsewhere, "order", "row-major")) == 5
    with pytest.raises(ValueError, match=naming("no position")):
        compare(elsewhere, "order", "row-major", "seconds")


def test_seeds_of_one_position_are_taken_together_and_dont_narrow_an_interval():
    frame = sweep(random_positions(EMPTY, 12), method="mcts", playouts=[10, 30], seed=[1, 2, 3])
    pairs = compare(frame, "playouts", 10, y="leaves")
    medians = frame.groupby(["board", "playouts"])["leaves"].median().unstack()
    assert np.allclose(pairs.set_index("board")["ratio"].sort_index(), (medians[30] / medians[10]).sort_index())
    once = frame.query("playouts == 10 and seed == 1").assign(hit=lambda rows: rows["marks"] < 7)
    thrice = pd.concat([once.assign(seed=seed) for seed in (1, 2, 3)])
    for y in ("nodes", "hit"):
        pd.testing.assert_frame_equal(summary(once, "playouts", y), summary(thrice, "playouts", y))


def test_the_interval_covers_95_per_cent():
    numbers = np.random.default_rng(4).permutation(1001).astype(float)
    frame = pd.DataFrame({"board": [f"{n}" for n in numbers], "y": numbers, "all": 1})
    low, high = summary(frame, "all", "y").loc[1, ["low", "high"]]
    spread = 1.96 * np.sqrt(1001) / 2
    assert abs(low - (500 - spread)) < 0.12 * spread and abs(high - (500 + spread)) < 0.12 * spread
