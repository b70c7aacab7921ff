"""The tasks of lessons that are no exercises: what a student's functions are asked, and what their answers show."""

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache, partial
from itertools import islice
from typing import Any, NamedTuple

from ttt.board import Board
from ttt.drawing.svg import draw
from ttt.exercises.asking import NOTHING, Clock, answers
from ttt.exercises.checking import RAISED, Check, explained, verdict
from ttt.exercises.exercise import Case, Exercise, positions
from ttt.heuristics import WIN, LineWeights, number
from ttt.players.perfect import early_win
from ttt.search import alphabeta
from ttt.search.record import counted

Function = Callable[..., Any]
WEIGHTS = LineWeights(0, 1, 10, 100, 0)  # of the lesson on the cube
PAIR = (0, 1, 2, 4, 5, 6)  # cells of the cube: two lines but for one cell of each
APART = (63, 60, 51, 46, 29, 27)  # cells of which no three are on a line


class NotYet(Exception):
    """An answer is wrong, and this says how."""

    def __str__(self) -> str:
        return super().__str__().replace("-", "−")


class Task(NamedTuple):
    """A task of a lesson. Its functions are given the student's functions first."""

    cases: Callable[[], Iterable[Case]]
    ask: Function  # one question; may raise `NotYet`
    praise: Function  # what is said if all is right; "" if the functions are still as they were handed out


def check_task(name: str, *functions: Function) -> Check:
    """Ask a student's functions all that belongs to a lesson's task, and say how they did. Put it last in a cell."""
    task = TASKS[name]
    exercise = Exercise(name, ("board", "plies"), "number", tuple(task.cases()))
    vars(exercise)["again"] = {}  # each question is asked just once, and counts once
    given = tuple(answers(partial(task.ask, *functions), exercise.questions, Clock()))
    found = verdict(exercise, given)
    praise = task.praise(*functions) if found.outcome == "right" else ""
    if praise:
        return Check("right", praise)
    if found.outcome == "right" or all(answer.fault == NOTHING for answer in given):
        return Check("not started", "Write your function in the cell above, run that cell, and then this one.")
    lines, picture = explained(exercise, found, given)
    if given[found.place].fault in RAISED:  # then the sentence says it all
        lines, picture = (), draw(exercise.questions[found.place][0], numbers=True)
    return Check("not yet", "\n".join([found.sentence, *lines]), found.mistake, picture)


def _worth(board: Board) -> int:
    """What a board is worth to the side to move: 1, 0 or -1."""
    soon = early_win(board, board.turn)
    return (soon > 0) - (soon < 0)


def _to_mover_cases() -> Iterator[Case]:
    return (Case((board,), _worth(board)) for board in reversed(positions()))  # so what goes wrong later comes first


def _ask_to_mover(worth_to_mover: Function, board: Board) -> Any:
    value, right = worth_to_mover(board), _worth(board)
    if right and value == -right:
        raise NotYet(f"This board is worth {right} to {board.turn}, who is to move, not {value}: look at the sign")
    return value


def _order_cases() -> Iterator[Case]:
    boards = (board for board in reversed(positions()) if not board.over)
    return (Case((board,), _worth(board) if board.turn == "X" else -_worth(board)) for board in boards)


def _ask_order(in_order: Function, worth: Function, board: Board) -> Any:
    order = in_order(board)
    if order is None:
        raise NotYet("On this board in_order returns None: is a return missing?")
    moves = [board.cell(move) for move in islice(order, len(board) + 1)]
    if sorted(moves) != list(board.moves):
        raise NotYet(f"Each free cell must be among the moves, once, and here in_order gives {moves}")
    return worth(board)


def _praise_order(in_order: Function, worth: Function) -> str:
    boards = [case.question[0] for case in _order_cases()]
    if all(list(in_order(board)) == list(board.moves) for board in boards):
        return ""
    _, nodes = _visited(worth, Board())
    numbered = alphabeta(Board()).nodes
    return f"It is the same search in an order of your own: {nodes:,} nodes; {numbered:,} as the cells are numbered."


def _visited(worth: Function, *question: Any) -> tuple[Any, int]:
    """What a search returns, and how many nodes it has counted in the variable `visited` of its notebook."""
    names = worth.__globals__
    names["visited"] = 0
    return worth(*question), names["visited"]


def _depth_cases() -> Iterator[Case]:
    """Boards of the cube, first nearly empty, then with a line that can be completed in two plies or fewer."""
    empty, corner = _cube(), _cube((0,))
    for question in (
        *((empty, 1), (corner, 1), (empty, 2), (corner, 2), (empty, 3)),
        (_cube(PAIR[:3], APART[:3]), 1),  # X can complete a line
        (_cube(PAIR[:3], APART[:3]), 2),
        (_cube(APART[:4], PAIR[:3]), 1),  # O can
        (_cube((0, 1, 2, 3), APART[:3]), 2),  # X has
        (_cube(PAIR[:3], APART[:2]), 2),  # O can prevent it
        (_cube(PAIR, APART[:5]), 2),  # O can't: there are two
        (_cube(APART, PAIR), 2),  # nor can X
    ):
        yield Case(question, _ahead(*question)[0])


def _cube(x: tuple[int, ...] = (), o: tuple[int, ...] = ()) -> Board:
    """A board of 4×4×4 with marks on these cells."""
    return Board(shape=(4, 4, 4), x=sum(1 << cell for cell in x), o=sum(1 << cell for cell in o))


@lru_cache
def _ahead(board: Board, plies: int) -> tuple[float, int]:
    """What a board is worth to X, and the nodes of the search, which counts an early win for more than a late one."""
    search = alphabeta(board, plies, WEIGHTS)
    value = max(-WIN, min(WIN, search.value))
    return value if board.turn == "X" else -value, search.nodes


def _ask_depth(worth: Function, board: Board, plies: int) -> Any:
    value, nodes = _visited(worth, board, plies)
    right, enough = _ahead(board, plies)
    if number(value) is not None and value != right:
        why = f"A win of X is worth {WIN:,}, and one of O {-WIN:,}" if abs(right) == WIN else "Is all seen from X?"
        ahead = counted(plies, "ply", "plies")
        raise NotYet(f"Looking {ahead} ahead, this board is worth {right:,} to X, not {value:,}. {why}")
    if value == right and nodes != enough and board.x.bit_count() < 2:
        raise NotYet(f"The value is right, and yet visited is {nodes:,} after it, where {enough:,} nodes are enough")
    return value


TASKS = {
    "negamax": Task(_to_mover_cases, _ask_to_mover, lambda _: "Your function gives the right value on every board."),
    "order": Task(_order_cases, _ask_order, _praise_order),
    "depth": Task(_depth_cases, _ask_depth, lambda _: "Your search finds the same values, and visits the same nodes."),
}
