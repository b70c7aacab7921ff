"""What a reader of a page sees, as text."""

import re
from html import unescape


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
