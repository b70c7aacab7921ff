"""Sweeps: the rows against direct searches, interruptions of every kind, and the command."""

import os
import signal
import sqlite3
import subprocess
import sys
import time
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

import pandas
import pytest

from ttt import Board, canonical
from ttt.board import BoardError
from ttt.cli.options import board_from
from ttt.cli.search_stats import depths_from, options_from, positions_from, settings_from
from ttt.heuristics import open_lines
from ttt.search import alphabeta, minimax, negamax
from ttt.search.options import Options
from ttt.statistics import COLUMNS, CUBE, BadSweep, Setting, every_position, plan, read, summary, sweep
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
        values = [pair.split(":") for pair in row.move_values.split()]
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


def test_depths_pieces_methods_and_boards_are_read_from_text():
    assert depths_from("1-3, 5,7-8") == [1, 2, 3, 5, 7, 8]
    assert options_from("best-gain+killer+pvs") == Options("best-gain", killer=True, pvs=True)
    assert options_from("all") == Options("best-gain", True, True, True, True, True)
    every = settings_from("negamax,alphabeta", "row-major,most-lines+table", "open-lines")
    assert [str(setting) for setting in every] == ["negamax", "alpha-beta", "alpha-beta, most-lines, table"]
    assert {setting.heuristic for setting in every} == {open_lines}
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
    ],
)
def test_impossible_requests_are_refused(read_text, text, said):
    with pytest.raises(BadSweep) as told:
        read_text(text)
    assert said in str(told.value)


def test_a_grid_of_nothing_or_of_no_depth_is_refused(tmp_path):
    with pytest.raises(BadSweep, match="nothing to search"):
        sweep([], SETTINGS, 1, out=tmp_path / "rows.csv")
    for depth in (-1, 1.5, "1"):
        with pytest.raises(BadSweep, match="a whole number of plies, 0 or more"):
            sweep(POSITIONS, SETTINGS, [depth], out=tmp_path / "rows.csv")
    with pytest.raises(BadSweep, match="no method 'minmax'"):
        Setting("minmax")
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


def begun(out):
    """A long sweep that has found something."""
    work = subprocess.Popen([*STATS, *LONG, "--out", out], stdout=-1, stderr=-1, text=True, start_new_session=True)
    deadline = time.monotonic() + 30
    while kept(out) < 5:
        assert time.monotonic() < deadline and work.poll() is None
        time.sleep(0.02)
    return work


def test_the_command_writes_the_same_file_and_a_summary_with_any_workers(tmp_path):
    options = ["--positions", "empty,corner", "--depths", "1-3", "--method", "minimax,alphabeta", "--pieces", "all"]
    for workers in (1, 2):
        done = stats(*options, "--workers", workers, "--out", tmp_path / f"{workers}.csv")
        assert done.returncode == 0 and not done.stderr
        assert "alpha-beta, best-gain, killer, table" in done.stdout and "ratio" in done.stdout
    assert (tmp_path / "1.csv").read_bytes() == (tmp_path / "2.csv").read_bytes()


@pytest.mark.parametrize(
    "options, said",
    [
        (["--board", "3by3"], "'3by3' is not the shape"),
        (["--board", "3x3", "--k", "5"], "k is from 1 to 3, not 5"),
        (["--positions", "nowhere.txt"], "no position 'nowhere.txt'"),
        (["--board", "4x4", "--positions", "all"], "too many positions on 16 cells"),
        (["--pieces", "tabel"], "Did you mean 'table'?"),
        (["--depths", "4-1"], "'4-1' runs backwards: write 1-4."),
    ],
)
def test_bad_options_are_refused_with_a_sentence(tmp_path, options, said):
    done = stats(*options, "--out", tmp_path / "rows.csv")
    assert done.returncode == 1 and said in done.stderr and "Traceback" not in done.stderr
    assert not list(tmp_path.iterdir())


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
