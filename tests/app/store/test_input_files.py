"""Uploads: a file is kept once it was looked at, or not at all, whatever goes wrong on its way."""

import asyncio
import errno
import hashlib
import io
import os
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest
from starlette.testclient import TestClient

from hloscope.app.store import Store
from hloscope.app.store import files as files_module
from hloscope.app.store.files import InputFiles, Upload
from tests.app.serving import ADD, JSON, PATIENCE, new_session, serving


@pytest.fixture(scope="module")
def session(client: TestClient) -> str:
    return new_session(client)


def npy(size: int = 4) -> bytes:
    stream = io.BytesIO()
    np.save(stream, np.arange(size, dtype=np.float32))
    return stream.getvalue()


def upload(client: TestClient | httpx.Client, session: str, data: bytes) -> Any:
    return client.post(f"/api/sessions/{session}/files", files={"file": ("x.npy", data)})


def kept(folder: Path) -> list[str]:
    return sorted(path.name for path in (folder / "inputs").iterdir())


async def pieces(*given: bytes) -> AsyncIterator[bytes]:
    for piece in given:
        yield piece


def test_files_are_named_by_their_bytes_once_they_are_kept(tmp_path: Path) -> None:
    files = InputFiles(tmp_path)
    name = hashlib.sha256(b"abc").hexdigest()

    async def receive(keep: bool) -> Upload:
        async with files.receive(pieces(b"ab", b"c")) as upload:
            assert upload.path.read_bytes() == b"abc"
            assert files.path(name) is None
            if keep:
                files.keep(upload)
        return upload

    for keep in (False, True):
        upload = asyncio.run(receive(keep))
        assert (upload.name, upload.size) == (name, 3)
        assert not upload.path.exists()
    path = files.path(name)
    assert path is not None
    assert path.read_bytes() == b"abc"
    assert [files.path(wrong) for wrong in ("..", "a" * 64, "../" + name, name.upper())] == [None] * 4


def test_a_file_that_is_about_to_be_bound_stays(tmp_path: Path) -> None:
    """The session of a saved page is created after its files are there, and a server may sweep in between."""
    files = InputFiles(tmp_path)

    async def receive() -> None:
        async with files.receive(pieces(b"abc")) as upload:
            files.keep(upload)
            assert InputFiles(tmp_path).sweep(set) == 0
        assert InputFiles(tmp_path).sweep(set) == 1

    asyncio.run(receive())


def test_half_a_file_leaves_nothing(tmp_path: Path) -> None:
    async def breaking() -> AsyncIterator[bytes]:
        yield b"a"
        raise ConnectionError

    async def receive() -> None:
        async with InputFiles(tmp_path).receive(breaking()):
            pass

    with pytest.raises(ConnectionError):
        asyncio.run(receive())
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("data", [b"", b"no archive", npy()[:20], b"PK\x03\x04" + bytes(100)])
def test_what_is_refused_is_not_kept(client: TestClient, folder: Path, session: str, data: bytes) -> None:
    before = kept(folder)
    assert upload(client, session, data).status_code == 422
    assert kept(folder) == before


def test_what_is_accepted_is_bound_to_its_session(client: TestClient, folder: Path, session: str) -> None:
    name = upload(client, session, npy()).json()["file"]
    assert name in kept(folder)
    store = Store(folder)
    assert name in store.needed_inputs()
    store.close()
    assert upload(client, session, npy()).json()["file"] == name  # again


# A disk that is full.


