"""Sweeps compared with other searches, measures with numpy, and the file that workers write, even killed ones."""

import os
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
from itertools import count
from math import comb, prod

import games
import numpy as np
import pandas as pd
import psutil
import pytest
from conftest import naming
from lab import plots
from lab.statistics import (
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
from lab.statistics.table import POSITION, SWITCHES

from ttt import Board, open_lines
from ttt.arena import wilson
from ttt.heuristics import LineWeights
from ttt.search import alphabeta, mcts, minimax, negamax

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
    search = {"minimax": minimax, "negamax": negamax, "alphabeta": alphabeta}[method]
    return search(board, int(row["depth"]), HEURISTICS[row["heuristic"]], **options)


def test_two_hundred_rows_agree_with_direct_searches(rows):
    for _, row in rows.sample(200, random_state=1).iterrows():
        search = searched_directly(row)
        assert all(row[name] == getattr(search, name) for name in ("value", "move", "nodes", "leaves", "cutoffs"))
        assert all(row[name] == list(getattr(search, name)) for name in ("nodes_per_ply", "cutoffs_by_move"))
        assert dict(zip(row["moves"], row["move_values"], strict=True)) == search.values


def test_a_list_is_swept_and_every_combination_is_there_once(positions):
    frame = sweep(positions[:3], [0, 1, 1], order=["row-major", "most-lines"], table=[False, True])
    assert len(frame) == 3 * 2 * 4 and list(frame["setting"].cat.categories) == [
        "alphabeta, row-major",
        "alphabeta, row-major, table",
        "alphabeta, most-lines",
        "alphabeta, most-lines, table",
    ]
    several = sweep(EMPTY, 2, method=["minimax", "alphabeta"], order=["row-major", "best-gain"])
    assert several["setting"].tolist() == ["minimax", "alphabeta, row-major", "alphabeta, best-gain"]
    assert set(several["board"]) == {"/---/---/---"}
    some = sweep(EMPTY, method="mcts", playouts=[1, 2])
    assert some["setting"].tolist() == ["mcts, 1 playout", "mcts, 2 playouts"]


def test_searches_are_shortened_to_the_end_of_the_game_and_made_once():
    late = Board.from_text("XOX OXO ---")
    frame = sweep([EMPTY, late], [2, 3, 4, 5])
    assert frame.query("marks == 6")["depth"].tolist() == [2, 3] and sweep([]).empty
    assert sweep(late)["depth"].isna().all() and sweep(late)["nodes"][0] == alphabeta(late).nodes
    assert sweep(late, method="mcts")[["playouts", "seed"]].values.tolist() == [[1000, 0]]


def test_a_sweep_takes_your_own_search_and_heuristic():
    def corners(board, player):
        return sum((board[cell] == player) - (board[cell] not in (player, "-")) for cell in (0, 2, 6, 8))

    def tabled(board, depth, heuristic, table=False):
        return alphabeta(board, depth, heuristic, table=table)

    def guess(board, depth, heuristic):
        return heuristic(board, board.turn) + depth

    frame = sweep(EMPTY, 3, method=[tabled, guess, "alphabeta"], heuristic=corners, table=True)
    settings = ["tabled, table", "guess", "alphabeta, row-major, table"]
    assert frame["setting"].tolist() == settings and set(frame["heuristic"]) == {"corners"}
    nodes = alphabeta(EMPTY, 3, corners, table=True).nodes
    assert frame["nodes"].tolist() == [nodes, pd.NA, nodes] and frame["value"][1] == 3


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"killr": True, "tabel": True}, ["'killr'. The options are: order, killer, table, symmetry, deepening."]),
        ({"method": "minimax", "order": "best-gain"}, ["'order'", "no options"]),
        ({"method": lambda board, depth, heuristic: 0, "order": "best-gain"}, ["'order'", "no options"]),
        ({"method": "alpha"}, ["'alpha'", "alphabeta, minimax, negamax, mcts"]),
        ({"heuristic": "open_lines"}, ["'open_lines'", "heuristic", "function"]),
        ({"boards": ["X-O -X- --O"]}, ["needs a Board", "'X-O -X- --O'"]),
        ({"killer": "False"}, ["killer", "True or False", "'False'"]),
        ({"method": lambda board, depth, heuristic: "best"}, ["number", "`Search`", "'best'", "depth 1, on Board()"]),
        ({"method": "mcts", "seed": "one"}, ["integer"]),
        ({"method": "mcts", "playouts": 2.5}, ["integer"]),
        ({"depth": "3"}, ["`depth`", "whole number", "'3'"]),
        ({"depth": [2, 3.0]}, ["`depth`", "whole number", "3.0"]),
        ({"times": -1}, ["`times`", "0 or more", "-1"]),
        ({"n_jobs": 0}, ["`n_jobs`", "1 or more", "0"]),
        ({"executor": "dask"}, ["`executor`", "concurrent.futures", "'dask'", "client"]),
        ({"executor": ThreadPoolExecutor(1), "n_jobs": 2}, ["`n_jobs`", "`executor`", "not both"]),
        ({"errors": "ignore"}, ["`errors`", "'raise' or 'keep'", "'ignore'"]),
        ({"method": "mcts", "seed": [1, 2**63]}, ["`seed`", "2**63", "9223372036854775808"]),
        ({"method": "mcts", "playouts": np.uint64(2**63)}, ["`playouts`", "2**63"]),
        ({"method": lambda board, depth, heuristic, key: 0, "key": -(2**70)}, ["`key`", "2**63"]),
        ({"boards": np.array([EMPTY, EMPTY])}, ["array", "list of boards"]),
        ({"method": lambda board, depth, heuristic, window: 0}, ["window", "value"]),
    ],
)
def test_arguments_that_make_no_sense_are_refused_before_anything_is_written(tmp_path, arguments, words):
    file = tmp_path / "rows.csv"
    with pytest.raises((ValueError, TypeError), match=naming(*words)):
        sweep(**{"boards": EMPTY, "depth": 1, "out": file, **arguments})
    assert not file.exists() or read(file).empty


