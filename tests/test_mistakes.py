"""Mistakes as students make them with heuristic 1, in many hands, and the name that each should get.

The list was written before the fit that names them. It holds for README's variants as well: in the sources TWO, ONE and
LAST stand for weights, SIDE for the board's side, and a line that ends in "#+" comes once more for three marks.
"""

from functools import cache

import pytest

from ttt import Board, exercises, opponent
from ttt.exercises import fitting
from ttt.exercises.wording import directions, factors_told
from ttt.grading import heuristic_1, judge, key, marking
from ttt.grading.heuristic_1 import key_for
from ttt.grading.inside.submission import function_in

MISTAKES = {
    # --- blocked lines
    "both counts without a look at the other side": (
        "blocked lines counted",
        """
def heuristic_1(board, player):
    other = opponent(player)
    total = 0
    for line in board.lines:
        if line.count(player) == 2:  #+
            total += TWO  #+
        if line.count(player) == 1:
            total += ONE
        if line.count(other) == 2:  #+
            total -= TWO  #+
        if line.count(other) == 1:
            total -= ONE
    return total
""",
    ),
    "one's own pairs are not looked at for the opponent": (
        "blocked lines counted",
        """
def heuristic_1(board, player):
    rival = opponent(player)
    x1 = o1 = points = 0
    for line in board.lines:
        own, theirs = line.count(player), line.count(rival)
        if own == 2:
            points += TWO
        elif own > 2 and own < SIDE and theirs == 0:
            points += WORTH[own]
        elif own == 1 and theirs == 0:
            x1 += 1
        elif own == 0 and 1 < theirs < SIDE:
            points -= WORTH[theirs]
        elif theirs == 1 and own == 0:
            o1 += 1
    return points + ONE * x1 - ONE * o1
""",
    ),
    "the opponent's single marks are not looked at for one's own": (
        "blocked lines counted",
        """
def heuristic_1(board, player):
    if player == 'X':
        enemy = 'O'
    else:
        enemy = 'X'
    score = 0
    for line in board.lines:
        p = line.count(player)
        e = line.count(enemy)
        if e == 0 and p in WORTH:
            score = score + WORTH[p]
        if p == 0 and e in WORTH and e != 1:
            score = score - WORTH[e]
        if e == 1:
            score = score - ONE
    return score
""",
    ),
    "or binds less tightly than and": (
        "blocked lines counted",
        """
def heuristic_1(board, player):
    rival = opponent(player)
    value = 0
    for line in board.lines:
        mine, yours = line.count(player), line.count(rival)
        if mine == 2 or mine == 1 and yours == 0:
            value += WORTH[mine]
        elif mine in WORTH and yours == 0:
            value += WORTH[mine]
        if yours in WORTH and mine == 0:
            value -= WORTH[yours]
    return value
""",
    ),
    # --- weights
    "weights the wrong way round": (
        "weights swapped",
        """
def heuristic_1(board, player):
    swapped = dict(zip(WORTH, reversed(list(WORTH.values()))))
    rival = opponent(player)
    mine = sum(swapped.get(l.count(player), 0) for l in board.lines if rival not in l)
    theirs = sum(swapped.get(l.count(rival), 0) for l in board.lines if player not in l)
    return mine - theirs
""",
    ),
    "no factor": (
        "the {weights} forgotten",
        """
def heuristic_1(board, player):
    o = opponent(player)
    def number(a, b, n):
        return len([1 for line in board.lines if line.count(a) == n and line.count(b) == 0])
    value = 0
    for n in WORTH:
        value += number(player, o, n) * ONE - number(o, player, n) * ONE
    return value
""",
    ),
    "elif in the wrong order": (
        "the {weights} forgotten",
        """
def heuristic_1(board, player):
    rival = opponent(player)
    total = 0
    for line in board.lines:
        a, b = line.count(player), line.count(rival)
        if a == SIDE or b == SIDE:
            continue
        if b == 0:
            if a >= 1:
                total += ONE
            elif a >= 2:
                total += TWO
        elif a == 0:
            if b >= 1:
                total -= ONE
            elif b >= 2:
                total -= TWO
    return total
""",
    ),
    "the factor before the bracket": (
        "the {last} times all",
        """
def heuristic_1(board, player):
    rival = opponent(player)
    own = [line.count(player) for line in board.lines if rival not in line]
    theirs = [line.count(rival) for line in board.lines if player not in line]
    x = sum(own.count(n) for n in WORTH)
    o = sum(theirs.count(n) for n in WORTH)
    return LAST * x - LAST * o
""",
    ),
    "pairs weigh too much": (
        "weight of pairs",
        """
def heuristic_1(board, player):
    my_worth = WORTH | {2: TWO + 2}
    rival = opponent(player)
    return (sum(my_worth.get(line.count(player), 0) for line in board.lines if rival not in line)
            - sum(my_worth.get(line.count(rival), 0) for line in board.lines if player not in line))
""",
    ),
    "the opponent's pairs without their factor": (
        "weight of the opponent's pairs",
        """
def heuristic_1(board, player):
    rival = opponent(player)
    total = 0
    for line in board.lines:
        p, r = line.count(player), line.count(rival)
        if r == 0:
            total += WORTH.get(p, 0)
        if p == 0:
            total -= {**WORTH, 2: 1}.get(r, 0)
    return total
""",
    ),
    "a single mark weighs two": (
        "weight of single marks",
        """
def heuristic_1(board, player):
    rival = opponent(player)
    total = 0
    for line in board.lines:
        free = line.count('-')
        if free == len(line) - 1:
            total += 2 * ONE if player in line else -2 * ONE
        elif player in line and rival not in line:
            total += WORTH.get(len(line) - free, 0)
        elif rival in line and player not in line:
            total -= WORTH.get(len(line) - free, 0)
    return total
""",
    ),
    "cubes": (
        "powers of the marks",
        """
def heuristic_1(board, player):
    rival = opponent(player)
    value = 0
    for line in board.lines:
        if rival not in line:
            value += line.count(player) ** 3
        if player not in line:
            value -= line.count(rival) ** 3
    return value
""",
    ),
    "as much as there are marks": (
        "marks counted",
        """
def heuristic_1(board, player):
    rival = opponent(player)
    value = 0
    for line in board.lines:
        if line.count(rival) == 0:
            value += line.count(player)
        elif line.count(player) == 0:
            value -= line.count(rival)
    return value
""",
    ),
    "only single marks": (
        "pairs not counted",
        """
def heuristic_1(board, player):
    rival = opponent(player)
    without = {n: w for n, w in WORTH.items() if n != 2}
    value = 0
    for cells in board.line_cells:
        marks = [board[c] for c in cells]
        if rival not in marks:
            value += without.get(marks.count(player), 0)
        if player not in marks:
            value -= without.get(marks.count(rival), 0)
    return value
""",
    ),
    "only pairs": (
        "single marks not counted",
        """
def heuristic_1(board, player):
    rival = opponent(player)
    value = 0
    for line in board.lines:
        a, b = line.count(player), line.count(rival)
        if a == 2 and b == 0:  #+
            value += TWO  #+
        if b == 2 and a == 0:  #+
            value -= TWO  #+
    return value
""",
    ),
    "at least one is also at least two": (
        "at least for exactly",
        """
def heuristic_1(board, player):
    rival = opponent(player)
    value = 0
    for line in board.lines:
        if not rival in line:
            if line.count(player) >= 2:  #+
                value += TWO  #+
            if line.count(player) >= 1:
                value += ONE
        if not player in line:
            if line.count(rival) >= 2:  #+
                value -= TWO  #+
            if line.count(rival) >= 1:
                value -= ONE
    return value
""",
    ),
    # --- lines that should not count
    "a table that goes on": (
        "completed lines counted",
        """
def heuristic_1(board, player):
    points = {**WORTH, SIDE: 100}
    rival = opponent(player)
    value = 0
    for line in board.lines:
        if rival not in line and player in line:
            value += points[line.count(player)]
        if player not in line and rival in line:
            value -= points[line.count(rival)]
    return value
""",
    ),
    "more than one mark": (
        "completed lines counted",
        """
def heuristic_1(board, player):
    rival = opponent(player)
    def worth(a, b):
        w = 0
        for line in board.lines:
            if b in line:
                continue
            n = line.count(a)
            w += WORTH[n] if n in WORTH else (TWO if n >= 2 else 0)
        return w
    return worth(player, rival) - worth(rival, player)
""",
    ),
    "else instead of elif": (
        "empty lines counted",
        """
def heuristic_1(board, player):
    rival = opponent(player)
    value = 0
    for line in board.lines:
        mine, theirs = line.count(player), line.count(rival)
        if mine == SIDE or theirs == SIDE:
            pass
        elif theirs == 0:
            value += WORTH[mine] if mine > 1 else ONE
        elif mine == 0:
            value -= WORTH[theirs]
    return value
""",
    ),
    "open lines": (
        "heuristic 2 instead",
        """
def heuristic_1(board, player):
    rival = opponent(player)
    mine = theirs = 0
    for line in board.lines:
        if rival not in line:
            mine += 1
        if player not in line:
            theirs += 1
    return mine - theirs
""",
    ),
    # --- which lines
    "rows and columns only": (
        "both diagonals missing",
        """
def heuristic_1(board, player):
    rival = opponent(player)
    lines = []
    for i in range(SIDE):
        lines.append([board[i, j] for j in range(SIDE)])
        lines.append([board[j, i] for j in range(SIDE)])
    return sum(WORTH.get(l.count(player), 0) * (rival not in l) - WORTH.get(l.count(rival), 0) * (player not in l)
               for l in lines)
""",
    ),
    "one diagonal": (
        "other diagonal missing",
        """
def heuristic_1(board, player):
    rival = opponent(player)
    lines = []
    for i in range(SIDE):
        lines.append([board[i, j] for j in range(SIDE)])
        lines.append([board[j, i] for j in range(SIDE)])
    lines.append([board[i, i] for i in range(SIDE)])
    return sum(WORTH.get(l.count(player), 0) * (rival not in l) - WORTH.get(l.count(rival), 0) * (player not in l)
               for l in lines)
""",
    ),
    "the last row is left out": (
        "line missing",
        """
def heuristic_1(board, player):
    rival = opponent(player)
    lines = [tuple(board[i, j] for j in range(SIDE)) for i in range(SIDE - 1)]
    lines += board.lines[SIDE:]
    total = 0
    for line in lines:
        if rival not in line:
            total += WORTH.get(line.count(player), 0)
        if player not in line:
            total -= WORTH.get(line.count(rival), 0)
    return total
""",
    ),
    "a cell mistyped": (
        "wrong line",
        """
def heuristic_1(board, player):
    rival = opponent(player)
    cells = list(board.line_cells)
    cells[-1] = cells[-1][:-1] + (cells[-1][-1] + 1,)
    total = 0
    for line in cells:
        marks = [board[cell] for cell in line]
        if rival not in marks:
            total += WORTH.get(marks.count(player), 0)
        if player not in marks:
            total -= WORTH.get(marks.count(rival), 0)
    return total
""",
    ),
    "the same diagonal twice": (
        "wrong line",
        """
def heuristic_1(board, player):
    rival = opponent(player)
    total = 0
    lines = list(board.lines[:-2])
    lines.append([board[i, i] for i in range(SIDE)])
    lines.append([board[SIDE - 1 - i, SIDE - 1 - i] for i in range(SIDE)])
    for line in lines:
        if rival not in line:
            total += WORTH.get(line.count(player), 0)
        if player not in line:
            total -= WORTH.get(line.count(rival), 0)
    return total
""",
    ),
    "a diagonal inside the loop": (
        "line counted more than once",
        """
def heuristic_1(board, player):
    rival = opponent(player)
    lines = list(board.lines)
    for i in range(1):
        lines.append([board[j, j] for j in range(SIDE)])
    total = 0
    for line in lines:
        if rival not in line:
            total += WORTH.get(line.count(player), 0)
        if player not in line:
            total -= WORTH.get(line.count(rival), 0)
    return total
""",
    ),
    "rows written twice instead of columns": (
        "columns missing",
        """
def heuristic_1(board, player):
    rival = opponent(player)
    lines = [[board[i, j] for j in range(SIDE)] for i in range(SIDE)]
    lines += [[board[i, j] for j in range(SIDE)] for i in range(SIDE)]
    lines += board.lines[-2:]
    total = 0
    for line in lines:
        if rival not in line:
            total += WORTH.get(line.count(player), 0)
        if player not in line:
            total -= WORTH.get(line.count(rival), 0)
    return total
""",
    ),
    "the same line once": (
        "equal lines counted once",
        """
def heuristic_1(board, player):
    rival = opponent(player)
    total = 0
    for line in set(board.lines):
        if rival not in line:
            total += WORTH.get(line.count(player), 0)
        if player not in line:
            total -= WORTH.get(line.count(rival), 0)
    return total
""",
    ),
    "pairs only if they touch": (
        "order of marks in a line",
        """
def heuristic_1(board, player):
    rival = opponent(player)
    def worth(line, side):
        n = line.count(side)
        if n == 2:
            for i in range(len(line) - 1):
                if line[i] == line[i + 1] == side:
                    return TWO
            return 0
        return WORTH.get(n, 0)
    total = 0
    for line in board.lines:
        if rival not in line:
            total += worth(line, player)
        if player not in line:
            total -= worth(line, rival)
    return total
""",
    ),
    # --- from whose side
    "always X": (
        "always seen from X",
        """
def heuristic_1(board, player):
    x = sum(WORTH.get(l.count("X"), 0) for l in board.lines if "O" not in l)
    o = sum(WORTH.get(l.count("O"), 0) for l in board.lines if "X" not in l)
    return x - o
""",
    ),
    "the opponent is always O": (
        "right for X only",
        """
def heuristic_1(board, player):
    x = sum(WORTH.get(l.count(player), 0) for l in board.lines if "O" not in l)
    o = sum(WORTH.get(l.count("O"), 0) for l in board.lines if player not in l)
    return x - o
""",
    ),
    "whose turn it is": (
        "always seen from the side to move",
        """
def heuristic_1(board, player):
    player = board.turn
    rival = opponent(board.turn)
    x = sum(WORTH.get(l.count(player), 0) for l in board.lines if rival not in l)
    o = sum(WORTH.get(l.count(rival), 0) for l in board.lines if player not in l)
    return x - o
""",
    ),
    "the difference the wrong way round": (
        "signs swapped",
        """
def heuristic_1(board, player):
    rival = opponent(player)
    x = sum(WORTH.get(l.count(player), 0) for l in board.lines if rival not in l)
    o = sum(WORTH.get(l.count(rival), 0) for l in board.lines if player not in l)
    return o - x
""",
    ),
    "a plus": (
        "opponent added",
        """
def heuristic_1(board, player):
    rival = opponent(player)
    x = sum(WORTH.get(l.count(player), 0) for l in board.lines if rival not in l)
    o = sum(WORTH.get(l.count(rival), 0) for l in board.lines if player not in l)
    return x + o
""",
    ),
    "a bracket left out": (
        "bracket lost",
        """
def heuristic_1(board, player):
    rival = opponent(player)
    x = [l.count(player) for l in board.lines if rival not in l]
    o = [l.count(rival) for l in board.lines if player not in l]
    more = sum(WORTH[n] * (x.count(n) - o.count(n)) for n in WORTH if n > 1)
    return more + ONE * x.count(1) + ONE * o.count(1)
""",
    ),
    "only one's own": (
        "opponent ignored",
        """
def heuristic_1(board, player):
    rival = opponent(player)
    return sum(WORTH.get(l.count(player), 0) for l in board.lines if rival not in l)
""",
    ),
    # --- what is done with the sum
    "absolute": (
        "absolute value",
        """
def heuristic_1(board, player):
    rival = opponent(player)
    x = sum(WORTH.get(l.count(player), 0) for l in board.lines if rival not in l)
    o = sum(WORTH.get(l.count(rival), 0) for l in board.lines if player not in l)
    return abs(x - o)
""",
    ),
    "never below nought": (
        "values cut off",
        """
def heuristic_1(board, player):
    rival = opponent(player)
    x = sum(WORTH.get(l.count(player), 0) for l in board.lines if rival not in l)
    o = sum(WORTH.get(l.count(rival), 0) for l in board.lines if player not in l)
    if x > o:
        return x - o
    return 0
""",
    ),
    "between two limits": (
        "values cut off",
        """
def heuristic_1(board, player):
    rival = opponent(player)
    x = sum(WORTH.get(l.count(player), 0) for l in board.lines if rival not in l)
    o = sum(WORTH.get(l.count(rival), 0) for l in board.lines if player not in l)
    return max(-4, min(4, x - o))
""",
    ),
    "the mean of the lines": (
        "values divided",
        """
def heuristic_1(board, player):
    rival = opponent(player)
    total = 0
    for line in board.lines:
        if rival not in line:
            total += WORTH.get(line.count(player), 0)
        if player not in line:
            total -= WORTH.get(line.count(rival), 0)
    return total / len(board.lines)
""",
    ),
    "whole halves": (
        "values rounded",
        """
def heuristic_1(board, player):
    rival = opponent(player)
    total = 0
    for line in board.lines:
        if rival not in line:
            total += WORTH.get(line.count(player), 0)
        if player not in line:
            total -= WORTH.get(line.count(rival), 0)
    return total // 2
""",
    ),
    "a win is worth a hundred": (
        "won boards apart",
        """
def heuristic_1(board, player):
    rival = opponent(player)
    if board.winner == player:
        return 100
    if board.winner == rival:
        return -100
    x = sum(WORTH.get(l.count(player), 0) for l in board.lines if rival not in l)
    o = sum(WORTH.get(l.count(rival), 0) for l in board.lines if player not in l)
    return x - o
""",
    ),
    # --- how it is written
    "return in the loop": (
        "returned inside the loop",
        """
def heuristic_1(board, player):
    rival = opponent(player)
    total = 0
    for line in board.lines:
        if rival not in line:
            total += WORTH.get(line.count(player), 0)
        if player not in line:
            total -= WORTH.get(line.count(rival), 0)
        return total
""",
    ),
    "return in the condition": (
        "returned inside the loop",
        """
def heuristic_1(board, player):
    rival = opponent(player)
    for line in board.lines:
        a, b = line.count(player), line.count(rival)
        if a in WORTH and b == 0:
            return WORTH[a]
        if b in WORTH and a == 0:
            return -WORTH[b]
    return 0
""",
    ),
    "set anew for each line": (
        "only the last line",
        """
def heuristic_1(board, player):
    rival = opponent(player)
    total = 0
    for line in board.lines:
        if rival not in line and line.count(player) in WORTH:
            total = WORTH[line.count(player)]
        if player not in line and line.count(rival) in WORTH:
            total = -WORTH[line.count(rival)]
    return total
""",
    ),
    "counters outside": (
        "state kept between calls",
        """
total = 0
def heuristic_1(board, player):
    global total
    rival = opponent(player)
    for line in board.lines:
        if rival not in line:
            total += WORTH.get(line.count(player), 0)
        if player not in line:
            total -= WORTH.get(line.count(rival), 0)
    return total
""",
    ),
    "a misspelt name": (
        "stops with an error",
        """
def heuristic_1(board, player):
    rival = opponent(player)
    total = 0
    for line in board.lines:
        if rival not in line:
            totl += WORTH.get(line.count(player), 0)
    return total
""",
    ),
    "an import left out": (
        "stops with an error",
        """
def heuristic_1(board, player):
    return math.fsum(WORTH.get(line.count(player), 0) for line in board.lines)
""",
    ),
    "a win is infinite": (
        "no number",
        """
def heuristic_1(board, player):
    rival = opponent(player)
    if board.winner:
        return float("inf") if board.winner == player else float("-inf")
    x = sum(WORTH.get(l.count(player), 0) for l in board.lines if rival not in l)
    o = sum(WORTH.get(l.count(rival), 0) for l in board.lines if player not in l)
    return x - o
""",
    ),
    # --- two at once
    "two diagonals missing, and blocked lines": (
        ("blocked lines counted", "both diagonals missing"),
        """
def heuristic_1(board, player):
    rival = opponent(player)
    lines = []
    for i in range(SIDE):
        lines.append([board[i, j] for j in range(SIDE)])
        lines.append([board[j, i] for j in range(SIDE)])
    return sum(WORTH.get(l.count(player), 0) - WORTH.get(l.count(rival), 0) for l in lines)
""",
    ),
    "always X, and completed lines": (
        ("always seen from X", "completed lines counted"),
        """
def heuristic_1(board, player):
    total = 0
    for line in board.lines:
        if "O" not in line:
            total += {**WORTH, SIDE: 50}.get(line.count("X"), 0)
        if "X" not in line:
            total -= {**WORTH, SIDE: 50}.get(line.count("O"), 0)
    return total
""",
    ),
}

