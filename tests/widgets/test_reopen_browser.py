"""A notebook that is saved, closed and opened again, or whose kernel is restarted: what its widgets show then."""

import json
import re
import urllib.request
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass

import pytest
from conftest import moves_to, upload
from playwright.sync_api import expect

from ttt import PLAYERS, Board
from ttt.widgets.recap import questions

pytestmark = pytest.mark.browser

GAME = 'from ttt import GameBoard\ngame = GameBoard("flash-clever")\ngame'
LOST = "This is where the game stood. Run the cells from the top for a new game."
SILENT = "Python does not answer yet. If it was restarted, run the cells from the top."
STATE = "application/vnd.jupyter.widget-state+json"
FRONTS = [pytest.param("/lab/tree/", id="JupyterLab"), pytest.param("/notebooks/", id="Notebook 7")]
in_lab = pytest.mark.parametrize("notebook", FRONTS[:1], indirect=True)  # what is the same in both
# Runs in the page: the elements whose front end shows the icon of a broken link.
BROKEN = """[...document.querySelectorAll('.jupyter-widgets-disconnected')]
    .filter(node => getComputedStyle(node, '::before').display !== 'none').length"""


@dataclass(frozen=True)
class Case:
    """A widget, what a person does with it, how that shows afterwards, and what the widget says without a kernel."""

    source: str
    act: Callable
    shows: Callable
    says: str
    needs: tuple[str, str]  # the role and the name of a control that needs the kernel


def guess(root):
    root.get_by_label("Your guess").last.fill("500,000")
    root.get_by_role("button", name="Keep my guess").click()
    expect(root.get_by_role("status")).to_contain_text("Kept: 500,000.")


def choose(root):
    root.get_by_label("the centre").check()
    root.get_by_role("button", name="Keep my guess").click()
    expect(root.get_by_role("status")).to_contain_text("Kept: “the centre”.")


def put_in_order(root):
    root.get_by_role("button", name="Move rules up").click()
    root.get_by_role("button", name="Keep my guess").click()
    expect(root.get_by_role("status")).to_contain_text("Kept: rules, random.")


def answer(root):
    root.get_by_role("radio").nth(1).check()
    root.get_by_role("button", name="Check question 1").click()
    answered(root)


def answered(root):
    expect(root.get_by_role("radio").nth(1)).to_be_checked()
    expect(root.locator(".ttt-verdict").first).to_have_text(reply(0, 1))
    expect(root.locator(".ttt-verdict").nth(1)).to_be_empty()


def reply(question, choice):
    asked = questions("00_play")[question]
    return asked.reply(asked.choices[choice])["text"]


def fill_in(root):
    root.get_by_role("textbox").first.fill("4")
    root.get_by_role("button", name="Check").click()
    filled_in(root)


def filled_in(root):
    expect(root.get_by_role("textbox").first).to_have_value("4")
    expect(root.get_by_role("listitem")).to_contain_text("MIN takes the smallest")


def practise(root):
    root.get_by_role("button", name="Practise", exact=True).click()
    expect(root.get_by_role("region", name="Practice")).to_be_visible()


def can_be_walked_through(root):
    root.get_by_role("button", name="Start", exact=True).click()
    expect(root.get_by_text(re.compile(r"^step 0 of \d+"))).to_be_visible()
    root.get_by_role("button", name="Step forward").click()
    expect(root.get_by_text(re.compile(r"^step 1 of \d+"))).to_be_visible()


def plot(root):
    root.get_by_label("Upwards (y)").select_option("leaves")
    plotted(root)


def plotted(root):
    expect(root.get_by_label("Upwards (y)")).to_have_value("leaves")
    expect(root.locator(".tts-code")).to_contain_text('y="leaves"')


