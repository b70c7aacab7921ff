"""Counts the boards a search visits: whether it cuts as much as alpha-beta, and whether an order of moves saves any."""

import io
import sys
from collections.abc import Sequence
from contextlib import redirect_stdout
from math import inf
from types import CodeType, FrameType

from lab.checks.calling import Function, Question
from lab.checks.exercise import each_way, edited, function, positions
from lab.checks.source import is_right, repair
from lab.checks.tasks import TASKS, load, named
from lab.checks.verdict import Check
from lab.timeouts import OURS
from ttt.board import Board
from ttt.svg import draw

NUMBERED = 18_297  # nodes of alpha-beta on the empty board, with the moves as the cells are numbered


def visits(search: Function, question: Question) -> int:
    """Count the boards a search visits: how often its recursive functions come to another board."""
    called: list[tuple[CodeType, Board | None, int]] = []  # each call, its board, and which call it was made in
    inside = [-1]  # the calls that are running
    again = set()

    def look(frame: FrameType, event: str, argument: object) -> None:
        code = frame.f_code
        if event not in ("call", "return") or code.co_filename.startswith(OURS) or code.co_name.startswith("<"):
            return
        if event == "return":
            inside.pop()
            return
        if any(called[place][0] is code for place in inside[1:]):
            again.add(code)
        given = (frame.f_locals.get(name) for name in code.co_varnames[: code.co_argcount])
        called.append((code, next((one for one in given if isinstance(one, Board)), None), inside[-1]))
        inside.append(len(called) - 1)

    before = sys.getprofile()
    with redirect_stdout(io.StringIO()):
        sys.setprofile(look)
        try:
            search(*question)
        finally:
            sys.setprofile(before)

    def is_new(board: Board | None, place: int) -> bool:
        """Whether a board differs from that of the recursive call it was reached from."""
        while place >= 0 and called[place][0] not in again:
            place = called[place][2]
        return place < 0 or board is None or board != called[place][1]

    return sum(code in again and is_new(board, place) for code, board, place in called)


def judged_by_visits(task: str, search: Function) -> Check | None:
    """The result for a search that visits more boards than alpha-beta, or fewer; None for one that visits as many.

    The moves come in the order of the notebook's `in_order`, if it has one.
    """
    asked, right = _trees(task), _right_search(task, search)
    yours, least = ([visits(one, question) for question in asked] for one in (search, right))
    if not any(yours):
        told = "Your function gives the right values but never calls itself. Write the search yourself."
        return Check("not yet", told, picture=draw(asked[0][0]))
    if sum(yours) == sum(least):
        return None
    if sum(yours) < sum(least):
        told = f"Your function finds the right values and visits {sum(yours):,} boards, where alpha-beta visits"
        told = f"{told} {sum(least):,}. So it does more than alpha-beta, such as stopping at a win."
        return Check("right", f"{told}\nNext:{TASKS[task]['done'].partition(' Next:')[2]}")
    place = next(n for n, (more, fewer) in enumerate(zip(yours, least, strict=True)) if more > fewer)
    told = f"Your function gives the right values, but from this board it visits {yours[place]:,} boards."
    told = f"{told} Alpha-beta visits {least[place]:,}, so that is {yours[place] - least[place]:,} too many."
    name, sentence = _known(task, search, asked, yours)
    line = _line(task, search, not name, [*zip(asked, least, strict=True)])
    return Check("not yet", f"{told}\n{line or sentence}".rstrip(), name, draw(asked[place][0]))


def _trees(task: str) -> list[Question]:
    """The roots of the trees in which visits are counted."""
    if task == "cube":
        return [question for question in load(task).once if question[1] == 2]
    return [(board, -inf, inf) for board in positions() if len(board.moves) == 7][::20]


def _right_search(task: str, search: Function, edits: Sequence[str] = ()) -> Function:
    """The task's right search after some edits, with the order of moves that a student's search uses."""
    order = getattr(search, "__globals__", {}).get("in_order")
    given = {"in_order": order} if callable(order) else {}
    return function(named(task), edited(TASKS[task]["right"], edits), **given)


def _known(task: str, search: Function, asked: Sequence[Question], yours: Sequence[int]) -> tuple[str, str]:
    """The name and sentence of the known mistake with as many visits, which is taken to be the same one; or "", ""."""
    for name, (sentence, ways) in TASKS["cuts"]["slower"].items():
        for way in each_way(ways):
            if [visits(_right_search(task, search, way), question) for question in asked] == yours:
                return name, sentence
    return "", ""


def _line(task: str, search: Function, closely: bool, least: list[tuple[Question, int]]) -> str:
    """The line whose repair makes a search visit as few boards as alpha-beta, in a sentence; "" if there is none."""
    if task == "cuts":  # a small tree first, which most repairs leave too large
        small = next(board for board in positions() if len(board.moves) == 5), -inf, inf
        least.insert(0, (small, visits(_right_search(task, search), small)))
    some = load(task).cases[:40:4]

    def cuts(repaired: Function) -> bool:
        return is_right(repaired, some) and all(visits(repaired, question) == number for question, number in least)

    return repair(search, load(task), closely, cuts)


def ordered(in_order: Function) -> Check:
    """The result for a valid order of moves, by how many boards a search visits with it."""
    if all(list(in_order(board)) == list(board.moves) for (board,) in load("in_order").once):
        return Check("not started", "Your function still returns the cells in their own order. Put better moves first.")
    search = function("worth", TASKS["cuts"]["right"], in_order=in_order)
    yours = visits(search, (Board(),))
    if yours >= NUMBERED:
        told = f"In your order, the search visits {yours:,} nodes; in the order of the cells, {NUMBERED:,}."
        told = f"{told} The earlier a good move comes, the more is cut off."
        return Check("not yet", told, picture=draw(Board(), numbers=True))
    return Check("right", str(TASKS["in_order"]["done"]).format(yours=yours, numbered=NUMBERED))
