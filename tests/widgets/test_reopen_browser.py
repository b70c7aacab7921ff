"""A notebook that is saved, closed and opened again, or whose kernel is restarted: what its boards show then."""

import json
import re
import urllib.request
from contextlib import contextmanager

import pytest
from conftest import moves_to, upload
from playwright.sync_api import expect

from ttt import PLAYERS, Board

pytestmark = pytest.mark.browser

GAME = 'from ttt import GameBoard\ngame = GameBoard("flash-clever")\ngame'
LOST = "This is where the game stood. Run this cell again for a new game."
SILENT = "Python does not answer yet. If it was restarted, run the notebook again from its top."
STATE = "application/vnd.jupyter.widget-state+json"
FRONTS = [pytest.param("/lab/tree/", id="JupyterLab"), pytest.param("/notebooks/", id="Notebook 7")]
# Runs in the page: the elements whose front end shows the icon of a broken link.
BROKEN = """[...document.querySelectorAll('.jupyter-widgets-disconnected')]
    .filter(node => getComputedStyle(node, '::before').display !== 'none').length"""


@pytest.fixture(params=FRONTS)
def notebook(lab, browser, request):
    """Opens a notebook with a game, which another cell stands below, again and again, each time without a kernel."""
    path = f"game-in-{request.param.split('/')[1]}.ipynb"
    upload(lab, path, [GAME, "1 + 1"])

    @contextmanager
    def notebook():
        shut_down(lab)
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        page.goto(lab.replace("/lab/tree/", request.param).format(path))
        page.locator(".jp-Notebook .jp-CodeCell").first.wait_for(timeout=60_000)
        yield page
        page.close()

    notebook.file = lambda: ask(lab, f"contents/{path}")
    return notebook


def ask(lab, what, method="GET"):
    """What Jupyter's server answers."""
    request = urllib.request.Request(f"{lab.partition('/lab/')[0]}/api/{what}?token=token", method=method)
    with urllib.request.urlopen(request) as answer:
        return json.loads(answer.read() or "null")


def shut_down(lab):
    for session in ask(lab, "sessions"):
        ask(lab, f"sessions/{session['id']}", "DELETE")


def run(page, index=0):
    """Run a cell; the result of that run is there when this returns."""
    cell = page.locator(".jp-Notebook .jp-CodeCell").nth(index)
    cell.locator(".jp-InputPrompt").first.click()
    page.keyboard.press("Shift+Enter")
    expect(cell.locator(".jp-InputPrompt").first).to_have_text(re.compile(r"\[\d+\]"), timeout=60_000)


def save(page):
    page.keyboard.press("Control+s")
    expect(page.locator(".jp-mod-dirty, .jp-NotebookCheckpoint:has-text('unsaved')")).to_have_count(0)
    page.wait_for_timeout(1000)


def play(page, moves):
    """The person's moves, each answered; returns the position."""
    board = Board()
    for move in moves:
        page.locator(".ttt-cell").nth(move).click()
        board = board.play(move)
        board = board.play(PLAYERS["flash-clever"].choose(board, None))
        shows(page, board)
    return board


def shows(page, board):
    for index, mark in enumerate(board):
        expect(page.locator(".ttt-cell").nth(index)).to_have_attribute("data-mark", mark)


def says(page, text):
    expect(page.locator(".ttt-status")).to_have_text(text)


def test_a_notebook_that_is_opened_again_shows_the_last_position_until_its_cell_is_run(notebook):
    with notebook() as page:
        run(page)
        position = play(page, moves_to("X")[:2])
        save(page)
    for _ in range(2):  # the second time, it was saved by a kernel that knew no board
        with notebook() as page:
            shows(page, position)
            says(page, LOST)
            expect(page.get_by_text(LOST)).to_have_count(1)
            expect(page.get_by_role("button", name="New game")).to_have_count(0)
            assert page.evaluate(BROKEN) == 0
            run(page, 1)
            save(page)
    with notebook() as page:
        run(page)
        says(page, "You are X. Click a free cell, or use the arrow keys and Enter.")
        play(page, moves_to("X")[:1])


def test_a_notebook_keeps_the_boards_it_shows_and_no_others(notebook):
    with notebook() as page:
        run(page)
        play(page, moves_to("X")[:1])
        save(page)
        once = notebook.file()
        for _ in range(2):
            run(page)
        says(page, re.compile("You are X"))
        save(page)
        again = notebook.file()
    models = [len(file["content"]["metadata"]["widgets"][STATE]["state"]) for file in (once, again)]
    assert models[0] == models[1] and abs(again["size"] - once["size"]) < 1000 and once["size"] < 80_000
    with notebook() as page:
        page.get_by_role("menuitem", name="Edit", exact=True).click()
        page.locator(".lm-Menu-itemLabel").get_by_text("Clear Outputs of All Cells", exact=True).click()
        run(page, 1)
        save(page)
    assert "widgets" not in notebook.file()["content"]["metadata"] and notebook.file()["size"] < 2000


def test_a_board_says_so_when_its_kernel_is_restarted(notebook):
    with notebook() as page:
        run(page)
        position = play(page, moves_to("X")[:1])
        page.get_by_role("menuitem", name="Kernel", exact=True).click()
        page.locator(".lm-Menu-itemLabel").get_by_text("Restart Kernel…", exact=True).click()
        page.locator(".jp-Dialog .jp-mod-accept").click()
        says(page, LOST)
        shows(page, position)
        assert page.evaluate(BROKEN) == 0
        page.locator(".ttt-cell").nth(position.moves[0]).click()
        says(page, LOST)
        shows(page, position)
        run(page)
        says(page, re.compile("You are X"))


def test_a_board_says_so_when_its_kernel_was_shut_down_elsewhere(lab, notebook):
    with notebook() as page:
        run(page)
        position = play(page, moves_to("X")[:1])
        shut_down(lab)
        page.locator(".ttt-cell").nth(position.moves[0]).click()
        says(page, SILENT)
        shows(page, position)
