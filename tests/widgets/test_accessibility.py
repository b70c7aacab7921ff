"""Anybody can play: what axe finds, whole games by keys with all that is said, and colours as others see them."""

import json
import re
from itertools import combinations

import pytest
from axe import violations
from colours import VISIONS, contrast, difference
from conftest import ROOT, moves_to, wear
from playwright.sync_api import expect

from ttt import Board, plots, svg
from ttt.svg import spoken
from ttt.widgets import CubeGame, Explorer, GameBoard, view

SOURCES = {
    "flat": "from ttt.widgets import CubeGame, Explorer, GameBoard\nGameBoard('flash-clever')",
    "cube": "def second_free(board):\n    return board.moves[1]\nCubeGame(second_free)",
    "explorer": "Explorer()",
}
CUBE = Board(shape=(4, 4, 4))
PAGES = {"light": ("#ffffff", "#f5f5f5"), "dark": ("#111111", "#212121", "#1e1e1e")}  # Lab's, VS Code's
NOTEBOOKS = sorted([*ROOT.glob("notebooks/*.ipynb"), *ROOT.glob("exercises/*/*.ipynb")])

# Runs in the page: keeps whatever live regions in a widget come to say.
LISTEN = """root => {
  window.heard = [];
  for (const live of root.querySelectorAll('[aria-live]')) {
    const hear = () => live.textContent && window.heard.push(live.textContent);
    new MutationObserver(hear).observe(live, {childList: true, characterData: true, subtree: true});
  }
}"""


def second_free(board):
    return board.moves[1]


# ---------------------------------------------------------------------------------------------------- in the browser


@pytest.fixture(scope="module")
def notebook(opened):
    """A notebook with the three boards, run as a student does it."""
    with opened("access.ipynb", SOURCES.values(), height=2600) as page:  # all boards at once
        for _ in SOURCES:
            page.keyboard.press("Shift+Enter")
        expect(page.get_by_role("tree", name="Game tree")).to_be_visible(timeout=60_000)
        yield page


def output(page, name):
    """What a cell of the notebook shows."""
    return page.locator(".jp-Notebook .jp-CodeCell").nth(list(SOURCES).index(name)).locator(".jp-OutputArea").first


def press(page, *keys):
    for key in keys:
        page.keyboard.press(key)


def heard(page, count):
    """What was said since one listens, without how long somebody thinks."""
    kept = "window.heard.filter(text => !text.includes('is thinking'))"
    page.wait_for_function(f"count => {kept}.length >= count", arg=count)
    return page.evaluate(kept)


def begin(root):
    """To the first cell of a board, without a mouse: from New game, which is pressed, back over the tab stop."""
    page = root.page
    root.evaluate(LISTEN)
    root.get_by_role("button", name="New game").focus()
    press(page, "Enter")
    heard(page, 1)
    press(page, "Shift+Tab", *["PageUp"] * 3, *["ArrowUp"] * 3, "Home")


@pytest.mark.browser
@pytest.mark.parametrize("name", SOURCES)
def test_with_a_kernel_the_live_board_is_shown_and_not_its_snapshot(notebook, name):
    expect(output(notebook, name).locator(".ttt-board, .tte-explorer")).to_be_visible()
    expect(output(notebook, name).locator("img, .jp-RenderedSVG")).to_have_count(0)


