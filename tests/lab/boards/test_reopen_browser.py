"""What widgets show after their notebook is saved, closed and opened again, or its kernel restarted."""

import json
import os
import re
import subprocess
import sys
import time
import urllib.error
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from conftest import ROOT, ask, choose, moves_to, naming, save, upload, write_kernel
from lab.boards.guesses import MIME
from lab.boards.recap import load_questions
from playwright.sync_api import expect
from waiting import mark_outputs, run

from ttt import PLAYERS, Board

pytestmark = pytest.mark.browser

CELLS = [
    'from ttt import Board; from lab import GameBoard, Explorer, fill_in, recap\nGameBoard("flash-clever")',
    "Explorer()",
    "fill_in(Board.from_text('--X X-O OXO'))",
    "recap('00_play')",
]
GONE = naming("how you left it", "run the cells from the top")
ENDLESS = (
    "from lab.boards import GameBoard, game\ngame.MAX_THINKING_SECONDS = 2\n"
    "def loop(board):\n    while True: pass\nGameBoard(loop)"
)
ASLEEP = (
    "import time\nfrom lab import timeouts\ntimeouts.MAX_WAITING_SECONDS = 600\n"
    "def sleeper(board):\n    time.sleep(600)\nGameBoard(sleeper)"
)
# Runs in the page: how many elements show the front end's icon of a broken link.
BROKEN = """[...document.querySelectorAll('.jupyter-widgets-disconnected')]
    .filter(node => getComputedStyle(node, '::before').display !== 'none').length"""


@pytest.fixture
def notebook(lab, opened):
    """Opens a notebook, as often as needed, each time without a kernel."""

    @contextmanager
    def notebook(path):
        shut_down(lab)
        with opened(path, height=2400) as page:
            yield page

    return notebook


def shut_down(lab):
    """End all kernels; one that is still starting can't be ended yet."""
    while sessions := ask(lab, "sessions"):
        for session in sessions:
            with suppress(urllib.error.HTTPError):
                ask(lab, f"sessions/{session['id']}", "DELETE")
        time.sleep(0.1)


def restart(page, item="Restart Kernel…"):
    choose(page, "Kernel", item)
    page.locator(".jp-Dialog .jp-mod-accept").click()


def use_all(page):
    """Run all cells and use each widget; return the position of the game."""
    for index in range(len(CELLS)):
        run(page, index)
    board = Board()
    for move in moves_to("X")[:2]:
        page.get_by_role("gridcell").nth(move).click()
        board = board.play(move)
        board = board.play(PLAYERS["flash-clever"].choose(board, None))
        shows(page, board)
    page.get_by_role("button", name="Next cut").click()
    expect(page.locator(".message").nth(1)).to_contain_text(naming("cut off"))
    page.get_by_role("textbox", name=re.compile("^O's move 1 .after 0., MAX")).fill("4")
    page.get_by_role("button", name="Check", exact=True).click()
    page.get_by_role("radio").nth(1).check()
    are_as_left(page, board)
    return board


def are_as_left(page, board):
    shows(page, board)
    expect(page.locator(".read-out")).to_contain_text(naming("13 of 14 nodes"))
    expect(page.get_by_role("textbox", name=re.compile("^O's move 1 .after 0., MAX"))).to_have_value("+4")
    expect(page.get_by_role("listitem").filter(has_text=naming("one child"))).to_have_count(1)
    expect(page.get_by_role("radio").nth(1)).to_be_checked()
    asked = load_questions("00_play")[0]
    reply = {asked.right: asked.because, **asked.wrong}[asked.choices[1]].replace("`", "")
    expect(page.locator(".recap [role=status]").first).to_have_text(
        re.compile(f"^[✓✗] (Right|Not quite)\\. {re.escape(reply)}$")
    )


def shows(page, board):
    for index, mark in enumerate(board):
        expect(page.get_by_role("gridcell").nth(index)).to_have_attribute("data-mark", mark)


def all_are_lost(page):
    expect(page.get_by_text(GONE)).to_have_count(len(CELLS))
    expect(page.locator(".ttt:has(.board) .message")).to_be_hidden()  # the board's own message is no use now
    for name in ("New game", "Next cut", "Check"):
        expect(page.get_by_role("button", name=name, exact=True)).to_be_disabled()
    assert page.evaluate(BROKEN) == 0


def test_a_widget_without_its_kernel_is_as_you_left_it_until_its_cell_runs(lab, notebook):
    upload(lab, "left.ipynb", CELLS)
    with notebook("left.ipynb") as page:
        board = use_all(page)
        save(page)
        restart(page)
        all_are_lost(page)
        are_as_left(page, board)
        page.get_by_role("gridcell").nth(board.moves[0]).click()
        shows(page, board)
    with notebook("left.ipynb") as page:
        all_are_lost(page)
        are_as_left(page, board)
        run(page, 0)
        expect(page.get_by_text(GONE)).to_have_count(len(CELLS) - 1)
        shows(page, Board())
        save(page)
        expect(page.locator(".jp-mod-dirty")).to_have_count(0)
        page.get_by_role("gridcell").nth(4).click()
        shows(page, Board().play(4).play(0))
        expect(page.locator(".jp-mod-dirty")).not_to_have_count(0)  # so that a move is saved

        shut_down(lab)  # from outside, which the page may notice only at the next press
        page.get_by_role("gridcell").nth(8).click()
        expect(page.locator(".silence").first).to_contain_text(naming("run the cells from the top"))
        shows(page, Board().play(4).play(0))
    kept = json.dumps(ask(lab, "contents/left.ipynb")["content"], ensure_ascii=False)
    unanswered = load_questions("00_play")[1]
    assert not any(why in kept for why in [unanswered.because, *unanswered.wrong.values()])


