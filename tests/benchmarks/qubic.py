"""Four plies of 4×4×4: our engine beside easyAI, the 3D report's program, and C, in one run.

    .venv/bin/python tests/benchmarks/qubic.py

Every system has its turn in every round, and the least time of all counts; only ratios carry over to another
machine. easyAI plays a 4×4×4 game on numpy and finds the same values. The C beside this file is compiled on the spot.
What is not installed is left out, and said so.
"""

import ctypes
import importlib.util
import shutil
import subprocess
import sys
import tempfile
import time
from functools import cache
from pathlib import Path
from random import Random

from ttt import Board, qubic
from ttt.engine import cube as engine
from ttt.engine import cube_kernel as kernel
from ttt.engine import cube_tables as tables
from ttt.engine.compiling import compiles
from ttt.players import cube
from ttt.qubic import verifier

POSITIONS = {
    "empty": (0, 0),
    "corner": (1, 0),
    "edge": (2, 0),
    "mid6": (0x10010000000080, 0x8800000000000010),
    "mid12": (0x4000001C8040, 0x516010000000000),
    "mid20": (0x300002040180C801, 0xC822008120420000),
}
SLOW = ("corner", "mid20")  # the positions for easyAI, which takes seconds
DEPTH = 4
TURN = 0.05  # seconds that a system runs for at least when it has its turn
BOUNDED = engine.Setting("best-gain", symmetry=True, bounds=True)  # as the C does it: a table has no hits in four plies
SOURCE = Path(__file__).with_suffix(".c")


def board(name):
    """One of the six positions."""
    x, o = POSITIONS[name]
    return Board(shape=(4, 4, 4), x=x, o=o)


def records(names, systems_of, rounds):
    """A record for each position and system: the least seconds of all rounds, the value found, the nodes."""
    found = []
    for name in names:
        systems = systems_of(name)
        rows = {system: {"position": name, "system": system, "seconds": float("inf")} for system in systems}
        for _ in range(rounds):
            for system, run in systems.items():
                seconds, answer = turn(run)
                seconds = min(rows[system]["seconds"], seconds)
                rows[system] |= {"seconds": seconds, "value": answer[0], "nodes": answer[1]}
        found += rows.values()
    return found


def turn(run):
    """The least seconds of a function that runs again and again for a while, once at least; and its last answer."""
    least, end = float("inf"), time.perf_counter() + TURN
    while True:
        begun = time.perf_counter()
        answer = run()
        now = time.perf_counter()
        least = min(least, now - begun)
        if now > end:
            return least, answer


def beside_python(rounds=5):
    """Records of plain Python: our engine, the report's program with its cut, easyAI where it is installed."""

    def systems(name):
        position = board(name)
        found = {"gains": lambda: plain(position), "cube-report": lambda: report(position)}
        return found | ({"easyAI": easyai(position)} if name in SLOW and installed("easyAI", "numpy") else {})

    return records(POSITIONS, systems, rounds)


def beside_c(rounds=5):
    """Records of both searches, compiled by numba and in C; none where there is no numba or no C compiler."""
    if not (compiles() and shutil.which("cc")):
        return []

    def systems(name):
        position = board(name)
        return {
            "row-major, numba": compiled(position, engine.Setting()),
            "row-major, C": in_c(position, bounded=False),
            "gains, numba": compiled(position, BOUNDED),
            "gains, C": in_c(position, bounded=True),
        }

    return records(POSITIONS, systems, rounds)


def plain(position):
    """Our engine in plain Python, from the board to the record."""
    search = qubic.search(position, DEPTH, compiled=False)
    return search.value, search.nodes


def report(position):
    """The 3D report's search; its cut changes what it finds."""
    found = cube.report_search(position, DEPTH)
    return found.value, found.calls


def compiled(position, setting):
    """A function that searches in numba, given its memory, as the C is given its own."""
    search = engine.Engine(position, DEPTH, setting, compiled=True)
    arguments, counts = search.arguments(DEPTH), slice(kernel.NODES, kernel.CUTOFFS)

    def run():
        search.memory[counts] = 0
        value = search.visit(*arguments)
        return int(value), int(search.memory[counts].sum())

    run()  # compiles it
    return run


@cache
def library():
    """The C, compiled."""
    with tempfile.TemporaryDirectory() as folder:
        binary = Path(folder) / "qubic.so"
        subprocess.run(["cc", "-O3", "-march=native", "-shared", "-fPIC", "-o", binary, SOURCE], check=True)
        found = ctypes.CDLL(str(binary))
    found.search.restype = ctypes.c_int64
    rows = (tables.THROUGH, tables.ENDS, tables.OWN_CHANGE, tables.OTHER_CHANGE, tables.images())
    found.set_tables(*map(numbers, rows))
    return found


def numbers(row):
    """A row of numbers for C."""
    return (ctypes.c_int64 * len(row))(*row)


def in_c(position, bounded):
    """A function that searches in C."""
    marks, nodes = numbers(["-XO".index(mark) for mark in position]), ctypes.c_int64()

    def run():
        value = library().search(marks, DEPTH, bounded, ctypes.byref(nodes))
        return value, nodes.value

    run()
    return run


