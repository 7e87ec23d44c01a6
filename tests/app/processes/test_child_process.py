"""Child processes of ours: whose packages they see, and what Ctrl-C does to them."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import hloscope
from hloscope.app.passes.pool import Pool, Task
from hloscope.app.processes.child_process import INSTALLED, PASSED_ON, passed_on, start_child
from hloscope.app.processes.framing import Channel
from hloscope.engine.limits import Limits

TELLS = """
import os, socket, sys
import hloscope
from hloscope.app.processes.framing import Channel

def main(arguments):
    number, parent, address_space = map(int, arguments)
    with socket.socket(fileno=number) as connection:
        channel = Channel(connection)
        while channel.receive() is not None:
            channel.send({"hloscope": hloscope.__file__, "path": sys.path, "environment": dict(os.environ),
                          "parent": parent, "address_space": address_space, "python": sys.executable})
"""
"""A module that stands in for ours."""
SECONDS = 30.0


@contextmanager
def child(python: str, environment: dict[str, str]) -> Iterator[tuple[subprocess.Popen[bytes], Channel]]:
    ours, theirs = socket.socketpair()
    ours.settimeout(SECONDS)
    with ours:
        with theirs:
            process = start_child("tells", theirs, 0, environment, python=python)
        try:
            yield process, Channel(ours)
        finally:
            process.kill()
            process.wait()


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
        assert said(channel)["address_space"] == 0
        assert process.poll() is None


def test_little_of_the_environment_is_passed_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HLOSCOPE_SECRET", "a password")
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setenv("OMP_NUM_THREADS", "64")
    found = passed_on()
    assert (found["TMPDIR"], found["OMP_NUM_THREADS"]) == (str(tmp_path), "1")
    assert set(found) <= {*PASSED_ON, *(name for name in found if name.endswith("_THREADS"))}
