"""The first notebook in a real browser: JupyterLab, Chromium, mouse and keyboard."""

import re
from statistics import median

import pytest
from conftest import moves_to
from playwright.sync_api import expect

from ttt import PLAYERS, Board
from ttt.svg import spoken

pytestmark = pytest.mark.browser

# Runs in the page: click a cell, and resolve to the milliseconds until its mark is there.
CLICK_TO_MARK = """cell => new Promise(resolve => {
  const start = performance.now();
  new MutationObserver((_, observer) => {
    if (cell.dataset.mark === '-') return;
    observer.disconnect();
    resolve(performance.now() - start);
  }).observe(cell, {attributes: true});
  cell.click();
})"""
SAVED = "fetch('/api/contents/notebooks/00_play.ipynb?token=token').then(got => got.json())"


@pytest.fixture(scope="module")
def notebook(opened):
    """The first notebook, opened and run from its top as a student does it."""
    with opened("notebooks/00_play.ipynb") as page:
        page.keyboard.press("Shift+Enter")
        expect(page.get_by_role("grid", name="Tic-tac-toe board")).to_be_visible(timeout=60_000)
        yield page


def test_a_cell_that_is_run_before_its_kernel_has_started_waits_for_it(lab, page):
    waiting = []  # the requests for a kernel, held back

    def hold(route):
        waiting.append(route) if route.request.method == "POST" else route.continue_()

    page.route("**/api/sessions**", hold)
    page.goto(lab.format("notebooks/09_tournament.ipynb"))
    cell = page.locator(".jp-Notebook .jp-CodeCell").first
    cell.click(timeout=60_000)
    cell.locator(".cm-content").fill("from ttt import GameBoard\nGameBoard()")
    while not waiting:
        page.wait_for_timeout(50)
    page.keyboard.press("Shift+Enter")
    expect(cell.locator(".jp-InputPrompt").first).to_have_text("[*]:")
    waiting.pop().continue_()
    page.unroute_all(behavior="wait")
    expect(page.get_by_role("grid", name="Tic-tac-toe board")).to_be_visible(timeout=60_000)


@pytest.fixture
def board(notebook):
    """The board in the page, with a new game on it and the score as it was."""
    notebook.get_by_role("button", name="New game").click()
    choose(notebook, "You play", "X, first")
    choose(notebook, "Opponent", "flash-clever")
    grid = notebook.get_by_role("grid", name="Tic-tac-toe board")
    expect(grid.get_by_role("gridcell", name=re.compile("empty"))).to_have_count(9)
    return grid


def choose(page, label, option):
    page.get_by_label(label).select_option(option)


def saved_cells(page):
    """The notebook's cells, as they stand in its file after Ctrl+S."""
    page.keyboard.press("Control+s")
    expect(page.locator(".jp-mod-dirty")).to_have_count(0)
    for _ in range(50):
        file = page.evaluate(SAVED)
        if "content" in file:  # there is no whole file while it is written
            return [(cell["id"], cell["cell_type"], cell["source"]) for cell in file["content"]["cells"]]
        page.wait_for_timeout(200)
    raise AssertionError(f"the notebook can't be read: {file}")


def cell(board, index):
    return board.get_by_role("gridcell").nth(index)


def message(page):
    return page.locator(".ttt-status")


def shows(board, position):
    """Every cell of the page shows and names the mark that it has."""
    for index, mark in enumerate(position):
        expect(cell(board, index)).to_have_attribute("data-mark", mark)
        state = "empty" if mark == "-" else mark
        expect(cell(board, index)).to_have_accessible_name(re.compile(rf"^{spoken(position, index)}, {state}(, .*)?$"))


ENDS = [
    ("X", "You win! X has 3 in a row."),
    ("O", "You lose: flash-clever has 3"),
    (None, "It is a draw: the board is full"),
]


