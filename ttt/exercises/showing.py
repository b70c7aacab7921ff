"""What the check shows: the board that went wrong, with what counts on it."""

from __future__ import annotations

from collections.abc import Sequence

from ttt.board import Board
from ttt.exercises.answers import Answer, Drawing
from ttt.exercises.exercise import Case
from ttt.svg import Picture, beside, draw


def picture(case: Case, answer: Answer | None = None, more: Sequence[Drawing] = ()) -> Picture | None:
    """The board, once for each of the case's drawings, and once for each of a mistake's.

    Args:
        answer: the answer that was given, if the question is answered wrongly.
    """
    if not isinstance(case.question[0], Board):  # a tree on paper
        return None
    drawings = [*case.drawings, *more]
    pictures = [draw(case.board, lines=one.lines, player=one.player, caption=one.caption) for one in drawings]
    return beside(pictures or [draw(case.board)])
