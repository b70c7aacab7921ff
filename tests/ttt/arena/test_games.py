"""Games, matches and exact results; the figures come from an independent enumeration of all games."""

import pickle
import random
import re
from fractions import Fraction
from random import Random

import pytest
from conftest import naming
from games import chances, evenly
from oracles import other, reached

from ttt import PLAYERS, Board, Game, Player, best_reply, exact, match, play, reachable, shortest_loss, sure_win
from ttt.arena.games import START, HiddenChance, Match, Result, strength_for, wilson
from ttt.board import BoardError, CellTaken
from ttt.players import beatable

FIGURES = [
    ("random", "random", (0.5849, 0.1270, 0.2881)),
    ("random", "flash-clever", (0.0127, 0.1725, 0.8148)),
    ("open-lines", "random", (0.8676, 0.0977, 0.0347)),
]


@pytest.mark.parametrize("x, o, figures", FIGURES)
def test_exact_gives_the_known_figures_and_from_any_board_those_of_an_enumeration_of_every_game(x, o, figures):
    for board in (Board(), Board.from_text("X-O -X- --O"), Board.from_text("XXX OO- ---")):
        result = exact(x, o, board)
        assert (result.x, result.o) == (x, o)
        expected = chances(board, PLAYERS[x].policy, PLAYERS[o].policy)
        assert (result.x_wins, result.draws, result.o_wins) == pytest.approx(expected)
    result = exact(x, o)
    assert tuple(round(part, 4) for part in (result.x_wins, result.draws, result.o_wins)) == figures


PROOFS = {
    "exact": lambda player, plays="X", board=START: exact(player, "random", board),
    "shortest_loss": shortest_loss,
    "reachable": reachable,
    "sure_win": sure_win,
    "best_reply": lambda player, plays="X", board=START: best_reply(player, plays).policy(board),
}


@pytest.mark.parametrize("name", PROOFS)
def test_what_is_exact_refuses_hidden_chance_and_too_many_positions(name, monkeypatch):
    rng, prove = Random(1), PROOFS[name]
    dice = lambda board: rng.choice(board.moves)  # noqa: E731
    for hidden in (dice, lambda board: {random.choice(board.moves): 1.0}, Player("random", dice)):
        with pytest.raises(HiddenChance, match=naming("at random", "{move: probability}", "match()")):
            prove(hidden)
    asked = []
    with pytest.raises(HiddenChance, match=naming("keeps", "clock")):  # nothing random in it
        prove(lambda board: asked.append(board) or board.moves[len(asked) % 2])
    monkeypatch.setattr("ttt.arena.games.MAX_POSITIONS_PER_PLY", 1000)
    with pytest.raises(ValueError, match=naming("more than 1,000 positions", "match()")):
        prove("random", board=Board(shape=(4, 4, 4)))
    if name != "exact":
        with pytest.raises(BoardError):
            prove("random", plays="Q")


def test_chance_is_seen_where_two_draws_agree():
    almost_full = Board.from_text("XOX XOO -X-")
    for _ in range(20):
        with pytest.raises(HiddenChance):
            exact("random", lambda board: {random.choice(board.moves): 1.0}, almost_full)


def test_a_player_that_sets_its_own_seed_is_steady_at_every_call():
    def playouts(board):
        random.seed(7)
        return random.choice(board.moves)

    random.seed(1)
    before = random.getstate()
    first, second = exact(playouts, "random"), exact(playouts, "random")
    assert first == second and random.getstate() == before


def test_a_game_can_be_replayed_from_its_record():
    game = play("random", "random", rng=Random(5))
    assert eval(repr(game)) == pickle.loads(pickle.dumps(game)) == game
    board = Board()
    for move, after in zip(game.moves, game.boards[1:], strict=True):
        assert board.play(move) == after
        board = after
    assert board == game.final and board.over and board.winner == game.winner
    with pytest.raises(CellTaken):
        Game("a", "b", (4, 4)).final  # noqa: B018


