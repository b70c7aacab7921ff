"""The key of the exercise alpha-beta: the right search, the edits of it that are mistakes, questions, and marks.

The marks and the hints are in `alpha_beta.toml` beside this file. What is compared is the value, and the boards that
the heuristic was asked about, in order: these are what alpha-beta looks at, fail-hard or fail-soft.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import product
from math import inf
from pathlib import Path
from random import Random
from typing import Any

from exercises.grading.key import Key, Part, Slip, answered, known, packed_case, slip
from ttt.board import Board
from ttt.exercises.asking import Answer, Question, heuristic_named
from ttt.exercises.checking import Verdict
from ttt.exercises.exercise import SENTENCES, Case, Exercise, Node, load

NAME = "alpha_beta"
SETTINGS = Path(__file__).with_suffix(".toml")
SMALL_TREE = 45  # nodes of a whole tree that is drawn where a function goes wrong
SMALL = 40  # questions with such trees
MIDDLE = 9  # questions with larger ones, by which mistakes are told apart
REFUSAL = "In this exercise the search is yours to write: the searches and players of ttt may not be called."

# ------------------------------------------------------------------------------------- the right search, in four hands

SIDES = """
def alpha_beta(board, depth, heuristic):
    me = board.turn

    def go(board, depth, alpha, beta):
        if board.over:
            return 0 if board.winner is None else 1000 if board.winner == me else -1000
        if depth == 0:
            return heuristic(board, me)
        best = -inf if board.turn == me else inf
        for move in board.moves:
            value = go(board.play(move), depth - 1, alpha, beta)
            if board.turn == me:
                best = max(best, value)
                alpha = max(alpha, best)
            else:
                best = min(best, value)
                beta = min(beta, best)
            if alpha >= beta:
                break
        return best

    return go(board, depth, -inf, inf)
"""
NEGAMAX = """
def alpha_beta(board, depth, heuristic):
    me = board.turn

    def go(board, depth, alpha, beta):
        if board.over:
            return 0 if board.winner is None else -1000
        if depth == 0:
            return heuristic(board, me) if board.turn == me else -heuristic(board, me)
        best = -inf
        for move in board.moves:
            value = -go(board.play(move), depth - 1, -beta, -alpha)
            best = max(best, value)
            alpha = max(alpha, best)
            if alpha >= beta:
                break
        return best

    return go(board, depth, -inf, inf)
"""
HARD = {  # what makes them fail-hard
    SIDES: [("best = -inf if board.turn == me else inf", "best = alpha if board.turn == me else beta")],
    NEGAMAX: [("best = -inf\n", "best = alpha\n")],
}
CUT = """
            if alpha >= beta:
                break
"""


def edited(text: str, edits: Sequence[tuple[str, str]]) -> str:
    """A text with its edits made; "" where one of them doesn't fit."""
    for old, new in edits:
        if old not in text:
            return ""
        text = text.replace(old, new)
    return text


FORMS = (SIDES, edited(SIDES, HARD[SIDES]), NEGAMAX, edited(NEGAMAX, HARD[NEGAMAX]))


def function(text: str) -> Callable[..., Any]:
    """The function that a text defines."""
    names: dict[str, Any] = {"inf": inf}
    exec(text, names)
    return names[NAME]  # type: ignore[no-any-return]


# ------------------------------------------------------------------------------------------------- mistakes as edits