ENOUGH = 0.9  # of the list has to be named rightly; nothing may be named wrongly
TABLES = {"the lab's": ((3, 3), [0, 1, 3, 0]), "times four": ((3, 3), [0, 1, 4, 0]), "4x4": ((4, 4), [0, 1, 3, 9, 0])}


@cache
def variant(name):
    """The key and the students' exercise for a table of weights."""
    shape, weights = TABLES[name]
    settings = heuristic_1.settings() | {"shape": list(shape), "k": shape[0], "weights": weights}
    made = key_for(settings)
    return made, made.worked_out()


def repeated(lines):
    """The lines, with each block marked "#+" once more, for three marks."""
    block = []
    for line in [*lines, ""]:
        if line.endswith("#+"):
            block.append(line.removesuffix("#+"))
            continue
        yield from block
        yield from (one.replace("= 2", "= 3").replace("TWO", "THREE") for one in block)
        block = []
        yield line


def written(source, weights):
    """The source for a table of weights."""
    k = len(weights) - 1
    lines = source.splitlines()
    if k > 3:
        lines = list(repeated(lines))
    text = "\n".join(line.removesuffix("#+") for line in lines)
    for word, weight in {"ONE": weights[1], "TWO": weights[2], "THREE": weights[3], "LAST": weights[k - 1]}.items():
        text = text.replace(word, str(weight))
    worth = {n: weights[n] for n in range(1, k)}
    return f"from ttt import opponent\nSIDE = {k}\nWORTH = {worth}\n{text}"


