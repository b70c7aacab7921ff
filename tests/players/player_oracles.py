"""What the players' tests share: positions and how far off their ends are, a player's own games, lines that beat it.

Positions and ends are found on strings of marks, with separate lines. The module is not called conftest, since other
tests import from `conftest`, of which there can be only one.
"""

from functools import cache
from math import inf

from ttt import PLAYERS, Board

LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]
START = "-" * 9


def winner(marks):
    return next((marks[a] for a, b, c in LINES if marks[a] == marks[b] == marks[c] != "-"), None)


def other(player):
    return {"X": "O", "O": "X"}[player]


def with_mark(marks, cell, player):
    return marks[:cell] + player + marks[cell + 1 :]


def successors(marks):
    turn = "X" if marks.count("X") == marks.count("O") else "O"
    return {} if winner(marks) else {cell: with_mark(marks, cell, turn) for cell in range(9) if marks[cell] == "-"}


def positions():
    """Every position that play can reach, as marks, with what follows from it."""
    following, fresh = {}, [START]
    while fresh:
        marks = fresh.pop()
        if marks not in following:
            following[marks] = successors(marks)
            fresh += following[marks].values()
    return following


POSITIONS = positions()
UNFINISHED = [Board.from_text(marks) for marks in POSITIONS if POSITIONS[marks]]


def retrograde():
    """For every position (1, n) where the side to move wins in n moves, (-1, n) where it loses in n, else (0, 0).

    It works backwards from the ends, one move after another.
    """
    known = {marks: (-1, 0) for marks in POSITIONS if winner(marks)}
    for n in range(1, 10):
        fresh = {}
        for marks in POSITIONS.keys() - known.keys():
            replies = [known.get(after) for after in POSITIONS[marks].values()]
            if (-1, n - 1) in replies:
                fresh[marks] = (1, n)
            elif replies and all(reply and reply[0] == 1 for reply in replies):
                fresh[marks] = (-1, n)
        known |= fresh
    return {marks: known.get(marks, (0, 0)) for marks in POSITIONS}


DISTANCES = {Board.from_text(marks): distance for marks, distance in retrograde().items()}


@cache
def own_games(name, side):
    """The positions of all games that a player can play on one side, by any of its choices, against any moves."""
    seen, fresh = {Board()}, [Board()]
    while fresh:
        board = fresh.pop()
        if not board.over:
            moves = PLAYERS[name].policy(board) if board.turn == side else board.moves
            following = {board.play(move) for move in moves} - seen
            seen |= following
            fresh += following
    return seen


def shortest_sure_win(name, side, start=None):
    """The shortest line with which a side beats a player whatever it draws, shown where the player holds out longest.

    None where there is no such line.
    """

    @cache
    def plies(board):
        if board.over:
            return 0 if board.winner == side else inf
        return 1 + plies(board.play(chosen(board)))

    def chosen(board):
        if board.turn == side:
            return min(board.moves, key=lambda move: plies(board.play(move)))
        return max(PLAYERS[name].policy(board), key=lambda move: plies(board.play(move)))

    board, line = start or Board(), []
    if plies(board) == inf:
        return None
    while not board.over:
        line.append(chosen(board))
        board = board.play(line[-1])
    return line
