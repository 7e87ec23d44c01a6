"""Attempts of confined processes, for `test_confine.py`: prints the error number of each, 0 where it succeeds.

In a process of its own, since tests that ran before in the same one may have started threads, which do not survive a fork.
"""

from __future__ import annotations

import errno
import json
import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

from hloscope.app.processes.confine import fork


def _read_and_answer() -> None:
    ours, theirs = socket.socketpair()
    ours.sendall(Path(json.__file__).read_bytes()[:10])
    assert len(theirs.recv(10)) == 10


def _share(kind: str) -> None:
    if os.readlink(f"/proc/self/ns/{kind}") != SERVER[kind]:
        raise PermissionError(errno.EPERM, "it has its own")


KINDS = ("user", "net", "ipc") if sys.platform == "linux" else ()
SERVER = {kind: os.readlink(f"/proc/self/ns/{kind}") for kind in KINDS}
"""The namespaces of the process that forks."""

ATTEMPTS: dict[str, Callable[[], object]] = {
    "to read and answer": _read_and_answer,
    "to connect": socket.socket,
    "to become another program": lambda: os.execv("/bin/true", ["true"]),
    "to start one": lambda: subprocess.run(["/bin/true"], check=False),
    "to signal the server": lambda: os.kill(os.getppid(), 0),
    **{f"to share the namespace {kind}": partial(_share, kind) for kind in KINDS},
}


def _error_of(work: Callable[[], object]) -> int:
    reading, writing = os.pipe()

    def tell() -> None:
        try:
            work()
            number = 0
        except OSError as error:
            number = error.errno or -1
        os.write(writing, bytes([number]))

    pid = fork(tell, 0, "a confined process failed", uploads=sys.argv[1:])
    os.close(writing)
    try:
        return os.read(reading, 1)[0]
    finally:
        os.close(reading)
        os.waitpid(pid, 0)


if __name__ == "__main__":
    # Opened before, so that only writing is left to be refused.
    with tempfile.TemporaryFile(buffering=0) as file:
        secret, upload = (Path(sys.argv[1]) / name for name in ("../secret", "upload"))
        attempts = {
            **ATTEMPTS,
            "to write a file": lambda: file.write(b"x"),
            "to read an upload": upload.read_bytes,
            "to list uploads": lambda: os.listdir(upload.parent),
            "to read beside them": secret.read_bytes,
            "to read a system's file": Path("/etc/passwd").read_bytes,
            "to read through another process": Path(f"/proc/{os.getpid()}/environ").read_bytes,
            "to make a file": lambda: secret.with_name("new").touch(),
            "to delete one": secret.unlink,
        }
        print(json.dumps({name: _error_of(work) for name, work in attempts.items()}))
