"""Monte-Carlo tree search: learns what moves are worth from games played to the end at random."""

from __future__ import annotations

from math import log, sqrt
from random import Random
from typing import Any

from ttt.board import Board, Mark
from ttt.heuristics import as_number
from ttt.position import MAX_GAME_MOVES, Position, as_generator, endless_message, is_count, require_position
from ttt.progress import progress
from ttt.search.record import BadSearch, Search, as_search


def mcts(board: Position, playouts: int = 1000, *, exploration: float = sqrt(2), rng: Random | None = None) -> Search:
    """Play many games from here and keep their first moves in a tree that grows where moves do well.

    A playout has four steps. *Select*: go down the tree, always to the child with the highest bound. *Expand*: at
    the first node with an untried move, add the child it leads to. *Play* from there to the end with random
    moves. *Back up*: add the result to all nodes on the way.

    Args:
        board: the root: a board of any shape, or a position of your own game.
        playouts: how many games to play.
        exploration: how large a bonus rarely tried moves get; results go from -1 to 1.
        rng: the random generator, by default a new one.

    A move is worth the mean result of the playouts that began with it, for the side to move at the root; the best is
    the one most playouts began with. These tend to the minimax value and a best move, but prove neither.

    Raises `BadSearch`, `BoardError` and `BadGame` as `minimax` does.
    Sources: Kocsis and Szepesvári 2006; Browne et al. 2012, algorithm 2.

    >>> mcts(Board.from_text("XX- OO- ---"), 200, rng=Random(1)).move
    2
    """
    require_position(board, "A search")
    if not is_count(playouts):
        raise BadSearch(f"`playouts` must be a whole number, 1 or more, not {playouts!r}.")
    bonus, chance = as_number(exploration), as_generator(rng)
    if bonus is None or bonus < 0:
        raise BadSearch(f"`exploration` must be a number, 0 or more, not {exploration!r}.")
    root = MctsNode(board, chance)
    for _ in progress(range(playouts), "playouts"):
        path = _descend(root, bonus, chance)
        winner = _play_out(path[-1].board, chance)
        for node in path:
            node.visits += 1
            if winner is not None:
                node.total += -1 if winner == node.board.turn else 1
    return _record(root)


class MctsNode:
    """A position in the tree, with the results of the playouts through it.

    `total` sums up the results for the side that moved here, which chooses by them: a win is 1, a loss -1.
    """

    __slots__ = ("board", "children", "total", "untried", "visits")

    def __init__(self, board: Position, rng: Random) -> None:
        self.board = board
        self.untried = [] if board.over else _shuffle(board, rng)  # tried from the end of this list
        self.children: dict[Any, MctsNode] = {}
        self.visits = 0
        self.total = 0

    @property
    def mean(self) -> float:
        """The average result of playouts through this node, for the side that moved here."""
        return self.total / self.visits

    def select(self, exploration: float) -> MctsNode:
        """The child with the highest upper confidence bound (UCB1): its mean plus a bonus for being tried rarely."""
        tried = log(self.visits)
        return max(self.children.values(), key=lambda child: child.mean + exploration * sqrt(tried / child.visits))

    def expand(self, rng: Random) -> MctsNode:
        """Add a child for a move not yet tried."""
        move = self.untried.pop()
        self.children[move] = MctsNode(self.board.play(move), rng)
        return self.children[move]

    def by_move(self) -> list[tuple[Any, MctsNode]]:
        """The children in the order of the position's moves."""
        return [(move, self.children[move]) for move in self.board.moves if move in self.children]

    def best(self) -> tuple[Any, ...]:
        """The moves taken by most playouts; among ties, those with the highest mean."""
        if not self.children:
            return ()
        merit = {move: (child.visits, child.mean) for move, child in self.by_move()}
        return tuple(move for move in merit if merit[move] == max(merit.values()))


def _descend(root: MctsNode, exploration: float, rng: Random) -> list[MctsNode]:
    """The path from the root to a new node, or to one where the game is over."""
    path = [root]
    while path[-1].children and not path[-1].untried:
        path.append(path[-1].select(exploration))
    return [*path, path[-1].expand(rng)] if path[-1].untried else path


def _play_out(position: Position, rng: Random) -> Mark | None:
    """The winner if both sides play at random; on a board they fill the free cells in random order."""
    cells = _shuffle(position, rng) if type(position) is Board else ()
    for ply in range(MAX_GAME_MOVES):
        if position.over:
            return position.winner
        position = position.play(cells[ply] if cells else rng.choice(position.moves))
    raise BadSearch(endless_message(position, "a playout must come to an end", MAX_GAME_MOVES))


def _shuffle(board: Position, rng: Random) -> list[Any]:
    return rng.sample(board.moves, len(board.moves))


def _record(root: MctsNode) -> Search:
    """Read the search's record off the tree."""
    plies = [[root]]
    while below := [child for node in plies[-1] for child in node.children.values()]:
        plies.append(below)
    node, line = root, []  # the moves most playouts took, one after another
    while node.children:
        line.append(node.best()[0])
        node = node.children[line[-1]]
    values = {move: child.mean for move, child in root.by_move()}
    worth = values[line[0]] if line else 0.0 - root.mean, tuple(line)  # 0.0 - ..., so that a draw is not -0.0
    leaves = sum(not node.children for ply in plies for node in ply)
    nodes, best = map(len, plies), root.best()
    return as_search("mcts", root.board, worth, nodes, leaves, values, best_moves=best, playouts=root.visits)
