"""Searching 3×3 to its end from the empty board: our searches, easyAI's, OpenSpiel's, and a C program's, side by side.

    .venv/bin/python tests/benchmarks/search.py [rounds]

Every system sits in a process of its own and is asked in turn, so that a busy machine is as busy for each; what counts
is the least of all rounds. Getting ready (imports, compiling) is told apart. Peers are for the benchmark only
(`pip install easyAI open_spiel`), and those that are not installed are left out.

A node is a position each time it is visited, the root and the leaves included. Nodes are counted in a run of their
own where a system doesn't count them itself:
- a student's searches and those on bitboards count nothing, and visit the nodes that C does;
- easyAI: a move made is a node, and the root one more. It has no minimax without cutoffs; a window that is not a
  number never cuts, so that gives one. It counts wins higher the sooner they come, so its alpha-beta tree is that of
  our `sooner=True`.
- OpenSpiel: a minimax in Python on its states, and its own `alpha_beta_search`, where a call is a node.
"""

import ctypes
import functools
import json
import math
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

TASKS = {"minimax": 549_946, "alpha-beta": 18_297}
ENOUGH = 0.05  # seconds of one task in one round
WANTED = (  # whose time for what is at most how many times whose
    ("ttt, readable", "minimax", 800, "C"),
    ("ttt, readable", "alpha-beta", 650, "C"),
    ("ttt, readable", "minimax", 7, "Python, bitboards"),
    ("student on Board", "minimax", 7, "Python, bitboards"),
    ("ttt, readable", "minimax", 1, "OpenSpiel"),
    ("ttt, readable", "alpha-beta", 1, "OpenSpiel"),
    ("ttt, readable", "minimax", 1 / 5, "easyAI"),
    ("ttt, fast", "minimax", 2, "C"),
    ("ttt, fast", "alpha-beta", 2, "C"),
    ("ttt, fast without numba", "minimax", 185, "C"),
    ("ttt, fast without numba", "alpha-beta", 166, "C"),
)


@dataclass(frozen=True)
class Figure:
    """One system's time for one task: the least of all rounds, and the nodes it visits for that."""

    system: str
    task: str
    seconds: float
    nodes: int
    ready: float  # seconds that getting ready took

    @property
    def nanoseconds_a_node(self) -> float:
        return self.seconds / self.nodes * 1e9


@dataclass(frozen=True)
class System:
    """How to run each task, and how many nodes that visits."""

    run: dict[str, Callable[[], object]]
    nodes: Callable[[str], int]


def c() -> System:
    """The C program, compiled here and now."""
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder) / "search.so"
        source = Path(__file__).with_suffix(".c")
        subprocess.run(["cc", "-O3", "-march=native", "-shared", "-fPIC", source, "-o", library], check=True)
        search = ctypes.CDLL(str(library)).search
    search.restype = ctypes.c_long
    run = {"minimax": lambda: search(0), "alpha-beta": lambda: search(1)}
    return System(run, lambda task: run[task]())


def ttt(fast: bool, compiled: bool = False) -> System:
    """Our searches, as a user calls them."""
    from ttt import Board
    from ttt.engine.compiling import compiles
    from ttt.search import alphabeta, minimax

    if compiled and not compiles():
        raise ImportError("numba")
    run = {"minimax": lambda: minimax(Board(), fast=fast), "alpha-beta": lambda: alphabeta(Board(), fast=fast)}
    if fast:  # compiled, or loaded, before the clock runs
        for search in run.values():
            search()
    return System(run, lambda task: run[task]().nodes)


def student() -> System:
    """The searches as a student writes them on `Board`, which count nothing."""
    from ttt import Board

    def minimax(board):
        if board.winner:
            return 1 if board.winner == "X" else -1
        if board.over:
            return 0
        values = [minimax(board.play(move)) for move in board.moves]
        return max(values) if board.turn == "X" else min(values)

    def alphabeta(board, alpha, beta):
        if board.over:
            return -1 if board.winner else 0
        best = -2
        for move in board.moves:
            best = max(best, -alphabeta(board.play(move), -beta, -alpha))
            alpha = max(alpha, best)
            if alpha >= beta:
                break
        return best

    run = {"minimax": lambda: minimax(Board()), "alpha-beta": lambda: alphabeta(Board(), -2, 2)}
    return System(run, TASKS.get)


