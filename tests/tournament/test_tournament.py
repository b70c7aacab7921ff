"""Tournaments: exact where possible, the same with any workers, kept game by game, and lost for a reason."""

import csv
import json
import os
import pickle
import random
import signal
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from ttt import PLAYERS, Board, Player, exact, pools
from ttt.cli import app
from ttt.loader import load_player
from ttt.players import UnknownPlayer
from ttt.pools import processes
from ttt.store import Store, StoreError
from ttt.tournament import BadTournament, RemotePlayer, tournament
from ttt.tournament.games import COLUMNS

CUBE = Board((4, 4, 4))
FOUR = ["random", "flash-clever", "line-counts", "perfect"]


def first(board):
    """The first free cell."""
    return board.moves[0]


def lots(board):
    """A random move, with chance of its own."""
    return random.choice(board.moves)


@dataclass(frozen=True)
class Away:
    """A remote player that plays a list of answers."""

    name: str
    answers: tuple = ()
    digest: str = "1"

    @contextmanager
    def session(self, board, seed):
        coming = iter(self.answers)
        yield lambda board: next(coming, board.moves[-1])


# ------------------------------------------------------------------------------------------------- the results


def test_results_between_policies_are_exact():
    found = tournament(FOUR)
    assert len(found.results) == 12 and all(pairing.exact for pairing in found.pairings)
    for result in found.results:
        assert result == exact(result.x, result.o)
    assert [one.player for one in found.ratings] == ["perfect", "flash-clever", "line-counts", "random"]


def test_a_rating_follows_from_the_table():
    found = tournament(["random", "perfect"], games=1000)
    best, worst = found.ratings
    points = [pairing.points for pairing in found.pairings]
    assert best.share == pytest.approx((1 - points[0] + points[1]) / 2) and worst.share == pytest.approx(1 - best.share)
    assert best.elo == pytest.approx(-worst.elo) and best.elo > 200


def test_a_player_with_chance_of_its_own_is_sampled_with_an_interval_from_both_sides():
    found = tournament([lots, "random", first], games=9)
    exactly = {(p.result.x, p.result.o): (p.exact, p.games) for p in found.pairings}
    assert exactly["lots", "random"] == (False, 5) and exactly["random", "lots"] == (False, 4)
    assert exactly["first", "random"] == (True, 4)
    for pairing in found.pairings:
        low, high = pairing.interval
        assert low <= pairing.points <= high and (low == high) == pairing.exact


def test_games_on_a_large_board_follow_the_policies():
    """On a board too large for exact results, a forced win is won."""
    start = Board.from_text("XXX- OOO- " + "-" * 56, (4, 4, 4))
    found = tournament(["cube-easy", "cube-medium"], games=4, board=start)
    assert [(p.result.x_wins, p.games, p.exact) for p in found.pairings] == [(1, 2, False), (1, 2, False)]


def test_the_same_seed_gives_the_same_games_with_any_workers_and_another_seed_other_games(tmp_path):
    def played(seed, executor=None):
        out = tmp_path / f"{len(list(tmp_path.iterdir()))}.csv"
        tournament(["random", "flash-mended", "cube-easy"], 6, CUBE, seed, out, executor)
        with out.open(newline="") as file:
            return [row | {"seed": ""} for row in csv.DictReader(file)]

    alone = played(3)
    with ThreadPoolExecutor(2) as threads, ProcessPoolExecutor(2) as pool:
        assert alone == played(3, threads) == played(3, pool) == played(3, processes(3))
    other = played(4)
    assert len(alone) == len(other) == 18 and all(one != two for one, two in zip(alone, other, strict=True))


# ------------------------------------------------------------------------------------------------- lost games


def test_a_crash_an_illegal_move_and_nonsense_lose_with_the_reason():
    def crashes(board):
        return 1 // (len(board.moves) - 7)

    def taken(board):
        return 4

    def silent(board):
        return None

    found = tournament([crashes, taken, silent, "random"], games=4)
    reasons = {(loss.player, loss.reason) for loss in found.losses}
    assert any(name == "silent" and why.startswith("silent returned None: ") for name, why in reasons)
    assert ("taken", "taken returned 4, which is taken by X.") in reasons
    assert any(name == "crashes" and "ZeroDivisionError" in why and "in line" in why for name, why in reasons)
    assert all("silent" in (loss.player, loss.other) or loss.player != "random" for loss in found.losses)
    assert found.ratings[0].player == "random"
    assert any(": silent returned None: " in line for line in found.reasons)


