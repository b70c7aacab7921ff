"""An exact tournament: everybody against everybody, as X and as O, with no game left to chance.

Each player is asked about every board that it can reach. What comes back is a table of its moves, and tables play each
other by adding up chances: nobody's program runs while another one plays.

>>> print(tournament(["random", "flash-clever", "perfect"]).standings[0].player)
perfect

Source: the article on seeking by line counts, which ends in a challenge: send in your own player.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from html import escape
from time import monotonic, process_time
from typing import Any

from ttt.arena.games import START, Result, require_end, result, shortest_loss
from ttt.board import Board, shown
from ttt.players import PLAYERS, AnyPlayer, Player, PlayerError, Policy, as_player
from ttt.position import Position, play_of, require_position
from ttt.runtime.limits import explained, timeout
from ttt.runtime.progress import progress

MOVE_SECONDS = 2.0
PLAYER_SECONDS = 60.0  # of computing, for all boards
PATIENCE = 5  # times as long may it take by the clock on the wall
SAMPLES = 30  # answers on a board, from a player that changes its answer
HEAD = """<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>The tournament</title><style>
body { font: 1.05em/1.5 system-ui, sans-serif; max-width: 60em; margin: 2em auto; padding: 0 1em }
:root { color-scheme: light dark }
table { border-collapse: collapse; margin: 1em 0 } th { text-align: left; font-weight: 400 }
th, td { padding: .25em .7em; border-bottom: 1px solid #8888 } td { text-align: right }
div { overflow-x: auto }
</style><h1>The tournament</h1>"""

# What a player answers on each board, each asked so many times; instead a sentence where it gives no move.
Ask = Callable[[Player, Sequence[Any], int], Iterable[list[Policy] | str]]


@dataclass
class Table:
    """What a player answers on each board that it can reach."""

    player: str
    answers: dict[Any, Policy | str] = field(default_factory=dict)  # or a sentence on why it loses there
    sampled: bool = False  # whether it chooses at random, so that its probabilities are only estimated

    @property
    def name(self) -> str:
        """The player's name, with a sign where its results are only estimated."""
        return f"≈ {self.player}" if self.sampled else self.player


@dataclass(frozen=True)
class Standing:
    """A player's place in a tournament."""

    player: str
    points: float  # from all its games, one for a win and half a point for a draw
    loses: str  # how it loses soonest against any opponent, or why it gives no move on some board


@dataclass(frozen=True, repr=False)
class Tournament:
    """Everybody's results, the best player first."""

    standings: tuple[Standing, ...]
    results: tuple[Result, ...]  # of each player as X against each other one as O
    notes: tuple[str, ...] = ()  # sentences on who is left out

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
        texts = []
        for rows in (self.table, self.cross_table):
            widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
            texts.append("\n".join("  ".join(map(str.ljust, row, widths)).rstrip() for row in rows))
        return "\n\n".join([*texts, *self.notes])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """Both tables, the way a notebook shows a tournament."""
        parts = [f"<p>{escape(note)}</p>" for note in self.notes]
        for head, *rest in (self.cross_table, self.table):
            lines = ["".join(f'<th scope="col">{escape(cell)}</th>' for cell in head)]
            for name, *cells in rest:
                figures = "".join(f"<td>{escape(cell)}</td>" for cell in cells)
                lines.append(f'<th scope="row">{escape(name)}</th>{figures}')
            parts.insert(0, f"<div><table>{''.join(f'<tr>{line}</tr>' for line in lines)}</table></div>")
        return "".join(parts)

    @property
    def html(self) -> str:
        """A page of its own."""
        return f"{HEAD}{self._repr_html_()}</html>\n"


def tournament(
    players: Iterable[AnyPlayer], board: Position = START, ask: Ask | None = None, notes: Sequence[str] = ()
) -> Tournament:
    """Everybody against everybody, as X and as O, with the exact chances of each result.

    Args:
        players: players, registered names, and functions from a board to a cell, each with a name of its own.
        board: where all games start, from which not too many positions can be reached; a position of another game, too.
        ask: asks a player about boards, each so many times; by default in this very process.
        notes: sentences on who is left out.

    A player that gives no move on a board, or takes more than two seconds, loses the games that get there. One that
    answers differently when it is asked again is asked thirty times, and its results are estimates, marked ≈.
    """
    require_position(board, "tournament()")
    known = [as_player(player) for player in players]
    names = Counter(player.name for player in known)
    if len(known) < 2:
        raise ValueError("tournament() needs two players or more.")
    if len(names) < len(known):
        [(name, _)] = names.most_common(1)
        raise ValueError(f"tournament() needs a name of its own for each player; several are called {name}.")
    tables = [table_of(player, board, ask or ask_here) for player in progress(known, "players")]
    results = [_result(x, o, board) for x in tables for o in tables if x is not o]
    standings = [_standing(table, results, board) for table in tables]
    return Tournament(tuple(sorted(standings, key=lambda one: -one.points)), tuple(results), tuple(notes))


def ask_here(player: Player, boards: Sequence[Any], times: int) -> Iterator[list[Policy] | str]:
    """What a player answers on each board, asked in this process."""
    for board in boards:
        try:
            with nullcontext() if PLAYERS.get(player.name) is player else timeout(times * MOVE_SECONDS):
                answer: list[Policy] | str = [player.policy(board) for _ in range(times)]
        except TimeoutError:
            answer = f"{player.name} gave no move within {MOVE_SECONDS:g} seconds."
        except Exception as error:
            answer = str(error) if isinstance(error, PlayerError) else explained(error, player.name)
        yield answer


def table_of(player: Player, board: Position, ask: Ask) -> Table:
    """A player's table: what it answers on each board that it can reach, as X and as O, against any moves at all."""
    table, play = Table(player.name), play_of(board)
    computed, waited = process_time(), monotonic()

    def asked(boards: Sequence[Any], times: int) -> Iterator[tuple[Any, list[Policy] | str]]:
        answers = iter(ask(player, boards, times))
        for position in boards:
            late = process_time() - computed > PLAYER_SECONDS or monotonic() - waited > PATIENCE * PLAYER_SECONDS
            why = f"{player.name} took more than {PLAYER_SECONDS:g} seconds for all boards."
            yield position, why if late else next(answers)

    for plays in ("X", "O"):
        level, ply = [board], 0
        while level := [position for position in dict.fromkeys(level) if not position.over]:
            require_end(board, ply)
            ply += 1
            if level[0].turn == plays:
                answers = dict(asked(level, 2))
                unsure = [one for one, given in answers.items() if isinstance(given, list) and given[0] != given[1]]
                table.sampled |= bool(unsure)
                answers |= dict(asked(unsure, SAMPLES))
                known = {one: given if isinstance(given, str) else _mean(given) for one, given in answers.items()}
                table.answers |= known
                policies = {one: policy for one, policy in known.items() if isinstance(policy, dict)}
                level = [play(one, move) for one, policy in policies.items() for move in policy]
            else:
                level = [play(one, move) for one in level for move in one.moves]
    return table


def _mean(policies: Sequence[Policy]) -> Policy:
    cells = dict.fromkeys(cell for policy in policies for cell in policy)
    return {cell: sum(policy.get(cell, 0) for policy in policies) / len(policies) for cell in cells}


def _result(x: Table, o: Table, board: Position) -> Result:
    return result(x.name, o.name, board, lambda position: (x if position.turn == "X" else o).answers[position])


def _standing(table: Table, results: Sequence[Result], board: Position) -> Standing:
    shares = [one.points if one.x == table.name else 1 - one.points for one in results if table.name in (one.x, one.o)]
    points = max(0.0, sum(shares))  # a rounding error is no "-0.000"
    for where, answer in table.answers.items():
        if isinstance(answer, str):
            marks = "".join(where) if isinstance(where, Board) else shown(where)
            return Standing(table.name, points, f"on {marks}: {answer}")
    player = Player(table.player, lambda position: table.answers[position])
    games = [game for plays in ("X", "O") if (game := shortest_loss(player, plays, board))]
    if not games:
        return Standing(table.name, points, "never loses")
    loss = min(games, key=lambda game: len(game.moves))
    cells = " ".join(map(str, loss.moves))
    side = "X" if loss.x == table.player else "O"
    return Standing(table.name, points, f"can lose as {side} in {len(loss.moves)} moves: {cells}")
