"""Misuse: whatever a student passes to the engine, a sentence says what would work, raised where the fact is known."""

import dis
import re
from pathlib import Path

import lab
import pytest
from conftest import naming
from games import Nim

import ttt

CODE = """
from random import Random
import ttt
from ttt import *
from ttt.arena import wilson
from ttt.heuristics import LineWeights, gain, move_values
from ttt.players import *
from ttt.players.cube import report_search
from ttt.players.perfect import early_win, outcome, prospect
from ttt.players.rules import *
from ttt.qubic import certificate, strategy, verifier
from ttt.search import *
B, cube, over = Board(), Board((4, 4, 4)), Board.from_text("XXX OO- ---")
first, none, text = lambda board: board.moves[0], lambda *given: None, lambda *given: "x"
def worth(board, player): return 0
"""
CALLS = {  # what is called wrongly; a bar separates calls
    "boards": """
        Board("3x3") | Board(3) | Board((0, 3)) | Board((3, -1)) | Board((3.0, 3)) | Board((3, 3), 4) |
        Board((3, 3), 0) | Board((3, 3), "3") | Board((10**6,)) | Board((1000, 1000)) | Board((2,) * 40) | Board(()) |
        Board(None) | Board((3, 3), x="X") | Board((3, 3), x=1.0) | Board((3, 3), x=-1) | Board((3, 3), x=1 << 9) |
        Board((3, 3), x=3) | Board((3, 3), x=1, o=1)
    """,
    "from text": """
        Board.from_text(3) | Board.from_text("") | Board.from_text("XXXXXXXXX") | Board.from_text("X-Z --- ---") |
        Board.from_text("X-O --- --") | Board.from_text(["X"] * 9) | Board.from_text(B) | Board.from_text("XO-", 3) |
        Board.from_text("XXX OOO ---") | Board.from_text("x-- --- ---")
    """,
    "moves and cells": """
        B.play(9) | B.play(-1) | B.play("4") | B.play(None) | B.play(1.0) | B.play(True) | B.play((3, 3)) |
        B.play((1,)) | B.play(1, 2) | B.play([1, 2]) | B.play(0).play(0) | over.play(8) | B[9] | B["a"] | B.cell("x") |
        B.coordinates(99) | B.lines_through(99) | B.lines_through("x") | opponent("x") | opponent(None)
    """,
    "rules": """
        threats(B, None) | threats(B, "X", "a") | threats(nim, "X") | empty_edge(3) | which_rule(cube) |
        which_rule(nim) | rule_based(win) | rule_based(5) | rule_based([win, 3]) |
        rule_based([lambda board: (9,)]).policy(B)
    """,
    "heuristics": """
        open_lines(B, "x") | open_lines(nim, "X") | open_for(B, "x") | open_for(B, 3) | LineWeights() | LineWeights(1) |
        LineWeights("a", "b") | LineWeights(0, 1, 2)(B, "X") | LineWeights(0, 1, 3, 0)(B, "x") | gain(nim) |
        move_values(none, B) | move_values(text, B) | move_values(open_lines, nim) | early_win(B.play(4), "x") |
        outcome(nim, "X")
    """,
    "players": """
        PLAYERS[3] | PLAYERS["perfect"].policy(cube) | PLAYERS["perfect"].policy(nim) | PLAYERS["cube-hard"].policy(B) |
        PLAYERS["flash-clever"].policy(nim) | PLAYERS["random"].policy(Board) | Player("a", 3) |
        Player("a", none).policy(B) | Player("a", text).policy(B) | Player("a", lambda board: {0: 0.5}).policy(B) |
        Player("a", lambda board: {0: "x"}).policy(B) | Player("a", lambda board: {9: 1}).policy(B) |
        Player("a", lambda board: {0: -1, 1: 2}).policy(B) | Player("a", lambda board: {}).policy(B) |
        Player("a", first, shape=3) | Player("a", first, shape="3x3") | Player("a", first, shape=(3, 3), max_free="x") |
        Player("a", lambda board, depth: 0) | Player("a", lambda board: [0, 1]).policy(B) |
        Player("a", lambda board: B).policy(B)
    """,
    "greedy, searcher and others": """
        greedy(none).policy(B) | greedy(text).policy(B) | greedy(open_lines).policy(nim) | searcher(3) |
        searcher(first, depth=0) | searcher(first, depth="2") | searcher(first, depth=2) | searcher(none).policy(B) |
        searcher(text).policy(B) | beatable("x") | beatable(2) | beatable(None) | beatable(-0.1) |
        report_search(cube, "x") | report_search(cube, 1.5) | report_search(cube, 1, nearest=0) |
        report_search(cube, 1, nearest="x")
    """,
    "games": """
        play("random", 3) | play("random", "random", Board) | play("random", "random", rng=3) | play(none, "random") |
        play(open_lines, "random") | match("random", "random", 0) | match("random", "random", "10") |
        match("random", "random", rng=7) | exact("random", "nobody") |
        exact("random", lambda board: Random().choice(board.moves)) | exact("random", "flash-clever", nim) |
        exact("perfect", "random", nim) | exact(none, "random") | exact("random", "random", 5) | exact(3, 4)
    """,
    "the arena": """
        reachable("random", "x") | reachable("random", 3) | shortest_loss("random", "x") | shortest_loss(5) |
        sure_win("random", "x") | best_reply("random", draw="a") | best_reply("random", draw=None) |
        best_reply("random", "x") | best_reply("random", "O").policy(B) | strength_for("rules", "x") |
        strength_for(3, 0.1) | strength_for("rules", 0.1, "x") | tournament(5) | tournament(["random", 5]) |
        tournament([]) | wilson(2, 10) | wilson(-0.1, 10) | wilson("x", 10) | wilson(0.5, "x") | wilson(0.5, 1.5) |
        wilson(None, 5)
    """,
    "searches": """
        minimax(Board) | minimax(5) | minimax(B, -1) | minimax(B, "3") | minimax(B, True) | minimax(B, 2, none) |
        minimax(B, 2, text) | minimax(B, 1, lambda board, player: 10**6) | minimax(cube, 5) | minimax(cube) |
        minimax(B, 2, sooner="yes") | minimax(nim, 2, open_lines) | negamax(B, 2.5) | alphabeta(B, order=3) |
        alphabeta(B, order=None) | alphabeta(B, killer=1) | alphabeta(B, table="yes") | alphabeta(B, 2, sooner=None) |
        alphabeta(nim, order="most-lines") | alphabeta(Board((1, 9), 9), symmetry=True) | alphabeta(cube) |
        alphabeta(nim, 300) | plain_alphabeta(B, 2.5) | plain_alphabeta(B, -1) |
        plain_alphabeta(B, heuristic=open_lines) | plain_alphabeta(B, 2, "x") | plain_alphabeta(5, 2) |
        plain_alphabeta(B, "2")
    """,
    "playouts": """
        mcts(B, 0) | mcts(B, "9") | mcts(B, None) | mcts(B, 5, exploration=float("nan")) | mcts(B, 5, exploration="x") |
        mcts(B, 5, exploration=-1) | mcts(B, 5, rng=3)
    """,
    "drawings": """
        svg.draw(B, values={"a": 1}) | svg.draw(B, values=5) | svg.draw(B, values={0: [1]}) |
        svg.draw(B, fills={99: "red"}) | svg.draw(B, fills=[3]) | svg.draw(B, lines=[5]) | svg.draw(B, lines=5) |
        svg.draw(B, lines=(0, 1, 2)) | svg.draw(B, player=None) | svg.draw(B, last=99) | svg.draw(B, last="x") |
        svg.draw(B, look="x") | svg.draw(B, look=None) | svg.strip(B) | svg.strip([B, 5]) | svg.strip(5) |
        svg.beside(B) | svg.beside(5) | svg.beside(svg.draw(B))
    """,
    "symmetry and proof": """
        automorphisms(nim) | automorphisms(Board((2, 2, 2, 2))) | canonical(5) | canonical(nim) |
        verifier.verify({(0, 0): 99}) | verifier.verify(5) | certificate.from_bytes(b"x") | ttt.GameBoard
    """,
}


