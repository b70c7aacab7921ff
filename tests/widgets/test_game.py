"""The game on screen, driven as the screen does it and as Python does."""

import linecache
import re
import sys
from collections import Counter
from itertools import product
from math import inf
from random import Random
from threading import Event
from time import monotonic, sleep

import pytest
from conftest import moves_to

from ttt import PLAYERS, Board, BoardView, CubeGame, GameBoard, Player, greedy, open_lines
from ttt.board import BoardError, CellTaken, GameOver, OffBoard
from ttt.drawing import svg
from ttt.drawing.svg import signed
from ttt.heuristics import move_values
from ttt.players.rules import threats
from ttt.runtime.limits import end
from ttt.search import minimax
from ttt.widgets.game import Score

CUBE = Board(shape=(4, 4, 4))


@pytest.fixture(autouse=True)
def no_players_of_ones_own(monkeypatch):
    """Each test is a notebook of its own."""
    monkeypatch.setattr("ttt.widgets.game.OWN", {})


def click(game, cell):
    game._handle_custom_msg({"do": "play", "value": str(cell)}, [])


def cells(game):
    """What a screen reader says of each cell on the page, without its place."""
    return [
        name.partition(", ")[2]
        for name in re.findall(r'aria-label="cell \d+, (?:layer \d, )?row \d, (column \d[^"]*)"', game.html)
    ]


def said_of(game, word):
    """The cells of which something is said, such as that they are a hint."""
    return [cell for cell, words in enumerate(cells(game)) if word in words.split(", ")]


def values(game):
    """The number in each cell."""
    return [(re.findall(r"value (.*)", words) or [""])[0] for words in cells(game)]


def best(game):
    """The cells with the highest numbers."""
    numbers = {cell: float(text.replace("−", "-")) for cell, text in enumerate(values(game)) if text}
    return {cell for cell, number in numbers.items() if number == max(numbers.values())}


def can_play(game):
    """Whether a click makes a move."""
    return 'class="cell free"' in game.html


def menu(game, action):
    """What a menu offers, by its labels."""
    options = re.search(rf'<select data-do="{action}">(.*?)</select>', game.html)[1]
    return re.findall(r">([^<]+)</option>", options)


def press(game, label):
    action = re.search(rf'data-do="(\w+)"[^>]*>{label}<', game.html)[1]
    game._handle_custom_msg({"do": action, "value": None}, [])


def sample(positions, count, free=9):
    """Positions in which a game goes on, with no more free cells than this."""
    going_on = (board for board in positions if len(board.moves) <= free and not board.over)
    return Random(5).sample(sorted(going_on, key=str), count)


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
    assert game.message.endswith(sentence) and game.tone == "end" and not can_play(game)
    assert game.score == end
    press(game, "New game")
    assert game.board == Board() and game.score == end
    for move in moves:
        click(game, move)
    assert sum((game.score.person, game.score.computer, game.score.draws)) == 2


def test_the_computer_begins_when_the_person_plays_o():
    game = GameBoard("flash-clever", person="O")
    assert game.board == Board().play(4) and game.message == "X plays cell 4. Your move."
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
    for _ in moves[1:]:
        press(game, "Undo")
    assert game.board == Board()
    press(game, "Undo")
    assert game.message == "There is no move of yours to take back." and game.tone == "error"
    with pytest.raises(BoardError, match="no move of yours"):
        game.undo()


def test_every_hint_is_a_best_move(positions):
    for board in sample(positions, 60):
        game = GameBoard("random", start=board, person=board.turn)
        assert game.hint() in minimax(board).best_moves


