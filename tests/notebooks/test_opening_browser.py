"""A lesson that you only look at stays the same file, or git would refuse the next `git pull`; its first cell runs."""

import json
import re

import nbformat
import pytest
from conftest import ROOT, ask, choose, is_save, save
from playwright.sync_api import expect

pytestmark = pytest.mark.browser
FIRST = "notebooks/00_play.ipynb"
AUTOSAVE = "lab/api/settings/@jupyterlab/docmanager-extension:plugin"


@pytest.fixture
def file(lab, browser):
    """Reads a file from the server by its path, or writes a new one."""
    base = lab.partition("/lab/")[0]

    def file(path, text=None):
        if text is not None:
            ask(lab, f"contents/{path}", "PUT", {"type": "file", "format": "text", "content": text})
        return page.request.get(f"{base}/files/{path}?token=token").text()

    page = browser.new_page()
    set_to = f"{base}/{AUTOSAVE}?token=token"
    page.request.put(set_to, data={"raw": json.dumps({"autosaveInterval": 2})})  # in seconds
    yield file
    page.request.put(set_to, data={"raw": "{}"})
    page.close()


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
def test_opening_a_lesson_changes_nothing(file, opened, path):
    kept = (ROOT / path).read_text()
    assert file("lesson.ipynb", kept) == kept
    saves = []

    def listen(page):
        page.on("response", lambda answer: saves.append(is_save(answer)))

    with opened("lesson.ipynb", prepare=listen) as page:
        if not any(saves):
            page.wait_for_event("response", is_save)
        assert file("lesson.ipynb") == kept


def test_running_a_lesson_and_clearing_it_changes_only_its_results(file, opened):
    kept = file("lesson.ipynb", (ROOT / FIRST).read_text())
    with opened("lesson.ipynb") as page:
        choose(page, "Run", "Run All Cells")
        expect(page.locator(".jp-CodeCell .jp-InputPrompt").last).to_have_text(re.compile(r"\d"))
        choose(page, "Edit", "Clear Outputs of All Cells")
        save(page)
        assert file("lesson.ipynb") == cleared(kept)


def test_a_cell_that_is_run_before_the_page_knows_its_kernel_waits_for_it(opened):
    held = []

    def hold_checkpoints(page):
        page.route("**/checkpoints*", lambda route: held.append(route))

    with opened("early.ipynb", ["6 * 7"], prepare=hold_checkpoints) as page:
        while not held:
            page.wait_for_timeout(100)
        page.keyboard.press("Control+Enter")
        for route in held:
            route.continue_()
        expect(page.locator(".jp-OutputArea-output")).to_have_text("42")
        assert not page.locator(".jp-Dialog").count()