SAID = {  # what is called wrongly, and what the message must name
    'play("random", "random", rng=1)': ["rng", "random.Random(1)", "not 1."],
    "lab.GameBoard(rng=1)": ["rng", "random.Random(1)", "not 1."],
    'match("random", "random", rng=1)': ["rng", "random.Random(1)", "not 1."],
    "mcts(B, 1, rng=7)": ["rng", "random.Random(1)", "not 7"],
    'match("random", "random", True)': ["games", "whole number, 1 or more", "not True"],
    'match("random", "random", 1.5)': ["games", "whole number, 1 or more", "not 1.5"],
    "wilson(0.5, 0)": ["number of games", "1 or more", "not 0"],
    'strength_for("flash-clever", 0.1, "x")': ['"X" or "O"', "not 'x'"],
    'best_reply("random").policy(B.play(4))': ["reply to random plays X", "O's turn", 'plays="O"'],
    'best_reply("random", draw=2)': ["draw", "from 0 to 1", "not 2"],
    'beatable(float("nan"))': ["strength", "from 0", "to 1", "not nan"],
    'tournament(["random"])': ["two players"],
    'tournament(["random", "random"])': ["own name", "random"],
    'tournament("random")': ["needs a list of players", "['random', 'perfect'], not"],
    'tournament(PLAYERS["random"])': ["needs a list of players", "['random', 'perfect'], not"],
    "minimax(B, 2.5)": ["depth", "plies", "0 or more", "not 2.5"],
    'minimax(B, 2, "open_lines")': ["'open_lines' is not a heuristic"],
    'alphabeta(B, killer="False")': ["killer", "True or False", "not 'False'"],
    "minimax(B, 2, sooner=0)": ["sooner", "True or False", "not 0"],
    "minimax(Board((4, 4)).play(0))": ["15 free cells", "to its end", "give a depth", "depth=3"],
    "negamax(cube, 5)": ["64 free cells", "5 plies deep", "smaller depth", "depth=3"],
    "alphabeta(Board((4, 4)))": ["16 free cells", "give a depth", "table=True"],
    "alphabeta(Board((4, 4)), 16)": ["16 free cells", "smaller depth", "table=True"],
    "alphabeta(Board((1, 9), 9), 1, symmetry=True)": ["10,000 automorphisms", "without symmetry"],
    'alphabeta(nim, order="best-gain")': ["best-gain", "boards only", "a game of your own", "leave out `order`"],
    "alphabeta(nim, symmetry=True)": ["symmetry", "boards only", "a game of your own"],
    "minimax(nim, sooner=True)": ["needs a depth", "depth=3"],
    "minimax(nim, None, open_lines)": ["needs a depth", "depth=3"],
    "minimax(nim, 201)": ["at most 200 plies", "not 201"],
    "mcts(B, 1.5)": ["playouts", "whole number, 1 or more", "not 1.5"],
    "mcts(B, 1, exploration=-1)": ["exploration", "0 or more", "not -1"],
    'exact(beatable(), "random", nim)': ["boards only", "a game of your own", "such as Nim(heap=5, turn='X')"],
    "svg.draw(nim)": ["boards only", "a game of your own", "such as Nim(heap=5, turn='X')"],
    "lab.CubeGame(start=nim)": ["boards only", "a game of your own"],
    "lab.fill_in(B)": ["60 nodes", "later"],
    'threats(B, "x")': ['"X" or "O"', "not 'x'"],
    'fork(B, "x")': ['"X" or "O"', "not 'x'"],
    'threats(B, "X", 9)': ["no cell 9"],
    'threats(B.play(0), "X", 0)': ["free cell", "cell 0", "X"],
    "which_rule(over)": ["over", "rules"],
    'rule_based(["win"])': ["rule_based()", "functions", "['win']"],
    "rule_based([lambda board: 5]).policy(B)": ["tuple of cells", "(4,)", "not 5"],
    'LineWeights(0, 1, 3, 0)(Board((4, 4)), "X")': ["LineWeights(0, 1, 3, 0)", "4 weights", "k=4", "needs 5"],
    'LineWeights(0, "1", 2, 3)': ["LineWeights()", "number", "not (0, '1', 2, 3)"],
    "LineWeights(0, True, 1, 1)": ["LineWeights()", "number", "not (0, True, 1, 1)"],
    'PLAYERS["random"].policy(over)': ["over", "random"],
    'PLAYERS["perfect"].policy(Board((4, 4)).play(0).play(1).play(2))': ["up to 12 free cells", "not with 13", "4×4"],
    "greedy(first)": ["<lambda>(board) is not a heuristic", "(board, player)"],
    'greedy("random")': ["'random' is not a heuristic"],
    'Player("a", lambda board, depth, heuristic: 0)': ["can't play", "'random'", "only a board"],
    "report_search(cube, 0)": ["depth", "nearest", "1 or more", "not 0 and 20"],
    "report_search(cube, 4, nearest=0)": ["depth", "nearest", "1 or more", "not 4 and 0"],
    "report_search(B)": ["4×4×4"],
    "strategy.choose(B)": ["4×4×4", "Board()"],
    "automorphisms(Board((9,)))": ["more than 10,000"],
    "svg.draw(B, values={0: None})": ["number or a text", "not None", "return"],
    "svg.draw(B, values=[1, 2])": ["values", "dictionary", "not [1, 2]"],
    "svg.draw(B, values={99: 1})": ["no cell 99", "from 0 to 8"],
    "svg.draw(B, lines=[(0, 99)])": ["no cell 99"],
    "svg.draw(B, lines=(0, 4, 8))": ["lines", "[(0, 1, 2)]", "not (0, 4, 8)"],
    'svg.draw(B, player="Z")': ['"X", "O"', "not 'Z'"],
    "svg.strip([])": ["list of boards", "not []"],
    "svg.strip([B, B])": ["in order", "Board() doesn't follow Board()"],
    "svg.beside([B])": ["pictures", "svg.draw(board)", "not [Board()]"],
}
TEXT_FOR_BOARD = """
    lab.GameBoard(start="X-O") | lab.CubeGame(start="X-O") | lab.Explorer("X-O") | lab.fill_in("X-O") |
    lab.plots.heat("X-O", {0: 1}, "worth") | svg.draw("X-O") | svg.strip(["X-O"]) |
    minimax("X-O") | negamax("X-O") | alphabeta("X-O") | plain_alphabeta("X-O") | alphabeta("X-O", order="best-gain") |
    mcts("X-O") | play("random", "random", "X-O") | match("random", "random", board="X-O") |
    exact("random", "random", "X-O") | tournament(["random", "rules"], "X-O") | shortest_loss("random", board="X-O") |
    reachable("random", board="X-O") | sure_win("random", board="X-O") | best_reply("random").policy("X-O") |
    open_lines("X-O", "X") | open_for("X-O", "X") | LineWeights(0, 1, 3, 0)("X-O", "X") | gain("X-O") |
    move_values(open_lines, "X-O") | early_win("X-O", "X") | prospect("X-O", "X") | report_search("X-O") |
    threats("X-O", "X") | fork("X-O") | win("X-O") | block("X-O") | block_fork("X-O") | centre("X-O") |
    empty_corner("X-O") | opposite_corner("X-O") | which_rule("X-O") | canonical("X-O") | automorphisms("X-O") |
    strategy.choose("X-O") | PLAYERS["random"].policy("X-O") | PLAYERS["perfect"].policy("X-O")
"""
HEURISTIC_AS_PLAYER = """
    Player("mine", worth) | play(worth, "random") | match("random", worth) |
    exact(worth, "random") | shortest_loss(worth) | strength_for(worth, 0.3) |
    tournament(["random", worth]) | lab.GameBoard(worth) | lab.CubeGame(worth) |
    setattr(lab.GameBoard(), "opponent", worth)
"""
NEARLY = {  # a name, nearly, and what the message suggests
    'PLAYERS["perfekt"]': "perfect",
    'play("flash-cleaver", "random")': "flash-clever",
    'alphabeta(B, order="most-line")': "most-lines",
    'lab.recap("06_minmax")': "06_minimax",
}


