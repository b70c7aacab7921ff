"""Misuse: whatever a student passes to the engine, a sentence says what would work, raised where the fact is known."""

import dis
import re
from pathlib import Path

import lab
import pytest
from games import Nim

import ttt

CODE = """
from functools import partial
from itertools import count
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
calls = count()
"""
# The class of an error and its sentence, in which {} is what was given; below it, calls with a bar between them.
SAID = """
BoardError: A shape must be a tuple of whole numbers, such as (3, 3), not {} with `k=None`.
    Board("3x3") | Board(3) | Board((3.0, 3)) | Board(()) | Board(None) | Board.from_text("XO-", 3) |
    Player("a", first, shape=3) | Player("a", first, shape="3x3")
BoardError: Every side of a board must have at least one cell, unlike {}.
    Board((0, 3)) | Board((3, -1))
BoardError: On a 3×3 board, `k` must be from 1 to 3, not {}.
    Board((3, 3), 4) | Board((3, 3), 0)
BoardError: A shape must be a tuple of whole numbers, such as (3, 3), not (3, 3) with `k='3'`.
    Board((3, 3), "3")
BoardError: A board can have at most 10,000 cells in 6 dimensions, but {} has more.
    Board((10**6,)) | Board((1000, 1000)) | Board((2,) * 40) | Board((101, 100)) |
    Board.from_text("X", (10**9, 10**9))
BoardError: `x` and `o` must be bit masks (whole numbers), not {} and 0. For text, use `Board.from_text`.
    Board((3, 3), x="X") | Board((3, 3), x=1.0)
BoardError: X and O must be on different cells of the board.
    Board((3, 3), x=-1) | Board((3, 3), x=1 << 9) | Board((3, 3), x=1, o=1)
BoardError: X moves first, so X must have as many marks as O or one more, but X has {} and O has 0.
    Board((3, 3), x=3) | Board.from_text("XXXXXXXXX")
BoardError: `Board.from_text()` needs text such as 'X-O -X- --O', not {}.
    Board.from_text(3) | Board.from_text(["X"] * 9) | Board.from_text(B)
BoardError: The text must have one mark (X, O or -) for each cell: 9 for a 3×3 board, not {}.
    Board.from_text("") | Board.from_text("X-O --- --")
BoardError: {} is not a mark. The marks are X and O, and - for a free cell.
    Board.from_text("X-Z --- ---") | Board.from_text("x-- --- ---")
BoardError: X had completed a line, but O still moved after that.
    Board.from_text("XXX OOO ---")
OffBoard: There is no cell {}. A cell is an index from 0 to 8 or coordinates from (0, 0) to (2, 2).
    B.play(9) | B.play(-1) | B.play("4") | B.play(None) | B.play(1.0) | B.play(True) | B.play((3, 3)) | B.play((1,)) |
    B.play([1, 2]) | B[9] | B["a"] | B.cell("x") | B.coordinates(99) | B.lines_through(99) | threats(B, "X", "a") |
    svg.draw(B, values={"a": 1}) | svg.draw(B, fills={99: "red"}) | svg.draw(B, last=99) | svg.draw(B, last="x") |
    threats(B, "X", 9) | svg.draw(B, values={99: 1}) | svg.draw(B, lines=[(0, 99)]) | Board().play((0, 3)) |
    B.cell((0.0, 1.0)) | B[0, [1]]
BoardError: `CubeGame()` needs a 4×4×4 board with 4 in a row. For other boards, use `GameBoard()`.
    lab.CubeGame("cube-hard", start=B) | lab.CubeGame(start=Board((4, 4, 4), 3))
OffBoard: Coordinates must be a tuple, in brackets of their own: write `play((1, 2))`.
    B.play(1, 2)
GameOver: The game is over: X has won.
    over.play(8)
BoardError: A player must be "X" or "O", not {}.
    opponent("x") | threats(B, None) | open_lines(B, "x") | open_for(B, "x") | LineWeights(0, 1, 3, 0)(B, "x") |
    early_win(B.play(4), "x") | reachable("random", "x") | shortest_loss("random", "x") | sure_win("random", "x") |
    best_reply("random", "x") | strength_for("rules", 0.1, "x") | fork(B, "x")
BoardError: {} works on boards only, not with a game of your own, such as Nim(heap={}, turn={}).
    threats(nim, "X") | which_rule(nim) | open_lines(nim, "X") | gain(nim) | move_values(open_lines, nim) |
    outcome(nim, "X") | PLAYERS["perfect"].policy(nim) | PLAYERS["flash-clever"].policy(nim) |
    greedy(open_lines).policy(nim) | exact("random", "flash-clever", nim) | exact("perfect", "random", nim) |
    minimax(nim, 2, open_lines) | automorphisms(nim) | canonical(nim) | exact(beatable(), "random", nim) |
    svg.draw(nim) | lab.CubeGame(start=nim)
BoardError: A rule needs a Board, not 3: make one with `Board.from_text`.
    empty_edge(3)
PlayerError: rules plays on 3×3 with 3 in a row, not on 4×4×4 with 4 in a row. For any board, use the player
flash-fixed.
    which_rule(cube)
PlayerError: `rule_based()` needs a list of functions board → cells, not {}.
    rule_based(win) | rule_based(5) | rule_based([win, 3]) | rule_based(["win"])
HeuristicError: `LineWeights()` needs one number each for 0, 1 and more marks, not {}.
    LineWeights() | LineWeights(1) | LineWeights("a", "b") | LineWeights(0, "1", 2, 3) | LineWeights(0, True, 1, 1)
HeuristicError: LineWeights({}) has {} weights, but on a board with `k=3` it needs 4.
    LineWeights(0, 1, 3)(B, "X") | LineWeights(0, 1, 3, 0, 0)(B, "X")
HeuristicError: <lambda> returned None for Board.from_text('{} --- ---'): is its `return` missing?
    move_values(none, B) | greedy(none).policy(B) | searcher(none).policy(B) | minimax(B, 2, none)
HeuristicError: <lambda> returned 'x' for Board.from_text('{} --- ---'): it must be a finite number.
    move_values(text, B) | greedy(text).policy(B) | searcher(text).policy(B) | minimax(B, 2, text)
PlayerError: There is no player {}. The players are random, {}, cube-perfect.
    PLAYERS[3]
BoardError: {} needs a Board, not <class 'ttt.board.Board'>: write `Board()`.
    PLAYERS["random"].policy(Board) | play("random", "random", Board) | minimax(Board)
PlayerError: {} can't play: a player is a name such as 'random' or a function that takes only a board. `greedy(...)`
turns a heuristic into a player, and `searcher(...)` a search.
    Player("a", 3) | Player("a", lambda board, depth: 0) | play("random", 3) | play(open_lines, "random") |
    exact(3, 4) | shortest_loss(5) | strength_for(3, 0.1) | tournament(["random", 5]) |
    Player("a", lambda board, depth, heuristic: 0)
PlayerError: `max_free` must be a whole number of cells, 1 or more, not 'x'.
    Player("a", first, shape=(3, 3), max_free="x")
PlayerError: {} can't be called with just a board: `searcher()` needs a function that says what a board is worth to X;
give whatever else it needs by name, such as `depth=2`.
    searcher(3) | searcher(first, depth=2)
PlayerError: The depth says how many plies to look ahead; it must be 1 or more, not {}.
    searcher(first, depth=0) | searcher(first, depth="2")
ValueError: The strength must be a number from 0 (random) to 1 (perfect), not {}.
    beatable("x") | beatable(2) | beatable(None) | beatable(-0.1) | beatable(float("nan"))
ValueError: `depth` and `nearest` must be 1 or more, not {} and 20.
    report_search(cube, "x") | report_search(cube, 1.5)
ValueError: `depth` and `nearest` must be 1 or more, not 1 and 0.
    report_search(cube, 1, nearest=0)
ValueError: `rng` must be a generator such as random.Random(1), not {}.
    play("random", "random", rng=3) | match("random", "random", rng=7) | mcts(B, 5, rng=3) | lab.GameBoard(rng=1)
ValueError: `games` must be a whole number, 1 or more, not {}.
    match("random", "random", 0) | match("random", "random", "10") | match("random", "random", True) |
    match("random", "random", 1.5)
HiddenChance: <lambda> was asked twice about the same position and answered differently, so its probabilities are
unknown. It uses a clock, keeps something from one call to the next, or chooses at random with a generator of its own.
Where chance is to decide, return `{move: probability}`, or sample games with `match()`.
    exact("random", lambda board: board.moves[next(calls) % len(board.moves)])
BoardError: {} needs a Board, not 5: make one with `Board.from_text`.
    exact("random", "random", 5) | minimax(5) | plain_alphabeta(5, 2) | svg.strip([B, 5]) | canonical(5)
ValueError: The worth of a draw must be a number from 0 to 1, not {}.
    best_reply("random", draw="a") | best_reply("random", draw=None) | best_reply("random", draw=2)
ValueError: As O against rules the beatable player loses from 0.0000 to 0.9583 of its games, so no strength gives {}.
    strength_for("rules", "x") | strength_for("rules", 0.97) | strength_for("rules", -0.1) | strength_for("rules", None)
ValueError: tournament() needs a list of players, such as ['random', 'perfect'], not {}.
    tournament(5) | tournament("random") | tournament(PLAYERS["random"])
ValueError: `tournament()` needs at least two players.
    tournament([]) | tournament(["random"])
ValueError: A share must be a number from 0 to 1, not {}.
    wilson(2, 10) | wilson(-0.1, 10) | wilson("x", 10) | wilson(None, 5)
ValueError: An interval needs a whole number of games, 1 or more, not {}.
    wilson(0.5, "x") | wilson(0.5, 0)
BadSearch: The depth must be a whole number of plies, 0 or more, not {}.
    minimax(B, -1) | minimax(B, "3") | minimax(B, True) | negamax(B, 2.5) | plain_alphabeta(B, 2.5) |
    plain_alphabeta(B, -1) | plain_alphabeta(B, "2")
HeuristicError: <lambda> returned {} for Board.from_text('X-- --- ---'): a win counts 100,000, so an unfinished
board must count between -100,000 and 100,000.
    minimax(B, 1, lambda *_: 100_000) | negamax(B, 1, lambda *_: 10**6) | alphabeta(B, 1, lambda *_: -100_000)
BadSearch: With 64 free cells the tree is too large to search 5 plies deep: give a smaller depth, such as depth=3.
    minimax(cube, 5)
BadSearch: With 64 free cells the tree is too large to search to its end: give a depth, such as depth=3.
    minimax(cube) | alphabeta(cube)
BadSearch: sooner must be True or False, not {}.
    minimax(B, 2, sooner="yes") | alphabeta(B, 2, sooner=None) | minimax(B, 2, sooner=0)
BadSearch: There is no order {}. The orders are row-major, most-lines, best-gain.
    alphabeta(B, order=3) | alphabeta(B, order=None)
BadSearch: killer must be True or False, not {}.
    alphabeta(B, killer=1) | alphabeta(B, killer="False")
BadSearch: The order {} works on boards only. For a game of your own, leave out `order`.
    alphabeta(nim, order="most-lines") | alphabeta(nim, order="best-gain")
BadSearch: This board has too few lines: it has more than 10,000 automorphisms. Search without symmetry.
    alphabeta(Board((1, 9), 9), symmetry=True)
BadSearch: A search can look at most 200 plies ahead, not {}.
    alphabeta(nim, 300) | minimax(nim, 201)
BadSearch: A heuristic needs a depth, such as `depth=3`.
    plain_alphabeta(B, heuristic=open_lines)
BadSearch: {} is not a heuristic: give a function (board, player) → number.
    plain_alphabeta(B, 2, "x") | minimax(B, 2, "open_lines")
BadSearch: `playouts` must be a whole number, 1 or more, not {}.
    mcts(B, 0) | mcts(B, "9") | mcts(B, None) | mcts(B, 1.5)
BadSearch: `exploration` must be a number, 0 or more, not {}.
    mcts(B, 5, exploration=float("nan")) | mcts(B, 5, exploration="x") | mcts(B, 5, exploration=-1)
BoardError: `values` must be a dictionary, such as {0: 1}, not {}.
    svg.draw(B, values=5) | svg.draw(B, values=[1, 2])
BoardError: A cell shows a number or a text, not [1].
    svg.draw(B, values={0: [1]})
BoardError: `fills` must be a dictionary, such as {0: 1}, not [3].
    svg.draw(B, fills=[3])
BoardError: `lines` must be a list of lines, such as [(0, 1, 2)], not {}.
    svg.draw(B, lines=[5]) | svg.draw(B, lines=5) | svg.draw(B, lines=(0, 1, 2))
BoardError: A mark must be "X", "O" or "-", not {}.
    svg.draw(B, player=None) | svg.draw(B, player="Z")
BoardError: There is no look {}. The looks are slanted, turned, side.
    svg.draw(B, look="x") | svg.draw(B, look=None)
BoardError: `strip()` needs a list of boards, such as `game.boards`, not {}.
    svg.strip(B) | svg.strip(5) | svg.strip([])
BoardError: `beside()` needs a list of pictures, such as `[svg.draw(board)]`, not {}.
    svg.beside(B) | svg.beside(5) | svg.beside(svg.draw(B)) | svg.beside([B])
TooManySymmetries: This board has too few lines: it has more than 10,000 automorphisms.
    automorphisms(Board((2, 2, 2, 2))) | automorphisms(Board((9,)))
NotACertificate: 0000000000000000 0000000000000000 99 is not a position with a move.
    verifier.verify({(0, 0): 99})
NotACertificate: 5 is not a certificate: load one with `certificate.load()`.
    verifier.verify(5)
NotACertificate: This is not a certificate, or it is damaged: it can't be read.
    certificate.from_bytes(b"x")
ImportError: GameBoard is in lab: from lab import GameBoard
    ttt.GameBoard
ImportError: Board is in ttt: from ttt import Board
    lab.Board
HeuristicError: The heuristic returned None for Board.from_text('X-- --- ---'): is its `return` missing?
    move_values(partial(none), B)
PlayerError: This reply to random plays X, but it is O's turn: `best_reply(..., plays="O")` plays that side.
    best_reply("random").policy(B.play(4))
ValueError: Each player in a tournament needs its own name; several are called random.
    tournament(["random", "random"])
BadSearch: With 15 free cells the tree is too large to search to its end: give a depth, such as depth=3.
    minimax(Board((4, 4)).play(0))
BadSearch: With 16 free cells the tree is too large to search to its end: give a depth, such as depth=3, or let
alpha-beta remember positions with table=True.
    alphabeta(Board((4, 4)))
BadSearch: With 17 free cells the tree is too large to search to its end: give a depth, such as depth=3.
    alphabeta(Board((17,), 3)) | alphabeta(Board((17,), 3), table=True)
BadSearch: With 16 free cells the tree is too large to search to its end: give a smaller depth, such as depth=3, or
let alpha-beta remember positions with table=True.
    alphabeta(Board((4, 4)), 16)
BadSearch: `symmetry` works on boards only. For a game of your own, leave it out.
    alphabeta(nim, symmetry=True)
BadSearch: The earlier a win, the more it counts here, so this search needs a depth, such as `depth=3`.
    minimax(nim, sooner=True) | minimax(nim, None, open_lines)
BadSearch: This tree has more than 60 nodes. Start later in the game.
    lab.fill_in(B)
CellTaken: `added` must be a free cell, but cell 0 holds X.
    threats(B.play(0), "X", 0) | threats(B.play(0), "O", 0)
GameOver: The game is over: rules has no move left.
    which_rule(over)
PlayerError: A rule must return a tuple of cells, such as (4,), not 5.
    rule_based([lambda board: 5]).policy(B)
HeuristicError: LineWeights(0, 1, 3, 0) has 4 weights, but on a board with `k=4` it needs 5.
    LineWeights(0, 1, 3, 0)(Board((4, 4)), "X")
GameOver: The game is over: random has no move left.
    PLAYERS["random"].policy(over)
PlayerError: perfect plays on boards with up to 12 free cells, not with 13 on 4×4 with 4 in a row. For any board, use
the player flash-fixed.
    PLAYERS["perfect"].policy(Board((4, 4)).play(0).play(1).play(2))
HeuristicError: {} is not a heuristic: `greedy()` needs a function (board, player) → number.
    greedy(first) | greedy("random")
PlayerError: cube-report plays on 4×4×4 with 4 in a row, not on 3×3 with 3 in a row. For any board, use the player
flash-fixed.
    report_search(B)
BoardError: The proof covers only 4×4×4 with four in a row, not Board().
    strategy.choose(B)
BoardError: A cell shows a number or a text, not None. Is a `return` missing?
    svg.draw(B, values={0: None})
BoardError: `strip()` needs the boards of a game in order: Board() doesn't follow Board().
    svg.strip([B, B])
BoardError: {} needs a Board, not 'X-O': write `Board.from_text('X-O')`.
    lab.GameBoard(start="X-O") | lab.CubeGame(start="X-O") | lab.Explorer("X-O") | lab.fill_in("X-O") |
    lab.plots.heat("X-O", {0: 1}, "worth") | svg.draw("X-O") | svg.strip(["X-O"]) | minimax("X-O") | negamax("X-O") |
    alphabeta("X-O") | plain_alphabeta("X-O") | alphabeta("X-O", order="best-gain") | mcts("X-O") |
    play("random", "random", "X-O") | match("random", "random", board="X-O") | exact("random", "random", "X-O") |
    tournament(["random", "rules"], "X-O") | shortest_loss("random", board="X-O") | reachable("random", board="X-O") |
    sure_win("random", board="X-O") | best_reply("random").policy("X-O") | open_lines("X-O", "X") |
    open_for("X-O", "X") | LineWeights(0, 1, 3, 0)("X-O", "X") | gain("X-O") | move_values(open_lines, "X-O") |
    early_win("X-O", "X") | prospect("X-O", "X") | report_search("X-O") | threats("X-O", "X") | fork("X-O") |
    win("X-O") | block("X-O") | block_fork("X-O") | centre("X-O") | empty_corner("X-O") | opposite_corner("X-O") |
    which_rule("X-O") | canonical("X-O") | automorphisms("X-O") | strategy.choose("X-O") |
    PLAYERS["random"].policy("X-O") | PLAYERS["perfect"].policy("X-O")
PlayerError: worth(board, player) can't play: a player is a name such as 'random' or a function that takes only a
board. `greedy(...)` turns a heuristic into a player, and `searcher(...)` a search.
    Player("mine", worth) | play(worth, "random") | match("random", worth) | exact(worth, "random") |
    shortest_loss(worth) | strength_for(worth, 0.3) | tournament(["random", worth]) | lab.GameBoard(worth) |
    lab.CubeGame(worth) | setattr(lab.GameBoard(), "opponent", worth)
PlayerError: There is no player 'perfekt'. Did you mean 'perfect'? The players are random, {}, cube-perfect.
    PLAYERS["perfekt"]
BadSearch: There is no order 'most-line'. Did you mean 'most-lines'? The orders are row-major, most-lines, best-gain.
    alphabeta(B, order="most-line")
ValueError: There is no recap '06_minmax'. Did you mean '06_minimax'? The recaps are 00_play, {},
14_search_statistics.
    lab.recap("06_minmax")
CellTaken: Cell 4, (1, 1), is taken by X. Free cells: 0, 1, 2, 3, 5, 6, 7, 8.
    B.play(4).play(4)
GameOver: The game is over: it was drawn.
    Board.from_text('XOX XOO OXX').play(0)
BoardError: O had completed a line, but X still moved after that.
    Board.from_text("XX- OOO XX-")
BoardError: No single last move could have completed all of X's lines.
    Board.from_text("XXXX XXXX -OOO OOO- O---", (5, 4))
"""


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