def expected(names, weights):
    """The names that are right for a mistake, of which one has to be given."""
    *others, last = [str(weight) for weight in weights[2:-1]]
    forgotten = " and ".join([*others, last])
    return [name.format(weights=forgotten, last=last) for name in ([names] if isinstance(names, str) else names)]


def test_the_list_has_at_least_forty_mistakes():
    assert len(MISTAKES) >= 40


@pytest.mark.parametrize("table", TABLES)
def test_the_check_names_the_mistakes_and_none_wrongly(table):
    _, exercise = variant(table)
    weights = TABLES[table][1]
    told = {}
    for label, (names, source) in MISTAKES.items():
        found = exercises.check(exercise, function_in(written(source, weights), "heuristic_1")[0])
        assert found.outcome == "not yet", label
        told[label] = found.mistake, expected(names, weights)
    wrong = {label: names for label, names in told.items() if names[0] not in ("", *names[1])}
    named = [label for label, (name, names) in told.items() if name in names]
    assert not wrong and len(named) >= ENOUGH * len(MISTAKES)


def test_the_judge_names_them_like_the_check(monkeypatch):
    made, exercise = variant("the lab's")
    monkeypatch.setattr(key, "load", lambda name: exercise)
    for label, (names, source) in MISTAKES.items():
        if names != "state kept between calls":  # that shows only when it is asked again
            weights = TABLES["the lab's"][1]
            graded = marking.grade(made, answers(written(source, weights), made))
            assert graded.status == "wrong" and graded.misconception in expected(names, weights), label


