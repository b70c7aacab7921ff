"""The games of a tournament: what a worker plays, and the rows that it hands back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import dataclass
from random import Random
from typing import Protocol, runtime_checkable

from ttt.arena import exact
from ttt.board import Board, Mark, opponent
from ttt.players import PLAYERS, Player, PlayerError, WrongBoard, explained
from ttt.players.negamax import TooManyFreeCells
from ttt.store import Key, Row

KEY = ("shape", "k", "x", "o", "seed", "number")  # what identifies a row
COLUMNS = (*KEY, "x_wins", "draws", "o_wins", "moves", "lost_by", "reason")
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


def is_remote(entrant: str | Entrant) -> bool:
    """Whether a player is asked in another process."""
    return isinstance(entrant, RemotePlayer) and not isinstance(entrant, (str, Player))


def is_registered(entrant: Entrant) -> bool:
    """Whether a player's name is enough to find it."""
    return PLAYERS.get(entrant.name) is entrant


def entrant_of(sent: str | Entrant) -> Entrant:
    """The player, which a worker is sent by name where that is enough."""
    return PLAYERS[sent] if isinstance(sent, str) else sent


@dataclass(frozen=True)
class Task:
    """Some games of two players, or their exact result if both turn out to be policies.

    Args:
        names: of X and O in the rows, with the digest of a remote player.
        numbers: which games.
        exactly: whether to try for the exact result.
    """

    x: str | Entrant
    o: str | Entrant
    names: tuple[str, str]
    board: Board
    seed: int
    numbers: tuple[int, ...]
    exactly: bool

    def rows(self) -> list[Row]:
        """The result, or the games, as rows."""
        if self.exactly:
            with suppress(Exception):  # a player that uses chance of its own, or fails somewhere: play the games
                found = exact(entrant_of(self.x), entrant_of(self.o), self.board)  # type: ignore[arg-type]
                return [self._row(EXACT, 0, *map(repr, (found.x_wins, found.draws, found.o_wins)))]
        return [self._game(number) for number in self.numbers]

    def forfeit(self, number: int, side: Mark) -> Row:
        """The row of a game that one side loses without playing."""
        name = entrant_of(self.x if side == "X" else self.o).name
        return self._ended(number, [], opponent(side), f"{name} {TOO_LATE}")

    def key(self, seed: str, number: int) -> Key:
        """What identifies the row of a game, or that of the exact result."""
        begun = "" if not self.board.x else f" {self.board.x:x}/{self.board.o:x}"
        return f"{self._shape}{begun}", str(self.board.k), *self.names, seed, str(number)

    @property
    def _shape(self) -> str:
        return "x".join(map(str, self.board.shape))

    def _game(self, number: int) -> Row:
        return self._ended(number, *play(entrant_of(self.x), entrant_of(self.o), self.board, self._rng(number)))

    def _rng(self, number: int) -> Random:
        """The chance in a game: the same whichever worker plays it, and in whatever order."""
        board = self.board
        return Random(f"{self.seed} {self.names} {number} {self._shape} {board.k} {board.x} {board.o}")

    def _ended(self, number: int, moves: list[int], winner: Mark | None, reason: str) -> Row:
        ends = (str(int(winner == end)) for end in ("X", None, "O"))
        lost_by = opponent(winner) if reason and winner else ""
        return self._row(str(self.seed), number, *ends, " ".join(map(str, moves)), lost_by, reason)

    def _row(self, seed: str, number: int, *found: str) -> Row:
        return dict.fromkeys(COLUMNS, "") | dict(zip(COLUMNS, (*self.key(seed, number), *found), strict=False))


def play(x: Entrant, o: Entrant, board: Board, rng: Random) -> tuple[list[int], Mark | None, str]:
    """A game: its moves, who won, and why it was not played to the end, if it wasn't."""
    moves: list[int] = []
    with _session(x, board, rng) as ask_x, _session(o, board, rng) as ask_o:
        while not board.over:
            answer = (ask_x if board.turn == "X" else ask_o)(board)
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
            if isinstance(answer, str):
                return answer
            return _choice(Player(entrant.name, lambda _: answer), board, rng)

        yield move


def _choice(player: Player, board: Board, rng: Random) -> int | str:
    """A player's move, or what went wrong. A registered player on a board that it doesn't play on loses nothing."""
    try:
        return player.choose(board, rng)
    except Exception as error:
        if is_registered(player) and isinstance(error, (WrongBoard, TooManyFreeCells)):
            raise BadTournament(str(error)) from None
        said = " ".join(explained(error, player.name).split())
        return said.partition(" It must be ")[0] if isinstance(error, PlayerError) else said
