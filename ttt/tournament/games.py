"""The games of a tournament: what a worker plays, and the rows that it hands back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import dataclass
from random import Random
from typing import Protocol, runtime_checkable

from ttt.arena import exact
from ttt.board import Board, Mark, opponent
from ttt.limits import explained
from ttt.players import PLAYERS, Player, PlayerError, WrongBoard
from ttt.store import Key, Row

KEY = ("shape", "k", "x", "o", "seed", "number")  # what identifies a row
COLUMNS = (*KEY, "x_wins", "draws", "o_wins", "moves", "lost_by", "reason")
FEW_CELLS = 9  # on boards of this size or smaller, results are exact
EXACT = "exact"  # in place of the seed where nothing was left to chance
MAY_CHANGE = "@?"  # ends the name of a player that may play differently next time
LATE = " gave no answer within "  # in the reason of a remote player that ran out of time
MOST_LATE = 3  # games in which a remote player may run out of time; it forfeits the others
TOO_LATE = "took too long in three games."


class BadTournament(ValueError):
    """This tournament can't be played; the message says why and what to do."""


@runtime_checkable
class RemotePlayer(Protocol):
    """A player in another process, such as a sandbox, that is asked for its moves."""

    @property
    def name(self) -> str:
        """Its name in tables."""

    @property
    def digest(self) -> str:
        """A digest of everything that decides how it plays."""

    def session(
        self, board: Board, seed: int
    ) -> AbstractContextManager[Callable[[Board], int | dict[int, float] | str]]:
        """One game: a function to call for each move. It returns a cell, a policy, or why it lost.

        The seed is for chance of the player's own. The opponent's is another, and none tells anything about the others.
        """


Entrant = Player | RemotePlayer


def name_in_rows(entrant: Entrant) -> str:
    """The player's name, with something that shows whether it is still the same player."""
    if isinstance(entrant, Player):
        return entrant.name if PLAYERS.get(entrant.name) is entrant else f"{entrant.name}{MAY_CHANGE}"
    return f"{entrant.name}@{entrant.digest}"


@dataclass(frozen=True)
class Task:
    """Some games of two players, or their exact result if both turn out to be policies.

    Args:
        names: of X and O in the rows.
        numbers: which games.
    """

    x: Entrant
    o: Entrant
    names: tuple[str, str]
    board: Board
    seed: int
    numbers: tuple[int, ...]

    @property
    def may_be_exact(self) -> bool:
        """Whether to try for the exact result."""
        return len(self.board) <= FEW_CELLS and isinstance(self.x, Player) and isinstance(self.o, Player)

    def rows(self) -> list[Row]:
        """The result, or the games, as rows."""
        if self.may_be_exact:
            with suppress(Exception):  # a player that uses chance of its own, or fails somewhere: play the games
                found = exact(self.x, self.o, self.board)  # type: ignore[arg-type]
                shares = map(repr, (found.x_wins, found.draws, found.o_wins))
                return [self._row(self.exact_key, *shares, "", "", "")]
        return [self._game(number) for number in self.numbers]

    def forfeit(self, number: int, side: Mark) -> Row:
        """The row of a game that one side loses without playing."""
        loser = self.x if side == "X" else self.o
        return self._ended(number, [], opponent(side), f"{loser.name} {TOO_LATE}")

    def key(self, number: int) -> Key:
        """What identifies the row of a game."""
        return *self._place, str(self.seed), str(number)

    @property
    def exact_key(self) -> Key:
        """What identifies the row of the exact result."""
        return *self._place, EXACT, "0"

    @property
    def _place(self) -> tuple[str, ...]:
        """The first columns of the key: where the games start, and who plays."""
        begun = f" {self.board.x:x}/{self.board.o:x}" if self.board.x else ""
        return f"{self._shape}{begun}", str(self.board.k), *self.names

    @property
    def _shape(self) -> str:
        return "x".join(map(str, self.board.shape))

    def _rng(self, number: int) -> Random:
        """The chance in a game: the same whichever worker plays it, and in whatever order."""
        board = self.board
        return Random(f"{self.seed} {self.names} {number} {self._shape} {board.k} {board.x} {board.o}")

    def _game(self, number: int) -> Row:
        return self._ended(number, *play(self.x, self.o, self.board, self._rng(number)))

    def _ended(self, number: int, moves: list[int], winner: Mark | None, reason: str) -> Row:
        ends = (str(int(winner == end)) for end in ("X", None, "O"))
        lost_by = opponent(winner) if reason and winner else ""
        return self._row(self.key(number), *ends, " ".join(map(str, moves)), lost_by, reason)

    def _row(self, key: Key, *found: str) -> Row:
        return dict(zip(COLUMNS, (*key, *found), strict=True))


def play(x: Entrant, o: Entrant, board: Board, rng: Random) -> tuple[list[int], Mark | None, str]:
    """A game: its moves, who won, and why it was not played to the end, if it wasn't."""
    moves: list[int] = []
    with _session(x, board, rng) as ask_x, _session(o, board, rng) as ask_o:
        while not board.over:
            answer = ask_x(board) if board.turn == "X" else ask_o(board)
            if isinstance(answer, str):
                return moves, opponent(board.turn), answer
            moves.append(answer)
            board = board.play(answer)
    return moves, board.winner, ""


@contextmanager
def _session(entrant: Entrant, board: Board, rng: Random) -> Iterator[Callable[[Board], int | str]]:
    """A function to call for each move: it returns a free cell, or why there is none."""
    if isinstance(entrant, Player):
        yield lambda board: _choice(entrant, board, rng)
        return
    with ExitStack() as stack:
        try:
            ask = stack.enter_context(entrant.session(board, rng.getrandbits(128)))
        except RuntimeError as error:  # not the player's fault
            raise BadTournament(f"{entrant.name} can't be started: {error}") from None

        def move(board: Board) -> int | str:
            answer = ask(board)
            return answer if isinstance(answer, str) else _choice(Player(entrant.name, lambda _: answer), board, rng)

        yield move


def _choice(player: Player, board: Board, rng: Random) -> int | str:
    """A player's move, or what went wrong. A registered player on a board that it doesn't play on loses nothing."""
    try:
        return player.choose(board, rng)
    except Exception as error:
        if isinstance(error, WrongBoard) and PLAYERS.get(player.name) is player:
            raise BadTournament(str(error)) from None
        said = " ".join(explained(error, player.name).split())
        return said.partition(" It must be ")[0] if isinstance(error, PlayerError) else said
