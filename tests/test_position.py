"""Games of one's own: through searches and arena as boards go, against an oracle, and refused where they are wrong."""

import re
from collections import Counter
from dataclasses import dataclass, fields, replace
from enum import Enum
from fractions import Fraction
from functools import cache, partial
from itertools import product
from random import Random

import pytest
from games import GAMES, Bare, Chomp, Four, Game, Kayles, Misere, Nim, reached, worth

from ttt import (
    PLAYERS,
    Board,
    GameBoard,
    beatable,
    best_reply,
    exact,
    greedy,
    match,
    play,
    reachable,
    shortest_loss,
    sure_win,
    svg,
    tournament,
)
from ttt.heuristics import move_values
from ttt.players import PlayerError
from ttt.search import BadSearch, alphabeta, mcts, minimax, negamax
from ttt.statistics import sweep

by_name = pytest.mark.parametrize("game", GAMES, ids=lambda game: type(game).__name__)
SEARCHES = {"minimax": minimax, "negamax": negamax, "alphabeta": partial(alphabeta, table=True)}
ENTRIES = {
    **SEARCHES,
    "mcts": partial(mcts, playouts=300, rng=Random(1)),
    "exact": partial(exact, "random", "random"),
    "reachable": lambda start: reachable("random", "X", start),
    "shortest_loss": lambda start: shortest_loss(lambda here: here.moves[0], "X", start),
    "sure_win": lambda start: sure_win("random", "O", start),
    "best_reply": lambda start: best_reply("random", start.turn).policy(start),
    "tournament": lambda start: tournament(["random", greedy(lambda here, player: 0, "any")], start),
    "match": lambda start: match("random", "random", 100, start, Random(1)),
}


def record(search):
    return {part.name: getattr(search, part.name) for part in fields(search) if part.name != "board"}


def judged(position, player):
    """A heuristic that knows nothing of boards: it prefers few moves, and those late in the list."""
    return (sum(position.moves) - 7 * len(position.moves)) * (1 if position.turn == player else -1)


def test_a_board_as_a_bare_position_gives_the_same_record_with_all_options_that_both_have(positions):
    boards = Random(3).sample(sorted((board for board in positions if len(board.moves) < 6), key=str), 40)
    switches = [{}, *({name: True} for name in ("killer", "table", "deepening"))]
    switches += [{"killer": True, "table": True, "deepening": True}]
    for board in boards:
        free = len(board.moves) * (not board.over)
        for depth, heuristic, sooner in product((None, *range(free + 1)), (None, judged), (False, True)):
            options = {"depth": depth, "heuristic": heuristic, "sooner": sooner}
            searches = [minimax, negamax, *(partial(alphabeta, **more) for more in switches)]
            for search in searches if depth is not None or not (heuristic or sooner) else ():
                assert record(search(Bare(board), **options)) == record(search(board, **options)), (board, options)
        assert record(alphabeta(Bare(board), free + 3)) == record(alphabeta(board, free + 3))


@by_name
def test_searches_find_what_an_oracle_finds_in_every_position_of_every_game(game):
    """Here of the smaller games, and in late positions of the larger ones; in all of those by the next test."""
    large = isinstance(game, Misere | Four)
    for here in [here for here in (late(game) if large else reached(game)) if nodes(here) < 3000]:
        whole = minimax(here)
        assert whole.nodes == nodes(here) and whole == minimax(here, fast=True)
        assert whole.values == {move: -worth(here.play(move)) for move in here.moves if not here.over}
        for search in (whole, negamax(here), alphabeta(here, deepening=True), alphabeta(here, table=True, killer=True)):
            assert searched_rightly(here, search)
        if 1 < nodes(here) < 60:
            assert -worth(here.play(mcts(here, 1000, rng=Random(1)).move)) == worth(here)


@pytest.mark.slow
@pytest.mark.parametrize("game", [Misere(), Four()], ids=lambda game: type(game).__name__)
def test_alpha_beta_finds_what_an_oracle_finds_in_every_position_of_the_larger_games(game):
    assert all(searched_rightly(here, alphabeta(here, table=True)) for here in reached(game))


def late(game):
    """The last six positions of some games."""
    games = [play("random", "random", game, Random(seed)) for seed in range(12)]
    return {here for one in games for here in one.boards[-6:]}


def searched_rightly(here, search):
    return search.value == worth(here) and (here.over or -worth(here.play(search.move)) == search.value)


@cache
def nodes(here):
    return 1 + sum(nodes(here.play(move)) for move in here.moves if not here.over)


@cache
def share(here, x, o):
    """The chances that X wins, that it is a draw, that O wins, by enumerating every game."""
    if here.over:
        return tuple(Fraction(here.winner == end) for end in ("X", None, "O"))
    moves = [here.moves[0]] if (x, o)[here.turn == "O"] == "first" else here.moves
    ends = [share(here.play(move), x, o) for move in moves]
    return tuple(sum(parts) / len(moves) for parts in zip(*ends, strict=True))


