"""What a page tells a reader who hears it, in its order: names and states of what can be pressed, and texts."""

from html.parser import HTMLParser

STATES = ("checked", "selected", "aria-pressed", "aria-disabled", "aria-invalid")
EMPTY = ("input", "path", "line", "circle")  # elements without an end


class Reader(HTMLParser):
    def __init__(self, html):
        super().__init__()
        self.heard, self.hidden = [], []
        self.feed(html)

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        if self.hidden or given.get("aria-hidden") or tag == "style":
            self.hidden += [] if tag in EMPTY else [tag]
            return
        words = [given[name] for name in ("aria-label", "name", "type") if given.get(name)] if tag != "button" else []
        words += [given["aria-label"]] if tag == "button" and "aria-label" in given else []
        words += [f"“{given['value']}”"] if tag == "input" and given.get("value") else []
        words += [name if given[name] is None else f"{name} {given[name]}" for name in STATES if name in given]
        if words:
            self.heard.append(f"{given.get('role', tag)} {', '.join(words)}")

    def handle_endtag(self, tag):
        if self.hidden and self.hidden[-1] == tag:
            self.hidden.pop()

    def handle_data(self, text):
        if text.strip() and not self.hidden:
            self.heard.append(" ".join(text.split()))


def heard(html):
    """The whole page in one line."""
    return " | ".join(Reader(html).heard)
