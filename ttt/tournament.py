"""An exact tournament: everybody against everybody, as X and as O, with no game left to chance.

Each player is asked about every board that it can reach. What comes back is a table of its moves, and tables play by
`ttt.arena.exact`: nobody's program runs while another one plays.

>>> print(tournament(["random", "flash-clever", "perfect"]).standings[0].player)
perfect

Source: the article on seeking by line counts, which ends in a challenge: send in your own player.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from html import escape
from time import monotonic, process_time

from ttt.arena import START, Game, Result, exact, shortest_loss
from ttt.board import Board, opponent
from ttt.limits import explained, timeout
from ttt.players import PLAYERS, AnyPlayer, Player, PlayerError, Policy, as_player
from ttt.progress import progress

MOVE_SECONDS = 2.0
PLAYER_SECONDS = 60.0  # of computing, for all boards
PATIENCE = 5  # times as long may it take by the clock on the wall
SAMPLES = 30  # answers on a board, from a player that changes its answer
STYLE = """
body { font: 1.05em/1.5 system-ui, sans-serif; max-width: 60em; margin: 2em auto; padding: 0 1em }
:root { color-scheme: light dark }
table { border-collapse: collapse; margin: 1em 0 } th { text-align: left; font-weight: 400 }
th, td { padding: .25em .7em; border-bottom: 1px solid #8888 } td { text-align: right }
div { overflow-x: auto }
"""

Ask = Callable[[Player, Board], Policy]  # raises `PlayerError`, which says why there is no move


@dataclass
class Table:
    """What a player answers on each board that it can reach.

    Args:
        policies: the probabilities of its moves, by board.
        misses: the boards on which it gives no move, each with a sentence on why: it loses the games that get there.
        sampled: whether it chooses at random, so that its probabilities are only estimated.
    """

    player: str
    policies: dict[Board, Policy] = field(default_factory=dict)
    misses: dict[Board, str] = field(default_factory=dict)
    sampled: bool = False

    @property
    def name(self) -> str:
        """The player's name, with a sign where its results are only estimated."""
        return f"≈ {self.player}" if self.sampled else self.player

    def as_player(self) -> Player:
        """The player that this table is."""
        return Player(self.player, self.policies.__getitem__)


@dataclass(frozen=True)
class Standing:
    """A player's place in a tournament.

    Args:
        points: from all its games, one for a win and half a point for a draw.
        loss: the shortest game that it can lose against any opponent; None if it never loses.
        reason: why it gives no move on some board; "" if it always does.
    """

    player: str
    points: float
    loss: Game | None
    reason: str

    @property
    def loses(self) -> str:
        """How it loses soonest, in words."""
        if self.reason:
            return self.reason
        if self.loss is None:
            return "never loses"
        side = "X" if self.loss.x == self.player else "O"
        return f"can lose as {side} in {len(self.loss.moves)} moves: {' '.join(map(str, self.loss.moves))}"


@dataclass(frozen=True)
class Tournament:
    """Everybody's results, the best player first.

    Args:
        standings: a row for each player.
        results: of each player as X against each other one as O.
        notes: sentences on who is left out.
    """

    standings: tuple[Standing, ...]
    results: tuple[Result, ...]
    notes: tuple[str, ...] = ()

    @property
    def cross_table(self) -> list[list[str]]:
        """For each player as X, its points in a game against each as O; the first row and column are names."""
        names = [one.player for one in self.standings]
        points = {(one.x, one.o): f"{one.points:.3f}" for one in self.results}
        return [["X against O", *names], *([x, *(points.get((x, o), "") for o in names)] for x in names)]

    @property
    def table(self) -> list[list[str]]:
        """The standings, as text; the first row are the headings."""
        rows = [[one.player, f"{one.points:.3f}", one.loses] for one in self.standings]
        return [["player", "points", "how it loses soonest"], *rows]

    def __str__(self) -> str:
        return "\n\n".join([_aligned(self.table), _aligned(self.cross_table), *self.notes])

    def __repr__(self) -> str:
        return f"<Tournament of {len(self.standings)} players>"

    def _repr_html_(self) -> str:
        """Both tables, the way a notebook shows a tournament."""
        notes = "".join(f"<p>{escape(note)}</p>" for note in self.notes)
        return f"<div>{_html(self.table)}</div><div>{_html(self.cross_table)}</div>{notes}"

    @property
    def html(self) -> str:
        """A page of its own."""
        head = (
            f'<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>The tournament</title><style>{STYLE}</style>'
        )
        return f"{head}<h1>The tournament</h1>{self._repr_html_()}</html>\n"


def tournament(players: Iterable[AnyPlayer], board: Board = START, ask: Ask | None = None) -> Tournament:
    """Everybody against everybody, as X and as O, with the exact chances of each result.

    Args:
        players: players, registered names, and functions from a board to a cell, each with a name of its own.
        board: where all games start; a board on which not too many positions can be reached.
        ask: asks a player about a board; by default in this very process.

    A player that gives no move on a board, or takes more than two seconds, loses the games that get there. One that
    answers differently when it is asked again is asked thirty times, and its results are estimates, marked ≈.
    """
    known = [as_player(player) for player in players]
    twice = [name for name, count in Counter(player.name for player in known).items() if count > 1]
    if len(known) < 2:
        raise ValueError("tournament() needs two players or more.")
    if twice:
        raise ValueError(f"tournament() needs a name of its own for each player; several are called {twice[0]}.")
    tables = [table_of(player, board, ask or ask_here) for player in progress(known, "players")]
    results = [result(x, o, board) for x in tables for o in tables if x is not o]
    standings = [_standing(table, results, board) for table in tables]
    return Tournament(tuple(sorted(standings, key=lambda one: -one.points)), tuple(results))


def ask_here(player: Player, board: Board) -> Policy:
    """What a player answers, asked in this process. Raises `PlayerError`."""
    if PLAYERS.get(player.name) is player:
        return player.policy(board)
    try:
        with timeout(MOVE_SECONDS):
            return player.policy(board)
    except TimeoutError:
        raise PlayerError(f"{player.name} gave no move within {MOVE_SECONDS:g} seconds.") from None
    except PlayerError:
        raise
    except Exception as error:
        raise PlayerError(explained(error, player.name)) from None


def table_of(player: Player, board: Board, ask: Ask) -> Table:
    """A player's table: what it answers on each board that it can reach, as X and as O, against any moves at all."""
    table = Table(player.name)
    computed, waited = process_time(), monotonic()
    for plays in ("X", "O"):
        fresh = [board]
        while fresh:
            following: dict[Board, None] = {}
            for position in fresh:
                cells: Iterable[int] = position.moves
                if position.turn == plays and not position.over:
                    late = (
                        process_time() - computed > PLAYER_SECONDS or monotonic() - waited > PATIENCE * PLAYER_SECONDS
                    )
                    cells = _look(table, player, position, ask, late)
                following |= dict.fromkeys(map(position.play, () if position.over else cells))
            fresh = list(following)
    return table


def _look(table: Table, player: Player, board: Board, ask: Ask, late: bool) -> Policy:
    """What the player answers on a board, asked twice, and often if the two differ; nothing where it fails."""
    try:
        if late:
            raise PlayerError(f"{player.name} took more than {PLAYER_SECONDS:g} seconds for all boards.")
        policies = [ask(player, board), ask(player, board)]
        if policies[0] != policies[1]:
            table.sampled = True
            policies += [ask(player, board) for _ in range(SAMPLES - 2)]
    except PlayerError as error:
        table.misses[board] = str(error)
        return {}
    shares: dict[int, float] = defaultdict(float)
    for policy in policies:
        for cell, share in policy.items():
            shares[cell] += share / len(policies)
    table.policies[board] = dict(shares)
    return table.policies[board]


def result(x: Table, o: Table, board: Board) -> Result:
    """How games between two tables end."""
    if not x.misses and not o.misses:
        found = exact(x.as_player(), o.as_player(), board)
        return Result(x.name, o.name, found.x_wins, found.draws, found.o_wins)
    ends: dict[str | None, float] = {"X": 0.0, None: 0.0, "O": 0.0}
    positions = {board: 1.0}
    while positions:
        following: dict[Board, float] = defaultdict(float)
        for position, chance in positions.items():
            mover = x if position.turn == "X" else o
            if position.over:
                ends[position.winner] += chance
            elif position in mover.misses:
                ends[opponent(position.turn)] += chance
            else:
                for cell, share in mover.policies[position].items():
                    following[position.play(cell)] += chance * share
        positions = following
    return Result(x.name, o.name, ends["X"], ends[None], ends["O"])


def _standing(table: Table, results: Sequence[Result], board: Board) -> Standing:
    points = sum(one.points for one in results if one.x == table.name)
    points += sum(1 - one.points for one in results if one.o == table.name)
    points = max(0.0, points)  # a rounding error is no "-0.000"
    loss, reason = None, ""
    if table.misses:
        where, why = next(iter(table.misses.items()))  # the first that was found
        reason = f"on {''.join(where)}: {why}"
    else:
        games = [shortest_loss(table.as_player(), plays, board) for plays in ("X", "O")]
        loss = min((game for game in games if game is not None), key=lambda game: len(game.moves), default=None)
    return Standing(table.name, points, loss, reason)


def _aligned(rows: Sequence[Sequence[str]]) -> str:
    """Rows of text, one below the other, with columns in line."""
    widths = [max(len(row[n]) for row in rows) for n in range(len(rows[0]))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )


def _html(rows: Sequence[Sequence[str]]) -> str:
    """Rows as a table with headings."""
    head, *rest = ([escape(cell) for cell in row] for row in rows)
    heads = "".join(f'<th scope="col">{cell}</th>' for cell in head)
    body = "".join(
        f'<tr><th scope="row">{name}</th>{"".join(f"<td>{cell}</td>" for cell in cells)}</tr>' for name, *cells in rest
    )
    return f"<table><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>"
