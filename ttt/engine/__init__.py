"""Search by machine code, for boards of any shape; without numba the same in plain Python."""

from ttt.engine.search import find

__all__ = ["find"]
