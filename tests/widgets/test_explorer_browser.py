"""The pruning explorer in a real browser: JupyterLab, Chromium, mouse and keyboard."""

import os
import re

import pytest
from playwright.sync_api import expect

from ttt.board import Board
from ttt.search import alphabeta
from ttt.widgets import Explorer
from ttt.widgets.practice import Practice
from ttt.widgets.tree import POSITIONS

pytestmark = pytest.mark.browser

FIRST = "O has to block"
EXPLORER = Explorer(Board.from_text(POSITIONS[FIRST][0]))
FRAMES = EXPLORER.frames
CUTS = [step for step, frame in enumerate(FRAMES) if frame.kind == "cut"]
CELLS = [
    f"from ttt import Board, Explorer\nexplorer = Explorer(Board.from_text('{POSITIONS[FIRST][0]}'))\nexplorer",
    "explorer.step",
    f"explorer.step = {CUTS[1]}",
]
FOLDER = os.environ.get("SCREENSHOTS")  # where to leave pictures of the explorer for those who judge its looks

# Runs in the page: what is drawn, each with its contrast to the page, and the contrast it needs.
CONTRASTS = """root => {
  const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
  const page = getComputedStyle(root.querySelector('.tte-area')).backgroundColor;
  const light = colour => {
    canvas.fillStyle = page;
    canvas.fillRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    const parts = [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3).map(part => part / 255);
    const [r, g, b] = parts.map(part => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05;
  };
  const contrast = colour => Math.max(light(colour), light(page)) / Math.min(light(colour), light(page));
  const marks = state => ['X', 'O'].map(mark => `[data-state=${state}] .mark-${mark}`);
  const drawn = ['.tte-board .grid', '.tte-branch', '.tte-current .tte-ring', '.tte-sliced .tte-slashes',
    ...marks('done'), ...marks('new'), ...marks('cut')];
  const written = ['[data-state=done] .tte-label', '[data-state=cut] .tte-label', '[data-state=new] .tte-move'];
  return [
    ...drawn.map(each => [each, contrast(getComputedStyle(root.querySelector(each)).stroke), 3]),
    ...written.map(each => [each, contrast(getComputedStyle(root.querySelector(each)).fill), 4.5]),
    ...['.tte-say', '.ttt-quiet', '.tte-level span'].map(
      each => [each, contrast(getComputedStyle(root.querySelector(each)).color), 4.5]),
  ];
}"""


# Runs in the page: how far below the explorer's top the tree is at each step, while the slider goes through them.
TOPS = """root => {
  const slider = root.querySelector('input[type=range]');
  const top = part => root.querySelector(part).getBoundingClientRect().top;
  return Array.from({length: Number(slider.max) + 1}, (_, step) => {
    slider.value = step;
    slider.dispatchEvent(new Event('input'));
    return Math.round(top('.tte-area') - top('.tte-settings'));
  });
}"""


@pytest.fixture(scope="module")
def notebook(opened):
    """A notebook of the explorer and two cells below it, run from its top as a student does it."""
    with opened("explorer.ipynb", CELLS, height=1000) as page:
        page.keyboard.press("Shift+Enter")
        expect(page.get_by_role("tree", name="Game tree")).to_be_visible(timeout=60_000)
        yield page


@pytest.fixture
def explorer(notebook):
    """The explorer in the page, at its start and as it was made."""
    region = notebook.get_by_role("region", name="Alpha-beta explorer")
    for label, option in (("Position", FIRST), ("Move order", "row-major")):
        if region.get_by_label(label, exact=True).input_value() != option:
            choose(region, label, option)
    expect(region.locator(".tte-meter-text")).to_contain_text("minimax: 49 nodes")
    expect(region.get_by_label("Move order")).to_have_value("row-major")
    region.get_by_role("slider", name="Step").fill("0")
    says(region, 0)
    return region


def choose(region, label, option):
    region.get_by_label(label, exact=True).select_option(option)


def press(region, name):
    region.get_by_role("button", name=name, exact=True).click()


def says(region, step, frames=FRAMES):
    """The explorer shows and tells this step."""
    expect(region.locator(".tte-say")).to_have_text(frames[step].text)
    expect(region.locator(".tte-counter")).to_have_text(f"step {step} of {len(frames) - 1}")


def fact(region, name):
    return region.locator(".tte-fact", has_text=name).locator("strong")


def more(region):
    """Open or close what is seldom needed."""
    region.get_by_text("More options, and a position of your own").click()


