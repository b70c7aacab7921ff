"""The explorer's tree as a drawing, and as what the page draws it from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from html import escape
from typing import Any

from ttt.board import Board, Line, opponent
from ttt.search import ORDERS
from ttt.svg import INK, WIDEST, Picture, signed, spoken
from ttt.widgets.still import Canvas
from ttt.widgets.tale import Change, Frame, Node, Setting, Tale

SIDE, PITCH, LEVEL, MARGIN = 45, 57, 106, 24  # a board, from board to board, from ply to ply, round the tree; in pixels
LEFT = 96  # where the names of the levels stand
POSITIONS: dict[str, tuple[str, int | None]] = {
    "O has to block": ("O-- OXX X--", None),
    "Much to cut off": ("X-- O-O --X", None),
    "Order is everything": ("--X --X OO-", None),
    "X wins in two ways": ("-X- -XO --O", None),
    "The empty board": ("--- --- ---", 2),
}


def drawn(tale: Tale, step: int) -> Picture:
    """The tree at a step, as a drawing that needs no kernel."""
    looks, frame = tale.looks(step), tale.frames[step]
    path = _path(tale.nodes, frame.tip)
    parts = [_level_name(ply, name, side) for ply, (name, side) in enumerate(_levels(tale.nodes))]
    for node in tale.nodes[1:]:
        above = looks[node.parent]
        parts.append(_edge(tale, node, looks[node.number], node.number in path, bool(above.label or above.window)))
    parts += [_little_board(tale, node, looks[node.number], node.number == frame.node) for node in tale.nodes]
    width, height = _size(tale.nodes, tale.places)
    parts.append(_words(8, height + 16, frame.text, "start", "#757575", 14))
    title = f"The game tree of {tale.setting.board.turn} to move, with what alpha-beta cuts off"
    text = f"{tale.sentence()}\nStep {step} of {len(tale.frames) - 1}: {frame.text}\n{tale.setting.board}"
    return Picture(max(width + LEFT, 8 * len(frame.text)), height + 30, "".join(parts), title, text)


def silhouette(tale: Tale) -> Canvas:
    """The tree at the end of the search, without a word: visited nodes in colour, what was left out in grey."""
    width, height = _size(tale.nodes, tale.places)
    fine = min(1, WIDEST / width)
    canvas = Canvas(width, height - 40, fine)
    looks = tale.looks(len(tale.frames) - 1)
    best = _path(tale.nodes, tale.frames[-1].tip)
    for node in tale.nodes:
        inked = looks[node.number].state == "done"
        if node.ply:
            _branch(canvas, tale, node, (3.5 if node.number in best else 1.5) if inked else 0.8)
        _draw_board(canvas, tale, node, inked)
    return canvas


def _branch(canvas: Canvas, tale: Tale, node: Node, width: float) -> None:
    x, from_x = (_left(tale.places[number]) + SIDE / 2 for number in (node.number, node.parent))
    canvas.stroke(from_x, _top(node) - LEVEL + SIDE + 4, x, _top(node) - 4, "#808080", width)


def _draw_board(canvas: Canvas, tale: Tale, node: Node, inked: bool) -> None:
    """A node's board; what was not visited is thin and grey."""
    board, unit = node.board, _unit(node.board)
    x, y = _left(tale.places[node.number]), _top(node)
    _, rows, columns = board.layout
    left, top = _corner(board, 0)
    canvas.grid(x + left, y + top, rows, columns, unit, 1)
    for cell, mark in enumerate(board):
        left, top = _corner(board, cell)
        ink, width = (INK[mark], 2.6) if inked else (INK["-"], 1.4)
        canvas.mark(mark, x + left + unit / 2, y + top + unit / 2, unit, ink, width)


def _path(nodes: Sequence[Node], tip: int) -> list[int]:
    """The numbers of the nodes from one up to the root."""
    path = [tip]
    while path[-1]:
        path.append(nodes[path[-1]].parent)
    return path


def _levels(nodes: Sequence[Node]) -> list[tuple[str, str]]:
    """For each ply, MAX or MIN, and who moves there; the last one has only leaves, as deep as the search looks."""
    turns = {node.ply: node.board.turn for node in nodes}
    inner = {node.ply for node in nodes if node.children}
    names = {ply: ("MIN" if ply % 2 else "MAX", f"{turn} to move") for ply, turn in turns.items()}
    last = "the end" if all(node.children or node.board.over for node in nodes) else "no deeper"
    return [names[ply] if ply in inner else ("", last) for ply in sorted(turns)]


