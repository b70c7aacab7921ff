"""Drawings: well-formed, with the board's text inside, and legible on any page."""

import re
from fractions import Fraction
from itertools import pairwise
from xml.etree import ElementTree

import pytest
from conftest import naming
from oracles import CUBE

from ttt import Board, notation, open_for, open_lines, play, svg
from ttt.heuristics import move_values

SPACE = "{http://www.w3.org/2000/svg}"
NUMBERS = {
    **{0: "0", -1: "−1", 3.0: "+3", 0.125: "0.12", -2.5: "−2.50", -0.001: "0.00"},
    **{Fraction(1, 3): "0.33", float("inf"): "+∞", float("-inf"): "−∞", float("nan"): "?"},
}
SHAPES = [((3, 3), 3), ((4, 4, 4), 4), ((4, 5), 3), ((5,), 3), ((2, 2, 2, 2), 2)]


@pytest.mark.parametrize("shape, k", SHAPES)
def test_a_board_of_any_shape_is_drawn_with_its_text_inside(shape, k):
    board = Board(shape=shape, k=k).play(0)
    root = ElementTree.fromstring(str(svg.draw(board, last=0, caption="a < b & c")))
    assert root.find(f"{SPACE}desc").text == f"{board}\na < b & c"
    assert root.find(f"{SPACE}title").text == "Tic-tac-toe: O to move"
    width, height = float(root.get("width")), float(root.get("height"))
    for text in root.iter(f"{SPACE}text"):
        assert 0 < float(text.get("x")) < width and 0 < float(text.get("y")) < height


def test_every_position_draws_its_marks_and_every_winning_line(positions):
    for board in list(positions)[::10]:
        drawing = str(svg.draw(board))
        assert drawing.count("l20 20m0 -20l-20 20") == "".join(board).count("X")
        assert drawing.count("a11.5 11.5 0 1 0 23 0") == "".join(board).count("O")
        assert drawing.count("<polyline") == len(board.winning_lines)


def test_values_are_written_into_the_free_cells_and_the_highest_are_framed():
    board = Board.from_text("X-O -X- --O")
    drawing = str(svg.draw(board, values=move_values(open_lines, board)))
    assert drawing.count(">+2<") == 3 == drawing.count('class="best"') and drawing.count(">+1<") == 2
    assert [notation.signed(number) for number in NUMBERS] == list(NUMBERS.values())


def test_a_value_that_is_no_number_is_a_question_mark_and_never_the_highest():
    drawing = str(svg.draw(Board(), values={0: float("nan"), 1: 2.0, 2: 1}))
    assert drawing.count(">?<") == drawing.count('class="best"') == 1


@pytest.mark.parametrize("shape", [(3, 3), (4, 4, 4)])
def test_a_cells_number_does_not_lie_on_the_frame_of_the_highest_value(shape):
    drawn = str(svg.draw(Board(shape), values={0: 1, 1: 0}, numbers=True))
    left, top = map(float, re.search('class="best" d="M(\\S+) (\\S+?)l', drawn).groups())
    x, baseline = map(float, re.search('x="(\\S+)" y="(\\S+)" font-size="11" [^>]*>0<', drawn).groups())
    assert left + 1 < x and top + 1 < baseline - 8  # a digit is 8 high


def test_the_numbers_of_a_board_have_one_size_and_no_frames_if_all_moves_are_best():
    root = ElementTree.fromstring(str(svg.draw(Board(), values={0: 1, 4: -100, 8: 0.25})))
    assert len({text.get("font-size") for text in root.iter(f"{SPACE}text")}) == 1
    for same in (dict.fromkeys(range(9), 0), {0: "17 %", 8: "83 %"}):
        assert 'class="best"' not in str(svg.draw(Board(), values=same))


def test_values_and_numbers_are_in_the_text_too_instead_of_free_cells():
    picture = svg.draw(Board.from_text("X-O -X- --O"), values={1: 2, 3: -0.5, 5: "17 %"}, caption="worth")
    assert picture.text == "    X    +2     O\n−0.50     X  17 %\n    -     -     O\nworth"
    cube = svg.draw(Board((2, 2, 2)), values={0: 1, 7: 3})
    assert cube.text == "+1  -\n -  -\n\n -  -\n - +3"
    numbered = svg.draw(Board.from_text("X-O -X- --O"), numbers=True, values={1: 2})
    assert numbered.text == " X +2  O\n 3  X  5\n 6  7  O"


