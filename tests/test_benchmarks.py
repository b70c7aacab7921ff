"""The runner of the benchmarks; no test looks at a time."""

import importlib.util
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

SCRIPTS = Path(__file__).parent / "benchmarks"


@pytest.fixture(scope="module")
def runner():
    spec = importlib.util.spec_from_file_location("benchmark_runner", SCRIPTS / "__main__.py")
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def times(runner):
    return [runner.Time("a", "slow", 2.0, 100), runner.Time("a", "quick", 0.5, 100), runner.Time("b", "quick", 0.001)]


@pytest.fixture
def fake(monkeypatch):
    """A quick benchmark in place of the searches."""

    def measure(rounds):
        return {("minimax", "ttt"): 1.0 / rounds, ("minimax", "C"): 0.1 / rounds}

    monkeypatch.setitem(sys.modules, "search", SimpleNamespace(measure=measure))


def test_the_table_has_ratios_to_the_best_of_each_task_and_times_a_node(runner, times):
    lines = runner.table(times).splitlines()
    assert [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]] == [
        ["a", "quick", "500.0", "1.0", "100", "5,000,000.0"],
        ["a", "slow", "2,000.0", "4.0", "100", "20,000,000.0"],
        ["b", "quick", "1.000", "1.0", "", ""],
    ]
    assert len({len(line) for line in lines}) == 1
    assert "node" not in runner.table(times[2:])


def test_it_shows_the_table_and_writes_the_file_with_the_plot_next_to_it(runner, fake, tmp_path, capsys):
    out = tmp_path / "new" / "benchmarks.md"
    runner.main(["search", "--quick", "--out", str(out)])
    text = out.read_text()
    assert "# Benchmarks" in text and "| minimax | C " in text and "(benchmarks-search.svg)" in text
    assert {path.name for path in out.parent.iterdir()} == {"benchmarks.md", "benchmarks-search.svg"}
    assert "<svg" in (out.parent / "benchmarks-search.svg").read_text()
    assert "| minimax | C " in capsys.readouterr().out


def test_every_benchmark_has_its_script(runner):
    assert all((SCRIPTS / f"{name}.py").exists() for name in runner.ABOUT)


def test_an_unknown_benchmark_is_refused(runner, capsys):
    with pytest.raises(SystemExit):
        runner.main(["serach"])
    assert "'serach'" in capsys.readouterr().err


def test_the_plot_has_a_bar_for_each_time(runner, times):
    axes = runner.plot(times, "Quick is quickest").axes[0]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["a: quick", "a: slow", "b: quick"]
    assert sorted(bar.get_width() for bar in axes.patches) == [1, 500, 2000]
