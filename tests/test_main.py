"""The command `ttt`: what can be typed, what reaches the grader, what is said, and how it ends."""

import inspect
import os
import runpy
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import get_args

import pytest
from approved import approved
from conftest import ROOT, naming
from lab import grader

from exercises.grading import GradingError, release, run
from exercises.grading.isolation import sandbox
from exercises.grading.judging import heuristic_1, players

SAID = Path(__file__).with_name("grading") / "said" / "commands.txt"
TTT = Path(sys.executable).with_name("ttt")


@pytest.mark.skipif(not TTT.exists(), reason="ttt is not installed here")
def test_what_is_written_behind_the_command_its_output_and_its_exit_status_are_the_graders():
    command = [TTT, "tournament", "random", "perfect", "--out", "no/page.html"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (1, "no/page.html: No such file or directory\n")
    assert "perfect" in done.stdout


def test_where_there_is_no_grader_the_command_says_where_it_is(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(grader, "REPOSITORY", tmp_path)
    status = grader.main()
    out, err = capsys.readouterr()
    assert out == "" and approved(SAID, "without the grader", f"{err}exit status {status}")


def test_where_a_program_cannot_be_replaced_its_exit_status_is_kept(monkeypatch):
    """On Windows, the grader is a process of its own, which an interrupt reaches, too."""

    def run(command, env, check):
        assert command[1:] == ["-P", "-m", "exercises.grading", "none"] and not check
        assert env["PYTHONPATH"].split(os.pathsep) == [str(ROOT), str(ROOT / "notebooks")]
        return subprocess.CompletedProcess(command, 3)

    monkeypatch.setattr(grader, "os", SimpleNamespace(name="nt", environ=os.environ, pathsep=os.pathsep))
    monkeypatch.setattr(sys, "argv", ["ttt", "none"])
    monkeypatch.setattr(grader.subprocess, "run", run)
    assert grader.main() == 3
    monkeypatch.setattr(grader.subprocess, "run", lambda *_, **__: signal.raise_signal(signal.SIGINT))
    assert grader.main() == 130


def test_each_command_explains_what_can_be_typed_behind_it():
    app = runpy.run_module("exercises.grading")["app"]
    told = [inspect.getdoc(app.registered_callback.callback)]
    for command in app.registered_commands:
        told.append(f"\nttt {command.name or command.callback.__name__}: {inspect.getdoc(command.callback)}")
        for name, option in inspect.signature(command.callback).parameters.items():
            kind, about = get_args(option.annotation)
            default = "it must be given" if option.default is option.empty else f"otherwise {option.default!r}"
            told.append(f"    {name}: {about.help} ({getattr(kind, '__name__', kind)}; {default})")
    assert approved(SAID, "help", "\n".join(told))


@pytest.fixture
def typed(monkeypatch, capsys, tmp_path):
    """Types a command behind `ttt` in a folder with some files; returns all that is said, and how it ends."""
    monkeypatch.chdir(tmp_path)
    for name in ("c.csv", "m.csv"):
        Path(name).touch()
    Path("mine.py").write_text("def my_player(board): return board.moves[0]")

    def typed(words):
        monkeypatch.setattr(sys, "argv", ["ttt", *words.split()])
        with pytest.raises(SystemExit) as ended:
            runpy.run_module("exercises.grading", run_name="__main__")
        out, err = capsys.readouterr()
        code = ended.value.code if isinstance(ended.value.code, int) else f"1: {ended.value.code}"
        return f"$ ttt {words}\n{out}{err}exit status {code}"

    return typed


ALL = "--exercise alpha_beta --isolation limits --workers 3 --canvas c.csv --moodle m.csv --regrade"
COMMANDS = [
    *("grade in --out out", f"grade in --out out {ALL}", "grade interrupted --out out", "grade wrong --out out"),
    *("grade damaged --out out", "grade unknown --out out"),
    *("release out", "release out --solutions", "variant 0,1,4,0", "variant 0,1,3,0", "variant 0,1"),
    *("tournament random perfect", "tournament random perfect --out page.html", "tournament random cube-easy"),
    *("tournament nobody perfect", "tournament random perfect --out no/page.html"),
]


def test_what_is_typed_reaches_the_grader_and_what_it_did_is_told(typed, monkeypatch):
    def graded(options):
        """What the class was graded with, as a note; some classes make trouble."""
        trouble = {
            "interrupted": KeyboardInterrupt,
            "wrong": GradingError("It is wrong."),
            "damaged": OSError(28, "No space left on device", "out/kept"),
            "unknown": OSError("nobody knows"),
        }
        if options.source.name in trouble:
            raise trouble[options.source.name]
        return [], [f"{name}: {value}" for name, value in options._asdict().items()]

    monkeypatch.setattr(run, "graded", graded)
    changed = {"0,1,4,0": [Path("a.toml"), Path("b.ipynb")], "0,1,3,0": []}
    change_weights = heuristic_1.change_weights
    monkeypatch.setattr(heuristic_1, "change_weights", lambda text: changed.get(text) or change_weights(text))
    monkeypatch.setattr(release, "release", lambda out, solved: out / f"{solved}.zip")
    assert approved(SAID, "what is typed", "\n\n".join(map(typed, COMMANDS)))
    Path("page.html").rename("first.html")
    typed("tournament random rules --out page.html")
    for page, other in (("first", "rules"), ("page", "perfect")):
        assert f">{other}<" not in Path(f"{page}.html").read_text()


@pytest.mark.parametrize("words", ["grade . --out out", "tournament mine.py random"])
def test_without_an_option_nothing_that_was_handed_in_runs_outside_of_the_full_sandbox(typed, words, monkeypatch):
    monkeypatch.setattr(sandbox, "reached", lambda: "limits")
    assert naming("not 'full'", "--isolation limits").search(typed(words))
    monkeypatch.setattr(players, "ready", lambda file, level, opened: pytest.fail(level))
    if "tournament" in words:
        with pytest.raises(pytest.fail.Exception, match="limits"):
            typed(f"{words} --isolation limits")


WRONG = {  # what can't be typed, and what is then named
    "grade . --out out --isolation none": ["'none'", "full", "limits"],
    "grade . --out out --workers -1": ["workers", "-1"],
    "grade . --out out --canvas none.csv": ["canvas", "none.csv", "does not exist"],
    "grade . --out out --moodle .": ["moodle", "directory"],
    "grade .": ["--out"],
    "release": ["out"],
    "none": ["none"],
}


@pytest.mark.parametrize("words", WRONG)
def test_what_is_wrong_with_what_was_typed_is_said(typed, words):
    assert naming(*WRONG[words], "exit status 2").search(typed(words))


def test_an_exercise_that_is_not_there_is_told_before_any_work(typed):
    told = "There is no exercise 'none' to grade. The exercises are heuristic_1, alpha_beta, interface."
    assert typed("grade . --out out --exercise none").endswith(f"exit status 1: {told}")
    assert not Path("out").exists()
