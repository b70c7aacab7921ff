"""A board as HTML: the drawing, and on it the cells that a person chooses by mouse or keyboard."""

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from random import Random
from typing import Any, Protocol

from lab.boards.panel import attributes
from ttt.board import Board, Mark
from ttt.geometry import Line
from ttt.heuristics import Heuristic
from ttt.notation import in_cell, spoken
from ttt.players import Player
from ttt.players.rules import threats
from ttt.svg import Grid, draw, ink, number

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


class ShownGame(Protocol):
    """What `GameBoard` must know of a kind of game: `BoardGame` knows it of boards, `OwnGame` of any other game.

    What reads or makes a move may raise `BoardError`.
    """

    opponent: str  # the name of the player that begins, unless the reader chooses another one
    invitation: str  # how to make a move
    numbers_in_words: str  # what a heuristic's numbers mean, with {} for its name
    verbs: str  # buttons next to Undo

    @property
    def players(self) -> Sequence[Player]: ...  # to choose from
    @property
    def judge(self) -> Heuristic | None: ...  # judges moves if the opponent doesn't
    def read(self, position: Any, move: Any, *more: Any) -> Any: ...  # the move that a person means by `play(...)`
    def pressed(self, position: Any, index: int) -> Any: ...  # the move that the page reports
    def after(self, position: Any, move: Any) -> Any: ...  # the next position
    def move_name(self, position: Any, move: Any) -> str: ...
    def result_in_words(self, position: Any, person: Mark, rival: str) -> str: ...
    def hint(self, position: Any, rng: Random) -> tuple[int, str]: ...  # a good cell, and why it is good
    def html(self, scene: Scene) -> str: ...  # the position, on which a person chooses a move
    def options(self, scene: Scene) -> str: ...  # controls for how it looks
    def choice(self, before: Any, move: Any, values: Mapping[Any, float], player: Player, by_number: bool) -> str:
        """The position as a player saw it before its move, and whether it chose by the numbers."""
        ...


def board_html(scene: Scene) -> str:
    """A board as HTML: the drawing, with focusable, named cells on top."""
    board, grid = scene.position, Grid(scene.position, scene.look)
    fixed = scene.numbers and not scene.playable  # else each number is in its cell, where it gives way to the ghost
    picture = draw(board, values=scene.values, last=None if board.over else scene.last, numbers=fixed, look=scene.look)
    shown = "XO" if scene.threats and not board.over else ""
    lines = [(mark, each) for mark in shown for each in threats(board, mark)]
    wanted = {(cell, mark) for mark, each in lines for cell in each if board[cell] == "-"}
    kind = "board layers" if board.layout[0] > 1 else "board"
    box = f"0 0 {picture.width} {picture.height}"
    style = f"--wide:{picture.width};--high:{picture.height};--scale:{picture.scale}"
    svg = attributes(viewBox=box, style=style, class_=kind, role="grid", aria_label="Tic-tac-toe board")
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
    kind, digit = "cell free" if free else "cell", cell if len(board) <= MAX_KEYS else None
    at = f"{cell // (rows * columns)} {cell // columns % rows} {cell % columns}"
    given = attributes(role="gridcell", class_=kind, tabindex="-1", data_do="play", data_value=cell, data_at=at)
    given += attributes(data_digit=digit, data_mark=board[cell], aria_label=_cell_name(scene, cell, wanted))
    parts = [f'<path class="paper" d="{grid.outline(cell)}"/>']
    if free and scene.numbers and not (grid.down.real and cell in scene.values):
        parts.append(f'<g aria-hidden="true">{number(grid, cell)}</g>')
    if free and cell not in scene.values:
        parts.append(f'<path class="ghost" d="{grid.mark(cell, board.turn)}" stroke="{ink(board.turn)}"/>')
    if cell == scene.hint:
        parts.append(f'<path class="hint" d="{grid.outline(cell, 0.88)}"/>')
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
