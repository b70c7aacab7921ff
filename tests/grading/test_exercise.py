"""The exercises done in a real browser: a wrong function is told what is wrong with it, and the right one is right."""

import re

import pytest
from conftest import choose, naming
from playwright.sync_api import expect
from submissions import sources

pytestmark = pytest.mark.browser

WRONG = """def heuristic_1(board, player):
    rival = opponent(player)
    worth = {0: 0, 1: 1, 2: 3, 3: 0}
    return sum(worth[line.count(player)] - worth[line.count(rival)] for line in board.lines)"""
RIGHT = WRONG.replace("in board.lines)", "in board.lines\n        if not (player in line and rival in line))")
SEARCHES = {kind: sources(f"alpha_beta_{kind}") for kind in ("right", "wrong")}


def cell(page, text):
    return page.locator(".jp-Notebook .jp-CodeCell").filter(has=page.locator(".cm-content", has_text=text)).first


def run(page, text, source=""):
    """Run the cell with this text, filled in with a source if there is one; returns its output."""
    cell(page, text).locator(".cm-content").click()
    if source:
        page.keyboard.press("Control+A")
        page.keyboard.insert_text(source)
    page.keyboard.press("Shift+Enter")
    found = cell(page, source.partition("\n")[0] or text)
    expect(found.locator(".jp-InputPrompt").first).to_have_text(re.compile(r"\[\d+\]"))
    return found.locator(".jp-OutputArea")


def run_all(page, last, *words):
    """Run all cells, none of which may fail, and wait until the last one names these words."""
    choose(page, "Run", "Run All Cells")
    expect(cell(page, last).locator(".jp-OutputArea")).to_contain_text(naming(*words))
    expect(page.locator('.jp-OutputArea-output[data-mime-type="application/vnd.jupyter.stderr"]')).to_have_count(0)


def test_heuristic_1_is_worked_out_by_hand_and_done_wrong_and_then_right(opened):
    with opened("exercises/heuristic_1/heuristic_1.ipynb") as page:
        run(page, "from ttt import Board")
        run(page, "to_count = Board")
        by_hand = 'expect(to_count, "X"'
        expect(run(page, by_hand)).to_contain_text(naming("not started"))
        expect(run(page, by_hand, f"{by_hand}, value=2)")).to_contain_text(naming("✓", "right"))

        run(page, "def heuristic_1", WRONG)
        output = run(page, "check(heuristic_1)")
        expect(output).to_contain_text(naming("✗", "lines", "both sides", "blocked"))
        expect(output.locator("svg").first).to_be_visible()
        run(page, "def heuristic_1", RIGHT)
        expect(run(page, "check(heuristic_1)")).to_contain_text(naming("✓", "right", "your function"))
        run_all(page, 'in ("flash-clever", clever_1)', "clever_1 (O) wins")


def test_alpha_beta_is_done_wrong_and_then_right(opened):
    with opened("exercises/alpha_beta/alpha_beta.ipynb") as page:
        run(page, "from ttt import Board")
        expect(run(page, "tree = ((4, 7, 5)")).to_contain_text(naming("not started"))

        check = 'check(alpha_beta, "alpha_beta")'
        run(page, "def alpha_beta", SEARCHES["wrong"]["> instead of >= / fail-hard"].strip())
        output = run(page, check)
        expect(output).to_contain_text(naming("✗", "not yet", "alpha", "equal", "beta"))
        expect(output).to_contain_text("alpha_beta(Board.from_text(")
        expect(output.locator("svg").first).to_be_visible()
        expect(output.get_by_text("yours", exact=True).first).to_be_visible()
        run(page, "def alpha_beta", SEARCHES["right"]["negamax, fail-soft"].strip())
        expect(run(page, check)).to_contain_text(naming("✓", "right", "your function"))
        run_all(page, "hand_in(", "save", "hand it in")
        leaves = cell(page, "{in_order}").locator(".jp-OutputArea")
        expect(leaves).to_contain_text(re.compile(r"\b323\b.*\b323\b"))
