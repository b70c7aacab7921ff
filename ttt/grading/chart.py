"""A bar chart as a small SVG drawing."""

from __future__ import annotations

from collections.abc import Sequence

from ttt.grading.pages import render
from ttt.svg import INK

ROW = 34  # from one bar to the next
TOP = 62  # where the first row begins
LONGEST = 420  # the longest bar
LETTER = 8.2  # about the width of a letter of 15 px
MARGIN = 24


def bars(counts: Sequence[tuple[str, int]], title: str, unit: str) -> str:
    """Draw a bar for each name, with the name on its left and its number on its right.

    Args:
        counts: each name with its number, 0 or more, in the order from the top.
        title: what the chart shows, in a sentence.
        unit: what the numbers count.
    """
    left = round(MARGIN + 12 + LETTER * max((len(name) for name, _ in counts), default=0))
    most = max((number for _, number in counts), default=0) or 1
    width = round(max(left + LONGEST + LETTER * len(str(most)), 1.3 * LETTER * len(title)) + 2 * MARGIN)
    drawn = [
        {"name": name, "number": number, "length": LONGEST * number / most, "y": TOP + ROW * n + 6}
        for n, (name, number) in enumerate(counts)
    ]
    bottom = TOP + ROW * len(counts)
    return render(
        "chart.svg", bars=drawn, title=title, unit=unit, left=left, width=width, bottom=bottom, colour=INK["X"]
    )
