"""Draws a class's guesses in a lesson, without names. Reads the notebooks but never runs them."""

import io
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from matplotlib.figure import Figure

from exercises.grading import GradingError
from exercises.grading.collect import collected
from exercises.grading.feedback import minus, rendered
from exercises.grading.people import listing, plain
from exercises.grading.tables import write

MOST = 40  # questions on a page, texts in an order, and characters of a question's name, at most
Record = Mapping[str, Any]  # as written by lab.boards.guesses: name, guess, truth, late


def guessed(source: Path, out: Path, notebook: str = "") -> list[str]:
    """Write the page about a class's guesses; return notes for the instructor. Raises `GradingError`."""
    found = collected(source, notebook or "NOTEBOOK", out)
    questions: defaultdict[str, list[Record]] = defaultdict(list)
    without = []
    for one in found.submissions:
        records = {}
        for said in one.guesses:
            name = str(said.get("name")) if isinstance(said, dict) else ""
            if name.isidentifier() and known(said.get("guess")) is not None:
                records[name[:MOST]] = said | {part: known(said.get(part)) for part in ("guess", "truth")}
        for name, record in records.items():
            questions[name].append(record)
        if not records:
            without.append(one.student)
    if not questions:
        raise GradingError(f"{source} contains no guesses. Collect lessons that students have run and saved.")
    write(out, rendered("guesses.html", asked=[question(*item) for item in list(questions.items())[:MOST]]))
    left = [f"There are no guesses from {listing(without)}."] if without else []
    return [*found.notes, *left, f"The page is {out}. Look through it before you show it."]


def known(value: object) -> str | float | None:
    """A guess or result fit to show: a number, a text, or an order joined into one text; otherwise None."""
    if isinstance(value, list) and 0 < len(value) <= MOST and all(isinstance(text, str) for text in value):
        return ", ".join(value)
    if isinstance(value, str) or (isinstance(value, int | float) and abs(value) < 1e15):
        return value
    return None


def question(name: str, given: Sequence[Record]) -> Mapping[str, Any]:
    """The page's data for a question: guesses made before the result was shown, and the most common result."""
    early = [one["guess"] for one in given if one.get("late") is not True]
    numbers = sorted(value for value in early if not isinstance(value, str))
    others = Counter(shown(value) for value in early if isinstance(value, str))
    truths = Counter(one["truth"] for one in given if one.get("truth") is not None)
    words = f"Guesses: {len(early)}"
    if len(early) == 1:
        words = f"One guess: {shown(early[0])}"
    elif numbers:
        words += f", from {shown(numbers[0])} to {shown(numbers[-1])}, half of them {shown(median(numbers))} or less"
    result = truths.most_common(1)[0][0] if truths else None
    return {
        "name": name.replace("_", " "),
        "words": f"{words}." if result is None else f"{words}. The result: {shown(result)}.",
        "late": len(given) - len(early),
        "picture": drawing(numbers, None if isinstance(result, str) else result) if numbers else "",
        "others": others.most_common(),
        "all": others.total(),
    }


def shown(value: str | float) -> str:
    """A guess as text; numbers keep all their digits: "1,000,000", "−0.5"."""
    return plain(value, 120) if isinstance(value, str) else minus(f"{value:,.12g}")


def drawing(numbers: Sequence[float], result: float | None) -> str:
    """Draw numbers as dots on a scale (logarithmic for wide ranges) and the result as a line, as SVG."""
    figure = Figure(figsize=(6.4, 0.9), layout="constrained")
    axes = figure.subplots()
    axes.spines[["left", "top", "right"]].set_visible(False)
    axes.plot(numbers, [numbers[:n].count(number) for n, number in enumerate(numbers)], "o", color="#d55e00", alpha=0.7)
    if result is not None:
        axes.axvline(result, color="#0072b2", linewidth=3)
    every = [*numbers, *([] if result is None else [result])]
    ends = sorted({min(every), max(every)})
    if ends[0] > 0 and ends[-1] > 100 * ends[0]:
        axes.set_xscale("log")
    axes.set_xticks(ends, [shown(end) for end in ends])
    axes.minorticks_off()
    axes.set_yticks([])
    axes.margins(y=0.3)
    svg = io.StringIO()
    figure.savefig(svg, format="svg")
    return svg.getvalue()
