"""What a process that runs a stranger's program cannot do, whatever code it is made to run."""

from __future__ import annotations

import errno
import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from hloscope.app.processes.confine import fork


def _write_file() -> None:
    with tempfile.TemporaryFile(buffering=0) as file:
        file.write(b"x")


FORBIDDEN: dict[str, Callable[[], object]] = {
    "byte in a file": _write_file,
    **(
        {
            "connection": socket.socket,
            "other program": lambda: os.execv("/bin/true", ["true"]),
            "child that runs one": lambda: subprocess.run(["/bin/true"], check=False),
            "signal to the server": lambda: os.kill(os.getppid(), 0),
        }
        if sys.platform == "linux"
        else {}
    ),
}


def _error_of(work: Callable[[], object]) -> int:
    """The number of the error with which `work` fails in a confined process; 0 if it does not."""
    reading, writing = os.pipe()

    def tell() -> None:
        try:
            work()
            number = 0
        except OSError as error:
            number = error.errno or -1
        os.write(writing, bytes([number]))

    pid = fork(tell, 0, "a confined process failed")
    try:
        os.close(writing)
        return os.read(reading, 1)[0]
    finally:
        os.close(reading)
        os.waitpid(pid, 0)


@pytest.mark.parametrize("wanted", FORBIDDEN)
def test_a_worker_gets_no(wanted: str) -> None:
    assert _error_of(FORBIDDEN[wanted]) in (errno.EPERM, errno.EFBIG)


def test_a_worker_computes_reads_and_answers() -> None:
    def work() -> None:
        ours, theirs = socket.socketpair()
        ours.sendall(Path(__file__).read_bytes()[:10])
        assert len(theirs.recv(10)) == 10

    assert _error_of(work) == 0
