"""What the lessons and the README say, where no cell computes it."""

import re
from functools import cache
from itertools import product
from math import inf
from pathlib import Path

import pytest
from approved import all_approved
from conftest import ROOT, naming
from kept import LESSONS
from lab.checks.yours import labs_version
from lab.statistics import compare, every_position, lucky, random_positions, right, sweep
from matplotlib import pyplot
from numbers_told import numbers
from oracles import POSITIONS
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


@pytest.mark.slow
def test_other_seeds_of_lesson_13_find_the_centre_with_300_playouts_and_reach_19_of_20_with_30():
    corner = sweep(Board().play(0), method="mcts", playouts=300, seed=[1, 2, 3, 4, 5])
    assert [move == 4 for move in corner["move"]] == [False, True, True, False, True]
    every = every_position(Board())
    matters = [board for board, chance in zip(every, lucky(sweep(every, 0)), strict=True) if chance < 1]
    assert right(sweep(matters, method="mcts", playouts=30, seed=3)).mean() > 0.95


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


def test_on_ice_every_board_is_worth_what_its_chances_say():
    @cache
    def worth(board):
        """The value for X, from the probability of each cell that a choice may end in."""
        if board.over:
            return {"X": 1, "O": -1, None: 0}[board.winner]
        choices = []
        for choice in board.moves:
            chances = {cell: 0.5 / len(board.moves) + 0.5 * (cell == choice) for cell in board.moves}
            assert sum(chances.values()) == pytest.approx(1)
            choices.append(sum(chance * worth(board.play(cell)) for cell, chance in chances.items()))
        return max(choices) if board.turn == "X" else min(choices)

    slippery = labs_version("slippery")
    assert all(slippery(board) == pytest.approx(worth(board)) for board in POSITIONS)


def test_each_number_in_the_prose_is_shown_by_a_cell_or_worked_out_in_the_text():
    told = {path.stem: [*numbers(path)] for path in LESSONS}
    for name in (name for name in told if name[:2] > "10"):
        alone = [number for number, _, cell in told[name] if not cell and not re.fullmatch("19|1[89]..|20..", number)]
        assert len(told[name]) > 15 and not alone, name  # but for years, and 19 in 20
    lines = {name: [f"{n:>8} {cell:6} {words}" for n, words, cell in some if len(n) > 1] for name, some in told.items()}
    assert all_approved(Path(__file__).parent / "said/numbers.txt", {name: "\n".join(lines[name]) for name in told})
