"""The benchmarks as a command: our searches beside their peers, in times and in nodes, as a table and a plot.

They stand in `tests/benchmarks`, and run as well by themselves. Peers that are not installed are left out.
"""

from __future__ import annotations

import importlib.util
import os
import platform
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from ttt.terminal import stop, stop_for

SCRIPTS = Path(__file__).parents[1] / "tests" / "benchmarks"
PEERS = {
    "numba": "numba",
    "easyAI": "easyAI",
    "pyspiel": "open_spiel",
    "nbgrader": "nbgrader",
    "distributed": "distributed",
}


class NoBenchmark(ValueError):
    """There is no such benchmark here; the message says which there are."""


@dataclass(frozen=True)
class Time:
    """How long one system took for one task, at best, and the nodes that it visited; None where there are none."""

    task: str
    system: str
    seconds: float
    nodes: int | None = None


@dataclass(frozen=True)
class Benchmark:
    """One benchmark.

    Args:
        about: what is measured, in a sentence.
        measured: the times, from the module of the benchmark; a quick run is for a look only.
    """

    about: str
    measured: Callable[[Any, bool], list[Time]]


def _search(module: Any, quick: bool) -> list[Time]:
    figures = module.measure(1 if quick else 5)
    return [Time(figure.task, figure.system, figure.seconds, figure.nodes) for figure in figures]


def _qubic(module: Any, quick: bool) -> list[Time]:
    rows = [(row, "Python") for row in module.beside_python(1 if quick else 3)]
    rows += [(row, "compiled") for row in module.beside_c(3 if quick else 30)]
    return [Time(f"{row['position']}, {kind}", row["system"], row["seconds"], row["nodes"]) for row, kind in rows]


def _grading(module: Any, quick: bool) -> list[Time]:
    figures = module.measure(4 if quick else 20)
    return [Time(f"{figure.submissions} submissions", figure.system, figure.seconds) for figure in figures]


def _cluster(module: Any, quick: bool) -> list[Time]:
    figures = module.measure(20 if quick else 200)
    return [Time(f"{figure.submissions} submissions", figure.system, figure.seconds) for figure in figures]


BENCHMARKS = {
    "search": Benchmark("Searching 3×3 to its end from the empty board.", _search),
    "qubic": Benchmark("Four plies of 4×4×4, from six positions.", _qubic),
    "grading": Benchmark("Grading the same submissions with nbgrader's autograde, start-up included.", _grading),
    "cluster": Benchmark("Grading on processes and on a dask cluster, start-up included.", _cluster),
}


