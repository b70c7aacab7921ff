"""Functions that read names of other cells, wrong and right ones, as the notebook and the grader are to see them.

Each has the cells that a student ran, in order; the last word on a name counts.
"""

import json
import linecache
import sys
from textwrap import indent
from types import ModuleType

from conftest import ROOT
from lab.checks.student_code import as_python

IMPORTS = "from math import inf\nfrom ttt import Board, open_lines, opponent\nfrom lab import check, hand_in"

LINES = """def heuristic_1(board, player):
    value = 0
    for line in board.lines:
        mine, theirs = line.count(player), line.count(opponent(player))
        if theirs == 0:
            value += (0, 1, 3, 0)[mine]
        if mine == 0:
            value -= (0, 1, 3, 0)[theirs]
    return value
"""
SUM = """def heuristic_1(board, player):
    values = []
    for line in board.lines:
        mine, theirs = line.count(player), line.count(opponent(player))
        values.append((0, 1, 3, 0)[mine] if not theirs else -(0, 1, 3, 0)[theirs] if not mine else 0)
    return sum(values)
"""
SEARCH = """def helping(board, depth, heuristic, alpha, beta, me):
    if board.winner:
        return 1000 if board.winner == me else -1000
    if board.over:
        return 0
    if depth == 0:
        return heuristic(board, me)
    best = -inf if board.turn == me else inf
    for move in board.moves:
        value = helping(board.play(move), depth - 1, heuristic, alpha, beta, me)
        if board.turn == me:
            best = max(best, value)
            alpha = max(alpha, best)
        else:
            best = min(best, value)
            beta = min(beta, best)
        if alpha >= beta:
            break
    return best
"""
ASKED = """def alpha_beta(board, depth, heuristic):
    return helping(board, depth, heuristic, -inf, inf, board.turn)
"""
BOTH = SEARCH + ASKED
CORNERS = """def free_corners({}):
    return [cell for cell in (0, 2, 6, 8) if {}[{}] == "-"]
"""
OPEN = """def my_open_lines(b, player):
    value = 0
    for line in board.lines:
        value += (opponent(player) not in line) - (player not in line)
    return value
"""
FOUND = """def free_corners(board):
    for cell in (0, 2, 6, 8):
        if board[cell] == "-":
            found.append(cell)
    return found
"""
WORTH = """def worth(board):
    if board.over:
        return {"X": 1, "O": -1, None: 0}[board.winner]
    best = max if board.turn == "X" else min
    return best([worth(board.play(move))])
"""
WITH = """def lines_with(board, n, player):
    return sum(line.count(player) == n and line.count("-") == 3 - n for line in board.lines)
"""
UCB = """from math import log, sqrt
def ucb1(visits, wins, parent_visits, c):
    return wins / visits + c * sqrt(log(parent_visits) / visits)
"""
ONE = """def one(line, player):
    return board.lines[0].count(player)
"""
WEIGHT = "def weight(n):\n    return (0, 1, 3, 0)[n]\n"
WEIGHED = LINES.replace("(0, 1, 3, 0)[mine]", "weight(mine)").replace("(0, 1, 3, 0)[theirs]", "weight(theirs)")
COUNTED = LINES.replace("    value = 0\n", "    value = total[0]\n").replace(
    "    return", "    total[0] = value\n    return"
)
SIDES = """def heuristic_1(board, player):
    return side(board, player, opponent(player)) - side(board, opponent(player), player)
"""
SIDE = """def side(board, mine, theirs):
    return sum((0, 1, 3, 0)[line.count(mine)] for line in board.lines if theirs not in line)
"""


def weights(table, text=LINES):
    return text.replace("(0, 1, 3, 0)", table)


