"""Wait for states, however long they take: no test needs a machine of a certain speed."""

import re

LONG = 120  # seconds; only something broken takes this long
# Runs in the page: whether the notebook ends where the page's narrow bar on the right begins.
FITS = """width => {
  const { right } = document.querySelector('.jp-NotebookPanel').getBoundingClientRect();
  return right <= width && right > width - 60;
}"""


def run(page, index=0):
    """Run a cell in JupyterLab; the result of this run is there when this returns."""
    from playwright.sync_api import expect

    cell = page.locator(".jp-Notebook .jp-CodeCell").nth(index)
    mark_outputs(cell)
    cell.locator(".jp-InputPrompt").first.click()
    page.keyboard.press("Control+Enter")
    expect(cell.locator("[data-old]")).to_have_count(0)
    expect(cell.locator(".jp-InputPrompt").first).to_have_text(re.compile(r"\[\d+\]"))


def mark_outputs(part):
    """Mark the outputs in a part of the page as old; a mark goes when its cell runs again."""
    part.evaluate("part => part.querySelectorAll('.jp-OutputArea-child').forEach(output => output.dataset.old = true)")


def resize(page, width, height):
    """Give the page another size; JupyterLab has laid the notebook out in it when this returns."""
    page.set_viewport_size({"width": width, "height": height})
    page.wait_for_function(FITS, arg=width)