@pytest.fixture(scope="module")
def names():
    names = {"nim": Nim(5), "lab": lab}
    exec(CODE, names)
    return names


def deliberate(error):
    """Whether an error was raised by a `raise` in the engine or the lab, and not by Python for it."""
    entry = error.__traceback__
    while entry.tb_next:
        entry = entry.tb_next
    code = entry.tb_frame.f_code
    inside = any(Path(code.co_filename).is_relative_to(Path(one.__file__).parent) for one in (ttt, lab))
    return inside and dis.opname[code.co_code[entry.tb_lasti]] == "RAISE_VARARGS"


def each(calls):
    return re.split(r" \|\s+", calls.strip())


@pytest.mark.parametrize("kind", CALLS)
def test_a_wrong_call_gets_a_sentence_of_the_engines_own(kind, names):
    for call in each(CALLS[kind]):
        with pytest.raises((ValueError, TypeError, ImportError)) as caught:
            eval(call, dict(names))
        assert deliberate(caught.value) and len(str(caught.value)) > 20, call


@pytest.mark.parametrize("call", SAID)
def test_a_sentence_names_what_is_wrong_and_what_would_work(call, names):
    with pytest.raises((ValueError, TypeError), match=naming(*SAID[call])) as caught:
        eval(call, dict(names))
    assert deliberate(caught.value)


