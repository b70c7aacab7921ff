"""Looks at the boards that a search visits: whether it cuts as alpha-beta does, and whether an order of moves helps."""

import io
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import redirect_stdout
from math import inf
from types import CodeType, FrameType
from typing import Any

from lab.checks.calling import Function, Question
from lab.checks.exercise import each_way, edited, function, positions
from lab.checks.source import is_right, repair
from lab.checks.tasks import TASKS, load, named
from lab.checks.verdict import Check
from lab.timeouts import OURS
from ttt.board import Board
from ttt.svg import draw

NUMBERED = 18_297  # nodes of alpha-beta on the empty board, with the moves as the cells are numbered
TWICE = (
    "It looks at some boards again, as a search does that begins with a narrow window. Alpha-beta makes each move once."
)
Order = Callable[[Board], Iterable[int]]
Call = tuple[CodeType, Board | None, int]  # the function's code, its board, and which call it was made in
Step = tuple[int, Board | None, Board | None]  # number and board of the call it was made in, and the board it comes to


def visits(search: Function, question: Question) -> int:
    """Count the boards a search visits: how often its recursive functions come to another board."""
    return len(steps(search, question))


def steps(search: Function, question: Question) -> list[Step]:
    """The steps of a search: each time its recursive functions come to another board.

    Beside functions that are given a board, others don't count, such as one that goes through the moves. If none calls
    itself, as in a search with a stack of its own, each move that it plays comes to another board.
    """
    called: list[Call] = []
    inside = [-1]  # the calls that are running
    again = set[CodeType]()
    played: list[Step] = []

    def look(frame: FrameType, event: str, argument: object) -> None:
        code = frame.f_code
        if code is Board.play.__code__:
            here, own = frame.f_locals["self"], not getattr(frame.f_back, "f_code", code).co_filename.startswith(OURS)
            if own and event == "return" and isinstance(argument, Board):
                played.append((-id(here), here, argument))  # equal boards on two ways are two visits
            return
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

    if not again and played:
        return [(-1, None, question[0]), *played]
    return _of_functions_that_call_themselves(called, again)


def _of_functions_that_call_themselves(called: Sequence[Call], again: set[CodeType]) -> list[Step]:
    """The steps among all calls; functions that are never given a board count only if there are no others."""
    found = []
    with_board = {code for code, board, _ in called if board is not None}
    searching = (again & with_board) or again
    for code, board, place in called:
        if code in searching:
            while place >= 0 and called[place][0] not in searching:
                place = called[place][2]
            if place < 0 or board is None or board != called[place][1]:
                found.append((place, called[place][1] if place >= 0 else None, board))
    return found


def orders_seen(walks: Sequence[Sequence[Step]]) -> tuple[dict[Board, list[int]], bool]:
    """The order in which a search took the moves of each board, and whether it ever took a move twice."""
    taken: dict[tuple[int, int, Board], list[Any]] = {}
    twice = False
    for number, walk in enumerate(walks):
        for place, before, board in walk:
            known = taken.setdefault((number, place, before or Board()), [])
            twice = twice or board in known
            known.append(board)
    orders: dict[Board, list[int]] = {}
    for (_, place, before), boards in taken.items():
        if place >= 0 and len({*boards}) > len(orders.get(before, ())):
            after = {before.play(move): move for move in before.moves} if not before.over else {}
            orders[before] = [after[board] for board in dict.fromkeys(boards) if board in after]
    return orders, twice


