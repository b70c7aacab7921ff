"""The questions about alpha-beta that give the points, which students don't have.

They are about each shape, for each side and at each depth: where no game ends, and where a win tells its worth.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from itertools import islice, product
from random import Random

from lab.checks.calling import Question
from lab.checks.exercise import function
from lab.checks.graded import BOARDS, FREE_CELLS, forms, played

from ttt.board import Board, own_and_other

DEPTHS = ("now", "one", "deeper", "deeper", "deeper")  # the parts with values where no game ends, by depth
LATE = range(2, 6)  # numbers of free cells where some games end
TIES = (1, 99, 9)  # the largest made-up numbers: small ones make ties
TRIES = 250  # to find a board


def found(rng: Random, shape: Board, side: str, free: Sequence[int], wanted: Callable[[Board], bool]) -> list[Board]:
    """Such a board of a random game, in a list that is empty if there seems to be none."""
    free = [number for number in free if (len(shape) - number) % 2 == "XO".index(side)]  # when this side is to move
    tries = (played(rng, shape, rng.choice(free), lambda _: True) for _ in range(TRIES if free else 0))
    return [*islice((end for end in tries if not end.over and wanted(end)), 1)]


def early(depth: int) -> range:
    """The numbers of free cells where no game ends within the depth, as far as the trees are small."""
    return range(4, FREE_CELLS.get(depth, 9) + 1)


def numbered(rng: Random, board: Board, depth: int, ties: int = 99) -> Question:
    """A question with made-up numbers."""
    return board, depth, f"numbers to {ties}, {rng.getrandbits(40):x}"


@cache
def questions_for_cuts() -> tuple[Question, ...]:
    """Questions where no game ends, which count the boards that are skipped: the same in every folder."""
    rng, kinds = Random("saved"), product(BOARDS, "XO", (2, 3, 4))
    drawn = ((shape, side, depth) for shape, side, depth in kinds if depth < 4 or shape is BOARDS[2])
    return tuple(
        numbered(rng, board, depth)
        for shape, side, depth in drawn
        for board in found(rng, shape, side, early(depth), partial(_ends, depth, False))
    )


def questions_for_points(rng: Random) -> Iterator[tuple[str, Question]]:
    """Yield questions, each with its part: on each shape, for each side, at each depth."""
    asked, drawn = partial(numbered, rng), partial(found, rng)
    for shape, winner, left in product(BOARDS, (None, "X", "O"), (0, 2)):
        yield "over", asked(played(rng, shape, 0, lambda end, won=winner: end.over and end.winner == won), left)  # type: ignore[misc]
    for shape, side, depth in product(BOARDS, "XO", range(5)):
        goes_on, ends = partial(_ends, depth, False), partial(_ends, depth, True)
        for ties in TIES if depth < 4 or shape is BOARDS[2] else ():
            yield from (
                (DEPTHS[depth], asked(board, depth, ties)) for board in drawn(shape, side, early(depth), goes_on)
            )
        if depth in (1, 2, 3):
            yield from (("mixed", asked(board, depth)) for board in drawn(shape, side, LATE, ends))
            yield from (("ends", asked(board, 3)) for board in drawn(shape, side, range(1, 4), lambda _: True))
            for ply in range(1, min(depth, 2) + 1):  # boards that tell what a win then is worth
                told = partial(_wins_at, depth, ply)
                yield from (("ends", asked(board, depth)) for board in drawn(shape, side, range(ply, ply + 1), told))
    yield from (("deeper", question) for question in questions_for_cuts())
    yield "ends", asked(WON_LAST, 3)
    yield "deeper", (LOST_IN_TABLES, 4, "numbers to 9, table")


WON_LAST = Board.from_text("-X- XOO -OX")  # a win is possible at ply 3 only, which is too rare to wait for
# The value differs if what a cut has left is remembered as a value, which is as rare.
LOST_IN_TABLES = Board.from_text("O--X XXXO -O-- O--X", (4, 4), 4)


def _ends(depth: int, wanted: bool, board: Board) -> bool:
    """Whether some games end within the depth but others don't, or whether none does."""
    return can_end(board, depth) == wanted and len(board.moves) > depth


def _wins_at(depth: int, ply: int, board: Board) -> bool:
    win = only_win(board, depth)
    return bool(win and win[1] == ply)


@cache
def only_win(board: Board, depth: int) -> tuple[str, int] | None:
    """The winner, and when, if only that win is possible within the depth, all games end there, and it is forced."""
    if len(board.moves) > depth and not board.over:
        return None
    wins = {end for end in ends_of(board) if end[0]}
    value = function("alpha_beta", forms("alpha_beta")[0])(board, depth, lambda *_: 0)
    return wins.pop() if len(wins) == 1 and value else None  # type: ignore[return-value]


def ends_of(board: Board, ply: int = 0) -> set[tuple[str | None, int]]:
    """How games can end: winner and ply."""
    if board.over:
        return {(board.winner, ply)}
    return set().union(*(ends_of(board.play(move), ply + 1) for move in board.moves))


def can_end(board: Board, depth: int) -> bool:
    """Whether a game can end within the depth: on a full board, or with a line that one side can complete alone."""
    own, other = own_and_other(board, board.turn)
    sides = ((own, other, (depth + 1) // 2), (other, own, depth // 2))
    return len(board.moves) <= depth or any(
        not line & theirs and (line & ~mine).bit_count() <= moves
        for mine, theirs, moves in sides
        for line in board.line_masks
    )
