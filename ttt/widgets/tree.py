"""The explorer's tree, as a drawing and as data for the page. The boards in it are those of `ttt.svg`, made small."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from ttt.board import Board, opponent
from ttt.search import ORDERS
from ttt.svg import INK, TEXT, Picture, draw, signed, spoken, text
from ttt.widgets.frames import Change, Frame, Node
from ttt.widgets.trace import Setting, Trace

SIDE, PITCH, LEVEL, MARGIN = 50, 57, 106, 24  # a board, from board to board, from ply to ply, round the tree; in pixels
LEFT = 96  # the width of the level names
STYLE = f"""<style>
.unvisited .grid,.visited .grid{{stroke-width:3}}.fill{{opacity:.2}}.unvisited .fill,.unvisited .won{{display:none}}
.unvisited path{{stroke:{INK["-"]};stroke-width:5}}.visited path{{stroke-width:9}}
</style>"""
POSITIONS: dict[str, tuple[str, int | None]] = {
    "O has to block": ("O-- OXX X--", None),
    "Much to cut off": ("X-- O-O --X", None),
    "Order is everything": ("--X --X OO-", None),
    "X wins in two ways": ("-X- -XO --O", None),
    "The empty board": ("--- --- ---", 2),
}


def drawn(trace: Trace, step: int) -> Picture:
    """The tree at a step, as a drawing that needs no kernel."""
    looks, frame = trace.looks(step), trace.frames[step]
    best = _path(trace.nodes, frame.tip)
    width, height = _size(trace.nodes, trace.places)
    parts = [STYLE, *(_level_name(ply, *names) for ply, names in enumerate(_levels(trace.nodes)))]
    for node in trace.nodes:
        look = looks[node.number]
        if node.ply:
            parts.append(_edge(trace, node, look, looks[node.parent], node.number in best))
        parts.append(_small_board(trace, node, look, node.number == frame.node))
    parts.append(text(8, height + 16, frame.text, 14, anchor="start"))
    title = f"The game tree of {trace.setting.board.turn} to move, with what alpha-beta cuts off"
    words = f"{trace.sentence()}\nStep {step} of {len(trace.frames) - 1}: {frame.text}\n{trace.setting.board}"
    return Picture(max(width + LEFT, 8 * len(frame.text)), height + 30, "".join(parts), title, words)


def as_data(trace: Trace) -> dict[str, Any]:
    """A trace in the form that the page takes."""
    setting, board = trace.setting, trace.setting.board
    return {
        "max": trace.search.player,
        "min": opponent(trace.search.player),
        "minimax": trace.minimax.nodes,
        "nodes": [_node_data(trace, node) for node in trace.nodes],
        "frames": [_frame_data(frame) for frame in trace.frames],
        "levels": _levels(trace.nodes),
        "sizes": [_size(trace.nodes, trace.places), _size(trace.nodes, trace.folded)],
        "marks": "".join(board),
        "columns": board.layout[2],
        "cells": [spoken(board, cell) for cell in range(len(board))],
        "depth": setting.depth,
        "options": setting.options,
        "orders": {order: setting.alphabeta(order=order).nodes for order in ORDERS},
        "positions": list(POSITIONS) if board.shape == (3, 3) and board.k == 3 else [],
        "position": _position(setting),
        "side": SIDE,
        "scale": _scale(board),
    }


def _position(setting: Setting) -> str:
    """The position's name in the menu, if it has one."""
    return next((name for name, (text, _) in POSITIONS.items() if Board.from_text(text) == setting.board), "")


def _node_data(trace: Trace, node: Node) -> dict[str, Any]:
    mover, number = opponent(node.board.turn), node.number
    level = f", {'MIN' if node.ply % 2 else 'MAX'}, {node.board.turn} to move" if node.children else ""
    return {
        "parent": node.parent,
        "ply": node.ply,
        "x": [_left(trace.places[number]), _left(trace.folded[number]) if trace.kept[number] else None],
        "y": _top(node),
        "size": node.size,
        "move": node.move if node.ply else -1,
        "mover": mover if node.ply else "",
        "name": (f"{mover} at cell {node.move}" if node.ply else "root") + level,
        "drawing": _drawing(node),
    }


def _frame_data(frame: Frame) -> dict[str, Any]:
    changes = [[c.first, c.count, c.state, c.label] for c in frame.changes]
    numbers = {"alpha": signed(frame.alpha), "beta": signed(frame.beta)}
    value = "" if frame.value is None else signed(frame.value)
    return asdict(frame) | numbers | {"value": value, "changes": changes}


