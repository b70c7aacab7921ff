"""The board, against enumeration, hand-written lines and the whole set of texts."""

import contextlib
import copy
import itertools
import pickle

import pytest
from conftest import naming
from oracles import LINES

from ttt import Board
from ttt.board import BoardError, CellAssigned


def test_the_lines_of_3x3_are_rows_columns_and_diagonals_in_the_flash_labs_order():
    assert list(Board().line_cells) == LINES


@pytest.mark.parametrize("side, dimensions, lines", [(3, 2, 8), (4, 2, 10), (3, 3, 49), (4, 3, 76), (3, 4, 272)])
def test_a_cube_of_side_n_in_d_dimensions_has_as_many_lines_as_the_formula_says(side, dimensions, lines):
    board = Board(shape=(side,) * dimensions)
    assert len(board.line_cells) == len(set(map(frozenset, board.line_cells))) == lines
    assert lines == ((side + 2) ** dimensions - side**dimensions) // 2


def test_three_in_a_row_on_4x5_are_found_by_counting_runs():
    board = Board(shape=(4, 5), k=3)
    runs = set()
    for row, column, (down, right) in itertools.product(range(4), range(5), [(0, 1), (1, 0), (1, 1), (1, -1)]):
        cells = [(row + n * down, column + n * right) for n in range(3)]
        if all(0 <= r < 4 and 0 <= c < 5 for r, c in cells):
            runs.add(tuple(5 * r + c for r, c in cells))
    assert set(board.line_cells) == runs


def test_play_reaches_5478_positions_of_which_958_are_the_end_of_a_game(positions):
    assert len(positions) == 5478
    assert sum(board.over for board in positions) == 958
    assert sum(board.winner == "X" for board in positions) == 626
    assert sum(board.winner == "O" for board in positions) == 316


def test_of_all_texts_only_the_positions_that_play_reaches_make_a_board(positions):
    made = set()
    for marks in itertools.product("XO-", repeat=9):
        with contextlib.suppress(BoardError):
            made.add(Board.from_text("".join(marks)))
    assert made == positions


def test_moves_turn_lines_marks_and_winner_agree_on_every_position(positions):
    for board in positions:
        marks = "".join(board)
        full = [line for line in LINES if {marks[cell] for cell in line} in ({"X"}, {"O"})]
        assert board.winning_lines == tuple(full)
        assert board.winner == (marks[full[0][0]] if full else None)
        assert board.over == (bool(full) or "-" not in marks)
        assert board.moves == tuple(cell for cell in range(9) if marks[cell] == "-")
        assert board.turn == ("X" if marks.count("X") == marks.count("O") else "O")
        assert board.lines == tuple(tuple(marks[cell] for cell in line) for line in LINES)
        assert all(board[row, column] == marks[3 * row + column] for row in range(3) for column in range(3))


def test_repr_str_pickle_and_copy_give_the_same_board_back(positions):
    for board in positions:
        assert eval(repr(board)) == Board.from_text(str(board)) == board
    cube = Board(shape=(4, 4, 4)).play((1, 2, 3)).play(0)
    for board in (
        cube,
        Board(shape=(4, 5), k=3),
        Board(shape=(4, 3), k=4),
        Board(shape=(5,)),
        Board(shape=(2, 3, 4), k=2).play(5),
    ):
        assert eval(repr(board)) == Board.from_text(str(board), board.shape, board.k) == board
        assert pickle.loads(pickle.dumps(board)) == copy.deepcopy(board) == board
        assert hash(pickle.loads(pickle.dumps(board))) == hash(board)


def test_boards_of_other_rules_differ():
    assert Board() != Board(k=2) and Board() != Board(shape=(3, 3, 3)) and Board() != "a board"
    assert len({Board(), Board(k=2), Board(shape=(3, 3), k=3)}) == 2


def test_an_index_and_coordinates_name_the_same_cell():
    board = Board(shape=(2, 3, 4), k=2)
    assert board.layout == (2, 3, 4) and Board((2, 3)).layout == (1, 2, 3) and Board((5,)).layout == (1, 1, 5)
    assert str(board.play((1, 0, 2))) == "- - - -\n" * 3 + "\n- - X -\n- - - -\n- - - -"
    for cell, place in enumerate(itertools.product(range(2), range(3), range(4))):
        assert board.cell(place) == cell and board.coordinates(cell) == place
        assert board.play(place) == board.play(cell)


@pytest.mark.parametrize(
    "shape, k", [((3, 3), 3), ((4, 5), 3), ((3, 3, 3), 2), ((2, 2, 2, 2), 1), ((6,), 4), ((1, 7), 3)]
)
def test_the_lines_through_a_cell_are_those_that_contain_it(shape, k):
    board = Board(shape, k)
    for cell in range(len(board)):
        through = [mask for mask, line in zip(board.line_masks, board.line_cells, strict=True) if cell in line]
        assert list(board.lines_through(cell)) == through == list(board.lines_through(board.coordinates(cell)))


def test_a_board_may_be_as_large_as_it_may_be():
    board = Board((100, 100), 5)  # 4 directions, with 96 starts in each row, or in each column, or in both
    assert len(board.line_cells) == 2 * 96 * 100 + 2 * 96 * 96
    for move in (0, 5000, 1, 5001, 2, 5002, 3, 5003, 4):
        board = board.play(move)
    assert board.winner == "X" and board.winning_lines == ((0, 1, 2, 3, 4),)


def test_a_board_never_changes():
    board = Board()
    with pytest.raises(CellAssigned, match=naming("never changes", "board.play(cell)")):
        board[0] = "X"
    with pytest.raises(AttributeError):
        board.x = 1
    board.play(0)
    assert board == Board() and board.moves == tuple(range(9))


def test_a_board_draws_itself_with_its_text_inside():
    assert "<desc>X - O\n- X -\n- - O</desc>" in Board.from_text("X-O -X- --O")._repr_svg_()
