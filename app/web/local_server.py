"""The server of this user on this machine: found where it runs, else started in the background.

A server that listens to this machine alone says in `server.json` of its data folder where it is. One that was started
here goes on when its starter ends, writes to `server.log` beside it, and serves whoever asks next.
"""

from __future__ import annotations

import contextlib
import fcntl
import http.client
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from ..base.keys import engine_build
from ..base.settings import Settings

PLACE = "server.json"
LOG = "server.log"
LOCK = "server.lock"
START_SECONDS = 90.0
ANSWER_SECONDS = 5.0
IDLE_SECONDS = 12 * 3600
"""After so long without anybody it ends, unless the user has set another time."""
PAUSE_SECONDS = 0.1
LAST_WORDS = 2_000
_STARTED: list[subprocess.Popen[bytes]] = []
"""Servers that this process has started, and that outlive it: they are not waited for, unless they have ended."""


class NoServer(Exception):
    """The local server cannot be started; the message says why, in its own last words."""


@dataclass(frozen=True)
class LocalServer:
    """Where a server is, and what opens it."""

    port: int
    token: str
    pid: int
    build: str
    """Of the engine: a server of another version is not asked."""

    def url(self, path: str) -> str:
        """The address of a page, with the token that signs a browser in."""
        return f"http://127.0.0.1:{self.port}{path}?token={self.token}"

    def answers(self) -> bool:
        """Whether it is there, and takes this token."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=ANSWER_SECONDS)
        try:
            connection.request(
                "GET", "/api/examples", headers={"Cookie": f"hloscope-{self.port}={self.token}"}
            )
            return connection.getresponse().status == 200
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()


def announce(folder: Path, port: int, token: str) -> None:
    """Says that this process is the local server of a data folder; nobody else may read it."""
    told = LocalServer(port, token, os.getpid(), engine_build())
    temporary = folder / f"{PLACE}.{told.pid}"
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "w") as stream:
        json.dump(asdict(told), stream)
    temporary.replace(folder / PLACE)


def withdraw(folder: Path) -> None:
    """Takes that back, unless another server has said so since."""
    found = _read(folder)
    if found is not None and found.pid == os.getpid():
        (folder / PLACE).unlink(missing_ok=True)


def find_server(settings: Settings) -> LocalServer | None:
    """The server that runs for this data folder, if it is of this version and answers."""
    found = _read(settings.data_folder())
    return found if found is not None and found.build == engine_build() and found.answers() else None


def local_server(settings: Settings) -> LocalServer:
    """The server of this data folder, started if none is there; `NoServer` where that fails."""
    folder = settings.data_folder()
    with _locked(folder / LOCK):
        return find_server(settings) or _start(settings, folder)


def stop_server(settings: Settings) -> bool:
    """Ends the local server, as Ctrl-C would; whether there was one."""
    found = find_server(settings)
    if found is None:
        return False
    with contextlib.suppress(ProcessLookupError):
        os.kill(found.pid, signal.SIGTERM)
    deadline = time.monotonic() + ANSWER_SECONDS
    while found.answers() and time.monotonic() < deadline:
        time.sleep(PAUSE_SECONDS)
    _STARTED[:] = [process for process in _STARTED if process.poll() is None]
    return True


def _start(settings: Settings, folder: Path) -> LocalServer:
    log = folder / LOG
    command = [sys.executable, "-m", "hloscope", "serve", "--no-browser"]
    if not settings.end_idle_s:
        command += ["--set", f"end_idle_s={IDLE_SECONDS}"]
    if settings.data_dir:
        command += ["--set", f"data_dir={settings.data_dir}"]
    with log.open("wb") as words:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=words, stderr=words, start_new_session=True
        )
    _STARTED.append(process)
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        found = _read(folder)
        if found is not None and found.pid == process.pid and found.answers():
            return found
        if process.poll() is not None:
            break
        time.sleep(PAUSE_SECONDS)
    process.kill()
    process.wait()
    words_of_it = log.read_text(errors="replace")[-LAST_WORDS:].strip()
    raise NoServer(f"the local server did not start: {words_of_it or 'it said nothing'} (see {log})")


def _read(folder: Path) -> LocalServer | None:
    try:
        found = json.loads((folder / PLACE).read_text())
        told = LocalServer(**{item.name: found[item.name] for item in fields(LocalServer)})
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return told if isinstance(told.port, int) and isinstance(told.pid, int) else None


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[None]:
    """One process at a time looks for the server, so that two do not start one each."""
    with path.open("a") as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        yield
