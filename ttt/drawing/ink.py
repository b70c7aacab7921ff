"""An SVG of another program in the page's ink: what is black has the colour of the page's text.

JupyterLab shows a drawing as an image, which knows of the page only whether it is light or dark. Other pages take the
drawing in, and its text has the colour of theirs.
"""

import re
from html import escape

from ttt.drawing.svg import DARK_TEXT

DARK = f"<style>@media (prefers-color-scheme:dark){{svg:root{{color:{DARK_TEXT}}}}}</style>"
LEFT_OUT = re.compile(r"\A.*?(?=<svg)|<metadata>.*?</metadata>|<style.*?</style>|(?<=<g) id=\"[^\"]*\"", re.DOTALL)


def inked(svg: str, title: str, text: str) -> str:
    """An SVG, in a line of ASCII, with a title and a text for those who can't see it."""
    svg = " ".join(LEFT_OUT.sub("", svg).split())  # in a notebook, one line
    start, drawing = svg.replace("#000000", "currentColor").split(">", 1)
    start += ' role="img" fill="currentColor" stroke-linejoin="round" style="max-width:100%;height:auto"'
    words = f"<title>{escape(title)}</title><desc>{escape(text)}</desc>"
    return f"{start}>{words}{DARK}{drawing}".encode("ascii", "xmlcharrefreplace").decode()
