"""What all widgets share: the panel, what a notebook saves of it, and colours as other people see them."""

import json
import re
from html import unescape
from itertools import combinations, product
from pathlib import Path
from xml.etree import ElementTree

import comm
import ipywidgets
import lab
import pytest
from anywidget import AnyWidget
from colours import VISIONS, contrast, difference
from games import Nim
from lab import CubeGame, Explorer, GameBoard, fill_in, recap
from lab.boards.board_view import threat
from lab.boards.panel import Panel
from lab.boards.recap import Recap, RecapQuestion, load_questions
from lab.checks.interface import Trial
from lab.drawing.cards import prose
from lab.drawing.layout import STYLE
from lab.plots.figure import BLACK, COLOURS
from lab.plots.results import DARK_SHARES, EVEN, SHARES
from nbconvert import HTMLExporter
from nbformat.v4 import new_code_cell, new_notebook, new_output
from oracles import CUBE
from traitlets.config import Config

from ttt import Board, svg

PAGES = {"light": ("#ffffff", "#f5f5f5"), "dark": ("#111111", "#212121")}  # of JupyterLab


@pytest.mark.parametrize("look", svg.LOOKS)
def test_a_threat_goes_through_its_marks_and_not_through_the_number_of_its_free_cell(look):
    grid = svg.Grid(CUBE, look)
    for cells in CUBE.line_cells:
        for free in cells:
            marks = [cell for cell in cells if cell != free]
            others = [cell for cell in range(64) if cell not in cells][:3]
            board = Board((4, 4, 4), x=sum(1 << cell for cell in marks), o=sum(1 << cell for cell in others))
            drawn = re.search(r'class="threat" d="([^"]*)"', threat(grid, board, cells))[1]
            ends = [complex(*map(float, end.split())) for end in re.findall(r"[ML]([^ML]+)", drawn)]
            step = abs(grid.centre(cells[1]) - grid.centre(cells[0]))
            assert len(ends) == 6 and min(abs(end - grid.centre(free)) for end in ends) > 0.49 * step
            middles = [(start + end) / 2 for start, end in zip(ends[::2], ends[1::2], strict=True)]
            assert all(abs(at - grid.centre(cell)) < 0.3 * step for at, cell in zip(middles, marks, strict=True))


QUESTION = RecapQuestion("Why?", "a", "Because.", {"b": "No."})


@pytest.mark.parametrize("make", [GameBoard, Explorer, lambda: fill_in(Nim(2)), lambda: Recap([QUESTION])])
def test_the_page_is_told_of_a_widget_once_and_all_at_once_when_it_is_shown(monkeypatch, make):
    opened, create = [], comm.create_comm
    monkeypatch.setattr(comm, "create_comm", lambda **given: opened.append(given["data"]["state"]) or create(**given))
    widget = make()
    assert [state for state in opened if "html" in state] == []
    for _ in range(2):
        shown, _ = widget._repr_mimebundle_()
        assert shown["application/vnd.jupyter.widget-view+json"]["model_id"] == widget.model_id
    [state] = [state for state in opened if "html" in state]
    assert state["html"] == widget.html and (state["said"], state["parts"]) == (widget.said, widget.parts)


def test_texts_are_never_html():
    def player(board):
        """<script>"""
        return board.moves[0]

    player.__name__ = '<b>"bold"</b>'
    game = GameBoard(player, heuristic=lambda board, mark: 1)
    game.do("sees", True)
    game.play(4)
    assert "<b>" not in game.html and "&lt;b&gt;" in game.html


def test_a_page_calls_only_what_is_meant_for_it():
    """Not, for instance, `on_msg`, which ipywidgets has."""
    game = GameBoard()
    html, before = game.html, game.heard
    for action in ("msg", "trait_change", "displayed", "refresh", "", "_hear"):
        game._handle_custom_msg({"do": action, "value": "1"}, [])
        assert game.tone == "error" and game.html == html
    assert game.heard == before + 6
    assert not [name for name in dir(AnyWidget) if name.startswith("when_")]


def test_a_printed_lesson_has_its_questions_and_its_boards():
    widgets = [GameBoard(), recap("00_play")]
    outputs = [new_output("display_data", widget._repr_mimebundle_()[0]) for widget in widgets]
    config = Config(json.loads((Path(lab.__file__).parent / "jupyter" / "nbconvert.json").read_text()))
    page, _ = HTMLExporter(config=config).from_notebook_node(new_notebook(cells=[new_code_cell(outputs=outputs)]))
    for question in load_questions("00_play"):
        for words in (question.ask, question.right, *question.wrong):
            assert unescape(prose(words)) in unescape(page)
    assert "image/svg+xml" in page


