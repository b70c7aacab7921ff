"""The voice: lessons, pages, messages and docstrings are in today's English, without the phrases of an older one."""

import ast
import json
import re
import tomllib

import pytest
from conftest import ROOT

INSTEAD = {  # a phrase, as a pattern, and what to write instead
    "by lot|draws? (no )?lots": "at random",
    "whoever": "the player who, the side that",
    "whatever (it|they) be": "whatever it is",
    "and yet": "but",
    "(?-i:(?<![Tt]here )is none)": "is not, has no",
    "are you stuck": "Stuck? Open a hint on the card.",
    "so many plies": "that many plies",
    "(?<!flash-)mend(s|ed|ing)?": "fix",
    "faults": "bugs, flaws",
    "one's own": "your own",
}
PAGES = ("*.md", "exercises/**/*.md", "exercises/**/*.html", "notebooks/*.ipynb", "exercises/**/*.ipynb")
LAB = ("notebooks/lab/**/*.py", "notebooks/lab/**/*.toml", "notebooks/lab/**/*.js")
FILES = (*PAGES, *LAB, "exercises/**/*.toml", "ttt/**/*.py", "exercises/grading/**/*.py")


def prose(text):
    """A text on one line, without the code in it."""
    return " ".join(re.sub(r"```.*?```|`[^`]*`", "``", text, flags=re.DOTALL).split())


def strings(value):
    """All texts in a value, including the keys of its tables."""
    if isinstance(value, dict):
        return strings([*value, *value.values()])
    return [text for part in value for text in strings(part)] if isinstance(value, list) else [str(value)]


def texts(path):
    """What a file says, without what it computes."""
    source = path.read_text("utf-8")
    if path.suffix == ".ipynb":
        return ["".join(cell["source"]) for cell in json.loads(source)["cells"] if cell["cell_type"] == "markdown"]
    if path.suffix == ".toml":
        return strings(tomllib.loads(source))
    if path.suffix == ".py":
        return strings([node.value for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Constant)])
    if path.suffix == ".js":
        return [source.replace("`", "'")]  # backquotes hold sentences
    return [re.sub(r"\{[{%].*?[%}]\}", "", source)]  # without what a template computes


@pytest.mark.parametrize("path", [str(path.relative_to(ROOT)) for kind in FILES for path in sorted(ROOT.glob(kind))])
def test_a_file_has_no_phrase_of_the_older_voice(path):
    told = [
        f"{match[0]!r} (write: {better}) in: {text[max(0, match.start() - 60) : match.end() + 60]}"
        for text in map(prose, texts(ROOT / path))
        for phrase, better in INSTEAD.items()
        for match in re.finditer(rf"\b({phrase})\b", text, re.IGNORECASE)
    ]
    assert not told, "\n".join([path, *told])
