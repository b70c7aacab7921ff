"""Whole pages of widgets, as a reader hears them."""

import pytest
from games import Nim, first, nim
from lab import Explorer, GameBoard, fill_in
from lab.boards import guesses
from lab.boards.guesses import guess
from lab.boards.recap import Recap, RecapQuestion
from reader import heard
from waiting import LONG

from ttt import Board, open_lines

START = Board.from_text("X-- -O- ---")
QUESTIONS = [
    RecapQuestion("What is 2 + 2?", "4", "Two and two are four.", {"5": "One too many.", "22": "That is a text."}),
    RecapQuestion("What is 2 × 3?", "6", "Three twos.", {"5": "That is the sum.", "<b>23</b>": "That is a text."}),
]


@pytest.fixture(autouse=True)
def notebook(monkeypatch):
    """In each test a heuristic has time to give its numbers, however slow the machine is."""
    monkeypatch.setattr("lab.boards.game.MAX_JUDGING_SECONDS", LONG)
    monkeypatch.setattr(guesses, "_asked", {})


def did(widget, *actions):
    """A widget on which something was pressed: each an action, or an action with its value."""
    for action in actions:
        widget.do(*([action] if isinstance(action, str) else action))
    return widget


def board():
    game = GameBoard(first, start=START, heuristic=open_lines)
    return did(game, ("sees", True), ("threats", True), ("play", "1"), "hint")


def won():
    return did(GameBoard(start=Board.from_text("XX- OO- ---")), ("play", "2"), ("numbers", False))


def layers():
    game = GameBoard(first, start=Board((2, 2, 2), 2), labels={5: "five"})
    return did(game, ("look", "turned"), ("numbers", True))


def own_game():
    game = GameBoard(first, start=nim("Told", 9, describe=lambda self, take: f"take {take} of {self.heap}"))
    return did(game, ("sees", True), ("play", "1"))


def filled_in():
    return did(fill_in(Nim(3)), ("check", {"1": "5", "0": "1"}))


def explorer():
    return did(Explorer(Nim(2)), ("step", 3))


def recap():
    return did(Recap(QUESTIONS), ("answer", ["0", "4"]), ("answer", ["1", "5"]))


def guessed(**question):
    guess(**question)
    return guesses._asked["one"]