# Names in the way of a right function: task, cells, what must be named. The grader gives all points.
IN_THE_WAY = {
    "sum, two lines": (
        "heuristic_1",
        [SUM, "sum = 0\nfor n in (1, 2, 3):\n    sum = sum + n"],
        ["line 6", "`sum = 0`"],
    ),
    "len, passed on": (
        "heuristic_1",
        [SUM.replace("sum(values)", "sum(values) * sum(map(len, 'a'))"), "len = 4"],
        ["line 6", "`len = 4`"],
    ),
    "max": ("alpha_beta", [BOTH, "max = 0"], ["`max = 0`", "line 12", "`helping`"]),
    "min": ("alpha_beta", [BOTH, "min = 4"], ["`min = 4`", "line 15"]),
    "inf": ("alpha_beta", [BOTH, "inf = 100"], ["`inf = 100`", "line 21"]),
    "opponent": ("heuristic_1", [LINES, "opponent = 'O'"], ["`opponent = 'O'`", "line 4"]),
    "by a loop": ("heuristic_1", ["for sum in range(3):\n    pass", SUM], ["line 6", "`for sum in range(3):`"]),
    "by a walrus": ("alpha_beta", [BOTH, "print(max := 3)"], ["line 12", "`print(max := 3)`"]),
    "by with": (
        "heuristic_1",
        [SUM, "import os\nwith open(os.devnull) as sum:\n    pass"],
        ["line 6", "`with open(os.devnull) as sum:`"],
    ),
    "by import as": ("heuristic_1", ["import math as sum", SUM], ["line 6", "`import math as sum`"]),
    "by a star import": ("alpha_beta", [BOTH, "from numpy import *"], ["line 12", "`from numpy import *`"]),
    "by global": (
        "heuristic_1",
        [SUM, "def count():\n    global sum\n    sum = 0\ncount()"],
        ["line 6", "`sum`", "something else"],
    ),
    "an import over a helper": (
        "alpha_beta",
        [BOTH.replace("helping", "minimax"), "from ttt.search import minimax"],
        ["`from ttt.search import minimax`", "line 21", "your own `minimax`"],
    ),
    "a loop over a helper": (
        "heuristic_1",
        [SIDE, SIDES, "for side in 'XO':\n    pass"],
        ["`for side in 'XO':`", "your own `side`", "line 2"],
    ),
    "a value over a lambda": (
        "heuristic_1",
        ["side = lambda b, m, t: sum((0, 1, 3, 0)[x.count(m)] for x in b.lines if t not in x)", SIDES, "side = 3"],
        ["`side = 3`", "your own `side`", "line 2"],
    ),
}
# Wrong functions: where they are tried (n: notebook, g: grader), task, cells, what must and must not be said.
WRONG = {
    "b and board": ("n", "free_corners", ["board = Board()", CORNERS.format("b", "board", "cell")], ["line 2", "`board = Board()`", "`b`"], "wrong on"),
    "b and board in a loop": ("n", "my_open_lines", ["board = Board.from_text('X-- -O- ---')", OPEN], ["line 3", "`board`", "`b`"], ""),
    "first for board": ("ng", "heuristic_1", ["first = Board.from_text('X-- -O- ---')", LINES.replace("board.lines", "first.lines")], ["line 3", "`first`", "`board`"], "two sides"),
    "a move left over": ("n", "worth", ["board = Board.from_text('XO- -X- O--')\nfor move in board.moves:\n    pass", WORTH], ["line 5", "`move`"], ""),
    "a cell left over": ("n", "free_corners", ["for cell in range(9):\n    pass", CORNERS.format("board", "board", "cell").replace("for cell", "for c").replace("[cell ", "[c ")], ["line 2", "`cell`"], ""),
    "read by a helper": ("ng", "heuristic_1", ["board = Board()", ONE, LINES.replace("line.count(player),", "one(line, player),")], ["line 2", "`one`", "`board`", "parameter"], ""),
    "read in a lambda": ("ng", "heuristic_1", ["player = 'X'", LINES.replace("(board, player)", "(board, p)", 1).replace("line.count(player),", "(lambda: line.count(player))(),")], ["line 4", "`player`", "`p`"], ""),
    "read in a method": ("n", "heuristic_1", ["board = Board()", "class Mine:\n    def __call__(self, b, player):\n" + indent(LINES.partition("\n")[2], "    ") + "heuristic_1 = Mine()"], ["line 4", "`board`"], ""),
    "player left over": ("ng", "heuristic_1", ["player = 'X'", LINES.replace("(board, player)", "(board, p)", 1)], ["line 4", "`player = 'X'`", "`p`"], ""),
    "sum inside": ("ng", "heuristic_1", [SUM.replace("    values = []\n", "    values = []\n    sum = 0\n")], ["`sum`", "line 3", "line 7"], "another cell"),
    "max inside, without a value": ("ng", "alpha_beta", [BOTH.replace("best = max(best, value)", "max = max(best, value)\n            best = max")], ["`max`", "line 12", "of your own"], ""),
    "player, board": ("ng", "heuristic_1", [LINES.replace("board, player", "player, board")], ["`heuristic_1(board, player)`", "order"], ""),
    "board, n, player": ("n", "lines_with", [WITH], ["`lines_with(board, player, n)`", "order"], "Does it go through"),
    "visits, wins": ("n", "ucb1", [UCB], ["`ucb1(wins, visits, parent_visits, c)`", "order"], ""),
    "board, heuristic, depth": ("ng", "alpha_beta", [SEARCH + ASKED.replace("depth, heuristic)", "x)", 1).replace("x)", "heuristic, depth)", 1)], ["`alpha_beta(board, depth, heuristic)`", "order"], ""),
    "a list outside": ("n", "free_corners", ["found = []\n" + FOUND], ["`found = []`", "outside"], "first value"),
    "a list in another cell": ("n", "free_corners", ["found = []", FOUND], ["`found = []`", "outside"], "first value"),
    "a total outside": ("ng", "heuristic_1", ["total = [0]\n" + COUNTED], ["`total = [0]`", "outside"], ""),
    "a helper twice": ("ng", "heuristic_1", [SIDE, SIDES, "def side(board, mine):\n    return 0"], ["two `side`", "`def side(board, mine):`", "line 2"], ""),
    "an old function under another name": ("n", "free_corners", ["def free_corners(board):\n    return [0, 2, 6, 8]", "def corners(board):\n    return [c for c in (0, 2, 6, 8) if board[c] == '-']"], ["`corners`", "rename", "`free_corners`"], ""),
    "a search of ttt": ("ng", "alpha_beta", ["from ttt.search import negamax", "def alpha_beta(board, depth, heuristic):\n    return negamax(board, depth, heuristic).value"], ["line 2", "`negamax`", "`from ttt.search import negamax`", "may not call"], ""),
    "a lesson's function": ("ng", "heuristic_1", ["def heuristic_1(board, player):\n    return lines_with(board, player, 1)"], ["`lines_with`", "lesson", "copy"], ""),
}  # fmt: skip
# Wrong functions with names of their own that are not to blame: exercise, cells, what must not be said.
NOT_TO_BLAME = {
    "a constant": ("heuristic_1", ["w = 0, 1, 2, 0", weights("w")], "`w`"),
    "a board to compare with": ("heuristic_1", ["start = Board()", LINES.replace("value = 0", "value = 1 if board == start else 0")], "`start`"),
    "a constant called max": ("heuristic_1", ["max = 2", weights("(0, 1, max, 0)")], "`max`"),
    "a variable called sum, and another error": ("heuristic_1", [LINES.replace("    value = 0", "    sum = 0\n    value = 0").replace("return value", "return sum + board.winner()")], "`sum` is"),
    "a helper written again": ("heuristic_1", [SIDE, SIDES, SIDE.replace("1, 3", "1, 2")], "two `side`"),
    "a wrong opponent of its own": ("heuristic_1", ["def opponent(p):\n    return 'O'", LINES], "something else"),
}  # fmt: skip
# Right functions in odd styles; None is the cell as handed out.
RIGHT = {
    "above the cell as handed out": ("heuristic_1", [LINES, None]),
    "constants above": ("heuristic_1", ["TWO, ONE = 3, 1\n" + weights("(0, ONE, TWO, 0)")]),
    "a small constant above": ("heuristic_1", ["weights = (0, 1, 3, 0)\n" + weights("weights")]),
    "a constant in another cell": ("heuristic_1", ["weights = {0: 0, 1: 1, 2: 3, 3: 0}", weights("weights")]),
    "a helper in another cell": ("heuristic_1", [WEIGHT, WEIGHED]),
    "a helper below": ("heuristic_1", [WEIGHED, WEIGHT]),
    "a closure": ("heuristic_1", ["def make(w):\n" + indent(weights("w"), "    ") + "    return heuristic_1\nheuristic_1 = make((0, 1, 3, 0))"]),
    "a class with __call__": ("heuristic_1", ["class H:\n    w = (0, 1, 3, 0)\n    def __call__(self, board, player):\n" + indent(weights("self.w").partition("\n")[2], "    ") + "heuristic_1 = H()"]),
    "a lambda": ("heuristic_1", [SIDE, "heuristic_1 = lambda b, p: side(b, p, opponent(p)) - side(b, opponent(p), p)"]),
    "recursion": ("heuristic_1", ["def heuristic_1(board, player, lines=None):\n    lines = board.lines if lines is None else lines\n    if not lines: return 0\n    a, b = lines[0].count(player), lines[0].count(opponent(player))\n    now = (0, 1, 3, 0)[a] if b == 0 else -(0, 1, 3, 0)[b] if a == 0 else 0\n    return now + heuristic_1(board, player, lines[1:])"]),
    "star imports": ("heuristic_1", ["from ttt import *\nfrom math import *\n" + LINES]),
    "numpy": ("heuristic_1", ["import numpy as np\n" + weights("np.array((0, 1, 3, 0))").replace("return value", "return int(value)")]),
    "variables named as the parameters": ("heuristic_1", ["board = Board()\nplayer = 'O'\nfor line in board.lines: pass", LINES]),
    "its own sum": ("heuristic_1", ["def sum(values):\n    t = 0\n    for v in values: t += v\n    return t\n" + SUM]),
    "its own opponent": ("heuristic_1", ["def opponent(p):\n    return 'O' if p == 'X' else 'X'\n" + LINES]),
    "a dict as a cache": ("heuristic_1", ["memo = {}\n" + LINES.replace("heuristic_1", "work") + "def heuristic_1(board, player):\n    if (board, player) not in memo: memo[board, player] = work(board, player)\n    return memo[board, player]"]),
    "a counter": ("heuristic_1", ["calls = 0\n" + LINES.replace("    value = 0", "    global calls\n    calls += 1\n    value = 0")]),
    "lru_cache": ("heuristic_1", ["from functools import lru_cache\n@lru_cache(None)\n" + LINES]),
    "partial": ("heuristic_1", ["from functools import partial\n" + weights("w").replace("heuristic_1(board", "weigh(w, board") + "heuristic_1 = partial(weigh, (0, 1, 3, 0))"]),
    "other parameters": ("heuristic_1", [LINES.replace("board", "b").replace("player", "me")]),
    "a table filled by a loop": ("heuristic_1", ["w = [0] * 4\nfor n in (1, 2):\n    w[n] = 2 * n - 1", weights("w")]),
    "locals named as builtins": ("heuristic_1", [LINES.replace("value", "max").replace("line ", "sum ").replace("line.", "sum.")]),
    "a module under another name": ("heuristic_1", ["import ttt as engine\n" + LINES.replace("opponent(", "engine.opponent(")]),
    "two players": ("alpha_beta", ["def max_value(*all):\n    return helping(*all)", SEARCH.replace("value = helping", "value = max_value"), ASKED]),
    "a win in another cell": ("alpha_beta", ["win = 1000", BOTH.replace("1000", "win")]),
    "a class with a method": ("alpha_beta", ["class Search:\n    def run(self, " + indent(SEARCH.replace("def helping(", "").replace("helping(", "self.run("), "    ").lstrip() + ASKED.replace("helping", "Search().run")]),
    # Not in the first collection.
    "a decorator of its own": ("heuristic_1", ["from functools import wraps\ndef noted(f):\n    @wraps(f)\n    def inner(*given):\n        return f(*given)\n    return inner\n@noted\n" + LINES]),
    "a cached helper": ("heuristic_1", ["from functools import cache\n@cache\n" + SIDE, SIDES]),
    "a helper wrapped below": ("heuristic_1", [SIDE, "from functools import lru_cache\nside = lru_cache(side)", SIDES]),
    "a helper that is a lambda": ("heuristic_1", [WEIGHED, "weight = lambda n: (0, 1, 3, 0)[n]"]),
    "a walrus": ("heuristic_1", [LINES.replace("if theirs == 0:", "if (other := theirs) == 0 == other:")]),
    "a constant by a walrus": ("heuristic_1", ["print(table := (0, 1, 3, 0))", weights("table")]),
    "a constant by with": ("heuristic_1", ["from contextlib import nullcontext\nwith nullcontext((0, 1, 3, 0)) as table:\n    pass", weights("table")]),
    "a constant by for": ("heuristic_1", ["for table in [(0, 1, 3, 0)]:\n    pass", weights("table")]),
    "import as": ("heuristic_1", ["from ttt import opponent as other\n" + LINES.replace("opponent(", "other(")]),
    "static methods": ("heuristic_1", ["class Tools:\n    table = (0, 1, 3, 0)\n    @staticmethod\n    def weight(n):\n        return Tools.table[n]\n" + WEIGHED.replace("weight(", "Tools.weight(")]),
    "a dataclass": ("heuristic_1", ["from dataclasses import dataclass\n@dataclass\nclass Side:\n    mark: str\n    def count(self, line):\n        return line.count(self.mark)\n" + LINES.replace("line.count(player)", "Side(player).count(line)")]),
    "set by a function": ("heuristic_1", [weights("table"), "def prepare():\n    global table\n    table = (0, 1, 3, 0)\nprepare()"]),
    "set by exec": ("heuristic_1", ["exec('table = (0, 1, 3, 0)')", weights("table")]),
    "a generator": ("heuristic_1", ["def each(board, player):\n    for line in board.lines:\n        if opponent(player) not in line:\n            yield (0, 1, 3, 0)[line.count(player)]\n", "def heuristic_1(board, player):\n    return sum(each(board, player)) - sum(each(board, opponent(player)))"]),
    "nonlocal": ("heuristic_1", ["def heuristic_1(board, player):\n    value = 0\n    def add(n):\n        nonlocal value\n        value += n\n    for line in board.lines:\n        if opponent(player) not in line: add((0, 1, 3, 0)[line.count(player)])\n        if player not in line: add(-(0, 1, 3, 0)[line.count(opponent(player))])\n    return value"]),
    "an older version above": ("heuristic_1", [LINES.replace("3, 0", "2, 0"), LINES]),
    "an older helper above": ("heuristic_1", [SIDE.replace("1, 3", "1, 2"), SIDES, SIDE]),
    "a constant named as a builtin": ("heuristic_1", ["max = 3", weights("(0, 1, max, 0)")]),
    "infinity of its own": ("alpha_beta", ["inf = 10 ** 6", BOTH]),
    "a default value": ("heuristic_1", [weights("w").replace("player)", "player, w=(0, 1, 3, 0))", 1)]),
    "a constant named as a given board": ("heuristic_1", ["first = (0, 1, 3, 0)", weights("first")]),
    "match": ("heuristic_1", [LINES.replace("        if theirs == 0:\n            value += (0, 1, 3, 0)[mine]\n", "        match mine, theirs:\n            case n, 0:\n                value += (0, 1, 3, 0)[n]\n")]),
    "an enumeration": ("heuristic_1", ["from enum import IntEnum\nclass Worth(IntEnum):\n    ONE = 1\n    TWO = 3", weights("(0, Worth.ONE, Worth.TWO, 0)").replace("return value", "return int(value)")]),
    "a helper called from a table": ("heuristic_1", [WEIGHT, "RULES = {'weight': weight}", LINES.replace("(0, 1, 3, 0)[", "RULES['weight'](").replace("[mine]", "(mine)").replace("mine]", "mine)").replace("theirs]", "theirs)")]),
    "a helper under two names": ("heuristic_1", [WEIGHT + "w = weight", WEIGHED.replace("weight(", "w(")]),
    "the same import again": ("alpha_beta", ["from math import inf\nfrom ttt import opponent, open_lines\n" + BOTH]),
}  # fmt: skip
# Text that is there but defines nothing: code cells, other cells, and what must be named.
THERE = {
    "%%writefile": (["%%writefile my_search.py\n" + BOTH], (), ["%%writefile"]),
    "%%writefile, with lines between": (["%%writefile my_search.py\nfrom math import inf\n# mine\n" + ASKED], (), ["%%writefile"]),
    "%%writefile, and imported": (["%%writefile my_search.py\n" + BOTH, "from my_search import alpha_beta"], (), ["%%writefile"]),
    "a text cell": ([], (BOTH,), ["text", "code"]),
    "a text cell with a fence": ([], ("My function:\n\n```python\n" + BOTH + "```",), ["text", "code"]),
    "commented out": (["\n".join("# " + line for line in BOTH.splitlines())], (), ["commented out", "code cell 4"]),
    "commented out below others": (["x = 3\n" + "\n".join("#" + line for line in BOTH.splitlines())], (), ["commented out"]),
    "imported": (["from my_search import alpha_beta"], (), ["`my_search`", "copy"]),
    "imported as": (["from my_search import search as alpha_beta"], (), ["`my_search`", "copy"]),
    "all imported": (["from my_search import *"], (), ["`my_search`", "copy"]),
    "in quotes": (['"""\n' + BOTH + '"""'], (), ["quotation marks"]),
    "in quotes with a name": (["mine = '''\n" + BOTH + "'''"], (), ["quotation marks"]),
    "a method": (["class S:\n" + indent(BOTH, "    ")], (), ["class `S`"]),
    "inside a function": (["def main():\n" + indent(BOTH, "    ")], (), ["inside", "`main`"]),
    "under a condition": (["if False:\n" + indent(BOTH, "    ")], (), ["`if False`"]),
    "deleted": (["x = 1"], ("Some text about alpha_beta",), ["deleted"]),
    "another name": ([BOTH.replace("def alpha_beta(", "def alphabeta(")], (), ["rename `alphabeta`"]),
}  # fmt: skip


def handed_out(exercise):
    """An exercise's code cells."""
    notebook = json.loads((ROOT / "exercises" / exercise / f"{exercise}.ipynb").read_text(encoding="utf-8"))
    return ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]


def filled(exercise, cells, end=()):
    """The notebook's code cells with these in place of the one to write; None is that one."""
    given = handed_out(exercise)
    place = next(number for number, cell in enumerate(given) if f"write {exercise} first" in cell)
    mine = [given[place] if cell is None else cell for cell in cells]
    return [*given[:place], *mine, *given[place + 1 :], *end]


class Notebook:
    """A notebook in this process that runs cells as `__main__`, and remembers them as IPython does."""

    def __init__(self, monkeypatch):
        main = ModuleType("__main__")
        monkeypatch.setitem(sys.modules, "__main__", main)
        self.names = vars(main)
        self.names["In"] = [""]

    def run(self, *cells):
        for cell in cells:
            number = len(self.names["In"])
            self.names["In"].append(cell)
            title = f"<cell {number} of {id(self)}>"
            linecache.cache[title] = len(cell), None, cell.splitlines(keepends=True), title
            exec(compile(as_python(cell), title, "exec"), self.names)
