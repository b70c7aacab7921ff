"""What the engine says, word for word: what students call, rightly or wrongly, and what is printed for it."""

import dis
from pathlib import Path
from textwrap import indent

import lab
import pytest
from approved import approved

import ttt
from ttt.qubic.verifier import ProofError

GIVEN = """
from dataclasses import replace
from functools import partial
from itertools import count
import random
from random import Random
import lab
import ttt
import games
from games import Nim, nim
from ttt import *
from ttt.arena import Match, Result, wilson
from ttt.heuristics import LineWeights, gain, move_values
from ttt.players import *
from ttt.players.cube import report_search
from ttt.players.perfect import early_win, outcome, prospect
from ttt.players.rules import *
from ttt.position import require_position
from ttt.qubic import certificate, strategy, verifier
from ttt.search import *
B, cube, over, heap = Board(), Board((4, 4, 4)), Board.from_text("XXX OO- ---"), Nim(5)
late, near = Board.from_text("XX- OO- ---"), Board.from_text("XOX XOO OX-")
first, none, text = lambda board: board.moves[0], lambda *given: None, lambda *given: "x"
def worth(board, player): return 0
def looks_ahead(board, depth): return 0
def zero(board): return 0
def minus(board): return -1
def always(answer): return Player("mine", lambda board: answer).policy(B.play(4))
def drawn(*moves): return lambda board: moves if len(board.moves) < 8 else board.moves
def record(search): return "\\n".join(f"{name}: {part}" for name, part in vars(search).items() if name != "board")
def told(player): return f"{player.name}: {player.about} {player.shape} {player.max_free} {player.heuristic}"
calls = count()
def local():
    class Local: pass
    return Local()
class Half:
    turn, moves, play = "X", (1,), None
def added(self, more): return replace(self, heap=self.heap + more, turn=games.other(self.turn))
growing = nim("Growing", over=False, winner=None, play=added)
idle = nim("Idle", moves=property(lambda self: (*range(1, min(3, self.heap) + 1), 0)))
def fast():
    from ttt.search import compiled
    return compiled
ann, bob = Game("ann", "bob", (0, 3, 1, 4, 2)), Game("ann", "bob", (3, 0, 4, 1, 8, 2))
"""
CALLS = {  # with a bar between them, by what they are about
    "boards": """
        repr(B) | repr(late) | repr(Board((2, 3, 4), 2).play(5)) | repr(Board((4, 3), k=4)) |
        repr(Board((3, 4), 4)) | repr(Board(k=2).play(4)) | repr(Board((5,))) |
        Board((2, 2, 3)).play((1, 0, 2)).play(0) | repr(Board((4, 4), 1)) | Board((1,)) | len(Board((2,) * 6)) |
        Board((3, 4), 3).line_cells | Board((2, 2, 2)).line_cells | Board("3x3") | Board((3.0, 3)) | Board(()) |
        Board(None) | Board.from_text("XO-", 3) | Board((0, 3)) | Board((3, -1)) | Board((3, 3), 4) |
        Board((3, 3), 0) | Board((3, 3), "3") | Board((10**6,)) | Board((1000, 1000)) | Board((2,) * 40) |
        Board((101, 100)) | Board.from_text("X", (10**9, 10**9)) | Board((3, 3), x="X") | Board((3, 3), o=1.0) |
        Board((3, 3), x=-1) | Board((3, 3), x=1 << 9) | Board((3, 3), x=1, o=1) | Board((3, 3), x=3) |
        Board.from_text("OO- --- --X") | Board.from_text(3) | Board.from_text(["X"] * 9) | Board.from_text("") |
        Board.from_text("X-O --- --") | Board.from_text("X-O", (2, 2)) | Board.from_text("X-Z --- ---") |
        Board.from_text("x-- --- ---") | Board.from_text("XXX OOO ---") | Board.from_text("XX- OOO XX-") |
        Board.from_text("XXXX XXXX -OOO OOO- O---", (5, 4)) | Board.from_text("X/O\\n-", (3,))""",
    "cells": """
        B.play(9) | B.play(-1) | B.play("4") | B.play(None) | B.play(1.0) | B.play(True) | B.play((3, 3)) |
        B.play([1, 2]) | B.play(1, 2) | cube.play(1, 2, 3) | cube.play(64) | B.play((True, 0)) | B[9] | B[0, [1]] |
        B.cell((0.0, 1.0)) | B.coordinates(99) | cube.coordinates(27) | B.lines_through(99) | B.lines_through(4) |
        B.play(4).play(4) | cube.play(27).play(27) | over.play(8) | near.play(8).play(0) |
        Board.from_text("XX- OOO X--").play(2) | B.__setitem__(0, "X") | opponent("x") | opponent(None)""",
    "who needs a board": """
        open_lines(B, "x") | open_for(B, "x") | LineWeights(0, 1, 3, 0)(B, "x") | early_win(B.play(4), "x") |
        outcome(B.play(4), None) | reachable("random", "x") | shortest_loss("random", "x") |
        sure_win("random", "x") | best_reply("random", "x") | strength_for("rules", 0.1, "x") | fork(B, "x") |
        threats(B, None) | threats(heap, "X") | which_rule(heap) | open_lines(heap, "X") | gain(heap) |
        move_values(open_lines, heap) | outcome(heap, "X") | PLAYERS["perfect"].policy(heap) |
        PLAYERS["flash-clever"].policy(heap) | greedy(open_lines).policy(heap) |
        exact("random", "flash-clever", heap) | exact("perfect", "random", heap) | minimax(heap, 2, open_lines) |
        automorphisms(heap) | canonical(heap) | exact(beatable(), "random", heap) | svg.draw(heap) |
        lab.CubeGame(start=heap) | empty_edge(3) | PLAYERS["random"].policy(Board) |
        play("random", "random", Board) | minimax(Board) | minimax(5) | exact("random", "random", 5) |
        plain_alphabeta(5, 2) | svg.strip([B, 5]) | canonical(5) | require_position(Nim, "A test") |
        minimax(Half()) | alphabeta(growing) | match("random", "random", 1, growing) |
        exact(first, first, growing) | alphabeta(idle)""",
    "heuristics": """
        LineWeights(0, 1, 3, 0) | LineWeights() | LineWeights(1) | LineWeights(0, "1", 2, 3) |
        LineWeights(0, True, 1, 1) | LineWeights(0, 1, 3)(B, "X") | LineWeights(0, 1, 3, 0, 0)(B, "X") |
        LineWeights(0, 1, 3, 0)(Board((4, 4)), "X") | LineWeights(0, 0, 0, 0)(B, "X") | gain(late) |
        gain(B.play(4)) | move_values(none, B) | move_values(partial(none), B) | greedy(none).policy(B) |
        searcher(none).policy(B) | minimax(B, 2, none) | move_values(text, B) | minimax(B, 2, text) |
        move_values(worth, over) | move_values(open_lines, late) | move_values(lambda *_: 99_999, B.play(4)) |
        minimax(B, 1, lambda *_: 100_000) | negamax(B, 1, lambda *_: 10**6) | alphabeta(B, 1, lambda *_: -100_000) |
        minimax(B, 1, lambda *_: -99_999)""",
    "players": """
        "\\n".join(map(told, PLAYERS.values())) | told(best_reply("random", "O")) | told(beatable(0.25)) |
        told(best_reply("rules")) | told(greedy(open_lines, "mine")) | told(searcher(looks_ahead, 2)) |
        told(searcher(looks_ahead, depth=1, name="a b")) | Player("mine", first, "Plays first.") |
        PLAYERS["random"] | PLAYERS["perfekt"] | PLAYERS[3] | Player("a", 3) | Player("a", lambda board, depth: 0) |
        Player("a", worth) | play("random", 3) | tournament(["random", 5]) | exact(worth, "random") |
        lab.GameBoard(worth) | setattr(lab.GameBoard(), "opponent", worth) | Player("a", first, shape=3) |
        Player("a", first, max_free="x") | Player("a", first, max_free=0) |
        Player("a", first, max_free=1).policy(B) | Player("a", first, shape=[3, 3]).policy(Board(k=2)) |
        Player("a", first, shape=(3, 3), max_free=1).policy(B) | always(None) | always(4) | always((1, 1)) |
        always({4: 1}) | always(9) | always(True) | always("top left") | always(local()) | always(0.0) |
        always(-1) | always({0: 0.5}) | always({}) | always({0: 1.5, 1: -0.5}) | always({0: "1"}) |
        always({0: 0.5, (0, 0): 0.25, 3: 0, 1: 0.25}) | exact(zero, "random") | exact(looks_ahead, "random") |
        Player("nine", lambda here: 9).policy(Nim(2)) | Player("none", zero).policy(Nim(2)) |
        Player("true", lambda here: True).policy(Nim(2)) | Player("one", lambda here: 1.0).policy(Nim(2)) |
        greedy(lambda here, player: -(here.heap % 4)).policy(Nim(7)) | searcher(3) | searcher(first, depth=2) |
        searcher(worth) | searcher(looks_ahead) | searcher(zero, depth=0) | searcher(zero, depth="2") |
        searcher(text).policy(B) | searcher(zero).policy(late) | exact(searcher(minus), "random") |
        searcher(looks_ahead, depth=1).policy(B.play(4)) | greedy(first) | greedy("random") | beatable("x") |
        beatable(2) | beatable(-0.1) | beatable(float("nan")) | beatable(0).policy(near) |
        beatable(1).policy(late) | PLAYERS["random"].policy(over) |
        PLAYERS["perfect"].policy(Board((4, 4)).play(0).play(1).play(2)) | PLAYERS["rules"].policy(cube) |
        PLAYERS["rules"].policy(Board(k=2)) | PLAYERS["cube-easy"].policy(Board())""",
    "rules": """
        which_rule(late) | which_rule(B.play(0).play(4)) | which_rule(cube) | which_rule(over) | rule_based(win) |
        rule_based(5) | rule_based([win, 3]) | rule_based([lambda board: 5]).policy(B) |
        rule_based([lambda board: (0, 0, 8)]).policy(B) | threats(B, "X", "a") | threats(B, "X", 9) |
        threats(B.play(0), "X", 0) | threats(B.play(0), "O", 0) | threats(B.play(0), "X", (0, 1)) |
        threats(B, "X", 0)""",
    "cubes": """
        report_search(cube.play(0), 2) | report_search(cube, 1, nearest=1) |
        report_search(cube.play(0).play(63).play(1).play(40).play(2), 1, nearest=1, last=(63, 63)) |
        report_search(cube, "x") | report_search(cube, 1.5) | report_search(cube, 1, nearest=0) |
        report_search(cube, 0) | report_search(B) | strategy.choose(cube) | strategy.choose(cube.play(0)) |
        strategy.choose(B) | strategy.choose(Board((4, 4, 4), 3)) |
        strategy.choose(Board((4, 4, 4), x=15, o=1792)) | strategy.choose(Board((4, 4, 4), x=7, o=1792)) |
        strategy.choose(Board((4, 4, 4), x=65539, o=1792)) | verifier.verify({(0, 0): 99}) | verifier.verify(5) |
        verifier.verify({}) | verifier.ProofChecker({}).defend(0, 7) | verifier.ProofChecker({}).answer(0, 7, 3) |
        verifier.verify({(1, 1): 0}) | verifier.verify({(1, 2): 1}) | verifier.verify({(3, 4): 5}) |
        repr(verifier.Verification(strategic=1002, positions=1003, replies=1004, forced_wins=1005)) |
        certificate.from_bytes(b"x") | certificate.from_bytes(certificate.SHIPPED.read_bytes()[:-1]) |
        certificate.from_bytes(certificate.SHIPPED.read_bytes() + b"x") | lab.CubeGame("cube-hard", start=B) |
        lab.CubeGame(start=Board((4, 4, 4), 3))""",
    "the arena": """
        ann | bob | Game("ann", "bob", (0,)) | Game("ann", "bob", (0, 4, 8, 1, 7, 6, 2, 5, 3)) | repr(bob) |
        Game("ann", "bob", (4, 4)).final | play(lambda here: 1, lambda here: 1, Nim(2)) |
        play(first, first, Nim(2))._repr_svg_() | Match("ann", "bob", (ann, bob, ann)) |
        repr(Match("ann", "bob", (ann, bob, ann))) | Match("ann", "bob", (ann, bob, ann)).result |
        wilson(0.5, 100)[0] < wilson(0.5, 100, 0.9)[0] | match("flash-clever", "flash-clever", 1) |
        Result("ann", "bob", 0.5, 0.25, 0.125) |
        tournament(["rules-coded", "random", "perfect"], notes=["Somebody is left out.", "A second note."]) |
        repr(tournament(["random", "perfect"])) | tournament([first, "random"], Nim(4)) |
        exact("random", "open-lines") | exact("random", first, Nim(3)) | best_reply("random", draw=0).policy(B) |
        best_reply("random", draw=1).policy(B) | play("random", "random", rng=3) |
        match("random", "random", rng=7) | mcts(B, 5, rng=3) | lab.GameBoard(rng=1) | match("random", "random", 0) |
        match("random", "random", True) | match("random", "random", 1.5) |
        exact("random", lambda board: board.moves[next(calls) % len(board.moves)]) |
        exact("random", lambda board: {random.choice(board.moves): 1.0}) | best_reply("random", draw="a") |
        best_reply("random", draw=2) | best_reply("random").policy(B.play(4)) |
        best_reply("random", "O").policy(B) | strength_for("rules", "x") | strength_for("rules", 0.97) |
        strength_for("rules", -0.1) | strength_for("rules", 2, "X") | tournament(5) |
        tournament(PLAYERS["random"]) | tournament([]) | tournament(["random"]) |
        tournament(["random", "rules", "random"]) | wilson(2, 10) | wilson(-0.1, 10) | wilson("x", 10) |
        wilson(0.5, "x") | wilson(0.5, 0)""",
    "searches": """
        alphabeta(B, order="most-lines").nodes | alphabeta(B, order="best-gain").nodes |
        alphabeta(B, killer=True).nodes | alphabeta(B, table=True).nodes | alphabeta(B, symmetry=True).nodes |
        alphabeta(B, deepening=True).nodes |
        alphabeta(B, order="best-gain", killer=True, table=True, symmetry=True, deepening=True).nodes |
        alphabeta(late, order="most-lines", table=True) | repr(minimax(near)) | minimax(Nim(5)) |
        alphabeta(B, 2, open_lines, order="best-gain", killer=True, symmetry=True, deepening=True) |
        mcts(late, 20, rng=Random(1)) | mcts(B, 1, rng=Random(1)) | mcts(B, 60, rng=Random(1)) |
        mcts(B, 60, exploration=0, rng=Random(1)) | mcts(B, 1, exploration=0, rng=Random(1)) | negamax(over) |
        mcts(near.play(8), 3) | minimax(B, 0) | alphabeta(B, 0) | minimax(B, 0, lambda *_: 99_999) |
        minimax(B, 0, lambda *_: -1000.25) | minimax(B, 0, lambda *_: 1 / 3) | minimax(Board((3, 4)), 2) |
        record(minimax(late, 2)) | record(alphabeta(B)) |
        record(alphabeta(late, 3, open_lines, killer=True, deepening=True)) |
        record(mcts(Board.from_text("X-O -X- --O"), 99, rng=Random(1))) | alphabeta(B, 2, order=sorted) |
        minimax(B, -1) | minimax(B, True) | negamax(B, 2.5) | plain_alphabeta(B, 2.5) | minimax(cube, 5) |
        minimax(Board((12,), 1)) | minimax(Board((11,), 1)) | alphabeta(Board((15,), 1)) |
        alphabeta(Board((16,), 1), table=True) | minimax(cube) | alphabeta(cube) | alphabeta(B, 2, sooner=None) |
        minimax(B, 2, sooner=0) | alphabeta(B, killer=1) | alphabeta(B, table="False") | alphabeta(B, order=3) |
        alphabeta(B, order=None) | alphabeta(B, order="most-line") | alphabeta(heap, order="most-lines") |
        alphabeta(heap, order="best-gain") | alphabeta(heap, symmetry=True) |
        alphabeta(Board((1, 8), 8), symmetry=True) | alphabeta(heap, 300) | minimax(heap, 201) |
        minimax(Nim(9), 200) | plain_alphabeta(B, heuristic=open_lines) | plain_alphabeta(B, 2, "x") |
        minimax(B, 2, "open_lines") | mcts(B, 0) | mcts(B, None) | mcts(B, 1.5) |
        mcts(B, 5, exploration=float("nan")) | mcts(B, 5, exploration="x") | mcts(B, 5, exploration=-1) |
        minimax(Board((4, 4)).play(0)) | alphabeta(Board((16,), 1)) | alphabeta(Board((17,), 1)) |
        alphabeta(Board((17,), 1), table=True) | alphabeta(Board((16,), 1), 16) | minimax(Board((3, 5)), 14) |
        minimax(heap, sooner=True) | minimax(heap, None, open_lines) | alphabeta(B, 3, order=drawn(1, 2)) |
        alphabeta(B, 3, order=lambda board: board.moves * 2) | alphabeta(B, 3, order=none) |
        alphabeta(B, 3, order=drawn(9)) | lab.fill_in(B) | automorphisms(Board((8,))) |
        len(automorphisms(Board((7,))))""",
    "compiled searches": """
        fast().alphabeta(B, order="most-lines") | fast().alphabeta(B, 3, open_lines, order="best-gain") |
        fast().minimax(B, 2, lambda *_: 0) | fast().alphabeta(B, 2, lambda *_: 0) |
        fast().minimax(B, 2, LineWeights(0, 0.5, 1, 2)) | fast().minimax(B, 2, LineWeights(0, 1, 12_500, 0)) |
        fast().minimax(B, 2, LineWeights(0, 1, -12_499, 0)) | fast().minimax(Board((9, 9)), 1) |
        fast().alphabeta(Board((1, 40), 20), 1, order="best-gain") | fast().minimax(heap) |
        fast().alphabeta(B, order=sorted) | fast().alphabeta(B, order="best-gian") | fast().minimax(B, -1) |
        fast().alphabeta(Board((16,), 1)) | fast().minimax(B, 2, LineWeights(0, 1, 2)) | fast().minimax(over) |
        fast().minimax(B, 1, sooner=1)""",
    "drawings": """
        svg.draw(late).title | svg.draw(B.play(4)).title | svg.draw(over).title | svg.draw(near.play(8)).title |
        svg.draw(B, values={"a": 1}) | svg.draw(B, fills={99: "red"}) | svg.draw(B, last=99) |
        svg.draw(B, values={99: 1}) | svg.draw(B, lines=[(0, 99)]) | svg.draw(B, values=5) |
        svg.draw(B, values=[1, 2]) | svg.draw(B, values={0: [1]}) | svg.draw(B, values={0: None}) |
        svg.draw(B, fills=[3]) | svg.draw(B, lines=[5]) | svg.draw(B, lines=5) | svg.draw(B, lines=(0, 1, 2)) |
        svg.draw(B, player=None) | svg.draw(B, player="Z") | svg.draw(B, look="x") | svg.draw(B, look=None) |
        svg.strip(B) | svg.strip([]) | svg.strip(["X-O"]) | svg.strip([B, B]) | svg.beside(5) |
        svg.beside(svg.draw(B)) | svg.beside([B])""",
    "names": """
        ttt.GameBoard | ttt.Bord | lab.Board | lab.GameBord | lab.recap("06_minmax")""",
    "a text for a board": """
        lab.GameBoard(start="X-O") | lab.CubeGame(start="X-O") | lab.Explorer("X-O") | lab.fill_in("X-O") |
        lab.plots.heat("X-O", {0: 1}, "worth") | svg.draw("X-O") | minimax("X-O") | negamax("X-O") |
        alphabeta("X-O") | plain_alphabeta("X-O") | alphabeta("X-O", order="best-gain") | mcts("X-O") |
        play("random", "random", "X-O") | match("random", "random", board="X-O") |
        exact("random", "random", "X-O") | tournament(["random", "rules"], "X-O") |
        shortest_loss("random", board="X-O") | reachable("random", board="X-O") | sure_win("random", board="X-O") |
        best_reply("random").policy("X-O") | open_lines("X-O", "X") | open_for("X-O", "X") |
        LineWeights(0, 1, 3, 0)("X-O", "X") | gain("X-O") | move_values(open_lines, "X-O") | early_win("X-O", "X") |
        prospect("X-O", "X") | report_search("X-O") | threats("X-O", "X") | fork("X-O") | win("X-O") |
        block("X-O") | block_fork("X-O") | centre("X-O") | empty_corner("X-O") | opposite_corner("X-O") |
        which_rule("X-O") | canonical("X-O") | automorphisms("X-O") | strategy.choose("X-O") |
        PLAYERS["random"].policy("X-O") | PLAYERS["perfect"].policy("X-O")""",
}


NAMES = {"__name__": "mine"}
exec(GIVEN, NAMES)


def answer(call):
    """What is printed for a call: its result, or an error that is raised in the engine or the lab, not by Python."""
    try:
        return str(eval(call, dict(NAMES)))
    except (ValueError, TypeError, ImportError, AttributeError, ProofError) as error:
        entry = error.__traceback__
        while entry.tb_next:
            entry = entry.tb_next
        code = entry.tb_frame.f_code
        inside = any(Path(code.co_filename).is_relative_to(Path(one.__file__).parent) for one in (ttt, lab))
        assert inside and dis.opname[code.co_code[entry.tb_lasti]] == "RAISE_VARARGS", call
        return f"{type(error).__name__}: {error}"


@pytest.mark.parametrize("subject", CALLS)
def test_students_are_told_what_they_asked_or_what_would_work(subject):
    if subject == "compiled searches":
        pytest.importorskip("numba")
    calls = [" ".join(call.split()) for call in CALLS[subject].split(" |")]
    text = "\n".join(f"{call}\n{indent(answer(call), '    ')}" for call in calls)
    assert approved(Path(__file__).parent / "said/calls.txt", subject, text)
