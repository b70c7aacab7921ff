"""The game on screen, driven as the screen does it and as Python does."""

import re
from functools import partial
from operator import getitem
from random import Random
from threading import Event
from time import monotonic, sleep

import ipywidgets
import pytest
from conftest import moves_to

from ttt import PLAYERS, Board, CubeGame, GameBoard, Player, exact, greedy, open_lines
from ttt.board import BoardError, CellTaken, GameOver, OffBoard
from ttt.heuristics import move_values
from ttt.players.rules import threats
from ttt.search import minimax
from ttt.svg import signed
from ttt.widgets.game import NotNow, Score


def click(game, cell):
    game.view._handle_custom_msg({"play": cell}, [])


def controls(game, kind):
    found = [game]
    for widget in found:
        found.extend(getattr(widget, "children", ()))
    return {widget.description: widget for widget in found if isinstance(widget, kind)}


def press(game, label):
    controls(game, ipywidgets.Button)[label].click()


def until(condition):
    deadline = monotonic() + 10
    while not condition():
        assert monotonic() < deadline
        sleep(0.01)


ENDS = [
    ("X", Score(person=1), "You win! X has 3 in a row."),
    ("O", Score(computer=1), "You lose: flash-clever has 3 in a row."),
    (None, Score(draws=1), "It is a draw: the board is full and nobody has a line."),
]


@pytest.mark.parametrize("winner, end, sentence", ENDS)
def test_wins_losses_and_draws_are_told_with_the_last_move_and_scored(winner, end, sentence):
    game = GameBoard("flash-clever")
    moves = moves_to(winner)
    for move in moves:
        assert "win" not in game.message and "draw" not in game.message
        click(game, move)
    assert game.message.endswith(sentence) and game.view.status["tone"] == "end" and game.view.turn == ""
    assert game.score == end
    press(game, "New game")
    assert game.board == Board() and game.score == end
    for move in moves:
        click(game, move)
    assert sum((game.score.person, game.score.computer, game.score.draws)) == 2


def test_the_computer_begins_when_the_person_plays_o():
    game = GameBoard("flash-clever", person="O")
    assert game.board == Board().play(4) and game.message == "X plays row 2, column 2. Your move."
    controls(game, ipywidgets.Dropdown)["You play"].label = "X, first"
    assert game.board == Board() and game.person == "X"
    game.person = "O"
    assert game.board == Board().play(4)
    with pytest.raises(BoardError):
        game.person = "Z"
    with pytest.raises(BoardError):
        GameBoard(person="Z")


def test_undo_takes_back_a_move_and_its_answer_and_a_counted_game():
    game = GameBoard("flash-clever")
    moves = moves_to("O")
    for move in moves:
        game.play(move)
    press(game, "Undo")
    assert game.score == Score() and not game.board.over and game.board.turn == "X"
    for _ in moves[1:]:
        press(game, "Undo")
    assert game.board == Board() and game.last is None
    press(game, "Undo")
    assert game.message == "There is no move of yours to take back." and game.view.status["tone"] == "error"
    with pytest.raises(NotNow, match="no move of yours"):
        game.undo()


def test_another_opponent_takes_over_and_a_finished_game_is_not_counted_again():
    game = GameBoard("flash-clever")
    opponents = controls(game, ipywidgets.Dropdown)["Opponent"]
    for move in moves_to(None):
        game.play(move)
    opponents.value = next(player for name, player in opponents.options if name == "random")
    assert game.opponent.name == "random" and game.score == Score(draws=1)


def test_the_hint_stays_while_the_numbers_come_and_go_and_a_new_opponent_is_told():
    game = GameBoard("flash-clever")
    game.hint()
    controls(game, ipywidgets.Checkbox)["Show what the computer sees"].value = True
    assert game.view.hint == 4 and game.view.values[4] == "+4"
    game.opponent = "random"
    assert game.message == "Now against random. Your move."


def test_every_hint_is_a_best_move(positions):
    for board in Random(5).sample(sorted((one for one in positions if not one.over), key=str), 60):
        game = GameBoard("random", start=board, person=board.turn)
        assert game.hint() in minimax(board).best_moves


