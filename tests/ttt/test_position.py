"""Your own games: searches and the arena treat them like boards, checked by an oracle, and refuse broken ones."""

from copy import deepcopy
from dataclasses import replace
from enum import Enum
from functools import partial
from itertools import product
from pathlib import Path
from random import Random

import pytest
from approved import approved
from conftest import sampled
from games import BROKEN, GAMES, Bare, Changing, Chomp, Four, Kayles, Misere, Nim, Plain, Shared

from games import chances, evenly, first, nim  # isort: skip
from lab import GameBoard, check_game
from oracles import UNFINISHED, nodes, other, reached, worth

from ttt import Board, best_reply, exact, match, play, reachable, shortest_loss, sure_win, tournament
from ttt.position import require_position
from ttt.search import alphabeta, mcts, minimax, negamax

ENTRIES = {
    "minimax": minimax,
    "negamax": negamax,
    "alphabeta": partial(alphabeta, table=True),
    "mcts": partial(mcts, playouts=300, rng=Random(1)),
    "exact": partial(exact, "random", "random"),
    "reachable": partial(reachable, "random", "X"),
    "shortest_loss": partial(shortest_loss, first, "X"),
    "sure_win": partial(sure_win, "random", "O"),
    "best_reply": lambda start: best_reply("random", start.turn).policy(start),
    "tournament": partial(tournament, ["random", first]),
    "match": lambda start: match("random", "random", 100, start, Random(1)),
}
PLAYED = {  # these play a game out, the others look at all its moves
    "mcts": ("10,000", "a playout must come to an end"),
    "match": ("10,000", "only a game that ends can be played"),
}


def judged(position, player):
    """A heuristic that knows nothing of boards: it prefers few moves, and those late in the list."""
    return (sum(position.moves) - 7 * len(position.moves)) * (1 if position.turn == player else -1)


def test_a_board_as_a_bare_position_gives_the_same_record_with_all_options_that_both_have():
    switches = [dict(zip(("killer", "table", "deepening"), on, strict=True)) for on in product((False, True), repeat=3)]
    searches = [minimax, negamax, *(partial(alphabeta, **on) for on in switches)]
    for board in Random(3).sample([board for board in UNFINISHED if len(board.moves) < 6], 4):
        free = len(board.moves)
        for depth, heuristic, sooner in product((None, *range(free + 1), free + 3), (None, judged), (False, True)):
            if depth in (None, free + 3) and (heuristic or sooner):
                continue  # only a board tells how many plies are left at the end of a game
            for search in searches:
                found, bare = (search(root, depth, heuristic, sooner=sooner) for root in (board, Bare(board)))
                assert replace(bare, board=board) == found, (board, depth, search)


def searched_rightly(here, search):
    return search.value == worth(here) and (here.over or -worth(here.play(search.move)) == search.value)


@pytest.mark.parametrize("game", GAMES, ids=repr)
def test_searches_find_what_an_oracle_finds_in_every_position_of_every_game(game):
    """For the two larger games, the last positions of some games."""
    if isinstance(game, Misere | Four):
        games = [play("random", "random", game, Random(seed)) for seed in range(3)]
        here_and_there = {here for one in games for here in one.boards[-6:]}
    else:
        here_and_there = sampled(sorted(reached(game), key=repr), 3)
    for here in here_and_there:
        if nodes(here) < 3000:
            whole = minimax(here)
            assert whole.nodes == nodes(here)
            assert whole.values == {move: -worth(here.play(move)) for move in here.moves if not here.over}
            for search in (whole, negamax(here), alphabeta(here), alphabeta(here, table=True, deepening=True)):
                assert searched_rightly(here, search)
        assert searched_rightly(here, alphabeta(here, table=True, killer=True))
        if 1 < nodes(here) < 60:
            assert -worth(here.play(mcts(here, 1000, rng=Random(1)).move)) == worth(here)


def only_first(here):
    return {here.moves[0]: 1}


@pytest.mark.parametrize("game", [Nim(9), Misere("XO--X----"), Kayles("!!!!!"), Chomp((3, 2))], ids=repr)
def test_the_arena_plays_any_game_as_an_enumeration_of_all_games_says(game):
    for x, o in product((only_first, evenly), repeat=2):
        found = exact(x, o, game)
        assert (found.x_wins, found.draws, found.o_wins) == pytest.approx(chances(game, x, o))
    held = tournament([first, "random"], game)
    assert held.results[0].points == pytest.approx(exact(first, "random", game).points)
    losses = filter(None, (shortest_loss(first, plays, game) for plays in "XO"))
    [told] = [standing.loses for standing in held.standings if standing.player == "first"]
    moves = min((loss.moves for loss in losses), key=len, default="never loses")
    assert told == moves or told.endswith(f": {' '.join(map(str, moves))}")
    assert reachable("random", "X", game) == reached(game)
    for plays, rival in ("XO", "OX"):
        lost = any(here.winner == rival for here in reachable(first, plays, game))
        for end in (shortest_loss(first, plays, game), sure_win(first, plays, game)):
            assert end.winner == rival if lost else end is None
        assert (sure_win("random", plays, game) is not None) == (worth(game) == (1 if game.turn == rival else -1))
        best = best_reply(first, rival)
        result = exact(best, first, game) if rival == "X" else exact(first, best, game)
        assert (result.x_wins if rival == "X" else result.o_wins) == pytest.approx(1 if lost else 0)


Take = Enum("Take", ["ONE", "TWO"])