def _size(nodes: Sequence[Node], places: Sequence[float], kept: Sequence[bool] | None = None) -> tuple[int, int]:
    """The tree's width and height in pixels."""
    widest = max(place for node, place in zip(nodes, places, strict=True) if kept is None or kept[node.number])
    return round(widest * PITCH) + SIDE + 2 * MARGIN, max(node.ply for node in nodes) * LEVEL + SIDE + 56


def as_data(tale: Tale) -> dict[str, Any]:
    """A tale as the front end takes it."""
    setting = tale.setting
    counts = {order: setting.alphabeta(order=order).nodes for order in ORDERS}
    return {
        "max": tale.search.player,
        "min": opponent(tale.search.player),
        "minimax": tale.minimax.nodes,
        "nodes": [_node_data(tale, node) for node in tale.nodes],
        "frames": [_frame_data(frame) for frame in tale.frames],
        "levels": _levels(tale.nodes),
        "sizes": [_size(tale.nodes, tale.places), _size(tale.nodes, tale.folded, tale.kept)],
        "grid": _grid(setting.board),
        "marks": "".join(setting.board),
        "columns": setting.board.layout[2],
        "cells": [spoken(setting.board, cell) for cell in range(len(setting.board))],
        "depth": setting.depth,
        "pieces": setting.pieces,
        "orders": counts,
        "positions": list(POSITIONS) if setting.board.shape == (3, 3) and setting.board.k == 3 else [],
        "position": _position(setting),
        "side": SIDE,
    }


def _position(setting: Setting) -> str:
    """The name of a position in the menu, if it is one of these."""
    return next((name for name, (text, _) in POSITIONS.items() if Board.from_text(text) == setting.board), "")


def _node_data(tale: Tale, node: Node) -> dict[str, Any]:
    mover, number = opponent(node.board.turn), node.number
    level = f", {'MIN' if node.ply % 2 else 'MAX'}, {node.board.turn} to move" if node.children else ""
    return {
        "parent": node.parent,
        "ply": node.ply,
        "x": [_left(tale.places[number]), _left(tale.folded[number]) if tale.kept[number] else None],
        "y": _top(node),
        "size": node.size,
        "move": node.move if node.ply else -1,
        "mover": mover if node.ply else "",
        "name": (f"{mover} at cell {node.move}" if node.ply else "root") + level,
        **_shapes(node),
    }


def _frame_data(frame: Frame) -> dict[str, Any]:
    changes = [[c.first, c.count, c.state, c.label, c.window] for c in frame.changes]
    numbers = {"alpha": signed(frame.alpha), "beta": signed(frame.beta)}
    value = "" if frame.value is None else signed(frame.value)
    return asdict(frame) | numbers | {"value": value, "changes": changes}


def _left(place: float) -> float:
    return round(MARGIN + place * PITCH, 1)


def _top(node: Node) -> int:
    return node.ply * LEVEL + 16


def _unit(board: Board) -> float:
    """The side of a cell in pixels, so that the board is 45 pixels wide or high."""
    return SIDE / max(board.layout[1:])


def _corner(board: Board, cell: int) -> tuple[float, float]:
    """A cell's upper left corner; boards that are not square stand in the middle."""
    _, rows, columns = board.layout
    row, column = divmod(cell, columns)
    unit = _unit(board)
    return (SIDE - columns * unit) / 2 + column * unit, (SIDE - rows * unit) / 2 + row * unit


def _grid(board: Board) -> str:
    _, rows, columns = board.layout
    unit, (x, y) = _unit(board), _corner(board, 0)
    across = [f"M{x:g} {y + n * unit:g}h{columns * unit:g}" for n in range(1, rows)]
    down = [f"M{x + n * unit:g} {y:g}v{rows * unit:g}" for n in range(1, columns)]
    return "".join(across + down)


def _shapes(node: Node) -> dict[str, Any]:
    """A node's marks as SVG paths, in a board whose upper left corner is at 0, 0."""
    board, unit = node.board, _unit(node.board)
    winning = board.winning_lines
    last = [round(n, 1) for n in (*_corner(board, node.move), unit)] if node.ply else []
    return {
        "x_marks": "".join(_cross(*_corner(board, cell), unit) for cell in range(len(board)) if board[cell] == "X"),
        "o_marks": "".join(_ring(*_corner(board, cell), unit) for cell in range(len(board)) if board[cell] == "O"),
        "won": "".join(_through(board, line) for line in winning),
        "winner": board.winner or "",
        "last": last,
    }


