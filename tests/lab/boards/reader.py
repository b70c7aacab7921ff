"""What a page tells a reader, line by line: names and states of what can be pressed, and texts.

What is only seen, and not heard, is in angle brackets. A menu is one line, with what is chosen in square brackets.
"""

import linecache
import re
from difflib import ndiff
from html.parser import HTMLParser

STATES = ("checked", "disabled", "aria-pressed", "aria-disabled", "aria-invalid")
SEEN = {"free", "hint", "threat", "wanted", "ghost", "last", "won", "ringed", "work", "off", "known", "ending"}
SEEN |= {"good", "soon", "right", "wrong", "shown", "person", "computer", "draw"}
LINES = ("p", "li", "summary", "legend", "label", "figcaption", "button", "input", "span", "b")
WHOLE = ("gridcell", "treeitem", "img")  # what is inside of these is in their line


class Reader(HTMLParser):
    """Lines of a page; `parts` are the changes that it gets apart from its HTML."""

    def __init__(self, html, parts):
        super().__init__()
        self.lines, self.parts = [], parts
        self.open = []  # of each open element: its name, whether it is only seen, and whether it has a line
        self.chosen = self.replaced = False  # of a menu's option; whether its text is given apart
        self.feed(html)

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        given |= self.parts.get(given.get("data-part"), {})
        hidden = self.hidden or "aria-hidden" in given
        name = given.get("role") or (given.get("type", "") if tag == "input" else "")
        words = [name, *map(given.get, ("aria-label", "name", "title"))]
        words += [f"“{given['value']}”"] if tag == "input" and given.get("value") else []
        words += [state if given[state] in (None, "true") else f"not {state}" for state in STATES if state in given]
        words += [f"level {given['aria-level']}"] if "aria-level" in given else []
        words += [f"key {given['data-digit']}"] if "data-digit" in given else []
        seen = [f"⟨{one}⟩" for one in (given.get("class") or "").split() if one in SEEN]
        told = " ".join([", ".join(filter(None, () if hidden else words)), *seen]).strip()
        begins = not self.within and (tag in LINES or name in WHOLE)
        if begins:
            self.lines.append([])
        if told and name != "row":
            self.say(told, begins or self.within)
        if tag != "input":
            self.open.append((tag, hidden, begins))
        self.chosen = "selected" in given
        if "text" in given:
            self.handle_data(given["text"])
        self.replaced = "text" in given

    @property
    def hidden(self):
        return bool(self.open) and self.open[-1][1]

    @property
    def within(self):
        """Whether what comes is part of a line, as a text is of its button's."""
        return any(begins for _, _, begins in self.open)

    def say(self, words, more):
        only_seen = words[0] == "⟨" and self.lines and all(word[0] == "⟨" for word in self.lines[-1])
        if not (more or only_seen):
            self.lines.append([])
        self.lines[-1].append(words)

    def handle_endtag(self, tag):
        self.replaced = False
        self.open.pop()

    def handle_data(self, text):
        words = " ".join(text.split())
        if words and self.open and self.open[-1][0] != "style" and not self.replaced:
            words = f"[{words}]" if self.chosen else words
            self.say(f"⟨{words}⟩" if self.hidden else words, self.within)


def heard(html, parts=None):
    """The lines of a page."""
    return [line for line in map(" · ".join, Reader(html, parts or {}).lines) if line]


class Elements(HTMLParser):
    """A drawing, element by element, each with its attributes and its text."""

    def __init__(self, svg):
        super().__init__()
        self.lines = []
        self.feed(re.sub("<style>.*?</style>", "", str(svg)))

    def handle_starttag(self, tag, attributes):
        self.lines.append(" ".join([tag, *(f"{name}={value}" for name, value in attributes if value)]))

    def handle_data(self, text):
        if text.strip():
            self.lines[-1] += f" “{text.strip()}”"


def drawn(svg):
    """The lines of a drawing."""
    return "\n".join(Elements(svg).lines)


def page(widget):
    return heard(widget.html, widget.parts)


class Session:
    """What somebody does on a widget, and what it says and shows then, as an approved text has it."""

    def __init__(self, widget, shown=page):
        self.widget, self.shown, self.lines = widget, shown, shown(widget)
        self.told = [self.message, *self.lines]

    @property
    def message(self):
        return f"{self.widget.tone}: {self.widget.message}".removeprefix(": ")

    def do(self, *actions):
        """Report actions, each by its name or with its value, as the page does; only what has changed is told."""
        for action in actions:
            name, *value = [action] if isinstance(action, str) else action
            self.widget._handle_custom_msg({"do": name, "value": value[0] if value else None}, [])
            self.tell(" ".join([name, *map(str, value)]))
        return self

    def python(self, *statements, **names):
        """The same for what a cell of the notebook does to `game`, with the error that it raises."""
        for statement in statements:
            raised = ""
            try:
                exec(statement, {"game": self.widget} | names)
            except (Exception, KeyboardInterrupt, SystemExit) as error:
                raised = f"\n{type(error).__name__}: {error}"
            self.tell(statement + raised)
        return self

    def tell(self, done):
        before, self.lines = self.lines, self.shown(self.widget)
        changes = [line for line in ndiff(before, self.lines) if line[0] in "-+"]
        self.told += ["", f"> {done}", self.message, *changes]

    def __str__(self):
        """All of it, and in the end what a saved notebook says without a page."""
        kept, drawn = repr(self.widget), self.widget.snapshot()
        told = [*self.told, "", f"= {kept}", *([] if drawn is None else [f"= {drawn.title}", drawn.text])]
        return "\n".join(told)


def numbered(told, file):
    """What is told, without the numbers of lines, which are those of the code next to them."""
    for number, code in re.findall(r"in line (\d+)(?:, in `\w+`)?: `([^`]*)`", told):
        assert linecache.getline(file, int(number)).strip() == code
    return re.sub(r"line \d+", "line …", told)
