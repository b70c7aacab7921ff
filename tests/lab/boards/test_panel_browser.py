"""All widgets on one page of JupyterLab: mouse, keys, messages, both themes, a narrow window, a silent kernel."""

import json
import re

import nbformat
import pytest
from axe import violations
from colours import contrast
from conftest import ROOT, ask, naming, save, wear
from lab import Explorer, GameBoard, check
from lab.drawing.cards import CSS
from nbformat.v4 import new_code_cell, new_markdown_cell, new_output
from playwright.sync_api import expect
from submissions import sources
from waiting import resize, run

from ttt import Board

pytestmark = pytest.mark.browser

EXERCISE = json.loads((ROOT / "exercises" / "interface" / "interface.ipynb").read_text())["cells"]
SOURCES = {cell["id"]: "".join(cell["source"]) for cell in EXERCISE}
ANSWER, FOLDED = new_output("stream", text="42"), {"jupyter": {"outputs_hidden": True}}
HIDDEN = new_code_cell("41 + 1", outputs=[ANSWER], metadata=FOLDED)
TOPS = [("06_minimax", 2), ("index", 1)]  # of a lesson and of the start page
LESSON = [
    new_markdown_cell(cell.source)
    for name, cells in TOPS
    for cell in nbformat.read(ROOT / f"notebooks/{name}.ipynb", 4).cells[:cells]
]
CELLS = {
    "board": "from lab import CubeGame, Explorer, GameBoard, fill_in, guess, recap, reveal\nGameBoard('flash-clever')",
    "tree": "Explorer()",
    "filling": "from ttt import Board\nfill_in(Board.from_text('--X X-O OXO'))",
    "recap": 'recap("00_play")',
    "guess": 'guess(lines=7)\nreveal("lines", 8)',
    "cards": "from ttt import opponent; from lab import check, hint, ladder\nfrom IPython.display import display\n"
    "def squares(board, player):\n"
    "    mine = [line.count(player) for line in board.lines if opponent(player) not in line]\n"
    "    return sum(marks**2 for marks in mine)\n"
    "display(check(squares, 'heuristic_1'), hint('heuristic_1'), ladder('flash-clever'))",
    "drawing": "from ttt import Board, svg\nsvg.draw(Board.from_text('X-O --- ---'), caption='what now?')",
    "interface": SOURCES["in-03"].replace("self.play(cell)", "print('cell', cell); self.pley(cell) if cell else None"),
    "buttons": SOURCES["in-04"],
    "process": "import os\nprint('process', os.getpid())",
    "number": "guess(number=..., between=(0, 100))",
    "choice": "guess(choice=..., choices=['a corner', 'the centre'])",
    "place": "guess(place=..., board=Board())",
    "order": "guess(order_of_three=..., order=['random', 'rules', 'perfect'])",
    "cube": "def second_free(board):\n    return board.moves[1]\nCubeGame(second_free)",
    "own": f"import sys\nsys.path.insert(0, {str(ROOT / 'tests')!r})\nfrom games import Kayles, Nim, first\n"
    "GameBoard(first, start=Kayles('!!!'))",
    "own_tree": "Explorer(Nim(4))",
    "error": "def divided(board):\n    for cell in board.moves:\n        if cell:\n"
    "            return f'{cell / (cell - cell)}'  # no\ndivided(Board.from_text('X-O -X- --O'))",
}
WIDGETS = [name for name in CELLS if name not in ("drawing", "interface", "buttons", "process", "error")]
FILE = "all.ipynb"
THEMES = ("JupyterLab Dark", "JupyterLab Light")  # the page keeps the last
LETTERS = "xabdcvzym\"'\\]"  # in command mode the first cut, add, delete or change notebook cells

STATE = "application/vnd.jupyter.widget-state+json"
# Runs in the page: what titles look like.
TITLES = """all => all.map(title => {
  const {fontSize, fontWeight, backgroundImage, paddingBottom} = getComputedStyle(title);
  return [fontSize, fontWeight, backgroundImage, paddingBottom];
})"""


