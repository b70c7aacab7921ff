"""Tournaments: everybody against everybody, from both sides; who beats whom, and how strong each is on one scale.

>>> from ttt.tournament import tournament
>>> found = tournament(["random", "flash-clever", "perfect"])
>>> [one.player for one in found.ratings]
['perfect', 'flash-clever', 'random']

Source: the article on seeking by line counts, which ends in a challenge: send in your own player.
"""

from __future__ import annotations

import csv
import io
import pickle
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path
from random import Random
from typing import Protocol, runtime_checkable

from ttt.arena import START, Result, exact
from ttt.board import Board, Mark, opponent
from ttt.jobs import FailedTask, Key, NotKept, Row, Rows, WorkerPool, each
from ttt.players import PLAYERS, AnyPlayer, Player, PlayerError, WrongBoard, as_player, explained
from ttt.players.negamax import TooManyFreeCells
from ttt.progress import progress
from ttt.ratings import Rating, ratings, wilson
from ttt.store import escape_formula

GAMES = 100
FEW_CELLS = 9  # on boards of so many, results are worked out exactly
CHUNK = 10  # games of a task there; longer games are tasks of their own
KEY = ("shape", "k", "x", "o", "seed", "number")  # what a row is known by
COLUMNS = (*KEY, "x_wins", "draws", "o_wins", "moves", "lost_by", "reason")
NAMES = ("x", "o", "reason")  # of which spreadsheets must think no formula
EXACT = "exact"  # what stands for the seed where nothing was left to chance
UNKNOWN = "@?"  # ends the name of a player that may play otherwise tomorrow
LATE = " gave no answer within "  # in the reason of a guest whose clock has run out
MOST_LATE = 3  # games in which a guest may be so; in the others it is not asked
TOO_LATE = "took too long in three games."


class BadTournament(ValueError):
    """There can be no such tournament; the message says why and what would do."""


@runtime_checkable
class Guest(Protocol):
    """A player that sits somewhere else for each game, such as in a jail, and is only asked for its moves."""

    @property
    def name(self) -> str:
        """What tables call it."""

    @property
    def digest(self) -> str:
        """Of all that decides how it plays."""

    def session(
        self, board: Board, number: int
    ) -> AbstractContextManager[Callable[[Board], int | dict[int, float] | str]]:
        """For one game, by number: what to ask for each move. It returns a cell, a policy, or why the game is lost."""


Entrant = Player | Guest


@dataclass(frozen=True)
class Pairing:
    """What came out between two players with one of them as X.

    Args:
        result: the shares of X's wins, of draws and of O's wins.
        games: how many were played, or count as played where the result is exact.
        exact: whether these are the exact chances.
    """

    result: Result
    games: int
    exact: bool

    @property
    def points(self) -> float:
        """X's share of the points: one for a win, half a one for a draw."""
        return self.result.x_wins + self.result.draws / 2

    @property
    def interval(self) -> tuple[float, float]:
        """Where X's share of the points lies with a confidence of 95 per cent: Wilson's interval."""
        return (self.points, self.points) if self.exact else wilson(self.points, self.games)


@dataclass(frozen=True)
class Loss:
    """A game that a player lost by what it did: a crash, an illegal move, no move in time, a cheat.

    Args:
        player, other: who lost it, and to whom.
        side: the loser's side.
        number: the game's number in the pairing.
        reason: what was done, in a sentence.
    """

    player: str
    other: str
    side: Mark
    number: int
    reason: str


