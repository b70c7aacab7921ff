"""What the commands share: how they are found, and how they stop early."""

from __future__ import annotations

import importlib
from typing import Any, ClassVar, NoReturn

import typer
from typer.core import TyperGroup

INTERRUPTED = 130  # the exit status that a shell gives a command ended by Ctrl-C


def stop(why: str, status: int = 1) -> NoReturn:
    """End a command with a sentence that says why."""
    typer.echo(why, err=True)
    raise typer.Exit(status)


def stop_for(error: OSError, file: object) -> NoReturn:
    """End a command that can't read or write a file: the one that the error names, or else this one."""
    stop(f"{error.filename or file} can't be read or written: {error.strerror or error}.")


class Commands(TyperGroup):
    """Commands of which some are imported only when they are called, so that the others start faster."""

    later: ClassVar[dict[str, tuple[str, str]]] = {}  # a command's name: its module, and the function there

    def list_commands(self, ctx: Any) -> list[str]:
        """The names of all commands."""
        return [*super().list_commands(ctx), *self.later]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """A command by its name, or None."""
        if cmd_name not in self.later:
            return super().get_command(ctx, cmd_name)
        module, function = self.later[cmd_name]
        alone = typer.Typer(add_completion=False)
        alone.command(cmd_name)(getattr(importlib.import_module(module), function))
        return typer.main.get_command(alone)
