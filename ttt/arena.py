"""The arena: a game, a match of many, the exact chances of each result, who can be beaten, and the best reply."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sized
from dataclasses import dataclass
from functools import cached_property, lru_cache
from numbers import Real
from random import Random, getstate

from ttt.board import Board, Mark, opponent, require_board
from ttt.players import PLAYERS, AnyPlayer, Player, PlayerError, Policy, as_player, beatable, best_moves, evenly
from ttt.progress import progress

MOST_POSITIONS = 100_000
MOST_REMEMBERED = 2**16  # policies of registered players: those of ten on 3×3
DECIMALS = 12  # of expected points; what differs only beyond these is a rounding error
CLOSE = 0.0001  # how near a tuned player comes to the share that was asked for
START = Board()


class HiddenChance(PlayerError):
    """A function chooses at random, so its probabilities can't be known."""


class TooManyPositions(ValueError):
    """The players can reach more positions than can be enumerated."""


class OutOfReach(ValueError):
    """No strength gives the share of games that was asked for; the message says which shares there are."""


@dataclass(frozen=True)
class Game:
    """The record of a game, from which it can be replayed: who played, from which board, and every move.

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
        ends = {"X": f"{self.x} (X) wins", "O": f"{self.o} (O) wins", None: "a draw"}
        end = ends[self.winner] if self.final.over else "not over yet"
        return f"{self.x} (X) against {self.o} (O): cells {' '.join(map(str, self.moves))}; {end}."

    def _repr_svg_(self) -> str:
        """All positions side by side, the way a notebook shows the game."""
        from ttt import svg  # a layer above the arena, loaded only when a game is shown

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


@dataclass(frozen=True)
class Tuned:
    """A strength of the beatable player, and how its games against some other player end.

    Args:
        strength: from 0 (random) to 1 (perfect).
        share: the share of its games that it loses, or wins, whichever was asked for.
        result: the exact shares of wins and draws.
    """

    strength: float
    share: float
    result: Result

    @property
    def player(self) -> Player:
        """The beatable player at this strength."""
        return beatable(self.strength)

    def __str__(self) -> str:
        return f"strength {self.strength:.4f}: {self.result}"


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
        rng: the random generator; a fresh one unless given.

    Raises `PlayerError` where a player's answer is not a legal move.

    >>> play("flash-clever", "flash-clever").moves
    (4, 0, 2, 6, 3, 5, 7, 1, 8)
    """
    require_board(board, "play()")
    chance = rng or Random()
    players = {"X": as_player(x), "O": as_player(o)}
    position, moves = board, []
    while not position.over:
        moves.append(players[position.turn].choose(position, chance))
        position = position.play(moves[-1])
    return Game(players["X"].name, players["O"].name, tuple(moves), board)


def match(x: AnyPlayer, o: AnyPlayer, games: int = 100, board: Board = START, rng: Random | None = None) -> Match:
    """Many games between two players, who keep their sides. Takes and raises what `play` does.

    >>> match("random", "flash-clever", games=2, rng=Random(1)).result.o_wins
    1.0
    """
    if games < 1:
        raise ValueError(f"A match has 1 game or more, not {games}.")
    chance = rng or Random()
    one, other = as_player(x), as_player(o)
    played = tuple(play(one, other, board, chance) for _ in progress(range(games), "games"))
    return Match(one.name, other.name, played)


def exact(x: AnyPlayer, o: AnyPlayer, board: Board = START) -> Result:
    """The exact probabilities that X wins, that the game is drawn, and that O wins: no game is sampled.

    All positions with the same number of marks are kept with the probability that a game passes through them, and
    played on together, mark by mark.

    Raises `HiddenChance` for a function that is seen to choose at random, `TooManyPositions` beyond 100,000 at one
    time, and what `Player.policy` raises.

    >>> print(exact("random", "random"))
    random (X) wins 0.5849, draws 0.1270, random (O) wins 0.2881
    """
    require_board(board, "exact()")
    players = {"X": as_player(x), "O": as_player(o)}
    ends = {"X": 0.0, None: 0.0, "O": 0.0}
    positions = {board: 1.0}
    while positions:
        following: dict[Board, float] = defaultdict(float)
        for position in _with_progress(positions):
            chance = positions[position]
            if position.over:
                ends[position.winner] += chance
                continue
            for cell, share in steady_policy(players[position.turn], position).items():
                following[position.play(cell)] += chance * share
            _require_few(following)
        positions = following
    return Result(players["X"].name, players["O"].name, ends["X"], ends[None], ends["O"])


