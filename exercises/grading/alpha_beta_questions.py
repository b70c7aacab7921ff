"""The questions that give the points of the exercise alpha-beta, and the search that answers them.

Each belongs to one part. In most of them no game can end within the depth, so that neither another worth of a win nor
a mistake at finished boards costs anything but its own part.
"""

from collections import defaultdict
from collections.abc import Callable
from functools import cache
from itertools import product
from math import inf
from random import Random
from typing import NamedTuple

from lab.checks.calling import Question, heuristic_named, written
from lab.checks.graded import BOARDS, played

from ttt.board import Board, Mark, own_and_other

DEPTHS = ("now", "one", "deeper")  # the parts with values where no game ends
FREE = {0: (3, 7), 1: (3, 7), 2: (4, 7), 3: (4, 8), 4: (6, 9)}  # free cells, by depth
TIES = (99, 1, 99, 9)  # the largest made-up numbers: small ones make ties
MAX_BOARDS = 6000
WON_LAST = Board.from_text("-X- XOO -OX")  # a win is possible at ply 3 only, which is too rare to wait for
PER_GROUP, PER_END, PER_MIXED = 4, 2, 6  # questions in a group at most

WinWorth = Callable[[Board, int, int], float]  # of a win, by final board, plies from the root, and plies left
Highest = Callable[[Board, int], bool]  # whether the highest value is taken, by board and plies from the root
Ends = set[tuple[Mark | None, int] | None]  # how games end within the depth: winner and ply, or None if they go on


class Group(NamedTuple):
    """What is right or wrong together."""

    shape: str  # "3×3" or "larger boards"
    side: str  # to move at the root; "" where it does not matter
    depth: int | str


class PointQuestion(NamedTuple):
    """A question for a part. Those of the part "" only measure what a won board is worth."""

    part: str
    group: Group
    question: Question
    winner: Mark | None = None  # the only possible winner, where that matters
    ply: int = 0  # when that win comes


def thousand(_end: Board, _ply: int, _left: int) -> float:
    """What the exercise says a win is worth."""
    return 1000


def search_with(
    question: Question, worth: WinWorth = thousand, strict: bool = False, highest: Highest | None = None
) -> tuple[float, list[str]]:
    """Alpha-beta's value for the side to move at the root, and its calls of the heuristic; `strict` cuts at > only.

    `highest` says where the highest value is taken, if not where the side at the root moves.
    """
    root, depth, name = question
    me, asked = root.turn, list[str]()
    says: Callable[[Board, Mark], float] = heuristic_named(name)

    def go(board: Board, ply: int, alpha: float, beta: float) -> float:
        if board.over:
            sign = 0 if board.winner is None else 1 if board.winner == me else -1
            return sign * worth(board, ply, depth - ply) if sign else 0
        if ply == depth:
            asked.append(written(board, me))
            return float(says(board, me))
        takes_highest = highest(board, ply) if highest else board.turn == me
        best = -inf if takes_highest else inf
        for move in board.moves:
            value = go(board.play(move), ply + 1, alpha, beta)
            if takes_highest:
                best = max(best, value)
                alpha = max(alpha, best)
            else:
                best = min(best, value)
                beta = min(beta, best)
            if alpha > beta or (alpha == beta and not strict):
                break
        return best

    return go(root, 0, -inf, inf), asked


@cache
def right_answer(question: Question, strict: bool = False) -> tuple[float, list[str]]:
    """What `search` finds, remembered."""
    return search_with(question, strict=strict)


def boards_due(question: Question, strict: bool = False) -> list[str]:
    """The boards alpha-beta asks about."""
    return [call[:-1] for call in right_answer(question, strict)[1]]


@cache
def leaves(board: Board, depth: int) -> int:
    """The number of boards minimax asks the heuristic about."""
    if board.over or depth == 0:
        return int(not board.over)
    return sum(leaves(board.play(move), depth - 1) for move in board.moves)


def ends(board: Board, depth: int, ply: int = 0) -> Ends:
    """How games can end within the depth."""
    if board.over:
        return {(board.winner, ply)}
    if ply == depth:
        return {None}
    return set().union(*(ends(board.play(move), depth, ply + 1) for move in board.moves))


