"""The arena: single games, matches, exact results, who can be beaten, and best replies."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sized
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import accumulate
from math import sqrt
from random import Random, getstate, seed, setstate
from statistics import NormalDist
from typing import Any, TypeVar

from ttt.board import Board, Mark, opponent
from ttt.heuristics import as_number
from ttt.players import PLAYERS, AnyPlayer, Player, PlayerError, Policy, as_player, beatable, best_moves, evenly
from ttt.position import MAX_GAME_MOVES, MAX_PLIES, Position, as_generator, endless_message, is_count, require_position
from ttt.progress import progress
from ttt.words import count_phrase

MAX_POSITIONS_PER_PLY = 100_000  # max. positions with the same number of moves
MAX_CACHED_POLICIES = 2**16  # max. cached policies of registered players: enough for ten on 3×3
DECIMALS = 12  # decimals of expected points; smaller differences are rounding errors
SHARE_TOLERANCE = 0.0001  # how close `strength_for` must come to the requested share
SEEDS = (31, 52)  # of `random`: the first number after them is 0.01 and 0.98, so that a draw has another outcome
START = Board()

BY_CHANCE = "chooses at random, so its probabilities are unknown."
NOT_STEADY = (
    "was asked twice about the same position and answered differently, so its probabilities are unknown. It uses a"
    " clock, keeps something from one call to the next, or chooses at random with a generator of its own."
)
NOT_EXACT = "Where chance is to decide, return `{move: probability}`, or sample games with `match()`."

_Value = TypeVar("_Value")


class HiddenChance(PlayerError):
    """A function answers differently when asked again, so the probabilities of its moves are unknown."""


class Forfeit(PlayerError):
    """A player has no move here (the message says why) and forfeits every game that reaches this position."""


@dataclass(frozen=True)
class Game:
    """The record of a game between two players, who are given by name."""

    x: str
    o: str
    moves: tuple[Any, ...]  # the moves played, in order; on a board, its cells
    start: Position = START

    @cached_property
    def boards(self) -> tuple[Any, ...]:
        """Every position of the game, from the first to the last. Raises `BoardError` for an illegal move."""
        return tuple(accumulate(self.moves, lambda position, move: position.play(move), initial=self.start))

    @property
    def final(self) -> Any:
        """The final position."""
        return self.boards[-1]

    @property
    def winner(self) -> Mark | None:
        """Who won: "X", "O", or None for a draw."""
        winner: Mark | None = self.final.winner
        return winner

    def __str__(self) -> str:
        end = "a draw" if self.final.over else "unfinished"
        if self.winner:
            end = f"won by {self.x if self.winner == 'X' else self.o} ({self.winner})"
        noun = "cells" if isinstance(self.start, Board) else "moves"
        return f"{self.x} (X) against {self.o} (O): {noun} {' '.join(map(str, self.moves))}; {end}."

    def _repr_svg_(self) -> str | None:
        """All positions of a board game side by side, as a notebook shows the game."""
        if not isinstance(self.start, Board):
            return None
        from ttt import svg  # a layer above the arena, so deferred until a game is shown

        return str(svg.strip(self.boards, title=str(self)))


@dataclass(frozen=True)
class Result:
    """The results of games between two players: the shares won by X, drawn, and won by O, which sum to 1."""

    x: str
    o: str
    x_wins: float
    draws: float
    o_wins: float

    @property
    def points(self) -> float:
        """X's share of the points: one point for a win, half a point for a draw."""
        return self.x_wins + self.draws / 2

    def __str__(self) -> str:
        x, draws, o = (f"{100 * share:.2f} %" for share in (self.x_wins, self.draws, self.o_wins))
        return f"{self.x} (X) wins {x}, draws {draws}, {self.o} (O) wins {o}"


@dataclass(frozen=True, repr=False)
class Match:
    """The record of many games between the same two players."""

    x: str
    o: str
    games: tuple[Game, ...]

    @property
    def winners(self) -> tuple[Mark | None, ...]:
        """The winner of each game, in order of play."""
        return tuple(game.winner for game in self.games)

    @property
    def result(self) -> Result:
        """The shares of the games won by X, drawn, and won by O."""
        ends = Counter(self.winners)
        return Result(self.x, self.o, *(ends[winner] / len(self.games) for winner in ("X", None, "O")))

    @property
    def interval(self) -> tuple[float, float]:
        """A 95 per cent confidence interval for X's share of the points, by Wilson's method."""
        return wilson(self.result.points, len(self.games))

    def __str__(self) -> str:
        ends, games = Counter(self.winners), count_phrase(len(self.games), "game")
        won = f"{self.x} (X) won {ends['X']:,}, {self.o} (O) won {ends['O']:,}"
        return f"{games}: {won}, and {f'{ends[None]:,}' if ends[None] else 'none'} ended in a draw"

    def __repr__(self) -> str:
        return f"<Match of {self}>"  # listing the games would fill pages


