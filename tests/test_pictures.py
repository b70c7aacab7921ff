"""The README shows what cells show in JupyterLab, and a game; lessons begin with boards as they are drawn today.

`make pictures` takes them again.
"""

import io
import os
import re
from dataclasses import replace
from itertools import accumulate
from pathlib import Path

import pytest
from conftest import ROOT, TIMEOUT, upload, wear
from lab import Explorer
from lab.drawing.layout import STYLE, Tree
from lab.drawing.trees import Look, game_tree
from PIL import Image, ImageChops, ImageOps
from PIL.PngImagePlugin import PngInfo
from playwright.sync_api import expect

from ttt import Board, open_lines, opponent, svg
from ttt.heuristics import move_values

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


def film(moves=(7, 2, 6, 8, 3), seconds=1.3):
    """How you (X) win a game against flash-clever, move by move, with the numbers it sees where it goes by them.

    The first frame has marks on it: it is all that a preview shows. The words are large, since a phone shows it small.
    """
    board = Board().play(0).play(4)
    frames = [svg.draw(board, caption="Can you win?")]
    for move in moves:
        if move == 2:  # it has no line to complete or to block
            values = move_values(open_lines, board)
            frames.append(svg.draw(board, values=values, caption="It likes +1 best"))
        who = "You play" if board.turn == "X" else "It plays"
        board = board.play(move)
        frames.append(svg.draw(board, last=move, caption="You win!" if board.winner else f"{who} {move}"))
    length = len(frames) + 2  # the last one stays for three times as long
    body = "<style>@media (prefers-reduced-motion:reduce){g{animation:none!important}}</style>"
    for n, frame in enumerate(frames):
        begin, end = 100 * n / length, 100 if frame is frames[-1] else 100 * (n + 1) / length
        steps = f"0%{{opacity:{int(n == 0)}}}{begin:.2f}%{{opacity:1}}{end:.2f}%{{opacity:0}}"
        still = int(frame is frames[-1])  # what is seen where nothing moves
        style = f"--ttt-caption:13px;opacity:{still};animation:f{n} {seconds * length:g}s step-end infinite"
        body += f'<style>@keyframes f{n}{{{steps}}}</style><g style="{style}">{frame.body}</g>'
    said = "\n".join(frame.text.splitlines()[-1] for frame in frames)
    return svg.Picture(frames[0].width, frames[0].height, body, "You win a game against the computer", said, scale=1.5)


DRAWN = {  # the moving picture and the tree of the README, and the pictures in lessons 00, 01 and 09
    "tree": Explorer(Board.from_text("OXO X-- O-X")).picture(),
    "calls": calls(),
    "game": film(),
    "first_game": svg.beside(GAME, "The end of a game that X wins", scale=0.75),
    "first_cube": replace(svg.draw(Board.from_text("".join(CORNERS), shape=(4, 4, 4))), scale=0.75),
}
BEFORE_IT = """
from lab import check

WORTH = {"X": 1, "O": -1, None: 0}"""
MISTAKE = """
def worth(board):
    if board.over:
        return WORTH[board.winner]
    after = map(board.play, board.moves)
    return max(map(worth, after))

check(worth)"""
CELLS = {"check": MISTAKE.strip()}
READ = """cell => {
  const copy = cell.cloneNode(true);
  copy.querySelectorAll('style').forEach(style => style.remove());
  const told = [...copy.querySelectorAll('[aria-label], img')].map(each => each.ariaLabel || each.alt);
  return [copy.textContent, ...told].join(' ').replace(/\\s+/g, ' ').trim();
}"""  # the words in a cell and its output, and those in place of a drawing
BELOW = "(cell, seen) => cell.nextElementSibling?.style.setProperty('visibility', seen)"
THEMES = {"": ("JupyterLab Light", "#ffffff"), "-dark": ("JupyterLab Dark", "#0d1117")}  # with the README's background
NO_PROMPTS = ".jp-InputPrompt, .jp-OutputPrompt, .jp-OutputArea-prompt {display: none}"
PICTURES = [f"{name}{theme}" for name in CELLS for theme in THEMES]