def test_a_remote_player_plays_its_answers_and_loses_when_it_answers_a_text():
    guest = Away("away", ({7: 0.5, 8: 0.5}, "away went home."))
    assert isinstance(guest, RemotePlayer)
    found = tournament([guest, first], games=4)
    assert [(p.result.x_wins, p.result.o_wins) for p in found.pairings] == [(0, 1), (1, 0)]
    assert {(loss.player, loss.side, loss.reason) for loss in found.losses} == {
        ("away", "X", "away went home."),
        ("away", "O", "away went home."),
    }
    wrong = tournament([Away("away", (99,)), first], games=2)
    assert all(loss.reason.startswith("away returned 99") for loss in wrong.losses) and len(wrong.losses) == 2


@dataclass(frozen=True)
class Slow(Away):
    """A remote player that runs out of time in some of its games: those whose seed leaves no rest."""

    every: int = 1

    @contextmanager
    def session(self, board, seed):
        late = seed % self.every == 0
        yield lambda board: f"{self.name} gave no answer within 2 s: an endless loop?" if late else board.moves[-1]


def test_a_player_that_is_late_in_three_games_forfeits_the_others(monkeypatch):
    played = counting(monkeypatch)
    found = tournament([Slow("slow"), "random"], games=20)
    assert len(played) == 3 and [(p.result.x_wins, p.result.o_wins) for p in found.pairings] == [(0, 1), (1, 0)]
    reasons = [loss.reason for loss in found.losses]
    assert reasons.count("slow took too long in three games.") == 17 and len(set(reasons)) == 2
    assert found.reasons == [
        "17 games forfeited: slow took too long in three games.",
        "3 games lost: slow gave no answer within 2 s: an endless loop?",
    ]


def test_forfeits_depend_neither_on_the_workers_nor_on_interruptions(tmp_path):
    players = [Slow("one", every=2), Slow("two", every=3), Slow("three"), Away("away"), "random"]
    alone = tournament(players, 12, out=tmp_path / "0.csv")
    with ThreadPoolExecutor(4) as threads:  # which are handed all games at once
        for n, executor in enumerate((threads, processes(2), processes(3)), 1):
            assert tournament(players, 12, out=tmp_path / f"{n}.csv", executor=executor) == alone
            assert (tmp_path / f"{n}.csv").read_bytes() == (tmp_path / "0.csv").read_bytes()
    text, results = (tmp_path / "0.csv").read_bytes(), kept(tmp_path / "0.csv")
    for count in range(0, len(results), 11):
        cut_short(tmp_path / "cut.csv", results[:count])
        assert tournament(players, 12, out=tmp_path / "cut.csv") == alone
        assert (tmp_path / "cut.csv").read_bytes() == text


# ------------------------------------------------------------------------------------------------- kept


def kept(out):
    """The games in the store, in the order of their keys."""
    with Store(out.with_suffix(".db"), ",".join(COLUMNS)) as store:
        return list(store.results().items())


def cut_short(out, results):
    """Leave a store with these games only, and no file."""
    out.unlink(missing_ok=True)
    with Store(out.with_suffix(".db"), ",".join(COLUMNS)) as store:
        store.forget()
        for key, row in results:
            store.keep(key, row)


def counting(monkeypatch):
    """The games that are played from here on, by number."""
    from ttt.tournament.games import Task

    played, play = [], Task._game
    monkeypatch.setattr(Task, "_game", lambda task, number: played.append(number) or play(task, number))
    return played


def test_after_an_interruption_only_missing_games_are_played(tmp_path, monkeypatch):
    out = tmp_path / "games.csv"
    players = ["random", "cube-easy", Away("away")]
    whole = tournament(players, 6, CUBE, out=out)
    text, results = out.read_bytes(), kept(out)
    for count in range(len(results) + 1):
        cut_short(out, results[:count])
        played = counting(monkeypatch)
        assert tournament(players, 6, CUBE, out=out) == whole and out.read_bytes() == text
        assert len(played) == 18 - count


