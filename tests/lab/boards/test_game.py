"""The game on screen, played as the page plays it and as Python does."""

import linecache
import re
import sys
from collections import Counter
from functools import partial
from html import unescape
from math import inf
from random import Random
from time import sleep

import pytest
from conftest import moves_to, naming
from games import Nim
from lab import CubeGame, Explorer, GameBoard
from lab.boards.game import Score
from oracles import CUBE, UNFINISHED
from waiting import LONG

from ttt import PLAYERS, Board, Player, greedy, open_lines, svg
from ttt.board import BoardError, CellTaken, GameOver, OffBoard
from ttt.heuristics import move_values
from ttt.notation import signed
from ttt.players.perfect import prospect
from ttt.players.player import PlayerError
from ttt.players.rules import threats
from ttt.search import minimax


@pytest.fixture(autouse=True)
def notebook(monkeypatch):
    """In each test a heuristic has time to give its numbers, however slow the machine is."""
    monkeypatch.setattr("lab.boards.game.MAX_JUDGING_SECONDS", LONG)


def click(game, cell):
    game._handle_custom_msg({"do": "play", "value": str(cell)}, [])


def cells(game):
    """What a screen reader says about each cell on the page, without its place."""
    names = re.findall(r'aria-label="cell \d+, (?:layer \d, )?row \d, (column \d[^"]*)"', game.html)
    return [name.partition(", ")[2] for name in names]


def said_of(game, word):
    """The cells about which this is said, such as "hint"."""
    return [cell for cell, words in enumerate(cells(game)) if word in words.split(", ")]


def values(game):
    """The number in each cell."""
    return [(re.findall(r"value (.*)", words) or [""])[0] for words in cells(game)]


def numbers(game):
    """The number in each free cell."""
    return {cell: float(text.replace("−", "-")) for cell, text in enumerate(values(game)) if text}


def best(game):
    """The cells with the highest numbers."""
    return {cell for cell, number in numbers(game).items() if number == max(numbers(game).values())}


def can_play(game):
    """Whether a click makes a move."""
    return 'class="cell free"' in game.html


def menu(game, action):
    """The labels of a menu's options."""
    options = re.search(rf'<select data-do="{action}">(.*?)</select>', game.html)[1]
    return re.findall(r">([^<]+)</option>", options)


def about(game):
    """What the page says about the opponent and the numbers."""
    return unescape(re.sub("<.*?>", "", " ".join(re.findall(r'<p class="about">(.*?)</p>', game.html))))


def saw(game):
    """What the page says about the numbers the computer saw before its move; "" if nothing."""
    caption = re.search(r"<figcaption>(.*?)</figcaption>", game.html)
    return unescape(re.sub("<.*?>", "", caption[1])) if caption else ""


def press(game, label):
    action = re.search(rf'data-do="(\w+)"[^>]*>{label}<', game.html)[1]
    game._handle_custom_msg({"do": action, "value": None}, [])


ENDS = [
    ("X", Score(person=1), "You win! X has 3 in a row."),
    ("O", Score(computer=1), "You lose. flash-clever has 3 in a row. O plays cell 6."),
    (None, Score(draws=1), "It's a draw. The board is full and nobody has a line."),
]


@pytest.mark.parametrize("winner, end, said", ENDS)
def test_wins_losses_and_draws_are_announced_with_the_last_move_and_scored(winner, end, said):
    game = GameBoard("flash-clever")
    moves = moves_to(winner)
    for move in moves:
        assert game.tone == "" and can_play(game) and ('class="last"' in game.html) == (game.board != Board())
        click(game, move)
    assert (game.message, game.tone, game.score) == (said, "end", end) and not can_play(game)
    assert 'class="last"' not in game.html  # the winning line is enough
    assert f"You {end.person} · Computer {end.computer} · Draws {end.draws}<" in game.html
    press(game, "New game")
    assert game.board == Board() and game.score == end
    for move in moves:
        click(game, move)
    score = game.score
    assert sum((score.person, score.computer, score.draws)) == 2
    game.person = "O"
    assert game.score == score


