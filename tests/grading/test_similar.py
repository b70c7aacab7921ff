"""Submissions that are alike are found whatever was renamed or moved, and those that only do the same are not."""

import json
import time
import tomllib
from itertools import combinations
from pathlib import Path

import pytest

from ttt.grading import similar
from ttt.grading.gradebook import Record
from ttt.grading.submissions import Submission

ROOT = Path(__file__).parents[2]
RIGHT = tomllib.loads((Path(__file__).parent / "submissions" / "right.toml").read_text())
ODD = '''
def heuristic_1(board, player):
    """Mine."""
    rival = "O" if player == "X" else "X"
    total = 0
    for row in range(3):
        for column in range(3):
            worth = [3, 2, 3, 2, 4, 2, 3, 2, 3][3 * row + column]
            if board[row, column] == player:
                total += worth
            elif board[row, column] == rival:
                total -= worth
    return total
'''
RENAMED = """
# all my own work
def heuristic_1(b, p):
    gegner = "O" if p == "X" \\
             else "X"
    summe = 0

    for zeile in range(3):
        for spalte in range(3):
            wert = [3, 2, 3, 2, 4, 2, 3, 2, 3][3*zeile+spalte]
            if b[zeile,spalte]==p: summe += wert
            elif b[zeile,spalte]==gegner: summe -= wert
    return summe
"""


@pytest.fixture
def handed_in(tmp_path):
    """Writes each student's source into a file of their own, or as the function's cell of the exercise's notebook."""

    def write(sources, notebook=False):
        found = []
        for student, source in sources.items():
            path = tmp_path / f"{student}.{'ipynb' if notebook else 'py'}"
            path.write_text(_notebook(source) if notebook else source)
            found.append(Submission(student, path))
        return found

    return write


def _notebook(source):
    content = json.loads((ROOT / "exercises" / "heuristic_1" / "heuristic_1.ipynb").read_text())
    for cell in content["cells"]:
        if cell["metadata"].get("nbgrader", {}).get("grade_id") == "heuristic_1":
            cell["source"] = source
    return json.dumps(content)


def others(number=9):
    return {f"other {n}": f"def heuristic_1(board, player):\n    return {n}\n" for n in range(number)}


def pairs(submissions, wrong=None):
    codes = similar.own_codes(similar.HandedOut.of("heuristic_1"), submissions)
    return similar.alike(codes, wrong or {})


def test_renamed_and_moved_code_is_the_same(handed_in):
    found = pairs(handed_in({"ann": ODD, "bo": RENAMED} | others()))
    assert [(pair.first, pair.second, pair.same) for pair in found] == [("ann", "bo", True)]
    changed = RENAMED.replace("    return summe\n", "    return abs(summe)\n")
    found = pairs(handed_in({"ann": ODD, "bo": changed} | others()))
    assert [(pair.same, pair.code > 0.8) for pair in found] == [(False, True)]


def test_programs_that_only_do_the_same_are_not_alike(handed_in):
    sources = {name: source for name, source in RIGHT.items() if isinstance(source, str)}
    assert len(sources) > 15
    found = pairs(handed_in(sources))
    copied = {name for name, source in sources.items() if "counts.count((2, 0))" in source}
    assert found and all({pair.first, pair.second} <= copied for pair in found)


def test_what_was_handed_out_is_left_out(handed_in):
    stub = "def heuristic_1(board, player):\n    raise NotImplementedError\n"
    found = handed_in({"ann": ODD, "bo": RENAMED, "cy": stub, "di": stub, "ed": stub + "\nx = 1\n"}, notebook=True)
    assert [(pair.first, pair.second) for pair in pairs(found)] == [("ann", "bo")]
    handed_out = similar.HandedOut.of("heuristic_1")
    assert handed_out.own(found[0].file) == ODD and not similar.own_codes(handed_out, found)["cy"].runs


def test_what_many_share_says_nothing(handed_in):
    assert pairs(handed_in({f"s{n}": f"{ODD}    return {'- ' * n}0\n" for n in range(10)})) == []