QUESTIONS = [  # with the button to press, and the guess
    ("from lab import guess\nguess(nodes=...)", "Guess", "0"),  # which is false in JavaScript
    ("guess(best=..., choices=['a corner', 'the centre'])", "the centre", "“the centre”"),
    ("guess(last=..., order=['random', 'rules'])", "rules", "rules, random"),
]


def test_guesses_survive_a_restart_with_run_all_and_closing_the_notebook(lab, notebook):
    upload(lab, "guesses.ipynb", [source for source, _, _ in QUESTIONS])

    def are_there(page):
        """The guesses are in the widgets, and in the outputs that the notebook saves."""
        for place, (_, _, guess) in enumerate(QUESTIONS):
            for part in (".message", ".ttt-kept"):
                expect(page.locator(part).nth(place)).to_contain_text(naming("your guess", guess))

    with notebook("guesses.ipynb") as page:
        for index in range(len(QUESTIONS)):
            run(page, index)
        page.get_by_role("textbox", name="Number").fill("0")
        for place, (_, button, guess) in enumerate(QUESTIONS):  # each answer moves what is below it
            page.get_by_role("button", name=button, exact=True).click()
            expect(page.locator(".message").nth(place)).to_contain_text(naming("your guess", guess))
        are_there(page)
        mark_outputs(page.locator(".jp-Notebook"))
        restart(page, "Restart Kernel and Run All Cells…")
        expect(page.locator("[data-old]")).to_have_count(0)
        prompts = page.locator(".jp-CodeCell .jp-InputPrompt", has_text=re.compile(r"\[\d+\]"))
        expect(prompts).to_have_count(len(QUESTIONS))
        are_there(page)
        expect(page.locator(".silence:not(:empty)")).to_have_count(0)
        save(page)
    with notebook("guesses.ipynb") as page:
        expect(page.get_by_text(GONE)).to_have_count(len(QUESTIONS))
        are_there(page)
        for index in range(len(QUESTIONS)):
            run(page, index)
        are_there(page)
        expect(page.get_by_text(GONE)).to_have_count(0)
        save(page)
    cells = ask(lab, "contents/guesses.ipynb")["content"]["cells"]
    records = [output["data"][MIME] for cell in cells for output in cell["outputs"] if MIME in output["data"]]
    assert [record["guess"] for record in records] == [0, "the centre", ["rules", "random"]]
    assert not any("ttt_guesses" in cell["metadata"] for cell in cells)


def test_a_cell_that_was_edited_and_not_run_is_told_before_its_function_is_judged(lab, notebook):
    names = "from lab import check\nfrom lab.checks.own_game import check_game, check_heap\nclass Heap(int): pass\n"
    right = "def free_corners(board):\n    return [c for c in (0, 2, 6, 8) if board[c] == '-']"
    upload(lab, "edited.ipynb", [names + right, "check(free_corners)", "check_game(Heap(5))", "check_heap(Heap)"])
    function, game = (naming("edited the cell", name, "Run that cell") for name in ("free_corners", "Heap"))
    runs = ((0, 1), naming("Right")), ((1,), function), ((2,), game), ((3,), game), ((0, 1), naming("Not yet"))
    with notebook("edited.ipynb") as page:
        cells = page.locator(".jp-Notebook .jp-CodeCell")
        result = cells.nth(1).locator(".jp-OutputArea-output")
        for indices, told in runs:
            for index in indices:
                run(page, index)
            expect(cells.nth(indices[-1]).locator(".jp-OutputArea-output")).to_contain_text(told)
            page.locator(".jp-Notebook .cm-content").first.click()
            page.keyboard.press("Control+End")
            page.keyboard.type(" + [4]")
        restart(page, "Restart Kernel and Run All Cells…")
        expect(result).to_contain_text(naming("Not yet", "4"))
        save(page)
    assert "ttt_edited" not in json.dumps(ask(lab, "contents/edited.ipynb")["content"])


def older_kernel(place):
    """A kernel with ipykernel 6, which has no subshells, installed next to the environment's."""
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", place, "ipykernel>=6.29,<7"]
    subprocess.run(pip, check=True)
    write_kernel(Path(os.environ["JUPYTER_PATH"]), "ipykernel-6", place, ROOT)
    return "ipykernel-6"


@pytest.mark.slow
@pytest.mark.parametrize("where", ["JupyterLab", "Notebook 7", "an older kernel"])
def test_everywhere_keys_stay_on_the_board_and_a_player_ends_in_time_or_by_an_interrupt(lab, page, where, tmp_path):
    kernel = older_kernel(tmp_path) if where == "an older kernel" else "python3"
    upload(lab, "elsewhere.ipynb", [ENDLESS, ASLEEP], kernel)
    folder = "/notebooks/" if where == "Notebook 7" else "/lab/tree/"
    page.goto(lab.replace("/lab/tree/", folder).format("elsewhere.ipynb"))
    run(page)
    cells = page.locator(".jp-Notebook .jp-Cell").count()
    page.get_by_role("gridcell").first.focus()
    for key in ("ArrowDown", "ArrowRight", *"xddab", "Enter"):
        page.keyboard.press(key)
    expect(page.locator(".message")).to_contain_text("no answer within 2 seconds")
    expect(page.get_by_role("gridcell").nth(4)).to_have_attribute("data-mark", "X")
    assert page.locator(".jp-Notebook .jp-Cell").count() == cells
    run(page, 1)
    page.get_by_role("gridcell").nth(9).click()
    expect(page.locator(".message").nth(1)).to_contain_text("sleeper is thinking")
    choose(page, "Kernel", "Interrupt Kernel")
    expect(page.locator(".message").nth(1)).to_contain_text("sleeper was interrupted")