@pytest.mark.parametrize("sentence, calls", re.findall(r"((?:^\S.*\n)+)((?:^ .*\n)+)", SAID, re.MULTILINE))
def test_a_wrong_call_gets_a_sentence_of_the_labs_own(sentence, calls, names):
    whole = re.escape(" ".join(sentence.split())).replace(r"\{\}", ".+")
    for call in calls.split("|"):
        with pytest.raises((ValueError, TypeError, ImportError)) as caught:
            eval(" ".join(call.split()), dict(names))
        assert re.fullmatch(whole, f"{caught.typename}: {caught.value}", re.DOTALL), call
        assert deliberate(caught.value), call


AT_THE_EDGE = """
    mcts(B, 1, exploration=0) | minimax(B, 0) | alphabeta(B, 0) | beatable(0) | beatable(1) | wilson(0, 1) |
    wilson(1, 1) | best_reply("random", draw=0) | best_reply("random", draw=1) | svg.draw(B, values={}) | Board((1,)) |
    threats(B, "X", 0) | LineWeights(0, 0, 0, 0)(B, "X") | Board((4, 4), 1) |
    move_values(lambda board, player: 99_999, B) | move_values(open_lines, over) | Board((2,) * 6) |
    Board((3, 4), 4) | minimax(nim, 200) | minimax(B, 1, lambda board, player: -99_999) | minimax(Board((3, 4)), 2)
    | report_search(cube, 1, nearest=1) | Player("a", first, max_free=1) | searcher(lambda board, depth: 0, depth=1)
"""


@pytest.mark.parametrize("call", [call.strip() for call in AT_THE_EDGE.split("|")])
def test_what_is_just_allowed_is_not_refused(call, names):
    eval(call, names)
