"""What the boards have in common on which a function goes wrong, for when no mistake explains it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from ttt.board import Board, Mark, opponent
from ttt.exercises.answers import Question


def _alone(board: Board, player: Mark) -> bool:
    """Whether a player has two marks or more in a line that is not completed, and without one of the opponent's."""
    lines = (line for line in board.lines if opponent(player) not in line)
    return any(1 < line.count(player) < board.k for line in lines)


TRAITS: dict[str, Callable[[Board, Mark], bool]] = {
    "have been won by the player": lambda board, player: board.winner == player,
    "have been won by the opponent": lambda board, player: board.winner == opponent(player),
    "have been won": lambda board, player: board.winner is not None,
    "are full": lambda board, player: not board.moves,
    "are seen from X": lambda board, player: player == "X",
    "are seen from O": lambda board, player: player == "O",
    "are seen from the side to move": lambda board, player: player == board.turn,
    "are seen from the side that has just moved": lambda board, player: player != board.turn,
    "have two of the player's marks or more in a line, and none of the opponent's": _alone,
    "have two of the opponent's marks or more in a line, and none of the player's": lambda board, player: _alone(
        board, opponent(player)
    ),
    "have a blocked line, which holds marks of both sides": lambda board, player: any(
        "X" in line and "O" in line for line in board.lines
    ),
    "have marks of both sides": lambda board, player: bool(board.x and board.o),
}
MOST_TOLD = 2


def in_common(takes: Sequence[str], questions: Sequence[Question], wrong: Collection[int]) -> str:
    """A sentence on what questions have in common that are answered wrongly; "" if nothing is known.

    Args:
        takes: what the function is given, as in `Exercise`.
        wrong: the places of the questions that are answered wrongly.
    """
    if "depth" in takes:
        return _depth_told([question[takes.index("depth")] for question in questions], wrong)
    if "player" in takes:
        return shared(questions, wrong)
    return shared([(question[0], question[0].turn) for question in questions], wrong)


def _depth_told(depths: Sequence[int], wrong: Collection[int]) -> str:
    """A sentence on how far ahead a search is right; "" if it goes wrong even at depth 0."""
    least = min(depths[place] for place in wrong)
    if not least:
        return ""
    return f"Everything comes out right up to depth {least - 1}; at depth {least} something goes wrong."


def shared(questions: Sequence[Question], wrong: Collection[int]) -> str:
    """A sentence on what all the wrong boards have in common, but not all the right ones; "" if nothing is known.

    Args:
        wrong: the places of the questions that are answered wrongly.
    """
    failed = [questions[place] for place in wrong]
    common = [name for name, trait in TRAITS.items() if failed and all(trait(*question) for question in failed)]
    told: list[str] = []
    left = [question for place, question in enumerate(questions) if place not in wrong]
    while common and left and len(told) < MOST_TOLD:
        kept = {name: [question for question in left if TRAITS[name](*question)] for name in common}
        name = min(kept, key=lambda name: len(kept[name]))
        if len(kept[name]) == len(left):
            break
        told.append(name)
        left = kept[name]
    if not told:
        return ""
    only = "" if left else ", and no board that comes out right is like that"
    return f"All boards that come out wrong {' and '.join(told)}{only}."