def test_moves_need_no_order_among_themselves_and_there_may_be_more_of_them_later():
    moves = [Take.TWO, 1, "3"]
    mixed = nim("Mixed", 6, moves=property(lambda self: moves[: self.heap]), play=lambda self, take: Nim.play(
        self, {Take.TWO: 2, 1: 1, "3": 3}[take] if self.heap > 2 else self.heap))  # fmt: skip
    for search in (minimax(mixed), mcts(mixed, 500, rng=Random(1))):
        assert search.move is Take.TWO and list(search.values) == moves
    widening = nim("Widening", moves=property(lambda self: range(1, min(6 - self.heap, self.heap) + 1)))
    assert alphabeta(widening).value == worth(widening) and alphabeta(widening).cutoffs_by_move


def test_a_position_that_comes_again_at_another_ply_is_searched_once():
    assert [alphabeta(Nim(heap), table=True).value for heap in (150, 151, 152)] == [1, 1, -1]
    assert alphabeta(Nim(150), table=True).nodes < 1200


@pytest.mark.parametrize("deepening", [False, True])
def test_a_position_that_comes_again_with_fewer_plies_left_is_searched_anew(deepening):
    def remainder(here, player):
        return here.heap**2 % 7 * (1 if here.turn == player else -1)

    for heap, depth in product((20, 21, 22), range(7)):
        found = alphabeta(Nim(heap), depth, remainder, table=True, deepening=deepening)
        assert found.value == minimax(Nim(heap), depth, remainder).value


@pytest.mark.parametrize("name", ENTRIES)
def test_a_game_without_an_end_is_refused_after_as_many_moves_as_are_allowed(name):
    """From its start, which doesn't come back, it goes round five heaps, each with either side to move."""
    endless = nim("Endless", 9, over=False, winner=None, moves=(1, 2), play=lambda self, step: replace(
        self, heap=(self.heap + step) % 5, turn=other(self.turn)))  # fmt: skip
    advice = "sample games with `match()` instead"
    if name in ("minimax", "negamax", "alphabeta"):
        advice = "give a depth, such as depth=3"
    long, advice = PLAYED.get(name, ("200", advice))
    long = f"lasted more than {long} moves. The same position comes back after 10 moves, so the game may never end"
    with pytest.raises(ValueError) as refused:
        ENTRIES[name](endless)
    assert str(refused.value) == f"A game of Endless {long}: {advice}."
    assert minimax(endless, 4).value == 0


def test_check_game_also_says_after_how_many_moves_a_position_comes_back(monkeypatch):
    monkeypatch.setattr("lab.checks.own_game.STAGE_SECONDS", (60.0, 60.0, 60.0))  # however slow the machine is
    round_table = nim("Round", 9, over=False, winner=None, moves=(1,), play=lambda self, step: replace(
        self, heap=self.heap % 3 + 1, turn=other(self.turn)))  # fmt: skip
    assert "The same position comes back after 6 moves" in check_game(round_table).message


class MisereBoard(Board):
    __slots__ = ()
    winner = property(lambda self: None)


class Kept:
    """A shallow copy: the rows of the new position are those of the old one."""

    over = property(lambda self: not self.moves)
    winner = property(lambda self: None)
    moves = property(lambda self: [n for n, row in enumerate(self.rows) if "-" in row])

    def __init__(self, rows=None, turn="X"):
        self.rows, self.turn = rows or [["-"], ["-", "-"]], turn

    def play(self, move):
        rows = list(self.rows)
        rows[move][rows[move].index("-")] = self.turn
        return Kept(rows, other(self.turn))


WRONG = [
    *(game for name, game in BROKEN.items() if name != "Forgets"),
    *(nim("Moveless", moves=None), nim("Overless", over=None), nim("Set", moves={1, 2}), nim("Text", moves="12")),
    *(nim("Asked", winner=lambda self: None), nim("Called", moves=lambda self: (1, 2))),
    nim("Late", play=lambda self, take: None if take == 3 else Nim.play(self, take)),
    *(nim("Lists", moves=[[1]]), nim("Pass", moves=(None,)), nim("Twice", moves=(1, 1)), replace(Nim(5), turn="x")),
    *(MisereBoard(), Changing(99), Shared([3]), Kept()),
]


def test_one_look_at_the_root_finds_a_game_that_is_written_wrongly_and_check_game_says_the_same():
    said = []
    for start in WRONG:
        same = deepcopy(start) if not isinstance(start, Board) else start  # a look may change it
        with pytest.raises(ValueError) as caught:
            require_position(same, "A test")
        assert check_game(start).message.startswith(str(caught.value))
        said.append(str(caught.value))
    assert approved(Path(__file__).parent / "said/games.txt", "games written wrongly", "\n".join(said))


@pytest.mark.parametrize("name", [*ENTRIES, "GameBoard"])
def test_searches_arena_and_boards_take_that_look(name):
    take = (ENTRIES | {"GameBoard": lambda start: GameBoard(start=start)})[name]
    for game, said in ((BROKEN["MisereNim"], "must return an instance of MisereNim"), (Kept(), "changed its own")):
        with pytest.raises(ValueError, match=said):
            take(game)


def test_what_the_look_does_not_see_is_found_by_check_game():
    for start in (BROKEN["Forgets"], Plain(5)):
        require_position(start, "A test")
        assert check_game(start).outcome == "not yet"


@pytest.mark.parametrize("heap, value", [(200, -1), (201, 1)])
def test_exact_and_searches_agree_on_a_game_that_is_as_long_as_it_may_be(heap, value):
    single = nim("Single", heap, moves=(1,))
    assert alphabeta(single).value == minimax(single).value == value
    assert exact(first, first, single).x_wins == (value + 1) / 2
    assert (sure_win(first, "O", single) is not None) == (value == 1)