LATE = [
    ("            value =", "            late = alpha >= beta\n            value ="),
    ("if alpha >= beta:", "if late:"),
]
UNCUT = [(CUT, "\n")]
START = "go(board, depth, -inf, inf)"
BEST = ("best = -inf if board.turn == me else inf", "best = -inf")
ASKS = "heuristic(board, me)"
WIN = "1000 if board.winner == me else -1000"
CHILD = "value = go(board.play(move), depth - 1, alpha, beta)"
NEGATED = "-go(board.play(move), depth - 1, -beta, -alpha)"
KNOWN = [
    ("me = board.turn\n", "me = board.turn\n    known = {}\n"),
    (
        "        if depth == 0:",
        "        if (board, depth) in known:\n            return known[board, depth]\n        if depth == 0:",
    ),
    ("        return best\n", "        known[board, depth] = best\n        return best\n"),
]
ASK_ONCE = """
    known = {}

    def asked_once(board, player):
        if board not in known:
            known[board] = heuristic(board, player)
        return known[board]
"""
KNOWN_LEAVES = [("return heuristic(", "return asked_once("), ("me = board.turn\n", f"me = board.turn\n{ASK_ONCE}")]
SORTED = "in sorted(board.moves, key=lambda move: heuristic(board.play(move), {}){})"
AT_THE_ROOT = """
    if board.over or depth == 0:
        return go(board, depth, -inf, inf)
    best, chosen = -inf, None
"""
LOOP = """
    for move in board.moves:
        value = {sign}go(board.play(move), depth - 1, {window})
        if value {comparison} best:
            best, chosen = value, move
    return chosen
"""
# Each mistake with the ways in which it is made. A way is a list of edits; it is tried on each of the forms, and left
# out where it doesn't fit.
EDITS: dict[str, list[list[tuple[str, str]]]] = {
    "never cuts": [UNCUT, [("depth - 1, alpha, beta", "depth - 1, -inf, inf"), (CUT, "\n")]],
    "cuts on one side only": [
        [("if alpha >= beta:", "if board.turn == me and alpha >= beta:")],
        [("if alpha >= beta:", "if board.turn != me and alpha >= beta:")],
    ],
    "> instead of >=": [[("alpha >= beta", "alpha > beta")]],
    "cuts one move late": [LATE],
    "window too narrow at the start": [
        [(START, f"go(board, depth, {low}, {high})")]
        for low, high in (
            *((0, "inf"), ("-inf", 0), (0, 1000), (0, 100), (0, 9999)),
            *((-bound, bound) for bound in (1, 2, 5, 9, 10, 50, 99, 100, 500, 999, 1000)),
        )
    ],
    "window not passed down": [
        [("depth - 1, alpha, beta", f"depth - 1, {window}")] for window in ("-inf, inf", "alpha, inf", "-inf, beta")
    ]
    + [
        [
            (
                CHILD,
                CHILD.replace(
                    "alpha, beta)", "alpha if board.turn == me else -inf, inf if board.turn == me else beta)"
                ),
            )
        ],
        *([(("-beta, -alpha"), window)] for window in ("-inf, inf", "-inf, -alpha", "-beta, inf")),
    ],
    "window not turned round": [[("-beta, -alpha", "alpha, beta")]],
    "only the first move": [
        [("in board.moves", "in board.moves[:1]")],
        [("            if alpha >= beta:\n                break\n", "            return best\n")],
    ],
    "cuts at once": [
        [("depth - 1, alpha, beta", "depth - 1, beta, alpha")],
        [("-beta, -alpha", "-alpha, -beta")],
        [("-beta, -alpha", "beta, alpha")],
        [("alpha = max(alpha, best)", "alpha = beta = max(alpha, best)")],
        [("beta = min(beta, best)", "alpha = beta = min(beta, best)")],
    ],
    "alpha and beta forgotten": [
        [("alpha = max(alpha, best)", "alpha = value"), ("beta = min(beta, best)", "beta = value")],
        [("alpha = max(alpha, best)", "alpha = value")],
        [("beta = min(beta, best)", "beta = value")],
    ],
    "returns the other bound": [
        [("        return best\n", f"        return {bounds}\n")]
        for bounds in ("alpha", "beta", "beta if board.turn == me else alpha")
    ],
    "one ply less": [[("depth == 0", "depth <= 1")], [(START, "go(board, max(0, depth - 1), -inf, inf)")]],
    "one ply more": [[("depth == 0", "depth < 0")]],
    "depth not counted down": [[("depth - 1", "depth")]],
    "end of the game tested after the depth": [[("if board.over:", "if board.over and depth > 0:")]],
    "draws not seen": [
        [("if board.over:", "if board.winner or (not board.moves and depth > 0):")],
        [("if board.over:", "if board.winner or (not board.moves and depth > 0):"), (CUT, "\n")],
    ],
    "heuristic asked for the side to move": [
        [(ASKS, "heuristic(board, board.turn)")],
        [(f"return {ASKS} if board.turn == me else -{ASKS}", "return heuristic(board, board.turn)")],
    ],
    "heuristic asked for the side that has moved": [
        [(ASKS, 'heuristic(board, "O" if board.turn == "X" else "X")')],
        [
            (
                f"return {ASKS} if board.turn == me else -{ASKS}",
                'return heuristic(board, "O" if board.turn == "X" else "X")',
            )
        ],
    ],
    "heuristic asked for the other side": [[(ASKS, 'heuristic(board, "O" if me == "X" else "X")')]],
    "always seen from X": [[("me = board.turn", 'me = "X"')], [(ASKS, 'heuristic(board, "X")')]],
    "sign of the win": [
        [("-1000", "1000"), (f"1000 if {'board.winner == me'} else 1000", "-1000 if board.winner == me else 1000")],
        [("else -1000\n        if depth", "else 1000\n        if depth")],
    ],
    "another worth for a win": [
        *([("1000", str(win))] for win in (1, 10, 50, 100, 999, 10_000, 100_000, "inf")),
        *([("1000", f"({win} {sign} depth)")] for win in (10, 100, 1000, 10_000) for sign in "+-"),
        *([("1000", f"{win} * (depth + 1)")] for win in (1, 10, 100, 1000)),
    ],
    "draws worth something": [[("return 0 if", f"return {draw} if")] for draw in (1, -1, 0.5, 500)],
    "both sides maximise": [
        [BEST, ("if board.turn == me:\n                best", "if True:\n                best")],
        [BEST, ("if board.turn == me:\n                best", "if True:\n                best"), (CUT, "\n")],
    ],
    "max and min swapped": [
        [
            ("-inf if board.turn == me else inf", "-inf if board.turn != me else inf"),
            ("if board.turn == me:\n", "if board.turn != me:\n"),
        ],
        [
            ("-inf if board.turn == me else inf", "-inf if board.turn != me else inf"),
            ("if board.turn == me:\n", "if board.turn != me:\n"),
            (CUT, "\n"),
        ],
    ],
    "sign not changed": [
        [("value = -go", "value = go")],
        [("value = -go", "value = go"), (CUT, "\n")],
        [(NEGATED, "go(board.play(move), depth - 1, alpha, beta)")],
    ],
    "sign of the heuristic": [
        [(f"{ASKS} if board.turn == me else -{ASKS}", ASKS)],
        [(f"{ASKS} if board.turn == me else -{ASKS}", f"-{ASKS}")],
    ],
    "moves in another order": [
        [("in board.moves", "in reversed(board.moves)")],
        *(
            [("in board.moves", SORTED.format(who, way))]
            for who in ("me", "board.turn")
            for way in ("", ", reverse=True")
        ),
        [("in board.moves", f"{SORTED.format('me', ', reverse=board.turn == me')}")],
        [("in board.moves", "in sorted(board.moves, key=lambda move: board.play(move).winner is None)")],
        [("in board.moves", "in sorted(board.moves, key=lambda move: move % 2)")],
    ],
    "best value begins at 0": [
        [("best = -inf if board.turn == me else inf", "best = 0")],
        [
            ("best = -inf if board.turn == me else inf", "best = 0"),
            ("(alpha, best)", "(alpha, value)"),
            ("(beta, best)", "(beta, value)"),
        ],
        [("best = -inf\n", "best = 0\n"), ("(alpha, best)", "(alpha, value)")],
        [("best = -inf if board.turn == me else inf", "best = 0"), (CUT, "\n")],
        [("best = -inf\n", "best = 0\n")],
        [("best = -inf\n", "best = 0\n"), (CUT, "\n")],
    ],
    "heuristic asked twice": [
        [(f"return {ASKS}", f"{ASKS}\n            return {ASKS}")],
        [(f"return {ASKS}", f"{ASKS}, {ASKS}\n            return {ASKS}")],
    ],
    "boards remembered": [KNOWN, [*KNOWN, (CUT, "\n")], KNOWN_LEAVES],
    "returns the move": [
        [(f"    return {START}\n", AT_THE_ROOT + way)]
        for sign, window in (("", "-inf, inf"), ("-", "-inf, inf"), ("", "best, inf"), ("-", "-inf, -best"))
        for comparison in (">", ">=")
        for way in [LOOP.format(sign=sign, window=window, comparison=comparison)]
    ],
}