def _cross(x: float, y: float, unit: float) -> str:
    inset, arm = 0.28 * unit, 0.44 * unit
    return f"M{x + inset:.4g} {y + inset:.4g}l{arm:.4g} {arm:.4g}m0-{arm:.4g}l-{arm:.4g} {arm:.4g}"


def _ring(x: float, y: float, unit: float) -> str:
    r, across = 0.25 * unit, 0.5 * unit
    half = f"a{r:.4g} {r:.4g} 0 1 0 "
    return f"M{x + r:.4g} {y + across:.4g}{half}{across:.4g} 0{half}-{across:.4g} 0"


def _through(board: Board, line: Line) -> str:
    half = _unit(board) / 2
    (x, y), (to_x, to_y) = _corner(board, line[0]), _corner(board, line[-1])
    return f"M{x + half:.4g} {y + half:.4g}L{to_x + half:.4g} {to_y + half:.4g}"


def _words(x: float, y: float, text: str, anchor: str, ink: str, size: int, weight: int = 400) -> str:
    style = f"text-anchor:{anchor};fill:{ink};font-size:{size}px;font-weight:{weight}"
    return f'<text x="{x:g}" y="{y:g}" style="{style}">{escape(text)}</text>'


def _level_name(ply: int, name: str, side: str) -> str:
    y = ply * LEVEL + 16 + SIDE / 2
    return _words(8, y, name, "start", "#757575", 14, 700) + _words(8, y + 16, side, "start", "#757575", 12)


def _edge(tale: Tale, node: Node, look: Change, on_path: bool, labelled: bool) -> str:
    """The line from the parent, with the cell that is played."""
    x, y = LEFT + _left(tale.places[node.number]) + SIDE / 2, _top(node)
    from_x = LEFT + _left(tale.places[node.parent]) + SIDE / 2
    from_y = y - LEVEL + SIDE + (24 if labelled else 4)
    inked = look.state in ("open", "done")
    ink = INK[opponent(node.board.turn)] if inked else "#757575"
    style = "" if inked or look.state == "new" else 'stroke-dasharray="3 4"'
    width = 3 if on_path else 1.5
    line = f'<path d="M{from_x:g} {from_y:g}L{x:g} {y - 6:g}" stroke="#808080" stroke-width="{width}" {style}/>'
    side, anchor = (-6, "end") if x < from_x else (6, "start")
    number = _words(x + side, y - 8, str(node.move), anchor, ink, 12, 700 if inked else 400)
    return line + number + (_slashes(from_x, from_y, x, y) if look.state == "cut" and look.label else "")


def _slashes(from_x: float, from_y: float, x: float, y: float) -> str:
    """The two strokes across an edge that is cut."""
    at_x, at_y = from_x + 0.3 * (x - from_x), from_y + 0.3 * (y - 6 - from_y)  # above the number of the move
    strokes = "".join(f"M{at_x - 6 + n:g} {at_y + 4:g}l8-8" for n in (0, 5))
    return f'<path d="{strokes}" stroke="#757575" stroke-width="2" stroke-linecap="round"/>'


def _little_board(tale: Tale, node: Node, look: Change, current: bool) -> str:
    x, y = LEFT + _left(tale.places[node.number]), _top(node)
    inked = look.state in ("open", "done")
    shapes = _shapes(node)
    parts = [f'<path d="{_grid(node.board)}" stroke="#808080" stroke-width="1"/>']
    for mark, key in (("X", "x_marks"), ("O", "o_marks")):
        parts.append(_stroke(shapes[key], *((INK[mark], 2.6) if inked else ("#808080", 1.4))))
    if shapes["won"] and inked:
        parts.append(_stroke(shapes["won"], INK[shapes["winner"]], 7, 0.4))
    if current:
        frame = f'x="-4" y="-4" width="{SIDE + 8}" height="{SIDE + 8}" rx="7"'
        parts.append(f'<rect {frame} fill="none" stroke="#757575" stroke-width="2.5"/>')
    text, size = (look.label or look.window), 12 if inked else 11
    parts.append(_words(SIDE / 2, SIDE + 16, text, "middle", "#757575", size, 700 if inked else 400))
    return f'<g transform="translate({x:g},{y:g})">{"".join(parts)}</g>'


def _stroke(path: str, ink: str, width: float, opacity: float = 1) -> str:
    style = f'stroke="{ink}" stroke-width="{width:g}" stroke-opacity="{opacity:g}" stroke-linecap="round"'
    return f'<path d="{path}" fill="none" {style}/>'
