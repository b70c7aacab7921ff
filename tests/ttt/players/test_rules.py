"""The rule-based computer: its coded rules and its documented ones, against definitions on strings of marks."""

from functools import cache

import pytest
from conftest import sampled
from oracles import LINES, UNFINISHED, other, with_mark, worth

from ttt import PLAYERS, Board, reachable
from ttt.players import rules as module
from ttt.players.rules import RULES, rule_based, which_rule

CORNERS, EDGES = {0, 2, 6, 8}, {1, 3, 5, 7}
KEYS = (6, 7, 8, 3, 4, 5, 0, 1, 2)  # the cells in the order of the keypad's keys 1 to 9


def free_cells(marks):
    return {cell for cell in range(9) if marks[cell] == "-"}


@cache
def wins(marks, player):
    rest = [(cell, [marks[place] for place in line if place != cell]) for line in LINES for cell in line]
    return {cell for cell, others in rest if others == [player, player]} & free_cells(marks)


@cache
def threats(marks, player):
    return [line for line in LINES if sorted(marks[place] for place in line) == sorted(["-", player, player])]


@cache
def forks(marks, player):
    return {cell for cell in free_cells(marks) if len(threats(with_mark(marks, cell, player), player)) >= 2}


def proposed(marks, own, rival):
    """The cells that each of the eight rules proposes, in the order of the rules, by their wording in the report."""
    free, forking = free_cells(marks), forks(marks, rival)
    after = {cell: with_mark(marks, cell, own) for cell in free}
    forced = {cell: wins(after[cell], own) for cell in free}
    forcing = {cell for cell in free if forced[cell] and not forced[cell] & forks(after[cell], rival)}
    return {
        "win": wins(marks, own),
        "block": wins(marks, rival),
        "fork": forks(marks, own),
        "block the opponent's fork": forking and (forcing or forking),
        "centre": free & {4},
        "opposite corner": {cell for cell in free & CORNERS if marks[8 - cell] == rival},
        "empty corner": free & CORNERS,
        "empty edge": free & EDGES,
    }


def test_each_of_the_eight_rules_and_the_first_that_applies_follow_their_definitions():
    first = set()
    for board in sampled(UNFINISHED, 3):
        expected = proposed("".join(board), board.turn, other(board.turn))
        for name, rule in RULES:
            assert rule(board) == tuple(sorted(expected[name])), (name, board)
        name = next(name for name, cells in expected.items() if cells)
        assert which_rule(board) == (name, tuple(sorted(expected[name])))
        assert PLAYERS["rules"].policy(board) == alike(expected[name])
        first.add(name)
    own = [board for side in "XO" for board in reachable("rules", side) if board.turn == side and not board.over]
    assert first == {which_rule(board)[0] for board in own} == {name for name, _ in RULES}


def alike(cells):
    return pytest.approx(dict.fromkeys(cells, 1 / len(cells)))


def test_rules_coded_plays_as_the_listing_a_win_a_block_the_centre_a_corner_or_an_edge_cell():
    for board in sampled(UNFINISHED, 2):
        marks, free = "".join(board), free_cells("".join(board))
        completing = wins(marks, board.turn) or wins(marks, other(board.turn))
        listed = {min(completing, key=KEYS.index)} if completing else next(
            free & group for group in ({4}, CORNERS, EDGES) if free & group)  # fmt: skip
        assert PLAYERS["rules-coded"].policy(board) == alike(listed)


def test_rules_may_spoil_positions_that_its_own_play_does_not_lead_to():
    def spoils(board):
        """Whether one of its moves gives something away: a win, or a draw."""
        leaves = [worth(board.play(move)) for move in PLAYERS["rules"].policy(board)]
        return max(leaves) > -worth(board)

    own = {board for side in "XO" for board in reachable("rules", side) if board.turn == side and not board.over}
    assert not any(map(spoils, own))
    assert spoils(Board.from_text("X-- --- --O"))  # rule 5 takes the centre, where a corner would win


def test_threats_are_the_lines_of_two_equal_marks_and_a_free_cell():
    for board in sampled(UNFINISHED, 4):
        for player in "XO":
            assert sorted(module.threats(board, player)) == sorted(threats("".join(board), player))


def test_the_first_rule_that_applies_decides_for_a_player_of_any_rules():
    def edges(board):
        return [cell for cell in (1, 3, 5, 7) if board[cell] == "-"]

    player = rule_based([lambda board: (), lambda board: None, module.win, edges], "edges", "Likes edges.")
    assert (player.name, player.about) == ("edges", "Likes edges.")
    assert player.policy(Board.from_text("XX- OO- ---")) == player.policy(Board.from_text("XX- O-- O--")) == {2: 1.0}
    assert player.policy(Board().play(1)) == alike({3, 5, 7})
    assert rule_based([lambda board: ()]).policy(Board().play(4)) == alike({0, 1, 2, 3, 5, 6, 7, 8})
