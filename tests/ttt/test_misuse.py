"""Misuse: whatever a student passes to the engine, a sentence says what would work, raised where the fact is known."""

import dis
import re
from pathlib import Path

import pytest
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
"""
CALLS = {  # what is called wrongly; a bar separates calls
    "boards": """
        Board("3x3") | Board(3) | Board((0, 3)) | Board((3, -1)) | Board((3.0, 3)) | Board((3, 3), 4) |
        Board((3, 3), 0) | Board((3, 3), "3") | Board((10**6,)) | Board((1000, 1000)) | Board((2,) * 40) |
        Board(()) | Board(None) | Board((3, 3), x="X") | Board((3, 3), x=1.0) | Board((3, 3), x=-1) |
        Board((3, 3), x=1 << 9) | Board((3, 3), x=3) | Board((3, 3), x=1, o=1)
    """,
    "from text": """
        Board.from_text(3) | Board.from_text("") | Board.from_text("XXXXXXXXX") |
        Board.from_text("X-Z --- ---") | Board.from_text("X-O --- --") | Board.from_text(["X"] * 9) |
        Board.from_text(B) | Board.from_text("XO-", 3) | Board.from_text("XXX OOO ---") |
        Board.from_text("x-- --- ---")
    """,
    "moves and cells": """
        B.play(9) | B.play(-1) | B.play("4") | B.play(None) | B.play(1.0) | B.play(True) | B.play((3, 3)) |
        B.play((1,)) | B.play(1, 2) | B.play([1, 2]) | B.play(0).play(0) | over.play(8) | B[9] | B["a"] |
        B.cell("x") | B.coordinates(99) | B.lines_through(99) | B.lines_through("x") | opponent("x") |
        opponent(None)
    """,
    "rules": """
        threats(B, "x") | threats(B, None) | threats(B, "X", 9) | threats(B, "X", "a") |
        threats(B.play(0), "X", 0) | threats("X-O", "X") | threats(nim, "X") | fork(B, "x") | fork("X") |
        win("X") | block("X") | block_fork("X") | centre("X") | empty_corner("X") | opposite_corner("X") |
        empty_edge(3) | which_rule("X") | which_rule(over) | which_rule(cube) | which_rule(nim) |
        rule_based(win) | rule_based(5) | rule_based(["win"]) | rule_based([win, 3]) |
        rule_based([lambda board: 5]).policy(B) | rule_based([lambda board: (9,)]).policy(B)
    """,
    "heuristics": """
        open_lines("X", "X") | open_lines(B, "x") | open_lines(nim, "X") | open_for(B, "x") | open_for(B, 3) |
        LineWeights() | LineWeights(1) | LineWeights("a", "b") | LineWeights(0, 1, 2)(B, "X") |
        LineWeights(0, 1, 3, 0)(B, "x") | LineWeights(0, 1, 3, 0)("X", "X") | gain("X") | gain(nim) |
        move_values(none, B) | move_values(text, B) | move_values(open_lines, "X") |
        move_values(open_lines, nim) | early_win(cube, "X") | early_win(B.play(4), "x") | outcome(nim, "X") |
        prospect("X", "X")
    """,
    "players": """
        PLAYERS["perfekt"] | PLAYERS[3] | PLAYERS["perfect"].policy(cube) | PLAYERS["perfect"].policy("X") |
        PLAYERS["perfect"].policy(nim) | PLAYERS["cube-hard"].policy(B) | PLAYERS["flash-clever"].policy(nim) |
        PLAYERS["random"].policy(over) | PLAYERS["random"].policy("X") | PLAYERS["random"].policy(Board) |
        Player("a", 3) | Player("a", none).policy(B) | Player("a", text).policy(B) |
        Player("a", lambda board: {0: 0.5}).policy(B) | Player("a", lambda board: {0: "x"}).policy(B) |
        Player("a", lambda board: {9: 1}).policy(B) | Player("a", lambda board: {0: -1, 1: 2}).policy(B) |
        Player("a", lambda board: {}).policy(B) | Player("a", first, shape=3) |
        Player("a", first, shape="3x3") | Player("a", first, shape=(3, 3), max_free="x") |
        Player("a", lambda board, depth: 0) | Player("a", lambda board: [0, 1]).policy(B) |
        Player("a", lambda board: B).policy(B)
    """,
    "greedy, searcher and others": """
        greedy("random") | greedy(first) | greedy(none).policy(B) | greedy(text).policy(B) |
        greedy(open_lines).policy(nim) | searcher(3) | searcher(first, depth=0) | searcher(first, depth="2") |
        searcher(first, depth=2) | searcher(none).policy(B) | searcher(text).policy(B) | beatable("x") |
        beatable(2) | beatable(None) | beatable(-0.1) | beatable(float("nan")) | report_search(cube, 0) |
        report_search(cube, "x") | report_search(cube, 1.5) | report_search(cube, 1, nearest=0) |
        report_search(cube, 1, nearest="x") | report_search("X")
    """,
    "games": """
        play("random", "rndom") | play("random", 3) | play("random", "random", "X-O") |
        play("random", "random", Board) | play("random", "random", rng=3) | play(none, "random") |
        play(open_lines, "random") | match("random", "random", 0) | match("random", "random", 1.5) |
        match("random", "random", "10") | match("random", "random", True) | match("random", "random", rng=7) |
        exact("random", "nobody") | exact("random", lambda board: Random().choice(board.moves)) |
        exact("random", "flash-clever", nim) | exact("perfect", "random", nim) |
        exact(none, "random") | exact("random", "random", 5) |
        exact(3, 4)
    """,
    "the arena": """
        reachable("random", "x") | reachable("random", 3) | reachable("random", "X", "board") |
        shortest_loss("random", "x") | shortest_loss(5) | sure_win("random", "x") |
        sure_win("random", "O", "X") | best_reply("random", draw="a") | best_reply("random", draw=2) |
        best_reply("random", draw=None) | best_reply("random", "x") | best_reply("random", "O").policy(B) |
        best_reply("random").policy("X") | strength_for("rules", "x") | strength_for(3, 0.1) |
        strength_for("rules", 0.1, "x") | tournament(5) | tournament(["random"]) | tournament("random") |
        tournament(["random", "random"]) | tournament(["random", 5]) | tournament(PLAYERS["random"]) |
        tournament([]) | wilson(2, 10) | wilson(-0.1, 10) | wilson(0.5, 0) | wilson("x", 10) |
        wilson(0.5, "x") | wilson(0.5, 1.5) | wilson(None, 5)
    """,
    "searches": """
        minimax("X") | minimax(Board) | minimax(5) | minimax(B, -1) | minimax(B, 2.5) | minimax(B, "3") |
        minimax(B, True) | minimax(B, 2, "open_lines") | minimax(B, 2, none) | minimax(B, 2, text) |
        minimax(B, 1, lambda board, player: 10**6) | minimax(Board((4, 4)).play(0)) | minimax(cube, 5) |
        minimax(cube) | minimax(B, 2, sooner="yes") | minimax(nim, None, open_lines) |
        minimax(nim, 2, open_lines) | negamax("X") | negamax(B, 2.5) | alphabeta(B, order="best") |
        alphabeta(B, order=3) | alphabeta(B, order=None) | alphabeta(B, killer=1) | alphabeta(B, table="yes") |
        alphabeta(B, 2, sooner=None) | alphabeta(nim, order="best-gain") | alphabeta(nim, order="most-lines") |
        alphabeta(nim, symmetry=True) | alphabeta("X", order="best-gain") |
        alphabeta(Board((1, 9), 9), symmetry=True) | alphabeta(cube) | alphabeta(nim, 300) |
        plain_alphabeta(B, 2.5) | plain_alphabeta(B, -1) | plain_alphabeta(B, heuristic=open_lines) |
        plain_alphabeta(B, 2, "x") | plain_alphabeta("X") | plain_alphabeta(5, 2) | plain_alphabeta(B, "2")
    """,
    "playouts": """
        mcts("X") | mcts(B, 0) | mcts(B, 1.5) | mcts(B, "9") | mcts(B, None) |
        mcts(B, 5, exploration=float("nan")) | mcts(B, 5, exploration="x") | mcts(B, 5, exploration=-1) |
        mcts(B, 5, rng=3)
    """,
    "drawings": """
        svg.draw("X") | svg.draw(nim) | svg.draw(B, values={0: None}) | svg.draw(B, values={99: 1}) |
        svg.draw(B, values=[1, 2]) | svg.draw(B, values={"a": 1}) | svg.draw(B, values=5) |
        svg.draw(B, values={0: [1]}) | svg.draw(B, fills={99: "red"}) | svg.draw(B, fills=[3]) |
        svg.draw(B, lines=[(0, 99)]) | svg.draw(B, lines=[5]) | svg.draw(B, lines=5) |
        svg.draw(B, lines=(0, 1, 2)) | svg.draw(B, player="Z") | svg.draw(B, player=None) |
        svg.draw(B, last=99) | svg.draw(B, last="x") | svg.draw(B, look="x") | svg.draw(B, look=None) |
        svg.strip([]) | svg.strip([B, B]) | svg.strip(B) | svg.strip([B, 5]) | svg.strip(5) | svg.beside(B) |
        svg.beside([B]) | svg.beside(5) | svg.beside(svg.draw(B))
    """,
    "symmetry and proof": """
        automorphisms("X") | automorphisms(nim) | automorphisms(Board((2, 2, 2, 2))) | canonical("X") |
        canonical(5) | canonical(nim) | strategy.choose(B) | strategy.choose("X") |
        verifier.verify({(0, 0): 99}) | verifier.verify(5) | certificate.from_bytes(b"x") | ttt.GameBoard
    """,
}


@pytest.fixture(scope="module")
def names():
    names = {"nim": Nim(5)}
    exec(CODE, names)
    return names


def deliberate(error):
    """Whether an error was raised by a `raise` in the engine, and not by Python for it."""
    entry = error.__traceback__
    while entry.tb_next:
        entry = entry.tb_next
    code = entry.tb_frame.f_code
    inside = Path(code.co_filename).is_relative_to(Path(ttt.__file__).parent)
    return inside and dis.opname[code.co_code[entry.tb_lasti]] == "RAISE_VARARGS"


@pytest.mark.parametrize("kind", CALLS)
def test_a_wrong_call_gets_a_sentence_of_the_engines_own(kind, names):
    for call in re.split(r" \|\s+", CALLS[kind].strip()):
        with pytest.raises((ValueError, TypeError, ImportError)) as caught:
            eval(call, dict(names))
        assert deliberate(caught.value) and len(str(caught.value)) > 20, call
