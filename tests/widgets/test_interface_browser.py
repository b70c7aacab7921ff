"""The interface that students start from, in a real browser."""

import json
from pathlib import Path

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.browser

NOTEBOOK = Path(__file__).parents[2] / "exercises" / "interface" / "interface.ipynb"
SOURCES = {cell["id"]: "".join(cell["source"]) for cell in json.loads(NOTEBOOK.read_text())["cells"]}


def test_the_error_of_a_click_is_shown_below_the_board_until_the_next_click(opened):
    broken = SOURCES["in-03"].replace("self.play(cell)", "print('cell', cell); self.pley(cell) if cell else None")
    with opened("broken.ipynb", [broken, SOURCES["in-04"]]) as page:
        page.keyboard.press("Shift+Enter")
        page.keyboard.press("Shift+Enter")
        cells = page.locator(".jupyter-button")
        below = page.locator(".widget-output")
        expect(cells).to_have_count(9, timeout=60_000)
        cells.nth(4).click()
        expect(below).to_contain_text("'Interface' object has no attribute 'pley'")
        cells.nth(0).click()
        expect(below).to_have_text("cell 0")