@dataclass(frozen=True)
class Tournament:
    """What came out of a tournament.

    Args:
        board: where all games start.
        games: how many each two players play, half of them with either as X.
        seed: what all chance comes from.
        pairings: for each two players one with either as X.
        losses: the games that were lost without being played to the end.
    """

    board: Board
    games: int
    seed: int
    pairings: tuple[Pairing, ...]
    losses: tuple[Loss, ...]

    @property
    def results(self) -> tuple[Result, ...]:
        """The results alone, for `plots.crosstable` and `plots.outcomes`."""
        return tuple(pairing.result for pairing in self.pairings)

    @property
    def ratings(self) -> list[Rating]:
        """The players' ratings, the best first: Bradley and Terry's model on Elo's scale. See `ttt.ratings`.

        A pairing with an exact result counts as many games as one that is played.
        """
        scores = {(p.result.x, p.result.o): (p.points * p.games, float(p.games)) for p in self.pairings}
        return ratings(scores)

    @property
    def csv(self) -> str:
        """A line for each pairing: the shares, X's share of the points with its interval, the games, and if exact."""
        text = io.StringIO()
        lines = csv.writer(text, lineterminator="\n")
        lines.writerow(("x", "o", "x_wins", "draws", "o_wins", "x_points", "low", "high", "games", "exact"))
        for p in self.pairings:
            shares = (p.result.x_wins, p.result.draws, p.result.o_wins, p.points, *p.interval)
            names = map(escape_formula, (p.result.x, p.result.o))
            lines.writerow((*names, *(f"{share:.6f}" for share in shares), p.games, int(p.exact)))
        return text.getvalue()

    @property
    def ratings_csv(self) -> str:
        """A line for each player: its rating, the standard error, the 95 per cent interval, its share of the points."""
        text = io.StringIO()
        lines = csv.writer(text, lineterminator="\n")
        lines.writerow(("player", "elo", "error", "low", "high", "points"))
        for one in self.ratings:
            numbers = (one.elo, one.error, *one.interval)
            lines.writerow(
                (
                    escape_formula(one.player),
                    *(f"{round(number, 2) + 0.0:.2f}" for number in numbers),
                    f"{one.share:.6f}",
                )
            )
        return text.getvalue()

    @property
    def reasons(self) -> list[str]:
        """Why games were lost without being played to the end: a line for each reason, the commonest first."""
        counts = Counter((loss.reason, loss.player) for loss in self.losses)
        return [
            f"{times:,} {'game' if times == 1 else 'games'} lost: {why}" for (why, _), times in counts.most_common()
        ]

    def __str__(self) -> str:
        order = [one.player for one in self.ratings]
        wide = max(map(len, order))
        points = {(p.result.x, p.result.o): f"{p.points:.2f}" for p in self.pairings}
        lines = [f"{'':{wide + 4}}    Elo  ±95 %  points"]
        for n, one in enumerate(self.ratings, 1):
            error = (one.interval[1] - one.interval[0]) / 2
            lines.append(f"{n:3} {one.player:{wide}} {_signed(one.elo):>7} {error:6.0f} {one.share:7.3f}")
        lines += ["", "X's share of the points, X in the rows, O in the columns"]
        lines.append(" " * (wide + 4) + "".join(f"{n:6}" for n in range(1, len(order) + 1)))
        for n, x in enumerate(order, 1):
            lines.append(f"{n:3} {x:{wide}}" + "".join(f"{points.get((x, o), '-'):>6}" for o in order))
        return "\n".join([*lines, "", self.about, *self.reasons])

    @property
    def about(self) -> str:
        """How the results were reached, in a sentence."""
        kinds = {pairing.exact for pairing in self.pairings}
        if kinds == {True}:
            return f"All results are exact; ± is what {self.games:,} games a pairing would leave open."
        some = "Results between policies are exact, the others" if True in kinds else "Results"
        return f"{some} come from {self.games:,} games a pairing, with seed {self.seed}."

    def __repr__(self) -> str:
        return f"<Tournament: {len(self.ratings)} players, {len(self.pairings)} pairings>"

    def _repr_html_(self) -> str:
        """The tables as a notebook shows them; a cell tells more under the mouse."""
        order = [one.player for one in self.ratings]
        cells = {(p.result.x, p.result.o): _cell(p) for p in self.pairings}
        heads = "".join(f"<th>{n}</th>" for n in range(1, len(order) + 1))
        rows = [f"<tr><th></th><th>X \\ O</th>{heads}<th>Elo</th><th>±95 %</th><th>points</th></tr>"]
        for n, one in enumerate(self.ratings, 1):
            half = (one.interval[1] - one.interval[0]) / 2
            rated = f"<td>{_signed(one.elo)}</td><td>{half:.0f}</td><td>{one.share:.3f}</td>"
            row = "".join(cells.get((one.player, o), "<td></td>") for o in order)
            rows.append(f"<tr><td>{n}</td><th>{escape(one.player)}</th>{row}{rated}</tr>")
        notes = "".join(f"<br>{escape(note)}" for note in (self.about, *self.reasons))
        caption = f"<caption>X's share of the points{notes}</caption>"
        return f'<table class="ttt-tournament">{caption}{"".join(rows)}</table>'

    @property
    def html(self) -> str:
        """A page with the tables."""
        style = "body{font-family:sans-serif}td,th{padding:.2em .6em;text-align:right}caption{caption-side:bottom}"
        head = f'<!doctype html><html lang="en"><meta charset="utf-8"><title>Tournament</title><style>{style}</style>'
        return f"{head}{self._repr_html_()}</html>\n"