def test_more_games_keep_earlier_ones_and_the_rows_of_other_tournaments(tmp_path, monkeypatch):
    out = tmp_path / "games.csv"
    tournament(["random", "cube-easy"], 4, CUBE, out=out)
    played = counting(monkeypatch)
    tournament(["random", "cube-easy"], 6, CUBE, out=out)
    assert sorted(played) == [4, 5]
    tournament(["random", "cube-easy"], 2, CUBE, seed=1, out=out)
    tournament(FOUR, out=out)
    with out.open(newline="") as file:
        assert len(list(csv.DictReader(file))) == 6 + 2 + 12


def test_a_player_that_has_changed_plays_again(tmp_path, monkeypatch):
    out, guest = tmp_path / "games.csv", Away("away")
    tournament([guest, first, "random"], 2, out=out)
    played = counting(monkeypatch)
    tournament([guest, "random"], 2, out=out)
    assert not played
    tournament([replace(guest, digest="2"), "random"], 2, out=out)
    assert len(played) == 2
    assert tournament([first, "random"], 2, out=out).results[0] == exact(first, "random")  # functions always do


def test_names_and_reasons_in_the_file_are_not_formulas_and_come_back_unchanged(tmp_path, monkeypatch):
    out = tmp_path / "games.csv"
    players = [Away("=1+1"), Away("'=1+1"), Away(" ＝x", ("@SUM(1) lost.",)), "random"]
    whole = tournament(players, 2, CUBE, out=out)
    with out.open(newline="", encoding="utf-8") as file:
        cells = {row[column] for row in csv.DictReader(file) for column in ("x", "o", "reason")}
    assert cells == {"'=1+1@1", "''=1+1@1", "' ＝x@1", "random", "", "'@SUM(1) lost."}
    played = counting(monkeypatch)
    assert tournament(players, 2, CUBE, out=out) == whole and not played


def test_a_file_with_other_columns_is_left_alone(tmp_path):
    (tmp_path / "mine.csv").write_text("name,marks\nann,3\n")
    with pytest.raises(StoreError, match=r"mine\.csv has other columns"):
        tournament(FOUR, out=tmp_path / "mine.csv")
    assert (tmp_path / "mine.csv").read_text() == "name,marks\nann,3\n"


# ------------------------------------------------------------------------------------------------- what is shown


def test_the_tables_say_the_same_as_text_csv_and_html():
    found = tournament([*FOUR, lots], games=6)
    lines = str(found).splitlines()
    order = [one.player for one in found.ratings]
    for n, name in enumerate(order, 1):
        assert any(line.startswith(f"{n:3} {name}") for line in lines)
    rows = list(csv.DictReader(found.csv.splitlines()))
    assert len(rows) == 20 and {row["exact"] for row in rows} == {"0", "1"}
    for row, pairing in zip(rows, found.pairings, strict=True):
        assert float(row["x_points"]) == pytest.approx(pairing.points, abs=1e-6)
    rated = list(csv.DictReader(found.ratings_csv.splitlines()))
    assert [row["player"] for row in rated] == order
    assert found._repr_html_().count("<tr>") == 6 and "95 %: " in found.html
    assert repr(found) == "<Tournament: 5 players, 20 pairings>"


def test_names_are_escaped_for_pages_and_spreadsheets():
    found = tournament([Player("<b>=1", first), Player("=2+2", first)])
    assert "<b>=1" not in found.html and "&lt;b&gt;=1" in found.html
    assert all(row["o"] != "=2+2" for row in csv.DictReader(found.csv.splitlines()))


def test_a_rating_of_zero_has_no_sign():
    found = tournament([Player("one", first), Player("two", first)])
    assert "-0" not in found.ratings_csv and found.csv.count("\n") == 3
    assert str(found).splitlines()[1].split()[2] == "0" and "<td>0</td>" in found.html


