"""The game on screen, played as the page plays it and as Python does."""

import re
import sys
from functools import partial
from math import inf
from pathlib import Path
from random import Random
from time import sleep

import pytest
from approved import all_approved
from conftest import naming
from games import Nim
from lab import CubeGame, GameBoard
from lab.boards.game import MAX_THINKING_SECONDS
from oracles import CUBE, UNFINISHED
from reader import Session, numbered, page
from waiting import LONG

from ttt import PLAYERS, Board, Player, greedy, open_lines, svg
from ttt.board import BoardError
from ttt.heuristics import move_values
from ttt.notation import signed
from ttt.players.perfect import prospect
from ttt.players.player import PlayerError
from ttt.players.rules import threats
from ttt.search import minimax

SAID = Path(__file__).parent / "said" / "mishaps.txt"


@pytest.fixture(autouse=True)
def notebook(monkeypatch):
    """In each test a heuristic has time to give its numbers, however slow the machine is."""
    monkeypatch.setattr("lab.boards.game.MAX_JUDGING_SECONDS", LONG)


def values(game):
    """What the page says about the numbers, by cell."""
    return {int(cell): text for cell, text in re.findall(r'aria-label="cell (\d+), [^"]*value ([^",]*)"', game.html)}


def numbers(game):
    return {cell: float(text.replace("−", "-")) for cell, text in values(game).items()}


def test_every_hint_is_a_best_move():
    for board in Random(5).sample(UNFINISHED, 60):
        game, best = GameBoard("random", start=board, person=board.turn), minimax(board).best_moves
        lines = {cell: open_lines(board.play(cell), board.turn) for cell in board.moves if cell in best}
        soonest = {cell: prospect(board.play(cell), board.turn) for cell in best}
        cell = game.hint()
        most = max(lines[each] for each in best if soonest[each] == max(soonest.values()))
        assert soonest[cell] == max(soonest.values()) and lines[cell] == most


TEN_FREE = Board((3, 4), 3).play(0).play(1)  # as many free cells as are searched to the end
HINTS = [  # the board, and the hint
    (Board.from_text("XX- OO- ---"), "cell 2. It completes your line."),
    (Board.from_text("X-- OO- --X"), "cell 5. It stops O's line."),
    (Board(), "cell 4. It leaves you with 4 more lines to complete than O."),
    (Board().play(4), "cell 0. It leaves you with 1 fewer line to complete than X."),
    (Board.from_text("--- --- XOX"), "cell 4. It leaves you with as many lines to complete as X."),
    (Board.from_text("X-O -O- --X"), "cell 6. It stops O's line. You can win from here."),
    (Board.from_text("X-O --- --X"), "cell 4. It stops X's line. But your opponent can still win."),
    (Board((3, 3), x=2, o=256), "cell 2. It leaves you with 1 more line to complete than O. You can win from here."),
    (TEN_FREE, "cell 5. It leaves you with 3 more lines to complete than O. You can win from here."),
    (Board((3, 4), 3).play(0), "cell 5. It leaves you with 2 more lines to complete than X."),
    (CUBE, "cell 0. From here the first player wins, whatever the other side does."),
    (CUBE.play(0).play(21), "cell 3. From here the first player wins, whatever the other side does."),
    (CUBE.play(0), "cell 3. It leaves you with as many lines to complete as X."),
]


@pytest.mark.parametrize("start, hint", HINTS)
def test_a_hint_says_why_the_cell_is_good(start, hint):
    game = GameBoard("random", start=start, person=start.turn)
    game.do("hint")
    assert (game.message, game.tone) == (f"Hint: {hint}", "hint")


NO_NUMBERS = ("random", "line-counts", "rules-coded", "rules", "cube-report", "cube-easy", "cube-hard", "cube-perfect")


@pytest.mark.parametrize("name", PLAYERS)
def test_what_the_computer_sees_is_what_this_player_judges_by(name):
    """It plays where its number is highest, except for the lines that some players fill first."""
    player, rng, compared = PLAYERS[name], Random(6), 0
    fills = name in ("flash-clever", "flash-fixed", "cube-medium")
    for _ in range(8):
        board = Board(player.shape or (3, 3))
        for _ in range(rng.randrange(6)):
            board = board.play(rng.choice(board.moves))
        game = GameBoard(player, start=board, person=board.turn, rng=rng)
        game.do("sees", True)
        assert [*values(game)] == ([] if name in NO_NUMBERS else [*board.moves])
        if name in NO_NUMBERS:
            assert game.message.startswith(f"{name} doesn't use numbers.")
        elif not (fills and any(threats(board, mark) for mark in "XO")):
            policy = player.policy(board)
            likeliest = {cell for cell, chance in policy.items() if chance == max(policy.values())}
            highest = max(numbers(game).values())
            assert likeliest <= {cell for cell, number in numbers(game).items() if number == highest}
            compared += 1
    assert compared > 2 or name in NO_NUMBERS


def test_if_a_rule_decided_the_board_names_the_rule_and_no_number():
    """The flash computer fills the first line with two equal marks, whatever its numbers are."""
    highest = 0
    for board in [one for one in UNFINISHED if len(one.moves) == 7]:
        before = board.play(board.moves[0])
        game = GameBoard("flash-clever", start=board)
        game.do("sees", True)
        game.play(board.moves[0])
        [move] = {*before.moves} - {*game.board.moves}
        wins = any(line.count("O") == 3 for line in game.board.lines)
        blocks = any(line.count("X") == 2 and line.count("-") == 1 for line in before.lines)
        rule = "completed its line" if wins else "blocked" if blocks else ""
        seen = move_values(open_lines, before)
        reason = f"{rule} in the coloured cell without looking at the numbers"
        why = reason if rule else f"chose the coloured cell, {signed(seen[move])}"
        assert f"</strong> as O before its move. It {why}.<" in game.html
        assert str(svg.draw(before, values=seen, fills={move: "#ffe08a"})) in game.html
        highest += bool(rule) and seen[move] == max(seen.values())
    assert highest > 5  # the number alone would seem to have decided


