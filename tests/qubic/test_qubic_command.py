"""The commands `ttt prove qubic` and `ttt verify qubic`; the steps of the proof have tests of their own."""

import os
import signal
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from exercises.grading.release import release
from ttt.cli import app
from ttt.qubic import certificate


def run(*words):
    return CliRunner().invoke(app, list(map(str, words)))


def test_a_file_that_is_no_certificate_is_refused(tmp_path):
    (tmp_path / "foreign").write_bytes(b"PK\3\4")
    for name, said in {"foreign": "foreign is refused. ", "nowhere": "nowhere can't be read"}.items():
        done = run("verify", "qubic", tmp_path / name)
        assert done.exit_code == 1 and said in done.stderr


def test_a_certificate_without_its_first_move_is_refused_with_the_board(tmp_path, prover):
    moves = dict(certificate.load())
    del moves[0, 0]
    (tmp_path / "short").write_bytes(prover.to_bytes(moves))
    done = run("verify", "qubic", tmp_path / "short")
    assert done.exit_code == 1 and "Board: " + "-" * 16 in done.stderr


def test_a_proof_that_is_found_is_written_and_verified_and_refused_where_it_does_not_hold(tmp_path, search, prover):
    moves = dict(certificate.load())
    search(lambda progress, minimise: prover.Proof({(0, 0): moves[0, 0]}, 2, 100))
    done = run("prove", "qubic", "--out", tmp_path / "proof")
    assert certificate.load(tmp_path / "proof") == {(0, 0): moves[0, 0]}
    assert done.exit_code == 1 and "proof is refused. The certificate has no move for this position" in done.stderr


def test_without_numba_the_prover_says_what_it_needs(tmp_path, monkeypatch):
    for name in [name for name in sys.modules if name.startswith("ttt.qubic.prover")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.delattr("ttt.qubic.prover", raising=False)
    monkeypatch.setitem(sys.modules, "numba", None)
    done = run("prove", "qubic", "--out", tmp_path / "proof")
    assert done.exit_code == 1 and "pip install numba" in done.stderr and not list(tmp_path.iterdir())


def test_students_have_no_prover_and_nothing_they_have_needs_it(tmp_path):
    bundle = release(tmp_path).with_suffix("")
    assert not list(bundle.rglob("prover*"))

    def python(*words):
        environment = os.environ | {"PYTHONPATH": str(bundle)}
        return subprocess.run([sys.executable, *words], cwd=bundle, env=environment, capture_output=True, text=True)

    done = python("-c", "from ttt.qubic import strategy, verifier; print(strategy.__file__)")
    assert done.stdout.startswith(str(bundle)), done.stderr
    done = python("-m", "ttt", "prove", "qubic")
    assert done.returncode == 1 and "not part of the students' lab" in done.stderr


@pytest.fixture
def search(monkeypatch, prover):
    """Replaces the search for the proof by a function of a test's."""
    return lambda function: monkeypatch.setattr(prover, "prove", function)


def test_a_stopped_prover_writes_nothing_and_leaves_what_was_there(tmp_path, search, prover):
    def interrupted(progress, minimise):
        os.kill(os.getpid(), signal.SIGINT)
        progress("Searching", "still at work")
        pytest.fail("still at work")

    search(interrupted)
    (tmp_path / "proof").write_text("the old one")
    done = run("prove", "qubic", "--out", tmp_path / "proof")
    assert done.exit_code == 130 and [file.read_text() for file in tmp_path.iterdir()] == ["the old one"]


def test_a_second_interrupt_stops_at_once(tmp_path, search):
    def deaf(progress, minimise):
        for _ in range(2):
            os.kill(os.getpid(), signal.SIGINT)
        raise AssertionError("still at work")

    search(deaf)
    done = run("prove", "qubic", "--out", tmp_path / "proof")
    assert done.exit_code == 130 and not list(tmp_path.iterdir())


def test_a_file_that_cannot_be_written_is_told_before_the_work(tmp_path, search):
    search(lambda *arguments: pytest.fail("a minute's work for nothing"))
    for path in (tmp_path, tmp_path / "nowhere" / "proof"):
        done = run("prove", "qubic", "--out", path)
        assert done.exit_code == 1 and f"{path} can't be read or written" in done.stderr
