"""Alpha-beta and minimax as in a textbook, with max and min, written without the lab's: what tests compare it with."""

from math import inf
from types import SimpleNamespace


def searched(root, below, cuts=True, highest=True):
    """What a search meets, by path, in its order.

    Args:
        highest: whether the root looks for the highest value.
        below: gives what a node leads to, as pairs of a move and a node; of a leaf, its number.

    Returns:
        arrived: alpha and beta at each node that is visited.
        after: alpha and beta at the node above, after it.
        values: what each node returns; "cut" where a node is not visited.
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


def press(widget, action, value=None):
    """Do on a widget what the page reports."""
    widget._handle_custom_msg({"do": action, "value": value}, [])
