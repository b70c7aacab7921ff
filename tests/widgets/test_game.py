"""The game on screen, driven as the screen does it and as Python does."""

from random import Random

import ipywidgets
import pytest

from ttt import Board, GameBoard, exact
from ttt.board import CellTaken, GameOver, OffBoard, UnknownMark
from ttt.widgets.game import NothingToUndo, NotYourTurn, Score


def click(game, cell):
    game.view._handle_custom_msg({"play": cell}, [])


def controls(game, kind):
    found = [game]
    for widget in found:
        found.extend(getattr(widget, "children", ()))
    return {widget.description: widget for widget in found if isinstance(widget, kind)}


def press(game, label):
    controls(game, ipywidgets.Button)[label].click()


def line_to(end, person="X", opponent="flash-clever"):
    """A person's moves that end a game against a player without chance in a win, a loss or a draw."""

    def search(game, moves):
        if game.board.over:
            return moves if game.score == end else None
        for move in game.board.moves:
            trial = GameBoard(opponent, person=person)
            for earlier in moves:
                trial.play(earlier)
            trial.play(move)
            found = search(trial, [*moves, move])
            if found:
                return found
        return None

    return search(GameBoard(opponent, person=person), [])


ENDS = [
    (Score(person=1), "You win! X has 3 in a row."),
    (Score(computer=1), "You lose: flash-clever has 3 in a row."),
    (Score(draws=1), "It is a draw: the board is full and nobody has a line."),
]


@pytest.mark.parametrize("end, sentence", ENDS)
def test_wins_losses_and_draws_are_told_with_the_last_move_and_scored(end, sentence):
    game = GameBoard("flash-clever")
    moves = line_to(end)
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
    controls(game, ipywidgets.Dropdown)["You play"].value = "X, first"
    assert game.board == Board() and game.person == "X"
    game.person = "O"
    assert game.board == Board().play(4)
    with pytest.raises(UnknownMark):
        game.person = "Z"
    with pytest.raises(UnknownMark):
        GameBoard(person="Z")


def test_undo_takes_back_a_move_and_its_answer_and_a_counted_game():
    game = GameBoard("flash-clever")
    moves = line_to(Score(computer=1))
    for move in moves:
        game.play(move)
    press(game, "Undo")
    assert game.score == Score() and not game.board.over and game.board.turn == "X"
    for _ in moves[1:]:
        press(game, "Undo")
    assert game.board == Board() and game.last is None
    press(game, "Undo")
    assert game.message == "There is no move of yours to take back." and game.view.status["tone"] == "error"
    with pytest.raises(NothingToUndo):
        game.undo()


def test_another_opponent_takes_over_and_a_finished_game_is_not_counted_again():
    game = GameBoard("flash-clever")
    opponents = controls(game, ipywidgets.Dropdown)["Opponent"]
    for move in line_to(Score(draws=1)):
        game.play(move)
    opponents.value = next(player for name, player in opponents.options if name == "random")
    assert game.opponent.name == "random" and game.score == Score(draws=1)


def test_hint_points_at_a_move_and_says_why():
    game = GameBoard("flash-clever", start=Board.from_text("XX- OO- ---"))
    press(game, "Hint")
    assert game.view.hint == 2 and game.message == "Hint: row 1, column 3 completes your line."
    game = GameBoard("flash-clever", start=Board.from_text("X-- OO- --X"))
    assert game.hint() == 5 and game.message == "Hint: row 2, column 3 stops O's line."
    game = GameBoard("flash-clever")
    assert game.hint() == 4 and game.message.startswith("Hint: row 2, column 2 leaves you well placed: open lines +4")
    game.play(4)
    assert game.view.hint == -1


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
    assert game.message == "The game is over. Press New game to play another."
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
    with pytest.raises(NotYourTurn):
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


def test_an_interrupted_player_is_told():
    def endless(board):
        raise KeyboardInterrupt

    game = GameBoard(endless)
    click(game, 4)
    assert game.message == "endless was interrupted before it had moved."


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
