"""All positions of 3×3 and how far off their ends are, found on strings of marks, with lines of their own; cubes."""

from functools import reduce

from ttt import Board

LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]


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
    following, fresh = {}, ["-" * 9]
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


def marks_for_o(board):
    """A board as marks for a listing that plays O: where X is to move, the marks are swapped."""
    marks = "".join(board)
    return marks.translate(str.maketrans("XO", "OX")) if board.turn == "X" else marks


CUBE = Board(shape=(4, 4, 4))


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