HINTS = [  # the board, whose turn it is, the cell or None for any, and what is said of it
    ("XX- OO- ---", "X", 2, "Hint: cell 2. It completes your line."),
    ("X-- OO- --X", "X", 5, "Hint: cell 5. It stops O's line."),
    ("--- --- ---", "X", 4, "Hint: cell 4. It leaves you 4 more lines to complete than O."),
    ("-X- --- --O", "X", None, "It leaves you 1 more line to complete than O. You can win from here."),
    ("X-O -O- --X", "X", 6, "Hint: cell 6. It stops O's line. You can win from here."),
    ("X-O --- --X", "O", 4, "Hint: cell 4. It stops X's line. But your opponent can win from here."),
    (
        CUBE.play(0).play(21),
        "X",
        3,
        "Hint: cell 3. From here the first player wins, whatever the other side does.",
    ),
]


@pytest.mark.parametrize("text, person, cell, sentence", HINTS)
def test_hint_points_at_a_best_move_and_says_why(text, person, cell, sentence):
    start = Board.from_text(text) if isinstance(text, str) else text
    game = GameBoard("random", start=start, person=person)
    press(game, "Hint")
    [hinted] = said_of(game, "hint")
    assert cell in (hinted, None) and game.message.endswith(sentence)
    click(game, hinted)
    assert said_of(game, "hint") == []


NO_NUMBERS = ("random", "line-counts", "rules-coded", "rules", "cube-report", "cube-easy", "cube-hard", "cube-perfect")


def test_perfect_sees_the_values_of_minimax_that_prefers_an_early_win(positions):
    for board in sample(positions, 20, free=6):
        game = GameBoard("perfect", start=board, person=board.turn)
        game.do("sees", True)
        worth = {cell: signed(value) for cell, value in minimax(board, sooner=True).values.items()}
        assert values(game) == [worth.get(cell, "") for cell in range(9)]


@pytest.mark.parametrize("name", PLAYERS)
def test_what_the_computer_sees_is_what_this_player_judges_by(name):
    """It plays where its number is highest, but for the lines that some fill first."""
    player, rng, compared = PLAYERS[name], Random(6), 0
    fills = name in ("flash-clever", "flash-mended", "cube-medium")
    for _ in range(20):
        board = Board(player.shape or (3, 3))
        for _ in range(rng.randrange(6)):
            board = board.play(rng.choice(board.moves))
        game = GameBoard(player, start=board, person=board.turn, rng=rng)
        game.do("sees", True)
        numbers = [cell for cell, value in enumerate(values(game)) if value]
        assert numbers == ([] if name in NO_NUMBERS else list(board.moves))
        if name in NO_NUMBERS:
            assert game.message.startswith(f"{name} gives the cells no numbers")
            assert game.message in game.html
        elif not (fills and any(threats(board, mark) for mark in "XO")):
            policy = player.policy(board)
            likeliest = {cell for cell, chance in policy.items() if chance == max(policy.values())}
            assert likeliest <= best(game)
            compared += 1
    assert compared > 5 or name in NO_NUMBERS


def test_a_function_that_tells_no_numbers_is_shown_with_none_and_a_heuristic_that_is_given_wins():
    game = GameBoard(broken)
    game.do("sees", True)
    assert game.message.startswith("broken gives the cells no numbers")
    assert values(game) == [""] * 9
    game.opponent = "negamax"
    assert values(game) == ["0"] * 9 and "how the game ends" in game.html
    game = GameBoard("perfect", heuristic=open_lines)
    game.do("sees", True)
    assert values(game) == [signed(value) for value in move_values(open_lines, Board()).values()]
    assert "the open lines of the side to move" in game.html


def test_where_a_rule_decided_the_board_names_it_and_does_not_say_that_a_number_was_chosen(positions):
    """The flash computer fills the first line with two equal marks, whatever its numbers are."""
    highest = 0
    for board in sorted((one for one in positions if len(one.moves) == 7), key=str):
        game = GameBoard("flash-clever", start=board)
        game.do("sees", True)
        game.play(board.moves[0])
        before = board.play(board.moves[0])
        wins = any(line.count("O") == 3 for line in game.board.lines)
        blocks = any(line.count("X") == 2 and line.count("-") == 1 for line in before.lines)
        rule = "completed its line" if wins else "blocked" if blocks else ""
        assert (f"It {rule}, in the coloured cell, and did not ask the numbers." in game.html) == bool(rule)
        assert ("It chose " in game.html) == (not rule)
        seen = move_values(open_lines, before)
        highest += bool(rule) and seen[game._last] == max(seen.values())
    assert highest > 5  # where the number alone would seem to have decided


