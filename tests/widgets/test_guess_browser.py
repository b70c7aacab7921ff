"""Guesses and recaps in a real browser: JupyterLab, Chromium, mouse and keyboard."""

import json
import os
import urllib.request

import pytest
from axe import violations
from conftest import wear
from playwright.sync_api import expect

from ttt.guesses import in_notebook

pytestmark = pytest.mark.browser

RECAP = """from ttt.widgets.recap import Question, Recap
Recap([
    Question("What is 2 + 2?", "4", "Two and two are four.", {"5": "One too many.", "22": "That is a text."}),
    Question("What is 2 × 3?", "6", "Three twos.", {"5": "That is the sum.", "23": "That is a text."}),
])"""
CELLS = [
    "from ttt import guess, reveal\nguess('nodes')",
    "reveal('nodes', 549_946)",
    "guess('first', choices=['a corner', 'an edge cell', 'the centre'])",
    "reveal('first', 'the centre')",
    "guess('order', order=['random', 'open-lines', 'rules'])",
    "reveal('order', ['random', 'rules', 'open-lines'])",
    RECAP,
]
FOLDER = os.environ.get("SCREENSHOTS")  # where to leave pictures for those who judge their looks


@pytest.fixture
def notebook(opened):
    """A notebook with guesses and a recap, whose cells have not been run."""
    with opened("guesses.ipynb", CELLS, height=1400) as page:
        yield page


def cell(page, number):
    return page.locator(".jp-Notebook .jp-CodeCell").nth(number)


def output(page, number):
    return cell(page, number).locator(".jp-OutputArea").first


def run(page, *numbers):
    for number in numbers:
        cell(page, number).locator(".cm-content").click()
        page.keyboard.press("Control+Enter")
        expect(output(page, number)).not_to_be_empty(timeout=60_000)


def form(page, number):
    return output(page, number).get_by_role("group", name="Your guess").first


def kept(page):
    """The guesses in the notebook's file, once it has been saved."""
    with page.expect_response(lambda answer: answer.request.method == "PUT" and "guesses.ipynb" in answer.url):
        page.keyboard.press("Control+s")
    address = page.url.partition("/lab/")[0] + "/api/contents/guesses.ipynb?token=token"
    return in_notebook(json.loads(urllib.request.urlopen(address).read())["content"])


def restart_and_run_all(page):
    page.get_by_role("menuitem", name="Kernel", exact=True).click()
    page.locator(".lm-Menu-itemLabel").get_by_text("Restart Kernel and Run All Cells…", exact=True).click()
    page.get_by_role("button", name="Confirm Kernel Restart").click()
    expect(output(page, 6).get_by_role("region", name="Recap")).to_be_visible(timeout=60_000)


def test_guesses_by_keys_are_kept_in_the_file_and_outlive_the_kernel(notebook):
    run(notebook, 0, 2, 4)
    cells = notebook.locator(".jp-Notebook .jp-Cell").count()
    field = form(notebook, 0).get_by_label("Your guess")
    field.fill("ten")
    field.press("Enter")
    expect(form(notebook, 0).get_by_role("status")).to_contain_text("'ten' is not a number")
    field.fill("")
    for key in "500,000":
        field.press(key)
    field.press("Enter")
    expect(output(notebook, 0)).to_contain_text("Your guess: 500,000.")
    expect(field).to_be_focused()
    form(notebook, 2).get_by_label("a corner").focus()
    notebook.keyboard.press("Space")
    notebook.keyboard.press("ArrowDown")
    notebook.keyboard.press("Enter")
    expect(output(notebook, 2)).to_contain_text("Your guess: “an edge cell”.")
    form(notebook, 4).get_by_role("button", name="Move rules up").focus()
    notebook.keyboard.press("ArrowUp")
    notebook.keyboard.press("Enter")
    expect(form(notebook, 4).get_by_role("status")).to_have_text("rules is number 1 of 3.")
    expect(form(notebook, 4).get_by_role("button", name="Move rules up")).to_be_focused()
    form(notebook, 4).get_by_role("button", name="Keep my guess").focus()
    notebook.keyboard.press("Space")
    expect(output(notebook, 4)).to_contain_text("Your guess: rules, random, open-lines.")
    for key in "xabdcvzym1":  # in command mode these cut, add, delete or change notebook cells
        notebook.keyboard.press(key)
    assert notebook.locator(".jp-Notebook .jp-Cell").count() == cells
    guesses = {"nodes": 500_000, "first": "an edge cell", "order": ("rules", "random", "open-lines")}
    assert {name: one.guess for name, one in kept(notebook).items()} == guesses
    restart_and_run_all(notebook)
    expect(output(notebook, 1)).to_contain_text("It is 549,946. You guessed 500,000: too low by a factor of 1.1.")
    expect(output(notebook, 3)).to_contain_text("You guessed “an edge cell”: not right.")
    expect(output(notebook, 5)).to_contain_text("2 of the 3 pairs are in the right order")
    for number in (0, 2, 4):
        expect(form(notebook, number)).to_have_count(0)
    assert {name: one.guess for name, one in kept(notebook).items()} == guesses


def test_a_recap_is_answered_by_keys_and_says_so(notebook):
    run(notebook, 6)
    recap = notebook.get_by_role("region", name="Recap")
    expect(recap).to_be_visible(timeout=60_000)
    recap.get_by_role("button", name="Check question 1").click()
    expect(recap.get_by_role("status").first).to_have_text("Choose an answer first.")
    question = recap.get_by_role("group", name="1. What is 2 + 2?")
    question.get_by_label("22").focus()
    notebook.keyboard.press("Space")
    notebook.keyboard.press("Enter")
    expect(recap.get_by_role("status").first).to_have_text("Not quite. That is a text.")
    question.get_by_label("4").check()
    recap.get_by_role("button", name="Check question 1").click()
    expect(recap.get_by_role("status").first).to_have_text("Right. Two and two are four.")
    expect(recap.get_by_role("status").last).to_have_text("")


@pytest.mark.parametrize("theme", ["JupyterLab Dark", "JupyterLab Light"])
def test_axe_finds_nothing_and_nothing_is_cut_off_in_either_theme_and_on_a_narrow_page(notebook, theme):
    wear(notebook, theme)
    run(notebook, 0, 2, 4, 6)
    recap = notebook.get_by_role("region", name="Recap")
    expect(recap).to_be_visible(timeout=60_000)
    recap.get_by_label("22").check()
    recap.get_by_role("button", name="Check question 1").click()
    expect(recap.get_by_role("status").first).to_contain_text("Not quite")
    form(notebook, 0).get_by_label("Your guess").fill("500,000")
    form(notebook, 0).get_by_role("button", name="Keep my guess").click()
    expect(output(notebook, 0)).to_contain_text("Your guess: 500,000.")
    for width in (1280, 480):
        notebook.set_viewport_size({"width": width, "height": 1400})
        for number in (0, 2, 4, 6):
            output(notebook, number).evaluate("(root, name) => root.dataset.axe = name", f"cell{number}")
            assert violations(notebook, f"[data-axe=cell{number}] .ttt-themed") == []
            root = output(notebook, number).locator(".ttt-themed")
            assert root.evaluate("root => root.scrollWidth <= root.clientWidth")
        if FOLDER:
            notebook.screenshot(path=f"{FOLDER}/guesses-{theme.split()[1].lower()}-{width}.png")
