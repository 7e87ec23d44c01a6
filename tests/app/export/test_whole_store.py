"""Everything that a server holds as one archive: out of one store, into another; damaged and hostile archives."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import shutil
import struct
import zipfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from hloscope.app.base.keys import text_hash
from hloscope.app.base.settings import Settings
from hloscope.app.cli.main import main
from hloscope.app.export import whole_store
from hloscope.app.store import Position, Store
from hloscope.app.store.all_rows import TABLES
from hloscope.app.store.rooms import RoomRecord
from hloscope.app.store.store import RunningClock
from hloscope.app.store.tables import SCHEMA_VERSION
from hloscope.app.web.starting import NO_FOLDER, open_data
from tests.app.serving import ADD, TOKEN, new_session, run_of, serving, settled
from tests.app.store.places import Place
from tests.app.store.test_store import RUN

FILE = b"some numbers"
HASH = hashlib.sha256(FILE).hexdigest()
ODD = "é\U0001f600\x01"
COUNTS = "2 sessions, 1 dump, 1 room and 1 uploaded file"


KINDS = ["sqlite", pytest.param("postgresql", marks=pytest.mark.postgresql)]


@pytest.fixture
def target(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    """An empty store of the kind that the test names."""
    yield from new_place(request, tmp_path / "target")


@pytest.fixture
def origin(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    """Another one."""
    yield from new_place(request, tmp_path / "origin")


def new_place(request: pytest.FixtureRequest, folder: Path) -> Iterator[Place]:
    address = "" if request.param == "sqlite" else request.getfixturevalue("postgresql").new_database()
    folder.mkdir()
    with closing(Place(folder, address)) as found:
        yield found


def set_clock(place: Place, seconds: float) -> None:
    """For how long the servers of a store have run."""
    place.open().close()
    place.execute("INSERT INTO meta (name, value) VALUES ('clock', :seconds)", seconds=str(seconds))


def fill(place: Place) -> Store:
    """A store with a row in each table, and a file."""
    set_clock(place, 1000)
    store = place.open()
    for name in ("s", "copy"):
        store.add_session(name, ODD, "draft\n" + ODD)
    store.add_run("s", ODD, dataclasses.replace(RUN, program=text_hash(ODD)), [3])
    store.write_progress({"s": Position(1, 12, [[1, 0]], [3])}, {("s", 1): 99})
    store.add_sources("s", {"train.py": ODD})
    (place.folder / "inputs").mkdir(mode=0o700)
    (place.folder / "inputs" / HASH).write_bytes(FILE)
    store.add_upload("s", HASH, len(FILE))
    store.view_links.add("link", "s")
    contents, wishes, found = '{"modules": [], "files": []}', '{"seed": 0}', "damaged {"
    place.execute(
        "INSERT INTO dumps (id_hash, name, archive, contents, wishes, found, build, created, visited) "
        "VALUES ('d', 'dump', :file, :contents, :wishes, :found, 'b', 1.5, 700)",
        file=HASH, contents=contents, wishes=wishes, found=found,
    )  # fmt: skip
    store.rooms.add(
        RoomRecord("r", "code", "sealed", "s", "room link", "owner", 3, 1, {"a": [None, "\0"]}, 0, 0)
    )
    statements = (
        "INSERT INTO room_members (room, member, number, said) VALUES ('r', 'm', 1, '{}')",
        "INSERT INTO room_answers (room, poll, member, answer) VALUES ('r', 'p', 'm', '18')",
        "INSERT INTO room_polls (room, poll, number, kept) VALUES ('r', 'p', 1, '{}')",
        "INSERT INTO room_copies (session, room, member) VALUES ('copy', 'r', 'm')",
    )
    place.execute(*statements)
    return store


def command(name: str, file: Path, place: Place, *more: str) -> int:
    return main(
        [name, str(file), "--set", f"data_dir={place.folder}", "--set", f"store={place.address}", *more]
    )


def rows(place: Place) -> dict[str, list[dict[str, Any]]]:
    store = place.open()
    with store.all_rows.read() as rows_of:
        return {table: list(map(dict, rows_of(table))) for table in TABLES}


@pytest.mark.parametrize("origin", KINDS, indirect=True)
@pytest.mark.parametrize("target", KINDS, indirect=True)
def test_another_store_takes_all_of_it(
    origin: Place,
    target: Place,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Both ways between SQLite and PostgreSQL, while a server has the first one open."""
    monkeypatch.setattr(RunningClock, "now", lambda clock: clock._start)
    fill(origin)
    (origin.folder / "token").write_text(TOKEN)
    archive = tmp_path / "all.zip"
    assert command("export", archive, origin) == 0
    assert capsys.readouterr().out == f"{archive}: {COUNTS}, {archive.stat().st_size:,} bytes\n"
    assert archive.stat().st_mode & 0o077 == 0
    set_clock(target, 5_000_000)
    assert command("import", archive, target) == 0
    assert capsys.readouterr().out == f"{target.folder} has {COUNTS}\n"
    wanted = rows(origin)
    assert rows(target) == wanted
    assert all(wanted.values()), "nothing was tried of a table"
    assert (target.folder / "inputs" / HASH).read_bytes() == FILE
    assert (target.folder / "token").read_text() == TOKEN
    # Its clock is later, but nothing is older than before.
    assert target.execute("SELECT visited FROM dumps") == [(4_999_700,)]
    assert target.open().prune(days=1, grace_days=1).set_aside == 0
    assert command("import", archive, target) == 2
    assert "is not empty" in capsys.readouterr().err


