"""Sweeps: the rows against direct searches, interruptions of every kind, one's own heuristics, and the command."""

import csv
import io
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from random import Random

import numpy
import pandas
import pytest
import tqdm
from pandas.testing import assert_frame_equal

from ttt import Board, canonical, jobs, qubic
from ttt.board import BoardError
from ttt.cli.options import board_from
from ttt.cli.search_stats import depths_from, options_from, plot_of, positions_from, settings_from
from ttt.heuristics import open_lines
from ttt.record import Options
from ttt.search import ORDERS, alphabeta, mcts, minimax, negamax
from ttt.statistics import (
    COLUMNS,
    CUBE,
    SWITCHES,
    BadSweep,
    LineWeights,
    Setting,
    every_position,
    frame_of,
    grid,
    heuristic_from,
    per_move,
    per_ply,
    plan,
    random_positions,
    read,
    summary,
    sweep,
)
from ttt.store import Store, StoreError

POSITIONS = [Board(), Board().play(0), Board.from_text("XX- OO- ---")]
SETTINGS = [Setting("minimax"), Setting(options=Options("best-gain", table=True), heuristic=open_lines)]


def swept(out=None, executor=None, settings=SETTINGS):
    return sweep(POSITIONS, settings, range(1, 4), out=out, executor=executor)


class Counting(ThreadPoolExecutor):
    """An executor that counts what it was given to do."""

    def __init__(self):
        super().__init__(1)
        self.given = 0

    def submit(self, *work):
        self.given += 1
        return super().submit(*work)


# ------------------------------------------------------------------------------------------------- the rows


def test_every_row_is_what_a_direct_search_finds():
    frame = swept()
    assert len(frame) == 3 * 3 * 2
    for task, row in zip(plan(POSITIONS, SETTINGS, range(1, 4)), frame.itertuples(), strict=True):
        direct = (
            minimax(task.board, task.depth)
            if task.setting.method == "minimax"
            else alphabeta(task.board, task.depth, open_lines, order="best-gain", table=True)
        )
        assert (row.setting, row.player) == (direct.method, direct.player)
        assert Board.from_text(row.board) == direct.board
        for name in ("depth", "value", "move", "nodes", "interior", "leaves", "cutoffs"):
            assert getattr(row, name) == getattr(direct, name)
        for name in ("best_moves", "principal_variation", "nodes_per_ply", "cutoffs_by_move"):
            assert tuple(map(int, getattr(row, name).split())) == getattr(direct, name)
        values = [pair.split("=") for pair in row.move_values.split()]
        assert {int(cell): float(value) for cell, value in values} == direct.values
        assert row.heuristic == ("none" if task.setting.method == "minimax" else "open-lines")


def test_the_file_is_read_as_the_same_table_and_by_pandas_without_help(tmp_path):
    out = tmp_path / "deeper" / "rows.csv"
    frame = swept(out)
    file = read(out)
    assert tuple(file) == COLUMNS and set(tmp_path.rglob("*")) == {out.parent, out, out.with_suffix(".db")}
    by = ["board", "setting", "depth"]
    pandas.testing.assert_frame_equal(file.sort_values(by, ignore_index=True), frame.sort_values(by, ignore_index=True))
    plain = pandas.read_csv(out)
    for name in ("depth", "nodes", "interior", "leaves", "cutoffs", "value", "seconds", "playouts"):
        assert pandas.api.types.is_numeric_dtype(plain[name])
    assert plain["board"].tolist() == file["board"].tolist()
    assert set(plain["table"].dropna()) == {True} and set(plain["killer"].dropna()) == {False}


LATE = Board((4, 4, 4), x=CUBE["mid20"][0], o=CUBE["mid20"][1])


def direct_searches():
    """A sample of every method: how it is asked for, and the same searches, called directly."""
    small, flat = Board().play(4), Board((4, 4)).play(5)
    for method in (minimax, negamax):
        yield small, grid(method.__name__, heuristic="open-lines"), 3, [method(small, 3, open_lines)]
    for order in ORDERS:
        yield flat, grid(order=order, heuristic=open_lines), 4, [alphabeta(flat, 4, open_lines, order=order)]
    for switch in SWITCHES:
        both = [alphabeta(small, 5, **{switch: on}) for on in (False, True)]
        yield small, grid(**{switch: [False, True]}), 5, both
    yield LATE, grid("gains"), 3, [qubic.search(LATE, 3)]
    several = [mcts(small, playouts, rng=Random(seed)) for playouts in (10, 50) for seed in (1, 2)]
    yield small, grid("mcts", playouts=[10, 50], seed=[1, 2]), None, several


@pytest.mark.parametrize(("board", "settings", "depth", "direct"), list(direct_searches()))
def test_every_method_counts_what_its_direct_call_counts(board, settings, depth, direct):
    frame = sweep(board, settings, depth)
    for name in ("nodes", "interior", "leaves", "cutoffs", "depth", "value", "move"):
        assert frame[name].tolist() == [getattr(search, name) for search in direct], name
    for name in ("nodes_per_ply", "cutoffs_by_move", "best_moves", "principal_variation"):
        assert frame[name].tolist() == [" ".join(map(str, getattr(search, name))) for search in direct], name


