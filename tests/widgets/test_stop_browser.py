"""A player that never answers, in JupyterLab: the Stop button and the menu and keys for Interrupt Kernel end it."""

import re
from statistics import median
from time import monotonic

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.browser

SOURCE = """
from ttt import CubeGame, GameBoard
loops_at = 1
def endless(board):
    while len(board.moves) <= len(board) - 2 * loops_at + 1:
        pass
    return board.moves[-1]
"""
WAYS = ("Stop", "menu", "i,i")


@pytest.fixture(params=["with subshells", "in an older kernel"])
def kernel(request):
    return "python3" if request.param == "with subshells" else request.getfixturevalue("older_kernel")


@pytest.mark.parametrize("board", ["GameBoard", "CubeGame"])
def test_stop_and_interrupt_end_a_loop_on_either_move_of_two_games_within_a_second(opened, kernel, board, capsys):
    cells = [SOURCE + f"game = {board}(endless, seconds=None)\ngame", "1 + 1"]
    with opened(f"stop-{board}-{kernel}.ipynb", cells, kernel=kernel) as page:
        page.keyboard.press("Shift+Enter")
        expect(page.get_by_role("gridcell").first).to_be_visible(timeout=60_000)
        seconds = [ended(page, way, at) for way in WAYS for at in (1, 2)]
        run(page, "7 * 6")
        expect(page.locator(".jp-OutputArea-output").last).to_have_text("42")
    with capsys.disabled():
        print(f"\n{board} on {kernel}: {' '.join(f'{one:.2f}' for one in seconds)} s")
    assert median(seconds) < 1


def ended(page, way, at):
    """The seconds until a player that loops at its first or second move has been ended this way, in a new game."""
    run(page, f"loops_at = {at}")
    press(page, "New game")
    message = page.locator(".ttt-status")
    for cell in range(at):
        expect(message).to_contain_text("Your move." if cell else "You are X.")
        page.get_by_role("gridcell").nth(cell).click()
    expect(message).to_have_text("endless is thinking. Press Stop to make it move at once.")
    page.wait_for_timeout(300)
    if way == "i,i":
        page.keyboard.press("Escape")
    elif way == "menu":
        page.get_by_role("menuitem", name="Kernel", exact=True).click()
    begun = monotonic()
    if way == "Stop":
        press(page, "Stop")
    elif way == "menu":
        page.get_by_role("menuitem", name=re.compile("^Interrupt Kernel")).click()
    else:
        page.keyboard.press("i")
        page.keyboard.press("i")
    said = "endless was stopped. O plays" if way == "Stop" else "endless was interrupted before it had answered. Undo"
    expect(message).to_contain_text(said)
    return monotonic() - begun


def press(page, label):
    page.get_by_role("button", name=label, exact=True).click()


def run(page, code):
    page.locator(".jp-Notebook .jp-CodeCell .cm-content").last.fill(code)
    page.keyboard.press("Control+Enter")
    page.keyboard.press("Escape")
    expect(page.locator(".jp-Notebook .jp-CodeCell .jp-InputPrompt").last).to_have_text(re.compile(r"\[\d+\]"))
