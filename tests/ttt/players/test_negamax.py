"""The negamax of the blog post, against retrograde analysis."""

from oracles import DISTANCES, UNFINISHED, other

from ttt import PLAYERS, Board
from ttt.players.negamax import MAX_FREE_CELLS, outcome


def test_negamax_plays_the_first_of_the_best_moves_on_every_position_for_either_side():
    for board in UNFINISHED:
        best = [move for move in board.moves if -DISTANCES[board.play(move)][0] == DISTANCES[board][0]]
        assert PLAYERS["negamax"].policy(board) == {best[0]: 1.0}


def test_outcome_is_what_retrograde_analysis_finds_on_every_position():
    for board in DISTANCES:
        sign, _ = DISTANCES[board]
        assert outcome(board, board.turn) == sign == -outcome(board, other(board.turn))


def test_negamax_plays_on_other_boards_of_up_to_twelve_free_cells():
    assert PLAYERS["negamax"].policy(Board(shape=(3, 4))) == {0: 1.0}
    board = Board.from_text("XOXO ---- ---- ----", shape=(4, 4))
    assert len(board.moves) == MAX_FREE_CELLS == 12 and PLAYERS["negamax"].policy(board)