def node(region, number):
    return region.locator(f'.tte-node[data-node="{number}"]')


def test_a_click_beside_the_boards_gives_the_tree_the_keys(explorer):
    before = explorer.page.evaluate("document.activeElement.className")
    explorer.locator(".tte-area").click(position={"x": 8, "y": 8})
    assert "tte-node" not in before
    expect(explorer.locator(".tte-node:focus")).to_have_count(1)
    explorer.page.keyboard.press("n")
    says(explorer, CUTS[0])


def test_to_the_first_cut_with_the_mouse_and_its_reason_in_words(explorer):
    press(explorer, "Step forward")
    says(explorer, 1)
    press(explorer, "Next cut")
    says(explorer, CUTS[0])
    expect(explorer.locator(".tte-say")).to_have_attribute("aria-live", "polite")
    expect(explorer.locator(".tte-say")).to_contain_text("so X will not play cell 7: 1 move is cut off (2 nodes).")
    expect(fact(explorer, "O has at least")).to_have_text("+1")
    expect(fact(explorer, "X lets O have at most")).to_have_text("−1")
    expect(explorer.locator(".tte-meter-text")).to_contain_text("so far: 5 nodes · left out: 2 · minimax: 49 nodes")
    cut = next(change for change in FRAMES[CUTS[0]].changes if change.state == "cut")
    expect(node(explorer, cut.first)).to_have_attribute("data-state", "cut")
    expect(node(explorer, cut.first)).to_have_accessible_name(re.compile("cut off, 2 nodes"))
    press(explorer, "Step back")
    expect(node(explorer, cut.first)).to_have_attribute("data-state", "new")


def test_to_the_first_cut_with_the_keys_alone_while_the_notebook_stays_as_it_was(notebook, explorer):
    cells = notebook.locator(".jp-Notebook .jp-Cell").count()
    node(explorer, 0).focus()
    for step in range(1, CUTS[0] + 1):
        notebook.keyboard.press("ArrowRight")
        says(explorer, step)
        expect(node(explorer, FRAMES[step].node)).to_be_focused()
    expect(explorer.locator(".tte-say")).to_contain_text("X already holds O to at most −1 with cell 2.")
    for key in "xabdcvzym1":  # in command mode these cut, add, delete or change notebook cells
        notebook.keyboard.press(key)
    for key, step in [
        ("ArrowLeft", CUTS[0] - 1),
        ("End", len(FRAMES) - 1),
        ("Home", 0),
        ("n", CUTS[0]),
        ("n", CUTS[1]),
    ]:
        notebook.keyboard.press(key)
        says(explorer, step)
    notebook.keyboard.press("p")
    says(explorer, CUTS[0])
    assert notebook.locator(".jp-Notebook .jp-Cell").count() == cells


def test_another_order_visits_fewer_nodes(explorer):
    press(explorer, "End")
    says(explorer, len(FRAMES) - 1)
    board = EXPLORER.board
    for order in ("most-lines", "best-gain"):
        found = Explorer(board, order=order)
        choose(explorer, "Move order", order)
        says(explorer, len(found.frames) - 1, found.frames)
        expect(explorer.locator(".tte-meter-text")).to_contain_text(f"so far: {found.search.nodes} nodes")
    assert alphabeta(board, order="best-gain").nodes < alphabeta(board).nodes
    expect(explorer.locator(".ttt-note")).to_contain_text("Alpha-beta visits 17 of 49 nodes")
    more(explorer)
    symmetry = explorer.get_by_label("symmetry")
    symmetry.click()
    expect(symmetry).to_be_checked()
    symmetry.click()  # perhaps before the answer to the first
    expect(symmetry).not_to_be_checked()
    more(explorer)


def test_looking_around_by_keys_and_going_to_the_step_of_a_node(notebook, explorer):
    node(explorer, 0).focus()
    notebook.keyboard.press("ArrowDown")
    expect(node(explorer, 1)).to_be_focused()
    notebook.keyboard.press("Shift+ArrowRight")
    second = EXPLORER.data["nodes"].index(next(each for each in EXPLORER.data["nodes"][2:] if each["ply"] == 1))
    expect(node(explorer, second)).to_be_focused()
    expect(node(explorer, second)).to_have_accessible_name("O at cell 2, MIN, X to move, not visited yet")
    says(explorer, 0)
    notebook.keyboard.press("Enter")
    says(explorer, next(step for step, frame in enumerate(FRAMES) if frame.node == second))
    notebook.keyboard.press("ArrowUp")
    expect(node(explorer, 0)).to_be_focused()
    node(explorer, 2).click()
    says(explorer, 2)


