"""The lessons' cells: none has become much slower than it was. Only `make test-all` measures this."""

import pytest
from kept import LESSONS
from times import cells, loop, slowest

KNOWN = 23  # the slowest cell, as a multiple of a fixed loop of Python


@pytest.mark.slow
def test_no_cell_takes_much_longer_than_the_slowest_known():
    multiple, cell = slowest()
    assert multiple < 1.5 * KNOWN, f"{cell} takes {multiple:.0f} times as long as the loop"


@pytest.mark.slow
def test_the_time_of_a_cell_is_how_long_its_code_computes_and_not_how_long_it_waits(tmp_path):
    from nbformat.v4 import new_code_cell, new_notebook, writes

    source = "import time; time.sleep(1)", "sum(number * number % 7 for number in range(10_000_000))", "1 / 0"
    path = tmp_path / "lesson.ipynb"
    path.write_text(writes(new_notebook(cells=[new_code_cell(code, id=f"c{n}") for n, code in enumerate(source)])))
    seconds, unit = dict(cells(path)), loop()
    assert max(seconds["c0"], seconds["c2"]) < unit / 2 and unit / 4 < seconds["c1"] < 4 * unit and len(LESSONS) > 12