def test_the_plots_show_every_player():
    from ttt import plots

    found = tournament(FOUR)
    assert len(plots.crosstable(found.results, "Who beats whom").texts) == 12


# ------------------------------------------------------------------------------------------------- what is asked for


@pytest.mark.parametrize(
    "players, options, said",
    [
        (["random", "random"], {}, "Two players are called 'random'"),
        (["random"], {}, "at least two players"),
        (FOUR, {"games": 1}, "at least 2 games"),
        (FOUR, {"board": Board.from_text("XXX OO- ---")}, "The game is over"),
        (["random", "cube-easy"], {}, "cube-easy can't play on 3×3"),
        (["random", "perfect"], {"board": CUBE}, "perfect "),
        (["random", Player("mine", lambda board: 0)], {"executor": processes(2)}, "mine can't be sent"),
    ],
)
def test_impossible_requests_are_refused(players, options, said):
    with pytest.raises(BadTournament) as told:
        tournament(players, **options)
    assert said in str(told.value)
    with pytest.raises(UnknownPlayer, match="Did you mean 'perfect'"):
        tournament(["random", "perfct"])


ROOT = Path(__file__).parents[2]
COMMAND = [sys.executable, "-m", "ttt", "tournament"]


def command(*options):
    environment = os.environ | {"NO_COLOR": "1", "COLUMNS": "200"}
    command = [*COMMAND, *map(str, options)]
    return subprocess.run(command, capture_output=True, text=True, env=environment, timeout=120, cwd=ROOT)


def test_the_command_shows_the_tables_and_fills_the_folder(tmp_path):
    done = command(*FOUR, "--out", tmp_path / "out", "--workers", 1)
    assert done.returncode == 0 and "  1 perfect" in done.stdout and not done.stderr
    names = {
        "games.csv",
        "games.db",
        "crosstable.csv",
        "ratings.csv",
        "tournament.html",
        "crosstable.svg",
    }
    assert {path.name for path in (tmp_path / "out").iterdir()} == names
    assert tournament(FOUR).csv == (tmp_path / "out" / "crosstable.csv").read_text()


@pytest.mark.parametrize(
    "options, said",
    [
        (["random", "perfct"], "Did you mean 'perfect'"),
        (["random", "--board", "3by3"], "'3by3' is not the shape"),
        (["random", "cube-easy"], "cube-easy can't play on 3×3"),
        (["random", "none.py"], "none.py: There is no such file"),
        (["random", "mine.py"], "has no player: it must define a function my_player(board)"),
        (["random", "tests/"], "tests/ is a folder: name its files, as in tests/*.py."),
        (["random", "README.md"], "README.md can't play: a player's file ends in .py or .ipynb."),
        (["random", "perfect", "--games", "9"], "--games must be even, not 9."),
    ],
)
def test_bad_options_are_refused_with_a_sentence(options, said, tmp_path, monkeypatch):
    monkeypatch.chdir(ROOT)
    (tmp_path / "mine.py").write_text("def my_playr(board):\n    return 0\n")
    words = [str(tmp_path / name) if name == "mine.py" else name for name in options]
    done = CliRunner().invoke(app, ["tournament", *words])
    assert done.exit_code == 1 and said in done.stderr and isinstance(done.exception, SystemExit)


def test_a_cluster_that_does_not_answer_is_reported(monkeypatch):
    monkeypatch.setattr(pools, "CONNECT", 1)
    done = CliRunner().invoke(app, ["tournament", "random", "perfect", "--dask", "tcp://127.0.0.1:9"])
    assert done.exit_code == 1 and "No dask scheduler answers at tcp://127.0.0.1:9" in done.stderr


OWN_NOTEBOOK = [
    "%matplotlib inline\nfrom ttt import play, svg\nshown = !ls",
    "raise RuntimeError('a cell that fails')",
    "<b>no Python</b>",
    "def my_player(board):\n    return 0\n\nmy_player(None) + missing",
    "print('noise')\nclass Taste:\n    best = 4\n\ndef my_player(board):\n    return liked(board)\n\nplay(my_player)",
    "print('more noise')\nfrom math import inf\nwon = 1 / 0",
    "def liked(board):\n    return max(board.moves, key=lambda move: inf if move == Taste.best else -move)",
]