def test_hint_points_at_a_best_move_and_says_why():
    game = GameBoard("flash-clever", start=Board.from_text("XX- OO- ---"))
    press(game, "Hint")
    assert game.view.hint == 2
    assert game.message == "Hint: row 1, column 3. It completes your line."
    game = GameBoard("flash-clever", start=Board.from_text("X-- OO- --X"))
    assert game.hint() == 5
    assert game.message == "Hint: row 2, column 3. It stops O's line."
    game = GameBoard("flash-clever")
    assert game.hint() == 4
    assert game.message == "Hint: row 2, column 2. It leaves you 4 more open lines than O."
    game = GameBoard("flash-clever", start=Board.from_text("-X- --- --O"))
    game.hint()
    assert game.message.endswith("It leaves you 1 more open line than O. You can win from here.")
    game = GameBoard("flash-clever", start=Board.from_text("X-O -O- --X"))
    assert game.hint() == 6
    assert game.message == "Hint: row 3, column 1. It stops O's line. You can win from here."
    game = GameBoard("random", start=Board.from_text("X-O --- --X"), person="O")
    assert game.hint() == 4
    assert game.message == "Hint: row 2, column 2. It stops X's line. But your opponent can win from here."
    game = GameBoard("flash-clever")
    game.play(4)
    assert game.view.hint == -1


NO_NUMBERS = ("random", "line-counts", "rules-coded", "rules", "cube-report", "cube-easy", "cube-hard", "cube-perfect")


def test_perfect_sees_the_values_of_minimax_that_prefers_an_early_win(positions):
    for board in Random(3).sample(
        sorted((one for one in positions if len(one.moves) < 7 and not one.over), key=str), 20
    ):
        game = GameBoard("perfect", start=board, person=board.turn)
        controls(game, ipywidgets.Checkbox)["Show what the computer sees"].value = True
        worth = {cell: signed(value) for cell, value in minimax(board, sooner=True).values.items()}
        assert game.view.values == [worth.get(cell, "") for cell in range(9)]


@pytest.mark.parametrize("name", PLAYERS)
def test_what_the_computer_sees_is_what_this_player_judges_by(name):
    """It plays where its number is highest, but for the lines that some fill first."""
    player, rng = PLAYERS[name], Random(6)
    shape = player.shape or (3, 3)
    fills = name in ("flash-clever", "flash-mended", "cube-medium")
    compared = 0
    for _ in range(20):
        board = Board(shape)
        for _ in range(rng.randrange(6)):
            board = board.play(rng.choice(board.moves))
        game = GameBoard(player, start=board, person=board.turn, rng=rng)
        controls(game, ipywidgets.Checkbox)["Show what the computer sees"].value = True
        numbers = [cell for cell, value in enumerate(game.view.values) if value]
        assert numbers == ([] if name in NO_NUMBERS else list(board.moves))
        if name in NO_NUMBERS:
            assert game.message == f"{name} gives the cells no numbers."
            assert any(game.message in words.value for words in shown(game))
        elif not (fills and any(threats(board, mark) for mark in "XO")):
            policy = player.policy(board)
            likeliest = {cell for cell, chance in policy.items() if chance == max(policy.values())}
            assert likeliest <= set(game.view.best)
            compared += 1
    assert compared > 5 or name in NO_NUMBERS


def test_a_function_that_tells_no_numbers_is_shown_with_none_and_a_heuristic_that_is_given_wins():
    game = GameBoard(broken)
    sees = controls(game, ipywidgets.Checkbox)["Show what the computer sees"]
    sees.value = True
    assert game.message.startswith("broken does not say what numbers it looks at")
    assert game.view.values == [""] * 9
    game.opponent = "negamax"
    assert game.view.values == ["0"] * 9 and any("how the game ends" in words.value for words in shown(game))
    game = GameBoard("perfect", heuristic=open_lines)
    controls(game, ipywidgets.Checkbox)["Show what the computer sees"].value = True
    assert game.view.values == [signed(value) for value in move_values(open_lines, Board()).values()]
    assert any("open_lines after playing there" in words.value for words in shown(game))


def shown(game):
    found = [game]
    for widget in found:
        found.extend(getattr(widget, "children", ()))
    return [widget for widget in found if isinstance(widget, ipywidgets.HTML)]


