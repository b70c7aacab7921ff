"""The layout of a game tree and the drawing of its nodes. The styles are in `trees.css` next to this file."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Container, Sequence
from dataclasses import dataclass, field
from html import escape
from math import ceil
from pathlib import Path

from lab.drawing.narration import described, edge_name, level_name
from lab.drawing.own_positions import named_parts, position_text
from lab.drawing.trees import GameNode, Look
from ttt.board import Board
from ttt.svg import Picture, draw, text

SIDE, LEVEL = 48, 116  # board size, distance between plies; in pixels
TOP, MARGIN = 12, 12  # space above the root, and at least this much on either side of the tree
CHIP, BUS = 4, 32  # from a board down to its label, and to where its branches begin
DROP = 22  # from the end of a branch, above a move's name, to the board below
NEAR = 88  # from an end of a tree to the root that is seen there
NOTE = 16  # the height of a line of notes below a board's label
LETTER = 6.4  # the width of a letter above a board
MAX_LETTERS = 36  # of a move's name above a board; longer names are shortened there, but not in sentences
MAX_FACE_LETTERS, MAX_FACE_LINES = 7, 3  # of a position that fits in a node
LEFT = 56  # the width of the level names, as in trees.css
CSS = re.sub(r"/\*.*?\*/", "", Path(__file__).with_name("trees.css").read_text("utf-8"), flags=re.DOTALL)
STYLE = f"<style>{' '.join(CSS.split())}</style>"


@dataclass(frozen=True, repr=False)
class TreePicture(Picture):
    """A tree with a caption. On a page, only the tree scrolls where it is wider."""

    tree: Picture = field(kw_only=True)
    said: str = field(kw_only=True)

    def _repr_html_(self) -> str:
        return (
            f'<div class="ttt" style="padding:0"><div class="scroll">{self.tree}</div><p>{escape(self.said)}</p></div>'
        )


class Tree:
    """A tree with a place for each node shown, and room for lines of notes below the labels."""

    def __init__(self, nodes: Sequence[GameNode], shown: Sequence[bool] | None = None, notes: int = 0) -> None:
        self.nodes = {node.number: node for node in nodes if shown is None or shown[node.number]}
        self.bus, self.level = SIDE + BUS + notes * NOTE, LEVEL + notes * NOTE
        above = max(len(_above(node)) for node in self.nodes.values())
        self.pitch = 4 * ceil(max(SIDE + (24 if notes else 16), LETTER * above + 6) / 4)
        self.margin = max(MARGIN, (self.pitch - SIDE) / 2)  # room for long names of moves on either side
        self.places = _places([*self.nodes.values()])  # horizontal places, in units of boards
        self.width = round(max(self.places.values()) * self.pitch) + SIDE + round(2 * self.margin)
        self.height = max(node.ply for node in self.nodes.values()) * self.level + self.bus + TOP
        self.root = next(iter(self.nodes.values()))
        self.at, self.first, self.last = self._above_branches()
        self.start, self.end = min(self.first, NEAR), max(self.last, self.width - SIDE - NEAR)  # of its way
        self.ride = f"--start:{self.start - self.at:g};--end:{self.end - self.at:g}"

    def drawn(self, looks: Sequence[Look], ringed: Container[int] = (), end: GameNode | None = None) -> str:
        """The tree as SVG elements, with some nodes ringed, and a trail of branches from the root to a node."""
        parts = [self._node(node, looks[node.number], node.number in ringed) for node in self.nodes.values()]
        for name, given in self.trail(end or self.root).items():
            about = "".join(f' {key}="{value}"' for key, value in given.items())
            parts.append(f'<path class="trail {name}" data-part="{name}"{about}/>')
        return f'<g class="ttt-tree" style="{self.ride}">{"".join(parts)}</g>'

    def picture(self, drawing: str, said: str, title: str, words: str) -> TreePicture:
        """The drawing with level names, and a caption below, if any; `words` is the same in plain text."""
        behind = f'<rect width="{LEFT}" height="{self.height}" fill="var(--behind,none)"/>'  # boards may scroll by
        body = f'{STYLE}<g transform="translate({LEFT})">{drawing}</g><g class="levels">{behind}{self.levels()}</g>'
        tree = Picture(self.width + LEFT, self.height, body, title, words)
        lines = re.split(r"(?<=\.) ", said) if said else []
        for n, line in enumerate(lines):
            body += text(complex(0, self.height + 16 + 20 * n), line, 13, anchor="start")
        width = max([tree.width, *(8 * len(line) for line in lines)])
        below = 10 + 20 * len(lines) if lines else 0
        return TreePicture(width, tree.height + below, body, title, words, tree=tree, said=said)

    def trail(self, node: GameNode) -> dict[str, dict[str, str]]:
        """The branches from the root down to a node. The first is as long as the root is far from it, in hundreds."""
        way, first = "", {"d": "", "style": ""}
        while node.path:
            (x, y), parent = self.place(node), self.nodes[node.parent]
            begin, middle, up = self.bus - self.level + y, x + SIDE / 2, self.place(parent)[0] + SIDE / 2
            way += f"M{up:g} {begin - 10:g}V{begin:g}H" if parent.path else f"M{middle:g} {begin:g}H"
            way += f"{middle:g}V{y - DROP:g}"
            if not parent.path:
                lengths = zip(("home", "near", "far"), (self.at, self.start, self.end), strict=True)
                style = [f"--{name}:{(root - x) / 100:g}" for name, root in lengths]
                first = {"d": f"M{middle:g} {begin:g}h100", "style": f"transform-origin:{middle:g}px;{';'.join(style)}"}
            node = parent
        return {"way": {"d": way}, "first": first}

    def levels(self) -> str:
        """The names of the levels."""
        parts = []
        for ply in {node.ply for node in self.nodes.values()}:
            lines = level_name([node for node in self.nodes.values() if node.ply == ply])
            y = ply * self.level + TOP + SIDE / 2 + 12 - 8 * len(lines)  # in the middle of the boards
            for n, line in enumerate(lines):
                parts.append(text(complex(0, y + 16 * n), line, 12, 700 if line.isupper() else 400, "start"))
        return "".join(parts)

    def place(self, node: GameNode) -> tuple[float, float]:
        """The top left corner of a node's board."""
        return round(self.margin + self.places[node.number] * self.pitch, 1), node.ply * self.level + TOP

    def _node(self, node: GameNode, look: Look, ringed: bool) -> str:
        """A node's board with its edge, and below it the label and a note or a stem."""
        x, y = self.place(node)
        given = "".join(f' {name}="{escape(value)}"' for name, value in node_attributes(node, look, ringed).items())
        middle, label = SIDE / 2, f'class="label" data-part="label-{node.number}"'
        behind = "".join(f' {name}="{value}"' for name, value in chip(look.label).items())
        below = [f'<rect class="chip" data-part="chip-{node.number}" y="{SIDE + CHIP}" height="18" rx="9"{behind}/>']
        below.append(f'<text {label} x="{middle:g}" y="{SIDE + CHIP + 13}">{look.label}</text>')
        if node.children:
            below.append(f'<path class="stem" d="M{middle:g} {self.bus}V{SIDE + 1}"/>')
        first = SIDE + CHIP + (30 if look.label.strip() else 13)
        for n, line in enumerate(look.note.splitlines()):
            below.append(f'<text class="note" x="{middle:g}" y="{first + NOTE * n}">{escape(line)}</text>')
        return (
            f'<g data-part="{node.number}"{given} role="treeitem" aria-level="{node.ply + 1}" '
            f'transform="translate({x:g},{y:g})">{self._edge(node) if node.path else self._reach()}'
            f'<rect class="paper" width="{SIDE}" height="{SIDE}" rx="5" fill="none"/>{node_face(node)}'
            f"{''.join(below)}</g>"
        )

    def _above_branches(self) -> tuple[float, float, float]:
        """Where the root is, and where its first and its last branch are."""
        at, *below = [self.place(node)[0] for node in (self.root, *self.root.children) if node.number in self.places]
        return at, min(below, default=at), max(below, default=at)

    def _reach(self) -> str:
        """What joins the root to its branches where it has moved beyond them."""
        lengths = (self.first - self.start, self.last - self.end)
        return "".join(f'<path class="reach" d="M{SIDE / 2:g} {self.bus}h{length:g}"/>' for length in lengths)

    def _edge(self, node: GameNode) -> str:
        """The line from below the parent to the move above the board, and the strokes of a cut."""
        across, middle = (self.places[node.parent] - self.places[node.number]) * self.pitch, SIDE / 2
        return (
            f'<path class="branch" d="M{middle + across:g} {self.bus - self.level}H{middle:g}V{-DROP}"/>'
            f'<path class="slashes" d="M{middle - 7:g} {-DROP - 2}l8-10m-2 10l8-10"/>'
            f'<text class="move" x="{middle:g}" y="-8">{escape(_above(node))}</text>'
        )