def judged_by_visits(task: str, search: Function) -> Check | None:
    """The result for a search that visits more boards than alpha-beta, or fewer; None for one that visits as many.

    Alpha-beta takes the moves in the same order: as the search was seen to, or in that of the notebook's `in_order`.
    """
    asked, in_order = _trees(task), getattr(search, "__globals__", {}).get("in_order")
    given: Order = in_order if callable(in_order) else lambda board: board.moves
    walks = [steps(search, question) for question in asked]
    orders, twice = orders_seen(walks)

    def order(board: Board) -> Iterable[int]:
        return dict.fromkeys([*orders.get(board, ()), *given(board)])

    yours, least = [*map(len, walks)], [visits(_right_search(task, order), question) for question in asked]
    if not any(yours):
        told = "Your function gives the right values but never calls itself. Write the search yourself."
        return Check("not yet", told, picture=draw(asked[0][0]))
    if sum(yours) == sum(least):
        return None
    usual = sum(visits(_right_search(task, given), question) for question in asked)
    if sum(yours) < sum(least) or sum(yours) <= usual:
        told = "Your function finds the right values, and visits no more boards than alpha-beta does."
        return Check("right", f"{told}\nNext:{TASKS[task]['done'].partition(' Next:')[2]}")
    place = next(n for n, (more, fewer) in enumerate(zip(yours, least, strict=True)) if more > fewer)
    told = f"Your function gives the right values, but from this board it visits {yours[place]:,} boards."
    told = f"{told} Alpha-beta visits {least[place]:,}, so that is {yours[place] - least[place]:,} too many."
    if twice:
        return Check("not yet", f"{told}\n{TWICE}", "boards searched again", draw(asked[place][0]))
    name, sentence = _known(task, order, asked, yours)
    line = _line(task, search, order, not name, [*zip(asked, least, strict=True)])
    return Check("not yet", f"{told}\n{line or sentence}".rstrip(), name, draw(asked[place][0]))


def _trees(task: str) -> list[Question]:
    """The roots of the trees in which visits are counted."""
    if task == "cube":
        return [question for question in load(task).once if question[1] == 2]
    return [(board, -inf, inf) for board in positions() if len(board.moves) == 7][::20]


def _right_search(task: str, order: Order, edits: Sequence[str] = ()) -> Function:
    """The task's right search after some edits, with this order of moves."""
    return function(named(task), edited(TASKS[task]["right"], edits), in_order=order)


def _known(task: str, order: Order, asked: Sequence[Question], yours: Sequence[int]) -> tuple[str, str]:
    """The name and sentence of the known mistake with as many visits, which is taken to be the same one; or "", ""."""
    for name, (sentence, ways) in TASKS["cuts"]["slower"].items():
        for way in each_way(ways):
            if [visits(_right_search(task, order, way), question) for question in asked] == yours:
                return name, sentence
    return "", ""


def _line(task: str, search: Function, order: Order, closely: bool, least: list[tuple[Question, int]]) -> str:
    """The line whose repair makes a search visit as few boards as alpha-beta, in a sentence; "" if there is none."""
    if task == "cuts":  # a small tree first, which most repairs leave too large
        small = next(board for board in positions() if len(board.moves) == 5), -inf, inf
        least.insert(0, (small, visits(_right_search(task, order), small)))
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
        better = {sides: visited_if_turned(in_order, sides) for sides in ("XO", "X", "O")}
        one = min("XO", key=lambda side: better[side])
        sides = "XO" if max(better["X"], better["O"]) < yours else one
        if better[sides] < NUMBERED / 2:
            where = "" if sides == "XO" else f" where {one} is to move"
            told += f" Turned round{where}, your order needs only {better[sides]:,}: its good moves come last{where}."
            told += " In `sorted`, `reverse=True` puts the highest first." if sides == "XO" else ""
        else:
            told = f"{told} The earlier a good move comes, the more is cut off."
        return Check("not yet", told, picture=draw(Board(), numbers=True))
    return Check("right", str(TASKS["in_order"]["done"]).format(yours=yours, numbered=NUMBERED))


def visited_if_turned(in_order: Function, sides: str) -> int:
    """How many boards alpha-beta visits if the moves of these sides are tried from the last to the first."""

    def turned(board: Board) -> Iterable[int]:
        moves = [*in_order(board)]
        return moves[::-1] if board.turn in sides else moves

    return visits(function("worth", TASKS["cuts"]["right"], in_order=turned), (Board(),))
