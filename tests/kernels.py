"""Kernels that start quickly: each is a fork of one process, which has imported the large packages that lessons need.

A test run starts that process by `kernels.py serve ADDRESS`; it imports nothing before the first kernel. A kernel's
command is `kernels.py ADDRESS FILE`, which asks for a fork, passes signals on to it, and ends when it ends.
"""

import gc
import json
import os
import signal
import socket
import sys
import threading
from contextlib import suppress
from importlib import import_module
from pathlib import Path

WANTED = ("ipykernel.kernelapp", "matplotlib.figure", "pandas")  # not what looks for IPython when it is imported
AVAILABLE = sys.platform == "linux"  # elsewhere, what is imported may not survive a fork


def serve(address: str) -> None:
    """Fork a kernel for each request, until this process is terminated."""
    server = socket.socket(socket.AF_UNIX)
    server.bind(address)
    server.listen()
    signal.signal(signal.SIGCHLD, _reap)  # so that the time of all kernels is counted
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())
    os.environ["MPLBACKEND"] = "module://matplotlib_inline.backend_inline"  # plots are drawn in the notebook
    while True:
        connection, _ = server.accept()
        asked = json.loads(connection.makefile().readline())
        for name in WANTED:
            import_module(name)
        gc.freeze()  # or each fork would copy what is imported as soon as it collects garbage
        if not os.fork():
            _become_kernel(connection, asked)
        connection.close()


def _reap(*_: object) -> None:
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def _become_kernel(connection: socket.socket, asked: dict) -> None:
    """Turn this fork into a kernel, which ends with whoever asked for it."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    os.chdir(asked["folder"])
    os.environ.clear()
    os.environ |= asked["environment"]
    sys.path[:1] = os.environ.get("PYTHONPATH", "").split(os.pathsep)  # in place of this file's folder
    del os.environ["JPY_PARENT_PID"]  # of the one that asked, which is no parent of this
    connection.sendall(f"{os.getpid()}\n".encode())
    threading.Thread(target=lambda: connection.recv(1) or os._exit(0), daemon=True).start()
    from ipykernel.kernelapp import launch_new_instance

    sys.argv = ["ipykernel_launcher", "-f", asked["file"]]
    launch_new_instance()
    os._exit(0)


def main(address: str, file: str) -> None:
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(address)
    asked = {"file": file, "folder": str(Path.cwd()), "environment": dict(os.environ)}
    connection.sendall(f"{json.dumps(asked)}\n".encode())
    kernel = int(connection.makefile().readline())
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda number, _: os.kill(kernel, number))
    connection.recv(1)


if __name__ == "__main__":
    serve(sys.argv[2]) if sys.argv[1] == "serve" else main(*sys.argv[1:])