def test_the_published_nodes_are_swept():
    assert sweep(Board(), grid(["minimax", "alphabeta"]), fast=True)["nodes"].tolist() == [549_946, 18_297]
    boards = [Board((4, 4, 4)), *(Board((4, 4, 4), x=x, o=o) for x, o in CUBE.values())]
    orders = grid(order=["row-major", "most-lines", "best-gain"], heuristic="line-weights:0,1,10,100")
    frame = sweep(boards[::3], orders, 4, fast=True)
    assert frame["nodes"].tolist() == [69_628, 24_604, 17_356, 59_325, 43_328, 5_189]


def test_the_cube_engine_stands_in_for_the_readable_search_figure_for_figure():
    settings = grid(
        ["minimax", "negamax", "alphabeta"], order=["row-major", "best-gain"], heuristic=LineWeights((0, 1, 10, 100))
    )
    settings += grid(heuristic="line-weights:0,1,10,100", table=True)
    assert_frame_equal(sweep(LATE, settings, [0, 1, 2], fast=True), sweep(LATE, settings, [0, 1, 2]))


def test_each_option_has_a_column_which_is_empty_where_the_method_has_none():
    settings = grid(["minimax", "alphabeta", "mcts"], order="best-gain", killer=[False, True], playouts=20, seed=[3, 4])
    frame = sweep(Board(), settings, 2)
    assert frame["method"].tolist() == ["minimax", "alphabeta", "alphabeta", "mcts", "mcts"]
    assert frame["order"].tolist() == ["", "best-gain", "best-gain", "", ""]
    assert [*frame["killer"]] == [pandas.NA, False, True, pandas.NA, pandas.NA]
    assert [*frame["seed"]] == [pandas.NA, pandas.NA, pandas.NA, 3, 4]
    assert [*frame["playouts"]] == [pandas.NA, pandas.NA, pandas.NA, 20, 20]
    assert frame["setting"].tolist()[2:4] == ["alpha-beta, best-gain, killer", "mcts, 20 playouts"]
    assert frame["seconds"].isna().all()


def test_a_grid_has_every_combination_that_makes_sense_once():
    settings = grid(
        ["minimax", "alphabeta", "gains", "mcts"],
        order=list(ORDERS),
        pvs=[False, True],
        playouts=[1, 2],
        seed=[1, 2, 3],
    )
    assert len(settings) == len(set(settings)) == 1 + 3 * 2 + 1 + 2 * 3
    numbers = pandas.Series([1, 2]).to_numpy()
    assert len(sweep(Board(), grid("mcts", playouts=numbers, seed=numbers))) == 4
    assert len(grid(["minimax", "minimax"], heuristic=[None, "none", open_lines, "open-lines"])) == 2


def test_searches_make_the_same_table_as_a_sweep():
    boards = [Board(), Board().play(4), LATE]
    found = [
        *(alphabeta(board, 3, order="most-lines", symmetry=True) for board in boards[:2]),
        minimax(boards[1], 2),
        qubic.search(LATE, 2),
        mcts(boards[0], 30, rng=Random(5)),
    ]
    frames = [
        sweep(boards[:2], grid(order="most-lines", symmetry=True), 3),
        sweep(boards[1], grid("minimax"), 2),
        sweep(LATE, grid("gains"), 2),
        sweep(boards[0], grid("mcts", playouts=30, seed=5)),
    ]
    swept = pandas.concat(frames, ignore_index=True)
    unknown = ["heuristic", "seed"]
    assert_frame_equal(frame_of(found).drop(columns=unknown), swept.drop(columns=unknown))
    assert set(frame_of(found)["heuristic"]) == {""} and frame_of(found)["seed"].isna().all()


def test_a_table_is_made_of_one_search_many_a_mapping_a_table_or_a_file(tmp_path):
    one, other = minimax(Board(), 1), minimax(Board(), 2)
    frame = sweep(Board(), grid("minimax"), [1, 2], out=tmp_path / "rows.csv")
    assert frame_of(frame) is frame
    for thing in (tmp_path / "rows.csv", str(tmp_path / "rows.csv")):
        assert_frame_equal(frame_of(thing), frame)
    assert frame_of(one)["nodes"].tolist() == [10] and len(frame_of([])) == 0
    labelled = frame_of({"first": one, "second": [one, other], "third": frame})
    assert labelled["setting"].tolist() == ["first", "second", "second", "third", "third"]
    with pytest.raises(BadSweep, match="made of Search records, not 3"):
        frame_of([one, 3])


def test_lists_are_long_tables_too_where_pandas_has_read_the_file(tmp_path):
    swept(tmp_path / "rows.csv")
    known, plain = read(tmp_path / "rows.csv"), pandas.read_csv(tmp_path / "rows.csv")
    assert plain["cutoffs_by_move"].isna().any()
    assert per_move(plain)["cutoffs"].tolist() == per_move(known)["cutoffs"].tolist()
    assert per_ply(known.drop(columns="heuristic"))["nodes"].tolist() == per_ply(known)["nodes"].tolist()


