"""Your own game in JupyterLab: mouse and keys, a double click, an endless player, both themes."""

import pytest
from axe import violations
from conftest import ROOT, naming, wear
from playwright.sync_api import expect

pytestmark = pytest.mark.browser

NIM = f"""
import sys

sys.path.insert(0, {str(ROOT / "tests")!r})

from games import Nim
from lab import Explorer, GameBoard, check_game

def first(here):
    return here.moves[0]

GameBoard(first, start=Nim(12))
"""
DRAWN = """
class Drawn(Nim):
    def _repr_svg_(self):
        dots = "".join(f'<circle cx="{12 + 20 * n}" cy="12" r="8"/>' for n in range(self.heap))
        return f'<svg width="{24 + 20 * self.heap}" height="24" viewBox="0 0 {24 + 20 * self.heap} 24">{dots}</svg>'

def endless(here):
    while True: pass

GameBoard(endless, start=Drawn(12), seconds=None)
"""
ROWS = "from games import Kayles\n\nGameBoard(first, start=Kayles('!!!'))"
CELLS = [NIM, DRAWN, "Explorer(Nim(4))", ROWS, "check_game(Drawn(12))"]


@pytest.fixture(scope="module")
def page(opened):
    with opened("own.ipynb", CELLS, height=3200) as page:
        for _ in CELLS:
            page.keyboard.press("Shift+Enter")
        expect(page.locator(".jp-OutputArea").get_by_text(naming("your rules", "?")).last).to_be_visible()
        yield page


def panel(page, number):
    return page.locator(".ttt").nth(number)


def left(root, heap):
    expect(root.locator(".own")).to_have_text(f"{heap} left")


def test_a_double_click_moves_once_and_buttons_show_what_each_move_is_worth(page):
    root = panel(page, 0)
    root.get_by_role("button", name="2", exact=True).dblclick()
    left(root, 9)
    root.get_by_role("button", name="Undo").click()
    left(root, 12)
    root.locator("summary").click()
    root.get_by_label("Show what the computer sees").check()
    for name in ("1 (−1)", "2 (−1)", "3 (−1)"):
        expect(root.get_by_role("button", name=name)).to_be_visible()
    root.get_by_label("Show what the computer sees").uncheck()


def test_a_game_is_played_by_keys_alone_and_leaves_the_notebook_unchanged(page):
    root, cells = panel(page, 0), page.locator(".jp-Notebook .jp-CodeCell").count()
    root.get_by_role("button", name="New game").click()
    root.get_by_role("button", name="1", exact=True).focus()
    for key in ("ArrowRight", "ArrowRight", "Enter"):
        page.keyboard.press(key)
    left(root, 8)
    for heap in (4, 0):  # the first button keeps the focus
        page.keyboard.press(" ")
        left(root, heap)
    expect(root.locator(".message")).to_contain_text(naming("O plays 1", "you lose", "first wins as O"))
    assert page.locator(".jp-Notebook .jp-CodeCell").count() == cells


def test_the_arrow_keys_go_from_row_to_row_of_buttons(page):
    root = panel(page, 3)
    seen = root.get_by_role("toolbar", name="Moves").get_by_role("button")
    expect(seen).to_have_text(["0, 1", "0, 2", "1, 2", "1, 3", "2, 3"])
    tops = seen.evaluate_all("all => all.map(each => each.getBoundingClientRect().top)")
    assert tops[0] == tops[1] < tops[2] == tops[3] < tops[4]
    seen.first.focus()
    for number in (1, 2, 3, 4, 4):
        page.keyboard.press("ArrowRight")
        expect(seen.nth(number)).to_be_focused()
    page.keyboard.press("Home")
    expect(seen.first).to_be_focused()


def test_stop_ends_an_endless_player_and_a_press_meanwhile_gets_an_answer(page):
    root = panel(page, 1)
    root.get_by_role("button", name="1", exact=True).click()
    message = root.locator(".message")
    expect(message).to_contain_text(naming("endless is thinking", "Press Stop"))
    root.get_by_role("button", name="2", exact=True).click(force=True)
    expect(message).to_contain_text(naming("endless is thinking", "wait"))
    root.get_by_role("button", name="Stop").click()
    expect(message).to_contain_text(naming("endless was stopped", "O plays", "random"))
    assert root.locator("img.own").evaluate("image => image.naturalWidth") > 0


@pytest.mark.parametrize("theme", ["JupyterLab Dark", "JupyterLab Light"])
def test_text_has_the_pages_colour_and_drawings_are_on_white_in_either_theme(page, theme):
    wear(page, theme)
    ink = panel(page, 0).locator("pre.own").evaluate("node => getComputedStyle(node).color")
    shown = panel(page, 0).evaluate("node => getComputedStyle(node).color")
    paper = panel(page, 1).locator("img.own").evaluate("node => getComputedStyle(node).backgroundColor")
    assert ink == shown and paper == "rgb(255, 255, 255)"


@pytest.mark.npm
@pytest.mark.parametrize("theme", ["JupyterLab Dark", "JupyterLab Light"])
def test_axe_finds_nothing_in_the_panels_of_your_own_game_in_either_theme(page, theme):
    wear(page, theme)
    page.evaluate("document.querySelectorAll('.ttt details').forEach(each => each.open = true)")
    for number in range(4):
        panel(page, number).evaluate("(root, number) => root.dataset.axe = `own-${number}`", number)
        assert violations(page, f"[data-axe=own-{number}]") == []