def bench(
    names: Annotated[
        list[str] | None, typer.Argument(help=f"Some of {', '.join(BENCHMARKS)}; search unless given.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="A file such as benchmarks.md; the plots go beside it.")] = None,
    quick: Annotated[bool, typer.Option("--quick", help="One round only: for a look, not to be quoted.")] = False,
) -> None:
    """Measure this lab's searches beside the peers that are installed, on this machine.

    Times are the best of some rounds, in which all systems take turns; only ratios carry over to another machine.
    """
    try:
        found = {name: measured(name, quick) for name in dict.fromkeys(names or ["search"])}
        text = "\n".join(section(name, times, out) for name, times in found.items())
        typer.echo(f"{machine()}\n\n{text}")
        if out:
            write(out, found, text)
            typer.echo(f"Written: {out}, with the plots beside it.")
    except NoBenchmark as error:
        stop(str(error))
    except OSError as error:
        stop_for(error, out)


def measured(name: str, quick: bool = False) -> list[Time]:
    """The times of a benchmark, measured now. Raises `NoBenchmark`."""
    if name not in BENCHMARKS:
        raise NoBenchmark(f"There is no benchmark {name!r}; there is {', '.join(BENCHMARKS)}.")
    script = SCRIPTS / f"{name}.py"
    if not script.exists():
        raise NoBenchmark(
            "This copy comes without the benchmarks, which are in the repository's folder tests/benchmarks."
        )
    typer.echo(f"{BENCHMARKS[name].about} This takes a while.", err=True)
    return BENCHMARKS[name].measured(_loaded(script), quick)


def _loaded(script: Path) -> Any:
    """A script as a module."""
    spec = importlib.util.spec_from_file_location(f"benchmark_{script.stem}", script)
    assert spec and spec.loader
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def machine() -> str:
    """What it was measured on, and which peers were left out, in a few sentences."""
    missing = [package for module, package in PEERS.items() if importlib.util.find_spec(module) is None]
    left_out = f" Not installed and left out: {', '.join(missing)}." if missing else ""
    here = f"{platform.system()} on {platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}."
    return here + left_out


def section(name: str, times: Sequence[Time], out: Path | None = None) -> str:
    """The part on one benchmark: a table, with each time as a multiple of the task's best one, and its plot's place."""
    plot = f"\n![{name}]({_plot_of(out, name).name})\n" if out and times else ""
    return f"## {name}\n\n{BENCHMARKS[name].about}\n\n{table(times)}\n{plot}"


def table(times: Sequence[Time]) -> str:
    """The times as a table in Markdown, that reads well as it stands.

    >>> print(table([Time("minimax", "easyAI", 0.02, 1000), Time("minimax", "ttt", 0.005, 1000)]))
    | task    | system |    ms | × the best | nodes | ns a node |
    | :------ | :----- | ----: | ---------: | ----: | --------: |
    | minimax | ttt    | 5.000 |        1.0 | 1,000 |   5,000.0 |
    | minimax | easyAI |  20.0 |        4.0 | 1,000 |  20,000.0 |
    """
    best: dict[str, float] = {}
    for one in times:
        best[one.task] = min(best.get(one.task, one.seconds), one.seconds)
    order = sorted(times, key=lambda one: (list(best).index(one.task), one.seconds))
    columns = 4 if all(one.nodes is None for one in times) else 6
    heads = ("task", "system", "ms", "× the best", "nodes", "ns a node")
    rows = [(one.task, one.system, *_figures(one, best[one.task])) for one in order]
    return _aligned(heads[:columns], [row[:columns] for row in rows])


def _figures(one: Time, best: float) -> tuple[str, str, str, str]:
    milliseconds = one.seconds * 1000
    shown = f"{milliseconds:,.1f}" if milliseconds >= 10 else f"{milliseconds:.3f}"
    nodes = ("", "") if one.nodes is None else (f"{one.nodes:,}", f"{one.seconds / one.nodes * 1e9:,.1f}")
    return shown, f"{one.seconds / best:,.1f}", *nodes


def _aligned(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table in Markdown: the first two columns to the left, numbers to the right."""
    wide = [max(len(row[n]) for row in (heads, *rows)) for n in range(len(heads))]
    rule = [f":{'-' * (width - 1)}" if n < 2 else f"{'-' * (width - 1)}:" for n, width in enumerate(wide)]
    lines = [[text.ljust(wide[n]) if n < 2 else text.rjust(wide[n]) for n, text in enumerate(row)] for row in rows]
    head = [text.ljust(wide[n]) if n < 2 else text.rjust(wide[n]) for n, text in enumerate(heads)]
    return "\n".join(f"| {' | '.join(line)} |" for line in (head, rule, *lines))


def write(out: Path, found: dict[str, list[Time]], text: str) -> None:
    """The file, and a plot for each benchmark beside it."""
    from ttt import plots

    out.parent.mkdir(parents=True, exist_ok=True)
    for name, times in found.items():
        if times:
            quickest = min(times, key=lambda one: one.seconds).system
            title = f"{BENCHMARKS[name].about} Quickest: {quickest}"
            plots.times([(one.task, one.system, one.seconds) for one in times], title).savefig(_plot_of(out, name))
    out.write_text(f"# Benchmarks\n\n{machine()} Commit: {_commit()}.\n\n{text}", "utf-8")


def _plot_of(out: Path, name: str) -> Path:
    return out.with_name(f"{out.stem}-{name}.svg")


def _commit() -> str:
    """Which version of this lab it was."""
    asked = ["git", "-C", str(SCRIPTS), "rev-parse", "--short", "HEAD"]
    try:
        return subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
