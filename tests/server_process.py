"""A server in a process of its own, started as a user starts it: for browsers, for loads, for attacks."""

import contextlib
import fcntl
import os
import random
import re
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, Queue

from hloscope.app.web.page_files import PageFiles

ROOT = Path(__file__).parent.parent
START_SECONDS = 180
ADDRESS = re.compile(r"hloscope is at (?P<url>(?P<origin>http://127\.0\.0\.1:\d+)/\?token=(?P<token>\S+))")


@dataclass(frozen=True)
class Server:
    """A running hloscope. `url` opens it, token included; `origin` is the address alone."""

    url: str
    origin: str
    token: str
    data_directory: Path

    @property
    def port(self) -> int:
        """The port that it listens on."""
        return int(self.origin.rpartition(":")[2])

    @property
    def cookie_name(self) -> str:
        """Name of the cookie that signs a browser in; its value is the token."""
        return f"hloscope-{self.port}"

    @property
    def cookie(self) -> str:
        """Header of a browser that has signed in."""
        return f"{self.cookie_name}={self.token}"


def free_port() -> int:
    """A port that a server can have, and have again after a restart.

    It is below those that systems give to outgoing connections, of which one could take it in between.
    """
    while True:
        port = random.SystemRandom().randrange(10_000, 32_000)
        with socket.socket() as listening, contextlib.suppress(OSError):
            listening.bind(("127.0.0.1", port))
            return port


def make_bundle(root: Path = ROOT) -> None:
    """Bundle what static/ holds now, if that is not what was bundled last; one process of the tests does it for all."""
    handle = os.open(root / "static", os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        if PageFiles(dev=False, root=root).bundled_files() is None:
            programs = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
            node = shutil.which("node", path=programs)
            assert node, "no Node to bundle the page's modules with: `make setup` brings one"
            subprocess.run([node, "static/bundle.mjs"], cwd=root, check=True, stdout=subprocess.DEVNULL)
    finally:
        os.close(handle)


@contextmanager
def serving(
    data_directory: Path,
    port: int = 0,
    settings: Mapping[str, object] | None = None,
    root: Path = ROOT,
    python: str = sys.executable,
    command: Sequence[str] = ("serve",),
) -> Iterator[tuple[Server, subprocess.Popen[str]]]:
    """A server on that data directory, whose pages are those of users; it ends with the block at the latest.

    `root` is the checkout that it is started from, `python` the interpreter, `command` what of hloscope starts it.
    """
    make_bundle(root)
    given = {f"HLOSCOPE_{name.upper()}": str(value) for name, value in (settings or {}).items()}
    process = subprocess.Popen(
        [python, "-m", "hloscope", *command, "--port", str(port), "--no-browser"],
        cwd=root,
        env={
            **os.environ,
            "HLOSCOPE_DATA_DIR": str(data_directory),
            "PYTHONPATH": str(root / "app" / "public"),
            "PYTHONUNBUFFERED": "1",
            **given,
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        address = _address_printed_by(process)
        yield Server(**address.groupdict(), data_directory=data_directory), process
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _address_printed_by(process: subprocess.Popen[str]) -> re.Match[str]:
    lines: Queue[str] = Queue()
    threading.Thread(target=_read, args=(process, lines), daemon=True).start()
    seen: list[str] = []
    while True:
        try:
            line = lines.get(timeout=START_SECONDS)
        except Empty:
            line = ""
        if not line:
            raise AssertionError("the server did not print its address, but:\n" + "".join(seen))
        seen.append(line)
        if found := ADDRESS.search(line):
            return found


def _read(process: subprocess.Popen[str], lines: "Queue[str]") -> None:
    """Reads to the end, also after the address: a full pipe would stop the server."""
    assert process.stdout is not None
    with process.stdout as output:
        for line in output:
            lines.put(line)
    lines.put("")


def descendants(pid: int) -> set[int]:
    """All processes that a process has started, and those that these have."""
    parents = {}
    for status in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # it has ended meanwhile
            fields = status.read_text().rpartition(")")[2].split()
            parents[int(status.parent.name)] = int(fields[1])
    found: set[int] = set()
    grown = {pid}
    while grown - found:
        found |= grown
        grown = {child for child, parent in parents.items() if parent in found}
    return found - {pid}


def memory_of(pid: int) -> int:
    """Bytes of a process; what it shares with others counts in parts. 0 once it has ended."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return next((1024 * int(line.split()[1]) for line in lines if line.startswith("Pss:")), 0)
