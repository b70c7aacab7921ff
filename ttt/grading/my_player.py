"""The key of the challenge's check: any legal move is right."""

from functools import cache

from ttt.exercises import positions
from ttt.grading.key import Key, Slip, on_boards


@cache
def key() -> Key:
    """The key. The boards have six free cells at most, so that a player may search them to the end of the game."""
    boards = [board for board in positions((3, 3), 3) if len(board.moves) <= 6 and not board.over]
    return on_boards("my_player", lambda board: board.moves[0], boards[::90], SLIPS, returns="move")


SLIPS: tuple[Slip, ...] = ()