@pytest.mark.parametrize(
    "column, text, said",
    [
        ("killer", "FALSCH", "In the column 'killer', 'FALSCH' must be TRUE or FALSE"),
        ("depth", "3.0", "In the column 'depth', '3.0' must be a whole number"),
        ("value", "x", "In the column 'value', 'x' must be a number"),
        ("k", "", "In the column 'k', '' must be a whole number"),
        ("new", "x", "another program or version has written it"),
    ],
)
def test_what_a_spreadsheet_has_changed_is_named_and_never_guessed(tmp_path, column, text, said):
    file = tmp_path / "rows.csv"
    swept(file)
    pandas.read_csv(file, dtype=str, keep_default_na=False).assign(**{column: text}).to_csv(file, index=False)
    with pytest.raises(BadSweep) as told:
        read(file)
    assert said in str(told.value) and "rows.csv" in str(told.value)


def test_a_list_of_something_else_is_refused():
    frame = frame_of(alphabeta(Board(), 3))
    with pytest.raises(BadSweep, match="The column 'cutoffs_by_move' must hold whole numbers"):
        per_move(frame.assign(cutoffs_by_move="1 a"))


def test_lists_are_long_tables_which_add_up():
    frame = sweep(every_position(Board())[::60], grid(["minimax", "alphabeta"]), [0, 2, 4])
    plies, moves = per_ply(frame), per_move(frame)
    assert plies["nodes"].sum() == frame["nodes"].sum() and moves["cutoffs"].sum() == frame["cutoffs"].sum() > 0
    assert (plies["ply"] == 0).sum() == (plies.query("ply == 0")["nodes"] == 1).sum() == len(frame)
    assert moves["tried"].min() == 1 and set(moves["method"]) == {"alphabeta"}
    deepest = frame.loc[frame["nodes"].idxmax()]
    same = plies.query("board == @deepest.board and setting == @deepest.setting and depth == @deepest.depth")
    assert " ".join(map(str, same["nodes"])) == deepest["nodes_per_ply"]


def test_no_cell_of_the_file_is_a_formula_and_switches_are_as_spreadsheets_have_them(tmp_path):
    (tmp_path / "=1+1.py").write_text("def f(board, player): return 0")
    own = heuristic_from(f"{tmp_path / '=1+1.py'}:f")
    out = tmp_path / "rows.csv"
    frame = sweep(
        [Board(), Board((4, 4, 4))], grid(["alphabeta", "mcts"], heuristic=own, table=True, playouts=5), 1, out=out
    )
    with out.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert not [cell for row in rows for cell in row.values() if cell.startswith(tuple("=+@\t")) or cell[:2] == "- "]
    assert {row["table"] for row in rows} == {"TRUE", ""} and {row["killer"] for row in rows} == {"FALSE", ""}
    assert frame["heuristic"][0] == "=1+1.py:f" and set(read(out)["heuristic"]) == set(frame["heuristic"])
    assert out.read_bytes().isascii()


def test_seconds_are_recorded_when_asked_for_and_only_then(tmp_path, monkeypatch):
    times = iter([0.0, 3.0, 10.0, 11.0, 20.0, 22.0])
    out = tmp_path / "rows.csv"
    sweep(Board(), grid("minimax"), 2, out=out)
    monkeypatch.setattr("ttt.statistics.sweeps.perf_counter", lambda: next(times))
    assert sweep(Board(), grid("minimax"), 2, out=out, times=3)["seconds"].tolist() == [1.0]
    assert sweep(Board(), grid("minimax"), 2, out=out, times=2)["seconds"].tolist() == [1.0]  # the row is kept
    times = iter([0.0, 5.0])
    assert sweep(Board(), grid("minimax"), 2, out=out, times=1, fast=True)["seconds"].tolist() == [5.0]
    assert read(out)["seconds"].tolist() == [5.0]


def test_the_only_bar_counts_searches_and_searches_are_timed_without_their_own(monkeypatch):
    class Bar(tqdm.std.tqdm):
        def __init__(self, *args, unit, **options):
            units.append((unit, options["total"]))
            super().__init__(*args, file=io.StringIO(), **options)

    units = []
    monkeypatch.delenv("TQDM_DISABLE", raising=False)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    monkeypatch.setattr("tqdm.auto.tqdm", Bar)
    for _ in range(2):
        sweep(Board(), grid(["minimax", "mcts"], playouts=5), [1, 2], times=1)
    assert units == [(" searches", 3)] * 2
    minimax(Board(), 1)
    assert units[2:] == [(" moves", 9)]