def node_attributes(node: GameNode, look: Look, ringed: bool) -> dict[str, str]:
    """What changes about a node's drawing during a search, except for its label."""
    kind = "node ringed" if ringed else "node"
    return {"class": kind, "data-state": look.state, "aria-label": described(node, look)}


def chip(label: str) -> dict[str, str]:
    """The shape behind a node's label: as wide as the label, in the colour of the side the value favours, if any.

    A bound, such as ≥ −1, favours nobody.
    """
    width, side = 7.6 * len(label) + 12 if label.strip() else 0, {"+": "X", "−": "O"}.get(label[:1], "")
    return {"x": f"{SIDE / 2 - width / 2:g}", "width": f"{width:g}", "data-for": side}


def _above(node: GameNode) -> str:
    """The name of the move above a board."""
    name = edge_name(node)
    return name if len(name) <= MAX_LETTERS else f"{name[: MAX_LETTERS - 1]}…"


def node_face(node: GameNode) -> str:
    """A node's picture: a small board; or another game's position, its parts in lines, if these are few and short."""
    if not isinstance(node.board, Board):
        said, mark = position_text(node.board), "▲" if node.is_max else "▼"
        lines = [part for _, part in named_parts(said)] or [said]
        if len(lines) > MAX_FACE_LINES or any(len(line) > MAX_FACE_LETTERS or not line.isprintable() for line in lines):
            lines = [mark if node.children else "●"]
        top = SIDE / 2 + 12 - 7 * len(lines)  # in the middle
        shown = "".join(text(complex(SIDE / 2, top + 14 * n), line, 12) for n, line in enumerate(lines))
        return f'<g class="small">{shown}</g>'
    board = draw(node.board, last=node.move if node.path else None)
    size = f'width="{SIDE}" height="{SIDE}" viewBox="0 0 {board.width} {board.height}"'
    return f'<svg class="small" {size}>{board.body}</svg>'


def _places(nodes: Sequence[GameNode]) -> dict[int, float]:
    """Place parents over the middle of their children, and neighbours at least 1 apart (Wetherell and Shannon 1979)."""
    places: dict[int, float] = {}
    free: defaultdict[int, float] = defaultdict(float)  # the first free place in each ply
    plies = {node.number: node.ply for node in nodes}
    for node in sorted(nodes, key=lambda node: (node.number + node.size, -node.number)):  # leaves first
        below = [places[child.number] for child in node.children if child.number in places] or [free[node.ply]]
        places[node.number] = (below[0] + below[-1]) / 2
        distance = max(0, free[node.ply] - places[node.number])
        for each in places.keys() & range(node.number, node.number + node.size):
            places[each] += distance
            free[plies[each]] = max(free[plies[each]], places[each] + 1)
    return places