def _cell(pairing: Pairing) -> str:
    """A cell of the table, from red where O does better to blue where X does; the number says it, too."""
    low, high = pairing.interval
    span = "exact" if pairing.exact else f"95 %: {low:.3f} to {high:.3f}, {pairing.games} games"
    away = abs(2 * pairing.points - 1)
    colour = f"rgba({'0,114,178' if pairing.points > 0.5 else '213,94,0'},{0.45 * away:.2f})"
    return f'<td style="background:{colour}" title="{escape(f"{pairing.result}; {span}")}">{pairing.points:.2f}</td>'


def _signed(elo: float) -> str:
    """A rating as a whole number with its sign, which 0 has not."""
    return f"{round(elo):+d}" if round(elo) else "0"


# ------------------------------------------------------------------------------------------------- the tournament


@dataclass(frozen=True)
class Task:
    """Some games of two players, or their exact result where both turn out to be policies."""

    x: str | Entrant
    o: str | Entrant
    names: tuple[str, str]  # as rows are known by
    board: Board
    seed: int
    numbers: tuple[int, ...]
    exactly: bool

    def rows(self) -> list[Row]:
        """The result, or the games, as rows."""
        if self.exactly:
            with suppress(Exception):  # it draws lots, or stops somewhere: its games will tell
                found = exact(_entrant(self.x), _entrant(self.o), self.board)  # type: ignore[arg-type]
                return [self._row(EXACT, 0, *map(repr, (found.x_wins, found.draws, found.o_wins)))]
        return [self._game(number) for number in self.numbers]

    def _game(self, number: int) -> Row:
        moves, winner, reason = _play(_entrant(self.x), _entrant(self.o), self.board, self._chance(number), number)
        ends = (str(int(winner == end)) for end in ("X", None, "O"))
        lost_by = opponent(winner) if reason and winner else ""
        return self._row(str(self.seed), number, *ends, " ".join(map(str, moves)), lost_by, reason)

    def given_up(self, number: int, side: Mark) -> Row:
        """The row of a game that one side loses without being asked."""
        ends = (str(int(opponent(side) == end)) for end in ("X", None, "O"))
        name = _entrant(self.x if side == "X" else self.o).name
        return self._row(str(self.seed), number, *ends, "", side, f"{name} {TOO_LATE}")

    def _chance(self, number: int) -> Random:
        """What the players' chance comes from: the same for this game, whoever plays it, and in whatever order."""
        shape = "x".join(map(str, self.board.shape))
        return Random(f"{self.seed} {self.names} {number} {shape} {self.board.k} {self.board.x} {self.board.o}")

    def _row(self, seed: str, number: int, *found: str) -> Row:
        values = (*self.key(seed, number), *found)
        return dict(zip(COLUMNS, [*values, *[""] * (len(COLUMNS) - len(values))], strict=True))

    def key(self, seed: str, number: int) -> Key:
        """What the row of a game is known by, or that of the exact result."""
        shape = "x".join(map(str, self.board.shape))
        begun = "" if not self.board.x else f" {self.board.x:x}/{self.board.o:x}"
        return f"{shape}{begun}", str(self.board.k), *self.names, seed, str(number)


def tournament(
    players: Iterable[AnyPlayer | Guest],
    games: int = GAMES,
    board: Board = START,
    seed: int = 0,
    out: Path | str | None = None,
    executor: WorkerPool | Executor | None = None,
) -> Tournament:
    """Everybody against everybody, as X and as O.

    On 3×3 results between policies are exact. Else games are played, and one that a player breaks (a crash, an illegal
    move, no move in time) it loses; a guest whose clock has run out in three games loses the others unasked. The same
    seed gives the same results, whoever does the work, as long as the players draw on no other chance.

    Args:
        players: players, registered names, functions from a board to a cell, and guests.
        games: how many for each two players, half of them with either as X.
        board: where all games start.
        seed: what chance comes from.
        out: a CSV file that keeps each game as it comes; whatever is in it already is not played again, but for games
            of functions, which may have changed.
        executor: who does the work, such as a `ProcessPoolExecutor` or a `jobs.WorkerPool`; this process unless given.

    Raises `BadTournament`, and `UnknownPlayer` for a name that is not registered.
    """
    entrants = _entrants(players)
    _check(games, board, entrants, executor)
    pairs = _pairs(entrants, games, board, seed)
    kept = Rows(Path(out), COLUMNS, KEY, "list of games", NAMES) if out else None
    rows = _read(kept)
    while tasks := _counted(pairs, rows)[1]:
        with closing(_played(tasks, executor)) as found:
            total = sum(1 if task.exactly else len(task.numbers) for task in tasks)
            steps = kept.kept(rows, found) if kept else _remembered(rows, found)
            deque(progress(steps, "results", total), maxlen=0)
    rows |= _counted(pairs, rows)[0]
    if kept:
        kept.write(rows)
    return _told(pairs, rows, board, games, seed)