def test_the_tree_is_one_tab_stop_and_escape_gives_the_focus_back(notebook, explorer):
    tree = explorer.get_by_role("tree")
    assert tree.locator('[tabindex="0"]').count() == 1
    node(explorer, 0).focus()
    notebook.keyboard.press("Escape")
    expect(tree.locator(":focus")).to_have_count(0)
    assert notebook.evaluate("document.activeElement.closest('.jp-Notebook') !== null")


def test_names_for_those_who_do_not_see_the_tree(explorer):
    press(explorer, "Next cut")
    says(explorer, CUTS[0])
    snapshot = explorer.get_by_role("tree").aria_snapshot()
    assert 'treeitem "root, MAX, O to move, being searched, alpha −∞, beta +∞"' in snapshot
    assert 'treeitem "X at cell 2, value −1"' in snapshot
    assert 'treeitem "O at cell 8, MIN, X to move, cut off, 2 nodes"' in snapshot
    expect(explorer.get_by_role("slider", name="Step")).to_have_attribute("aria-valuetext", f"step {CUTS[0]} of 63")


def test_a_position_of_ones_own_by_mouse_and_keys_and_a_kind_refusal(notebook, explorer):
    more(explorer)
    squares = explorer.get_by_role("grid", name="Your own position").get_by_role("gridcell")
    squares.nth(8).click()
    expect(squares.nth(8)).to_have_accessible_name("row 3, column 3, X")
    for said in (".ttt-note", ".tte-echo"):
        expect(explorer.locator(said)).to_contain_text("X has 4 marks and O 2")
    notebook.keyboard.press("o")
    own = Explorer(Board.from_text("O-- OXX X-O"))
    expect(explorer.locator(".tte-meter-text")).to_contain_text(f"minimax: {own.minimax.nodes} nodes")
    says(explorer, 0, own.frames)
    expect(explorer.get_by_label("Position", exact=True)).to_have_value("")
    notebook.keyboard.press("Delete")
    expect(explorer.locator(".tte-meter-text")).to_contain_text("minimax: 49 nodes")
    choose(explorer, "Position", "The empty board")
    expect(explorer.locator(".tte-meter-text")).to_contain_text("minimax: 82 nodes")
    choose(explorer, "Look ahead", "")
    expect(explorer.locator(".ttt-note")).to_contain_text("549,946 nodes, too many to draw")
    expect(explorer.get_by_label("Look ahead")).to_have_value("2")
    more(explorer)


def test_a_position_that_is_too_much_to_draw_stays_until_one_looks_less_far_ahead(notebook, explorer):
    more(explorer)
    squares = explorer.get_by_role("grid", name="Your own position").get_by_role("gridcell")
    for cell in (2, 3, 4, 5, 6, 0):
        squares.nth(cell).focus()
        notebook.keyboard.press("Delete")
    expect(explorer.locator(".ttt-note")).to_contain_text("549,946 nodes, too many to draw")
    expect(explorer.get_by_label("Position", exact=True)).to_have_value("")
    choose(explorer, "Look ahead", "2")
    expect(explorer.locator(".tte-meter-text")).to_contain_text("minimax: 82 nodes")
    expect(explorer.get_by_label("Position", exact=True)).to_have_value("The empty board")
    expect(squares.nth(4)).to_have_accessible_name("row 2, column 2, empty")
    squares.nth(0).click()
    choose(explorer, "Look ahead", "")
    expect(explorer.locator(".ttt-note")).to_contain_text("too many to draw")
    choose(explorer, "Position", FIRST)
    expect(squares.nth(0)).to_have_accessible_name("row 1, column 1, O")
    more(explorer)


def test_folding_and_fitting_show_less_and_more_at_once(explorer):
    canvas = explorer.get_by_role("tree")
    wide = canvas.bounding_box()["width"]
    explorer.get_by_label("Fold").check()
    folded = canvas.bounding_box()["width"]
    explorer.get_by_label("Whole tree").check()
    assert canvas.bounding_box()["width"] < folded < wide
    area = explorer.locator(".tte-area")
    assert area.evaluate("area => area.scrollWidth <= area.clientWidth")
    explorer.get_by_label("Fold").uncheck()
    explorer.get_by_label("Whole tree").uncheck()


