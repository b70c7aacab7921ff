"""How all commands stop early: with a sentence, and an exit status."""

from typing import NoReturn

import typer

INTERRUPTED = 130  # the exit status that a shell gives a command ended by Ctrl-C


def stop(why: str, status: int = 1) -> NoReturn:
    """End a command with a sentence that says why."""
    typer.echo(why, err=True)
    raise typer.Exit(status)


def stop_for(error: OSError, file: object) -> NoReturn:
    """End a command that can't read or write a file: the one that the error names, or else this one."""
    stop(f"{error.filename or file} can't be read or written: {error.strerror or error}.")
