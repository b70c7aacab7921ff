"""Game tree search, to be read: minimax, alpha-beta and Monte-Carlo tree search, which count what they visit."""

from ttt.search.ordering import ORDERS
from ttt.search.plain import minimax, negamax
from ttt.search.playouts import mcts
from ttt.search.pruning import alphabeta
from ttt.search.result import BadSearch, Search, Step

__all__ = ["ORDERS", "BadSearch", "Search", "Step", "alphabeta", "mcts", "minimax", "negamax"]