@pytest.mark.parametrize("make", [GameBoard, CubeGame, lambda: GameBoard(start=Nim(12)), Explorer])
def test_each_control_on_the_page_has_a_handler_that_changes_the_page(make):
    widget = make()
    control = r'<(?:button|input|select)[^>]*data-do="(\w+)"(?:[^>]*data-value="([^"]*)")?'
    values = {"person": "O", "look": "turned", "opponent": "random", "step": 3, "order": "row-major"}
    values |= {"position": "Much to cut off", "sees": True, "threats": True, "numbers": make is CubeGame}
    for action, value in dict(re.findall(control, widget.html)).items():
        before, said = widget.get_state(["html", "parts"]), widget.said["count"]
        widget.do(action, value or values.get(action))
        assert widget.get_state(["html", "parts"]) != before or widget.said["count"] > said, action
        assert "stopped with" not in widget.message, widget.message


def test_the_board_says_how_to_move_and_how_the_games_ended():
    assert GameBoard().message == "You are X. Click a free cell, press keys 0 to 8, or use the arrow keys and Enter."
    layers = "You are X. Click a free cell, or use the arrow keys, Page Up, Page Down and Enter."
    assert CubeGame("cube-easy").message == layers
    assert str(Score(1, 2, 3)) == "You 1 · Computer 2 · Draws 3"
    game = GameBoard("flash-clever")
    game.play(4)
    assert repr(game) == "O plays cell 0. Your move.\nO - -\n- X -\n- - -\nYou 0 · Computer 0 · Draws 0"


def test_the_computer_begins_when_the_person_plays_o():
    game = GameBoard("flash-clever", person="O")
    assert game.board == Board().play(4) and naming("X plays cell 4", "your move").search(game.message)
    game.do("person", "X")
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
    assert game.message == "You took your move back. You are X: choose again."
    for _ in moves[1:]:
        press(game, "Undo")
    assert game.board == Board()
    press(game, "Undo")
    assert (game.message, game.tone) == ("You have no move to take back.", "error")
    with pytest.raises(BoardError, match=game.message):
        game.undo()


def test_every_hint_is_a_best_move():
    for board in Random(5).sample(UNFINISHED, 60):
        game, best = GameBoard("random", start=board, person=board.turn), minimax(board).best_moves
        lines = {cell: open_lines(board.play(cell), board.turn) for cell in board.moves if cell in best}
        soonest = {cell: prospect(board.play(cell), board.turn) for cell in best}
        cell = game.hint()
        most = max(lines[each] for each in best if soonest[each] == max(soonest.values()))
        assert soonest[cell] == max(soonest.values()) and lines[cell] == most


TEN_FREE = Board((3, 4), 3).play(0).play(1)  # as many free cells as are searched to the end
HINTS = [  # the board, whose turn it is, and the hint
    ("XX- OO- ---", "X", "cell 2. It completes your line."),
    ("X-- OO- --X", "X", "cell 5. It stops O's line."),
    ("--- --- ---", "X", "cell 4. It leaves you with 4 more lines to complete than O."),
    ("--- -X- ---", "O", "cell 0. It leaves you with 1 fewer line to complete than X."),
    ("--- --- XOX", "O", "cell 4. It leaves you with as many lines to complete as X."),
    ("X-O -O- --X", "X", "cell 6. It stops O's line. You can win from here."),
    ("X-O --- --X", "O", "cell 4. It stops X's line. But your opponent can still win."),
    ("-X- --- --O", "X", "cell {}. It leaves you with 1 more line to complete than O. You can win from here."),
    (TEN_FREE, "X", "cell 5. It leaves you with 3 more lines to complete than O. You can win from here."),
    (CUBE.play(0).play(21), "X", "cell 3. From here the first player wins, whatever the other side does."),
]


