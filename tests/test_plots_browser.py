"""Plots in a real browser, on a page that holds more than one notebook."""

import io
import re

import numpy as np
import pytest
from conftest import upload
from matplotlib.colors import to_rgb
from matplotlib.image import imread
from playwright.sync_api import expect

from ttt.drawing.svg import INK

pytestmark = pytest.mark.browser

BARS = 'from ttt import exact, plots\nplots.outcomes([exact("random", "open-lines")], "Bars")'


def share_of_ink(picture, mark):
    """The share of a picture's pixels that have the colour of a mark."""
    pixels = imread(io.BytesIO(picture.screenshot()))[..., :3]
    return (np.abs(pixels - to_rgb(INK[mark])).max(axis=2) < 0.02).mean()


def test_bars_are_drawn_though_another_tab_hides_a_notebook_with_the_same_plot(lab, opened):
    upload(lab, "second.ipynb", [BARS])
    with opened("first.ipynb", [BARS]) as page:
        page.keyboard.press("Shift+Enter")
        picture = page.locator(".jp-Notebook svg[role=img]:visible")
        expect(picture).to_be_visible()
        first = [share_of_ink(picture, mark) for mark in "XO"]
        page.keyboard.press("Control+b")  # the list of files
        page.get_by_role("listitem", name=re.compile("second.ipynb")).dblclick()
        page.locator(".jp-Notebook:visible .jp-CodeCell").first.click()
        page.keyboard.press("Shift+Enter")
        expect(picture).to_be_visible()
        expect(page.locator(".jp-Notebook svg[role=img]")).to_have_count(2)
        assert [share_of_ink(picture, mark) for mark in "XO"] == pytest.approx(first, rel=0.05)
        assert min(first) > 0.02
