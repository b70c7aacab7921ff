"""The forced-win search against a slow oracle, plain against numba; the certificate's file; what the prover says."""

import random

import pytest

from ttt import Board
from ttt.qubic import certificate, forced, prover

LINES = [set(line) for line in Board(shape=(4, 4, 4)).line_cells]


def threats(own, other):
    """The cells that complete a line of `own`."""
    return {cell for line in LINES if len(line & own) == 3 and not line & other for cell in line - own}


def oracle(own, other):
    """Whether the side to move wins by threes alone, every one tried, straight from the rules."""
    if threats(own, other):
        return True
    must = threats(other, own)
    for cell in must or {cell for line in LINES if len(line & own) == 2 and not line & other for cell in line - own}:
        made = threats(own | {cell}, other)
        if must - {cell} or not made:
            continue
        if len(made) > 1 or oracle(own | {cell}, other | made):
            return True
    return False


def masks(own, other):
    return sum(1 << cell for cell in own), sum(1 << cell for cell in other)


def random_position(rng):
    cells = rng.sample(range(64), 2 * rng.randint(4, 7))
    return set(cells[::2]), set(cells[1::2])


@pytest.mark.parametrize("seed", range(5))
def test_forced_wins_are_those_that_trying_everything_finds(seed):
    rng, memory = random.Random(seed), forced.scratch()
    for _ in range(40):
        own, other = random_position(rng)
        assert bool(forced.winning_line(*masks(own, other), memory)) == oracle(own, other)


@pytest.mark.parametrize("seed", range(5))
def test_a_forced_win_can_be_played_out(seed):
    rng, memory = random.Random(seed), forced.scratch()
    for _ in range(60):
        own, other = random_position(rng)
        line = forced.winning_line(*masks(own, other), memory)
        for cell in line:
            assert (cell not in own | other and threats(other, own) <= {cell}) or threats(own, other)
            if threats(own, other):
                break
            own = own | {cell}
            made = threats(own, other)
            assert made
            if len(made) == 1:
                other = other | made
        assert not line or threats(own, other)


def test_numba_finds_the_same_lines_as_plain_python():
    numpy = pytest.importorskip("numpy")
    kernel, rng, memory = forced.compiled()["forced_win"], random.Random(1), forced.scratch()
    if kernel is forced.forced_win:
        pytest.skip("numba is off: there is only the plain search")
    scratch = [numpy.zeros(len(part), numpy.int64) for part in memory]
    for _ in range(300):
        own, other = masks(*random_position(rng))
        signed = [mask - (1 << 64) if mask >> 63 else mask for mask in (own, other)]
        assert tuple(scratch[0][: kernel(*signed, *scratch)]) == forced.winning_line(own, other, memory)


def test_the_certificate_is_small_and_is_read_back_as_written():
    data = certificate.SHIPPED.read_bytes()
    moves = certificate.from_bytes(data)
    assert len(data) < 20_000 and len(moves) < 2929 and certificate.to_bytes(moves) == data


def test_a_file_that_is_cut_off_or_foreign_is_refused():
    data = certificate.SHIPPED.read_bytes()
    for length in [*range(0, 20), *range(20, len(data), 97), len(data) - 1]:
        with pytest.raises(certificate.NotACertificate):
            certificate.from_bytes(data[:length])
    for foreign in (data + b"\0", b"PK\3\4" + data, data.replace(b"QUBIC", b"CUBIC"), random.Random(0).randbytes(999)):
        with pytest.raises(certificate.NotACertificate):
            certificate.from_bytes(foreign)


def test_without_numba_the_prover_says_what_it_needs(monkeypatch):
    monkeypatch.setattr(prover, "HAVE_NUMBA", False)
    with pytest.raises(prover.NumbaMissing, match="pip install numba"):
        prover.prove()


def test_the_prover_stops_when_asked_and_reports_before():
    pytest.importorskip("numba")
    reports = []
    with pytest.raises(prover.Stopped):
        prover.prove(reports.append, lambda: len(reports) > 2)
    assert all(report.proof and report.nodes and report.memory < 10**9 for report in reports)
