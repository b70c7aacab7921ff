"""All widgets on one page of JupyterLab: mouse, keys, messages, both themes, a narrow window, a silent kernel."""

import json
import os
import re
import signal
from itertools import combinations

import nbformat
import pytest
from axe import violations
from colours import contrast
from conftest import ROOT, ask, moves_to, naming, save, wear
from lab import Explorer, GameBoard, check
from lab.drawing.cards import CSS
from lab.drawing.narration import explain_step
from nbformat.v4 import new_code_cell, new_markdown_cell, new_output
from playwright.sync_api import expect
from submissions import sources
from waiting import resize, run

from ttt import Board
from ttt.notation import spoken

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
    "two_views": 'from IPython.display import display\ntwo = recap("00_play")\ndisplay(two, two)',
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
    "own": f"import sys\nsys.path.insert(0, {str(ROOT / 'tests')!r})\nfrom games import Kayles, Nim\n"
    "def first(here):\n    return here.moves[0]\nGameBoard(first, start=Nim(12))",
    "endless": "from lab.boards import game as module\nmodule.MAX_THINKING_SECONDS = 2\n"
    "def endless(here):\n    while True: pass\nGameBoard(endless, start=Nim(12))",
    "rows": "GameBoard(first, start=Kayles('!!!'))",
    "own_tree": "Explorer(Nim(4))",
    "error": "def divided(board):\n    for cell in board.moves:\n        if cell:\n"
    "            return cell / (cell - cell)\ndivided(Board.from_text('X-O -X- --O'))",
}
CUBE = Board(shape=(4, 4, 4))
ANSWERED = Board().play(4).play(0)  # by the flash computer
GUESSES = ("number", "choice", "place", "order")
WIDGETS = [name for name in CELLS if name not in ("drawing", "interface", "buttons", "process", "error")]
FILE = "all.ipynb"
THEMES = ("JupyterLab Dark", "JupyterLab Light")  # the page keeps the last
LETTERS = "xabdcvzym\"'\\]"  # in command mode the first cut, add, delete or change notebook cells

STATE = "application/vnd.jupyter.widget-state+json"
# Runs in the page: records each message of the widget.
LISTEN = """root => {
  window.heard = [];
  const live = root.querySelector('.message');
  const hear = () => live.textContent && window.heard.push(live.textContent);
  new MutationObserver(hear).observe(live, {childList: true, characterData: true, subtree: true});
}"""

# Runs in the page: what titles look like.
TITLES = """all => all.map(title => {
  const {fontSize, fontWeight, backgroundImage, paddingBottom} = getComputedStyle(title);
  return [fontSize, fontWeight, backgroundImage, paddingBottom];
})"""

# Runs in the page: presses buttons by their values, at once.
PRESS = "(root, values) => values.forEach(value => root.querySelector(`[data-value='${value}']`).click())"


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


def press(root, name):
    root.get_by_role("button", name=name, exact=True).click()


def says(root, text):
    """The message of a widget is this, in which code is between backquotes."""
    expect(root.locator(".message")).to_have_text(text.replace("`", ""))


def names(root, *words):
    """The message of a widget names these."""
    expect(root.locator(".message")).to_contain_text(naming(*words))


def name_of(board, index):
    """A cell as a screen reader announces it: by its number and its place."""
    return f"cell {index}, {spoken(board, index)}"


def shows(root, board):
    for index, mark in enumerate(board):
        state = "empty" if mark == "-" else mark
        expect(cell(root, index)).to_have_attribute("data-mark", mark)
        expect(cell(root, index)).to_have_accessible_name(re.compile(rf"^{name_of(board, index)}, {state}(, .*)?$"))


def new_game(root):
    press(root, "New game")
    expect(root.locator("[data-mark='-']")).to_have_count(len(root.get_by_role("gridcell").all()))


