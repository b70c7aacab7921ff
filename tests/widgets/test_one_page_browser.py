"""All widgets on one page of JupyterLab, a board first: each can be used, by mouse and by keys, in both themes."""

import os
import re

import pytest
from conftest import wear
from playwright.sync_api import expect

pytestmark = pytest.mark.browser

CELLS = [
    'from ttt import Board, CubeGame, Explorer, GameBoard, fill_in, guess\nGameBoard("flash-clever")',
    'guess("nodes")',
    'Explorer(Board.from_text("--X X-O OXO"))',
    'fill_in(Board.from_text("--X X-O OXO"))',
    'CubeGame("cube-easy")',
]
SCREENSHOTS = os.environ.get("SCREENSHOTS")  # where to leave pictures for those who judge their looks


@pytest.fixture(params=["JupyterLab Light", "JupyterLab Dark"])
def page(opened, request):
    with opened("all.ipynb", CELLS, height=3200) as page:
        wear(page, request.param)
        for number in range(len(CELLS)):
            page.locator(".jp-Notebook .jp-CodeCell").nth(number).locator(".cm-content").click()
            page.keyboard.press("Control+Enter")
            expect(output(page, number)).not_to_be_empty(timeout=60_000)
        yield page
        if SCREENSHOTS:
            page.screenshot(path=f"{SCREENSHOTS}/all {request.param}.png")


def output(page, number):
    return page.locator(".jp-Notebook .jp-CodeCell").nth(number).locator(".jp-OutputArea").first


def test_no_form_can_be_filled_in_once_a_board_is_on_the_page(page):
    board, guess, explorer, tree, cube = (output(page, number) for number in range(len(CELLS)))

    for game in (board, cube):
        cells = game.get_by_role("gridcell")
        cells.nth(0).click()
        expect(cells.nth(0)).to_have_accessible_name(re.compile("column 1, X"))
        cells.nth(2).focus()
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        expect(game.locator("[data-mark=X]")).to_have_count(2)

    field = guess.get_by_role("textbox", name="Your guess")
    field.click()
    page.keyboard.press("Control+a")
    number = "400000" if "Dark" in page.locator("body").get_attribute("data-jp-theme-name") else "500000"
    page.keyboard.type(number)
    page.keyboard.press("Enter")
    expect(guess).to_contain_text(f"Your guess: {int(number):,}.")

    explorer.get_by_role("button", name="Practise").click()
    answer = explorer.get_by_role("textbox").first
    answer.click()
    page.keyboard.type("7")
    page.keyboard.press("Enter")
    expect(explorer.locator(".ttt-verdict")).not_to_be_empty()

    answers = tree.get_by_role("textbox")
    answers.nth(0).click()
    page.keyboard.type("1")
    answers.nth(1).focus()
    page.keyboard.type("0")
    tree.get_by_role("button", name="Check").click()
    expect(tree.get_by_role("status")).to_contain_text("right")
