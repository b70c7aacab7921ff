"""The game on 4×4×4 in a real browser: JupyterLab, Chromium, mouse and keyboard."""

import re

import pytest
from playwright.sync_api import expect

from ttt import Board
from ttt.svg import spoken

pytestmark = pytest.mark.browser

CUBE = Board(shape=(4, 4, 4))
SOURCE = """
import time
from ttt.widgets import CubeGame
def second_free(board):
    return board.moves[1]
def slow(board):
    for _ in range(600):
        time.sleep(0.1)
slow.progress = lambda board: "depth 3"
game = CubeGame(second_free)
game
"""

# Runs in the page: each mark's contrast to what lies behind it, all backgrounds laid over one another.
CONTRASTS = """root => {
  const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
  const paint = colour => { canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1); };
  const light = () => {
    const parts = [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3).map(part => part / 255);
    const [r, g, b] = parts.map(part => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05;
  };
  const contrast = (node, colour) => {
    const behind = [];
    for (let at = node; at; at = at.parentElement) behind.push(getComputedStyle(at).backgroundColor);
    behind.reverse().forEach(paint);
    const ground = light();
    paint(colour);
    return Math.max(light(), ground) / Math.min(light(), ground);
  };
  const all = selector => [...root.querySelectorAll(selector)];
  const texts = ['.ttt-layer-name', '.ttt-axis', '.ttt-status', '.ttt-count:not(:empty)'].flatMap(all);
  const marks = ['X .ttt-x', 'O .ttt-o'].flatMap(mark => all(`[data-mark=${mark}`.replace(' ', '] ')));
  return {
    marks: Math.min(...marks.map(mark => contrast(mark, getComputedStyle(mark).stroke))),
    texts: Math.min(...texts.map(text => contrast(text, getComputedStyle(text).color))),
    drawn: marks.length,
  };
}"""

# Runs in the page: the numbers of rows and columns that a cell's number or a line's count covers.
COVERED = """root => {
  const text = node => {
    const range = document.createRange();
    range.selectNodeContents(node);
    const {left, right, top, bottom} = range.getBoundingClientRect();
    return {left, right, top: top + 2, bottom: bottom - 2};  // digits are lower than their line
  };
  const box = node => node.getBoundingClientRect();
  const apart = (a, b) => a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top;
  const badges = ['.ttt-count:not(:empty)', '.ttt-number'].flatMap(name => [...root.querySelectorAll(name)]).map(box);
  const covered = axis => badges.some(badge => badge.width && !apart(text(axis), badge));
  return [...root.querySelectorAll('.ttt-axis')].filter(covered).map(axis => axis.className + axis.textContent);
}"""

# JupyterLab's dark theme, as far as a board uses it.
DARKEN = """() => {
  const {dataset, style} = document.body;
  dataset.jpThemeLight = 'false';
  style.setProperty('--jp-layout-color0', '#111');
  style.setProperty('--jp-ui-font-color1', 'white');
  style.setProperty('--jp-ui-font-color2', 'rgba(255, 255, 255, 0.7)');
  document.querySelector('.ttt-board').style.background = '#111';
}"""


@pytest.fixture(scope="module")
def notebook(opened):
    """A notebook with a game, run as a student does it."""
    with opened("cube.ipynb", [SOURCE]) as page:
        page.keyboard.press("Shift+Enter")
        expect(page.get_by_role("grid", name="layer 4")).to_be_visible(timeout=60_000)
        yield page


@pytest.fixture
def board(notebook):
    """The board in the page, slanted, wide and with a new game on it."""
    notebook.set_viewport_size({"width": 1280, "height": 900})
    press(notebook, "New game")
    press(notebook, "Slanted")
    root = notebook.locator(".ttt-board")
    expect(root.get_by_role("gridcell", name=re.compile("empty"))).to_have_count(64)
    notebook.mouse.move(2, 2)
    return root


def press(page, label):
    page.get_by_role("button", name=label, exact=True).click()


def run(page, code):
    page.locator(".jp-Notebook .jp-CodeCell .cm-content").last.fill(code)
    page.keyboard.press("Shift+Enter")


def cell(board, index):
    return board.get_by_role("gridcell").nth(index)


def message(page):
    return page.locator(".ttt-status")


def after(*moves):
    """The position after the person's moves and the answers to them."""
    position = CUBE
    for move in moves:
        position = position.play(move)
        if not position.over:
            position = position.play(position.moves[1])
    return position


def shows(board, position):
    """Wait until the page shows every mark of a position."""
    marks = "[...document.querySelectorAll('.ttt-cell')].map(cell => cell.dataset.mark).join('')"
    board.page.wait_for_function(f"position => {marks} === position", arg="".join(position))


