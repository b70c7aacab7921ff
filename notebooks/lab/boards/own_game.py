"""Your own game on screen: the position as it draws or describes itself, and a button for each move."""

from collections import defaultdict
from collections.abc import Sequence
from contextlib import suppress
from functools import lru_cache
from html import escape
from itertools import accumulate, count
from typing import Any

from lab.boards.game import BEST_PLAY, FAULTS, MEANINGS, GameBoard
from lab.boards.panel import attributes
from lab.drawing.own_positions import image, move_name, picture, words
from lab.timeouts import explained
from ttt.board import BoardError, Mark, short_repr
from ttt.heuristics import Heuristic
from ttt.notation import in_cell
from ttt.players import PLAYERS, AnyPlayer, Player, greedy
from ttt.position import BadGame, Position, next_position, require_position
from ttt.search import alphabeta
from ttt.svg import Picture


@lru_cache(2**12)
def best_play(position: Position, player: Mark) -> float:
    """A heuristic: the result for a player with best play. Win +1, draw 0, loss −1."""
    value = alphabeta(position, table=True).value
    return value if position.turn == player else -value


MEANINGS[best_play] = f"{BEST_PLAY} (win +1, draw 0, loss −1)"
SEARCH = greedy(best_play, "best-play")


class OwnGame(GameBoard):
    """Your own game, played by a person against a player; `GameBoard(start=...)` makes it."""

    quick, has_cells, longest = PLAYERS["random"], False, 2

    def __init__(self, opponent: AnyPlayer = "random", **options: Any) -> None:
        super().__init__(opponent, **options)

    def show(self, board: Any, **_: Any) -> None:
        """Show a position."""
        self.shown, self._values = board, {}

    def hint(self) -> int:
        with self._told():
            raise BoardError("Only boards have hints. Try “Show what the computer sees” for the worth of each move.")

    def do(self, action: str, value: Any = None) -> None:
        """Handle an action on the page; actions meant for an earlier position are ignored."""
        if action != "play":
            super().do(action, value)
            return
        ply, index = map(int, value.split())
        if ply == len(self._moves):
            with suppress(*FAULTS):
                self._play(self.shown.moves[index])

    def _play(self, move: Any, *more: object) -> None:
        with self._told():
            self._require_turn()
            move, moves = (move, *more) if more else move, self.board.moves
            if move not in moves:
                there = "The only move is" if len(moves) == 1 else "The moves are"
                raise BoardError(f"{short_repr(move)} is not a move here. {there} {', '.join(map(short_repr, moves))}.")
            self._go([*self._moves, moves[moves.index(move)]])

    def _required(self, start: Any) -> Any:
        require_position(start, "GameBoard", BoardError)
        return start

    def _rivals(self) -> Sequence[Player]:
        return PLAYERS["random"], SEARCH

    def _judge(self) -> Heuristic:
        return super()._judge() or best_play

    def _invitation(self) -> str:
        return "Press a button to make that move; the arrow keys go from button to button."

    def _after(self, moves: list[Any]) -> list[Any]:
        try:
            return list(accumulate(moves, next_position, initial=self._start))
        except Exception as error:  # of the game, not of a player
            raise BadGame(explained(error, type(self._start).__name__)) from error

    def _ending(self) -> str:
        winner = self.board.winner
        if winner is None:
            return "It's a draw."
        return f"You win as {winner}!" if winner == self.person else f"You lose: {self.opponent.name} wins as {winner}."

    def _meaning(self) -> str:
        return super()._meaning().replace("In each free cell", "Next to each move").partition(" The highest")[0]

    def _choice(self) -> str:
        return ""  # no cells to write numbers into

    def table(self) -> str:
        """The position and its moves in rows; tuples that begin alike, as with one heap, share a row."""
        here = self.shown
        rows: defaultdict[Any, list[int]] = defaultdict(list)
        for index, move in enumerate(() if here.over else here.moves):
            rows[move[0] if isinstance(move, tuple) and move else None].append(index)
        places, moves = count(), ""
        for row in rows.values():
            moves += f'<div class="verbs">{"".join(self._button(index, next(places)) for index in row)}</div>'
        said, source = escape(words(here)), image(here)
        look = f'<img class="own" alt="{said}" src="{source}">' if source else f'<pre class="own">{said}</pre>'
        return f'<div class="position">{look}<div role="toolbar" aria-label="Moves">{moves}</div></div>'

    def _button(self, index: int, place: int) -> str:
        """A move's button, marked with the ply it belongs to; the arrow keys go from place to place."""
        move = self.shown.moves[index]
        name = move_name(self.shown, move) + (f" ({in_cell(self._values[move])})" if move in self._values else "")
        given = attributes(
            type="button",
            data_do="play",
            data_value=f"{len(self._moves)} {index}",
            data_at=f"0 0 {place}",
            tabindex="-1",
            aria_disabled=None if self._playable else "true",
        )
        return f"<button{given}>{escape(name)}</button>"

    def snapshot(self) -> Picture:
        return picture(self.shown, self.message)
