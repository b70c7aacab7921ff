"""A notebook that is saved, closed and opened again, or whose kernel is restarted: what its widgets show then."""

import json
import re
import time
import urllib.error
import urllib.request
from contextlib import contextmanager, suppress

import pytest
from conftest import moves_to, upload
from playwright.sync_api import expect

from ttt import PLAYERS, Board
from ttt.widgets.recap import questions

pytestmark = pytest.mark.browser

CELLS = [
    'from ttt import GameBoard, Explorer, fill_in, recap\nGameBoard("flash-clever")',
    "Explorer()",
    "fill_in([[3, 5], [2, 9]])",
    "recap('00_play')",
]
GONE = "This is how it was left. To go on, run the cells from the top."
STATE = "application/vnd.jupyter.widget-state+json"
# Runs in the page: the elements whose front end shows the icon of a broken link.
BROKEN = """[...document.querySelectorAll('.jupyter-widgets-disconnected')]
    .filter(node => getComputedStyle(node, '::before').display !== 'none').length"""


@pytest.fixture(params=["/lab/tree/"], ids=["JupyterLab"])
def notebook(lab, browser, request):
    """Opens a notebook with all widgets, again and again, each time without a kernel."""
    path = f"all-in-{request.param.split('/')[1]}.ipynb"
    upload(lab, path, CELLS)

    @contextmanager
    def notebook():
        shut_down(lab)
        page = browser.new_page(viewport={"width": 1280, "height": 2400})
        page.set_default_timeout(30_000)
        page.goto(lab.replace("/lab/tree/", request.param).format(path))
        page.locator(".jp-Notebook .jp-CodeCell").first.wait_for(timeout=120_000)
        yield page
        page.close()

    notebook.file = lambda: ask(lab, f"contents/{path}")
    return notebook


def ask(lab, what, method="GET"):
    """What Jupyter's server answers."""
    request = urllib.request.Request(f"{lab.partition('/lab/')[0]}/api/{what}?token=token", method=method)
    with urllib.request.urlopen(request) as answer:
        return json.loads(answer.read() or "null")


def shut_down(lab, tries=60):
    """End all kernels; one that is still starting can't be ended yet."""
    for _ in range(tries):
        sessions = ask(lab, "sessions")
        for session in sessions:
            with suppress(urllib.error.HTTPError):
                ask(lab, f"sessions/{session['id']}", "DELETE")
        if not sessions:
            return
        time.sleep(0.5)


def run(page, index=0):
    """Run a cell; the result of that run is there when this returns."""
    cell = page.locator(".jp-Notebook .jp-CodeCell").nth(index)
    cell.locator(".jp-InputPrompt").first.click()
    page.keyboard.press("Shift+Enter")
    expect(cell.locator(".jp-InputPrompt").first).to_have_text(re.compile(r"\[\d+\]"), timeout=60_000)


def restart(page):
    page.get_by_role("menuitem", name="Kernel", exact=True).click()
    page.locator(".lm-Menu-itemLabel").get_by_text("Restart Kernel…", exact=True).click()
    page.locator(".jp-Dialog .jp-mod-accept").click()


def save(page):
    page.keyboard.press("Control+s")
    expect(page.locator(".jp-mod-dirty, .jp-NotebookCheckpoint:has-text('unsaved')")).to_have_count(0)
    page.wait_for_timeout(1000)


def use_all(page):
    """Run all cells, and do something with each widget; returns the position of the game."""
    for index in range(len(CELLS)):
        run(page, index)
    board = Board()
    for move in moves_to("X")[:2]:
        page.get_by_role("gridcell").nth(move).click()
        board = board.play(move)
        board = board.play(PLAYERS["flash-clever"].choose(board, None))
        shows(page, board)
    page.get_by_role("button", name="Next cut").click()
    expect(page.locator(".message").nth(1)).to_contain_text("cut off")
    page.get_by_role("textbox", name=re.compile("^Node 1, MIN")).fill("4")
    page.get_by_role("button", name="Check", exact=True).click()
    page.get_by_role("radio").nth(1).check()
    are_as_left(page, board)
    return board


