"""Readable game tree search: minimax, alpha-beta and Monte-Carlo tree search, which count what they visit."""

from ttt.search.alphabeta import ORDERS, alphabeta
from ttt.search.mcts import mcts
from ttt.search.minimax import minimax, negamax
from ttt.search.record import BadSearch, Search

__all__ = ["ORDERS", "BadSearch", "Search", "alphabeta", "mcts", "minimax", "negamax"]
