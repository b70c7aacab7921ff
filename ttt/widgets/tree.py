"""The explorer's tree, drawn once for the page and for pictures, and as data. Its boards are those of `ttt.svg`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from ttt.board import Board, opponent
from ttt.search import ORDERS
from ttt.svg import INK, TEXT, Picture, draw, signed, spoken, text
from ttt.widgets.narrator import Change, Frame, looks_after
from ttt.widgets.snapshot import read
from ttt.widgets.trace import Node, Trace

SIDE, PITCH, LEVEL = 50, 57, 106  # a board, from board to board, and from ply to ply; in pixels
TOP, MARGIN = 16, 24  # above the root, and beside the tree
STEM = 22  # from a board to where its edges part, below its label
LEFT = 96  # the width of the level names in a picture
COLOURS = {"x": INK["X"], "o": INK["O"], "ink": TEXT, "quiet": TEXT, "page": "#fff", "focus": "#1976d2"}  # of a picture
POSITIONS: dict[str, tuple[str, int | None]] = {
    "O has to block": ("O-- OXX X--", None),
    "Much to cut off": ("X-- O-O --X", None),
    "Order is everything": ("--X --X OO-", None),
    "X wins in two ways": ("-X- -XO --O", None),
    "The empty board": ("--- --- ---", 2),
}


class Tree:
    """The tree as it is drawn: with all nodes, or folded, without most of what the search left out.

    Args:
        places: how far to the right each node is drawn, in boards.
        shown: whether each node is drawn.
    """

    def __init__(self, trace: Trace, frames: Sequence[Frame], folded: bool = False) -> None:
        self.trace = trace
        self.frames = frames
        self.shown = kept(trace, frames) if folded else [True] * len(trace.nodes)
        self.places = tidy([[child for child in node.children if self.shown[child]] for node in trace.nodes])
        self.width = round(max(self.places) * PITCH) + SIDE + 2 * MARGIN
        plies = max(node.ply for node in trace.nodes if self.shown[node.number])
        self.height = plies * LEVEL + SIDE + TOP + 40

    def drawing(self, step: int, boards: bool = True) -> str:
        """The tree at a step, as SVG elements. The page changes `data-state`, classes and labels from step to step.

        Args:
            boards: whether to draw the boards; the page puts them in itself, since both of its drawings need them.
        """
        frame, looks = self.frames[step], looks_after(self.frames[: step + 1], len(self.trace.nodes))
        path = [frame.tip]
        while path[-1]:
            path.append(self.trace.nodes[path[-1]].parent)
        nodes = [node for node in self.trace.nodes if self.shown[node.number]]
        edges = [self._edge(node, looks[node.number], node.number in path, frame) for node in nodes[1:]]
        places = [self._node(node, looks[node.number], frame, _board(node) if boards else "") for node in nodes]
        hidden = f'aria-hidden="true" fill="none" stroke="{INK["-"]}" stroke-linecap="round"'
        return f'<g {hidden}>{"".join(edges)}</g><g role="none">{"".join(places)}</g>'

    def _edge(self, node: Node, look: Change, on_path: bool, frame: Frame) -> str:
        """The line from the parent's label, with the cell that is played, and the strokes of a cut."""
        (from_x, from_y), (x, y) = self._place(self.trace.nodes[node.parent]), self._place(node)
        from_x, from_y, x, y = from_x + SIDE / 2, from_y + SIDE + STEM, x + SIDE / 2, y - 6
        middle = f"{(from_y + y) / 2:g}"
        cut_x, cut_y = from_x + 0.28 * (x - from_x), from_y + 0.38 * (y - from_y)
        side, anchor = (-6, "end") if x < from_x - 1 else (6, "start")
        classes = {"on-path": on_path, "came": node.number == frame.came, "sliced": look.state == "cut" and look.label}
        return (
            f"{_group('edge', node, look, classes)}>"
            f'<path class="tte-branch" d="M{from_x:g} {from_y:g}C{from_x:g} {middle} {x:g} {middle} {x:g} {y:g}"/>'
            f'<path class="tte-slashes" d="M{cut_x - 7:g} {cut_y + 5:g}l8-10m-2 10l8-10" visibility="hidden"/>'
            f'<text class="tte-move" x="{x + side:g}" y="{y - 3:g}" text-anchor="{anchor}">{node.move}</text></g>'
        )

    def _node(self, node: Node, look: Change, frame: Frame, board: str) -> str:
        """A node's board, and its value or bounds below, or a stem."""
        x, y = self._place(node)
        stem = f'<path class="tte-stem" d="M{SIDE / 2:g} {SIDE + 1}v{STEM - 1}"/>' if node.children else ""
        return (
            f"{_group('node', node, look, {'current': node.number == frame.node})} "
            f'transform="translate({x:g},{y:g})" role="treeitem" tabindex="-1" aria-level="{node.ply + 1}">'
            f'<rect class="tte-ring" x="-5" y="-5" width="{SIDE + 10}" height="{SIDE + 10}" rx="8" fill="none"/>'
            f'<rect class="tte-paper" width="{SIDE}" height="{SIDE}" rx="5" fill="none"/>'
            f'<g class="tte-board">{board}</g>'
            f'<text class="tte-label" x="{SIDE / 2:g}" y="{SIDE + 16}" text-anchor="middle">{look.label}</text>'
            f"{stem}</g>"
        )

    def _place(self, node: Node) -> tuple[float, float]:
        """The upper left corner of a node's board."""
        return round(MARGIN + self.places[node.number] * PITCH, 1), node.ply * LEVEL + TOP


