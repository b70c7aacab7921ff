"""Other front ends than JupyterLab: the app that Voilà serves, Notebook, VS Code's pages, those without a kernel."""

import json
import re
import subprocess
import sys
import time
import urllib.error
import urllib.request
from base64 import b64encode
from xml.etree import ElementTree

import nbformat
import pytest
from axe import violations
from colours import contrast
from conftest import KERNEL, ROOT, moves_to, upload
from nbconvert import HTMLExporter
from playwright.sync_api import expect
from typer.testing import CliRunner

from ttt import PLAYERS, Board, svg
from ttt.cli import app
from ttt.widgets import BoardView, CubeGame, Explorer, GameBoard, fill_in
from ttt.widgets.snapshot import Snapshot

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
def address(browser):
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
def projector(address, browser):
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
def test_the_app_shows_boards_and_no_code_and_has_a_title(projector):
    expect(projector.get_by_role("heading", level=1)).to_have_text("Tic-tac-toe")
    assert projector.title() == "Tic-tac-toe"
    expect(projector.get_by_text("import")).to_have_count(0)
    expect(projector.get_by_role("tab")).to_have_text(["3×3", "4×4×4", "Alpha-beta"])


@browsers
def test_a_game_in_the_app_by_mouse_and_one_by_keys(projector):
    for keys in (False, True):
        projector.get_by_role("button", name="New game").first.click()
        expect(message(projector)).to_contain_text("You are X.")
        cell(projector, 0).focus()
        for move in moves_to("X"):
            if keys:
                for key in (*["ArrowUp"] * 2, "Home", *["ArrowDown"] * (move // 3), *["ArrowRight"] * (move % 3)):
                    projector.keyboard.press(key)
                projector.keyboard.press("Enter")
            else:
                cell(projector, move).click()
            expect(cell(projector, move)).to_have_attribute("data-mark", "X")
        expect(message(projector)).to_have_text("You win! X has 3 in a row.")


@browsers
def test_each_board_is_as_large_as_the_screen_allows_and_its_lines_run_through_the_marks(projector):
    sizes = [cell(projector, index).bounding_box() for index in (0, 8)]
    assert sizes[0]["width"] >= 120 and sizes[1]["y"] + sizes[1]["height"] <= 800
    tab(projector, "4×4×4")
    projector.get_by_role("button", name="New game").last.click()
    choose = projector.get_by_label("Opponent").last
    choose.select_option("random")
    for look in ("Turned", "Slanted"):
        projector.get_by_role("button", name=look).click()
        expect(projector.locator(f"[data-look={look.lower()}]")).to_be_visible()
        box = cell(projector, 63).bounding_box()
        assert box["y"] + box["height"] <= 800 and box["width"] >= 40
    ends = projector.locator(".ttt-post:visible").first.bounding_box()
    first, last = cell(projector, 0).bounding_box(), cell(projector, 63).bounding_box()
    assert abs(ends["y"] - first["y"]) < 4 and ends["y"] + ends["height"] < last["y"] + last["height"]


@browsers
def test_a_narrow_page_shows_each_board_whole(projector):
    projector.set_viewport_size({"width": 480, "height": 900})
    for name, rightmost in (("3×3", "[data-cell='2']"), ("4×4×4", ".ttt-layer-name >> nth=-1")):
        tab(projector, name)
        board = projector.locator(".ttt-board:visible")
        assert right(board.locator(rightmost)) <= right(board)
    projector.set_viewport_size({"width": 1280, "height": 800})


def right(part):
    box = part.bounding_box()
    return box["x"] + box["width"]


@browsers
def test_the_explorer_steps_in_the_app_with_the_tree_in_view(projector):
    tab(projector, "Alpha-beta")
    projector.get_by_role("button", name="Next cut").click()
    expect(projector.locator(".tte-say")).to_contain_text("1 move is cut off")
    assert projector.locator(".tte-area").bounding_box()["height"] >= 300


@browsers
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_page_is_light_or_dark_as_chosen_with_the_game_as_it_was_and_axe_finds_nothing(projector, theme):
    tab(projector, "3×3")
    projector.get_by_role("button", name="New game").first.click()
    cell(projector, 4).click()
    expect(message(projector)).to_contain_text("Your move.")
    projector.get_by_role("button", name=theme, exact=True).click()
    expect(projector.locator("body")).to_have_attribute("data-jp-theme-light", str(theme == "light").lower())
    expect(projector.get_by_role("button", name=theme, pressed=True)).to_be_visible()
    page = {"light": "#ffffff", "dark": "#212121"}[theme]
    paper = {"light": "rgb(255, 255, 255)", "dark": "rgb(17, 17, 17)"}[theme]
    expect(projector.locator("body")).to_have_css("background-color", paper)
    expect(message(projector)).to_contain_text("Your move.")
    assert (
        contrast(stroke(projector, "X", ".ttt-x"), page) >= 3 and contrast(stroke(projector, "O", ".ttt-o"), page) >= 3
    )
    cell(projector, 1).click()
    expect(cell(projector, 1)).to_have_attribute("data-mark", "X")
    for name in ("3×3", "4×4×4", "Alpha-beta"):
        tab(projector, name)
        assert violations(projector, "body") == []


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
    cells, board = len(nbformat.read(ROOT / "notebooks" / "00_play.ipynb", 4).cells), Board()
    expect(page.locator(".jp-Notebook .jp-Cell")).to_have_count(cells, timeout=60_000)
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


def of_numbers():
    return fill_in([[3, 5], [2, 9]])


@pytest.mark.parametrize("make", [BoardView, GameBoard, CubeGame, Explorer, of_numbers])
def test_beside_the_live_widget_a_notebook_keeps_a_drawing_unless_told_not_to(make, monkeypatch):
    widget = make()
    data, _ = widget._repr_mimebundle_()
    assert set(data) == {"text/plain", WIDGET, "image/svg+xml"} and data["text/plain"] == repr(widget)
    assert ElementTree.fromstring(data["image/svg+xml"]).get("role") == "img"
    widget.keep_snapshot = False
    assert set(widget._repr_mimebundle_()[0]) == {"text/plain", WIDGET}
    monkeypatch.setattr(Snapshot, "keep_snapshot", False)
    assert set(make()._repr_mimebundle_()[0]) == {"text/plain", WIDGET}


def test_the_drawing_is_of_the_board_as_it_is_now():
    game = GameBoard("flash-clever")
    game.play(4)
    assert game._repr_mimebundle_()[0]["image/svg+xml"] == str(svg.draw(game.board, last=game.last))


def saved(widget, trusted=True, without=()):
    """A notebook that keeps what was displayed of a widget that is gone."""
    data, metadata = widget._repr_mimebundle_()
    data = {kind: content for kind, content in data.items() if kind not in without}
    shown = nbformat.v4.new_output("display_data", data=data, metadata=metadata)
    cell = nbformat.v4.new_code_cell("GameBoard()", outputs=[shown], metadata={"trusted": trusted})
    return nbformat.v4.new_notebook(cells=[cell], metadata={"kernelspec": KERNEL})


def test_a_page_made_of_a_notebook_without_a_kernel_shows_the_drawing():
    widget = GameBoard()
    page, _ = HTMLExporter().from_notebook_node(saved(widget))
    assert b64encode(str(widget.snapshot()).encode()).decode() in page


@browsers
@pytest.mark.parametrize("trusted, shown", [(True, ".jp-RenderedSVG img"), (False, ".jp-RenderedText")])
def test_lab_shows_the_drawing_of_a_board_that_is_gone_if_it_trusts_the_notebook_and_else_its_text(
    lab, page, trusted, shown
):
    notebook = saved(GameBoard(), trusted, without=[WIDGET])  # JupyterLab would wait for the widget
    upload(lab, "gone.ipynb", notebook.cells)
    page.goto(lab.format("gone.ipynb"))
    expect(page.locator(".jp-OutputArea").first.locator(shown)).to_be_visible(timeout=60_000)


def test_showing_a_board_loads_no_plotting():
    code = "import sys; from ttt.widgets import GameBoard; GameBoard()._repr_mimebundle_(); print(*sys.modules)"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"matplotlib", "numpy"} & set(told.stdout.split())