@pytest.mark.parametrize("text, person, hint", HINTS)
def test_hint_points_at_a_best_move_and_says_why(text, person, hint):
    start = Board.from_text(text) if isinstance(text, str) else text
    game = GameBoard("random", start=start, person=person)
    press(game, "Hint")
    [hinted] = said_of(game, "hint")
    assert (game.message, game.tone) == (f"Hint: {hint.format(hinted)}", "hint")
    assert re.search(rf"Hint: cell {hinted}\.", game.message)
    click(game, hinted)
    assert said_of(game, "hint") == []


NO_NUMBERS = ("random", "line-counts", "rules-coded", "rules", "cube-report", "cube-easy", "cube-hard", "cube-perfect")


@pytest.mark.parametrize("name", PLAYERS)
def test_what_the_computer_sees_is_what_this_player_judges_by(name):
    """It plays where its number is highest, except for the lines that some players fill first."""
    player, rng, compared = PLAYERS[name], Random(6), 0
    fills = name in ("flash-clever", "flash-fixed", "cube-medium")
    for _ in range(20):
        board = Board(player.shape or (3, 3))
        for _ in range(rng.randrange(6)):
            board = board.play(rng.choice(board.moves))
        game = GameBoard(player, start=board, person=board.turn, rng=rng)
        game.do("sees", True)
        numbers = [cell for cell, value in enumerate(values(game)) if value]
        assert numbers == ([] if name in NO_NUMBERS else list(board.moves))
        if name in NO_NUMBERS:
            told = f"{name} doesn't use numbers. `GameBoard(…, heuristic=…)` shows those of a heuristic."
            assert game.message == told and told.replace("`", "") in about(game)
        elif not (fills and any(threats(board, mark) for mark in "XO")):
            policy = player.policy(board)
            likeliest = {cell for cell, chance in policy.items() if chance == max(policy.values())}
            assert likeliest <= best(game)
            compared += 1
    assert compared > 5 or name in NO_NUMBERS


def test_a_function_without_numbers_is_shown_with_none_and_a_given_heuristic_comes_first():
    game = GameBoard(broken)
    game.do("sees", True)
    assert naming("broken doesn't use numbers").search(game.message)
    assert values(game) == [""] * 9
    game.opponent = "negamax"
    result = naming("outcome", "your point of view", "win +1", "draw 0", "loss −1")
    assert values(game) == ["0"] * 9 and result.search(about(game))
    game = GameBoard("perfect", heuristic=open_lines)
    game.do("sees", True)
    assert values(game) == [signed(value) for value in move_values(open_lines, Board()).values()]
    assert naming("open_lines", "your point of view", "lines still open").search(about(game))
    assert "outcome" not in about(game)


def test_if_a_rule_decided_the_board_names_the_rule_and_no_number():
    """The flash computer fills the first line with two equal marks, whatever its numbers are."""
    highest = 0
    for board in [one for one in UNFINISHED if len(one.moves) == 7]:
        game = GameBoard("flash-clever", start=board)
        game.do("sees", True)
        game.play(board.moves[0])
        before = board.play(board.moves[0])
        wins = any(line.count("O") == 3 for line in game.board.lines)
        blocks = any(line.count("X") == 2 and line.count("-") == 1 for line in before.lines)
        rule = "completed its line" if wins else "blocked" if blocks else ""
        seen = move_values(open_lines, before)
        number = signed(seen[game._plies[-1].move])
        reason = f"{rule} in the coloured cell without looking at the numbers"
        why = f"It {reason}." if rule else f"It chose the coloured cell, {number}."
        assert saw(game) == f"What flash-clever saw as O before its move. {why}"
        highest += bool(rule) and seen[game._plies[-1].move] == max(seen.values())
    assert highest > 5  # the number alone would seem to have decided


