"""The commands `ttt prove qubic`, which finds the proof afresh, and `ttt verify qubic`, which checks one."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from enum import StrEnum
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from ttt.pools import interrupts
from ttt.qubic import certificate
from ttt.store import written_whole
from ttt.terminal import INTERRUPTED, stop, stop_for


class Game(StrEnum):
    """What can be proved."""

    QUBIC = "qubic"


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
    begun = time.monotonic()
    try:
        with written_whole(out) as part, _status() as show:
            proof = prover.prove(show, minimise)
            certificate.save(proof.certificate, part)
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
    dump: Annotated[
        Path | None, typer.Option(help="A file for all strategic positions: attacker, defender, move.")
    ] = None,
) -> None:
    """Check a certificate that the first player wins 4×4×4: every reply, to the last forced win."""
    from ttt.qubic import verifier

    path = file or certificate.SHIPPED
    begun = time.monotonic()
    try:
        moves = certificate.load(path)
        if dump and dump.exists() and dump.samefile(path):
            stop(f"{dump} is the certificate itself. Choose another file for the dump.")
        with written_whole(dump) if dump else nullcontext() as part:
            found = verifier.verify(moves, first=True)
            if part:
                part.write_text(
                    "".join(f"{a:016x} {d:016x} {cell}\n" for (a, d), cell in moves.items()), encoding="ascii"
                )
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
def _status() -> Iterator[Callable[[str, str], None]]:
    """A function that shows what the prover does and, in a terminal, how far it is.

    It raises `KeyboardInterrupt` after Ctrl-C, which as an exception could get lost while numba compiles.
    """
    from rich.console import Console

    console, stages = Console(stderr=True, highlight=False), set[str]()
    with console.status("compiling") as status, interrupts() as interrupted:

        def show(stage: str, figures: str) -> None:
            if interrupted.is_set():
                raise KeyboardInterrupt
            if stage not in stages:
                console.print(f"{stage} …")
            stages.add(stage)
            status.update(figures)

        yield show
