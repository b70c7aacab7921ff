"""Readable game tree search: minimax, alpha-beta and Monte-Carlo tree search, which count what they visit.

`ttt.search.compiled` holds minimax and alpha-beta once more, compiled by numba.
"""

from ttt.search.alphabeta import alphabeta, plain_alphabeta
from ttt.search.mcts import mcts
from ttt.search.minimax import minimax, negamax
from ttt.search.ordering import ORDERS
from ttt.search.record import BadSearch, Search

__all__ = ["ORDERS", "BadSearch", "Search", "alphabeta", "mcts", "minimax", "negamax", "plain_alphabeta"]
