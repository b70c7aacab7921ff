"""The arena: a game, a match of many, the exact chances of each result, who can be beaten, and the best reply."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sized
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import accumulate
from math import sqrt
from numbers import Integral
from random import Random, getstate
from typing import Any, TypeVar

from ttt.board import Board, Mark, opponent
from ttt.players import PLAYERS, AnyPlayer, Player, PlayerError, Policy, as_player, beatable, best_moves, evenly
from ttt.position import MOST_MOVES, MOST_PLIES, Position, endless, play_of, require_position
from ttt.runtime.progress import progress

MOST_POSITIONS = 100_000  # after the same number of moves
MOST_REMEMBERED = 2**16  # policies of registered players: those of ten on 3×3
DECIMALS = 12  # of expected points; what differs only beyond these is a rounding error
CLOSE = 0.0001  # how near `strength_for` comes to the share that was asked for
CERTAIN = 1.959964  # standard errors to either side of the middle of a 95 per cent interval
START = Board()

Value = TypeVar("Value")


class HiddenChance(PlayerError):
    """A function chooses at random, so its probabilities can't be known."""


class Forfeit(PlayerError):
    """A player gives no move here, for the reason in the message: it loses the games that get here."""


@dataclass(frozen=True)
class Game:
    """The record of a game between two players, given by their names."""

    x: str
    o: str
    moves: tuple[Any, ...]  # that they played, in order: cells of a board
    start: Position = START

    @cached_property
    def boards(self) -> tuple[Any, ...]:
        """Every position of the game, the first and the last included. Raises a `BoardError` for an illegal move."""
        return tuple(accumulate(self.moves, play_of(self.start), initial=self.start))

    @property
    def final(self) -> Any:
        """The board at the end."""
        return self.boards[-1]

    @property
    def winner(self) -> Mark | None:
        """Who won: "X", "O", or None for a draw."""
        winner: Mark | None = self.final.winner
        return winner

    def __str__(self) -> str:
        end = "a draw" if self.final.over else "not over yet"
        if self.winner:
            end = f"{self.x if self.winner == 'X' else self.o} ({self.winner}) wins"
        noun = "cells" if isinstance(self.start, Board) else "moves"
        return f"{self.x} (X) against {self.o} (O): {noun} {' '.join(map(str, self.moves))}; {end}."

    def _repr_svg_(self) -> str | None:
        """All positions of a board side by side, the way a notebook shows the game."""
        if not isinstance(self.start, Board):
            return None
        from ttt.drawing import svg  # a layer above the arena, loaded only when a game is shown

        return str(svg.strip(self.boards, title=str(self)))


@dataclass(frozen=True)
class Result:
    """How games between two players end: the shares that X wins, that are drawn, and that O wins; they sum to 1."""

    x: str
    o: str
    x_wins: float
    draws: float
    o_wins: float

    @property
    def points(self) -> float:
        """X's share of the points: one for a win, half a point for a draw."""
        return self.x_wins + self.draws / 2

    def __str__(self) -> str:
        return f"{self.x} (X) wins {self.x_wins:.4f}, draws {self.draws:.4f}, {self.o} (O) wins {self.o_wins:.4f}"