def test_the_numbers_by_which_the_computer_chose_are_shown_after_its_move():
    game = GameBoard("flash-clever")
    game.do("sees", True)
    assert values(game) == ["+3", "+2", "+3", "+2", "+4", "+2", "+3", "+2", "+3"] and 'class="saw"' not in game.html
    game.play(4)
    before = Board().play(4)
    saw = game.html.partition('<figure class="saw">')[2]
    assert str(svg.draw(before, values=move_values(open_lines, before), fills={0: "#ffe08a"})) in saw
    assert "What flash-clever saw before its move, as O. It chose −1" in saw
    game.do("sees", False)
    assert 'class="saw"' not in game.html and values(game) == [""] * 9


def test_numbers_of_another_heuristic_are_not_said_to_be_those_by_which_it_chose():
    game = GameBoard("rules", heuristic=open_lines)
    game.do("sees", True)
    game.play(4)
    assert values(game).count("") < 9 and 'class="saw"' not in game.html
    mine = GameBoard(last_free, heuristic=open_lines)  # one's own function may well use it
    mine.do("sees", True)
    mine.play(4)
    assert "What last_free saw before its move, as O. It played −1, the coloured cell" in mine.html


def test_a_search_without_an_end_is_not_waited_for_when_its_numbers_are_to_be_shown():
    def endless_worth(board, player):
        while True:
            pass

    game = GameBoard("flash-clever", heuristic=endless_worth, seconds=0.25)
    game.do("sees", True)
    assert "endless_worth had not judged every move after 0.25 s" in game.message and values(game) == [""] * 9


FAULTY = [
    (lambda board, player: None, "<lambda> returned None"),
    (lambda board, player: 1 / 0, "<lambda> stopped with ZeroDivisionError"),
    (lambda board, player: inf, "must be a finite number"),
]


@pytest.mark.parametrize("heuristic, fault", FAULTY)
def test_a_faulty_heuristic_is_blamed_itself_and_the_game_goes_on(heuristic, fault):
    game = GameBoard("flash-clever", heuristic=heuristic)
    game.do("sees", True)
    assert fault in game.message and game.tone == "error" and values(game) == [""] * 9
    click(game, 4)
    assert game.board == Board().play(4).play(0) and "".join(game.shown) == "O---X----"
    assert re.match(rf"O plays cell 0\. Your move\.\n.*{fault}", game.message)


def looks_too_far(board):
    return board.play(board.moves[0]).play(board.moves[0])


def empty_choice(board):
    return Random(1).choice([])


def helper(board):
    return 1 / 0


def asks_helper(board):
    return helper(board)


def my_worth(board, player):
    return helper(board)


def broken(board):
    return [][3]


def interrupted(*_):
    raise KeyboardInterrupt


STOPPED = [
    (looks_too_far, "looks_too_far stopped with CellTaken: Cell 0, (0, 0), is taken by O", looks_too_far),
    (empty_choice, "empty_choice stopped with IndexError", empty_choice),
    (asks_helper, "asks_helper stopped with ZeroDivisionError: division by zero", helper),
    (greedy(my_worth), "my-worth stopped with ZeroDivisionError: division by zero", helper),
    (lambda board: 4, "<lambda> returned 4, which is taken by X. It must be a free cell: 0, 1, 2", None),
    (lambda board: sys.exit("enough"), "<lambda> stopped with SystemExit: enough", None),
    (interrupted, "interrupted was interrupted before it had answered.", None),
]