def centres(board, cells):
    boxes = [cell(board, index).bounding_box() for index in cells]
    return [(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2) for box in boxes]


@pytest.mark.parametrize("look", ["Slanted", "Turned", "Side by side"])
def test_a_whole_game_with_the_mouse_whose_end_is_told_and_drawn_through_the_layers(notebook, board, look):
    press(notebook, look)
    moves = (0, 21, 42, 63)
    for n, move in enumerate(moves, 1):
        expect(message(notebook)).not_to_contain_text("win")
        cell(board, move).click()
        expect(message(notebook)).to_contain_text("Your move." if n < 4 else "You win! X has 4 in a row")
        shows(board, after(*moves[:n]))
    expect(message(notebook)).to_contain_text("from layer 1, row 1, column 1 to layer 4, row 4, column 4.")
    for n, move in enumerate(moves, 1):
        expect(cell(board, move)).to_have_accessible_name(f"{spoken(CUBE, move)}, X, winning line")
        expect(cell(board, move).locator(".ttt-count")).to_have_text(str(n))
    expect(board.locator(".ttt-won[data-mark=X]")).to_have_count(3)


def test_a_whole_game_with_the_keyboard_alone(notebook, board):
    press(notebook, "Turned")
    cell(board, 0).focus()
    for key in ("ArrowDown", "ArrowRight", "End", "Home", "ArrowUp"):
        notebook.keyboard.press(key)
    expect(cell(board, 0)).to_be_focused()
    for layer in range(4):
        notebook.keyboard.press("x")  # in command mode this would cut the notebook cell
        notebook.keyboard.press("Enter" if layer % 2 else "Space")
        expect(message(notebook)).to_contain_text("Your move." if layer < 3 else "You win!")
        shows(board, after(*(0, 16, 32, 48)[: layer + 1]))
        notebook.keyboard.press("PageDown")
    expect(cell(board, 48)).to_be_focused()
    notebook.keyboard.press("PageUp")
    expect(cell(board, 32)).to_be_focused()


def test_keys_pressed_on_a_control_do_not_cut_the_notebook_cell(notebook, board):
    for name in ("Hint", "Turned"):
        notebook.get_by_role("button", name=name, exact=True).focus()
        for key in "xdd":
            notebook.keyboard.press(key)
    expect(notebook.get_by_role("gridcell")).to_have_count(64)


def test_every_cell_is_named_with_its_layer_and_a_threat_is_named_too(notebook, board):
    cell(board, 24).click()
    expect(cell(board, 24)).to_have_accessible_name("layer 2, row 3, column 1, X")
    rows = [f'    - gridcell "layer 2, row 3, column {n}, {state}"' for n, state in enumerate(["X", *["empty"] * 3], 1)]
    expect(board.get_by_role("grid", name="layer 2")).to_match_aria_snapshot(
        '- grid "layer 2":\n  - row\n  - row\n  - row:\n' + "\n".join(rows) + "\n  - row"
    )
    for move in (25, 26):
        cell(board, move).click()
        expect(cell(board, move)).to_have_attribute("data-mark", "X")
    notebook.get_by_label("Show threats").check()
    expect(cell(board, 27)).to_have_accessible_name("layer 2, row 3, column 4, empty, X would complete a line")
    expect(cell(board, 27).locator(".ttt-want-x")).to_be_visible()
    expect(board.locator(".ttt-threat[data-mark=X]")).to_have_count(3)
    notebook.get_by_label("Show threats").uncheck()
    expect(cell(board, 27)).to_have_accessible_name("layer 2, row 3, column 4, empty")


def test_the_same_cell_is_lit_in_all_layers_under_the_mouse_and_under_the_focus(notebook, board):
    lit = "cells => cells.flatMap((cell, n) => cell.classList.contains('ttt-aligned') ? [n] : [])"
    cells = board.get_by_role("gridcell")
    cell(board, 22).hover()
    assert cells.evaluate_all(lit) == [6, 38, 54]
    notebook.mouse.move(2, 2)
    cell(board, 1).focus()
    assert cells.evaluate_all(lit) == [17, 33, 49]


@pytest.mark.parametrize("look", ["Slanted", "Turned"])
def test_cells_in_line_are_in_line_on_the_screen_and_large_enough(notebook, board, look):
    press(notebook, look)
    expect(board).to_have_attribute("data-look", look.lower())
    places = centres(board, range(64))
    for line in CUBE.line_cells:
        (x, y), *_, (right, bottom) = (places[index] for index in line)
        for part, index in zip((1 / 3, 2 / 3), line[1:], strict=False):
            assert places[index] == pytest.approx((x + part * (right - x), y + part * (bottom - y)), abs=0.5)
    box = cell(board, 63).bounding_box()
    assert box["width"] >= 24 and box["height"] >= 24