def answers(source, made):
    """What the judge would hear of a source, without a sandbox."""
    function = function_in(source, "heuristic_1")[0]
    values, odd = {}, {}
    for place, question in enumerate(made.questions):
        try:
            answer = function(question.board, question.player)
        except Exception as error:
            odd[place] = judge.Odd(exercises.STOPS, f"{type(error).__name__}: {error}")
            continue
        if answer in (float("inf"), float("-inf")):
            odd[place] = judge.Odd("no number", "infinity")
        else:
            values[place] = answer
    return judge.Answers(values, odd, False, "", True, 0, "full")


def told(function, shape=(3, 3), k=3, weights=(0, 1, 3, 0)):
    """What the fit says of a function of a board and a player, where the formula has these weights."""
    boards = exercises.positions(shape, k)[::7]
    questions = tuple((board, player) for board in boards for player in "XO")
    right = weighed(weights)
    table = fitting.table_of(tuple((question, right(*question)) for question in questions), questions)
    return fitting.fitted(tuple(function(*question) for question in questions), table)


def weighed(weights, which=slice(None), times=1):
    """The sum over the lines, of which some count several times, or not at all."""

    def heuristic(board, player):
        other = opponent(player)
        lines = board.lines
        factors = dict.fromkeys(range(len(lines)), 1) | dict.fromkeys(range(len(lines))[which], times)
        own = sum(factors[n] * weights[line.count(player)] for n, line in enumerate(lines) if other not in line)
        return own - sum(factors[n] * weights[line.count(other)] for n, line in enumerate(lines) if player not in line)

    return heuristic


