"""The pruning explorer: the game tree of a position, and alpha-beta walking through it step by step."""

from __future__ import annotations

from dataclasses import fields, replace
from operator import index
from pathlib import Path
from typing import Any

import anywidget
import traitlets

from ttt.board import Board
from ttt.heuristics import Heuristic
from ttt.players import explained
from ttt.search import BadSearch, Search
from ttt.svg import Picture
from ttt.widgets.still import Canvas, Still
from ttt.widgets.tale import Frame, Setting, Tale
from ttt.widgets.tree import POSITIONS, as_data, drawn, silhouette

_HERE = Path(__file__).parent


class Explorer(Still, anywidget.AnyWidget):
    """See alpha-beta think: the game tree of a position, step by step, with the reason for every cut.

    Args:
        board: the position, on a flat board; one that is worth a look unless given.
        depth: how many plies to look ahead; to the end of the game unless given.
        heuristic: judges unfinished boards at that depth, which count 0 without.
        pieces: order, killer, table, symmetry and pvs, as for `alphabeta`.

    All values, alpha and beta are seen from the side to move at the root, MAX. `step` tells and sets which step is
    shown, from 0 on; `frames` are all of them; `search` and `minimax` are what the two searches found.

    Raises `BadSearch`, and `TreeTooLarge` for more than 400 nodes.

    >>> Explorer(Board.from_text("O-- OXX X--"))
    Alpha-beta visits 29 of 49 nodes: O gets 0 with cell 2.
    """

    _esm = _HERE / "explorer.js"
    _css = _HERE / "explorer.css"

    story = traitlets.Dict().tag(sync=True)
    step = traitlets.Int(0).tag(sync=True)
    note = traitlets.Dict().tag(sync=True)
    _tale: Tale

    def __init__(
        self, board: Board | None = None, depth: int | None = None, heuristic: Heuristic | None = None, **pieces: Any
    ) -> None:
        super().__init__()
        self._said = 0
        start = board or Board.from_text(next(iter(POSITIONS.values()))[0])
        self._tell(Tale(_setting(Setting(start, depth, heuristic), pieces)))
        self._say("")
        self.on_msg(self._on_message)

    @property
    def board(self) -> Board:
        """The position at the root."""
        return self._tale.setting.board

    @property
    def search(self) -> Search:
        """What alpha-beta found, and what it cost."""
        return self._tale.search

    @property
    def minimax(self) -> Search:
        """What minimax finds in the same tree, and what it costs."""
        return self._tale.minimax

    @property
    def frames(self) -> tuple[Frame, ...]:
        """All steps as they are shown."""
        return tuple(self._tale.frames)

    def change(self, **changes: Any) -> None:
        """Look at another board, depth or heuristic, or with other pieces; what is not named stays.

        Raises `BadSearch` and `TreeTooLarge`; then nothing changes.

        >>> explorer = Explorer()
        >>> explorer.change(order="best-gain")
        >>> explorer
        Alpha-beta visits 17 of 49 nodes: O gets 0 with cell 2.
        """
        before, tale = self._tale, Tale(_setting(self._tale.setting, changes))
        self._tell(tale)
        same_tree = replace(before.setting, **tale.setting.pieces) == tale.setting
        changed = same_tree and before.search.nodes != tale.search.nodes
        self._say(tale.sentence() + (f" Before, it was {before.search.nodes}." if changed else ""))

    def picture(self, step: int | None = None) -> Picture:
        """The whole tree as a drawing, at the end of the search or at a step of it.

        Raises `BadSearch` for a step that there is not.
        """
        last = len(self._tale.frames) - 1
        number = last if step is None else index(step)
        if not 0 <= number <= last:
            raise BadSearch(f"The steps are 0 to {last}, not {step}.")
        return drawn(self._tale, number)

    def still(self) -> Canvas:
        """The tree as it is at the end of the search, for a notebook that is read without a kernel."""
        return silhouette(self._tale)

    def _tell(self, tale: Tale) -> None:
        """Show a tale from its start, or from its end where the last one was seen to the end."""
        at_end = bool(self.story) and self.step >= len(self._tale.frames) - 1
        self._tale = tale
        with self.hold_sync():
            self.story = as_data(tale)
            self.step = len(tale.frames) - 1 if at_end else 0

    def _say(self, text: str, tone: str = "") -> None:
        self._said += 1
        self.note = {"text": text, "tone": tone, "count": self._said}

    def _on_message(self, _widget: object, content: dict[str, Any], _buffers: object) -> None:
        changes = content.get("change")
        if not changes:
            return
        try:
            if "board" in changes:
                changes = changes | {"board": Board.from_text(changes["board"], self.board.shape, self.board.k)}
            if "position" in changes:
                text, depth = POSITIONS[changes.pop("position")]
                changes |= {"board": Board.from_text(text), "depth": depth}
            self.change(**changes)
        except Exception as error:  # nobody else would hear of it
            self._say(str(error) if isinstance(error, ValueError) else explained(error, "The explorer"), "error")

    @traitlets.validate("step")
    def _within(self, proposal: Any) -> int:
        last = len(self._tale.frames) - 1 if self.story else 0
        return min(max(int(proposal["value"]), 0), last)

    def __repr__(self) -> str:
        return self._tale.sentence()


def _setting(setting: Setting, changes: dict[str, Any]) -> Setting:
    if changes.pop("deepening", False):
        raise BadSearch("The explorer draws one search to one depth: leave deepening out.")
    names = [field.name for field in fields(Setting)]
    if unknown := [name for name in changes if name not in names]:
        raise BadSearch(f"The explorer knows no {' and no '.join(unknown)}; it takes {', '.join(names)}.")
    return replace(setting, **changes)
