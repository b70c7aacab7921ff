"""The challenge's ladder: who stands on which rung, and what is said of those that are missed."""

import random
import re
from fractions import Fraction
from functools import cache
from html import unescape
from math import inf

import pytest
from conftest import naming, sampled
from games import worth
from lab import ladder
from lab.checks import ladder as ladders
from lab.checks.ladder import RUNG_SIGNS

from ttt import PLAYERS, Board, best_reply, exact, tournament
from ttt.arena.games import HiddenChance
from ttt.search import alphabeta, minimax


@pytest.fixture(autouse=True)
def no_hurry(monkeypatch):
    """A player that comes to an end may take as long as it needs, on any machine."""
    monkeypatch.setattr(ladders, "MAX_MOVE_SECONDS", inf)


def lab(name):
    return lambda board: PLAYERS[name].policy(board)


def last_free(board):
    return board.moves[-1]


def both(x, o):
    return lambda board: (x if board.turn == "X" else o).policy(board)


BEST_AS_X = best_reply("random")
TOP = both(BEST_AS_X, best_reply("random", "O", draw=0.99))  # never loses, and wins as often as that allows
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


def items(found):
    """Of each item on the page, from the top: its number, its kind, whether it is open, and its words."""
    page = re.sub(r"<svg.*?</svg>", "", found._repr_html_(), flags=re.DOTALL)
    for number, kind, inner in re.findall(r'<li value="(\d)" class="(\w*)">(.*?)</li>', page, re.DOTALL):
        yield int(number), kind, "<details open>" in inner, unescape(re.sub(r"<[^>]+>", "", inner))


def has_its_page(found, height):
    """The lowest rung is at the bottom of the page, and the next one is open."""
    assert found.height == height and len([*items(found)]) == 6
    for (number, kind, is_open, words), rung in zip(items(found), reversed(found.rungs), strict=True):
        assert rung is found.rungs[number - 1]
        assert kind == ("good" if number <= height else "soon" if number == height + 1 else "")
        assert is_open == (number == height + 1)
        sign = RUNG_SIGNS[rung.reached if kind else rung.reached or None][0]  # what comes later has not failed
        assert words.strip() == f"{sign} {rung.goal} {rung.message}".replace("`", "").strip()
    card = re.match(r'<div class="ttt-card (\w+)".*?<strong>(.*?)</strong>', found._repr_html_())
    assert card[1] == ("good" if height == 6 else "plain" if height else "soon") and card[2] == found.title


@pytest.mark.parametrize("player, height", HEIGHTS.values(), ids=HEIGHTS)
def test_players_stand_where_they_should(player, height):
    found = ladder(player)
    has_its_page(found, height)
    assert re.search(naming(f"rung {height}", "6", f"next: rung {height + 1}"), found.title)
    assert [rung.reached for rung in found.rungs][:height] == [True] * height and not found.rungs[height].reached


def test_the_careful_best_reply_to_chance_stands_on_top():
    found = ladder(TOP)
    has_its_page(found, 6)
    assert re.search(naming("✓", "top of the ladder"), found.title)
    assert str(found).startswith(f"{found.title}\n1. ✓ Reached")
    assert not [rung for rung in found.rungs if rung.message or rung.picture]


whole = cache(minimax)
LINES = {
    "minimax": lambda board: whole(board).move,
    "a win soon": lambda board: minimax(board, sooner=True).move,
    "the last of the best": lambda board: whole(board).best_moves[-1],
    "a better order": lambda board: alphabeta(board, order="best-gain").move,
    "the cells on most lines first": lambda board: alphabeta(board, order="most-lines").move,
}


@pytest.mark.parametrize("line", sampled(LINES, 5))
def test_no_line_of_search_alone_reaches_the_fifth_rung_where_the_eight_rules_stand(line):
    assert ladder(LINES[line]).height == 4


@pytest.mark.parametrize("side, most", [("X", Fraction(191, 192)), ("O", Fraction(866, 945))])
def test_the_top_rung_is_the_most_that_a_player_can_win_that_never_enters_a_lost_position(side, most):
    @cache
    def won(board):
        if board.over:
            return Fraction(board.winner == side)
        following = [board.play(cell) for cell in board.moves]
        if board.turn == side:
            return max(won(after) for after in following if worth(after) <= 0)
        return sum(map(won, following)) / len(following)

    assert won(Board()) == most and ladders.most_won(side) == pytest.approx(float(most))


LAST = """You have a player that never cheats. That is rung 1 of 6. Next: rung 2.
1. ✓ Reached: make a legal move on every board.
2. ✗ Not yet: beat `random` more often than `open-lines` does, as X and as O. As X your player wins 78.12 % of its \
games; `open-lines` wins 86.76 %. As O your player wins 44.02 % of its games; `open-lines` wins 54.15 %.
3. ✗ Not yet: never lose as O. Your player can lose as O. Its quickest loss: cells 0, 8, 1, 7, 2.
4. ✗ Not yet: never lose at all. Your player can lose as X. Its quickest loss: cells 8, 0, 7, 6, 5, 3.
5. ✗ Not yet: never lose, and beat `random` at least as often as `rules` does, as X and as O. Your player can lose. \
As X your player wins 78.12 % of its games; `rules` wins 95.83 %. As O your player wins 44.02 % of its games; `rules` \
wins 90.51 %.
6. ✗ Not yet: never lose, and beat `random` as often as such a player can. Your player can lose. As X your player wins \
78.12 % of its games; a player that never loses can win 99.48 %. As O your player wins 44.02 % of its games; a player \
that never loses can win 91.64 %."""
BOLD = """You are on rung 2 of 6. Next: rung 3.
1. ✓ Reached: make a legal move on every board.
2. ✓ Reached: beat `random` more often than `open-lines` does, as X and as O.
3. ✗ Not yet: never lose as O. Your player can lose as O. Its quickest loss: cells 1, 6, 0, 2, 4, 7, 8.
4. ✗ Not yet: never lose at all. Your player never loses as X, but it can lose as O.
5. ✗ Not yet: never lose, and beat `random` at least as often as `rules` does, as X and as O. Your player can lose.
6. ✗ Not yet: never lose, and beat `random` as often as such a player can. Your player can lose."""


