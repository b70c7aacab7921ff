"""The game on 4×4×4 on screen: the computer thinks in the background, and games can be replayed.

A player can tell more than its move. It, or its rule, may have these attributes, functions of the board:

- `remark(board) -> str`: what it can promise from here; said with its move. May also be a string.
- `progress(board) -> str`: how far its thinking is, such as "depth 5"; called while it thinks, shown beside the clock.
- `best_so_far(board) -> cell | None`: what it would play if it had to move now; called when it is stopped.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from operator import index
from random import Random
from threading import Event, RLock, Thread
from time import monotonic
from typing import Any

import ipywidgets
import traitlets

from ttt.board import Board, BoardError, Mark
from ttt.players import PLAYERS, AnyPlayer, Player
from ttt.players.player import WrongBoard
from ttt.qubic import perfect
from ttt.svg import spoken
from ttt.widgets.game import FAULTS, QUICK, NotNow, ScreenGame, checkbox, named, row
from ttt.widgets.view import LOOKS

START = Board(shape=(4, 4, 4))
SIMPLE = ("random", "flash-clever")  # players for 3×3 that can play on the cube too
ADVISER = PLAYERS["cube-hard"]  # for hints where no win is proved
PATIENCE = 0.3  # seconds before the board says that the computer is thinking
ASKED_EVERY = 0.5  # seconds between two reports of progress
STOP_HINT = "Press Stop to make it move at once."
PACE = 1000  # milliseconds per move in a replay


class Thought:
    """A player thinking about a board in a thread of its own.

    Afterwards either `cell` or `error` is set. A thought that is dropped is over at once, whatever it finds later.
    """

    def __init__(self, player: Player, board: Board, rng: Random) -> None:
        self.player = player
        self.board = board
        self.cell: int | None = None
        self.remark = ""
        self.error: BaseException | None = None
        self.over = Event()  # there is a result, or nobody waits for one
        self.taken = Event()  # the result is on the board
        self._rng = rng
        self._begun = monotonic()
        self._thread = Thread(target=self.think, name=f"{player.name} thinks", daemon=True)

    @property
    def seconds(self) -> float:
        """How long it has been thinking."""
        return monotonic() - self._begun

    def begin(self) -> None:
        """Think in the background. Raises `RuntimeError` if there are no threads."""
        self._thread.start()

    def think(self) -> None:
        """Think here and now."""
        try:
            self.cell = self.player.choose(self.board, self._rng)
            remark = self.asked("remark")
            self.remark = f"{self.player.name}: “{remark}”" if remark else ""
        except BaseException as error:  # raised again by result()
            self.error = error
        finally:
            self.over.set()

    def result(self) -> int:
        """The cell found. Raises whatever stopped the player."""
        if self.error:
            raise self.error
        assert self.cell is not None
        return self.cell

    def asked(self, question: str) -> Any:
        """The player's answer, or None if it doesn't answer this question; a fault here must not cost the move."""
        player = self.player
        answer = getattr(player, question, None) or getattr(player.rule, question, None)
        with suppress(Exception):
            return answer(self.board) if callable(answer) else answer
        return None

    def best_so_far(self) -> int | None:
        """The free cell that the player would choose now; None if it doesn't say."""
        with suppress(BoardError, TypeError):
            cell = self.asked("best_so_far")
            return index(cell) if self.board[cell] == "-" else None
        return None

    def drop(self) -> None:
        """Forget the player and end its thread, since an endless loop would slow down everything else.

        Only students' players are ended like this. The lab's own players finish by themselves, and one of them might be
        in the middle of loading or compiling something.
        """
        self.over.set()
        self.taken.set()
        if self._thread.is_alive() and self.player not in PLAYERS.values():
            thread = ctypes.c_ulong(self._thread.ident or 0)
            ctypes.pythonapi.PyThreadState_SetAsyncExc(thread, ctypes.py_object(SystemExit))  # ends silently