@pytest.mark.parametrize("player, fault, where", STOPPED)
def test_what_stops_a_player_is_told_with_the_line_of_the_students_code(player, fault, where):
    game = GameBoard(player)
    click(game, 4)
    assert game.message.startswith(fault) and game.board == Board().play(4)
    if where:
        line = where.__code__.co_firstlineno + 1
        assert f"in line {line}" in game.message
        assert game.message.endswith(linecache.getline(__file__, line).strip())


def test_coordinates_without_their_own_brackets_are_told_how_to_be_written():
    game = GameBoard("flash-clever")
    for play in (game.play, game.board.play):
        with pytest.raises(OffBoard, match=r"write play\(\(1, 2\)\)"):
            play(1, 2)
    assert "write play((1, 2))" in game.message and game.board == Board()


def test_a_move_that_cannot_be_made_is_told_and_nothing_is_lost():
    game = GameBoard("flash-clever", start=Board.from_text("XX- OO- ---"))
    for cell, error, sentence in [
        (0, CellTaken, "Cell 0 is taken by X. Choose a free cell."),
        (4, CellTaken, "Cell 4 is taken by O. Choose a free cell."),
        (9, OffBoard, "There is no cell 9"),
    ]:
        with pytest.raises(error):
            game.play(cell)
        assert game.message.startswith(sentence) and game.tone == "error" and game.board.turn == "X"
    game.play((0, 2))
    for after_the_end in (lambda: game.play(8), game.hint):
        with pytest.raises(GameOver):
            after_the_end()
        assert game.message == "You win! X has 3 in a row. Press New game to play another." and game.tone == "end"
    game = GameBoard(start=game.board)
    assert game.message == "You win! X has 3 in a row." and game.score == Score()


def test_where_the_opponent_has_stopped_another_one_or_undo_helps():
    game = GameBoard(broken)
    click(game, 4)
    with pytest.raises(BoardError, match="It is O's turn, and broken has not moved"):
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


def test_offered_are_those_who_can_play_here_and_ones_own_players_that_played_on_boards_before():
    def random(board):
        return board.moves[-1]

    game = GameBoard(random, start=Board((7, 7), 5))
    own, *offered = menu(game, "opponent")
    assert own == "random (yours)" and {"random", "flash-clever"} <= set(offered)
    assert not {"perfect", "negamax", "beatable", "cube-easy"} & set(offered)
    for name in offered:
        PLAYERS[name].policy(Board((7, 7), 5))
    game.play(0)
    assert game.board == Board((7, 7), 5).play(0).play(48)
    game.do("opponent", "random")
    assert game.opponent is PLAYERS["random"] and menu(game, "opponent") == [own, *offered]
    later = GameBoard(greedy(my_worth))
    assert menu(later, "opponent")[:2] == [own, "my-worth"]
    later.do("opponent", own)
    later.play(0)
    assert later.board == Board().play(0).play(8)
    earlier, changed = GameBoard(last_free), lambda board: board.moves[0]
    changed.__name__ = "last_free"
    later.opponent = changed  # its cell was run again
    earlier.play(0)
    assert earlier.board == Board().play(0).play(8) and menu(earlier, "opponent").count("last_free") == 1


def test_what_a_search_of_ones_own_thinks_of_each_move_is_asked_once_a_board_and_shown_after_its_move():
    asked = Counter()

    def worth(board, player):
        asked[board] += 1
        value = minimax(board).value
        return value if board.turn == player else -value

    start = Board.from_text("X-- -O- --X")
    game = GameBoard(greedy(worth), start=start, person="O")
    game.do("sees", True)
    for cell in (1, 6):
        right = {cell: -minimax(game.board.play(cell)).value for cell in game.board.moves}
        assert values(game) == [signed(right[cell]) if cell in right else "" for cell in range(9)]
        game.play(cell)
        before = game._boards[-2]
        numbers = {cell: -minimax(before.play(cell)).value for cell in before.moves}
        picture = str(svg.draw(before, values=numbers, fills={game._last: "#ffe08a"}))
        assert picture in game.html and f"It chose {signed(max(numbers.values()))}" in game.html
    assert max(asked.values()) <= 2  # for its move, and to show it


