"""A game on screen: a person, a player that thinks in the background, and the board between them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from html import escape
from itertools import accumulate
from math import inf
from random import Random
from threading import TIMEOUT_MAX, Event, RLock, Thread
from time import monotonic
from typing import Any, NamedTuple, Self

from lab.boards.board_view import BoardView
from lab.boards.hints import QUICK, advice
from lab.boards.panel import button, checkbox, menu, stepper
from lab.drawing.cards import prose
from lab.drawing.own_positions import move_name, move_told
from lab.timeouts import THREADS, end, explained, timeout
from ttt.board import Board, BoardError, CellTaken, GameOver, Mark, require_board
from ttt.board import opponent as rival
from ttt.heuristics import Heuristic, move_values, open_lines
from ttt.notation import signed
from ttt.players import PLAYERS, AnyPlayer, Player, as_player
from ttt.players.negamax import early_win, outcome, prospect
from ttt.players.rules import threats
from ttt.position import Position
from ttt.svg import draw

FAULTS = (Exception, KeyboardInterrupt, SystemExit)  # what a student's player may raise
SIDES = {"X": "X, moves first", "O": "O, moves second"}
LOOK_NAMES = {"slanted": "Slanted", "turned": "Turned", "side": "Side by side"}
BEST_PLAY = "the result with best play, for the side to move"
MEANINGS: dict[Heuristic, str] = {
    outcome: f"{BEST_PLAY} (win +1, draw 0, loss −1)",
    early_win: f"{BEST_PLAY} (win +1, plus 1 for each cell left free; draw 0; loss below 0)",
    open_lines: "after a move there, the open lines of the side to move minus the other side's",
    prospect: f"{BEST_PLAY} (win 1, halved for each move still to play; draw 0; loss below 0)",
}
PATIENCE = 0.2  # how long a click waits for the computer's move, in seconds
CHOSEN = "#ffe08a"  # background of the move the computer chose by its numbers
CUBE = Board(shape=(4, 4, 4))
OWN: dict[str, Player] = {}  # a notebook's own players met so far, by name; later boards offer them


class Score(NamedTuple):
    """The results of a session's games."""

    person: int = 0
    computer: int = 0
    draws: int = 0

    def __str__(self) -> str:
        return f"You {self.person} · Computer {self.computer} · Draws {self.draws}"


class Thought:
    """A player thinking about a board in its own thread; once `over` is set, there is a `cell` or an `error`.

    The lab's own players may think as long as they like: they finish by themselves, and their move is what matters.
    A player, or its rule, may have a method `remark(board)` that says what it can promise from here.
    """

    def __init__(self, player: Player, board: Board, rng: Random, seconds: float | None) -> None:
        self.player, self.board, self.rng = player, board, rng
        self.own = player not in PLAYERS.values()  # whether it is a student's player
        self.limit = seconds if self.own else None
        self.deadline = monotonic() + (TIMEOUT_MAX if self.limit is None else self.limit)
        self.cell: int | None = None
        self.error: BaseException | None = None
        self.remark = ""
        self.over = Event()
        self.thread = Thread(target=self.think, daemon=True)
        if THREADS:
            self.thread.start()
        else:
            self.think()

    def think(self) -> None:
        try:
            with nullcontext() if THREADS or self.limit is None else timeout(self.limit):
                cell = self.player.choose(self.board, self.rng)
            with suppress(Exception):  # a faulty remark must not cost the move
                remark = getattr(self.player, "remark", None) or getattr(self.player.rule, "remark", None)
                self.remark = f"{self.player.name}: “{remark(self.board)}” " if remark else ""
            self.cell = cell
        except BaseException as error:  # for the waiting thread, if it still waits
            if not (self.over.is_set() or monotonic() >= self.deadline):
                self.error = error
        self.over.set()

    def wait(self, seconds: float = TIMEOUT_MAX) -> bool:
        """Wait at most this long, or until its time is up; return whether there is nothing left to wait for."""
        return self.over.wait(min(seconds, self.deadline - monotonic())) or monotonic() >= self.deadline

    def drop(self) -> None:
        """Stop waiting, and end a student's player, because an endless loop would slow down everything else.

        The lab's own players finish by themselves, and might just be loading or compiling something.
        """
        running = self.own and not self.over.is_set()
        self.over.set()  # first, so that the thread keeps quiet about how it ended
        if running:
            end(self.thread)


