"""Lessons as pages to read: what nbconvert asks this module for, as `jupyter/nbconvert.json` says.

JupyterLab's *Save and Export Notebook As* asks for it, too.
"""

import re
from html import escape, unescape
from pathlib import Path
from typing import Any
from urllib.parse import quote

from nbconvert.preprocessors import Preprocessor
from nbformat.v4 import new_code_cell, new_output

from lab.drawing.cards import CSS

SVG = "image/svg+xml"
STYLES = [CSS, (Path(__file__).parent / "jupyter" / "page.css").read_text("utf-8")]


class ReadingPage(Preprocessor):
    """Gives a page the lessons' look, and each drawing the page's ink and words for what it shows."""

    def preprocess(self, nb: Any, resources: Any) -> tuple[Any, Any]:
        for output in (output for cell in nb.cells for output in cell.get("outputs", [])):
            if SVG in output.get("data", {}):
                output.data.setdefault("text/html", image(output.data[SVG]))
        style = new_output("display_data", {"text/html": f"<style>{''.join(STYLES)}</style>"})
        nb.cells.insert(0, new_code_cell(outputs=[style], metadata={"transient": {"remove_source": True}}))
        return nb, resources


def image(svg: str) -> str:
    """A drawing in HTML, as JupyterLab shows it, with its title and description as the alternative text."""
    picture = f'<img alt="{escape(in_words(svg))}" src="data:{SVG},{quote(svg)}">'
    return f'<div class="jp-RenderedSVG jp-OutputArea-output">{picture}</div>'


def in_words(svg: str) -> str:
    """A drawing's title and description in one line; a free cell is "empty"."""
    texts = re.findall(r"<(?:title|desc)>(.*?)</", svg, re.DOTALL)
    words = re.sub(r"(?<!\S)-(?!\S)", "empty", unescape("\n".join(texts[:2])))
    return re.sub(r"\s*\n\s*", "; ", words).replace(".; ", ". ")