def test_the_numbers_the_computer_chose_by_are_shown_after_its_move():
    game = GameBoard("flash-clever")
    game.do("sees", True)
    assert values(game) == ["+3", "+2", "+3", "+2", "+4", "+2", "+3", "+2", "+3"] and 'class="saw"' not in game.html
    game.play(4)
    before = Board().play(4)
    figure = game.html.partition('<figure class="saw">')[2]
    assert str(svg.draw(before, values=move_values(open_lines, before), fills={0: "#ffe08a"})) in figure
    game.do("sees", False)
    assert 'class="saw"' not in game.html and values(game) == [""] * 9


def test_the_board_does_not_say_that_the_computer_chose_by_another_heuristics_numbers():
    game = GameBoard("rules", heuristic=open_lines)
    game.do("sees", True)
    game.play(4)
    assert values(game).count("") < 9 and 'class="saw"' not in game.html
    mine = GameBoard(last_free, heuristic=open_lines)  # your own function may well use it
    mine.do("sees", True)
    mine.play(4)
    assert saw(mine) == "What last_free saw as O before its move. It played the coloured cell, −1."
    mine.opponent = lambda board: board.moves[1]
    mine.new_game()
    mine.play(4)
    assert saw(mine).endswith("It played the coloured cell, although other numbers are higher.")
    mine.opponent = "flash-clever"
    assert saw(mine) == ""  # which hasn't moved


@pytest.mark.parametrize("start", [Board(), Nim(12)], ids=repr)
def test_the_board_does_not_wait_for_an_endless_search_to_show_its_numbers_and_the_game_continues(monkeypatch, start):
    def endless_worth(here, player):
        while True:
            pass

    game = GameBoard(last_free, start=start, heuristic=endless_worth)
    monkeypatch.setattr("lab.boards.game.MAX_JUDGING_SECONDS", 0.1)
    game.do("sees", True)
    assert naming("endless_worth", "0.1 s", "none are shown").search(game.message) and game.tone == "error"
    assert not any(values(game))
    game.play(start.moves[0])
    assert len(game._plies) == 3


FAULTY = [  # a heuristic, and what the board must name
    (lambda board, player: None, ["<lambda> returned None for Board", ": is its `return` missing?"]),
    (lambda board, player: 1 / 0, ["<lambda> stopped with ZeroDivisionError: division by zero, in line", "1 / 0"]),
    (lambda board, player: inf, ["<lambda> returned inf for Board", ": it must be a finite number."]),
]


@pytest.mark.parametrize("heuristic, words", FAULTY)
def test_a_faulty_heuristic_is_blamed_itself_and_the_game_continues(heuristic, words):
    game = GameBoard("flash-clever", heuristic=heuristic)
    game.do("sees", True)
    assert all(part in game.message for part in words) and game.tone == "error" and values(game) == [""] * 9
    click(game, 4)
    assert game.board == Board().play(4).play(0) and "".join(game.board) == "O---X----"
    assert game.message == "O plays cell 0. Your move." and all(part.replace("`", "") in about(game) for part in words)


def looks_too_far(board):
    return board.play(board.moves[0]).play(board.moves[0])


def empty_choice(board):
    return Random(1).choice([])


def asks_half(board):
    raise ValueError("0.5 is no cell")


def helper(board):
    return 1 / 0


def asks_helper(board):
    return helper(board)


def my_worth(board, player):
    return helper(board)


def leaves(board):
    sys.exit("enough")


def broken(board):
    return [][3]


def interrupted(*_):
    raise KeyboardInterrupt