@pytest.fixture
def students(monkeypatch, tmp_path):
    """What students have: their own files, and no ttt.grading."""
    cells = [{"cell_type": "code", "source": [source]} for source in OWN_NOTEBOOK]
    (tmp_path / "yours.ipynb").write_text(json.dumps({"cells": [*cells, {"cell_type": "markdown", "source": "?"}]}))
    (tmp_path / "mine.py").write_text("def my_player(board):\n    return board.moves[0]\n\nprint('noise')\n")
    monkeypatch.setitem(sys.modules, "ttt.grading", None)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("workers", ["1", "2"])
def test_without_ttt_grading_files_play_without_a_sandbox(students, workers):
    done = CliRunner().invoke(app, ["tournament", "mine.py", "yours.ipynb", "perfect", "--workers", workers])
    assert done.exit_code == 0, done.output
    assert "  1 perfect" in done.stdout and "mine" in done.stdout and "yours" in done.stdout
    assert done.stderr == "Without the sandbox: play only files that you trust.\n"
    assert "lost:" not in done.stdout and "noise" not in done.output


def test_a_files_player_is_its_last_my_player_with_the_definitions_after_it(students):
    assert load_player(students / "yours.ipynb").policy(Board()) == {4: 1.0}
    assert load_player(students / "mine.py").policy(Board()) == {0: 1.0}
    assert pickle.loads(pickle.dumps(load_player(students / "mine.py"))).policy(Board()) == {0: 1.0}


@pytest.mark.parametrize(
    "name, text, said",
    [
        ("gone.py", None, "gone.py can't be read: No such file"),
        ("wrong.ipynb", "no notebook", "wrong.ipynb can't be read as a notebook"),
        ("wrong.py", "def my_playr(board):\n    return 0\n", "wrong.py has no player: it must define a function"),
        ("wrong.py", "def my_player(board:\n    return 0\n", "wrong.py stopped with SyntaxError"),
        (
            "wrong.py",
            "import nowhere\n\n\nmy_player = nowhere.player\n",
            "No module named 'nowhere', in line 1",
        ),
    ],
)
def test_a_file_without_a_player_is_refused(name, text, said, students):
    if text is not None:
        (students / name).write_text(text)
    done = CliRunner().invoke(app, ["tournament", "random", name])
    assert done.exit_code == 1 and said in done.output and "Traceback" not in done.output


LONG = ["random", "cube-medium", "cube-hard", "--board", "4x4x4", "--games", "6"]


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory):
    """The games of a tournament that nobody stops."""
    folder = tmp_path_factory.mktemp("whole")
    assert CliRunner().invoke(app, ["tournament", *LONG, "--workers", "1", "--out", str(folder)]).exit_code == 0
    return (folder / "games.csv").read_bytes()


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGKILL])
def test_a_command_that_was_stopped_goes_on_and_finds_the_same(end, tmp_path, uninterrupted):
    begun = subprocess.Popen(
        [*COMMAND, *LONG, "--workers", "2", "--out", tmp_path / "cut"],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    games = tmp_path / "cut" / "games.csv"
    deadline = time.monotonic() + 60
    while not games.with_suffix(".db").exists() or len(kept(games)) < 6:
        assert time.monotonic() < deadline and begun.poll() is None, begun.stderr.read()
        time.sleep(0.02)
    os.killpg(begun.pid, end) if end == signal.SIGINT else begun.kill()
    said = begun.communicate(timeout=60)[1]
    assert end == signal.SIGKILL or (begun.returncode == 130 and "goes on where it was" in said), said
    assert command(*LONG, "--out", tmp_path / "cut").returncode == 0
    assert games.read_bytes() == uninterrupted


def test_every_registered_player_is_in_the_exact_table_of_3x3():
    names = [name for name, player in PLAYERS.items() if player.plays_on(Board())]
    found = tournament(names)
    assert len(names) >= 10 and len(found.results) == len(names) * (len(names) - 1)
    assert all(pairing.exact for pairing in found.pairings)
