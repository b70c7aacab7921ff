"""The challenge's ladder: who stands on which rung, and what is said of those that are missed."""

import random
import re
from fractions import Fraction
from functools import cache

import pytest

from ttt import PLAYERS, Board, best_reply
from ttt.checks import ladder
from ttt.exercises import ladder as ladders
from ttt.search import minimax


def lab(name):
    return lambda board: PLAYERS[name].policy(board)


def first_free(board):
    return board.moves[0]


def last_free(board):
    return board.moves[-1]


def both(x, o):
    return lambda board: (x if board.turn == "X" else o).policy(board)


@pytest.fixture(scope="module")
def careful():
    return both(best_reply("random"), best_reply("random", "O", draw=0.99))


@pytest.mark.parametrize(
    "player, height",
    [
        (last_free, 1),
        (lab("random"), 1),
        (lab("open-lines"), 1),
        (lab("flash-clever"), 2),
        (both(best_reply("random"), PLAYERS["random"]), 1),
        (lab("rules"), 4),
        (lab("perfect"), 4),
        (lab("negamax"), 4),
    ],
    ids=["last", "random", "open-lines", "flash-clever", "good as X only", "rules", "perfect", "negamax"],
)
def test_players_stand_where_they_should(player, height):
    found = ladder(player)
    assert found.height == height and found.title == f"Rung {height} of 5."
    assert [rung.reached for rung in found.rungs][:height] == [True] * height and not found.rungs[height].reached


def test_the_careful_best_reply_to_chance_stands_on_top(careful):
    found = ladder(careful)
    assert found.height == 5 and str(found).startswith("✓ The top of the ladder.\n1. ✓ Reached: a legal move")
    assert not [rung for rung in found.rungs if rung.message or rung.picture]


def test_the_bold_best_reply_wins_more_as_o_and_misses_the_safe_rungs():
    found = ladder(both(best_reply("random"), best_reply("random", "O")))
    assert [rung.reached for rung in found.rungs] == [True, True, False, False, False] and found.height == 2
    assert "As X it loses none, but as O it can." in found.rungs[3].message
    assert found.rungs[4].message == "It can lose."  # it doesn't win too little


@cache
def worth(board):
    """Minimax, to the side that has just moved."""
    if board.over:
        return 1 if board.winner else 0
    return -max(worth(board.play(cell)) for cell in board.moves)


@pytest.mark.parametrize("side, most", [("X", Fraction(191, 192)), ("O", Fraction(866, 945))])
def test_the_top_rung_is_the_most_that_a_player_can_win_that_never_enters_a_lost_position(side, most):
    @cache
    def won(board):
        if board.over:
            return Fraction(board.winner == side)
        following = [board.play(cell) for cell in board.moves]
        if board.turn == side:
            return max(won(after) for after in following if worth(after) >= 0)
        return sum(map(won, following)) / len(following)

    assert won(Board()) == most and ladders.most_won(side) == pytest.approx(float(most))


def test_a_missed_rung_draws_the_shortest_lost_game_or_says_the_figure():
    found = ladder(last_free)
    often, as_o, at_all, best = found.rungs[1:]
    assert "As X it wins 78.12 % of its games, and open-lines 86.76 %." in often.message and "As O" in often.message
    assert as_o.message.endswith("cells 0, 8, 1, 7, 2.") and as_o.picture.title.endswith("you (X) wins.")
    assert as_o.picture.text.count("plays") == 5
    assert "As X it can lose" in at_all.message and at_all.picture
    assert "as O" not in best.message and "a player that never loses can win 91.64 %" in best.message


def test_the_player_as_handed_out_and_one_that_is_not_written_have_not_started():
    def unwritten(board):
        raise NotImplementedError

    for player in (first_free, unwritten):
        found = ladder(player)
        assert found.title.startswith("○ Not started. Change my_player") and found.height == 0
        assert all(rung.reached is None for rung in found.rungs)


def wrong_at_first(board):
    return board.moves[0] if len(board.moves) < 8 else 9


def forgotten(board):
    if len(board.moves) < 7:
        return board.moves[0]
    return None


def broken(board):
    return board.moves[0] if len(board.moves) < 7 else board.free[0]


def endless(board):
    while len(board.moves) == 8:
        pass
    return board.moves[0]


def stubborn(board):
    while len(board.moves) == 8:
        try:
            endless(board)
        except KeyboardInterrupt:
            break
    return board.moves[0]


def lots(board):
    return random.choice(board.moves)


@pytest.mark.parametrize(
    "player, said",
    [
        (lambda board: 4, r"returned 4, which is taken by X\. It must be a free cell"),
        (lambda board: print(board), r"returned None: is its return missing\?"),
        (wrong_at_first, r"wrong_at_first returned 9, which is not a cell\. .*The board was Board\(\)\."),
        (forgotten, r"forgotten returned None: is its return missing\?"),
        (broken, r"AttributeError: 'Board' object has no attribute 'free', in line \d+: .*The board was Board\(\)\."),
        (endless, r"no answer within 0\.5 s\. Is there an endless loop\?.*The board was Board\.from_text\('X--"),
        (stubborn, r"no answer within 0\.5 s"),
        (lots, r"at random, or another one when asked again\. Return \{cell: probability\}"),
    ],
)
def test_a_player_that_fails_stands_below_the_first_rung_and_is_told_why_and_where(player, said, monkeypatch):
    monkeypatch.setattr(ladders, "SECONDS", 0.5)
    found = ladder(player)
    assert found.title == "Below the first rung." and found.rungs[0].reached is False
    assert re.search(said, found.rungs[0].message), found
    assert found.rungs[0].picture and all(rung.reached is None for rung in found.rungs[1:])


def test_the_ladder_is_a_list_that_reads_without_its_pictures_and_prints_nothing_else(capsys):
    def chatty(board):
        print("thinking")
        return board.moves[-1]

    found = ladder(chatty)
    assert capsys.readouterr().out == ""
    page = found._repr_html_()
    assert page.count("<li>") == 5 and page.count("<svg") == 2 and 'role="status"' in page
    assert repr(found).count("\n") == 5 and "&lt;" not in page


def test_numbers_that_do_not_add_up_to_1_are_said_to_be_no_probabilities():
    first = ladder(lambda board: dict.fromkeys(board.moves, 1)).rungs[0]
    assert first.reached is False and "its probabilities sum to 9, not to 1" in first.message
    assert "is not a cell" not in first.message


def test_a_search_that_is_too_slow_hears_of_alpha_beta(monkeypatch):
    monkeypatch.setattr(ladders, "SECONDS", 0.05)
    first = ladder(lambda board: minimax(board).move).rungs[0]
    assert "no answer within" in first.message and "alphabeta" in first.message