def test_a_server_goes_on_where_the_other_was(tmp_path: Path) -> None:
    archive, old, new = tmp_path / "all.zip", Place(tmp_path / "old"), Place(tmp_path / "new")
    with serving(old.folder) as client:
        session = new_session(client, ADD)
        key = settled(client, session)["key"]
        link = client.post(f"/api/sessions/{session}/links").json()["id"]
        client.put(f"/api/sessions/{session}/position", json={"run": 1, "step": 2})
        before = client.get(f"/api/recordings/{key}/values/0.s1.0").content
        assert command("export", archive, old) == 0  # the server has the folder open
    assert command("import", archive, new) == 0
    with serving(new.folder) as client:
        assert client.get(f"/api/sessions/{session}").json()["position"]["step"] == 2
        assert run_of(client, session)["key"] == key
        assert client.get(f"/api/recordings/{key}/values/0.s1.0").content == before
        assert client.get(f"/api/sessions/{link}").status_code == 200


def test_an_import_has_its_folder_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    archive = exported(tmp_path)
    capsys.readouterr()
    with closing(open_data(Settings(data_dir=str(tmp_path / "new")))):
        assert command("import", archive, Place(tmp_path / "new")) == NO_FOLDER
    assert "another hloscope uses the data folder" in capsys.readouterr().err


