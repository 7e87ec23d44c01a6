"""Start child processes that import this hloscope, whatever the working directory and the interpreter's packages hold."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import IO

import hloscope

INSTALLED = Path(hloscope.__file__).parents[1]
"""The folder that hloscope is imported from."""
PASSED_ON = (
    "PATH",
    "HOME",
    "LANG",
    "LC_ALL",
    "LD_LIBRARY_PATH",
    "PYTHONPATH",
    "SYSTEMROOT",
    "TMPDIR",
    "VIRTUAL_ENV",
    "GLIBC_TUNABLES",
)
# Ctrl-C in the terminal reaches every process of the group; only the parent handles it. The package is loaded from its
# file, so no search finds another `hloscope`. Searched folders come after the interpreter's own.
START = """
import signal, sys
signal.signal(signal.SIGINT, signal.SIG_IGN)
from importlib import import_module, util
file, searched, module = sys.argv[1:4]
sys.path += filter(None, [searched])
spec = util.spec_from_file_location("hloscope", file)
sys.modules["hloscope"] = util.module_from_spec(spec)
spec.loader.exec_module(sys.modules["hloscope"])
import_module(module).main(sys.argv[4:])
"""


def start_child(
    module: str,
    channel: socket.socket,
    address_space: int,
    environment: Mapping[str, str],
    *,
    python: str = sys.executable,
    errors: IO[bytes] | None = None,
) -> subprocess.Popen[bytes]:
    """Run `main` of a module of this package in a child, with the arguments `SOCKET PARENT ADDRESS_SPACE`.

    `channel`: the child's end of a socket pair; the caller closes it. `address_space`: limit in bytes, 0 for none. `python`:
    the interpreter; one other than ours can import hloscope but none of our other packages, and gets no PYTHONPATH.
    `errors`: the child's standard error; `None` inherits ours.
    """
    ours = python == sys.executable
    given = {name: value for name, value in environment.items() if ours or name != "PYTHONPATH"}
    return subprocess.Popen(
        [
            python, "-P", "-c", START, str(hloscope.__file__), str(INSTALLED) if ours else "", module,
            str(channel.fileno()), str(os.getpid()), str(address_space),
        ],
        pass_fds=[channel.fileno()],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=errors,
        env={**given, "PYTHONUTF8": "1"},
    )  # fmt: skip


def passed_on() -> dict[str, str]:
    """The environment of our child processes; BLAS libraries start no threads in them."""
    threads = ("OPENBLAS_NUM", "OMP_NUM", "MKL_NUM", "VECLIB_MAXIMUM")
    given = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
    return given | {f"{name}_THREADS": "1" for name in threads}