def first(here):
    return here.moves[0]


@pytest.mark.parametrize("game", [Nim(9), Misere("XO--X----"), Kayles((True,) * 5), Chomp((3, 2))], ids=repr)
def test_the_arena_plays_any_game_as_an_enumeration_of_all_games_says(game):
    players = {"first": first, "random": "random"}
    for x, o in product(players, repeat=2):
        found = exact(players[x], players[o], game)
        assert (found.x_wins, found.draws, found.o_wins) == pytest.approx(share(game, x, o))
    assert tournament([first, "random"], game).results[0].points == pytest.approx(exact(first, "random", game).points)
    assert reachable("random", "X", game) == reached(game)
    for plays, rival in ("XO", "OX"):
        lost = [here for here in reachable(first, plays, game) if here.winner == rival]
        loss, win = shortest_loss(first, plays, game), sure_win("random", plays, game)
        assert (loss is None) == (not lost) and (loss is None or loss.winner == rival)
        forced = {"X": 1, "O": -1}[rival] * worth(game) * (1 if game.turn == "X" else -1) > 0
        assert (win is not None) == forced and (win is None or win.winner == rival)
        best = best_reply(first, rival)
        result = exact(best, first, game) if rival == "X" else exact(first, best, game)
        assert (result.x_wins if rival == "X" else result.o_wins) == pytest.approx(float(bool(lost)))
    played = match("random", first, 50, game, Random(2))
    assert all(one.final.over for one in played.games) and Counter(played.winners).total() == 50


def test_greedy_looks_one_move_ahead_in_any_game():
    assert greedy(lambda here, player: -(here.heap % 4)).policy(Nim(7)) == {3: 1.0}
    assert move_values(lambda here, player: here.heap, Nim(2)) == {1: 1, 2: 0}
    with pytest.raises(PlayerError, match=r"greedy-one returned 9, which is no move\. It must be one of: 1, 2\."):
        play(PLAYERS["random"], replace(PLAYERS["random"], name="greedy-one", rule=lambda here: 9), Nim(2, "O"))


def test_records_of_any_game_print_their_moves():
    game = play(lambda here: 1, lambda here: 1, Nim(2))
    assert str(game).endswith("moves 1 1; <lambda> (O) wins.") and game._repr_svg_() is None
    assert str(minimax(Nim(5))).startswith("minimax: X plays 1, worth 1 to X, best line 1 1 3; ")
    assert "(1, 2)" in str(alphabeta(Kayles((True,) * 3), table=True))


class Take(Enum):
    ONE, TWO = 1, 2


@dataclass(frozen=True)
class Odd(Nim):
    """Nim whose moves have no order among themselves."""

    moves = property(lambda self: [Take.TWO, 1, "3"][: min(3, self.heap)])

    def play(self, take):
        return super().play({Take.TWO: 2, 1: 1, "3": 3}[take] if self.heap > 2 else self.heap)


def test_moves_need_no_order_among_themselves():
    for search in (minimax(Odd(6)), mcts(Odd(6), 500, rng=Random(1))):
        assert search.move is Take.TWO and list(search.values) == [Take.TWO, 1, "3"]


def test_as_many_moves_may_follow_as_there_are():
    """Nim that adds moves as the heap shrinks: later nodes have more of them than the root."""

    @dataclass(frozen=True)
    class Widening(Nim):
        moves = property(lambda self: tuple(range(1, min(6 - self.heap, self.heap) + 1)))

    assert alphabeta(Widening(5)).value == worth(Widening(5)) and alphabeta(Widening(5)).cutoffs_by_move


def test_a_position_that_comes_again_at_another_ply_is_searched_once():
    assert alphabeta(Nim(150), table=True).nodes < 1200
    assert alphabeta(Nim(150), table=True).value == 1 and alphabeta(Nim(152), table=True).value == -1


@dataclass(frozen=True)
class Endless(Game):
    """Steps on a circle of five places; nobody ever arrives."""

    place: int = 0
    turn: str = "X"
    over, winner, moves = False, None, (1, 2)

    def play(self, step):
        return replace(self, place=(self.place + step) % 5, turn=self.next)


@pytest.mark.parametrize("name", ENTRIES)
def test_a_game_without_an_end_is_told(name):
    with pytest.raises(ValueError, match=r"Endless went on for more than (200|10,000) moves and may never end: "):
        ENTRIES[name](Endless())
    assert minimax(Endless(), 4).value == 0


@dataclass(frozen=True)
class Inheriting(Nim):
    """Misère, and what it inherits makes a Nim."""

    winner = property(lambda self: self.turn if self.over else None)

    def play(self, take):
        return Nim(self.heap - take, self.next)