@pytest.mark.parametrize("start", [Board(), Nim(12)], ids=repr)
def test_the_board_does_not_wait_for_an_endless_search_to_show_its_numbers_and_the_game_continues(monkeypatch, start):
    def endless_worth(here, player):
        while True:
            pass

    game = GameBoard(last_free, start=start, heuristic=endless_worth)
    monkeypatch.setattr("lab.boards.game.MAX_JUDGING_SECONDS", 0.1)
    game.do("sees", True)
    assert naming("endless_worth", "0.1 s", "none are shown").search(game.message) and game.tone == "error"
    assert not values(game)
    game.play(start.moves[0])
    assert game.message.startswith("O plays ")


def last_free(board):
    return board.moves[-1]


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


def returns_nothing(board, player):
    pass


def returns_infinity(board, player):
    return inf


def stays(board):
    return 4


STOPPED = [looks_too_far, empty_choice, asks_half, asks_helper, leaves, interrupted, stays]
WRONG = ["play(0)", "play(4)", "play(9)", "play(1, 2)", "play((0, 2))", "play(8)", "hint()", "undo()", "undo()"]
WRONG += ["person = 'Z'", "opponent = 'nobody'"]
STAYS = ["opponent = broken", "play(4)", "play(0)", "hint()", "opponent = 'flash-clever'", "opponent = broken"]
STAYS += ["play(8)", "undo()", "person = 'O'", "opponent = last_free"]


def position(game):
    return [" ".join(str(game.board).split("\n"))]


def test_what_goes_wrong_is_told_and_nothing_is_lost():
    sessions = {}
    for player in STOPPED:
        sessions[f"a player: {player.__name__}"] = Session(GameBoard(player), position).do(("play", "4"))
    sessions["a player by a heuristic"] = Session(GameBoard(greedy(my_worth)), position).do(("play", "4"))
    for heuristic in (my_worth, returns_nothing, returns_infinity):
        session = Session(GameBoard(heuristic=heuristic), page if heuristic is returns_nothing else position)
        sessions[f"a heuristic: {heuristic.__name__}"] = session.do(("sees", True), ("play", "4"))
    for name, start, statements in (("no move", "XX- OO- ---", WRONG), ("a player that stopped", "--- --- ---", STAYS)):
        game = GameBoard(start=Board.from_text(start))
        done = [f"game.{statement}" for statement in statements]
        sessions[name] = Session(game, position).python(*done, broken=broken, last_free=last_free)
    all_approved(SAID, {name: numbered("\n".join(session.told), __file__) for name, session in sessions.items()})


def test_the_menu_offers_players_that_can_play_here_and_your_own_that_this_board_has_met():
    def random(board):
        return board.moves[-1]

    game = GameBoard(random, start=Board((7, 7), 5))
    *offered, own = re.findall(r'<option value="([^"]*)"', game.html.partition('data-do="person"')[0])
    assert offered == ["random", "flash-clever", "flash-fixed", "open-lines"] and own == "random (yours)"
    game.play(0)
    assert game.board.moves[-1] == 47
    game.do("opponent", "random")
    assert game.opponent is PLAYERS["random"]
    game.do("opponent", own)
    game.play(1)
    assert game.board.moves[-1] < 47


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
    assert f"finds no move within {MAX_THINKING_SECONDS:g} s" in GameBoard.__doc__
    monkeypatch.setattr("lab.boards.game.MAX_THINKING_SECONDS", 0.25)
    monkeypatch.setattr("lab.timeouts.MAX_WAITING_SECONDS", 0.5)
    game = GameBoard(player)
    for cell in (4, 8):
        game.do("play", str(cell))
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
    game.do("play", "4")
    told = naming("counts", "no answer within 0.2 seconds", "in line", "iter(int, 1)")
    assert told.search(game.message.replace("`", "")) and game.board == Board().play(4)


def test_a_move_for_a_game_that_is_gone_is_not_made():
    """As when a cell of the notebook starts a new game while the computer thinks about a click."""

    def distracted(board):
        if len(board.moves) == 6:
            game.new_game()
        return board.moves[-1]

    game = GameBoard(distracted)
    for cell in (0, 1):
        game.do("play", str(cell))
    assert game.board == Board() and naming("You are X").search(game.message) and game.tone == ""


class Listed(list):
    """A heuristic that is a list of others, and so has no hash."""

    def __call__(self, board, player):
        return sum(one(board, player) for one in self)


def test_a_heuristic_may_be_any_callable_also_one_without_a_hash():
    made = Listed([open_lines, partial(open_lines)])
    for game in (GameBoard(greedy(made, "mine")), GameBoard(heuristic=made)):
        game.do("sees", True)
        assert game.tone == "" and numbers(game) == move_values(made, Board())
        game.play(4)
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


def test_on_the_cube_the_ends_of_the_line_are_told():
    game = GameBoard(last_free, start=DIAGONAL)
    game.play(63)
    assert game.message == "You win! X has 4 in a row, from cell 0 to cell 63."


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