def test_a_game_is_replayed_with_a_slider_and_goes_on_at_its_end():
    game = GameBoard("flash-clever")
    game.play(4)
    game.do("replay", 1)
    assert "".join(game.shown) == "----X----" and game.message == "Replay, move 1 of 2: X plays cell 4."
    assert not can_play(game)
    click(game, 5)
    assert game.message.startswith("This is a replay.") and game.board == Board().play(4).play(0)
    game.do("replay", 2)
    assert "".join(game.shown) == "O---X----" and game.message.endswith("Your move.")
    for cell in moves_to("O", board=game.board):
        click(game, cell)
    game.replay()
    assert game.shown == Board() and game.tone == ""
    game.replay(99)
    assert "You lose" in game.message and game.tone == "end" and game.score == Score(computer=1)


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
    game = GameBoard(player, seconds=0.25)
    for _ in range(2):
        click(game, 4)
        deadline = monotonic() + 10
        while game.thinking or "Your move" not in game.message:  # nobody waits for it but a thread of its own
            assert monotonic() < deadline
            sleep(0.01)
        assert len(game.board.moves) == 7
        assert game.message.startswith(f"{player.__name__} had no move after 0.25 s and was stopped. O plays ")
        assert game.message.endswith(", a quick move of flash-mended. Your move.")
        game.play(game.board.moves[-1])
        assert len(game.board.moves) == 5 and game.message.startswith(player.__name__)
        game.new_game()


def test_the_clock_does_not_hold_for_the_labs_own_players(monkeypatch):
    def slow(board):
        sleep(0.5)
        return board.moves[-1]

    monkeypatch.setitem(PLAYERS, "slow", Player("slow", slow))
    game = GameBoard("slow", seconds=0.1)
    game.play(4)
    assert game.board == Board().play(4).play(8) and game.message == "O plays cell 8. Your move."


def test_without_threads_the_clock_ends_a_loop_too(monkeypatch):
    def counts(board):
        moves = 0
        while board:
            moves += 1

    game = GameBoard(counts, seconds=0.2)
    monkeypatch.setattr("threading.Thread.start", None)
    for module in ("ttt.widgets.game", "ttt.runtime.limits"):
        monkeypatch.setattr(f"{module}.THREADS", False)
    click(game, 4)
    assert game.message.startswith("counts had no move after 0.2 s and was stopped. O plays cell 0")


# --------------------------------------------------------------------------------------------------------- the cube


def last_free(board):
    return board.moves[-1]


class Patient:
    """A player that answers when it is told to, and tells when it has."""

    __name__ = "patient"

    def __init__(self, answer=last_free):
        self.may_answer, self.answered, self.answer = Event(), Event(), answer

    def __call__(self, board):
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


def test_a_click_comes_back_at_once_while_the_computer_thinks_and_says_so():
    game = CubeGame(patient := Patient())
    click(game, 0)
    assert "".join(game.shown)[0] == "X" and game.thinking and not can_play(game)
    assert game.message == "patient is thinking, for 10 s at most. Press Stop to make it move at once."
    assert ">Stop<" in game.html
    with pytest.raises(BoardError, match=r"patient is thinking\. Wait for its move, or press Stop"):
        game.play(1)
    patient.may_answer.set()
    game.wait()
    assert game.board == CUBE.play(0).play(63) and not game.thinking and ">Stop<" not in game.html
    assert game.message == "O plays cell 63. Your move."


def test_an_interrupt_ends_the_thinking_and_is_told_even_if_the_thread_has_ended_at_once(monkeypatch):
    def end_at_once(thread):
        end(thread)
        thread.join(10)

    game = CubeGame(patient := Patient())
    click(game, 0)
    monkeypatch.setattr("ttt.widgets.game.end", end_at_once)
    monkeypatch.setattr(game._thought, "wait", interrupted)
    with pytest.raises(KeyboardInterrupt):
        game.wait()
    assert game.message == "patient was interrupted before it had answered." and not game.thinking
    assert patient.answered.wait(10)
    assert game.board == CUBE.play(0)


