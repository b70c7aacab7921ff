"""An exact tournament: everybody against everybody, as X and as O, with no game left to chance.

Each player is asked about every board that it can reach. What comes back is a table of its moves, and tables play each
other by adding up chances: nobody's program runs while another one plays.

>>> print(tournament(["random", "flash-clever", "perfect"]).standings[0].player)
perfect

Source: the article on seeking by line counts, which ends in a challenge: send in your own player.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from html import escape
from time import monotonic, process_time

from ttt.arena import START, Game, Result, shortest_loss
from ttt.board import Board, Mark, opponent
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

# What a player answers on each board, each asked so many times; instead a sentence where it gives no move.
Ask = Callable[[Player, Sequence[Board], int], Iterable[list[Policy] | str]]


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


def tournament(
    players: Iterable[AnyPlayer], board: Board = START, ask: Ask | None = None, notes: Sequence[str] = ()
) -> Tournament:
    """Everybody against everybody, as X and as O, with the exact chances of each result.

    Args:
        players: players, registered names, and functions from a board to a cell, each with a name of its own.
        board: where all games start; a board on which not too many positions can be reached.
        ask: asks a player about boards, each so many times; by default in this very process.
        notes: sentences on who is left out.

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
    return Tournament(tuple(sorted(standings, key=lambda one: -one.points)), tuple(results), tuple(notes))


def ask_here(player: Player, boards: Sequence[Board], times: int) -> Iterator[list[Policy] | str]:
    """What a player answers on each board, asked in this process."""
    return (_asked(player, board, times) for board in boards)


def _asked(player: Player, board: Board, times: int) -> list[Policy] | str:
    try:
        with nullcontext() if PLAYERS.get(player.name) is player else timeout(times * MOVE_SECONDS):
            return [player.policy(board) for _ in range(times)]
    except TimeoutError:
        return f"{player.name} gave no move within {MOVE_SECONDS:g} seconds."
    except PlayerError as error:
        return str(error)
    except Exception as error:
        return explained(error, player.name)


def table_of(player: Player, board: Board, ask: Ask) -> Table:
    """A player's table: what it answers on each board that it can reach, as X and as O, against any moves at all."""
    table = Table(player.name)
    computed, waited = process_time(), monotonic()

    def asked(boards: Sequence[Board], times: int) -> Iterator[tuple[Board, list[Policy] | str]]:
        answers = iter(ask(player, boards, times))
        for position in boards:
            late = process_time() - computed > PLAYER_SECONDS or monotonic() - waited > PATIENCE * PLAYER_SECONDS
            why = f"{player.name} took more than {PLAYER_SECONDS:g} seconds for all boards."
            yield position, why if late else next(answers)

    level: Iterable[tuple[Mark, Board]] = [("X", board), ("O", board)]
    while level := [(plays, position) for plays, position in level if not position.over]:
        answers = dict(asked([position for plays, position in level if position.turn == plays], 2))
        unsure = [position for position, given in answers.items() if isinstance(given, list) and given[0] != given[1]]
        for position, more in asked(unsure, SAMPLES - 2):
            answers[position] = more if isinstance(more, str) else [*answers[position], *more]
        table.sampled |= bool(unsure)
        for position, given in answers.items():
            if isinstance(given, str):
                table.misses[position] = given
            else:
                table.policies[position] = _mean(given)
        following: dict[tuple[Mark, Board], None] = {}
        for plays, position in level:
            cells = table.policies.get(position, ()) if position.turn == plays else position.moves
            following |= dict.fromkeys((plays, position.play(cell)) for cell in cells)
        level = following
    return table


def _mean(policies: Sequence[Policy]) -> Policy:
    shares: dict[int, float] = defaultdict(float)
    for policy in policies:
        for cell, share in policy.items():
            shares[cell] += share / len(policies)
    return dict(shares)


def result(x: Table, o: Table, board: Board) -> Result:
    """How games between two tables end."""
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
    if table.misses:
        where, why = next(iter(table.misses.items()))  # the first that was found
        return Standing(table.name, points, None, f"on {''.join(where)}: {why}")
    player = Player(table.player, table.policies.__getitem__)
    games = [game for plays in ("X", "O") if (game := shortest_loss(player, plays, board))]
    return Standing(table.name, points, min(games, key=lambda game: len(game.moves), default=None), "")


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
