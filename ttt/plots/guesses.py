"""What a class guessed at a question, beside the result."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from statistics import mean, median, median_low
from typing import Any

from matplotlib.ticker import MaxNLocator

from ttt.guesses import Guess, Value, by_factor, in_words, pairs_in_order
from ttt.plots.figure import HATCHED, BadPlot, Plot, listed, log_scale, new_figure, with_legend
from ttt.record import counted
from ttt.svg import INK

BINS = 40  # across; numbers as near as that stand above one another
FARTHEST = 1e6  # times the result or a millionth of it; what is farther off is counted, not drawn
WIDEST = 20  # median distances from the result, likewise
SHORTENED = 40  # letters of a choice
MANY = 40  # guesses; of more, the words name the ends and the middle
DOT: dict[str, Any] = {"linestyle": "none", "marker": "o", "markersize": 6}


def guesses(question: Guess, given: Sequence[Value]) -> Plot:
    """All guesses at a question, beside its result if it has one.

    A dot for each number, on a log scale where numbers are compared by factors; a bar for each choice; for an order,
    the mean place of each item and the place where it belongs. Raises `BadPlot` if there are no guesses, and `BadGuess`
    for one of another kind than the question.
    """
    if not given:
        raise BadPlot(f"Nobody has guessed {question.name}.")
    draw = {"number": _numbers, "choice": _choices, "order": _orders}[question.kind]
    return draw(question, [question.value(one) for one in given])


# ------------------------------------------------------------------------------------------------- numbers


def _numbers(question: Guess, given: list[Any]) -> Plot:
    centre: Any = median(given) if question.truth is None else question.truth
    log = by_factor(median_low(given), centre)
    far = [_distance(one, centre, log) for one in given]
    limit = FARTHEST if log else WIDEST * (median(far) or max(far))
    near = [one for one, distance in zip(given, far, strict=True) if distance <= limit]
    beyond = f"; {len(given) - len(near)} too far off to be drawn" if len(near) < len(given) else ""
    across = f"{counted(len(given), 'guess', 'guesses')}{' (log scale)' if log else ''}{beyond}"
    figure, axes = new_figure(_plain(f"{question.name}: {_finding(question, far, centre, log)}"), 2.4, across)
    heights = _stacked([math.log(one) for one in near] if log else near)
    axes.plot(near, heights, color=INK["O"], label="guesses", **DOT)
    if question.truth is not None:
        axes.axvline(centre, color=INK["X"], linewidth=2, label=f"result: {in_words(centre)}")
    if log:
        log_scale(axes, "x")
    axes.set(ylim=(0, max(heights, default=0) + 2), yticks=[])
    axes.spines["left"].set_visible(False)
    which, told = "", sorted(given)
    if len(given) > MANY:
        which, told = ", the least, the middle and the greatest", [min(given), median(given), max(given)]
    figure.say(f"Guesses{which}: {', '.join(map(in_words, told))}")
    return with_legend(figure)


def _distance(one: float, centre: float, log: bool) -> float:
    """How far a number is from another: a factor of 1 or more, or a difference."""
    if not log:
        return abs(one - centre)
    return max(one / centre, centre / one) if one > 0 else math.inf


def _finding(question: Guess, far: Sequence[float], centre: float, log: bool) -> str:
    if question.truth is None:
        return f"the middle guess is {in_words(centre)}"
    if median(far) == (1 if log else 0):
        return f"half of the guesses or more are right: {in_words(centre)}"
    middle = float(f"{median(far):.2g}")
    off = f"within a factor of {in_words(middle)} of" if log else f"within {in_words(middle)} of"
    return f"half of the guesses are {off} {in_words(centre)}"


def _stacked(places: Sequence[float]) -> list[int]:
    """A height for each dot, so that those that are near one another stand above one another."""
    low = min(places, default=0)
    width = (max(places, default=0) - low) / BINS or 1
    heights: Counter[int] = Counter()
    stacked = []
    for place in places:
        column = int((place - low) / width)
        heights[column] += 1
        stacked.append(heights[column])
    return stacked


# ------------------------------------------------------------------------------------------------- choices, orders


def _choices(question: Guess, given: list[Any]) -> Plot:
    counts = Counter(given)
    most = counts.most_common(1)[0][0]
    finding = f"most guessed {in_words(most)}"
    if question.truth is not None:
        finding = f"{counts[question.truth]} of {len(given)} guessed {in_words(question.truth)}, which is right"
    figure, axes = new_figure(_plain(f"{question.name}: {finding}"), 1.3 + 0.4 * len(question.options), "guesses")
    for place, option in enumerate(question.options):
        right = option == question.truth
        colour, hatch = (INK["X"], "///") if right else (INK["-"], "")
        bar = axes.barh(place, counts[option], facecolor=colour, hatch=hatch, **HATCHED)
        axes.bar_label(bar, [str(counts[option])], padding=3)
    labels = [f"{'✓ ' if option == question.truth else ''}{_short(option)}" for option in question.options]
    axes.set_yticks(range(len(labels)), labels)
    axes.invert_yaxis()
    axes.margins(x=0.08)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
    figure.say(listed(question.options, (counts[option] for option in question.options)))
    return figure


def _orders(question: Guess, given: list[Any]) -> Plot:
    places = {item: mean(order.index(item) + 1 for order in given) for item in question.options}
    items = sorted(places, key=places.__getitem__)
    finding = f"on average, {items[0]} is first and {items[-1]} last"
    truth: Any = question.truth
    if truth is not None:
        right, pairs = zip(*(pairs_in_order(order, truth) for order in given), strict=True)
        finding = f"{mean(right):.1f} of the {pairs[0]} pairs are in the right order on average"
        items = list(truth)
    across = f"place, from first to last ({counted(len(given), 'guess', 'guesses')})"
    figure, axes = new_figure(_plain(f"{question.name}: {finding}"), 1.6 + 0.35 * len(items), across)
    axes.plot([places[item] for item in items], range(len(items)), color=INK["O"], label="mean guess", **DOT)
    if truth is not None:
        style = DOT | {"marker": "D", "markersize": 5}
        axes.plot(range(1, len(items) + 1), range(len(items)), color=INK["X"], label="result", zorder=1, **style)
    axes.set_yticks(range(len(items)), [_short(item) for item in items])
    axes.set(xlim=(0.5, len(items) + 0.5), xticks=range(1, len(items) + 1))
    axes.invert_yaxis()
    figure.say(f"Mean places: {listed(items, (places[item] for item in items))}")
    return with_legend(figure)


def _short(text: str) -> str:
    return _plain(text if len(text) <= SHORTENED else f"{text[: SHORTENED - 1]}…")


def _plain(text: str) -> str:
    """The text as matplotlib shows it letter by letter; between two $ it would read a formula."""
    return text.replace("$", r"\$")
