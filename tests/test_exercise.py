"""The exercises done in a real browser: a wrong function is told what is wrong with it, and the right one is right."""

import re

import pytest
from playwright.sync_api import expect
from submissions import sources

pytestmark = pytest.mark.browser

WRONG = """def heuristic_1(board, player):
    rival = opponent(player)
    worth = {0: 0, 1: 1, 2: 3, 3: 0}
    return sum(worth[line.count(player)] - worth[line.count(rival)] for line in board.lines)"""
RIGHT = WRONG.replace("in board.lines)", "in board.lines\n        if not (player in line and rival in line))")
SEARCHES = {kind: sources(f"alpha_beta_{kind}") for kind in ("right", "wrong")}


@pytest.fixture(scope="module")
def exercise(opened):
    """The exercise, opened, with everything up to the function's cell run."""
    with opened("exercises/heuristic_1/heuristic_1.ipynb") as page:
        run(page, "from ttt.checks import check")
        yield page


def cell(page, text):
    return page.locator(".jp-Notebook .jp-CodeCell").filter(has=page.locator(".cm-content", has_text=text)).first


def run(page, text):
    cell(page, text).locator(".cm-content").click()
    page.keyboard.press("Shift+Enter")
    expect(cell(page, text).locator(".jp-InputPrompt").first).to_have_text(re.compile(r"\[\d+\]"), timeout=30_000)


def fill_in(page, source, function="heuristic_1", check="check(heuristic_1)"):
    cell(page, f"def {function}").locator(".cm-content").click()
    page.keyboard.press("Control+A")
    page.keyboard.insert_text(source)
    run(page, f"def {function}")
    run(page, check)
    return cell(page, check).locator(".jp-OutputArea")


def test_what_one_expects_is_checked_before_any_code(exercise):
    run(exercise, "first = Board")
    run(exercise, 'expect(first, "X", value=...)')
    output = cell(exercise, 'expect(first, "X"').locator(".jp-OutputArea")
    expect(output).to_contain_text("Not started")
    cell(exercise, 'expect(first, "X"').locator(".cm-content").click()
    exercise.keyboard.press("Control+A")
    exercise.keyboard.insert_text('expect(first, "X", value=-1)')
    exercise.keyboard.press("Shift+Enter")
    expect(cell(exercise, 'expect(first, "X"').locator(".jp-OutputArea")).to_contain_text("Right.")


def test_a_wrong_function_is_told_its_mistake_on_a_board_and_the_right_one_is_right(exercise):
    output = fill_in(exercise, WRONG)
    expect(output).to_contain_text("Not yet. You count lines that hold marks of both sides.")
    expect(output).to_contain_text("the right value on this board is")
    expect(output.locator("svg").first).to_be_visible()
    output = fill_in(exercise, RIGHT)
    expect(output).to_contain_text("Right. Your function gives the right value on every board")


def test_the_exercise_runs_to_its_end_with_the_right_function(exercise):
    exercise.get_by_role("menuitem", name="Run", exact=True).click()
    exercise.get_by_role("menuitem", name="Run All Cells", exact=True).click()
    last = cell(exercise, 'in ("flash-clever", clever_1)')
    expect(last.locator(".jp-OutputArea")).to_contain_text("clever_1 (O) wins", timeout=60_000)
    expect(exercise.locator('.jp-OutputArea-output[data-mime-type="application/vnd.jupyter.stderr"]')).to_have_count(0)


def test_alpha_beta_is_done_wrong_and_then_right(opened):
    with opened("exercises/alpha_beta/alpha_beta.ipynb") as page:
        run(page, "from ttt.checks import check")
        run(page, "tree = ((4, 7, 5)")
        expect(cell(page, "tree = ((4, 7, 5)").locator(".jp-OutputArea")).to_contain_text("Not started")

        check = 'check(alpha_beta, "alpha_beta")'
        output = fill_in(page, SEARCHES["wrong"]["> instead of >= / fail-hard"].strip(), "alpha_beta", check)
        expect(output).to_contain_text("Not yet. Your function goes on where alpha equals beta.")
        expect(output).to_contain_text("You can ask it yourself: alpha_beta(Board.from_text(")
        expect(output.locator("svg").first).to_be_visible()
        expect(output.get_by_text("yours", exact=True).first).to_be_visible()

        output = fill_in(page, SEARCHES["right"]["negamax, fail-soft"].strip(), "alpha_beta", check)
        expect(output).to_contain_text("Right. Your function gives the right value on every board asked")

        page.get_by_role("menuitem", name="Run", exact=True).click()
        page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
        last = cell(page, "hand_in(")
        expect(last.locator(".jp-OutputArea")).to_contain_text("Save the notebook and hand it in.", timeout=60_000)
        expect(cell(page, "alphabeta's {plain.leaves}").locator(".jp-OutputArea")).to_contain_text(
            "yours 323, alphabeta's 323"
        )
        stopped = page.locator('.jp-OutputArea-output[data-mime-type="application/vnd.jupyter.stderr"]')
        expect(stopped).to_have_count(0)
