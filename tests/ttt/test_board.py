"""The board, against enumeration, hand-written lines and the whole set of texts."""

import contextlib
import copy
import itertools
import pickle
from random import Random

import pytest
from oracles import LINES

from ttt import Board
from ttt.board import BoardError

SHAPES = [((3, 3), 3), ((4, 5), 3), ((3, 3, 3), 2), ((2, 2, 2, 2), 1), ((6,), 4), ((1, 7), 3), ((4, 3), 4), ((2, 4), 4)]
SHAPES += [((4, 4, 4), 4), ((2, 3, 4), 2), ((3, 4), 4)]


@pytest.mark.parametrize("side, dimensions, lines", [(3, 2, 8), (4, 2, 10), (3, 3, 49), (4, 3, 76), (3, 4, 272)])
def test_a_cube_of_side_n_in_d_dimensions_has_as_many_lines_as_the_formula_says(side, dimensions, lines):
    board = Board(shape=(side,) * dimensions)
    assert len(board.line_cells) == len(set(map(frozenset, board.line_cells))) == lines
    assert lines == ((side + 2) ** dimensions - side**dimensions) // 2


@pytest.mark.parametrize("shape, k", SHAPES)
def test_lines_are_runs_of_k_cells_and_a_board_of_any_shape_is_given_back_by_its_repr_its_text_and_a_copy(shape, k):
    board, directions = Board(shape, k), itertools.product((-1, 0, 1), repeat=len(shape))
    runs, places = set(), [*itertools.product(*map(range, shape))]
    for step, start in itertools.product(directions, places):
        cells = [tuple(a + n * d for a, d in zip(start, step, strict=True)) for n in range(k)]
        if any(step) and all(cell in places for cell in cells):
            runs.add(tuple(sorted(map(places.index, cells))))
    assert set(board.line_cells) == runs and len(board.line_cells) == len(runs)
    for cell, place in enumerate(places):
        through = [mask for mask, line in zip(board.line_masks, board.line_cells, strict=True) if cell in line]
        assert list(board.lines_through(cell)) == through == list(board.lines_through(place))
        assert board.cell(place) == cell and board.coordinates(cell) == place
        assert board.play(place) == board.play(cell) and board.play(cell)[place] == "X"
    for _ in range(3):
        assert eval(repr(board)) == Board.from_text(str(board), board.shape, board.k) == board
        assert pickle.loads(pickle.dumps(board)) == copy.deepcopy(board) == board
        assert hash(pickle.loads(pickle.dumps(board))) == hash(board)
        board = board if board.over else board.play(Random(1).choice(board.moves))


def test_play_reaches_5478_positions_of_which_958_are_the_end_of_a_game_and_only_these_texts_make_a_board(positions):
    ends = [sum(board.over and board.winner == end for board in positions) for end in ("X", None, "O")]
    assert len(positions) == 5478 and ends == [626, 16, 316]
    made = set()
    for marks in itertools.product("XO-", repeat=9):
        with contextlib.suppress(BoardError):
            made.add(Board.from_text("".join(marks)))
    assert made == positions


def test_moves_turn_lines_marks_and_winner_agree_on_every_position(positions):
    assert list(Board().line_cells) == LINES  # in the Flash lab's order
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
        assert str(board) == "\n".join(" ".join(marks[row : row + 3]) for row in (0, 3, 6))


def test_boards_of_other_rules_differ():
    assert Board() != Board(k=2) and Board() != Board(shape=(3, 3, 3)) and Board() != "a board"
    assert len({Board(), Board(k=2), Board(shape=(3, 3), k=3)}) == 2


def test_a_board_may_be_as_large_as_it_may_be():
    board = Board((10_000,), 5)
    for move in (0, 5000, 1, 5001, 2, 5002, 3, 5003, 4):
        board = board.play(move)
    assert (len(board.lines), board.winner, board.winning_lines) == (9_996, "X", ((0, 1, 2, 3, 4),))


def test_a_board_never_changes_and_draws_itself_with_its_text_inside():
    board = Board.from_text("X-O -X- --O")
    with pytest.raises(AttributeError):
        board.x = 1
    board.play(1)
    assert board == Board.from_text("X-O / -X-\n--O") and board.moves == (1, 3, 5, 6, 7)
    assert "<desc>X - O\n- X -\n- - O</desc>" in board._repr_svg_()
    layouts = {shape: Board(shape).layout for shape in ((2, 3, 4), (2, 3), (5,), (2, 2, 3, 4))}
    assert layouts == {(2, 3, 4): (2, 3, 4), (2, 3): (1, 2, 3), (5,): (1, 1, 5), (2, 2, 3, 4): (4, 3, 4)}
