"""Automorphisms against brute force over all rearrangements, and against turns and mirrors."""

import itertools

import pytest

from ttt import Board, automorphisms, canonical
from ttt.symmetry import TooManySymmetries


def test_of_all_362880_rearrangements_of_3x3_the_automorphisms_are_those_that_keep_the_lines():
    lines = {frozenset(line) for line in Board().line_cells}
    kept = {
        image
        for image in itertools.permutations(range(9))
        if all(frozenset(image[cell] for cell in line) in lines for line in lines)
    }
    assert set(automorphisms(Board())) == kept and len(kept) == 8


@pytest.mark.parametrize("shape, k, count", [((4, 4), 4, 32), ((3, 3, 3), 3, 48), ((4, 4, 4), 4, 192), ((4, 5), 3, 4)])
def test_automorphisms_keep_lines_and_form_a_group(shape, k, count):
    board = Board(shape=shape, k=k)
    images = set(automorphisms(board))
    lines = {frozenset(line) for line in board.line_cells}
    assert len(images) == count
    for image in images:
        assert {frozenset(image[cell] for cell in line) for line in lines} == lines
    for one, other in itertools.islice(itertools.product(images, repeat=2), 2000):
        assert tuple(one[cell] for cell in other) in images


def test_the_turns_and_mirrors_of_the_cube_are_among_the_192():
    board, found = Board(shape=(4, 4, 4)), set(automorphisms(Board(shape=(4, 4, 4))))
    for axes in itertools.permutations(range(3)):
        for mirrored in itertools.product((False, True), repeat=3):
            image = []
            for cell in range(64):
                place = board.coordinates(cell)
                image.append(
                    board.cell(tuple(3 - place[a] if m else place[a] for a, m in zip(axes, mirrored, strict=True)))
                )
            assert tuple(image) in found


def test_the_16_rich_cells_of_the_cube_are_alike():
    board = Board(shape=(4, 4, 4))
    rich = {cell for cell in range(64) if sum(cell in line for line in board.line_cells) == 7}
    assert {image[0] for image in automorphisms(board)} == rich


def test_5478_positions_are_765_up_to_symmetry(positions):
    assert len({canonical(board) for board in positions}) == 765


def test_all_mirror_images_have_one_canonical_form_which_is_one_of_them(positions):
    for board in list(positions)[::50]:
        images = set()
        for image in automorphisms(board):
            marks = ["-"] * 9
            for cell in range(9):
                marks[image[cell]] = board[cell]
            images.add(Board.from_text("".join(marks)))
        assert {canonical(each) for each in images} == {canonical(board)} and canonical(board) in images


def test_a_board_with_hardly_a_line_is_refused():
    with pytest.raises(TooManySymmetries, match="more than 10,000"):
        automorphisms(Board(shape=(9,)))
