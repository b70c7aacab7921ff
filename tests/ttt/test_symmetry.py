"""Automorphisms keep the lines, and are as many as there are."""

import pytest
from conftest import sampled

from ttt import Board, automorphisms, canonical


@pytest.mark.parametrize(
    "shape, k, count", [((3, 3), 3, 8), ((4, 4), 4, 32), ((3, 3, 3), 3, 48), ((4, 4, 4), 4, 192), ((4, 5), 3, 4)]
)
def test_automorphisms_keep_the_lines_and_are_as_many_as_there_are(shape, k, count):
    board = Board(shape=shape, k=k)
    images = set(automorphisms(board))
    lines = {frozenset(line) for line in board.line_cells}
    assert len(images) == count
    for image in images:
        assert {frozenset(image[cell] for cell in line) for line in lines} == lines


def test_5478_positions_are_765_up_to_symmetry_each_with_one_of_its_images_the_least_as_canonical_form(positions):
    assert len({canonical(board) for board in positions}) == 765
    for board in sampled(sorted(positions, key=str), 50):
        images = set()
        for image in automorphisms(board):
            marks = ["-"] * 9
            for cell in range(9):
                marks[image[cell]] = board[cell]
            images.add(Board.from_text("".join(marks)))
        least = min(images, key=lambda image: (image.x, image.o))
        assert {canonical(each) for each in images} == {least}


def test_a_mirror_image_has_the_same_shape_and_as_many_in_a_row():
    for board in (Board((4, 4), 3), Board((3, 4), 3), Board((5, 4), 3)):
        last = board.play(len(board) - 1)
        assert canonical(last) == canonical(board.play(0)) == board.play(0) and canonical(last).k == board.k
