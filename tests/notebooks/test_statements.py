"""What the lessons and the README say, where no cell computes it."""

import re
from itertools import permutations, product
from math import inf, prod

import pytest
from conftest import ROOT, naming
from lab import ladder
from lab.checks.yours import labs_version
from lab.statistics import compare, every_position, least_tree, lucky, random_positions, right, sweep
from matplotlib import pyplot
from oracles import CUBE
from test_notebooks import prose
from textbook import searched

from ttt import PLAYERS, Board, automorphisms, exact, greedy, open_lines, opponent, reachable
from ttt.heuristics import LineWeights
from ttt.players.perfect import outcome
from ttt.players.rules import RULES, rule_based, threats
from ttt.qubic import certificate, forced
from ttt.search import alphabeta

LESSON_08 = prose(ROOT / "notebooks" / "08_alpha_beta.ipynb")


def test_a_game_of_five_moves_comes_up_once_in_15_120_games_and_one_of_nine_once_in_362_880():
    games = [((), Board())]
    likely = {}
    while games:
        chances, board = games.pop()
        if board.over:
            likely.setdefault(len(chances), set()).add(prod(chances))
        games += [((*chances, len(board.moves)), board.play(move)) for move in board.moves if not board.over]
    assert likely[5] == {15_120} and likely[9] == {362_880}


def test_taking_the_last_of_the_best_cells_wins_exactly_as_often_as_taking_the_first():
    def last_best(board):
        return max(reversed(board.moves), key=lambda move: open_lines(board.play(move), board.turn))

    assert exact(last_best, "random").x_wins == pytest.approx(exact(labs_version("best_cell"), "random").x_wins)


def test_where_heuristic_1_takes_a_win_it_blocks_as_well_in_about_nine_cases_out_of_ten():
    player = greedy(LineWeights(0, 1, 3, 0))
    taken = {}
    for board in reachable("random"):
        wins = {move for move in board.moves if not board.over and board.play(move).winner}
        if wins and wins & {*player.policy(board)}:
            to_block = {cell for line in threats(board, opponent(board.turn)) for cell in line if board[cell] == "-"}
            taken[board] = bool(wins & to_block)
    assert len(taken) == 324 + 260 and sum(taken.values()) == 524


def test_with_heuristic_1_the_clever_computer_wins_more_often_on_both_sides_but_as_o_it_also_loses_more_often():
    def clever_1(board):
        lines = [(line, [board[cell] for cell in line]) for line in board.line_cells]
        doubles = [
            line[marks.index("-")] for line, marks in lines if sorted(marks) in (["-", "O", "O"], ["-", "X", "X"])
        ]
        return doubles[0] if doubles else min(greedy(LineWeights(0, 1, 3, 0)).policy(board))

    assert exact(clever_1, "random").x_wins > exact("flash-clever", "random").x_wins
    new, old = exact("random", clever_1), exact("random", "flash-clever")
    assert new.o_wins > old.o_wins and new.x_wins > old.x_wins


def test_without_the_fork_rule_the_other_seven_stand_on_rung_4():
    assert ladder(rule_based([rule for name, rule in RULES if name != "fork"])).height == 4


def test_after_the_block_in_fix_the_number_x_can_still_save_a_draw_with_one_of_three_moves():
    board = Board.from_text("--- -OX XOX").play(2)
    assert sorted(outcome(board.play(move), "X") for move in board.moves) == [-1, -1, 0]


def test_with_rule_4_the_other_side_never_has_two_threats_unless_the_player_can_win_first():
    rules = [rule for name, rule in RULES if name not in ("fork", "opposite corner")]
    player, met = rule_based(rules), 0
    for side in "XO":
        for board in reachable(player, plays=side):
            if board.turn == side and not board.over and len(threats(board, opponent(side))) > 1:
                met += 1
                assert threats(board, side)
    assert met


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


def test_on_the_two_boards_of_lesson_06_perfect_and_negamax_have_only_one_move_each():
    for text, moves in (("X-O X-- -O-", {"perfect": 6, "negamax": 4}), ("X-O X-- ---", {"perfect": 6, "negamax": 1})):
        board = Board.from_text(text)
        assert {name: [*PLAYERS[name].policy(board)] for name in moves} == {name: [moves[name]] for name in moves}


def test_in_lesson_09_x_wins_without_its_third_move_and_without_none_of_the_others():
    steps = [step for step in product((-1, 0, 1), repeat=3) if step > (0, 0, 0)]
    rows = [
        [tuple(at + n * by for at, by in zip(start, step, strict=True)) for n in range(4)]
        for start, step in product(product(range(4), repeat=3), steps)
    ]
    lines = [{16 * z + 4 * y + x for z, y, x in row} for row in rows if all(0 <= at < 4 for at in row[-1])]
    assert len(lines) == 76

    def completing(mine, theirs):
        """The cells in which a side completes a line."""
        left = [line - mine for line in lines if not theirs & line]
        return {cell for cells in left if len(cells) == 1 for cell in cells}

    xs, os = (0, 9, 15, 60, 63), (3, 6, 12, 48, 51)

    def wins(moves):
        x, o = {*xs}, {*os}
        for move in moves:
            x = x | {move}
            answers = completing(x, o)
            if len(answers) != 1 or completing(o, x):
                return len(answers) > 1 and not completing(o, x)
            o = o | answers
        return False

    found = forced.winning_line(*(sum(1 << cell for cell in cells) for cells in (xs, os)))
    assert wins(found) and len(found) == 5
    assert [wins(found[:n] + found[n + 1 :]) for n in range(5)] == [False, False, True, False, False]


def test_the_proof_of_lesson_09_has_no_move_where_x_must_stop_a_three_or_wins_by_threats_alone():
    for x, o in certificate.load():
        assert not forced.winning_cells(o, x) and not forced.winning_line(x, o)


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
    code = (ROOT / "README.md").read_text().split("## Use the package")[1].split("```")[1].removeprefix("python\n")
    space = {}
    for line in code.splitlines():
        call, _, told = line.partition("  # ")
        if re.match("from |board = |$", call):
            exec(call, space)
            continue
        shown = str(eval(call[len("print(") : -1], space)) if call.startswith("print(") else repr(eval(call, space))
        assert shown.startswith(told.removesuffix(", ..."))


def test_the_readme_says_of_the_proof_what_lesson_09_shows_which_checks_it():
    call, told = re.search(r"print\((verifier\S+)\)\)  # (.*), \.\.\.", (ROOT / "README.md").read_text()).groups()
    lesson = (ROOT / "notebooks/09_three_dimensions.ipynb").read_text("utf-8")
    assert call.partition("(")[0] in lesson and told in lesson
