"""The tasks of lessons that are no exercises: what a student's functions are asked, and what is said of the answers."""

from collections.abc import Callable
from functools import partial, reduce
from itertools import islice
from typing import Any

from ttt.board import Board
from ttt.checks.asking import NOTHING, Clock, Question, answers
from ttt.checks.checking import FAULTS, Check
from ttt.checks.exercise import positions
from ttt.drawing.svg import draw
from ttt.heuristics import WIN, LineWeights
from ttt.players.negamax import outcome
from ttt.runtime.progress import progress
from ttt.search import alphabeta
from ttt.search.record import counted

Function = Callable[..., Any]
GAMES = (  # moves on the cube, and how many plies to look ahead from there
    *(((), 1), ((0,), 1), ((), 2), ((0,), 2), ((), 3)),
    ((0, 63, 1, 60, 2, 51), 1),  # X can complete a line
    ((0, 63, 1, 60, 2, 51), 2),
    ((63, 0, 60, 1, 51, 2, 46), 1),  # O can
    ((0, 63, 1, 60, 2, 51, 3), 2),  # X has
    ((0, 63, 1, 60, 2), 2),  # O can prevent it
    ((0, 63, 1, 60, 2, 51, 4, 46, 5, 29, 6), 2),  # O can't: there are two
    ((63, 0, 60, 1, 51, 2, 46, 4, 29, 5, 27, 6), 2),  # nor can X
)


class NotYet(Exception):
    """An answer is wrong, and this says how."""

    def __str__(self) -> str:
        return super().__str__().replace("-", "−")


def check_task(name: str, *functions: Function) -> Check:
    """Ask a student's functions all that belongs to a lesson's task, and say how they did. Put it last in a cell."""
    questions, ask, praise = TASKS[name]
    asked = questions()
    given = list(progress(answers(partial(ask, *functions), asked, Clock()), "boards", len(asked)))
    wrong = [place for place, answer in enumerate(given) if answer.fault]
    praised = "" if wrong else praise(*functions)
    if praised:
        return Check("right", praised)
    if not wrong or all(answer.fault == NOTHING for answer in given):
        return Check("not started", "Write your function in the cell above, run that cell, and then this one.")
    first = given[wrong[0]]
    told = FAULTS.get(first.fault) or f"{first.words.removesuffix('.')} (on {len(wrong):,} of {len(asked):,} boards)."
    return Check("not yet", told, picture=draw(asked[wrong[0]][0], numbers=True))


def _every_position() -> list[Question]:
    return [(board,) for board in reversed(positions())]  # so what goes wrong late in a game comes first


def _unfinished() -> list[Question]:
    return [(board,) for (board,) in _every_position() if not board.over]


def _negamax(worth_to_mover: Function, board: Board) -> Any:
    value, right = worth_to_mover(board), outcome(board, board.turn)
    if value is not None and value != right:
        sign = ". Look at the sign" if value == -right else ""
        raise NotYet(f"This board is worth {right} to {board.turn}, who is to move, not {value}{sign}")
    return value


def _order(in_order: Function, worth: Function, board: Board) -> Any:
    order = in_order(board)
    if order is None:
        raise NotYet("On this board in_order returns None: is a return missing?")
    moves = [board.cell(move) for move in islice(order, len(board) + 1)]
    if sorted(moves) != list(board.moves):
        raise NotYet(f"Each free cell must be among the moves, once, and here in_order gives {moves}")
    value, right = worth(board), outcome(board, "X")
    if value != right:
        raise NotYet(f"This board is worth {right} to X, and the search finds {value}")
    return value


def _praised_order(in_order: Function, worth: Function) -> str:
    if all(list(in_order(board)) == list(board.moves) for (board,) in _unfinished()):
        return ""
    nodes, numbered = _visited(worth, Board())[1], alphabeta(Board()).nodes
    return f"It is the same search in an order of your own: {nodes:,} nodes; {numbered:,} as the cells are numbered."


def _visited(worth: Function, *question: Any) -> tuple[Any, int]:
    """What a search returns, and how many nodes it has counted in the variable `visited` of its notebook."""
    names = worth.__globals__
    names["visited"] = 0
    return worth(*question), names["visited"]


def _boards_of_the_cube() -> list[Question]:
    return [(reduce(Board.play, moves, Board(shape=(4, 4, 4))), plies) for moves, plies in GAMES]


def _depth(worth: Function, board: Board, plies: int) -> Any:
    value, nodes = _visited(worth, board, plies)
    search = alphabeta(board, plies, LineWeights(0, 1, 10, 100, 0))
    right = max(-WIN, min(WIN, search.value))  # where an early win counts no more than a late one
    right = right if board.turn == "X" else -right
    if value is not None and value != right:
        why = f"A win of X is worth {WIN:,}, and one of O {-WIN:,}" if abs(right) == WIN else "Is all seen from X?"
        raise NotYet(
            f"Looking {counted(plies, 'ply', 'plies')} ahead, this board is worth {right:,} to X, not {value}. {why}"
        )
    if value is not None and nodes != search.nodes and not board.o:
        raise NotYet(f"The value is right, and yet visited is {nodes:,} after it, where {search.nodes:,} are enough")
    return value


TASKS: dict[str, tuple[Callable[[], list[Question]], Function, Function]] = {
    "negamax": (_every_position, _negamax, lambda _: "Your function gives the right value on all 5,478 boards."),
    "order": (_unfinished, _order, _praised_order),
    "depth": (_boards_of_the_cube, _depth, lambda _: "Your search finds the same values, and visits the same nodes."),
}