@pytest.fixture(scope="module")
def pictures(lab, browser, tmp_path_factory):
    """A folder of new pictures, each with its words; the repository's folder if `make pictures` runs this."""
    folder = Path(os.environ.get("PICTURES") or tmp_path_factory.mktemp("pictures"))
    upload(lab, "pictures.ipynb", [BEFORE_IT.strip(), *CELLS.values()])
    page = browser.new_page(viewport={"width": 456, "height": 1600}, device_scale_factor=2)
    page.set_default_timeout(TIMEOUT)
    page.goto(lab.format("pictures.ipynb"))
    page.locator(".jp-Notebook .jp-CodeCell").first.click()
    page.keyboard.press("Control+b")  # the list of files goes
    page.keyboard.press("Shift+Enter")
    cells = dict(zip(CELLS, page.locator(".jp-Notebook .jp-CodeCell").all()[1:], strict=True))
    for cell in cells.values():
        page.keyboard.press("Shift+Enter")
        expect(cell.locator(".jp-OutputArea-output").last.locator("svg, img, strong").first).to_be_visible()
    for theme, (name, background) in THEMES.items():
        wear(page, name)
        page.add_style_tag(content=f".jp-Notebook, .jp-Notebook * {{--jp-layout-color0: {background}}} {NO_PROMPTS}")
        for name, cell in cells.items():
            keep(cell, folder / f"{name}{theme}.png", background)
    page.close()
    return folder


def keep(cell, path, background, edge=4):
    """Write a picture of a cell and its output, with its words in the file."""
    cell.evaluate(BELOW, "hidden")  # the next cell, whose edge may be in the picture
    cell.evaluate("cell => cell.scrollIntoView({block: 'center'})")
    shot = Image.open(io.BytesIO(cell.screenshot())).convert("RGB")
    cell.evaluate(BELOW, "visible")
    drawn = shot.crop(ImageChops.difference(shot, Image.new("RGB", shot.size, background)).getbbox())
    sheet = ImageOps.expand(drawn, edge, background)
    words = PngInfo()
    words.add_text("Description", cell.evaluate(READ))
    sheet.quantize(64).save(path, pnginfo=words, optimize=True)


@pytest.mark.slow
@pytest.mark.browser
@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_of_the_readme_says_what_its_cell_shows_today(pictures, name):
    kept, new = (Image.open(folder / f"{name}.png") for folder in (IMAGES, pictures))
    assert kept.text["Description"] == new.text["Description"], "run `make pictures`"
    assert kept.size == new.size


@pytest.mark.parametrize("name", DRAWN)
def test_the_moving_picture_and_those_in_lessons_are_drawn_as_boards_are_today(name, tmp_path):
    new = Path(os.environ.get("PICTURES") or tmp_path) / f"{name}.svg"
    new.write_text(str(DRAWN[name]))
    assert (IMAGES / new.name).read_text() == new.read_text(), "run `make pictures`"


def test_what_is_side_by_side_in_the_readme_has_one_height():
    shown = re.findall(
        r'<img src="notebooks/images/([\w.]+)" align="top" width="(\d+)"', (ROOT / "README.md").read_text()
    )
    tree, kept = DRAWN["tree"], Image.open(IMAGES / "check.png")
    heights = {"check.png": kept.height / kept.width, "tree.svg": tree.height / tree.width}
    check, drawn = (int(width) * heights[name] for name, width in shown)
    assert check == pytest.approx(drawn, rel=0.01)


def test_the_readmes_have_these_pictures_and_none_is_left_over():
    pages = [(ROOT / place / "README.md").read_text() for place in (".", "exercises/grading/bundle")]
    shown = set(re.findall(r'(?:src|srcset)="notebooks/images/([\w.-]+)"', "".join(pages)))
    assert shown == {"game.svg", "tree.svg", *(f"{name}.png" for name in PICTURES)}
    assert {path.name for path in IMAGES.iterdir()} == shown | {f"{name}.svg" for name in DRAWN}
    assert (IMAGES / "game.svg").stat().st_size < 400_000