def test_by_keys_alone_a_game_announces_every_state_and_escape_gives_the_focus_back(page):
    root, game, at = widget(page, "board"), GameBoard("flash-clever"), 0
    said, cells_before = [game.message], page.locator(".jp-Notebook .jp-Cell").count()
    errors = []
    page.on("pageerror", lambda error: errors.append(error))
    root.evaluate(LISTEN)
    new_game(root)
    page.wait_for_function("window.heard.length")  # the board was empty before, too
    cell(root, 0).focus()
    for move in moves_to("X"):
        keys = ["ArrowDown"] * (move // 3 - at // 3) + ["ArrowUp"] * (at // 3 - move // 3)
        keys += ["ArrowRight"] * (move % 3 - at % 3) + ["ArrowLeft"] * (at % 3 - move % 3)
        for key in (*keys, *LETTERS):
            page.keyboard.press(key)
        at = move
        expect(cell(root, move)).to_be_focused()
        page.keyboard.press("Enter")
        game.play(move)
        said.append(game.message)
        says(root, game.message)
        expect(cell(root, move)).to_be_focused()
    heard = page.evaluate("window.heard")
    assert [text for text in heard if "is thinking" not in text] == said and not errors  # on a slow machine it thinks
    assert page.locator(".jp-Notebook .jp-Cell").count() == cells_before
    new_game(root)
    expect(root.get_by_role("grid", name="Tic-tac-toe board").get_by_role("row")).to_have_count(3)
    shows(root, Board())
    assert root.locator('[role=gridcell][tabindex="0"]').count() == 1
    cell(root, 1).focus()
    for key, to in {"End": 2, "ArrowRight": 2, "ArrowDown": 5, "Home": 3}.items():
        page.keyboard.press(key)
        expect(cell(root, to)).to_be_focused()
    page.keyboard.press("4")
    shows(root, ANSWERED)
    page.keyboard.press("Escape")
    expect(page.locator("[role=gridcell]:focus")).to_have_count(0)
    assert page.evaluate("document.activeElement.closest('.jp-Notebook') !== null")


def test_the_cube_is_played_by_keys_in_every_look(page):
    root = widget(page, "cube")
    root.get_by_text("Options").click()
    for look in ("Turned", "Side by side", "Slanted"):
        root.get_by_label("View").select_option(look)
        new_game(root)
        cell(root, 0).focus()
        for count, move in enumerate((0, 21, 42, 63)):
            name = re.compile(f"^{name_of(CUBE, move)}, empty")
            expect(root.locator("[role=gridcell]:focus")).to_have_accessible_name(name)
            page.keyboard.press("Space")
            expect(cell(root, move)).to_have_attribute("data-mark", "X")
            expect(root.locator("[data-mark=O]")).to_have_count(min(count + 1, 3))
            for key in ("PageDown", "ArrowDown", "ArrowRight"):
                page.keyboard.press(key)
        names(root, "you win", "X has 4 in a row", "cell 0", "cell 63")
    root.get_by_text("Options").click()


def test_a_key_that_is_held_down_plays_once(page):
    root = widget(page, "board")
    new_game(root)
    cell(root, 4).focus()
    for _ in range(3):  # from the second time on, the browser says that it repeats
        page.keyboard.down("Enter")
        shows(root, ANSWERED)
    page.keyboard.up("Enter")
    names(root, "O plays cell 0")


def left(root, heap):
    expect(root.locator(".own")).to_have_text(f"{heap} left")


def test_your_own_game_is_played_by_a_double_click_and_by_keys_that_go_from_row_to_row(page):
    root = widget(page, "own")
    root.get_by_role("button", name="2", exact=True).dblclick()
    left(root, 9)
    press(root, "1")
    left(root, 7)
    root.get_by_role("button", name="Undo").dblclick()  # which takes back two moves
    left(root, 12)
    root.get_by_role("button", name="1", exact=True).focus()
    for key in ("ArrowRight", "ArrowRight", "Enter"):
        page.keyboard.press(key)
    left(root, 8)
    for heap in (4, 0):  # the first button keeps the focus
        page.keyboard.press(" ")
        left(root, heap)
    names(root, "O plays 1", "you lose", "first wins as O")
    seen = widget(page, "rows").get_by_role("toolbar", name="Moves").get_by_role("button")
    tops = seen.evaluate_all("all => all.map(each => each.getBoundingClientRect().top)")
    assert tops[0] == tops[1] < tops[2] == tops[3] < tops[4]
    seen.first.focus()
    for number in (1, 2, 3, 4, 4):
        page.keyboard.press("ArrowRight")
        expect(seen.nth(number)).to_be_focused()
    page.keyboard.press("Home")
    expect(seen.first).to_be_focused()


def test_two_views_of_a_recap_show_the_same_answers(page):
    root = widget(page, "two_views")
    first, second = (root.locator(".ttt").nth(view) for view in (0, 1))
    for question, choice in ((0, 1), (1, 0), (0, 2)):
        first.locator("fieldset").nth(question).locator("label").nth(choice).click()
        for view in (first, second):
            expect(view.locator("fieldset").nth(question).locator("input").nth(choice)).to_be_checked()
    second.locator("fieldset").nth(0).locator("input").nth(1).focus()
    page.keyboard.press("Enter")
    expect(root.locator("input:checked")).to_have_count(4)


def test_while_the_computer_thinks_your_move_is_seen_another_press_counts_for_nothing_and_its_time_is_limited(page):
    root = widget(page, "endless")
    press(root, "New game")
    root.evaluate(PRESS, ["0", "1"])  # the second before there is an answer to the first
    left(root, 11)
    names(root, "endless is thinking")
    root.get_by_role("button", name="2", exact=True).click(force=True)
    names(root, "endless gave no answer within 2 seconds")
    left(root, 11)
    press(root, "Undo")
    left(root, 12)


# Runs in the page: whether all of a node is in sight in the frame of its tree, once the page has been drawn.
IN_SIGHT = """async node => {
  for (let n = 0; n < 3; n++) await new Promise(requestAnimationFrame);
  const [inner, outer] = [node, node.closest('.scroll')].map(each => each.getBoundingClientRect());
  const across = outer.left <= inner.left && inner.right <= outer.right;
  return across && outer.top <= inner.top && inner.bottom <= outer.bottom;
}"""

# Runs in the page: where the parts of an explorer are.
PLACES = """root => Object.fromEntries(['.scroll', '.steps input', '.code', 'summary', '[data-do=next_cut]'].map(
  part => [part, root.querySelector(part).getBoundingClientRect().toJSON()]))"""


def test_a_whole_search_is_watched_by_keys_and_its_tree_stays_in_its_place(page):
    root, tree = widget(page, "tree"), Explorer().tree
    page.keyboard.press("Control+b")
    expect(page.locator("#jp-left-stack")).to_be_visible()  # the list of files
    resize(page, 1366, 900)
    assert root.locator(".scroll").evaluate("node => node.scrollWidth <= node.clientWidth")  # the whole tree is seen
    resize(page, 900, 900)
    slider = root.get_by_role("slider", name="Step")
    slider.focus()
    page.keyboard.press("Home")
    says(root, explain_step(tree, tree.steps[0]))
    before = root.evaluate(PLACES)
    for number, step in enumerate(tree.steps[1:], 1):
        page.keyboard.press("ArrowRight")
        says(root, explain_step(tree, step))
        assert root.evaluate(PLACES) == before
        ringed = root.locator(f'[data-part="{step.node.number}"]')
        expect(ringed).to_have_class("node ringed")
        assert ringed.locator(".paper").evaluate(IN_SIGHT)
        expect(slider).to_have_value(str(number))
    assert before[".scroll"]["width"] <= 900
    page.keyboard.press("Control+b")
    resize(page, 1280, 900)


def test_buttons_step_and_play_a_search_and_zoom_its_tree_until_it_scrolls(page):
    root, tree = widget(page, "tree"), Explorer().tree
    slider, last = root.get_by_role("slider", name="Step"), len(tree.steps) - 1
    cut = next(number for number, step in enumerate(tree.steps) if step.kind == "cut")
    slider.fill("0")
    press(root, "Next cut")
    says(root, explain_step(tree, tree.steps[cut]))
    for name, number in {"Step back": cut - 1, "Step forward": cut}.items():
        press(root, name)
        says(root, explain_step(tree, tree.steps[number]))
        expect(slider).to_have_value(str(number))
    slider.fill(str(last - 2))
    says(root, explain_step(tree, tree.steps[last - 2]))
    press(root, "Play")
    expect(root.get_by_role("button", name="Play", pressed=True)).to_be_visible()
    says(root, explain_step(tree, tree.steps[last]))
    expect(root.get_by_role("button", name="Play", pressed=False)).to_be_visible()
    press(root, "Play")
    says(root, explain_step(tree, tree.steps[0]))
    press(root, "Play")
    sheet, frame, levels = (root.locator(selector) for selector in (".sheet", ".scroll", ".levels"))
    width = sheet.bounding_box()["width"]
    for _ in range(3):
        press(root, "Larger")
    assert sheet.bounding_box()["width"] == pytest.approx(1.25**3 * width, rel=0.01)
    frame.evaluate("node => node.scrollTo(0, 0)")
    at = levels.bounding_box()["x"], sheet.bounding_box()["x"]
    frame.evaluate("node => node.scrollTo(80, 0)")
    assert (levels.bounding_box()["x"], sheet.bounding_box()["x"]) == (at[0], at[1] - 80)  # the names of levels stay
    by_keys(page, root.get_by_role("button", name="Smaller"), *4 * ["Enter"])  # the last time in vain
    assert sheet.bounding_box()["width"] == pytest.approx(width, rel=0.01)
    letters = root.locator(".sheet .move").first.bounding_box()["height"]
    assert letters >= 11


def test_you_practise_by_typing_and_by_pressing(page):
    root = widget(page, "tree")
    press(root, "Practise")
    expect(root.get_by_role("button", name="Stop practising")).to_be_visible()
    asked, answers = (root.locator(part).bounding_box() for part in (".said", ".bar"))  # one frame round both
    assert [asked["x"], asked["width"], asked["y"] + asked["height"]] == [*map(answers.get, ("x", "width", "y"))]
    for _ in range(3):
        fields = root.get_by_role("textbox")
        expect(fields.or_(root.get_by_role("button", name="Visited", exact=True)).first).to_be_visible()
        if fields.count():
            for field in fields.all():
                field.fill("1000")
            page.keyboard.press("Enter")
        else:
            press(root, "Visited")
        expect(root.locator(".message")).to_contain_text(re.compile("right|not quite", re.I))
        expect(root.get_by_role("button", name="Next question")).to_be_focused()
        page.keyboard.press("Enter")
        expect(root.get_by_role("button", name="Next question")).to_have_count(0)
    press(root, "Stop practising")
    expect(root.get_by_role("button", name="Next cut")).to_be_visible()


SIDES = [("x", "width"), ("y", "height")]


def test_what_is_said_of_a_tree_filled_in_is_below_it_with_a_sign_beside_each_answer(page):
    root = widget(page, "filling")
    fields, signs = root.locator(".fill"), root.locator(".sign")
    for field in fields.all():
        field.fill("9")
    press(root, "Check")
    expect(root.locator(".sign.wrong")).to_have_count(10)
    apart = [part.bounding_box() for part in (*fields.all(), *signs.all())]
    for one, two in combinations(apart, 2):
        assert any(abs(one[at] - two[at]) > (one if one[at] < two[at] else two)[size] for at, size in SIDES)
    drawing, reasons, verbs = (root.locator(part).bounding_box() for part in (".drawing", ".reasons", ".verbs"))
    assert drawing["y"] + drawing["height"] < reasons["y"] < verbs["y"] and verbs["width"] <= drawing["width"] + 1


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
    assert places == sorted(places) and "svg" not in words and "Tic-tac-toe" not in words
    rungs = widget(page, "cards").get_by_role("listitem").filter(has=page.locator("summary"))
    expect(rungs).to_have_count(4)
    expect(rungs.locator("details[open]")).to_have_text(naming("never lose as O", "quickest loss"))
    by_keys(page, rungs.first.locator("summary"), "Enter")
    expect(rungs.first.locator("details")).to_contain_text(naming("random", "%"))
    expect(rungs.locator("details[open]")).to_have_count(2)


def by_keys(page, target, *keys):
    target.focus()
    for key in keys:
        page.keyboard.press(key)


def test_each_guess_is_made_by_the_mouse_and_changed_by_keys(page):
    number, choice, place, order = (widget(page, name) for name in GUESSES)
    field = number.get_by_role("textbox", name="Number from 0 to 100")
    field.fill("150")
    press(number, "Guess")
    names(number, "from 0 to 100", "150")
    by_keys(page, field, "Control+a", *"0,5", "Enter")
    names(number, "your guess", "0.5")
    expect(field).to_be_focused()
    expect(number.get_by_role("button")).to_have_text("Change guess")

    press(choice, "a corner")
    names(choice, "your guess", "“a corner”")
    by_keys(page, choice.get_by_role("button", name="a corner"), "Tab", "Enter")
    names(choice, "your guess", "“the centre”")
    expect(choice.get_by_role("button", pressed=True)).to_have_text("the centre")

    cell(place, 0).click()
    names(place, "your guess", "cell 0")
    by_keys(page, cell(place, 0), "ArrowDown", "ArrowRight", "Enter")
    names(place, "your guess", "cell 4")
    expect(cell(place, 4)).to_have_accessible_name("cell 4, row 2, column 2, empty, your guess")

    order.evaluate(PRESS, ["perfect", "random"])  # before there is an answer to the first
    names(order, "your guess", "perfect, random, rules")
    by_keys(page, order.get_by_role("button", name="1. perfect"), "Enter")  # takes it back, so it comes last
    names(order, "your guess", "random, rules, perfect")
    by_keys(page, order.get_by_role("button", name="3. perfect"), "ArrowLeft", "Space")
    names(order, "your guess", "random, perfect, rules")
    expect(order.get_by_role("button", name="3. rules")).to_be_focused()


@pytest.mark.npm
@pytest.mark.parametrize("theme", THEMES)
def test_axe_finds_nothing_in_any_widget_nor_at_the_top_of_a_lesson_and_drawings_follow_the_theme(page, theme):
    wear(page, theme)
    expect(page.locator(".jp-RenderedSVG img")).to_have_css("color-scheme", theme.split()[-1].lower())
    page.evaluate("document.querySelectorAll('.ttt details').forEach(each => each.open = true)")
    for part in [*(widget(page, name) for name in WIDGETS), *page.locator(".jp-Notebook .jp-MarkdownOutput").all()]:
        part.evaluate("part => part.dataset.axe = ''")
    assert page.locator("[data-axe]").count() == len(WIDGETS) + len(LESSON) and violations(page, "[data-axe]") == []
    page.evaluate("document.querySelectorAll('.ttt details').forEach(each => each.open = false)")


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


@pytest.mark.parametrize("theme", THEMES)
def test_what_can_be_chosen_has_an_edge_that_is_seen(page, theme):
    wear(page, theme)
    for edge, ground in widget(page, "recap").get_by_role("radio").evaluate_all(CONTROLS):
        assert contrast(hexadecimal(edge), hexadecimal(ground)) >= 3


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
    expect(lines.locator(".ttt-here").last).to_have_text("----> 4             return cell / (cell - cell)")
    heights = lines.locator(".ttt-source").evaluate_all("all => all.map(each => each.clientHeight)")
    assert heights[-1] > heights[0] * 1.5 > 0
    assert lines.get_by_text("'X-O -X- --O'").bounding_box()["height"] < heights[0] * 1.5  # texts stay whole
    assert widget(page, "tree").locator(".code pre").evaluate("pre => pre.scrollWidth <= pre.clientWidth")
    row = page.locator(".jp-Notebook .jp-MarkdownOutput p").first
    assert row.locator("a, strong").filter(visible=True).all_inner_texts() == ["05", "06", "07", "all"]
    assert widget(page, "filling").locator(".node > .paper").first.evaluate(IN_SIGHT)  # the root
    form, card = (widget(page, "recap").locator(part).first.bounding_box() for part in ("form", ".ttt-card"))
    assert (card["x"], card["width"]) == pytest.approx((form["x"] - 6, form["width"] + 12), abs=0.1)
    resize(page, 400, 900)
    table = widget(page, "cards").locator(".scroll:has(table)")
    assert table.evaluate("frame => frame.scrollWidth <= frame.clientWidth")  # so all of its numbers are seen
    resize(page, 1280, 900)


def test_in_a_narrow_window_the_node_at_work_is_in_sight_with_its_children(page):
    resize(page, 400, 900)
    root, tree = widget(page, "tree"), Explorer().tree
    for number, step in enumerate(tree.steps):
        if step.kind != "visit" or not step.node.path:
            continue
        root.get_by_role("slider", name="Step").fill(str(number))
        says(root, explain_step(tree, step))
        for node in (step.node, *step.node.children, tree.nodes[step.node.parent]):
            assert root.locator(f'[data-part="{node.number}"] > .paper').evaluate(IN_SIGHT), node
        stem, way = (root.locator(f'[data-part="{number}"] .stem') for number in (step.node.number, 0))
        assert {part.evaluate("part => getComputedStyle(part).strokeWidth") for part in (stem, way)} == {"1px", "2px"}
        below = root.locator(f'[data-part="{step.node.number}"] .paper').bounding_box()["x"]
        above = root.locator('[data-part="0"] .paper').bounding_box()["x"]
        assert step.node.ply > 1 or above == pytest.approx(below, abs=2), step.node
    resize(page, 1280, 900)


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


@pytest.mark.parametrize("css", ["", f"<style>{CSS}</style>"])
@pytest.mark.parametrize("name", TREES)
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
        models.append(len(kept["content"]["metadata"]["widgets"][STATE]["state"]))
    assert models[0] == models[1] > 10


def test_a_press_without_an_answer_says_so_until_an_answer_comes(page):
    root, kernel = widget(page, "board"), int(widget(page, "process").inner_text().split()[-1])
    new_game(root)
    os.kill(kernel, signal.SIGSTOP)
    try:
        cell(root, 4).click()
        expect(root.locator(".silence")).to_contain_text(naming("Python is busy", "wait"))
    finally:
        os.kill(kernel, signal.SIGCONT)
    expect(cell(root, 4)).to_have_attribute("data-mark", "X")
    expect(root.locator(".silence")).to_be_empty()
