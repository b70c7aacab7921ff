"""The commands `ttt prove qubic`, which finds the proof afresh, and `ttt verify qubic`, which checks one."""

from __future__ import annotations

import errno
import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ttt.progress import bar
from ttt.terminal import INTERRUPTED, stop, stop_for

if TYPE_CHECKING:  # numba comes with it
    from ttt.qubic.prover import Progress


class Game(StrEnum):
    """What can be proved."""

    QUBIC = "qubic"


def prove(
    game: Annotated[Game, typer.Argument(help="What to prove: that the first player wins 4×4×4.")],
    out: Annotated[Path, typer.Option(help="The file for the certificate.")] = Path("qubic.proof"),
    minimise: Annotated[int, typer.Option(min=0, max=2, help="0 as found, 1 smaller, 2 smallest: some minutes.")] = 1,
) -> None:
    """Find the proof afresh that the first player wins 4×4×4, write its certificate, and verify it.

    It takes about a minute, and needs numba. Four openings of the first player's are known to have small proofs: his
    second move is looked for there, all others of his among the most promising, and every reply is searched. Ctrl-C
    stops it, and then nothing is written.
    """
    try:
        from ttt.qubic import certificate, prover
    except ImportError as missing:
        stop(f"The proof needs numba: pip install numba ({missing}).")
    begun = time.monotonic()
    try:
        with _whole(out) as part, _status() as show, _interrupts() as interrupted:
            proof = prover.prove(lambda progress: show(_told(progress)), interrupted, minimise)
            certificate.save(proof.certificate, part)
    except (prover.NumbaMissing, prover.TooBig) as error:
        stop(str(error))
    except (prover.Stopped, KeyboardInterrupt):
        stop("Stopped: nothing is written.", INTERRUPTED)
    except OSError as error:
        stop_for(error, out)
    typer.echo(
        f"The first player wins. Found in {time.monotonic() - begun:.0f} s: {proof.nodes:,} nodes, "
        f"{proof.memory >> 20:,} MB, {len(proof.certificate):,} strategic positions."
    )
    typer.echo(f"The certificate is {out}, {out.stat().st_size:,} bytes.")
    verify(game, out)


def verify(
    game: Annotated[Game, typer.Argument(help="What the certificate is about.")],
    file: Annotated[
        Path | None, typer.Argument(help="The certificate; the one that comes with the lab by default.")
    ] = None,
    dump: Annotated[
        Path | None, typer.Option(help="A file for every strategic position: attacker, defender, move.")
    ] = None,
) -> None:
    """Check a certificate that the first player wins 4×4×4, in plain Python: every reply, to the last forced win."""
    from ttt.qubic import certificate, verifier

    path = file or certificate.SHIPPED
    begun = time.monotonic()
    try:
        moves = certificate.load(path)
        if dump and dump.exists() and dump.samefile(path):
            stop(f"{dump} is the certificate itself: the dump needs a file of its own.")
        with (
            bar("positions", len(moves)) as reach,
            _whole(dump) if dump else nullcontext() as part,
            part.open("w", encoding="utf-8") if part else nullcontext() as lines,
        ):
            found = verifier.verify(moves, lambda known, _: reach(known), lines)
    except (certificate.NotACertificate, certificate.ProofError) as error:
        stop(f"{path} is refused. {error}")
    except OSError as error:
        stop_for(error, path)
    except KeyboardInterrupt:
        stop("Stopped: nothing is proved.", INTERRUPTED)
    typer.echo(
        f"The proof holds: the first player wins 4×4×4. Checked in {time.monotonic() - begun:.0f} s: "
        f"{found.strategic:,} strategic positions, {found.replies:,} replies, {found.forced_wins:,} forced wins."
    )


@contextmanager
def _whole(path: Path) -> Iterator[Path]:
    """Where to write a file that is to be there once it is whole; that it can't be written is found out at once."""
    part = path.with_name(f".{path.name}.part")
    try:
        part.touch()
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        yield part
        part.replace(path)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None
    finally:
        with suppress(OSError):
            part.unlink()


@contextmanager
def _interrupts() -> Iterator[Callable[[], bool]]:
    """Whether there was a Ctrl-C. Raised as an exception it could get lost where numba compiles; a second one is."""
    asked: list[int] = []

    def ask(number: int, frame: object) -> None:
        asked.append(number)
        signal.signal(signal.SIGINT, before)

    before = signal.signal(signal.SIGINT, ask)
    try:
        yield lambda: bool(asked)
    finally:
        signal.signal(signal.SIGINT, before)


def _told(progress: Progress) -> str:
    """One line on how far the prover is. Numbers grow beyond all bounds where a branch is given up."""
    numbers = f"proof number {progress.proof:,}, disproof number {progress.disproof:,}, " if progress.proof else ""
    smallest = f", {progress.strategic:,} strategic positions" if progress.strategic else ""
    return f"{progress.stage}: {numbers}{progress.nodes:,} nodes, {progress.memory >> 20:,} MB{smallest}"


@contextmanager
def _status() -> Iterator[Callable[[str], None]]:
    """What shows one line that keeps changing; where there is no terminal, a line for each new stage."""
    from rich.console import Console

    console, stages = Console(stderr=True, highlight=False), set[str]()
    with console.status("compiling") as status:

        def show(line: str) -> None:
            status.update(line)
            stage = line.partition(":")[0]
            if not console.is_terminal and stage not in stages:
                stages.add(stage)
                console.print(line)

        yield show
