"""What alpha-beta uses besides the window."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from ttt.search.ordering import ORDERS
from ttt.search.tree import BadSearch


@dataclass(frozen=True)
class Pieces:
    """What alpha-beta uses besides the window.

    Args:
        order: "row-major", "most-lines" or "best-gain".
        killer: whether to try first what cut off another node of the same ply.
        table: whether to remember positions that come up again, by another order of the same moves.
        symmetry: whether to search one of several mirror images only.
        deepening: whether to search one ply deep, then two, and so on, each time the best move of the last one first.
        pvs: whether to ask of every move but the first only if it is better, and for its value only then.
    """

    order: str = "row-major"
    killer: bool = False
    table: bool = False
    symmetry: bool = False
    deepening: bool = False
    pvs: bool = False

    def __post_init__(self) -> None:
        if self.order not in list(ORDERS):  # a list also looks for what can't be a key
            raise BadSearch(f"There is no order {self.order!r}; there is {', '.join(ORDERS)}.")

    def __str__(self) -> str:
        """The search in words: "alpha-beta, most-lines, table"."""
        return _in_words(self)


@cache
def _in_words(pieces: Pieces) -> str:
    """The search in words, put together once for all that use the same."""
    order = [] if pieces.order == "row-major" else [pieces.order]
    switches = ("killer", "table", "symmetry", "deepening", "pvs")
    return ", ".join(["alpha-beta", *order, *(name for name in switches if getattr(pieces, name))])
