"""Game tree search, to be read: minimax, alpha-beta and Monte-Carlo tree search, which count what they visit."""

from ttt.record import ORDERS, BadSearch, Search
from ttt.search.alphabeta import alphabeta
from ttt.search.minimax import minimax, negamax
from ttt.search.playouts import mcts

__all__ = ["ORDERS", "BadSearch", "Search", "alphabeta", "mcts", "minimax", "negamax"]
