"""Alpha-beta and minimax as in a textbook, with max and min: tests compare the lab's own search with them."""

from functools import cache
from math import inf
from types import SimpleNamespace

from oracles import LINES, other

NODE = r"the root|[XO]'s move \d+(?: \(after [\d, ]+\))?"  # a node's name, as messages write it


def searched(root, below, cuts=True, highest=True):
    """What a search finds at each node, keyed by path, in its order.

    Args:
        below: takes a node and returns its children, as pairs of a move and a node; for a leaf, its value.
        highest: whether the root looks for the highest value.

    Returns:
        arrived: alpha and beta at each node visited.
        after: alpha and beta at the node above, afterwards.
        values: the value each node returns; "cut" if a node is not visited.
    """
    found = SimpleNamespace(arrived={}, after={}, values={})

    def value(here, path, alpha, beta):
        found.arrived[path] = alpha, beta
        rest = below(here)
        if not isinstance(rest, list):
            found.values[path] = rest
            return rest
        better, values = (max if (len(path) % 2 == 0) == highest else min), []
        for move, child in rest:
            if cuts and alpha >= beta:
                found.values[*path, move] = "cut"
                continue
            values.append(value(child, (*path, move), alpha, beta))
            if better is max:
                alpha = max(alpha, values[-1])
            else:
                beta = min(beta, values[-1])
            found.after[*path, move] = alpha, beta
        found.values[path] = better(values)
        return found.values[path]

    value(root, (), -inf, inf)
    return found


def below(root, depth=inf, numbers=None):
    """What `searched` needs: a function from a board to its moves, each with the board after it, or its worth to X."""

    def children(board):
        limit = not board.over and len(root.moves) - len(board.moves) == depth
        if limit:
            return numbers(board)
        if board.over:
            return {"X": 1, "O": -1, None: 0}[board.winner]
        return [(move, board.play(move)) for move in board.moves]

    return children


@cache
def kinds(board, player):
    """Of each line of a 3×3 board: how many marks the player has there, and how many the opponent."""
    lines = ["".join(board[cell] for cell in line) for line in LINES]
    return [(line.count(player), line.count(other(player))) for line in lines]


def press(widget, action, value=None):
    """Report something to a widget, as the page does."""
    widget._handle_custom_msg({"do": action, "value": value}, [])
