"""The arena: a game between two players, a match of many, and the exact chances of each result."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from random import Random, getstate
from typing import TypeVar

from ttt.board import Board, Mark
from ttt.players import AnyPlayer, Player, PlayerError, Policy, as_player

MOST_POSITIONS = 100_000
START = Board()
Item = TypeVar("Item")


class HiddenChance(PlayerError):
    """A plain function decided by chance, so that its probabilities can't be known."""


class TooManyPositions(ValueError):
    """The players can reach more positions than can be enumerated."""


@dataclass(frozen=True)
class Game:
    """The record of a game: who played, from which board, and every move. It can be replayed from that.

    Args:
        x, o: the names of the players.
        moves: the cells they played, in order.
        start: the board before the first of these moves.
    """

    x: str
    o: str
    moves: tuple[int, ...]
    start: Board = START

    @cached_property
    def boards(self) -> tuple[Board, ...]:
        """Every position of the game, the first and the last included. Raises a `BoardError` for an illegal move."""
        boards = [self.start]
        for move in self.moves:
            boards.append(boards[-1].play(move))
        return tuple(boards)

    @property
    def final(self) -> Board:
        """The board at the end."""
        return self.boards[-1]

    @property
    def winner(self) -> Mark | None:
        """Who won: "X", "O", or None for a draw."""
        return self.final.winner

    def __str__(self) -> str:
        names = {"X": f"{self.x} (X) wins", "O": f"{self.o} (O) wins", None: "a draw"}
        end = names[self.winner] if self.final.over else "not over yet"
        return f"{self.x} (X) against {self.o} (O): cells {' '.join(map(str, self.moves))}; {end}."

    def _repr_svg_(self) -> str:
        """All positions side by side, the way a notebook shows the game."""
        from ttt import svg  # a face, which stands above the arena: loaded when one looks at it

        return str(svg.strip(self.boards, title=str(self)))


@dataclass(frozen=True)
class Result:
    """How games between two players end: the share that X wins, that is drawn, and that O wins. They sum to 1."""

    x: str
    o: str
    x_wins: float
    draws: float
    o_wins: float

    def __str__(self) -> str:
        return f"{self.x} (X) wins {self.x_wins:.4f}, draws {self.draws:.4f}, {self.o} (O) wins {self.o_wins:.4f}"


@dataclass(frozen=True)
class Match:
    """The record of many games between the same two players."""

    x: str
    o: str
    games: tuple[Game, ...]

    @property
    def winners(self) -> tuple[Mark | None, ...]:
        """Each game's winner, in the order they were played."""
        return tuple(game.winner for game in self.games)

    @property
    def result(self) -> Result:
        """The share of the games that X won, that were drawn, and that O won."""
        ends = Counter(self.winners)
        return Result(self.x, self.o, *(ends[winner] / len(self.games) for winner in ("X", None, "O")))

    def __str__(self) -> str:
        ends = Counter(self.winners)
        return (
            f"{len(self.games):,} games: {self.x} (X) won {ends['X']:,}, {ends[None]:,} were drawn, "
            f"{self.o} (O) won {ends['O']:,}"
        )

    def __repr__(self) -> str:
        return f"<Match: {self}>"  # the games would fill pages


def play(x: AnyPlayer, o: AnyPlayer, board: Board = START, rng: Random | None = None) -> Game:
    """One game between two players, each a player, a registered name or a function from a board to a cell.

    Args:
        board: where to start from.
        rng: the generator that chance comes from; a fresh one unless given.

    Raises `PlayerError` where a player answers nonsense.

    >>> play("flash-clever", "flash-clever").moves
    (4, 0, 2, 6, 3, 5, 7, 1, 8)
    """
    chance = rng or Random()
    players = {"X": as_player(x), "O": as_player(o)}
    position, moves = board, []
    while not position.over:
        moves.append(players[position.turn].choose(position, chance))
        position = position.play(moves[-1])
    return Game(players["X"].name, players["O"].name, tuple(moves), board)


def match(x: AnyPlayer, o: AnyPlayer, games: int = 100, board: Board = START, rng: Random | None = None) -> Match:
    """Many games between two players, the same side beginning each. Takes and raises what `play` does.

    >>> match("random", "flash-clever", games=2, rng=Random(1)).result.o_wins
    1.0
    """
    if games < 1:
        raise ValueError(f"A match has 1 game or more, not {games}.")
    chance = rng or Random()
    one, other = as_player(x), as_player(o)
    played = tuple(play(one, other, board, chance) for _ in _progress(range(games), "games", games))
    return Match(one.name, other.name, played)


def exact(x: AnyPlayer, o: AnyPlayer, board: Board = START) -> Result:
    """The exact probabilities that X wins, that the game is drawn, and that O wins: no game is sampled.

    All positions with as many marks are kept with the probability that a game comes through them, and played on
    together, mark by mark.

    Raises `HiddenChance` for a function that is seen to draw lots, `TooManyPositions` beyond 100,000 at one time, and
    what `Player.policy` raises.

    >>> print(exact("random", "random"))
    random (X) wins 0.5849, draws 0.1270, random (O) wins 0.2881
    """
    players = {"X": as_player(x), "O": as_player(o)}
    ends = {"X": 0.0, None: 0.0, "O": 0.0}
    positions = {board: 1.0}
    while positions:
        following: dict[Board, float] = defaultdict(float)
        for position, chance in _progress(positions.items(), f"positions with {_marks(positions)} marks"):
            if position.over:
                ends[position.winner] += chance
                continue
            for cell, share in _steady_policy(players[position.turn], position).items():
                following[position.play(cell)] += chance * share
            if len(following) > MOST_POSITIONS:
                raise TooManyPositions(f"There are more than {MOST_POSITIONS:,} positions; match() samples games.")
        positions = following
    return Result(players["X"].name, players["O"].name, ends["X"], ends[None], ends["O"])


def _marks(positions: Iterable[Board]) -> int:
    board = next(iter(positions))
    return len(board) - len(board.moves)


def _steady_policy(player: Player, board: Board) -> Policy:
    """The player's policy, unless it is one throw of many: it must not draw lots, and say the same when asked again."""
    state = getstate()
    policy = player.policy(board)
    if player.policy(board) != policy or getstate() != state:
        raise HiddenChance(
            f"{player.name} leaves its move to chance. exact() needs the probabilities: "
            "return {cell: probability}, or sample games with match()."
        )
    return policy


def _progress(items: Iterable[Item], unit: str, total: int | None = None) -> Iterable[Item]:
    """The items, with a progress bar once it takes more than two seconds."""
    from tqdm.auto import tqdm  # loaded with the first game rather than with the package

    bar: Iterable[Item] = tqdm(items, unit=f" {unit}", total=total, delay=2, leave=False)
    return bar
