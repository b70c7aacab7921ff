"""Sweeps against direct searches, measures against numpy, and a file that all workers write alike."""

import linecache
import random
import sys
from functools import cache
from math import prod
from types import ModuleType

import numpy as np
import pandas as pd
import pytest

from ttt import Board, open_lines
from ttt.heuristics import LineWeights
from ttt.search import alphabeta, mcts, minimax, negamax
from ttt.statistics import (
    board_of,
    compare,
    effective_branching,
    every_position,
    interval,
    least_tree,
    lucky,
    random_positions,
    read,
    right,
    sweep,
    sweeps,
)
from ttt.statistics.sweeps import POSITION, SWITCHES

EMPTY = Board()
FOUR = Board(shape=(4, 4))
HEURISTICS = {"none": None, "open_lines": open_lines, "LineWeights(0, 1, 3, 9)": LineWeights(0, 1, 3, 9)}


@pytest.fixture(scope="module")
def positions():
    return random_positions(EMPTY, 40, seed=3)


@pytest.fixture(scope="module")
def rows(positions):
    """Searches of every kind."""
    switched = {name: [False, True] for name in SWITCHES}
    some = random.Random(5).sample(positions, 8)
    parts = [
        sweep(some, [2, 4], order=["row-major", "best-gain"], heuristic=[*HEURISTICS.values()], killer=[False, True]),
        sweep(some[:3], 4, order="most-lines", **switched),
        sweep(some, method=["minimax", "negamax"], depth=[1, 3], heuristic=open_lines, fast=True),
        sweep(some, method="mcts", playouts=[5, 20], seed=[1, 2]),
        sweep(Board(shape=(4, 4, 4)), [1, 2, 3], killer=True, heuristic=open_lines, fast=True),
    ]
    return pd.concat(parts, ignore_index=True)


def found_directly(row):
    """What a row's search finds when it is asked for by hand."""
    board, method = board_of(row), row["method"]
    if method == "mcts":
        return mcts(board, int(row["playouts"]), rng=random.Random(int(row["seed"])))
    options = {name: row[name] for name in ("order", *SWITCHES) if method == "alphabeta"}
    search = {"minimax": minimax, "negamax": negamax, "alphabeta": alphabeta}[method]
    return search(board, int(row["depth"]), HEURISTICS[row["heuristic"]], **options)


def test_two_hundred_rows_agree_with_direct_searches(rows):
    lists = ("nodes_per_ply", "cutoffs_by_move", "best_moves", "principal_variation")
    for _, row in rows.sample(200, random_state=1).iterrows():
        found = found_directly(row)
        assert all(
            row[name] == getattr(found, name) for name in ("player", "value", "move", "nodes", "leaves", "cutoffs")
        )
        assert all(row[name] == list(getattr(found, name)) for name in lists)
        assert dict(zip(row["moves"], row["move_values"], strict=True)) == found.values


def test_a_list_is_swept_and_every_combination_is_there_once(positions):
    frame = sweep(positions[:3], [0, 1, 1], order=["row-major", "most-lines"], table=[False, True])
    assert len(frame) == 3 * 2 * 4 and list(frame["setting"].cat.categories) == [
        "alphabeta",
        "alphabeta, table",
        "alphabeta, most-lines",
        "alphabeta, most-lines, table",
    ]
    several = sweep(EMPTY, 2, method=["minimax", "alphabeta"], order=["row-major", "best-gain"])
    assert several["setting"].tolist() == ["minimax", "alphabeta", "alphabeta, best-gain"]
    assert set(several["board"]) == {"/---/---/---"}


def test_searches_are_shortened_to_the_end_of_the_game_counted_and_made_once(capsys):
    late = Board.from_text("XOX OXO ---")
    frame = sweep([EMPTY, late], [2, 3, 4, 5])
    assert frame.query("marks == 6")["depth"].tolist() == [2, 3]
    assert "2 searches were shortened" in capsys.readouterr().out
    assert sweep(late)["depth"].isna().all() and sweep(late)["nodes"][0] == alphabeta(late).nodes