@pytest.mark.browser
def test_a_whole_game_of_3x3_by_keys_says_every_state(notebook):
    root, game, at = output(notebook, "flat"), GameBoard("flash-clever"), 0
    begin(root)
    said = [game.message]
    for move in moves_to("X"):
        press(notebook, *["ArrowDown"] * (move // 3 - at // 3), *["ArrowUp"] * (at // 3 - move // 3))
        press(notebook, *["ArrowRight"] * (move % 3 - at % 3), *["ArrowLeft"] * (at % 3 - move % 3))
        at = move
        name = re.compile(f"^{spoken(game.board, move)}, empty")
        expect(root.locator("[role=gridcell]:focus")).to_have_accessible_name(name)
        press(notebook, "Enter")
        game.play(move)
        said.append(game.message)
        expect(root.locator(".ttt-status")).to_have_text(game.message)
        expect(root.locator("[role=gridcell]:focus")).to_have_accessible_name(
            re.compile(f"^{spoken(game.board, move)}, X")
        )
    assert heard(notebook, len(said)) == said and said[-1] == "You win! X has 3 in a row."


@pytest.mark.browser
def test_a_whole_game_of_4x4x4_by_keys_says_every_state(notebook):
    root, game = output(notebook, "cube"), CubeGame(second_free)
    begin(root)
    said = [game.message]
    for move in (0, 21, 42, 63):
        name = f"{spoken(CUBE, move)}, empty"
        expect(root.locator("[role=gridcell]:focus")).to_have_accessible_name(re.compile(f"^{name}"))
        press(notebook, "Space")
        game.play(move)
        said.append(game.message)
        expect(root.locator(".ttt-status")).to_have_text(game.message)
        press(notebook, "PageDown", "ArrowDown", "ArrowRight")
    assert heard(notebook, len(said)) == said and said[-1].startswith("You win! X has 4 in a row, from layer 1")


@pytest.mark.browser
def test_a_whole_search_by_keys_says_every_step(notebook):
    root, frames = output(notebook, "explorer"), Explorer().frames
    root.get_by_role("slider", name="Step").focus()
    press(notebook, "Home", "Tab", "Tab", "Tab")  # over the boxes that fold the tree and show it whole
    expect(root.locator("[role=treeitem]:focus")).to_have_accessible_name(re.compile("^root, MAX"))
    root.evaluate(LISTEN)
    press(notebook, *["ArrowRight"] * (len(frames) - 1))
    assert heard(notebook, len(frames) - 1) == [frame.text for frame in frames[1:]]
    press(notebook, "Home")


@pytest.mark.browser
def test_drawings_have_alternative_texts_and_results_are_announced(opened):
    cells = [
        "from ttt import Board, guess, reveal, svg\nsvg.draw(Board.from_text('X-O --- ---'), caption='what now?')",
        "guess('nodes', 3)",
        "reveal('nodes', 4)",
    ]
    with opened("heard.ipynb", cells) as page:
        regions = page.locator("body > [role=status]")
        press(page, *["Shift+Enter"] * 3)
        said = "It is 4. You guessed 3: too low by 1."
        expect(regions.filter(has_text=said)).to_have_count(1, timeout=60_000)
        words = "Tic-tac-toe: X to move; X empty O; empty empty empty; empty empty empty; what now?"
        expect(page.locator(".jp-RenderedSVG img")).to_have_attribute("alt", words)


@pytest.mark.browser
@pytest.mark.parametrize("theme", ["JupyterLab Light", "JupyterLab Dark"])
def test_axe_finds_nothing_in_any_board_in_either_theme(notebook, theme):
    wear(notebook, theme)
    flat, cube, explorer = (output(notebook, name) for name in SOURCES)
    flat.get_by_label("Show what the computer sees").check()
    flat.get_by_label("Show cell numbers").check()
    flat.get_by_role("button", name="New game").click()
    flat.get_by_role("gridcell").nth(8).click()
    flat.get_by_role("button", name="Hint").click()
    expect(flat.locator(".ttt-status")).to_contain_text("Hint:")
    explorer.get_by_role("button", name="Next cut").click()
    explorer.get_by_text("More options").click()
    explorer.get_by_text("Signs and keys").click()
    for name in ("flat", "explorer"):
        mark(notebook, name)
        assert violations(notebook, f"[data-axe={name}]") == []
    explorer.get_by_text("More options").click()
    explorer.get_by_role("button", name="Practise", exact=True).click()
    answers = explorer.locator(".tte-answer").get_by_role("button")
    expect(answers.first).to_be_visible()
    assert violations(notebook, "[data-axe=explorer]") == []
    for field in explorer.get_by_role("textbox").all():
        field.fill("1000")
    answers.first.click()
    expect(explorer.locator(".ttt-verdict")).not_to_be_empty()
    assert violations(notebook, "[data-axe=explorer]") == []
    explorer.get_by_role("button", name="Stop practising").click()
    for look in view.LOOKS.values():
        cube.get_by_role("button", name=look, exact=True).click()
        cube.get_by_role("button", name="New game").click()
        for move in (0, 21, 42):
            cube.get_by_role("gridcell").nth(move).click()
            expect(cube.get_by_role("gridcell").nth(move)).to_have_attribute("data-mark", "X")
        cube.get_by_label("Show threats").check()
        mark(notebook, "cube")
        assert violations(notebook, "[data-axe=cube]") == []
    cube.get_by_role("gridcell").nth(63).click()
    cube.get_by_role("button", name="Replay").click()
    expect(cube.get_by_role("button", name="Close replay")).to_be_visible()
    assert violations(notebook, "[data-axe=cube]") == []
    cube.get_by_role("button", name="Close replay").click()


def mark(page, name):
    output(page, name).evaluate("(root, name) => root.dataset.axe = name", name)


# ------------------------------------------------------------------------------------------------------ in numbers


def marks_of(widget, theme):
    """X's and O's colours on a page of this theme, as the widget's style sheet sets them."""
    return [re.search(rf"--{mark}-{theme}: (#\w+)", widget._css)[1] for mark in "xo"]


@pytest.mark.parametrize("widget", [view.BoardView, Explorer])
@pytest.mark.parametrize("theme", PAGES)
def test_marks_stand_out_and_apart_however_one_sees_colours(widget, theme):
    marks = marks_of(widget, theme)
    assert re.findall(r"--[xo]: (.*);", widget._css)[:2] == ["var(--x-light)", "var(--o-light)"]
    for vision in VISIONS:
        assert all(contrast(mark, page, vision) >= 3 for mark in marks for page in PAGES[theme]), vision
        assert difference(*marks, vision) >= (5 if vision == "grey" else 60), vision  # 2.3 can just be noticed


def test_drawings_have_no_paper_and_stand_out_on_any_page():
    for vision in VISIONS:
        assert difference(svg.INK["X"], svg.INK["O"], vision) >= (5 if vision == "grey" else 60)
        for page in (*PAGES["light"], "#111111", "#0d1117"):
            assert all(contrast(ink, page, vision) >= 3 for ink in svg.INK.values()), (vision, page)
    assert contrast(svg.TEXT, "#fff") >= 4.5
    assert not re.search("#fff|white|background", str(svg.draw(Board())))


def test_lines_of_a_plot_stand_out_and_differ_by_colour_marker_and_dashes():
    *colours, ink = plots.COLOURS  # black takes the colour of the page's text
    assert ink == "#000000"
    for page in (*PAGES["light"], "#111111", "#1e1e1e"):
        assert all(contrast(colour, page) >= 3 for colour in colours), page
    for vision in set(VISIONS) - {"grey"}:
        assert min(difference(*pair, vision) for pair in combinations(plots.COLOURS, 2)) >= 10, vision
    styles = [style for style, _ in zip(plots.styles(), plots.COLOURS, strict=False)]
    for name in ("marker", "color"):
        assert len({style[name] for style in styles}) == len(plots.COLOURS)


def test_numbers_on_coloured_squares_are_legible():
    for scale in (plots.EVEN, plots.WORTH):
        for step in range(256):
            colour = "#" + "".join(f"{round(255 * part):02x}" for part in scale(step)[:3])
            ink = {"black": "#000", "white": "#fff"}[plots.readable_on(colour)]
            assert contrast(ink, colour) >= 4.5


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_picture_of_a_notebook_says_what_it_shows(path):
    for cell in json.loads(path.read_text())["cells"]:
        if cell["cell_type"] == "markdown":
            text = "".join(cell["source"])
            assert all(len(alt) >= 10 for alt in re.findall(r"!\[([^]]*)\]", text))
            assert all("alt=" in tag for tag in re.findall(r"<img[^>]*>", text))
        for output in cell.get("outputs", []):
            drawing = "".join(output.get("data", {}).get("image/svg+xml", ""))
            if drawing:
                assert re.search(r"<title>.+</title>", drawing) and re.search(r"<desc>.+</desc>", drawing, re.DOTALL)
                assert 'role="img"' in drawing
