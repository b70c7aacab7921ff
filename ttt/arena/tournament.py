"""An exact tournament: everybody plays everybody, as X and as O, and nothing is sampled.

Source: the article on seeking by line counts, which ends with a challenge: send in your own player.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import permutations
from typing import Any

from ttt.arena.games import START, Forfeit, Result, exact, shortest_ways, steady_policy
from ttt.players import PLAYERS, AnyPlayer, Player, as_player
from ttt.position import Position, require_position
from ttt.progress import progress
from ttt.words import count_phrase


@dataclass(frozen=True)
class Standing:
    """A player's place in a tournament."""

    player: str
    points: float  # in all its games: one for a win, half a point for a draw
    loses: str  # its quickest loss against any opponent, or why it has no move on some board


@dataclass(frozen=True, repr=False)
class Tournament:
    """Everybody's results, best player first."""

    standings: tuple[Standing, ...]
    results: tuple[Result, ...]  # of each player as X against each other as O
    notes: tuple[str, ...] = ()  # e.g. who is left out

    @property
    def tables(self) -> tuple[list[list[str]], list[list[str]]]:
        """The standings, and the points per game of each player as X against each as O, with their headings."""
        rows = [[standing.player, f"{standing.points:.3f}", standing.loses] for standing in self.standings]
        names = [standing.player for standing in self.standings]
        points = {(result.x, result.o): f"{result.points:.3f}" for result in self.results}
        cross = [[x, *(points.get((x, o), "") for o in names)] for x in names]
        return [["player", "points", "quickest loss"], *rows], [["X against O", *names], *cross]

    def __str__(self) -> str:
        texts = []
        for rows in self.tables:
            widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
            texts.append("\n".join("  ".join(map(str.ljust, row, widths)).rstrip() for row in rows))
        return "\n\n".join([*texts, *self.notes])

    __repr__ = __str__


def tournament(players: Iterable[AnyPlayer], board: Position = START, notes: Sequence[str] = ()) -> Tournament:
    """Hold a tournament between players, each with its own name, with exact results; all games start on this board.

    The notes are sentences to add, such as who is left out. Raises what `exact` does.

    >>> print(tournament(["random", "flash-clever", "perfect"]).standings[0].player)
    perfect
    """
    require_position(board, "tournament()")
    if isinstance(players, str | Player) or not isinstance(players, Iterable):
        raise ValueError(f"tournament() needs a list of players, such as ['random', 'perfect'], not {players!r}.")
    entrants = [_asked_once(as_player(player)) for player in players]
    names = Counter(player.name for player in entrants)
    if len(entrants) < 2:
        raise ValueError("`tournament()` needs at least two players.")
    if len(names) < len(entrants):
        [(name, _)] = names.most_common(1)
        raise ValueError(f"Each player in a tournament needs its own name; several are called {name}.")
    pairings = progress([*permutations(entrants, 2)], "pairings")
    results = tuple(exact(x, o, board) for x, o in pairings)
    standings = [Standing(player.name, _points(player, results), _loses(player, board)) for player in entrants]
    return Tournament(tuple(sorted(standings, key=lambda standing: -standing.points)), results, tuple(notes))


def _asked_once(player: Player) -> Player:
    """The same player with its answers cached; the registered players' answers are cached anyway."""
    return player if PLAYERS.get(player.name) is player else replace(player, rule=cache(partial(steady_policy, player)))


def _points(player: Player, results: Sequence[Result]) -> float:
    shares = [result.points for result in results if result.x == player.name]
    shares += [1 - result.points for result in results if result.o == player.name]
    return max(0.0, sum(shares))  # avoids "-0.000" from a rounding error


def _loses(player: Player, board: Position) -> str:
    """The player's quickest loss in words, or why it has no move on some board."""
    losses: list[tuple[tuple[Any, ...], str]] = []  # the quickest on each side
    try:
        for side, rival in ("XO", "OX"):
            lost = [moves for end, moves in shortest_ways(player, side, board) if end.winner == rival]
            losses += [(moves, side) for moves in lost[:1]]
    except Forfeit as reason:
        return str(reason)
    if not losses:
        return "never loses"
    moves, side = min(losses, key=lambda loss: len(loss[0]))
    return f"can lose as {side} in {count_phrase(len(moves), 'move')}: {' '.join(map(str, moves))}"
