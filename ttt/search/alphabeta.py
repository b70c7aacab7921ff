"""Alpha-beta: minimax that skips what cannot matter. First the plain search, then the one with options."""

from collections import defaultdict
from math import inf
from typing import Any

from ttt.heuristics import WIN_VALUE, Heuristic
from ttt.position import Position
from ttt.progress import progress
from ttt.search.lookahead import MAX_FREE_CELLS, Lookahead, plies_to_search
from ttt.search.ordering import Moves, Order
from ttt.search.record import BadSearch, Search, Worth
from ttt.symmetry import canonical


def plain_alphabeta(board: Position, depth: int | None = None, heuristic: Heuristic | None = None) -> tuple[float, int]:
    """Alpha-beta and nothing else: the value for the side to move, and the number of nodes.

    It looks `depth` plies ahead, or to the end of the game, and finds what `alphabeta` finds. Raises `BadSearch`, also
    for a heuristic without a depth.

    >>> from ttt import Board
    >>> plain_alphabeta(Board())
    (0, 18297)
    """
    if heuristic is not None and depth is None:
        raise BadSearch("A heuristic needs a depth, such as `depth=3`.")
    plies, nodes = plies_to_search(board, depth, heuristic), 0

    def worth(board: Position, depth: float, alpha: float, beta: float) -> float:
        """A value for the side to move, whose true value is t.

        alpha < value < beta: t = value;  value <= alpha: t <= value;  value >= beta: t >= value.
        """
        nonlocal nodes
        nodes += 1
        if board.winner is not None:
            win = 1 if heuristic is None else WIN_VALUE + depth
            return win if board.winner == board.turn else -win
        if depth == 0 or board.over:
            return 0 if heuristic is None or board.over else heuristic(board, board.turn)
        best = -inf
        for move in board.moves:
            best = max(best, -worth(board.play(move), depth - 1, -beta, -max(alpha, best)))
            if best >= beta:
                break  # the other side won't let the game come here
        return best

    return worth(board, inf if depth is None else plies, -inf, inf), nodes


# The same search with options has three helpers: `Lookahead` says how far it looks and what its leaves are worth,
# `Moves` says which moves come first, and `as_search`, called by `Lookahead.result`, makes the record.


def alphabeta(
    board: Position,
    depth: int | None = None,
    heuristic: Heuristic | None = None,
    *,
    sooner: bool = False,
    order: str | Order = "row-major",
    killer: bool = False,
    table: bool = False,
    symmetry: bool = False,
    deepening: bool = False,
) -> Search:
    """Minimax that leaves a node as soon as it is certain that best play won't reach it.

    Alpha is what the side to move already has elsewhere, beta the most the other side would allow. Sources: Knuth and
    Moore 1975; Marsland 1986 for the options. Raises as `minimax` does.

    Args:
        board, depth, heuristic, sooner: as for `minimax`, with the same value.
        order: which moves come first: "row-major", or on a board "most-lines" (through the cell) or "best-gain"; or a
            function of a position that returns its moves in your order.
        killer: first try moves that caused cutoffs at other nodes of the same ply.
        table: remember positions, which recur when moves are played in another order.
        symmetry: search only one of several symmetric boards. Your heuristic must judge mirror images alike.
        deepening: search one ply deep, then two, and so on, each time starting with the previous best move.

    >>> from ttt import Board
    >>> alphabeta(Board()).nodes
    18297
    """
    switches = {"killer": killer, "table": table, "symmetry": symmetry, "deepening": deepening}
    max_free = MAX_FREE_CELLS + (table is True)  # a table makes the tree smaller
    look = Lookahead(board, depth, heuristic, max_free, sooner=sooner, **switches)
    moves = Moves(board, order, symmetry)
    name_of_order = getattr(order, "__name__", f"{order}")
    options = [name for name, on in {name_of_order: order != "row-major", **switches}.items() if on]
    nodes, leaf = look.nodes, look.leaf
    cutoffs = defaultdict[int, int](int)  # keyed by the number of moves tried before
    known: dict[Any, tuple[float, float]] = {}  # the table: lower and upper bounds of positions' values
    to_the_end = depth is None and not deepening  # so that values don't depend on the plies left

    def worth(board: Any, ply: int, alpha: float, beta: float) -> Worth:
        """A value as in `plain_alphabeta`, and the variation that leads to it."""
        nodes[ply] += 1
        if ply == plies or board.over:
            return leaf(board, ply), ()
        if table:
            key = canonical(board) if symmetry else board, 0 if to_the_end else plies - ply
            low, high = known.get(key, (-inf, inf))  # low <= t <= high
            if low == high or low >= beta or high <= alpha:
                look.leaves += 1
                return (low if high == inf else high), ()
        best, floor = -inf, alpha
        line: tuple[Any, ...] = ()
        tries = moves.ordered(board, ply) if options else board.moves
        for tried, move in enumerate(tries if ply else progress(tries, "moves")):
            value, below = worth(board.play(move), ply + 1, -beta, -alpha)
            if -value > best:
                best, line = -value, (move, *below)
                alpha = max(alpha, best)
                if ply == 0:
                    look.values[move] = best
                if alpha >= beta:
                    cutoffs[tried] += 1
                    if killer:
                        moves.note_killer(move, ply)
                    break
        if deepening:
            moves.best[board] = line[0]
        if table:
            known[key] = (best if best > floor else -inf), (best if best < beta else inf)
        return best, line

    start = 1 if deepening and not board.over else look.plies
    for plies in range(min(start, look.plies), look.plies + 1):
        look.begin(plies)
        known.clear()
        found = worth(board, 0, -inf, inf)
        if plies >= len(board.moves) and not (look.unfinished or look.bonus):
            break  # everything is searched: a board has at most as many plies as free cells
    by_move = [cutoffs[tried] for tried in range(max(cutoffs, default=-1) + 1)]
    return look.result(", ".join(["alpha-beta", *options]), found, by_move)