def _board(node: Node) -> str:
    """A board, made small, with a coloured background behind the last move."""
    board = draw(node.board, fills={node.move: INK[opponent(node.board.turn)]} if node.ply else None)
    return f'<g transform="scale({SIDE / max(board.width, board.height):.4g})">{board.body}</g>'


def _group(kind: str, node: Node, look: Change, classes: dict[str, Any]) -> str:
    """The start of a group: the node's number, its state, the colour of the mark that was played, and its classes."""
    names = " ".join(f"tte-{name}" for name, applies in {kind: True, **classes}.items() if applies)
    colour = f"--mark:var(--{opponent(node.board.turn).lower()})"
    return f'<g class="{names}" data-node="{node.number}" data-state="{look.state}" style="{colour}"'


def picture(trace: Trace, frames: Sequence[Frame], step: int) -> Picture:
    """The tree at a step, as a drawing that needs no kernel."""
    tree, said = Tree(trace, frames), frames[step].text
    colours = "".join(f"--{name}:{colour};" for name, colour in COLOURS.items())
    names = [
        text(8, middle, name, 14, 700, "start") + text(8, middle + 16, side, 12, anchor="start")
        for name, side, middle in _levels(trace.nodes)
    ]
    parts = [
        f"<style>{' '.join(read('tree.css').split())}</style>",
        *names,
        f'<g style="{colours}" transform="translate({LEFT})">{tree.drawing(step)}</g>',
        text(8, tree.height + 16, said, 14, anchor="start"),
    ]
    title = f"The game tree of {trace.setting.board.turn} to move, with what alpha-beta cuts off"
    words = f"{trace.sentence()}\nStep {step} of {len(frames) - 1}: {said}\n{trace.setting.board}"
    return Picture(max(tree.width + LEFT, 8 * len(said)), tree.height + 30, "".join(parts), title, words)


