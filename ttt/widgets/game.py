"""A game on screen: a board with everything needed to play on it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from html import escape
from random import Random
from typing import Any

import ipywidgets

from ttt.board import Board, BoardError, CellTaken, GameOver, Mark, opponent
from ttt.heuristics import Heuristic, move_values, open_lines
from ttt.players import PLAYERS, AnyPlayer, Player, as_player, best_moves, explained
from ttt.players.negamax import outcome
from ttt.players.perfect import prospect
from ttt.search.result import counted
from ttt.svg import Picture, signed, spoken
from ttt.widgets.snapshot import Snapshot
from ttt.widgets.view import BoardView, threats

QUICK = PLAYERS["flash-mended"]  # finds a move at once on any board
SEARCHED = 10  # with this many free cells or fewer, a hint is searched to the end
FAULTS = (Exception, KeyboardInterrupt, SystemExit)  # what a student's player may stop with
END = "+1 where the side to move wins with best play, −1 where it loses, 0 for a draw"
SIDES = {"X, first": "X", "O, second": "O"}


class NotNow(BoardError):
    """The game can't do this at the moment; the message says why and what to do."""


@dataclass(frozen=True)
class Score:
    """How the games of a session ended."""

    person: int = 0
    computer: int = 0
    draws: int = 0

    def __str__(self) -> str:
        return f"You {self.person} · Computer {self.computer} · Draws {self.draws}"