TAKEN = "CellTaken, in line {}: `{}`. Cell 0, (0, 0), is taken by O. Free cells: 1, 2, 3, 5, 6, 7, 8."
HELPER = "ZeroDivisionError: division by zero, in line {}, in `helper`: `{}`."
STOPPED = [  # a player, its name, what stopped it, and the function whose line is told
    (looks_too_far, "looks_too_far", TAKEN, looks_too_far),
    (empty_choice, "empty_choice", "IndexError: Cannot choose from an empty sequence, in line {}: `{}`.", empty_choice),
    (asks_half, "asks_half", "ValueError: 0.5 is no cell, in line {}: `{}`.", asks_half),
    (asks_helper, "asks_helper", HELPER, helper),
    (greedy(my_worth), "my-worth", HELPER, helper),
    (leaves, "leaves", "SystemExit: enough, in line {}: `{}`.", leaves),
]


@pytest.mark.parametrize("player, name, error, where", STOPPED)
def test_what_stops_a_player_is_shown_with_the_line_of_the_students_code(player, name, error, where):
    line = where.__code__.co_firstlineno + 1
    stopped = error.format(line, linecache.getline(__file__, line).strip())
    game = GameBoard(player)
    click(game, 4)
    said = f"Your player `{name}` stopped with {stopped} Correct it, and run its cell and the board's again."
    assert (game.message, game.tone, game.board) == (said, "error", Board().play(4))


def test_a_wrong_move_and_an_interruption_are_shown():
    free = "It must return a free cell: 0, 1, 2, 3, 5, 6, 7, 8."
    for player, said in (
        (lambda board: 4, f"<lambda> returned 4, which is taken by X. {free}"),
        (interrupted, "interrupted was interrupted before it answered."),
    ):
        game = GameBoard(player)
        click(game, 4)
        assert (game.message, game.tone, game.board) == (said, "error", Board().play(4))


def test_a_move_that_cannot_be_made_is_explained_and_nothing_is_lost():
    game = GameBoard("flash-clever", start=Board.from_text("XX- OO- ---"))
    for cells, error, said in [
        ([0], CellTaken, "Cell 0 already holds X. Choose a free cell."),
        ([4], CellTaken, "Cell 4 already holds O. Choose a free cell."),
        ([9], OffBoard, "There is no cell 9. A cell is an index from 0 to 8 or coordinates from (0, 0) to (2, 2)."),
        ([1, 2], OffBoard, "Coordinates must be a tuple, in brackets of their own: write `play((1, 2))`."),
    ]:
        with pytest.raises(error, match=re.escape(said)):
            game.play(*cells)
        assert (game.message, game.tone, game.board.turn) == (said, "error", "X")
    game.play((0, 2))
    won = "You win! X has 3 in a row."
    for after_the_end in (lambda: game.play(8), game.hint):
        with pytest.raises(GameOver):
            after_the_end()
        assert (game.message, game.tone) == (f"{won} Press New game to play another.", "end")
    game = GameBoard(start=game.board)
    assert game.message == won and game.score == Score()


def test_if_the_opponent_has_stopped_another_one_or_undo_helps():
    game = GameBoard(broken)
    click(game, 4)
    told = "It is O's turn, but broken has not moved. Undo your move, or choose another opponent."
    with pytest.raises(BoardError, match=told):
        game.play(0)
    game.opponent = "flash-clever"
    assert game.message == "O plays cell 0. Your move."
    game.opponent = broken
    with pytest.raises(IndexError):
        game.play(8)
    game.undo()
    assert game.board == Board.from_text("O-- -X- ---")
    with pytest.raises(IndexError):
        game.person = "O"
    game.opponent = lambda board: 7
    assert game.board == Board().play(7)


def test_the_menu_offers_players_that_can_play_here_and_your_own_that_this_board_has_met():
    def random(board):
        return board.moves[-1]

    game = GameBoard(random, start=Board((7, 7), 5))
    *offered, own = menu(game, "opponent")
    assert own == "random (yours)" and {"random", "flash-clever"} <= set(offered)
    assert not {"perfect", "negamax", "beatable", "cube-easy"} & set(offered)
    for name in offered:
        PLAYERS[name].policy(Board((7, 7), 5))
    game.play(0)
    assert game.board == Board((7, 7), 5).play(0).play(48)
    game.do("opponent", "random")
    assert game.opponent is PLAYERS["random"] and menu(game, "opponent") == [*offered, own]
    assert game.message == "You now play against random. Your move."
    game.do("opponent", own)
    game.new_game()
    game.play(1)
    assert game.board == Board((7, 7), 5).play(1).play(48)


