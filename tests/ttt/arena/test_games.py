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

import ttt
from ttt import PLAYERS, Board, Player, best_reply, exact, match, play, reachable, shortest_loss, sure_win
from ttt.arena.games import START, HiddenChance, strength_for, wilson
from ttt.players import beatable

FIGURES = [
    ("random", "random", (0.5849, 0.1270, 0.2881)),
    ("random", "flash-clever", (0.0127, 0.1725, 0.8148)),
    ("open-lines", "random", (0.8676, 0.0977, 0.0347)),
]


@pytest.mark.parametrize("x, o, figures", FIGURES)
def test_exact_gives_the_known_figures_which_are_those_of_an_enumeration_of_every_game(x, o, figures):
    for board in (Board(), Board.from_text("X-O -X- --O"), Board.from_text("XXX OO- ---")):
        result = exact(x, o, board)
        assert (result.x, result.o) == (x, o)
        expected = chances(board, PLAYERS[x].policy, PLAYERS[o].policy)
        assert (result.x_wins, result.draws, result.o_wins) == pytest.approx(expected)
    assert tuple(round(float(part), 4) for part in chances(Board(), PLAYERS[x].policy, PLAYERS[o].policy)) == figures


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
    with pytest.raises(
        ValueError, match=r"^There are more than 1,000 positions. Sample games with `match\(\)` instead"
    ):
        prove("random", board=Board(shape=(4, 4, 4)))


def test_chance_is_seen_where_two_draws_agree():
    for _ in range(20):
        with pytest.raises(HiddenChance):
            exact("random", lambda board: {random.choice(board.moves): 1.0}, Board.from_text("XOX XOO -X-"))


def test_a_player_that_sets_its_own_seed_is_steady_at_every_call():
    def playouts(board):
        random.seed(7)
        return random.choice(board.moves)

    random.seed(1)
    before = random.getstate()
    first, second = exact(playouts, "random"), exact(playouts, "random")
    assert first == second and random.getstate() == before


def test_a_game_can_be_replayed_from_its_record_and_draws_every_position_with_the_move_that_led_to_it():
    game = play("random", "random", Board((3, 4), 3), Random(5))
    assert eval(repr(game), {**vars(ttt)}) == pickle.loads(pickle.dumps(game)) == game
    board = Board((3, 4), 3)
    for move, after in zip(game.moves, game.boards[1:], strict=True):
        assert board.play(move) == after
        board = after
    assert board == game.final and board.over and board.winner == game.winner
    captions = [f"{'XO'[ply % 2]} plays {move}" for ply, move in enumerate(game.moves)]
    assert re.findall(r">([^<>]+)</text>", game._repr_svg_()) == ["start", *captions]
    assert re.search(r"<title>(.*?)</title>", game._repr_svg_())[1] == str(game)


def test_a_match_is_repeated_by_its_seed_and_comes_close_to_the_exact_chances():
    again, another = (match("random", "random", 20, rng=Random(seed)) for seed in (7, 8))
    assert match("random", "random", 20, rng=Random(7)) == again != another
    assert match("random", "random", 20) != match("random", "random", 20)  # without a seed, every run has its own games
    assert {game.start for game in match("random", "random", 2, Board(k=2)).games} == {Board(k=2)}
    played = match("random", "random", 500, rng=Random(3))
    for end in ("x_wins", "draws", "o_wins"):
        chance = getattr(exact("random", "random"), end)
        assert abs(getattr(played.result, end) - chance) < 3 * (chance * (1 - chance) / 500) ** 0.5
    assert played.interval == wilson(played.result.points, 500)


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
        least, most = wilson(seen, games)
        assert 0 <= least <= seen <= most <= 1
        for end in (least, most):
            error = 1.959964 * (end * (1 - end) / games) ** 0.5
            assert abs(seen - end) == pytest.approx(error, abs=1e-6) or end in (0, 1)


@pytest.mark.parametrize("plays", "XO")
@pytest.mark.parametrize("name", ["random", "flash-clever", "line-counts", "rules-coded", "rules"])
def test_who_can_be_beaten_and_how_soon_is_seen_in_all_the_games_that_a_player_can_play(name, plays):
    """A sure win is against all of its choices: the shortest that can be forced, as long as it can hold out."""

    def moves_of(board):
        return PLAYERS[name].policy(board) if board.turn == plays else board.moves

    def forced(board):
        """In how many moves the opponent can force a win, whatever the player chooses; None if it can't."""
        if board.over:
            return 0 if board.winner == other(plays) else None
        ends = [forced(board.play(move)) for move in moves_of(board)]
        if board.turn == plays:
            return None if None in ends else 1 + max(ends)
        return min((1 + end for end in ends if end is not None), default=None)

    won = Board.from_text("XXX OO- ---")
    for board in (Board().play(0), Board().play(0).play(1), Board.from_text("X-O -X- --O"), won):
        there = reached(board, moves_of)
        assert reachable(name, plays, board) == there
        lost = [len(board.moves) - len(end.moves) for end in there if end.winner == other(plays)]
        shortest, sure = shortest_loss(name, plays, board), sure_win(name, plays, board)
        assert (len(shortest.moves) if shortest else None) == min(lost, default=None)
        assert (len(sure.moves) if sure else None) == forced(board)
        for game in filter(None, (shortest, sure)):
            assert game.start == board and game.winner == other(plays)
            assert (game.x, game.o) == ((name, "you") if plays == "X" else ("you", name))
            for before, move in zip(game.boards, game.moves, strict=False):
                assert move in moves_of(before)
        for ply, after in enumerate(sure.boards if sure else ()):
            assert forced(after) == len(sure.moves) - ply


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


SMALL = [Board((2, 2)), Board((2, 3), k=3), Board((1, 5), k=3), *map(Board.from_text, ("XO- -X- --O", "XOX --- -O-"))]


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
    """The figures come from an independent enumeration in fractions. Equally good moves have equal chances."""
    reply = best_reply("random")
    assert exact(reply, "random").x_wins == pytest.approx(191 / 192)
    bold, careful = (exact("random", best_reply("random", "O", draw=draw)) for draw in (0.5, 0.99))
    assert 1 - bold.points == pytest.approx((883 + 53 / 2) / 945) and bold.x_wins > 0
    assert (careful.x_wins, careful.o_wins) == (0, pytest.approx(866 / 945))
    assert reply.policy(Board()) == dict.fromkeys((0, 2, 6, 8), 0.25)
    board = Board.from_text("XX- OO- ---")
    assert [reply.heuristic(board.play(cell), "X") for cell in (2, 5)] == [1, pytest.approx(0.875)]
    assert reply.heuristic(board.play(5), "O") == pytest.approx(0.125)
    assert reply.policy(board) == {2: 1.0}
