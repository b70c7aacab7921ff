"""Game trees: their nodes, and drawings of small boards, the moves between them, and what a search knows of each.

The explorer, the tree to fill in and the check under an exercise draw with it. Styles are in `trees.css` beside this
file.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from typing import Any, NamedTuple

from ttt.board import Board, opponent
from ttt.svg import INK, TEXT, Picture, draw, text

SIDE, PITCH, LEVEL = 50, 57, 106  # a board, from board to board, and from ply to ply; in pixels
TOP, MARGIN = 16, 24  # above the root, and beside the tree
STEM = 22  # from a board to where its edges part, below its label
NOTE = 14  # the height of a line of notes below a board's label
LEFT = 96  # the width of the level names in a picture
COLOURS = {"x": INK["X"], "o": INK["O"], "ink": TEXT, "quiet": TEXT, "page": "none", "focus": "#1976d2"}  # of a picture

Moves = tuple[int, ...]


@dataclass
class Node:
    """A node of a tree. Nodes are numbered in the order in which minimax would visit them.

    Args:
        parent: the number of the node above; -1 for the root.
        path: the moves from the root to this node.
        board: the board that the last of them led to; None in a tree of numbers.
        children: the numbers of the nodes below.
        size: the number of nodes in its subtree, itself included; they are numbered from `number` on.
    """

    number: int
    parent: int
    path: Moves
    board: Board | None
    children: list[int] = field(default_factory=list)
    size: int = 1

    @property
    def move(self) -> int:
        return self.path[-1]

    @property
    def ply(self) -> int:
        return len(self.path)


@dataclass
class GameNode(Node):
    """A node of a game tree, which has a board."""

    board: Board


def game_tree(
    root: Board,
    depth: int,
    order: Callable[[Board, Moves], Iterable[int]] = lambda board, _: board.moves,
    most: float = inf,
) -> list[GameNode]:
    """The nodes of the game tree below a board, each under its number.

    Args:
        depth: how many plies there are at most.
        order: the moves from a board, in their order, given the moves that lead to it.
        most: how many nodes are enough: with more than these, the tree grows no further.
    """
    nodes: list[GameNode] = []

    def grow(board: Board, parent: int, path: Moves) -> int:
        node = GameNode(len(nodes), parent, path, board)
        nodes.append(node)
        if not board.over and len(path) < depth and len(nodes) <= most:
            node.children = [grow(board.play(move), node.number, (*path, move)) for move in order(board, path)]
        node.size = len(nodes) - node.number
        return node.number

    grow(root, -1, ())
    return nodes


class Look(NamedTuple):
    """How a node looks.

    Args:
        state: "new" before a search reaches the node, "open" while it is below, then "done"; or never visited: "cut"
            off, the "mirror" image of another move, or "known" from the table.
        label: what stands below the board.
        note: what stands below the label, in a tree with notes: one or more lines.
    """

    state: str
    label: str = ""
    note: str = ""


class Tree:
    """A game tree with a place for each node.

    Args:
        nodes: the nodes, each under its number.
        shown: whether each node is drawn.
        notes: for how many lines there is room below the labels.

    Attributes:
        places: how far to the right each node is drawn, in boards.
        width, height: in pixels.
    """

    def __init__(self, nodes: Sequence[Node], shown: Sequence[bool], notes: int = 0) -> None:
        self.nodes, self.shown = nodes, shown
        self.stem, self.level = STEM + notes * NOTE, LEVEL + notes * NOTE
        self.places = tidy([[child for child in node.children if shown[child]] for node in nodes])
        self.width = round(max(self.places) * PITCH) + SIDE + 2 * MARGIN
        plies = max(node.ply for node in nodes if shown[node.number])
        self.height = plies * self.level + SIDE + self.stem + TOP + 18

    def drawn(
        self,
        looks: Sequence[Look],
        ringed: Container[int] = (),
        path: Container[int] = (),
        came: int = -1,
        boards: bool = True,
    ) -> str:
        """The tree as SVG elements.

        Args:
            looks: how each node looks.
            ringed: the nodes with a ring.
            path: the nodes on the highlighted line.
            came: the node from which a value has just come back, or -1.
            boards: whether to draw the boards.
        """
        nodes = [node for node in self.nodes if self.shown[node.number]]
        edges = [
            self._edge(node, looks[node.number], {"on-path": node.number in path, "came": node.number == came})
            for node in nodes[1:]
        ]
        places = [
            self._node(node, looks[node.number], node.number in ringed, self.face(node) if boards else "")
            for node in nodes
        ]
        hidden = f'aria-hidden="true" fill="none" stroke="{INK["-"]}" stroke-linecap="round"'
        return f'<g {hidden}>{"".join(edges)}</g><g role="none">{"".join(places)}</g>'

    def picture(self, drawing: str, said: str, title: str, words: str) -> Picture:
        """The drawing with the names of the levels and what is said below it.

        Args:
            said: one or more lines.
            words: the same in plain text.
        """
        lines = said.splitlines()
        colours = "".join(f"--{name}:{colour};" for name, colour in COLOURS.items())
        names = [
            text(8, middle, name, 14, 700, "start") + text(8, middle + 16, side, 12, anchor="start")
            for name, side, middle in self.levels()
        ]
        parts = [
            f"<style>{' '.join(Path(__file__).with_suffix('.css').read_text('utf-8').split())}</style>",
            *names,
            f'<g style="{colours}" transform="translate({LEFT})">{drawing}</g>',
            *(text(8, self.height + 16 + 20 * n, line, 14, anchor="start") for n, line in enumerate(lines)),
        ]
        width = max(self.width + LEFT, 8 * max(map(len, lines)))
        return Picture(width, self.height + 10 + 20 * len(lines), "".join(parts), title, words)

    def levels(self) -> list[tuple[str, str, float]]:
        """For each ply MAX or MIN, who moves, and its height; the last has leaves only, as deep as the search looks."""
        turns = {node.ply: f"{node.board.turn} to move" if node.board else "" for node in self.nodes}
        inner = {node.ply for node in self.nodes if node.children}
        ended = all(node.children or node.board is None or node.board.over for node in self.nodes)
        last = "the end" if ended else "depth limit"
        levels = []
        for ply in sorted(turns):
            name, side = ("MIN" if ply % 2 else "MAX", turns[ply]) if ply in inner else ("", last)
            levels.append((name, side, ply * self.level + TOP + SIDE / 2))
        return levels

    def face(self, node: Node) -> str:
        """What a node's drawing shows above its label: its board, made small."""
        return small_board(node)

    def _edge(self, node: Node, look: Look, classes: dict[str, Any]) -> str:
        """The line from the parent's label, with the cell that is played, and the strokes of a cut."""
        (from_x, from_y), (x, y) = self.place(self.nodes[node.parent]), self.place(node)
        from_x, from_y, x, y = from_x + SIDE / 2, from_y + SIDE + self.stem, x + SIDE / 2, y - 6
        middle = f"{(from_y + y) / 2:g}"
        cut_x, cut_y = from_x + 0.28 * (x - from_x), from_y + 0.38 * (y - from_y)
        side, anchor = (-6, "end") if x < from_x - 1 else (6, "start")
        return (
            f"{_group('edge', node, look, {**classes, 'sliced': look.state == 'cut' and look.label})}>"
            f'<path class="tte-branch" d="M{from_x:g} {from_y:g}C{from_x:g} {middle} {x:g} {middle} {x:g} {y:g}"/>'
            f'<path class="tte-slashes" d="M{cut_x - 7:g} {cut_y + 5:g}l8-10m-2 10l8-10" visibility="hidden"/>'
            f'<text class="tte-move" x="{x + side:g}" y="{y - 3:g}" text-anchor="{anchor}">{node.move}</text></g>'
        )

    def _node(self, node: Node, look: Look, ringed: bool, board: str) -> str:
        """A node's board, and below it its label and its note, or a stem."""
        x, y = self.place(node)
        stem = f'<path class="tte-stem" d="M{SIDE / 2:g} {SIDE + 1}v{self.stem - 1}"/>' if node.children else ""
        notes = "".join(
            f'<text class="tte-note" x="{SIDE / 2:g}" y="{SIDE + 31 + NOTE * n}" text-anchor="middle">{line}</text>'
            for n, line in enumerate(look.note.splitlines())
        )
        return (
            f"{_group('node', node, look, {'current': ringed})} "
            f'transform="translate({x:g},{y:g})" role="treeitem" tabindex="-1" aria-level="{node.ply + 1}">'
            f'<rect class="tte-ring" x="-5" y="-5" width="{SIDE + 10}" height="{SIDE + 10}" rx="8" fill="none"/>'
            f'<rect class="tte-paper" width="{SIDE}" height="{SIDE}" rx="5" fill="none"/>'
            f'<g class="tte-board">{board}</g>'
            f'<text class="tte-label" x="{SIDE / 2:g}" y="{SIDE + 16}" text-anchor="middle">{look.label}</text>'
            f"{stem}{notes}</g>"
        )

    def place(self, node: Node) -> tuple[float, float]:
        """The upper left corner of a node's board."""
        return round(MARGIN + self.places[node.number] * PITCH, 1), node.ply * self.level + TOP


def small_board(node: Node) -> str:
    """A board, made small, with a coloured background behind the last move; nothing for a node without a board."""
    if node.board is None:
        return ""
    board = draw(node.board, fills={node.move: INK[opponent(node.board.turn)]} if node.ply else None)
    scale = SIDE / max(board.width, board.height)
    down = (SIDE - scale * board.height) / 2
    return f'<g transform="translate(0,{down:.4g}) scale({scale:.4g})">{board.body}</g>'


def _group(kind: str, node: Node, look: Look, classes: dict[str, Any]) -> str:
    """The start of a group: the node's number, its state, the colour of the mark that was played, and its classes."""
    names = " ".join(f"tte-{name}" for name, applies in {kind: True, **classes}.items() if applies)
    colour = f"--mark:var(--{opponent(node.board.turn).lower() if node.board else 'ink'})"
    return f'<g class="{names}" data-node="{node.number}" data-state="{look.state}" style="{colour}"'


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
