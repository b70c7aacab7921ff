"""The lessons' cells: none has become much slower than it was. Left out but by `make test-all`, which is told of it."""

import pytest
from times import cells, lessons, loop, slowest

KNOWN = {True: 23, False: 23}  # the slowest cell with numba and without, as a multiple of a fixed loop of Python


@pytest.mark.slow
@pytest.mark.parametrize("numba", KNOWN)
def test_no_cell_takes_much_longer_than_the_slowest_known(numba):
    multiple, cell = slowest(numba)
    assert multiple < 1.5 * KNOWN[numba], f"{cell} takes {multiple:.0f} times as long as the loop"


@pytest.mark.slow
def test_what_a_cell_takes_is_what_its_code_computes_and_not_how_long_it_waits(tmp_path, monkeypatch):
    from nbformat.v4 import new_code_cell, new_notebook, writes

    source = "import time; time.sleep(1)", "sum(number * number % 7 for number in range(10_000_000))", "1 / 0"
    path = tmp_path / "lesson.ipynb"
    path.write_text(writes(new_notebook(cells=[new_code_cell(code, id=f"c{n}") for n, code in enumerate(source)])))
    seconds = dict(cells(path, numba=False))
    assert seconds["c0"] < 0.5 < seconds["c1"] / loop() < 2 and seconds["c2"] < 0.5 and len(lessons()) > 12
