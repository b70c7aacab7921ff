"""The check of a game of one's own: it is played at random, and what is wrong is told with the position."""

from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from inspect import getattr_static
from itertools import product
from random import Random
from time import monotonic
from typing import Any

from ttt.board import plain, shown
from ttt.checks.checking import Check
from ttt.checks.notebook import gaps_in
from ttt.drawing.faces import brief, image, picture
from ttt.drawing.narration import move_name
from ttt.position import MOST_MOVES, MOST_PLIES, PARTS, BadGame, endless, require_position

from ttt.position import require_repeatable, require_values, successor  # isort: skip
from ttt.runtime.limits import explained, line_of, timeout
from ttt.search import alphabeta
from ttt.search.record import counted

GAMES = 300  # that are played, if there is time
SECONDS = (0.6, 1.6, 2.0)  # until moves are no longer tried one by one, until no more are played, and until it is ended
MOST_TOLD = 12  # moves of a game


class Trial:
    """Games at random from a position, in which every position is looked at."""

    def __init__(self, start: Any) -> None:
        self.start = self.here = start
        self.moves: list[Any] = []  # that led there
        self.move: Any = None  # that is tried there
        self.rng, self.began = Random(1), monotonic()
        self.known: dict[Any, tuple[Any, ...]] = {}  # what each position tells
        self.games: list[tuple[list[Any], Any]] = []  # of each game the moves and the winner

    def late(self, stage: int) -> bool:
        return monotonic() > self.began + SECONDS[stage]

    def run(self) -> None:
        """Play games while there is time. Raises `BadGame` for the first fault, or where none comes to an end."""
        require_position(self.start, "check_game()", BadGame)
        if self.start.over:
            raise BadGame("The game is over before it begins: start where there is a move.")
        while len(self.games) < GAMES and not self.late(1):
            self.play()

    def play(self) -> None:
        """Play one game; it counts if it ends in time."""
        self.here, self.moves = self.start, []
        in_sight = MOST_PLIES + max(2 * len(game) for game, _ in self.games) if self.games else 0
        self.look()
        while not self.here.over:
            number = len(self.moves)
            if number == MOST_MOVES:
                raise BadGame(endless(self.start, "over must be True in the end, whatever is played", MOST_MOVES))
            if self.late(1):
                if number < in_sight:
                    return
                raise BadGame(
                    f"After {number:,} moves the time was up, and no end was in sight: is over True in the end, "
                    "whatever is played? If the game is just long, check a smaller one."
                )
            self.move = self.rng.choice(self.here.moves)
            self.here = successor(self.here, self.move)
            self.moves.append(self.move)
            self.look()
        self.games.append((self.moves, self.here.winner))

    def look(self) -> None:
        """Try all moves of a position that hasn't been met, and see that they leave it as it is."""
        met, self.move = len(self.known), None
        self.remember(self.here)
        for move in self.here.moves if len(self.known) > met and not self.here.over else ():
            if self.late(0):
                return
            self.move = move
            require_repeatable(self.here, move)
            self.remember(self.here.play(move))
            self.remember(self.here)
        self.move = None

    def remember(self, here: Any) -> None:
        """Note what a position tells, which must be what its equals tell."""
        require_values(here)
        name, tells = type(here).__name__, (here.turn, frozenset(here.moves), here.over, here.winner)
        for part, one, other in zip(PARTS, tells, self.known.setdefault(here, tells), strict=False):
            if one != other:
                raise BadGame(
                    f"Two positions of {name} are equal, and yet their {part} differs: equal positions must be alike "
                    "in all that matters, and nothing may be left to chance."
                )
        if here.over and here.moves and here.winner is None:
            raise BadGame(
                f"A position of {name} is over and nobody has won, and yet there are moves, {shown(here.moves)}: is it "
                "over too soon? If not, let moves be empty there."
            )


def check_game(position: Any) -> Check:
    """Play a game of your own at random from a position, and say what is wrong with it; it takes two seconds at most.

    If nothing is, it tells one of the games, move by move: whether that is what your rules say, only you can know.
    """
    trial, name = Trial(position), type(position).__name__
    for part in PARTS:
        method = getattr_static(type(position), part, None)
        if gaps_in(getattr(method, "fget", method)):
            dots = (
                f"Three dots stand in {part}: put your own code in their place, run the cell of {name}, then this one."
            )
            return Check("not started", dots)
    try:
        with timeout(SECONDS[2]):
            trial.run()
            return _told(trial)
    except TimeoutError as error:
        where = line_of(error.__context__ or error, name)
        line = f", {where}" if where else ""
        told = f"{name} has not answered after {SECONDS[2]:g} seconds{line}: is there an endless loop?"
    except Exception as error:
        told = explained(error, name)
    return Check("not yet", plain(f"{told}\n{_place(trial)}".rstrip()))


def _place(trial: Trial) -> str:
    """Where a fault came up: the position, or the moves that led there, and the move that was tried."""
    here, moves = trial.here, ", ".join(map(move_name, trial.moves))
    if here is None or isinstance(here, type | str):
        return ""
    move = "" if trial.move is None else f", with the move {shown(trial.move)}"
    with suppress(Exception):  # its repr may be what is wrong
        place = f"the position after {moves}" if moves else "the first position"
        return f"That was in {place if repr(here) == object.__repr__(here) else shown(here)}{move}."
    return ""


def _told(trial: Trial) -> Check:
    """What is said of a game in which nothing is wrong: the shortest of its games that somebody won, if anybody did."""
    moves, _ = min(trial.games, key=lambda game: (game[1] is None, len(game[0])))
    here, told = trial.start, []
    for move in moves:
        after = here.play(move)
        told.append(f"{here.turn} plays {move_name(move)}{brief(after)}")
        here = after
    if len(told) > MOST_TOLD:
        told[MOST_TOLD // 2 : -MOST_TOLD // 2] = ["and so on"]
    end = f"{here.winner} has won" if here.winner else "it is a draw"
    ends = Counter(winner for _, winner in trial.games)
    lengths = [len(moves) for moves, _ in trial.games]
    words = (
        f"In {counted(len(lengths), 'game')} at random, of {min(lengths)} to {max(lengths)} moves, X won {ends['X']}, "
        f"O won {ends['O']}, and {ends[None] or 'none'} ended in a draw.\n"
        f"One of them from the start{brief(trial.start)}: {', '.join(told)}; {end}.\nIs that what your rules say?"
    )
    shown = None if brief(here) and not image(here) else picture(here, "The end of the game")
    return Check("right", plain(words), picture=shown)


def check_misere(game: Callable[[tuple[int, ...]], Any]) -> Check:
    """Check the Nim in which whoever takes the last one loses, by who wins from where (Bouton 1901)."""
    try:
        checked = check_game(game((2, 1)))
    except Exception as error:
        return Check("not yet", explained(error, "MisereNim"))
    for heaps in [*product(range(4), repeat=3)][1:] if checked.right else ():
        single = max(heaps) == 1  # no heap has more than one left
        loses = sum(heaps) % 2 == 1 if single else heaps[0] ^ heaps[1] ^ heaps[2] == 0
        if (alphabeta(game(heaps), table=True).value == -1) != loses:
            told = (
                f"From heaps of {heaps} whoever is to move {'loses' if loses else 'wins'}, and in your game does not."
            )
            return Check("not yet", f"{told}\nAt the end, who has taken the last one, and whose turn is it then?")
    return checked