def test_positions_on_any_board_and_finished_ones_have_rows():
    boards = [Board((4, 4, 4)).play(21), Board((2, 2)), Board.from_text("XXX OO- ---")]
    frame = sweep(boards, Setting("negamax"), 1)
    assert frame["shape"].tolist() == ["4x4x4", "2x2", "3x3"]
    assert frame["nodes"].tolist() == [negamax(board, 1).nodes for board in boards] == [64, 5, 1]
    for board, row in zip(boards, frame.itertuples(), strict=True):
        assert Board.from_text(row.board, board.shape) == board
    assert frame["move"].isna().tolist() == [False, False, True] and frame["depth"].tolist() == [1, 1, 0]


def test_a_depth_beyond_the_free_cells_is_the_same_search_and_counted_once():
    almost = Board.from_text("XOX XOO -X-")
    assert sweep([almost, almost], SETTINGS[0], [1, 2, 5, 9])["depth"].tolist() == [1, 2]
    assert sweep(almost, SETTINGS[0])["depth"].tolist() == [2]


def test_rows_of_other_sweeps_stay_in_the_file(tmp_path):
    out = tmp_path / "rows.csv"
    for depth in (2, 10, 1):
        sweep(Board.from_text("XX- OO- ---"), Setting("minimax"), depth, out=out)
    assert read(out)["depth"].tolist() == [1, 2, 5]


# ------------------------------------------------------------------------------------------------- cut short


def test_the_file_is_the_same_with_any_workers(tmp_path):
    swept(tmp_path / "here.csv")
    for name, pool in (("threads", ThreadPoolExecutor(3)), ("processes", ProcessPoolExecutor(2))):
        with pool:
            swept(tmp_path / name, pool)
        assert (tmp_path / name).read_bytes() == (tmp_path / "here.csv").read_bytes()


def test_after_an_interruption_only_missing_rows_are_searched(tmp_path):
    out = tmp_path / "rows.csv"
    swept(out)
    whole = out.read_bytes()
    with Store(out.with_suffix(".db"), ",".join(COLUMNS)) as store:
        results = list(store.results().items())
    for count in range(len(results) + 1):
        with Store(out.with_suffix(".db"), ",".join(COLUMNS)) as store:
            store.forget()
            for key, row in results[:count]:
                store.keep(key, row)
        out.unlink()
        with Counting() as pool:
            swept(out, pool)
        assert out.read_bytes() == whole and pool.given == len(results) - count


def test_an_interrupt_keeps_what_was_found(tmp_path):
    calls = iter(range(100))

    def interrupted(board, player):
        if next(calls) == 70:
            raise KeyboardInterrupt
        return 0

    out = tmp_path / "rows.csv"
    with pytest.raises(KeyboardInterrupt):
        sweep(POSITIONS, Setting("minimax", heuristic=interrupted), [1, 2], out=out)
    assert read(out)["heuristic"].tolist() == ["interrupted"]


def test_an_interrupt_leaves_the_executor_without_work(tmp_path):
    class Interrupted(ThreadPoolExecutor):
        def submit(self, work, task):
            if task.depth == 3:  # it waits for the interrupt, with all others behind it
                return super().submit(time.sleep, 0.3)
            futures.append(super().submit(work, task))
            if len(futures) == 9:
                futures.append(Future())
                futures[-1].set_exception(KeyboardInterrupt())
            return futures[-1]

    futures = []
    tasks = plan(POSITIONS, SETTINGS, [3, 1, 2])
    with Interrupted(1) as pool, pytest.raises(KeyboardInterrupt):
        sweep(POSITIONS, SETTINGS, [3, 1, 2], executor=pool)
    assert len(tasks) == 18 and sum(future.cancelled() for future in futures) > 5


def test_a_file_with_other_columns_is_left_alone(tmp_path):
    out = tmp_path / "mine.csv"
    out.write_text("name,marks\nann,3\n")
    with pytest.raises(StoreError, match=r"mine\.csv has other columns"):
        swept(out)
    assert out.read_text() == "name,marks\nann,3\n"


def test_a_store_of_an_older_layout_is_told_and_left_alone(tmp_path):
    with Store(tmp_path / "rows.db", "shape,k,board,heuristic,method,depth,nodes") as store:
        store.keep("key", {"nodes": "10"})
    with pytest.raises(StoreError, match=r"rows\.db holds rows with other columns, as an earlier version wrote them"):
        swept(tmp_path / "rows.csv")
    with Store(tmp_path / "rows.db", "shape,k,board,heuristic,method,depth,nodes") as store:
        assert store.results() == {"key": {"nodes": "10"}}
    assert not (tmp_path / "rows.csv").exists()


# ------------------------------------------------------------------------------------------------- heuristics

CORNERS = "def corners(board, player):\n    return sum(board[cell] == player for cell in (0, 2, 6, 8))\n"


def test_weights_of_lines_are_counted_as_by_hand(positions):
    weigh = LineWeights((0, 1, 5))
    for board in [board for board in positions if not board.over][::40]:
        worth = 0
        for marks in map("".join, board.lines):
            count = {"X": marks.count("X"), "O": marks.count("O")}
            if not (count["X"] and count["O"]):
                worth += {0: 0, 1: 1, 2: 5}[count["X"]] - {0: 0, 1: 1, 2: 5}[count["O"]]
        assert weigh(board, "X") == worth == -weigh(board, "O")


