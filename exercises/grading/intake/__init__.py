"""Reads what a class handed in, in any layout, in a process that may fail; runs none of it."""
