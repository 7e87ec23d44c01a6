"""Start child processes that import this hloscope, whatever the working directory and the interpreter's packages hold."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import IO

import hloscope

from ..base.loading import loading

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
file, searched, *arguments = sys.argv[1:]
sys.path += filter(None, [searched])
spec = util.spec_from_file_location("hloscope", file)
sys.modules["hloscope"] = util.module_from_spec(spec)
spec.loader.exec_module(sys.modules["hloscope"])
import_module("hloscope.app.processes.child_process").serve_parent(*arguments)
"""


class Child:
    """A child process that runs `serve(connection)` of a module, and our end of its socket."""

    def __init__(
        self,
        module: str,
        environment: Mapping[str, str],
        *,
        address_space: int = 0,
        python: str = sys.executable,
        errors: IO[bytes] | int | None = None,
        leads_group: bool = False,
        connection: socket.socket | None = None,
    ) -> None:
        """Start the process; it ends at the latest when the thread that has started it ends.

        `address_space`: limit in bytes, 0 for none. `python`: the interpreter; one other than ours can import hloscope but
        none of our other packages, and gets no PYTHONPATH. `errors`: the child's standard error; `None` inherits ours.
        `leads_group`: whether the processes that the child starts end with it. `connection`: the child's end of a connection
        to another machine, in place of a socket to us.
        """
        ours = python == sys.executable
        given = {name: value for name, value in environment.items() if ours or name != "PYTHONPATH"}
        self.connection, theirs = (connection, connection.dup()) if connection else socket.socketpair()
        self._leads_group = leads_group
        with theirs:
            self.process = subprocess.Popen(
                [
                    python, "-P", "-c", START, str(hloscope.__file__), str(INSTALLED) if ours else "", module,
                    str(theirs.fileno()), str(os.getpid()), str(address_space),
                ],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=errors,
                env={**given, "PYTHONUTF8": "1"},
                start_new_session=leads_group,
            )  # fmt: skip

    def kill(self) -> None:
        """End the process, and its group if it leads one."""
        if self._leads_group:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
        else:
            self.process.kill()

    def close(self) -> None:
        """End the process and wait for its end; close our socket."""
        self.connection.close()
        self.kill()
        self.process.wait()


def serve_parent(module: str, handle: str, parent: str, address_space: str) -> None:
    """Run `serve(connection)` of a module in the child, which ends with its parent."""
    from .confine import die_with_parent, limit_memory  # needs `resource`, which Windows does not have

    with loading():
        serve = import_module(module).serve
    die_with_parent(int(parent))
    limit_memory(int(address_space))
    with socket.socket(fileno=int(handle)) as connection:
        serve(connection)


def passed_on() -> dict[str, str]:
    """The environment of our child processes; BLAS libraries start no threads in them."""
    threads = ("OPENBLAS_NUM", "OMP_NUM", "MKL_NUM", "VECLIB_MAXIMUM")
    given = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
    return given | {f"{name}_THREADS": "1" for name in threads}
