"""Symmetry: the ways to rearrange a board's cells that keep every line a line, found by computation."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from struct import unpack

from ttt.board import Board, Line

Permutation = tuple[int, ...]  # entry n is the cell that cell n goes to

MOST = 10_000
WORD = 64  # bits


class TooManySymmetries(ValueError):
    """The board has so few lines that its automorphisms are too many to list."""


def automorphisms(board: Board) -> tuple[Permutation, ...]:
    """All rearrangements of a board's cells that turn lines into lines; the marks don't matter.

    On 3×3 these are the 8 turns and reflections. On 4×4×4 there are 192: 48 turn or
    mirror the cube, and the rest turn it inside out besides, or swap each pair of inner layers, or both.

    Raises `TooManySymmetries` where there are more than 10,000, as on boards with hardly a line.

    >>> len(automorphisms(Board())), len(automorphisms(Board(shape=(4, 4, 4))))
    (8, 192)
    """
    return _automorphisms(len(board), board.line_cells)


def canonical(board: Board) -> Board:
    """The one board that stands for all its mirror images: the least of them, by X's cells and then O's.

    Raises `TooManySymmetries` as `automorphisms` does.

    >>> canonical(Board().play(8)) == canonical(Board().play(2)) == Board().play(0)
    True
    """
    x, o = min(zip(images(board, board.x), images(board, board.o), strict=True))
    return Board(board.shape, board.k, x=x, o=o)


def images(board: Board, cells: int) -> tuple[int, ...]:
    """Where a board's automorphisms take a set of cells, a bit mask as `board.x` is: a mask for each.

    Raises `TooManySymmetries` as `automorphisms` does.

    >>> images(Board(), 0b001) == tuple(1 << image[0] for image in automorphisms(Board()))
    True
    """
    width, images_of = _packed_images(board.shape, board.k)
    packed = 0
    while cells:
        lowest = cells & -cells
        packed |= images_of[lowest.bit_length() - 1]
        cells ^= lowest
    data = packed.to_bytes(8 * width, "little")
    if len(board) <= WORD:
        return unpack(f"<{width}Q", data)
    step = 8 * (width // len(automorphisms(board)))
    return tuple(int.from_bytes(data[start : start + step], "little") for start in range(0, len(data), step))


@cache
def _packed_images(shape: tuple[int, ...], k: int) -> tuple[int, tuple[int, ...]]:
    """For each cell the masks of all its images, side by side in one number; first, how many words of 64 bits that is.

    So all images of a set of cells are found at once: they are the numbers of its cells, joined by `|`.
    """
    board = Board(shape, k)
    symmetries, words = automorphisms(board), -(-len(board) // WORD)
    packed = tuple(
        sum(1 << WORD * words * n + symmetry[cell] for n, symmetry in enumerate(symmetries))
        for cell in range(len(board))
    )
    return len(symmetries) * words, packed


@cache
def _automorphisms(size: int, lines: tuple[Line, ...]) -> tuple[Permutation, ...]:
    found = []
    for image in _search(_shared_lines(size, lines), {frozenset(line) for line in lines}):
        found.append(image)
        if len(found) > MOST:
            raise TooManySymmetries(f"This board has more than {MOST:,} automorphisms: too few lines hold it together.")
    return tuple(sorted(found))


def _shared_lines(size: int, lines: tuple[Line, ...]) -> list[list[int]]:
    """How many lines each pair of cells has in common; a cell with itself: minus the lines through it, minus one."""
    shared = [[0] * size for _ in range(size)]
    for line in lines:
        for one in line:
            for other in line:
                shared[one][other] += 1
    for cell in range(size):
        shared[cell][cell] = -1 - shared[cell][cell]
    return shared


def _search(shared: list[list[int]], lines: set[frozenset[int]]) -> Iterator[Permutation]:
    """Map one cell after another, always the one with the fewest images left, and rule out what can't follow.

    Two cells and their images must have equally many lines in common. That narrows the images down; that no two cells
    share one, and that every line is a line again, is tested where each cell has one image left.
    """
    size = len(shared)
    alike: list[dict[int, int]] = [defaultdict(int) for _ in range(size)]  # image -> lines in common -> cells, a mask
    for image in range(size):
        for cell, common in enumerate(shared[image]):
            alike[image][common] |= 1 << cell

    unfinished = [[(1 << size) - 1] * size]
    while unfinished:
        images = unfinished.pop()
        several = [(mask.bit_count(), cell) for cell, mask in enumerate(images) if mask & (mask - 1)]
        if not several:
            permutation = tuple(mask.bit_length() - 1 for mask in images)
            if lines == {frozenset(permutation[cell] for cell in line) for line in lines} and len(set(images)) == size:
                yield permutation
            continue
        _, cell = min(several)
        for image in range(size):
            if images[cell] >> image & 1:
                narrowed = [mask & alike[image][shared[cell][other]] for other, mask in enumerate(images)]
                if all(narrowed):
                    unfinished.append(narrowed)