@dataclass(frozen=True)
class Forgetful(Nim):
    def play(self, take):
        return replace(self, heap=self.heap - take)


@dataclass(frozen=True)
class Draw(Nim):
    winner = property(lambda self: "draw" if self.over else None)


@dataclass(frozen=True)
class One(Nim):
    winner = property(lambda self: 1 if self.over else None)


@dataclass(frozen=True)
class Returnless(Nim):
    def play(self, take):
        replace(self, heap=self.heap - take, turn=self.next)


@dataclass(frozen=True)
class Stuck(Nim):
    over = winner = property(lambda self: None)


@dataclass(frozen=True)
class Methods(Nim):
    def over(self):
        return self.heap == 0


class Plain(Game):
    """Nim in which equal positions are not equal."""

    over, winner, moves = Nim.over, Nim.winner, Nim.moves

    def __init__(self, heap, turn="X"):
        self.heap, self.turn = heap, turn

    def play(self, take):
        return type(self)(self.heap - take, self.next)


class Changing(Plain):
    def play(self, take):
        self.heap -= take
        return self


class Unhashable(Plain):
    __hash__ = None


class Shared(Plain):
    """Every position has the same list."""

    over = property(lambda self: self.heap[0] == 0)
    moves = property(lambda self: range(1, min(3, self.heap[0]) + 1))

    def play(self, take):
        self.heap[0] -= take
        return Shared(self.heap, self.next)


class MisereBoard(Board):
    __slots__ = ()
    winner = property(lambda self: None)


WRONG = [
    (Inheriting(5), r"Inheriting\.play\(1\) returned a Nim, not a Inheriting: make .* type\(self\)"),
    (MisereBoard(), r"MisereBoard\.play\(0\) returned a Board, not a MisereBoard"),
    (Forgetful(5), "After X has played 1 in a Forgetful it is X's turn again"),
    (Draw(5), r"Draw\.winner is \"X\", \"O\" or, for a draw, None, not 'draw'"),
    (One(5), r"One\.winner is .* not 1\."),
    (Returnless(5), r"Returnless\.play\(1\) returned None: is its return missing\?"),
    (Stuck(5), "A Stuck is not over, and yet there is no move"),
    (Methods(5), "Methods.over is a method: write @property above its def"),
    (Changing(99), r"Changing\.play\(1\) changed its own position"),
    (Unhashable(5), r"A Unhashable can't be hashed: write @dataclass\(frozen=True\)"),
    (Plain(5), r"same move in a Plain must be equal, and hash alike: write @dataclass\(frozen=True\)"),
    (replace(Nim(5), turn="x"), 'Nim.turn is "X" or "O", not \'x\''),
    (Nim, r"needs a Board, not <class '.*Nim'>: write Nim\(\)"),
]


@pytest.mark.parametrize("name", ["minimax", "alphabeta", "mcts", "exact", "sure_win", "tournament", "match"])
@pytest.mark.parametrize("start, sentence", WRONG, ids=lambda part: type(part).__name__)
def test_a_game_that_is_written_wrongly_is_refused_in_a_sentence(name, start, sentence):
    with pytest.raises(ValueError, match=sentence) as caught:
        ENTRIES[name](start)
    assert not re.search(r"<locals>|0x", str(caught.value))


@pytest.mark.parametrize("name", ["minimax", "alphabeta", "mcts", "exact"])
def test_positions_that_share_a_list_are_refused(name):
    with pytest.raises(ValueError, match=r"Shared\.play\(1\) changed its own position: make a new one, with new lists"):
        ENTRIES[name](Shared([3]))


def test_what_needs_a_board_says_so():
    class Local(Nim):
        """One whose repr tells in which function it was defined."""

    game = Local(4)
    for call in (
        lambda: alphabeta(game, order="best-gain"),
        lambda: alphabeta(game, symmetry=True),
        lambda: exact(beatable(), "random", game),
        lambda: exact("perfect", "random", game),
        lambda: exact("flash-clever", "random", game),
        lambda: sweep(game),
        lambda: sweep([game]),
        lambda: GameBoard(start=game),
        lambda: svg.draw(game),
    ):
        with pytest.raises(ValueError, match=r"needs a Board, not Local\(heap=4, turn='X'\)"):
            call()


def test_a_win_that_counts_by_what_is_left_wants_a_depth_and_a_search_looks_no_further_than_it_can():
    for options in ({"sooner": True}, {"heuristic": judged}):
        with pytest.raises(BadSearch, match="give a depth"):
            minimax(Nim(5), **options)
    assert minimax(Nim(5), 5, sooner=True).value == 3
    with pytest.raises(BadSearch, match="at most 200 plies"):
        minimax(Nim(5), 201)
    with pytest.raises(BadSearch, match="a Nim2 has no play"):
        minimax(type("Nim2", (), {"turn": "X", "moves": (), "over": True, "winner": None})())
