"""An exact tournament: tables play as the players do."""

import re
from html import unescape
from random import Random

import pytest

from ttt import Board, Player, exact, shortest_loss
from ttt.arena.round_robin import SAMPLES, ask_here, table_of, tournament

NAMES = ["random", "flash-clever", "rules", "perfect"]


def test_every_result_is_the_exact_one_and_the_points_are_their_sums():
    found = tournament(NAMES)
    assert len(found.results) == 12
    for one in found.results:
        truth = exact(one.x, one.o)
        assert (one.x_wins, one.draws, one.o_wins) == pytest.approx((truth.x_wins, truth.draws, truth.o_wins))
    for one in found.standings:
        points = sum(r.points for r in found.results if r.x == one.player)
        points += sum(1 - r.points for r in found.results if r.o == one.player)
        assert one.points == pytest.approx(points)
    assert [one.points for one in found.standings] == sorted((one.points for one in found.standings), reverse=True)
    assert sum(one.points for one in found.standings) == pytest.approx(12)


def test_the_shortest_loss_is_the_shorter_of_both_sides():
    losses = {one.player: one.loses for one in tournament(NAMES).standings}
    assert losses["perfect"] == "never loses"
    for name in ("random", "flash-clever"):
        games = [shortest_loss(name, plays) for plays in "XO"]
        assert f"in {min(len(game.moves) for game in games if game)} moves" in losses[name]


def test_a_player_that_fails_loses_the_games_that_get_there_and_no_other():
    """Against an enumeration of all games of a player that gives up on the centre's corners."""

    def gives_up(board):
        if board[4] == "X" and board.turn == "O":
            raise ZeroDivisionError("no idea")
        return board.moves[0]

    bad, first = Player("bad", gives_up), Player("first", lambda board: board.moves[0])
    found = {(one.x, one.o): one for one in tournament([bad, first, "random"]).results}

    def wins_of_x(board, chance):
        """The chance that X wins, where random is X and the bad player O."""
        if board.over:
            return chance * (board.winner == "X")
        if board.turn == "X":
            return sum(wins_of_x(board.play(cell), chance / len(board.moves)) for cell in board.moves)
        return chance if board[4] == "X" else wins_of_x(board.play(board.moves[0]), chance)

    assert found["random", "bad"].x_wins == pytest.approx(wins_of_x(Board(), 1.0))
    assert found["bad", "first"].points == exact(first, Player("other", first.rule)).points
    (row,) = [one for one in tournament([bad, first]).standings if one.player == "bad"]
    assert "ZeroDivisionError" in row.loses


def test_a_rounding_error_is_no_negative_number_of_points():
    def first(board):
        return board.moves[0]

    def bad(board):
        return 99

    last = tournament([first, bad, "random", "perfect", "rules"]).table[-1]
    assert last[:2] == ["bad", "0.000"]


def test_a_player_of_chance_is_asked_often_and_marked():
    rng = Random(1)
    asked = []

    def dice(board):
        asked.append(board)
        return rng.choice(board.moves)

    found = tournament([Player("dice", dice), "perfect"])
    assert {one.player for one in found.standings} == {"≈ dice", "perfect"}
    assert asked.count(Board()) in (2, 2 + SAMPLES)
    table = table_of(Player("dice", dice), Board.from_text("XOX XOO -X-"), ask_here)
    assert table.answers[Board.from_text("XOX XOO -X-")].keys() <= {6, 8}


def test_each_board_is_asked_about_by_the_function_that_is_given():
    asked = set()

    def ask(player, boards, times):
        for board in boards:
            asked.add((player.name, board))
            yield "second has gone home" if player.name == "second" else [{board.moves[0]: 1.0}] * times

    found = tournament([Player("first", lambda board: None), Player("second", lambda board: None)], ask=ask)
    assert found.standings[0].player == "first" and found.standings[0].points == 2
    assert ("second", Board()) in asked and "gone home" in found.standings[1].loses


def test_names_must_differ_and_there_must_be_two():
    with pytest.raises(ValueError, match="two players"):
        tournament(["random"])
    with pytest.raises(ValueError, match="random"):
        tournament(["random", "random"])


def test_the_page_and_the_text_say_the_same_and_names_are_escaped():
    found = tournament([Player("<b>", lambda board: board.moves[0]), "random"])
    texts = {unescape(text) for text in re.findall(r">([^<]+)<", found.html)}
    for row in [*found.table, *found.cross_table]:
        assert all(cell in texts and cell in str(found) for cell in row if cell)
