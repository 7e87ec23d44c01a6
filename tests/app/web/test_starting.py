"""A server that cannot start says why in one sentence, with what to do, and has an exit code for it."""

import contextlib
import errno
import os
import resource
import shutil
import socket
import sqlite3
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, event
from starlette.testclient import TestClient

from hloscope.app.base.settings import Settings
from hloscope.app.cli.main import __doc__ as table_of_codes
from hloscope.app.cli.main import main
from hloscope.app.store import Store, pending_writes
from hloscope.app.store.folder_lock import FolderInUse, FolderLock
from hloscope.app.web.main import _Server, token_of
from hloscope.app.web.starting import NO_FOLDER, SERVER, open_data
from tests.app.serving import ADD, new_session, serving, settled
from tests.app.store.places import Place
from tests.app.store.test_store import RUN, store_with_session

STORE = "hloscope.sqlite"
NOBODY = 65_534


@pytest.fixture(autouse=True)
def starts(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Nothing listens here for long; the list says whether a server would have."""
    started: list[bool] = []

    def run(server: _Server, sockets: Any) -> None:
        started.append(True)
        server.started = True
        for listening in sockets:
            listening.close()

    monkeypatch.setattr(_Server, "run", run)
    return started


def start(folder: Path | str, *more: str) -> int:
    return main(["serve", "--no-browser", "--port", "0", "--set", f"data_dir={folder}", *more])


def complaint(capsys: Any) -> str:
    """What it said: one line."""
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("hloscope: ")
    assert captured.err.count("\n") == 1
    return str(captured.err)


def kept(folder: Path) -> Path:
    """A store with a session and a run, closed."""
    store = store_with_session(Place(folder))
    store.add_run("s", "p", RUN)
    for number in range(200):
        store.add_session(f"s{number}", "name", "draft" * 100)
    store.close()
    return folder / STORE


def garbage(path: Path) -> None:
    path.write_bytes(os.urandom(20_000))


def few_bytes(path: Path) -> None:
    path.write_bytes(b"x")


def truncated(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def cut_in_its_header(path: Path) -> None:
    os.truncate(path, 50)


def without_its_tables(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:100] + os.urandom(path.stat().st_size - 100))


def emptied(path: Path) -> None:
    path.write_bytes(b"")


def version(text: str) -> Callable[[Path], None]:
    def change(path: Path) -> None:
        with closing(sqlite3.connect(path)) as store, store:
            store.execute("UPDATE meta SET value = ? WHERE name = 'schema_version'", (text,))

    return change


def unversioned(path: Path) -> None:
    with closing(sqlite3.connect(path)) as store, store:
        store.execute("DELETE FROM meta")


def foreign(path: Path) -> None:
    path.unlink()
    with closing(sqlite3.connect(path)) as store, store:
        store.execute("CREATE TABLE other (x)")


def missing_but_for_its_wal(path: Path) -> None:
    Path(f"{path}-wal").write_bytes(b"pages")
    path.unlink()


@pytest.mark.parametrize(
    ("damage", "what", "to_do"),
    [
        (garbage, "is damaged (file is not a database)", "put a copy back, or move it away"),
        (few_bytes, "is not an hloscope store", "move it away"),
        (truncated, "is damaged (database disk image is malformed)", "put a copy back"),
        (cut_in_its_header, "is damaged", "put a copy back"),
        (without_its_tables, "is damaged", "put a copy back"),
        (emptied, "is empty, and hloscope never leaves it so", "put a copy back, or delete it"),
        (version("99"), "has version 99, and this hloscope reads version", "use the hloscope that made it"),
        (version("99.5"), "has version 99.5", "use the hloscope that made it"),
        (unversioned, "has version None", "use the hloscope that made it"),
        (foreign, "is not an hloscope store", "move it away"),
        (
            missing_but_for_its_wal,
            "is missing, but hloscope.sqlite-wal is there",
            "put it back, or delete that",
        ),
    ],
)
def test_a_store_that_cannot_be_read_is_left_as_it_is(
    damage: Callable[[Path], None], what: str, to_do: str, tmp_path: Path, capsys: Any, starts: list[bool]
) -> None:
    path = kept(tmp_path)
    damage(path)
    before = path.read_bytes() if path.exists() else None
    for _ in range(2):
        assert start(tmp_path) == 4
        said = complaint(capsys)
        assert str(path) in said
        assert what in said
        assert to_do in said
    assert (path.read_bytes() if path.exists() else None) == before
    assert starts == []


def test_a_public_server_needs_the_names_of_its_hosts(
    tmp_path: Path, capsys: Any, starts: list[bool]
) -> None:
    assert start(tmp_path, "--public") == 2
    assert "needs the setting allowed_hosts" in complaint(capsys)
    assert (starts, list(tmp_path.iterdir())) == ([], [])
    file = tmp_path / "hloscope.toml"
    file.write_text('allowed_hosts = "https://debug.example"')
    assert start(tmp_path, "--public", "--settings", str(file)) == 0
    file.write_text("max_connectons = 3")
    assert start(tmp_path, "--settings", str(file)) == 2
    assert f"{file} line 1: there is no setting 'max_connectons'; did you mean" in complaint(capsys)


def test_where_nothing_was_a_store_is_made(tmp_path: Path, starts: list[bool]) -> None:
    for _ in range(2):
        assert start(tmp_path / "deep" / "folder") == 0
    assert starts == [True, True]
    assert sorted(path.name for path in (tmp_path / "deep" / "folder").iterdir()) == [
        STORE,
        "inputs",
        "token",
    ]


def test_servers_that_make_the_same_store_at_once_share_it(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        stores = list(pool.map(lambda _: Store(tmp_path), range(8)))
    for number, store in enumerate(stores):
        store.add_session(f"s{number}", "name", "draft")
    assert all(stores[0].session(f"s{number}") for number in range(8))
    for store in stores:
        store.close()
    assert [path.name for path in tmp_path.iterdir()] == [STORE]


# The folder and its disk.


@contextlib.contextmanager
def without_privileges() -> Iterator[None]:
    """As somebody whom rights concern."""
    if os.geteuid() != 0:
        yield
        return
    os.setegid(NOBODY)
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)
        os.setegid(0)


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that everybody may look into, and nobody but its owner write to."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    try:
        yield folder
    finally:
        folder.chmod(0o755)
        shutil.rmtree(folder)


@pytest.mark.parametrize("has_store", [False, True])
def test_a_folder_that_cannot_be_written(
    has_store: bool, open_folder: Path, capsys: Any, starts: list[bool]
) -> None:
    if has_store:
        for path in (kept(open_folder), open_folder / "token"):
            path.touch()
            path.chmod(0o444)
    open_folder.chmod(0o555)
    with without_privileges():
        assert start(open_folder) == 5
        assert start(open_folder / "more") == 5
    said = capsys.readouterr().err
    assert said.count("\n") == 2
    assert said.count("permissions") == 2
    assert said.count("--set data_dir=FOLDER") == 2
    assert "Traceback" not in said
    assert starts == []


def test_a_folder_that_is_a_file(tmp_path: Path, capsys: Any) -> None:
    (tmp_path / "file").touch()
    for folder in (tmp_path / "file", tmp_path / "file" / "folder"):
        assert start(folder) == 5
        assert f"the data folder cannot be used ({folder}: " in complaint(capsys)


def test_a_full_disk(tmp_path: Path, capsys: Any) -> None:
    def full(connection: Any, _: Any) -> None:
        connection.execute("PRAGMA max_page_count = 3").close()

    event.listen(Engine, "connect", full)
    try:
        assert start(tmp_path) == 5
    finally:
        event.remove(Engine, "connect", full)
    assert "there is no space for the store" in complaint(capsys)
    assert list(tmp_path.iterdir()) == []
    assert start(tmp_path) == 0


@contextlib.contextmanager
def files_of_at_most(room: int) -> Iterator[None]:
    """No file of this process grows beyond so many bytes."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


@pytest.mark.parametrize(("room", "has_store"), [(100, False), (20_000, False), (20_000, True)])
def test_a_disk_that_takes_no_more_bytes(
    room: int, has_store: bool, tmp_path: Path, capsys: Any, starts: list[bool]
) -> None:
    if has_store:
        kept(tmp_path)
    with files_of_at_most(room):
        assert start(tmp_path) == 5
    assert complaint(capsys)
    assert starts == []
    if not has_store:
        assert list(tmp_path.iterdir()) == []
    else:
        store = Store(tmp_path)
        assert store.session("s199") is not None
        store.close()


def test_a_token_that_cannot_be_written_is_not_half_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    def full(*_: Any) -> Any:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patched:
        patched.setattr("hloscope.app.web.main.secrets.token_urlsafe", full)
        assert start(tmp_path) == 5
    assert "no space left on device" in complaint(capsys)
    assert start(tmp_path) == 0


def test_a_token_that_is_none(tmp_path: Path, capsys: Any) -> None:
    (tmp_path / "token").write_bytes(b"\xff\xfe")
    assert start(tmp_path) == 5
    assert "contains no valid token: delete it" in complaint(capsys)


# The port.


def test_a_port_that_is_taken(tmp_path: Path, capsys: Any) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        assert start(tmp_path, "--port", str(port)) == 6
    said = complaint(capsys)
    assert f"cannot listen on 127.0.0.1 port {port} (address already in use)" in said
    assert "choose another port with --port" in said


def test_an_address_that_is_not_ours(tmp_path: Path, capsys: Any) -> None:
    assert start(tmp_path, "--host", "192.0.2.1") == 6
    assert "--host wants an address of this machine" in complaint(capsys)


@pytest.mark.parametrize("port", ["65536", "-1", "1e3", "http"])
def test_a_port_that_is_none(port: str, tmp_path: Path, capsys: Any) -> None:
    assert start(tmp_path, "--port", port) == 2
    assert "--port" in capsys.readouterr().err


def test_a_program_that_cannot_be_read_is_told_before(
    tmp_path: Path, capsys: Any, starts: list[bool]
) -> None:
    (tmp_path / "p.mlir").write_bytes(b"module \xff")
    assert main(["serve", str(tmp_path / "p.mlir"), "--set", f"data_dir={tmp_path}"]) == 2
    said = capsys.readouterr().err
    assert "byte 7 is not UTF-8\n        hint: hloscope reads StableHLO and HLO text" in said
    assert starts == []


def test_the_codes_are_told() -> None:
    document = (Path(__file__).parents[3] / "docs" / "command-line.md").read_text()
    for code in ("4", "5", "6", "70", "130"):
        assert f"    {code} " in str(table_of_codes)
        assert f"| {code} |" in document


# Who may read what is kept.


def modes(folder: Path) -> dict[str, int]:
    found = [folder, *folder.iterdir()]
    return {path.name if path != folder else "": stat.S_IMODE(path.stat().st_mode) for path in found}


def test_what_is_kept_is_for_its_owner_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    before = os.umask(0)
    try:
        folder = Settings().data_folder()
        token_of(Settings())
        store = store_with_session(Place(folder))
        files = {STORE: 0o600, f"{STORE}-wal": 0o600, f"{STORE}-shm": 0o600, "token": 0o600}
        assert modes(folder) == {"": 0o700, **files}
    finally:
        os.umask(before)
        store.close()


def test_what_others_could_read_before_they_cannot_any_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    path = kept(Settings().data_folder())
    (path.parent / "inputs").mkdir()
    for item in (path, path.parent, path.parent / "inputs"):
        item.chmod(0o777)
    assert main(["serve", "--no-browser", "--port", "0"]) == 0
    assert set(modes(path.parent).values()) == {0o700, 0o600}


# A folder that goes while the server runs.


def test_a_folder_that_vanishes_is_told_and_may_come_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        pending_writes, "RECALL_SECONDS", 1e-9
    )  # for a moment a page could be read all the same
    folder, aside = tmp_path / "data", tmp_path / "aside"
    with serving(folder) as client:
        session = new_session(client)
        run = settled(client, session)
        folder.rename(aside)
        for answer in (
            client.put(f"/api/sessions/{session}/draft", json={"text": "lost"}),
            client.put(f"/api/sessions/{session}/position", json={"run": 1, "step": 1}),
            client.post("/api/sessions", json={"text": ADD}),
            client.get(f"/api/sessions/{session}"),
        ):
            assert answer.status_code == 503
            assert answer.json()["error"]["message"].startswith("The data folder no longer exists")
        # What a worker holds can be looked at meanwhile.
        assert client.get(f"/api/recordings/{run['key']}/values/0.s0.0").status_code == 200
        aside.rename(folder)
        assert client.put(f"/api/sessions/{session}/draft", json={"text": "kept"}).status_code == 204
        assert client.get(f"/api/sessions/{session}").json()["text"] == "kept"
        upload(client, session)
        shutil.rmtree(folder)
    assert not folder.exists()


