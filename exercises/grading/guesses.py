"""What a class guessed in a lesson, read from its notebooks, which are never run, and drawn without names."""

from __future__ import annotations

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
from exercises.grading.uploads import Submission

MOST = 40  # questions on a page, texts in a guess, and characters of a question's name

Record = Mapping[str, Any]  # as ttt.guesses writes it: name, guess, truth, late


def guessed(source: Path, out: Path, notebook: str = "") -> list[str]:
    """Write the page on a class's guesses; returns sentences for the instructor. Raises `GradingError`."""
    found = collected(source, notebook or "NOTEBOOK", out)
    questions: defaultdict[str, list[Record]] = defaultdict(list)
    without = []
    for one in found.submissions:
        kept = records(one)
        for name, record in kept.items():
            questions[name].append(record)
        if not kept:
            without.append(one.student)
    if not questions:
        raise GradingError(
            f"{source}: no guess is kept in the notebooks. Collect the lessons themselves, saved after they were run."
        )
    asked = [question(name, given) for name, given in list(questions.items())[:MOST]]
    write(out, rendered("guesses.html", asked=asked))
    left = [f"No guess was found of: {listing(without)}."] if without else []
    return [*found.notes, *left, f"The page is {out}. Look at it before you show it."]


def records(one: Submission) -> dict[str, Record]:
    """A notebook's guesses by name, as its outputs keep them."""
    return {
        str(said["name"])[:MOST]: said
        for said in one.guesses
        if isinstance(said, dict) and str(said.get("name")).isidentifier() and _known(said.get("guess"))
    }


def _known(value: object) -> bool:
    """Whether it is a guess that can be shown: a number, a text, or texts in order."""
    if isinstance(value, (list, tuple)):
        return 0 < len(value) <= MOST and all(isinstance(text, str) for text in value)
    return isinstance(value, str) or (type(value) in (int, float) and abs(value) < 1e15)  # type: ignore[arg-type]


def question(name: str, given: Sequence[Record]) -> Mapping[str, Any]:
    """What the page shows of a question: guesses from before the result was shown, and the commonest result."""
    truths = {shown(one["truth"]): one["truth"] for one in given if _known(one.get("truth"))}
    times = Counter(shown(one.get("truth")) for one in given)
    told = max(truths, key=lambda text: times[text], default="")
    early = [one["guess"] for one in given if one.get("late") is not True]
    numbers = sorted(value for value in early if isinstance(value, (int, float)))
    others = Counter(shown(value) for value in early if not isinstance(value, (int, float)))
    result = truths.get(told)
    words = f"{len(early)} guessed"
    if numbers:
        words += f", from {shown(numbers[0])} to {shown(numbers[-1])}, half of them {shown(median(numbers))} or less"
    return {
        "name": name.replace("_", " "),
        "words": f"{words}. The result: {told}." if told else f"{words}.",
        "late": len(given) - len(early),
        "picture": drawing(numbers, result if isinstance(result, (int, float)) else None) if numbers else "",
        "others": others.most_common(),
        "all": others.total(),
    }


def shown(value: Any) -> str:
    """A guess as text, a number with all its digits: "1,000,000", "−0.5"."""
    if isinstance(value, (int, float)):
        return minus(f"{value:,.12g}")
    return plain(", ".join(value) if isinstance(value, (list, tuple)) else str(value), 120)


def drawing(numbers: Sequence[float], result: float | None) -> str:
    """Numbers as dots on a scale, logarithmic where they are far apart, and the result as a line, as SVG."""
    figure = Figure(figsize=(6.4, 0.9), layout="constrained")
    axes = figure.subplots()
    axes.spines[["left", "top", "right"]].set_visible(False)
    axes.plot(numbers, [numbers[:n].count(number) for n, number in enumerate(numbers)], "o", color="#d55e00", alpha=0.7)
    if result is not None:
        axes.axvline(result, color="#0072b2", linewidth=3)
    every = [*numbers, *([] if result is None else [result])]
    if min(every) > 0 and max(every) > 100 * min(every):
        axes.set_xscale("log")
    ends = sorted({min(every), max(every)})
    axes.set_xticks(ends, [shown(end) for end in ends])
    axes.minorticks_off()
    axes.set_yticks([])
    axes.margins(y=0.3)
    svg = io.StringIO()
    figure.savefig(svg, format="svg")
    return svg.getvalue()
