"""Where a lesson begins with a board to play on, its text shows a picture of it to those who read it as a page.

`make pictures` makes these pictures anew, too.
"""

import io
import os
import re
from pathlib import Path

import nbformat
import numpy as np
import pytest
from conftest import ROOT
from PIL import Image, ImageChops
from PIL.PngImagePlugin import PngInfo
from playwright.sync_api import expect

pytestmark = pytest.mark.browser
LESSONS = ["notebooks/00_play", "notebooks/09_three_dimensions", "exercises/interface/interface"]
MARGIN, LARGEST = 8, (640, 420)  # of white, round a picture; and its size


def picture(lesson):
    """The file of the picture in the text above a lesson's first board, and the numbers of the code cells to be run."""
    cells = nbformat.read(ROOT / f"{lesson}.ipynb", 4).cells
    live = next(place for place, cell in enumerate(cells) if "live" in cell.metadata.get("tags", ()))
    text = "".join(cell.source for cell in cells[:live] if cell.cell_type == "markdown")
    [link] = re.findall(r"!\[[^]]+\]\(([^)]+\.png)\)", text)
    return (ROOT / lesson).parent / link, sum(cell.cell_type == "code" for cell in cells[:live])


def shot_of(output):
    """What an output shows, in a white margin, with its words."""
    shot = Image.open(io.BytesIO(output.screenshot())).convert("RGB")
    drawn = shot.crop(ImageChops.difference(shot, Image.new("RGB", shot.size, "white")).getbbox())
    sheet = Image.new("RGB", [length + 2 * MARGIN for length in drawn.size], "white")
    sheet.paste(drawn, (MARGIN, MARGIN))
    sheet.thumbnail(LARGEST)
    return sheet.quantize(32), " ".join(output.inner_text().split())


@pytest.mark.parametrize("lesson", LESSONS)
def test_the_picture_above_the_first_board_of_a_lesson_is_what_its_cell_shows(opened, lesson):
    kept, before = picture(lesson)
    with opened(f"{lesson}.ipynb") as page:
        page.keyboard.press("Control+b")  # the list of files goes
        page.locator(".jp-Notebook .jp-CodeCell").first.click()
        for _ in range(before + 1):
            page.keyboard.press("Shift+Enter")
        output = page.locator(".jp-Notebook .jp-CodeCell").nth(before).locator(".jp-OutputArea-output").last
        expect(output.get_by_role("button").first).to_be_visible()
        page.mouse.move(0, 0)
        shot, words = shot_of(output)
    if "PICTURES" in os.environ:
        description = PngInfo()
        description.add_text("Description", words)
        shot.save(Path(os.environ["PICTURES"]) / kept.name, pnginfo=description, optimize=True)
    stored = Image.open(kept)
    assert stored.text["Description"] == words
    assert np.allclose(stored.size, shot.size, atol=4)
    same = ImageChops.difference(stored.convert("L"), shot.convert("L").resize(stored.size))
    assert np.asarray(same).mean() < 5  # of 255: letters differ from system to system
