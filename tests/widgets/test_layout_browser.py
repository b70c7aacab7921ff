"""Where boards and what is printed fit in JupyterLab: on small screens, in narrow windows, zoomed to 200 %."""

from contextlib import contextmanager
from itertools import product

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.browser

FLAT = 'from ttt import GameBoard\n\nGameBoard("flash-clever")'
CUBE = 'from ttt import CubeGame\n\nCubeGame("cube-easy")'
SCREENS = [(1280, 800), (1280, 720)]
NARROW = [(375, 800), (640, 400)]  # a telephone, and a screen of 1280×800 at 200 %
SETTLED = 500  # milliseconds until the page has its new size
# Runs in the page: what of a game is to the right of the room that the notebook has for it.
OVERFLOW = """[...document.querySelectorAll('.ttt-game *')].filter(node => node.getClientRects().length &&
    node.getBoundingClientRect().right > document.querySelector('.jp-OutputArea').getBoundingClientRect().right + 1)
    .map(node => node.getAttribute('class'))"""
# Runs in the page: the words of a text that begin in one line and end in another.
BROKEN_WORDS = """pre => {
    const text = pre.firstChild, range = document.createRange();
    return [...text.data.matchAll(/\\w+/g)].filter(({0: word, index}) => {
        range.setStart(text, index);
        range.setEnd(text, index + word.length);
        return range.getClientRects().length > 1;
    }).map(([word]) => word);
}"""


@pytest.fixture
def shown(opened):
    """Opens a notebook with one cell in a window of some size, runs the cell, and waits for what it shows."""

    @contextmanager
    def shown(code, size, output=".ttt-layer"):
        with opened("layout.ipynb", [code]) as page:
            page.set_viewport_size(dict(zip(("width", "height"), size, strict=True)))
            page.keyboard.press("Shift+Enter")
            expect(page.locator(output).last).to_be_visible(timeout=60_000)
            yield page

    return shown


def test_the_cube_fits_on_the_screen_with_its_code(shown):
    with shown(CUBE, SCREENS[0]) as page:
        for look, (width, height) in product(("Slanted", "Turned"), SCREENS):
            page.set_viewport_size({"width": width, "height": height})
            page.get_by_role("button", name=look).click()
            page.wait_for_timeout(SETTLED)
            room = page.locator(".jp-WindowedPanel-outer").bounding_box()["height"]
            first = page.locator(".jp-CodeCell").first.bounding_box()
            lowest = page.locator(".ttt-cell").last.bounding_box()
            assert lowest["y"] + lowest["height"] - first["y"] <= room, (look, width, height)
            assert page.locator(".ttt-cell").first.bounding_box()["height"] >= 24


def test_a_flat_board_is_larger_where_there_is_room(shown):
    with shown(FLAT, (1280, 800)) as page:
        grid = page.locator(".ttt-grid").bounding_box()
        assert 240 <= grid["width"] <= 280 and abs(grid["width"] - grid["height"]) < 1


@pytest.mark.parametrize("code", [FLAT, CUBE])
def test_nothing_overflows_a_narrow_window(shown, code):
    with shown(code, NARROW[0]) as page:
        for width, height in NARROW:
            page.set_viewport_size({"width": width, "height": height})
            page.wait_for_timeout(SETTLED)
            assert page.evaluate(OVERFLOW) == [], width


def test_a_long_printed_line_is_broken_between_words(shown):
    with shown("print('considerable alternatives ' * 30)", (900, 800), ".jp-OutputArea-output pre") as page:
        printed = page.locator(".jp-OutputArea-output pre").first
        assert printed.bounding_box()["height"] > 60
        assert printed.evaluate(BROKEN_WORDS) == []
