"""What a sweep is to search, read from the text of the command line's options."""

from __future__ import annotations

import re
from pathlib import Path

from ttt.board import Board, BoardError
from ttt.heuristics import Heuristic, open_lines
from ttt.search import ORDERS
from ttt.search.pieces import Pieces
from ttt.statistics.sweep import METHODS, PLAIN, BadSweep, Setting, known
from ttt.symmetry import canonical

SWITCHES = ("killer", "table", "symmetry", "deepening", "pvs")
HEURISTICS: dict[str, Heuristic | None] = {"none": None, "open-lines": open_lines}
CUBE = {  # positions on 4×4×4 with 6, 12 and 20 marks, which no order of moves finds easy
    "mid6": (0x10010000000080, 0x8800000000000010),
    "mid12": (0x4000001C8040, 0x516010000000000),
    "mid20": (0x300002040180C801, 0xC822008120420000),
}
MOST_CELLS = 12  # of boards whose positions can all be listed


def positions_from(text: str, board: Board) -> list[Board]:
    """The positions that a text lists: by name, drawn like X---O----, in a file with one on each line, or "all".

    Raises `BadSweep`.

    >>> positions_from("empty,corner", Board())
    [Board(), Board.from_text('X-- --- ---')]
    """
    if text == "all":
        return every_position(board)
    if not Path(text).is_file():
        return [_position(name, board) for name in _items(text)]
    lines = Path(text).read_text("utf-8", "replace").splitlines()
    drawn = [(n, line) for n, line in enumerate(lines, 1) if line.strip() and not line.startswith("#")]
    return [_drawn(line, board, f"{text}, line {n}") for n, line in drawn]


def every_position(board: Board) -> list[Board]:
    """Every unfinished position that games from a board can reach, one of each set of mirror images. Raises `BadSweep`.

    >>> len(every_position(Board()))
    627
    """
    if len(board) > MOST_CELLS:
        raise BadSweep(f"There are too many positions on {len(board)} cells; up to {MOST_CELLS} they can be listed.")
    found: list[Board] = []
    level = {canonical(board)} if not board.over else set()
    while level:
        found += sorted(level, key=lambda one: (one.x, one.o))
        after = (position.play(move) for position in level for move in position.moves)
        level = {canonical(position) for position in after if not position.over}
    return found


def depths_from(text: str) -> list[int]:
    """The depths that a text lists, such as "1-4" or "1,3,5-7". Raises `BadSweep`.

    >>> depths_from("1,5-7")
    [1, 5, 6, 7]
    """
    depths: list[int] = []
    for item in _items(text):
        numbers = re.fullmatch(r"(\d+)(?:\s*-\s*(\d+))?", item, re.ASCII)
        if not numbers:
            raise BadSweep(f"{item!r} is not a depth: write plies such as 4, 1-6 or 1,3,5.")
        first, last = int(numbers[1]), int(numbers[2] or numbers[1])
        if last < first:
            raise BadSweep(f"{item!r} runs backwards: write {last}-{first}.")
        depths += range(first, last + 1)
    return depths


def settings_from(methods: str, pieces: str = "", heuristic: str = "none") -> list[Setting]:
    """The settings that texts list: alpha-beta with each of several sets of options, and other methods as they are.

    Raises `BadSweep`.

    >>> [str(setting) for setting in settings_from("minimax,alphabeta", "row-major,best-gain+table")]
    ['minimax', 'alpha-beta', 'alpha-beta, best-gain, table']
    """
    function = HEURISTICS[known(heuristic, HEURISTICS, "heuristic")]
    names = [known(name, METHODS, "method") for name in _items(methods)]
    if pieces and "alphabeta" not in names:
        raise BadSweep(f"Only alphabeta has pieces: {' and '.join(names)} can't use {pieces}.")
    settings = []
    for name in names:
        used = [pieces_from(item) for item in _items(pieces or "row-major")] if name == "alphabeta" else [PLAIN]
        settings += [Setting(name, one, function) for one in used]
    return settings


def pieces_from(text: str) -> Pieces:
    """The options of alpha-beta that a text combines with +, or all of them. Raises `BadSweep`.

    >>> pieces_from("best-gain+table") == Pieces(order="best-gain", table=True)
    True
    """
    if text == "all":
        text = "+".join(("best-gain", *SWITCHES))
    names = [known(name.strip(), (*ORDERS, *SWITCHES, "all"), "piece") for name in text.split("+")]
    orders = [name for name in names if name in ORDERS] or ["row-major"]
    if len(orders) > 1 or "all" in names:
        raise BadSweep(f"{text} can't be combined: choose one order, and all by itself.")
    return Pieces(orders[0], **{switch: switch in names for switch in SWITCHES})


def _position(name: str, board: Board) -> Board:
    """The position with this name, or drawn like this."""
    if name and not set(name) - set("XO-/ "):
        return _drawn(name, board, name)
    cells: dict[str, int | tuple[int, ...]] = {"corner": 0, "edge": 1, "centre": tuple(n // 2 for n in board.shape)}
    middles = CUBE if board.shape == (4, 4, 4) else {}
    known(name, ("empty", *cells, *middles), "position", " Or write all, draw it like X---O----, or name a file.")
    if name in middles:
        x, o = middles[name]
        return Board(board.shape, board.k, x=x, o=o)
    return board.play(cells[name]) if name in cells else board


def _drawn(text: str, board: Board, place: str) -> Board:
    try:
        return Board.from_text(text, board.shape, board.k)
    except BoardError as error:
        raise BadSweep(f"{place}: {error}") from None


def _items(text: str) -> list[str]:
    return [item.strip() for item in text.split(",")]
