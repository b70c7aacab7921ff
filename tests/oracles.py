"""What a position is worth, from its definition, and the boards that tests take: all of 3×3, and cubes."""

from functools import cache, reduce

from ttt import Board
from ttt.heuristics import WIN_VALUE

LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]
CUBE = Board(shape=(4, 4, 4))


def other(player):
    return {"X": "O", "O": "X"}[player]


def with_mark(marks, cell, player):
    return marks[:cell] + player + marks[cell + 1 :]


def reached(start, moves_of=lambda position: position.moves):
    """All positions that can follow, by any moves or by those that are given for each position."""
    known, fresh = {start}, [start]
    while fresh:
        position = fresh.pop()
        later = set() if position.over else {position.play(move) for move in moves_of(position)}
        fresh += later - known
        known |= later
    return known


POSITIONS = sorted(reached(Board()), key=str)
UNFINISHED = [board for board in POSITIONS if not board.over]


@cache
def worth(position, depth=None, heuristic=None):
    """What a position is worth to the side to move, by definition: no alpha, no beta, no table.

    To a depth, a win is worth as much as the searches' heuristics see, and more if it comes sooner.
    """
    if position.over:
        sign = 0 if position.winner is None else 1 if position.winner == position.turn else -1
        return sign * (1 if depth is None else WIN_VALUE + depth)
    if depth == 0:
        return heuristic(position, position.turn)
    deeper = None if depth is None else depth - 1
    return max(-worth(position.play(move), deeper, heuristic) for move in position.moves)


def distance(board):
    """(1, n) where the side to move wins in n moves, (-1, n) where it loses in n, else (0, 0)."""
    free = len(board.moves)
    value = worth(board, free)
    return (value > 0) - (value < 0), WIN_VALUE + free - abs(value) if value else 0


@cache
def nodes(position, depth=999):
    """How many nodes the whole tree has, to a depth."""
    return 1 + sum(nodes(position.play(move), depth - 1) for move in position.moves if depth and not position.over)


def after(*moves, board=CUBE):
    """The board after these moves."""
    return reduce(Board.play, moves, board)


def after_random(rng, plies):
    """A cube after some random moves, of which none wins."""
    board = CUBE
    while len(CUBE.moves) - len(board.moves) < plies:
        quiet = [move for move in board.moves if not board.play(move).winner]
        board = board.play(rng.choice(quiet)) if quiet else CUBE
    return board