def test_weights_for_too_few_marks_are_refused():
    with pytest.raises(BadSweep, match="needs 4 numbers, for lines with 0 to 3 marks, not line-weights:0,1,3"):
        sweep(Board((4, 4)), grid(heuristic="line-weights:0,1,3"), 1)


def test_a_heuristic_of_ones_own_comes_from_a_program_or_a_notebook(tmp_path):
    (tmp_path / "mine.py").write_text(CORNERS)
    cells = ["%matplotlib inline\n1 / 0", CORNERS, "corners(None, None)"]
    content = {"cells": [{"cell_type": "code", "source": cell} for cell in cells]}
    (tmp_path / "mine.ipynb").write_text(json.dumps(content))
    expected = minimax(Board(), 2, lambda board, player: sum(board[cell] == player for cell in (0, 2, 6, 8))).values
    for name in ("mine.py", "mine.ipynb"):
        frame = sweep(Board(), grid("minimax", heuristic=f"{tmp_path / name}:corners"), 2)
        assert frame["heuristic"].tolist() == [f"{name}:corners"]
        assert frame["move_values"].tolist() == [" ".join(f"{cell}={value}" for cell, value in expected.items())]


def test_after_an_edit_of_the_heuristic_its_rows_are_searched_again(tmp_path):
    mine, out = tmp_path / "mine.py", tmp_path / "rows.csv"

    def searched(depths):
        with Counting() as pool:
            settings = grid("minimax", heuristic=[None, f"{mine}:corners"])
            frame = sweep(Board(), settings, depths, out=out, executor=pool)
        return pool.given, frame["value"].tolist()

    mine.write_text(CORNERS)
    assert searched([1, 2]) == (4, [0, 0, 0, 1])
    assert searched([1, 2]) == (0, [0, 0, 0, 1])
    mine.write_text(CORNERS.replace("sum(", "5 * sum("))
    assert searched([2]) == (1, [0, 5])
    kept = read(out)
    assert kept[kept["heuristic"] == "mine.py:corners"]["value"].tolist() == [
        5
    ]  # no old row is left among the new ones
    assert searched([1, 2]) == (1, [0, 0, 0, 5])


def test_a_function_is_searched_with_in_this_process_and_always_again(tmp_path):
    out = tmp_path / "rows.csv"
    for worth in (1, 2):
        frame = sweep(Board(), grid("minimax", heuristic=lambda board, player, worth=worth: worth), 1, out=out)
        assert frame["heuristic"].tolist() == ["lambda"] and frame["value"].tolist() == [-worth]
    assert read(out)["value"].tolist() == [-2]


def test_functions_that_are_called_the_same_are_refused():
    with pytest.raises(BadSweep, match="Two heuristics are called lambda: rename one"):
        sweep(Board(), grid(heuristic=[lambda board, player: 0, lambda board, player: 1]), 1)


def test_other_processes_search_with_ones_own_heuristic_wherever_its_file_is(tmp_path):
    (tmp_path / "mine.py").write_text(CORNERS)
    settings = grid(heuristic=f"{tmp_path / 'mine.py'}:corners")
    (tmp_path / "mine.py").unlink()
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        assert_frame_equal(sweep(POSITIONS, settings, 2, executor=pool), sweep(POSITIONS, settings, 2))


def test_a_function_that_cannot_be_sent_to_another_process_is_told():
    with pytest.raises(BadSweep, match="lambda can't be sent to another process: define it in a file"):
        sweep(Board(), grid(heuristic=lambda board, player: 0), 1, executor=jobs.processes(2))


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("def other(board, player): return 0", r"the file must define a function f\(board, player\)"),
        ("def f(board, player): return 1 / 0", r"On Board.*, mine.py:f stopped with ZeroDivisionError.* in line 1"),
        ("f = 1 / 0", "stopped with ZeroDivisionError"),
        (None, "can't be read: No such file"),
    ],
)
def test_a_heuristic_that_does_not_work_is_told(tmp_path, source, said):
    if source:
        (tmp_path / "mine.py").write_text(source)
    with pytest.raises(BadSweep, match=said):
        sweep(Board(), grid(heuristic=f"{tmp_path / 'mine.py'}:f"), 1)


# ------------------------------------------------------------------------------------------------- what is asked for


def test_positions_are_named_drawn_or_listed_in_a_file(tmp_path):
    assert positions_from("empty, corner,edge,centre", Board()) == [Board(), *(Board().play(n) for n in (0, 1, 4))]
    assert positions_from("X---O----,X-- / -O- / ---", Board()) == 2 * [Board().play(0).play(4)]
    cube = board_from("4x4x4")
    assert positions_from("centre", cube) == [cube.play((2, 2, 2))]
    middle = positions_from("mid6,mid12,mid20", cube)
    assert [len(board) - len(board.moves) for board in middle] == [6, 12, 20]
    assert [(board.x, board.o) for board in middle] == list(CUBE.values())
    (tmp_path / "some.txt").write_text("# two boards\n\nX--------\nX-- -O- ---\n")
    assert positions_from(str(tmp_path / "some.txt"), Board()) == [Board().play(0), Board().play(0).play(4)]
    (tmp_path / "some.txt").write_text("X--------\nX-Q------\n")
    with pytest.raises(BadSweep, match=r"some\.txt, line 2: 'Q'"):
        positions_from(str(tmp_path / "some.txt"), Board())


