"""A game on screen: a person, a player, and the board between them."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from functools import cache, partial, partialmethod
from random import Random
from typing import Any, NamedTuple

from lab.boards.board_game import BoardGame
from lab.boards.board_view import Scene, ShownGame
from lab.boards.own_game import OwnGame
from lab.boards.panel import STUDENT_ERRORS, Panel, button, checkbox, menu
from lab.drawing.cards import prose
from lab.drawing.own_positions import move_told, picture
from lab.timeouts import explain_timeout, explained, timeout
from ttt.board import Board, BoardError, GameOver, Mark, require_board
from ttt.board import opponent as rival
from ttt.heuristics import Heuristic, move_values
from ttt.players import PLAYERS, AnyPlayer, Player, as_player
from ttt.position import Position, as_generator
from ttt.qubic import strategy
from ttt.svg import Picture

PROVED = PLAYERS["cube-perfect"]  # knows whether it wins
CUBE = Board(shape=(4, 4, 4))
SIDE_NAMES = {"X": "X, moves first", "O": "O, moves second"}
MAX_THINKING_SECONDS = 10.0  # for a student's move; the lab's own players finish by themselves
MAX_JUDGING_SECONDS = 5.0  # for a heuristic's numbers for one position


class Score(NamedTuple):
    """The results of a session's games."""

    person: int = 0
    computer: int = 0
    draws: int = 0

    def __str__(self) -> str:
        return f"You {self.person} · Computer {self.computer} · Draws {self.draws}"


class Ply(NamedTuple):
    """A move and the position after it. A game begins with a position and no move."""

    move: Any
    position: Any
    player: Player | None = None  # that chose the move by itself


