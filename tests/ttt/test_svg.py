"""Drawings: well-formed, with the board's text inside, and legible on any page."""

import re
from fractions import Fraction
from itertools import pairwise, product
from xml.etree import ElementTree

import pytest
from oracles import CUBE

from ttt import Board, notation, play, svg

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
        assert drawing.count('class="won"') == len(board.winning_lines)


def elements(picture):
    """What is drawn, in its order: its class or its text, where it begins, its colour, and its size or width."""
    for one in ElementTree.fromstring(str(picture)).iter():
        if one.tag in (f"{SPACE}path", f"{SPACE}polyline", f"{SPACE}text"):
            x, y = re.findall(r"[\d.]+", one.get("d") or one.get("points") or f"{one.get('x')} {one.get('y')}")[:2]
            stroke = one.get("stroke") or one.get("fill")
            name = (one.text or one.get("class")) + "+" * ((one.get("d") or "").count("M") - 1)  # for each part more
            yield name, round(float(x)), round(float(y)), stroke, one.get("stroke-width")


def test_all_that_can_be_drawn_on_a_board_is_in_its_place_in_its_colour_and_in_order():
    """Cells are 48 wide: their left sides are at 6, 54 and 102."""
    values, board = {1: 2, 3: -0.5, 5: "17 %", 6: 2}, Board.from_text("X-O -X- --O")
    extras = {"lines": [(2, 5, 8)], "player": "O", "last": 8, "numbers": True, "caption": "a < b"}
    drawn = svg.draw(board, values=values, fills={6: "#abcdef"}, **extras)
    x, o, grid, text = svg.ink("X"), svg.ink("O"), svg.ink("-"), f"var(--ttt-text,{svg.TEXT})"
    assert [*elements(drawn)] == [
        *[("fill", 8, 104, "#abcdef", None), ("last", 104, 104, o, "1")],
        *[
            ("grid+++", 54, 6, grid, "2"),
            ("line", 126, 30, o, "4"),
            ("mark-X+", 20, 20, x, "6"),
            ("mark-O+", 114, 30, o, "6"),
        ],
        *[("best", 58, 10, text, "2"), ("+2", 78, 34, text, None), ("−0.50", 30, 82, text, None)],
        *[("17 %", 126, 82, text, None), ("best", 10, 106, "#000", "2"), ("+2", 30, 130, "#000", None)],
        *[(f"{cell}", x, y, text, None) for cell, x, y in ((1, 60, 21), (3, 12, 69), (5, 108, 69), (6, 12, 117))],
        *[("7", 60, 117, text, None), ("a < b", 78, 172, text, None)],
    ]
    assert drawn.text == "    X    +2     O\n−0.50     X  17 %\n   +2     7     O\na < b"
    assert (drawn.width, drawn.height, drawn.scale, drawn.title) == (156, 178, 1.5, "Tic-tac-toe: X to move")
    won = [*elements(svg.draw(Board.from_text("XXX OO- ---"), last=2))]
    assert [one[0] for one in won] == ["last", "grid+++", "won", "mark-X++", "mark-O+"]
    assert won[2] == ("won", 30, 38, x, None)
    ends = {"XXX OO- ---": "X has won", "XX- OOO X--": "O has won", "XOX XOO OXX": "a draw", "X-- --- ---": "O to move"}
    for marks, end in ends.items():
        assert svg.draw(Board.from_text(marks)).title == f"Tic-tac-toe: {end}"


def test_numbers_are_written_with_their_sign_in_two_decimals_or_none():
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


def test_the_longest_text_fits_into_its_cell_where_a_per_cent_sign_takes_the_room_of_two_letters():
    for words, size in {
        "7": "20",
        "12": "20",
        "0.5": "15",
        "7 %": "12",
        "1000": "12",
        "17 %": "11",
        "10000": "11",
    }.items():
        assert set(re.findall('font-size="(.*?)"', str(svg.draw(Board(), values={0: "1", 4: words})))) == {size}


