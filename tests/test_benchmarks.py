"""The benchmarks' runner; no test here depends on how long anything takes."""

import runpy
import sys
from types import SimpleNamespace

from conftest import ROOT


def test_it_shows_ratios_to_the_best_and_to_c_and_writes_the_file_with_the_plot_next_to_it(
    monkeypatch, tmp_path, capsys
):
    times = {("b", "quick"): 0.001, ("a", "slow"): 2.0, ("a", "quick"): 0.5}
    others = SimpleNamespace(measure=lambda rounds: times)
    monkeypatch.setitem(sys.modules, "systems", others)
    runner = SimpleNamespace(**runpy.run_path(str(ROOT / "tests/benchmarks/__main__.py")))
    runner.main(["--quick", "--out", str(tmp_path / "new" / "benchmarks.md")])
    text = (tmp_path / "new" / "benchmarks.md").read_text()
    rows = [" ".join(line.split()) for line in text.partition("```\n")[2].partition("\n```")[0].splitlines()[1:]]
    assert rows == ["a quick 500.000 1.000", "a slow 2,000.000 4.000", "b quick 1.000 1.000"]
    assert "(benchmarks.svg)" in text and text in capsys.readouterr().out
    assert "<svg" in (tmp_path / "new" / "benchmarks.svg").read_text()
    times |= {("a", "C"): 0.25, ("b", "C"): 0.002}
    assert [*runner.measured(1)["× C"]] == [1, 2, 8, 0.5, 1]
