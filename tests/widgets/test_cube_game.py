"""The game on 4×4×4 without a browser: thinking, stopping, undo, hint, replay and threats."""

import re
import sys
import time
from collections import Counter
from itertools import product
from random import Random
from threading import Event, Timer

import ipywidgets
import pytest
from test_game import click, controls, press, until
from traitlets import TraitError

from ttt import PLAYERS, Board, BoardView, Player
from ttt.board import BoardError, CellTaken, GameOver, OffBoard
from ttt.players.player import WrongBoard
from ttt.players.rules import threats
from ttt.widgets import CubeGame
from ttt.widgets.game import NotNow, Score

CUBE = Board(shape=(4, 4, 4))
# Two cells are free, and however they are filled nobody gets a line.
NEARLY_DRAWN = """
    XOOO --OO XXOX OOXO / OXXO OXXO XOXX XXOX / OOOX OXOX OXOO XXXO / OXOX XOXO OOXX XXOX
"""


def last_free(board):
    return board.moves[-1]


class Patient:
    """A player that answers when it is told to, and tells how far it is."""

    def __init__(self, answer=last_free):
        self.may_answer = Event()
        self.asked = Event()
        self.answered = Event()
        self.answer = answer
        self.__name__ = "patient"

    def __call__(self, board):
        self.asked.set()
        try:
            while not self.may_answer.wait(0.01):  # in steps, so that it can be ended
                pass
            return self.answer(board)
        finally:
            self.answered.set()


def straight_lines():
    """The 76 lines as sets, found as no board of ours finds them: four cells of which each coordinate stays, rises
    from 0 to 3, or falls from 3 to 0."""
    ways = [*([n] * 4 for n in range(4)), [0, 1, 2, 3], [3, 2, 1, 0]]
    cells = ([16 * a + 4 * b + c for a, b, c in zip(*way, strict=True)] for way in product(ways, repeat=3))
    return {frozenset(line) for line in cells if len(set(line)) == 4}


def random_position(moves, rng):
    board = CUBE
    while not board.over and 64 - len(board.moves) < moves:
        board = board.play(rng.choice(board.moves))
    return board


def test_threats_are_those_of_an_independent_enumeration():
    assert len(straight_lines()) == 76
    rng, found = Random(4), 0
    for moves in range(64):
        board = random_position(moves, rng)
        marks = "".join(board)
        expected = Counter(
            (mark, line)
            for line in straight_lines()
            for mark in "XO"
            if sorted(marks[cell] for cell in line) == sorted([mark] * 3 + ["-"])
        )
        assert Counter((mark, frozenset(line)) for mark in "XO" for line in threats(board, mark)) == expected
        drawn = BoardView(board).lines if not board.over else []
        assert all(line["free"] in line["cells"] and board[line["free"]] == "-" for line in drawn)
        assert board.over or Counter((line["mark"], frozenset(line["cells"])) for line in drawn) == expected
        found += len(expected)
    assert found > 50


def test_the_screen_gets_the_threats_of_both_sides_and_a_flat_board_none():
    game = CubeGame(last_free)
    for cell in (16, 17, 18):
        game.play(cell)
    assert game.view.threats is False
    assert game.view.lines == [
        {"mark": "X", "cells": [16, 17, 18, 19], "free": 19},
        {"mark": "O", "cells": [60, 61, 62, 63], "free": 60},
    ]
    assert BoardView(Board.from_text("XX- OO- ---")).lines == []


def test_a_win_is_told_with_its_line_and_scored():
    game = CubeGame(lambda board: board.moves[3])
    for cell in (0, 21, 42, 63):
        assert "win" not in game.message
        click(game, cell)
        game.wait()
    assert game.message == "You win! X has 4 in a row, from layer 1, row 1, column 1 to layer 4, row 4, column 4."
    assert game.view.status["tone"] == "end" and game.view.turn == "" and game.score == Score(person=1)
    assert game.view.lines == [{"mark": "X", "cells": [0, 21, 42, 63], "free": -1}]
    with pytest.raises(GameOver):
        game.play(1)
    assert game.message.startswith("You win! X has 4 in a row, from")
    assert game.message.endswith("Press New game to play another.")
    press(game, "Undo")
    assert game.score == Score() and game.board[63] == "-"


