"""A lesson that you only look at stays the same file, or git would refuse the next `git pull`; its first cell runs."""

import re

import nbformat
import pytest
from conftest import ROOT, ask, choose, save
from playwright.sync_api import expect

pytestmark = pytest.mark.browser
FIRST = "notebooks/00_play.ipynb"
SLOW = re.compile(r"/checkpoints|/api/sessions")  # what a page asks for until its notebook has a kernel


def file(lab, path):
    """A notebook on the server, as its text."""
    return ask(lab, f"contents/{path}?type=file&format=text")["content"]


def put(lab, path):
    """Puts one of the repository's notebooks onto the server, and returns its text."""
    text = (ROOT / path).read_text()
    ask(lab, "contents/lesson.ipynb", "PUT", {"type": "file", "format": "text", "content": text})
    return text


def cleared(text):
    """A notebook without its results, their counts, and the note that they are hidden."""
    notebook = nbformat.reads(text, 4)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.execution_count = None
        if cell.get("outputs"):
            cell.outputs = []
            del cell.metadata["collapsed"], cell.metadata["jupyter"]
    return nbformat.writes(notebook) + "\n"


@pytest.mark.parametrize("path", [FIRST, "exercises/heuristic_1/heuristic_1.ipynb"])
def test_opening_and_saving_a_lesson_changes_nothing(lab, opened, path):
    kept = put(lab, path)
    with opened("lesson.ipynb") as page:
        save(page)
        assert file(lab, "lesson.ipynb") == kept


def test_running_a_lesson_and_clearing_it_changes_only_its_results(lab, opened):
    kept = put(lab, FIRST)
    with opened("lesson.ipynb") as page:
        page.locator(".jp-Notebook-ExecutionIndicator[data-status=idle]").wait_for()  # the kernel is there
        choose(page, "Run", "Run All Cells")
        expect(page.locator(".jp-CodeCell .jp-InputPrompt").last).to_have_text(re.compile(r"\d"))
        choose(page, "Edit", "Clear Outputs of All Cells")
        save(page)
        assert file(lab, "lesson.ipynb") == cleared(kept)


def test_cells_that_are_run_before_there_is_a_kernel_wait_for_it_and_run_in_their_order(opened):
    """A key is pressed while the page waits for its checkpoints, the running sessions and a session of its own."""
    waiting = {"checkpoints": [], "GET": [], "POST": []}  # what the page has asked for, in the order of a slow start

    def hold(route):
        kind = "checkpoints" if "checkpoints" in route.request.url else route.request.method
        loaded = kind == "checkpoints" or waiting.get("checkpoints") != []  # before, Lab itself asks
        if kind in waiting and loaded:
            waiting[kind].append(route)
        else:
            route.continue_()

    with opened("early.ipynb", ["6 * 7", "7 * 8", "8 * 9"], prepare=lambda page: page.route(SLOW, hold)) as page:
        for kind in ("checkpoints", "GET", "POST"):
            while not waiting[kind]:
                page.wait_for_timeout(100)
            page.keyboard.press("Shift+Enter")
            page.wait_for_timeout(300)
            for route in waiting.pop(kind):
                route.continue_()
        expect(page.locator(".jp-OutputArea-output")).to_have_text(["42", "56", "72"])
        expect(page.locator(".jp-CodeCell .jp-InputPrompt")).to_have_text(["[1]:", "[2]:", "[3]:", "[ ]:"])
        assert not page.locator(".jp-Dialog").count()
