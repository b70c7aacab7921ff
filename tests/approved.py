"""What students read, word for word: texts that somebody has approved, in files that have a part for each case."""

import os
import re
from difflib import unified_diff
from functools import cache

RENEW = "TTT_RENEW"  # set if what is said now is to be approved
VARIES = (  # from run to run, and from Python to Python
    r"0x[0-9a-f]+",
    r"(?<=maximum recursion depth exceeded)[^,.`]*",
    r"(?<=: m(?:ax|in)\(\)) (?:arg is an empty sequence|iterable argument is empty)",
)
PART = re.compile(r"^■ (.*)\n([\s\S]*?)(?=^■ |\Z)", re.MULTILINE)


@cache
def read(path):
    """The parts of a file, by name."""
    return dict(PART.findall(path.read_text(encoding="utf-8"))) if path.exists() else {}


def approved(path, name, text):
    """Whether a part of a file is this text, to the letter; if it isn't, an error shows the difference."""
    for varies in VARIES:
        text = re.sub(varies, "", text)
    there, text = read(path), "\n".join(map(str.rstrip, text.splitlines())).rstrip() + "\n\n"
    if RENEW in os.environ:
        there[name] = text
        path.parent.mkdir(exist_ok=True)
        path.write_text("".join(f"■ {name}\n{text}" for name, text in there.items()), encoding="utf-8")
    difference = unified_diff(there.get(name, "").splitlines(), text.splitlines(), "approved", "now", "", "", 99, "")
    shown = "\n".join(difference)
    run = f"{RENEW}=1 pytest -n0 -m ''"
    assert not shown, f"{path.name}, {name}: if this is better, run `{run}` for this file, and read its diff.\n{shown}"
    return True


def all_approved(path, texts):
    """Whether a file has just these parts, by name, and each is this text."""
    for name, text in texts.items():
        approved(path, name, text)
    assert [*read(path)] == [*texts], f"{path.name} has other parts, or in another order"
    return True
