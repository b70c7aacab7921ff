"""What is special about a game of your own: a button for each move, and the position's own text."""

from collections import defaultdict
from functools import lru_cache
from html import escape
from itertools import count
from random import Random
from typing import Any, NoReturn

from lab.boards.board_view import Scene
from lab.boards.panel import button
from lab.drawing.own_positions import move_name, named_parts, position_text
from lab.timeouts import explained
from ttt.board import BoardError, Mark
from ttt.notation import in_cell
from ttt.players import PLAYERS, greedy
from ttt.position import BadGame, Position, next_position, require_position
from ttt.search import alphabeta
from ttt.words import short_repr


@lru_cache(2**12)
def best_play(position: Position, player: Mark) -> float:
    """A heuristic: the result for a player with best play. Win +1, draw 0, loss −1."""
    value = alphabeta(position, table=True).value
    return value if position.turn == player else -value


class OwnGame:
    """What is special about any game but those on a board: a `ShownGame`."""

    opponent = "random"
    players = PLAYERS["random"], greedy(best_play, "best-play")
    judge = staticmethod(best_play)
    move_name = staticmethod(move_name)
    verbs = ""
    invitation = "Press a button to move; the arrow keys go from button to button."
    numbers_in_words = "Next to each move: what `{}` says of the position after that move, from your point of view."
    options = choice = staticmethod(lambda *_: "")  # no cells to mark or to write numbers into

    def __init__(self, start: Position) -> None:
        require_position(start, "GameBoard")

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
        """The position and its moves: "take 1 from heap 2" is in heap 2's box; tuples that begin alike share a row."""
        here, text, places = scene.position, position_text(scene.position), count()
        parts = named_parts(text)
        labels = {label.lower(): label for label, _ in parts}
        rows: defaultdict[Any, list[tuple[int, str, str]]] = defaultdict(list)
        for index, move in enumerate(() if here.over else here.moves):
            name, first = move_name(here, move), move[0] if isinstance(move, tuple) and move else None
            what, _, where = name.partition(" from ")
            box = labels.get(where.lower())
            rows[box or first].append((index, name, what if box else name))

        def verbs(row: list[tuple[int, str, str]]) -> str:
            buttons = "".join(_move_button(scene, index, next(places), *names) for index, *names in row)
            return f'<div class="verbs">{buttons}</div>' if row else ""

        boxes = "".join(f"<div>{_said(label, shown)}{verbs(rows.pop(label, []))}</div>" for label, shown in parts)
        said = f'<div class="own boxes">{boxes}</div>' if parts else f'<pre class="own">{escape(text)}</pre>'
        below = "".join(map(verbs, rows.values()))
        return f'<div class="position" role="toolbar" aria-label="Moves">{said}{below}</div>'


def _said(label: str, shown: str) -> str:
    """A box's name and what is in it; a word, such as "empty", is as small as the name."""
    kind = "small" if shown.isalpha() and shown.islower() else "span"
    return f"<small>{escape(label)}</small> <{kind}>{escape(shown)}</{kind}>"


def _move_button(scene: Scene, index: int, place: int, name: str, shown: str) -> str:
    """A move's button, with what is shown of its name; the arrow keys go from place to place."""
    move = scene.position.moves[index]
    value = f" ({in_cell(scene.values[move])})" if move in scene.values else ""
    heard = None if shown == name else name + value
    given = {"data_at": f"0 0 {place}", "tabindex": -1, "aria_label": heard}
    given["aria_disabled"] = None if scene.playable else "true"
    return button(shown + value, "play", data_value=index, **given)
