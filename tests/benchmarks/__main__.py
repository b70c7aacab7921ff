"""The benchmarks: our searches next to others, in times and nodes, as tables and plots.

    make bench
    .venv/bin/python tests/benchmarks search qubic --quick --out benchmarks.md

Times are the best of several rounds, in which all systems take turns; only ratios carry over to another machine. Each
benchmark is also a script of its own. Others that are not installed are left out.
"""

import importlib
import importlib.util
import os
import platform
import subprocess
from argparse import ArgumentParser
from dataclasses import dataclass
from pathlib import Path

ABOUT = {
    "search": "Searching 3×3 to its end from the empty board.",
    "qubic": "Four plies of 4×4×4, from six positions.",
}
OTHERS = {"numba": "numba", "easyAI": "easyAI", "pyspiel": "open_spiel"}


@dataclass(frozen=True)
class Time:
    """The best time of a system for a task, and the nodes it visited, if it visits any."""

    task: str
    system: str
    seconds: float
    nodes: int | None = None


def measured(name, quick=False):
    """The times of a benchmark, measured now."""
    found = importlib.import_module(name).measure(1 if quick else 10)
    return [Time(*what, seconds) for what, seconds in found.items()]


def machine():
    """What the benchmarks ran on, and what was not installed."""
    missing = [package for module, package in OTHERS.items() if importlib.util.find_spec(module) is None]
    left_out = f" Not installed and left out: {', '.join(missing)}." if missing else ""
    here = f"{platform.system()} on {platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}."
    return here + left_out


def table(times):
    """The times as a Markdown table that is easy to read as it is; ratios are to the best time for the task.

    >>> print(table([Time("minimax", "easyAI", 0.02, 1000), Time("minimax", "ttt", 0.005, 1000)]))
    | task    | system |    ms | × the best | nodes | ns a node |
    | :------ | :----- | ----: | ---------: | ----: | --------: |
    | minimax | ttt    | 5.000 |        1.0 | 1,000 |   5,000.0 |
    | minimax | easyAI |  20.0 |        4.0 | 1,000 |  20,000.0 |
    """
    best = {}
    for one in times:
        best[one.task] = min(best.get(one.task, one.seconds), one.seconds)
    rows = [("task", "system", "ms", "× the best", "nodes", "ns a node")]
    rows += [(one.task, one.system, *_figures(one, best[one.task])) for one in _in_order(times)]
    if all(one.nodes is None for one in times):
        rows = [row[:4] for row in rows]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    rule = [f":{'-' * (width - 1)}" if n < 2 else f"{'-' * (width - 1)}:" for n, width in enumerate(widths)]
    aligned = [[f"{text:{'<' if n < 2 else '>'}{widths[n]}}" for n, text in enumerate(row)] for row in rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in (aligned[0], rule, *aligned[1:]))


def _in_order(times):
    """The times grouped by task, the best first."""
    tasks = list(dict.fromkeys(one.task for one in times))
    return sorted(times, key=lambda one: (tasks.index(one.task), one.seconds))


def _figures(one, best):
    """The last four columns of a row."""
    milliseconds = one.seconds * 1000
    shown = f"{milliseconds:,.1f}" if milliseconds >= 10 else f"{milliseconds:.3f}"
    nodes = ("", "") if one.nodes is None else (f"{one.nodes:,}", f"{one.seconds / one.nodes * 1e9:,.1f}")
    return shown, f"{one.seconds / best:,.1f}", *nodes


def plot(times, title):
    """A bar for each time, on a log scale, grouped by task; the best of each group on top."""
    from matplotlib.figure import Figure

    from ttt.plots.figure import COLOURS, HATCHES

    order = _in_order(times)
    tasks, systems = list(dict.fromkeys(one.task for one in order)), sorted({one.system for one in order})
    figure = Figure(figsize=(8, 1.2 + 0.28 * (len(order) + len(tasks))), layout="constrained")
    axes = figure.subplots()
    places = [n + tasks.index(one.task) for n, one in enumerate(order)]
    bars = axes.barh(places, [1000 * one.seconds for one in order], log=True, edgecolor="white")
    for one, bar in zip(order, bars, strict=True):
        n = systems.index(one.system)
        bar.set(facecolor=COLOURS[n % len(COLOURS)], hatch=HATCHES[n % len(HATCHES)])
    axes.bar_label(bars, [f"{1000 * one.seconds:,.4g}" for one in order], padding=3, fontsize=8)
    axes.set_yticks(places, [f"{one.task}: {one.system}" for one in order], fontsize=8)
    axes.invert_yaxis()
    axes.margins(x=0.15)
    axes.set_title(title, loc="left", fontweight="bold")
    axes.set(xlabel="milliseconds (log scale)")
    return figure


def report(found, out):
    """The file as text: a table for each benchmark, and its plot, which is written next to the file."""
    parts = [f"# Benchmarks\n\n{machine()} Commit: {_commit()}.\n"]
    for name, times in found.items():
        parts.append(f"## {name}\n\n{ABOUT[name]}\n\n{table(times)}\n")
        if times:
            image = out.with_name(f"{out.stem}-{name}.svg")
            best = min(times, key=lambda one: one.seconds).system
            plot(times, f"{ABOUT[name]} Quickest: {best}").savefig(image)
            parts.append(f"![{name}]({image.name})\n")
    return "\n".join(parts)


def _commit():
    asked = ["git", "-C", str(Path(__file__).parent), "rev-parse", "--short", "HEAD"]
    try:
        return subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def main(arguments=None):
    parser = ArgumentParser(prog="python tests/benchmarks", description="Measure this lab next to others.")
    parser.add_argument("names", nargs="*", default=["search"], help=f"some of {', '.join(ABOUT)}; by default search")
    parser.add_argument("--quick", action="store_true", help="one round only: for a first look, not to be quoted")
    parser.add_argument("--out", type=Path, default=Path("benchmarks.md"), help="the file; plots go next to it")
    asked = parser.parse_args(arguments)
    unknown = [name for name in asked.names if name not in ABOUT]
    if unknown:
        parser.error(f"there is no benchmark {unknown[0]!r}; there is {', '.join(ABOUT)}")
    found = {}
    for name in asked.names:
        print(f"{ABOUT[name]} This takes a while.", flush=True)
        found[name] = measured(name, asked.quick)
    asked.out.parent.mkdir(parents=True, exist_ok=True)
    text = report(found, asked.out)
    asked.out.write_text(text, "utf-8")
    print(f"\n{text}\nWritten: {asked.out}, with the plots next to it.")


if __name__ == "__main__":
    main()