def test_losses_and_draws_are_told_and_scored():
    game = CubeGame(last_free)
    for cell in (0, 1, 4, 6):
        game.play(cell)
    assert game.message.startswith("O plays layer 4, row 4, column 1. You lose: last_free has 4 in a row, from layer 4")
    assert game.score == Score(computer=1)
    game = CubeGame("random", start=Board.from_text(NEARLY_DRAWN, shape=(4, 4, 4)))
    game.play(game.board.moves[0])
    assert game.message.endswith("It is a draw: the board is full and nobody has a line.")
    assert game.score == Score(draws=1)


def test_the_computer_begins_when_the_person_plays_o():
    game = CubeGame(last_free, person="O")
    game.wait()
    assert game.board == CUBE.play(63) and game.message == "X plays layer 4, row 4, column 4. Your move."
    controls(game, ipywidgets.Dropdown)["You play"].label = "X, first"
    assert game.board == CUBE and game.person == "X"


def test_a_click_comes_back_at_once_while_the_computer_thinks_and_says_so():
    patient = Patient()
    patient.progress = lambda board: "depth 5"
    game = CubeGame(patient)
    click(game, 0)
    assert game.view.marks[0] == "X" and game.thinking and game.view.turn == ""
    until(lambda: game.view.thinking)
    assert game.message == "patient is thinking, for 10 s at most. Press Stop to make it move at once."
    assert game.view.thinking["note"] == "depth 5" and game.view.thinking["seconds"] > 0
    click(game, 1)
    assert game.message == "patient is thinking. Wait for its move, or press Stop."
    with pytest.raises(NotNow, match="is thinking"):
        game.hint()
    with pytest.raises(NotNow, match="is thinking"):
        game.replay()
    patient.may_answer.set()
    game.wait()
    assert game.board == CUBE.play(0).play(63) and not game.thinking and game.view.thinking == {}
    assert game.message == "O plays layer 4, row 4, column 4. Your move."


def test_where_python_waits_the_way_out_is_the_kernels(monkeypatch):
    patient = Patient()
    game = CubeGame(patient)
    Timer(0.6, patient.may_answer.set).start()
    said = []
    monkeypatch.setattr(game.view, "say", lambda text, tone="": said.append(text))
    game.play(0)
    assert said[0] == "patient is thinking, for 10 s at most. If it takes too long: Kernel → Interrupt Kernel."
    assert controls(game, ipywidgets.Button)["Stop"].disabled


def test_an_interrupt_ends_the_thinking_and_is_told(monkeypatch):
    def interrupted(self, timeout=None):
        raise KeyboardInterrupt

    patient = Patient()
    game = CubeGame(patient)
    click(game, 0)
    patient.asked.wait(10)
    monkeypatch.setattr(game._thought.taken, "wait", interrupted.__get__(game._thought.taken))
    with pytest.raises(KeyboardInterrupt):
        game.wait()
    assert (
        game.message.startswith("patient was interrupted before it had answered. Undo your move") and not game.thinking
    )
    assert patient.answered.wait(10)


@pytest.mark.parametrize("action", ["New game", "Undo"])
def test_a_late_answer_is_discarded(action):
    patient = Patient()
    game = CubeGame(patient)
    click(game, 0)
    patient.asked.wait(10)
    press(game, action)
    assert game.board == CUBE and not game.thinking
    patient.may_answer.set()
    assert patient.answered.wait(10)
    time.sleep(0.05)
    assert game.board == CUBE and game.view.marks == "-" * 64
    game.play(5)
    assert game.board == CUBE.play(5).play(63)


def test_an_answer_to_an_earlier_game_does_not_count_for_the_next():
    slow, patient = Patient(lambda board: 9), Patient()
    rule = slow
    game = CubeGame(lambda board: rule(board))
    click(game, 0)
    slow.asked.wait(10)
    rule = patient
    press(game, "New game")
    click(game, 1)
    patient.asked.wait(10)
    slow.may_answer.set()
    slow.answered.wait(10)
    time.sleep(0.05)
    assert game.board == CUBE.play(1) and game.thinking
    patient.may_answer.set()
    game.wait()
    assert game.board == CUBE.play(1).play(63)


