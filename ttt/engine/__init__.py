"""Search by machine code: for boards of any shape, and faster still for 4×4×4; without numba the same in Python."""