def test_only_those_are_offered_who_can_play_on_the_board():
    game = GameBoard("flash-mended", start=Board((7, 7), 5))
    offered = {name for name, _ in controls(game, ipywidgets.Dropdown)["Opponent"].options}
    assert "flash-clever" in offered and not {"perfect", "negamax", "beatable", "cube-easy"} & offered
    for name in offered:
        PLAYERS[name].policy(Board((7, 7), 5))


def test_what_the_computer_sees_is_each_free_cells_heuristic_value():
    game = GameBoard("flash-clever")
    controls(game, ipywidgets.Checkbox)["Show what the computer sees"].value = True
    assert game.view.values == ["+3", "+2", "+3", "+2", "+4", "+2", "+3", "+2", "+3"] and game.view.best == [4]
    game.play(4)
    assert game.message == "O plays row 1, column 1, worth −1 to O. Your move."
    controls(game, ipywidgets.Checkbox)["Show what the computer sees"].value = False
    assert game.view.values == [""] * 9


def test_a_students_own_heuristic_is_shown_and_its_fault_told():
    def mine(board, player):
        return None

    game = GameBoard("random", heuristic=mine)
    controls(game, ipywidgets.Checkbox)["Show what the computer sees"].value = True
    assert "mine returned None" in game.message and game.view.status["tone"] == "error"


def test_a_faulty_heuristic_is_blamed_itself_and_the_game_goes_on():
    def mine(board, player):
        return 1 / 0

    game = GameBoard("flash-clever", heuristic=mine)
    controls(game, ipywidgets.Checkbox)["Show what the computer sees"].value = True
    assert game.message.startswith("mine stopped with ZeroDivisionError")
    click(game, 4)
    assert game.board == Board().play(4).play(0) and game.view.marks == "O---X----"
    assert game.message.startswith("O plays row 1, column 1. Your move.\nmine stopped with ZeroDivisionError")
    game = GameBoard("flash-clever", heuristic=lambda board, player: float("inf"))
    controls(game, ipywidgets.Checkbox)["Show what the computer sees"].value = True
    assert "must be a finite number" in game.message and game.view.values == [""] * 9


def test_a_board_error_inside_a_students_player_is_that_players_and_told_with_its_line():
    def looks_too_far(board):
        return board.play(board.moves[0]).play(board.moves[0])

    game = GameBoard(looks_too_far)
    click(game, 4)
    assert game.message.startswith("looks_too_far stopped with CellTaken: Cell 0, (0, 0), is taken by O")
    assert game.message.endswith("return board.play(board.moves[0]).play(board.moves[0])")


def helper(board):
    return 1 / 0


def test_a_fault_names_the_function_and_the_line_in_a_player_its_helper_and_its_heuristic():
    line = helper.__code__.co_firstlineno + 1

    def asks_helper(board):
        return helper(board)

    def my_worth(board, player):
        return helper(board)

    for player, name in ((asks_helper, "asks_helper"), (greedy(my_worth), "my-worth")):
        game = GameBoard(player)
        click(game, 4)
        assert game.message == (
            f"{name} stopped with ZeroDivisionError: division by zero, in line {line} of helper: return 1 / 0"
        )


def test_a_fault_of_the_lab_is_not_blamed_on_the_student(monkeypatch):
    without_frames = partial(getitem, ())
    monkeypatch.setitem(PLAYERS, "cracked", Player("cracked", without_frames))
    game = GameBoard("cracked")
    click(game, 4)
    assert game.message.startswith("This is a fault of the lab, not yours: cracked stopped with TypeError: tuple ind")
    game.opponent = "flash-clever"
    monkeypatch.setattr("ttt.widgets.game.advice", without_frames)
    press(game, "Hint")
    assert game.message.startswith("This is a fault of the lab, not yours: it stopped with TypeError")
    game = GameBoard(Player("mine", without_frames))
    click(game, 4)
    assert game.message.startswith("mine stopped with TypeError")


def test_coordinates_without_their_own_brackets_are_told_how_to_be_written():
    game = GameBoard("flash-clever")
    for play in (game.play, game.board.play):
        with pytest.raises(OffBoard, match=r"write play\(\(1, 2\)\)"):
            play(1, 2)
    assert "write play((1, 2))" in game.message and game.board == Board()
    with pytest.raises(OffBoard, match=r"write play\(\(1, 2, 3\)\)"):
        CubeGame("flash-clever").play(1, 2, 3)
    assert game.board[1, 2] == "-"