@pytest.mark.parametrize("look", ["Slanted", "Turned"])
@pytest.mark.parametrize("height", [720, 900])
def test_all_layers_and_the_message_are_seen_at_once(notebook, board, look, height):
    notebook.set_viewport_size({"width": 1280, "height": height})
    press(notebook, look)
    expect(board).to_have_attribute("data-look", look.lower())
    page = notebook.locator(".jp-WindowedPanel-outer").first.bounding_box()
    assert board.bounding_box()["height"] < page["height"]
    box = cell(board, 63).bounding_box()
    assert box["width"] >= 24 and box["height"] >= 24


@pytest.mark.parametrize("look", ["Slanted", "Turned"])
@pytest.mark.parametrize("width, height", [(1280, 720), (700, 900)])
def test_the_counts_of_a_line_leave_the_column_numbers_free(notebook, board, look, width, height):
    notebook.set_viewport_size({"width": width, "height": height})
    press(notebook, look)
    for move in (1, 17, 33, 49):
        cell(board, move).click()
        expect(cell(board, move)).to_have_attribute("data-mark", "X")
    expect(cell(board, 1).locator(".ttt-count")).to_have_text("1")
    notebook.get_by_label("Show cell numbers").check()
    expect(cell(board, 0).locator(".ttt-number")).to_be_visible()
    assert board.evaluate(COVERED) == []
    notebook.get_by_label("Show cell numbers").uncheck()


def test_the_looks_stand_side_by_side_on_a_narrow_page(notebook, board):
    notebook.set_viewport_size({"width": 700, "height": 900})
    looks = [notebook.get_by_role("button", name=name, exact=True) for name in ("Slanted", "Turned", "Side by side")]
    assert len({look.bounding_box()["y"] for look in looks}) == 1


@pytest.mark.parametrize("look", ["Slanted", "Turned", "Side by side"])
def test_a_narrow_page_shows_the_board_whole_and_it_can_be_played(notebook, board, look):
    notebook.set_viewport_size({"width": 700, "height": 900})
    press(notebook, look)
    for index in (0, 3, 12, 51, 60, 63):
        box = cell(board, index).bounding_box()
        assert box["x"] >= 0 and box["x"] + box["width"] <= 700 and min(box["width"], box["height"]) >= 24
    cell(board, 63).click()
    expect(cell(board, 63)).to_have_attribute("data-mark", "X")


def test_replay_plays_by_itself_and_steps_back_and_forward(notebook, board):
    cell(board, 0).click()
    expect(message(notebook)).to_contain_text("Your move.")
    press(notebook, "Replay")
    expect(message(notebook)).to_have_text("Replay, move 2 of 2: O plays layer 1, row 1, column 3.")
    press(notebook, "◀ Back")
    expect(message(notebook)).to_have_text("Replay, move 1 of 2: X plays layer 1, row 1, column 1.")
    shows(board, CUBE.play(0))
    press(notebook, "Forward ▶")
    expect(message(notebook)).to_contain_text("move 2 of 2")
    press(notebook, "Close replay")
    expect(message(notebook)).to_have_text("Back in the game. You are X. Your move.")


def test_the_board_stays_free_while_the_computer_thinks_and_stop_has_a_move(notebook, board):
    run(notebook, "game.opponent = slow")
    expect(message(notebook)).to_contain_text("Now against slow.")
    cell(board, 0).click()
    expect(message(notebook)).to_have_text("slow is thinking, for 10 s at most. Press Stop to make it move at once.")
    expect(board.locator(".ttt-elapsed")).to_have_text(re.compile("^[1-9] s · depth 3$"))
    cell(board, 1).click()
    expect(message(notebook)).to_have_text("slow is thinking. Wait for its move, or press Stop.")
    press(notebook, "Stop")
    expect(message(notebook)).to_have_text(re.compile("^slow was stopped. O plays .*, a quick move of flash-mended."))
    expect(board.locator(".ttt-elapsed")).to_be_empty()
    cell(board, 1).click()
    press(notebook, "New game")
    expect(message(notebook)).to_contain_text("You are X.")
    shows(board, CUBE)
    run(notebook, "game.opponent = second_free")
    expect(message(notebook)).to_contain_text("Now against second_free.")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_marks_and_texts_stand_out_whatever_lies_behind_them(notebook, board, theme):
    for move in (0, 21, 42, 63):
        cell(board, move).click()
        expect(cell(board, move)).to_have_attribute("data-mark", "X")
    expect(message(notebook)).to_contain_text("You win!")
    cell(board, 18).hover()  # O's cells above and below are lit
    if theme == "dark":
        notebook.evaluate(DARKEN)
    found = board.evaluate(CONTRASTS)
    assert found["drawn"] == 7 and found["marks"] >= 3 and found["texts"] >= 4.5
