"""A picture of a submitted interface: its saved widgets, drawn by Chromium in a sandbox without a network.

The browser also runs the student's own styles and scripts, so they get no further than this sandbox. Without bubblewrap
or Chromium there is no picture.
"""

from __future__ import annotations

import resource
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
SANDBOX = (
    "--unshare-all --die-with-parent --new-session --clearenv --setenv HOME /tmp --setenv PATH /usr/bin "
    "--ro-bind /usr /usr --symlink usr/bin /bin --symlink usr/lib /lib --symlink usr/lib64 /lib64 "
    "--proc /proc --dev /dev --tmpfs /tmp --tmpfs /run"
)
READABLE = ("/etc/fonts", "/etc/chromium.d", "/etc/alternatives", "/opt/google")  # what a browser needs besides /usr
SECONDS = 30
LIMITS = {
    resource.RLIMIT_CPU: SECONDS,
    resource.RLIMIT_DATA: 1 << 30,
    resource.RLIMIT_FSIZE: 32 << 20,
}


def take(saved: dict[str, object], target: Path) -> str:
    """Draw saved widgets into a PNG file; returns a sentence on the picture, or on why there is none.

    Args:
        saved: the state of all widgets and the root's id, as `interface_server.Server.picture` returns them.
    """
    if "raised" in saved:
        return f"There is no picture. The interface could not be saved: {saved['raised']}"
    bubblewrap, browser = shutil.which("bwrap"), next(filter(None, map(shutil.which, BROWSERS)), None)
    if bubblewrap is None or browser is None:
        return "There is no picture. It takes bubblewrap and Chromium."
    with TemporaryDirectory(prefix="ttt-picture-") as folder:
        page = Path(folder)
        (page / "index.html").write_text(render("picture.html", saved=saved), encoding="utf-8")
        shutil.copyfile(CONTROLS, page / "controls.js")
        shutil.copyfile(ANYWIDGET, page / "anywidget.js")
        binds = [word for path in READABLE if Path(path).exists() for word in ("--ro-bind", path, path)]
        command = [bubblewrap, *SANDBOX.split(), *binds, "--bind", folder, "/page", browser, *FLAGS.split()]
        try:
            subprocess.run(command, capture_output=True, timeout=SECONDS, check=False, preexec_fn=_limit)
        except subprocess.TimeoutExpired:
            return f"There is no picture. The browser was still drawing after {SECONDS} seconds."
        picture = page / "picture.png"
        if not picture.is_file() or picture.is_symlink():
            return "There is no picture. The browser could not draw it."
        shutil.copyfile(picture, target)
    return f"The picture is {target.name}."


def _limit() -> None:
    for limit, value in LIMITS.items():
        resource.setrlimit(limit, (value, value))
