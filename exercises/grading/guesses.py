"""What a class guessed in a lesson, read from its notebooks, which are never run, and drawn without names."""

from __future__ import annotations

import ast
import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from statistics import median
from typing import Any

from exercises.grading import GradingError
from exercises.grading.collect import collected
from exercises.grading.feedback import minus, rendered
from exercises.grading.people import listing, plain
from exercises.grading.tables import write
from exercises.grading.uploads import Submission

WIDTH, HEIGHT, MARGIN = 640, 70, 20  # of a drawing
OPTIONS = ("choices", "order")  # keywords of guess() that name no question
MOST = 40  # questions on a page

Record = dict[str, Any]  # as ttt.guesses writes it: name, guess, truth, late


def guessed(source: Path, out: Path, notebook: str = "") -> list[str]:
    """Write the page on a class's guesses; returns sentences for the instructor. Raises `GradingError`."""
    found = collected(source, notebook or "NOTEBOOK", out)
    each = {one.student: records(one) for one in found.submissions if one.cells is not None}
    without = [one.student for one in found.submissions if not each.get(one.student)]
    if not any(each.values()):
        raise GradingError(
            f"{source}: no guess is kept in the notebooks. Collect the lessons themselves, saved after they were run."
        )
    questions: defaultdict[str, list[Record]] = defaultdict(list)
    for of_one in each.values():
        for name, record in of_one.items():
            questions[name].append(record)
    asked = [question(name, given) for name, given in list(questions.items())[:MOST]]
    write(out, rendered("guesses.html", asked=asked))
    left = [f"No guess was found of: {listing(without)}."] if without else []
    return [*found.notes, *left, f"The page is {out}. Look at it before you show it."]


def records(one: Submission) -> dict[str, Record]:
    """A notebook's guesses by name: as its outputs keep them, or else as its cells are written."""
    kept: dict[str, Record] = {}
    for name, guess in written(one.cells or ()).items():
        kept[name] = {"name": name, "guess": guess, "truth": None, "late": False}
    for said in one.guesses:
        if isinstance(said, dict) and isinstance(said.get("name"), str) and said["name"].isidentifier():
            kept[said["name"]] = said
    return {name: said for name, said in kept.items() if _known(said.get("guess"))}


def written(cells: Sequence[str]) -> dict[str, Any]:
    """The last guess of each name in the code: `guess(nodes=500)`. One that is not filled in is none."""
    found: dict[str, Any] = {}
    for cell in cells:
        with suppress(SyntaxError, ValueError, RecursionError, MemoryError):
            for node in ast.walk(ast.parse(cell)):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "guess":
                    found |= {word.arg: _literal(word.value) for word in node.keywords if word.arg}
    return {name: guess for name, guess in found.items() if name not in OPTIONS}


def _literal(node: ast.expr) -> Any:
    with suppress(ValueError, TypeError, RecursionError, MemoryError):
        return ast.literal_eval(node)
    return None


def _known(value: object) -> bool:
    """Whether it is a guess that can be shown: a number, a text, or texts in order."""
    if isinstance(value, (list, tuple)):
        return 0 < len(value) <= MOST and all(isinstance(text, str) for text in value)
    return isinstance(value, str) or (type(value) in (int, float) and abs(value) < 1e15)  # type: ignore[arg-type]


def question(name: str, given: Sequence[Record]) -> Mapping[str, Any]:
    """What the page shows of a question: guesses from before the result was shown, and the commonest result."""
    truths = Counter(str(one["truth"]) for one in given if _known(one.get("truth")))
    truth = truths.most_common(1)[0][0] if truths else ""
    early = [one["guess"] for one in given if one.get("late") is not True]
    numbers = sorted(float(value) for value in early if type(value) in (int, float))
    texts = [
        value if isinstance(value, str) else ", ".join(value) for value in early if type(value) not in (int, float)
    ]
    others = Counter(plain(text, 120) for text in texts)
    result = float(truth) if numbers and truth.replace(".", "", 1).lstrip("-").isdigit() else None
    told = plain(truth, 120) if result is None else shown(result)
    words = f"{len(early)} guessed" + (f", from {shown(numbers[0])} to {shown(numbers[-1])}, " if numbers else "")
    words += f"half of them {shown(median(numbers))} or less" if numbers else ""
    return {
        "name": name.replace("_", " "),
        "words": f"{words}. The result: {told}." if truth else f"{words}.",
        "late": len(given) - len(early),
        "picture": drawing(numbers, result) if numbers else "",
        "others": others.most_common(),
        "all": sum(others.values()),
    }


def shown(number: float) -> str:
    """A number with all its digits: "1,000,000", "−0.5"."""
    return minus(f"{number:,.12g}")


def drawing(numbers: Sequence[float], result: float | None) -> str:
    """Numbers as dots on a scale, logarithmic where they are far apart, and the result as a line, as SVG."""
    every = [*numbers, *([] if result is None else [result])]
    low, high = min(every), max(every)
    scale = math.log10 if low > 0 and high > 100 * low else float

    def place(number: float) -> float:
        share = (scale(number) - scale(low)) / ((scale(high) - scale(low)) or 1)
        return round(MARGIN + share * (WIDTH - 2 * MARGIN), 1)

    shapes = [f'<path d="M{MARGIN} 50H{WIDTH - MARGIN}" stroke="#595959"/>']
    times: Counter[float] = Counter()
    for number in numbers:
        x = place(number)
        shapes.append(f'<circle cx="{x}" cy="{42 - 9 * min(times[x], 3)}" r="4" fill="#d55e00" fill-opacity=".7"/>')
        times[x] += 1
    if result is not None:
        shapes.append(f'<path d="M{place(result)} 5V60" stroke="#0072b2" stroke-width="3"/>')
    for number, anchor in ((low, "start"), (high, "end")):
        shapes.append(f'<text x="{place(number)}" y="66" font-size="12" text-anchor="{anchor}">{shown(number)}</text>')
    size = f'width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size}><title>guesses</title>{"".join(shapes)}</svg>'
