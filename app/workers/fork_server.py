"""The process from which workers are forked; it loads NumPy and the engine once.

It opens only hloscope's own examples and keeps one thread, so a fork is safe and takes milliseconds. A request on the
control socket is a `Purpose` and the worker's end of a socket pair; the reply is the process id of the worker.
"""

from __future__ import annotations

import gc
import importlib
import os
import signal
import socket
import sys

from ..base.logs import describe_error
from ..processes.confine import confine, die_with_parent
from .process import PID, Purpose


def main(arguments: list[str]) -> None:
    """Run `fork_server SOCKET PARENT ADDRESS_SPACE`: fork workers until the socket closes."""
    number, parent, address_space = map(int, arguments)
    die_with_parent(parent)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    with socket.socket(fileno=number) as control:
        from . import worker

        worker.preload()
        gc.collect()
        gc.freeze()
        while (request := _next(control)) is not None:
            purpose, connection = request
            control.sendall(PID.pack(_fork(control, purpose, connection, address_space)))
            connection.close()


def _next(control: socket.socket) -> tuple[Purpose, socket.socket] | None:
    data, handles, _, _ = socket.recv_fds(control, Purpose.MAX_BYTES, 1)
    return (Purpose.decode(data), socket.socket(fileno=handles[0])) if data and handles else None


def _fork(control: socket.socket, purpose: Purpose, connection: socket.socket, address_space: int) -> int:
    parent = os.getpid()
    pid = os.fork()
    if pid:
        return pid
    status = 1
    try:
        control.close()
        die_with_parent(parent)
        confine(address_space, writes_files=purpose.writes_files)
        importlib.import_module(purpose.module).serve(connection)
        status = 0
    except Exception as error:
        print(f"a worker ended\n{describe_error(error)}", file=sys.stderr, flush=True)
    finally:
        # Never return into the fork server's loop, even after an error.
        os._exit(status)
