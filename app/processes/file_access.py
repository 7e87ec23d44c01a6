"""The files of processes that run strangers' programs (Linux, Landlock): what they read is listed, and they write none.

If a program makes a worker run foreign code, that code can read Python, its libraries and hloscope, which are no secret, and
uploaded files whose hashes it knows, because it cannot list them; it reads neither the store nor the token.
"""

from __future__ import annotations

import ctypes
import os
import struct
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from ..base.libc import libc
from ..base.plugins import GROUPS, entry_points_of

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
"""Numbers of the system calls, on every processor."""
ONLY_VERSION, BENEATH_PATH = 1, 1
WRITE_FILE, READ_FILE, READ_DIR = 1 << 1, 1 << 2, 1 << 3
RIGHTS_OF_VERSIONS = (13, 14, 15)
"""Rights that a version of the interface knows; later ones add none that open a file."""
SYSTEM = (
    "/usr/lib",
    "/usr/lib64",
    "/usr/local/lib",
    "/lib",
    "/lib64",
    "/etc/ld.so.cache",
    "/proc/self",
    "/dev/urandom",
)
MACHINE = ("/sys/devices/system/cpu", "/sys/fs/cgroup/cpu.max")
"""Files that state the number of cores."""
NOTHING = "/dev/null"


def can_limit_files() -> bool:
    """Whether this system has such limits."""
    return _version() > 0


def limit_files(uploads: Iterable[str] = ()) -> None:
    """Refuse this process all files from now on, with `EACCES`, but its own and those in the folders `uploads`.

    Where the system has no such limits, nothing is refused. The process must have given up new privileges before.
    """
    version = _version()
    if version <= 0:
        return
    handled = (1 << RIGHTS_OF_VERSIONS[min(version, len(RIGHTS_OF_VERSIONS)) - 1]) - 1
    attributes = struct.pack("Q", handled)
    ruleset = _call(CREATE_RULESET, attributes, len(attributes), 0)
    if ruleset < 0:
        return
    for path in {*SYSTEM, *MACHINE, *own_folders()}:
        _allow(ruleset, path, READ_FILE | READ_DIR)
    for folder in uploads:
        _allow(ruleset, folder, READ_FILE)
    _allow(ruleset, NOTHING, READ_FILE | WRITE_FILE)
    _call(RESTRICT_SELF, ruleset, 0)
    os.close(ruleset)


@cache
def own_folders() -> frozenset[str]:
    """Folders from which this process may still import; a process that forks others computes them once for all.

    A package may be a link, or its files may be links to those of another place, and a plugin may be imported from a folder
    that `sys.path` does not have.
    """
    app = Path(__file__).parents[1]
    names = {entry.module.partition(".")[0] for group in GROUPS for entry in entry_points_of(group)}
    plugins = [
        path for spec in map(find_spec, names) if spec for path in spec.submodule_search_locations or ()
    ]
    known = {path for path in (*sys.path, str(app), str(app.with_name("engine")), *plugins) if path}
    return frozenset(known.union(*map(_links_in, filter(os.path.isdir, known))))


def _links_in(folder: str) -> Iterator[str]:
    for entry in os.scandir(folder):
        if entry.is_symlink():
            yield os.path.realpath(entry.path)
        elif os.path.islink(module := os.path.join(entry.path, "__init__.py")):
            yield os.path.dirname(os.path.realpath(module))


def _allow(ruleset: int, path: str, rights: int) -> None:
    try:
        handle = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:  # this system does not have it
        return
    kept = rights if os.path.isdir(path) else rights & ~READ_DIR
    _call(ADD_RULE, ruleset, BENEATH_PATH, struct.pack("=Qi", kept, handle), 0)
    os.close(handle)


def _version() -> int:
    return _call(CREATE_RULESET, None, 0, ONLY_VERSION) if sys.platform == "linux" else 0


def _call(number: int, *given: int | bytes | None) -> int:
    passed = [ctypes.c_long(value) if isinstance(value, int) else value for value in given]
    return int(libc().syscall(number, *passed))
