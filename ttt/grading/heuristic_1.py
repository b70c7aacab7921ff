"""The key of the exercise: the right values, the known mistakes, and how marks are given.

Everything follows from `heuristic_1.toml` beside this file. What students get is worked out from it and kept as plain
values in `ttt/heuristic_1.json`: neither the right function nor a wrong one stands there.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache, reduce
from pathlib import Path
from random import Random

from ttt import checks
from ttt.board import Board, Mark, geometry, opponent, position
from ttt.grading import judge
from ttt.grading.grade import Case, Grade
from ttt.grading.judge import Answers, First, Number, Question
from ttt.grading.source import Unreadable, read_source

SETTINGS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
START = Board(tuple(SETTINGS["shape"]), SETTINGS["k"])
GEOMETRY = geometry(START.shape, START.k)
WEIGHTS: list[int] = SETTINGS["weights"]
ENUMERABLE = 9  # cells; on larger boards the questions are drawn from random games
DRAWN = 5000

Lines = tuple[tuple[Mark, ...], ...]
Worth = Callable[[int, int], int]  # what a line is worth, by the player's and the opponent's marks in it
Function = Callable[[Board, Mark], int]


# ----------------------------------------------------------------------------------------------------- right and wrong


def total(worth: Worth, lines: Callable[[Board], Lines] = lambda board: board.lines) -> Function:
    """The function that sums up what lines are worth, seen from a player's side."""

    def function(board: Board, player: Mark) -> int:
        rival = opponent(player)
        return sum(worth(line.count(player), line.count(rival)) for line in lines(board))

    return function


def weighed(weights: Sequence[int]) -> Worth:
    """Lines with n marks of one side alone are worth weights[n], to the opponent as much less."""
    return lambda own, other: (0 if other else weights[own]) - (0 if own else weights[other])


RIGHT = weighed(WEIGHTS)
WORTH = [[RIGHT(own, other) for other in range(len(WEIGHTS))] for own in range(len(WEIGHTS))]
right_value = total(RIGHT)


def _swapped(weights: Sequence[int]) -> list[int]:
    ones = [n for n, weight in enumerate(weights) if weight]
    changed = list(weights)
    for n, other in zip(ones, reversed(ones), strict=True):
        changed[n] = weights[other]
    return changed


def _bracket_lost(own: int, other: int) -> int:
    """3·X2 + X1 − 3·O2 + O1: the minus reaches the first of the opponent's terms only."""
    if not own and other and WEIGHTS[other] == min(filter(None, WEIGHTS)):
        return WEIGHTS[other]
    return RIGHT(own, other)


def _direction(line: Sequence[int], columns: int) -> str:
    step = line[1] - line[0]
    return {1: "rows", columns: "columns", columns + 1: "main diagonal"}.get(step, "other diagonal")


def _times(times: int, *directions: str) -> Callable[[Board], Lines]:
    """The lines of a board, those of some directions not at all or twice."""

    def lines(board: Board) -> Lines:
        columns = board.shape[-1]
        kinds = [_direction(line, columns) for line in board.line_cells]
        return tuple(
            line
            for kind, line in zip(kinds, board.lines, strict=True)
            for _ in range(times if kind in directions else 1)
        )

    return lines


def _first_worth(board: Board, player: Mark) -> int:
    """Returns from inside the condition: the first line that counts is the answer."""
    worths = (RIGHT(line.count(player), line.count(opponent(player))) for line in board.lines)
    return next(filter(None, worths), 0)


def _at_least(own: int, other: int) -> int:
    return (0 if other else sum(WEIGHTS[1 : own + 1])) - (0 if own else sum(WEIGHTS[1 : other + 1]))


ALL_ONE = [1 if weight else 0 for weight in WEIGHTS]
COMPLETED = (2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 16, 20, 27, 30, 50, 99, 100, 999, 1000, 10_000)  # worths people give
DIAGONALS = ("main diagonal", "other diagonal")

