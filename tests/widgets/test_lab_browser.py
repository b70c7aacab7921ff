"""What the lab's extension does in JupyterLab."""

import pytest
from conftest import wear
from nbformat.v4 import new_code_cell, new_output
from playwright.sync_api import expect

pytestmark = pytest.mark.browser


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


def test_drawings_have_an_alternative_text_and_follow_the_theme(opened):
    drawing = "from ttt import Board, svg\nsvg.draw(Board.from_text('X-O --- ---'), caption='what now?')"
    hidden = new_code_cell("41 + 1", outputs=[new_output("stream", text="42")])
    hidden.metadata["jupyter"] = {"outputs_hidden": True}
    with opened("drawn.ipynb", [drawing, hidden]) as page:
        page.keyboard.press("Shift+Enter")
        image = page.locator(".jp-RenderedSVG img")
        image.wait_for(timeout=60_000)
        words = "Tic-tac-toe: X to move; X empty O; empty empty empty; empty empty empty; what now?"
        expect(image).to_have_attribute("alt", words)
        for theme in ("dark", "light"):
            wear(page, f"JupyterLab {theme.title()}")
            assert image.evaluate("image => getComputedStyle(image).colorScheme") == theme
        placeholder = page.locator(".jp-OutputPlaceholder .jp-PlaceholderText")
        expect(placeholder).to_have_css("font-size", "0px")  # its first line is the answer
