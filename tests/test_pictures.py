"""The README shows what cells show in JupyterLab, and lessons begin with boards as they are drawn today.

`make pictures` takes them again.
"""

import io
import os
import re
from dataclasses import replace
from itertools import accumulate, chain
from pathlib import Path

import pytest
from conftest import ROOT, TIMEOUT, upload
from lab.drawing.layout import STYLE, Tree
from lab.drawing.trees import Look, game_tree
from PIL import Image, ImageChops, ImageOps
from PIL.PngImagePlugin import PngInfo
from playwright.sync_api import expect

from ttt import Board, opponent, svg

IMAGES = ROOT / "notebooks" / "images"
BEFORE = Board.from_text("-O- -X- ---")
MOVES = (0, 8, 6, 3, 2)
GAME = [
    svg.draw(after, last=move, caption=f"{opponent(after.turn)} {'wins' if after.winner else f'plays {move}'}")
    for move, after in zip(MOVES, [*accumulate(MOVES, Board.play, initial=BEFORE)][1:], strict=True)
]
CORNERS = ["X" if cell in (0, 21, 42, 63) else "O" if cell in (3, 12, 51) else "-" for cell in range(64)]


def games(board):
    return sum(games(board.play(move)) for move in board.moves) if not board.over else 1


def calls():
    """The calls of `games` in lesson 01, each with the number that it returns."""
    nodes = game_tree(Board.from_text("XX- OOX -O-"), depth=3)
    tree = Tree(nodes)
    drawing = STYLE + tree.drawn([Look("done", f"{games(node.board)}") for node in nodes])
    words = "\n".join(f"{'  ' * node.ply}{games(node.board)}" for node in nodes)
    return svg.Picture(tree.width, tree.height, drawing, "What each call of games returns", words)


DRAWN = {  # the pictures at the top of lessons 00 and 09, and the calls in lesson 01
    "calls": calls(),
    "first_game": svg.beside(GAME, "The end of a game that X wins", scale=0.75),
    "first_cube": replace(svg.draw(Board.from_text("".join(CORNERS), shape=(4, 4, 4))), scale=0.75),
}
SWEEP = re.search(r"## Search statistics.*?```python\n(.*?)\nsummary", (ROOT / "README.md").read_text(), re.DOTALL)[1]
MISTAKE = """
from lab import check

def heuristic_1(board, player):
    total = 0
    for line in board.lines[:-1]:
        mine, free = line.count(player), line.count("-")
        if mine + free == 3:
            total += {1: 1, 2: 3}.get(mine, 0)
        elif not mine:
            total -= {1: 1, 2: 3}.get(3 - free, 0)
    return total

check(heuristic_1)"""
CELLS = {
    "board": "from lab import GameBoard\ngame = GameBoard('flash-clever')\ngame.sees = True\ngame.play(4)\ngame",
    "tree": "from ttt import Board; from lab import Explorer\nExplorer(Board.from_text('OX- O-X XO-')).picture()",
    "curves": SWEEP,
    "check": MISTAKE,
}
READ = """output => {
  const copy = output.cloneNode(true);
  copy.querySelectorAll('style').forEach(style => style.remove());
  const told = [...copy.querySelectorAll('[aria-label], img')].map(each => each.ariaLabel || each.alt);
  return [copy.textContent, ...told].join(' ').replace(/\\s+/g, ' ').trim();
}"""  # the words in an output, and those in place of a drawing


BELOW = "(output, seen) => output.closest('.jp-Cell').nextElementSibling?.style.setProperty('visibility', seen)"


@pytest.fixture(scope="module")
def pictures(lab, browser, tmp_path_factory):
    """A folder of new pictures, each with its words; the repository's folder if `make pictures` runs this."""
    folder = Path(os.environ.get("PICTURES") or tmp_path_factory.mktemp("pictures"))
    upload(lab, "pictures.ipynb", [*CELLS.values()])
    page = browser.new_page(viewport={"width": 720, "height": 1600}, device_scale_factor=2)
    page.set_default_timeout(TIMEOUT)
    page.goto(lab.format("pictures.ipynb"))
    page.locator(".jp-Notebook .jp-CodeCell").first.click()
    page.keyboard.press("Control+b")  # the list of files goes
    for name, cell in zip(CELLS, page.locator(".jp-Notebook .jp-CodeCell").all(), strict=True):
        cell.click()
        page.keyboard.press("Shift+Enter")
        output = cell.locator(".jp-OutputArea-output").last
        expect(output.locator("svg, img, strong").first).to_be_visible()
        keep(output, folder / f"{name}.png")
    page.close()
    return folder


def keep(output, path, edge=20):
    """Write a picture of an output, on white, with its words in the file."""
    output.evaluate(BELOW, "hidden")  # the next cell, whose edge may be in the picture
    output.evaluate("output => output.scrollIntoView({block: 'center'})")
    shot = Image.open(io.BytesIO(output.screenshot())).convert("RGB")
    output.evaluate(BELOW, "visible")
    drawn = shot.crop(ImageChops.difference(shot, Image.new("RGB", shot.size, "white")).getbbox())
    sheet = ImageOps.expand(drawn, edge, "white")
    words = PngInfo()
    words.add_text("Description", output.evaluate(READ))
    sheet.quantize(64).save(path, pnginfo=words, optimize=True)


@pytest.mark.slow
@pytest.mark.browser
@pytest.mark.parametrize("name", CELLS)
def test_a_picture_of_the_readme_says_what_its_cell_shows_today(pictures, name):
    kept, new = (Image.open(folder / f"{name}.png") for folder in (IMAGES, pictures))
    assert kept.text["Description"] == new.text["Description"], "run `make pictures`"
    assert kept.size == new.size


@pytest.mark.parametrize("name", DRAWN)
def test_a_picture_in_a_lesson_is_drawn_as_boards_are_today(name, tmp_path):
    new = Path(os.environ.get("PICTURES") or tmp_path) / f"{name}.svg"
    new.write_text(str(DRAWN[name]))
    assert (IMAGES / new.name).read_text() == new.read_text(), "run `make pictures`"


def test_the_readme_has_just_these_pictures():
    pages = [(ROOT / place / "README.md").read_text() for place in (".", "exercises/grading/bundle")]
    shown = set(chain.from_iterable(re.findall(r'src="notebooks/images/(\w+)\.png"', page) for page in pages))
    assert shown == set(CELLS)