def are_as_left(page, board):
    shows(page, board)
    expect(page.locator(".read-out")).to_contain_text("visited 10 of 26")
    expect(page.get_by_role("textbox", name=re.compile("^Node 1, MIN"))).to_have_value("4")
    expect(page.get_by_role("listitem").filter(has_text="MIN takes the smallest")).to_have_count(1)
    expect(page.get_by_role("radio").nth(1)).to_be_checked()
    asked = questions("00_play")[0]
    expect(page.locator(".verdict").first).to_have_text(asked.reply(asked.choices[1]))


def shows(page, board):
    for index, mark in enumerate(board):
        expect(page.get_by_role("gridcell").nth(index)).to_have_attribute("data-mark", mark)


def all_are_lost(page):
    expect(page.get_by_text(GONE)).to_have_count(len(CELLS))
    for name in ("New game", "Next cut", "Check"):
        expect(page.get_by_role("button", name=name, exact=True)).to_be_disabled()
    assert page.evaluate(BROKEN) == 0


def test_what_is_opened_again_is_as_it_was_left_until_its_cell_is_run(notebook):
    with notebook() as page:
        board = use_all(page)
        save(page)
    with notebook() as page:
        all_are_lost(page)
        are_as_left(page, board)
        run(page, 0)
        expect(page.get_by_text(GONE)).to_have_count(len(CELLS) - 1)
        shows(page, Board())
        page.get_by_role("gridcell").nth(4).click()
        shows(page, Board().play(4).play(0))
    kept = json.dumps(notebook.file()["content"], ensure_ascii=False)
    unanswered = questions("00_play")[1]
    assert not any(why in kept for why in [unanswered.because, *unanswered.wrong.values()])


def test_a_restarted_kernel_is_told_on_every_widget(notebook):
    with notebook() as page:
        board = use_all(page)
        restart(page)
        all_are_lost(page)
        are_as_left(page, board)
        page.get_by_role("gridcell").nth(board.moves[0]).click()
        shows(page, board)


def test_a_notebook_keeps_the_widgets_it_shows_and_no_others(notebook):
    with notebook() as page:
        run(page)
        page.get_by_role("gridcell").nth(4).click()
        shows(page, Board().play(4).play(0))
        save(page)
        once = notebook.file()
        for _ in range(2):
            run(page)
        shows(page, Board())
        save(page)
        again = notebook.file()
    models = [len(file["content"]["metadata"]["widgets"][STATE]["state"]) for file in (once, again)]
    assert models[0] == models[1] and abs(again["size"] - once["size"]) < 3000 and once["size"] < 80_000


def test_a_kernel_that_was_shut_down_elsewhere_is_noticed_at_the_next_press(lab, notebook):
    with notebook() as page:
        run(page)
        page.get_by_role("gridcell").nth(4).click()
        shows(page, Board().play(4).play(0))
        shut_down(lab)
        page.get_by_role("gridcell").nth(8).click()
        said = re.compile("^(Python is busy or has stopped|This is how it was left)")
        expect(page.locator(".silence").first).to_have_text(said)
        shows(page, Board().play(4).play(0))


@pytest.mark.slow
@pytest.mark.parametrize("notebook", ["/notebooks/"], indirect=True, ids=["Notebook 7"])
def test_in_notebook_7_keys_stay_on_the_board(notebook):
    with notebook() as page:
        run(page)
        cells = page.locator(".jp-Notebook .jp-Cell").count()
        page.get_by_role("gridcell").first.focus()
        for key in ("ArrowDown", "ArrowRight", *"xddab", "Enter"):
            page.keyboard.press(key)
        shows(page, Board().play(4).play(0))
        assert page.locator(".jp-Notebook .jp-Cell").count() == cells
