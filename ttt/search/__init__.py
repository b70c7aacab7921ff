"""Game tree search, to be read: minimax, alpha-beta and Monte-Carlo tree search, which count what they visit."""

from ttt.record import BadSearch, Search, Step
from ttt.search.ordering import ORDERS
from ttt.search.plain import minimax, negamax
from ttt.search.playouts import mcts
from ttt.search.pruning import alphabeta

__all__ = ["ORDERS", "BadSearch", "Search", "Step", "alphabeta", "mcts", "minimax", "negamax"]