@dataclass(frozen=True, repr=False)
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

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 per cent confidence interval of X's share of the points, by Wilson's method."""
        return wilson(self.result.points, len(self.games))

    def __str__(self) -> str:
        ends = Counter(self.winners)
        return (
            f"{len(self.games):,} games: {self.x} (X) won {ends['X']:,}, {ends[None]:,} were drawn, "
            f"{self.o} (O) won {ends['O']:,}"
        )

    def __repr__(self) -> str:
        return f"<Match: {self}>"  # the games would fill pages


def wilson(share: float, games: int) -> tuple[float, float]:
    """The 95 per cent confidence interval of a share that was observed in so many games.

    For shares of points it is too wide rather than too narrow: drawn games vary less. Source: Wilson 1927. Raises
    `ValueError` without a game.

    >>> [round(end, 4) for end in wilson(0, 50)]
    [0.0, 0.0713]
    """
    if games < 1:
        raise ValueError(f"An interval needs 1 game or more, not {games!r}.")
    weight = CERTAIN**2 / games
    middle = (share + weight / 2) / (1 + weight)
    half = sqrt(weight * share * (1 - share) + weight**2 / 4) / (1 + weight)
    return max(0.0, middle - half), min(1.0, middle + half)


def play(x: AnyPlayer, o: AnyPlayer, board: Position = START, rng: Random | None = None) -> Game:
    """One game between two players, each a player, a registered name or a function from a board to a cell. In
    another game they make moves in a position.

    Chance comes from `rng`, a fresh generator unless given. Raises `PlayerError` for an answer that is not a move.

    >>> play("flash-clever", "flash-clever").moves
    (4, 0, 2, 6, 3, 5, 7, 1, 8)
    """
    require_position(board, "play()")
    chance = rng or Random()
    players = {"X": as_player(x), "O": as_player(o)}
    position, moves, after = board, [], play_of(board)
    while not position.over:
        moves.append(players[position.turn].choose(position, chance))
        position = after(position, moves[-1])
        if len(moves) > MOST_MOVES:
            raise ValueError(endless(position, "its players go round in circles", MOST_MOVES))
    return Game(players["X"].name, players["O"].name, tuple(moves), board)


def match(x: AnyPlayer, o: AnyPlayer, games: int = 100, board: Position = START, rng: Random | None = None) -> Match:
    """Many games between two players, who keep their sides. Takes and raises what `play` does.

    >>> match("random", "flash-clever", games=2, rng=Random(1)).result.o_wins
    1.0
    """
    if not isinstance(games, Integral) or games < 1:
        raise ValueError(f"A match has a whole number of games, 1 or more, not {games!r}.")
    chance = rng or Random()
    x, o = as_player(x), as_player(o)
    played = tuple(play(x, o, board, chance) for _ in progress(range(games), "games"))
    return Match(x.name, o.name, played)


def exact(x: AnyPlayer, o: AnyPlayer, board: Position = START) -> Result:
    """The exact probabilities that X wins, that the game is drawn, and that O wins: no game is sampled.

    Raises `HiddenChance` for a function that is seen to choose at random, `ValueError` beyond 100,000 positions with
    the same number of moves, and what `Player.policy` raises.

    >>> print(exact("random", "random"))
    random (X) wins 0.5849, draws 0.1270, random (O) wins 0.2881
    """
    require_position(board, "exact()")
    players, play = {"X": as_player(x), "O": as_player(o)}, play_of(board)
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
            after = play(position, move)
            later[after] = later.get(after, 0.0) + chance * share
    return Result(players["X"].name, players["O"].name, ends["X"], ends[None], ends["O"])


def reachable(player: AnyPlayer, plays: Mark = "X", board: Position = START) -> set[Any]:
    """Every position of all the games that a player can play: by any of its own choices, against any moves at all.

    What holds in all of them holds in each of its games: a proof, where a match gives a sample. Raises as `exact` does.

    >>> positions = reachable("flash-clever", plays="O")
    >>> len([board for board in positions if board.turn == "O" and not board.over])
    256
    """
    return {position for position, _ in _reached(as_player(player), plays, board)}


def shortest_loss(player: AnyPlayer, plays: Mark = "O", board: Position = START) -> Game | None:
    """The shortest game that a player can lose on this side; None if it never loses. Raises as `exact` does.

    >>> shortest_loss("flash-clever").moves
    (0, 4, 7, 2, 6, 8, 3)
    >>> shortest_loss("perfect") is None
    True
    """
    loser, rival = as_player(player), opponent(plays)
    for position, moves in _reached(loser, plays, board):
        if position.winner == rival:
            return _against_you(loser, plays, moves, board)
    return None


def sure_win(player: AnyPlayer, plays: Mark = "O", board: Position = START) -> Game | None:
    """The shortest game that beats a player on this side for certain; None if there is no certain way.

    There is a win after each of the player's choices; in the game shown it holds out longest. Raises as `exact` does.

    >>> print(sure_win("rules-coded"))
    you (X) against rules-coded (O): cells 0 4 8 2 6 7 3; you (X) wins.
    >>> sure_win("random") is None
    True
    """
    require_position(board, "sure_win()")
    loser, rival, play = as_player(player), opponent(plays), play_of(board)
    known: dict[Any, tuple[Any, ...] | None] = {}  # how each position goes on to the shortest sure win, or None

    def search(position: Any, ply: int) -> tuple[Any, ...] | None:
        if position.over:
            return () if position.winner == rival else None
        if position not in known:
            require_end(position, ply)
            moves = _possible_moves(loser, plays, position)
            wins = [(move, *rest) for move in moves if (rest := search(play(position, move), ply + 1)) is not None]
            if position.turn == rival:
                known[position] = min(wins, key=len, default=None)
            else:  # the player must have no move by which it escapes
                known[position] = max(wins, key=len) if len(wins) == len(moves) else None
            _require_few(known)
        return known[position]

    moves = search(board, 0)
    return None if moves is None else _against_you(loser, plays, moves, board)


def best_reply(player: AnyPlayer, plays: Mark = "X", draw: float = 0.5) -> Player:
    """The player that on this side gets the most points against a given player: its best response, in game theory.

    On every board it makes a move with the highest expected points; moves with equally many are equally likely. A win
    counts 1, a loss 0, and a draw what is given, from 0 to 1. Asked for a move, it raises as `exact` does, and
    `PlayerError` where it is not its turn.

    >>> print(exact(best_reply("random"), "random"))
    best-reply-to-random (X) wins 0.9948, draws 0.0052, random (O) wins 0.0000
    """
    if not 0 <= draw <= 1:
        raise ValueError(f"A draw is worth from 0 to 1 points, not {draw!r}.")
    rival, other = as_player(player), opponent(plays)
    ends = {plays: 1.0, None: float(draw), other: 0.0}
    known: dict[Any, float] = {}

    def points(board: Any, ply: int = 0) -> float:
        """The most points that can be expected from a board on."""
        if board.over:
            return ends[board.winner]
        if board not in known:
            require_end(board, ply)
            policy = dict.fromkeys(board.moves, 1.0) if board.turn == plays else steady_policy(rival, board)
            play = play_of(board)
            after = [chance * points(play(board, move), ply + 1) for move, chance in policy.items()]
            known[board] = max(after) if board.turn == plays else sum(after)
            _require_few(known)
        return known[board]

    def rule(board: Any) -> Policy:
        require_position(board, "A best reply", PlayerError)
        if board.turn != plays:
            advice = f'best_reply(..., plays="{other}") plays that side'
            raise PlayerError(f"This reply to {rival.name} plays {plays}, and it is {other}'s turn: {advice}.")
        play = play_of(board)
        return evenly(best_moves({move: round(points(play(board, move)), DECIMALS) for move in board.moves}))

    def sees(board: Any, player: Mark) -> float:
        expected = round(points(board), DECIMALS)
        return expected if player == plays else 1 - expected

    about = f"Gets the most points that anybody can get as {plays} against {rival.name}."
    return Player(f"best-reply-to-{rival.name}", rule, about, rival.shape, sees=sees)


def strength_for(against: AnyPlayer, loses: float, plays: Mark = "O") -> float:
    """The strength at which the beatable player, on this side, loses a given share of its games against another.

    Found by halving the range until the exact share on 3×3 is within 0.0001. Raises `ValueError` with the range of the
    shares that are possible, and what `exact` raises.

    >>> print(exact("rules", beatable(strength_for("rules", loses=0.25))))
    rules (X) wins 0.2500, draws 0.7500, beatable(0.824) (O) wins 0.0000
    """
    rival, other = as_player(against), opponent(plays)

    def lost(strength: float) -> float:
        mine = beatable(strength)
        return exact(rival, mine).x_wins if other == "X" else exact(mine, rival).o_wins

    weak, strong = 0.0, 1.0
    least, most = lost(strong), lost(weak)
    if not least <= loses <= most:
        shares = f"from {least:.4f} to {most:.4f} of its games"
        who = f"As {plays} against {rival.name} the beatable player loses"
        raise ValueError(f"{who} {shares}: no strength gives {loses!r}.")
    while True:
        strength = (weak + strong) / 2
        share = lost(strength)
        if abs(share - loses) <= CLOSE:
            return strength
        weak, strong = (strength, strong) if share > loses else (weak, strength)


def steady_policy(player: Player, board: Position) -> Policy:
    """The policy of a player that can be asked again, and answers the same.

    Raises `HiddenChance` if it uses Python's random numbers or changes its answer, and what `Player.policy` raises.
    """
    if PLAYERS.get(player.name) is player:
        return _registered_policy(player, board)
    state = getstate()
    policy = player.policy(board)
    if player.policy(board) != policy or getstate() != state:
        why = f"{player.name} chooses its move at random, so its probabilities can't be known"
        raise HiddenChance(f"{why}: return {{move: probability}}, or sample games with match().")
    return policy


# Theirs never change, so each board is asked about once.
_registered_policy: Callable[[Player, Any], Policy] = lru_cache(MOST_REMEMBERED)(Player.policy)


def _possible_moves(player: Player, plays: Mark, position: Position) -> Collection[Any]:
    """The moves that may be made: by the player, on its side, those of its policy; by the other side all there are."""
    if position.over:
        return ()
    return position.moves if position.turn == opponent(plays) else steady_policy(player, position)


def _reached(player: Player, plays: Mark, board: Position) -> Iterator[tuple[Any, tuple[Any, ...]]]:
    """Every position of the games that a player can play on this side, with the moves of a shortest game to it."""
    require_position(board, "The arena")
    start: tuple[Any, ...] = ()
    play = play_of(board)
    for position, moves, later in _positions_from(board, start):
        yield position, moves
        for move in _possible_moves(player, plays, position):
            later.setdefault(play(position, move), (*moves, move))


def _positions_from(board: Position, value: Value) -> Iterator[tuple[Any, Value, dict[Any, Value]]]:
    """Every position that can follow, with its value, by moves; the caller adds those after it to the last."""
    positions: dict[Any, Value] = {board: value}
    ply = 0
    while positions:
        require_end(board, ply)
        later: dict[Any, Value] = {}
        for position in progress(positions, "positions"):
            yield position, positions[position], later
            _require_few(later)
        positions, ply = later, ply + 1


def require_end(position: Position, ply: int) -> None:
    """Raises `ValueError` where a game other than a board's has gone on for so long that it may never end."""
    if ply > MOST_PLIES and not isinstance(position, Board):
        raise ValueError(endless(position, "match() samples games"))


def _require_few(positions: Sized) -> None:
    if len(positions) > MOST_POSITIONS:
        raise ValueError(f"There are more than {MOST_POSITIONS:,} positions; match() samples games.")


def _against_you(player: Player, plays: Mark, moves: tuple[Any, ...], board: Position) -> Game:
    """The record of a game in which the player is on this side, and its opponent is called "you"."""
    names = {plays: player.name, opponent(plays): "you"}
    return Game(names["X"], names["O"], moves, board)