def test_the_node_at_hand_is_always_in_view(explorer):
    area = explorer.locator(".tte-area")
    for step in range(0, len(FRAMES), 6):
        explorer.get_by_role("slider", name="Step").fill(str(step))
        says(explorer, step)
        expect(node(explorer, FRAMES[step].node)).to_have_class(re.compile("tte-current"))
        explorer.page.wait_for_function(
            """([area, node]) => {
              const [a, n] = [area.getBoundingClientRect(), node.getBoundingClientRect()];
              return n.left >= a.left && n.right <= a.right && n.top >= a.top - 8 && n.bottom <= a.bottom + 40;
            }""",
            arg=[area.element_handle(), node(explorer, FRAMES[step].node).element_handle()],
        )


def test_it_fits_beside_the_list_of_files_and_the_tree_stays_where_it_is(notebook, explorer):
    notebook.set_viewport_size({"width": 1280, "height": 800})
    notebook.keyboard.press("Control+b")
    expect(notebook.locator(".jp-DirListing").first).to_be_visible()
    explorer.scroll_into_view_if_needed()
    assert explorer.evaluate("root => root.scrollWidth <= root.clientWidth")
    panel = notebook.locator(".jp-WindowedPanel-outer").first.bounding_box()
    tops = set()
    for position in POSITIONS:
        choose(explorer, "Position", position)
        expect(explorer.get_by_label("Position", exact=True)).to_have_value(position)
        assert explorer.bounding_box()["height"] <= panel["height"]
        for row in (".tte-settings", ".tte-controls", ".tte-bar"):
            boxes = [part.bounding_box() for part in explorer.locator(f"{row} > *").all()]
            assert max(box["y"] for box in boxes) < min(box["y"] + box["height"] for box in boxes), row
        tops |= set(explorer.evaluate(TOPS))
    assert len(tops) == 1
    notebook.keyboard.press("Control+b")
    notebook.set_viewport_size({"width": 1280, "height": 1000})


def test_of_the_largest_tree_the_boards_stay_legible_and_the_node_at_hand_is_seen(explorer):
    choose(explorer, "Position", "The empty board")
    expect(explorer.locator(".tte-meter-text")).to_contain_text("minimax: 82 nodes")
    explorer.get_by_label("Whole tree").check()
    assert node(explorer, 0).locator(".tte-paper").bounding_box()["width"] >= 29
    label = "node => node.getBoundingClientRect().height"
    assert node(explorer, 0).locator(".tte-label").evaluate(label) >= 10
    press(explorer, "End")
    area, last = (part.bounding_box() for part in (explorer.locator(".tte-area"), explorer.locator(".tte-current")))
    assert area["x"] <= last["x"] and last["x"] + last["width"] <= area["x"] + area["width"]
    explorer.get_by_label("Whole tree").uncheck()


def test_it_plays_by_itself_until_it_is_paused_or_somebody_steps(explorer):
    explorer.get_by_label("Speed").select_option("fast")
    press(explorer, "Play")
    says(explorer, 3)
    press(explorer, "Pause")
    stopped = explorer.locator(".tte-counter").text_content()
    explorer.page.wait_for_timeout(1500)
    expect(explorer.locator(".tte-counter")).to_have_text(stopped)
    explorer.get_by_role("slider", name="Step").fill(str(len(FRAMES) - 3))
    press(explorer, "Play")
    says(explorer, len(FRAMES) - 1)
    expect(explorer.get_by_role("button", name="Play", exact=True)).to_be_visible()
    press(explorer, "Play")  # from the end it starts again
    says(explorer, 1)
    press(explorer, "Step back")
    expect(explorer.get_by_role("button", name="Play", exact=True)).to_be_visible()