def test_an_error_in_a_library_is_told_with_the_students_line():
    def empty_choice(board):
        return Random(1).choice([])

    game = GameBoard(empty_choice)
    click(game, 4)
    assert game.message.startswith("empty_choice stopped with IndexError")
    assert game.message.endswith("return Random(1).choice([])")


def test_setters_raise_what_follows_from_them_and_own_players_come_once():
    game = GameBoard(broken)
    with pytest.raises(IndexError):
        game.person = "O"
    game.person = "X"
    game.opponent = broken
    game.opponent = broken
    labels = [label for label, _ in controls(game, ipywidgets.Dropdown)["Opponent"].options]
    assert labels.count("broken") == 1
    game.opponent = "flash-clever"
    game.play(4)
    game.person = "X"
    assert game.board == Board()


def test_a_function_called_random_does_not_hide_the_random_player():
    def random(board):
        return board.moves[-1]

    game = GameBoard(random)
    labels = [label for label, _ in controls(game, ipywidgets.Dropdown)["Opponent"].options]
    assert {"random (yours)", "random"} <= set(labels)
    game.play(0)
    assert game.board == Board().play(0).play(8)


def test_a_finished_board_to_start_from_is_told_and_not_counted():
    game = GameBoard(start=Board.from_text("XXX OO- ---"))
    assert game.message == "You win! X has 3 in a row." and game.score == Score()


BAD_CLICKS = [(0, "Row 1, column 1 is taken by X. Choose a free cell."), (4, "Row 2, column 2 is taken by O.")]


@pytest.mark.parametrize("cell, sentence", BAD_CLICKS)
def test_a_taken_cell_is_told_and_nothing_is_lost(cell, sentence):
    game = GameBoard("flash-clever")
    game.play(0)
    before = game.board
    click(game, cell)
    assert game.message.startswith(sentence) and game.board == before
    with pytest.raises(CellTaken):
        game.play(cell)


def test_a_cell_off_the_board_and_a_game_that_is_over_are_told():
    game = GameBoard("flash-clever", start=Board.from_text("XX- OO- ---"))
    with pytest.raises(OffBoard):
        game.play(9)
    assert game.message.startswith("There is no cell 9")
    game.play((0, 2))
    with pytest.raises(GameOver):
        game.play(8)
    assert game.message == "You win! X has 3 in a row. Press New game to play another."
    with pytest.raises(GameOver):
        game.hint()


def broken(board):
    return [][3]


def test_an_exception_in_a_students_player_is_shown_on_the_board_and_the_game_can_go_on():
    game = GameBoard(broken)
    click(game, 4)
    line = broken.__code__.co_firstlineno + 1
    assert game.message == f"broken stopped with IndexError: list index out of range, in line {line}: return [][3]"
    assert game.board == Board().play(4)
    click(game, 0)
    assert game.message.startswith("It is O's turn, and broken has not moved.")
    with pytest.raises(NotNow, match="O's turn"):
        game.hint()
    game.opponent = "flash-clever"
    assert game.message == "O plays row 1, column 1. Your move."
    game.opponent = broken
    with pytest.raises(IndexError):
        game.play(8)
    game.undo()
    assert game.board == Board.from_text("O-- -X- ---")


def test_setting_the_opponent_from_python_makes_only_that_opponent_answer():
    game = GameBoard(broken)
    click(game, 4)
    game.opponent = lambda board: 7
    assert game.board == Board().play(4).play(7) and game.opponent.name == "<lambda>"
    game.opponent = "random"
    assert game.board == Board().play(4).play(7) and game.opponent.name == "random"


def test_a_players_nonsense_is_told_in_its_own_sentence():
    game = GameBoard(lambda board: 4)
    click(game, 4)
    assert game.message.startswith("<lambda> returned 4, which is taken by X. It must be a free cell: 0, 1, 2")


def test_a_player_that_loops_for_ever_is_ended_by_stop_on_any_board():
    ended = Event()

    def endless(board):
        try:
            while True:
                sleep(0.01)
        finally:
            ended.set()

    game = GameBoard(endless)
    click(game, 4)
    assert game.thinking and game.board == Board().play(4)
    press(game, "Stop")
    assert not game.thinking and len(game.board.moves) == 7 and game.message.startswith("endless was stopped.")
    assert ended.wait(10)


