"""Search by machine code, for boards of any shape; without numba the same in plain Python."""

from ttt.search.engine.tasks import search

__all__ = ["search"]