WRONG: list[tuple[str, Function]] = [
    ("blocked lines counted", total(lambda own, other: WEIGHTS[own] - WEIGHTS[other])),
    ("signs swapped", lambda board, player: -right_value(board, player)),
    ("always seen from X", lambda board, player: right_value(board, "X")),
    ("always seen from the side to move", lambda board, player: right_value(board, board.turn)),
    ("the 3 forgotten", total(weighed(ALL_ONE))),
    ("weights swapped", total(weighed(_swapped(WEIGHTS)))),
    ("single marks not counted", total(weighed([0 if weight == 1 else weight for weight in WEIGHTS]))),
    ("pairs not counted", total(weighed([weight if weight == 1 else 0 for weight in WEIGHTS]))),
    ("bracket lost", total(_bracket_lost)),
    ("the 3 times all", total(weighed([max(WEIGHTS) * one for one in ALL_ONE]))),
    ("main diagonal missing", total(RIGHT, _times(0, "main diagonal"))),
    ("other diagonal missing", total(RIGHT, _times(0, "other diagonal"))),
    ("both diagonals missing", total(RIGHT, _times(0, *DIAGONALS))),
    ("columns missing", total(RIGHT, _times(0, "columns"))),
    ("rows missing", total(RIGHT, _times(0, "rows"))),
    ("only rows", total(RIGHT, _times(0, "columns", *DIAGONALS))),
    ("rows counted twice", total(RIGHT, _times(2, "rows"))),
    ("columns counted twice", total(RIGHT, _times(2, "columns"))),
    ("diagonals counted twice", total(RIGHT, _times(2, *DIAGONALS))),
    ("at least for exactly", total(_at_least)),
    *(("completed lines counted", total(weighed([*WEIGHTS[:-1], worth]))) for worth in COMPLETED),
    ("empty lines counted", total(lambda own, other: RIGHT(own, other) + (not own and not other))),
    ("absolute value", lambda board, player: abs(right_value(board, player))),
    ("heuristic 2 instead", total(weighed([1] * len(WEIGHTS)))),
    ("opponent ignored", total(lambda own, other: 0 if other else WEIGHTS[own])),
    ("opponent ignored", total(lambda own, other: WEIGHTS[own])),
    ("opponent added", total(lambda own, other: RIGHT(own, other) if own else -RIGHT(own, other))),
    ("returned inside the loop", lambda board, player: total(RIGHT, lambda b: b.lines[:1])(board, player)),
    ("returned inside the loop", _first_worth),
]

SENTENCES = {
    "blocked lines counted": "You count lines that hold marks of both sides. Such a line is blocked: nobody "
    "can complete it, and it counts for neither side.",
    "signs swapped": "Your values have the wrong sign throughout. The player's lines add, the opponent's take away.",
    "always seen from X": "Your values are X's, whichever player is asked for. Use the parameter player, and take the "
    "other side as the opponent.",
    "always seen from the side to move": "Your values are seen from the side to move. Use the parameter player: a "
    "board may be asked about from either side, whoever's turn it is.",
    "the 3 forgotten": f"A line with two marks is worth {WEIGHTS[2]}, not as much as one with a single mark.",
    "weights swapped": "The weights are the wrong way round: see in the formula which lines have the factor.",
    "single marks not counted": "You count lines with two marks only. Lines with one mark count as well, once each.",
    "pairs not counted": "You count lines with one mark only. Lines with two marks count as well, and more.",
    "bracket lost": "The minus sign belongs to the whole bracket: both of the opponent's terms are taken away.",
    "the 3 times all": "The factor belongs to the lines with two marks alone. Lines with one mark count once.",
    "main diagonal missing": "The diagonal from the top left to the bottom right is missing.",
    "other diagonal missing": "The diagonal from the top right to the bottom left is missing.",
    "both diagonals missing": "The two diagonals are missing.",
    "columns missing": "The columns are missing.",
    "rows missing": "The rows are missing.",
    "only rows": "Only the rows are counted. The columns and the diagonals are lines too.",
    "rows counted twice": "The rows are counted twice.",
    "columns counted twice": "The columns are counted twice.",
    "diagonals counted twice": "The diagonals are counted twice.",
    "at least for exactly": "You count lines with at least n marks where exactly n are meant: a line with two marks is "
    "then counted among the lines with one as well.",
    "completed lines counted": "You count a completed line. It stands in neither term of the formula, so it is worth "
    "nothing, strange as that is.",
    "empty lines counted": "You count empty lines. A line counts only if one side has a mark in it.",
    "absolute value": "Your values are never negative. A board that is better for the opponent has a negative value.",
    "heuristic 2 instead": "These are the values of heuristic 2, the open lines. Heuristic 1 weighs the lines by the "
    "number of marks in them.",
    "opponent ignored": "Your values leave out the opponent's lines. They are taken away.",
    "opponent added": "The opponent's lines are added. They are taken away.",
    "returned inside the loop": "Your function returns from inside the loop, so the lines after that never count. Sum "
    "up first, and return once, after the loop.",
}
HINTS = [
    "Look at one line at a time. board.lines gives you all of them, each as a tuple of marks.",
    'A tuple can count: line.count("X") says how many X there are in a line.',
    "A line matters only if it has marks of one side and none of the other. Which two counts tell you that?",
    "The player may be X or O. The other side is opponent(player).",
    "Keep a total that starts at 0. For each line add or take away what it is worth, and return the total at the end.",
    "There are four kinds of line that count: with two or with one of the player's marks, and with two or with one of "
    "the opponent's. Write four ifs, and compare with ==, for the count must be exact.",
]
MIDDLE = len(START) // 2
WORKED = [((0, MIDDLE), "X"), ((0, MIDDLE), "O"), ((0, MIDDLE, 1), "X")]  # the boards that the notebook does by hand


