"""The user's local server: found if it runs, otherwise started in the background.

A server that only this machine can reach writes its port to `server.json` in its data folder. A server started here
outlives the process that started it, writes to `server.log` in the same folder, and serves later processes too.
"""

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

ADDRESS_FILE = "server.json"
LOG = "server.log"
LOCK = "server.lock"
START_SECONDS = 90.0
ANSWER_SECONDS = 5.0
IDLE_SECONDS = 12 * 3600
"""Default idle time after which the server ends."""
PAUSE_SECONDS = 0.1
LOG_CHARACTERS = 2_000
"""Maximum characters of the log in an error message."""
_STARTED: list[subprocess.Popen[bytes]] = []
"""Servers started by this process, which outlive it; only ended ones are removed."""


class NoServer(Exception):
    """The local server cannot be started; the message has the end of its log."""


@dataclass(frozen=True)
class LocalServer:
    """The address of a server, and its token."""

    port: int
    token: str
    pid: int
    build: str
    """The build of the engine; servers of other builds are not used."""

    def url(self, path: str) -> str:
        """The address of a page, with the token that signs a browser in."""
        return f"http://127.0.0.1:{self.port}{path}?token={self.token}"

    def answers(self) -> bool:
        """Whether the server answers and accepts this token."""
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
    """Announce this process as the data folder's local server, in a file for its owner only."""
    server = LocalServer(port, token, os.getpid(), engine_build())
    temporary = folder / f"{ADDRESS_FILE}.{server.pid}"
    try:
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(handle, "w") as stream:
            json.dump(asdict(server), stream)
        temporary.replace(folder / ADDRESS_FILE)
    finally:
        temporary.unlink(missing_ok=True)


def withdraw(folder: Path) -> None:
    """Remove this process's announcement, unless another server has replaced it."""
    found = _read(folder)
    if found is not None and found.pid == os.getpid():
        (folder / ADDRESS_FILE).unlink(missing_ok=True)


def find_server(settings: Settings) -> LocalServer | None:
    """The running server of this data folder, if it is of this build and answers."""
    found = _read(settings.data_folder())
    return found if found is not None and found.build == engine_build() and found.answers() else None


def local_server(settings: Settings) -> LocalServer:
    """The server of this data folder, started if none runs; `NoServer` if that fails."""
    folder = settings.data_folder()
    with _locked(folder / LOCK):
        return find_server(settings) or _start(settings, folder)


def stop_server(settings: Settings) -> bool:
    """End the local server in an orderly way; returns whether there was one."""
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
    with log.open("wb") as log_stream:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=log_stream, stderr=log_stream, start_new_session=True
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
    log_end = log.read_text(errors="replace")[-LOG_CHARACTERS:].strip()
    raise NoServer(f"the local server did not start: {log_end or 'its log is empty'} (see {log})")


def _read(folder: Path) -> LocalServer | None:
    try:
        found = json.loads((folder / ADDRESS_FILE).read_text())
        server = LocalServer(**{item.name: found[item.name] for item in fields(LocalServer)})
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return server if isinstance(server.port, int) and isinstance(server.pid, int) else None


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Lock for finding or starting the server, so that two processes do not start two."""
    with path.open("a") as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        yield
