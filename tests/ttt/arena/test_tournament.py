"""An exact tournament: all pairings are exact, and its tables say how each player loses."""

import pytest
from conftest import naming
from games import first

from ttt import Board, Player, exact, shortest_loss, tournament
from ttt.arena.games import Forfeit, HiddenChance

NAMES = ["random", "flash-clever", "rules", "perfect"]


def test_every_result_is_the_exact_one_and_the_points_are_their_sums():
    results = tournament(NAMES)
    assert len(results.results) == 12
    assert all(result == exact(result.x, result.o) for result in results.results)
    for standing in results.standings:
        points = sum(result.points for result in results.results if result.x == standing.player)
        points += sum(1 - result.points for result in results.results if result.o == standing.player)
        assert standing.points == pytest.approx(points)
    points = [standing.points for standing in results.standings]
    assert points == sorted(points, reverse=True) and sum(points) == pytest.approx(12)


def test_the_shortest_loss_is_the_shorter_of_both_sides():
    losses = {standing.player: standing.loses for standing in tournament(NAMES).standings}
    assert losses["perfect"] == "never loses"
    for name in ("random", "flash-clever"):
        games = [shortest_loss(name, plays) for plays in "XO"]
        assert f"in {min(len(game.moves) for game in games if game)} moves" in losses[name]


def test_a_player_that_forfeits_loses_the_games_that_get_there_and_no_other():
    """Against an enumeration of all games of a player that gives up where X has the centre."""

    def gives_up(board):
        if board[4] == "X" and board.turn == "O":
            raise Forfeit("it has gone home")
        return board.moves[0]

    results = tournament([Player("bad", gives_up), first, "random"])
    by_names = {(result.x, result.o): result for result in results.results}

    def wins_of_x(board, chance):
        """The chance that X wins, where random is X and the bad player O."""
        if board.over:
            return chance * (board.winner == "X")
        if board.turn == "X":
            return sum(wins_of_x(board.play(cell), chance / len(board.moves)) for cell in board.moves)
        return chance if board[4] == "X" else wins_of_x(board.play(board.moves[0]), chance)

    assert by_names["random", "bad"].x_wins == pytest.approx(wins_of_x(Board(), 1.0))
    assert by_names["bad", "first"].points == exact(first, Player("other", first)).points
    assert [standing.loses for standing in results.standings if standing.player == "bad"] == ["it has gone home"]


def test_each_player_is_asked_about_a_board_once_and_once_more_to_see_whether_it_changes_its_answer():
    boards = []
    tournament([Player("counted", lambda board: boards.append(board) or board.moves[0]), "random", "perfect", first])
    assert len(boards) == 2 * len({*boards})
    with pytest.raises(HiddenChance, match=naming("dice", "at random")):
        tournament([Player("dice", lambda board: board.moves[len(boards.append(board) or boards) % 2]), "random"])


TEXT = """\
player       points  quickest loss
perfect      2.969   never loses
rules-coded  2.802   can lose as O in 7 moves: 0 4 5 6 2 8 1
random       0.229   can lose as O in 5 moves: 0 1 3 2 6

X against O  perfect  rules-coded  random
perfect               0.596        0.984
rules-coded  0.500                 0.980
random       0.111    0.082

Somebody is left out.

A second note."""


def test_the_text_holds_both_tables_and_the_notes():
    results = tournament(["rules-coded", "random", "perfect"], notes=["Somebody is left out.", "A second note."])
    assert str(results) == repr(results) == TEXT