ANN = Game("ann", "bob", (0, 3, 1, 4, 2))
BOB = Game("ann", "bob", (3, 0, 4, 1, 8, 2))
SENTENCES = [
    (ANN, "ann (X) against bob (O): cells 0 3 1 4 2; won by ann (X)."),
    (BOB, "ann (X) against bob (O): cells 3 0 4 1 8 2; won by bob (O)."),
    (Game("ann", "bob", (0,)), "ann (X) against bob (O): cells 0; unfinished."),
    (Game("ann", "bob", (0, 4, 8, 1, 7, 6, 2, 5, 3)), "ann (X) against bob (O): cells 0 4 8 1 7 6 2 5 3; a draw."),
    (Match("ann", "bob", (ANN, BOB, ANN)), "3 games: ann (X) won 2, bob (O) won 1, and none ended in a draw"),
    (
        match("flash-clever", "flash-clever", 1),
        "1 game: flash-clever (X) won 0, flash-clever (O) won 0, and 1 ended in a draw",
    ),
    (Result("ann", "bob", 0.5, 0.25, 0.125), "ann (X) wins 50.00 %, draws 25.00 %, bob (O) wins 12.50 %"),
]


@pytest.mark.parametrize("record, sentence", SENTENCES)
def test_a_game_a_match_and_a_result_say_how_they_went(record, sentence):
    assert str(record) == sentence


def test_a_game_draws_every_position_with_the_move_that_led_to_it():
    assert re.findall(r">([^<>]+)</text>", ANN._repr_svg_()) == [
        *["start", "X plays 0", "O plays 3", "X plays 1", "O plays 4", "X plays 2"]
    ]


def test_a_match_is_repeated_by_its_seed_and_comes_close_to_the_exact_chances():
    assert match("random", "random", 20, rng=Random(7)) == match("random", "random", 20, rng=Random(7))
    assert match("random", "random", 20, rng=Random(7)) != match("random", "random", 20, rng=Random(8))
    assert match("random", "random", 20) != match("random", "random", 20)  # without a seed, every run has its own games
    played = match("random", "random", 1000, rng=Random(3))
    for end in ("x_wins", "draws", "o_wins"):
        chance = getattr(exact("random", "random"), end)
        assert abs(getattr(played.result, end) - chance) < 3 * (chance * (1 - chance) / 1000) ** 0.5


@pytest.mark.parametrize("against, plays, loses", [("flash-fixed", "X", 0.1), ("rules", "O", 0.25)])
def test_the_strength_for_a_share_of_lost_games_loses_that_share(against, plays, loses):
    mine = beatable(strength_for(against, loses, plays))
    share = exact(against, mine).x_wins if plays == "O" else exact(mine, against).o_wins
    assert share == pytest.approx(loses, abs=0.0001)