def reachable(player: AnyPlayer, plays: Mark = "X", board: Board = START) -> set[Board]:
    """Every position of all the games that a player can play: by any of its own choices, against any moves at all.

    What holds in all of them holds in each of its games: a proof, where a match would give a sample.

    Args:
        plays: the player's side.
        board: where the games start; it is one of the positions.

    Raises `HiddenChance` for a function that is seen to choose at random, `TooManyPositions` beyond 100,000, and what
    `Player.policy` raises.

    >>> positions = reachable("flash-clever", plays="O")
    >>> len([board for board in positions if board.turn == "O" and not board.over])
    256
    """
    require_board(board, "reachable()")
    known = as_player(player)
    found: set[Board] = set()
    fresh = {board}  # the positions with so many marks
    while fresh:
        found |= fresh
        following: set[Board] = set()
        for position in _with_progress(fresh):
            for cell in _possible_moves(known, plays, position):
                following.add(position.play(cell))
            _require_few(found, following)
        fresh = following
    return found


def shortest_loss(player: AnyPlayer, plays: Mark = "O", board: Board = START) -> Game | None:
    """The shortest game that a player can lose, whatever the other side has to play for it; None if it never loses.

    Args:
        plays: the player's side.
        board: where to start from.

    Raises `HiddenChance` for a function that is seen to choose at random, `TooManyPositions` beyond 100,000 at one
    time, and what `Player.policy` raises.

    >>> shortest_loss("flash-clever").moves
    (0, 4, 7, 2, 6, 8, 3)
    >>> shortest_loss("perfect") is None
    True
    """
    require_board(board, "shortest_loss()")
    loser, rival = as_player(player), opponent(plays)
    games: dict[Board, tuple[int, ...]] = {board: ()}  # to each position with so many marks, the moves of one game
    while games:
        following: dict[Board, tuple[int, ...]] = {}
        for position in _with_progress(games):
            moves = games[position]
            if position.winner == rival:
                return _against_you(loser, plays, moves, board)
            for cell in _possible_moves(loser, plays, position):
                following.setdefault(position.play(cell), (*moves, cell))
            _require_few(following)
        games = following
    return None


def sure_win(player: AnyPlayer, plays: Mark = "O", board: Board = START) -> Game | None:
    """The shortest game that beats a player for certain, whatever it chooses; None if there is no certain way.

    Where the player leaves its move to chance, there is a win after each of its choices; the game shown is the one in
    which it holds out longest.

    Args:
        plays: the player's side, as in `shortest_loss`, which is satisfied with a game that the player *can* lose.
        board: where to start from.

    Raises `HiddenChance` for a function that is seen to choose at random, `TooManyPositions` beyond 100,000, and what
    `Player.policy` raises.

    >>> print(sure_win("rules-coded"))
    you (X) against rules-coded (O): cells 0 4 8 2 6 7 3; you (X) wins.
    >>> sure_win("random") is None
    True
    """
    require_board(board, "sure_win()")
    loser, rival = as_player(player), opponent(plays)
    known: dict[Board, tuple[int, ...] | None] = {}

    def winning_moves(position: Board) -> tuple[int, ...] | None:
        """How the game goes on from here to the shortest sure win, or None."""
        if position not in known:
            known[position] = search(position)
            _require_few(known)
        return known[position]

    def search(position: Board) -> tuple[int, ...] | None:
        if position.over:
            return () if position.winner == rival else None
        wins = []
        for cell in _possible_moves(loser, plays, position):
            rest = winning_moves(position.play(cell))
            if rest is not None:
                wins.append((cell, *rest))
            elif position.turn == plays:
                return None  # the player may escape by this move
        if position.turn == plays:
            return max(wins, key=len)
        return min(wins, key=len, default=None)

    moves = winning_moves(board)
    return None if moves is None else _against_you(loser, plays, moves, board)


