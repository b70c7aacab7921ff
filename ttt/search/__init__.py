"""Game tree search, to be read: minimax, alpha-beta and Monte-Carlo tree search, which count what they visit."""

from ttt.search.alphabeta import alphabeta
from ttt.search.minimax import minimax, negamax
from ttt.search.playouts import mcts
from ttt.search.record import ORDERS, BadSearch, Search

__all__ = ["ORDERS", "BadSearch", "Search", "alphabeta", "mcts", "minimax", "negamax"]
