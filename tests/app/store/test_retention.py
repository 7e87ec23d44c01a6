"""What is deleted, and when: by the time that a server was seen running, whatever the clock of the machine says."""

import asyncio
import dataclasses
import hashlib
import sqlite3
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from hloscope.app.base.keys import session_hash, text_hash
from hloscope.app.base.settings import Settings
from hloscope.app.store import Position, Store
from hloscope.app.store.files import InputFiles
from hloscope.app.store.pending_writes import StoreThread
from hloscope.app.store.retention import DAY, Pruned
from hloscope.app.web.housekeeping import Housekeeping
from hloscope.app.wire.sessions import EachSpec, Feed, Feeds, FileSpec
from tests.app.serving import ADD, PATIENCE, new_session, serving
from tests.app.store.places import Place
from tests.app.store.test_store import RUN, store_with_session

NOTHING = Pruned(0, 0, 0)


class Time:
    """Time that goes by when one says so."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds

    def pass_days(self, days: float) -> None:
        self.seconds += days * DAY


def aged(place: Place) -> tuple[Store, Time]:
    """A store with a session `s` that was visited just now, and its time."""
    ticks = Time()
    store = place.open(ticks)
    store.add_session("s", "name.mlir", "draft")
    return store, ticks


def names(place: Place) -> set[str]:
    """The sessions in the store, looked at without visiting them."""
    return {name for (name,) in place.execute("SELECT id_hash FROM sessions")}


@pytest.mark.parametrize("jump", [40 * DAY, -40 * DAY, 40_000 * DAY, -1e10])
@pytest.mark.parametrize("when", ["before it was made", "at the next start", "while it runs"])
def test_a_clock_that_jumps_deletes_nothing(
    jump: float, when: str, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = time.time

    def jumped() -> float:
        return real() + jump

    with monkeypatch.context() as patched:
        if when == "before it was made":
            patched.setattr(time, "time", jumped)
        store, _ = aged(place)
        store.add_upload("s", "f" * 64, 1)
    if when != "while it runs":
        store.close()
        monkeypatch.setattr(time, "time", jumped if when == "at the next start" else real)
        store = place.open()
    else:
        monkeypatch.setattr(time, "time", jumped)
    for _ in range(3):
        assert store.prune(30, 7) == NOTHING
        store.beat()
    assert store.needed_inputs() == {"f" * 64}
    assert store.session("s") is not None
    store.close()


def test_a_server_whose_clock_jumps_keeps_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(tmp_path) as client:
        session = new_session(client)
    real = time.time
    for days in (40, -80, 400):
        monkeypatch.setattr(time, "time", lambda days=days: real() + days * DAY)
        with serving(tmp_path) as client:
            assert client.get(f"/api/sessions/{session}").json()["text"] == ADD


def test_sessions_are_set_aside_come_back_and_go(place: Place) -> None:
    store, ticks = aged(place)
    ticks.pass_days(29)
    assert store.prune(30, 7) == NOTHING
    ticks.pass_days(2)
    assert store.prune(30, 7) == Pruned(1, 0, 0)
    ticks.pass_days(6)
    assert store.prune(30, 7) == NOTHING
    # Its address brings it back, and it stays as long as any.
    assert store.session("s") is not None
    ticks.pass_days(29)
    assert store.prune(30, 7) == NOTHING
    ticks.pass_days(2)
    assert store.prune(30, 7) == Pruned(1, 0, 0)
    ticks.pass_days(8)
    assert store.prune(30, 7) == Pruned(0, 0, 1)
    assert store.session("s") is None


@pytest.mark.parametrize("days", [365, 0])
def test_who_kept_sessions_for_too_short_by_mistake_gets_them_back(days: int, place: Place) -> None:
    store, ticks = aged(place)
    ticks.pass_days(100)
    assert store.prune(1, 7) == Pruned(1, 0, 0)
    ticks.pass_days(5)
    assert store.prune(days, 7) == Pruned(0, 1, 0)
    ticks.pass_days(50)
    assert store.prune(days, 7) == NOTHING


def test_without_days_of_grace_they_go_at_once(place: Place) -> None:
    store, ticks = aged(place)
    ticks.pass_days(31)
    assert store.prune(30, 0) == Pruned(1, 0, 1)
    assert names(place) == set()


@pytest.mark.parametrize("visit", ["look", "move", "write", "run"])
def test_whatever_one_does_is_a_visit(visit: str, place: Place) -> None:
    store, ticks = aged(place)
    ticks.pass_days(29)
    if visit == "look":
        store.session("s")
    elif visit == "move":
        store.write_progress({"s": Position(None, 1)}, {})
    elif visit == "write":
        store.set_draft("s", "text")
    else:
        store.add_run("s", "p", RUN)
    ticks.pass_days(29)
    assert store.prune(30, 7) == NOTHING


def test_looking_again_and_again_writes_once(place: Place) -> None:
    store, ticks = aged(place)
    ticks.pass_days(1)
    before = store.writes
    for _ in range(100):
        store.session("s")
    assert store.writes == before + 1


def test_what_only_a_deleted_session_used_goes_with_it(place: Place) -> None:
    store, ticks = aged(place)
    store.add_run("s", "p", RUN)
    for file in ("a" * 64, "b" * 64, "c" * 64):
        store.add_upload("s", file, 5)
    ticks.pass_days(31)
    store.add_session("t", "other", "draft")
    spec: FileSpec = {"kind": "file", "file": "b" * 64, "array": "0"}
    store.add_run("t", "q", dataclasses.replace(RUN, program=text_hash("q"), inputs=[spec]))
    store.add_upload("t", "c" * 64, 5)
    store.prune(30, 7)
    assert store.needed_inputs() == {letter * 64 for letter in "abc"}  # as long as it may come back
    ticks.pass_days(8)
    store.session("t")
    assert store.prune(30, 7).deleted == 1
    assert store.needed_inputs() == {"b" * 64, "c" * 64}
    assert store.program(text_hash("q")) == "q"
    assert [text for (text,) in place.execute("SELECT text FROM programs")] == ["q"]
    assert {hash for (hash,) in place.execute("SELECT hash FROM inputs")} == {"b" * 64, "c" * 64}


def test_files_of_single_processes_and_of_queues_are_needed(place: Place) -> None:
    store = store_with_session(place)
    files = [hashlib.sha256(bytes([number])).hexdigest() for number in range(2)]
    spec, fed = (FileSpec(kind="file", file=file, array="0") for file in files)
    each: EachSpec = {"kind": "each", "specs": [spec]}
    feed: Feed = {"queue": "infeed", "process": None, "items": [[fed]]}
    feeds: Feeds = {"mark": "m", "given": [feed], "later": []}
    store.add_run("s", "p", dataclasses.replace(RUN, inputs=[each], feeds=feeds))
    assert store.needed_inputs() == set(files)


# The clock.


def test_the_clock_goes_on_where_it_was_and_counts_no_time_without_a_server(place: Place) -> None:
    store, ticks = aged(place)
    ticks.pass_days(3)
    store.beat()
    ticks.pass_days(1)  # killed before the next beat: what came after the last one is not counted
    store.close()
    ticks.pass_days(1000)
    store = place.open(ticks)
    assert store.now() == 3 * DAY
    ticks.pass_days(1)
    assert store.now() == 4 * DAY


def test_two_servers_do_not_make_it_faster(place: Place) -> None:
    one, ticks = aged(place)
    other = place.open(ticks)
    for _ in range(10):
        ticks.pass_days(1)
        one.beat()
        other.beat()
    assert place.open(ticks).now() == 10 * DAY


@pytest.mark.parametrize("kept", ["", "nan", "inf", "-inf", "yesterday", "\ud83d"])
def test_a_clock_that_is_damaged_begins_again_and_deletes_nothing(kept: str, tmp_path: Path) -> None:
    place = Place(tmp_path)
    store, ticks = aged(place)
    ticks.pass_days(20)
    store.beat()
    store.session("s")
    store.close()
    with closing(sqlite3.connect(tmp_path / "hloscope.sqlite")) as connection, connection:
        value: Any = kept.encode("utf-8", "surrogatepass")
        connection.execute("UPDATE meta SET value = CAST(? AS TEXT) WHERE name = 'clock'", (value,))
    store = place.open(ticks)
    assert store.now() == 0
    ticks.pass_days(29)
    assert store.prune(30, 7) == NOTHING


# What goes on by itself.


def test_a_server_cleans_up_at_its_start_and_every_day(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hloscope.app.web.housekeeping.BEAT_SECONDS", 0.01)
    store, ticks = aged(place)
    files = InputFiles(place.folder / "inputs")
    pruned: list[float] = []
    prune = store.prune

    def counted(days: int, grace_days: int) -> Pruned:
        pruned.append(store.now() / DAY)
        return prune(days, grace_days)

    store.prune = counted  # type: ignore[method-assign]

    async def running() -> None:
        thread = StoreThread(store)
        housekeeping = Housekeeping(Settings(), thread, lambda: thread.call(files.sweep, store.needed_inputs))
        await housekeeping.start()
        for day in range(1, 40):
            ticks.pass_days(1)
            async with asyncio.timeout(PATIENCE):
                while len(pruned) <= day:
                    await asyncio.sleep(0.001)
        await housekeeping.stop()

    asyncio.run(running())
    assert pruned == list(range(40))
    assert names(place) == set()
    assert place.open(ticks).now() == 39 * DAY  # kept at the end


def test_what_fails_is_done_again_later(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "data").mkdir()
    store, ticks = aged(Place(tmp_path / "data"))
    files = InputFiles(tmp_path / "data" / "inputs")
    ticks.pass_days(31)

    async def running() -> None:
        thread = StoreThread(store)
        housekeeping = Housekeeping(Settings(), thread, lambda: thread.call(files.sweep, store.needed_inputs))
        (tmp_path / "data").rename(tmp_path / "aside")
        await housekeeping.start()
        (tmp_path / "aside").rename(tmp_path / "data")
        await housekeeping.stop()
        await housekeeping.start()
        await housekeeping.stop()

    asyncio.run(running())
    assert "no longer exists" in caplog.text
    assert store.prune(30, 7) == NOTHING  # it was set aside the second time


def test_a_session_that_was_set_aside_opens(place: Place) -> None:
    with serving(place.folder, store=place.address) as client:
        session = new_session(client)
    store = place.open()
    place.execute("UPDATE sessions SET visited = -100 * 86400")
    assert store.prune(30, 7).set_aside == 1
    store.close()
    with serving(place.folder, store=place.address) as client:
        assert client.get(f"/api/sessions/{session}").json()["run"] is not None
    assert names(place) == {session_hash(session)}