def test_a_search_and_a_heuristic_of_ones_own():
    def corners(board, player):
        return sum((board[cell] == player) - (board[cell] not in (player, "-")) for cell in (0, 2, 6, 8))

    def tabled(board, depth, heuristic):
        return alphabeta(board, depth, heuristic, table=True)

    def guess(board, depth, heuristic):
        return heuristic(board, board.turn) + depth

    frame = sweep(EMPTY, 3, method=[tabled, guess, "alphabeta"], heuristic=corners)
    assert frame["setting"].tolist() == ["tabled", "guess", "alphabeta"] and set(frame["heuristic"]) == {"corners"}
    assert frame["nodes"].tolist()[0] == tabled(EMPTY, 3, corners).nodes and pd.isna(frame["nodes"][1])
    assert frame["value"][1] == 3 and frame["nodes"][2] == alphabeta(EMPTY, 3, corners).nodes


def test_the_times_of_searches_are_measured_only_when_asked_for(tmp_path):
    untimed, timed, again = (sweep(EMPTY, 2, times=times, out=tmp_path / "a.csv") for times in (0, 2, 0))
    assert untimed["seconds"].isna().all() and (timed["seconds"] > 0).all() and timed["times"].tolist() == [2]
    assert again["seconds"].tolist() == timed["seconds"].tolist()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"killr": True}, "no option 'killr'"),
        ({"method": "minimax", "order": "best-gain"}, "no option 'order'"),
        ({"method": "alpha"}, "no method 'alpha'"),
        ({"heuristic": "open_lines"}, "A heuristic is a function"),
        ({"heuristic": [open_lines, lambda board, player: 0, lambda board, player: 1]}, "Two functions have one name"),
        ({"boards": []}, "nothing to search"),
        ({"heuristic": lambda board, player: 0, "n_jobs": 2}, "can't be sent"),
    ],
)
def test_what_makes_no_sense_is_said(arguments, said):
    with pytest.raises(ValueError, match=said):
        sweep(**{"boards": EMPTY, "depth": 1, **arguments})


def test_a_function_of_a_notebook_which_is_no_file_cant_be_sent_to_other_processes(monkeypatch):
    notebook = ModuleType("notebook")
    exec("def zero(board, player): return 0", vars(notebook))
    monkeypatch.setitem(sys.modules, "notebook", notebook)
    notebook.zero.__module__ = "notebook"
    with pytest.raises(ValueError, match="zero can't be sent"):
        sweep(EMPTY, 1, heuristic=notebook.zero, n_jobs=2)


ASKED = {"order": ["row-major", "best-gain"], "table": [False, True], "heuristic": open_lines}


@pytest.fixture(scope="module")
def whole(positions, tmp_path_factory):
    """The file of a sweep in this process."""
    file = tmp_path_factory.mktemp("whole") / "rows.csv"
    sweep(positions, [1, 3], out=file, **ASKED)
    return file.read_bytes()


@pytest.mark.parametrize("where", ["processes", pytest.param("dask", marks=pytest.mark.slow)])
def test_two_workers_write_the_same_file(tmp_path, positions, whole, where):
    file = tmp_path / "rows.csv"
    if where == "processes":
        sweep(positions, [1, 3], out=file, n_jobs=2, **ASKED)
    else:
        distributed = pytest.importorskip("distributed")
        options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
        with distributed.LocalCluster(**options) as cluster, distributed.Client(cluster) as client:
            sweep(positions, [1, 3], out=file, executor=client.get_executor(pure=False), **ASKED)
    assert file.read_bytes() == whole


@pytest.mark.parametrize("kept", [0, 5, 20, 333, 5000, 12_345])
def test_a_file_that_ends_anywhere_is_gone_on_with_to_the_same_bytes(tmp_path, positions, whole, kept):
    file = tmp_path / "rows.csv"
    file.write_bytes(whole[:kept])
    sweep(positions, [1, 3], out=file, **ASKED)
    assert file.read_bytes() == whole


