"""Other front ends than JupyterLab: Notebook, VS Code's pages, those without a kernel."""

import json
import re
import subprocess
import sys
from base64 import b64encode
from xml.etree import ElementTree

import nbformat
import pytest
from axe import violations
from colours import contrast
from conftest import KERNEL, ROOT, moves_to, upload
from nbconvert import HTMLExporter
from playwright.sync_api import expect

from ttt import PLAYERS, Board, svg
from ttt.search import minimax
from ttt.widgets import BoardView, CubeGame, Explorer, GameBoard, StatisticsView, fill_in
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


def cell(page, index):
    return page.locator("[role=gridcell]:visible").nth(index)


def stroke(page, mark, drawn):
    """The colour that a mark has on the page."""
    colour = page.locator(f"[data-mark={mark}] {drawn}").first.evaluate("node => getComputedStyle(node).stroke")
    return "#" + "".join(f"{int(part):02x}" for part in re.findall(r"\d+", colour)[:3])


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


def of_a_search():
    return StatisticsView(minimax(Board(), 2))


def of_numbers():
    return fill_in([[3, 5], [2, 9]])


@pytest.mark.parametrize("make", [BoardView, GameBoard, CubeGame, Explorer, of_a_search, of_numbers])
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
