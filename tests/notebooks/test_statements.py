"""What the lessons and the README say, where no cell computes it."""

import re
from itertools import permutations, product
from math import comb, inf

import pytest
from conftest import ROOT, naming
from lab import ladder
from lab.statistics import compare, every_position, least_tree, lucky, random_positions, right, sweep
from matplotlib import pyplot
from oracles import CUBE
from test_notebooks import prose
from textbook import searched

from ttt import PLAYERS, Board, automorphisms, exact, open_lines, reachable
from ttt.players.cube import report_search
from ttt.players.perfect import outcome
from ttt.search import alphabeta

LESSON_08 = prose(ROOT / "notebooks" / "08_alpha_beta.ipynb")


def test_six_marks_can_be_arranged_in_the_most_ways_and_not_all_of_these_boards_come_up():
    ways = {marks: comb(9, marks) * comb(marks, marks // 2) for marks in range(10)}
    assert ways.pop(6) == 1680 and max(ways.values()) == 1260
    assert len([board for board in reachable("random") if len(board.moves) == 3]) < 1680


def test_where_the_clever_computer_misses_a_win_it_never_loses_from_there():
    clever = PLAYERS["flash-clever"]
    missed = []
    for board in reachable(clever, plays="O"):
        if board.turn == "O" and not board.over:
            [answer] = clever.policy(board)
            if any(board.play(move).winner for move in board.moves) and not board.play(answer).winner:
                missed.append(board.play(answer))
    assert len(missed) == 21
    assert not any(exact("random", clever, board=board).x_wins for board in missed if not board.over)


def test_alpha_beta_looks_at_six_of_the_nine_numbers_in_lesson_08():
    table = re.findall(r"^\| [abc] \| (\d) \| (\d) \| (\d) \|$", LESSON_08, re.MULTILINE)
    rows = [[int(number) for number in row] for row in table]
    search = searched(rows, lambda node: [*enumerate(node)] if isinstance(node, list) else node)
    values = [search.values[row, reply] for row, reply in product(range(3), repeat=2)]
    assert values == [5, 6, 7, 3, "cut", "cut", 9, 4, "cut"]


def test_the_answer_of_lesson_08_is_exact_within_the_window_and_outside_of_it_a_bound():
    [answer] = re.findall(r"```python\n(def worth.*?)```", LESSON_08, re.DOTALL)
    space = {"inf": inf, "in_order": lambda board: board.moves}
    exec(answer, space)
    outside = set()
    for position in [position for position in every_position(Board()) if len(position.moves) < 7]:
        true = space["worth"](position)
        assert true == outcome(position, "X")
        for alpha, beta in ((-1, 0), (0, 1), (-1, 1), (-0.5, 0.5)):
            result = space["worth"](position, alpha, beta)
            if alpha < result < beta:
                assert result == true
            else:
                outside.add(result != true)
                assert true <= result if result <= alpha else true >= result
    assert outside == {True, False}


def test_with_b_moves_everywhere_the_least_tree_has_as_many_leaves_as_the_formula_says():
    for b, d in product((2, 5, 14), range(1, 7)):
        assert least_tree([b] * d)[-1] == b ** ((d + 1) // 2) + b ** (d // 2) - 1


def test_rotations_reflections_turning_inside_out_and_swapping_the_inner_layers_make_192():
    cells = range(64)

    def image(layers, axes=(0, 1, 2)):
        """Where each cell goes if the layers along every axis are rearranged like this, and the axes are renamed."""
        places = [[layers[axis][n] for axis, n in enumerate(CUBE.coordinates(cell))] for cell in cells]
        return tuple(CUBE.cell(tuple(place[axis] for axis in axes)) for place in places)

    def doubled(images, more):
        return images | {tuple(more[image[cell]] for cell in cells) for image in images}

    straight, turned = (0, 1, 2, 3), (3, 2, 1, 0)
    turns = product(product((straight, turned), repeat=3), permutations(range(3)))
    rigid = {image(layers, axes) for layers, axes in turns}
    both = doubled(rigid, image([(1, 0, 3, 2)] * 3))
    assert (len(rigid), len(both)) == (48, 96)
    assert doubled(both, image([(0, 2, 1, 3)] * 3)) == {*map(tuple, automorphisms(CUBE))}


def test_from_the_centre_on_x_never_completes_a_line_if_it_always_plays_opposite_to_o():
    def mirrored(board):
        opposite = [move for move in board.moves if board[8 - move] == "O"]
        return opposite[0] if opposite else 4

    assert {board.winner for board in reachable(mirrored, plays="X") if board.over} == {"O", None}


def test_what_lesson_09_says_about_the_old_report():
    assert 63**6 - 20**6 == 62_459_502_209
    with_a_zero = {cell for cell in CUBE.moves if 0 in CUBE.coordinates(cell)}
    assert len(with_a_zero) == 4**3 - 3**3
    assert all(with_a_zero.intersection(line) for line in CUBE.line_cells)


@pytest.mark.slow
def test_of_all_first_moves_those_of_lesson_09_cost_the_report_most_and_least():
    calls = {first: report_search(CUBE.play(first), nearest=None).calls for first in CUBE.moves}
    by_calls = sorted(calls, key=calls.get)
    assert (by_calls[0], by_calls[-1]) == (42, 0)


@pytest.mark.parametrize("depth, rung, lost", [(0, 2, 14.29), (2, 2, 3.39), (4, 2, 3.17), (5, 4, 0)])
def test_what_the_exercise_alpha_beta_says_of_its_player_by_depth(depth, rung, lost):
    def plays(board):
        values = {move: -alphabeta(board.play(move), depth, open_lines).value for move in board.moves}
        return max(values, key=values.get)

    assert ladder(plays).height == rung
    assert round(100 * exact("random", plays).x_wins, 2) == lost


def test_other_seeds_of_lesson_13_find_the_centre_with_300_playouts_and_reach_19_of_20_with_30():
    corner = sweep(Board().play(0), method="mcts", playouts=300, seed=[1, 2, 3, 4, 5])
    assert [move == 4 for move in corner["move"]] == [False, True, True, False, True]
    everywhere = sweep(every_position(Board()), method="mcts", playouts=30, seed=3)
    matters = lucky(everywhere) < 1
    assert right(everywhere[matters]).mean() > 0.95


def test_five_of_the_sixty_positions_of_lesson_13_make_up_three_quarters_of_what_killer_saves_best_gain():
    sample = random_positions(Board(shape=(4, 4)), 60, seed=7, free=5)
    rows = sweep(sample, 5, order="best-gain", killer=[False, True], heuristic=open_lines)
    pairs = compare(rows, "killer", baseline=False)
    saved = sorted(pairs["baseline"] - pairs["nodes"], reverse=True)
    assert sum(saved[:5]) / sum(saved) == pytest.approx(0.75, abs=0.01)


def test_what_the_readme_says_about_a_sweep_is_what_its_code_gives():
    section = (ROOT / "README.md").read_text().split("## Measure searches")[1].split("\n## ")[0]
    code, _, ratios = section.split("```")[1].removeprefix("python\n").strip().rpartition("\n")
    space = {}
    exec(code, space)
    pyplot.close("all")
    assert len(set(space["boards"])) == 200
    ratio = eval(ratios, space).loc[4].map("{:.2f}".format)
    assert re.search(naming(f"ratio {ratio['middle']}", f"interval {ratio['low']} to {ratio['high']}"), section)


def test_what_the_readme_says_next_to_its_code_is_what_the_code_gives():
    for section in ("## Use the package", "## Check the proof"):
        space = {}
        code = (ROOT / "README.md").read_text().split(section)[1].split("```")[1].removeprefix("python\n")
        for line in code.splitlines():
            call, _, told = line.partition("  # ")
            if re.match("from |board = |$", call):
                exec(call, space)
                continue
            shown = str(eval(call[len("print(") : -1], space)) if call.startswith("print(") else repr(eval(call, space))
            assert shown.startswith(told.removesuffix(", ..."))
