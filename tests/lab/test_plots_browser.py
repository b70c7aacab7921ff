"""Plots in a real browser, in a light and a dark theme, and in a notebook that isn't trusted."""

import io
from time import monotonic

import numpy as np
import pytest
from conftest import TIMEOUT, naming, wear
from lab import plots
from lab.plots.results import DARK_SHARES, SHARES
from matplotlib.colors import to_rgb
from matplotlib.image import imread
from nbformat.v4 import new_code_cell, new_output
from playwright.sync_api import expect
from waiting import resize

from ttt import exact

pytestmark = pytest.mark.browser

BARS = 'from ttt import exact; from lab import plots\nplots.outcomes([exact("random", "open-lines")], "Bars")'
BLACK, LIGHT = "#000000", "#E0E0E0"  # the ink of a light and of a dark page
TITLE = 0.08  # of a plot's height; below it are rules, and the numbers in bars, which are black in either theme
LINES = """from random import Random
from ttt import exact, match; from lab import plots
plots.convergence(match("random", "random", games=99, rng=Random(1)), exact("random", "random"), "Converging")"""

PANELS = """from pandas import DataFrame
rows = DataFrame({"depth": [1, 2] * 2, "nodes": [1, 2, 3, 4], "kind": [*"aabb"]})
plots.curves(rows, col="kind", title="Panels")"""


def share_of(picture, colour, top=1.0):
    """The share of a picture's pixels that have a colour, or of those in its topmost part."""
    pixels = imread(io.BytesIO(picture.screenshot()))[..., :3]
    pixels = pixels[: round(top * len(pixels))]
    return (np.abs(pixels - to_rgb(colour)).max(axis=2) < 0.02).mean()


def test_a_plot_is_drawn_in_the_ink_of_the_theme_and_says_what_it_shows(opened):
    with opened("bars.ipynb", [BARS, LINES]) as page:
        for cell, title in enumerate(("Bars", "Converging")):
            page.locator(".jp-Notebook .jp-InputArea-editor").nth(cell).click()
            page.keyboard.press("Shift+Enter")
            picture = page.get_by_role("img", name=naming(title, "per cent of the games"))
            expect(picture).to_be_visible()
            assert share_of(picture, BLACK, TITLE) > 0.002 > share_of(picture, LIGHT, TITLE)
            wear(page, "JupyterLab Dark")
            deadline = monotonic() + TIMEOUT / 1000
            while share_of(picture, BLACK, TITLE) or not share_of(picture, LIGHT, TITLE) > 0.002:
                assert monotonic() < deadline  # until the page has drawn it again
            if title == "Bars":
                assert min(share_of(picture, colour) for colour, _ in DARK_SHARES) > 0.02
            wear(page, "JupyterLab Light")


def test_bars_are_as_wide_as_the_page_and_their_letters_keep_their_size(opened):
    with opened("narrow.ipynb", [BARS]) as page:
        page.keyboard.press("Shift+Enter")
        picture = page.get_by_role("img", name=naming("Bars", "per cent of the games"))
        expect(picture).to_be_visible()
        assert min(share_of(picture, colour) for _, _, colour, *_ in SHARES.values()) > 0.02
        wide = picture.bounding_box()
        page.set_viewport_size({"width": 400, "height": 900})
        output = picture.locator("xpath=../..")
        page.wait_for_function("image => image.clientWidth < 400", arg=picture.element_handle())
        assert output.evaluate("output => output.scrollWidth <= output.clientWidth")
        assert picture.bounding_box()["height"] == wide["height"] and wide["width"] > 500


def test_plots_begin_where_the_letters_of_code_begin_and_fit_in_a_narrow_window_or_scroll(opened):
    with opened("edges.ipynb", [BARS, LINES, PANELS]) as page:
        pictures = [page.get_by_role("img", name=naming(title)) for title in ("Bars", "Converging", "Panels")]
        for picture in pictures:
            page.keyboard.press("Shift+Enter")
            expect(picture).to_be_visible()
        size = pictures[2].bounding_box()["width"]
        for width in (1280, 400):
            resize(page, width, 900)
            frame = page.locator(".jp-Notebook .jp-InputArea-editor").first.bounding_box()["x"]
            bars, lines, panels = (picture.bounding_box() for picture in pictures)
            assert bars["x"] == pytest.approx(frame + 6, abs=1)
            assert lines["x"] + 0.04 * 96 == pytest.approx(frame + 6, abs=1)  # matplotlib keeps 0.04 inches free
            assert panels["width"] == size
        for picture, fits in zip(pictures, (True, True, False), strict=True):
            output = page.locator(".jp-RenderedSVG").filter(has=picture)
            assert output.evaluate("output => output.scrollWidth <= output.clientWidth") == fits
            assert (
                output.evaluate("output => getComputedStyle(output).maskImage") != "none"
            )  # fades where there is more


def test_a_plot_is_seen_in_a_notebook_that_is_not_trusted(opened, monkeypatch):
    shown = []
    monkeypatch.setattr("IPython.display.display", lambda data, raw: shown.append(data))
    ratings = [exact("random", "open-lines"), exact("open-lines", "random")]
    plots.crosstable(ratings, "Table")._ipython_display_()
    kept = new_code_cell("", outputs=[new_output("display_data", shown[0])])
    with opened("untrusted.ipynb", [kept]) as page:
        picture = page.locator(".jp-OutputArea-output img[src^='data:image/png']")
        expect(picture).to_be_visible()
        assert share_of(picture, "#FFFFFF") > 0.1
