"""The rule-based computer: the five rules in its code and the eight in its report.

Source: the rule-based report, section "Game Play" (eight rules, after Newell and Simon) and its appendix (five). A
rule is a function from a board to the cells it proposes to the side to move, or to none if it doesn't apply; the
first rule that applies decides. With the eight, the player never loses a game it has played from the start; since it
doesn't look ahead, it may give away a draw or a win in positions its own play would not have reached.
"""

from collections.abc import Callable, Iterable, Sequence

from ttt.board import Board, CellTaken, Mark, opponent, require_board
from ttt.geometry import Line
from ttt.players.player import Player, PlayerError, Policy, evenly

Rule = Callable[[Board], Sequence[int]]

CORNERS, EDGES = (0, 2, 6, 8), (1, 3, 5, 7)
KEYPAD = (6, 7, 8, 3, 4, 5, 0, 1, 2)  # the cells for the keys 1 to 9; as on a number pad, 7 8 9 is the top row


def threats(board: Board, player: Mark, added: int | None = None) -> tuple[Line, ...]:
    """The lines a player could complete with one mark: one cell is free and all the others are the player's.

    It doesn't matter whose turn it is. With `added`, the player first gets a mark in that free cell.
    Raises `BoardError`.

    >>> threats(Board.from_text("XX- OO- ---"), "O")
    ((3, 4, 5),)
    """
    require_board(board, "threats()")
    opponent(player)  # raises an error for anything but "X" and "O"
    marks = list(board)
    if added is not None:
        if board[added] != "-":
            raise CellTaken(f"`added` must be a free cell, but cell {added} holds {board[added]}.")
        marks[board.cell(added)] = player
    lines = [(line, [marks[cell] for cell in line]) for line in board.line_cells]
    return tuple(line for line, found in lines if found.count(player) == board.k - 1 and "-" in found)


def win(board: Board) -> tuple[int, ...]:
    """Rule 1: if you have two in a row, play the third."""
    require_board(board, "win()")
    return _completing(board, board.turn)


def block(board: Board) -> tuple[int, ...]:
    """Rule 2: if the opponent has two in a row, play the third."""
    require_board(board, "block()")
    return _completing(board, opponent(board.turn))


def fork(board: Board, player: Mark | None = None) -> tuple[int, ...]:
    """Rule 3: play where you get two threats at once, because the opponent can block only one."""
    require_board(board, "fork()")
    side = board.turn if player is None else player
    return tuple(cell for cell in board.moves if len(threats(board, side, cell)) >= 2)


def block_fork(board: Board) -> tuple[int, ...]:
    """Rule 4: if the opponent could fork, threaten so that it must reply elsewhere; if you can't, play there yourself.

    A threat won't do if the reply it forces is the opponent's fork.
    """
    require_board(board, "block_fork()")
    forks = fork(board, opponent(board.turn))
    forcing = []
    for cell in board.moves if forks else ():
        after = board.play(cell)
        forced = block(after)
        if forced and not set(forced) & set(fork(after)):
            forcing.append(cell)
    return tuple(forcing) or forks


def centre(board: Board) -> tuple[int, ...]:
    """Rule 5: play the centre."""
    return _free(board, (4,))


def opposite_corner(board: Board) -> tuple[int, ...]:
    """Rule 6: if the opponent is in a corner, play the opposite corner."""
    return tuple(corner for corner in empty_corner(board) if board[8 - corner] == opponent(board.turn))


def empty_corner(board: Board) -> tuple[int, ...]:
    """Rule 7: play any corner."""
    return _free(board, CORNERS)


def empty_edge(board: Board) -> tuple[int, ...]:
    """Rule 8: play any edge cell."""
    return _free(board, EDGES)


RULES: tuple[tuple[str, Rule], ...] = (
    ("win", win),
    ("block", block),
    ("fork", fork),
    ("block the opponent's fork", block_fork),
    ("centre", centre),
    ("opposite corner", opposite_corner),
    ("empty corner", empty_corner),
    ("empty edge", empty_edge),
)


def which_rule(board: Board) -> tuple[str, Sequence[int]]:
    """The first of the eight rules that applies, by name, and the cells it proposes.

    Raises `GameOver`, and `PlayerError` unless the board is 3×3.

    >>> which_rule(Board.from_text("X-- -O- --X"))
    ("block the opponent's fork", (1, 3, 5, 7))
    """
    DOCUMENTED.require_turn(board)
    return next((name, cells) for name, rule in RULES if (cells := rule(board)))


def rule_based(rules: Sequence[Rule], name: str = "rule-based", about: str = "") -> Player:
    """The player that follows a list of rules: it plays a cell proposed by the first rule that applies.

    If a rule proposes several cells, they are equally likely. If no rule applies, it plays any free cell.

    >>> rule_based([win, block]).policy(Board.from_text("XX- OO- ---"))
    {2: 1.0}
    """
    if not isinstance(rules, Sequence) or not all(map(callable, rules)):
        raise PlayerError(f"`rule_based()` needs a list of functions board → cells, not {rules!r}.")

    def policy(board: Board) -> Policy:
        for rule in rules:
            cells = rule(board)
            if not isinstance(cells, Iterable | None):
                raise PlayerError(f"A rule must return a tuple of cells, such as (4,), not {cells!r}.")
            if cells:
                return evenly(cells)
        return evenly(board.moves)

    return Player(name, policy, about, shape=(3, 3))


def _coded(board: Board) -> Policy:
    """The rule-based report's five coded rules: win, block, centre, corner, edge cell."""
    cells = win(board) or block(board)
    if cells:
        return {min(cells, key=KEYPAD.index): 1.0}
    return evenly(centre(board) or empty_corner(board) or empty_edge(board))


def _free(board: Board, cells: Line) -> tuple[int, ...]:
    require_board(board, "A rule")
    return tuple(cell for cell in cells if board[cell] == "-")


def _completing(board: Board, player: Mark) -> tuple[int, ...]:
    return tuple(sorted({cell for line in threats(board, player) for cell in _free(board, line)}))


CODED = Player("rules-coded", _coded, shape=(3, 3))
DOCUMENTED = rule_based(
    [rule for _, rule in RULES],
    "rules",
    "The rule report's eight documented rules; ties are broken at random.",
)