@pytest.mark.parametrize("games", [1, 10, 400])
def test_wilsons_interval_holds_the_shares_whose_own_error_reaches_the_one_that_was_seen(games):
    """Its ends are the shares p with |seen - p| = 1.96 standard errors of p, which is how Wilson defines them."""
    for won in {0, games // 3, games}:
        seen = won / games
        for end in wilson(seen, games):
            error = 1.959964 * (end * (1 - end) / games) ** 0.5
            assert abs(seen - end) == pytest.approx(error, abs=1e-6) or end in (0, 1)
    played = match("random", "random", 50, rng=Random(1))
    assert played.interval == wilson(played.result.points, 50)


def test_the_shortest_loss_is_a_game_that_the_player_plays_and_loses_and_no_shorter_one_does():
    assert shortest_loss("flash-clever").moves == (0, 4, 7, 2, 6, 8, 3)
    assert len(shortest_loss("random").moves) == 5 and len(shortest_loss("random", plays="X").moves) == 6
    for name, plays in (("line-counts", "O"), ("line-counts", "X"), ("open-lines", "X"), ("rules-coded", "O")):
        game = shortest_loss(name, plays)
        assert game.winner == ("X" if plays == "O" else "O")
        for before, move in zip(game.boards, game.moves, strict=False):
            assert before.turn != plays or move in PLAYERS[name].policy(before)
        lost = [board for board in reachable(name, plays) if board.winner == game.winner]
        assert len(game.moves) == min(9 - len(board.moves) for board in lost)


@pytest.mark.parametrize("plays", "XO")
@pytest.mark.parametrize("name", ["flash-clever", "line-counts", "rules-coded", "rules"])
def test_the_reachable_positions_are_those_of_all_the_games_that_a_player_can_play(name, plays):
    def moves_of(board):
        return PLAYERS[name].policy(board) if board.turn == plays else board.moves

    for board in (Board(), Board().play(0), Board.from_text("X-O -X- --O")):
        assert reachable(name, plays, board) == reached(board, moves_of)


def test_a_game_that_is_over_reaches_no_other_position_and_is_won_or_not():
    won = Board.from_text("XXX OO- ---")
    assert reachable("random", board=won) == {won}
    assert sure_win("random", board=won).moves == () and sure_win("random", plays="X", board=won) is None


def can_force(name, plays, board, plies):
    """Whether the player's opponent can force a win within this many plies, whatever the player chooses."""
    if board.over or not plies:
        return board.winner not in (None, plays)
    if board.turn == plays:
        return all(can_force(name, plays, board.play(move), plies - 1) for move in PLAYERS[name].policy(board))
    return any(can_force(name, plays, board.play(move), plies - 1) for move in board.moves)


@pytest.mark.parametrize("plays", "XO")
@pytest.mark.parametrize("name", ["random", "flash-clever", "line-counts", "rules"])
def test_a_sure_win_is_a_game_that_can_be_forced_and_no_shorter_one_can(name, plays):
    for board in (Board(), Board().play(0), Board().play(1), Board().play(0).play(1)):  # in the last X can force a win
        game = sure_win(name, plays, board)
        forced = [plies for plies in range(10) if can_force(name, plays, board, plies)]
        if not forced:
            assert game is None
            continue
        assert len(game.moves) == forced[0] and game.start == board and game.winner not in (None, plays)
        for ply, (before, move) in enumerate(zip(game.boards, game.moves, strict=False)):
            assert before.turn != plays or move in PLAYERS[name].policy(before)
            assert can_force(name, plays, before, len(game.moves) - ply)


def every_end(board, rival, plays):
    """The chances (win, draw, loss) that each deterministic way to play for a side gives, by enumerating them all."""
    if board.over:
        return {tuple(Fraction(board.winner == winner) for winner in (plays, None, other(plays)))}
    if board.turn == plays:
        return set().union(*(every_end(board.play(cell), rival, plays) for cell in board.moves))
    ends = {(Fraction(0),) * 3}
    for cell, chance in rival(board).items():  # after each reply it may continue in any of its ways
        follow = every_end(board.play(cell), rival, plays)
        ends = {tuple(a + chance * b for a, b in zip(one, two, strict=True)) for one in ends for two in follow}
    return ends


def lopsided(board):
    """A policy that has its preferences, in fractions: eighths, which are exact as floats, too."""
    first, *rest = board.moves
    return {first: Fraction(1)} if not rest else {first: Fraction(3, 8), rest[-1]: Fraction(5, 8)}


SMALL = [Board((2, 2)), Board((2, 3), k=3), Board((1, 5), k=3)]
SMALL += map(Board.from_text, ["X-- -O- --X", "XO- -X- --O", "XOX --- -O-"])


@pytest.mark.parametrize("plays", "XO")
@pytest.mark.parametrize("rival", [evenly, lopsided])
@pytest.mark.parametrize("board", SMALL, ids=repr)
def test_the_best_reply_gets_the_most_points_of_all_ways_to_play(board, rival, plays):
    ends = every_end(board, rival, plays)
    for draw in (0, 0.5, 0.99, 1):
        reply = best_reply(rival, plays, draw)
        result = exact(reply, rival, board) if plays == "X" else exact(rival, reply, board)
        wins = result.x_wins if plays == "X" else result.o_wins
        most = max(win + Fraction(draw) * drawn for win, drawn, _ in ends)
        assert wins + draw * result.draws == pytest.approx(float(most), abs=1e-12)


def test_the_best_reply_to_chance_takes_a_risk_as_o_and_none_where_a_draw_is_nearly_a_win():
    """The figures come from an independent enumeration in fractions."""
    assert exact(best_reply("random"), "random").x_wins == pytest.approx(191 / 192)
    bold, careful = (exact("random", best_reply("random", "O", draw=draw)) for draw in (0.5, 0.99))
    assert 1 - bold.points == pytest.approx((883 + 53 / 2) / 945) and bold.x_wins > 0
    assert (careful.x_wins, careful.o_wins) == (0, pytest.approx(866 / 945))


def test_a_best_reply_makes_equally_good_moves_with_equal_chances_and_shows_its_points():
    reply = best_reply("random")
    assert reply.policy(Board()) == dict.fromkeys((0, 2, 6, 8), 0.25)
    board = Board.from_text("XX- OO- ---")
    assert [reply.heuristic(board.play(cell), "X") for cell in (2, 5)] == [1, pytest.approx(0.875)]
    assert reply.heuristic(board.play(5), "O") == pytest.approx(0.125)
    assert reply.policy(board) == {2: 1.0}