def _entrants(players: Iterable[AnyPlayer | Guest]) -> list[Entrant]:
    """Who plays, under names that tell them apart."""
    entrants = [one if isinstance(one, Guest) and not isinstance(one, str) else as_player(one) for one in players]
    twice = [name for name, times in Counter(one.name for one in entrants).items() if times > 1]
    if twice:
        raise BadTournament(f"Two players are called {twice[0]!r}: give each a name of its own.")
    if len(entrants) < 2:
        raise BadTournament("A tournament needs two players or more.")
    return entrants


def _check(games: int, board: Board, entrants: Sequence[Entrant], executor: WorkerPool | Executor | None) -> None:
    if games < 2:
        raise BadTournament(f"Each two players need 2 games or more, one from either side, not {games}.")
    if board.over:
        raise BadTournament("The game is over on this board: there is nothing to play.")
    elsewhere = [one.name for one in entrants if isinstance(one, Player) and not one.plays_on(board)]
    if elsewhere:
        shape = "×".join(map(str, board.shape))
        raise BadTournament(f"{' and '.join(elsewhere)} can't play on {shape} with {board.k} in a row.")
    if executor is None or (isinstance(executor, WorkerPool) and executor.far):
        return
    for one in entrants:
        try:
            pickle.dumps(_sent(one))
        except Exception:
            raise BadTournament(
                f"{one.name} can't be sent to another process: define it in a module, or use one worker."
            ) from None


def _pairs(entrants: Sequence[Entrant], games: int, board: Board, seed: int) -> list[Task]:
    """All that is to be played: a task for each two players, in either order. The games' sides alternate."""
    exactly = len(board) <= FEW_CELLS
    tasks = []
    for n, one in enumerate(entrants):
        for other in entrants[n + 1 :]:
            for first, (x, o) in enumerate(((one, other), (other, one))):
                policies = exactly and isinstance(x, Player) and isinstance(o, Player)
                names, numbers = (_known_as(x), _known_as(o)), tuple(range(first, games, 2))
                tasks.append(Task(_sent(x), _sent(o), names, board, seed, numbers, policies))
    return tasks


def _sent(entrant: Entrant) -> str | Entrant:
    """What goes to a worker: a registered player's name is enough."""
    return entrant.name if _registered(entrant) else entrant


def _registered(entrant: Entrant) -> bool:
    return PLAYERS.get(entrant.name) is entrant


def _entrant(sent: str | Entrant) -> Entrant:
    return PLAYERS[sent] if isinstance(sent, str) else sent


def _known_as(entrant: Entrant) -> str:
    """The name in the file of games, with what shows whether it is still the same player."""
    if isinstance(entrant, Player):
        return entrant.name if _registered(entrant) else f"{entrant.name}{UNKNOWN}"
    return f"{entrant.name}@{entrant.digest}"


# ------------------------------------------------------------------------------------------------- a game


def _play(x: Entrant, o: Entrant, board: Board, rng: Random, number: int) -> tuple[list[int], Mark | None, str]:
    """A game: its moves, who won, and why it was lost where it was not played to the end."""
    moves: list[int] = []
    with _seated(x, board, rng, number) as ask_x, _seated(o, board, rng, number) as ask_o:
        while not board.over:
            answer = (ask_x if board.turn == "X" else ask_o)(board)
            if isinstance(answer, str):
                return moves, opponent(board.turn), answer
            moves.append(answer)
            board = board.play(answer)
    return moves, board.winner, ""


@contextmanager
def _seated(entrant: Entrant, board: Board, rng: Random, number: int) -> Iterator[Callable[[Board], int | str]]:
    """What to ask for a move: it returns a free cell, or why there is none."""
    if isinstance(entrant, Player):
        yield lambda board: _chosen(entrant, board, rng)
        return
    with ExitStack() as stack:
        try:
            ask = stack.enter_context(entrant.session(board, number))
        except RuntimeError as error:  # no fault of the player's
            raise BadTournament(f"{entrant.name} can't be seated: {error}") from None

        def move(board: Board) -> int | str:
            answer = ask(board)
            if isinstance(answer, str):
                return answer
            return _chosen(Player(entrant.name, lambda _: answer), board, rng)

        yield move