def test_the_numbers_of_a_board_have_one_size_and_no_frames_if_all_moves_are_best():
    root = ElementTree.fromstring(str(svg.draw(Board(), values={0: 1, 4: -100, 8: 0.25})))
    assert len({text.get("font-size") for text in root.iter(f"{SPACE}text")}) == 1
    for same in (dict.fromkeys(range(9), 0), {0: "17 %", 8: "83 %"}):
        assert 'class="best"' not in str(svg.draw(Board(), values=same))


def test_values_and_numbers_are_in_the_text_too_instead_of_free_cells():
    cube = svg.draw(Board((2, 2, 2)), values={0: 1, 7: 3})
    assert cube.text == "+1  -\n -  -\n\n -  -\n - +3" and cube.scale == 1.3
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


def test_cells_may_be_given_by_their_coordinates():
    by_index = svg.draw(Board(), values={5: 1, 8: "last"}, fills={1: "red"}, lines=[(0, 4, 8)])
    places = {"values": {(1, 2): 1, (2, 2): "last"}, "fills": {(0, 1): "red"}, "lines": [((0, 0), (1, 1), (2, 2))]}
    assert str(svg.draw(Board(), **places)) == str(by_index)


def test_pictures_side_by_side_fit_in_a_notebook_and_keep_their_texts():
    boards = play("flash-clever", "flash-clever").boards
    strip = svg.strip(boards)
    assert strip.scale * strip.width <= svg.MAX_ROW_WIDTH and str(strip).count("<desc>") == 1
    assert all(str(board) in repr(strip) for board in boards)
    for count, title in {1: "One board", 2: "2 boards side by side"}.items():
        assert svg.beside([svg.draw(Board())] * count).title == title
    row = svg.beside([svg.draw(Board())] * 5)  # four of them fit into a row
    places = [(f"{n % 4 * (156 + svg.GAP)}", f"{n // 4 * (156 + svg.GAP)}") for n in range(5)]
    assert re.findall(r"translate\((\d+),(\d+)\)", str(row)) == places
    assert [each.title for each in svg.frames(boards)][-1] == "Tic-tac-toe: a draw" != strip.title


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
    inks = {"x": svg.DARK_INK["X"], "o": svg.DARK_INK["O"], "grid": svg.DARK_INK["-"], "text": svg.DARK_TEXT}
    colours = ";".join(f"--ttt-{name}:{ink}" for name, ink in inks.items())
    assert rule == f"@media (prefers-color-scheme:dark){{svg:root{{{colours}}}}}"


@pytest.mark.parametrize("look, posts", [("slanted", 4), ("turned", 4), ("side", 0)])
def test_posts_join_the_corners_of_layers_in_a_stack_and_do_not_run_through_cells(look, posts):
    grid, drawn = svg.Grid(CUBE, look), str(svg.draw(CUBE, look=look))
    [path] = re.findall(r'class="posts" d="(.*?)"', drawn) or [""]
    found = [[*map(float, post)] for post in re.findall(r"M(\S+) (\S+?)v([\d.]+)", path)]
    assert len(found) == 3 * posts and all(length > 10 for _, _, length in found)
    x, y = grid.across, grid.down
    area = x.real * y.imag - x.imag * y.real
    for (left, top, length), part, corner in product(found, (0.1, 0.5, 0.9), grid.corners):
        at = complex(left, top + part * length) - corner
        right, down = (at.real * y.imag - at.imag * y.real) / area, (x.real * at.imag - x.imag * at.real) / area
        assert not (0.01 < right < 0.99 and 0.01 < down < 0.99)
    assert re.findall(r">(layer \d)<", drawn) == ["layer 1", "layer 2", "layer 3", "layer 4"]


def test_a_slanted_cell_has_a_value_or_its_index_and_not_both():
    for look, counts in {"side": (1, 1, 1), "slanted": (1, 0, 1)}.items():
        drawn = str(svg.draw(CUBE, values={5: 7}, numbers=True, look=look))
        assert (drawn.count(">+7<"), drawn.count(">5<"), drawn.count(">6<")) == counts