def slips() -> Iterator[Slip]:
    """The mistakes, each in all forms of the search that it fits."""
    for name, ways in EDITS.items():
        texts = dict.fromkeys(edited(form, way) for way in ways for form in FORMS)
        yield slip(name, SENTENCES[NAME][name], *(function(text) for text in texts if text))


# -------------------------------------------------------------------------------------------------- the questions

BOARDS = (((3, 3), 3), ((3, 4), 3), ((4, 4), 4))  # shapes, and how many in a row win
MADE_UP = ("numbers to 1", "numbers to 3", "numbers to 99")  # with many ties, with some, and with few


def tree_size(board: Board, depth: int) -> int:
    """The nodes of the whole tree."""
    if board.over or depth == 0:
        return 1
    return 1 + sum(tree_size(board.play(move), depth - 1) for move in board.moves)


def played(rng: Random, shape: tuple[int, ...], k: int, free: int) -> Board:
    """An unfinished board from a random game, with so many free cells."""
    while True:
        board = Board(shape, k)
        while not board.over and len(board.moves) > free:
            board = board.play(rng.choice(board.moves))
        if not board.over:
            return board


def finished(rng: Random, winner: str | None) -> Board:
    """The end of a random game that this side has won, or nobody."""
    while True:
        board = Board()
        while not board.over:
            board = board.play(rng.choice(board.moves))
        if board.winner == winner:
            return board