def _chosen(player: Player, board: Board, rng: Random) -> int | str:
    """A player's move, or what went wrong. The suite's own say where they don't play, and that is nobody's loss."""
    try:
        return player.choose(board, rng)
    except Exception as error:
        if _registered(player) and isinstance(error, (WrongBoard, TooManyFreeCells)):
            raise BadTournament(str(error)) from None
        said = " ".join(explained(error, player.name).split())
        return said.partition(" It must be ")[0] if isinstance(error, PlayerError) else said


# ------------------------------------------------------------------------------------------------- all of them


def _read(kept: Rows | None) -> dict[Key, Row]:
    """The games that are known, without those of players who may play otherwise now."""
    try:
        rows = kept.read() if kept else {}
    except NotKept as error:
        raise BadTournament(str(error)) from None
    return {
        key: row
        for key, row in rows.items()
        if not (row["x"] + " " + row["o"] + " ").count(f"{UNKNOWN} ") and not row["reason"].endswith(TOO_LATE)
    }


def _counted(pairs: Iterable[Task], rows: Mapping[Key, Row]) -> tuple[dict[Key, Row], list[Task]]:
    """The games that are lost without being asked, and what is still to be played.

    Games count in their order here, not in that in which workers reach them: whatever was played of a guest's games
    after the third in which it was late counts for nothing, and nobody's result depends on the workers.
    """
    given_up, tasks = dict[Key, Row](), list[Task]()
    late = Counter[str]()
    for pair in pairs:
        if pair.exactly and pair.key(EXACT, 0) in rows:
            continue
        left = []
        for number in pair.numbers:
            key = pair.key(str(pair.seed), number)
            slow = [side for side, name in zip("XO", pair.names, strict=True) if late[name] >= MOST_LATE]
            if slow:
                given_up[key] = pair.given_up(number, slow[0])
            elif key in rows:
                late[_late(rows[key])] += 1
            else:
                left.append(number)
        tasks += _pieces(pair, left)
    return given_up, tasks


def _late(row: Row) -> str:
    """Whose clock has run out in a game, by the name in its row; "" for nobody's."""
    return row[row["lost_by"].lower()] if LATE in row["reason"] and row["lost_by"] else ""


def _pieces(pair: Task, left: Sequence[int]) -> Iterator[Task]:
    """Games of two players, in pieces that are worth a worker's while; a guest's one by one."""
    guests = any(isinstance(one, Guest) and not isinstance(one, (str, Player)) for one in (pair.x, pair.o))
    size = len(left) if pair.exactly else CHUNK if len(pair.board) <= FEW_CELLS and not guests else 1
    for start in range(0, len(left), size or 1):
        yield replace(pair, numbers=tuple(left[start : start + size]))


def _played(tasks: Sequence[Task], pool: WorkerPool | Executor | None) -> Generator[Row, None, None]:
    """The rows of the tasks, as they come, but for those of guests who are late too often.

    Raises `BadTournament` for a game that no worker survives.
    """
    late = Counter[str]()
    asked = (task for task in tasks if all(late[name] < MOST_LATE for name in task.names))
    with closing(each(Task.rows, asked, pool)) as found:
        for task, rows in found:
            if isinstance(rows, FailedTask):
                raise BadTournament(f"{' against '.join(task.names)} can't be played: {rows.why}.")
            late.update(map(_late, rows))
            yield from rows


def _remembered(rows: dict[Key, Row], found: Iterable[Row]) -> Iterator[Row]:
    for row in found:
        rows[tuple(row[name] for name in KEY)] = row
        yield row


def _told(pairs: Sequence[Task], rows: Mapping[Key, Row], board: Board, games: int, seed: int) -> Tournament:
    """The record of all that was played."""
    pairings, losses = [], []
    for pair in pairs:
        x, o = (_entrant(one).name for one in (pair.x, pair.o))
        known = rows.get(pair.key(EXACT, 0)) if pair.exactly else None
        played = [known] if known else [rows[pair.key(str(seed), number)] for number in pair.numbers]
        shares = (sum(float(row[end]) for row in played) / len(played) for end in ("x_wins", "draws", "o_wins"))
        pairings.append(Pairing(Result(x, o, *shares), len(pair.numbers), known is not None))
        losses += [
            Loss(*((x, o) if row["lost_by"] == "X" else (o, x)), row["lost_by"], int(row["number"]), row["reason"])
            for row in played
            if row["reason"]
        ]
    return Tournament(board, games, seed, tuple(pairings), tuple(losses))