def test_the_token_of_a_server_stays(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    archive, new = exported(tmp_path), Place(tmp_path / "new")
    new.folder.mkdir()
    (new.folder / "token").write_text("of-this-server-alone")
    assert command("import", archive, new) == 0
    assert "this server keeps its own token" in capsys.readouterr().out
    assert (new.folder / "token").read_text() == "of-this-server-alone"


def test_what_is_missing_or_rotten_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    archive, old, new = tmp_path / "all.zip", Place(tmp_path / "old"), Place(tmp_path / "new")
    old.folder.mkdir()
    fill(old)
    (old.folder / "inputs" / HASH).write_bytes(b"rotten")
    old.execute("UPDATE programs SET text = 'rotten'")
    assert command("export", archive, old) == 0
    said = capsys.readouterr().out
    assert "1 uploaded files are missing or damaged" in said
    assert "1 programs are damaged" in said
    assert command("import", archive, new) == 0
    assert "1 uploaded files are not in the archive" in capsys.readouterr().out
    assert [len(rows(new)[table]) for table in ("sessions", "programs", "runs")] == [2, 0, 0]


def test_what_cannot_be_exported_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command("export", tmp_path / "all.zip", Place(tmp_path / "nothing")) == NO_FOLDER
    assert "there is no store in" in capsys.readouterr().err
    archive = exported(tmp_path)
    assert command("export", archive, Place(tmp_path / "old")) == 2
    assert "exists already" in capsys.readouterr().err
    nowhere = tmp_path / "none" / "all.zip"
    assert command("export", nowhere, Place(tmp_path / "old")) == 2
    assert f"cannot use {nowhere}: no such file or directory" in capsys.readouterr().err
    old = Place(tmp_path / "old")
    old.execute("UPDATE meta SET value = '7' WHERE name = 'schema_version'")
    assert command("export", tmp_path / "more.zip", old) == 4
    assert old.execute("SELECT value FROM meta WHERE name = 'schema_version'") == [
        ("7",)
    ]  # it changes nothing
    assert not (tmp_path / "more.zip").exists()


def exported(tmp_path: Path) -> Path:
    """An archive of a filled store."""
    old = Place(tmp_path / "old")
    old.folder.mkdir()
    fill(old).close()
    (old.folder / "token").write_text(TOKEN)
    assert command("export", tmp_path / "all.zip", old) == 0
    return tmp_path / "all.zip"


Members = dict[str, bytes]


def changed(table: str, **values: Any) -> Callable[[Members], None]:
    """A change of the first row of a table; ... leaves a column out."""

    def change(members: Members) -> None:
        first, _, rest = members[f"tables/{table}.jsonl"].partition(b"\n")
        row = {key: value for key, value in (json.loads(first) | values).items() if value is not ...}
        members[f"tables/{table}.jsonl"] = json.dumps(row).encode() + b"\n" + rest

    return change


def with_manifest(**values: Any) -> Callable[[Members], None]:
    def change(members: Members) -> None:
        members["manifest.json"] = json.dumps(json.loads(members["manifest.json"]) | values).encode()

    return change


def put(name: str, data: bytes) -> Callable[[Members], None]:
    return lambda members: members.update({name: data})


def twice(members: Members) -> None:
    members["tables/dumps.jsonl"] *= 2
    count = json.loads(members["manifest.json"])["rows"]
    with_manifest(rows=count | {"dumps": 2})(members)


WRONG: dict[str, tuple[Callable[[Members], Any], str]] = {
    "later archive": (with_manifest(version=2), "was exported by a later hloscope"),
    "later tables": (with_manifest(schema=SCHEMA_VERSION + 1), "was exported by a later hloscope"),
    "no version": (with_manifest(version="1"), "its manifest.json is not one of hloscope"),
    "deep manifest": (put("manifest.json", b"[" * 100_000), "its manifest.json is not one of hloscope"),
    "huge manifest": (put("manifest.json", b" " * (2 << 20)), "its manifest.json is too large"),
    "no manifest": (lambda members: members.pop("manifest.json"), "it has no manifest.json"),
    "path upwards": (put("files/../../stolen", b""), "it has a file 'files/../../stolen'"),
    "absolute path": (put("/etc/passwd", b""), "it has a file '/etc/passwd'"),
    "other table": (put("tables/leases.jsonl", b""), "it has a file 'tables/leases.jsonl'"),
    "other contents": (put(f"files/{HASH}", b"others"), f"the contents of files/{HASH} are others"),
    "no JSON": (put("tables/sessions.jsonl", b"{\n"), "row 1 of sessions is not a JSON object"),
    "deep JSON": (put("tables/sessions.jsonl", b"[" * 100_000), "row 1 of sessions is not a JSON object"),
    "fewer rows": (put("tables/sessions.jsonl", b""), "it has 0 rows of sessions"),
    "unknown column": (changed("sessions", admin=1), "a row of sessions has unknown columns"),
    "missing column": (changed("sessions", name=...), "a row of sessions has a wrong value of name"),
    "truth for a number": (changed("sessions", step=True), "a row of sessions has a wrong value of step"),
    "large number": (changed("sessions", run=1 << 40), "a row of sessions has a wrong value of run"),
    "no number": (changed("sessions", visited=float("nan")), "a row of sessions has a wrong value of visited"),
    "half a pair": (changed("sessions", name="\ud800"), "a row of sessions has a wrong value of name"),
    "NUL in a hash": (changed("sessions", id_hash="s\0"), "a row of sessions has a wrong value of id_hash"),
    "other program": (changed("programs", text="another"), "a program has the name of another one"),
    "refers to nothing": (changed("view_links", session="nobody"), "refer to what is not there"),
    "the same twice": (twice, "are there twice"),
}  # fmt: skip


@pytest.mark.parametrize("target", KINDS, indirect=True)
def test_a_hostile_archive_is_one_sentence_and_changes_nothing(
    target: Place, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with zipfile.ZipFile(exported(tmp_path)) as archive:
        whole = {name: archive.read(name) for name in archive.namelist()}
    capsys.readouterr()
    for name, (change, sentence) in WRONG.items():
        members = dict(whole)
        change(members)
        hostile = tmp_path / "hostile.zip"
        write(hostile, members)
        assert refused(hostile, target, capsys, sentence), name
    write(tmp_path / "hostile.zip", whole)
    assert command("import", tmp_path / "hostile.zip", target) == 0  # nothing of those is left


def write(path: Path, members: Members) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)


def refused(archive: Path, target: Place, capsys: pytest.CaptureFixture[str], sentence: str) -> bool:
    """Whether the import ends with this sentence, and leaves neither a row nor a file."""
    code = command("import", archive, target)
    said = capsys.readouterr()
    assert (code, said.out, said.err.count("\n")) == (2, "", 1), said
    assert sentence in said.err
    assert "Traceback" not in said.err
    inputs = target.folder / "inputs"
    return not (inputs.exists() and any(inputs.iterdir())) and not (target.folder / "token").exists()


def test_a_damaged_archive_is_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = exported(tmp_path).read_bytes()
    capsys.readouterr()
    target, damaged = Place(tmp_path / "new"), tmp_path / "damaged.zip"
    flipped = bytearray(data)
    flipped[data.index(FILE)] ^= 1
    end = data.rindex(b"PK\x05\x06")
    large_directory = bytearray(data)
    struct.pack_into("<L", large_directory, end + 12, 0xFFFFFFF0)
    encrypted = bytearray(data)
    for signature, at in ((b"PK\x01\x02", 8), (b"PK\x03\x04", 6)):
        encrypted[data.index(signature) + at] |= 1
    for content in (
        b"",
        b"PK",
        data[: len(data) // 2],
        data[:end],
        bytes(flipped),
        bytes(large_directory),
        bytes(encrypted),
    ):
        damaged.write_bytes(content)
        assert refused(damaged, target, capsys, "damaged.zip is not an export of hloscope, or is damaged")
    assert command("import", tmp_path / "nothing.zip", target) == 2
    assert "no such file" in capsys.readouterr().err


def test_a_bomb_is_refused_before_it_is_unpacked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with zipfile.ZipFile(exported(tmp_path)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    capsys.readouterr()
    bomb = tmp_path / "bomb.zip"
    write(bomb, members | {f"files/{'0' * 64}": bytes(64 << 20)})
    assert bomb.stat().st_size < 1 << 20
    usage = shutil.disk_usage(tmp_path)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage._replace(free=32 << 20))
    assert refused(bomb, Place(tmp_path / "new"), capsys, "bytes unpacked, and the disk of")
    # A row of any length does not come into memory whole.
    monkeypatch.undo()
    write(bomb, members | {"tables/sessions.jsonl": bytes(8 << 20)})
    monkeypatch.setattr(whole_store, "ESCAPES", 0)
    assert refused(bomb, Place(tmp_path / "new"), capsys, "has a row of more than 2,097,152 bytes")