@pytest.mark.parametrize("scale", [1.5, 0.75, 0.6])
def test_a_caption_has_one_size_on_screen_and_a_wide_one_fits_in_the_picture(scale):
    caption = "A caption that is wider than the board above it"
    picture = svg.draw(Board(), caption=caption)
    root = ElementTree.fromstring(str(picture if scale == 1.5 else svg.beside([picture], scale=scale)))
    size = float(re.search(r"--ttt-caption:(\S+?)px", root.get("style"))[1])
    assert float(root.get("width")) / float(root.get("viewBox").split()[2]) * size == pytest.approx(13, rel=0.01)
    (text,) = root.iter(f"{SPACE}text")
    assert text.get("font-size") == "var(--ttt-caption,15px)"
    assert text.get("text-anchor") == "start" and 0 < float(text.get("x")) < 10
    assert scale < 1 or 0.6 * size * len(caption) < float(root.get("viewBox").split()[2])


def test_the_title_of_a_game_may_have_any_signs():
    first = lambda board: board.moves[0]  # noqa: E731 - its name has signs that SVG escapes
    game = play(first, first)
    root = ElementTree.fromstring(game._repr_svg_())
    assert "<lambda>" in root.find(f"{SPACE}title").text


def test_lines_are_drawn_in_the_players_colour():
    board = Board().play(4)
    drawing = str(svg.draw(board, lines=open_for(board, "O"), player="O"))
    assert drawing.count("<polyline") == 4 == drawing.count(svg.ink("O"))


def test_cells_may_be_given_by_their_coordinates():
    by_index = svg.draw(Board(), values={5: 1, 8: "last"}, fills={1: "red"}, lines=[(0, 4, 8)])
    places = {"values": {(1, 2): 1, (2, 2): "last"}, "fills": {(0, 1): "red"}, "lines": [((0, 0), (1, 1), (2, 2))]}
    assert str(svg.draw(Board(), **places)) == str(by_index)


def test_pictures_side_by_side_fit_in_a_notebook_and_keep_their_texts():
    boards = play("flash-clever", "flash-clever").boards
    strip = svg.strip(boards)
    assert strip.scale * strip.width <= svg.MAX_ROW_WIDTH and str(strip).count("<desc>") == 1
    assert all(str(board) in repr(strip) for board in boards)
    for count, title in {1: "one board", 2: "2 boards"}.items():
        assert naming(title).search(svg.beside([svg.draw(Board())] * count).title)


def test_places_are_counted_from_one_with_layers_only_if_the_board_has_any():
    assert notation.spoken(Board(), 5) == "row 2, column 3"
    assert notation.spoken(CUBE, 16) == "layer 2, row 1, column 1"
    assert notation.spoken(Board(shape=(5,)), 4) == "cell 5"


@pytest.mark.parametrize("look", svg.LOOKS)
def test_in_every_look_cells_are_apart_within_the_drawing_and_lines_are_straight(look):
    grid, picture = svg.Grid(CUBE, look), svg.draw(CUBE, look=look)
    centres = [grid.centre(cell) for cell in range(64)]
    assert len({(round(centre.real), round(centre.imag)) for centre in centres}) == 64
    assert all(0 < centre.real < picture.width and 0 < centre.imag < picture.height for centre in centres)
    for line in CUBE.line_cells:
        first, *others = [after - before for before, after in pairwise(centres[cell] for cell in line)]
        assert others == pytest.approx([first] * 2)


def test_a_drawing_sets_dark_colours_on_itself_alone():
    """Inside a page, `svg:root` matches nothing, so a drawing doesn't change others."""
    rule = re.search(r"<style>(.*?)</style>", str(svg.draw(Board())))[1]
    assert rule.startswith("@media (prefers-color-scheme:dark){svg:root{")
    assert rule.count("{") == rule.count("svg:root") + 1


def test_cells_are_filled_behind_their_marks_and_numbers_on_them_are_black():
    drawn = str(svg.draw(Board().play(4), fills={4: "#abcdef"}))
    assert drawn.index("#abcdef") < drawn.index('class="mark-X"')
    root = ElementTree.fromstring(str(svg.draw(Board(), values={0: 1, 4: 2}, fills={4: "#abcdef"})))
    colours = {text.text: text.get("fill") for text in root.iter(f"{SPACE}text")}
    assert colours == {"+1": f"var(--ttt-text,{svg.TEXT})", "+2": "#000"}


@pytest.mark.parametrize("look, posts", [("slanted", 4), ("turned", 4), ("side", 0)])
def test_posts_join_the_corners_of_layers_in_a_stack(look, posts):
    first, fourth = (svg.Grid(CUBE, look).corners[cell] for cell in (0, 48))
    drawn = str(svg.draw(CUBE, look=look))
    assert len(re.findall(r'class="posts" d="(?:M[^v]*v\d+){4}"', drawn)) * 4 == posts
    assert not posts or f"M{first.real:g} {first.imag:g}v{(fourth - first).imag:g}" in drawn


def test_a_slanted_cell_has_a_value_or_its_index_and_not_both():
    for look, counts in {"side": (1, 1, 1), "slanted": (1, 0, 1)}.items():
        drawn = str(svg.draw(CUBE, values={5: 7}, numbers=True, look=look))
        assert (drawn.count(">+7<"), drawn.count(">5<"), drawn.count(">6<")) == counts
