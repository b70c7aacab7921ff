"""Drawings: well-formed, with the board's text inside, and legible on any page. said/drawings.txt has all they show."""

import re
from fractions import Fraction
from itertools import pairwise, product
from pathlib import Path
from xml.etree import ElementTree

import pytest
from approved import approved
from oracles import CUBE

from ttt import Board, notation, play, svg

SPACE = "{http://www.w3.org/2000/svg}"
SMALL, X_AND_O = Board((2, 2, 2)).play(0).play(7), Board.from_text("X-O -X- --O")
EVERYTHING = {"lines": [(2, 5, 8)], "player": "O", "last": 8, "numbers": True, "caption": "a < b & c"}
VALUES = {1: 2, 3: -0.5, 5: "17 %", 6: 2}
SCENES = {
    "all that can be drawn, on a board whose cells are 48 wide and begin at 6": lambda: svg.draw(
        X_AND_O, values=VALUES, fills={6: "#abcdef"}, **EVERYTHING
    ),
    "two lines won at once": lambda: svg.draw(Board.from_text("XXX XOO XOO"), last=(0, 0)),
    "won by O": lambda: svg.draw(
        Board.from_text("XX- OOO X--"), caption="A caption that is wider than the board above it"
    ),
    "won by a single mark": lambda: svg.draw(Board((1, 2)).play(0)),
    "a row": lambda: svg.draw(Board((5,), 3).play(0), numbers=True, values={2: 1}),
    "layers side by side": lambda: svg.draw(SMALL, values={1: 7}, numbers=True, last=7, lines=[(0, 1)], player="X"),
    "layers slanted": lambda: svg.draw(SMALL, values={1: 7}, numbers=True, last=7, look="slanted", fills={2: "red"}),
    "layers turned": lambda: svg.draw(SMALL, values={1: 7, 2: 5}, look="turned", caption="turned"),
    "four dimensions": lambda: svg.draw(Board((1, 2, 1, 2), 2)),
    "a game": lambda: svg.strip(play("flash-clever", "flash-clever").boards[:3], "A game"),
    "pictures of several sizes": lambda: svg.beside(
        [*[svg.draw(Board())] * 3, svg.draw(Board((2, 2))), svg.draw(Board((1, 2)))]
    ),
}


def shown(picture):
    """What is drawn, a line for each part, in order: its class or text, where it begins, and how it looks."""
    root = ElementTree.fromstring(str(picture))
    yield f"{root.get('width')} by {root.get('height')}, {root.get('viewBox')}, {root.get('style')}"
    for one in root.iter():
        kind, given = one.tag.removeprefix(SPACE), dict(one.items())
        if kind in ("title", "desc"):
            yield f"{kind}: {one.text}"
        if kind in ("path", "polyline", "text", "g"):
            given.pop("stroke-linecap", 0), given.pop("stroke-linejoin", 0)
            name = given.pop("class", None) or one.text or kind
            yield f"{name}: {', '.join(f'{key} {value}' for key, value in given.items())}"


@pytest.mark.parametrize("name", SCENES)
def test_all_that_is_drawn_is_in_its_place_in_its_colour_and_in_order(name):
    """Texts lie in the drawing, and captions are 13 pixels high on screen."""
    picture = SCENES[name]()
    assert approved(Path(__file__).parent / "said/drawings.txt", name, "\n".join(shown(picture)))
    root = ElementTree.fromstring(picture._repr_svg_())
    assert repr(picture) == root.find(f"{SPACE}desc").text
    for text in root.iter(f"{SPACE}text"):
        assert 0 < float(text.get("x")) < picture.width and 0 < float(text.get("y")) < picture.height
    size = float(re.search(r"--ttt-caption:(\S+?)px", root.get("style"))[1])
    assert float(root.get("width")) / picture.width * size == pytest.approx(13, rel=0.01)


def test_a_drawing_is_written_as_svg_that_sets_dark_colours_on_itself_alone():
    """Inside a page, `svg:root` matches nothing, so a drawing doesn't change others."""
    assert approved(Path(__file__).parent / "said/drawings.txt", "a drawing, whole", str(svg.draw(Board((1, 2)))))


def test_numbers_are_written_with_their_sign_in_two_decimals_or_none_and_a_question_mark_is_never_the_highest():
    numbers = {
        **{0: "0", -1: "−1", 3.0: "+3", 0.125: "0.12", -2.5: "−2.50", -0.001: "0.00", 1000: "+1000"},
        **{Fraction(1, 3): "0.33", float("inf"): "+∞", float("-inf"): "−∞", float("nan"): "?"},
    }
    assert [notation.signed(number) for number in numbers] == list(numbers.values())
    drawing = str(svg.draw(Board(), values={0: float("nan"), 1: 2.0, 2: 1}))
    assert drawing.count(">?<") == drawing.count('class="best"') == 1


def test_the_longest_text_fits_into_its_cell_where_a_per_cent_sign_takes_the_room_of_two_letters():
    sizes = {"7": "20", "12": "20", "0.5": "15", "7 %": "12", "1000": "12", "17 %": "11", "10000": "11"}
    for words, size in sizes.items():
        assert set(re.findall('font-size="(.*?)"', str(svg.draw(Board(), values={0: "1", 4: words})))) == {size}


def test_there_are_no_frames_if_all_moves_are_best_or_no_value_is_a_number():
    for same in (dict.fromkeys(range(9), 0), {0: "17 %", 8: "83 %"}):
        assert 'class="best"' not in str(svg.draw(Board(), values=same))


def test_cells_may_be_given_by_their_coordinates():
    by_index = svg.draw(Board(), values={5: 1, 8: "last"}, fills={1: "red"}, lines=[(0, 4, 8)])
    places = {"values": {(1, 2): 1, (2, 2): "last"}, "fills": {(0, 1): "red"}, "lines": [((0, 0), (1, 1), (2, 2))]}
    assert str(svg.draw(Board(), **places)) == str(by_index)


def test_pictures_side_by_side_fit_in_a_notebook_and_keep_their_texts():
    first = lambda board: board.moves[0]  # noqa: E731 - its name has signs that SVG escapes
    game = play(first, first)
    strip, root = svg.strip(game.boards), ElementTree.fromstring(game._repr_svg_())
    assert strip.width == 5 * 156 + 4 * svg.GAP and strip.scale * strip.width <= svg.MAX_ROW_WIDTH  # six don't fit
    assert root.find(f"{SPACE}title").text == str(game)
    assert repr(strip) == "\n\n".join(picture.text for picture in svg.frames(game.boards))
    assert svg.beside([svg.draw(Board())]).title == "One board"


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
