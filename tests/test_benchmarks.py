"""The benchmarks' runner; no test here depends on how long anything takes."""

import runpy
import sys
from types import SimpleNamespace

import pytest
from conftest import ROOT


@pytest.fixture
def runner(monkeypatch):
    """The runner, with a quick benchmark in place of the searches."""
    times = {("b", "quick"): 0.001, ("a", "slow"): 2.0, ("a", "quick"): 0.5}
    monkeypatch.setitem(sys.modules, "search", SimpleNamespace(measure=lambda rounds: times))
    return SimpleNamespace(**runpy.run_path(str(ROOT / "tests/benchmarks/__main__.py")))


def test_it_shows_ratios_to_the_best_and_writes_the_file_with_the_plot_next_to_it(runner, tmp_path, capsys):
    runner.main(["search", "--quick", "--out", str(tmp_path / "new" / "benchmarks.md")])
    text = (tmp_path / "new" / "benchmarks.md").read_text()
    rows = [" ".join(line.split()) for line in text.partition("```\n")[2].partition("\n```")[0].splitlines()[1:]]
    assert rows == ["a quick 500.000 1.000", "a slow 2,000.000 4.000", "b quick 1.000 1.000"]
    assert "(benchmarks-search.svg)" in text and text in capsys.readouterr().out
    assert "<svg" in (tmp_path / "new" / "benchmarks-search.svg").read_text()


def test_it_shows_the_ratio_to_c_if_a_c_program_takes_part(runner, monkeypatch):
    assert "× C" not in runner.measured("search", 1)
    times = {("a", "C"): 0.5, ("a", "ttt, compiled"): 0.25, ("b", "C"): 2.0, ("b", "ttt, compiled"): 3.0}
    monkeypatch.setitem(sys.modules, "search", SimpleNamespace(measure=lambda rounds: times))
    table = runner.measured("search", 1)
    assert [*table[table.system == "ttt, compiled"]["× C"]] == [0.5, 1.5]
