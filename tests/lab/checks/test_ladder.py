"""The challenge's ladder: who stands on which rung, and what is said of those that are missed."""

import random
import re
from fractions import Fraction
from functools import cache
from html import unescape
from math import inf
from pathlib import Path

import pytest
from approved import approved
from conftest import naming, sampled
from games import worth
from lab import ladder
from lab.checks import ladder as ladders

from ttt import PLAYERS, Board, best_reply, exact, tournament
from ttt.arena.games import HiddenChance
from ttt.search import alphabeta, minimax

SAID = Path(__file__).parent / "said" / "ladder.txt"


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


def early(last):
    """A player that does something else when there are few moves left, and until then takes the first free cell."""
    return lambda board: board.moves[0] if len(board.moves) > 6 else last(board)


def unwritten(board):
    raise NotImplementedError


def chatty(board):
    print("thinking")
    return board.moves[-1]


BEST_AS_X = best_reply("random")
TOP = both(BEST_AS_X, best_reply("random", "O", draw=0.99))  # never loses, and wins as often as that allows
PLACED = {  # the height, and the player
    "not started: unwritten": (0, unwritten),
    "not started: as handed out": (0, lambda board: board.moves[0]),
    "below: a taken cell": (0, lambda board: 4),
    "below: printed": (0, lambda board: print(board)),
    "below: no cell": (0, early(lambda board: 9)),
    "below: an error": (0, early(lambda board: board.free[0])),
    "below: a call without its brackets": (0, early(lambda board: board.moves[len])),
    "below: sometimes a taken cell": (0, lambda board: random.choice((*board.moves, *range(9)))),
    "below: probabilities that sum to 9": (0, lambda board: dict.fromkeys(board.moves, 1)),
    "below: no board": (0, lambda: 3),
    "below: no player": (0, 3),
    "below: a misspelt name": (0, "ruels"),
    "at random": (1, lambda board: random.choice(board.moves)),
    "last, and prints": (1, chatty),
    "open-lines": (1, lab("open-lines")),
    "good as X only": (1, both(BEST_AS_X, PLAYERS["random"])),
    "flash-clever": (2, lab("flash-clever")),
    "bold": (2, both(BEST_AS_X, best_reply("random", "O"))),
    "perfect": (4, lab("perfect")),
    "rules": (5, "rules"),
    "top": (6, TOP),
}


ON_A_PAGE = ("not started: unwritten", "below: a taken cell", "at random", "good as X only", "perfect", "top")


def page_of(found):
    """The card, a line for the title and each rung from the top: its kind, whether it is open, and its words."""
    page = re.sub(r"<svg.*?</svg>", "", found._repr_html_(), flags=re.DOTALL)
    page = re.sub(r'<li value="(\d)" class="(\w*)">', r"\n\1 \2: ", page.replace("<details open>", "(open) "))
    kind = re.match(r'<div class="ttt-card (\w+)"', page)[1]
    return unescape(re.sub(r"<[^>]+>", "", f"{kind}: {page}")).replace("\N{NO-BREAK SPACE}", " ")


@pytest.mark.parametrize("name", PLACED)
def test_players_stand_where_they_should_and_read_what_is_missing(name, capsys):
    height, player = PLACED[name]
    if name.startswith("below: sometimes"):  # one of its moves is asked for until it is taken, whichever that is
        random.seed(3)
    found = ladder(player)
    assert found.height == height and repr(found) == str(found)
    pictures = [rung.picture.text for rung in found.rungs if rung.picture and not rung.frames]
    labels = [unescape(label) for label in re.findall('aria-label="([^"<]*)"', found._repr_html_())]
    told = re.sub(r"\n[2-6]\. ○ Not tried: [^.]*\.$", "", str(found), flags=re.MULTILINE)  # the same for all of them
    shown = page_of(found) if name in ON_A_PAGE else ""
    text = "\n".join([told, *pictures, *labels, shown])
    assert approved(SAID, name, re.sub(r"in line \d+", "in line N", text))
    assert capsys.readouterr().out == ""


LINES = {
    "a better order": lambda board: alphabeta(board, order="best-gain").move,
    "a win soon": lambda board: minimax(board, sooner=True).move,
    "the last of the best": lambda board: minimax(board).best_moves[-1],
    "the cells on most lines first": lambda board: alphabeta(board, order="most-lines").move,
    "minimax": lambda board: minimax(board).move,
}


@pytest.mark.parametrize("line", sampled(LINES, 5))
def test_no_line_of_search_alone_reaches_the_fifth_rung_where_the_eight_rules_stand(line):
    assert ladder(cache(LINES[line])).height == 4


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


def test_the_games_that_are_lost_are_drawn_board_by_board_and_a_name_is_no_html():
    last_free.__name__ = "<b>last"
    page = ladder(last_free)._repr_html_()
    games = re.findall(r'<div role="img" aria-label="[^"]+">(.*?)</div>', page, re.DOTALL)
    assert [game.count("<svg") for game in games] == [7, 6]
    assert "<b>last" not in page and 'role="status"' in page and "<ol reversed" in page


def endless(board):
    while True:
        try:
            pass
        except BaseException:
            break


def test_a_player_that_never_answers_is_told_so_and_where(monkeypatch):
    monkeypatch.setattr(ladders, "MAX_MOVE_SECONDS", 0.2)
    assert approved(SAID, "below: endless", str(ladder(endless)))


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
