"""Other front ends than JupyterLab: the app that Voilà serves, Notebook, VS Code's pages, those without a kernel."""

import json
import re
import struct
import subprocess
import sys
import time
import urllib.error
import urllib.request
import zlib
from base64 import b64decode

import nbformat
import pytest
from axe import violations
from colours import contrast
from conftest import ROOT, moves_to
from nbconvert import HTMLExporter
from playwright.sync_api import expect
from typer.testing import CliRunner

from ttt import PLAYERS, Board
from ttt.cli import app
from ttt.widgets import BoardView, CubeGame, Explorer, GameBoard
from ttt.widgets.still import Still

browsers = pytest.mark.browser
WIDGET = "application/vnd.jupyter.widget-view+json"

# Runs in a page that knows nothing of Jupyter: a widget with a model that holds a state and keeps what is sent.
SHOW = """async ({source, style, state}) => {
  const sheet = document.createElement('style');
  sheet.textContent = style;
  document.head.append(sheet);
  const module = await import(URL.createObjectURL(new Blob([source], {type: 'text/javascript'})));
  const root = document.createElement('main');
  document.body.append(root);
  window.sent = [];
  const model = {
    get: name => state[name], set: (name, value) => (state[name] = value), save_changes() {},
    on() {}, off() {}, send: message => window.sent.push(message),
  };
  module.default.render({model, el: root});
}"""
# VS Code's class on the body, what the computer prefers, and the colours that the page sets.
VSCODE = [
    ("vscode-dark", "light", "#1e1e1e", "#d4d4d4"),
    ("vscode-light", "dark", "#ffffff", "#3b3b3b"),
    ("vscode-high-contrast", "light", "#000000", "#ffffff"),
    ("vscode-high-contrast vscode-high-contrast-light", "dark", "#ffffff", "#292929"),
]


# ------------------------------------------------------------------------------------------------------------ the app


@pytest.fixture(scope="module")
def address():
    """Where `ttt app` says that the boards are."""
    command = [sys.executable, "-m", "ttt", "app", "--no-browser", "--port", "0", "--dark"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT.parent)
    try:
        found = re.search(r"http://127\.0\.0\.1:\d+/", server.stdout.readline()).group()
        await_answer(found)
        yield found
    finally:
        server.terminate()
        server.wait(20)


def await_answer(address):
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            urllib.request.urlopen(f"{address}voila/static/nothing", timeout=5)
        except urllib.error.HTTPError:
            return
        except OSError:
            time.sleep(0.2)
    raise RuntimeError("the app does not answer")


@pytest.fixture(scope="module")
def hall(address, browser):
    """The app on a projector of the usual size."""
    page = browser.new_page(viewport={"width": 1280, "height": 800}, color_scheme="dark")
    page.set_default_timeout(15_000)
    page.goto(address)
    expect(page.get_by_role("grid", name="Tic-tac-toe board")).to_be_visible(timeout=60_000)
    yield page
    page.close()


def cell(page, index):
    return page.locator("[role=gridcell]:visible").nth(index)


def message(page):
    return page.locator(".ttt-status:visible")


def tab(page, name):
    page.get_by_role("tab", name=name).click()


@browsers
def test_the_app_shows_boards_and_no_code_and_has_a_title(hall):
    expect(hall.get_by_role("heading", level=1)).to_have_text("Tic-tac-toe")
    assert hall.title() == "Tic-tac-toe"
    expect(hall.get_by_text("import")).to_have_count(0)
    expect(hall.get_by_role("tab")).to_have_text(["3×3", "4×4×4", "Alpha-beta"])


