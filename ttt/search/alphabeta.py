"""Alpha-beta: minimax that skips what cannot matter, with options to switch on one by one."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from math import inf, isclose
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
    """Minimax that leaves a node as soon as it is certain that best play won't reach it.

    Alpha is what the side to move already has elsewhere, beta the most the other side would allow. Once a move is
    worth beta or more, the other side would avoid this node, so the remaining moves are cut off.

    Args:
        board, depth, heuristic, sooner, fast: as for `minimax`, with the same value. With any of the switches
            below, which are not compiled, `fast` makes no difference.
        order: which moves come first: "row-major", "most-lines" (through the cell) or "best-gain". The last two need a
            board, as does symmetry.
        killer: first try moves that caused cutoffs at other nodes of the same ply.
        table: remember positions, which recur when moves are played in another order.
        symmetry: search only one of several symmetric positions.
        deepening: search one ply deep, then two, and so on, each time starting with the previous best move.

    With symmetry, your own heuristic is asked about all mirror images of each board it judges.

    Raises `BadSearch`, also for symmetry on a board with too many symmetries or with a heuristic that tells mirror
    images apart, and `HeuristicError`.

    Sources: Knuth and Moore 1975 for alpha and beta; Marsland 1986 for the options.

    >>> alphabeta(Board()).nodes
    18297
    """
    switches = {"killer": killer, "table": table, "symmetry": symmetry, "deepening": deepening}
    require_sense(board, depth, heuristic, sooner=sooner, fast=fast, **switches)
    moves = Moves(order, symmetry)
    if order != "row-major" or symmetry:
        require_board(board, "`symmetry=True`" if symmetry else f"The order {order}", BadSearch)
    used = [name for name, switch in switches.items() if switch]
    method = ", ".join(["alpha-beta", *([] if order == "row-major" else [order]), *used])
    plies = plies_to_search(board, depth, table)
    if fast and not used and (search := by_machine_code(method, board, plies, heuristic, sooner, order)):
        return search
    if symmetry:
        heuristic = _compared(heuristic, board)
    win, bonus = (1, int(sooner)) if heuristic is None else (WIN, 1)
    play, sides = play_of(board), (board.turn, opponent(board.turn))
    nodes, leaves = [0] * (plies + 1), [0] * (plies + 1)  # by ply
    cutoffs = defaultdict[int, int](int)  # keyed by the number of moves tried before
    values: dict[Any, float] = {}  # of the root's moves, if known exactly
    known: dict[Any, tuple[float, float]] = {}  # the table: lower and upper bounds of positions' values
    to_the_end = depth is None and not deepening  # so that values don't depend on the plies left
    reorders, last, cut_short = order != "row-major" or bool(used), plies, False

    def leaf(board: Any, ply: int) -> float:
        """The value of a leaf for the side that would move there."""
        nonlocal cut_short
        leaves[ply] += 1
        if board.winner is not None:
            worth = win + bonus * (last - ply)
            return worth if board.winner == sides[ply % 2] else -worth
        if ply > MOST_PLIES and not board.over:
            raise BadSearch(endless(board, "give a depth, such as `depth=3`"))
        if deepening and not board.over:
            cut_short = True
        if heuristic is None or board.over:
            return 0
        return value(heuristic, board, board.turn, WIN)

    def worth(board: Any, ply: int, alpha: float, beta: float) -> Worth:
        """The value of a board for the side to move: exact between alpha and beta, otherwise a bound."""
        nodes[ply] += 1
        if ply == last or board.over:
            return leaf(board, ply), ()
        if table:
            key = canonical(board) if symmetry else board, 0 if to_the_end else last - ply
            least, most = known.get(key, (-inf, inf))
            if least == most or least >= beta or most <= alpha:
                leaves[ply] += 1
                return (least if most == inf else most), ()
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
        if table:  # a value between alpha and beta is exact, any other a bound
            known[key] = (best if best > floor else -inf), (best if best < beta else inf)
        return best, line

    for last in range(min(1, plies), plies + 1) if deepening else [plies]:
        cut_short = False
        values.clear()
        known.clear()
        result = worth(board, 0, -inf, inf)
        if last >= len(board.moves) and not (cut_short or bonus):
            break  # everything is searched: a board has at most as many plies as free cells
    by_move = [cutoffs[tried] for tried in range(max(cutoffs, default=-1) + 1)]
    return as_search(method, board, result, nodes, leaves, values, by_move)


class Moves:
    """Orders a node's moves by what the search has seen so far."""

    def __init__(self, order: str, symmetry: bool = False) -> None:
        if order not in list(ORDERS):
            raise BadSearch(f"There is no order {order!r}. The orders are {', '.join(ORDERS)}.")
        self.order, self.symmetry = ORDERS[order], symmetry
        self.best: dict[Position, Any] = {}  # from a shallower search
        self.killers: dict[int, tuple[Any, ...]] = {}  # the last two of each ply

    def ordered(self, board: Any, ply: int) -> Sequence[Any]:
        """A shallower search's best move, then the killers, then the rest; of mirror images, only the first."""
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
        """Remember a move that caused a cutoff; the last two per ply are kept."""
        killers = self.killers.get(ply, ())
        if move not in killers:
            self.killers[ply] = (move, *killers[:1])


ORDERS: dict[str, Callable[[Any], Sequence[Any]]] = {
    "row-major": lambda board: board.moves,
    "most-lines": lambda board: sorted(
        board.moves, key=lambda cell: -len(geometry(board.shape, board.k).through[cell])
    ),
    "best-gain": lambda board: sorted(board.moves, key=gain(board).__getitem__, reverse=True),
}


def _compared(heuristic: Heuristic | None, board: Any) -> Heuristic | None:
    """Wrap a heuristic to ask it about all mirror images of each board. Raises `BadSearch` if the values differ."""
    try:
        automorphisms(board)
    except TooManySymmetries as error:
        raise BadSearch(f"{error} Search without symmetry.") from None
    if heuristic is None or heuristic is open_lines or isinstance(heuristic, LineWeights):
        return heuristic  # symmetries map lines to lines

    def judged(board: Board, player: Mark) -> float:
        worth = value(heuristic, board, player, WIN)
        for x, o in {*zip(images(board, board.x), images(board, board.o), strict=True)}:
            image = Board(board.shape, board.k, x=x, o=o)
            if not isclose(worth, value(heuristic, image, player, WIN), abs_tol=1e-9):
                name = getattr(heuristic, "__name__", "The heuristic")
                raise BadSearch(f"{name} tells {board!r} from its mirror image {image!r}: search without symmetry.")
        return worth

    return judged
