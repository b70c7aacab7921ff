"""A chart with a bar for each name, as a small SVG drawing that every browser shows."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

ROW = 34  # from one bar to the next
BAR = 22  # a bar's height
LONGEST = 420  # the longest bar
LETTER = 8.2  # about the width of a letter of 15 px
MARGIN = 24
TOP = 62  # where the first bar's row begins
COLOUR = "#0072B2"  # a blue that colour blindness leaves apart from the ground, and a grey print dark

DRAWING = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" width="{width:.0f}" \
height="{height}" font-family="system-ui, sans-serif" font-size="15" fill="#1f1f1f" role="img">
<title>{title}</title>
<rect width="100%" height="100%" fill="#fff"/>
<text x="{margin}" y="38" font-size="18" font-weight="700">{title}</text>
{rows}
<path d="M{left:.0f} {top}V{bottom}" stroke="#1f1f1f"/>
<text x="{left:.0f}" y="{below}" fill="#595959">{unit}</text>
</svg>
"""


def bars(counts: Sequence[tuple[str, int]], title: str, unit: str) -> str:
    """The drawing: names on the left, bars beside them, and at the end of each bar its number.

    Args:
        counts: each name with its number, 0 or more, in the order from the top.
        title: what the chart shows, in a sentence.
        unit: what the numbers count.
    """
    left = MARGIN + 12 + LETTER * max((len(name) for name, _ in counts), default=0)
    most = max((number for _, number in counts), default=0) or 1
    rows = [_row(TOP + ROW * n, left, name, number, LONGEST * number / most) for n, (name, number) in enumerate(counts)]
    bottom = TOP + ROW * len(counts)
    width = max(left + LONGEST + LETTER * len(str(most)), 1.3 * LETTER * len(title)) + 2 * MARGIN
    return DRAWING.format(
        **{"width": width, "height": bottom + 2 * MARGIN, "margin": MARGIN, "left": left, "top": TOP, "bottom": bottom},
        **{"below": bottom + MARGIN, "title": escape(title), "unit": escape(unit), "rows": "\n".join(rows)},
    )


def _row(top: float, left: float, name: str, number: int, length: float) -> str:
    """One bar, with its name before it and its number behind it."""
    line = f'y="{top + ROW / 2 + 5:.0f}"'
    return (
        f'<text x="{left - 10:.0f}" {line} text-anchor="end">{escape(name)}</text>'
        f'<rect x="{left:.0f}" y="{top + (ROW - BAR) / 2:.0f}" width="{length:.1f}" height="{BAR}" fill="{COLOUR}"/>'
        f'<text x="{left + length + 8:.0f}" {line} font-weight="700">{number}</text>'
    )
