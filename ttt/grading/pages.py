"""What grading writes for browsers, from the files in `templates/`.

A page has no scripts and loads no files. It allows nothing but its own style and pictures, and all text on it is
escaped, so that nothing a student has handed in can act in the browser that opens it.
"""

from __future__ import annotations

import hashlib
from base64 import b64encode
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from ttt import svg

TEMPLATES = Environment(
    loader=FileSystemLoader(Path(__file__).with_name("templates")),
    autoescape=True,
    trim_blocks=True,
    lstrip_blocks=True,
    undefined=StrictUndefined,
)


def render(name: str, **values: object) -> str:
    """The text of a template with these values."""
    return TEMPLATES.get_template(name).render(values)


def title(exercise: str) -> str:
    """An exercise's name as a heading.

    >>> title("heuristic_1")
    'Heuristic 1'
    """
    return exercise.replace("_", " ").capitalize()


def minus(number: str) -> str:
    """A number with the minus sign instead of a hyphen; a text that begins with no hyphen is left as it is.

    >>> minus("-3"), minus("no answer")
    ('−3', 'no answer')
    """
    return f"−{number[1:]}" if number.startswith("-") else number


def base64(text: str) -> str:
    """A text in letters and digits alone, as an address holds it."""
    return b64encode(text.encode()).decode()


TEMPLATES.filters |= {"minus": minus, "base64": base64}
STYLE = render("page.css", ink=svg.INK, dark_ink=svg.DARK_INK)
TEMPLATES.globals |= {
    "style": STYLE,
    "digest": b64encode(hashlib.sha256(STYLE.encode()).digest()).decode(),
    "draw": svg.draw,
}