@pytest.mark.parametrize("make", [GameBoard, CubeGame, Explorer, lambda: fill_in(Board.from_text("--X X-O OXO"))])
def test_a_notebook_saves_a_drawing_with_the_live_widget(make):
    widget = make()
    data = widget._repr_mimebundle_()[0]
    assert data["text/plain"] == repr(widget) and "application/vnd.jupyter.widget-view+json" in data
    assert ElementTree.fromstring(data["image/svg+xml"]).tag.endswith("svg")


def test_a_program_that_looks_for_a_score_sees_the_texts_of_a_board_and_not_its_markup():
    board = svg.draw(Board(), numbers=True).body
    trial = Trial(lambda: ipywidgets.HTML(f"<svg>{board}</svg><p>Ann 31, computer 4</p>"))
    trial.open()
    numbers = set(re.findall(r"\d+", " ".join(trial.texts())))
    assert numbers == {"31", "4", *map(str, range(9))}


# ------------------------------------------------------------------------------------------------------ in numbers


@pytest.mark.parametrize("theme, inks", [("light", svg.INK), ("dark", svg.DARK_INK)])
def test_marks_stand_out_and_differ_however_you_see_colours(theme, inks):
    for mark in "XO":
        assert svg.ink(mark).endswith(f",{inks[mark]})") or f"--ttt-{mark.lower()}:{inks[mark]};" in Panel._css
    for vision in VISIONS:
        assert all(contrast(inks[mark], page, vision) >= 3 for mark in "XO" for page in PAGES[theme]), vision
        assert difference(inks["X"], inks["O"], vision) >= (5 if vision == "grey" else 60), vision  # 2.3 is noticed


def test_marks_stand_out_from_the_bar_of_a_win_which_has_an_edge_in_their_colour_as_the_last_move_has():
    won, last = str(svg.draw(Board.from_text("XXX OO- ---"))), str(svg.draw(Board.from_text("X-- --- ---"), last=0))
    share = 100 * float(re.search('class="won"[^>]*fill-opacity="(.*?)"', won)[1])
    for inks, theme in ((svg.INK, "light"), (svg.DARK_INK, "dark")):
        for mark, page in product("XO", PAGES[theme]):
            assert contrast(mixed(inks[mark], page, round(share)), inks[mark]) >= 2.4
    for kind, drawing in {"won": won, "last": last}.items():
        assert re.search(f'class="{kind}"[^>]*stroke="{re.escape(svg.ink("X"))}"', drawing)


def test_drawings_have_no_background_and_stand_out_on_any_page():
    for vision, page in product(VISIONS, (*PAGES["light"], "#111111", "#0d1117")):
        assert all(contrast(ink, page, vision) >= 3 for ink in svg.INK.values()), (vision, page)
    assert contrast(svg.TEXT, "#fff") >= 4.5
    assert not re.search("#fff|white|background", str(svg.draw(Board())))


@pytest.mark.parametrize("theme, inks", [("light", svg.INK), ("dark", svg.DARK_INK)])
def test_the_text_of_a_saved_tree_is_legible_also_on_the_ground_of_a_value(theme, inks):
    light, dark = re.findall(r"svg:root { --ttt-text: (#\w{6});", STYLE)
    shares = re.findall(r'\.chip(?:\[data-for="([XO])"\])? { fill: color-mix\(in srgb, var\([^)]*\) (\d+)%', STYLE)
    assert [mark for mark, _ in shares] == ["", "X", "O"]
    for page, (mark, share) in product(PAGES[theme], shares):
        assert contrast(light if theme == "light" else dark, mixed(inks[mark or "-"], page, int(share))) >= 4.5


def mixed(colour, page, share):
    """So much per cent of a colour on a page."""
    parts = zip(bytes.fromhex(colour[1:]), bytes.fromhex(page[1:]), strict=True)
    return "#" + bytes((share * above + (100 - share) * below) // 100 for above, below in parts).hex()


def test_lines_of_a_plot_stand_out_and_differ_in_colour():
    *colours, ink = COLOURS  # black takes the colour of the page's text
    assert ink == "#000000"
    for page in (*PAGES["light"], "#111111", "#1e1e1e"):
        assert all(contrast(colour, page) >= 3 for colour in colours), page
    for vision in set(VISIONS) - {"grey"}:
        assert min(difference(*pair, vision) for pair in combinations(COLOURS, 2)) >= 10, vision


def test_numbers_on_coloured_squares_are_legible():
    for step in range(256):
        colour = "#" + "".join(f"{round(255 * part):02x}" for part in EVEN(step)[:3])
        assert contrast(BLACK, colour) >= 4.5


def test_bars_of_outcomes_differ_however_you_see_colours_and_their_numbers_are_legible():
    for theme in ([(colour, on_it) for _, _, colour, on_it, _ in SHARES.values()], DARK_SHARES):
        assert all(contrast(on_it, colour) >= 4.5 for colour, on_it in theme)
        for vision, (one, other) in product(VISIONS, combinations([colour for colour, _ in theme], 2)):
            assert difference(one, other, vision) >= 12, vision