def wilson(share: float, games: int, level: float = 0.95) -> tuple[float, float]:
    """A confidence interval for a share observed in this many games, at a level of 95 per cent by default.

    For shares of points it is too wide rather than too narrow, because draws vary less. Source: Wilson 1927. Raises
    `ValueError` without a game, and for a share that is not from 0 to 1.

    >>> [round(end, 4) for end in wilson(0, 50)]
    [0.0, 0.0713]
    """
    if not is_count(games):
        raise ValueError(f"An interval needs a whole number of games, 1 or more, not {games!r}.")
    _require_share("A share", share)
    weight = NormalDist().inv_cdf((1 + level) / 2) ** 2 / games
    middle = (share + weight / 2) / (1 + weight)
    half = sqrt(weight * share * (1 - share) + weight**2 / 4) / (1 + weight)
    return min(max(0.0, middle - half), share), max(min(1.0, middle + half), share)  # whatever is rounded


def play(x: AnyPlayer, o: AnyPlayer, board: Position = START, rng: Random | None = None) -> Game:
    """Play one game between two players. Each is a `Player`, a registered name or a function from a board to a cell.

    In a game of your own, the functions take a position and return a move. Random choices use `rng`, by default a new
    generator. Raises `PlayerError` for an answer that is not a move.

    >>> play("flash-clever", "flash-clever").moves
    (4, 0, 2, 6, 3, 5, 7, 1, 8)
    """
    require_position(board, "play()")
    return _play(as_player(x), as_player(o), board, as_generator(rng))


def _play(x: Player, o: Player, board: Position, rng: Random) -> Game:
    position, moves = board, []
    while not position.over:
        moves.append((x if position.turn == "X" else o).choose(position, rng))
        position = position.play(moves[-1])
        if len(moves) > MAX_GAME_MOVES:
            raise ValueError(endless_message(position, "only a game that ends can be played", MAX_GAME_MOVES))
    return Game(x.name, o.name, tuple(moves), board)


def match(x: AnyPlayer, o: AnyPlayer, games: int = 100, board: Position = START, rng: Random | None = None) -> Match:
    """Play many games between two players, who keep their sides.

    Takes the same arguments as `play`, and raises the same errors.

    >>> match("random", "flash-clever", games=2, rng=Random(1)).result.o_wins
    1.0
    """
    if not is_count(games):
        raise ValueError(f"`games` must be a whole number, 1 or more, not {games!r}.")
    require_position(board, "match()")
    x, o, rng = as_player(x), as_player(o), as_generator(rng)
    return Match(x.name, o.name, tuple(_play(x, o, board, rng) for _ in progress(range(games), "games")))


def exact(x: AnyPlayer, o: AnyPlayer, board: Position = START) -> Result:
    """The exact probabilities of a win for X, a draw and a win for O: nothing is sampled.

    Raises `HiddenChance` for a function found to choose at random, `ValueError` for more than 100,000 positions with
    the same number of moves, and the errors of `Player.policy`.

    >>> print(exact("random", "random"))
    random (X) wins 58.49 %, draws 12.70 %, random (O) wins 28.81 %
    """
    require_position(board, "exact()")
    players = {"X": as_player(x), "O": as_player(o)}
    ends = {"X": 0.0, None: 0.0, "O": 0.0}
    for position, chance, later in _positions_from(board, 1.0):
        if position.over:
            ends[position.winner] += chance
            continue
        try:
            policy = steady_policy(players[position.turn], position)
        except Forfeit:
            ends[opponent(position.turn)] += chance
            continue
        for move, share in policy.items():
            after = position.play(move)
            later[after] = later.get(after, 0.0) + chance * share
    return Result(players["X"].name, players["O"].name, ends["X"], ends[None], ends["O"])


