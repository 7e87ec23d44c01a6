"""Child processes of ours: whose packages they see, and what Ctrl-C does to them."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import hloscope
from hloscope.app.passes.pool import Pool, Task
from hloscope.app.processes.child_process import INSTALLED, PASSED_ON, Child, passed_on
from hloscope.app.processes.framing import Channel
from hloscope.app.processes.worker import WorkerDied, perform_in_child
from hloscope.app.wire import tasks
from hloscope.engine.limits import Limits
from tests.app.forked_children import ForkedChild
from tests.app.serving import until

pytestmark = pytest.mark.usefixtures("own_process")

TELLS = """
import os, resource, sys
import hloscope
from hloscope.app.processes.framing import Channel

def serve(connection):
    channel = Channel(connection)
    while channel.receive() is not None:
        channel.send({"hloscope": hloscope.__file__, "path": sys.path, "environment": dict(os.environ),
                      "parent": os.getppid(), "address_space": resource.getrlimit(resource.RLIMIT_AS)[0],
                      "python": sys.executable})
"""
"""A module that stands in for ours."""
WORKS = """
import os, subprocess, sys
from hloscope.app.processes.framing import Channel
from hloscope.app.processes.serving import error_answer, perform_requests

def perform(message, buffers):
    match message["fields"]["what"]:
        case "die":
            os._exit(1)
        case "hang":
            child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
            channel.send({"event": "started", "pid": child.pid})
            child.wait()
    return {"result": bytes(buffers[0]).decode()}, ()

def serve(connection):
    global channel
    channel = Channel(connection)
    perform_requests(channel, perform, error_answer)
"""
SECONDS = 120.0
ADDRESS_SPACE = 8 << 30


class Work(tasks.Task[str]):
    what: str


@contextmanager
def child(python: str, environment: dict[str, str]) -> Iterator[tuple[subprocess.Popen[bytes], Channel]]:
    found = Child("tells", environment, address_space=ADDRESS_SPACE, python=python)
    found.connection.settimeout(SECONDS)
    try:
        yield found.process, Channel(found.connection)
    finally:
        found.close()


def said(channel: Channel) -> dict[str, Any]:
    channel.send({})
    frame = channel.receive()
    assert frame is not None
    return frame.message


@pytest.fixture
def a_folder_with_a_hloscope(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "hloscope").mkdir()
    (tmp_path / "hloscope" / "__init__.py").write_text("raise SystemExit('not ours')\n")
    (tmp_path / "tells.py").write_text(TELLS)
    (tmp_path / "works.py").write_text(WORKS)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_package_of_our_name_in_the_users_folder_is_not_taken(a_folder_with_a_hloscope: Path) -> None:
    with Pool(jobs=1) as pool:
        task = Task("shardings", {"names": [], "limits": Limits().describe()})
        ((_, reply),) = pool.run([task])
    assert reply.problem == ""
    # Even where a search would find it: PYTHONPATH leads into the folder.
    environment = {**passed_on(), "PYTHONPATH": str(a_folder_with_a_hloscope)}
    with child(sys.executable, environment) as (_, channel):
        found = said(channel)
    assert found["hloscope"] == hloscope.__file__
    assert found["path"][-1] == str(INSTALLED)
    assert found["parent"] == os.getpid()


def test_another_interpreter_keeps_its_own_packages(a_folder_with_a_hloscope: Path) -> None:
    """Also those of our name; of ours it gets nothing but hloscope."""
    folder = a_folder_with_a_hloscope / "environment"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True, timeout=SECONDS)
    (packages,) = folder.glob("lib/python*/site-packages")
    (packages / "tells.py").write_text(TELLS)
    (packages / "hloscope.py").write_text("raise SystemExit('an older one')\n")
    environment = {**passed_on(), "PYTHONPATH": str(INSTALLED)}
    with child(str(folder / "bin" / "python"), environment) as (_, channel):
        found = said(channel)
    assert found["hloscope"] == hloscope.__file__
    assert found["python"] == str(folder / "bin" / "python")
    assert "PYTHONPATH" not in found["environment"]
    assert str(INSTALLED) not in found["path"]
    assert not {str(Path(path)) for path in found["path"]} & {
        path for path in sys.path if path.endswith("site-packages")
    }


def test_control_c_is_left_to_the_parent(a_folder_with_a_hloscope: Path) -> None:
    environment = {**passed_on(), "PYTHONPATH": str(a_folder_with_a_hloscope)}
    with child(sys.executable, environment) as (process, channel):
        said(channel)
        process.send_signal(signal.SIGINT)
        assert said(channel)["address_space"] == ADDRESS_SPACE
        assert process.poll() is None


def performed(what: str, seconds: float, on_event: Any = lambda event: None) -> str:
    environment = {**passed_on(), "PYTHONPATH": str(Path.cwd())}
    done = perform_in_child(
        "works", Work(what), [b"done"], seconds=seconds, environment=environment, on_event=on_event
    )
    return asyncio.run(done)


def test_a_child_performs_one_task(a_folder_with_a_hloscope: Path) -> None:
    assert performed("answer", SECONDS) == "done"
    with pytest.raises(WorkerDied):
        performed("die", SECONDS)


def test_a_child_that_takes_too_long_ends_with_its_own_children(a_folder_with_a_hloscope: Path) -> None:
    events: list[Any] = []
    with pytest.raises(TimeoutError):
        performed("hang", 3.0, events.append)
    started = [event["pid"] for event in events if event["event"] == "started"]
    assert len(started) == 1
    until(lambda: not runs(started[0]))


def runs(pid: int) -> bool:
    """Whether a process runs; an ended one may wait to be reaped."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_little_of_the_environment_is_passed_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HLOSCOPE_SECRET", "a password")
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setenv("OMP_NUM_THREADS", "64")
    found = passed_on()
    assert (found["TMPDIR"], found["OMP_NUM_THREADS"]) == (str(tmp_path), "1")
    assert set(found) <= {*PASSED_ON, *(name for name in found if name.endswith("_THREADS"))}


@pytest.mark.skipif(
    sys.platform != "linux", reason="only Linux has sockets for whole messages, by which tests ask for a fork"
)
def test_a_forked_child_may_end_between_the_look_at_it_and_the_signal(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    forked = ForkedChild("hloscope.app.passes.task_server", passed_on())
    process, poll = forked.process, type(forked.process).poll

    def late(self: Any) -> int | None:
        found = poll(self)
        forked.connection.close()
        until(lambda: not Path(f"/proc/{process.pid}").exists())
        return found

    monkeypatch.setattr(type(process), "poll", late)
    process.kill()
    assert process.wait() == 0