def test_all_positions_are_the_unfinished_ones_up_to_symmetry(positions):
    assert set(every_position(Board())) == {canonical(board) for board in positions if not board.over}
    assert len(positions_from("all", Board())) == 627
    with pytest.raises(BadSweep, match="too many positions on 16 cells; up to 12"):
        every_position(Board((4, 4)))


def test_random_positions_differ_and_are_spread_evenly_over_the_numbers_of_marks():
    for board, count, most in ((Board((4, 4, 4)), 128, 2), (Board().play(4), 50, 6)):
        found = random_positions(board, count, seed=7)
        assert found == random_positions(board, count, seed=7) != random_positions(board, count, seed=8)
        assert len(set(found)) == count and not any(one.over for one in found)
        assert all(one.x & board.x == board.x for one in found)
        marks = pandas.Series([len(board.moves) - len(one.moves) for one in found]).value_counts()
        assert marks[0] == 1 and marks.loc[range(2, 8)].min() >= most
    assert positions_from("edge,random:5", Board(), seed=3) == [Board().play(1), *random_positions(Board(), 5, seed=3)]
    with pytest.raises(BadSweep, match="Only 17 different positions turned up, not 18"):
        random_positions(Board((2, 2)), 18)


def test_random_positions_with_as_many_marks_are_equally_likely():
    firsts = [random_positions(Board(), 2, seed)[1] for seed in range(900)]
    counts = pandas.Series([board.x.bit_length() - 1 for board in firsts]).value_counts()
    assert len(counts) == 9 and counts.min() > 60 and counts.max() < 140


def test_depths_pieces_methods_and_boards_are_read_from_text():
    assert depths_from("1-3, 5,7-8") == [1, 2, 3, 5, 7, 8]
    assert options_from("best-gain+killer+pvs") == Options("best-gain", killer=True, pvs=True)
    assert options_from("all") == Options("best-gain", True, True, True, True, True)
    every = settings_from("negamax,alphabeta", "row-major,most-lines+table", "open-lines")
    assert [str(setting) for setting in every] == ["negamax", "alpha-beta", "alpha-beta, most-lines, table"]
    assert {setting.heuristic for setting in every} == {open_lines}
    mixed = settings_from("minimax,mcts", heuristic="line-weights:0,1,-3, open-lines", playouts=[5, 6], seeds=[1, 2])
    assert [setting.heuristic_name for setting in mixed[:2]] == ["line-weights:0,1,-3", "open-lines"]
    assert [(setting.playouts, setting.seed) for setting in mixed[2:]] == [(5, 1), (5, 2), (6, 1), (6, 2)]
    assert board_from("3X4", 3) == Board((3, 4), 3)
    with pytest.raises(BoardError, match="'3by3' is not the shape of a board"):
        board_from("3by3")


@pytest.mark.parametrize(
    "read_text, text, said",
    [
        (depths_from, "1-x", "'1-x' is not a depth"),
        (depths_from, "", "'' is not a depth"),
        (depths_from, "-3", "'-3' is not a depth"),
        (options_from, "tabel", "no piece 'tabel'. Did you mean 'table'"),
        (options_from, "most-lines+best-gain", "choose one order"),
        (options_from, "all+table", "all by itself"),
        (settings_from, "alphabet", "no method 'alphabet'. Did you mean 'alphabeta'"),
        (lambda text: positions_from(text, Board()), "cornre", "no position 'cornre'. Did you mean 'corner'"),
        (lambda text: positions_from(text, Board()), "mid6", "no position 'mid6'"),
        (lambda text: positions_from(text, Board()), "X--", "the text has 3 marks"),
        (lambda text: settings_from("minimax", text), "table", "minimax can't use table"),
        (lambda text: settings_from("minimax", "", text), "open-line", "no heuristic 'open-line'"),
        (lambda text: settings_from("minimax", "", text), "line-weights:a,1", "needs whole numbers"),
        (lambda text: settings_from("minimax", "", text), "line-weights", "Or write line-weights:0,1,3"),
        (lambda text: settings_from("minimax", "", text), "mine.py:", "'mine.py:' lacks the name of a function"),
        (lambda text: positions_from(text, Board()), "random:many", "'many' is not a number of positions"),
    ],
)
def test_impossible_requests_are_refused(read_text, text, said):
    with pytest.raises(BadSweep) as told:
        read_text(text)
    assert said in str(told.value)


@pytest.mark.parametrize(
    "asked, said",
    [
        ({"killer": "yes"}, "switched on by True and off by False, not by 'yes'"),
        ({"method": "mcts", "seed": None}, "seed must be a whole number"),
        ({"heuristic": 5}, "A heuristic is a function or the name of one, not 5"),
        ({"method": 5}, "There is no method 5"),
    ],
)
def test_a_grid_refuses_what_no_search_can_use(asked, said):
    with pytest.raises(BadSweep) as told:
        grid(**asked)
    assert said in str(told.value)


