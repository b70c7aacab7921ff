"""An SVG of another program in the page's ink: in its font, with what is black in the colour of its text.

A notebook shows such a drawing as an `<img>` with the SVG inside. On a page that runs what it is given, as a trusted
notebook does, the image puts its drawing in its own place: then black is the colour of the page's text, light or dark.
Elsewhere the image stays, and its black is a grey that can be read on both.

What a drawing refers to by an id, such as a hatching, is the first on the page with this id, and isn't drawn if that is
in a hidden tab, in a similar picture. So a drawing's ids become its own when it is put in its place.
"""

import re
from base64 import b64encode
from html import escape

from ttt.drawing.svg import TEXT

GREY = f"color:{TEXT};"
OWN_IDS = r"""replace(/ id="|url\(#|href="#/g,'$&'+Math.random().toString(36).slice(2))"""
UNPACK = f"this.outerHTML=atob(this.src.split(',')[1]).replace('{GREY}','').{OWN_IDS}"
LEFT_OUT = re.compile(r"\A.*?(?=<svg)|<metadata>.*?</metadata>|<style.*?</style>|(?<=<g) id=\"[^\"]*\"", re.DOTALL)


def inked(svg: str, words: str) -> str:
    """An SVG, in ASCII, with words for those who can't see it; without `GREY`, in the page's text colour."""
    look = f'role="img" aria-label="{escape(words)}" fill="currentColor" stroke-linejoin="round"'
    start = f'<svg {look} style="{GREY}max-width:100%;height:auto"'
    drawing = LEFT_OUT.sub("", svg).replace("<svg", start, 1).replace("#000000", "currentColor")
    return drawing.encode("ascii", "xmlcharrefreplace").decode()


def image(svg: str, words: str) -> str:
    """An image for a page, which puts its drawing in its place where the page lets it."""
    source = f"data:image/svg+xml;base64,{b64encode(svg.encode()).decode()}"
    return f'<img alt="{escape(words)}" src="{source}" onload="{escape(UNPACK)}">'