def bitboards() -> System:
    """The same in plain Python on two whole numbers, with a table of all sets of cells that win."""
    lines = (0o7, 0o70, 0o700, 0o111, 0o222, 0o444, 0o421, 0o124)
    wins = [any(cells & line == line for line in lines) for cells in range(512)]

    def minimax(mine, theirs):
        if wins[theirs]:
            return -1
        free = 511 & ~(mine | theirs)
        best = -2 if free else 0
        while free:
            bit = free & -free
            free ^= bit
            value = -minimax(theirs, mine | bit)
            if value > best:
                best = value
        return best

    def alphabeta(mine, theirs, alpha, beta):
        if wins[theirs]:
            return -1
        free = 511 & ~(mine | theirs)
        best = -2 if free else 0
        while free:
            bit = free & -free
            free ^= bit
            best = max(best, -alphabeta(theirs, mine | bit, -beta, -alpha))
            alpha = max(alpha, best)
            if alpha >= beta:
                break
        return best

    run = {"minimax": lambda: minimax(0, 0), "alpha-beta": lambda: alphabeta(0, 0, -2, 2)}
    return System(run, TASKS.get)


def easyai() -> System:
    """easyAI's Negamax on easyAI's own game."""
    from easyAI.AI.Negamax import negamax
    from easyAI.games.TicTacToe import TicTacToe

    class Counting(TicTacToe):
        nodes = 1

        def make_move(self, move):
            self.nodes += 1
            super().make_move(move)

    def search(game, window):
        negamax(game, 9, 9, lambda game: game.scoring(), *window)
        return game

    windows = {"minimax": (math.nan, math.nan), "alpha-beta": (-math.inf, math.inf)}
    run = {task: functools.partial(lambda window: search(TicTacToe([]), window), windows[task]) for task in TASKS}
    return System(run, lambda task: search(Counting([]), windows[task]).nodes)


def openspiel() -> System:
    """OpenSpiel's states, searched in Python."""
    import pyspiel
    from open_spiel.python.algorithms import minimax as theirs

    game = pyspiel.load_game("tic_tac_toe")

    def minimax(state):
        if state.is_terminal():
            return state.player_return(0)
        values = [minimax(state.child(action)) for action in state.legal_actions()]
        return max(values) if state.current_player() == 0 else min(values)

    def count(state):
        return 1 + sum(count(state.child(action)) for action in state.legal_actions())

    def calls():
        calls, search = [], theirs._alpha_beta
        theirs._alpha_beta = lambda *how, **named: calls.append(1) or search(*how, **named)
        theirs.alpha_beta_search(game)
        theirs._alpha_beta = search
        return len(calls)

    run = {
        "minimax": lambda: minimax(game.new_initial_state()),
        "alpha-beta": lambda: theirs.alpha_beta_search(game),
    }
    return System(run, lambda task: count(game.new_initial_state()) if task == "minimax" else calls())


SYSTEMS = {
    "C": c,
    "ttt, fast": lambda: ttt(True, compiled=True),
    "ttt, fast without numba": lambda: ttt(True),
    "ttt, readable": lambda: ttt(False),
    "student on Board": student,
    "Python, bitboards": bitboards,
    "OpenSpiel": openspiel,
    "easyAI": easyai,
}


def measure(rounds: int = 5, systems: tuple[str, ...] = tuple(SYSTEMS)) -> list[Figure]:
    """Ask every system that is there in turn, so many times: its figures."""
    with ExitStack() as stack:
        started = {name: stack.enter_context(_server(name)) for name in systems}
        there = {name: ask for name, (_, ask) in started.items()}
        ready = {name: seconds for name, (seconds, _) in started.items() if seconds is not None}
        asked = [(name, task) for name in ready for task in TASKS]
        nodes = {(name, task): there[name](f"nodes {task}")["nodes"] for name, task in asked}
        seconds = dict.fromkeys(asked, math.inf)
        for name, task in asked * rounds:
            seconds[name, task] = min(seconds[name, task], there[name](f"run {task}")["seconds"])
    return [Figure(name, task, seconds[name, task], nodes[name, task], ready[name]) for name, task in asked]


