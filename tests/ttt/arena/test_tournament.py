"""An exact tournament: all pairings are exact, and its tables say how each player loses."""

import pytest
from conftest import naming
from games import first

from ttt import Board, Player, exact, shortest_loss, tournament
from ttt.arena.games import Forfeit, HiddenChance

NAMES = ["random", "flash-clever", "rules", "perfect"]


def test_every_result_is_the_exact_one_and_the_points_are_their_sums_and_losses_the_shortest_of_both_sides():
    """How it is printed is in said/calls.txt."""
    held = tournament(NAMES)
    assert [(result.x, result.o) for result in held.results] == [(x, o) for x in NAMES for o in NAMES if x != o]
    assert all(result == exact(result.x, result.o) for result in held.results)
    for standing in held.standings:
        points = sum(result.points for result in held.results if result.x == standing.player)
        points += sum(1 - result.points for result in held.results if result.o == standing.player)
        assert standing.points == pytest.approx(points)
        lost = [(shortest_loss(standing.player, plays), plays) for plays in "XO"]
        least = min((len(game.moves) for game, _ in lost if game), default=None)
        shown = [game for game, plays in lost if game and standing.loses == f"can lose as {plays} in {least} moves: "
                 f"{' '.join(map(str, game.moves))}"]  # fmt: skip
        assert shown or (least is None and standing.loses == "never loses")
    points = [standing.points for standing in held.standings]
    assert points == sorted(points, reverse=True) and sum(points) == pytest.approx(12)


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
    tournament([Player("counted", lambda board: boards.append(board) or board.moves[0]), "perfect", first])
    assert len(boards) == 2 * len({*boards})
    with pytest.raises(HiddenChance, match=naming("dice", "at random")):
        tournament([Player("dice", lambda board: board.moves[len(boards.append(board) or boards) % 2]), "random"])