class GameBoard(Panel):
    """A game between you and a player, on a board in the notebook.

    Args:
        opponent: a player, a registered name, or your own function board → cell. Set it at any time. By default it is
            "flash-clever", or "random" in a game of your own.
        person: your mark; X moves first. Setting it starts a new game.
        start: the board to start from, of any shape, or a position of your own game, which gets a button for each
            move. A move described as "take 1 from heap 2" is next to the heap if `str` says "Heap 1: ||  Heap 2: |".
        heuristic: gives the numbers for "Show what the computer sees"; by default the opponent's own.
        labels: texts for free cells, such as the numbers of a plan: `{5: "1", 21: "2"}`.
        rng: the random generator for the opponent.

    `play`, `new_game`, `undo` and `hint` act like clicks and buttons; `board`, `score` and `message` show the
    state. Errors are shown on the board, and also raised if the call came from Python. Interrupting the kernel leaves
    the game as it was before the computer's move, and so does a player of your own that finds no move within 10 s.

    >>> game = GameBoard("flash-clever")
    >>> game.play(4)
    >>> print(game.board)
    O - -
    - X -
    - - -
    """

    def __init__(
        self,
        opponent: AnyPlayer | None = None,
        *,
        person: Mark = "X",
        start: Position | None = None,
        heuristic: Heuristic | None = None,
        labels: Mapping[Any, str] | None = None,
        rng: Random | None = None,
    ) -> None:
        super().__init__()
        board: Any = Board() if start is None else start
        self._game: ShownGame = BoardGame(board) if type(board) is Board else OwnGame(board)
        rival(person)  # raises unless X or O
        self._menu = {player.name: player for player in self._game.players}
        self._given, self._rng = heuristic, as_generator(rng)
        self._labels = dict(labels or {})
        self._person = person
        self._plies = [Ply(None, board)]  # this game so far
        self._opponent = self._offer(as_player(self._game.opponent if opponent is None else opponent))
        self._earlier_results: list[str] = []  # of the games before this one
        self._hint: int | None = None
        self._heuristic: Heuristic | None = None  # whose numbers are shown
        self._judge = cache(partial(_numbers, None))  # its numbers for each position; kept, as each may be a search
        self.look, self.sees, self.threats = "slanted", False, False
        self.numbers = type(board) is Board and board.layout[0] == 1  # layers have no room for them
        self.do("new_game")

    @property
    def board(self) -> Any:
        """The current position."""
        return self._plies[-1].position

    @property
    def score(self) -> Score:
        """How the games so far ended, including this one."""
        results = [*self._earlier_results, self.result]
        return Score(results.count("person"), results.count("computer"), results.count("draw"))

    @property
    def result(self) -> str:
        """Who won this game, "person" or "computer"; or "draw"; or "" if it isn't over, or nobody made a move."""
        if not self.board.over or len(self._plies) == 1:
            return ""
        return {None: "draw", self.person: "person"}.get(self.board.winner, "computer")

    @property
    def opponent(self) -> Player:
        """The person's opponent. Set it at any time, to a player, a name or a function."""
        return self._opponent

    @opponent.setter
    def opponent(self, player: AnyPlayer) -> None:
        with self.show_errors():
            self._opponent = self._offer(as_player(player))
            self._go(self._plies, then=f"You now play against {self.opponent.name}. Your move.")

    @property
    def person(self) -> Mark:
        """The person's mark; setting it starts a new game."""
        return self._person

    @person.setter
    def person(self, mark: Mark) -> None:
        with self.show_errors():
            rival(mark)  # raises unless X or O
            self._earlier_results.append(self.result)
            self._person = mark
            self._go(self._plies[:1], then=f"You are {mark}. {self._game.invitation}")

    def new_game(self) -> None:
        """Start over and keep the score. The computer moves first if the person plays O."""
        self.person = self.person

    def play(self, cell: Any, *more: object) -> None:
        """Make the person's move, by index or coordinates, as in `play((1, 2))`.

        Raises `BoardError`, and whatever the opponent's code raises; in that case only the person's move is made.
        """
        with self.show_errors():
            self._require_turn()
            self._go(self._with(self._game.read(self.board, cell, *more)))

    def undo(self) -> None:
        """Take back the person's last move and the answer to it, even after the end. Raises `BoardError`."""
        with self.show_errors():
            if not (mine := self._mine()):
                raise BoardError("You have no move to take back.")
            then = f"You took your move back. You are {self.person}: choose again."
            self._go(self._plies[: mine[-1] + 1], then=then)

    def _mine(self) -> list[int]:
        """Where in this game the person has moved."""
        return [at for at, ply in enumerate(self._plies[:-1]) if ply.position.turn == self.person]

    def hint(self) -> int:
        """Point out the best known move, say why, and return the cell. Raises `GameOver` and `BoardError`."""
        with self.show_errors():
            self._require_turn()
            cell, why = self._game.hint(self.board, self._rng)
            self._hint = cell
            self.refresh()
            self.say(f"Hint: cell {cell}. {why}", "hint")
            return cell

    @contextmanager
    def show_errors(self) -> Iterator[None]:
        """Show any exception raised inside on the board, and let it propagate."""
        try:
            yield
        except STUDENT_ERRORS as error:
            self.show_error(error)
            raise

    def show_error(self, error: BaseException) -> None:
        over = isinstance(error, GameOver) and self.board.over
        self.say(self._explained(error), "end" if over else "error")
        self.refresh()  # last, as it may fail, too

    def _explained(self, error: BaseException) -> str:
        """What went wrong; if your own player stopped, with what to do next."""
        name = self.opponent.name
        said = explained(error, name)
        own = self.opponent not in PLAYERS.values() and self.board.turn != self.person
        if not (own and said.startswith(f"{name} stopped")):
            return said
        stopped = said.removeprefix(name).removesuffix(".")
        return f"Your player `{name}`{stopped}. Correct it, and run its cell and the board's again."

    # What the page reports.

    def when_play(self, index: str) -> None:
        self._require_turn()
        self.play(self._game.pressed(self.board, int(index)))

    def when_opponent(self, label: str) -> None:
        self.opponent = self._menu[label]

    when_new_game, when_undo, when_hint = new_game, undo, hint

    def _set(self, option: str, value: object) -> None:
        setattr(self, option, value)
        self.refresh()
        if option == "sees" and value and (self._fault or not self._heuristic):
            self.say(self._meaning(), "error" if self._fault else "")

    when_person, when_look = partialmethod(_set, "person"), partialmethod(_set, "look")
    when_sees, when_numbers = partialmethod(_set, "sees"), partialmethod(_set, "numbers")
    when_threats = partialmethod(_set, "threats")

    # The game continues: play → answer → refresh.

    def _with(self, move: Any, player: Player | None = None) -> list[Ply]:
        """This game with one more move."""
        return [*self._plies, Ply(move, self._game.after(self.board, move), player)]

    def _offer(self, player: Player) -> Player:
        """Put a player of your own on the menu, and return the player. Raises `PlayerError` if it can't play here."""
        here = self.board
        if type(here) is not Board or here.over or not player.plays_on(here.play(here.moves[0])):
            player.require_board(here)
        if player not in self._menu.values():
            self._menu[f"{player.name} (yours)"] = player
        return player

    def _require_turn(self) -> None:
        if self.board.over:
            raise GameOver(f"{self._result_in_words()} Press New game to play another.")
        if self.board.turn != self.person:
            raise BoardError(
                f"It is {self.board.turn}'s turn, but {self.opponent.name} has not moved. "
                "Undo your move, or choose another opponent."
            )

    def _go(self, plies: list[Ply], done: str = "", then: str = "Your move.") -> None:
        """Show the game so far, and let the computer move if it is its turn."""
        self._plies, self._hint = plies, None
        self.refresh()
        over = self.board.over
        if over or self.board.turn == self.person:
            said = [self._result_in_words(), done] if over else [done, then]
            self.say(" ".join(said).strip(), "end" if over else "")
            return
        player, before = self.opponent, self.board
        self.say(f"{player.name} is thinking.", "thinking")
        self.send_state(["html", "said"])  # at once, so that the person's move is seen meanwhile
        move = self._choose(player, before)
        if self._plies is plies:  # else a cell of the notebook has changed the game meanwhile
            done = move_told(before.turn, self._game.move_name(before, move), before)
            self._go(self._with(move, player), f"{done.removesuffix('.')}.", f"{_remark(player, before)}Your move.")

    def _choose(self, player: Player, board: Any) -> Any:
        """A player's move. Raises `BoardError` if a player of your own takes too long."""
        known = player in PLAYERS.values()  # which needs no watching
        try:
            with nullcontext() if known else timeout(MAX_THINKING_SECONDS):
                return player.choose(board, self._rng)
        except TimeoutError as error:
            raise BoardError(explain_timeout(error, player.name, MAX_THINKING_SECONDS)) from None

    def _result_in_words(self) -> str:
        return self._game.result_in_words(self.board, self.person, self.opponent.name)

    # How it looks.

    def refresh(self) -> None:
        """Show the current position."""
        heuristic = self._given or self.opponent.heuristic or self._game.judge
        if heuristic is not self._heuristic:
            self._heuristic, self._judge = heuristic, cache(partial(_numbers, heuristic))
        board = self.board
        playable = not board.over and board.turn == self.person
        values, self._fault = self._judge(board) if self.sees and playable else ({}, "")
        self._scene = Scene(
            board,
            last=self._plies[-1].move,
            values=values or {move: label for move, label in self._labels.items() if move in board.moves},
            hint=self._hint,
            playable=playable,
            look=self.look,
            numbers=self.numbers,
            threats=self.threats,
        )
        self.html = self._content(self._choice() if values else "")

    def _choice(self) -> str:
        """The board as the computer saw it before its last move, with the numbers it chose by."""
        made, by_number = self._plies[-1], self.opponent.heuristic is self._heuristic
        if made.player != self.opponent or (not by_number and self.opponent in PLAYERS.values()):
            return ""
        before = self._plies[-2].position
        values, _ = self._judge(before)
        return self._game.choice(before, made.move, values, self.opponent, by_number) if values else ""

    def _meaning(self) -> str:
        """What the numbers in the cells mean, or why there are none."""
        heuristic = self._heuristic
        if self._fault:
            return self._fault
        if heuristic is None:
            return f"{self.opponent.name} doesn't use numbers. `GameBoard(…, heuristic=…)` shows those of a heuristic."
        name = getattr(heuristic, "__name__", "the heuristic")
        docstring = (heuristic.__doc__ or "").strip().partition("\n")[0]
        return f"{self._game.numbers_in_words.format(name)} {docstring}".strip()

    def _content(self, choice: str) -> str:
        """The board, one row of buttons, and the rest under Options."""
        undo = button("Undo", "undo", aria_disabled=None if self._mine() else "true")
        verbs = button("New game", "new_game") + undo + self._game.verbs
        chosen = next(label for label, player in self._menu.items() if player == self.opponent)
        heading, meaning = "", f'<p class="about">{prose(self._meaning())}</p>' if self.sees else ""
        if self.sees and self._heuristic and not self._fault:
            heading = "Your moves" if type(self.board) is Board else ""
            meaning = f"<details><summary>What do these numbers mean?</summary>{meaning}</details>"
        return (
            f'<p class="heading">{heading}</p><div class="table {self.result}">{self._game.html(self._scene)}'
            f'<div class="beside"><div class="verbs">{verbs}</div><p class="score">{self.score}</p>'
            f'<details><summary>Options</summary><div class="options">'
            f"{menu('Opponent', 'opponent', {label: label for label in self._menu}, chosen)}"
            f'<p class="about">{prose(self.opponent.about)}</p>{menu("You play", "person", SIDE_NAMES, self.person)}'
            f"{self._game.options(self._scene)}{checkbox('Show what the computer sees', 'sees', self.sees)}{meaning}"
            f"</div></details>{choice}</div></div>"
        )

    def snapshot(self) -> Picture:
        return picture(self.board, self.message, self._scene.last, "Run this to play.")

    def __repr__(self) -> str:
        return f"{self.message}\n{self.board}".strip() + f"\n{self.score}"


