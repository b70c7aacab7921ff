"""What is special about a game of your own: a button for each move, and the position's own text."""

import re
from collections import defaultdict
from functools import lru_cache
from html import escape
from itertools import count
from random import Random
from typing import Any, NoReturn

from lab.boards.board_view import Scene
from lab.boards.panel import button
from lab.drawing.own_positions import move_name, position_text
from lab.timeouts import explained
from ttt.board import BoardError, Mark
from ttt.notation import in_cell
from ttt.players import PLAYERS, Player, greedy
from ttt.position import BadGame, Position, next_position, require_position
from ttt.search import alphabeta
from ttt.words import short_repr


@lru_cache(2**12)
def best_play(position: Position, player: Mark) -> float:
    """A heuristic: the result for a player with best play. Win +1, draw 0, loss −1."""
    value = alphabeta(position, table=True).value
    return value if position.turn == player else -value


class OwnGame:
    """Any game but those on a board, which are a `board_game.BoardGame`."""

    opponent = "random"
    players = PLAYERS["random"], greedy(best_play, "best-play")
    judge = staticmethod(best_play)
    move_name = staticmethod(move_name)
    verbs = ""

    def __init__(self, start: Position) -> None:
        require_position(start, "GameBoard")

    def invitation(self) -> str:
        return "Press a button to move; the arrow keys go from button to button."

    def numbers_in_words(self, name: str) -> str:
        return f"Next to each move: what `{name}` says of the position after that move, from your point of view."

    def read(self, position: Any, move: Any, *more: object) -> Any:
        """The move that a person means; `play(1, 2)` means the move (1, 2)."""
        move, moves = (move, *more) if more else move, position.moves
        if move not in moves:
            there = "The only move is" if len(moves) == 1 else "The moves are"
            raise BoardError(f"{short_repr(move)} is not a move here. {there} {', '.join(map(short_repr, moves))}.")
        return moves[moves.index(move)]

    def pressed(self, position: Any, index: int) -> Any:
        return position.moves[index]

    def after(self, position: Any, move: Any) -> Any:
        try:
            return next_position(position, move)
        except Exception as error:  # of the game, not of a player
            raise BadGame(explained(error, type(position).__name__)) from error

    def hint(self, position: Any, rng: Random) -> NoReturn:
        raise BoardError("Only boards have hints. Try “Show what the computer sees” for the worth of each move.")

    def result_in_words(self, position: Any, person: Mark, rival: str) -> str:
        winner = position.winner
        if winner is None:
            return "It's a draw."
        return f"You win as {winner}!" if winner == person else f"You lose. {rival} wins as {winner}."

    def html(self, scene: Scene) -> str:
        """The position and its moves in rows; tuples that begin alike, as with one heap, share a row.

        If all names in a row end alike, as in "take 1 from heap 2", the ending stands once, in front, and so does a
        common beginning.
        """
        here, places, moves = scene.position, count(), ""
        rows: defaultdict[Any, dict[int, list[str]]] = defaultdict(dict)  # the words of each move's name, by its number
        for index, move in enumerate(() if here.over else here.moves):
            row = rows[move[0] if isinstance(move, tuple) and move else None]
            row[index] = move_name(here, move).split()
        last = _shared([[name[::-1] for name in row.values()] for row in rows.values()])
        first = _shared([[name[:-last] for name in row.values()] for row in rows.values()]) if last else 0
        for row in rows.values():
            buttons = ""
            for index, name in row.items():
                end = len(name) - last
                buttons += _move_button(scene, index, next(places), " ".join(name), " ".join(name[first:end]))
            about = ", ".join(" ".join(part) for part in (name[end:], name[:first]) if part)  # alike in a row
            in_front = f'<span class="ending" aria-hidden="true">{escape(about)}</span>' if about else ""
            moves += f'<div class="verbs">{in_front}{buttons}</div>'
        said = _in_parts(escape(position_text(here)))
        return f'<div class="position">{said}<div role="toolbar" aria-label="Moves">{moves}</div></div>'

    def options(self, scene: Scene) -> str:
        return ""

    def choice(self, before: Any, move: Any, values: object, player: Player, by_number: bool) -> str:
        return ""  # no cells to write numbers into


def _in_parts(text: str) -> str:
    """A position's text; what two spaces or more keep apart in a single line, such as heaps, gets a box each.

    In a box, a name with a colon is smaller than what it names.
    """
    parts = re.split(" {2,}", text.strip())
    if len(parts) > 1 and "\n" not in text:
        named = [re.sub("^([^:]+: )", r"<small>\1</small>", part) for part in parts]
        text = "  ".join(f"<span>{part}</span>" for part in named)
    return f'<pre class="own">{text}</pre>'


def _shared(rows: list[list[list[str]]]) -> int:
    """How many first words the names in each row share, if there are several rows."""
    shortest = min((len(name) for row in rows for name in row), default=0)
    same = [size for size in range(1, shortest) if all(name[:size] == row[0][:size] for row in rows for name in row)]
    several = len(rows) > 1 and any(len(row) > 1 for row in rows)
    return max(same, default=0) if several else 0


def _move_button(scene: Scene, index: int, place: int, name: str, shown: str) -> str:
    """A move's button, with what is shown of its name; the arrow keys go from place to place."""
    move = scene.position.moves[index]
    value = f" ({in_cell(scene.values[move])})" if move in scene.values else ""
    heard = None if shown == name else name + value
    given = {"data_at": f"0 0 {place}", "tabindex": -1, "aria_label": heard}
    given["aria_disabled"] = None if scene.playable else "true"
    return button(shown + value, "play", data_value=index, **given)
