"""The search for forced wins against a slow oracle, and the certificate's file."""

import lzma
import random

import pytest
from conftest import sampled

from ttt import Board
from ttt.qubic import certificate, forced

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


def test_forced_wins_are_those_that_trying_everything_finds_and_can_be_played_out():
    rng = random.Random(2)
    for _ in range(100):
        own, other = random_position(rng)
        line = forced.winning_line(*masks(own, other))
        assert bool(line) == oracle(own, other) == won_by(line, own, other)


@pytest.mark.parametrize("seed", sampled([4, 1, 2, 5, 6], 5))  # in which no position takes the oracle long
def test_the_search_after_a_reply_finds_a_forced_win_just_where_there_is_one(seed):
    rng, search, found = random.Random(seed), forced.ForcedWins(), []
    while len(found) < 60:
        own, other = random_position(rng)
        if not threats(own, other) and not threats(other, own):
            reply = rng.choice(sorted(set(range(64)) - own - other))
            found.append(bool(search.find(forced.masks(*masks(own, other)), 1 << reply)))
            assert found[-1] == oracle(own, other | {reply})
    assert {*found} == {True, False}


def test_the_certificate_is_small_and_is_read_back_as_written():
    data = certificate.SHIPPED.read_bytes()
    moves = certificate.load()
    assert (len(data), len(moves)) == (3520, 2085) and certificate.from_bytes(data) == moves
    columns = lzma.decompress(data[15:], lzma.FORMAT_RAW, filters=certificate.FILTERS)
    assert data[:15] == b"QUBIC PROOF\n\1" + (2085).to_bytes(2) and certificate.in_columns(moves) == columns


def test_a_file_that_is_cut_off_or_foreign_is_refused():
    data = certificate.SHIPPED.read_bytes()
    cut = [data[:length] for length in (*range(20), *range(20, len(data), 97), len(data) - 1)]
    foreign = [data + b"\0", b"PK\3\4" + data, data.replace(b"QUBIC", b"CUBIC"), random.Random(0).randbytes(999)]
    for wrong in cut + foreign:
        with pytest.raises(certificate.NotACertificate):
            certificate.from_bytes(wrong)