def test_stop_has_a_quick_move_and_says_whose():
    patient = Patient()
    game = CubeGame(patient)
    with pytest.raises(NotNow, match="is not thinking"):
        game.stop()
    click(game, 0)
    until(lambda: not controls(game, ipywidgets.Button)["Stop"].disabled)
    press(game, "Stop")
    quick = PLAYERS["flash-mended"].choose(CUBE.play(0), None)
    assert game.board == CUBE.play(0).play(quick) and not game.thinking
    assert game.message.startswith("patient was stopped. O plays layer ")
    assert game.message.endswith(", a quick move of flash-mended. Your move.")
    assert controls(game, ipywidgets.Button)["Stop"].disabled
    assert patient.answered.wait(10)  # its thread has ended, though nobody let it answer
    assert game.board == CUBE.play(0).play(quick)


@pytest.mark.parametrize("told, used", [(40, True), (0, False), ("nonsense", False), (None, False)])
def test_stop_takes_the_best_so_far_where_the_player_tells_it_and_it_is_a_free_cell(told, used):
    patient = Patient()
    patient.best_so_far = lambda board: told
    game = CubeGame(patient)
    click(game, 0)
    patient.asked.wait(10)
    game.stop()
    assert (game.last == told) is used
    assert ("the best it had found" in game.message) is used


def test_what_a_player_promises_is_said_with_its_move():
    def modest(board):
        return board.moves[-1]

    modest.remark = lambda board: f"I promise nothing from {len(board.moves)} free cells."
    game = CubeGame(modest)
    game.play(0)
    assert game.message == (
        "O plays layer 4, row 4, column 4. modest: “I promise nothing from 63 free cells.” Your move."
    )
    modest.remark = lambda board: 1 / 0
    game.play(1)
    assert game.message == "O plays layer 4, row 4, column 3. Your move."


def test_a_fault_in_a_students_player_is_told_on_the_board_and_raised_where_python_asked():
    def broken(board):
        return [][3]

    game = CubeGame(broken)
    click(game, 4)
    with pytest.raises(IndexError):
        game.wait()
    assert game.message.startswith("broken stopped with IndexError: list index out of range, in line ")
    assert game.message.endswith(": return [][3]") and game.view.status["tone"] == "error"
    click(game, 0)
    assert game.message.startswith("It is O's turn, and broken has not moved.")
    game.opponent = last_free
    assert game.board == CUBE.play(4).play(63)
    game.opponent = broken
    with pytest.raises(IndexError):
        game.play(8)
    game.undo()
    game.wait()
    assert game.board == CUBE.play(4).play(63)


def test_nonsense_and_a_call_of_exit_are_told_too():
    game = CubeGame(lambda board: 4)
    click(game, 4)
    with pytest.raises(ValueError, match="taken by X"):
        game.wait()
    assert game.message.startswith("<lambda> returned 4, which is taken by X.")
    game = CubeGame(lambda board: sys.exit("enough"))
    click(game, 4)
    with pytest.raises(SystemExit):
        game.wait()
    assert "stopped with SystemExit: enough" in game.message


def test_undo_takes_back_a_move_and_its_answer():
    game = CubeGame(last_free)
    game.play(0)
    game.play(1)
    press(game, "Undo")
    assert game.board == CUBE.play(0).play(63) and game.last == 63
    press(game, "Undo")
    assert game.board == CUBE and game.last is None
    with pytest.raises(NotNow, match="no move of yours"):
        game.undo()


def test_hint_points_at_a_move_and_says_why():
    game = CubeGame(last_free)
    for cell in (0, 21, 42):
        game.play(cell)
    game.undo()
    game.play(1)
    assert game.hint() == 60 and game.view.hint == 60
    assert game.message == "Hint: layer 4, row 4, column 1. It stops O's line."
    game = CubeGame(last_free, person="O")
    game.wait()
    game.hint()
    assert re.search(r"It leaves .*open lines.*\.$", game.message)


def test_a_hint_does_not_hide_that_the_win_is_proved():
    game = CubeGame(lambda board: 21)
    game.play(0)
    assert game.hint() == 3
    assert game.message == "Hint: layer 1, row 1, column 4. The proof that the first player wins plays here."