@pytest.mark.parametrize("winner, said", ENDS)
def test_a_game_with_the_mouse_in_which_each_end_is_announced_at_once(notebook, board, winner, said):
    position = Board()
    for move in moves_to(winner):
        expect(message(notebook)).not_to_contain_text(said)
        cell(board, move).click()
        position = position.play(move)
        if not position.over:
            position = position.play(PLAYERS["flash-clever"].choose(position, None))
        shows(board, position)
    assert position.over and position.winner == winner
    expect(message(notebook)).to_contain_text(said)
    expect(message(notebook)).to_have_attribute("aria-live", "polite")
    for index in {index for line in position.winning_lines for index in line}:
        expect(cell(board, index)).to_have_accessible_name(re.compile("winning line"))


def test_a_game_with_the_keyboard_alone_that_leaves_the_notebook_as_it_was(notebook, board):
    cells_before = saved_cells(notebook)
    cell(board, 0).focus()
    position, at = Board(), 0
    for turn, move in enumerate(moves_to("X")):
        for key, steps in (("ArrowDown", move // 3 - at // 3), ("ArrowRight", move % 3 - at % 3)):
            back = {"ArrowDown": "ArrowUp", "ArrowRight": "ArrowLeft"}[key]
            for _ in range(abs(steps)):
                notebook.keyboard.press(key if steps > 0 else back)
        at = move
        expect(cell(board, move)).to_be_focused()
        for key in "xabdcvzym1":  # in command mode these cut, add, delete or change notebook cells
            notebook.keyboard.press(key)
        notebook.keyboard.press("Enter" if turn % 2 else "Space")
        position = position.play(move)
        if not position.over:
            position = position.play(PLAYERS["flash-clever"].choose(position, None))
        shows(board, position)
        expect(cell(board, move)).to_be_focused()
    expect(message(notebook)).to_contain_text("You win!")
    notebook.locator(".jp-Notebook .jp-CodeCell .cm-content").first.click()
    assert saved_cells(notebook) == cells_before


def test_keys_pressed_on_a_control_leave_the_notebook_as_it_was_and_work_on_the_control(notebook, board):
    cells_before = saved_cells(notebook)
    hint, numbers = notebook.get_by_role("button", name="Hint"), notebook.get_by_label("Show cell numbers")
    for control in (hint, numbers, notebook.get_by_label("You play")):
        control.focus()
        for key in "xabdcvzym1":  # in command mode these cut, add, delete or change notebook cells
            notebook.keyboard.press(key)
        expect(control).to_be_focused()
    choose(notebook, "You play", "X, first")
    hint.focus()
    notebook.keyboard.press("Enter")
    expect(cell(board, 4)).to_have_accessible_name("row 2, column 2, empty, hint")
    numbers.focus()
    for checked in (True, False):
        notebook.keyboard.press("Space")
        expect(numbers).to_be_checked(checked=checked)
    notebook.keyboard.press("Escape")
    expect(numbers).not_to_be_focused()
    notebook.locator(".jp-Notebook .jp-CodeCell .cm-content").first.click()
    assert saved_cells(notebook) == cells_before


def test_the_board_is_one_tab_stop_and_escape_gives_the_focus_back(notebook, board):
    assert board.locator('[tabindex="0"]').count() == 1
    notebook.get_by_role("button", name="New game").focus()
    notebook.keyboard.press("Shift+Tab")
    focused = notebook.locator(":focus")
    expect(focused).to_have_attribute("role", "gridcell")
    notebook.keyboard.press("Escape")
    expect(notebook.locator('[role="gridcell"]:focus')).to_have_count(0)
    assert notebook.evaluate("document.activeElement.closest('.jp-Notebook') !== null")


def test_every_cell_is_named_and_stays_named_by_the_accessibility_tree(notebook, board):
    rows = [
        "  - row:\n" + "\n".join(f'    - gridcell "row {row}, column {column}, empty"' for column in (1, 2, 3))
        for row in (1, 2, 3)
    ]
    expect(board).to_match_aria_snapshot('- grid "Tic-tac-toe board":\n' + "\n".join(rows))
    cell(board, 4).click()
    expect(cell(board, 4)).to_have_accessible_name("row 2, column 2, X")
    expect(cell(board, 0)).to_have_accessible_name("row 1, column 1, O, last move")
    assert "layer" not in board.aria_snapshot()


def test_hover_shows_the_mark_to_come_and_cells_are_large_enough(notebook, board):
    cell(board, 2).hover()
    expect(cell(board, 2).locator(".ttt-x")).to_be_visible()
    expect(cell(board, 2).locator(".ttt-o")).not_to_be_visible()
    expect(cell(board, 3).locator(".ttt-x")).not_to_be_visible()
    size = cell(board, 2).bounding_box()
    assert size["width"] >= 24 and size["height"] >= 24


def test_hint_undo_score_and_what_the_computer_sees(notebook, board):
    notebook.get_by_role("button", name="Hint").click()
    expect(cell(board, 4)).to_have_accessible_name("row 2, column 2, empty, hint")
    notebook.get_by_label("Show what the computer sees").check()
    expect(cell(board, 4)).to_have_accessible_name("row 2, column 2, empty, hint, value +4")
    expect(cell(board, 4)).to_contain_text("+4")
    notebook.get_by_label("Show cell numbers").check()
    expect(cell(board, 7).locator(".ttt-number")).to_be_visible()
    notebook.get_by_label("Show cell numbers").uncheck()
    notebook.get_by_label("Show what the computer sees").uncheck()
    expect(cell(board, 4)).to_have_accessible_name("row 2, column 2, empty, hint")
    cell(board, 4).click()
    expect(cell(board, 0)).to_have_attribute("data-mark", "O")
    notebook.get_by_role("button", name="Undo").click()
    shows(board, Board())
    score = notebook.get_by_text(re.compile(r"^You \d+ · Computer \d+ · Draws \d+$"))
    before = score.inner_text()
    for move in moves_to("O"):
        cell(board, move).click()
        expect(cell(board, move)).to_have_attribute("data-mark", "X")
    expect(message(notebook)).to_contain_text("You lose")
    assert score.inner_text() != before


def test_a_taken_cell_and_a_finished_game_get_a_sentence_and_no_traceback(notebook, board):
    cell(board, 4).click()
    expect(cell(board, 0)).to_have_attribute("data-mark", "O")
    cell(board, 0).click()
    expect(message(notebook)).to_have_text("Row 1, column 1 is taken by O. Choose a free cell.")
    shows(board, Board().play(4).play(0))
    notebook.get_by_role("button", name="New game").click()
    for move in moves_to("O"):
        cell(board, move).click()
        expect(cell(board, move)).to_have_attribute("data-mark", "X")
    board.get_by_role("gridcell", name=re.compile("empty")).first.click()
    expect(message(notebook)).to_have_text("You lose: flash-clever has 3 in a row. Press New game to play another.")
    expect(notebook.locator(".jp-OutputArea-output[data-mime-type*=error]")).to_have_count(0)


def test_a_double_click_is_one_move(notebook, board):
    cell(board, 4).dblclick()
    expect(cell(board, 0)).to_have_attribute("data-mark", "O")
    expect(message(notebook)).to_have_text("O plays row 1, column 1. Your move.")
    shows(board, Board().play(4).play(0))


def test_the_computer_begins_when_asked_to(notebook, board):
    choose(notebook, "You play", "O, second")
    expect(cell(board, 4)).to_have_attribute("data-mark", "X")
    cell(board, 1).hover()
    expect(cell(board, 1).locator(".ttt-o")).to_be_visible()


def test_the_mark_comes_at_once(notebook, board, capsys):
    times = []
    for _ in range(5):
        for move in moves_to("X"):
            times.append(cell(board, move).evaluate(CLICK_TO_MARK))
        notebook.get_by_role("button", name="New game").click()
        expect(board.get_by_role("gridcell", name=re.compile("empty"))).to_have_count(9)
    with capsys.disabled():
        print(f"\nclick to mark in JupyterLab: median {median(times):.0f} ms of {len(times)} clicks")
    assert len(times) == 5 * len(moves_to("X"))


def test_the_whole_notebook_runs_and_plays_on_the_board_at_its_top(notebook, board):
    notebook.get_by_role("menuitem", name="Run", exact=True).click()
    notebook.get_by_role("menuitem", name="Run All Cells", exact=True).click()
    expect(notebook.get_by_text("CellTaken").first).to_be_attached(timeout=60_000)
    top = notebook.get_by_role("grid", name="Tic-tac-toe board").first
    shows(top, Board().play(4).play(0))