def stubborn(board):
    while True:
        try:
            board.play(9)
        except:  # noqa: E722
            continue


def sleepy(board):
    sleep(1000)


def counts(board):
    return sum(1 for _ in iter(int, 1))  # in one line, which the board must name


@pytest.mark.parametrize(
    "player, words",
    [
        (counts, ["no answer within 0.25 seconds", "iter(int, 1)", "endless loop"]),
        (stubborn, ["no answer within 0.25 seconds", "`", "endless loop"]),
        (sleepy, ["still waiting after 0.5 seconds", "sleep(1000)"]),
    ],
)
def test_when_a_players_time_is_up_the_board_says_where_it_was_and_the_game_stays_as_it_was(monkeypatch, player, words):
    monkeypatch.setattr("lab.boards.game.MAX_THINKING_SECONDS", 0.25)
    monkeypatch.setattr("lab.timeouts.MAX_WAITING_SECONDS", 0.5)
    game = GameBoard(player)
    for cell in (4, 8):
        click(game, cell)
        assert naming(player.__name__, "in line", *words).search(game.message)
        assert ("endless" in game.message) == ("endless loop" in words)
        assert game.tone == "error" and game.board == Board().play(cell)
        game.undo()
    game.opponent = last_free
    assert game.board == Board() and "Your move" in game.message


def test_without_threads_the_time_limit_ends_a_loop_too(monkeypatch):
    game = GameBoard(counts)
    monkeypatch.setattr("lab.boards.game.MAX_THINKING_SECONDS", 0.2)
    monkeypatch.setattr("threading.Thread.start", None)
    monkeypatch.setattr("lab.timeouts.THREADS", False)
    click(game, 4)
    told = naming("counts", "no answer within 0.2 seconds", "in line", "iter(int, 1)")
    assert told.search(game.message.replace("`", "")) and game.board == Board().play(4)


# --------------------------------------------------------------------------------------------------------- the cube


def last_free(board):
    return board.moves[-1]


def test_the_persons_move_is_shown_while_the_computer_thinks():
    seen = []

    def looks(board):
        seen.append((can_play(game), "".join(game.board), game.tone, game.message))
        return board.moves[-1]

    game = GameBoard(looks)
    click(game, 4)
    assert seen == [(False, "----X----", "thinking", "looks is thinking.")] and can_play(game) and game.tone == ""


def test_a_move_for_a_game_that_is_gone_is_not_made():
    """As when a cell of the notebook starts a new game while the computer thinks about a click."""

    def distracted(board):
        if len(board.moves) == 6:
            game.new_game()
        return board.moves[-1]

    game = GameBoard(distracted)
    for cell in (0, 1):
        click(game, cell)
    assert game.board == Board() and naming("You are X").search(game.message) and game.tone == ""


class Listed(list):
    """A heuristic that is a list of others, and so has no hash."""

    def __call__(self, board, player):
        return sum(one(board, player) for one in self)


@pytest.mark.parametrize("as_opponent", [True, False])
def test_a_heuristic_may_be_any_callable_also_one_without_a_hash(as_opponent):
    made = Listed([open_lines, partial(open_lines)])
    game = GameBoard(greedy(made, "mine")) if as_opponent else GameBoard(heuristic=made)
    game.do("sees", True)
    assert game.tone == "" and numbers(game) == move_values(made, Board())
    click(game, 4)
    assert len(game.board.moves) == 7 and numbers(game) == move_values(made, game.board)