def test_practice_by_keys_alone(notebook, explorer):
    cells = notebook.locator(".jp-Notebook .jp-Cell").count()
    explorer.get_by_role("button", name="Practise", exact=True).focus()
    notebook.keyboard.press("Enter")
    practice = Practice(1)
    for number in range(8):
        question = practice.question
        expect(explorer.locator(".tte-ask")).to_have_text(question.ask)
        expect(explorer.locator(".tte-current")).to_have_attribute("data-node", str(question.node))
        expect(explorer.locator(".tte-say")).to_have_text("")
        if question.kind == "worth":
            expect(node(explorer, question.node).locator(".tte-label")).to_have_text("?")
        wrong = number == 0
        if question.kind == "next":
            if question.answer == ("cut off",):
                notebook.keyboard.press("Tab")
        else:
            for n, text in enumerate(["1000"] if wrong else question.answer):
                if n:
                    notebook.keyboard.press("Tab")
                notebook.keyboard.type(text.replace("−", "-").replace("∞", "inf"))
        practice.judge(["1000"] if wrong else question.answer)
        notebook.keyboard.press("Enter")
        expect(explorer.locator(".ttt-verdict")).to_have_text(practice.as_data()["verdict"])
        expect(explorer.locator(".tte-say")).to_have_text(practice.frames[question.step].text)
        expect(explorer.get_by_text(f"{practice.right} of {practice.answered} right")).to_be_visible()
        expect(explorer.get_by_role("button", name="Next question")).to_be_focused()
        notebook.keyboard.press("Enter")
        practice.go_on()
    expect(explorer.locator(".tte-ask")).to_have_text(practice.question.ask)
    snapshot = explorer.get_by_role("region", name="Practice").aria_snapshot()
    assert practice.question.ask in snapshot and "7 of 8 right" in snapshot
    press(explorer, "Stop practising")
    says(explorer, 0)
    expect(explorer.get_by_role("button", name="Practise", exact=True)).to_be_focused()
    assert notebook.locator(".jp-Notebook .jp-Cell").count() == cells


def test_no_message_hides_what_practice_says(notebook, explorer):
    choose(explorer, "Move order", "best-gain")
    expect(explorer.locator(".ttt-note")).to_contain_text("Before, it was")
    press(explorer, "Practise")
    expect(explorer.locator(".ttt-note")).to_be_empty()
    explorer.get_by_role("button", name="Next question").dispatch_event("click")  # nothing has been answered yet
    notebook.wait_for_timeout(6500)  # longer than the page waits for Python before it says that nothing answers
    expect(explorer.locator(".ttt-note")).to_be_empty()
    press(explorer, "Stop practising")


def test_by_keys_the_page_follows_to_where_the_tree_is(notebook, explorer):
    notebook.set_viewport_size({"width": 1280, "height": 560})
    node(explorer, 0).focus()
    notebook.locator(".jp-WindowedPanel-outer").first.evaluate("panel => panel.scrollTo(0, 0)")
    notebook.keyboard.press("End")
    says(explorer, len(FRAMES) - 1)
    expect(explorer.locator(".tte-current .tte-paper")).to_be_in_viewport(ratio=1)
    notebook.keyboard.press("Home")
    notebook.set_viewport_size({"width": 1280, "height": 1000})


def test_python_sees_the_step_and_sets_it(notebook, explorer):
    press(explorer, "Next cut")
    says(explorer, CUTS[0])
    expect(notebook.get_by_text("Python 3 (ipykernel) | Idle")).to_be_visible()
    ask(notebook, 1)
    expect(notebook.locator(".jp-CodeCell").nth(1).locator(".jp-OutputArea-output")).to_have_text(str(CUTS[0]))
    ask(notebook, 2)
    says(explorer, CUTS[1])


def ask(notebook, cell):
    """Run a cell."""
    notebook.locator(".jp-Notebook .jp-CodeCell").nth(cell).locator(".cm-content").click()
    notebook.keyboard.press("Control+Enter")


@pytest.mark.parametrize("theme", ["JupyterLab Dark", "JupyterLab Light"])
def test_it_is_legible_in_both_themes_and_on_a_narrow_page(notebook, explorer, theme):
    notebook.get_by_role("menuitem", name="Settings", exact=True).click()
    for item in ("Theme", theme):
        notebook.locator(".lm-Menu-itemLabel").get_by_text(item, exact=True).click()
    expect(notebook.locator("body")).to_have_attribute("data-jp-theme-name", theme)
    press(explorer, "Next cut")
    says(explorer, CUTS[0])
    for width in (1280, 700):
        notebook.set_viewport_size({"width": width, "height": 1000})
        assert explorer.evaluate("root => root.scrollWidth <= root.clientWidth")
        if FOLDER:
            explorer.locator(".tte-controls").scroll_into_view_if_needed()
            notebook.screenshot(path=f"{FOLDER}/explorer-{theme.split()[1].lower()}-{width}.png")
    notebook.set_viewport_size({"width": 1280, "height": 1000})
    shown = explorer.evaluate(CONTRASTS)
    assert len(shown) > 8 and all(contrast >= least for _, contrast, least in shown), shown
