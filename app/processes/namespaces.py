"""Namespaces of processes that run strangers' programs (Linux): a network and shared memory of their own.

The filter of system calls refuses sockets as well. Here nothing is behind them either: no interface, no abstract socket, no
memory of other processes. An unprivileged process may create them inside a new user namespace, whose capabilities it then drops.
"""

from __future__ import annotations

import struct
import subprocess
import sys

from ..base.libc import libc

NEW_IPC, NEW_USER, NEW_NET = 0x08000000, 0x10000000, 0x40000000
CAPABILITIES_VERSION = 0x20080522


def leave_namespaces() -> bool:
    """Move this process to new namespaces; False if the system refuses, or if the process has several threads."""
    if sys.platform != "linux":
        return False
    if libc().unshare(NEW_USER | NEW_NET | NEW_IPC):
        return False
    libc().capset(struct.pack("=Ii", CAPABILITIES_VERSION, 0), bytes(24))
    return True


def can_leave_namespaces() -> bool:
    """Whether this system gives such namespaces to a process of this user."""
    trial = f"from {__name__} import leave_namespaces; raise SystemExit(not leave_namespaces())"
    return subprocess.run([sys.executable, "-c", trial], check=False, capture_output=True).returncode == 0