class CubeGame(ScreenGame):
    """A game of 4×4×4 between a person and a player, on a board in the notebook.

    Args:
        opponent: a player, a registered name, or your own function from a board to a cell.
        person: your mark; X begins.
        start: the 4×4×4 board to start from.
        look: how the layers are arranged: "slanted", "turned" or "side".
        rng: the random generator for the opponent.

    On screen the computer thinks in the background, and Stop makes it move at once. From Python, `play` and `new_game`
    wait for the answer. `undo`, `hint`, `stop`, `replay`, `step` and `resume` do what the buttons do; `board`, `score`,
    `message` and `thinking` tell how things stand. Raises `WrongBoard` if `start` has another shape.

    >>> game = CubeGame("flash-clever")
    >>> game.play(0)
    >>> game.message
    'O plays layer 1, row 1, column 4. Your move.'
    """

    def __init__(
        self,
        opponent: AnyPlayer | None = None,
        *,
        person: Mark = "X",
        start: Board = START,
        look: str = "slanted",
        rng: Random | None = None,
    ) -> None:
        if not ADVISER.plays_on(start):
            shape = "×".join(map(str, start.shape))
            raise WrongBoard(
                f"CubeGame needs a 4×4×4 board with 4 in a row, not {shape} with {start.k}. GameBoard takes any board."
            )
        self._lock = RLock()  # clicks, notebook cells and thoughts run in different threads
        self._thought: Thought | None = None  # the latest one, unless it was dropped
        self._waited = False
        self._shown: int | None = None  # in a replay, the number of moves on the board
        super().__init__("cube-medium" if opponent is None else opponent, person, start, rng)
        self.view.look = look

    @property
    def thinking(self) -> bool:
        """Whether the computer is thinking."""
        return self._thought is not None and not self._thought.taken.is_set()

    def wait(self) -> None:
        """Wait until the computer has moved, and raise what stopped it. Interrupting the kernel ends the thinking."""
        thought = self._thought
        if thought is None:
            return
        self._waited = True  # the kernel is busy, so no button works
        try:
            thought.taken.wait()
        except KeyboardInterrupt:
            with self._reported():
                self._drop()
                raise
        finally:
            self._waited = False
        if thought.error:
            raise thought.error

    def stop(self) -> None:
        """Make the computer move at once: the best move it has found, or else a quick one. Raises `NotNow`."""
        with self._reported():
            thought = self._thought
            if thought is None or not self.thinking:
                raise NotNow(f"{self.opponent.name} is not thinking.")
            best = thought.best_so_far()
            self._drop()
            cell = QUICK.choose(self.board, self._rng) if best is None else best
            how = f"a quick move of {QUICK.name}" if best is None else "the best it had found"
            self._answer(cell, f"{thought.player.name} was stopped. ", f", {how}.")

    def undo(self) -> None:
        """Take back the person's last move and the answer to it. Raises `NotNow`."""
        with self._reported():
            self._require_game()
        super().undo()

    def replay(self, moves: int = 0) -> None:
        """Replay the game from the position after this many moves. Raises `NotNow`."""
        with self._reported():
            self._require_rest()
            if not self._moves:
                raise NotNow("There is no move to replay yet.")
            self._at.max = self._clock.max = len(self._moves)
            self._replay.layout.display = ""
            self._show_move(min(max(moves, 0), len(self._moves)))

    def step(self, moves: int = 1) -> None:
        """Go this many moves forward in the replay, or back if the number is negative."""
        self._clock.playing = False
        self.replay((len(self._moves) if self._shown is None else self._shown) + moves)

    def resume(self) -> None:
        """Leave the replay and go back to the game."""
        with self._reported():
            self._leave_replay()
            self._refresh()
            if self.board.over:
                self._say(self._ending(), "end")
            else:
                self._say(f"Back in the game. You are {self.person}. Your move.")

    def _advice(self) -> tuple[int, str]:
        choice = perfect.choose(self.board, lambda board: ADVISER.choose(board, self._rng))
        return choice.cell, choice.why if choice.promise else f"It {self._reason(choice.cell)}."

    def _continue(self) -> None:
        self._drop()
        self._leave_replay()
        if not self._computer_to_move:
            self._conclude("")
            return
        thought = self._thought = Thought(self.opponent, self.board, Random(self._rng.random()))
        try:
            thought.begin()
            Thread(target=self._watch, args=[thought], daemon=True).start()
        except RuntimeError:  # no threads, as in JupyterLite
            thought.think()
            self._take(thought)

    def _watch(self, thought: Thought) -> None:
        """Report how far a player's thinking is, then put its move on the board."""
        pause = PATIENCE
        while not thought.over.wait(pause):
            self._show_progress(thought)
            pause = ASKED_EVERY
        with suppress(*FAULTS):  # it has been reported on the board
            self._take(thought)

    def _show_progress(self, thought: Thought) -> None:
        note = str(thought.asked("progress") or "")
        with self._lock:
            if thought.taken.is_set():
                return
            if not self.view.thinking:
                way_out = "If it takes too long: Kernel → Interrupt Kernel." if self._waited else STOP_HINT
                self._say(f"{thought.player.name} is thinking. {way_out}")
                self._stop.disabled = self._waited
            self.view.think(thought.seconds, note)

    def _take(self, thought: Thought) -> None:
        """Make the move that was found, unless the thought was dropped."""
        with self._lock:
            if thought.taken.is_set():
                return
            try:
                with self._reported():
                    self._rest()
                    cell = thought.result()
                    silent = not thought.remark or self.board.play(cell).over  # no promises once the game is over
                    self._answer(cell, "", "." if silent else f". {thought.remark}")
            finally:
                thought.taken.set()

    def _answer(self, cell: int, before: str, after: str) -> None:
        mark = self.board.turn
        self._put(cell)
        self._conclude(f"{before}{mark} plays {spoken(self.board, cell)}{after}")

    def _drop(self) -> None:
        """Forget what the computer is thinking."""
        if self._thought:
            self._thought.drop()
        self._thought = None
        self._rest()

    def _rest(self) -> None:
        self._stop.disabled = True
        self.view.think(None)

    def _rewind(self, moves: int) -> None:
        self._drop()
        self._leave_replay()
        super()._rewind(moves)

    def _require_turn(self) -> None:
        self._require_rest()
        self._require_game()
        super()._require_turn()

    def _require_rest(self) -> None:
        if self.thinking:
            raise NotNow(f"{self.opponent.name} is thinking. Wait for its move, or press Stop.")

    def _require_game(self) -> None:
        if self._shown is not None:
            raise NotNow("This is a replay. Close it to continue the game.")

    def _show_move(self, moves: int) -> None:
        """Show one position of the replay, and say which move led to it."""
        self._shown = self._at.value = moves
        self._refresh()
        if not moves:
            self._say(f"Replay: before the first of {len(self._moves)} moves.")
            return
        before, cell = self._boards[moves - 1], self._moves[moves - 1]
        end = f" {self._ending()}" if self.board.over and moves == len(self._moves) else ""
        self._say(f"Replay, move {moves} of {len(self._moves)}: {before.turn} plays {spoken(before, cell)}.{end}")

    def _position_changed(self) -> None:
        """React to the move number, changed by hand or by the clock."""
        if self._shown not in (None, self._at.value):
            self.replay(self._at.value)

    def _replay_all(self) -> None:
        """Replay the game from its first move, one move a second."""
        self.replay()
        self._clock.playing = True

    def _play_or_pause(self) -> None:
        if self._shown == len(self._moves):
            self.replay()
        self._clock.playing = not self._clock.playing

    def _leave_replay(self) -> None:
        self._shown, self._clock.playing = None, False
        self._replay.layout.display = "none"

    def _refresh(self) -> None:
        if self._shown is None:
            self.view.show(self.board, last=self.last, hint=self._hinted, playable=not self._computer_to_move)
        else:
            last = self._moves[self._shown - 1] if self._shown else None
            self.view.show(self._boards[self._shown], last=last, playable=False)

    def _winning_line(self) -> str:
        ends = [spoken(self.board, cell) for cell in (self.board.winning_line or ())[:: self.board.k - 1]]
        return f"{super()._winning_line()}, from {' to '.join(ends)}"

    @contextmanager
    def _reported(self) -> Iterator[None]:
        with self._lock, super()._reported():
            yield

    def _choices(self, chosen: Player) -> list[tuple[str, Player]]:
        cube = [player for name, player in PLAYERS.items() if name.startswith("cube-")]
        return named(chosen, [*(PLAYERS[name] for name in SIMPLE), *cube])

    def _make_controls(self, chosen: Player, person: Mark) -> None:
        super()._make_controls(chosen, person)
        self._stop = self._button("Stop", self.stop)
        self._stop.disabled = True
        self._buttons.append(self._stop)
        self._buttons.append(self._button("Replay", self._replay_all))
        looks = [(label, look) for look, label in LOOKS.items()]
        style = {"button_width": "auto", "description_width": "initial"}
        self._look = ipywidgets.ToggleButtons(description="View", options=looks, value="side", style=style)
        self._look.add_class("ttt-looks")
        traitlets.link((self._look, "value"), (self.view, "look"))
        self._threats = checkbox("Show threats")
        ipywidgets.jslink((self._threats, "value"), (self.view, "threats"))
        self._replay = self._make_replay()

    def _make_replay(self) -> ipywidgets.Widget:
        """Make the controls that step through a game. The clock is not shown, since its own buttons have no names."""
        narrow, close = ipywidgets.Layout(width="110px"), {"description_width": "initial"}
        # not a slider, whose handle has no accessible name
        self._at = ipywidgets.BoundedIntText(description="Move", max=0, layout=narrow, style=close)
        self._clock = ipywidgets.Play(interval=PACE, max=0, layout=ipywidgets.Layout(display="none"))
        ipywidgets.jslink((self._clock, "value"), (self._at, "value"))
        self._observe(self._at, self._position_changed)
        pause = self._button("Play", self._play_or_pause)
        self._clock.observe(lambda change: pause.set_trait("description", "Pause" if change.new else "Play"), "playing")
        back, forward = (self._button(label, partial(self.step, n)) for label, n in (("◀ Back", -1), ("Forward ▶", 1)))
        buttons = row(back, pause, forward, self._button("Close replay", self.resume), self._clock)
        return ipywidgets.VBox([buttons, self._at], layout=ipywidgets.Layout(display="none"))

    def _lay_out(self) -> list[ipywidgets.Widget]:
        """The board, with its controls beside it, or below it on a narrow page."""
        self.view.layout = ipywidgets.Layout(flex="1 1 340px", max_width="480px", min_width="0")
        about, choice = [self._score, self._about], row(self._opponents, self._side)
        controls = [
            row(*self._buttons),
            self._replay,
            *about,
            choice,
            self._look,
            row(self._threats, self._numbers),
        ]
        panel = ipywidgets.VBox(controls, layout=ipywidgets.Layout(flex="1 1 220px", margin="52px 0 0", grid_gap="8px"))
        board = row(self.view, panel)
        board.layout.align_items = "flex-start"
        return [board]
