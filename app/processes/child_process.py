"""How our child processes are started: with our own package, whatever the user's folder and another interpreter's packages hold."""

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
# Ctrl-C in the terminal reaches every process of the group; the parent alone decides what it means. The package is loaded
# from its file: no search finds another `hloscope`. Folders that are searched come behind the interpreter's own.
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
    """Have `module` of our package run its `main` with the arguments `SOCKET PARENT ADDRESS_SPACE`.

    `channel`: the child's end of a socket pair, which the caller closes. `address_space`: bytes, 0 for no limit. `python`: the
    interpreter; another one than ours gets no package of ours but hloscope itself, and no PYTHONPATH, which is for ours.
    `errors`: where its standard error goes; nothing for ours.
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
    """What our own processes are told of our environment; NumPy's libraries are to start no threads."""
    threads = ("OPENBLAS_NUM", "OMP_NUM", "MKL_NUM", "VECLIB_MAXIMUM")
    given = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
    return given | {f"{name}_THREADS": "1" for name in threads}
