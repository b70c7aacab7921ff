"""A board on screen that shows a position and reports the cell a person chooses."""

from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, field
from typing import Any

from lab.boards.panel import Panel, attributes
from ttt.board import Board, Mark, require_board
from ttt.geometry import Line
from ttt.notation import in_cell, spoken
from ttt.players.rules import threats
from ttt.svg import Grid, Picture, draw, ink, number

MAX_KEYS = 10  # on a board with at most this many cells, the key of a cell's number plays it


@dataclass(frozen=True)
class Scene:
    """What a screen shows of a game: a position, and what is marked on it."""

    position: Any
    _: KW_ONLY
    last: Any = None  # the last move
    values: Mapping[Any, float | str] = field(default_factory=dict)  # a number or a text for each move
    hint: int | None = None  # a cell to point out
    hint_name: str = "hint"  # what a screen reader calls it
    playable: bool = False  # whether a click makes a move
    look: str = "side"  # how layers are arranged
    numbers: bool = False  # whether cells show their numbers
    threats: bool = False  # whether to draw lines that need one more mark


class BoardView(Panel):
    """A board to play on with mouse or keyboard; it works with screen readers, too.

    `on_play` is called with the index of the cell a person chooses; without it, the board is only to look at. `show`
    shows another position, and `say` writes a message above it.
    """

    def __init__(self, board: Board | None = None, on_play: Callable[[int], object] | None = None) -> None:
        super().__init__()
        self._on_play = on_play
        self.show(Board() if board is None else board)

    def show(self, board: Board, *, playable: bool = True, **marks: Any) -> None:
        """Show a position. Clicks make moves only if the board is playable.

        `marks` are what to mark: `last`, the cell of the last move; `hint`, a cell to point out; `values`, a number or
        a text for each free cell, where the highest numbers are framed; `numbers=True` for those of the cells;
        `threats=True` for lines that need one more mark; and `look`, how layers are arranged: in a stack seen from the
        front ("slanted") or from a corner ("turned"), or side by side ("side").
        """
        require_board(board, type(self).__name__)
        clickable = playable and self._on_play is not None and not board.over
        self._scene = Scene(board, playable=clickable, **marks)
        self.html = board_html(self._scene)

    def when_play(self, cell: str) -> None:
        if self._on_play is not None:
            self._on_play(int(cell))

    def snapshot(self) -> Picture | None:
        return draw(self._scene.position, last=self._scene.last)

    def __repr__(self) -> str:
        return f"{self.message}\n{self._scene.position}".strip()


def board_html(scene: Scene) -> str:
    """A board as HTML: the drawing, with focusable, named cells on top."""
    board, grid = scene.position, Grid(scene.position, scene.look)
    fixed = scene.numbers and not scene.playable  # else each number is in its cell, where it gives way to the ghost
    picture = draw(board, values=scene.values, last=scene.last, numbers=fixed, look=scene.look)
    shown = "XO" if scene.threats and not board.over else ""
    lines = [(mark, each) for mark in shown for each in threats(board, mark)]
    wanted = {(cell, mark) for mark, each in lines for cell in each if board[cell] == "-"}
    svg = attributes(
        viewBox=f"0 0 {picture.width} {picture.height}",
        style=f"--wide:{picture.width};--high:{picture.height};--scale:{picture.scale}",
        class_="board layers" if board.layout[0] > 1 else "board",
        role="grid",
        aria_label="Tic-tac-toe board",
    )
    cells = [_cell(scene, cell, grid, [mark for mark in "XO" if (cell, mark) in wanted]) for cell in range(len(board))]
    rows = "".join(f'<g role="row">{"".join(row)}</g>' for layer in board.in_layers(cells) for row in layer)
    below = "".join(threat(grid, board, each) for _, each in lines)
    return f'<svg{svg}><g aria-hidden="true">{below}{picture.body}</g>{rows}</svg>'


def threat(grid: Grid, board: Board, cells: Line) -> str:
    """A line that needs one more mark, as SVG: through the marks it has, because its free cell may show a number."""
    step, path = (grid.centre(cells[-1]) - grid.centre(cells[0])) / (len(cells) - 1), ""
    for cell in cells:
        if board[cell] != "-":
            start = grid.centre(cell) - (step / 2 if cell != cells[0] else 0)
            end = grid.centre(cell) + (step / 2 if cell != cells[-1] else 0)
            path, mark = f"{path}M{start.real:g} {start.imag:g}L{end.real:g} {end.imag:g}", board[cell]
    return f'<path class="threat" d="{path}" fill="none" stroke="{ink(mark)}" stroke-width="3" stroke-linecap="round"/>'


def _cell(scene: Scene, cell: int, grid: Grid, wanted: list[Mark]) -> str:
    """A cell as SVG; each of the `wanted` marks would complete a line there."""
    board = scene.position
    _, rows, columns = board.layout
    free = scene.playable and board[cell] == "-"
    given = attributes(
        role="gridcell",
        class_="cell free" if free else "cell",
        tabindex="-1",
        data_do="play",
        data_value=cell,
        data_at=f"{cell // (rows * columns)} {cell // columns % rows} {cell % columns}",
        data_digit=cell if len(board) <= MAX_KEYS else None,
        data_mark=board[cell],
        aria_label=_cell_name(scene, cell, wanted),
    )
    parts = [f'<path class="paper" d="{grid.outline(cell)}"/>']
    if free and scene.numbers and not (grid.down.real and cell in scene.values):
        parts.append(f'<g aria-hidden="true">{number(grid, cell)}</g>')
    if free and cell not in scene.values:
        parts.append(f'<path class="ghost" d="{grid.mark(cell, board.turn)}" stroke="{ink(board.turn)}"/>')
    if cell == scene.hint:
        parts.append(f'<path class="hint" d="{grid.outline(cell, 0.84)}"/>')
    if wanted and cell not in scene.values:
        parts.append(f'<path class="wanted" d="{grid.outline(cell, 0.4)}"/>')
    return f"<g{given}>{''.join(parts)}</g>"


def _cell_name(scene: Scene, cell: int, wanted: list[Mark]) -> str:
    """What a screen reader says about a cell."""
    board = scene.position
    words = [f"cell {cell}, {spoken(board, cell)}", "empty" if board[cell] == "-" else board[cell]]
    if any(cell in won for won in board.winning_lines):
        words.append("winning line")
    elif cell == scene.last:
        words.append("last move")
    if cell == scene.hint:
        words.append(scene.hint_name)
    words += [f"{mark} would complete a line" for mark in wanted]
    if cell in scene.values:
        words.append(f"value {in_cell(scene.values[cell])}")
    return ", ".join(words)
