"""The rule-based computer: its coded rules and its documented ones, against definitions on strings of marks."""

from collections import Counter
from functools import cache

import pytest
from oracles import LINES, UNFINISHED, other, with_mark, worth

from ttt import PLAYERS, Board, reachable
from ttt.players import rules as module
from ttt.players.rules import RULES, rule_based, which_rule

BLOCK_FORK = "block the opponent's fork"
KEYS = (6, 7, 8, 3, 4, 5, 0, 1, 2)  # the cells in the order of the keypad's keys 1 to 9


def listed_moves(board):
    """What the listing's aiTurn may choose: a win, a block, the centre, a corner, an edge cell."""
    marks, free = "".join(board), free_cells("".join(board))
    for player in (board.turn, other(board.turn)):
        completing = [cell for cell in KEYS if cell in wins(marks, player)]
        if completing:
            return {completing[0]}
    return next(free & group for group in ({4}, {0, 2, 6, 8}, {1, 3, 5, 7}) if free & group)


def alike(cells):
    return pytest.approx(dict.fromkeys(cells, 1 / len(cells)))


def test_rules_coded_plays_as_the_listing_on_every_position_for_either_side():
    for board in UNFINISHED:
        assert PLAYERS["rules-coded"].policy(board) == alike(listed_moves(board))


def test_rules_may_spoil_positions_that_its_own_play_does_not_lead_to():
    def spoils(board):
        """Whether one of its moves gives something away: a win, or a draw."""
        leaves = [worth(board.play(move)) for move in PLAYERS["rules"].policy(board)]
        return max(leaves) > -worth(board)

    spoilt = {board for board in UNFINISHED if spoils(board)}
    own = {board for side in "XO" for board in reachable("rules", side) if board.turn == side}
    assert len(spoilt) == 64 and not spoilt & own
    assert Board.from_text("X-- --- --O") in spoilt  # rule 5 takes the centre, where a corner would win


def test_each_of_the_eight_rules_applies_somewhere():
    spoken = Counter(which_rule(board)[0] for board in UNFINISHED)
    assert spoken == {
        "win": 2358,
        "block": 1484,
        "fork": 192,
        BLOCK_FORK: 254,
        "centre": 129,
        "opposite corner": 28,
        "empty corner": 55,
        "empty edge": 20,
    }
    own = [board for side in "XO" for board in reachable("rules", side) if board.turn == side and not board.over]
    assert {which_rule(board)[0] for board in own} == {name for name, _ in RULES}


# Definitions of the rules, on strings of marks


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


def test_threats_are_the_lines_of_two_equal_marks_and_a_free_cell_on_every_position():
    for board in UNFINISHED:
        for player in "XO":
            assert sorted(module.threats(board, player)) == sorted(threats("".join(board), player))


def test_threats_are_those_of_a_side_with_or_without_a_mark_added_in_a_free_cell():
    board = Board().play(0)
    assert module.threats(board, "X", (0, 1)) == module.threats(board, "X", 1) == ((0, 1, 2),)


def test_the_first_rule_that_applies_decides_for_a_player_of_any_rules():
    def never(board):
        return ()

    def edges(board):
        return [cell for cell in (1, 3, 5, 7) if board[cell] == "-"]

    player = rule_based([never, module.win, edges], "edges", "Likes edges.")
    assert (player.name, player.about) == ("edges", "Likes edges.")
    assert player.policy(Board.from_text("XX- OO- ---")) == {2: 1.0}
    assert player.policy(Board.from_text("XX- O-- O--")) == {2: 1.0}
    assert player.policy(Board().play(1)) == alike({3, 5, 7})
    assert rule_based([never]).policy(Board().play(4)) == alike({0, 1, 2, 3, 5, 6, 7, 8})


def test_rules_1_to_3_follow_their_definitions_on_every_position():
    rules = dict(RULES)
    for board in UNFINISHED:
        marks, rival = "".join(board), other(board.turn)
        assert set(rules["win"](board)) == wins(marks, board.turn)
        assert set(rules["block"](board)) == wins(marks, rival)
        assert set(rules["fork"](board)) == forks(marks, board.turn)


def test_rule_4_follows_its_definition_on_every_position():
    ways = Counter()
    for board in UNFINISHED:
        marks, own, rival = "".join(board), board.turn, other(board.turn)
        forcing = set()
        for cell in free_cells(marks):
            after = with_mark(marks, cell, own)
            forced = wins(after, own)
            if forced and not forced & forks(after, rival):
                forcing.add(cell)
        expected = (forcing or forks(marks, rival)) if forks(marks, rival) else set()
        assert set(dict(RULES)[BLOCK_FORK](board)) == expected
        if which_rule(board)[0] == BLOCK_FORK:
            ways["by a threat" if forcing else "by taking the cell"] += 1
    assert ways == {"by a threat": 218, "by taking the cell": 36}


def test_rules_5_to_8_take_the_centre_then_the_corner_opposite_the_opponent_then_a_corner_then_an_edge_cell():
    assert which_rule(Board()) == ("centre", (4,))
    assert which_rule(Board().play(0).play(4)) == ("empty corner", (2, 6, 8))
    assert which_rule(Board().play(4)) == ("empty corner", (0, 2, 6, 8))
    assert which_rule(Board().play(4).play(0)) == ("opposite corner", (8,))
