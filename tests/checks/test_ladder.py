"""The challenge's ladder: who stands on which rung, and what is said of those that are missed."""

import random
import re
from fractions import Fraction
from functools import cache

import pytest

from ttt import PLAYERS, Board, best_reply, ladder
from ttt.checks import ladder as ladders
from ttt.search import alphabeta, minimax


def lab(name):
    return lambda board: PLAYERS[name].policy(board)


def last_free(board):
    return board.moves[-1]


def both(x, o):
    return lambda board: (x if board.turn == "X" else o).policy(board)


BEST_AS_X = best_reply("random")
HEIGHTS = {
    "last": (last_free, 1),
    "random": (lab("random"), 1),
    "open-lines": (lab("open-lines"), 1),
    "good as X only": (both(BEST_AS_X, PLAYERS["random"]), 1),
    "flash-clever": (lab("flash-clever"), 2),
    "bold": (both(BEST_AS_X, best_reply("random", "O")), 2),
    "rules": (lab("rules"), 5),
    "perfect": (lab("perfect"), 4),
    "negamax": (lab("negamax"), 4),
}


@pytest.mark.parametrize("player, height", HEIGHTS.values(), ids=HEIGHTS)
def test_players_stand_where_they_should(player, height):
    found = ladder(player)
    assert found.height == height and found.title == f"Rung {height} of 6."
    assert [rung.reached for rung in found.rungs][:height] == [True] * height and not found.rungs[height].reached


def test_the_careful_best_reply_to_chance_stands_on_top():
    found = ladder(both(BEST_AS_X, best_reply("random", "O", draw=0.99)))
    assert found.height == 6 and str(found).startswith("✓ The top of the ladder.\n1. ✓ Reached: a legal move")
    assert not [rung for rung in found.rungs if rung.message or rung.picture]


def test_the_bold_best_reply_is_told_on_which_side_it_loses_and_not_that_it_wins_too_little():
    found = ladder(HEIGHTS["bold"][0])
    assert "As X it loses none, but as O it can." in found.rungs[3].message
    assert [rung.message for rung in found.rungs[4:]] == ["It can lose."] * 2


LINES = {
    "minimax": lambda board: minimax(board, fast=True).move,
    "a win soon": lambda board: minimax(board, sooner=True, fast=True).move,
    "the last of the best": lambda board: minimax(board, fast=True).best_moves[-1],
    "a better order": lambda board: alphabeta(board, order="best-gain", fast=True).move,
    "the cells on most lines first": lambda board: alphabeta(board, order="most-lines", fast=True).move,
}


@pytest.mark.parametrize("player", LINES.values(), ids=LINES)
def test_no_line_of_search_alone_reaches_the_fifth_rung_where_the_eight_rules_stand(player):
    assert ladder(player).height == 4


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
    often, as_o, at_all, oftener, best = found.rungs[1:]
    assert "As X it wins 78.12 % of its games, and open-lines 86.76 %." in often.message and "As O" in often.message
    assert as_o.message.endswith("cells 0, 8, 1, 7, 2.") and as_o.picture.title.endswith("you (X) wins.")
    assert as_o.picture.text.count("plays") == 5
    assert "As X it can lose" in at_all.message and at_all.picture
    assert "As O it wins 44.02 % of its games, and rules 90.51 %." in oftener.message
    assert "as O" not in best.message and "a player that never loses can win 91.64 %" in best.message


def unwritten(board):
    raise NotImplementedError


@pytest.mark.parametrize("player", [lambda board: board.moves[0], unwritten])
def test_the_player_as_handed_out_and_one_that_is_not_written_have_not_started(player):
    found = ladder(player)
    assert found.title.startswith("○ Not started. Write your player") and found.height == 0
    assert all(rung.reached is None for rung in found.rungs)


def early(last):
    """A player that does something else when there are few moves left, and until then takes the first free cell."""
    return lambda board: board.moves[0] if len(board.moves) > 6 else last(board)


def endless(board):
    while True:
        try:
            pass
        except BaseException:
            break


WRONG = [
    (lambda board: 4, r"returned 4, which is taken by X\. It must be a free cell"),
    (lambda board: print(board), r"returned None: is its return missing\?"),
    (early(lambda board: 9), r"returned 9, which is not a cell\. .*The board was Board\.from_text\("),
    (early(lambda board: board.free[0]), r"'Board' object has no attribute 'free', in line \d+.*The board was Board\."),
    (early(endless), r"no answer in time\. Is there an endless loop\?.*alphabeta.*The board was Board\."),
    (lambda board: random.choice((*board.moves, 4)), r"returned 4, which is taken by"),
    (lambda board: dict.fromkeys(board.moves, 1), "its probabilities sum to 9, not to 1"),
]


@pytest.mark.parametrize("player, said", WRONG)
def test_a_player_that_fails_stands_below_the_first_rung_and_is_told_why_and_where(player, said, monkeypatch):
    monkeypatch.setattr(ladders, "SECONDS", 0.5)
    found = ladder(player)
    assert found.title == "Below the first rung." and found.rungs[0].reached is False
    assert re.search(said, found.rungs[0].message), found
    assert found.rungs[0].picture and all(rung.reached is None for rung in found.rungs[1:])


def test_a_legal_player_by_chance_reaches_the_first_rung_and_is_told_why_no_other_is_tried():
    found = ladder(lambda board: random.choice(board.moves))
    assert found.title == "Rung 1 of 6." and [rung.reached for rung in found.rungs] == [True, *[None] * 5]
    assert "It chooses its move at random" in found.rungs[1].message and "{cell: probability}" in str(found)


def test_a_registered_player_is_taken_too_by_its_name_or_itself():
    assert ladder("rules").height == ladder(PLAYERS["rules"]).height == 5
    assert "There is no player 'ruels'. Did you mean 'rules'?" in ladder("ruels").rungs[0].message


def test_a_function_that_takes_no_board_is_told_so():
    assert "takes a board and no more" in ladder(lambda: 3).rungs[0].message


def test_the_ladder_is_a_list_that_reads_without_its_pictures_and_prints_nothing_else(capsys):
    def chatty(board):
        print("thinking")
        return board.moves[-1]

    found = ladder(chatty)
    assert capsys.readouterr().out == "" and "give a player, a name" in ladder(3).rungs[0].message
    page = found._repr_html_()
    assert page.count("<li>") == 6 and page.count("<svg") == 2 and 'role="status"' in page
    assert repr(found).count("\n") == 6 and "&lt;" not in page
