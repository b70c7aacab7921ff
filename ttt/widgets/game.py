"""A game on screen: a person, a player who thinks in the background, and the board between them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from html import escape
from random import Random
from threading import RLock, Thread
from typing import Any

from ttt.board import Board, BoardError, CellTaken, GameOver, Mark, opponent, require_board
from ttt.heuristics import Heuristic, HeuristicError, move_values
from ttt.limits import explained
from ttt.players import PLAYERS, AnyPlayer, Player, PlayerError, as_player
from ttt.players.negamax import outcome
from ttt.players.perfect import early_win, prospect
from ttt.players.player import WrongBoard
from ttt.svg import draw, signed, spoken
from ttt.widgets.board_view import BoardView
from ttt.widgets.hints import QUICK, advice
from ttt.widgets.panel import button, checkbox, menu, slider
from ttt.widgets.thinking import Thought

FAULTS = (Exception, KeyboardInterrupt, SystemExit)  # what a student's player may stop with
EXPECTED = (BoardError, PlayerError, HeuristicError, KeyboardInterrupt)  # what the lab itself raises, and interrupts
SIDES = {"X": "X, first", "O": "O, second"}
LOOK_NAMES = {"slanted": "Slanted", "turned": "Turned", "side": "Side by side"}
BEST_PLAY = "with best play, as the side to move sees it"
MEANINGS: dict[Heuristic, str] = {
    outcome: f"how the game ends {BEST_PLAY}: a win +1, a draw 0, a loss −1",
    early_win: f"how the game ends {BEST_PLAY}: a win +1 and 1 more for each cell left free, a draw 0, a loss below 0",
    prospect: f"how the game ends {BEST_PLAY}: a win 1, halved for every move until then, a draw 0, a loss below 0",
}
PATIENCE = 0.2  # seconds for which a click waits for the answer, and as many again before a clock is shown
ASKED_EVERY = 0.5  # seconds between two reports of progress
CHOSEN = "#ffe08a"  # behind the move that the computer chose by its numbers
CUBE = Board(shape=(4, 4, 4))


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


class GameBoard(BoardView):
    """A game between a person and a player, on a board in the notebook.

    Args:
        opponent: a player, a registered name, or your own function from a board to a cell.
        person: your mark; X moves first.
        start: the board to start from, of any shape.
        heuristic: what "Show what the computer sees" writes into the free cells; by default the opponent's own
            heuristic, where it has one.
        seconds: how long a player of your own may think about a move; then it is stopped as by Stop. None for no limit.
            The lab's own players have none.
        look: how layers are arranged: "slanted", "turned" or "side".
        rng: the random generator for the opponent.

    Everything works from Python as well: `play`, `new_game`, `undo`, `hint`, `stop` and `replay` do what clicks and
    buttons do; `sees` can be set, and `numbers`, `threats` and `look`, followed by `refresh()`; `board`, `score`,
    `message` and `thinking` tell how things stand. Errors are reported on the board, and raised if Python asked.

    On screen the computer thinks in the background, and Stop makes it move at once, with a quick move if need be. From
    Python, `play` and `new_game` wait for the answer, and interrupting the kernel leaves the game as it was before the
    computer's move.

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
        seconds: float | None = 10,
        look: str = "side",
        rng: Random | None = None,
    ) -> None:
        self._start = Board() if start is None else start
        require_board(self._start, type(self).__name__)
        self._opponent = as_player(opponent)
        self._person = _mark(person)
        self._given = heuristic
        self._seconds = seconds
        self._rng = rng or Random()
        self._boards = [self._start]  # all positions of this game, the current one last
        self._moves: list[int] = []  # the cells played, each leading from one position to the next
        self._replayed: int | None = None  # the number of moves that a replay shows
        self._hinted: int | None = None
        self._fault = ""  # of the heuristic, reported with the next message
        self._lock = RLock()  # clicks, notebook cells and thoughts run in different threads
        self._thought: Thought | None = None  # the latest one, unless it was dropped
        self._waited = False  # whether a notebook cell waits for the move, so that no button works
        self._sees = False
        self.score = Score()
        self._offered = {player.name: player for player in PLAYERS.values() if player.plays_on(self._start)}
        super().__init__(self._start, self._person_plays, look=look)
        self.do("new_game")

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
        return self._opponent

    @opponent.setter
    def opponent(self, player: AnyPlayer) -> None:
        self._change_opponent(as_player(player))
        self.wait()

    @property
    def person(self) -> Mark:
        """The person's mark; setting it starts a new game."""
        return self._person

    @person.setter
    def person(self, mark: Mark) -> None:
        self._change_person(mark)
        self.wait()

    @property
    def sees(self) -> bool:
        """Whether the board shows what the computer sees."""
        return self._sees

    @sees.setter
    def sees(self, shown: bool) -> None:
        self._sees = bool(shown)
        self._refresh()
        if self._sees and self._heuristic is None:
            self.say(self._no_numbers())
        elif self._fault:
            self._say("")

    @property
    def thinking(self) -> bool:
        """Whether the computer is thinking."""
        return self._thought is not None and not self._thought.taken.is_set()

    def play(self, cell: int | tuple[int, ...], *more: object) -> None:
        """Make the person's move, given by index or coordinates, as in `play((1, 2))`, and wait for the answer to it.

        Raises `OffBoard`, `CellTaken`, `GameOver`, `NotNow`, and whatever the opponent's own code raises; in that
        case only the person's move has been made.
        """
        self._person_plays(cell, *more)
        self.wait()

    def new_game(self) -> None:
        """Start again and keep the score. The computer moves first if the person plays O."""
        self._begin()
        self.wait()

    def wait(self) -> None:
        """Wait until the computer has moved, and raise what stopped it. Interrupting the kernel ends the thinking."""
        thought = self._thought
        if thought is None:
            return
        self._waited = True
        try:
            thought.taken.wait()
        except KeyboardInterrupt:
            with self._reported():
                raise
        finally:
            self._waited = False
        with self._lock:  # until the move of one that was stopped is on the board
            if thought.error and not thought.dropped:
                raise thought.error

    def stop(self) -> None:
        """Make the computer move at once: the best move it has found, or else a quick one. Raises `NotNow`."""
        with self._reported():
            thought = self._thought
            if thought is None or not self.thinking:
                raise NotNow(f"{self.opponent.name} is not thinking.")
            self._cut_short(thought, "was stopped")

    def undo(self) -> None:
        """Take back the person's last move and the answer to it, even after the end. Raises `NotNow`."""
        with self._reported():
            self._require_game()
            mine = [move for move, board in enumerate(self._boards[:-1]) if board.turn == self.person]
            if not mine:
                raise NotNow("There is no move of yours to take back.")
            if self.board.over:
                self._count(-1)
            self._rewind(mine[-1])
            self._say(f"Your move has been taken back. You are {self.person}; choose again.")

    def hint(self) -> int:
        """Point out the best move known, say why, and return its cell. Raises `GameOver` and `NotNow`."""
        with self._reported():
            self._require_turn()
            self._hinted, why = advice(self.board, self._rng)
            self._refresh()
            self._say(f"Hint: {spoken(self.board, self._hinted)}. {why}")
            return self._hinted

    def replay(self, moves: int = 0) -> None:
        """Show the position after this many moves; after the last one the game goes on. Raises `NotNow`."""
        with self._reported():
            self._require_rest()
            if not self._moves:
                raise NotNow("There is no move to replay yet.")
            at = min(max(moves, 0), len(self._moves))
            self._replayed = None if at == len(self._moves) else at
            self._refresh()
            self._say(self._told_again(at), "end" if self.board.over and self._replayed is None else "")

    # ----------------------------------------------------------------------------------------- what the page reports

    def do(self, action: str, value: Any = None) -> None:
        """Errors have been reported on the board."""
        actions: dict[str, Callable[[Any], object]] = {
            "play": lambda cell: self._person_plays(int(cell)),
            "new_game": lambda _: self._begin(),
            "undo": lambda _: self.undo(),
            "hint": lambda _: self.hint(),
            "stop": lambda _: self.stop(),
            "replay": lambda moves: self.replay(int(moves)),
            "opponent": lambda name: self._change_opponent(self._choices()[name]),
            "person": self._change_person,
            "sees": lambda shown: setattr(self, "sees", shown),
        }
        with self._lock, suppress(*FAULTS):
            if action in actions:
                actions[action](value)
            elif action in ("numbers", "threats", "look"):
                setattr(self, action, value)
                self.refresh()

    # ------------------------------------------------------------------------------------------------------ the turns

    def _begin(self) -> None:
        with self._reported():
            self._rewind(0)
            if self._computer_to_move:
                self._continue()
            elif self.board.over:
                self._say(self._ending(), "end")
            else:
                layers = " Page Up and Page Down change the layer." if self.board.layout[0] > 1 else ""
                self._say(f"You are {self.person}. Click a free cell, or use the arrow keys and Enter.{layers}")

    def _person_plays(self, cell: int | tuple[int, ...], *more: object) -> None:
        with self._reported():
            index = self.board.cell(cell, *more)
            self._require_turn()
            if self.board[index] != "-":
                place = spoken(self.board, index).capitalize()
                raise CellTaken(f"{place} is taken by {self.board[index]}. Choose a free cell.")
            self._put(index)
            self._continue()

    def _change_person(self, mark: Mark) -> None:
        self._person = _mark(mark)
        self._begin()

    def _change_opponent(self, player: Player) -> None:
        with self._reported():
            self._opponent = player
            self._refresh()
            if self._computer_to_move:
                self._continue()
            elif not self.board.over:
                self._say(f"Now against {player.name}. Your move.")

    def _require_turn(self) -> None:
        self._require_rest()
        self._require_game()
        if self.board.over:
            raise GameOver(f"{self._ending()} Press New game to play another.")
        if self.board.turn != self.person:
            raise NotNow(
                f"It is {self.board.turn}'s turn, and {self.opponent.name} has not moved. "
                "Undo your move, or choose another opponent."
            )

    def _require_rest(self) -> None:
        if self.thinking:
            raise NotNow(f"{self.opponent.name} is thinking. Wait for its move, or press Stop.")

    def _require_game(self) -> None:
        if self._replayed is not None:
            raise NotNow("This is a replay. Move its slider to the end to continue the game.")

    @property
    def _computer_to_move(self) -> bool:
        return not self.board.over and self.board.turn != self.person

    def _continue(self) -> None:
        """Let the computer think if it is its turn, or else say how things stand."""
        self._drop()
        if not self._computer_to_move:
            self._conclude("")
            return
        thought = self._thought = Thought(self.opponent, self.board, Random(self._rng.random()), self._seconds)
        if thought.over.wait(PATIENCE):
            self._take(thought)
        else:
            self.refresh()  # Stop is there
            Thread(target=self._watch, args=[thought], daemon=True).start()

    def _watch(self, thought: Thought) -> None:
        """Report how far a player's thinking is, until it has a move or its time is up."""
        pause = PATIENCE
        while not thought.over.wait(min(pause, thought.left)) and thought.left:
            self._show_progress(thought, first=pause == PATIENCE)
            pause = ASKED_EVERY
        with suppress(*FAULTS):  # it has been reported on the board
            self._take(thought)

    def _show_progress(self, thought: Thought, first: bool) -> None:
        note = str(thought.asked("progress") or "")
        with self._lock:
            if thought.taken.is_set():
                return
            if first:
                hint = "Press Stop to make it move at once."
                way_out = "If it takes too long: Kernel → Interrupt Kernel." if self._waited else hint
                limit = "" if thought.limit is None else f", for {thought.limit:g} s at most"
                self._say(f"{thought.player.name} is thinking{limit}. {way_out}")
            self._show_clock(" · ".join(filter(None, [f"{int(thought.seconds)} s", note])))

    def _show_clock(self, words: str) -> None:
        self.parts = {"clock": {"text": words}}

    def _cut_short(self, thought: Thought, why: str) -> None:
        """Make the computer move at once."""
        best = thought.best_so_far()
        self._drop()
        cell = QUICK.choose(self.board, self._rng) if best is None else best
        how = f"a quick move of {QUICK.name}" if best is None else "the best it had found"
        self._answer(cell, f"{thought.player.name} {why}. ", f", {how}.")

    def _take(self, thought: Thought) -> None:
        """Make the move that was found, unless the thought was dropped."""
        with self._reported():
            if thought.taken.is_set():
                return
            try:
                if thought.cell is None and not thought.left:
                    self._cut_short(thought, f"had no move after {thought.limit:g} s and was stopped")
                    return
                cell = thought.result()
                thought.taken.set()
                self._show_clock("")
                silent = not thought.remark or self.board.play(cell).over  # no promises once the game is over
                self._answer(cell, "", "." if silent else f". {thought.remark}")
            finally:
                thought.taken.set()

    def _answer(self, cell: int, before: str, after: str) -> None:
        """Make the computer's move and say so, with what it is worth if that is shown."""
        mark, values = self.board.turn, self._seen(self.board)
        self._put(cell)
        worth = f", worth {signed(values[cell])} to {mark}" if values and not self.board.over else ""
        self._conclude(f"{before}{mark} plays {spoken(self.board, cell)}{worth}{after}")

    def _conclude(self, move: str) -> None:
        """Say what the computer did, and whose turn it is or how the game ended."""
        if self.board.over:
            self._count(1)
            self._say(f"{move} {self._ending()}".strip(), "end")
        else:
            self._say(f"{move} Your move.".strip())

    def _drop(self) -> None:
        """Forget what the computer is thinking, and leave the replay."""
        if self._thought:
            self._thought.drop()
        self._thought = None
        self._show_clock("")
        self._replayed = None

    def _put(self, cell: int) -> None:
        self._boards.append(self.board.play(cell))
        self._moves.append(cell)
        self._hinted = None
        self._refresh()

    def _rewind(self, moves: int) -> None:
        """Go back to the position after this many moves."""
        self._drop()
        del self._boards[moves + 1 :], self._moves[moves:]
        self._hinted = None
        self._refresh()

    def _refresh(self) -> None:
        """Show the current position, or the one that a replay has come to."""
        at = len(self._moves) if self._replayed is None else self._replayed
        live = self._replayed is None
        self.show(
            self._boards[at],
            last=self._moves[at - 1] if at else None,
            values=self._seen(self.board) if live and not self._computer_to_move else None,
            hint=self._hinted if live else None,
            playable=live and not self._computer_to_move,
        )

    def _count(self, games: int) -> None:
        """Add the game that has just ended to the score, or take it out again."""
        ends = {None: "draws", self.person: "person", opponent(self.person): "computer"}
        end = ends[self.board.winner]
        self.score = replace(self.score, **{end: getattr(self.score, end) + games})
        self.refresh()

    # ------------------------------------------------------------------------------------------------------ the words

    def _ending(self) -> str:
        if self.board.winner is None:
            return "It is a draw: the board is full and nobody has a line."
        if self.board.winner == self.person:
            return f"You win! {self.person} has {self._winning_line()}."
        return f"You lose: {self.opponent.name} has {self._winning_line()}."

    def _winning_line(self) -> str:
        ends = [spoken(self.board, cell) for cell in (self.board.winning_line or ())[:: self.board.k - 1]]
        where = f", from {' to '.join(ends)}" if self.board.layout[0] > 1 else ""
        return f"{self.board.k} in a row{where}"

    def _told_again(self, moves: int) -> str:
        """The last of so many moves, for a replay."""
        if not moves:
            return f"Replay: before the first of {len(self._moves)} moves."
        before, cell = self._boards[moves - 1], self._moves[moves - 1]
        end = ""
        if moves == len(self._moves):
            end = f" {self._ending()}" if self.board.over else " Back in the game: your move."
        return f"Replay, move {moves} of {len(self._moves)}: {before.turn} plays {spoken(before, cell)}.{end}"

    def _say(self, text: str, tone: str = "") -> None:
        if self._fault:
            text, tone, self._fault = f"{text}\n{self._fault}".strip(), "error", ""
        self.say(text, tone)

    @contextmanager
    def _reported(self) -> Iterator[None]:
        """Say on the board whatever is raised inside, and let it pass on. An interrupt ends the computer's thinking."""
        with self._lock:
            try:
                yield
            except FAULTS as error:
                said = self._blamed(error)
                if isinstance(error, KeyboardInterrupt):
                    self._drop()
                    said += " Undo your move, or choose another opponent."
                self.refresh()
                self._say(said, "error")
                raise

    def _blamed(self, error: BaseException) -> str:
        """What went wrong and whose fault it is: the person's, who asked for it, the player's, or the lab's own."""
        thought = self._thought
        by_player = thought is not None and error is thought.error
        if isinstance(error, EXPECTED) or (thought and by_player and not thought.registered):
            return explained(error, self.opponent.name)
        who = self.opponent.name if by_player else "it"
        return f"This is a fault of the lab, not yours: {explained(error, who)}"

    def __repr__(self) -> str:
        return f"{super().__repr__()}\n{self.score}"

    # --------------------------------------------------------------------------------------- what the computer sees

    @property
    def _heuristic(self) -> Heuristic | None:
        return self._given or self.opponent.sees

    def _seen(self, board: Board) -> dict[int, float]:
        """What the side to move sees, if it is to be shown. The heuristic's fault is told with the next message."""
        heuristic = self._heuristic
        if heuristic is None or not self._sees or board.over:
            return {}
        try:
            return move_values(heuristic, board)
        except Exception as error:
            self._fault = explained(error, getattr(heuristic, "__name__", "The heuristic"))
            return {}

    def _choice(self) -> str:
        """The board as the computer saw it before its last move, with the numbers by which it chose."""
        if not self._moves or self._replayed is not None or self.board.over or self._computer_to_move:
            return ""
        before, cell = self._boards[-2], self._moves[-1]
        values = self._seen(before)
        if not values or before.turn == self.person:
            return ""
        picture = draw(before, values=values, fills={cell: CHOSEN}, look=self.look)
        chose = f"It chose {signed(values[cell])}, the coloured cell."
        if values[cell] < max(values.values()):
            chose = "It chose the coloured cell and not the highest number: it has a rule that comes first."
        words = f"What {self.opponent.name} saw before its move, as {before.turn}. {chose}"
        return f'<figure class="saw">{picture}<figcaption>{escape(words)}</figcaption></figure>'

    def _description(self) -> str:
        """How the opponent plays; or what the numbers mean, if they are shown."""
        about = self.opponent.about
        if not self._sees:
            return about
        heuristic = self._heuristic
        if heuristic is None:
            return f"{about} {self._no_numbers()}".strip()
        name = getattr(heuristic, "__name__", "the heuristic")
        meaning = MEANINGS.get(heuristic, f"{name} after playing there, for the side to move")
        return f"{about} In each free cell: {meaning}. The highest are framed.".strip()

    def _no_numbers(self) -> str:
        """Why there are no numbers in the cells."""
        if self.opponent in PLAYERS.values():
            return f"{self.opponent.name} gives the cells no numbers."
        return f"{self.opponent.name} does not say what numbers it looks at; GameBoard(…, heuristic=…) shows yours."

    # -------------------------------------------------------------------------------------------------- the controls

    def content(self) -> str:
        """The board, one row of verbs, and the rest under Options."""
        stop = button("Stop", "stop") if self.thinking else ""
        verbs = button("New game", "new_game") + button("Undo", "undo") + button("Hint", "hint") + stop
        clock = '<p class="clock" data-part="clock" aria-hidden="true"></p>'
        return (
            f'<div class="table">{self.table()}{self._choice()}</div>'
            f'<div class="verbs">{verbs}<span class="score">{self.score}</span></div>{clock}'
            f"<details><summary>Options</summary>{self._options()}</details>"
        )

    def _options(self) -> str:
        rows = [
            menu("Opponent", "opponent", {label: label for label in self._choices()}, self._label())
            + menu("You play", "person", SIDES, self.person),
            checkbox("Show what the computer sees", "sees", self._sees)
            + checkbox("Show cell numbers", "numbers", self.numbers)
            + checkbox("Show threats", "threats", self.threats),
        ]
        if self._start.layout[0] > 1:
            rows[0] += menu("View", "look", LOOK_NAMES, self.look)
        if self._moves:
            at = len(self._moves) if self._replayed is None else self._replayed
            moves = slider("Replay", "replay", at, len(self._moves))
            rows.append(f"<label>Replay {moves} {at}/{len(self._moves)}</label>")
        about = f'<p class="about">{escape(self._description())}</p>'
        return about + "".join(f'<div class="options">{row}</div>' for row in rows)

    def _choices(self) -> dict[str, Player]:
        """The menu of opponents: the players offered, after one's own."""
        offered = self._offered
        if self.opponent in offered.values():
            return offered
        return {self._label(): self.opponent, **offered}

    def _label(self) -> str:
        """The opponent's name in the menu."""
        name = self.opponent.name
        return f"{name} (yours)" if name in self._offered and self._offered[name] != self.opponent else name


def CubeGame(  # noqa: N802 - it makes a board, as GameBoard does
    opponent: AnyPlayer = "cube-medium",
    *,
    person: Mark = "X",
    start: Board = CUBE,
    heuristic: Heuristic | None = None,
    seconds: float | None = 10,
    look: str = "slanted",
    rng: Random | None = None,
) -> GameBoard:
    """A game of 4×4×4 between a person and a player, on a board in the notebook.

    The arguments are those of `GameBoard`. Raises `WrongBoard` if `start` has another shape.

    >>> game = CubeGame("flash-clever")
    >>> game.play(0)
    >>> game.message
    'O plays layer 1, row 1, column 4. Your move.'
    """
    require_board(start, "CubeGame")
    if not PLAYERS["cube-hard"].plays_on(start):
        shape = "×".join(map(str, start.shape))
        raise WrongBoard(
            f"CubeGame needs a 4×4×4 board with 4 in a row, not {shape} with {start.k}. GameBoard takes any board."
        )
    return GameBoard(opponent, person=person, start=start, heuristic=heuristic, seconds=seconds, look=look, rng=rng)


def _mark(mark: Mark) -> Mark:
    opponent(mark)  # raises for anything but X and O
    return mark
