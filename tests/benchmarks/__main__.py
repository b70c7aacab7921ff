"""The benchmarks: our searches next to others, as tables and plots.

    make bench
    .venv/bin/python tests/benchmarks --quick --out benchmarks.md

Times are the best of several rounds, in which all systems take turns; only ratios carry over to another machine.
Systems that are not installed are left out.
"""

import importlib.util
import os
import platform
from argparse import ArgumentParser
from pathlib import Path

import pandas
from lab.plots.figure import COLOURS
from matplotlib.figure import Figure

ABOUT = {
    "search": "Searching 3×3 to its end from the empty board.",
    "qubic": "Four plies of 4×4×4, from six positions.",
}
OTHERS = {"numba": "numba", "easyAI": "easyAI", "pyspiel": "open_spiel"}


def measured(name, rounds):
    """The times of a benchmark, measured now: a row for each task and system, the best of each task first.

    If a C program takes part, there is the ratio to its time, too.
    """
    found = importlib.import_module(name).measure(rounds)
    rows = [(task, system, 1000 * seconds) for (task, system), seconds in found.items()]
    times = pandas.DataFrame(rows, columns=["task", "system", "ms"])
    times["× the best"] = times.ms / times.groupby("task").ms.transform("min")
    in_c = times[times.system == "C"].set_index("task").ms
    if len(in_c):
        times["× C"] = times.ms / times.task.map(in_c)
    return times.sort_values(["task", "ms"], ignore_index=True)


def machine():
    """What the benchmarks ran on, and what was not installed."""
    missing = [package for module, package in OTHERS.items() if importlib.util.find_spec(module) is None]
    left_out = f" Not installed and left out: {', '.join(missing)}." if missing else ""
    here = f"{platform.system()} on {platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}."
    return here + left_out


def plot(times, title):
    """A bar for each time, on a log scale, a colour for each system; the best of each task on top."""
    figure = Figure(figsize=(8, 1.2 + 0.28 * len(times)), layout="constrained")
    axes = figure.subplots()
    systems, _ = pandas.factorize(times.system, sort=True)
    colours = [COLOURS[n % len(COLOURS)] for n in systems]
    bars = axes.barh(times.task + ": " + times.system, times.ms, log=True, color=colours)
    axes.bar_label(bars, fmt="{:,.4g}", padding=3, fontsize=8)
    axes.tick_params(axis="y", labelsize=8)
    axes.invert_yaxis()
    axes.margins(x=0.15)
    axes.set_title(title, loc="left", fontweight="bold")
    axes.set_xlabel("milliseconds (log scale)")
    return figure


def report(name, rounds, out):
    """A benchmark as text; its plot is written next to the file."""
    times = measured(name, rounds)
    image = out.with_name(f"{out.stem}-{name}.svg")
    plot(times, f"{ABOUT[name]} Quickest: {times.system[times.ms.idxmin()]}").savefig(image)
    table = times.to_string(index=False, float_format="{:,.3f}".format)
    return f"## {name}\n\n{ABOUT[name]}\n\n```\n{table}\n```\n\n![{name}]({image.name})\n"


def main(arguments=None):
    parser = ArgumentParser(prog="python tests/benchmarks", description="Measure this lab next to others.")
    parser.add_argument("names", nargs="*", help=f"some of {', '.join(ABOUT)}; all unless given")
    parser.add_argument("--quick", action="store_true", help="one round only: for a first look, not to be quoted")
    parser.add_argument("--out", type=Path, default=Path("benchmarks.md"), help="the file; plots go next to it")
    asked = parser.parse_args(arguments)
    if unknown := set(asked.names) - ABOUT.keys():
        parser.error(f"there is no {', '.join(unknown)}")
    asked.out.parent.mkdir(parents=True, exist_ok=True)
    parts = [f"# Benchmarks\n\n{machine()}\n"]
    for name in asked.names or [*ABOUT]:
        print(f"{ABOUT[name]} This takes a while.", flush=True)
        parts.append(report(name, 1 if asked.quick else 10, asked.out))
    text = "\n".join(parts)
    asked.out.write_text(text, "utf-8")
    print(f"\n{text}\nWritten: {asked.out}, with the plots next to it.")


if __name__ == "__main__":
    main()
