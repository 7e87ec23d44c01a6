"""The process that worker processes are forked from: numpy and the engine are loaded here, once.

It reads no program but ours and keeps one thread, so a fork is safe and takes milliseconds. It is asked over a
socket: one byte and the worker's end of a socket pair; it answers with the process id of the worker.
"""

from __future__ import annotations

import gc
import os
import signal
import socket
import struct
import sys

from ..logs import describe_error
from .confine import confine, die_with_parent

PID = struct.Struct("<q")


def main(arguments: list[str]) -> None:
    """`fork_server SOCKET PARENT ADDRESS_SPACE`: fork workers until the socket is closed."""
    number, parent, address_space = map(int, arguments)
    die_with_parent(parent)
    # Ctrl-C in the terminal reaches every process of the group; the server alone decides what it means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    with socket.socket(fileno=number) as control:
        from . import worker

        worker.preload()
        gc.collect()
        gc.freeze()
        while (connection := _next(control)) is not None:
            control.sendall(PID.pack(_fork(control, connection, address_space)))
            connection.close()


def _next(control: socket.socket) -> socket.socket | None:
    data, handles, _, _ = socket.recv_fds(control, 1, 1)
    return socket.socket(fileno=handles[0]) if data and handles else None


def _fork(control: socket.socket, connection: socket.socket, address_space: int) -> int:
    parent = os.getpid()
    pid = os.fork()
    if pid:
        return pid
    status = 1
    try:
        control.close()
        die_with_parent(parent)
        confine(address_space)
        from . import worker

        worker.serve(connection)
        status = 0
    except Exception as error:
        print(f"a worker ended\n{describe_error(error)}", file=sys.stderr, flush=True)
    finally:
        # Never back into the fork server's loop, whatever happened.
        os._exit(status)


if __name__ == "__main__":
    main(sys.argv[1:])
