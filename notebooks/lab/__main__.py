"""Open the lab: `python -m lab`, on Linux, macOS and Windows.

It trusts the notebooks, so that the boards and trees kept in them are shown as drawings, and opens JupyterLab on the
first lesson, or on the one you name.
"""

import argparse
import logging
import os
import subprocess
import sys
from pathlib import Path

FIRST = "00_play"


def main(arguments: list[str] | None = None) -> int:
    """Open a lesson in JupyterLab, and return when JupyterLab is stopped."""
    parser = argparse.ArgumentParser(
        prog="python -m lab",
        description="Trust the lab's notebooks and open JupyterLab on a lesson.",
        epilog="Any other options go to JupyterLab, such as --port=9999 or --no-browser.",
    )
    parser.add_argument("notebook", nargs="?", default=FIRST, help="such as 6 or heuristic_1 (default: %(default)s)")
    parser.add_argument("--trust", action="store_true", help="trust the notebooks, and do nothing else")
    options, others = parser.parse_known_args(arguments)
    root = _root()
    notebooks = [*root.glob("notebooks/*.ipynb"), *root.glob("exercises/*/*.ipynb")]
    name = Path(options.notebook).stem
    name = name.zfill(2) if name.isdigit() else name  # lesson 1 is 01
    chosen = [path for path in sorted(notebooks) if path.stem.startswith(name)]
    if not notebooks:
        parser.error("there are no lessons here. Run it in the lab's folder, the one with notebooks/ in it.")
    if not chosen:
        names = ", ".join(sorted(path.stem for path in notebooks))
        parser.error(f"there is no notebook {options.notebook}. The notebooks are {names}.")
    _trust(notebooks)
    return 0 if options.trust else _open(root, chosen[0], others)


def _root() -> Path:
    """The lab's folder: the one this package is in, or, if that was installed elsewhere, the current one."""
    here = Path(__file__).resolve().parents[2]
    return here if (here / "notebooks" / f"{FIRST}.ipynb").exists() else Path.cwd()


def _trust(notebooks: list[Path]) -> None:
    """Let JupyterLab show what the notebooks keep."""
    command = [sys.executable, "-m", "jupyter", "trust", "--log-level=ERROR", *map(str, notebooks)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def _open(root: Path, notebook: Path, others: list[str]) -> int:
    """Run JupyterLab until it is stopped. Its tabs are those of this environment, and its terminals find `ttt`."""
    from jupyterlab.labapp import LabApp

    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    options = ["--Application.log_level=ERROR", f"--ServerApp.root_dir={root}", "--ServerApp.answer_yes=True"]
    options += [f"--LabApp.workspaces_dir={Path(sys.prefix) / 'workspaces'}"]
    options += [f"--LabApp.default_url=/lab/tree/{notebook.relative_to(root).as_posix()}"]
    if os.name == "posix":  # a shell that is not a login shell, which might set another PATH
        options += [f"--ServerApp.terminado_settings=shell_command=['{os.environ.get('SHELL', 'sh')}']"]
        if os.geteuid() == 0:
            options += ["--allow-root"]
    server = LabApp.initialize_server([*options, *others])
    server.log.addFilter(lambda record: record.levelno == logging.ERROR)  # what is critical to Jupyter is said below
    print(f"The lab is open at {server.public_url}\nCtrl+C ends it.", flush=True)
    server.start()
    return 0


if __name__ == "__main__":
    sys.exit(main())
