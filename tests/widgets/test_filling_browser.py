"""The tree to fill in, in a real browser: JupyterLab, Chromium, mouse and keyboard."""

import pytest
from axe import violations
from conftest import wear
from playwright.sync_api import expect

from ttt import Board, fill_in
from ttt.svg import signed

pytestmark = pytest.mark.browser

BOARD = "--X X-O OXO"
NUMBERS = [[3, 5], [2, 9], [0, [1, 7]]]
CELLS = [
    f"from ttt import Board, fill_in\nfill_in(Board.from_text('{BOARD}'))",
    f"fill_in({NUMBERS}, alphabeta=True)",
]


@pytest.fixture(scope="module")
def notebook(opened):
    with opened("filling.ipynb", CELLS, height=1600) as page:
        for _ in CELLS:
            page.keyboard.press("Shift+Enter")
        expect(page.get_by_role("region", name="Tree to fill in")).to_have_count(2, timeout=60_000)
        yield page


@pytest.fixture
def boards(notebook):
    return notebook.get_by_role("region", name="Tree to fill in").nth(0)


@pytest.fixture
def numbers(notebook):
    return notebook.get_by_role("region", name="Tree to fill in").nth(1)


def field(region, name):
    return region.get_by_role("textbox", name=name)


def test_from_the_leaves_up_by_keys_alone_while_the_notebook_stays_as_it_was(notebook, boards):
    cells = notebook.locator(".jp-Notebook .jp-Cell").count()
    tree = fill_in(Board.from_text(BOARD))
    fields = tree.data["fields"]
    boards.get_by_role("textbox").first.focus()
    for each in fields:
        focused = boards.locator("input:focus")
        children = [tree.nodes[child["number"]] for child in each["below"]]  # filled in by now
        below = [f"{child.name}, {child.value if child.children else signed(child.worth)}" for child in children]
        expect(focused).to_have_accessible_name(f"{each['label']}; below it: {', '.join(below)}")
        notebook.keyboard.type("x")  # in command mode it would cut the cell
        notebook.keyboard.press("Backspace")
        notebook.keyboard.type(str(tree.nodes[each["number"]].value if each is not fields[-1] else -1))
        if each is not fields[-1]:
            notebook.keyboard.press("Tab")
    notebook.keyboard.press("Enter")
    expect(boards.get_by_role("status")).to_have_text("9 right, 1 not yet.")
    root = field(boards, "The root")
    expect(root).to_be_focused()
    expect(root).to_have_attribute("aria-invalid", "true")
    expect(root).to_have_accessible_description("The root: MAX takes the largest of its children: 0, +1, 0.")
    notebook.keyboard.press("Control+a")
    notebook.keyboard.type("1")
    notebook.keyboard.press("Enter")
    expect(boards.get_by_role("status")).to_have_text("All of it is right: the root is worth +1 to MAX.")
    expect(boards.get_by_role("listitem")).to_have_count(0)
    assert boards.locator("[aria-invalid]").count() == 0
    assert notebook.locator(".jp-Notebook .jp-Cell").count() == cells


def test_what_is_cut_off_is_ticked_and_drawn_so_with_all_below_it(numbers):
    tree = fill_in(NUMBERS, alphabeta=True)
    late = next(node for node in tree.nodes if node.cut and node.children)
    numbers.get_by_role("checkbox", name="Node 3.2, cut off").check()
    for number in (late.number, *late.children):
        expect(numbers.locator(f'.tte-node[data-node="{number}"]')).to_have_attribute("data-state", "cut")
    expect(numbers.get_by_role("checkbox", name="Node 3.2.1")).to_be_disabled()
    expect(field(numbers, "Node 3.2, MAX")).to_be_disabled()
    numbers.get_by_role("checkbox", name="Node 1.1").check()
    field(numbers, "Node 1, MIN").fill("5")
    numbers.get_by_role("button", name="Check").click()
    expect(numbers.get_by_role("status")).to_have_text("1 right, 2 not yet.")
    expect(numbers.get_by_role("listitem")).to_have_count(2)
    expect(numbers.get_by_role("listitem").first).to_contain_text("Node 1.1 is visited")
    snapshot = numbers.aria_snapshot()
    for name in (
        'checkbox "Node 3.2, cut off" [checked]',
        'checkbox "Node 1.1, worth +3, cut off" [checked] [invalid]',
        'textbox "Node 1, MIN; below it: node 1.1, cut off, node 1.2, +5" [invalid]\': "5"',
        'checkbox "Node 1, cut off"\n',
    ):
        assert name in snapshot
    numbers.get_by_role("button", name="Show the rest").click()
    expect(field(numbers, "The root")).to_have_value("+3")
    expect(numbers.get_by_role("checkbox", name="Node 1.1")).not_to_be_checked()
    expect(numbers.get_by_role("checkbox", name="Node 3.2, cut off")).to_be_checked()


@pytest.mark.parametrize("theme", ["JupyterLab Light", "JupyterLab Dark"])
def test_axe_finds_nothing_in_either_theme(notebook, boards, numbers, theme):
    wear(notebook, theme)
    field(boards, "The root").fill("-1")
    boards.get_by_role("button", name="Check").click()
    expect(boards.get_by_role("listitem").first).to_be_visible()
    for region in (boards, numbers):
        region.evaluate("root => root.dataset.axe = 'here'")
        assert violations(notebook, "[data-axe=here]") == []
        region.evaluate("root => delete root.dataset.axe")
        assert region.evaluate("root => root.scrollWidth <= root.clientWidth")
