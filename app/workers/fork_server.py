"""The process that worker processes are forked from: numpy and the engine are loaded here, once.

It reads no program but ours and keeps one thread, so a fork is safe and takes milliseconds. It is asked over a
socket: one byte, which says what the worker is for, and the worker's end of a socket pair; it answers with the process
id of the worker.
"""

from __future__ import annotations

import gc
import importlib
import os
import signal
import socket
import struct
import sys

from ..logs import describe_error
from .confine import confine, die_with_parent

PID = struct.Struct("<q")
SESSIONS, DUMPS, PACKING = b"f", b"d", b"p"
"""What a worker is for: sessions and what has none; reading dumps; packing folders and archives of other forms."""
_MODULES = {
    SESSIONS: "hloscope.app.workers.worker",
    DUMPS: "hloscope.app.passes.dump_worker",
    PACKING: "hloscope.app.passes.packing",
}
"""By name, since those of dumps are made of workers: each has a function `serve`, which is given its end of the socket pair."""


def main(arguments: list[str]) -> None:
    """`fork_server SOCKET PARENT ADDRESS_SPACE`: fork workers until the socket is closed."""
    number, parent, address_space = map(int, arguments)
    die_with_parent(parent)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    with socket.socket(fileno=number) as control:
        from . import worker

        worker.preload()
        gc.collect()
        gc.freeze()
        while (asked := _next(control)) is not None:
            purpose, connection = asked
            control.sendall(PID.pack(_fork(control, purpose, connection, address_space)))
            connection.close()


def _next(control: socket.socket) -> tuple[bytes, socket.socket] | None:
    data, handles, _, _ = socket.recv_fds(control, 1, 1)
    return (data, socket.socket(fileno=handles[0])) if data and handles else None


def _fork(control: socket.socket, purpose: bytes, connection: socket.socket, address_space: int) -> int:
    parent = os.getpid()
    pid = os.fork()
    if pid:
        return pid
    status = 1
    try:
        control.close()
        die_with_parent(parent)
        confine(address_space, writes_files=purpose == PACKING)
        importlib.import_module(_MODULES[purpose]).serve(connection)
        status = 0
    except Exception as error:
        print(f"a worker ended\n{describe_error(error)}", file=sys.stderr, flush=True)
    finally:
        # Never back into the fork server's loop, whatever happened.
        os._exit(status)
