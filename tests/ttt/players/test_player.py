"""Players as policies: what counts as a player, and what messages say about answers that are not moves."""

from decimal import Decimal
from fractions import Fraction
from functools import cache, partial
from random import Random

import numpy as np
import pytest
from conftest import naming, sampled
from oracles import UNFINISHED, after

import ttt
from ttt import PLAYERS, Board, Player, greedy, open_lines, searcher
from ttt.heuristics import LineWeights
from ttt.players import PlayerError, as_player


def test_every_policy_is_a_distribution_over_free_cells():
    for board in sampled(UNFINISHED, 16):
        for player in [one for one in PLAYERS.values() if one.plays_on(board)]:
            policy = player.policy(board)
            assert set(policy) <= set(board.moves) and all(chance > 0 for chance in policy.values())
            assert sum(policy.values()) == pytest.approx(1)


def test_greedy_plays_all_cells_with_the_highest_value_alike():
    for board in UNFINISHED:
        values = {cell: open_lines(board.play(cell), board.turn) for cell in board.moves}
        best = [cell for cell in board.moves if values[cell] == max(values.values())]
        assert PLAYERS["open-lines"].policy(board) == pytest.approx(dict.fromkeys(best, 1 / len(best)))


NEVER_LOSE = [(name, side) for name in ("rules", "perfect", "negamax") for side in "XO"]
FORKED = [(name, "X") for name in ("flash-clever", "flash-fixed", "rules-coded")]  # as O; see arena/test_games.py


@pytest.mark.parametrize("name, side", [*NEVER_LOSE, *FORKED])
def test_a_player_that_never_loses_loses_by_none_of_its_choices_against_any_moves(name, side):
    assert {board.winner for board in ttt.reachable(name, side)} == {side, None}
    assert ttt.shortest_loss(name, side) is ttt.sure_win(name, side) is None


def test_a_function_is_a_player_with_its_own_name():
    def last_free(board):
        """Plays last."""
        return board.coordinates(board.moves[-1])

    player = as_player(last_free)
    assert (player.name, player.about, player.policy(Board())) == ("last_free", "Plays last.", {8: 1.0})
    assert greedy(lambda board, player: -board.moves[0], "mine").name == "mine"


def test_choose_draws_by_the_policys_chances():
    player = Player("mostly four", lambda board: {4: 0.75, 0: 0.25})
    drawn = [player.choose(Board(), Random(seed)) for seed in range(2000)]
    assert set(drawn) == {0, 4} and 0.7 < drawn.count(4) / 2000 < 0.8


BOARD = Board().play(4)
FREE = "It must return a free cell: 0, 1, 2, 3, 5, 6, 7, 8."
ANSWERS = [  # what a function returns for this board, and what is said of it
    (None, f"None: is its `return` missing? {FREE}"),
    (4, f"4, which is taken by X. {FREE}"),
    ((1, 1), f"(1, 1), which is taken by X. {FREE}"),
    ({4: 1}, f"4, which is taken by X. {FREE}"),
    (9, f"9, which is not a cell. {FREE}"),
    (True, f"True, which is not a cell. {FREE}"),
    ("top left", f"'top left', which is not a cell. {FREE}"),
    (0.0, f"0.0, which is not a cell. {FREE}"),
    ({0: 0.5}, "{0: 0.5}, but its probabilities sum to 0.5, not to 1."),
    ({}, "{}, but its probabilities sum to 0, not to 1."),
    ({0: 1.5, 1: -0.5}, "{0: 1.5, 1: -0.5}, but its probabilities must be numbers, 0 or more."),
    ({0: "1"}, "{0: '1'}, but its probabilities must be numbers, 0 or more."),
]


@pytest.mark.parametrize("answer, said", ANSWERS)
def test_an_answer_that_is_not_a_move_is_named_with_the_moves_there_are(answer, said):
    with pytest.raises(PlayerError) as refused:
        Player("mine", lambda board: answer).policy(BOARD)
    assert str(refused.value) == f"mine returned {said}"


def test_probabilities_are_numbers_of_any_kind_and_a_cell_that_is_given_twice_has_both():
    shares = {0: Fraction(1, 2), 1: Decimal("0.25"), (0, 0): np.float32(0.25), 3: 0}
    assert Player("mine", lambda board: shares).policy(BOARD) == {0: 0.75, 1: 0.25}


def test_what_can_be_called_with_a_board_plays_and_with_a_board_and_a_player_judges():
    assert greedy(lambda board, player, weight=3: weight).policy(Board())[0] == 1 / 9
    assert greedy(lambda *given: 0).policy(Board())[0] == 1 / 9
    for rule in (lambda board, depth=3: board.moves[0], lambda *cells: 0, partial(min, key=str), min):
        assert as_player(rule).rule is rule


def value(board, depth=9, alpha=-9, beta=9):
    """Minimax, for X, to a depth: a win counts 100, and an unfinished board counts what heuristic 1 says."""
    if board.over or depth == 0:
        return {"X": 100, "O": -100, None: 0}[board.winner] if board.over else LineWeights(0, 1, 3, 0)(board, "X")
    values = [value(board.play(move), depth - 1) for move in board.moves]
    return max(values) if board.turn == "X" else min(values)