def test_a_function_with_an_address_or_lines_in_its_name_is_found_again(tmp_path):
    class Weights:
        def __call__(self, board, player):
            return 1

    class Lines(Weights):
        def __repr__(self):
            return 'two\nlines, and a "quote"'

    rows = [sweep(EMPTY, 1, heuristic=[Weights(), Lines()], out=tmp_path / "rows.csv") for _ in range(2)]
    pd.testing.assert_frame_equal(*rows)
    assert len(read(tmp_path / "rows.csv")) == 2


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


def program(folder, text):
    (folder / "program.py").write_text(textwrap.dedent(text))
    return [sys.executable, "program.py"]


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
    told = "".join(process.communicate()[0] for process in ends)
    assert sorted(file.read_bytes().splitlines()) == sorted(whole.splitlines())
    assert not any(process.returncode for process in ends)
    assert where != "1" or (file.read_bytes() == whole and "304 of 304 rows" in told)


def in_line_8(change):
    """A change to a file's eighth line."""

    def changed(whole):
        lines = whole.split(b"\n")
        lines[7] = change(lines[7])
        return b"\n".join(lines)

    return changed


DAMAGE = {  # a change to a sweep's file, the line that is told, and what is said of it
    "another table": (lambda whole: b"board,nodes\n1,2\n", 1, "not the columns"),
    "a text": (lambda whole: b"a shopping list", 1, "not the columns"),
    "other line ends": (lambda whole: whole.replace(b"\n", b"\r\n"), 1, "line ends"),
    "an older sweep": (lambda whole: whole.replace(b",playouts", b",fast,playouts", 1), 1, "earlier version"),
    "pandas": (lambda whole: whole.replace(b"shape", b",shape", 1).replace(b",check", b""), 1, "pandas"),
    "a byte order mark": (lambda whole: b"\xef\xbb\xbf" + whole, 1, "another program"),
    "a number changed": (in_line_8(lambda line: line.replace(b",1,0,", b",2,0,", 1)), 8, "changed"),
    "a cell less": (in_line_8(lambda line: line.partition(b",")[2]), 8, "changed"),
    "no text": (in_line_8(lambda line: b"\xff\xfe" + line[2:]), 8, "changed"),
    "nothing": (in_line_8(lambda line: b""), 8, "changed"),
    "half": (in_line_8(lambda line: line[: len(line) // 2]), 8, "changed"),
    "another line end": (in_line_8(lambda line: line + b"\r"), 8, "line ends"),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_what_is_damaged_or_another_file_is_told_with_its_line_and_left_alone(tmp_path, positions, whole, damage):
    change, number, words = DAMAGE[damage]
    advice, file = ["delete the line"] if number > 1 else [], tmp_path / "rows.csv"
    assert change(whole) != whole
    file.write_bytes(change(whole))
    for use in (read, lambda file: sweep(positions, [1, 3], out=file, **ASKED)):
        with pytest.raises(ValueError, match=naming(f"rows.csv, line {number}:", words, *advice)):
            use(file)
    assert file.read_bytes() == change(whole)


def test_rows_are_known_by_what_they_hold_wherever_they_are(tmp_path, positions, whole):
    header, *lines = whole.splitlines(keepends=True)
    file, some = tmp_path / "rows.csv", random.Random(1).choices(lines, k=400)  # many twice, many missing
    file.write_bytes(header + b"".join(some))
    frame = sweep(positions, [1, 3], out=file, **ASKED)
    pd.testing.assert_frame_equal(frame, sweep(positions, [1, 3], **ASKED))
    assert len(read(file)) == len(frame)
    file.write_bytes(whole.replace(lines[6], b""))  # as the message says of a damaged line
    sweep(positions, [1, 3], out=file, **ASKED)
    assert sorted(file.read_bytes().splitlines(keepends=True)) == sorted([header, *lines])


def test_a_function_that_cant_be_sent_to_other_processes_is_refused_and_an_error_that_cant_arrives_as_a_text():
    class Strange(Exception):
        def __init__(self, one, two):
            super().__init__(one)

    def strange(board, depth, heuristic):
        raise Strange("odd", 2)

    lock = threading.Lock()
    with pytest.raises(TypeError, match="pickle"):
        sweep(EMPTY, 1, heuristic=lambda board, player: lock.locked(), n_jobs=2)
    with pytest.raises(RuntimeError, match=naming("Strange", "odd")):
        sweep(EMPTY, 1, method=strange, executor=ThreadPoolExecutor(1))


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


def ends_with_its_processes(folder, stop):
    """Run a sweep on two processes, stop it while they search, and return what it said."""
    with (folder / "said.txt").open("w") as said:
        parent = subprocess.Popen(program(folder, SLOW), cwd=folder, stderr=said)
    until(lambda: len([*folder.glob("started*")]) >= 2)
    started = psutil.Process(parent.pid).children(recursive=True)
    assert len(started) >= 2
    stop(parent)
    until(lambda: parent.poll() is not None)
    until(lambda: not any(child.is_running() and child.status() != psutil.STATUS_ZOMBIE for child in started))
    return (folder / "said.txt").read_text()


@pytest.mark.parametrize("number", [signal.SIGKILL, pytest.param(signal.SIGINT, marks=pytest.mark.slow)])
def test_processes_end_with_their_parent_however_it_ends(tmp_path, number):
    ends_with_its_processes(tmp_path, lambda parent: parent.send_signal(number))


def test_processes_end_when_a_search_raises(tmp_path):
    said = ends_with_its_processes(tmp_path, lambda parent: (tmp_path / "fail").touch())
    assert "RuntimeError: as asked" in said and "InvalidStateError" not in said


def until(condition):
    """Wait until this is so; only a broken program takes minutes."""
    deadline = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def fails_late(board, depth, heuristic):
    if len(board.moves) == 5:
        raise RuntimeError("five cells")
    return {"value": 0, "nodes": len(board.moves)}


def test_a_search_that_raises_says_which_it_was_and_the_error_holds_the_rows_before(tmp_path):
    boards = random_positions(EMPTY, 9, free=3)  # with 9, 8, 7, 6, 5, 4 and 3 free cells, and so on
    five = next(board for board in boards if len(board.moves) == 5)
    for where in ({}, {"executor": ThreadPoolExecutor(2)}):
        with pytest.raises(RuntimeError, match="five cells") as caught:
            sweep(boards, 2, method=fails_late, **where)
        notes = " ".join(caught.value.__notes__)
        assert naming("fails_late", "depth 2", repr(five), *(["in fails_late"] if where else [])).search(notes)
        assert set(caught.value.rows["nodes"]) <= {9, 8, 7, 6, 4, 3} and len(caught.value.rows) >= 4 * (not where)
    file = tmp_path / "rows.csv"
    with pytest.raises(RuntimeError, match="five cells"):
        sweep(boards, 2, method=fails_late, out=file)
    assert read(file)["nodes"].tolist() == [9, 8, 7, 6]


@pytest.mark.parametrize("where", [{}, {"executor": ThreadPoolExecutor(2)}])
def test_errors_are_kept_as_rows_that_hold_their_text(tmp_path, where, capsys):
    boards, file = random_positions(EMPTY, 14, free=3), tmp_path / "rows.csv"
    kept = sweep(boards, 2, method=fails_late, errors="keep", out=file, **where)
    assert naming("2 searches failed", "`error`").search(capsys.readouterr().out)
    failed = kept["error"].notna()
    assert kept.loc[failed, "error"].tolist() == ["RuntimeError: five cells"] * 2 and len(kept) == 14
    assert kept.loc[failed, ["value", "nodes"]].isna().all(axis=None)
    assert kept["nodes"].tolist() == [pd.NA if len(board.moves) == 5 else len(board.moves) for board in boards]
    both = sweep(boards, 2, method=[fails_late, "alphabeta"], errors="keep", out=file)
    counted = summary(both, "method", "nodes")["n"].tolist()
    assert len(compare(both, "method", "alphabeta")) == 12 and counted == [12, 14]
    with pytest.raises(RuntimeError, match="five cells"):
        sweep(boards, 2, method=fails_late, out=file)  # failed searches are run again


def works_later(board, depth, heuristic):
    if "SEARCH_WORKS" not in os.environ:
        raise RuntimeError("not yet")
    return len(board.moves)


def test_a_search_that_failed_and_then_succeeds_is_read_as_it_is_now_and_not_run_again(tmp_path, monkeypatch):
    boards, file = random_positions(EMPTY, 5, free=3), tmp_path / "rows.csv"
    assert sweep(boards, 2, method=works_later, errors="keep", out=file)["error"].notna().all()
    monkeypatch.setenv("SEARCH_WORKS", "yes")
    done = sweep(boards, 2, method=works_later, errors="keep", out=file)
    monkeypatch.delenv("SEARCH_WORKS")
    for rows in (done, read(file), sweep(boards, 2, method=works_later, errors="keep", out=file)):
        assert rows["error"].isna().all() and rows["value"].tolist() == [len(board.moves) for board in boards]


def test_a_search_returns_a_number_a_search_or_measures_of_its_own(tmp_path):
    def counted(board, depth, heuristic, window=1):
        found = alphabeta(board, depth)
        return {"value": found.value, "nodes": np.int64(found.nodes), "table hits": 7, "widths": [3, 2], "note": "late"}

    file = tmp_path / "rows.csv"
    frame = sweep(EMPTY, [1, 2], method=["alphabeta", counted], out=file)
    assert frame["nodes"].tolist() == [alphabeta(EMPTY, depth).nodes for depth in (1, 2)] * 2
    for table in (frame, read(file), sweep(EMPTY, [1, 2], method=["alphabeta", counted], out=file)):
        own = table[table["method"] == "counted"]
        assert own["table hits"].tolist() == [7, 7] and own["widths"].tolist() == [[3, 2]] * 2
        assert own["note"].tolist() == ["late", "late"] and table["table hits"].isna().sum() == 2
        assert "measures" not in table
    pairs = compare(frame, "method", "alphabeta")
    assert pairs["ratio"].tolist() == [1, 1]
    for result, words in (
        ({"depth": 3}, "'depth'"),
        ({"position": 3}, "'position'"),
        ({"window": 3}, "'window'"),
        ({3: 3}, "3"),
        ({"nodes": 40.0}, "`nodes` must be a whole number, not 40.0"),
        ({"value": "high"}, "'high'"),
        (None, "not None"),
        ({"value": None, "nodes": 3}, "leave `value` out"),
    ):
        with pytest.raises((ValueError, TypeError), match=naming(words, "This happened in lambda", "on Board()")):
            sweep(EMPTY, 1, method=lambda board, depth, heuristic, window=1, result=result: result)


def from_the_centre(board):
    return sorted(board.moves, key=lambda cell: abs(cell - 4))


def test_an_order_of_moves_may_be_your_own_function(tmp_path, positions):
    orders = ["row-major", from_the_centre]
    frame = sweep(positions, order=orders, out=tmp_path / "rows.csv")
    assert frame["setting"].unique().tolist() == ["alphabeta, row-major", "alphabeta, from_the_centre"]
    for _, row in frame.query("order == 'from_the_centre'").iterrows():
        assert row["nodes"] == alphabeta(board_of(row), order=from_the_centre).nodes
    assert len(compare(frame, "order", from_the_centre)) == len(positions)
    pd.testing.assert_frame_equal(frame, sweep(positions, order=orders, out=tmp_path / "rows.csv"))


class Weighs:
    def __init__(self, weight):
        self.weight, self.seen = weight, {}

    def __call__(self, board, player):
        self.seen[board] = self.weight  # a memory is no difference
        return self.weight

    def __repr__(self):
        return "Weighs"


def returns(number):
    return lambda board, player: number


def takes(board, player, number):
    return number


DIFFERENT = {  # pairs of functions with one name that do different things
    "constants": (lambda board, player: 1, lambda board, player: 2),
    "attributes": (lambda board, player: board.x, lambda board, player: board.o),
    "closures": (returns(1), returns(2)),
    "defaults": (lambda board, player, number=1: number, lambda board, player, number=2: number),
    "inner functions": (lambda board, player: returns(1)(1, 2), lambda board, player: returns(2)(1, 2)),
    "states": (Weighs(1), Weighs(2)),
}


@pytest.mark.parametrize("kind", DIFFERENT)
def test_functions_of_one_name_are_never_taken_for_each_other(tmp_path, kind, capsys):
    one, other = DIFFERENT[kind]
    file = tmp_path / "rows.csv"
    for some in ([one, other], [one, one, other]):
        with pytest.raises(ValueError, match=naming("heuristic", "name")):
            sweep(EMPTY, 1, heuristic=some)
    with pytest.raises(ValueError, match=naming("`f`", "name")):
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


def test_what_a_function_uses_of_its_module_belongs_to_its_code_and_a_script_needs_no_guard_to_use_processes(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    command = program(tmp_path, SCRIPT.replace("rows.csv", "own.csv"))  # in which sets have another order
    told = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert told.splitlines() == [" ".join(["-1.0"] * number) for number in (3, 5)]
    program(tmp_path, SCRIPT)
    for factor, old in ((1, False), (2, False), (1, True)):
        runpy.run_path("program.py", {"FACTOR": factor}, "program")
        *told, values = capsys.readouterr().out.splitlines()
        assert values == " ".join([f"-{factor}.0"] * 5) and ("5 of 5 rows" in "".join(told)) == old
    here, there = (read(file)["code"].tolist()[:5] for file in ("rows.csv", "own.csv"))
    assert [here[n] for n in (1, 3, 4)] == [there[n] for n in (1, 3, 4)]  # of functions; objects have another name


def test_whole_numbers_too_large_for_a_column_are_kept_as_they_are(tmp_path):
    def huge(board, depth, heuristic):
        return {"value": 0, "nodes": 2**80, "hash": 2**64 - 1}

    file = tmp_path / "rows.csv"
    for table in (sweep(EMPTY, [1, 2], method=huge, out=file), read(file)):
        assert table["nodes"].tolist() == [2**80] * 2 and table["hash"].tolist() == [2**64 - 1] * 2
    sweep(EMPTY, method="mcts", playouts=2, seed=2**63 - 1, out=file)
    assert read(file)["seed"].dropna().tolist() == [2**63 - 1]


def test_a_sweep_needs_at_most_twice_the_memory_of_its_table():
    def quick(board, depth, heuristic, n):
        return {"value": n, "nodes": 1000 + n, "moves": [n, 1, 2], "nodes_per_ply": [1, 1000 + n]}

    boards = random_positions(FOUR, 250, seed=1)
    sweep(boards[:2], 1, method=quick, n=1)  # so that everything is loaded
    tracemalloc.start()
    frame = sweep(boards, 1, method=quick, n=[*range(8)])
    kept, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(frame) == 2000 and peak < 2 * kept


def test_what_is_left_out_or_merged_is_said(capsys):
    assert len(sweep([EMPTY, FOUR, EMPTY, EMPTY], 1)) == 2
    assert naming("2 of 4 positions", "once").search(capsys.readouterr().out)
    frame = sweep([], 1)
    assert frame.empty and naming("no positions").search(capsys.readouterr().out)
    for use in (lambda: summary(frame, "depth", "nodes"), lambda: compare(frame, "order", "row-major")):
        with pytest.raises(ValueError, match=naming("no rows")):
            use()
    sweep([EMPTY, FOUR], 1)
    assert not capsys.readouterr().out


def test_an_overwritten_column_is_told():
    frame = sweep(random_positions(EMPTY, 12), 2, order=["row-major", "best-gain"]).assign(shape="small")
    assert len(compare(frame, "order", "row-major")) == 12 and (summary(frame, "order", "nodes")["n"] == 12).all()
    with pytest.raises(ValueError, match=naming("`shape`", "'small'", "another name")):
        right(frame)


def test_marks_of_another_game_are_the_moves_made_as_the_sample_knows_whatever_was_drawn_in_between():
    sample = random_positions(games.Four(), 40, seed=3)
    random_positions(games.Nim(7), 5, seed=1)
    four = sweep(sample, 1)
    assert four["marks"].tolist() == [sum(map(len, position.columns)) for position in four["position"]]
    assert summary(four, "marks", "nodes")["n"].sum() == 40
    assert sweep([*sample], 1)["marks"].isna().all(), "a plain list doesn't know"
    every = sweep(every_position(games.Misere("XO-OX----")), 0)
    assert every["marks"].tolist() == [5 - position.marks.count("-") for position in every["position"]]


NIMS = random_positions(games.Nim(9), 12, seed=1)


def test_positions_of_any_game_are_swept_and_what_only_boards_have_is_empty(tmp_path):
    frame = sweep(NIMS, [1, 2, 3], table=[False, True], out=tmp_path / "nim.csv")
    assert len(frame) == 6 * len(NIMS) and frame[["shape", "k"]].isna().all(axis=None)
    for _, row in frame.iterrows():
        search = alphabeta(board_of(row), int(row["depth"]), table=bool(row["table"]))
        assert (row["value"], row["move"], row["nodes"]) == (search.value, search.move, search.nodes)
    assert set(compare(frame, "table", False)["board"]) == set(map(repr, NIMS))
    assert summary(frame, "depth", "nodes")["n"].tolist() == [len(NIMS)] * 3
    again = sweep(NIMS, [1, 2, 3], table=[False, True], out=tmp_path / "nim.csv")
    pd.testing.assert_frame_equal(frame, again)
    assert right(again).tolist() == right(frame).tolist()
    with pytest.raises(ValueError, match=naming("file", "Nim(heap=9", "`sweep`", "`out`")):
        right(read(tmp_path / "nim.csv"))
    assert sweep(games.Nim(12), method="mcts", playouts=5)["board"].tolist() == ["Nim(heap=12, turn='X')"]


@pytest.mark.parametrize("game", [EMPTY, games.Nim(9), games.Kayles("!!!!!"), games.Misere("XO-OX----")], ids=repr)
def test_right_moves_and_luck_in_any_game_agree_with_an_enumeration(game):
    every = every_position(game)
    frame = sweep(every, 1)
    best = [[move for move in one.moves if -games.worth(one.play(move)) == games.worth(one)] for one in every]
    moves = [search.move for search in (alphabeta(one, 1) for one in every)]
    assert right(frame).tolist() == [move in some for move, some in zip(moves, best, strict=True)]
    assert lucky(frame).tolist() == [len(some) / len(one.moves) for some, one in zip(best, every, strict=True)]
    assert not any(one.over for one in every) and len(every) == len({*every}) > 8


def test_searches_run_one_by_one_make_the_same_table():
    searches = [search(board, 3) for board in NIMS for search in (minimax, alphabeta)]
    frame = tabulate(searches)
    swept = sweep(NIMS, 3, method=["minimax", "alphabeta"])
    for name in ("board", "value", "move", "nodes", "leaves", "nodes_per_ply", "cutoffs_by_move"):
        assert frame[name].tolist() == swept[name].tolist()
    pairs = compare(frame, "setting", "minimax")
    assert (pairs["nodes"] <= pairs["baseline"]).all() and len(pairs) == len(NIMS)
    assert right(frame).tolist() == right(swept).tolist()
    boards = tabulate([mcts(EMPTY, 5, rng=random.Random(1)), alphabeta(EMPTY)])
    assert boards["board"].tolist() == ["/---/---/---"] * 2 and boards["playouts"].tolist() == [5, pd.NA]
    assert tabulate([]).empty


def test_positions_of_random_games_are_spread_over_the_numbers_of_moves():
    some = random_positions(games.Four(), 60, seed=3)
    made = pd.Series([sum(map(len, four.columns)) for four in some]).value_counts()
    assert len({*some}) == 60 and not any(four.over for four in some) and made.drop(0).between(3, 5).all()
    one, again, other = (random_positions(games.Nim(20), 12, seed=seed) for seed in (3, 3, 4))
    assert one == again != other
    late = random_positions(games.Four(), 20, seed=1, marks=range(6, 9), free=3)
    assert {sum(map(len, four.columns)) for four in late} == {6, 7, 8} and min(len(four.moves) for four in late) == 3


def test_positions_that_cant_be_told_apart_are_refused():
    class Silent(games.Nim):
        __repr__ = object.__repr__

    class Vague(games.Nim):
        __repr__ = games.Nim.__str__

    with pytest.raises(ValueError, match=naming("Silent", "which position", "dataclass")):
        sweep(Silent(3), 1)
    with pytest.raises(ValueError, match=naming("two different positions", "3 left")):
        sweep([Vague(3), Vague(3, "O")], 1)
    with pytest.raises(ValueError, match=naming("sweep() needs a Board, not 5")):
        sweep(5)


def test_options_of_your_own_search_are_swept(tmp_path):
    def mine(board, depth, heuristic, window, weights=(1, 2), *, table=False):
        return window + sum(weights) + table

    given = {"window": [10, 50], "table": [False, True]}
    frame = sweep(EMPTY, 1, method=mine, out=tmp_path / "a.csv", **given)
    assert frame["window"].tolist() == [10, 10, 50, 50] and frame["value"].tolist() == [13, 14, 53, 54]
    assert "mine, table, window=50, weights=(1, 2)" in frame["setting"].tolist()
    pd.testing.assert_frame_equal(frame, sweep(EMPTY, 1, method=mine, out=tmp_path / "a.csv", **given))
    pairs = compare(frame, "window", 10, "value")
    assert pairs["ratio"].tolist() == [53 / 13, 54 / 14] and pairs["table"].tolist() == [False, True]
    with pytest.raises(ValueError, match=naming("`nodes`", "column")):
        sweep(EMPTY, 1, method=lambda board, depth, heuristic, nodes=3: 0)


def test_a_search_without_nodes_is_compared_by_its_seconds():
    def quick(board, depth, heuristic):
        return 0

    boards = random_positions(EMPTY, 12)
    timed = sweep(boards, 2, method=[quick, "alphabeta"], times=2)
    assert set(compare(timed, "method", "alphabeta").columns) >= {"seconds", "ratio"}
    untimed = sweep(boards, 2, method=[quick, "alphabeta"])
    with pytest.raises(ValueError, match=naming("no nodes", "`times=1`", "`y`")):
        compare(untimed, "method", "alphabeta")
    for baseline in ("alphabeta", "quick"):
        with pytest.raises(ValueError, match=naming("`nodes`", "known in every row")):
            compare(untimed, "method", baseline, "nodes")
    with pytest.raises(ValueError, match=naming("no row", "'nodes'")):
        summary(untimed.query("method == 'quick'"), "method", "nodes")


def test_seconds_are_processor_time_of_the_fastest_run_measured_only_if_asked_for(tmp_path, monkeypatch):
    untimed, timed, again = (sweep(EMPTY, 2, times=times, out=tmp_path / "a.csv") for times in (0, 2, 2))
    assert untimed["seconds"].isna().all() and (timed["seconds"] > 0).all() and timed["times"].tolist() == [2]
    assert again["seconds"].tolist() == timed["seconds"].tolist()
    with ThreadPoolExecutor(2) as executor:
        assert len(sweep(EMPTY, [1, 2], times=1, executor=executor)) == 2
    monkeypatch.setattr("time.thread_time", iter((0, 3, 4, 6, 9, 19)).__next__)  # three runs, of 3, 2 and 10 seconds
    runs = count(7)
    timed = sweep(EMPTY, 1, method=lambda board, depth, heuristic: next(runs), times=3)
    assert (timed["seconds"][0], timed["value"][0], next(runs)) == (2, 7, 10)


def test_a_frame_and_its_file_agree(tmp_path, positions):
    file = tmp_path / "rows.csv"
    sweep(positions[:2], 2, order="best-gain", out=file)
    frame = sweep(positions, [1, 2], out=file, order=["row-major", "best-gain"])
    assert list(frame["setting"].cat.categories) == ["alphabeta, row-major", "alphabeta, best-gain"]
    assert set(frame["setting"].cat.categories) == set(read(file)["setting"].cat.categories)
    columns = ["heuristic", "setting", "method", "order"]
    asked, kept = (
        table.astype(dict.fromkeys(columns, str)).sort_values([*POSITION, "setting", "depth"], ignore_index=True)
        for table in (frame, read(file))
    )
    pd.testing.assert_frame_equal(asked, kept)


def test_rows_in_the_file_are_not_searched_again_and_a_sweep_says_so(tmp_path, capsys):
    calls = []

    def counted(board, depth, heuristic):
        calls.append(depth)
        return alphabeta(board, depth, heuristic)

    for depths, searched, words in (([1, 2], [1, 2], []), ([1, 2, 3], [3], ["2 of 3 rows"]), (3, [], ["1 of 1 row."])):
        sweep(EMPTY, depths, method=counted, out=tmp_path / "rows.csv")
        printed = capsys.readouterr().out
        assert calls == searched and bool(printed) == bool(words)
        assert not words or naming(*words, "rows.csv", "delete the file").search(printed)
        calls.clear()


def test_a_ratio_compares_two_searches_of_one_position(positions):
    deep = [board for board in positions if len(board.moves) >= 3]
    frame = sweep(deep, [2, 3], order=["row-major", "best-gain"], killer=[False, True], heuristic=open_lines)
    pairs = compare(frame, "killer", False)
    for _, row in pairs.iterrows():
        asked = {"depth": int(row["depth"]), "heuristic": open_lines, "order": row["order"]}
        without, killer = (alphabeta(board_of(row), killer=on, **asked).nodes for on in (False, True))
        assert (row["nodes"], row["baseline"], row["ratio"]) == (killer, without, killer / without)
    assert len(pairs) == 2 * 2 * len(deep) and set(pairs["depth"]) == {2, 3}


def test_methods_are_compared_by_setting_mcts_among_them(positions):
    several = {"order": ["row-major", "best-gain"], "playouts": [10, 30], "seed": [1, 2, 3]}
    frame = sweep(positions[:5], [1, 2], method=["alphabeta", "mcts"], heuristic=[None, open_lines], **several)
    pairs = compare(frame, "setting", "mcts, 10 playouts")
    assert len(pairs) == 5 * (2 * 2 * 2 + 1)  # orders, depths and heuristics; mcts has none of these
    others = compare(frame, "setting", "alphabeta, row-major").query("setting == 'mcts, 30 playouts'")
    assert len(others) == 5 * 2 * 2 and set(others["depth"]) == {1, 2}
    by_method = compare(frame, "method", "mcts", y="leaves")
    assert set(by_method["order"]) == {"row-major", "best-gain"} and len(by_method) == 5 * 8 * 2


def test_searches_to_the_end_of_the_game_pair_only_with_each_other(positions):
    frame = pd.concat([sweep(positions[:4], order="best-gain"), sweep(positions[:4], 2, order="row-major")])
    with pytest.raises(ValueError, match=naming("no position", "order", "'row-major'")):
        compare(frame, "order", "row-major")
    assert len(compare(sweep(positions[:4], order=["best-gain", "row-major"]), "order", "row-major")) == 4


def test_a_ratio_needs_pairs_that_exist():
    for column, baseline, error, *words in (
        ("order", "most-lines", ValueError, "no search", "order='most-lines'", "'row-major'"),
        ("order", "row-major", ValueError, "no position", "order='row-major'"),
        ("ordr", "row-major", KeyError, "no column 'ordr'", "shape, k, board"),
    ):
        with pytest.raises(error, match=naming(*words)):
            compare(sweep(EMPTY, 2), column, baseline)
    values = compare(sweep(EMPTY, [1, 2], heuristic=open_lines), "depth", 2, "value")  # 4 and 1 at depths 1 and 2
    assert values["difference"].tolist() == [alphabeta(EMPTY, 1, open_lines).value - values["baseline"][0]]
    rows = sweep([EMPTY, EMPTY.play(4)], [1, 2])
    for costs in ([0, 0], [0, 3], [3, 0], [3, 3]):
        rows.loc[rows["depth"] == 1, "cutoffs"] = costs
        assert ("ratio" in compare(rows, "depth", 1, "cutoffs")) == all(costs)  # nothing is divided by 0


def test_a_baseline_is_given_as_it_was_to_the_sweep():
    rows = sweep(EMPTY, 2, heuristic=[None, open_lines])
    from_none, from_open_lines = (compare(rows, "heuristic", baseline)["ratio"][0] for baseline in (None, open_lines))
    assert from_none == compare(rows, "heuristic", "none")["ratio"][0] == 1 / from_open_lines


def test_seeds_of_one_position_are_taken_together_and_dont_narrow_an_interval():
    frame = sweep(random_positions(EMPTY, 12), method="mcts", playouts=[10, 30], seed=[1, 2, 3])
    pairs = compare(frame, "playouts", 10, y="leaves")
    medians = frame.groupby(["board", "playouts"])["leaves"].median().unstack()
    assert np.allclose(pairs.set_index("board")["ratio"].sort_index(), (medians[30] / medians[10]).sort_index())
    once = frame.query("playouts == 10 and seed == 1").assign(hit=lambda rows: rows["marks"] < 7)
    thrice = pd.concat([once.assign(seed=seed) for seed in (1, 2, 3)])
    for y in ("nodes", "hit"):
        pd.testing.assert_frame_equal(summary(once, "playouts", y), summary(thrice, "playouts", y))


def test_a_summary_has_a_row_for_each_group_and_no_interval_for_few_positions(positions):
    frame = sweep(positions, [1, 2], order=["row-major", "best-gain"])
    frame["early"] = frame["cutoffs"] > 3
    table = summary(frame, ["depth", "order"], "nodes")
    for (depth, order), row in table.iterrows():
        nodes = frame.query(f"depth == {depth} and order == '{order}'")["nodes"].astype(float)
        assert (row["n"], row["middle"]) == (len(nodes), nodes.median())
        assert row["low"] <= nodes.median() <= row["high"]
    assert np.allclose(summary(frame, "depth", "early")["middle"], frame.groupby("depth")["early"].mean().astype(float))
    for n in (9, 10):  # from ten on there is an interval
        some = summary(frame[frame["board"].isin(frame["board"].unique()[:n])], "depth", "nodes")
        assert some["n"].max() == n and some[["low", "high"]].isna().all(axis=None) == (n < 10)
    alone = pd.DataFrame({"marks": [0, 0, 1, 1], "group": ["a"] * 4, "y": [1.0, 2, 3, 4]})  # without boards
    assert summary(alone, "group", "y").loc["a", ["n", "middle"]].tolist() == [4, 2.5]
    with pytest.raises(KeyError, match=naming("no column 'node'", "shape, k, board")):
        summary(frame, "depth", "node")
    with pytest.raises(ValueError, match=naming("a column to group by", "'depth'")):
        summary(frame, [], "nodes")


def test_the_interval_covers_95_per_cent():
    numbers = np.random.default_rng(4).permutation(1001).astype(float)
    frame = pd.DataFrame({"board": [f"{n}" for n in numbers], "y": numbers, "all": 1})
    low, high = summary(frame, "all", "y").loc[1, ["low", "high"]]
    spread = 1.96 * np.sqrt(1001) / 2
    assert abs(low - (500 - spread)) < 0.12 * spread and abs(high - (500 + spread)) < 0.12 * spread


@pytest.mark.parametrize("n", [10, 17, 30, 100])
def test_the_interval_of_a_share_covers_the_true_share_at_least_nine_times_in_ten(n):
    samples = [pd.DataFrame({"board": range(n), "true": hits, "y": np.arange(n) < hits}) for hits in range(n + 1)]
    table = summary(pd.concat(samples), "true", "y")
    for share in (0.5, 0.9, 0.97):
        covered = table.index[(table["low"] <= share) & (share <= table["high"])]
        assert sum(comb(n, hits) * share**hits * (1 - share) ** (n - hits) for hits in covered) >= 0.9
    assert 0 < table.loc[n, "low"] < table.loc[n, "high"] == 1 and table.loc[0, "low"] == 0 < table.loc[0, "high"]


def test_an_interval_has_the_level_and_the_resamples_that_were_asked_for():
    shares = pd.DataFrame({"board": range(100), "all": 1, "y": np.arange(100) < 97})
    found = summary(shares, "all", "y").loc[1]
    assert np.allclose(found[["low", "high"]].astype(float), (0.9155, 0.9897), atol=5e-5)  # Newcombe's table I, (b)
    assert (found["level"], found["resamples"]) == (0.95, 0)
    numbers = shares.assign(y=np.random.default_rng(1).permutation(100))
    widths = {}
    for level in (0.5, 0.9, 0.99):
        found = summary(numbers, "all", "y", level=level, resamples=500).loc[1]
        widths[level] = found["high"] - found["low"]
        assert (found["level"], found["resamples"]) == (level, 500)
        of_share = summary(shares, "all", "y", level=level).loc[1]
        assert of_share["level"] == level and [*of_share[["low", "high"]]] == [*wilson(0.97, 100, level)]
    assert widths[0.5] < widths[0.9] < widths[0.99]
    for wrong, words in (({"level": 95}, "`level`"), ({"resamples": 0}, "`resamples`"), ({"resamples": 2.5}, "2.5")):
        with pytest.raises(ValueError, match=naming(words)):
            summary(numbers, "all", "y", **wrong)


def test_the_interval_is_seen_in_a_terminal_beside_a_long_setting():
    setting = "alphabeta, best-gain, killer"
    rows = pd.DataFrame({"board": range(40), "setting": setting, "y": np.arange(40) / 7})
    with pd.option_context("display.width", 80, "display.max_columns", 0):
        assert naming(" n ", " middle", " low", " high").search(repr(summary(rows, "setting", "y")))


def test_true_and_false_are_compared_on_each_position():
    frame = sweep(random_positions(EMPTY, 30, seed=5), method="mcts", playouts=[3, 100], seed=[1, 2])
    frame["right"] = right(frame)
    pairs = compare(frame, "playouts", 3, "right")
    shares = frame.groupby(["board", "playouts"])["right"].mean().unstack().loc[pairs["board"]]
    assert pairs["difference"].tolist() == (shares[100] - shares[3]).tolist() and "ratio" not in pairs
    better, worse = (shares[100] > shares[3]).sum(), (shares[100] < shares[3]).sum()
    assert (pairs["better"].sum(), pairs["better"].count()) == (better, better + worse)
    found = summary(pairs, "playouts", "better").loc[100]
    assert (found["n"], found["middle"]) == (better + worse, better / (better + worse))


def test_seconds_are_compared_only_on_the_same_machine():
    timed = sweep(random_positions(EMPTY, 5), 2, order=["row-major", "best-gain"], times=1)
    assert timed["machine"].str.contains(platform.python_version(), regex=False).all()
    assert len(compare(timed, "order", "row-major", "seconds")) == 5
    elsewhere = timed.assign(machine=timed["machine"].where(timed["order"] == "row-major", "another"))
    assert len(compare(elsewhere, "order", "row-major", "nodes")) == 5
    with pytest.raises(ValueError, match=naming("no position")):
        compare(elsewhere, "order", "row-major", "seconds")


def test_right_moves_are_searched_on_boards_of_up_to_ten_free_cells_and_a_move_that_is_unknown_is_not_wrong():
    frame = sweep(random_positions(EMPTY, 4), 1, method=["alphabeta", lambda board, depth, heuristic: 0])
    assert right(frame).isna().tolist() == frame["method"].eq("lambda").tolist()
    assert (lucky(sweep(every_position(EMPTY), 1)) < 1).sum() == 431
    eleven = Board((3, 4), 2).play(0)
    ten = sweep(eleven.play(11), 1)  # X wins at 1, 4 and 5; elsewhere X loses
    assert (right(ten).tolist(), lucky(ten).tolist()) == ([True], [3 / 10])
    for board, words in (eleven, ("11 free cells", repr(eleven))), (FOUR, ("16 free cells", "Board(shape=(4, 4))")):
        for use in right, lucky:
            with pytest.raises(ValueError, match=naming(*words)):
                use(sweep(board, 1))


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


def test_positions_are_all_of_them_or_evenly_spread(monkeypatch):
    assert len(every_position(EMPTY)) == 627
    spread = pd.Series([len(board) - len(board.moves) for board in random_positions(FOUR, 160, seed=1)]).value_counts()
    assert spread[0] == 1 and set(spread.drop(0)) == {10, 11} and len(spread) == 16
    assert random_positions(FOUR, 9, seed=2) == random_positions(FOUR, 9, seed=2) != random_positions(FOUR, 9, seed=3)
    many = random_positions(Board.from_text("X-- --- ---"), 40, seed=1, free=4, marks=range(2, 9))
    assert {9 - len(board.moves) for board in many} == {2, 3, 4, 5} and all(board.x & 1 for board in many)
    monkeypatch.setattr("ttt.arena.games.MAX_POSITIONS_PER_PLY", 100)
    with pytest.raises(ValueError, match=naming("100 positions")):
        every_position(FOUR)
    with pytest.raises(ValueError, match=naming("`random_positions()`", "4 different positions", "not 100")):
        random_positions(Board.from_text("XOX OXO ---"), 100)
    with pytest.raises(ValueError, match=naming("1 different position,", "not 9")):
        random_positions(EMPTY, 9, marks=[0])