def as_data(trace: Trace, frames: Sequence[Frame]) -> dict[str, Any]:
    """Everything that the page needs to show a search and to walk through it."""
    setting, board = trace.setting, trace.setting.board
    trees = (Tree(trace, frames), Tree(trace, frames, folded=True))
    return {
        "max": trace.search.player,
        "min": opponent(trace.search.player),
        "minimax": trace.minimax.nodes,
        "nodes": [_node_data(node) for node in trace.nodes],
        "frames": [_frame_data(frame) for frame in frames],
        "levels": _levels(trace.nodes),
        "trees": [
            {"drawing": tree.drawing(0, boards=False), "width": tree.width, "height": tree.height} for tree in trees
        ],
        "side": SIDE,
        "marks": "".join(board),
        "columns": board.layout[2],
        "cells": [spoken(board, cell) for cell in range(len(board))],
        "options": {name: value for name, value in vars(setting).items() if name not in ("board", "heuristic")},
        "orders": {order: setting.alphabeta(order=order).nodes for order in ORDERS},
        "positions": list(POSITIONS) if board.shape == (3, 3) and board.k == 3 else [],
        "position": next((name for name, (text, _) in POSITIONS.items() if Board.from_text(text) == board), ""),
    }


def _node_data(node: Node) -> dict[str, Any]:
    name = f"{opponent(node.board.turn)} at cell {node.move}" if node.ply else "root"
    level = f", {'MIN' if node.ply % 2 else 'MAX'}, {node.board.turn} to move" if node.children else ""
    return {
        "parent": node.parent,
        "ply": node.ply,
        "size": node.size,
        "move": node.move if node.ply else -1,
        "name": name + level,
        "board": _board(node),
    }


def _frame_data(frame: Frame) -> dict[str, Any]:
    changes = [[c.first, c.count, c.state, c.label] for c in frame.changes]
    numbers = {"alpha": signed(frame.alpha), "beta": signed(frame.beta)}
    value = "" if frame.value is None else signed(frame.value)
    return asdict(frame) | numbers | {"value": value, "changes": changes}


def _levels(nodes: Sequence[Node]) -> list[tuple[str, str, float]]:
    """For each ply MAX or MIN, who moves, and its height; the last ply has leaves only, as deep as the search looks."""
    turns = {node.ply: node.board.turn for node in nodes}
    inner = {node.ply for node in nodes if node.children}
    last = "the end" if all(node.children or node.board.over for node in nodes) else "depth limit"
    levels = []
    for ply in sorted(turns):
        name, side = ("MIN" if ply % 2 else "MAX", f"{turns[ply]} to move") if ply in inner else ("", last)
        levels.append((name, side, ply * LEVEL + TOP + SIDE / 2))
    return levels


def kept(trace: Trace, frames: Sequence[Frame]) -> list[bool]:
    """Which nodes stay when what was left out is folded: those visited, and the first node of each part cut off."""
    looks = looks_after(frames, len(trace.nodes))
    visited = {frame.node for frame in frames}
    stubs = {node.number for node in trace.nodes if node.parent in visited and looks[node.number].state != "known"}
    return [number in visited | stubs for number in range(len(trace.nodes))]


def tidy(children: Sequence[Sequence[int]]) -> list[float]:
    """How far to the right each node is drawn: neighbours 1 apart or more, parents over the middle of their children.

    Each node is put as far to the left as its neighbour allows, and its subtree moved with it.

    Source: Wetherell and Shannon 1979.

    Args:
        children: for each node the numbers of its children.

    >>> tidy([[1, 2], [], []])
    [0.5, 0.0, 1.0]
    """
    places = [0.0] * len(children)
    free: defaultdict[int, float] = defaultdict(float)  # for each ply, the first free place

    def put(node: int, ply: int) -> None:
        below = children[node]
        for child in below:
            put(child, ply + 1)
        places[node] = (places[below[0]] + places[below[-1]]) / 2 if below else free[ply]
        move(node, ply, max(0, free[ply] - places[node]))

    def move(node: int, ply: int, distance: float) -> None:
        places[node] += distance
        free[ply] = max(free[ply], places[node] + 1)
        for child in children[node] if distance else []:
            move(child, ply + 1, distance)

    put(0, 0)
    return places