def test_replay_goes_through_the_game_step_by_step_and_back():
    game = CubeGame(last_free)
    with pytest.raises(NotNow, match="no move to replay"):
        game.replay()
    for cell in (0, 21):
        game.play(cell)
    end = game.board
    press(game, "Replay")
    assert game.view.marks == "-" * 64 and game.message == "Replay: before the first of 4 moves."
    press(game, "Forward ▶")
    assert game.view.marks == "X" + "-" * 63 and game.view.last == 0
    assert game.message == "Replay, move 1 of 4: X plays layer 1, row 1, column 1."
    for _ in range(5):
        press(game, "Forward ▶")
    assert game.view.marks == "".join(end) and game.message.startswith("Replay, move 4 of 4: O plays")
    press(game, "◀ Back")
    assert game.view.marks == "".join(CUBE.play(0).play(63).play(21)) and game.view.turn == ""
    click(game, 5)
    assert game.message == "This is a replay. Close it to continue the game." and game.board == end
    with pytest.raises(NotNow, match="is a replay"):
        game.hint()
    press(game, "Undo")
    assert game.message == "This is a replay. Close it to continue the game." and game.board == end
    press(game, "Close replay")
    assert game.view.marks == "".join(end) and game.view.turn == "X"
    game.play(5)
    assert len(game.board.moves) == 58


def test_the_number_field_and_the_clock_lead_through_a_replay_and_a_new_game_ends_it():
    game = CubeGame(last_free)
    game.play(0)
    press(game, "Replay")
    slider = controls(game, ipywidgets.BoundedIntText)["Move"]
    assert slider.max == 2 and controls(game, ipywidgets.Button)["Pause"]
    slider.value = 2
    assert game.message == "Replay, move 2 of 2: O plays layer 4, row 4, column 4."
    press(game, "Pause")
    assert controls(game, ipywidgets.Button)["Play"]
    press(game, "New game")
    assert game.board == CUBE and game.view.turn == "X"
    slider.value = 0
    assert game.message.startswith("You are X.")


def test_a_finished_game_is_replayed_to_its_end():
    game = CubeGame(last_free)
    for cell in (0, 1, 4, 6):
        game.play(cell)
    game.replay(99)
    assert "move 8 of 8" in game.message and "You lose" in game.message and game.score == Score(computer=1)
    game.resume()
    assert game.message.startswith("You lose") and game.view.status["tone"] == "end"


def test_another_opponent_takes_over_from_one_that_thinks():
    patient = Patient()
    game = CubeGame(patient)
    click(game, 0)
    patient.asked.wait(10)
    game.opponent = last_free
    assert game.board == CUBE.play(0).play(63)


def test_the_opponents_are_those_who_play_on_the_cube_and_ones_own(monkeypatch):
    monkeypatch.setitem(PLAYERS, "cube-test", Player("cube-test", last_free))
    options = [label for label, _ in controls(CubeGame(last_free), ipywidgets.Dropdown)["Opponent"].options]
    assert options[:3] == ["last_free", "random", "flash-clever"]
    assert "cube-test" in options and "perfect" not in options
    assert CubeGame("cube-test").opponent is PLAYERS["cube-test"]
    assert CubeGame().opponent.name in PLAYERS


def test_without_threads_the_computer_answers_in_place(monkeypatch):
    def none(self):
        raise RuntimeError("can't start new thread")

    game = CubeGame(last_free)
    monkeypatch.setattr("threading.Thread.start", none)
    for module in ("ttt.widgets.thinking", "ttt.limits"):
        monkeypatch.setattr(f"{module}.THREADS", False)
    click(game, 0)
    assert game.board == CUBE.play(0).play(63)


def test_the_looks_are_a_switch_and_others_are_refused():
    game = CubeGame(last_free, look="turned")
    assert game.view.look == "turned"
    switch = controls(game, ipywidgets.ToggleButtons)["View"]
    assert switch.value == "turned"
    switch.value = "side"
    assert game.view.look == "side"
    with pytest.raises(TraitError, match="'round'"):
        CubeGame(last_free, look="round")


def test_bad_cells_are_told_and_the_game_stays():
    game = CubeGame(last_free)
    with pytest.raises(OffBoard):
        game.play(64)
    click(game, 0)
    game.wait()
    with pytest.raises(CellTaken, match="Layer 1, row 1, column 1 is taken by X"):
        game.play((0, 0, 0))
    with pytest.raises(BoardError):
        CubeGame(last_free, start=Board(shape=(0, 4, 4)))


def test_a_game_on_another_board_is_refused():
    with pytest.raises(WrongBoard, match="4×4×4 board with 4 in a row, not 3×3 with 3"):
        CubeGame("cube-hard", start=Board())


def test_two_whole_games_against_chance_end_and_are_counted():
    game = CubeGame("random", rng=Random(1))
    for _ in range(2):
        game.new_game()
        while not game.board.over:
            game.play(game.board.moves[0])
    assert game.score.person + game.score.computer + game.score.draws == 2
