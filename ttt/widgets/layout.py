"""Where the nodes of a tree are drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import zip_longest
from math import inf

Outline = list[tuple[float, float]]  # for each ply from a node down, how far its tree reaches to the left and right


def tidy(children: Sequence[Sequence[int]]) -> list[float]:
    """How far to the right each node is drawn: neighbours 1 apart or more, parents over the middle of their children.

    Subtrees are moved together until they touch. Source: Reingold and Tilford 1981.

    Args:
        children: for each node the numbers of its children, which are higher than its own.

    >>> tidy([[1, 2], [], []])
    [0.5, 0.0, 1.0]
    """
    offsets = [0.0] * len(children)  # from the parent
    outlines: dict[int, Outline] = {}
    for number in reversed(range(len(children))):
        outlines[number] = [(0, 0), *_side_by_side(children[number], outlines, offsets)]
    places = [-min(left for left, _ in outlines[0])] * len(children)
    for number, below in enumerate(children):
        for child in below:
            places[child] = places[number] + offsets[child]
    return places


def _side_by_side(children: Sequence[int], outlines: Mapping[int, Outline], offsets: list[float]) -> Outline:
    """Move subtrees together under their parent; returns the outline of them all, seen from the parent."""
    outline: Outline = []
    for child in children:
        gaps = enumerate(zip(outline, outlines[child], strict=False))
        offset = max((right - left + (1.25 if ply else 1) for ply, ((_, right), (left, _)) in gaps), default=0)
        offsets[child] = offset
        outline = _merged(outline, _moved(outlines[child], offset))
    middle = sum(offsets[child] for child in (*children[:1], *children[-1:])) / 2
    for child in children:
        offsets[child] -= middle
    return _moved(outline, -middle)


def _moved(outline: Outline, offset: float) -> Outline:
    return [(left + offset, right + offset) for left, right in outline]


def _merged(one: Outline, other: Outline) -> Outline:
    pairs = zip_longest(one, other, fillvalue=(inf, -inf))
    return [(min(left, other_left), max(right, other_right)) for (left, right), (other_left, other_right) in pairs]
