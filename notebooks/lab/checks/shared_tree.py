"""Asks one of our own searches a question, sooner than a student's: all of them walk the same tree of boards."""

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

from lab.checks.calling import MOST_CALLS, Answer, Question, failure, heuristic_named, taken, written
from ttt.board import Board, Mark

named = cache(heuristic_named)


class Node:
    """A board in a tree that many of our searches walk: everything about it is found out once."""

    def __init__(self, board: Board, name: str, wins: list[Mark] | None = None) -> None:
        self.board, self.name = board, name
        self.turn, self.moves, self.over, self.won = board.turn, board.moves, board.over, board.winner
        self.children: dict[int, Node] = {}
        self.said: dict[Mark, tuple[float, str]] = {}
        self.wins = [] if wins is None else wins  # of this tree, as far as a search has looked

    @property
    def winner(self) -> Mark | None:
        """Who has won."""
        if self.won:
            self.wins.append(self.won)
        return self.won

    def play(self, move: int) -> "Node":
        """The board after this move."""
        if move not in self.children:
            self.children[move] = Node(self.board.play(move), self.name, self.wins)
        return self.children[move]

    def says(self, player: Mark) -> tuple[float, str]:
        """What the heuristic of this name says, and the call as text."""
        if player not in self.said:
            self.said[player] = named(self.name)(self.board, player), written(self.board, player)
        return self.said[player]

    def __iter__(self) -> Iterator[Mark]:
        return iter(self.board)

    def __getitem__(self, cell: int) -> Mark:
        return self.board[cell]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Node) and self.board == other.board

    def __hash__(self) -> int:
        return hash(self.board)


root = cache(Node)  # of the tree for a board and the name of a heuristic


def answer_of(search: Callable[..., Any], question: Question) -> Answer:
    """What one of our own searches answers, as `lab.checks.calling.ask` would say; the search always ends."""
    board, depth, name = question
    calls = list[str]()

    def heuristic(node: Node, player: Mark) -> float:
        if len(calls) == MOST_CALLS:
            raise TimeoutError
        number, call = node.says(player)
        calls.append(call)
        return number

    try:
        value = search(root(board, name), depth, heuristic)
    except Exception as error:
        return failure(error, search.__name__)
    return taken(value, board, searches=True)._replace(asked=tuple(calls))