class FullDisk:
    """Fails at the given call of the system, as a disk does."""

    def __init__(self, code: int) -> None:
        self.error = OSError(code, os.strerror(code))

    def __call__(self, *_: Any, **__: Any) -> Any:
        raise self.error


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT, errno.EFBIG])
@pytest.mark.parametrize("where", ["make", "write", "sync", "name", "sync of the folder", "spool"])
def test_a_full_disk_leaves_nothing_and_says_what_to_do(
    where: str, code: int, client: TestClient, folder: Path, session: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = npy(code + 1_000_000 if where == "spool" else code)
    before = kept(folder)
    full = FullDisk(code)
    with monkeypatch.context() as patched:
        if where == "make":
            patched.setattr(tempfile, "mkstemp", full)
        elif where == "write":
            patched.setattr(files_module, "_finish", full)
        elif where == "sync":
            patched.setattr(os, "fsync", full)
        elif where == "name":
            patched.setattr(Path, "replace", full)
        elif where == "sync of the folder":
            patched.setattr(files_module, "sync_to_disk", full)
        else:  # where large uploads come to first
            patched.setattr(tempfile.SpooledTemporaryFile, "rollover", full)
        answer = upload(client, session, data)
    assert answer.status_code == 507, answer.text
    error = answer.json()["error"]
    assert error["kind"] == "storage"
    assert error["message"].startswith("There is no space to store this: ")
    assert error["hint"] == "Free some space on the disk of the data folder, then try again."
    if where != "sync of the folder":
        assert kept(folder) == before
    assert upload(client, session, data).status_code == 200
    assert client.get(f"/api/sessions/{session}").status_code == 200


ROOM = 2_000_000
LIMITED = f"""\
import resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, ({ROOM}, {ROOM}))
from hloscope.app.cli.main import main
sys.exit(main(sys.argv[1:]))
"""


def test_a_disk_that_takes_no_more_bytes(tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-c",
        LIMITED,
        "serve",
        "--no-browser",
        "--port",
        "0",
        "--set",
        f"data_dir={tmp_path}",
    ]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        address = process.stdout.readline().removeprefix("hloscope is at ").strip()
        origin = address.partition("/?")[0]
        with httpx.Client(base_url=origin, headers={"Origin": origin}, timeout=PATIENCE) as client:
            client.get(address)
            session = client.post("/api/sessions", json={"text": ADD}).json()["id"]
            answer = upload(client, session, npy(ROOM // 2))
            assert (answer.status_code, answer.json()["error"]["kind"]) == (507, "storage")
            assert answer.json()["error"]["message"] == "There is no space to store this: file too large."
            assert kept(tmp_path) == []
            assert upload(client, session, npy()).status_code == 200
            found: JSON = client.get(f"/api/sessions/{session}").json()
            assert found["text"] == ADD
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


# What is left behind.


def test_what_is_left_behind_is_swept_away(tmp_path: Path) -> None:
    files = InputFiles(tmp_path)
    known, unknown, other = "a" * 64, "b" * 64, "notes.txt"
    for name in (known, unknown, other, ".upload-dead"):
        (tmp_path / name).write_bytes(b"x")

    async def receive() -> None:
        async with files.receive(pieces(b"y")) as upload:
            # Another server on the same folder leaves alone what this one is at.
            assert InputFiles(tmp_path).sweep(lambda: {known}) == 2
            assert upload.path.read_bytes() == b"y"
            files.keep(upload)

    asyncio.run(receive())
    mine = hashlib.sha256(b"y").hexdigest()
    assert {path.name for path in tmp_path.iterdir()} == {known, other, mine}
    assert files.sweep(lambda: {known, mine}) == 0

    def meanwhile() -> set[str]:
        (tmp_path / unknown).write_bytes(b"x")  # another server's, whose row is there since
        return {known, mine}

    assert files.sweep(meanwhile) == 0
    assert (tmp_path / unknown).exists()


def test_a_server_sweeps_when_it_starts(tmp_path: Path) -> None:
    with serving(tmp_path) as client:
        session = new_session(client)
        name = upload(client, session, npy()).json()["file"]
    for orphan in ("c" * 64, ".upload-1"):
        (tmp_path / "inputs" / orphan).write_bytes(b"x")
    with serving(tmp_path) as client:
        assert kept(tmp_path) == [name]
        spec = {"kind": "file", "file": name, "array": "x"}
        answer = client.post(f"/api/sessions/{session}/runs", json={"text": ADD, "inputs": [spec]})
        assert answer.status_code == 200


def test_files_of_a_store_that_is_away_are_not_swept(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Who moves a damaged store away and starts again may put a copy back later."""
    with serving(tmp_path) as client:
        session = new_session(client)
        name = upload(client, session, npy()).json()["file"]
    for number in (1, 2):
        (tmp_path / "hloscope.sqlite").rename(tmp_path / f"away-{number}")
        with serving(tmp_path) as client:
            assert kept(tmp_path) == []
            assert client.get(f"/api/sessions/{session}").status_code == 404
            upload(client, new_session(client), npy(5))
        assert f"inputs-before-{number}\n" in caplog.text
    (tmp_path / "away-1").rename(tmp_path / "hloscope.sqlite")
    (tmp_path / "inputs-before-1" / name).rename(tmp_path / "inputs" / name)
    with serving(tmp_path) as client:
        assert client.get(f"/api/sessions/{session}").json()["text"] == ADD
        assert kept(tmp_path) == [name]
