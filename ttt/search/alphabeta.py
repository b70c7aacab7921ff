"""Alpha-beta: minimax that leaves out what cannot matter, with options that can be switched on one by one."""

from collections import Counter
from collections.abc import Callable, Sequence
from functools import wraps
from itertools import cycle
from math import inf
from typing import Any

from ttt.board import Board, Mark, geometry, opponent, require_board
from ttt.heuristics import WIN, Heuristic, LineWeights, gain, open_lines, value
from ttt.position import MOST_PLIES, Position, endless, play_of
from ttt.runtime.progress import progress
from ttt.search.minimax import by_machine_code
from ttt.search.record import BadSearch, Search, Worth, as_search, plies_to_search, require_sense
from ttt.symmetry import TooManySymmetries, automorphisms, canonical, images


def alphabeta(
    board: Position,
    depth: int | None = None,
    heuristic: Heuristic | None = None,
    *,
    sooner: bool = False,
    fast: bool = False,
    order: str = "row-major",
    killer: bool = False,
    table: bool = False,
    symmetry: bool = False,
    deepening: bool = False,
) -> Search:
    """Minimax that stops at a node as soon as it is sure that no play leads there.

    Alpha is what the side to move has elsewhere already, beta what the other side would let it have. Once a move is
    worth beta or more, the other side would not have come here, so the remaining moves are cut off.

    Args:
        board, depth, heuristic, sooner, fast: as for `minimax`, and the value is the same. With one of the switches
            below, which are not compiled, `fast` makes no difference.
        order: which moves come first: "row-major", "most-lines" through the cell, or "best-gain". Those by lines need a
            board, and so does symmetry.
        killer: try the moves first that cut off other nodes of the same ply.
        table: remember positions, which come up again when moves are played in another order.
        symmetry: search only one of several symmetric positions. The heuristic must judge mirror images alike: each
            leaf's judgement is compared with that of one of its mirror images, another one each time.
        deepening: search one ply deep, then two, and so on, each time with the last best move first.

    Raises `BadSearch`, also for a board that has too many symmetries, and where mirror images are judged differently;
    and `HeuristicError`.

    Sources: Knuth and Moore 1975 for alpha and beta; Marsland 1986 for the options.

    >>> alphabeta(Board()).nodes
    18297
    >>> alphabeta(Board(), table=True, symmetry=True).value
    0
    """
    switches = {"killer": killer, "table": table, "symmetry": symmetry, "deepening": deepening}
    require_sense(board, depth, heuristic, sooner=sooner, fast=fast, **switches)
    moves = Moves(order, symmetry)
    if order != "row-major" or symmetry:
        require_board(board, "symmetry=True" if symmetry else f"The order {order}", BadSearch)
    used = [name for name, switch in switches.items() if switch]
    method = ", ".join(["alpha-beta", *([] if order == "row-major" else [order]), *used])
    plies = plies_to_search(board, depth, table)
    if fast and not used and (search := by_machine_code(method, board, plies, heuristic, sooner, order)):
        return search
    if symmetry:
        heuristic = _same_on_images(heuristic, board)
    win, bonus = (WIN, 1) if heuristic else (1, int(sooner))
    play, sides = play_of(board), (board.turn, opponent(board.turn))
    nodes, leaves = [0] * (plies + 1), [0] * (plies + 1)  # by ply
    cutoffs = Counter[int]()  # by how many moves were tried before
    values: dict[Any, float] = {}  # of the root's moves, as far as known exactly
    known = Table(symmetry, by_depth=depth is not None or deepening)
    reorders, last, ends = order != "row-major" or bool(used), plies, True

    def leaf(board: Position, ply: int) -> float:
        """What a leaf is worth to the side that would be to move there."""
        nonlocal ends
        leaves[ply] += 1
        if board.winner is not None:
            worth = win + bonus * (last - ply)
            return worth if board.winner == sides[ply % 2] else -worth
        if ply > MOST_PLIES and not board.over:
            raise BadSearch(endless(board, "give a depth, as depth=3"))
        if deepening and not board.over:
            ends = False
        if heuristic is None or board.over:
            return 0
        return value(heuristic, board, board.turn, WIN)

    def worth(board: Position, ply: int, alpha: float, beta: float) -> Worth:
        """What a board is worth to the side to move, as far as it lies between alpha and beta."""
        nodes[ply] += 1
        if ply == last or board.over:
            return leaf(board, ply), ()
        if table and (bound := known.bound(board, last - ply, alpha, beta)) is not None:
            leaves[ply] += 1
            return bound, ()
        best, floor = -inf, alpha
        line: tuple[Any, ...] = ()
        tries = moves.ordered(board, ply) if reorders else board.moves
        for tried, move in enumerate(tries if ply else progress(tries, "moves")):
            value, below = worth(play(board, move), ply + 1, -beta, -alpha)
            if -value > best:
                best, line = -value, (move, *below)
                alpha = max(alpha, best)
                if ply == 0:
                    values[move] = best
                if alpha >= beta:
                    cutoffs[tried] += 1
                    if killer:
                        moves.note_killer(move, ply)
                    break
        if deepening:
            moves.best[board] = line[0]
        if table:
            known.keep(board, last - ply, best, floor, beta)
        return best, line

    for last in range(min(1, plies), plies + 1) if deepening else [plies]:  # noqa: B007
        ends = True
        values.clear()
        known.bounds.clear()
        result = worth(board, 0, -inf, inf)
        if ends and not bonus:
            break
    by_move = [cutoffs[tried] for tried in range(max(cutoffs, default=-1) + 1)]
    return as_search(method, board, result, nodes, leaves, values, by_move)


