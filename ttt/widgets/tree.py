"""The explorer's tree at each step, for the page and for pictures, and as data. `ttt.trees` draws it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from ttt.board import Board, opponent
from ttt.search import ORDERS
from ttt.svg import Picture, signed, spoken, spoken_rows
from ttt.trees import SIDE, GameNode, Look, Tree, small_board
from ttt.widgets.narrator import Frame, looks_after
from ttt.widgets.trace import Trace

POSITIONS: dict[str, tuple[str, int | None]] = {
    "X has to block": ("-XO -O- --X", 2),
    "O has to block": ("O-- OXX X--", None),
    "Much to cut off": ("X-- O-O --X", None),
    "Order is everything": ("--X --X OO-", None),
    "X wins in two ways": ("-X- -XO --O", None),
    "The empty board": ("--- --- ---", 2),
}


class ExplorerTree(Tree):
    """The tree of a trace as it is drawn: with all nodes, or folded, without most of what the search left out."""

    def __init__(self, trace: Trace, frames: Sequence[Frame], folded: bool = False) -> None:
        super().__init__(trace.nodes, kept(trace, frames) if folded else [True] * len(trace.nodes))
        self.trace = trace
        self.frames = frames

    def drawing(self, step: int, boards: bool = True) -> str:
        """The tree at a step, as SVG elements. The page changes `data-state`, classes and labels from step to step.

        Args:
            boards: whether to draw the boards; the page puts them in itself, since both of its drawings need them.
        """
        frame, changes = self.frames[step], looks_after(self.frames[: step + 1], len(self.trace.nodes))
        path = [frame.tip]
        while path[-1]:
            path.append(self.trace.nodes[path[-1]].parent)
        looks = [Look(change.state, change.label) for change in changes]
        return self.drawn(looks, {frame.node}, path, frame.came, boards)


def picture(trace: Trace, frames: Sequence[Frame], step: int) -> Picture:
    """The tree at a step, as a drawing that needs no kernel."""
    tree, said = ExplorerTree(trace, frames), frames[step].text
    title = f"The game tree of {trace.setting.board.turn} to move, with what alpha-beta cuts off"
    words = f"{trace.sentence()}\nStep {step} of {len(frames) - 1}: {said}\n{trace.setting.board}"
    return tree.picture(tree.drawing(step), said, title, words)


def as_data(trace: Trace, frames: Sequence[Frame]) -> dict[str, Any]:
    """Everything that the page needs to show a search and to walk through it."""
    setting, board = trace.setting, trace.setting.board
    trees = (ExplorerTree(trace, frames), ExplorerTree(trace, frames, folded=True))
    return {
        "max": trace.search.player,
        "min": opponent(trace.search.player),
        "minimax": trace.minimax.nodes,
        "nodes": [_node_data(node) for node in trace.nodes],
        "frames": [_frame_data(frame) for frame in frames],
        "levels": trees[0].levels(),
        "trees": [
            {"drawing": tree.drawing(0, boards=False), "width": tree.width, "height": tree.height} for tree in trees
        ],
        "side": SIDE,
        "marks": "".join(board),
        "columns": board.layout[2],
        "position_in_words": spoken_rows(board),
        "cells": [spoken(board, cell) for cell in range(len(board))],
        "options": {name: value for name, value in vars(setting).items() if name not in ("board", "heuristic")},
        "orders": {order: setting.alphabeta(order=order).nodes for order in ORDERS},
        "positions": list(POSITIONS) if board.shape == (3, 3) and board.k == 3 else [],
        "position": next((name for name, (text, _) in POSITIONS.items() if Board.from_text(text) == board), ""),
    }


def _node_data(node: GameNode) -> dict[str, Any]:
    name = f"{opponent(node.board.turn)} at cell {node.move}" if node.ply else "root"
    level = f", {'MIN' if node.ply % 2 else 'MAX'}, {node.board.turn} to move" if node.children else ""
    return {
        "parent": node.parent,
        "ply": node.ply,
        "size": node.size,
        "move": node.move if node.ply else -1,
        "name": name + level,
        "board": small_board(node),
    }


def _frame_data(frame: Frame) -> dict[str, Any]:
    changes = [[c.first, c.count, c.state, c.label] for c in frame.changes]
    numbers = {"alpha": signed(frame.alpha), "beta": signed(frame.beta)}
    value = "" if frame.value is None else signed(frame.value)
    return asdict(frame) | numbers | {"value": value, "changes": changes}


def kept(trace: Trace, frames: Sequence[Frame]) -> list[bool]:
    """Which nodes stay when what was left out is folded: those visited, and the first node of each part cut off."""
    looks = looks_after(frames, len(trace.nodes))
    visited = {frame.node for frame in frames}
    stubs = {node.number for node in trace.nodes if node.parent in visited and looks[node.number].state != "known"}
    return [number in visited | stubs for number in range(len(trace.nodes))]
