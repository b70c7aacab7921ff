"""What the lessons and the README say, where no cell computes it."""

import re
from itertools import product
from math import inf

import pytest
from conftest import ROOT, naming
from lab.statistics import compare, every_position, lucky, random_positions, right, sweep
from matplotlib import pyplot
from test_notebooks import prose
from textbook import searched

from ttt import Board, open_lines
from ttt.players.perfect import outcome
from ttt.qubic import certificate, forced

LESSON_08 = prose(ROOT / "notebooks" / "08_alpha_beta.ipynb")


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


def test_the_proof_of_lesson_09_has_no_move_where_x_must_stop_a_three_or_wins_by_threats_alone():
    for x, o in certificate.load():
        assert not forced.winning_cells(o, x) and not forced.winning_line(x, o)


def test_other_seeds_of_lesson_13_find_the_centre_with_300_playouts_and_reach_19_of_20_with_30():
    corner = sweep(Board().play(0), method="mcts", playouts=300, seed=[1, 2, 3, 4, 5])
    assert [move == 4 for move in corner["move"]] == [False, True, True, False, True]
    everywhere = sweep(every_position(Board()), method="mcts", playouts=30, seed=3)
    matters = lucky(everywhere) < 1
    assert right(everywhere[matters]).mean() > 0.95


@pytest.mark.slow
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
    code = code.replace("\n# ", "  # ")  # a long result stands below its call
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
