"""The certificate: the first player's move in every strategic position of the proof, in one small file.

A **strategic position** is one where the attacker (the first player) is to move, has no forced win, and has no three
of the defender's to block, so that the proof must give his move. Positions that are equal up to symmetry
count as one: the canonical one, least by the attacker's mask and then by the defender's, represents all 192. The
certificate holds every strategic position that the proof needs, even if looking one move ahead would find its move.

The file, version 1:

- 12 bytes: ``QUBIC PROOF`` and a newline;
- 1 byte: the version;
- 2 bytes, big-endian: the number of positions, n;
- the rest, compressed as raw LZMA2: 17 columns of n bytes, the attacker's eight bytes (big-endian), the defender's
  eight, and the cell of the move. The positions are sorted by number of stones, attacker's mask and defender's mask.

It was found by depth-first proof-number search over strategic positions; positions that another move makes superfluous
were removed. The program was last part of commit 1556c83; nothing here relies on it, because `ttt.qubic.verifier`
checks every step.
"""

import lzma
import struct
from collections.abc import Mapping
from pathlib import Path
from struct import Struct
from types import MappingProxyType

from ttt import symmetry
from ttt.qubic.forced import EMPTY

Stones = tuple[int, int]  # the attacker's cells and the defender's, as masks; the attacker is to move
Certificate = Mapping[Stones, int]  # the attacker's move in every strategic position

OPENINGS = 0x200001, 0x9, 0x1008, 0x2004000000  # the attacker's first two cells, known to have small proofs
SHIPPED = Path(__file__).with_name("proof.bin")
HEADER = Struct(">13sH")
_ROW = Struct(">QQB")
MAGIC = b"QUBIC PROOF\n\1"  # includes the version
FILTERS = [{"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME, "lc": 0, "lp": 0, "pb": 0}]


class NotACertificate(ValueError):
    """The file is not a complete certificate; the message says what is wrong with it."""


def least_image(attacker: int, defender: int) -> Stones:
    """The smallest of a position's 192 images, which represents all of them."""
    return min(zip(symmetry.images(EMPTY, attacker), symmetry.images(EMPTY, defender), strict=True))


def load(path: Path | str = SHIPPED) -> Certificate:
    """Load the certificate from a file, by default the one shipped with the lab. Raises `NotACertificate`."""
    return from_bytes(Path(path).read_bytes())


def from_bytes(data: bytes) -> Certificate:
    """Read a certificate from a file's bytes. Raises `NotACertificate`."""
    decompressor = lzma.LZMADecompressor(lzma.FORMAT_RAW, filters=FILTERS)
    try:
        magic, count = HEADER.unpack_from(data)
        columns = decompressor.decompress(data[HEADER.size :], _ROW.size * 65_536)
        rows = [_ROW.unpack(columns[n::count]) for n in range(count)]
    except (struct.error, lzma.LZMAError):
        raise NotACertificate("This is not a certificate, or it is damaged: it can't be read.") from None
    certificate = {(attacker, defender): cell for attacker, defender, cell in rows}
    require_moves(certificate)
    whole = decompressor.eof and not decompressor.unused_data and in_columns(certificate) == columns
    if magic != MAGIC or not whole:
        raise NotACertificate(
            f"This is not a certificate of version {MAGIC[-1]}, or it is damaged: truncated, too long or out of order."
        )
    return MappingProxyType(certificate)


def require_moves(certificate: Certificate) -> None:
    """Raise `NotACertificate` unless every position is valid and its move is a free cell.

    The verifier checks whether the moves win.
    """
    if not isinstance(certificate, Mapping):
        raise NotACertificate(f"{certificate!r} is not a certificate: load one with `certificate.load()`.")
    for (attacker, defender), cell in certificate.items():
        if attacker & defender or attacker.bit_count() != defender.bit_count() or cell not in range(64):
            raise NotACertificate(f"{attacker:016x} {defender:016x} {cell} is not a position with a move.")
        if (attacker | defender) >> cell & 1:
            raise NotACertificate(f"In {attacker:016x} {defender:016x}, cell {cell} is taken.")


def in_columns(certificate: Certificate) -> bytes:
    """The positions, in order, with their moves, column by column."""
    positions = sorted(certificate, key=lambda position: (position[0].bit_count(), position))
    rows = [_ROW.pack(*position, certificate[position]) for position in positions]
    return b"".join(map(bytes, zip(*rows, strict=True)))
