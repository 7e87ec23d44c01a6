"""The store: what was written is there after closing it, in whatever way it was closed."""

import asyncio
import dataclasses
import hashlib
import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from hloscope.app.keys import engine_build, recording_key, session_hash, text_hash
from hloscope.app.store import Position, RunRecord, Store
from hloscope.app.store.files import InputFiles

INFO: dict[str, list[str]] = {"arguments": [], "results": [], "diagnostics": []}
RUN = RunRecord(0, text_hash("p"), "main", [{"kind": "zeros", "seed": 0}], INFO, "key", "e", 7, 1.0)


def store_with_session(folder: Path) -> Store:
    store = Store(folder)
    store.add_session("s", "name.mlir", "draft")
    return store


def test_a_session_comes_back(tmp_path: Path) -> None:
    store = store_with_session(tmp_path)
    run = store.add_run("s", "p", RUN, [3])
    position = Position(run.number, 12, [[1, 0]], [3, 4])
    store.write_progress({"s": position}, {("s", 1): 99})
    store.set_draft("s", "new draft")
    store.close()
    session = Store(tmp_path).session("s")
    assert session is not None
    assert session.position == position
    assert session.draft == "new draft"
    assert session.current == dataclasses.replace(RUN, number=1, steps=99)
    assert Store(tmp_path).program(text_hash("p")) == "p"


def test_runs_are_numbered_and_found_by_key(tmp_path: Path) -> None:
    store = store_with_session(tmp_path)
    store.add_session("t", "other", "draft")
    assert [store.add_run("s", "p", RUN).number for _ in range(2)] == [1, 2]
    assert store.add_run("t", "p", RUN).number == 1
    assert set(store.runs_with_key("key")) == {("s", 1), ("s", 2), ("t", 1)}
    assert store.runs_with_key("other") == []


def test_a_new_run_begins_at_its_first_step(tmp_path: Path) -> None:
    store = store_with_session(tmp_path)
    store.add_run("s", "p", RUN)
    store.write_progress({"s": Position(1, 12, [[1, 0]], [3])}, {})
    store.add_run("s", "p", RUN)
    session = store.session("s")
    assert session is not None
    assert session.position == Position(2, 0, [], [3])
    assert session.draft is None


def test_there_is_no_session_that_was_not_made(tmp_path: Path) -> None:
    store = Store(tmp_path)
    assert store.session("s") is None
    assert not store.set_draft("s", "text")


def test_old_sessions_and_what_only_they_used_are_deleted(tmp_path: Path) -> None:
    store = store_with_session(tmp_path)
    store.add_session("t", "other", "draft")
    file = {"kind": "file", "file": "used", "array": "0"}
    store.add_run("s", "p", RUN)
    store.add_run("t", "q", dataclasses.replace(RUN, program=text_hash("q"), inputs=[file]))
    store.add_input("used", 5)
    store.add_input("unused", 5)
    store.close()
    with sqlite3.connect(tmp_path / "hloscope.sqlite") as connection:
        connection.execute("UPDATE sessions SET updated = 0 WHERE id_hash = 's'")
        connection.execute("UPDATE inputs SET created = 0")
    connection.close()
    store = Store(tmp_path)
    assert store.prune(30) == ["unused"]
    assert store.session("s") is None
    assert store.session("t") is not None
    assert store.program(text_hash("q")) == "q"


async def _pieces(*pieces: bytes) -> AsyncIterator[bytes]:
    for piece in pieces:
        yield piece


def test_files_are_named_by_their_bytes(tmp_path: Path) -> None:
    files = InputFiles(tmp_path / "inputs")
    name, size = asyncio.run(files.add(_pieces(b"ab", b"c")))
    assert (name, size) == (hashlib.sha256(b"abc").hexdigest(), 3)
    path = files.path(name)
    assert path is not None
    assert path.read_bytes() == b"abc"
    assert [files.path(wrong) for wrong in ("..", "a" * 64, "../" + name, name.upper())] == [None] * 4
    files.remove([name])
    assert files.path(name) is None


def test_half_a_file_leaves_nothing(tmp_path: Path) -> None:
    files = InputFiles(tmp_path / "inputs")

    async def breaking() -> AsyncIterator[bytes]:
        yield b"a"
        raise ConnectionError

    with pytest.raises(ConnectionError):
        asyncio.run(files.add(breaking()))
    assert list((tmp_path / "inputs").iterdir()) == []


def test_keys_depend_on_all_that_decides_values() -> None:
    one = ("p", "main", [{"kind": "zeros"}], "build", 1)
    others = [
        ("q", *one[1:]), ("p", "other", *one[2:]), ("p", "main", [{"kind": "ones"}], "build", 1),
        ("p", "main", [{"kind": "zeros"}], "other", 1), ("p", "main", [{"kind": "zeros"}], "build", 2),
    ]  # fmt: skip
    keys = [recording_key(*parts) for parts in (one, *others)]
    assert len(set(keys)) == len(keys)
    assert recording_key(*one) == keys[0]
    assert all(key.replace("-", "").replace("_", "").isalnum() for key in keys)
    assert engine_build() == engine_build()
    assert session_hash("a") != text_hash("a")


def test_a_store_of_version_1_is_brought_up_to_date(tmp_path: Path) -> None:
    store = store_with_session(tmp_path)
    store.add_run("s", "p", RUN)
    store.close()
    with sqlite3.connect(tmp_path / "hloscope.sqlite") as connection:
        for column in ("grid", "feeds"):
            connection.execute(f"ALTER TABLE runs DROP COLUMN {column}")
        connection.execute("UPDATE meta SET value = '1' WHERE name = 'schema_version'")
    connection.close()
    for _ in range(2):
        store = Store(tmp_path)
        session = store.session("s")
        assert session is not None
        assert session.current == dataclasses.replace(RUN, number=1)
        store.close()


def test_a_run_on_a_grid_comes_back(tmp_path: Path) -> None:
    store = store_with_session(tmp_path)
    feeds: dict[str, object] = {"mark": "m", "given": [], "later": []}
    store.add_run("s", "p", dataclasses.replace(RUN, grid={"replicas": 2, "partitions": 1}, feeds=feeds))
    later = feeds | {"later": [{"queue": "infeed", "process": None, "items": []}]}
    store.set_feeds("s", 1, later)
    session = store.session("s")
    assert session is not None
    assert session.current is not None
    assert (session.current.grid, session.current.feeds) == ({"replicas": 2, "partitions": 1}, later)


def test_files_of_single_processes_and_of_queues_are_kept(tmp_path: Path) -> None:
    store = store_with_session(tmp_path)
    files = [hashlib.sha256(bytes([number])).hexdigest() for number in range(3)]
    spec, fed = ({"kind": "file", "file": file, "array": "0"} for file in files[:2])
    each = [{"kind": "each", "specs": [spec]}]
    feeds = {"mark": "m", "given": [{"queue": "infeed", "items": [[fed]]}], "later": []}
    store.add_run("s", "p", dataclasses.replace(RUN, inputs=each, feeds=feeds))
    for file in files:
        store.add_input(file, 1)
    with sqlite3.connect(tmp_path / "hloscope.sqlite") as connection:
        connection.execute("UPDATE inputs SET created = 0")
    connection.close()
    assert store.prune(1) == files[2:]
