"""Limits of a worker process: it cannot outlive its parent, write files, grow without bound or dump core."""

from __future__ import annotations

import contextlib
import ctypes
import os
import resource
import signal
import sys
from pathlib import Path

PR_SET_PDEATHSIG = 1
PR_SET_NO_NEW_PRIVS = 38
MOST_FILES = 64


def die_with_parent(parent: int) -> None:
    """Have the kernel kill this process when `parent` ends; exit now if it has ended already."""
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(0)


def end_before_server() -> None:
    """Make this process, not the server, the one that the kernel kills when memory runs out."""
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000")


def confine(address_space: int, *, writes_files: bool = False) -> None:
    """Apply the limits to this process; `address_space` in bytes, 0 for none."""
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
        end_before_server()
    _limit(resource.RLIMIT_CORE, 0)
    if not writes_files:
        _limit(resource.RLIMIT_FSIZE, 0)
    _limit(resource.RLIMIT_NOFILE, MOST_FILES)
    if address_space:
        _limit(resource.RLIMIT_AS, address_space)


def _limit(which: int, value: int) -> None:
    with contextlib.suppress(ValueError, OSError):  # a stricter limit is already in force
        resource.setrlimit(which, (value, value))
