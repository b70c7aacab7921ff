"""The searches once more, for those who watch: every step is told, and the same nodes are visited."""

from __future__ import annotations

from math import inf

from ttt.board import Board
from ttt.record import Search, Step, Watch
from ttt.search.notes import Notes


def tell_steps(notes: Notes, method: str, watch: Watch, window: tuple[float, float] = (-inf, inf)) -> Search:
    """What `alphabeta` does, or, if the notes are of a search that never cuts off, minimax. It tells every `Step`."""

    def worth(board: Board, alpha: float, beta: float, ply: int) -> float:
        """What a board is worth to the side to move, as far as it lies between alpha and beta."""

        def tell(kind: str, value: float | None = None, move: int | None = None) -> None:
            watch(Step(kind, board, ply, alpha, beta, value, move))

        known = notes.visit_or_recall(board, ply, alpha, beta)
        tell("visit" if known is None else "leaf", known)
        if known is not None:
            return known
        best, floor = -inf, alpha
        moves = tuple(notes.moves(board, ply))
        for move in notes.order(board, ply):
            if move not in moves:
                watch(Step("symmetric", board, ply, -inf, inf, None, move))
        for tried, move in enumerate(moves):
            value = ask(board.play(move), alpha, beta, ply, scouts=notes.options.pvs and tried > 0)
            tell("value", value, move)
            if value > best:
                best = value
                notes.better(move, ply, best, alpha, beta)
                if notes.cuts:
                    alpha = max(alpha, best)
                if alpha >= beta:
                    notes.cut(move, ply, tried)
                    tell("cut", best, move)
                    break
        alpha = floor
        notes.remember(board, ply, best, alpha, beta)
        tell("return", best)
        return best

    def ask(board: Board, alpha: float, beta: float, ply: int, scouts: bool) -> float:
        """What a move to this board is worth to the side that makes it."""
        if scouts:
            value = -worth(board, -alpha - 1, -alpha, ply + 1)
            if not alpha < value < beta:
                return value
        return -worth(board, -beta, -alpha, ply + 1)

    for _ in notes.depths():
        value = worth(notes.board, *window, 0)
    return notes.record(method, value)