def best_reply(player: AnyPlayer, plays: Mark = "X", draw: float = 0.5) -> Player:
    """The player that gets the most points against a given player: the most that anybody can get.

    Args:
        player: the one that it replies to.
        plays: the reply's side.
        draw: what a draw is worth, from 0 (as little as a loss) to 1 (as much as a win).

    On every board it makes a move with the highest expected points, where a win counts 1 and a loss 0; moves with
    equally many are equally likely. So it takes a risk where the player's mistakes make up for it. Only points count:
    of two moves with equally many, neither the one that wins more often nor the one that wins sooner is preferred.

    Found by enumerating every position that can follow, once, and working back from the ends: what is called a best
    response in game theory. Asked for a move, it raises what `exact` does, and `PlayerError` where it is not its turn.

    >>> print(exact(best_reply("random"), "random"))
    best-reply-to-random (X) wins 0.9948, draws 0.0052, random (O) wins 0.0000
    """
    if not isinstance(draw, Real) or not 0 <= draw <= 1:
        raise ValueError(f"A draw is worth from 0 to 1 points, not {draw!r}.")
    rival = as_player(player)
    opponent(plays)  # raises `BoardError` for anything but a side
    response = _BestResponse(rival, plays, float(draw))
    about = f"Gets the most points that anybody can get as {plays} against {rival.name}."
    return Player(f"best-reply-to-{rival.name}", response.best_policy, about, rival.shape, sees=response.points_for)


def strength_for(
    against: AnyPlayer,
    *,
    loses: float | None = None,
    wins: float | None = None,
    plays: Mark = "O",
    board: Board = START,
) -> Tuned:
    """The strength at which the beatable player loses, or wins, a given share of its games.

    Args:
        against: the other player.
        loses, wins: the share, from 0 to 1; give one of the two. It is met to within 0.0001.
        plays: the beatable player's side.
        board: where to start from.

    Found by bisection on exact shares. If several strengths give the share, it is one of them.

    Raises `OutOfReach`, with the range of the shares that are possible, and what `exact` raises.

    >>> board = Board.from_text("XX- OO- ---")
    >>> tuned = strength_for("random", wins=0.9, plays="X", board=board)
    >>> print(exact(tuned.player, "random", board))
    beatable(0.198) (X) wins 0.9000, draws 0.0449, random (O) wins 0.0551
    """
    wanted, other = _wanted(loses, wins), as_player(against)
    winner = opponent(plays) if wins is None else plays

    def tuned(strength: float) -> Tuned:
        mine = beatable(strength)
        result = exact(mine, other, board) if plays == "X" else exact(other, mine, board)
        return Tuned(strength, result.x_wins if winner == "X" else result.o_wins, result)

    low, high = sorted((tuned(0.0), tuned(1.0)), key=lambda one: one.share)
    if not low.share <= wanted <= high.share:  # perhaps a strength between gives more, or less, than either
        low, *_, high = sorted((tuned(tenth / 10) for tenth in range(11)), key=lambda one: one.share)
    if not low.share <= wanted <= high.share:
        raise OutOfReach(
            f"As {plays} against {other.name} the beatable player {'loses' if wins is None else 'wins'} from "
            f"{low.share:.4f} to {high.share:.4f} of its games: no strength gives {wanted:g}."
        )
    while True:
        nearest = min(low, high, key=lambda one: abs(one.share - wanted))
        if abs(nearest.share - wanted) <= CLOSE:
            return nearest
        middle = tuned((low.strength + high.strength) / 2)
        low, high = (middle, high) if middle.share < wanted else (low, middle)


def steady_policy(player: Player, board: Board) -> Policy:
    """The policy of a player that can be asked again, and answers the same.

    Raises `HiddenChance` if it uses Python's random numbers or changes its answer, and what `Player.policy` raises.
    """
    if PLAYERS.get(player.name) is player:
        return _registered_policy(player, board)
    state = getstate()
    policy = player.policy(board)
    if player.policy(board) != policy or getstate() != state:
        raise HiddenChance(
            f"{player.name} chooses its move at random, so its probabilities can't be known: "
            "return {cell: probability}, or sample games with match()."
        )
    return policy


# ------------------------------------------------------------------------------------------- what they share


@lru_cache(MOST_REMEMBERED)
def _registered_policy(player: Player, board: Board) -> Policy:
    """The policy of a registered player, which never changes, so each board is asked about once."""
    return player.policy(board)


