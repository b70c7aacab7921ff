"""Mistakes as edits of a right function's text: what is replaced, everywhere, and by what."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import inf
from pathlib import Path
from typing import Any

from exercises.grading.key import Slip, slip

Ways = Sequence[Sequence[Any]]  # each what is replaced and by what, by turns; a list there is that many ways


def settings(name: str) -> dict[str, Any]:
    """What `NAME.toml` beside this file says of an exercise."""
    return tomllib.loads(Path(__file__).with_name(f"{name}.toml").read_text(encoding="utf-8"))


def function(name: str, text: str) -> Callable[..., Any]:
    """The function of that name that a text defines."""
    names: dict[str, Any] = {"inf": inf}
    exec(text, names)
    return names[name]  # type: ignore[no-any-return]


def edited(text: str, edits: Sequence[str]) -> str:
    """A text with edits made; "" where one of them doesn't fit."""
    for old, new in zip(edits[::2], edits[1::2], strict=True):
        if old not in text:
            return ""
        text = text.replace(old, new)
    return text


def each_way(ways: Ways) -> Iterator[list[str]]:
    """The ways one by one, each as edits."""
    for old, new, *more in ways:
        for one in [new] if isinstance(new, str) else new:
            yield [old, one, *more]


def slips(name: str, forms: Sequence[str], told: Mapping[str, tuple[str, Ways]]) -> tuple[Slip, ...]:
    """The mistakes by name, each with its sentence and in all the forms of the function that it fits."""
    made = []
    for mistake, (sentence, ways) in told.items():
        texts = dict.fromkeys(edited(form, way) for way in each_way(ways) for form in forms)
        made.append(slip(mistake, sentence, *(function(name, text) for text in texts if text)))
    return tuple(made)