def _numbers(heuristic: Heuristic | None, board: Any) -> tuple[dict[Any, float], str]:
    """The heuristic's number for each move, or why there are none."""
    name = getattr(heuristic, "__name__", "The heuristic")
    known = any(heuristic is player.heuristic for player in PLAYERS.values())  # which needs no watching
    try:
        with nullcontext() if known else timeout(MAX_JUDGING_SECONDS):
            return move_values(heuristic, board) if heuristic else {}, ""
    except TimeoutError:
        return {}, f"{name} gave no numbers for all moves within {MAX_JUDGING_SECONDS:g} s, so none are shown."
    except Exception as error:
        return {}, explained(error, name)


def _remark(player: Player, board: Any) -> str:
    """What the player of the proof on the cube promises from here."""
    if player is not PROVED:
        return ""
    choice = strategy.choose(board)
    sure = choice is not None and choice.promise
    return f"{player.name}: “{'From here I win, whatever you do.' if sure else 'From here I promise nothing.'}” "


def CubeGame(opponent: AnyPlayer = "cube-medium", *, start: Board = CUBE, **options: Any) -> GameBoard:  # noqa: N802
    """A game of 4×4×4 between you and a player. Takes the arguments of `GameBoard`.

    Raises `BoardError` if `start` has another shape.

    >>> game = CubeGame("flash-clever")
    >>> game.play(0)
    >>> game.message
    'O plays cell 3 (layer 1, row 1, column 4). Your move.'
    """
    require_board(start, "CubeGame")
    if (start.shape, start.k) != (CUBE.shape, CUBE.k):
        raise BoardError("`CubeGame()` needs a 4×4×4 board with 4 in a row. For other boards, use `GameBoard()`.")
    return GameBoard(opponent, start=start, **options)