@pytest.mark.parametrize("copies, others_too", [(3, 5), (3, 6), (11, 19), (10, 0), (40, 60)])
def test_code_that_is_the_same_is_told_however_many_have_it(copies, others_too, handed_in):
    sources = {f"s{n:02}": RENAMED if n % 2 else ODD for n in range(copies)}
    found = pairs(handed_in(sources | others(others_too)))
    assert [(pair.first, pair.second) for pair in found if pair.same] == list(combinations(sources, 2))
    assert len(found) == len(list(combinations(sources, 2)))


def test_pairs_of_a_large_class_with_the_same_code_are_not_all_listed(monkeypatch):
    """3,000 students with the same code are 4.5 million pairs, which took 1.9 GB."""
    codes = dict.fromkeys((f"s{n:04}" for n in range(3000)), similar.Code("the same", frozenset(range(20))))
    assert len(list(similar._same(codes))) == similar.MOST_SAME > similar.MOST_PAIRS


def test_two_who_have_the_same_code_come_before_many_who_have_it(handed_in):
    two = dict.fromkeys(("ann", "zoe"), RIGHT["numpy"])
    found = pairs(handed_in({f"s{n:02}": ODD for n in range(10)} | two))
    assert [(found[0].first, found[0].second), len(found)] == [("ann", "zoe"), 46]


def test_the_texts_in_f_strings_are_texts_like_others():  # Python 3.12 and later read them as tokens of their own
    red, blue = (similar.tokens(f'x = f"{colour} {{a}} {colour}"\n') for colour in ("red", "blue"))
    assert red == blue and "text" in dict(red)


def answers(*values):
    return {(place, value) for place, value in enumerate(values)}


def test_the_same_wrong_values_on_many_boards_are_told(handed_in):
    found = handed_in({"ann": "x = 1", "bo": "y = 2", "cy": "z = 3", "di": "w = 4"})
    wrong = {"ann": answers(*range(40)), "bo": answers(*range(40)), "cy": answers(*range(15)), "di": set()}
    (pair,) = pairs(found, wrong)
    assert (pair.first, pair.second, pair.answers, pair.code) == ("ann", "bo", 40, 0)


def test_only_wrong_numbers_that_no_mistake_explains_are_compared():
    record = Record("ann", "wrong", "", 2, 15, wrong=((1, 7), (2, None)))
    assert similar.unexplained(record) == {(1, 7)}
    assert not similar.unexplained(Record("ann", "wrong", "", 2, 15, misconception="rows missing", wrong=((1, 7),)))
    assert not similar.unexplained(Record("ann", "right", "", 15, 15))


def test_the_page_shows_both_side_by_side_and_no_markup_of_theirs(handed_in, tmp_path):
    nasty = ODD.replace("Mine.", "<script>alert(1)</script>")
    found = handed_in({"ann": nasty, "bo": RENAMED} | others())
    similar.write_page(tmp_path / "similar.html", "heuristic_1", found, [])
    page = (tmp_path / "similar.html").read_text()
    assert "<bdi>ann</bdi> and <bdi>bo</bdi>" in page and "<mark>    gegner = " in page
    assert "<script" not in page and "&lt;script&gt;" in page and "handed out is left out" in page


@pytest.mark.parametrize(
    "source", ["'''", "((((", "\\", "if x:\n  y\n z", "\0", "(" * 30_000, "'" * 30_000, "\n" * 1_000_000, "é" * 30_000]
)
def test_code_that_is_none_is_compared_as_far_as_it_goes(source, handed_in):
    begun = time.process_time()
    assert pairs(handed_in({"ann": source, "bo": source} | others())) is not None
    assert time.process_time() - begun < 5


def test_files_that_cannot_be_read_are_left_out(tmp_path):
    (tmp_path / "bad.ipynb").write_text("{")
    found = [Submission("ann", tmp_path / "bad.ipynb"), Submission("bo", tmp_path / "gone.py"), Submission("cy")]
    assert pairs(found) == []