@pytest.fixture(scope="module")
def page(opened):
    """The page with all widgets, run from the top by the keys."""
    with opened(FILE, [*CELLS.values(), HIDDEN, *LESSON]) as page:
        page.locator(".jp-Notebook-ExecutionIndicator[data-status=idle]").wait_for()
        for _ in CELLS:
            page.keyboard.press("Shift+Enter")
        expect(page.locator(".layers")).to_be_visible()
        yield page


def code_cell(page, name):
    return page.locator(".jp-Notebook .jp-CodeCell").nth(list(CELLS).index(name))


def widget(page, name):
    return code_cell(page, name).locator(".jp-OutputArea").first


def cell(root, index):
    return root.get_by_role("gridcell").nth(index)


def shows(root, board):
    for index, mark in enumerate(board):
        expect(cell(root, index)).to_have_attribute("data-mark", mark)


def test_a_game_is_played_by_keys_that_lab_does_not_get_and_escape_gives_the_focus_back(page):
    root, game, cells_before = widget(page, "board"), GameBoard("flash-clever"), page.locator(".jp-Cell").count()
    cell(root, 0).focus()
    for key in (*LETTERS, "ArrowDown", "ArrowRight", "Enter"):
        page.keyboard.press(key)
    game.play(4)
    expect(root.locator(".message")).to_have_text(game.message)
    shows(root, game.board)
    expect(cell(root, 4)).to_be_focused()
    assert page.locator(".jp-Cell").count() == cells_before
    page.keyboard.press("Escape")
    expect(page.locator("[role=gridcell]:focus")).to_have_count(0)
    assert page.evaluate("document.activeElement.closest('.jp-Notebook') !== null")


# Runs in the page: whether all of a node is in sight in the frame of its tree, once the page has been drawn.
IN_SIGHT = """async node => {
  for (let n = 0; n < 3; n++) await new Promise(requestAnimationFrame);
  const [inner, outer] = [node, node.closest('.scroll')].map(each => each.getBoundingClientRect());
  const across = outer.left <= inner.left && inner.right <= outer.right;
  return across && outer.top <= inner.top && inner.bottom <= outer.bottom;
}"""

# Runs in the page: whether a word says that there is more to the left of a tree, once the page has been drawn.
MORE = """async drawing => {
  for (let n = 0; n < 3; n++) await new Promise(requestAnimationFrame);
  return getComputedStyle(drawing, '::before').opacity;
}"""


def test_beside_the_list_of_files_the_whole_tree_is_seen(page):
    page.keyboard.press("Control+b")
    expect(page.locator("#jp-left-stack")).to_be_visible()  # the list of files
    resize(page, 1366, 900)
    assert widget(page, "tree").locator(".scroll").evaluate("node => node.scrollWidth <= node.clientWidth")
    page.keyboard.press("Control+b")
    resize(page, 1280, 900)


def test_what_cards_say_is_announced_in_their_order_and_their_rungs_open_by_keys(page):
    run(page, [*CELLS].index("guess"))
    result = naming("is 8", "guessed 7", "1 too low")
    expect(page.locator("body > [role=status]").filter(has_text=result)).to_have_count(1)
    run(page, [*CELLS].index("cards"))
    said = naming("not yet.", "hint ", "you are on rung 2 of 6", "✗ never lose as O Your player can lose as O")
    region = page.locator("body > [role=status]").filter(has_text=said)
    expect(region).to_have_count(1)
    words = region.inner_text()
    places = [*map(words.index, ("Not yet.", "Hint", "You are on", "never lose as O", "open-lines", "legal move"))]
    assert (
        places == sorted(places)
        and "Try it yourself" not in words
        and "svg" not in words
        and "Tic-tac-toe" not in words
    )
    rungs = widget(page, "cards").get_by_role("listitem").filter(has=page.locator("summary"))
    expect(rungs).to_have_count(4)
    expect(rungs.locator("details[open]")).to_have_text(naming("never lose as O", "quickest loss"))
    rungs.first.locator("summary").focus()
    page.keyboard.press("Enter")
    expect(rungs.first.locator("details")).to_contain_text(naming("random", "%"))
    expect(rungs.locator("details[open]")).to_have_count(2)