class GameBoard(BoardView):
    """A game between you and a player, on a board in the notebook.

    Args:
        opponent: a player, a registered name, or your own function board → cell. Set it at any time.
        person: your mark; X moves first. Setting it starts a new game.
        start: the board to start from, of any shape, or a position of your own game, which gets a button for each
            move.
        heuristic: gives the numbers for "Show what the computer sees"; by default the opponent's own.
        seconds: how long your own player may think about a move before it is stopped. None means no limit.
        look: how layers are arranged: "slanted", "turned" or "side".
        labels: texts for free cells, such as the numbers of a plan: `{5: "1", 21: "2"}`.
        rng: the random generator for the opponent.

    `play`, `new_game`, `undo`, `hint`, `stop` and `replay` act like clicks and buttons; `sees`, `numbers`, `threats`
    and `look` can be set, followed by `refresh()`; `board`, `score`, `message` and `thinking` show the state.
    Errors are shown on the board, and also raised if the call came from Python.

    The computer thinks in the background. Calls from Python wait for its move, and interrupting the kernel leaves
    the game as it was before the computer's move.

    >>> game = GameBoard("flash-clever")
    >>> game.play(4)
    >>> print(game.board)
    O - -
    - X -
    - - -
    """

    quick = QUICK  # moves in place of an opponent that was stopped
    longest: float = inf  # seconds for the numbers of one position, at most
    has_cells = True

    def __new__(cls, *given: Any, start: Any = None, **options: Any) -> Self:
        """Make a board, or the panel of another game if `start` is one."""
        if cls is GameBoard and type(start) not in (Board, type(None)):
            from lab.boards import own_game  # a panel of this kind

            cls = own_game.OwnGame
        board: Self = super().__new__(cls)
        return board

    def __init__(
        self,
        opponent: AnyPlayer = "flash-clever",
        *,
        person: Mark = "X",
        start: Position | None = None,
        heuristic: Heuristic | None = None,
        seconds: float | None = 10,
        look: str = "side",
        labels: Mapping[int, str] | None = None,
        rng: Random | None = None,
    ) -> None:
        self._labels = dict(labels or {})
        self._start = self._required(Board() if start is None else start)
        rival(person)  # raises unless X or O
        self._opponent, self._person = _known(as_player(opponent)), person
        self._given, self._seconds, self._rng = heuristic, seconds, rng or Random()
        self._offered = {player.name: player for player in self._rivals()}
        self._moves: list[Any] = []
        self._boards: list[Any] = [self._start]  # all positions of this game, the current one last
        self._ends: list[str] = []  # how the games before this one ended
        self._at = 0  # how many moves are shown: all, except in a replay
        self._thought: Thought | None = None  # while the computer thinks
        self._lock = RLock()  # clicks, notebook cells and thoughts run in different threads
        self.sees = False
        self._numbers_of: dict[tuple[Heuristic, Board], dict[int, float]] = {}
        super().__init__(self._start, self.play, look=look)
        self.numbers = self.has_cells and self._start.layout[0] == 1  # layers have no room for them
        self.do("new_game")

    def _required(self, start: Any) -> Any:
        """The game's start, if it can be shown."""
        require_board(start, type(self).__name__)
        return start

    def _rivals(self) -> Sequence[Player]:
        """The lab's players to choose from."""
        return [player for player in PLAYERS.values() if player.plays_on(self._start)]

    @property
    def board(self) -> Any:
        """The current position."""
        return self._boards[-1]

    @property
    def score(self) -> Score:
        """How the games ended so far, this one included."""
        ends = [*self._ends, self._end()]
        return Score(ends.count("person"), ends.count("computer"), ends.count("draw"))

    @property
    def thinking(self) -> bool:
        """Whether the computer is thinking."""
        return self._thought is not None

    @property
    def opponent(self) -> Player:
        """The person's opponent. Set it at any time, to a player, a name or a function."""
        return self._opponent

    @opponent.setter
    def opponent(self, player: AnyPlayer) -> None:
        self._meet(as_player(player))
        self.wait()

    @property
    def person(self) -> Mark:
        """The person's mark; setting it starts a new game."""
        return self._person

    @person.setter
    def person(self, mark: Mark) -> None:
        self._begin(rival(rival(mark)))  # raises for anything but X and O
        self.wait()

    def play(self, cell: int | tuple[int, ...], *more: object) -> None:
        """Make the person's move, by index or coordinates, as in `play((1, 2))`, and wait for the computer's answer.

        Raises `BoardError`, and whatever the opponent's code raises; in that case only the person's move is made.
        """
        self._play(cell, *more)
        self.wait()

    def new_game(self) -> None:
        """Start over and keep the score. The computer moves first if the person plays O."""
        self._begin(self.person)
        self.wait()

    def wait(self) -> None:
        """Wait until the computer has moved; raise whatever stopped it. Interrupting the kernel ends the thinking."""
        if (thought := self._thought) is None:
            return
        try:
            thought.wait()
        except KeyboardInterrupt as error:
            thought.error = error
        self._take(thought)
        if thought.error:  # already shown by another thread
            raise thought.error

    def stop(self) -> None:
        """Make the computer play a quick move at once, if it is thinking."""
        with self._told():
            if self.thinking:
                self._play_quickly("was stopped")

    def undo(self) -> None:
        """Take back the person's last move and the answer to it, even after the end. Raises `BoardError`."""
        with self._told():
            mine = [move for move, board in enumerate(self._boards[:-1]) if board.turn == self.person]
            if not mine:
                raise BoardError("You have no move to take back.")
            then = f"You took your move back. You are {self.person}: choose again."
            self._go(self._moves[: mine[-1]], then=then)

    def hint(self) -> int:
        """Point out the best known move, say why, and return the cell. Raises `GameOver` and `BoardError`."""
        with self._told():
            self._require_turn()
            self._hint, why = advice(self.board, self._rng)
            self.refresh()
            self.say(f"Hint: cell {self._hint}. {why}", "hint")
            return self._hint

    def replay(self, moves: int = 0) -> None:
        """Show the position after this many moves; after the last one, the game continues."""
        with self._told():
            count = len(self._moves)
            at = self._at = min(max(moves, 0), count)
            self._hint = None
            self.refresh()
            said = f"Replay: before move 1 of {count}."
            if at:
                said = f"Replay: move {at} of {count}. {_move(self._boards[at - 1], self._moves[at - 1])}."
            self._conclude(said, "Your move." if at == count else "")

    def do(self, action: str, value: Any = None) -> None:
        """Handle an action on the page without waiting. Errors are already shown on the board."""
        actions: dict[str, Callable[[], object]] = {
            "play": lambda: self._play(int(value)),
            "new_game": lambda: self._begin(self.person),
            "undo": self.undo,
            "hint": self.hint,
            "stop": self.stop,
            "wait": self.wait,  # in its own thread
            "replay": lambda: self.replay(int(value)),
            "opponent": lambda: self._meet(self._choices()[value]),
            "person": lambda: self._begin(value),
            **dict.fromkeys(("sees", "numbers", "threats", "look"), lambda: self._set(action, value)),
        }
        with suppress(*FAULTS):
            actions[action]()

    def _play(self, cell: int | tuple[int, ...], *more: object) -> None:
        with self._told():
            index = self.board.cell(cell, *more)
            self._require_turn()
            if self.board[index] != "-":
                raise CellTaken(f"Cell {index} already holds {self.board[index]}. Choose a free cell.")
            self._go([*self._moves, index])

    def _begin(self, person: Mark) -> None:
        with self._told():
            self._ends.append(self._end())
            self._person = person
            self.room = f"You are {person}. {self._invitation()}"
            self._go([], then=self.room)

    def _invitation(self) -> str:
        """How to make a move."""
        keys = " Page Up and Page Down switch layers." if self._start.layout[0] > 1 else ""
        if self._start.shape == (3, 3):
            keys = " Keys 1 to 9 work like a number pad: 7 is the top left cell."
        return f"Click a free cell, or use the arrow keys and Enter.{keys}"

    def _meet(self, player: Player) -> None:
        with self._told():
            self._opponent = _known(player)
            self._go(self._moves, then=f"You now play against {player.name}. Your move.")

    def _set(self, option: str, value: object) -> None:
        with self._told():
            setattr(self, option, value)
            self.refresh()
            if self._fault or (option == "sees" and value and not self._heuristic):
                self.say("" if self._fault else self._meaning())

    def _require_turn(self) -> None:
        if self.thinking:
            raise BoardError(f"{self.opponent.name} is thinking. Wait for its move, or press Stop.")
        if self._at < len(self._moves):
            raise BoardError("This is a replay. Move its slider to the end to continue the game.")
        if self.board.over:
            raise GameOver(f"{self._ending()} Press New game to play another.")
        if self.board.turn != self.person:
            raise BoardError(
                f"It is {self.board.turn}'s turn, but {self.opponent.name} has not moved. "
                "Undo your move, or choose another opponent."
            )

    def _after(self, moves: list[Any]) -> list[Any]:
        """All positions of the game made of these moves."""
        return list(accumulate(moves, Board.play, initial=self._start))

    def _go(self, moves: list[Any], said: str = "", then: str = "Your move.") -> None:
        """Show the position after these moves, and let the computer think if it is its turn."""
        self._drop()
        self._boards = self._after(moves)
        self._moves, self._at, self._hint = moves, len(moves), None
        self.refresh()
        if self.board.over or self.board.turn == self.person:
            self._conclude(said, then)
            return
        thought = self._thought = Thought(self.opponent, self.board, Random(self._rng.random()), self._seconds)
        if thought.wait(PATIENCE):
            self._take(thought)
            return
        self.refresh()  # with the Stop button
        limit = "" if thought.limit is None else f", for {thought.limit:g} s at most"
        self.say(f"{self.opponent.name} is thinking{limit}. Press Stop for a quick move instead.")
        Thread(target=self.do, args=["wait"], daemon=True).start()

    def _take(self, thought: Thought) -> None:
        """Make the move found, unless the thought was dropped or another thread has made the move."""
        with self._told():
            if thought is not self._thought:
                return
            self._drop()
            if thought.error:
                raise thought.error
            if thought.cell is None:
                self._play_quickly(f"had no move after {thought.limit:g} s and was stopped")
            else:
                said = f"{_move(self.board, thought.cell)}."
                self._go([*self._moves, thought.cell], said, f"{thought.remark}Your move.")

    def _play_quickly(self, why: str) -> None:
        cell = self.quick.choose(self.board, self._rng)
        said = f"{self.opponent.name} {why}. {_move(self.board, cell)}, a quick move by {self.quick.name}."
        self._go([*self._moves, cell], said)

    def _drop(self) -> None:
        """Drop the computer's current thought."""
        if self._thought:
            self._thought.drop()
        self._thought = None

    def _conclude(self, said: str, then: str) -> None:
        """Say what happened, and how the game ended or what comes next."""
        over = self.board.over and self._at == len(self._moves)
        self.say(f"{said} {self._ending() if over else then}".strip(), "end" if over else "")

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Show any exception raised inside on the board, and let it propagate."""
        with self._lock:
            try:
                yield
            except FAULTS as error:
                self.refresh()
                ended = isinstance(error, GameOver) and self.board.over
                self.say(explained(error, self.opponent.name), "end" if ended else "error")
                raise

    def say(self, text: str, tone: str = "") -> None:
        """Write a message above the board, plus the heuristic's error, if any."""
        super().say(f"{text}\n{self._fault}".strip(), "error" if self._fault else tone)

    def refresh(self) -> None:
        """Show the current position, or the one a replay has reached."""
        self._fault, self._heuristic = "", self._judge()
        self.shown, self._last = self._boards[self._at], self._moves[self._at - 1] if self._at else None
        self._playable = self._at == len(self._moves) and not self.board.over and self.board.turn == self.person
        self._values = {**(self._seen(self.board) or self._labels_left())}
        super().refresh()

    def _labels_left(self) -> dict[int, float | str]:
        """The labels of moves that can still be made."""
        return {move: label for move, label in self._labels.items() if move in self.shown.moves}

    def _judge(self) -> Heuristic | None:
        """The heuristic whose numbers to show, if any."""
        return self._given or self.opponent.heuristic

    def _end(self) -> str:
        """Who scores in this game: "person", "computer" or "draw"; "" if it doesn't count."""
        if not (self.board.over and self._moves):
            return ""
        return {None: "draw", self.person: "person"}.get(self.board.winner, "computer")

    def _ending(self) -> str:
        board, winner = self.board, self.board.winner
        if winner is None:
            return "It's a draw: the board is full and nobody has a line."
        line = board.winning_lines[0]
        where = f", from cell {line[0]} to cell {line[-1]}" if board.layout[0] > 1 else ""
        who = f"You win! {winner}" if winner == self.person else f"You lose: {self.opponent.name}"
        return f"{who} has {board.k} in a row{where}."

    def _seen(self, board: Board) -> dict[int, float]:
        """The numbers the side to move sees, if shown. An error in the heuristic is reported with the next message."""
        heuristic = self._heuristic
        if heuristic is None or not (self.sees and self._playable):
            return {}
        key, name = (heuristic, board), getattr(heuristic, "__name__", "The heuristic")
        own = heuristic is not self.opponent.heuristic or self.opponent not in PLAYERS.values()
        seconds = min(self._seconds or inf, self.longest)
        try:
            if key not in self._numbers_of:
                self._numbers_of[key] = {}  # don't ask a slow search again
                with timeout(seconds) if own and seconds < inf else nullcontext():
                    self._numbers_of[key] = move_values(heuristic, board)
        except TimeoutError:
            self._fault = f"{name} could not judge every move within {seconds:g} s, so no numbers are shown."
        except Exception as error:
            del self._numbers_of[key]
            self._fault = explained(error, name)
        return self._numbers_of.get(key, {})

    def _choice(self) -> str:
        """The board as the computer saw it before its last move, with the numbers it chose by."""
        values = self._seen(self._boards[-2]) if self._moves else {}
        by_others = self._heuristic is not self.opponent.heuristic and self.opponent in PLAYERS.values()
        if not values or by_others:
            return ""
        before, cell = self._boards[-2], self._moves[-1]
        picture = draw(before, values=values, fills={cell: CHOSEN})
        words = f"What {self.opponent.name} saw as {before.turn} before its move. {self._reason(before, cell, values)}"
        return f'<figure class="saw">{picture}<figcaption>{escape(words)}</figcaption></figure>'

    def _reason(self, before: Board, cell: int, values: Mapping[int, float]) -> str:
        """What decided the computer's move: a rule with priority, or a number."""
        if self.opponent.wins_and_blocks_first:
            for mark, rule in ((before.turn, "completed its line"), (rival(before.turn), "blocked")):
                if any(cell in line for line in threats(before, mark)):
                    return f"It {rule} in the coloured cell without looking at the numbers."
        if values[cell] < max(values.values()):
            return "It played the coloured cell, although other numbers are higher."
        verb = "chose" if self.opponent.heuristic is self._heuristic else "played"
        return f"It {verb} the coloured cell, {signed(values[cell])}."

    def _meaning(self) -> str:
        """What the numbers in the cells mean."""
        heuristic = self._heuristic
        if heuristic is None:
            return f"{self.opponent.name} doesn't use numbers. `GameBoard(…, heuristic=…)` shows those of a heuristic."
        name = getattr(heuristic, "__name__", "the heuristic")
        meaning = MEANINGS.get(heuristic, f"{name} after a move there, for the side to move")
        return f"In each free cell: {meaning}. The highest are framed unless all are equal."

    def content(self) -> str:
        """The board, one row of buttons, and the rest under Options."""
        stop = button("Stop", "stop") if self.thinking else ""
        verbs = button("New game", "new_game") + button("Undo", "undo")
        verbs += (button("Hint", "hint") if self.has_cells else "") + stop
        choices, count, looks, boxes, replay = self._choices(), len(self._moves), "", "", ""
        chosen = next(label for label, player in choices.items() if player is self.opponent)
        if self.has_cells:
            boxes = checkbox("Show cell numbers", "numbers", self.numbers)
            boxes += checkbox("Show threats", "threats", self.threats)
        if self.has_cells and self._start.layout[0] > 1:
            looks = menu("View", "look", LOOK_NAMES, self.look)
        if count:
            replay = f"<p>Replay, move {self._at} of {count}</p>{stepper('Replay', 'replay', count, self._at)}"
        score = " ".join(f'<span class="ttt-chip">{part}</span>' for part in str(self.score).split(" · "))
        about = f"{self.opponent.about} {self._meaning() if self.sees else ''}".strip()
        return (
            f'<div class="table">{self.table()}<div class="beside"><div class="verbs">{verbs}</div>'
            f'<p class="score">{score}</p><details><summary>Options</summary>'
            f'<p class="about">{prose(about)}</p><div class="options">'
            f"{menu('Opponent', 'opponent', {label: label for label in choices}, chosen)}"
            f"{menu('You play', 'person', SIDES, self.person)}{looks}</div>"
            f'<div class="options">{checkbox("Show what the computer sees", "sees", self.sees)}{boxes}</div>{replay}'
            f"</details>{self._choice()}</div></div>"
        )

    def _choices(self) -> dict[str, Player]:
        """The menu of opponents: your own players, then those on offer."""
        own = {player.name: player for player in OWN.values() if player.plays_on(self._start)}
        if self.opponent not in self._offered.values():
            own[self.opponent.name] = self.opponent  # even if the name has a new meaning now
        return {f"{name} (yours)" if name in self._offered else name: own[name] for name in own} | self._offered

    def __repr__(self) -> str:
        return f"{super().__repr__()}\n{self.score}"


def _known(player: Player) -> Player:
    """Remember a notebook's own player, so that later boards offer it, too; return the player."""
    if player not in PLAYERS.values():
        OWN[player.name] = player
    return player


def _move(board: Position, move: Any) -> str:
    return move_told(board.turn, f"{'cell ' if type(board) is Board else ''}{move_name(board, move)}", board)


def CubeGame(  # noqa: N802 - it makes a board, as GameBoard does
    opponent: AnyPlayer = "cube-medium", *, start: Board = CUBE, look: str = "slanted", **options: Any
) -> GameBoard:
    """A game of 4×4×4 between you and a player. Takes the arguments of `GameBoard`.

    Raises `BoardError` if `start` has another shape.

    >>> game = CubeGame("flash-clever")
    >>> game.play(0)
    >>> game.message
    'O plays cell 3. Your move.'
    """
    require_board(start, "CubeGame")
    if (start.shape, start.k) != (CUBE.shape, CUBE.k):
        raise BoardError("`CubeGame()` needs a 4×4×4 board with 4 in a row. For other boards, use `GameBoard()`.")
    return GameBoard(opponent, start=start, look=look, **options)
