"""What alpha-beta uses besides its window: each option can be switched on by itself."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cache

from ttt.search.ordering import ORDERS
from ttt.search.result import BadSearch


@dataclass(frozen=True)
class Options:
    """What alpha-beta uses besides its window.

    Args:
        order: "row-major", "most-lines" or "best-gain".
        killer: whether to try moves first that cut off other nodes of the same ply.
        table: whether to remember positions, which come up again when the same moves are played in another order.
        symmetry: whether to search only one of several symmetric positions.
        deepening: whether to search one ply deep, then two, and so on, starting each time with the last best move.
        pvs: whether to ask first only whether a move is better than the best so far, and search for its value if it is
            (principal variation search); the first move is searched at once.
    """

    order: str = "row-major"
    killer: bool = False
    table: bool = False
    symmetry: bool = False
    deepening: bool = False
    pvs: bool = False

    def __post_init__(self) -> None:
        if self.order not in list(ORDERS):  # a list can also be asked for what isn't hashable
            raise BadSearch(f"There is no order {self.order!r}; there is {', '.join(ORDERS)}.")

    def __str__(self) -> str:
        """The search in words: "alpha-beta, most-lines, table"."""
        return _in_words(self)


@cache
def _in_words(options: Options) -> str:
    order = [] if options.order == "row-major" else [options.order]
    switched_on = [field.name for field in fields(options) if getattr(options, field.name) is True]
    return ", ".join(["alpha-beta", *order, *switched_on])