# -------------------------------------------------------------------------------------------------------- the cases


def reachable() -> list[Board]:
    """All positions of the game, or on larger boards those of random games, the same ones each time."""
    if len(START) > ENUMERABLE:
        return _drawn(Random(1))
    boards, latest = [START], [START]
    while latest:
        following = {marks for board in latest if not board.over for marks in _following(board)}
        latest = [_position(x, o) for x, o in sorted(following)]
        boards += latest
    return boards


def _following(board: Board) -> list[tuple[int, int]]:
    """The cells of X and of O, as bits, after each move: far quicker than to play it."""
    x, o = board.x, board.o
    if board.turn == "X":
        return [(x | 1 << move, o) for move in board.moves]
    return [(x, o | 1 << move) for move in board.moves]


def _position(x: int, o: int) -> Board:
    mark, cells = ("X", x) if x.bit_count() > o.bit_count() else ("O", o)  # who moved last, and alone can have won
    won = any(mask & cells == mask for mask in GEOMETRY.masks)
    return position(GEOMETRY, x, o, mark if won else None)


def _drawn(rng: Random) -> list[Board]:
    boards = {START: None}
    while len(boards) < DRAWN:
        board = START
        while not board.over:
            board = board.play(rng.choice(board.moves))
            boards[board] = None
    return sorted(boards, key=lambda board: len(board) - len(board.moves))