CASES = [
    Case(
        "from ttt import guess\nguess('nodes')",
        guess,
        lambda root: expect(root.get_by_label("Your guess").last).to_have_value("500,000"),
        "Run the cells from the top to make or change your guess.",
        ("button", "Keep my guess"),
    ),
    Case(
        "from ttt import guess\nguess('first', choices=['a corner', 'the centre'])",
        choose,
        lambda root: expect(root.get_by_label("the centre")).to_be_checked(),
        "Run the cells from the top to make or change your guess.",
        ("radio", "a corner"),
    ),
    Case(
        "from ttt import guess\nguess('order', order=['random', 'rules'])",
        put_in_order,
        lambda root: expect(root.get_by_role("listitem").first).to_contain_text("rules"),
        "Run the cells from the top to make or change your guess.",
        ("button", "Move random up"),
    ),
    Case(
        "from ttt import recap\nrecap('00_play')",
        answer,
        answered,
        "Run the cells from the top to answer.",
        ("button", "Check question 2"),
    ),
    Case(
        "from ttt import fill_in\nfill_in([[3, 5], [2, 9]])",
        fill_in,
        filled_in,
        "Run the cells from the top to start over with an empty tree.",
        ("button", "Show the rest"),
    ),
    Case(
        "from ttt import Explorer\nExplorer()",
        practise,
        can_be_walked_through,
        "You can still go through the steps. Run the cells from the top to change options or practise.",
        ("button", "Practise"),
    ),
    Case(
        "from ttt import Board, StatisticsView\nfrom ttt.search import alphabeta\n"
        "board = Board.from_text('XO- --- ---')\n"
        "StatisticsView([alphabeta(board, depth=depth) for depth in (1, 2, 3)])",
        plot,
        plotted,
        "Run the cells from the top to plot something else.",
        ("combobox", "Across (x)"),
    ),
]


@pytest.fixture(params=FRONTS)
def notebook(lab, browser, request):
    """Opens a notebook with a game, which another cell stands below, again and again, each time without a kernel."""
    return opening(lab, browser, request.param, "game", [GAME, "1 + 1"])


@pytest.fixture(params=FRONTS)
def others(lab, browser, request):
    """The same for a notebook with all other widgets."""
    return opening(lab, browser, request.param, "others", [case.source for case in CASES])


def opening(lab, browser, front, name, cells):
    path = f"{name}-in-{front.split('/')[1]}.ipynb"
    upload(lab, path, cells)

    @contextmanager
    def notebook():
        shut_down(lab)
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        page.goto(lab.replace("/lab/tree/", front).format(path))
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


def restart(page):
    page.get_by_role("menuitem", name="Kernel", exact=True).click()
    page.locator(".lm-Menu-itemLabel").get_by_text("Restart Kernel…", exact=True).click()
    page.locator(".jp-Dialog .jp-mod-accept").click()


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


@in_lab
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
        restart(page)
        says(page, LOST)
        shows(page, position)
        assert page.evaluate(BROKEN) == 0
        page.locator(".ttt-cell").nth(position.moves[0]).click()
        says(page, LOST)
        shows(page, position)
        run(page)
        says(page, re.compile("You are X"))


@in_lab
def test_a_board_says_so_when_its_kernel_was_shut_down_elsewhere(lab, notebook):
    with notebook() as page:
        run(page)
        position = play(page, moves_to("X")[:1])
        shut_down(lab)
        page.locator(".ttt-cell").nth(position.moves[0]).click()
        says(page, SILENT)
        shows(page, position)


def test_every_other_widget_shows_what_was_done_and_says_what_to_do_once_its_kernel_is_gone(others):
    with others() as page:
        use_all(page)
        restart(page)
        all_are_lost(page)
        use_all(page)
        save(page)
    with others() as page:
        all_are_lost(page)
    kept = json.dumps(others.file()["content"], ensure_ascii=False)
    unanswered = questions("00_play")[1]
    assert reply(0, 1) in kept and not any(why in kept for why in [unanswered.because, *unanswered.wrong.values()])


def use_all(page):
    for index, case in enumerate(CASES):
        run(page, index)
        expect(widget(page, index).get_by_text(case.says)).to_have_count(0)
        case.act(widget(page, index))


def widget(page, index):
    return page.locator(".jp-Notebook .jp-CodeCell").nth(index).locator(".ttt-themed").first


def all_are_lost(page):
    for index, case in enumerate(CASES):
        root, (role, name) = widget(page, index), case.needs
        expect(root.get_by_text(case.says)).to_be_visible()
        expect(root.get_by_role(role, name=name, exact=True)).to_be_disabled()
        case.shows(root)
    assert page.evaluate(BROKEN) == 0