def questions(rng: Random) -> tuple[list[Question], list[Question]]:
    """The questions that mistakes are known by, most with small trees, and others two to four plies deep."""
    ends: list[Question] = [
        (finished(rng, winner), depth, "open-lines") for depth in (0, 2) for winner in (None, "X", "O")
    ]
    late = [played(rng, *BOARDS[number % 3], rng.randint(2, 5)) for number in range(120)]
    asked = [
        (board, depth, f"{rng.choice(MADE_UP)}, {rng.getrandbits(40):x}" if number % 3 else "open-lines")
        for number, (board, depth) in enumerate(product(late, range(5)))
        if tree_size(board, depth) <= SMALL_TREE
    ]
    asked = sorted(dict.fromkeys(asked), key=lambda question: tree_size(*question[:2]))
    small = [*ends, *asked[:: max(1, len(asked) // SMALL)]]
    small += [
        (played(rng, *BOARDS[number % 3], 6), 4, f"{MADE_UP[number % 3]}, {rng.getrandbits(40):x}")
        for number in range(MIDDLE)
    ]
    deep = [
        (played(rng, shape, k, {2: 9, 3: 7, 4: 6}[depth] - rng.randint(0, 1)), depth, name)
        for depth, (shape, k), kind in product((2, 3, 4), BOARDS, (*MADE_UP, "open-lines"))
        for name in [kind if kind == "open-lines" else f"{kind}, {rng.getrandbits(40):x}"]
    ]
    return sorted(small, key=lambda question: tree_size(*question[:2])), deep


# -------------------------------------------------------------------------------------------- the key, and the file


def visited(board: Board, depth: int, heuristic: str) -> list[Node]:
    """What the right search visits, in its order."""
    says, me = heuristic_named(heuristic), board.turn
    nodes: list[Node] = []

    def go(board: Board, depth: int, alpha: float, beta: float, moves: tuple[int, ...]) -> float:
        place = len(nodes)
        nodes.append(Node(moves, _bound(alpha), _bound(beta), 0))
        if board.over:
            value: float = 0 if board.winner is None else 1000 if board.winner == me else -1000
        elif depth == 0:
            value = says(board, me)
        else:
            value = -inf if board.turn == me else inf
            for move in board.moves:
                found = go(board.play(move), depth - 1, alpha, beta, (*moves, move))
                value = max(value, found) if board.turn == me else min(value, found)
                alpha, beta = (max(alpha, value), beta) if board.turn == me else (alpha, min(beta, value))
                if alpha >= beta:
                    break
        nodes[place] = nodes[place]._replace(value=value)
        return value

    go(board, depth, -inf, inf, ())
    return nodes


def _bound(bound: float) -> float | None:
    """A bound as plain data, which knows no infinity."""
    return bound if abs(bound) < inf else None


def settings() -> dict[str, Any]:
    """What `alpha_beta.toml` says."""
    return tomllib.loads(SETTINGS.read_text(encoding="utf-8"))


def students_file() -> dict[str, Any]:
    """What students have of the exercise."""
    small, deep = questions(Random(NAME))
    rows = []
    for question, right in zip([*small, *deep], answered(function(SIDES), [*small, *deep]), strict=True):
        row = packed_case(question, right)
        if tree_size(*question[:2]) <= SMALL_TREE and question[1] and not question[0].over:
            row = [*row, *[""][len(row) - 2 :], visited(*question)]
        rows.append(row)
    return {
        "name": NAME,
        "takes": ["board", "depth", "heuristic"],
        "returns": "number",
        "withheld": ["ttt.record.Search.__init__"],
        "refusal": REFUSAL,
        "known_by": len(small),
        "worked": [
            [((4, 7, 5), (3, 9, 8), (6, 2, 1)), {"value": 4, "a": 4, "b": 3, "c": 2, "looked_at": 6}],
            [((5, 6, 7), (5, 1, 2), (8, 5, 0)), {"value": 5, "looked_at": 6}],
        ],
        "hints": settings()["texts"]["hints"],
        "mistakes": known(list(slips()), small, answered(function(SIDES), small)),
        "cases": rows,
    }


@cache
def key(seed: str = "") -> Key:
    """The key.

    Args:
        seed: draws the questions that students don't have.
    """
    exercise = load(NAME)
    small, deep = questions(Random(f"{NAME} {seed}"))
    fresh = [*small[::2], *deep]
    right = answered(function(SIDES), fresh)
    more = tuple(Case(question, one.value, one.digest) for question, one in zip(fresh, right, strict=True))
    parts = tuple(Part(name, title, marks) for name, (marks, title) in settings()["parts"].items())
    return Key(replace(exercise, cases=(*exercise.cases, *more)), parts, marks)


def marks(exercise: Exercise, answers: Sequence[Answer], verdict: Verdict) -> dict[str, int]:
    """The marks by part: a part is earned when every one of its questions is answered rightly."""
    lost = {"all"}
    for place, question in enumerate(exercise.once):
        if place >= len(answers) or answers[place].fault or answers[place].value != exercise.values[place]:
            lost.add(kind(question))
        if question[1] > 1 and place in verdict.wrong:
            lost.add("leaves")
    return {part.name: 0 if part.name in lost else part.marks for part in key().parts}


def kind(question: Question) -> str:
    """The part of the marks for its value that a question belongs to."""
    board, depth, _ = question
    if board.over or depth >= len(board.moves):
        return "ends"
    if depth > 2:
        return "deep"
    return "values" if board.turn == "X" else "sides"
