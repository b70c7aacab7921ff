"""The benchmark: our searches next to others, as a table and a plot.

    make bench
    .venv/bin/python tests/benchmarks --quick --out benchmarks.md

Times are the best of several rounds, in which all systems take turns; only ratios carry over to another machine.
"""

import os
import platform
from argparse import ArgumentParser
from pathlib import Path

import pandas
import systems
from lab.plots.figure import COLOURS
from matplotlib.figure import Figure

ABOUT = "Searching 3×3 to its end from the empty board."


def measured(rounds):
    """The times, measured now: a row for each task and system, the best of each task first.

    If a C program takes part, there is the ratio to its time, too.
    """
    rows = [(task, system, 1000 * seconds) for (task, system), seconds in systems.measure(rounds).items()]
    times = pandas.DataFrame(rows, columns=["task", "system", "ms"])
    times["× the best"] = times.ms / times.groupby("task").ms.transform("min")
    in_c = times[times.system == "C"].set_index("task").ms
    if len(in_c):
        times["× C"] = times.ms / times.task.map(in_c)
    return times.sort_values(["task", "ms"], ignore_index=True)


def plot(times):
    """A bar for each time, on a log scale, a colour for each system; the best of each task on top."""
    figure = Figure(figsize=(8, 1.2 + 0.28 * len(times)), layout="constrained")
    axes = figure.subplots()
    colours = [COLOURS[n % len(COLOURS)] for n in pandas.factorize(times.system, sort=True)[0]]
    bars = axes.barh(times.task + ": " + times.system, times.ms, log=True, color=colours)
    axes.bar_label(bars, fmt="{:,.4g}", padding=3, fontsize=8)
    axes.tick_params(axis="y", labelsize=8)
    axes.invert_yaxis()
    axes.margins(x=0.15)
    axes.set_title(f"{ABOUT} Quickest: {times.system[times.ms.idxmin()]}", loc="left", fontweight="bold")
    axes.set_xlabel("milliseconds (log scale)")
    return figure


def main(arguments=None):
    parser = ArgumentParser(prog="python tests/benchmarks", description="Measure this lab next to others.")
    parser.add_argument("--quick", action="store_true", help="one round only: for a first look, not to be quoted")
    parser.add_argument("--out", type=Path, default=Path("benchmarks.md"), help="the file; the plot goes next to it")
    asked = parser.parse_args(arguments)
    print(f"{ABOUT} This takes a while.", flush=True)
    times, image = measured(1 if asked.quick else 10), asked.out.with_suffix(".svg")
    asked.out.parent.mkdir(parents=True, exist_ok=True)
    plot(times).savefig(image)
    here = f"{platform.system()} on {platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}."
    table = times.to_string(index=False, float_format="{:,.3f}".format)
    text = f"# Benchmark\n\n{ABOUT} {here}\n\n```\n{table}\n```\n\n![The times]({image.name})\n"
    asked.out.write_text(text, "utf-8")
    print(f"\n{text}\nWritten: {asked.out}, with the plot next to it.")


if __name__ == "__main__":
    main()