def reachable(player: AnyPlayer, plays: Mark = "X", board: Position = START) -> set[Any]:
    """Every position in any game a player can play, against any moves at all. Raises as `exact` does.

    What is true of all these positions is true in all the player's games. That is a proof; a match is only a sample.

    >>> positions = reachable("flash-clever", plays="O")
    >>> len([board for board in positions if board.turn == "O" and not board.over])
    256
    """
    return {position for position, _ in shortest_ways(as_player(player), plays, board)}


def shortest_loss(player: AnyPlayer, plays: Mark = "O", board: Position = START) -> Game | None:
    """The shortest game a player can lose on this side; None if it never loses. Raises as `exact` does.

    >>> shortest_loss("flash-clever").moves
    (0, 4, 7, 2, 6, 8, 3)
    >>> shortest_loss("perfect") is None
    True
    """
    loser, rival = as_player(player), opponent(plays)
    for position, moves in shortest_ways(loser, plays, board):
        if position.winner == rival:
            return _against_you(loser, plays, moves, board)
    return None


def sure_win(player: AnyPlayer, plays: Mark = "O", board: Position = START) -> Game | None:
    """The shortest forced win against a player on this side; None if there is none.

    Whatever the player chooses, it loses; the game shown is the one where it holds out longest. Raises as `exact` does.

    >>> print(sure_win("rules-coded"))
    you (X) against rules-coded (O): cells 0 4 8 2 6 7 3; won by you (X).
    >>> sure_win("random") is None
    True
    """
    require_position(board, "sure_win()")
    loser, rival = as_player(player), opponent(plays)
    known: dict[Any, tuple[Any, ...] | None] = {}  # the shortest forced win from each position, or None

    def search(position: Any, ply: int) -> tuple[Any, ...] | None:
        if position.over:
            return () if position.winner == rival else None
        if position not in known:
            require_end(position, ply)
            moves = _possible_moves(loser, plays, position)
            wins = [(move, *rest) for move in moves if (rest := search(position.play(move), ply + 1)) is not None]
            if position.turn == rival:
                known[position] = min(wins, key=len, default=None)
            else:  # no move may let the player escape
                known[position] = max(wins, key=len) if len(wins) == len(moves) else None
            _require_few(known)
        return known[position]

    moves = search(board, 0)
    return None if moves is None else _against_you(loser, plays, moves, board)


def best_reply(player: AnyPlayer, plays: Mark = "X", draw: float = 0.5) -> Player:
    """The player that gets the most points against a given player on this side; game theory calls it the best response.

    A win counts 1, a loss 0, and a draw `draw`, from 0 to 1; equally good moves are equally likely. Asked for a move,
    it raises as `exact` does, and `PlayerError` if it is not its turn.

    >>> print(exact(best_reply("random"), "random"))
    best-reply-to-random (X) wins 99.48 %, draws 0.52 %, random (O) wins 0.00 %
    """
    _require_share("The worth of a draw", draw)
    rival, other = as_player(player), opponent(plays)
    ends = {plays: 1.0, None: float(draw), other: 0.0}
    known: dict[Any, float] = {}

    def points(board: Any, ply: int = 0) -> float:
        """The most points to expect from this board on."""
        if board.over:
            return ends[board.winner]
        if board not in known:
            require_end(board, ply)
            policy = dict.fromkeys(board.moves, 1.0) if board.turn == plays else steady_policy(rival, board)
            after = [chance * points(board.play(move), ply + 1) for move, chance in policy.items()]
            known[board] = max(after) if board.turn == plays else sum(after)
            _require_few(known)
        return known[board]

    def rule(board: Any) -> Policy:
        if not known:
            require_position(board, "A best reply")
        if board.turn != plays:
            advice = f'`best_reply(..., plays="{other}")` plays that side'
            raise PlayerError(f"This reply to {rival.name} plays {plays}, but it is {other}'s turn: {advice}.")
        return evenly(best_moves({move: round(points(board.play(move)), DECIMALS) for move in board.moves}))

    def sees(board: Any, player: Mark) -> float:
        expected = round(points(board), DECIMALS)
        return expected if player == plays else 1 - expected

    about = f"Gets as many points as possible as {plays} against {rival.name}."
    return Player(f"best-reply-to-{rival.name}", rule, about, rival.shape, heuristic=sees)