def can_end(board: Board, depth: int) -> bool:
    """Whether a game can end within the depth: on a full board, or with a line that one side can complete alone."""
    own, other = own_and_other(board, board.turn)
    sides = ((own, other, (depth + 1) // 2), (other, own, depth // 2))
    return len(board.moves) <= depth or any(
        not line & theirs and (line & ~mine).bit_count() <= moves
        for mine, theirs, moves in sides
        for line in board.line_masks
    )


def won(board: Board, depth: int) -> dict[tuple[Board, int], None]:
    """The won boards in the tree, each with the plies left."""
    if board.over or depth == 0:
        return {(board, depth): None} if board.winner else {}
    return {end: None for move in board.moves for end in won(board.play(move), depth - 1)}


@cache
def items(seed: str) -> tuple[PointQuestion, ...]:
    """The questions, finished boards and small depths first. The seed draws them."""
    rng = Random(f"points {seed}")
    found: defaultdict[tuple[object, ...], dict[Board | int, PointQuestion]] = defaultdict(dict)

    def add(part: str, side: str, depth: int | str, most: int, question: Question, *end: object) -> None:
        """Add a question to its group, if it is new there. What is the same in `end` makes a group, too."""
        board, plies = question
        group = Group("3×3" if board.shape == (3, 3) else "larger boards", side, depth)
        others = found[part, group, *end]
        if len(others) < most:
            ties = TIES[len(others) % 4] if part == "deeper" else 99
            asked = (board, plies, f"numbers to {ties}, {rng.getrandbits(40):x}")
            key = len(others) if part in ("one", "deeper") else board  # other numbers make another question
            others.setdefault(key, PointQuestion(part, group, asked, *end[:2]))  # type: ignore[arg-type]

    for shape, winner, left in product((*BOARDS, BOARDS[0]), (None, "X", "O"), (0, 2)):
        board = played(rng, shape, 0, lambda end, winner=winner: end.over and end.winner == winner)  # type: ignore[misc]
        add("over", "", "", 9, (board, left), winner, 0)

    def anyhow(_end: Board) -> bool:
        return True

    for number in range(MAX_BOARDS):
        shape, depth = BOARDS[(0, 1, 0, 2)[number % 4]], number // 4 % 5
        free = rng.choice((9, 8, rng.randint(*FREE[depth]))) if shape is BOARDS[0] else rng.randint(*FREE[depth])
        board = played(rng, shape, free, anyhow)
        if not board.over and (shape is not BOARDS[0] or depth < 4) and not can_end(board, depth):
            add(DEPTHS[min(depth, 2)], board.turn, depth, PER_GROUP, (board, depth))
        board = played(rng, board, rng.randint(1, 5), anyhow)
        if not board.over and len(board.moves) < 6 and depth:
            _add_ends(add, board, depth)
    _add_ends(add, WON_LAST, 3)
    given = [item for some in found.values() for item in some.values()]
    order = ("over", "now", "one", "ends", "mixed", "deeper")
    given.sort(key=lambda item: (order.index(item.part), item.question[1]))
    finished = {end: None for item in given if item.part == "mixed" for end in won(*item.question[:2])}
    measured = [PointQuestion("", Group("", "", ""), (*end, "open-lines"), end[0].winner) for end in finished]
    return (*given, *measured)


def _add_ends(add: Callable[..., None], board: Board, depth: int) -> None:
    """Add a board on which games end: all of them and only one kind of win counts, or only some of them."""
    within = ends(board, depth)
    wins = {end for end in within if end and end[0]}
    if None in within:
        if wins and depth < 4 and len(within) > 1:
            add("mixed", board.turn, "", PER_MIXED, (board, depth))
    elif len(wins) == bool(search_with((board, depth, "open-lines"), lambda *_: 1)[0]):
        winner, ply = wins.pop() if wins else (None, len(board.moves))
        kinds = (winner, ply, depth) if winner else (None, ply)
        add("ends", board.turn, "", PER_END, (board, depth), *kinds)
