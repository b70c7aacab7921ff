"""The view of search statistics in a real browser: JupyterLab, Chromium, mouse and keyboard."""

import os
import re

import pytest
from axe import violations
from playwright.sync_api import expect

from ttt import StatisticsView

pytestmark = pytest.mark.browser

SWEEP = """from ttt import Board, StatisticsView
from ttt.statistics import every_position, grid, sweep

start = Board.from_text("XO- --- ---")
rows = sweep(every_position(start), grid(order=["row-major", "best-gain"], table=[False, True]))"""
CELLS = [f"{SWEEP}\nStatisticsView(rows)", ""]
FOLDER = os.environ.get("SCREENSHOTS")  # where to leave pictures of the view for those who judge its looks


@pytest.fixture(scope="module")
def rows():
    """The same searches as in the notebook."""
    names = {}
    exec(SWEEP, names)
    return names["rows"]


@pytest.fixture(scope="module")
def notebook(opened):
    """A notebook with the view and an empty cell below it, run as a student does it."""
    with opened("statistics.ipynb", CELLS, height=1000) as page:
        page.keyboard.press("Shift+Enter")
        expect(page.get_by_role("region", name="Search statistics")).to_be_visible(timeout=60_000)
        yield page


@pytest.fixture
def view(notebook):
    return notebook.get_by_role("region", name="Search statistics")


def choose(view, label, column):
    view.get_by_label(label, exact=True).select_option(column)


def shows(view, expected):
    """The page shows the same plot and the same code as this view without a page."""
    expect(view.locator("code")).to_have_text(expected.code)
    expect(view.get_by_role("img")).to_have_attribute("aria-label", expected.plot.words)


def drawn(place):
    """The drawing in a part of the page, as it is written."""
    return place.locator("svg").first.evaluate("svg => svg.innerHTML")


def paste_and_run(notebook, copied):
    """Put a text into the second cell by keys, and run it; its output."""
    cell = notebook.locator(".jp-Notebook .jp-CodeCell").nth(1)
    cell.locator(".cm-content").click()
    notebook.keyboard.press("Control+a")
    notebook.keyboard.insert_text(copied)
    notebook.keyboard.press("Control+Enter")
    return cell.locator(".jp-OutputArea-output")


def test_with_another_x_and_colour_the_plot_and_its_code_follow_and_the_code_gives_the_same_plot(notebook, view, rows):
    shows(view, StatisticsView(rows))
    choose(view, "Across (x)", "marks")
    choose(view, "Colour", "order")
    expected = StatisticsView(rows, x="marks", by="order")
    shows(view, expected)
    notebook.context.grant_permissions(["clipboard-read", "clipboard-write"])
    view.get_by_role("button", name="Copy the code").click()
    expect(view.get_by_role("status")).to_have_text("Copied. Paste it into a cell.")
    output = paste_and_run(notebook, notebook.evaluate("navigator.clipboard.readText()"))
    expect(output.get_by_role("img")).to_have_attribute("aria-label", expected.plot.words)
    assert drawn(output) == drawn(view)


def test_rows_are_chosen_by_keys_alone_while_the_notebook_stays_as_it_was(notebook, view, rows):
    cells = notebook.locator(".jp-Notebook .jp-Cell").count()
    choose(view, "Across (x)", "marks")
    choose(view, "Colour", "setting")
    view.locator("summary").focus()
    notebook.keyboard.press("Enter")
    table = view.get_by_role("group", name="table", exact=True)
    table.get_by_label("no", exact=True).focus()
    notebook.keyboard.press("Space")
    shows(view, StatisticsView(rows, x="marks", by="setting", where={"table": [True]}))
    for key in "xabdcvzym1":  # in command mode these cut, add, delete or change notebook cells
        notebook.keyboard.press(key)
    notebook.keyboard.press("Tab")
    expect(table.get_by_label("yes", exact=True)).to_be_focused()
    notebook.keyboard.press("Space")
    expect(view.get_by_role("status")).to_contain_text("No search is left to draw")
    expect(table.get_by_label("yes", exact=True)).not_to_be_checked()
    notebook.keyboard.press("Space")
    notebook.keyboard.press("Shift+Tab")
    notebook.keyboard.press("Space")
    shows(view, StatisticsView(rows, x="marks", by="setting"))
    notebook.keyboard.press("Escape")
    expect(view.locator(":focus")).to_have_count(0)
    assert notebook.locator(".jp-Notebook .jp-Cell").count() == cells
    view.locator("summary").click()


def test_its_parts_have_names_for_those_who_do_not_see_them(view):
    snapshot = view.aria_snapshot()
    for part in ('combobox "Across (x)"', 'combobox "Upwards (y)"', 'combobox "Colour"', 'button "Copy the code"'):
        assert part in snapshot
    assert re.search(r'img "[^"]+marks on the board', snapshot)


@pytest.mark.parametrize("theme", ["JupyterLab Dark", "JupyterLab Light"])
def test_axe_finds_nothing_and_nothing_is_cut_off_in_either_theme_and_on_a_narrow_page(notebook, view, theme):
    notebook.get_by_role("menuitem", name="Settings", exact=True).click()
    for item in ("Theme", theme):
        notebook.locator(".lm-Menu-itemLabel").get_by_text(item, exact=True).click()
    expect(notebook.locator("body")).to_have_attribute("data-jp-theme-name", theme)
    view.locator("summary").click()
    view.evaluate("root => root.dataset.axe = 'statistics'")
    for width in (1280, 480):
        notebook.set_viewport_size({"width": width, "height": 1000})
        assert view.evaluate("root => root.scrollWidth <= root.clientWidth")
        assert violations(notebook, "[data-axe=statistics]") == []
        if FOLDER:
            view.evaluate("root => root.scrollIntoView()")
            notebook.screenshot(path=f"{FOLDER}/statistics-{theme.split()[1].lower()}-{width}.png")
    notebook.set_viewport_size({"width": 1280, "height": 1000})
    view.locator("summary").click()