@pytest.mark.npm
@pytest.mark.parametrize("theme", THEMES)
def test_axe_finds_nothing_in_any_widget_nor_at_the_top_of_a_lesson_and_drawings_follow_the_theme(page, theme):
    wear(page, theme)
    expect(page.locator(".jp-RenderedSVG img")).to_have_css("color-scheme", theme.split()[-1].lower())
    page.evaluate("document.querySelectorAll('.ttt details').forEach(each => each.open = true)")
    error = code_cell(page, "error").locator(".jp-OutputArea")
    titles = page.locator(".jp-Notebook .jp-MarkdownOutput").all()
    for part in [*(widget(page, name) for name in WIDGETS), error, *titles]:
        part.evaluate("part => part.dataset.axe = ''")
    assert page.locator("[data-axe]").count() == len(WIDGETS) + 1 + len(LESSON) and violations(page, "[data-axe]") == []
    page.evaluate("document.querySelectorAll('.ttt details').forEach(each => each.open = false)")
    for edge, ground in widget(page, "recap").get_by_role("radio").evaluate_all(CONTROLS):
        assert contrast(hexadecimal(edge), hexadecimal(ground)) >= 3


def test_at_the_top_of_a_lesson_the_lessons_are_in_one_row(page):
    row = page.locator(".jp-Notebook .jp-MarkdownOutput p").first
    expect(row).to_have_css("display", "flex")
    places = row.locator("a, strong").evaluate_all("all => all.map(each => each.getBoundingClientRect().y)")
    assert len(places) == 16 and len({*map(round, places)}) == 1
    expect(row.locator("strong")).to_have_text("06")
    lesson, start = page.locator(".jp-Notebook .jp-MarkdownOutput h1").evaluate_all(TITLES)
    assert lesson == start


CONTROLS = """all => all.map(each => {
  const {borderColor, backgroundColor} = getComputedStyle(each);
  return [borderColor, backgroundColor];
})"""


def hexadecimal(colour):
    """A colour as the browser gives it, "rgb(17, 17, 17)" or "color(srgb 0.1 0.1 0.1)", as "#111111"."""
    full = 255 if "srgb" in colour else 1
    return "#" + "".join(f"{round(full * float(part)):02x}" for part in re.findall(r"[\d.]+", colour)[:3])


def begins(part):
    """Where the first letters, or the drawing, of a part of the page begin."""
    return part.evaluate("""part => {
      const range = document.createRange();
      range.selectNodeContents(part);
      return (part.closest('svg') ? part : range).getBoundingClientRect().left;
    }""")


@pytest.mark.parametrize("width", [1280, 400])
def test_letters_and_boards_begin_where_the_letters_of_code_begin_and_frames_where_its_frame_does(page, width):
    resize(page, width, 900)
    code, root = code_cell(page, "board").locator(".jp-InputArea-editor"), widget(page, "board")
    letters = begins(code.locator(".cm-line").first)
    assert begins(page.locator(".jp-Notebook .jp-MarkdownOutput h1").first) == pytest.approx(letters, abs=1)
    assert begins(root.locator(".message")) == pytest.approx(letters, abs=1)
    assert begins(widget(page, "process").locator("pre")) == pytest.approx(letters, abs=1)
    assert begins(root.locator(".grid")) == pytest.approx(letters, abs=3)
    for name, frame in {"tree": ".bar", "cards": ".ttt-card", "recap": ".ttt-card", "guess": ".ttt"}.items():
        left = widget(page, name).locator(frame).first.bounding_box()["x"]
        assert left == pytest.approx(code.bounding_box()["x"], abs=1), name
    resize(page, 1280, 900)