@cache
def worth_ahead(board, depth):
    return value(board, depth)


# By plies looked ahead: the share of games lost as O against `random`, and whether any X can beat the player.
AHEAD = {1: (0.0259, True), 2: (0, False), 3: (0.0127, True), 4: (0, False)}


@pytest.mark.parametrize("depth", AHEAD)
def test_a_searcher_looks_ahead_that_many_plies_of_which_its_own_move_is_the_first(depth):
    player = searcher(worth_ahead, depth=depth)
    assert ttt.exact("random", player).x_wins == pytest.approx(AHEAD[depth][0], abs=5e-5)
    assert bool(ttt.shortest_loss(player, plays="O")) == AHEAD[depth][1]
    assert player.name == f"worth-ahead {depth}"


def test_a_searcher_plays_for_its_own_side_and_shows_what_it_sees():
    board = Board.from_text("XX- OO- ---")
    assert searcher(value, depth=1).policy(board) == searcher(value).policy(board) == {2: 1}
    assert searcher(value, depth=1).policy(Board.from_text("XX- OO- X--")) == {5: 1}
    player = searcher(value, depth=2, alpha=-100, beta=100)
    assert player.heuristic(board.play(2), "X") == 100 and player.heuristic(board.play(2), "O") == -100
    assert searcher(lambda board: 7 if board.winner else 0).policy(after(0, 63, 1, 60, 2, 51)) == {3: 1}


def test_a_search_given_as_a_player_gets_the_right_call():
    with pytest.raises(PlayerError, match=naming("worth_ahead(board, depth) can't play", "searcher(...)")):
        ttt.exact(worth_ahead, "random")

    def worth(board):
        return 0

    for said in (lambda: ttt.exact(worth, "random"), lambda: ttt.play("random", worth, rng=Random(1))):
        with pytest.raises(PlayerError, match=naming("worth returned 0", "taken by", "searcher(worth)")):
            said()  # 0 could be a cell, until it is taken


def test_a_lambda_that_returns_no_cell_is_not_told_to_write_a_name_that_it_does_not_have():
    with pytest.raises(PlayerError) as refused:
        Player("mine", lambda board: -1).policy(Board())
    assert "-1" in str(refused.value) and "lambda" not in str(refused.value)


def test_a_heuristic_or_a_search_that_needs_more_is_no_search_by_itself():
    def worth(board, player):
        return 0

    for search in (worth, worth_ahead):
        with pytest.raises(PlayerError, match=naming(f"{search.__name__}(board, ", "worth to X", "depth=2")):
            searcher(search)
    with pytest.raises(PlayerError, match=naming("depth", "1 or more", "not 0")):
        searcher(value, depth=0)

    def worth_to_mover(board):
        return -1 if board.winner else 0

    with pytest.raises(PlayerError, match=naming("worth_to_mover returned -1", "X has won", "worth to X")):
        ttt.exact(searcher(worth_to_mover), "random")


ABOUT = """
random: Plays at random: all moves are equally likely.
flash-clever: The Flash lab's clever computer: fills the first line with two equal marks, otherwise follows open lines.
flash-fixed: The clever computer, fixed: it wins before it blocks.
open-lines: Plays the cell with the highest open-lines; ties are broken at random.
line-counts: Counts marks in lines: tries to win, then to block, to build and to spoil.
rules-coded: The rule-based report's five coded rules: win, block, centre, corner, edge cell.
rules: The rule report's eight documented rules; ties are broken at random.
negamax: Searches to the end and takes the first of the best moves in reading order.
perfect: Searches to the end and prefers an early win; equally good moves are equally likely.
beatable: Strength 0.5 of 1: the better a move, the more likely it is.
cube-report: The 3D project's computer on 4×4×4: looks four plies ahead, at the 20 moves nearest to the last ones.
cube-easy: On 4×4×4: completes or blocks a line, otherwise plays anywhere.
cube-medium: On 4×4×4: completes or blocks a line, otherwise takes the cell with the largest immediate gain.
cube-hard: On 4×4×4: forces a win, or blocks a line, or takes the largest gain that allows no forced win.
cube-perfect: On 4×4×4: moving first, it plays from a proof; moving second, it promises nothing and plays like \
cube-hard.
best-reply-to-random: Gets as many points as possible as O against random.
beatable(0.25): Strength 0.25 of 1: the better a move, the more likely it is.
mine: Plays the cell with the highest mine; ties are broken at random.
worth-ahead 2: Plays the move worth-ahead 2 finds best; ties are broken at random.
"""


def test_each_player_says_how_it_plays():
    made = [ttt.best_reply("random", "O"), ttt.beatable(0.25), greedy(open_lines, "mine"), searcher(worth_ahead, 2)]
    assert [f"{player.name}: {player.about}" for player in [*PLAYERS.values(), *made]] == ABOUT.strip().splitlines()