PAGES = {  # a widget; the tone of its message, the message, and its page
    "board": (
        board,
        """
        hint Hint: cell 6. It stops O's line. | Your moves | grid Tic-tac-toe board | gridcell cell 0, row 1, column 1,
        X | gridcell cell 1, row 1, column 2, X | gridcell cell 2, row 1, column 3, O, last move | gridcell cell 3, row
        2, column 1, empty, value −1 | gridcell cell 4, row 2, column 2, O | gridcell cell 5, row 2, column 3, empty,
        value 0 | gridcell cell 6, row 3, column 1, empty, hint, O would complete a line, value 0 | gridcell cell 7, row
        3, column 2, empty, value −1 | gridcell cell 8, row 3, column 3, empty, value 0 | New game | Undo | Hint | You 0
        · Computer 0 · Draws 0 | Options | Opponent | random | flash-clever | flash-fixed | open-lines | line-counts |
        rules-coded | rules | negamax | perfect | beatable | option selected | first (yours) | A player that makes the
        first of the moves. | You play | option selected | X, moves first | O, moves second | input checkbox, checked |
        Show cell numbers | input checkbox, checked | Show threats | input checkbox, checked | Show what the computer
        sees | What do these numbers mean? | In each free cell: what | open_lines | says of the position after that
        move, from your point of view. The highest are framed unless all are equal. Heuristic 2: the number of lines
        still open for the player minus the number still open for the opponent. | What first saw | as O before its move.
        It played the coloured cell, +2. | Tic-tac-toe: O to move | X X +2 +1 O +1 +2 +1 +2 | +2 | +1 | +1 | +2 | +1 |
        +2
        """,
    ),
    "won": (
        won,
        """
        end You win! X has 3 in a row. | grid Tic-tac-toe board | gridcell cell 0, row 1, column 1, X, winning line |
        gridcell cell 1, row 1, column 2, X, winning line | gridcell cell 2, row 1, column 3, X, winning line | gridcell
        cell 3, row 2, column 1, O | gridcell cell 4, row 2, column 2, O | gridcell cell 5, row 2, column 3, empty |
        gridcell cell 6, row 3, column 1, empty | gridcell cell 7, row 3, column 2, empty | gridcell cell 8, row 3,
        column 3, empty | New game | Undo | Hint | You 1 · Computer 0 · Draws 0 | Options | Opponent | random | option
        selected | flash-clever | flash-fixed | open-lines | line-counts | rules-coded | rules | negamax | perfect |
        beatable | The Flash lab's clever computer: fills the first line with two equal marks, otherwise follows open
        lines. | You play | option selected | X, moves first | O, moves second | input checkbox | Show cell numbers |
        input checkbox | Show threats | input checkbox | Show what the computer sees
        """,
    ),
    "layers": (
        layers,
        """
        You are X. Click a free cell, press keys 0 to 7, or use the arrow keys, Page Up, Page Down and Enter. | grid
        Tic-tac-toe board | gridcell cell 0, layer 1, row 1, column 1, empty | gridcell cell 1, layer 1, row 1, column
        2, empty | gridcell cell 2, layer 1, row 2, column 1, empty | gridcell cell 3, layer 1, row 2, column 2, empty |
        gridcell cell 4, layer 2, row 1, column 1, empty | gridcell cell 5, layer 2, row 1, column 2, empty, value five
        | gridcell cell 6, layer 2, row 2, column 1, empty | gridcell cell 7, layer 2, row 2, column 2, empty | New game
        | button aria-disabled true | Undo | Hint | You 0 · Computer 0 · Draws 0 | Options | Opponent | random |
        flash-clever | flash-fixed | open-lines | negamax | perfect | beatable | option selected | first (yours) | A
        player that makes the first of the moves. | You play | option selected | X, moves first | O, moves second |
        input checkbox, checked | Show cell numbers | input checkbox | Show threats | View | Slanted | option selected |
        Turned | Side by side | input checkbox | Show what the computer sees
        """,
    ),
    "own game": (
        own_game,
        """
        O: take 1 of 7. Your move. | 6 left | toolbar Moves | take 1 of 6 (−1) | take 2 of 6 (+1) | take 3 of 6 (−1) |
        New game | Undo | You 0 · Computer 0 · Draws 0 | Options | Opponent | random | best-play | option selected |
        first (yours) | A player that makes the first of the moves. | You play | option selected | X, moves first | O,
        moves second | input checkbox, checked | Show what the computer sees | What do these numbers mean? | Next to
        each move: what | best_play | says of the position after that move, from your point of view. A heuristic: the
        result for a player with best play. Win +1, draw 0, loss −1.
        """,
    ),
    "filled in": (
        filled_in,
        """
        ✓ 1 right, ✗ 1 wrong, ○ 2 empty. | group Drawing of the tree. At the root: 3 left. | tree Game tree | treeitem
        the root, MAX:  | 3 left | treeitem X's move 1, MIN:  | X plays 1 | 2 left | treeitem O's move 1 (after 1), MAX:
        | O plays 1 | 1 left | treeitem X's move 1 (after 1, 1): +1 | X plays 1 | 0 left | +1 | treeitem O's move 2
        (after 1): −1 | O plays 2 | 0 left | −1 | treeitem X's move 2, MIN:  | X plays 2 | 1 left | treeitem O's move 1
        (after 2): −1 | O plays 1 | 0 left | −1 | treeitem X's move 3: +1 | X plays 3 | 0 left | +1 | input O's move 1
        (after 1), MAX. Below: X's move 1 (after 1, 1) +1, 2, text | input X's move 1, MIN. Below: O's move 1 (after 1)
        to be filled in; O's move 2 (after 1) −1, 1, text, “+5”, aria-invalid true | input X's move 2, MIN. Below: O's
        move 1 (after 2) −1, 5, text | input the root, MAX. Below: X's move 1 +5; X's move 2 to be filled in; X's move 3
        +1, 0, text, “+1” | X's move 1 depends on the nodes below it. Correct those first. | Check | Show the rest |
        Size | button Smaller | − | button Larger | +
        """,
    ),
    "explorer": (
        explorer,
        """
        Move 1 is worth −1 to X: beta changes from +∞ to −1. | button Step back | ◀ | button Step forward | ▶ | button
        aria-pressed false | Play | input Step, range, “0” | Next cut | Practise | Size | button Smaller | − | button
        Larger | + | group Drawing of the tree. | tree Game tree | treeitem the root, MAX: α −∞ β +∞ | 2 left | α −∞ β
        +∞ | treeitem X's move 1, MIN: not visited yet | X plays 1 | 1 left | treeitem O's move 1 (after 1): not visited
        yet | O plays 1 | 0 left | treeitem X's move 2: not visited yet | X plays 2 | 0 left | def worth(board, alpha,
        beta): | if board.over: | return {"X": 1, "O": -1, None: 0}[board.winner] | best = -inf if board.turn == "X"
        else inf | for move in in_order(board): | value = worth(board.play(move), alpha, beta) | if board.turn == "X": |
        best = max(best, value) | alpha = max(alpha, best) | else: | best = min(best, value) | beta = min(beta, best) |
        if alpha >= beta: | break | return best | Options | Position | option selected | Your own | X has to block | O
        has to block | Much to cut off | Order is everything | X wins in two ways | Move order | option selected |
        row-major
        """,
    ),
    "recap": (
        recap,
        """
        | 1. What is 2 + 2? | input 0, radio, “5” | 5 | input 0, radio, “22” | 22 | input 0, radio, “4”, checked | 4 | ✓
        Right. | Two and two are four. | 2. What is 2 × 3? | input 1, radio, “6” | 6 | input 1, radio, “5”, checked | 5
        | input 1, radio, “<b>23</b>” | <b>23</b> | ✗ Not quite. | That is the sum. | 1 of 2 right. | Choose again.
        """,
    ),
    "a number": (
        lambda: guessed(one=45, between=(0, 100)),
        """
        guess Your guess: 45. To keep it, write `one=45` in this cell. | input Number from 0 to 100, guess, text, “45” |
        Change guess
        """,
    ),
    "a number, not yet": (
        lambda: guessed(one=...),
        """
        guess Type a number. Not guessed yet. | input Number, guess, text | Guess
        """,
    ),
    "a choice": (
        lambda: guessed(one="b", choices=["a", "b"]),
        """
        guess Your guess: “b”. To keep it, write `one='b'` in this cell. | button aria-pressed false | a | button
        aria-pressed true | b
        """,
    ),
    "an order": (
        lambda: did(guessed(one=..., order=["x", "y", "z"]), ("place", "z")),
        """
        guess Press the names in order, first to last. Press a name again to take it back. Not guessed yet. | button
        aria-pressed false | x | button aria-pressed false | y | button aria-pressed true | 1. z
        """,
    ),
}


@pytest.mark.parametrize("name", PAGES)
def test_a_page_tells_all_of_this_in_this_order(name):
    make, told = PAGES[name]
    widget = make()
    assert f"{widget.tone} {widget.message} | {heard(widget.html)}".split() == told.split()


def test_of_a_step_the_page_learns_what_changes():
    shown = explorer().parts
    at_work = [name for name, part in shown.items() if part.get("class") == "work"]
    assert (shown["step"], at_work) == ({"value": "3"}, ["line-11"])
    assert shown["read-out"] == {"text": "Step 3 of 7, 3 of 4 nodes visited"}
    assert shown["bounds"] == {"text": "At X's move 1: alpha = −∞, beta = −1"}
    nodes = [(shown[f"{n}"]["class"], shown[f"{n}"]["data-state"], shown[f"{n}"]["aria-label"]) for n in range(4)]
    assert nodes == [
        ("node", "open", "the root, MAX: α −∞ β +∞"),
        ("node ringed", "open", "X's move 1, MIN: α −∞ β −1"),
        ("node", "done", "O's move 1 (after 1): −1"),
        ("node", "new", "X's move 2: not visited yet"),
    ]
