"""What students do in the browser, on the same Python as there, which has no threads, no processes and no numba."""

import sys
from random import Random

from lab import GameBoard, check, guess, recap, reveal
from lab.boards import CubeGame

from ttt import PLAYERS, Board, exact, match, play
from ttt.heuristics import LineWeights
from ttt.search import alphabeta, mcts, minimax


def games_are_played_and_drawn_results_are_exact_and_a_long_match_goes_without_a_word():
    game = play("random", "flash-clever", rng=Random(3))
    assert game.boards[-1].over and "<svg" in game._repr_svg_()
    assert round(exact("random", "random").x_wins, 4) == 0.5849
    assert len(match("random", "random", games=2000, rng=Random(1)).winners) == 2000


def searches_need_no_numba_and_a_compiled_one_says_what_it_needs():
    assert minimax(Board().play(4)).nodes == 55_505
    assert mcts(Board().play(0), 200, rng=Random(1)).move is not None
    found = alphabeta(Board(shape=(4, 4, 4)), 4, LineWeights(0, 1, 10, 100, 0), order="best-gain")
    assert (found.value, found.nodes) == (-4, 17_356)
    try:
        from ttt.search import compiled  # noqa: F401
    except ImportError as error:
        assert "numba" in str(error)
    else:
        raise AssertionError("numba in a browser")


def the_board_is_played_on_by_click():
    game = GameBoard("flash-clever")
    game._handle_custom_msg({"do": "play", "value": "4"}, [])
    assert game.message == "O plays cell 0. Your move."


def the_cube_is_played_on_although_nobody_can_think_on_the_side():
    for opponent in ("flash-clever", *CUBE):
        game = CubeGame(opponent, rng=Random(1))
        game.play(0)
        assert game.board.turn == "X" and len(game.board.moves) == 62, opponent


def guesses_are_kept_and_a_recap_is_asked():
    guess(nodes=..., choices=["few", "many"])
    guess(cells=10)
    reveal("cells", 9)
    recap("00_play")


def a_check_says_right_wrong_not_started_and_endless():
    assert check(heuristic_1).right
    assert check(lambda board, player: -heuristic_1(board, player)).outcome == "not yet"
    assert check(not_started, "heuristic_1").outcome == "not started"
    assert check(endless, "heuristic_1").mistake == "endless loop"


def heuristic_1(board, player):
    value = 0
    for line in board.lines:
        marks = set(line) - {"-"}
        if len(marks) == 1:
            weight = {1: 1, 2: 3}.get(sum(mark != "-" for mark in line), 0)
            value += weight if marks == {player} else -weight
    return value


def not_started(board, player):
    raise NotImplementedError


def endless(board, player):
    while True:
        pass


CUBE = [name for name in PLAYERS if name.startswith("cube")]
LESSON = (
    games_are_played_and_drawn_results_are_exact_and_a_long_match_goes_without_a_word,
    searches_need_no_numba_and_a_compiled_one_says_what_it_needs,
    the_board_is_played_on_by_click,
    the_cube_is_played_on_although_nobody_can_think_on_the_side,
    guesses_are_kept_and_a_recap_is_asked,
    a_check_says_right_wrong_not_started_and_endless,
)

if __name__ == "__main__":
    assert sys.platform == "emscripten"
    for step in LESSON:
        step()
        print(step.__name__)