class ScreenGame(Snapshot, ipywidgets.VBox):  # type: ignore[misc]
    """What all games on screen share: a person, a player, the board between them, Undo, Hint and the score.

    Subclasses implement `_continue`, which lets the computer move, and `_lay_out`, which arranges board and controls.
    """

    def __init__(self, opponent: AnyPlayer, person: Mark, start: Board, rng: Random | None) -> None:
        self._start = start
        self._rng = rng or Random()
        self._boards = [start]  # all positions of this game, the current one last
        self._moves: list[int] = []  # the cells played, each leading from one position to the next
        self._hinted: int | None = None
        self._observers: dict[ipywidgets.Widget, Callable[..., None]] = {}
        self.score = Score()
        self.view = BoardView(start, self._quietly(self._person_plays))
        self._make_controls(as_player(opponent), person)
        super().__init__(self._lay_out())
        self._quietly(self._begin)()

    @property
    def board(self) -> Board:
        """The current position."""
        return self._boards[-1]

    @property
    def last(self) -> int | None:
        """The cell of the last move; None before the first."""
        return self._moves[-1] if self._moves else None

    @property
    def opponent(self) -> Player:
        """The player the person plays against. Set it at any time, to a player, a name or a function."""
        return self._opponents.value  # type: ignore[no-any-return]

    @opponent.setter
    def opponent(self, player: AnyPlayer) -> None:
        chosen = as_player(player)
        with self._unobserved(self._opponents):
            self._opponents.options = self._choices(chosen)
            self._opponents.value = chosen
        self._opponent_changed()
        self.wait()

    @property
    def person(self) -> Mark:
        """The person's mark; setting it starts a new game."""
        return SIDES[self._side.value]

    @person.setter
    def person(self, mark: Mark) -> None:
        opponent(mark)  # raises UnknownMark
        with self._unobserved(self._side):
            self._side.value = next(label for label, side in SIDES.items() if side == mark)
        self.new_game()

    @property
    def message(self) -> str:
        """The message above the board."""
        return str(self.view.status["text"])

    def play(self, cell: int | tuple[int, ...]) -> None:
        """Make the person's move and let the computer answer.

        Raises `OffBoard`, `CellTaken`, `GameOver`, `NotNow`, and whatever the opponent's own code raises; in that
        case only the person's move has been made.
        """
        self._person_plays(cell)
        self.wait()

    def new_game(self) -> None:
        """Start again and keep the score. The computer moves first if the person plays O."""
        self._begin()
        self.wait()

    def wait(self) -> None:
        """Wait until the computer has moved, if it moves in the background, and raise whatever stopped it."""

    def undo(self) -> None:
        """Take back the person's last move and the answer to it, even after the end. Raises `NotNow`."""
        with self._reported():
            mine = [move for move, board in enumerate(self._boards[:-1]) if board.turn == self.person]
            if not mine:
                raise NotNow("There is no move of yours to take back.")
            if self.board.over:
                self._count(-1)
            self._rewind(mine[-1])
            self._refresh()
            self._say(f"Your move has been taken back. You are {self.person}; choose again.")

    def hint(self) -> int:
        """Point out the best move known, say why, and return its cell. Raises `GameOver` and `NotNow`."""
        with self._reported():
            self._require_turn()
            self._hinted, why = self._advice()
            self._refresh()
            self._say(f"Hint: {spoken(self.board, self._hinted)}. {why}")
            return self._hinted

    def snapshot(self) -> Picture:
        return self.view.snapshot()

    def _person_plays(self, cell: int | tuple[int, ...]) -> None:
        with self._reported():
            index = self.board.cell(cell)
            self._require_turn()
            if self.board[index] != "-":
                place = spoken(self.board, index).capitalize()
                raise CellTaken(f"{place} is taken by {self.board[index]}. Choose a free cell.")
            self._put(index)
            self._continue()

    def _begin(self) -> None:
        with self._reported():
            self._rewind(0)
            self._refresh()
            if self._computer_to_move:
                self._continue()
            elif self.board.over:
                self._say(self._ending(), "end")
            else:
                layers = " Page Up and Page Down change the layer." if self.board.layout[0] > 1 else ""
                self._say(f"You are {self.person}. Click a free cell, or use the arrow keys and Enter.{layers}")

    def _require_turn(self) -> None:
        if self.board.over:
            raise GameOver(f"{self._ending()} Press New game to play another.")
        if self.board.turn != self.person:
            raise NotNow(
                f"It is {self.board.turn}'s turn, and {self.opponent.name} has not moved. "
                "Undo your move, or choose another opponent."
            )

    @property
    def _computer_to_move(self) -> bool:
        return not self.board.over and self.board.turn != self.person

    def _continue(self) -> None:
        """Let the computer move if it is its turn, then say how things stand."""
        raise NotImplementedError

    def _conclude(self, move: str) -> None:
        """Say what the computer did, and whose turn it is or how the game ended."""
        if self.board.over:
            self._count(1)
            self._say(f"{move} {self._ending()}".strip(), "end")
        else:
            self._say(f"{move} Your move.".strip())

    def _put(self, cell: int) -> None:
        self._boards.append(self.board.play(cell))
        self._moves.append(cell)
        self._hinted = None
        self._refresh()

    def _rewind(self, moves: int) -> None:
        """Go back to the position after this many moves."""
        del self._boards[moves + 1 :], self._moves[moves:]
        self._hinted = None

    def _ending(self) -> str:
        if self.board.winner is None:
            return "It is a draw: the board is full and nobody has a line."
        if self.board.winner == self.person:
            return f"You win! {self.person} has {self._winning_line()}."
        return f"You lose: {self.opponent.name} has {self._winning_line()}."

    def _winning_line(self) -> str:
        return f"{self.board.k} in a row"

    def _count(self, games: int) -> None:
        """Add the game that has just ended to the score, or take it out again."""
        ends = {None: "draws", self.person: "person", opponent(self.person): "computer"}
        end = ends[self.board.winner]
        self.score = replace(self.score, **{end: getattr(self.score, end) + games})
        self._score.value = str(self.score)

    def _advice(self) -> tuple[int, str]:
        """A cell and why: of the moves that a search to the end finds best, the one with the most open lines."""
        board = self.board
        if len(board.moves) > SEARCHED:
            cell = QUICK.choose(board, self._rng)
            return cell, f"It {self._reason(cell)}."
        values = move_values(prospect, board)
        cell = max(best_moves(values), key=lambda cell: open_lines(board.play(cell), board.turn))
        return cell, f"It {self._reason(cell)}.{_outlook(values[cell])}"

    def _reason(self, cell: int) -> str:
        """Why a move is a good one: it wins, it blocks, or what heuristic 2 says about it."""
        board, rival = self.board, opponent(self.board.turn)
        after = board.play(cell)
        if after.winner:
            return "completes your line"
        if any(threat.mark == rival and threat.cell == cell for threat in threats(board)):
            return f"stops {rival}'s line"
        worth = open_lines(after, board.turn)
        if worth == 0:
            return f"leaves you as many open lines as {rival}"
        more = "more" if worth > 0 else "fewer"
        return f"leaves you {counted(abs(worth), f'{more} open line')} than {rival}"

    def _refresh(self) -> None:
        """Show the current position."""
        self.view.show(self.board, last=self.last, hint=self._hinted)

    def _say(self, text: str, tone: str = "") -> None:
        self.view.say(text, tone)

    @contextmanager
    def _reported(self) -> Iterator[None]:
        """Say on the board whatever is raised inside, and let it pass on."""
        try:
            yield
        except FAULTS as error:
            self._say(explained(error, self.opponent.name), "error")
            raise

    def _quietly(self, action: Callable[..., Any]) -> Callable[..., None]:
        """A handler for clicks, which drops errors: they have been reported on the board."""

        def handler(*arguments: Any) -> None:
            with suppress(*FAULTS):
                action(*arguments)

        return handler

    @contextmanager
    def _unobserved(self, control: ipywidgets.Widget) -> Iterator[None]:
        """Change a control from Python, without the handler that a person's change would call."""
        control.unobserve(self._observers[control], "value")
        try:
            yield
        finally:
            control.observe(self._observers[control], "value")

    def _make_controls(self, chosen: Player, person: Mark) -> None:
        """Make the buttons and switches that every game has."""
        opponent(person)  # raises UnknownMark
        labels = {side: label for label, side in SIDES.items()}
        self._opponents = dropdown("Opponent", self._choices(chosen), chosen)
        self._about = ipywidgets.HTML(escape(chosen.about))  # unlike a Label, it wraps
        self._side = dropdown("You play", list(SIDES), labels[person])
        self._numbers = checkbox("Show cell numbers")
        self._score = ipywidgets.Label(str(self.score), style={"font_weight": "bold"})
        actions = {"New game": self._begin, "Undo": self.undo, "Hint": self.hint}
        self._buttons = [self._button(label, action) for label, action in actions.items()]
        self._observe(self._opponents, self._opponent_changed)
        self._observe(self._side, self._begin)
        ipywidgets.jslink((self._numbers, "value"), (self.view, "numbers"))

    def _lay_out(self) -> list[ipywidgets.Widget]:
        """Arrange the board and its controls."""
        raise NotImplementedError

    def _observe(self, control: ipywidgets.Widget, action: Callable[[], Any]) -> None:
        self._observers[control] = self._quietly(lambda _change: action())
        control.observe(self._observers[control], "value")

    def _button(self, label: str, action: Callable[[], Any]) -> ipywidgets.Button:
        button = ipywidgets.Button(description=label, layout=ipywidgets.Layout(width="auto"))
        button.on_click(self._quietly(lambda _button: action()))
        return button

    def _choices(self, chosen: Player) -> list[tuple[str, Player]]:
        """What the menu of opponents offers: the registered players for this board, and the one chosen."""
        return named(chosen, [player for player in PLAYERS.values() if player.plays_on(self._start)])

    def _opponent_changed(self) -> None:
        self._show_about()
        self._refresh()
        if self._computer_to_move:
            with self._reported():
                self._continue()
        elif not self.board.over:
            self._say(f"Now against {self.opponent.name}. Your move.")

    def _show_about(self) -> None:
        self._about.value = escape(self._description())

    def _description(self) -> str:
        """How the opponent plays."""
        return self.opponent.about

    def __repr__(self) -> str:
        return f"{self.view!r}\n{self.score}"


