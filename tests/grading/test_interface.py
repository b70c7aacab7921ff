"""Submitted interfaces of several kinds, in the real sandbox; and what a person says of them."""

import json
from pathlib import Path

import pytest
from conftest import need
from jupyter_client.manager import start_new_kernel

from ttt import Board
from ttt.exercises.interface import allowed
from ttt.grading import interface_client
from ttt.grading.interface import mark_file

NOTEBOOK = Path(__file__).parents[2] / "exercises" / "interface" / "interface.ipynb"

GOOD = """
from random import Random
import ipywidgets
from ttt import PLAYERS, Board


class Mine(ipywidgets.VBox):
    opponent = PLAYERS["flash-clever"]

    def __init__(self):
        self.score = (0, 0)
        self.title = ipywidgets.HTML()
        self.cells = [ipywidgets.Button(layout={"width": "48px", "height": "48px"}) for _ in range(9)]
        for cell, button in enumerate(self.cells):
            button.on_click(lambda _, cell=cell: self.play(cell))
        grid = ipywidgets.GridBox(self.cells, layout={"grid_template_columns": "repeat(3, 52px)"})
        again = ipywidgets.Button(description="New game", button_style="success")
        again.on_click(lambda _: self.new_game())
        super().__init__([self.title, grid, again])
        self.new_game()

    def new_game(self):
        self.board = Board()
        self.show()

    def play(self, cell):
        if self.refused(cell):
            return
        self.board = self.board.play(cell)
        if not self.board.over:
            self.board = self.board.play(self.opponent.choose(self.board, Random()))
        self.count()
        self.show()

    def refused(self, cell):
        return self.board.over or self.board[cell] != "-"

    def count(self):
        you, computer = self.score
        self.score = (you + (self.board.winner == "X"), computer + (self.board.winner == "O"))

    def show(self):
        self.title.value = "You <b>%d</b>, computer <b>%d</b>" % self.score
        for button, mark in zip(self.cells, self.board):
            button.description = mark.replace("-", "")


def interface():
    return Mine()
"""
UNCOUNTED = "\nMine.count = lambda self: None\n"
UNSEEN = "\nMine.show = lambda self: None\n"
RANDOM = '\nMine.opponent = PLAYERS["random"]\n'
OVERWRITES = """
def play(self, cell):
    marks = ["X" if n == cell else mark for n, mark in enumerate(self.board)]
    o = marks.count("O")
    self.board = Board(x=sum(1 << n for n, m in enumerate(marks) if m == "X"),
                       o=sum(1 << n for n, m in enumerate(marks) if m == "O"))
    self.board = self.board.play(self.opponent.choose(self.board, Random()))
Mine.play = play
"""
RAISES = "\nMine.refused = lambda self, cell: False\n"  # a taken cell is then refused by the board itself


@pytest.fixture(autouse=True)
def isolated():
    """These run submissions, so they need the sandbox."""
    need("sandbox")


@pytest.fixture
def graded(tmp_path):
    """Grades cells of code as one student's notebook."""

    def grade(*cells):
        path = tmp_path / "submissions" / "ann" / "interface.ipynb"
        path.parent.mkdir(parents=True, exist_ok=True)
        code = [{"cell_type": "code", "metadata": {}, "outputs": [], "source": cell} for cell in cells]
        path.write_text(json.dumps({"cells": code, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}))
        return mark_file(path, "full", tmp_path / "out" / "interface" / "ann.html")

    grade.out = tmp_path / "out"
    return grade


def points(grade):
    """The points of (a), (b), (c) and (d)."""
    return [part.got for part in grade.parts]


def test_a_good_interface_gets_all_but_what_a_person_must_judge(graded):
    grade = graded(GOOD)
    assert points(grade) == [4, 4, None, 3] and grade.max_score == 15 and grade.status == "needs a person"
    assert "Each cell can be clicked." in grade.reason and grade.score == 11
    assert "(a) Yes." in (graded.out / "interface" / "ann.txt").read_text()