def _levels(nodes: Sequence[Node]) -> list[tuple[str, str]]:
    """For each ply MAX or MIN, and who moves; the last ply has leaves only, as deep as the search looks."""
    turns = {node.ply: node.board.turn for node in nodes}
    inner = {node.ply for node in nodes if node.children}
    names = {ply: ("MIN" if ply % 2 else "MAX", f"{turn} to move") for ply, turn in turns.items()}
    last = "the end" if all(node.children or node.board.over for node in nodes) else "depth limit"
    return [names[ply] if ply in inner else ("", last) for ply in sorted(turns)]


def _path(nodes: Sequence[Node], tip: int) -> list[int]:
    """The numbers of the nodes from one up to the root."""
    path = [tip]
    while path[-1]:
        path.append(nodes[path[-1]].parent)
    return path


def _size(nodes: Sequence[Node], places: Sequence[float]) -> tuple[int, int]:
    """The tree's width and height in pixels."""
    return round(max(places) * PITCH) + SIDE + 2 * MARGIN, max(node.ply for node in nodes) * LEVEL + SIDE + 56


def _left(place: float) -> float:
    return round(MARGIN + place * PITCH, 1)


def _top(node: Node) -> int:
    return node.ply * LEVEL + 16


def _drawing(node: Node) -> str:
    """A node's board as SVG elements, with a coloured background behind the last move."""
    return draw(node.board, fills={node.move: INK[opponent(node.board.turn)]} if node.ply else None).body


def _scale(board: Board) -> float:
    """How much smaller a board is here than in a drawing of its own."""
    whole = draw(board)
    return SIDE / max(whole.width, whole.height)


def _small_board(trace: Trace, node: Node, look: Change, current: bool) -> str:
    visited = look.state in ("open", "done")
    kind, size, weight = ("visited", 12, 700) if visited else ("unvisited", 11, 400)
    parts = [f'<g class="{kind}" transform="scale({_scale(node.board):.4g})">{_drawing(node)}</g>']
    if current:
        frame = f'x="-4" y="-4" width="{SIDE + 8}" height="{SIDE + 8}" rx="7"'
        parts.append(f'<rect {frame} fill="none" stroke="{TEXT}" stroke-width="2.5"/>')
    parts.append(text(SIDE / 2, SIDE + 16, look.label, size, weight))
    return f'<g transform="translate({LEFT + _left(trace.places[node.number]):g},{_top(node)})">{"".join(parts)}</g>'


def _edge(trace: Trace, node: Node, look: Change, above: Change, best: bool) -> str:
    """The line from the parent, with the cell that is played."""
    x, y = LEFT + _left(trace.places[node.number]) + SIDE / 2, _top(node)
    from_x = LEFT + _left(trace.places[node.parent]) + SIDE / 2
    from_y = y - LEVEL + SIDE + (24 if above.label else 4)
    visited = look.state in ("open", "done")
    dashes = "" if visited or look.state == "new" else 'stroke-dasharray="3 4"'
    stroke = f'stroke="{INK["-"]}" stroke-width="{3 if best else 1.5}" {dashes}'
    line = f'<path d="M{from_x:g} {from_y:g}L{x:g} {y - 6:g}" {stroke}/>'
    ink, weight = (INK[opponent(node.board.turn)], 700) if visited else (TEXT, 400)
    side, anchor = (-6, "end") if x < from_x else (6, "start")
    cut = _slashes(from_x, from_y, x, y) if look.state == "cut" and look.label else ""
    return line + text(x + side, y - 8, str(node.move), 12, weight, anchor, ink) + cut


def _slashes(from_x: float, from_y: float, x: float, y: float) -> str:
    """The two strokes across an edge that is cut, above the number of the move."""
    at_x, at_y = from_x + 0.3 * (x - from_x), from_y + 0.3 * (y - 6 - from_y)
    strokes = "".join(f"M{at_x - 6 + n:g} {at_y + 4:g}l8-8" for n in (0, 5))
    return f'<path d="{strokes}" stroke="{TEXT}" stroke-width="2" stroke-linecap="round"/>'


def _level_name(ply: int, name: str, side: str) -> str:
    y = ply * LEVEL + 16 + SIDE / 2
    return text(8, y, name, 14, 700, "start") + text(8, y + 16, side, 12, anchor="start")