def test_a_frame_and_its_file_agree(tmp_path, positions):
    file = tmp_path / "rows.csv"
    sweep(positions[:2], 2, order="best-gain", out=file)
    frame = sweep(positions, [1, 2], out=file, order=["row-major", "best-gain"])
    assert list(frame["setting"].cat.categories) == list(read(file)["setting"].cat.categories)
    same = [*POSITION, "setting", "depth"]
    pd.testing.assert_frame_equal(
        frame.sort_values(same, ignore_index=True), read(file).sort_values(same, ignore_index=True)
    )
    plain = pd.read_csv(file)
    assert plain["nodes"].sum() == frame["nodes"].sum() and plain["killer"].dtype == bool


def test_nothing_that_is_there_is_searched_again(tmp_path):
    calls = []

    def counted(board, depth, heuristic):
        calls.append(depth)
        return alphabeta(board, depth, heuristic)

    for depths, found in (([1, 2], [1, 2]), ([1, 2, 3], [3])):
        sweep(EMPTY, depths, method=counted, out=tmp_path / "rows.csv")
        assert calls == found
        calls.clear()


def test_rows_are_searched_again_when_a_heuristic_or_the_searches_have_changed(tmp_path, monkeypatch, capsys):
    file, mine = tmp_path / "rows.csv", tmp_path / "mine.py"

    def written(value):
        space = {}
        mine.write_text(f"def f(board, player):\n    return {value}\n")
        linecache.checkcache()
        exec(compile(mine.read_text(), mine, "exec"), space)
        sweep(EMPTY, [1, 2, 3], heuristic=space["f"], out=file)
        return set(read(file)["value"].abs()), "3 rows" in capsys.readouterr().out

    assert written(1) == ({1}, False) and written(1) == ({1}, False) and written(2) == ({2}, True)
    monkeypatch.setattr(sweeps, "_package", lambda: "another search")
    assert written(2) == ({2}, True)


def test_the_digest_of_a_function_follows_what_it_uses():
    def made(weight, text):
        space = {"weight": weight}
        exec(text, space)
        return sweeps.digest(space["worth"])

    helped = "def helped(line): return {}\ndef worth(board, player): return sum(helped(one) for one in board.lines)"
    direct = "def worth(board, player): return weight"
    one, other = object(), object()
    assert made(1, direct) == made(1, direct) != made(2, direct)
    assert made(one, direct) == made(other, direct)  # whatever their places in memory
    assert made(1, helped.format(1)) == made(1, helped.format(1)) != made(1, helped.format(2))
    assert sweeps.digest(LineWeights(0, 1, 2, 3)) != sweeps.digest(LineWeights(0, 1, 2, 4))


def test_other_files_are_left_alone(tmp_path):
    for text in ("a,b\n1,2\n", "a shopping list"):
        file = tmp_path / "other.csv"
        file.write_text(text)
        for use in (read, lambda file: sweep(EMPTY, 1, out=file)):
            with pytest.raises(ValueError, match="other columns"):
                use(file)
        assert file.read_text() == text


def test_a_ratio_is_that_of_two_searches_of_one_position(positions):
    deep = [board for board in positions if len(board.moves) >= 3]
    frame = sweep(deep, 3, order=["row-major", "best-gain"], killer=[False, True], heuristic=open_lines)
    pairs = compare(frame, "killer", False)
    for _, row in pairs.iterrows():
        searches = (alphabeta(board_of(row), 3, open_lines, order=row["order"], killer=on) for on in (False, True))
        without, killer = (search.nodes for search in searches)
        assert (row["nodes"], row["baseline"], row["ratio"]) == (killer, without, killer / without)
    assert len(pairs) == 2 * len(deep)
    methods = sweep(EMPTY, 2, method=["alphabeta", "minimax"])
    assert compare(methods, "setting", "alphabeta")["ratio"].tolist() == [82 / methods["nodes"][0]]