def easyai(position):
    """A function that searches with easyAI: its Negamax, on a 4×4×4 game as one writes it on numpy."""
    import numpy
    from easyAI import Negamax, TwoPlayerGame

    lines = numpy.array(position.line_cells)
    worth = numpy.array([0, 1, 10, 100, 0])

    class Cube(TwoPlayerGame):
        def __init__(self):
            self.players, self.nodes = (None, None), 1
            self.current_player = 1 if position.turn == "X" else 2
            self.cells = numpy.array(["-XO".index(mark) for mark in position], numpy.int8)

        def possible_moves(self):
            return numpy.flatnonzero(self.cells == 0).tolist()

        def make_move(self, move):
            self.nodes += 1
            self.cells[move] = self.current_player

        def unmake_move(self, move):
            self.cells[move] = 0

        def lose(self):
            return bool((self.cells[lines] == self.opponent_index).all(axis=1).any())

        def is_over(self):
            return self.lose() or bool(self.cells.all())

        def scoring(self):
            if self.lose():
                return -tables.WIN
            marks = self.cells[lines]
            own = (marks == self.current_player).sum(axis=1)
            other = (marks == self.opponent_index).sum(axis=1)
            return int((worth[own] * (other == 0) - worth[other] * (own == 0)).sum())

        def show(self):
            """easyAI asks for this, and never calls it here."""

    def run():
        game, search = Cube(), Negamax(DEPTH, win_score=tables.WIN)
        search(game)
        return round(search.alpha), game.nodes

    return run


def levels(games=200, seed=1):
    """Matches of each level against the one below, as records: openings of four random moves, each played twice."""
    rng, found = Random(seed), []
    for below, level in ((cube.EASY, cube.MEDIUM), (cube.MEDIUM, cube.HARD)):
        scores, slowest = {"won": 0, "drawn": 0, "lost": 0}, 0.0
        for game in range(games):
            if game % 2 == 0:
                opening = Board(shape=(4, 4, 4))
                for _ in range(4):
                    opening = opening.play(rng.choice(opening.moves))
            position, side = opening, "XO"[game % 2]
            while not position.over:
                begun = time.perf_counter()
                move = (level if position.turn == side else below).choose(position, rng)
                slowest = max(slowest, time.perf_counter() - begun)
                position = position.play(move)
            scores[{side: "won", None: "drawn"}.get(position.winner, "lost")] += 1
        found.append({"level": level.name, "below": below.name, "games": games, **scores, "slowest": slowest})
    return found


def whole_proof():
    """The proof found afresh and then verified: seconds for both, and the number of strategic positions."""
    from ttt.qubic import prover  # it needs numba

    begun = time.perf_counter()
    moves = prover.prove().certificate
    found = time.perf_counter()
    strategic = verifier.verify(moves).strategic
    assert strategic == len(moves) < 2929, "larger than the proof of 1980"
    return found - begun, time.perf_counter() - found, strategic


def ratio(rows, slow, fast, names=tuple(POSITIONS)):
    """How many times as long one system takes as another, over all these positions."""
    seconds = dict.fromkeys((slow, fast), 0.0)
    for row in rows:
        if row["position"] in names and row["system"] in seconds:
            seconds[row["system"]] += row["seconds"]
    return seconds[slow] / seconds[fast]


def installed(*names):
    """Whether these packages are there."""
    return all(importlib.util.find_spec(name) for name in names)


def show(rows):
    """The records as a table."""
    for row in rows:
        milliseconds = row["seconds"] * 1000
        print(f"{row['position']:8}{row['system']:18}{milliseconds:12.3f} ms{row['value']:8g}{row['nodes']:12,} nodes")


def main():
    rows = beside_python()
    show(rows)
    for peer, asked in (("easyAI", 40), ("cube-report", 100)):
        if names := [row["position"] for row in rows if row["system"] == peer]:
            each = ", ".join(f"{ratio(rows, peer, 'gains', [name]):.0f} × ({name})" for name in names)
            print(f"{peer} takes {each} our engine's time; asked for after a corner: {asked}")
        else:
            print(f"{peer} is not installed and left out")
    if rows := beside_c():
        show(rows)
        for search, asked in (("row-major", 2), ("gains", 4)):
            systems = f"{search}, numba", f"{search}, C"
            each = ", ".join(f"{ratio(rows, *systems, [name]):.2f} × ({name})" for name in POSITIONS)
            pooled = ratio(rows, *systems)
            print(f"{search}: numba takes {each}, pooled {pooled:.2f} × the time of C; asked for: {asked} at most")
    else:
        print("numba or a C compiler is missing: the comparison with C is left out")
    if compiles():
        seconds = "found in {:.0f} s, verified in {:.0f} s, {:,} strategic positions".format(*whole_proof())
        print(f"the whole proof: {seconds}")
    if "--levels" in sys.argv:
        for match in levels():
            print(match)


if __name__ == "__main__":
    main()
