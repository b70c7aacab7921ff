"""A picture of a submitted interface: its saved widgets, drawn by Chromium in a jail without a network.

The student's own styles and scripts are drawn as well, so that is how far they get. Where bubblewrap or Chromium is
missing there is no picture.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

import anywidget
import widgetsnbextension

from ttt.grading.pages import render

CONTROLS = Path(widgetsnbextension.__file__).parent / "static" / "extension.js"
ANYWIDGET = Path(anywidget.__file__).parent / "nbextension" / "index.js"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--headless=new --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --hide-scrollbars --user-data-dir=/tmp/profile "
    "--window-size=900,900 --virtual-time-budget=5000 --screenshot=/page/picture.png file:///page/index.html"
)
JAIL = (
    "--unshare-all --die-with-parent --new-session --clearenv --setenv HOME /tmp --setenv PATH /usr/bin "
    "--ro-bind /usr /usr --symlink usr/bin /bin --symlink usr/lib /lib --symlink usr/lib64 /lib64 "
    "--proc /proc --dev /dev --tmpfs /tmp --tmpfs /run"
)
READ = ("/etc/fonts", "/etc/chromium.d", "/etc/alternatives", "/opt/google")  # what a browser needs beside /usr
PATIENCE = 30  # seconds


class NoPicture(RuntimeError):
    """No picture can be taken; the message says why."""


def take(saved: dict[str, object], target: Path) -> str:
    """Draw saved widgets into a PNG file; returns a sentence on where it is. Raises `NoPicture`.

    Args:
        saved: the widgets' state by model, and the root's, as `stage.Stage.picture` tells them.
    """
    if "error" in saved:
        raise NoPicture(f"The interface could not be saved: {saved['error']}.")
    jail, browser = shutil.which("bwrap"), next(filter(None, map(shutil.which, BROWSERS)), None)
    if jail is None or browser is None:
        raise NoPicture("One needs bubblewrap and Chromium here.")
    with TemporaryDirectory(prefix="ttt-picture-") as place:
        page = Path(place)
        _lay_out(page, saved)
        binds = [word for folder in READ if Path(folder).exists() for word in ("--ro-bind", folder, folder)]
        command = [jail, *JAIL.split(), *binds, "--bind", str(page), "/page", browser, *FLAGS.split()]
        try:
            subprocess.run(command, capture_output=True, timeout=PATIENCE, check=False)
        except subprocess.TimeoutExpired:
            raise NoPicture(f"The browser was still drawing after {PATIENCE} seconds.") from None
        if not (page / "picture.png").is_file() or (page / "picture.png").is_symlink():
            raise NoPicture("The browser could not draw it.")
        shutil.copyfile(page / "picture.png", target)
    return f"The picture is {target.name}."


def _lay_out(page: Path, saved: dict[str, object]) -> None:
    """The page and the bundles that draw it; what was saved can't end the element that it stands in."""
    (page / "index.html").write_text(render("picture.html", saved=saved), encoding="utf-8")
    shutil.copyfile(CONTROLS, page / "controls.js")
    shutil.copyfile(ANYWIDGET, page / "anywidget.js")