@pytest.mark.parametrize("drop", ["New game", "Undo", "another opponent"])
def test_an_answer_that_comes_too_late_does_not_count(drop):
    slow = Patient(lambda board: 9)
    game = CubeGame(slow)
    click(game, 0)
    if drop != "another opponent":
        press(game, drop)
    game.opponent = last_free
    if game.board == CUBE:
        game.play(0)
    slow.may_answer.set()
    assert slow.answered.wait(10)
    sleep(0.05)
    assert game.board == game.shown == CUBE.play(0).play(63) and not game.thinking


@pytest.mark.parametrize("player", ["patient", "stubborn"])
def test_stop_has_a_quick_move_says_whose_and_ends_the_thread(player):
    game = GameBoard(Patient() if player == "patient" else stubborn, seconds=None)
    click(game, 0)
    thread = game._thought.thread
    press(game, "Stop")
    after = Board().play(0).play(PLAYERS["flash-mended"].choose(Board().play(0), None))
    assert game.board == after and not game.thinking and ">Stop<" not in game.html
    assert game.message.startswith(f"{player} was stopped. O plays cell ")
    assert game.message.endswith(", a quick move of flash-mended. Your move.")
    game.stop()
    thread.join(20)
    assert not thread.is_alive() and game.board == after


def test_threats_are_those_of_an_independent_enumeration_and_their_cells_say_whose_they_are():
    assert len(straight_lines()) == 76
    rng, found = Random(4), 0
    for moves in range(64):
        view, board = BoardView(CUBE), CUBE
        while not board.over and 64 - len(board.moves) < moves:
            board = board.play(rng.choice(board.moves))
        marks = "".join(board)
        expected = Counter(
            (mark, line)
            for line in straight_lines()
            for mark in "XO"
            if sorted(marks[cell] for cell in line) == sorted([mark] * 3 + ["-"])
        )
        assert Counter((mark, frozenset(line)) for mark in "XO" for line in threats(board, mark)) == expected
        view.show(board)
        assert "would complete" not in view.html and "threat" not in view.html
        view.threats = True
        view.refresh()
        if board.over:
            expected.clear()
        for mark in "XO":
            wanted = {cell for whose, line in expected if whose == mark for cell in line if marks[cell] == "-"}
            assert set(said_of(view, f"{mark} would complete a line")) == wanted
        assert view.html.count('class="threat"') == expected.total()
        if expected:
            assert view.html.rindex('class="threat"') < view.html.index('class="mark-')  # marks stand on the lines
        found += len(expected)
    assert found > 50


def test_the_cube_has_three_looks_and_others_are_refused():
    game = CubeGame(last_free, look="turned")
    drawings = {game.html}
    for look in ("side", "slanted"):
        game.do("look", look)
        drawings.add(game.html)
    assert len(drawings) == 3 and menu(game, "look") == ["Slanted", "Turned", "Side by side"]
    assert "View" not in GameBoard().html
    with pytest.raises(BoardError, match="not 'round'"):
        CubeGame(last_free, look="round")
    game.look = "round"
    with pytest.raises(BoardError, match="A look is one of slanted, turned, side, not 'round'"):
        game.refresh()


def test_what_a_player_promises_is_said_with_its_move():
    def modest(board):
        return board.moves[-1]

    modest.remark = lambda board: f"I promise nothing from {len(board.moves)} free cells."
    game = CubeGame(modest)
    game.play(0)
    promise = "modest: “I promise nothing from 63 free cells.”"
    assert game.message == f"O plays cell 63. {promise} Your move."
    modest.remark = lambda board: 1 / 0
    game.play(1)
    assert game.message == "O plays cell 62. Your move."


def test_a_game_on_another_board_is_refused():
    with pytest.raises(BoardError, match=r"needs a 4×4×4 board.*GameBoard takes any"):
        CubeGame("cube-hard", start=Board())