def test_switches_may_be_numbers_or_come_from_numpy():
    assert grid(killer=[0, 1], table=numpy.array([False, True])) == grid(killer=[False, True], table=[False, True])


def test_a_grid_of_nothing_or_of_no_depth_is_refused(tmp_path):
    with pytest.raises(BadSweep, match="nothing to search"):
        sweep([], SETTINGS, 1, out=tmp_path / "rows.csv")
    for depth in (-1, 1.5, "1"):
        with pytest.raises(BadSweep, match="depth must be a whole number, 0 or more"):
            sweep(POSITIONS, SETTINGS, [depth], out=tmp_path / "rows.csv")
    with pytest.raises(BadSweep, match="no method 'minmax'"):
        grid("minmax")
    with pytest.raises(BadSweep, match="gains searches 4×4×4 with 4 in a row"):
        sweep(Board((4, 4, 4), 3), grid("gains"), 1, out=tmp_path / "rows.csv")
    with pytest.raises(BadSweep, match="mcts needs at least 1 playout"):
        grid("mcts", playouts=0)
    with pytest.raises(BadSweep, match=r"Settings are what grid\(\) returns, not 'minimax'"):
        sweep(Board(), "minimax", out=tmp_path / "rows.csv")
    with pytest.raises(BadSweep, match="times must be a whole number, 0 or more, not -1"):
        sweep(Board(), SETTINGS, 1, times=-1, out=tmp_path / "rows.csv")
    assert not list(tmp_path.iterdir())


def test_the_fast_engine_makes_the_same_rows():
    for setting in SETTINGS:
        pandas.testing.assert_frame_equal(sweep(Board(), setting, 4, fast=True), sweep(Board(), setting, 4))


def test_the_summary_counts_and_compares_with_the_first_setting():
    frame = swept()
    first, second = summary(frame).to_dict("records")
    found = [
        alphabeta(board, depth, open_lines, order="best-gain", table=True) for board in POSITIONS for depth in (1, 2, 3)
    ]
    nodes = sum(one.nodes for one in found)
    assert (second["setting"], second["searches"], second["nodes"]) == ("alpha-beta, best-gain, table", 9, nodes)
    assert first["ratio"] == 1 and second["ratio"] == nodes / first["nodes"]


# ------------------------------------------------------------------------------------------------- the command

STATS = [sys.executable, "-m", "ttt", "search-stats"]
LONG = ["--positions", "all", "--depths", "1-9", "--method", "minimax", "--workers", "2"]


def stats(*options):
    environment = os.environ | {"NO_COLOR": "1", "COLUMNS": "200"}
    return subprocess.run([*STATS, *map(str, options)], capture_output=True, text=True, env=environment, timeout=60)


def kept(out):
    """How many rows are in the store."""
    try:
        database = sqlite3.connect(f"file:{out.with_suffix('.db')}?mode=ro", uri=True, timeout=30)
        return database.execute("select count(*) from results").fetchone()[0]
    except sqlite3.Error:
        return 0


def begun(out, options=LONG):
    """A long sweep that has found something."""
    work = subprocess.Popen([*STATS, *options, "--out", out], stdout=-1, stderr=-1, text=True, start_new_session=True)
    deadline = time.monotonic() + 30
    while kept(out) < 5:
        assert time.monotonic() < deadline and work.poll() is None
        time.sleep(0.02)
    return work


def test_the_command_writes_the_same_file_and_a_summary_with_any_workers(tmp_path):
    options = ["--positions", "empty,corner", "--depths", "1-3", "--method", "minimax,alphabeta", "--pieces", "all"]
    for workers, picture in ((1, "plots/rows.svg"), (2, "rows.PDF")):
        plot = ("--plot", tmp_path / picture)
        done = stats(*options, "--workers", workers, "--out", tmp_path / f"{workers}.csv", *plot)
        assert done.returncode == 0 and not done.stderr
        assert "alpha-beta, best-gain, killer, table" in done.stdout and "ratio" in done.stdout
    assert (tmp_path / "1.csv").read_bytes() == (tmp_path / "2.csv").read_bytes()
    assert (tmp_path / "rows.PDF").read_bytes().startswith(b"%PDF")
    assert "× the nodes of minimax" in (tmp_path / "plots/rows.svg").read_text()


def test_the_plot_suits_what_was_swept():
    boards = every_position(Board())[300::100]
    ways = grid(["minimax", "alphabeta"], order=["row-major", "best-gain"])
    shown = {
        "Across: depth": plot_of(sweep(boards, ways, [1, 2]), several_depths=True),
        "ratio to minimax on the same position": plot_of(sweep(boards, ways, 9), several_depths=False),
        "nodes of a position": plot_of(sweep(boards, grid(), 9), several_depths=False),
        "error of the value": plot_of(sweep(boards, grid("mcts", playouts=[10, 20])), several_depths=True),
        "Nodes by playouts": plot_of(sweep(Board((4, 4)), grid("mcts", playouts=[10, 20])), several_depths=True),
        "Across: depth (plies)": plot_of(
            sweep(boards, [*ways, *grid("mcts", playouts=10)], [1, 2]), several_depths=True
        ),
    }
    for words, plot in shown.items():
        assert words in plot.words
    assert "mcts" not in plot.words


