"""The searches for forced wins against a slow oracle and each other; the certificate's file; the prover."""

import importlib
import random

import pytest

from ttt import Board
from ttt.qubic import certificate, forced, verifier

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


def signed(mask):
    return mask - (1 << 64) if mask >> 63 else mask


def random_position(rng):
    cells = rng.sample(range(64), 2 * rng.randint(4, 7))
    return set(cells[::2]), set(cells[1::2])


def won_by(line, own, other):
    """Whether these moves, each with the reply that it forces, end in two threes, or a line can be completed."""
    for cell in line:
        if threats(own, other):
            return True
        must, own = threats(other, own), own | {cell}
        made = threats(own, other)
        if must - {cell} or len(made) != 1:
            return not must - {cell} and len(made) > 1
        other = other | made
    return False


@pytest.mark.parametrize("seed", range(5))
def test_forced_wins_are_those_that_trying_everything_finds_and_can_be_played_out(seed):
    rng = random.Random(seed)
    for _ in range(60):
        own, other = random_position(rng)
        line = forced.winning_line(*masks(own, other))
        assert bool(line) == oracle(own, other) == won_by(line, own, other)


def test_the_provers_own_search_finds_the_same_lines(prover):
    kernels = importlib.import_module("ttt.qubic.prover.threats")
    rng, scratch = random.Random(1), kernels.new_scratch()
    for _ in range(300):
        own, other = masks(*random_position(rng))
        line = scratch.line[: kernels.forced_win(signed(own), signed(other), scratch)]
        assert tuple(line) == forced.winning_line(own, other)


def quiet_positions(rng, many):
    """Random positions in which neither side could complete a line."""
    while many:
        own, other = random_position(rng)
        if not threats(own, other) and not threats(other, own):
            many -= 1
            yield own, other


@pytest.mark.parametrize("seed", [1, 2, 4, 5, 6])  # in which no position takes the oracle long
def test_the_search_after_a_reply_finds_a_forced_win_just_where_there_is_one(seed):
    rng, search = random.Random(seed), forced.ForcedWins()
    won = 0
    for own, other in quiet_positions(rng, 200):
        (a, d), reply = masks(own, other), rng.choice(sorted(set(range(64)) - own - other))
        wins = oracle(own, other | {reply})
        position = forced.masks(a, d), 1 << reply
        assert bool(search.find(*position)) == wins
        won += wins
    assert won


@pytest.mark.parametrize("seed", range(5))
def test_the_prover_finds_all_replies_that_leave_no_forced_win(seed, prover):
    positions = importlib.import_module("ttt.qubic.prover.positions")
    rng, scratch = random.Random(seed), importlib.import_module("ttt.qubic.prover.threats").new_scratch()
    for own, other in quiet_positions(rng, 25):
        a, d = masks(own, other)
        empty = [cell for cell in range(64) if cell not in own | other]
        threat = bool(forced.winning_line(a, d))
        left = [cell for cell in empty if not threat or not forced.winning_line(a, d | 1 << cell)]
        found = positions.open_replies(signed(a), signed(d), 64, scratch)
        assert ([cell for cell in empty if found[0] >> cell & 1], found[1]) == (left, threat)


def test_the_certificate_is_small_and_is_read_back_as_written(prover):
    data = certificate.SHIPPED.read_bytes()
    moves = certificate.from_bytes(data)
    assert (len(data), len(moves)) == (3520, 2085) and prover.to_bytes(moves) == data


def test_a_file_that_is_cut_off_or_foreign_is_refused():
    data = certificate.SHIPPED.read_bytes()
    for length in [*range(0, 20), *range(20, len(data), 97), len(data) - 1]:
        with pytest.raises(certificate.NotACertificate):
            certificate.from_bytes(data[:length])
    for foreign in (data + b"\0", b"PK\3\4" + data, data.replace(b"QUBIC", b"CUBIC"), random.Random(0).randbytes(999)):
        with pytest.raises(certificate.NotACertificate):
            certificate.from_bytes(foreign)


def test_with_numba_switched_off_the_prover_says_so(prover, monkeypatch):
    monkeypatch.setattr("numba.config.DISABLE_JIT", True)
    with pytest.raises(prover.ProverError, match="NUMBA_DISABLE_JIT"):
        prover.prove()


def reached(moves, position):
    """The positions that the proof of one relies on, checked: every reply, and each move as the first that wins."""
    check, found = verifier.Check(moves), [certificate.canonical(*position)]
    for known in found:
        found += sorted(check.entry(known).difference(found))
        check.require_first(known)
    return found


@pytest.mark.slow
def test_a_proof_found_afresh_holds_needs_all_its_positions_and_is_no_larger_than_the_shipped_one(prover):
    """From a position that takes seconds; the benchmarks find the whole proof."""
    position = (0x9, 0x600000)
    found = prover.prove(position=position).certificate
    assert set(reached(found, position)) == found.keys()
    assert len(found) <= len(reached(dict(certificate.load()), position))


@pytest.mark.slow
def test_the_prover_reports_how_far_it_is_and_stops_when_the_report_raises(prover):
    reports = []

    def report(stage, figures):
        reports.append(figures)
        if len(reports) > 2:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        prover.prove(report)
    assert len(reports) == 3 and all("proof number" in figures and " nodes" in figures for figures in reports)