def test_a_ratio_needs_one_depth_and_pairs_that_are_there():
    for frame, column, baseline, said in (
        (sweep(EMPTY, [2, 3]), "order", "row-major", r"Depths 2, 3 are mixed: choose one, frame.query\('depth == 3'\)"),
        (sweep(EMPTY, 2), "order", "most-lines", "There is no order 'most-lines'"),
        (sweep(EMPTY, 2), "order", "row-major", "No position was searched both"),
        (sweep(EMPTY, 2, method=["alphabeta", "minimax"]), "method", "alphabeta", "compare by 'setting'"),
    ):
        with pytest.raises(ValueError, match=said):
            compare(frame, column, baseline)


def test_seeds_of_one_position_are_taken_together():
    frame = sweep(random_positions(EMPTY, 5), method="mcts", playouts=[10, 30], seed=[1, 2, 3])
    pairs = compare(frame, "playouts", 10, y="leaves")
    medians = frame.groupby(["board", "playouts"])["leaves"].median().unstack()
    assert np.allclose(pairs.set_index("board")["ratio"].sort_index(), (medians[30] / medians[10]).sort_index())
    once = frame.query("playouts == 10 and seed == 1")
    thrice = pd.concat([once.assign(seed=seed) for seed in (1, 2, 3)])
    assert interval(once, "nodes") == interval(thrice, "nodes")


@pytest.mark.parametrize("estimator", ["median", "mean"])
def test_the_interval_is_one_of_95_per_cent(estimator):
    numbers = np.random.default_rng(4).permutation(1001).astype(float)
    low, high = interval(pd.DataFrame({"board": [f"{n}" for n in numbers], "y": numbers}), "y", estimator)
    spread = 1.96 * (np.sqrt(1001) / 2 if estimator == "median" else numbers.std() / np.sqrt(1001))
    assert abs(low - (500 - spread)) < 0.12 * spread and abs(high - (500 + spread)) < 0.12 * spread


@cache
def worth(board):
    """What a position is worth to the side to move, which is never the winner."""
    if board.over:
        return -1 if board.winner else 0
    return max(-worth(board.play(move)) for move in board.moves)


def test_right_moves_and_luck_agree_with_an_enumeration_of_all_games():
    every = every_position(EMPTY)
    frame = sweep(every, 1, heuristic=open_lines)
    best = [[move for move in board.moves if -worth(board.play(move)) == worth(board)] for board in every]
    assert right(frame).tolist() == [move in moves for move, moves in zip(frame["move"], best, strict=True)]
    luck = lucky(frame)
    assert luck.tolist() == [len(moves) / len(board.moves) for moves, board in zip(best, every, strict=True)]
    assert (luck < 1).sum() == 431
    with pytest.raises(ValueError, match="16 cells are free"):
        right(sweep(FOUR, 1))


@pytest.mark.parametrize(("width", "depth"), [(3, 4), (2.5, 3), (1, 5), (7, 1)])
def test_the_effective_branching_factor_is_the_root_of_its_equation(width, depth):
    nodes = sum(width**ply for ply in range(depth + 1))
    assert np.isclose(effective_branching(nodes, depth), width)
    assert np.allclose(effective_branching(pd.Series([nodes, nodes]), pd.Series([depth, depth])), [width, width])
    with pytest.raises(ValueError, match="a node and a ply"):
        effective_branching(1, 0)


@pytest.mark.parametrize("widths", [[3, 2, 4], [2, 2, 2, 2], [5], []])
def test_the_least_tree_is_what_alpha_beta_visits_where_all_leaves_are_equal(widths):
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


def test_positions_are_all_of_them_or_evenly_spread():
    assert len(every_position(EMPTY)) == 627
    spread = pd.Series([len(one) - len(one.moves) for one in random_positions(FOUR, 160, seed=1)]).value_counts()
    assert spread[0] == 1 and set(spread.drop(0)) == {10, 11} and len(spread) == 16
    assert random_positions(FOUR, 9, seed=2) == random_positions(FOUR, 9, seed=2) != random_positions(FOUR, 9, seed=3)
    with pytest.raises(ValueError, match="too many positions"):
        every_position(FOUR)
    with pytest.raises(ValueError, match="ask for fewer"):
        random_positions(Board.from_text("XOX OXO ---"), 100)
