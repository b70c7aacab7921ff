"""Symmetry: the rearrangements of a board's cells that keep every line a line, found by computation."""

from collections import Counter, defaultdict
from functools import cache
from itertools import permutations, product

from ttt.board import Board, require_board
from ttt.geometry import Line

Permutation = tuple[int, ...]  # entry n is where cell n goes

MAX_AUTOMORPHISMS = 10_000


class TooManySymmetries(ValueError):
    """The board has so few lines that it has too many automorphisms to list."""


def automorphisms(board: Board) -> tuple[Permutation, ...]:
    """All rearrangements of a board's cells that turn lines into lines; the marks don't matter.

    On 3×3 these are the 8 rotations and reflections. On 4×4×4 there are 192: 48 rotate or reflect the cube, and the
    others also turn it inside out, swap each pair of inner layers, or do both.

    Raises `TooManySymmetries` if there are more than 10,000, as on boards with hardly any lines.

    >>> len(automorphisms(Board())), len(automorphisms(Board(shape=(4, 4, 4))))
    (8, 192)
    """
    require_board(board, "automorphisms()")
    return _automorphisms(len(board), board.line_cells)


def canonical(board: Board) -> Board:
    """The representative of a board and all its mirror images: the smallest by X's cells, then by O's.

    Raises `TooManySymmetries` as `automorphisms` does.

    >>> canonical(Board().play(8)) == canonical(Board().play(2)) == Board().play(0)
    True
    """
    require_board(board, "canonical()")
    x, o = min(zip(images(board, board.x), images(board, board.o), strict=True))
    return Board(board.shape, board.k, x=x, o=o)


def images(board: Board, cells: int) -> list[int]:
    """The images of a set of cells under each of a board's automorphisms, as bit masks.

    >>> images(Board(), 0b1) == [1 << image[0] for image in automorphisms(Board())]
    True
    """
    by_cell = _images_of_cells(len(board), board.line_cells)
    marked = [masks for cell, masks in enumerate(by_cell) if cells >> cell & 1]
    return [sum(masks) for masks in zip(*marked, strict=True)] if marked else [0] * len(by_cell[0])


@cache
def _images_of_cells(size: int, lines: tuple[Line, ...]) -> list[list[int]]:
    """For each cell, its images as bit masks."""
    turns = _automorphisms(size, lines)
    return [[1 << turn[cell] for turn in turns] for cell in range(size)]


@cache
def _automorphisms(size: int, lines: tuple[Line, ...]) -> tuple[Permutation, ...]:
    """Choose an image for cell after cell: two cells must share as many lines as their images do."""
    common = Counter(pair for line in lines for pair in product(line, repeat=2))
    alike: list[dict[int, int]] = [defaultdict(int) for _ in range(size)]  # cell -> lines in common -> cells, a mask
    for one, other in permutations(range(size), 2):
        alike[one][common[one, other]] |= 1 << other
    known, found = set(map(frozenset, lines)), []
    unfinished: list[Permutation] = [()]
    while unfinished:
        images = unfinished.pop()
        cell = len(images)
        if cell == size:
            if known == {frozenset(images[cell] for cell in line) for line in lines}:
                found.append(images)
            if len(found) > MAX_AUTOMORPHISMS:
                many = f"more than {MAX_AUTOMORPHISMS:,} automorphisms"
                raise TooManySymmetries(f"This board has too few lines: it has {many}.")
            continue
        candidates = (1 << size) - 1
        for before, image in enumerate(images):
            candidates &= alike[image][common[cell, before]]
        for image in range(size):
            if candidates >> image & 1 and common[image, image] == common[cell, cell]:
                unfinished.append((*images, image))
    return tuple(sorted(found))