def test_a_game_is_replayed_on_any_board():
    game = GameBoard("flash-clever")
    with pytest.raises(NotNow, match="no move to replay"):
        game.step(-1)
    game.play(4)
    press(game, "Replay")
    press(game, "Forward ▶")
    assert game.view.marks == "----X----" and game.message == "Replay, move 1 of 2: X plays row 2, column 2."
    press(game, "Close replay")
    assert game.view.marks == "O---X----"


def test_an_interrupted_player_is_told():
    def interrupted(board):
        raise KeyboardInterrupt

    game = GameBoard(interrupted)
    click(game, 4)
    assert game.message == (
        "interrupted was interrupted before it had answered. Undo your move, or choose another opponent."
    )
    assert game.board == Board().play(4)


def endless(board):
    moves = 0
    while True:
        moves += 1


def stubborn(board):
    while True:
        try:
            board.play(9)
        except:  # noqa: E722
            continue


def sleepy(board):
    sleep(1000)


@pytest.mark.parametrize("player", [endless, stubborn, sleepy])
def test_a_clock_makes_a_players_own_move_when_its_time_is_up_and_the_board_says_so(player):
    game = GameBoard(player, seconds=0.5)
    for _ in range(2):
        click(game, 4)
        until(lambda: not game.thinking and "Your move" in game.message)
        assert len(game.board.moves) == 7
        assert re.fullmatch(
            rf"{player.__name__} had no move after 0.5 s and was stopped. O plays .*, a quick move of flash-mended. "
            "Your move.",
            game.message,
        )
        game.play(game.board.moves[-1])
        assert len(game.board.moves) == 5 and game.message.startswith(player.__name__)
        game.new_game()


def test_the_thread_of_a_player_that_catches_every_exception_is_ended_too():
    game = GameBoard(stubborn, seconds=None)
    click(game, 4)
    thread = game._thought._thread
    game.stop()
    thread.join(20)
    assert not thread.is_alive()


def test_the_clock_does_not_hold_for_the_labs_own_players(monkeypatch):
    def slow(board):
        sleep(0.5)
        return board.moves[-1]

    monkeypatch.setitem(PLAYERS, "slow", Player("slow", slow))
    game = GameBoard("slow", seconds=0.1)
    game.play(4)
    assert game.board == Board().play(4).play(8) and game.message == "O plays row 3, column 3. Your move."


def test_without_threads_the_clock_ends_a_loop_too(monkeypatch):
    def counts(board):
        moves = 0
        while board:
            moves += 1

    game = GameBoard(counts, seconds=0.2)
    monkeypatch.setattr("threading.Thread.start", None)
    for module in ("ttt.widgets.thinking", "ttt.limits"):
        monkeypatch.setattr(f"{module}.THREADS", False)
    click(game, 4)
    assert game.message.startswith("counts had no move after 0.2 s and was stopped. O plays row 1, column 1")


def test_progress_that_never_ends_is_no_harm():
    def slow(board):
        sleep(0.5 if len(board.moves) == 8 else 10)
        return board.moves[-1]

    slow.progress = slow.best_so_far = endless
    game = GameBoard(slow)
    click(game, 4)
    game.wait()
    assert game.board == Board().play(4).play(8)
    click(game, 0)
    game.stop()
    assert game.message.endswith("a quick move of flash-mended. Your move.")


def test_the_best_move_so_far_may_be_given_by_coordinates():
    def slow(board):
        return endless(board)

    slow.best_so_far = lambda board: (2, 2)
    game = GameBoard(slow)
    click(game, 4)
    game.stop()
    assert game.board[2, 2] == "O" and game.message.endswith("the best it had found. Your move.")


def test_a_game_is_played_on_other_boards_too():
    game = GameBoard("random", start=Board(shape=(4, 4, 4)), rng=Random(2))
    click(game, 0)
    assert len(game.board.moves) == 62 and "layer" in game.message


def test_the_text_of_a_game_is_its_message_board_and_score():
    assert repr(GameBoard()) == (
        "You are X. Click a free cell, or use the arrow keys and Enter.\n- - -\n- - -\n- - -\n"
        "You 0 · Computer 0 · Draws 0"
    )


def test_a_student_can_measure_the_player_on_screen():
    game = GameBoard("flash-mended")
    assert exact("random", game.opponent).o_wins == exact("random", "flash-mended").o_wins