class GameBoard(ScreenGame):
    """A game between a person and a player, on a board in the notebook.

    Args:
        opponent: a player, a registered name, or your own function from a board to a cell.
        person: your mark; X moves first.
        start: the board to start from, of any shape.
        heuristic: what "Show what the computer sees" writes into the free cells; by default the opponent's own
            heuristic, or else the open lines.
        rng: the random generator for the opponent.

    Everything works from Python as well: `play`, `new_game`, `undo` and `hint` do what clicks and buttons do; `board`,
    `score` and `message` tell how things stand. Errors are reported on the board, and raised if Python asked.

    >>> game = GameBoard("flash-clever")
    >>> game.play(4)
    >>> print(game.board)
    O - -
    - X -
    - - -
    """

    def __init__(
        self,
        opponent: AnyPlayer = "flash-clever",
        *,
        person: Mark = "X",
        start: Board | None = None,
        heuristic: Heuristic | None = None,
        rng: Random | None = None,
    ) -> None:
        self._given = heuristic
        self._fault = ""  # of the heuristic, reported with the next message
        super().__init__(opponent, person, Board() if start is None else start, rng)

    def _continue(self) -> None:
        self._conclude(self._answer() if self._computer_to_move else "")

    def _answer(self) -> str:
        """Make the computer's move and put it into words."""
        if self.opponent not in PLAYERS.values():
            self._say(f"{self.opponent.name} is thinking. If it takes too long: Kernel → Interrupt Kernel.")
        before, cell = self.board, self.opponent.choose(self.board, self._rng)
        self._put(cell)
        return f"{before.turn} plays {spoken(before, cell)}{self._worth(before, cell)}."

    @property
    def _heuristic(self) -> Heuristic:
        return self._given or self.opponent.sees or open_lines

    def _worth(self, before: Board, cell: int) -> str:
        values = self._values(before)
        return f", worth {signed(values[cell])} to {before.turn}" if values and not self.board.over else ""

    def _values(self, board: Board) -> dict[int, float]:
        """What the computer sees, if it is to be shown. A fault of the heuristic is reported with the next message."""
        if not self._sees.value:
            return {}
        try:
            return move_values(self._heuristic, board)
        except Exception as error:
            self._fault = explained(error, getattr(self._heuristic, "__name__", "The heuristic"))
            return {}

    def _refresh(self) -> None:
        self.view.show(self.board, last=self.last, values=self._values(self.board), hint=self._hinted)

    def _say(self, text: str, tone: str = "") -> None:
        if self._fault:
            text, tone, self._fault = f"{text}\n{self._fault}".strip(), "error", ""
        super()._say(text, tone)

    def _make_controls(self, chosen: Player, person: Mark) -> None:
        super()._make_controls(chosen, person)
        self._sees = checkbox("Show what the computer sees")
        self._observe(self._sees, self._sees_changed)

    def _lay_out(self) -> list[ipywidgets.Widget]:
        rows = [(*self._buttons, self._score), (self._opponents, self._side), (self._sees, self._numbers)]
        return [self.view, *(row(*widgets) for widgets in rows), self._about]

    def _sees_changed(self) -> None:
        self._show_about()
        with self._reported():
            self._refresh()
            if self._fault:
                self._say("")

    def _description(self) -> str:
        """What the numbers mean if they are shown, otherwise how the opponent plays."""
        if not self._sees.value:
            return super()._description()
        name = getattr(self._heuristic, "__name__", "the heuristic")
        meaning = END if self._heuristic is outcome else f"{name} after playing there, for the side to move"
        return f"In each free cell: {meaning}. The highest are framed."