def test_the_command_searches_with_every_method_and_ones_own_heuristic(tmp_path):
    (tmp_path / "mine.py").write_text(CORNERS)
    asked = ["--method", "minimax,mcts", "--heuristic", f"none,{tmp_path / 'mine.py'}:corners", "--playouts", "10,20"]
    done = stats(*asked, "--depths", "1-2", "--seed", "1,2", "--workers", 2, "--out", tmp_path / "flat.csv")
    assert done.returncode == 0 and not done.stderr and "mine.py:corners" in done.stdout
    rows = read(tmp_path / "flat.csv")
    assert rows.groupby("setting").size().to_dict() == {"minimax": 4, "mcts, 10 playouts": 2, "mcts, 20 playouts": 2}
    cube = ["--board", "4x4x4", "--method", "gains", "--positions", "empty,mid20", "--depths", "2-3", "--times", 1]
    assert stats(*cube, "--workers", 1, "--out", tmp_path / "cube.csv").returncode == 0
    rows = read(tmp_path / "cube.csv")
    boards = [Board((4, 4, 4)), LATE]
    assert sorted(rows["nodes"]) == sorted(qubic.search(board, depth).nodes for board in boards for depth in (2, 3))
    assert (rows["seconds"] > 0).all()


def test_killed_while_it_runs_it_goes_on_to_the_same_file(tmp_path):
    (tmp_path / "mine.py").write_text(CORNERS)
    own = ["--heuristic", f"{tmp_path / 'mine.py'}:corners", "--positions", "random:150", "--depths", "1-3"]
    assert stats(*own, "--workers", 1, "--out", tmp_path / "whole.csv").returncode == 0
    out = tmp_path / "killed.csv"
    work = begun(out, own)
    os.killpg(work.pid, signal.SIGKILL)
    work.communicate(timeout=20)
    assert 5 <= kept(out) < kept(tmp_path / "whole.csv") and not out.exists()
    assert stats(*own, "--workers", 2, "--out", out).returncode == 0
    assert out.read_bytes() == (tmp_path / "whole.csv").read_bytes()


@pytest.mark.parametrize(
    "options, said",
    [
        (["--board", "3by3"], "'3by3' is not the shape"),
        (["--board", "3x3", "--k", "5"], "k is from 1 to 3, not 5"),
        (["--positions", "nowhere.txt"], "no position 'nowhere.txt'"),
        (["--board", "4x4", "--positions", "all"], "too many positions on 16 cells"),
        (["--pieces", "tabel"], "Did you mean 'table'?"),
        (["--depths", "4-1"], "'4-1' runs backwards: write 1-4."),
        (["--plot", "rows.jpg"], "ends in .svg, .png or .pdf, not rows.jpg"),
    ],
)
def test_bad_options_are_refused_with_a_sentence(tmp_path, options, said):
    done = stats(*options, "--out", tmp_path / "rows.csv")
    assert done.returncode == 1 and said in done.stderr and "Traceback" not in done.stderr
    assert not list(tmp_path.iterdir())


def test_a_plot_never_replaces_the_rows(tmp_path):
    done = stats("--out", tmp_path / "rows.svg", "--plot", tmp_path / "rows.svg")
    assert done.returncode == 1 and "needs a file of its own" in done.stderr


def test_a_file_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    done = stats("--out", tmp_path / "file" / "rows.csv", "--workers", 1)
    assert done.returncode == 1 and "can't be read or written" in done.stderr and "Traceback" not in done.stderr


def test_an_interrupted_command_says_how_to_go_on_and_has_kept_its_rows(tmp_path):
    out = tmp_path / "rows.csv"
    work = begun(out)
    os.killpg(work.pid, signal.SIGINT)
    _, said = work.communicate(timeout=20)
    assert work.returncode == 130 and "run the same command again" in said and "Traceback" not in said
    before = len(read(out))
    assert before == kept(out) >= 5
    done = stats("--positions", "empty", "--depths", "1", "--method", "minimax", "--out", out, "--workers", 1)
    assert done.returncode == 0 and len(read(out)) in (before, before + 1)


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="looks for processes in /proc")
def test_a_command_that_was_killed_leaves_no_workers_and_has_kept_its_rows(tmp_path):
    out = tmp_path / "rows.csv"
    work = begun(out)
    children = Path(f"/proc/{work.pid}/task/{work.pid}/children").read_text().split()
    work.kill()
    work.communicate(timeout=20)
    deadline = time.monotonic() + 10
    while any(Path(f"/proc/{child}/cmdline").exists() for child in children):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    assert len(children) >= 2 and kept(out) >= 5