@pytest.mark.parametrize(
    "which, times, shape, said",
    [
        (slice(6, None), 0, (3, 3), "The two diagonals are missing."),
        (slice(7, None), 0, (3, 3), "The diagonal of the cells 2, 4 and 6 is missing."),
        (slice(6), 0, (3, 3), "Only the two diagonals count. A line may run in any direction."),
        ([0, 1, 2, 3, 4, 5, 7], 0, (3, 3), "Only the diagonal of the cells 0, 4 and 8 counts."),
        (slice(6, None), 2, (3, 3), "The two diagonals are counted twice."),
        ("main diagonal", 0, (4, 4), "The diagonals that run down to the right are missing."),
        ("main diagonal", 2, (4, 4), "The diagonals that run down to the right are counted twice."),
        ("both diagonals", 0, (4, 4), "The diagonals are missing."),
    ],
)
def test_directions_are_told_in_sentences_for_one_line_and_for_several(which, times, shape, said):
    lines = Board(shape, 3).line_cells
    places = directions(lines, shape)[which] if isinstance(which, str) else range(len(lines))
    if isinstance(which, list):
        places = which
    elif isinstance(which, slice):
        places = places[which]
    factors = [times if place in places else 1 for place in range(len(lines))]
    (finding,) = factors_told(factors, lines, shape)
    assert finding.sentence.startswith(said)