@browsers
def test_a_game_in_the_app_by_mouse_and_one_by_keys(hall):
    for keys in (False, True):
        hall.get_by_role("button", name="New game").first.click()
        expect(message(hall)).to_contain_text("You are X.")
        cell(hall, 0).focus()
        for move in moves_to("X"):
            if keys:
                for key in (*["ArrowUp"] * 2, "Home", *["ArrowDown"] * (move // 3), *["ArrowRight"] * (move % 3)):
                    hall.keyboard.press(key)
                hall.keyboard.press("Enter")
            else:
                cell(hall, move).click()
            expect(cell(hall, move)).to_have_attribute("data-mark", "X")
        expect(message(hall)).to_have_text("You win! X has 3 in a row.")


@browsers
def test_each_board_is_as_large_as_the_screen_allows_and_its_lines_run_through_the_marks(hall):
    sizes = [cell(hall, index).bounding_box() for index in (0, 8)]
    assert sizes[0]["width"] >= 120 and sizes[1]["y"] + sizes[1]["height"] <= 800
    tab(hall, "4×4×4")
    hall.get_by_role("button", name="New game").last.click()
    choose = hall.get_by_label("Opponent").last
    choose.select_option("random")
    for look in ("Turned", "Slanted"):
        hall.get_by_role("button", name=look).click()
        expect(hall.locator(f"[data-look={look.lower()}]")).to_be_visible()
        box = cell(hall, 63).bounding_box()
        assert box["y"] + box["height"] <= 800 and box["width"] >= 40
    ends = hall.locator(".ttt-post:visible").first.bounding_box()
    first, last = cell(hall, 0).bounding_box(), cell(hall, 63).bounding_box()
    assert abs(ends["y"] - first["y"]) < 4 and ends["y"] + ends["height"] < last["y"] + last["height"]


@browsers
def test_the_explorer_steps_in_the_app_with_the_tree_in_view(hall):
    tab(hall, "Alpha-beta")
    hall.get_by_role("button", name="Next cut").click()
    expect(hall.locator(".tte-say")).to_contain_text("1 move is cut off")
    assert hall.locator(".tte-area").bounding_box()["height"] >= 300


@browsers
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_page_is_light_or_dark_as_chosen_and_axe_finds_nothing(hall, address, theme):
    hall.get_by_role("link", name=theme).click()
    expect(hall.locator("body")).to_have_attribute("data-jp-theme-light", str(theme == "light").lower())
    expect(hall.get_by_role("grid", name="Tic-tac-toe board")).to_be_visible(timeout=60_000)
    cell(hall, 4).click()
    expect(message(hall)).to_contain_text("Your move.")
    page = {"light": "#ffffff", "dark": "#212121"}[theme]
    assert contrast(stroke(hall, "X", ".ttt-x"), page) >= 3 and contrast(stroke(hall, "O", ".ttt-o"), page) >= 3
    for name in ("3×3", "4×4×4", "Alpha-beta"):
        tab(hall, name)
        assert violations(hall, "body") == []


def stroke(page, mark, drawn):
    """The colour that a mark has on the page."""
    colour = page.locator(f"[data-mark={mark}] {drawn}").first.evaluate("node => getComputedStyle(node).stroke")
    return "#" + "".join(f"{int(part):02x}" for part in re.findall(r"\d+", colour)[:3])


def test_where_voila_is_missing_the_command_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "voila.app", None)
    told = CliRunner().invoke(app, ["app"])
    assert told.exit_code == 1 and "needs Voilà" in told.output and "pip install --editable '.[app]'" in told.output


# -------------------------------------------------------------------------------------------------- Notebook, VS Code


@browsers
def test_a_game_in_notebook_7_by_mouse_and_keys_and_shortcuts_stay_away(lab, page):
    page.goto(lab.replace("/lab/tree/", "/notebooks/").format("notebooks/00_play.ipynb"))
    page.locator(".jp-Notebook .jp-CodeCell").first.click(timeout=60_000)
    page.keyboard.press("Shift+Enter")
    grid = page.get_by_role("grid", name="Tic-tac-toe board").first
    expect(grid).to_be_visible(timeout=60_000)
    cells, board = page.locator(".jp-Notebook .jp-Cell").count(), Board()
    for n, move in enumerate(moves_to("X")):
        if n % 2:
            for key in (*["ArrowUp"] * 2, "Home", *["ArrowDown"] * (move // 3), *["ArrowRight"] * (move % 3), *"xdd"):
                page.keyboard.press(key)
            page.keyboard.press("Enter")
        else:
            grid.get_by_role("gridcell").nth(move).click()
        board = board.play(move)
        board = board if board.over else board.play(PLAYERS["flash-clever"].choose(board, None))
        for index, mark in enumerate(board):
            expect(grid.get_by_role("gridcell").nth(index)).to_have_attribute("data-mark", mark)
    assert board.winner == "X" and page.locator(".jp-Notebook .jp-Cell").count() == cells


@browsers
@pytest.mark.parametrize("name, prefers, background, foreground", VSCODE)
def test_on_vs_codes_pages_a_board_has_its_colours_and_can_be_played(page, name, prefers, background, foreground):
    page.emulate_media(color_scheme=prefers)
    variables = f"--vscode-editor-background:{background};--vscode-editor-foreground:{foreground}"
    page.set_content(f'<html lang="en"><body class="{name}" style="{variables};--vscode-focusBorder:#007fd4">')
    view = BoardView(Board().play(4).play(0), print)
    view.say("Your move.")
    present(page, view)
    for mark, drawn in (("X", ".ttt-x"), ("O", ".ttt-o")):
        assert contrast(stroke(page, mark, drawn), background) >= 3
    assert violations(page, "main") == []
    cell(page, 1).click()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    assert page.evaluate("window.sent") == [{"play": 1}, {"play": 3}]


@browsers
@pytest.mark.parametrize("name, prefers, background, foreground", VSCODE)
def test_on_vs_codes_pages_the_explorer_has_its_colours_and_steps(page, name, prefers, background, foreground):
    page.emulate_media(color_scheme=prefers)
    variables = f"--vscode-editor-background:{background};--vscode-editor-foreground:{foreground}"
    page.set_content(f'<html lang="en"><body class="{name}" style="{variables};--vscode-focusBorder:#007fd4">')
    present(page, Explorer())
    assert violations(page, "main") == []
    root = page.locator(".tte-explorer").evaluate("root => getComputedStyle(root).backgroundColor")
    assert tuple(map(int, re.findall(r"\d+", root)[:3])) == tuple(bytes.fromhex(background[1:]))


def present(page, widget):
    """Show a widget on a page of its own, without a kernel."""
    state = {name: value for name, value in widget.get_state().items() if not name.startswith("_")}
    state.pop("layout", None)
    page.evaluate(
        SHOW,
        {
            "source": str(widget._esm),
            "style": str(widget._css),
            "state": json.loads(json.dumps(state, default=str)),
        },
    )


# ---------------------------------------------------------------------------------------------------- without a kernel


@pytest.mark.parametrize("make", [BoardView, GameBoard, CubeGame, Explorer])
def test_beside_the_live_widget_a_notebook_keeps_a_picture_unless_it_is_told_not_to(make, monkeypatch):
    widget = make()
    data, metadata = widget._repr_mimebundle_()
    width, height, pixels = decoded(b64decode(data["image/png"]))
    assert set(data) == {"text/plain", WIDGET, "image/png"} and data["text/plain"] == repr(widget)
    assert 0 < metadata["image/png"]["width"] <= min(width, 860) and len(pixels) == height
    widget.kept = False
    assert set(widget._repr_mimebundle_()[0]) == {"text/plain", WIDGET}
    monkeypatch.setattr(Still, "kept", False)
    assert set(make()._repr_mimebundle_()[0]) == {"text/plain", WIDGET}


def test_the_picture_shows_the_marks_and_the_winning_line_on_clear_ground():
    view = BoardView(Board.from_text("XXX OO- ---"))
    width, height, pixels = decoded(view.still().png())
    colour = lambda x, y: tuple(pixels[2 * y][8 * x : 8 * x + 4])  # noqa: E731
    assert (width, height) == (312, 312)
    assert colour(30, 30) == (0x00, 0x72, 0xB2, 255) and colour(42, 78) == (0xD5, 0x5E, 0x00, 255)
    assert colour(126, 126)[3] == 0 and 0 < colour(30, 20)[3] < 128


def test_a_page_made_of_a_notebook_without_a_kernel_shows_the_picture():
    data, metadata = GameBoard()._repr_mimebundle_()
    shown = nbformat.v4.new_output("display_data", data=data, metadata=metadata)
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("GameBoard()", outputs=[shown])])
    page, _ = HTMLExporter().from_notebook_node(notebook)
    assert data["image/png"] in page


def test_showing_a_board_loads_no_plotting():
    code = "import sys; from ttt.widgets import GameBoard; GameBoard()._repr_mimebundle_(); print(*sys.modules)"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"matplotlib", "numpy"} & set(told.stdout.split())


def decoded(png):
    """Width, height and the rows of red, green, blue and opacity of a PNG; it is checked on the way."""
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    chunks, at = {}, 8
    while at < len(png):
        (length,), kind = struct.unpack(">I", png[at : at + 4]), png[at + 4 : at + 8]
        chunks[kind] = png[at + 8 : at + 8 + length]
        assert struct.unpack(">I", png[at + 8 + length : at + 12 + length])[0] == zlib.crc32(kind + chunks[kind])
        at += 12 + length
    width, height = struct.unpack(">II", chunks[b"IHDR"][:8])
    raw = zlib.decompress(chunks[b"IDAT"])
    return width, height, [raw[n + 1 : n + 1 + 4 * width] for n in range(0, len(raw), 1 + 4 * width)]
