"""The command `ttt app`: the boards as a page without code."""

from __future__ import annotations

import logging
from contextlib import suppress
from pathlib import Path
from socket import SO_REUSEADDR, SOL_SOCKET, socket
from typing import Annotated

import typer

from ttt.terminal import stop


def app_command(
    dark: Annotated[bool, typer.Option("--dark", help="Begin with a dark page; a switch is on the page.")] = False,
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Where to serve; if it is taken, or 0, a free port.")
    ] = 8866,
    browser: Annotated[bool, typer.Option(help="Whether to open a browser, if there is one.")] = True,
) -> None:
    """Serve the boards as an app without code, large enough for a lecture hall. Ctrl+C ends it."""
    try:
        from voila.app import Voila
    except ModuleNotFoundError:
        stop("The app needs Voilà. In the lab's folder: .venv/bin/python -m pip install --editable '.[app]'")
    port = _free_port(port)
    options = [f"--port={port}", f"--theme={'dark' if dark else 'light'}", "--Voila.ip=127.0.0.1"]
    options += [f"--Voila.open_browser={browser}", "--Voila.log_level=CRITICAL"]
    options += [f"--MappingKernelManager.cull_{what}" for what in ("idle_timeout=120", "interval=30")]  # closed pages
    logging.disable(logging.WARNING)  # the terminal shows the address only
    typer.echo(f"The boards are at http://127.0.0.1:{port}/. Ctrl+C ends the app.")
    Voila.launch_instance([str(Path(__file__).parents[1] / "widgets" / "app.ipynb"), *options])


def _free_port(wanted: int) -> int:
    """This port, or any other if it is taken."""
    for port in (wanted, 0):
        with socket() as probe, suppress(OSError):
            probe.setsockopt(SOL_SOCKET, SO_REUSEADDR, 1)
            probe.bind(("127.0.0.1", port))
            return int(probe.getsockname()[1])
    raise OSError("There is no free port.")