class Moves:
    """A node's moves in the order in which they are tried, by what the search has seen so far."""

    def __init__(self, order: str, symmetry: bool = False) -> None:
        if order not in list(ORDERS):
            raise BadSearch(f"There is no order {order!r}; there is {', '.join(ORDERS)}.")
        self.order, self.symmetry = ORDERS[order], symmetry
        self.best: dict[Position, Any] = {}  # of a search that was less deep
        self.killers: dict[int, tuple[Any, ...]] = {}  # of each ply, the last two

    def ordered(self, board: Any, ply: int) -> Sequence[Any]:
        """The best move of a shallower search, then the killers, then the others; of mirror images, the first."""
        moves, killers = self.order(board), self.killers.get(ply, ())
        first = [move for move in (self.best.get(board), *killers) if move in moves]
        moves = tuple(dict.fromkeys([*first, *moves]))
        if self.symmetry:
            different: dict[Board, int] = {}
            for move in moves:
                different.setdefault(canonical(board.play(move)), move)
            moves = tuple(different.values())
        return moves

    def note_killer(self, move: Any, ply: int) -> None:
        """Keep a move that has cut off the others of its node; of each ply, the last two such moves."""
        killers = self.killers.get(ply, ())
        if move not in killers:
            self.killers[ply] = (move, *killers[:1])


class Table:
    """What is known of positions that were searched: to the end, or by the plies that were left."""

    def __init__(self, symmetry: bool, by_depth: bool) -> None:
        self.symmetry, self.by_depth = symmetry, by_depth
        self.bounds: dict[tuple[Any, int], tuple[float, float]] = {}  # the least and the most that it can be worth

    def key(self, board: Any, left: int) -> tuple[Any, int]:
        return canonical(board) if self.symmetry else board, left if self.by_depth else 0

    def bound(self, board: Position, left: int, alpha: float, beta: float) -> float | None:
        """What a position is worth, if that is known exactly, or known to lie outside of alpha and beta; else None."""
        least, most = self.bounds.get(self.key(board, left), (-inf, inf))
        if least == most or least >= beta or most <= alpha:
            return least if most == inf else most
        return None

    def keep(self, board: Position, left: int, worth: float, alpha: float, beta: float) -> None:
        """Keep what a search has found: a value between its alpha and beta is exact, another one a bound."""
        least, most = (worth if worth > alpha else -inf), (worth if worth < beta else inf)
        self.bounds[self.key(board, left)] = least, most


ORDERS: dict[str, Callable[[Any], Sequence[Any]]] = {
    "row-major": lambda board: board.moves,
    "most-lines": lambda board: sorted(
        board.moves, key=lambda cell: -len(geometry(board.shape, board.k).through[cell])
    ),
    "best-gain": lambda board: sorted(board.moves, key=gain(board).__getitem__, reverse=True),
}


def _same_on_images(heuristic: Heuristic | None, board: Any) -> Heuristic | None:
    """The heuristic, which raises `BadSearch` where it judges a mirror image in another way; or for too many of them.

    `LineWeights` and `open_lines` never do, since symmetries turn lines into lines.
    """
    try:
        turns = cycle(range(len(automorphisms(board))))
    except TooManySymmetries as error:
        raise BadSearch(f"{error} Search it without symmetry.") from None
    if heuristic is None or heuristic is open_lines or isinstance(heuristic, LineWeights):
        return heuristic

    @wraps(heuristic)
    def judged(board: Board, player: Mark) -> Any:
        answer, turn = heuristic(board, player), next(turns)
        image = Board(board.shape, board.k, x=images(board, board.x)[turn], o=images(board, board.o)[turn])
        if heuristic(image, player) != answer:
            raise BadSearch(f"The heuristic tells {board!r} from its mirror image {image!r}: search without symmetry.")
        return answer

    return judged
