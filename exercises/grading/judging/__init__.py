"""Asks submissions in the sandbox, and gives points for their answers."""