NOTHING = [0, 0, None, 0]
FAULTS = [
    (RANDOM, [4, 0, None, 3], "heuristic 2 plays"),
    (UNCOUNTED, [4, 4, None, 0], ".score says (0, 0)"),
    (UNSEEN, [4, 4, None, 0], "not on the screen"),
    (OVERWRITES, [0, 0, None, 0], "where that cell was taken"),
    (RAISES, [4, 4, None, 3], "a taken cell changed nothing"),
    ("from ttt import GameBoard\ndef interface(): return GameBoard('open-lines')", NOTHING, "ttt's own GameBoard"),
    ("def interface(): return 3", NOTHING, "interface() returned 3, which is not a widget"),
    ("def interface(): return 1 / 0", NOTHING, "ZeroDivisionError"),
    ("del interface", NOTHING, "interface"),
    ("import os; os._exit(0)", NOTHING, "ended its program"),
]


@pytest.mark.parametrize("fault, expected, named", FAULTS)
def test_each_fault_costs_its_part_and_is_named(graded, fault, expected, named):
    grade = graded(GOOD, fault)
    assert points(grade) == expected and named in grade.reason


def test_failing_cells_magics_and_plots_do_not_matter(graded):
    others = ["%matplotlib inline\n%time 1", "1 / 0", "!ls", "input('name?')", "print(interface()); interface()"]
    assert points(graded(*others[:3], GOOD, *others[3:])) == [4, 4, None, 3]


def test_a_line_that_fails_loses_no_other_of_its_cell(graded):
    cell = f"%load_ext missing\n%matplotlib nothing\nimport missing, json\n1 / 0\n{GOOD}\nundefined\njson.dumps(1)"
    assert points(graded(cell)) == [4, 4, None, 3]


def test_a_program_is_judged_as_a_notebook_is(tmp_path):
    path = tmp_path / "interface.py"
    path.write_text(f'import missing\n{GOOD}\nif __name__ == "__main__":\n    print(interface())\n')
    assert points(mark_file(path, "full", tmp_path / "ann.html")) == [4, 4, None, 3]


def test_an_endless_loop_is_stopped(graded, monkeypatch):
    monkeypatch.setattr(interface_client, "PATIENCE", 3)
    assert "endless loop" in graded(GOOD, "while True: pass").reason


# Writes answers that would do, wherever it can; and tries to see files, to reach out and to start others.
FORGER = """
import json, os, socket, subprocess
from pathlib import Path

line = json.dumps({"board": "X--------", "score": [1, 1], "kinds": ["ipywidgets.widgets.widget.Widget"], "clicks": 9})
for descriptor in range(20):
    try:
        os.write(descriptor, (line + "\\n").encode() * 500)
    except OSError:
        pass
"""
SPY = """
import ttt

package = Path(ttt.__file__).parent
found = []
for attempt in (
    lambda: Path(FILE).read_text(),
    lambda: (package / "grading" / "interface.py").read_text(),
    lambda: (package / "board.py").write_text(""),
    lambda: socket.socket(),
    lambda: os.fork(),
    lambda: subprocess.run(["ls"]),
):
    try:
        attempt()
        found.append("got through")
    except OSError:
        pass


def interface():
    assert not found, found
    return Mine()
"""


def test_forged_answers_earn_nothing(graded):
    assert points(graded(FORGER, "def interface(): return 3")) == NOTHING


def test_a_submission_sees_no_files_and_no_network_and_starts_nothing(graded):
    spy = f"import os, socket, subprocess\nfrom pathlib import Path\nFILE = {str(NOTEBOOK)!r}\n{SPY}"
    assert points(graded(GOOD, spy)) == [4, 4, None, 3]


def test_an_untouched_notebook_is_not_started_and_needs_no_person(tmp_path):
    grade = mark_file(NOTEBOOK, "full", tmp_path / "ann.html")
    assert (grade.status, points(grade)) == ("not started", [0, 0, 0, 0]) and not list(tmp_path.iterdir())


def test_a_file_that_is_not_a_notebook_is_a_problem(tmp_path):
    path = tmp_path / "interface.ipynb"
    path.write_text("{")
    grade = mark_file(path, "full", tmp_path / "ann.html")
    assert (grade.status, grade.score) == ("problem", 0) and "not a Jupyter notebook" in grade.reason


