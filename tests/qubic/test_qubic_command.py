"""The commands `ttt prove qubic` and `ttt verify qubic`, where they refuse; the proof itself has tests of its own."""

import pytest
from typer.testing import CliRunner

from ttt.__main__ import app
from ttt.qubic import certificate, prover


def run(*words):
    return CliRunner().invoke(app, list(map(str, words)))


def test_a_file_that_is_no_certificate_is_refused_and_so_is_one_that_is_cut_off(tmp_path):
    whole = certificate.SHIPPED.read_bytes()
    for name, data in {"foreign": b"PK\3\4", "cut": whole[:-20], "empty": b""}.items():
        (tmp_path / name).write_bytes(data)
        done = run("verify", "qubic", tmp_path / name)
        assert done.exit_code == 1 and done.stderr.startswith("Refused. ")


def test_a_certificate_without_its_first_move_is_refused_with_the_board(tmp_path):
    moves = dict(certificate.load())
    del moves[0, 0]
    certificate.save(moves, tmp_path / "short")
    done = run("verify", "qubic", tmp_path / "short")
    assert done.exit_code == 1 and "Board: " + "-" * 16 in done.stderr


def test_a_file_that_is_not_there_is_told(tmp_path):
    done = run("verify", "qubic", tmp_path / "nowhere")
    assert done.exit_code == 1 and "nowhere can't be read" in done.stderr


def test_without_numba_the_prover_says_what_it_needs(tmp_path, monkeypatch):
    monkeypatch.setattr(prover, "HAVE_NUMBA", False)
    done = run("prove", "qubic", "--out", tmp_path / "proof")
    assert done.exit_code == 1 and "needs numba" in done.stderr and not list(tmp_path.iterdir())


def test_a_stopped_prover_writes_nothing(tmp_path, monkeypatch):
    pytest.importorskip("numba")

    def interrupted(progress, minimise):
        raise KeyboardInterrupt

    monkeypatch.setattr(prover, "prove", interrupted)
    done = run("prove", "qubic", "--out", tmp_path / "proof")
    assert done.exit_code == 130 and not list(tmp_path.iterdir())


def test_what_is_no_game_of_ours_is_refused():
    assert run("prove", "chess").exit_code == 2