def test_no_word_and_no_board_of_a_ladder_is_alone(page):
    ladder = widget(page, "cards").locator("xpath=..").locator(".ladder")
    broken = """all => all.map(rung => {
      const range = document.createRange();
      range.selectNodeContents(rung.lastChild);
      return range.getClientRects().length;
    })"""
    assert set(ladder.locator("summary").evaluate_all(broken)) == {1}  # what follows the last code
    columns = """(boards, number) => {
      const some = boards.cloneNode(true);
      while (some.children.length > number) some.lastChild.remove();
      boards.after(some);
      const {gridTemplateColumns} = getComputedStyle(some);
      some.remove();
      return gridTemplateColumns.split(' ').length;
    }"""
    boards = ladder.locator("[role=img]:has(svg)").first
    assert [boards.evaluate(columns, number) for number in (5, 6, 7, 8)] == [3, 3, 4, 4]


def test_in_a_narrow_window_nothing_overflows_and_drawings_scroll_as_they_are(page):
    resize(page, 300, 900)
    for name in WIDGETS:
        assert widget(page, name).evaluate("root => root.scrollWidth - root.clientWidth") <= 1, name
    image, lines = page.locator(".jp-RenderedSVG img"), page.locator(".jp-RenderedText > pre:has(> div)")
    assert image.evaluate("image => image.getBoundingClientRect().width === image.naturalWidth")
    scrolled = "part => part.scrollWidth > part.clientWidth && getComputedStyle(part).overflowX"
    assert page.locator(".jp-RenderedSVG").evaluate(scrolled) == "auto"
    assert lines.evaluate("pre => pre.scrollWidth <= pre.clientWidth")  # each line is broken below its code
    message = lines.locator("div").last
    expect(message).to_have_text("ZeroDivisionError: division by zero")
    sizes = lines.locator("div").evaluate_all("all => all.map(each => getComputedStyle(each).fontSize)")
    assert sizes.count("16px") == 1 and sizes[-1] == "16px"
    expect(lines.get_by_text("Traceback")).to_be_hidden()
    expect(lines.locator(".ttt-here").last).to_have_text("----> 4             return f'{cell / (cell - cell)}'  # no")
    heights = lines.locator(".ttt-source").evaluate_all("all => all.map(each => each.clientHeight)")
    assert heights[-1] > heights[0] * 1.5 > 0
    assert lines.get_by_text("'X-O -X- --O'").bounding_box()["height"] < heights[0] * 1.5  # texts stay whole
    heights = widget(page, "tree").locator(".code span").evaluate_all("all => all.map(each => each.clientHeight)")
    assert max(heights) < 2 * min(heights)  # the lines of its code stay whole
    row = page.locator(".jp-Notebook .jp-MarkdownOutput p").first
    assert row.locator("a, strong").filter(visible=True).all_inner_texts() == ["05", "06", "07", "all"]
    assert widget(page, "filling").locator(".node > .paper").first.evaluate(IN_SIGHT)  # the root
    form, card = (widget(page, "recap").locator(part).first.bounding_box() for part in ("form", ".ttt-card"))
    assert (card["x"], card["width"]) == pytest.approx((form["x"] - 6, form["width"] + 12), abs=0.1)
    resize(page, 400, 900)
    table = widget(page, "cards").locator(".scroll:has(table)")
    assert table.evaluate("frame => frame.scrollWidth <= frame.clientWidth")  # so all of its numbers are seen
    tree = widget(page, "tree").locator(".drawing")
    tree.locator(".scroll").evaluate("frame => frame.scrollLeft = frame.scrollWidth")
    assert tree.evaluate(MORE) == "1"
    resize(page, 1280, 900)
    assert tree.evaluate(MORE) == "0"