@pytest.mark.parametrize(
    "opponent, start, words",
    [
        *((name, Board(), [name, "4×4×4", "3×3"]) for name in PLAYERS if name.startswith("cube-")),
        ("perfect", Board(shape=(4, 4), k=4), ["perfect", "free cells", "4×4"]),
        ("cube-easy", Board(shape=(4, 4, 4), k=3), ["cube-easy", "4 in a row"]),
        ("perfect", Nim(3), ["perfect", "boards only"]),
    ],
)
def test_a_player_of_another_board_is_refused_at_once_and_never_called_yours(opponent, start, words):
    with pytest.raises((BoardError, PlayerError), match=naming(*words)):
        GameBoard(opponent, start=start)
    game = GameBoard(start=start)
    before = game.opponent
    with pytest.raises((BoardError, PlayerError), match=naming(*words)):
        game.opponent = opponent
    assert naming(*words).search(game.message) and game.opponent == before and "yours" not in game.html


def test_a_player_that_can_play_from_the_next_move_on_may_play():
    game = GameBoard(Player("last", last_free, max_free=3), start=Board((2, 2)))
    game.play(0)
    assert len(game.board.moves) == 2


DIAGONAL = CUBE.play(0).play(1).play(21).play(2).play(42).play(5)  # X needs cell 63
THREATENED = [  # a board, and the cells that X and O need
    (Board.from_text("XX- OO- ---"), [2], [5]),
    (Board.from_text("XX- OOO X--"), [], []),  # O has won
    (DIAGONAL, [63], []),
]


def test_on_the_cube_the_ends_of_the_line_are_told():
    game = GameBoard(last_free, start=DIAGONAL)
    game.play(63)
    assert game.message == "You win! X has 4 in a row, from cell 0 to cell 63."


@pytest.mark.parametrize("board, x, o", THREATENED)
def test_threats_are_drawn_below_the_marks_and_their_cells_say_whose_they_are(board, x, o):
    game = GameBoard(last_free, start=board)
    assert "would complete" not in game.html and 'class="threat"' not in game.html
    game.do("threats", True)
    assert [said_of(game, f"{mark} would complete a line") for mark in "XO"] == [x, o]
    assert game.html.count('class="threat"') == len(x + o)
    assert not x or game.html.rindex('class="threat"') < game.html.index('class="mark-')


def labels(game):
    """The labels of the cells, as they are drawn and as a screen reader says them."""
    said = [text for text in values(game) if text]
    drawn = re.findall(r"<text [^>]*>([^<]*)</text>", game.html.partition('role="row"')[0])
    assert Counter(said) <= Counter(drawn) and "<b>" not in game.html
    return said


@pytest.mark.parametrize("board", [GameBoard, CubeGame])
def test_free_cells_have_labels_until_they_are_taken_or_their_numbers_are_shown(board):
    game = board(last_free, heuristic=open_lines, labels={0: "<b>", 1: "1", len(board().board) - 1: "last"})
    assert labels(game) == ["&lt;b&gt;", "1", "last"]
    game.play(0)
    assert labels(game) == ["1"]  # the computer has taken the last cell
    game.do("sees", True)
    assert len(labels(game)) == len(game.board.moves)
    game.do("sees", False)
    game.undo()
    assert labels(game) == ["&lt;b&gt;", "1", "last"]


def test_what_the_perfect_player_promises_is_said_with_its_move_and_it_promises_only_what_is_proved():
    game = CubeGame("cube-perfect", person="O")
    first = "X plays cell 0 (layer 1, row 1, column 1)."
    assert game.message == f"{first} cube-perfect: “From here I win, whatever you do.” Your move."
    second = CubeGame("cube-perfect")
    second.play(0)
    answer = "O plays cell 3 (layer 1, row 1, column 4)."
    assert second.message == f"{answer} cube-perfect: “From here I promise nothing.” Your move."
    other = CubeGame("cube-hard")
    other.play(0)
    assert "“" not in other.message
