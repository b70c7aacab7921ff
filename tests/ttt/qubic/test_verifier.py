"""The verifier refuses every changed certificate. Lesson 09 has it accept the shipped one."""

import random

import pytest
from test_proof import won_by

from ttt import symmetry
from ttt.qubic import certificate, forced
from ttt.qubic.certificate import least_image
from ttt.qubic.forced import EMPTY
from ttt.qubic.verifier import ProofChecker, ProofError, harmless, verify
from ttt.symmetry import automorphisms

MOVES = dict(certificate.load())
KEYS = sorted(MOVES)


def cells_of(mask):
    return [cell for cell in range(64) if mask >> cell & 1]


def holds(a, d):
    """Whether every reply runs into a forced win or an entry of the certificate, each tried by itself."""
    threes, empty = forced.winning_cells(a, d), ~(a | d) & forced.FULL
    if forced.winning_cells(d, a) or threes & (threes - 1):
        return not forced.winning_cells(d, a)
    for reply in forced.bits(threes or empty):
        replied = d | reply
        block = forced.winning_cells(replied, a)
        if forced.winning_line(a, replied):
            continue
        if block & (block - 1) or not (holds(a | block, replied) if block else least_image(a, replied) in MOVES):
            return False
    return True


def test_a_changed_move_is_refused_unless_it_wins_too():
    """Each entry is checked by itself, so it is enough to check the one that was changed."""
    rng, refused = random.Random(2), 0
    for a, d in rng.sample(KEYS, 8):
        for move in (MOVES[a, d], *rng.sample(sorted(set(cells_of(~(a | d) & forced.FULL)) - {MOVES[a, d]}), 3)):
            check = ProofChecker(MOVES | {(a, d): move})
            if holds(a | 1 << move, d):
                check.entry((a, d))
                continue
            refused += 1
            with pytest.raises(ProofError):
                check.entry((a, d))
    assert refused > 9


def test_a_reply_that_is_said_to_change_nothing_about_a_forced_win_changes_nothing():
    """Each such reply is played out with the attacker's moves as they were found before it."""
    rng, tried = random.Random(5), 0
    for a, d in rng.sample(KEYS, 20):
        a |= 1 << MOVES[a, d]
        masks, search = forced.masks(a, d), forced.ForcedWins()
        for passed in (0, rng.choice(list(forced.bits(~(a | d) & forced.FULL)))):
            line = search.line[: search.find(masks, passed)]
            for reply in forced.bits(harmless(masks, line) & ~(a | d) & forced.FULL) if line else ():
                tried += 1
                own, other = (set(cells_of(mask)) for mask in (a, d | reply))
                assert won_by([move.bit_length() - 1 for move in line], own, other)
    assert tried > 300


def test_an_entry_taken_out_is_missed_where_the_proof_relies_on_it():
    for parent in random.Random(0).sample(KEYS, 30):
        a, d = parent
        needed = sorted(ProofChecker(MOVES).defend(a | 1 << MOVES[parent], d)) if a.bit_count() > 2 else []
        for position in needed[:2]:
            fewer = {key: move for key, move in MOVES.items() if key != position}
            with pytest.raises(ProofError, match="no move"):
                ProofChecker(fewer).entry(parent)
    with pytest.raises(ProofError, match="no move"):
        verify({key: move for key, move in MOVES.items() if key != (0, 0)})


def test_symmetries_that_do_not_keep_the_lines_are_not_relied_on(monkeypatch):
    monkeypatch.setattr(symmetry, "images", lambda board, cells: (cells, cells >> 1))
    with pytest.raises(ProofError, match="symmetries"):
        verify(MOVES)


def test_an_entry_too_many_is_refused(monkeypatch):
    monkeypatch.setattr(ProofChecker, "entry", lambda self, position: set())
    with pytest.raises(ProofError, match=r"^The proof doesn't need this position\. Board: XO-----") as raised:
        verify({(0, 0): 0, (1, 2): 3})
    assert raised.value.position == (1, 2)


def test_the_canonical_form_is_the_least_of_all_images():
    for seed in range(5):
        cells = random.Random(seed).sample(range(64), 10)
        halves = cells[:5], cells[5:]
        moved = [tuple(sum(1 << turn[c] for c in half) for half in halves) for turn in automorphisms(EMPTY)]
        assert least_image(*(sum(1 << cell for cell in half) for half in halves)) == min(moved)