def _outlook(value: float) -> str:
    """What to expect after the best move, unless it is a draw (0) or the move itself wins (1)."""
    if value in (0, 1):
        return ""
    return " You can win from here." if value > 0 else " But your opponent can win from here."


def named(chosen: Player, players: Iterable[Player]) -> list[tuple[str, Player]]:
    """The options of a menu: these players by name, after the chosen one if it isn't among them."""
    offered = [(player.name, player) for player in players]
    if chosen in dict(offered).values():
        return offered
    label = f"{chosen.name} (yours)" if chosen.name in dict(offered) else chosen.name
    return [(label, chosen), *offered]


def row(*widgets: ipywidgets.Widget) -> ipywidgets.HBox:
    """Widgets side by side, wrapped on a narrow page."""
    layout = ipywidgets.Layout(flex_flow="row wrap", align_items="center", grid_gap="4px 16px", overflow="visible")
    return ipywidgets.HBox(widgets, layout=layout)


def dropdown(label: str, options: list[Any], value: Any) -> ipywidgets.Dropdown:
    layout, style = ipywidgets.Layout(width="auto"), {"description_width": "initial"}
    return ipywidgets.Dropdown(description=label, options=options, value=value, layout=layout, style=style)


def checkbox(label: str) -> ipywidgets.Checkbox:
    return ipywidgets.Checkbox(description=label, indent=False, layout=ipywidgets.Layout(width="auto"))
