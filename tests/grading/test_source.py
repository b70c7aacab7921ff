"""What is read from a submitted file, and what is said of one that can't be read."""

import json
import os

import pytest
from conftest import need

from ttt import Board
from ttt.grading import judge
from ttt.grading.judge import Question
from ttt.grading.source import LARGEST, LONGEST, Unreadable, read_source

FUNCTION = "def heuristic_1(board, player):\n    return 7\n"


def cell(source, kind="code"):
    return {"cell_type": kind, "metadata": {}, "source": source, "outputs": []}


@pytest.fixture
def read(tmp_path):
    """The source of a file with the given content: a notebook's cells, text or bytes."""

    def read(content, name="ann.ipynb"):
        if isinstance(content, list):
            content = json.dumps({"cells": content, "nbformat": 4, "nbformat_minor": 5, "metadata": {}})
        (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
        return read_source(tmp_path / name)

    return read


@pytest.fixture
def answer(read):
    """What the submitted function answers to one question, or why it does not."""
    need("sandbox")

    def answer(*cells):
        question = Question(Board(), "X")
        answers = judge.ask(read([cell(source) for source in cells]), [question], "heuristic_1")
        return answers.values.get(0, answers.problem or answers.odd.get(0))

    return answer


def test_a_program_is_read_as_it_stands(read):
    assert read("# größer\n" + FUNCTION, "ann.py") == "# größer\n" + FUNCTION


def test_a_byte_order_mark_is_no_part_of_the_program(read):
    assert read(b"\xef\xbb\xbf" + FUNCTION.encode(), "ann.py") == FUNCTION


def test_a_program_may_declare_its_encoding_as_python_allows(read):
    program = "# coding: latin-1\n# größer\n" + FUNCTION
    assert read(program.encode("latin-1"), "ann.py") == program
    assert read(b"# coding: idna\n" + FUNCTION.encode(), "ann.py").endswith(FUNCTION)


def test_a_notebook_saved_as_text_is_read_as_a_notebook(read):
    assert read([cell(FUNCTION)], "ann.ipynb.txt") == FUNCTION and read(FUNCTION, "ann.py.txt") == FUNCTION


def test_code_cells_are_read_in_order_and_text_cells_are_not(read):
    source = read([cell("a = 1"), cell("# Title", "markdown"), cell(["b = 2\n", "c = 3"]), cell("", "raw")])
    assert [part.strip() for part in source.split("\f")] == ["a = 1", "b = 2\nc = 3"]


def test_a_form_feed_in_a_cell_does_not_part_it(read):
    assert len(read([cell("a = 1\fb = 2"), cell("c = 3")]).split("\f")) == 2
    assert "\f" not in read("a = 1\f\nb = 2", "ann.py")


def test_pictures_in_a_notebook_do_not_make_it_too_large(read):
    picture = cell(FUNCTION) | {"outputs": [{"output_type": "display_data", "data": {"image/png": "A" * 3_000_000}}]}
    assert read([picture]) == FUNCTION


@pytest.mark.parametrize(
    ("content", "name", "said"),
    [
        (b"\xff\xfe" + FUNCTION.encode("utf-16-le"), "ann.py", "not text in UTF-8"),
        ("größer".encode("latin-1"), "ann.py", "not text in UTF-8"),
        (b"\x89PNG\r\n\x1a\n\x00", "ann.ipynb", "not text in UTF-8"),
        ("a = '\0'", "ann.py", "no program can have"),
        ('{"cells": [{"cell_type": "code", "source": "a = \\u0000"}]}', "ann.ipynb", "no program can have"),
        ('{"cells": [{"cell_type": "code", "source": "a = \\ud800"}]}', "ann.ipynb", "no program can have"),
        (FUNCTION, "ann.ipynb", "not a Jupyter notebook"),
        ("", "ann.ipynb", "not a Jupyter notebook"),
        ("[]", "ann.ipynb", "not a Jupyter notebook"),
        ("{}", "ann.ipynb", "not a Jupyter notebook"),
        ('{"cells": 3}', "ann.ipynb", "not a Jupyter notebook"),
        ('{"cells": {"a": 1}}', "ann.ipynb", "not a Jupyter notebook"),
        ('{"cells": [{"cell_type": "code"}]}', "ann.ipynb", "not a Jupyter notebook"),
        ('{"cells": [{"cell_type": "code", "source": [1, 2]}]}', "ann.ipynb", "not a Jupyter notebook"),
        ('{"cells": [{"cell_type": "code", "source": 3}]}', "ann.ipynb", "not a Jupyter notebook"),
        ("[" * 100_000, "ann.ipynb", "not a Jupyter notebook"),
        ('{"cells": [' + "9" * 5000 + "]}", "ann.ipynb", "not a Jupyter notebook"),
        ("#" * (LONGEST + 1), "ann.py", "more than 1,048,576 characters"),
        (b" " * (LARGEST + 1), "ann.ipynb", "larger than 20 MB"),
    ],
)
def test_what_cannot_be_read_is_told_in_one_sentence(read, content, name, said):
    with pytest.raises(Unreadable, match=said) as caught:
        read(content, name)
    assert str(caught.value).endswith(".") and "\n" not in str(caught.value)


def test_what_is_no_file_is_told_and_never_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe.py")
    (tmp_path / "folder.py").mkdir()
    for name in ("pipe.py", "folder.py", "missing.py"):
        with pytest.raises(Unreadable, match="no such file"):
            read_source(tmp_path / name)


# ------------------------------------------------------------------------------- what becomes of a notebook's own lines


@pytest.mark.parametrize(
    "cells",
    [
        ["%matplotlib inline\n!pip install numpy\n?print\n" + FUNCTION],
        ["%%time\n" + FUNCTION],
        ["%%timeit -n 1\nWORTH = 7", "def heuristic_1(board, player):\n    return WORTH"],
        ["%%bash\nexit 1", FUNCTION],
        ["%%html\n<b>def heuristic_1(board, player): this is no Python</b>", FUNCTION],
        ["for _ in range(2):\n    %time a = 1\nfiles = !ls\n" + FUNCTION + "heuristic_1??\n"],
        [
            "T = '''\n%d\n!a\n'''\nassert '!' in T\nWORTH = (15\n% 8)",
            "def heuristic_1(board, player):\n    return WORTH",
        ],
        ["\r\n".join(["%matplotlib inline", *FUNCTION.split("\n")])],
        ["def broken(:\n    pass", FUNCTION, "print('no end"],
    ],
)
def test_what_only_a_notebook_knows_does_not_matter(answer, cells):
    assert answer(*cells) == 7


def test_a_syntax_error_in_the_functions_own_cell_is_told_with_its_line(answer):
    told = answer("x = 1", "def heuristic_1(board, player):\n    return (7")
    assert told == "The code can't be read: SyntaxError: '(' was never closed (line 2: return (7)."


def test_an_older_function_does_not_count_for_one_that_cannot_be_read(answer):
    assert "expected ':'" in answer(FUNCTION, "def heuristic_1(board, player)\n    return 8")
    assert "NameError" in answer(FUNCTION, "def heuristic_1(board: Bord, player):\n    return 8")


def test_a_function_mended_further_down_counts(answer):
    assert answer("def heuristic_1(board, player)\n    return 8", FUNCTION) == 7
