"""What grading writes for browsers, from the files in `templates/`. Whatever is filled in is escaped."""

from __future__ import annotations

from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

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
