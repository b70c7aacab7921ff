"""The benchmarks as a command; what they measure is theirs, and no test looks at a time."""

from dataclasses import dataclass

import pytest
from typer.testing import CliRunner

from ttt import bench
from ttt.__main__ import app
from ttt.bench import BENCHMARKS, SCRIPTS, NoBenchmark, Time, measured, section, table

TIMES = [Time("a", "slow", 2.0, 100), Time("a", "quick", 0.5, 100), Time("b", "quick", 0.001)]


@dataclass
class Figure:
    task: str
    system: str
    seconds: float
    nodes: int


class Module:
    """Stands for a benchmark's own module."""

    @staticmethod
    def measure(rounds):
        return [Figure("minimax", "ttt", 1.0 / rounds, 10), Figure("minimax", "C", 0.1 / rounds, 10)]


@pytest.fixture
def fake(monkeypatch):
    monkeypatch.setattr(bench, "_loaded", lambda script: Module)


def ttt_bench(*options):
    return CliRunner().invoke(app, ["bench", *map(str, options)])


def test_the_table_has_ratios_to_the_best_of_each_task_and_times_a_node():
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table(TIMES).splitlines()]
    assert rows[2:] == [
        ["a", "quick", "500.0", "1.0", "100", "5,000,000.0"],
        ["a", "slow", "2,000.0", "4.0", "100", "20,000,000.0"],
        ["b", "quick", "1.000", "1.0", "", ""],
    ]
    assert len({len(line) for line in table(TIMES).splitlines()}) == 1
    assert "## search" in section("search", TIMES)
    assert "node" not in table([Time("b", "quick", 0.001)])


def test_the_command_shows_the_table_and_writes_the_file_with_the_plot_beside_it(fake, tmp_path):
    out = tmp_path / "new" / "benchmarks.md"
    done = ttt_bench("search", "--quick", "--out", out)
    assert done.exit_code == 0, done.output
    text = out.read_text()
    assert "# Benchmarks" in text and "| minimax | C " in text and "(benchmarks-search.svg)" in text
    assert {path.name for path in out.parent.iterdir()} == {"benchmarks.md", "benchmarks-search.svg"}
    plot = (out.parent / "benchmarks-search.svg").read_text()
    assert "<svg" in plot
    assert "| minimax | C " in done.output


def test_every_benchmark_has_its_script():
    assert all((SCRIPTS / f"{name}.py").exists() for name in BENCHMARKS)


def test_what_is_not_there_is_told(monkeypatch, tmp_path):
    done = ttt_bench("serach")
    assert done.exit_code == 1 and "There is no benchmark 'serach'; there is search, qubic" in done.output
    monkeypatch.setattr(bench, "SCRIPTS", tmp_path)
    with pytest.raises(NoBenchmark, match="comes without the benchmarks"):
        measured("search")


def test_the_plot_has_a_bar_for_each_time():
    from ttt import plots

    axes = plots.times([(one.task, one.system, one.seconds) for one in TIMES], "Quick is quickest").axes[0]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["a: quick", "a: slow", "b: quick"]
    assert sorted(bar.get_width() for bar in axes.patches) == [1, 500, 2000]
