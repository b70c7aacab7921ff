"""What the lessons are furnished with: boards to play on, checks of what you write, guesses and plots.

The engine, with boards, players and searches, is in `ttt`.
"""

import sys
from importlib import import_module
from typing import Any

import ttt

_MODULES = {
    "boards": ("CubeGame", "Explorer", "GameBoard", "fill_in", "guess", "recap", "reveal"),
    "checks.notebook": ("check", "expect", "hand_in", "hint", "ladder"),
    "checks.own_game": ("check_game",),
    "checks.yours": ("yours",),
    "": ("plots",),
}
_PLACES = {name: module for module, names in _MODULES.items() for name in names}
__all__ = sorted(_PLACES)


def __getattr__(name: str) -> Any:
    """Load a name on first use, so that the first cell of a lesson is quick."""
    if name in ttt.__all__:
        raise ImportError(f"{name} is in ttt: from ttt import {name}")
    if name not in _PLACES:
        raise AttributeError(f"module 'lab' has no attribute {name!r}")
    module = import_module(f"lab.{_PLACES[name] or name}")
    globals()[name] = getattr(module, name) if _PLACES[name] else module
    return globals()[name]


def __dir__() -> list[str]:
    return __all__


if "IPython" in sys.modules:
    from IPython import get_ipython

    from lab import errors
    from lab.drawing.cards import proved

    errors.install()
    if shell := get_ipython():
        pages = shell.display_formatter.formatters["text/html"]
        pages.for_type_by_name("ttt.qubic.verifier", "Verification", proved)
