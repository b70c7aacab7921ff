"""The commands `ttt prove qubic`, which finds the proof afresh, and `ttt verify qubic`, which checks one."""

import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from ttt.cli.terminal import INTERRUPTED, stop, stop_for
from ttt.qubic import certificate

Game = Literal["qubic"]


def prove(
    game: Annotated[Game, typer.Argument(help="What to prove: that the first player wins 4×4×4.")],
    out: Annotated[Path, typer.Option(help="The file for the certificate.")] = Path("qubic.proof"),
    minimise: Annotated[
        int, typer.Option(min=0, max=2, help="0: the proof as found; 1: a smaller one; 2: the smallest, some minutes.")
    ] = 1,
) -> None:
    """Find a proof that the first player wins 4×4×4, write its certificate, and verify it.

    It takes about a minute, and needs numba. The first player's second move is one of four that are known to have small
    proofs, his later moves are among the most promising, and every reply is searched. Ctrl-C stops it, and then nothing
    is written.
    """
    if find_spec("ttt.qubic.prover") is None:
        stop("The prover is not part of the students' lab: it comes with the lab's repository.")
    try:
        from ttt.qubic import prover
    except ImportError as missing:
        stop(f"The prover needs numba: pip install numba ({missing}).")
    if out.is_dir() or not os.access(out.parent, os.W_OK):  # said now rather than after the work
        stop(f"{out} can't be read or written.")
    begun = time.monotonic()
    try:
        with _progress() as show:
            proof = prover.prove(show, minimise)
        out.write_bytes(prover.to_bytes(proof.certificate))
    except prover.ProverError as error:
        stop(str(error))
    except KeyboardInterrupt:
        stop("Stopped: nothing was written.", INTERRUPTED)
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
    file: Annotated[Path | None, typer.Argument(help="The certificate; by default the one in the lab.")] = None,
) -> None:
    """Check a certificate that the first player wins 4×4×4: every reply, to the last forced win."""
    from ttt.qubic import verifier

    path = file or certificate.SHIPPED
    begun = time.monotonic()
    try:
        found = verifier.verify(certificate.load(path), first=True)
    except (certificate.NotACertificate, verifier.ProofError) as error:
        stop(f"{path} is refused. {error}")
    except OSError as error:
        stop_for(error, path)
    except KeyboardInterrupt:
        stop("Stopped: nothing was proved.", INTERRUPTED)
    typer.echo(
        f"The proof holds: the first player wins 4×4×4. Checked in {time.monotonic() - begun:.0f} s: "
        f"{found.strategic:,} strategic positions, {found.replies:,} replies, {found.forced_wins:,} forced wins."
    )


@contextmanager
def _progress() -> Iterator[Callable[[str, str], None]]:
    """A function that shows what the prover does and, in a terminal, how far it is.

    It raises `KeyboardInterrupt` after Ctrl-C, which could get lost while numba compiles; a second one stops at once.
    """
    stages: list[str] = []
    interrupts: list[int] = []

    def note(number: int, _: Any) -> None:
        interrupts.append(number)
        if len(interrupts) > 1:
            raise KeyboardInterrupt

    def show(stage: str, figures: str) -> None:
        if interrupts:
            raise KeyboardInterrupt
        if stage not in stages:
            stages.append(stage)
            typer.echo(f"{stage} …", err=True)
        if sys.stderr.isatty():
            typer.echo(f"\r\x1b[K{figures}\r", err=True, nl=False)

    before = signal.signal(signal.SIGINT, note)
    try:
        yield show
    finally:
        signal.signal(signal.SIGINT, before)