def strength_for(against: AnyPlayer, loses: float, plays: Mark = "O") -> float:
    """The strength at which `beatable`, on this side, loses a given share of its games against another player.

    Found by bisection until the exact share on 3×3 is within 0.0001. Raises `ValueError` with the range of
    possible shares, and the errors of `exact`.

    >>> print(exact("rules", beatable(strength_for("rules", loses=0.25))))
    rules (X) wins 25.00 %, draws 75.00 %, beatable(0.824) (O) wins 0.00 %
    """
    rival, other = as_player(against), opponent(plays)

    def lost(strength: float) -> float:
        mine = beatable(strength)
        return exact(rival, mine).x_wins if other == "X" else exact(mine, rival).o_wins

    weak, strong = 0.0, 1.0
    least, most = lost(strong), lost(weak)
    if as_number(loses) is None or not least <= loses <= most:
        shares = f"loses from {least:.4f} to {most:.4f} of its games, so no strength gives {loses!r}"
        raise ValueError(f"As {plays} against {rival.name} the beatable player {shares}.")
    while True:
        strength = (weak + strong) / 2
        share = lost(strength)
        if abs(share - loses) <= SHARE_TOLERANCE:
            return strength
        weak, strong = (strength, strong) if share > loses else (weak, strength)


def steady_policy(player: Player, board: Position) -> Policy:
    """The policy of a player that gives the same answer whatever the state of Python's random numbers is.

    A player that sets its own seed may use them. Raises `HiddenChance` if the answers differ, and the errors of
    `Player.policy`.
    """
    if PLAYERS.get(player.name) is player:
        return _registered_policy(player, board)
    state = getstate()
    try:
        policy, other = (_after_seed(number, player, board) for number in SEEDS)
        if policy != other:
            by_chance = [_after_seed(number, player, board) for number in SEEDS[::-1]] == [other, policy]
            raise HiddenChance(f"{player.name} {BY_CHANCE if by_chance else NOT_STEADY} {NOT_EXACT}")
    finally:
        setstate(state)
    return policy


def _after_seed(number: int, player: Player, board: Position) -> Policy:
    seed(number)
    return player.policy(board)


# Registered players never change, so each board is asked about once.
_registered_policy: Callable[[Player, Any], Policy] = lru_cache(MAX_CACHED_POLICIES)(Player.policy)


def _possible_moves(player: Player, plays: Mark, position: Position) -> Collection[Any]:
    """The possible moves: those of the player's policy on its side, and all moves for the other side."""
    if position.over:
        return ()
    return position.moves if position.turn == opponent(plays) else steady_policy(player, position)


def shortest_ways(player: Player, plays: Mark, board: Position) -> Iterator[tuple[Any, tuple[Any, ...]]]:
    """Every position in games a player can play on this side, with the moves of a shortest game to it."""
    require_position(board, "The arena")
    start: tuple[Any, ...] = ()
    for position, moves, later in _positions_from(board, start):
        yield position, moves
        for move in _possible_moves(player, plays, position):
            later.setdefault(position.play(move), (*moves, move))


def _positions_from(board: Position, value: _Value) -> Iterator[tuple[Any, _Value, dict[Any, _Value]]]:
    """Every position that can follow, move by move, with its value; the caller adds its successors to the dict."""
    positions: dict[Any, _Value] = {board: value}
    ply = 0
    while positions:
        later: dict[Any, _Value] = {}
        for position in progress(positions, "positions"):
            require_end(position, ply)
            yield position, positions[position], later
            _require_few(later)
        positions, ply = later, ply + 1


def _require_share(what: str, share: object) -> None:
    number = as_number(share)
    if number is None or not 0 <= number <= 1:
        raise ValueError(f"{what} must be a number from 0 to 1, not {share!r}.")


def require_end(position: Position, ply: int) -> None:
    """Raise `ValueError` if a game (not on a board) has become so long that it may never end."""
    if ply > MAX_PLIES and not position.over and not isinstance(position, Board):
        raise ValueError(endless_message(position, "sample games with `match()` instead"))


def _require_few(positions: Sized) -> None:
    if len(positions) > MAX_POSITIONS_PER_PLY:
        raise ValueError(
            f"There are more than {MAX_POSITIONS_PER_PLY:,} positions. Sample games with `match()` instead."
        )


def _against_you(player: Player, plays: Mark, moves: tuple[Any, ...], board: Position) -> Game:
    """The record of a game with the player on this side and "you" as its opponent."""
    names = {plays: player.name, opponent(plays): "you"}
    return Game(names["X"], names["O"], moves, board)
