"""Confined processes: they cannot outlive their parent, write files, read those of others, grow without bound, dump core or
reach the network.
"""

from __future__ import annotations

import contextlib
import gc
import os
import resource
import signal
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from ..base.libc import libc
from ..base.logs import describe_error
from .file_access import limit_files
from .namespaces import leave_namespaces
from .system_calls import refuse_system_calls

PR_SET_PDEATHSIG = 1
PR_SET_NO_NEW_PRIVS = 38
MOST_FILES = 64


def die_with_parent(parent: int) -> None:
    """Have the kernel kill this process when `parent` ends; exit now if it has ended already."""
    if sys.platform == "linux":
        libc().prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(0)


def end_before_server() -> None:
    """Make this process, not the server, the one that the kernel kills when memory runs out."""
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000")


def confine(
    address_space: int,
    *,
    writes_files: bool = False,
    starts_programs: bool = False,
    uploads: Sequence[str] = (),
) -> None:
    """Apply the limits to this process; `address_space` in bytes, 0 for none; `uploads`: folders of files that it reads.

    One that writes files or starts programs may read all files.
    """
    if sys.platform == "linux":
        libc().prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
        end_before_server()
        if not writes_files and not starts_programs:
            leave_namespaces()
            limit_files(uploads)
        if not starts_programs:
            refuse_system_calls()
    if not writes_files:
        _limit(resource.RLIMIT_FSIZE, 0)
    _limit(resource.RLIMIT_NOFILE, MOST_FILES)
    limit_memory(address_space)


def limit_memory(address_space: int) -> None:
    """Limit the memory of this process, in bytes, 0 for no limit; it dumps no core."""
    _limit(resource.RLIMIT_CORE, 0)
    if address_space:
        _limit(resource.RLIMIT_AS, address_space)


def _limit(which: int, value: int) -> None:
    with contextlib.suppress(ValueError, OSError):  # a stricter limit is already in force
        resource.setrlimit(which, (value, value))


def freeze() -> None:
    """Keep what is loaded out of garbage collection, so that forks share its memory."""
    gc.collect()
    gc.freeze()


def fork(
    work: Callable[[], None],
    address_space: int,
    problem: str,
    *,
    writes_files: bool = False,
    starts_programs: bool = False,
    uploads: Sequence[str] = (),
) -> int:
    """Fork a confined process that does `work` and exits; returns its process id.

    For the limits see `confine`. `problem` begins the log entry if `work` raises an error.
    """
    parent = os.getpid()
    pid = os.fork()
    if pid:
        return pid
    status = 1
    try:
        die_with_parent(parent)
        confine(address_space, writes_files=writes_files, starts_programs=starts_programs, uploads=uploads)
        work()
        status = 0
    except BaseException as error:
        print(f"{problem}\n{describe_error(error)}", file=sys.stderr, flush=True)
    finally:
        os._exit(status)  # never return into the loop that forks, even after an error