def telling_cases(most: int = 24) -> list[Question]:
    """A few simple questions that tell the right function and every wrong one from each other.

    The simplest ones of each kind come first. Then, greedily, always the question that tells most pairs of functions
    apart which were not told apart yet.
    """
    functions = [("", right_value), *WRONG]
    small = [question for question in QUESTIONS if len(question.board.moves) > 2]
    chosen = [question for kind in KINDS for question in _simplest(kind, small)]
    small = small[:: max(1, len(small) // 1500)]
    values = {q: [f(q.board, q.player) for _, f in functions] for q in (*chosen, *small)}
    pairs = {(a, b) for a in range(len(functions)) for b in range(a) if functions[a][0] != functions[b][0]}

    def told(question: Question) -> set[tuple[int, int]]:
        return {(a, b) for a, b in pairs if values[question][a] != values[question][b]}

    for question in chosen:
        pairs -= told(question)
    while pairs and len(chosen) < most:
        chosen.append(max(small, key=lambda question: len(told(question))))
        pairs -= told(chosen[-1])
    if pairs:
        raise ValueError(f"{most} questions don't tell {[functions[a][0] for a, _ in sorted(pairs)]} apart.")
    return sorted(chosen, key=lambda question: len(question.board) - len(question.board.moves))


def _simplest(kind: str, questions: Sequence[Question]) -> list[Question]:
    """Two questions from X and two from O on the first boards of a kind on which the value is not 0."""
    told = [question for question in questions if _kind(question.board) == kind]
    return [q for player in "XO" for q in [q for q in told if q.player == player and right_value(q.board, player)][:2]]


def data() -> dict[str, object]:
    """What students get: the cases with their values and lines, and the values of every known mistake."""
    cases = telling_cases()
    return {
        "shape": list(START.shape),
        "k": START.k,
        "cases": [_described(case) for case in cases],
        "worked": [_described(Question(reduce(Board.play, moves, START), side)) for moves, side in WORKED],
        "mistakes": [
            {"name": name, "sentence": SENTENCES[name], "values": [f(c.board, c.player) for c in cases]}
            for name, f in WRONG
        ],
        "hints": HINTS,
    }


def _described(case: Question) -> dict[str, object]:
    board, player, rival = case.board, case.player, opponent(case.player)
    text = " ".join("".join(board)[n : n + board.shape[-1]] for n in range(0, len(board), board.shape[-1]))
    described = {"board": text, "player": player, "value": right_value(board, player)}
    for side, mark, unlike in (("own", player, rival), ("other", rival, player)):
        described[side] = {
            str(n): [list(cells) for cells, line in zip(board.line_cells, board.lines, strict=True)
                     if line.count(mark) == n and unlike not in line]
            for n in range(1, board.k)
        }  # fmt: skip
    return described


BOARDS = reachable()
QUESTIONS = tuple(Question(board, player) for board in BOARDS for player in "XO")
ASKED = "every position" if len(START) <= ENUMERABLE else "positions from random games"


# -------------------------------------------------------------------------------------------------------- the marks


@cache
def right_values() -> dict[Question, int]:
    """The right answer to every question. What a board is worth to X it costs O."""
    values = [_worth(board.x, board.o) for board in BOARDS]
    return dict(zip(QUESTIONS, (side for value in values for side in (value, -value)), strict=True))


def _worth(x: int, o: int) -> int:
    """The right value from X's side, by bits: `right_value` would take four times as long."""
    return sum(WORTH[(x & mask).bit_count()][(o & mask).bit_count()] for mask in GEOMETRY.masks)


KINDS = ("singles", "pairs", "blocked", "completed")
PARTS = {  # in the words of the notebook
    "singles": "boards where no line holds more than one mark",
    "pairs": "boards with two marks in a line, and nothing blocked or completed",
    "blocked": "boards with blocked lines, which hold marks of both sides",
    "completed": "boards with a completed line",
    "sides": "the first two parts, seen from O",
    "all": "every position of the game, from both sides",
}


@cache
def parts() -> dict[str, frozenset[Question]]:
    """The questions of each part. The first four are seen from X; "sides" asks the open ones of them from O."""
    asked: dict[str, list[Question]] = {part: [] for part in PARTS}
    for from_x, from_o in zip(QUESTIONS[::2], QUESTIONS[1::2], strict=True):
        kind = _kind(from_x.board)
        asked[kind].append(from_x)
        if kind in ("singles", "pairs"):
            asked["sides"].append(from_o)
    return {part: frozenset(questions) for part, questions in asked.items()} | {"all": frozenset(QUESTIONS)}


def _kind(board: Board) -> str:
    if board.winner:
        return "completed"
    x, o = board.x, board.o
    if any(x & mask and o & mask for mask in GEOMETRY.masks):
        return "blocked"
    if any(((x | o) & mask).bit_count() > 1 for mask in GEOMETRY.masks):
        return "pairs"
    return "singles"


def grade(answers: Answers) -> Grade:
    """The marks for a submission's answers. A part is earned when all of its questions are answered rightly."""
    wrong = {question for question, value in right_values().items() if answers.values.get(question) != value}
    marks: dict[str, float] = SETTINGS["marks"]
    got = tuple((PARTS[part], marks[part] if wrong.isdisjoint(parts()[part]) else 0.0, marks[part]) for part in marks)
    score = sum(points for _, points, _ in got)
    status, reason, mistake = _verdict(answers, wrong)
    case = _case(answers, wrong, mistake)
    most = sum(marks.values())
    return Grade(score, most, got, status, reason, mistake, case, answers.seconds, answers.isolation)


def _verdict(answers: Answers, wrong: set[Question]) -> tuple[str, str, str]:
    """The status, one sentence on why marks were lost, and the known mistake that fits."""
    if not wrong:
        return "right", "", ""
    if not answers.started:
        return "not started", "The function is still as it was handed out.", ""
    if answers.problem:
        return "problem", answers.problem, ""
    mistake = _mistake(answers)
    if mistake:
        return "wrong", mistake.sentence, mistake.name
    if answers.odd and len(answers.odd) == len(QUESTIONS):
        return "wrong", f"The function gave no number but {next(iter(answers.odd.values()))}.", ""
    return "wrong", f"Wrong on {len(wrong):,} of {len(QUESTIONS):,}: {ASKED}, seen from both sides.", ""


ODD = {
    "Unchangeable": "the board changed",
    "the text": "text returned",
    "a tuple": "tuple returned",
    "a list": "tuple returned",
}


def _mistake(answers: Answers) -> checks.Mistake | None:
    odd = next(iter(answers.odd.values()), "")
    if odd == "None":
        return checks.MANNERS["printed instead of returned" if answers.printed else "nothing returned"]
    for start, name in ODD.items():
        if odd.startswith(start):
            return checks.MANNERS[name]
    return checks.diagnose([answers.values.get(case) for case in known_cases()])


@cache
def known_cases() -> tuple[Question, ...]:
    """The questions that the check under the exercise asks, which tell the known mistakes apart."""
    return tuple(Question(case.board, case.player) for case in checks.cases())


def _case(answers: Answers, wrong: set[Question], mistake: str) -> Case | None:
    """The simplest board that went wrong; where the mistake is known, of those that tell it from others."""
    if not wrong or not (answers.values or answers.odd):
        return None
    order = (*known_cases(), *QUESTIONS) if mistake else QUESTIONS
    question = next(question for question in order if question in wrong)
    given = answers.values.get(question, answers.odd.get(question, "no answer"))
    return Case(question.board, question.player, right_values()[question], str(given))


@cache
def first_questions() -> tuple[Question, ...]:
    """What is asked first: what tells the known mistakes apart, the small parts as a whole, and the empty board."""
    small = parts()["singles"] | parts()["pairs"] | parts()["sides"]
    return tuple(dict.fromkeys((*known_cases(), *small, *QUESTIONS[:2])))


def decided(values: Mapping[Question, Number], odd: Mapping[Question, str]) -> bool:
    """Whether the grade is known already: the mistake is a known one, and each part is lost or answered as a whole.

    One odd answer, or one that was not given, and everything is asked.
    """
    if odd or checks.diagnose([values.get(case) for case in known_cases()]) is None:
        return False
    wrong = {question for question, value in values.items() if value != right_values()[question]}
    return all(not wrong.isdisjoint(parts()[part]) or parts()[part] <= values.keys() for part in SETTINGS["marks"])


def mark(source: str, isolation: str = "full") -> tuple[Answers, Grade]:
    """Judge a submission's source and grade it. Raises `judge.TooLittleIsolation`.

    Where the answers are wrong in no known way, some questions are asked once more: a function that then answers
    otherwise keeps something from call to call.
    """
    answers = judge.ask(source, QUESTIONS, isolation=isolation, first=First(first_questions(), decided))
    graded = grade(answers)
    if graded.status == "wrong" and not graded.misconception and answers.values:
        again = judge.ask(source, QUESTIONS[::20], isolation=isolation)
        if any(answers.values.get(question) != value for question, value in again.values.items()):
            state = checks.MANNERS["state kept between calls"]
            graded = replace(graded, reason=state.sentence, misconception=state.name)
    return answers, graded


def mark_file(path: Path, isolation: str, out: Path, student: str) -> Grade:
    """Grade a submission's file, as `ttt grade` and nbgrader do. Raises `judge.TooLittleIsolation`."""
    try:
        return mark(read_source(path), isolation)[1]
    except Unreadable as unreadable:
        return grade(Answers({}, {}, False, str(unreadable), True, 0, ""))


def depends_on(out: Path, student: str) -> bytes:
    """What a grade follows from besides the submission: nothing."""
    return b""


def write_data() -> Path:
    """Write the file of what students get, and return its path."""
    path = Path(checks.__file__).with_name("heuristic_1.json")
    path.write_text(json.dumps(data(), ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    return path
