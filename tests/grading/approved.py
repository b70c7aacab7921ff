"""Whole texts that the grader writes, in `said/`, as somebody has read and approved them."""

import os
import re
from html import unescape
from pathlib import Path

SAID = Path(__file__).with_name("said")
RENEW = "TTT_RENEW"  # set to write the texts anew: TTT_RENEW=1 pytest tests/grading


def approved(name, text):
    """Compare a text with the one that was approved; what differs is shown."""
    path = SAID / f"{name}.txt"
    if RENEW in os.environ:
        path.write_text(f"{text}\n", encoding="utf-8")
    told = f"If {path.name} should change, run this test with {RENEW}=1, read what `git diff` shows, and commit it."
    assert text.splitlines() == path.read_text(encoding="utf-8").splitlines(), told


def shown(page):
    """The words of a page, a line for each heading, paragraph and row; ⟨⟩ is a text by somebody else."""
    text = " ".join(page.partition("<main>")[2].partition("</main>")[0].split())
    text = text.replace("<bdi>", "⟨").replace("</bdi>", "⟩")
    text = re.sub(r'<img [^>]*alt="([^"]*)"[^>]*>', r" [\1] ", text)
    text = re.sub(r'<a href="([^"]*)">(.*?)</a>', r"\2(\1)", text)
    text = re.sub(r"</?code>", "`", re.sub(r"</?i>", "*", text))
    text = re.sub(r"\s*</t[dh]>\s*(</tr>)?\s*", lambda end: "\n" if end[1] else " | ", text)
    text = unescape(re.sub(r"<[^>]+>", "", re.sub(r"\s*</(?:h\d|p|li|summary)>\s*", "\n", text)))
    return "\n".join(" ".join(line.split()) for line in text.splitlines() if line.strip())


def together(texts):
    """Several texts as one, each under its name."""
    return "\n\n".join(f"===== {name}\n{text.strip()}" for name, text in texts.items())