# Runs in the page: where the parts of a tree are once the page has been drawn, and the size of its smallest letters.
DRAWN_AT = """async frame => {
  for (let n = 0; n < 3; n++) await new Promise(requestAnimationFrame);
  const at = part => frame.querySelector(part).getBoundingClientRect();
  const all = part => [...frame.querySelectorAll(part)];
  const sizes = all('text').map(text => parseFloat(getComputedStyle(text).fontSize));
  const names = all('.levels text').map(text => text.getBoundingClientRect().right);
  const [way, stem] = [at('.first'), at('[data-part="0"] .stem').left]; // the branch that the root pulls along
  return [Math.min(Math.abs(way.left - stem), Math.abs(way.right - stem)),
    at('.levels').left, Math.max(...names), at('.levels rect').right, at('[data-part="0"] .paper'),
    frame.getBoundingClientRect(), frame.scrollWidth - frame.clientWidth, Math.min(...sizes)];
}"""
NEVER_CUTS: dict = {}
exec(sources("alpha_beta_wrong")["never cuts"], NEVER_CUTS)
TREES = {
    "a check": lambda: check(NEVER_CUTS["alpha_beta"], "alpha_beta")._repr_html_(),
    "a page to read": lambda: Explorer(Board.from_text("X-O -O- -XX")).picture()._repr_html_(),
}


@pytest.mark.parametrize("name, css", [("a check", f"<style>{CSS}</style>"), ("a page to read", "")])
def test_while_a_narrow_tree_scrolls_its_root_is_in_sight_beside_the_names_of_its_levels(browser, name, css):
    page = browser.new_page(viewport={"width": 300, "height": 900})
    page.set_content(css + TREES[name]())
    frame = page.locator(".scroll")
    *_, far, letters = frame.evaluate(DRAWN_AT)
    assert far > 40 and letters >= 12
    for left in (0, far // 2, far):
        frame.evaluate("(frame, left) => frame.scrollLeft = left", left)
        expect(frame).to_have_js_property("scrollLeft", left)
        apart, begin, names, end, root, seen, *_ = frame.evaluate(DRAWN_AT)
        assert apart < 3 or name == "a check", left  # which shows no way
        assert begin == pytest.approx(seen["left"], abs=3) and names <= end, left
        assert end <= root["left"] and root["right"] <= seen["right"], left
    notes = page.locator(".ringed:has(.note)")
    assert (notes.count() > 0) == (name == "a check")
    for node in notes.all():  # each is on one line, on its board
        note, board = (node.locator(part).bounding_box() for part in (".note", ".paper"))
        assert 0 < note["y"] - board["y"] - board["height"] < 8 and note["width"] < board["width"] + 24
    page.close()


def test_drawings_have_an_alternative_text_and_a_hidden_result_stays_hidden(page):
    words = "Tic-tac-toe: X to move; X empty O; empty empty empty; empty empty empty; what now?"
    expect(page.locator(".jp-RenderedSVG img")).to_have_attribute("alt", words)
    placeholder = page.locator(".jp-OutputPlaceholder .jp-PlaceholderText")
    expect(placeholder).to_have_css("font-size", "0px")  # its first line is the answer


def test_the_error_of_a_click_is_shown_below_the_board_until_the_next_click(page):
    root = widget(page, "buttons")
    cells, below = root.locator(".jupyter-button"), root.locator(".widget-output")
    expect(cells).to_have_count(9)
    cells.nth(4).click()
    expect(below).to_contain_text("'Interface' object has no attribute 'pley'")
    cells.nth(0).click()
    expect(below).to_have_text("cell 0")


def test_a_notebook_keeps_the_widgets_it_shows_and_no_others(page, lab):
    models = []
    for runs in (1, 3):
        for _ in range(runs):
            run(page, [*CELLS].index("board"))
        shows(widget(page, "board"), Board())
        save(page)
        kept = ask(lab, f"contents/{FILE}")
        state = kept["content"]["metadata"]["widgets"][STATE]["state"]
        models.append(sorted(model["model_name"] for model in state.values()))
    assert models[0] == models[1] and models[0].count("ButtonModel") == 9  # those of a widget in a widget, too
