"""The layout of a game tree and the drawing of its nodes. The styles are in `trees.css` next to this file."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Sequence
from html import escape
from pathlib import Path
from textwrap import wrap

from lab.drawing.narration import described, edge_name, level_name
from lab.drawing.own_positions import position_text
from lab.drawing.trees import GameNode, Look
from ttt.board import Board
from ttt.svg import Picture, draw, text

SIDE, PITCH, LEVEL = 50, 58, 112  # board size, min. distance between boards, distance between plies; in pixels
TOP, MARGIN = 16, 12  # space above the root, and at least this much on either side of the tree
STEM = 22  # from a board to where its edges branch, below its label
NOTE = 15  # the height of a line of notes below a board's label
LETTER = 6.5  # the width of a letter above a board
MAX_LETTERS = 36  # of a move's name above a board; longer names are shortened there, but not in sentences
MAX_FACE_LETTERS = 7  # of a position's text that fits in a node
MAX_CAPTION_LETTERS = 46  # of a line below a tree, so that it fits on a narrow screen
LEFT = 76  # the width of the level names
STYLE = f"<style>{' '.join(Path(__file__).with_name('trees.css').read_text('utf-8').split())}</style>"


class Tree:
    """A tree with a place for each node shown, and room for lines of notes below the labels."""

    def __init__(self, nodes: Sequence[GameNode], shown: Sequence[bool] | None = None, notes: int = 0) -> None:
        self.nodes = [node for node in nodes if shown is None or shown[node.number]]
        self.stem, self.level = STEM + notes * NOTE, LEVEL + notes * NOTE
        self.pitch = max(PITCH, *(round(LETTER * len(_above(node))) + 6 for node in self.nodes))
        self.margin = max(MARGIN, (self.pitch - SIDE) / 2)  # room for long names of moves on either side
        self.places = _places(self.nodes)  # horizontal places, in units of boards
        self.width = round(max(self.places.values()) * self.pitch) + SIDE + round(2 * self.margin)
        self.height = max(node.ply for node in self.nodes) * self.level + SIDE + self.stem + TOP + 4

    def drawn(self, looks: Sequence[Look], ringed: Container[int] = ()) -> str:
        """The tree as SVG elements, with some nodes ringed."""
        parts = [self._node(node, looks[node.number], node.number in ringed) for node in self.nodes]
        return f'<g class="ttt-tree">{"".join(parts)}</g>'

    def picture(self, drawing: str, said: str, title: str, words: str) -> Picture:
        """The drawing with level names, and a caption below, if any; `words` is the same in plain text."""
        lines = [line for sentence in said.splitlines() for line in wrap(sentence, MAX_CAPTION_LETTERS)]
        behind = f'<rect width="{LEFT}" height="{self.height}" fill="var(--behind,none)"/>'  # boards may scroll by
        parts = [f'{STYLE}<g transform="translate({LEFT})">{drawing}</g><g class="levels">{behind}{self.levels()}</g>']
        parts += [text(complex(2, self.height + 16 + 20 * n), line, 13, anchor="start") for n, line in enumerate(lines)]
        width = max([self.width + LEFT, *(8 * len(line) for line in lines)])
        return Picture(width, self.height + 10 + 20 * len(lines), "".join(parts), title, words)

    def levels(self) -> str:
        """The names of the levels."""
        parts = []
        for ply in {node.ply for node in self.nodes}:
            name, below = level_name([node for node in self.nodes if node.ply == ply])
            place = complex(2, ply * self.level + TOP + SIDE / 2)
            parts += [text(place, name, 14, 700, "start"), text(place + 16j, below, 12, anchor="start")]
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
        below = [f'<rect class="chip" data-part="chip-{node.number}" y="{SIDE + 3}" height="17" rx="8.5"{behind}/>']
        below.append(f'<text {label} x="{middle:g}" y="{SIDE + 16}">{look.label}</text>')
        if node.children:
            below.append(f'<path class="stem" d="M{middle:g} {SIDE + 1}v{self.stem - 1}"/>')
        for n, line in enumerate(look.note.splitlines()):
            below.append(f'<text class="note" x="{middle:g}" y="{SIDE + 31 + NOTE * n}">{escape(line)}</text>')
        return (
            f'<g data-part="{node.number}"{given} role="treeitem" aria-level="{node.ply + 1}" '
            f'transform="translate({x:g},{y:g})">{self._edge(node) if node.path else ""}'
            f'<rect class="paper" width="{SIDE}" height="{SIDE}" rx="5" fill="none"/>{node_face(node)}'
            f"{''.join(below)}</g>"
        )

    def _edge(self, node: GameNode) -> str:
        """The line from the parent's label to the move above the board, and the strokes of a cut."""
        dx, dy = (self.places[node.parent] - self.places[node.number]) * self.pitch, SIDE + STEM - LEVEL
        middle, end, bend = SIDE / 2, -18, (dy - 18) / 2
        curve = f"M{middle + dx:g} {dy}C{middle + dx:g} {bend:g} {middle:g} {bend:g} {middle:g} {end}"
        return (
            f'<path class="branch" d="{curve}"/>'
            f'<path class="slashes" d="M{middle + 0.5 * dx - 7:g} {bend + 5:g}l8-10m-2 10l8-10"/>'
            f'<text class="move" x="{middle:g}" y="-7">{escape(_above(node))}</text>'
        )


def node_attributes(node: GameNode, look: Look, ringed: bool) -> dict[str, str]:
    """What changes about a node's drawing during a search, except for its label."""
    kind = "node ringed" if ringed else "node"
    return {"class": kind, "data-state": look.state, "aria-label": described(node, look)}


def chip(label: str) -> dict[str, str]:
    """The shape behind a node's label: as wide as the label, in the colour of the side the value favours, if any.

    A bound, such as ≥ −1, favours nobody.
    """
    width, side = 7.4 * len(label) + 10 if label.strip() else 0, {"+": "X", "−": "O"}.get(label[:1], "")
    return {"x": f"{SIDE / 2 - width / 2:g}", "width": f"{width:g}", "data-for": side}


def _above(node: GameNode) -> str:
    """The name of the move above a board."""
    name = edge_name(node)
    return name if len(name) <= MAX_LETTERS else f"{name[: MAX_LETTERS - 1]}…"


def node_face(node: GameNode) -> str:
    """A node's picture: a small board, or another game's position as its text, if that is short, or a mark."""
    if not isinstance(node.board, Board):
        said, mark = position_text(node.board), "▲" if node.is_max else "▼"
        shown = said if len(said) <= MAX_FACE_LETTERS and said.isprintable() else mark if node.children else "●"
        return f'<g class="small">{text(complex(SIDE / 2, SIDE / 2 + 5), shown, 12)}</g>'
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