def _possible_moves(player: Player, plays: Mark, position: Board) -> Collection[int]:
    """The moves that may be made: by the player, on its side, those of its policy; by the other side all free cells."""
    if position.over:
        return ()
    if position.turn == opponent(plays):
        return position.moves
    return steady_policy(player, position)


def _with_progress(positions: Collection[Board]) -> Iterator[Board]:
    """The positions, all with the same number of marks, with a progress bar if they take long."""
    board = next(iter(positions))
    return progress(positions, f"positions with {len(board) - len(board.moves)} marks")


def _require_few(*positions: Sized) -> None:
    """Raises `TooManyPositions` beyond 100,000 in all."""
    if sum(map(len, positions)) > MOST_POSITIONS:
        raise TooManyPositions(f"There are more than {MOST_POSITIONS:,} positions; match() samples games.")


def _against_you(player: Player, plays: Mark, moves: tuple[int, ...], board: Board) -> Game:
    """The record of a game in which the player is on this side, and its opponent is called "you"."""
    names = {plays: player.name, opponent(plays): "you"}
    return Game(names["X"], names["O"], moves, board)


def _wanted(loses: float | None, wins: float | None) -> float:
    """The share that is asked for. Raises `ValueError` unless there is exactly one, from 0 to 1."""
    asked = [share for share in (loses, wins) if share is not None]
    if len(asked) != 1:
        raise ValueError("Give the share of its games that the player loses or wins, as in loses=0.3.")
    if not isinstance(asked[0], Real) or not 0 <= asked[0] <= 1:
        raise ValueError(f"A share of the games is a number from 0 to 1, not {asked[0]!r}.")
    return asked[0]


class _BestResponse:
    """The most points that a side can expect against a player, on each board and on every board that can follow.

    Args:
        rival: the player.
        plays: the side whose points they are.
        draw: what a draw is worth to it.
    """

    def __init__(self, rival: Player, plays: Mark, draw: float) -> None:
        self.rival = rival
        self.plays = plays
        self.draw = draw
        self._points: dict[Board, float] = {}

    def best_policy(self, board: Board) -> Policy:
        """The moves with the most points, all equally likely."""
        if board.turn != self.plays:
            raise PlayerError(
                f"This reply to {self.rival.name} plays {self.plays}, and it is {board.turn}'s turn: "
                f'best_reply(..., plays="{board.turn}") plays that side.'
            )
        self.points(board)  # enumerates what follows only once
        return evenly(best_moves({cell: round(self.points(board.play(cell)), DECIMALS) for cell in board.moves}))

    def points_for(self, board: Board, player: Mark) -> float:
        """The points as a heuristic: what is not one side's is the other's."""
        points = round(self.points(board), DECIMALS)
        return points if player == self.plays else 1 - points

    def points(self, board: Board) -> float:
        """The most points that can be expected from a board on."""
        if board not in self._points:
            for level in reversed(self._positions_from(board)):  # from the ends of the game backwards
                for position, policy in level.items():
                    self._points[position] = self._expected(position, policy)
        return self._points[board]

    def _positions_from(self, board: Board) -> list[dict[Board, Policy]]:
        """All positions that can follow and are new, each with how the game goes on, mark by mark."""
        levels: list[dict[Board, Policy]] = []
        fresh = {board}  # the positions with so many marks
        while fresh:
            level = {position: self._continued(position) for position in _with_progress(fresh)}
            levels.append(level)
            following = (position.play(cell) for position, policy in level.items() for cell in policy)
            fresh = {position for position in following if position not in self._points}
            _require_few(fresh)
        return levels

    def _continued(self, board: Board) -> Policy:
        """What may be played: any cell if it is the reply's turn, else what the rival plays."""
        if board.over:
            return {}
        return evenly(board.moves) if board.turn == self.plays else steady_policy(self.rival, board)

    def _expected(self, board: Board, policy: Policy) -> float:
        """The points of a board after which all are known."""
        if board.over:
            return self.draw if board.winner is None else float(board.winner == self.plays)
        following = {cell: self._points[board.play(cell)] for cell in policy}
        if board.turn == self.plays:
            return max(following.values())
        return sum(policy[cell] * points for cell, points in following.items())