@contextmanager
def _server(name: str) -> Iterator[tuple[float | None, Callable[[str], dict[str, float]]]]:
    """A process that holds one system: the seconds it took to get ready, or None; and what to ask it with."""
    environment = os.environ | ({"NUMBA_DISABLE_JIT": "1"} if "without numba" in name else {})
    command = [sys.executable, __file__, "--serve", name]
    with subprocess.Popen(
        command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as server:

        def ask(question: str) -> dict[str, float]:
            print(question, file=server.stdin, flush=True)
            return json.loads(server.stdout.readline())

        yield json.loads(server.stdout.readline()).get("ready"), ask
        server.stdin.close()


def serve(name: str) -> None:
    """Answer questions about one system, a line each; none where it is not installed."""
    begun = time.perf_counter()
    try:
        system = SYSTEMS[name]()
    except (ImportError, OSError, subprocess.CalledProcessError):
        print("{}", flush=True)
        return
    print(json.dumps({"ready": time.perf_counter() - begun}), flush=True)
    for question in sys.stdin:
        kind, _, task = question.strip().partition(" ")
        if kind == "nodes":
            print(json.dumps({"nodes": system.nodes(task)}), flush=True)
        else:
            print(json.dumps({"seconds": _least(system.run[task])}), flush=True)


def _least(run: Callable[[], object]) -> float:
    """The least CPU time of as many runs as are enough: other processes of a busy machine don't count."""
    least, end = math.inf, time.process_time() + ENOUGH
    while least == math.inf or time.process_time() < end:
        begun = time.process_time()
        run()
        least = min(least, time.process_time() - begun)
    return least


def table(figures: list[Figure]) -> str:
    """The figures as text, each time also as a multiple of C's."""
    rows = [f"{'system':26}{'task':12}{'nodes':>9}{'ms':>11}{'ns a node':>11}{'× C':>9}{'ready, s':>10}"]
    least = {figure.task: figure.seconds for figure in figures if figure.system == "C"}
    for f in sorted(figures, key=lambda figure: (figure.task != "minimax", figure.seconds)):
        ratio = f"{f.seconds / least[f.task]:9.2f}" if least else " " * 9
        mark = "" if f.nodes == TASKS[f.task] else "  (another tree)"
        cost = f"{f.nodes:9,}{f.seconds * 1e3:11.3f}{f.nanoseconds_a_node:11.1f}{ratio}{f.ready:10.2f}"
        rows.append(f"{f.system:26}{f.task:12}{cost}{mark}")
    return "\n".join(rows)


def wishes(figures: list[Figure]) -> str:
    """What was wanted of our times, and what they are."""
    seconds = {(figure.system, figure.task): figure.seconds for figure in figures}
    rows = []
    for ours, task, most, theirs in WANTED:
        if (ours, task) in seconds and (theirs, task) in seconds:
            ratio = seconds[ours, task] / seconds[theirs, task]
            how = f"{ratio:7.2f} × the time of {theirs:18} wanted at most {most:.3g}"
            rows.append(f"{task:12}{ours:26}{how:62}{'yes' if ratio <= most else 'NO'}")
    return "\n".join(rows)


def main() -> None:
    figures = measure(int(sys.argv[1]) if len(sys.argv) > 1 else 5)
    missing = SYSTEMS.keys() - {figure.system for figure in figures}
    print(table(figures), wishes(figures), sep="\n\n")
    for name in sorted(missing):
        print(
            f"{name} is left out: " + ("no C compiler." if name == "C" else f"pip install {PACKAGES.get(name, name)}")
        )


PACKAGES = {"easyAI": "easyAI", "OpenSpiel": "open_spiel", "ttt, fast": "numba"}


if __name__ == "__main__":
    serve(sys.argv[2]) if sys.argv[1:2] == ["--serve"] else main()
