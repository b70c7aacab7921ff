"""What is special about a game on a board: how it is shown, its players, its hints, and how it ends."""

from collections.abc import Mapping
from html import escape

from lab.boards.board_view import MAX_KEYS, Scene, board_html
from lab.boards.hints import advice
from lab.boards.panel import button, checkbox, menu
from ttt.board import Board, CellTaken, Mark, opponent
from ttt.notation import signed, spoken
from ttt.players import PLAYERS, Player
from ttt.players.rules import threats
from ttt.svg import draw

LOOK_NAMES = {"slanted": "Slanted", "turned": "Turned", "side": "Side by side"}
CHOSEN = "#ffe08a"  # background of the cell that the computer chose
WIN_AND_BLOCK_FIRST = {PLAYERS[name] for name in ("flash-clever", "flash-fixed", "cube-medium")}  # numbers come after


class BoardGame:
    """What is special about a board of any shape: a `ShownGame`."""

    opponent = "flash-clever"
    judge = None
    verbs = button("Hint", "hint")
    numbers_in_words = (
        "In each free cell: what `{}` says of the position after that move, from your point of view. "
        "The highest are framed unless all are equal."
    )
    html = staticmethod(board_html)
    hint = staticmethod(advice)

    def __init__(self, start: Board) -> None:
        self.layered = start.layout[0] > 1
        self.players = [player for player in PLAYERS.values() if player.plays_on(start)]
        digits = f", press keys 0 to {len(start) - 1}" if len(start) <= MAX_KEYS else ""
        pages = ", Page Up, Page Down" if self.layered else ""
        self.invitation = f"Click a free cell{digits}, or use the arrow keys{pages} and Enter."

    def read(self, board: Board, cell: int | tuple[int, ...], *more: object) -> int:
        index = board.cell(cell, *more)
        if board[index] != "-":
            raise CellTaken(f"Cell {index} already holds {board[index]}. Choose a free cell.")
        return index

    pressed = read  # a cell reports its index

    def after(self, board: Board, cell: int) -> Board:
        return board.play(cell)

    def move_name(self, board: Board, cell: int) -> str:
        return f"cell {cell} ({spoken(board, cell)})" if self.layered else f"cell {cell}"

    def result_in_words(self, board: Board, person: Mark, rival: str) -> str:
        if board.winner is None:
            return "It's a draw. The board is full and nobody has a line."
        line = board.winning_lines[0]
        where = f", from cell {line[0]} to cell {line[-1]}" if self.layered else ""
        who = f"You win! {person}" if board.winner == person else f"You lose. {rival}"
        return f"{who} has {board.k} in a row{where}."

    def options(self, scene: Scene) -> str:
        boxes = checkbox("Show cell numbers", "numbers", scene.numbers)
        boxes += checkbox("Show threats", "threats", scene.threats)
        return boxes + (menu("View", "look", LOOK_NAMES, scene.look) if self.layered else "")

    def choice(self, before: Board, cell: int, values: Mapping[int, float], player: Player, by_number: bool) -> str:
        reason = escape(self._reason(before, cell, values, player, by_number))
        words = f"<strong>What {escape(player.name)} saw</strong> as {before.turn} before its move. It {reason}."
        picture = draw(before, values=values, fills={cell: CHOSEN})
        return f'<figure class="saw"><figcaption>{words}</figcaption>{picture}</figure>'

    def _reason(self, before: Board, cell: int, values: Mapping[int, float], player: Player, by_number: bool) -> str:
        """What decided a player's move: a rule with priority, or a number."""
        if player in WIN_AND_BLOCK_FIRST:
            for mark, rule in ((before.turn, "completed its line"), (opponent(before.turn), "blocked")):
                if any(cell in line for line in threats(before, mark)):
                    return f"{rule} in the coloured cell without looking at the numbers"
        if values[cell] < max(values.values()):
            return "played the coloured cell, although other numbers are higher"
        return f"{'chose' if by_number else 'played'} the coloured cell, {signed(values[cell])}"