def upload(client: TestClient, session: str) -> None:
    answer = client.post(f"/api/sessions/{session}/files", files={"file": ("x.npy", b"none")})
    assert answer.status_code == 422


@pytest.mark.parametrize(
    "token", ["x", "0123456789abcde", "a token with spaces in it", "0123456789abcdef;", "päßword-of-sixteen"]
)
def test_a_token_that_protects_nothing_is_refused(
    tmp_path: Path, token: str, monkeypatch: pytest.MonkeyPatch, capsys: Any, starts: list[bool]
) -> None:
    monkeypatch.setenv("HLOSCOPE_TOKEN", token)
    assert start(tmp_path) == 7
    said = complaint(capsys)
    assert "at least 16" in said
    assert token not in said.removeprefix("hloscope: the setting token") or len(token) == 1
    assert not starts


def test_a_token_that_is_long_enough_is_taken(tmp_path: Path, starts: list[bool]) -> None:
    assert start(tmp_path, "--set", "token=0123456789-bcde.") == 0
    assert starts


@pytest.mark.parametrize("others", [("--set", "allowed_hosts=box.example"), ("--host", "0.0.0.0")])
def test_a_server_for_others_has_its_folder_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], others: tuple[str, str], starts: list[bool]
) -> None:
    with closing(open_data(Settings(data_dir=str(tmp_path)))):
        assert start(tmp_path, *others) == NO_FOLDER
        said = complaint(capsys)
        assert f"another hloscope uses the data folder {tmp_path}" in said
        assert "--set data_dir=FOLDER" in said
        # The programs of one user share a folder.
        assert start(tmp_path) == 0
    assert starts == [True]
    with closing(open_data(Settings(data_dir=str(tmp_path)), alone=SERVER)):
        assert start(tmp_path) == NO_FOLDER
    assert start(tmp_path, *others) == 0
    assert starts == [True, True]


def test_a_folder_of_a_killed_server_is_free(tmp_path: Path) -> None:
    code = (
        "import sys; from hloscope.app.store.folder_lock import FolderLock; from pathlib import Path\n"
        "lock = FolderLock(Path(sys.argv[1]), alone=True); print('locked', flush=True); sys.stdin.read()"
    )
    command = [sys.executable, "-c", code, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"locked\n"
        with pytest.raises(FolderInUse):
            FolderLock(tmp_path, alone=False)
        other.kill()
    FolderLock(tmp_path, alone=True).close()