def test_directions_are_told_apart_on_boards_of_every_width():
    assert directions([(0,), (1,)], (1, 2)) == {}
    lines = Board((2, 2), 2).line_cells
    names = {name: {lines[place] for place in places} for name, places in directions(lines, (2, 2)).items()}
    assert names["rows"] == {(0, 1), (2, 3)} and names["columns"] == {(0, 2), (1, 3)}
    assert names["main diagonal"] == {(0, 3)} and names["other diagonal"] == {(1, 2)}


def test_squared_marks_are_not_taken_for_at_least_where_completed_lines_tell_them_apart():
    assert [one.name for one in told(weighed((0, 1, 4, 9)))] == ["powers of the marks"]
    assert [one.name for one in told(weighed((0, 1, 4, 4)))] == ["at least for exactly"]
    assert [one.name for one in told(weighed((0, 1, 4, 0)))] == ["at least for exactly"]


def test_values_so_large_that_the_tolerance_hides_an_error_are_not_fitted():
    assert [one.name for one in told(weighed((0, 1, 3, 10**6)))] == ["completed lines counted"]
    assert told(weighed((0, 1, 3, 10**10))) is None
    assert told(lambda board, player: 10**400) is None


def test_large_numbers_are_written_out():
    (finding,) = told(lambda board, player: 1_000_000)
    assert finding.sentence == "Your function always returns 1,000,000."
