"""How long the lessons take their readers: `python tests/times.py` writes the minutes into all pages that tell them."""

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import nbformat
from kept import LESSONS

ROOT = Path(__file__).parent.parent
NOTEBOOKS = [*LESSONS, *sorted(ROOT.glob("exercises/*/*.ipynb"))]
SHORT_ROUTE = [path for path in NOTEBOOKS if path.name[:2] < "10" or path.stem == "heuristic_1"]
WORDS_A_MINUTE = 150
GUESS, CODE, GAP, FUNCTION, GAME, PAPER, RECAP = 0.75, 0.5, 4, 9, 2.5, 2, 3  # minutes for each
CELLS = {  # what a cell of code asks for, as a pattern, and the minutes for it
    r"^ +(\.\.\.|return board\.moves)  # your work|NotImplementedError": FUNCTION,
    r"^(expect|fill_in)\(": PAPER,
    r"^recap\(": RECAP,
    r"^(GameBoard|CubeGame|interact)\(|^Explorer\([^)]*\)$": GAME,
}
OPEN_ENDED = {  # minutes for work that no formula counts, by the notebook's name without digits: up to *Further*, below
    "_a_game_of_your_own": (45, 0),  # the game
    "_search_statistics": (0, 30),  # the report
    "alpha_beta": (40, 0),  # a whole search rather than a function of seven lines
    "challenge": (70, 0),  # the player
    "interface": (110, 0),  # the interface
}
FURTHER = "*Further*"
HOURS = {6: "six", 7: "seven", 8: "eight", 9: "nine"}
LESSON = r"the exercise|\d\d"
LINKED = re.compile(r"(\]\(\S*?(\w+)\.ipynb\)[^|\n;]*(?:\|[^|\n;]*)?,) \d+ min")  # in the same or the next column


def prose_minutes(text: str) -> float:
    """The minutes to read a text, without its code and addresses, and to answer its bold questions."""
    if re.match(r"Lesson (\*\*|\[)", text):  # the row of lessons above the title
        return 0
    text = re.sub(r"```.*?```|(?<=\])\([^)]*\)|<[^>]+>", " ", text, flags=re.DOTALL)
    questions = re.findall(r"\*\*[^*]+\?\*\*", text)
    return len(re.findall(r"\w[\w'’,.]*", text)) / WORDS_A_MINUTE + len(questions) * GUESS


def code_minutes(code: str) -> float:
    """The minutes to run and read a cell of code, or for what it asks for."""
    asked = [time for pattern, time in CELLS.items() if re.search(pattern, code, re.MULTILINE)]
    gaps = len(re.findall(r"\.\.\..*# (?:your work|gap)", code))
    return asked[0] if asked else min(gaps, 2) * GAP or CODE


def sections(notebook: Path) -> dict[str, float]:
    """The minutes for each section of a notebook; all that is below *Further* is one section."""
    name, found = "opening", {"opening": 0.0}
    for cell in nbformat.read(notebook, 4).cells:
        if cell.cell_type == "code":
            found[name] += code_minutes(cell.source)
            continue
        for part in re.split("^(?=## )", cell.source, flags=re.MULTILINE):
            heading = re.match("## (.+)", part)
            if heading and name != FURTHER:
                name = FURTHER if heading[1] == "Further" else heading[1]
                found[name] = 0.0
            found[name] += prose_minutes(part)
    return found


@cache
def minutes(notebook: Path) -> tuple[int, int]:
    """The minutes for a notebook: up to *Further*, and below, rounded to five.

    A rule of thumb for a reader who works alone and quickly. A class that talks needs more, and what a cell computes
    comes on top.
    """
    found, (own, own_below) = sections(notebook), own_work(notebook)
    below = found.pop(FURTHER, 0.0) + own_below
    core = sum(found.values()) + own
    return 5 * round(core / 5), 5 * round(below / 5)


def own_work(notebook: Path) -> tuple[int, int]:
    """The minutes for what no formula counts: up to *Further*, and below."""
    return OPEN_ENDED.get(notebook.stem.lstrip("0123456789"), (0, 0))


def inside(notebook: Path) -> str:
    """The minutes for a notebook and for each of its sections; less than a minute joins the section before."""
    parts, (own, own_below) = sections(notebook), own_work(notebook)
    below = parts.pop(FURTHER, 0.0) + own_below
    found: dict[str, float] = {}
    last = ""
    for name, time in (*parts.items(), ("your own work", own), (FURTHER, below)):
        if time >= 1 or not found:
            last = name
        found[last] = found.get(last, 0) + time
    return f"**{minutes(notebook)[0]} min:** " + " · ".join(f"{name} {time:.0f}" for name, time in found.items())


def told(page: Path) -> str:
    """The text of a page with the minutes that the formula gives, where it tells any."""
    text, named = page.read_text("utf-8"), {path.stem: path for path in NOTEBOOKS}
    times = {name: minutes(path) for name, path in named.items()}
    short = {path.stem: times[path.stem][0] for path in SHORT_ROUTE}
    by_number = {"the exercise": times["heuristic_1"][0]} | {path.name[:2]: times[path.stem][0] for path in LESSONS}

    def row(found: re.Match[str]) -> str:
        """A row that links notebooks: the sum of their minutes on the short route, and of all."""
        linked = re.findall(r"(\w+)\.ipynb\)", found[1])
        core = sum(short.get(one, 0) for one in linked)
        return f"{found[1]} | {core or '–'} | {sum(sum(times[one]) for one in linked)} |"

    def total(found: re.Match[str]) -> str:
        """Some lessons by number, and the sum of their minutes in brackets."""
        return f"{found[1]} ({sum(by_number[one] for one in re.findall(LESSON, found[1]))} minutes)"

    if page.stem in times:
        core, further = times[page.stem]
        more = f", plus {further} for Further" if further else ""
        text = re.sub(r"\*Time: \d+ minutes(, plus \d+ for Further)?", f"*Time: {core} minutes{more}", text)
    text = re.sub(r"(\|.*\.ipynb\).*) \| (?:\d+|–) \| \d+ \|", row, text)
    text = LINKED.sub(lambda found: f"{found[1]} {times[found[2]][0]} min", text)
    text = re.sub(rf"((?:{LESSON})(?:(?:, | and )(?:{LESSON}))*) \(\d+ minutes\)", total, text)
    text = re.sub(r"(<!-- minutes (\w+) -->\n).*", lambda found: found[1] + inside(named[found[2]]), text)
    text = re.sub(r"(short\s+route\W+takes) \d+ minutes", rf"\1 {sum(short.values())} minutes", text)
    return re.sub(f"\\b({'|'.join(HOURS.values())}) hours", f"{HOURS[round(sum(short.values()) / 60)]} hours", text)


def pages() -> Iterable[Path]:
    """All pages that tell minutes."""
    guides = ("README.md", "exercises/README.md", "exercises/plan.md", "exercises/grading/bundle/README.md")
    return [*NOTEBOOKS, LESSONS[0].with_name("index.ipynb"), *(ROOT / name for name in guides)]


def tell_minutes() -> None:
    for path in NOTEBOOKS:
        core, further = minutes(path)
        print(f"{path.stem:22} {core:4} {further:4}")
    print(f"The short route takes {sum(minutes(path)[0] for path in SHORT_ROUTE)} minutes.")
    for page in pages():
        page.write_text(told(page), "utf-8")


if __name__ == "__main__":
    tell_minutes()