AT_THE_EDGE = """
    mcts(B, 1, exploration=0) | minimax(B, 0) | alphabeta(B, 0) | beatable(0) | beatable(1) | wilson(0, 1) |
    wilson(1, 1) | best_reply("random", draw=0) | best_reply("random", draw=1) | svg.draw(B, values={}) | Board((1,)) |
    threats(B, "X", 0) | LineWeights(0, 0, 0, 0)(B, "X") | Board((4, 4), 1) |
    move_values(lambda board, player: 99_999, B)
"""


@pytest.mark.parametrize("call", [call.strip() for call in AT_THE_EDGE.split("|")])
def test_what_is_just_allowed_is_not_refused(call, names):
    eval(call, names)


@pytest.mark.parametrize("call", each(TEXT_FOR_BOARD))
def test_a_text_given_as_a_board_gets_the_right_call(call, names):
    with pytest.raises(ValueError, match=naming("needs a Board, not 'X-O'", "Board.from_text('X-O')")):
        eval(call, dict(names))


@pytest.mark.parametrize("call", each(HEURISTIC_AS_PLAYER))
def test_a_heuristic_given_as_a_player_gets_the_right_call(call, names):
    with pytest.raises(ValueError, match=naming("worth(board, player) can't play", "greedy(...)")):
        eval(call, dict(names))


@pytest.mark.parametrize("call", NEARLY)
def test_an_unknown_name_gets_the_nearest_one_as_a_suggestion(call, names):
    with pytest.raises(ValueError, match=naming(f"Did you mean '{NEARLY[call]}'?")):
        eval(call, dict(names))
