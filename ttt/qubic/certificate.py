"""The certificate: the first player's move in every strategic position of the proof, in one small file.

A **strategic position** is one with the attacker (the first player) to move in which he has no forced win and no three
of the defender's to stop, so that his move has to be told. Positions that symmetry makes alike are one: the
canonical one, least by the attacker's mask and then by the defender's, stands for all 192. The certificate holds every
strategic position that the proof needs, also those whose move could be found again by looking one move ahead.

The file, version 1:

- 12 bytes: ``QUBIC PROOF`` and a line end;
- 1 byte: the version;
- 2 bytes, high one first: the number of positions, n;
- the rest, packed as raw LZMA2: 17 columns of n bytes, the attacker's eight bytes (high one first), the defender's
  eight, and the cell of the move. The positions ascend by number of stones, attacker's mask and defender's mask.

A file that is cut off, goes on after its end, or holds anything but positions with a move, in order, is refused.
"""

from __future__ import annotations

import lzma
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from struct import unpack
from types import MappingProxyType

from ttt.board import Board
from ttt.symmetry import automorphisms

Position = tuple[int, int]  # the attacker's cells and the defender's, as masks; the attacker is to move
Certificate = Mapping[Position, int]  # the attacker's move in every strategic position

MAGIC = b"QUBIC PROOF\n"
VERSION = 1
SHIPPED = Path(__file__).with_name("proof.bin")
_HEADER = len(MAGIC) + 3
_FILTERS = [{"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME, "lc": 0, "lp": 0, "pb": 0}]


class ProofError(Exception):
    """A certificate proves nothing; `position` is where, as the masks of attacker and defender."""

    def __init__(self, what: str, attacker: int, defender: int) -> None:
        marks = "".join("-XO"[(attacker >> cell & 1) + 2 * (defender >> cell & 1)] for cell in range(64))
        super().__init__(f"{what} Board: {' / '.join(marks[n : n + 16] for n in range(0, 64, 16))}")
        self.position = attacker, defender


class NoMove(ProofError):
    """The proof comes to a position that the certificate knows no move for."""


class BadMove(ProofError):
    """The certificate's move can't be played, or is not the first that wins."""


class DefenderEscapes(ProofError):
    """The defender completes a line, makes two threes at once, or fills the board."""


class Superfluous(ProofError):
    """The certificate holds a position that the proof doesn't need."""


@dataclass(frozen=True)
class Verification:
    """What was checked: strategic positions, free positions of the defender, his replies, and forced wins."""

    strategic: int
    positions: int
    replies: int
    forced_wins: int


class NotACertificate(ValueError):
    """The file is no certificate, or not all of one; the message says what is wrong with it."""


@cache
def _places() -> tuple[int, ...]:
    """For each cell the 192 masks of its images, side by side in one number."""
    turns = automorphisms(Board(shape=(4, 4, 4)))
    return tuple(sum(1 << 64 * n + turn[cell] for n, turn in enumerate(turns)) for cell in range(64))


def images(stones: int) -> tuple[int, ...]:
    """Where the 192 automorphisms take some cells: a mask for each."""
    places = _places()
    found = 0
    while stones:
        lowest = stones & -stones
        found |= places[lowest.bit_length() - 1]
        stones ^= lowest
    return unpack("<192Q", found.to_bytes(1536, "little"))


def canonical(attacker: int, defender: int) -> Position:
    """The least of a position's 192 images, which stands for all of them."""
    return min(zip(images(attacker), images(defender), strict=True))


def load(path: Path | str = SHIPPED) -> Certificate:
    """The certificate in a file; without a path, the one that comes with the lab. Raises `NotACertificate`."""
    return from_bytes(Path(path).read_bytes())


def save(certificate: Certificate, path: Path | str) -> None:
    """Write a certificate to a file."""
    Path(path).write_bytes(to_bytes(certificate))


def to_bytes(certificate: Certificate) -> bytes:
    """A certificate as the bytes of its file. Raises `NotACertificate`.

    >>> from_bytes(to_bytes({(0, 0): 0}))
    mappingproxy({(0, 0): 0})
    """
    certificate = checked(certificate)
    rows = [_row(position, certificate[position]) for position in sorted(certificate, key=_order)]
    columns = b"".join(map(bytes, zip(*rows, strict=True)))
    packed = lzma.compress(columns, lzma.FORMAT_RAW, filters=_FILTERS)
    return MAGIC + bytes([VERSION]) + len(rows).to_bytes(2, "big") + packed


def from_bytes(data: bytes) -> Certificate:
    """The certificate that a file's bytes hold. Raises `NotACertificate`."""
    if not data.startswith(MAGIC) or len(data) < _HEADER:
        raise NotACertificate("This is no certificate: it doesn't begin as one does.")
    if data[len(MAGIC)] != VERSION:
        raise NotACertificate(f"This certificate has version {data[len(MAGIC)]}; this program reads version {VERSION}.")
    columns, count = _unpacked(data[_HEADER:]), int.from_bytes(data[_HEADER - 2 : _HEADER], "big")
    if len(columns) != 17 * count:
        raise NotACertificate(f"The certificate announces {count} positions and holds {len(columns) / 17:g}.")
    entries = [_entry(columns[n::count]) for n in range(count)]
    keys = [_order(position) for position, _ in entries]
    if any(one >= other for one, other in pairwise(keys)):
        raise NotACertificate("The certificate's positions are not in order.")
    return MappingProxyType(checked(dict(entries)))


def checked(certificate: Certificate) -> Certificate:
    """The certificate, if all that it holds are positions with a free cell. Raises `NotACertificate`.

    That is all that makes sense of one: whether its moves win is for the verifier to see.
    """
    for (attacker, defender), cell in certificate.items():
        if attacker & defender or attacker.bit_count() != defender.bit_count() or cell not in range(64):
            raise NotACertificate(f"{attacker:016x} {defender:016x} {cell} is no position with a move.")
        if (attacker | defender) >> cell & 1:
            raise NotACertificate(f"In {attacker:016x} {defender:016x} cell {cell} is taken.")
    return certificate


def _order(position: Position) -> tuple[int, int, int]:
    return position[0].bit_count(), *position


def _row(position: Position, cell: int) -> bytes:
    attacker, defender = position
    return attacker.to_bytes(8, "big") + defender.to_bytes(8, "big") + bytes([cell])


def _entry(row: bytes) -> tuple[Position, int]:
    return (int.from_bytes(row[:8], "big"), int.from_bytes(row[8:16], "big")), row[16]


def _unpacked(packed: bytes) -> bytes:
    """The columns, if the packed bytes are all there and nothing follows them."""
    unpacker = lzma.LZMADecompressor(lzma.FORMAT_RAW, filters=_FILTERS)
    try:
        columns = unpacker.decompress(packed, 17 * 65_536)
    except lzma.LZMAError:
        raise NotACertificate("The certificate is damaged: it can't be unpacked.") from None
    if not unpacker.eof or unpacker.unused_data:
        raise NotACertificate("The certificate is damaged: it is cut off, or something follows its end.")
    return columns