GIVEN = "".join(next(cell for cell in json.loads(NOTEBOOK.read_text())["cells"] if cell["id"] == "in-03")["source"])
IN_A_CLICK = """            self.errors.clear_output()
            with self.errors:
                self.play(cell)
"""
PLAY = GIVEN[GIVEN.index("        self.board = self.board.play(cell)") : GIVEN.index("\n    def show")]
LOOP = "while self:\n                    pass\n"
WRONG = {  # what is changed in the code as handed out, into what, and what (a) then says
    "a typo in a handler": ("self.play(cell)", "self.pley(cell)", "a click on button 1 stopped with AttributeError"),
    "errors shown nowhere": (IN_A_CLICK, "            self.pley(cell)\n", "in line 22 of clicked: self.pley(cell)."),
    "no argument in a handler": ("clicked(button)", "clicked()", "clicked() takes 0 positional arguments"),
    "no handler": ("        button.on_click(clicked)\n", "", "None of the cells can be played with a button"),
    "a wrong signature": ("def play(self, cell)", "def play(self)", "play() takes 1 positional argument but 2 were"),
    "no board": ("self.board", "self.bord", "the interface has no .board."),
    "no new_game": ("new_game()", "newgame()", "'Interface' object has no attribute 'newgame'"),
    "a typo in show": ("button.description = mark", "mork", "interface() stopped with NameError: name 'mork'"),
    "a typo after the move": (PLAY, f"{PLAY}        mork\n", "in line 39 of play: mork."),
    "an endless loop": (PLAY, f"        {LOOP}{PLAY}", "gave no answer within 2 s: an endless loop?"),
    "a loop in the output": ("self.errors:\n", f"self.errors:\n                {LOOP}", "click number 1 gave no"),
    "play unfinished": (PLAY, "        ...\n", ".play(4) on --- / --- / --- leads to --- / --- / ---. Expected: X"),
    "interface unfinished": ("return Interface()", "...", "interface() returned None, which is not a widget."),
    "the class itself": ("return Interface()", "return Interface", "Interface'>, which is not a widget."),
    "no interface": ("def interface()", "def interfaces()", "there is no function interface()."),
}


@pytest.fixture(scope="module")
def kernel():
    """Runs cells in a student's kernel, and returns what they print, line by line."""
    manager, client = start_new_kernel()

    def run(*cells):
        said = []
        for cell in cells:
            client.execute_interactive(cell, timeout=60, output_hook=lambda message: said.append(message["content"]))
        return "".join(content.get("text", "") for content in said).splitlines()

    yield run
    client.stop_channels()
    manager.shutdown_kernel(now=True)


SHORT = "from ttt.widgets import check_interface, driver\ndriver.SECONDS = 2"


@pytest.mark.parametrize("name", WRONG)
def test_the_check_says_what_is_wrong_and_the_judge_says_the_same(kernel, graded, monkeypatch, name):
    monkeypatch.setattr(interface_client, "PATIENCE", 2)
    before, after, said = WRONG[name]
    assert before in GIVEN
    told, works, *_ = kernel("%reset -f", GIVEN.replace(before, after), SHORT, "print(check_interface())")
    assert told == "✗ Not yet. (c) is left to a person." and said in works
    grade = graded(GIVEN.replace(before, after))
    assert grade.reason.startswith(f"{works} (b)")
    assert points(grade)[0] == (4 if works.startswith("(a) Yes.") else 0)


def test_a_cell_that_cannot_be_read_is_named_where_there_is_no_interface(graded):
    grade = graded(GIVEN.replace("clicked(button):", "clicked(button)"))
    assert "no function interface(). Code cell 1 stopped with SyntaxError" in grade.reason


def test_the_check_finds_a_good_interface_good(kernel):
    right, *parts = kernel("%reset -f", GOOD, SHORT, "print(check_interface())")
    assert right.startswith("✓ Right.") and [part[:9] for part in parts] == ["(a) Yes. ", "(b) Yes. ", "(d) Yes. "]


def test_the_check_leaves_no_widgets_to_be_saved_with_the_notebook(kernel):
    count = "from ipywidgets import Widget\nprint(len(Widget.get_manager_state()['state']))"
    mine = kernel("%reset -f", GOOD, SHORT, "mine = interface()", count)
    assert kernel("check_interface()", count) == mine != ["0"]


def test_heuristic_2_may_play_its_highest_cells_and_lines_to_complete_or_block():
    assert allowed(Board().play(4)) == {0, 2, 6, 8}
    assert 2 in allowed(Board.from_text("XX- -O- ---"))