def test_a_ladder_says_this_and_nothing_else_and_draws_each_game_that_is_lost():
    assert str(ladder(HEIGHTS["bold"][0])) == BOLD
    last_free.__name__ = "<b>last"
    found = ladder(last_free)
    assert str(found) == LAST
    labels = [unescape(label) for label in re.findall('aria-label="([^"<]*)"', found._repr_html_())]
    assert labels == [
        "<b>last (X) against you (O): cells 8 0 7 6 5 3; won by you (O).",
        "you (X) against <b>last (O): cells 0 8 1 7 2; won by you (X).",
    ]
    assert [rung.picture.text.count("\n\n") for rung in found.rungs if rung.picture] == [5, 6]


def unwritten(board):
    raise NotImplementedError


@pytest.mark.parametrize("player", [lambda board: board.moves[0], unwritten])
def test_the_player_as_handed_out_and_one_that_is_not_written_have_not_started(player):
    found = ladder(player)
    assert re.search(naming("○", "not started", "write your player"), found.title) and found.height == 0
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


WRONG = [  # what is wrong, and what must be named
    (lambda board: 4, ["returned 4", "taken by X", "free cell"]),
    (lambda board: print(board), ["returned None", "return"]),
    (early(lambda board: 9), ["returned 9", "not a cell", "Board.from_text('XOX O-- ---')"]),
    (early(lambda board: board.free[0]), ["no attribute 'free'", "in line", "Board.from_text('XOX O-- ---')"]),
    (lambda board: random.choice((*board.moves, 4)), ["returned 4", "taken by"]),
    (lambda board: dict.fromkeys(board.moves, 1), ["sum to 9", "not to 1"]),
]


def below_the_first_rung(player, words):
    """Whether a player stands there, and is told all this."""
    found = ladder(player)
    has_its_page(found, 0)
    assert re.search(naming("below the first rung"), found.title) and found.rungs[0].reached is False
    assert re.search(naming(*words), found.rungs[0].message), found
    assert found.rungs[0].picture and all(rung.reached is None for rung in found.rungs[1:])


@pytest.mark.parametrize("player, words", WRONG)
def test_a_player_that_fails_stands_below_the_first_rung_and_is_told_why_and_where(player, words):
    below_the_first_rung(player, words)


def test_a_player_that_never_answers_is_told_so_and_where(monkeypatch):
    monkeypatch.setattr(ladders, "MAX_MOVE_SECONDS", 0.2)
    below_the_first_rung(endless, ["endless loop", "alphabeta", "Board()"])


def test_a_legal_player_by_chance_reaches_the_first_rung_and_is_told_why_no_other_is_tried():
    found = ladder(lambda board: random.choice(board.moves))
    assert found.height == 1 and [rung.reached for rung in found.rungs] == [True, *[None] * 5]
    assert re.search(naming("at random", "{move: probability}"), found.rungs[1].message)


def test_ladder_tournament_and_exact_say_the_same_of_a_player_with_a_seed_or_a_memory():
    tried = []

    def seeded(board):
        random.seed(7)
        return random.choice(board.moves)

    def remembers(board):
        tried.append(board)
        return board.moves[len(tried) % 2 - 1]

    assert None not in [rung.reached for rung in ladder(seeded).rungs]
    assert tournament([seeded, "random"]).results[0].x_wins == exact(seeded, "random").x_wins
    told = ladder(remembers).rungs[1].message
    for asked in (lambda: exact(remembers, "random"), lambda: tournament([remembers, "random"])):
        with pytest.raises(HiddenChance) as found:
            asked()
        assert str(found.value) in told and re.search(naming("clock", "keeps"), told)


def test_a_registered_player_is_taken_too_by_its_name_or_itself():
    assert ladder("rules").height == ladder(PLAYERS["rules"]).height == 5
    assert re.search(naming("no player", "ruels", "did you mean", "rules"), ladder("ruels").rungs[0].message)


def test_a_function_that_takes_no_board_is_told_so():
    assert re.search(naming("function that takes", "board"), ladder(lambda: 3).rungs[0].message)


def test_the_ladder_is_a_list_that_reads_without_its_pictures_and_prints_nothing_else(capsys):
    def chatty(board):
        print("thinking")
        return board.moves[-1]

    found = ladder(chatty)
    assert capsys.readouterr().out == "" and re.search(naming("3", "a player is"), ladder(3).rungs[0].message)
    page = found._repr_html_()
    games = re.findall(r'<div role="img" aria-label="[^"]+">(.*?)</div>', page, re.DOTALL)
    assert [game.count("<svg") for game in games] == [7, 6] and 'role="status"' in page and "<ol reversed" in page
    assert repr(found).count("\n") == 6 and "&lt;" not in page


def test_a_ladder_that_has_not_been_tried_is_neither_good_nor_bad():
    assert 'class="ttt-card plain"' in ladder(unwritten)._repr_html_()
