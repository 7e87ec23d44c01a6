"""A store that several servers share: who may write what, what they tell each other, and a database that is down."""

import asyncio
import dataclasses
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path
from queue import Queue
from typing import Any, cast

import pytest
from psycopg.errors import DiskFull
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError, OperationalError

from hloscope.app.base.errors import ApiError
from hloscope.app.base.keys import dump_hash, session_hash, text_hash
from hloscope.app.base.settings import Settings
from hloscope.app.store import Position, Store, StoreError, leases, pending_writes
from hloscope.app.store import postgresql as postgresql_module
from hloscope.app.store.dumps import DumpRecord, no_wishes
from hloscope.app.store.failures import Elsewhere
from hloscope.app.store.files import InputFiles
from hloscope.app.store.pending_writes import Progress, StoreThread, storage_error
from hloscope.app.store.postgresql import DAY, PostgresqlDatabase
from hloscope.app.store.rooms import RoomRecord
from hloscope.app.web.starting import StartError, open_data
from hloscope.app.wire.dumps import ExaminationProgress
from tests.app.classroom.classroom import Line, open_room
from tests.app.classroom.test_room_restart import POSITION
from tests.app.passes.test_dumps import examined, sent
from tests.app.serving import ADD, JSON, new_session, run_of, serving, settled, until
from tests.app.store.places import Place
from tests.app.store.test_store import RUN
from tests.passes import folders
from tests.postgresql import Cluster

pytestmark = pytest.mark.postgresql
ROOM = RoomRecord("r", "code", "sealed", "s", "link", "owner", 0, 0, {}, 0.0, 0.0)
ENDED = "UPDATE leases SET until = 0"
"""What happens to leases that are not renewed."""


@pytest.fixture
def place(tmp_path: Path, postgresql: Cluster) -> Place:
    return Place(tmp_path, postgresql.new_database())


def opened(place: Place, count: int = 2) -> list[Store]:
    return [place.open() for _ in range(count)]


def shared(store: Store) -> PostgresqlDatabase:
    assert store.shared is not None
    return store.shared


def test_servers_that_start_at_once_share_one_new_store(place: Place) -> None:
    with ThreadPoolExecutor(6) as pool:
        stores = list(pool.map(lambda _: Store(place.folder, address=place.address), range(6)))
    assert sorted(store.is_new for store in stores) == [False] * 5 + [True]
    stores[0].add_session("s", "name", "draft")
    assert all(store.session("s") for store in stores)
    for store in stores:
        store.close()


def test_of_many_that_want_a_session_one_gets_it(place: Place) -> None:
    with closing(place):
        stores = opened(place, 12)

        def wins(store: Store) -> bool:
            try:
                store.add_session("s", "name", "draft")
            except Elsewhere:
                return False
            return True

        with ThreadPoolExecutor(len(stores)) as pool:
            assert sum(pool.map(wins, stores)) == 1


def test_a_write_that_comes_too_late_changes_nothing(place: Place) -> None:
    with closing(place):
        old, new = opened(place)
        shared(new).leases.address = "http://new"
        old.add_session("s", "name", "draft")
        with pytest.raises(Elsewhere):
            new.set_draft("s", "early")
        assert old.write_progress({"s": Position(None, 3)}, {}) == {"s"}
        place.execute(ENDED)
        assert old.write_progress({"s": Position(None, 4)}, {}) == {"s"}  # nobody else has it yet
        new.set_draft("s", "of the new one")
        assert old.write_progress({"s": Position(None, 5)}, {("s", 1): 9}) == set()
        for write in (lambda: old.set_draft("s", "late"), lambda: old.add_run("s", "p", RUN)):
            with pytest.raises(Elsewhere):
                write()
        with pytest.raises(Elsewhere, match="http://new"):
            shared(old).take("s")
        session = new.session("s")
        assert session is not None
        assert (new.draft("s"), session.position.step, session.runs) == ("of the new one", 4, [])


def test_a_move_of_a_session_that_another_server_has_is_not_acknowledged(place: Place) -> None:
    async def moving(store: Store) -> None:
        progress = Progress(StoreThread(store))
        for step in (4, 5):
            moves = [progress.move("s", Position(None, step)) for _ in range(2)]
            for refused in await asyncio.gather(*moves, return_exceptions=True):
                assert isinstance(refused, ApiError)
                assert refused.status == 409
        assert progress.position("s") is None  # it is not tried again

    with closing(place):
        old, new = opened(place)
        old.add_session("s", "name", "draft")
        place.execute(ENDED)
        new.set_draft("s", "of the new one")
        asyncio.run(moving(old))


def test_a_server_that_hangs_in_a_transaction_holds_nobody_up(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgresql_module, "HANGING_MS", 200)
    with closing(place):
        old, new = opened(place)
        old.add_session("s", "name", "draft")

        def hang() -> None:
            with shared(old).transaction(of="s") as connection:
                connection.execute(text("UPDATE sessions SET name = 'late'"))
                place.execute(ENDED)  # waits until the database ends that transaction
                new.set_draft("s", "of the new one")

        with pytest.raises(DBAPIError):
            hang()
        session = new.session("s")
        assert session is not None
        assert (session.name, new.draft("s")) == ("name", "of the new one")


def test_who_had_it_before_reads_it_again_before_writing(place: Place) -> None:
    """The other server had it in between, and has released it: what the first one knows is old."""
    with closing(place):
        old, new = opened(place)
        old.add_session("s", "name", "draft")
        place.execute(ENDED)
        new.set_draft("s", "of the new one")
        shared(new).release({"s"})
        assert old.write_progress({"s": Position(None, 5)}, {}) == set()
        assert shared(old).renew() == {"s"}
        old.set_draft("s", "once more")


def test_who_had_it_before_reads_it_again_even_if_nobody_has_it_now(place: Place) -> None:
    with closing(place):
        old, new = opened(place)
        old.add_session("s", "name", "draft")
        place.execute(ENDED)
        new.set_draft("s", "of the new one")
        shared(new).release({"s"})
        with pytest.raises(Elsewhere):
            old.set_draft("s", "late")
        old.set_draft("s", "once more")


def test_what_a_dead_server_had_is_free_although_the_clock_was_set_back(place: Place) -> None:
    with closing(place):
        dead, other = opened(place)
        dead.add_session("s", "name", "draft")
        with pytest.raises(Elsewhere):
            other.set_draft("s", "early")
        place.execute(f"UPDATE leases SET until = until + {DAY}")  # as far away as after a jump back by a day
        assert other.set_draft("s", "of the other one")
        with pytest.raises(Elsewhere):  # who is not dead either is refused
            dead.set_draft("s", "late")


def test_a_store_that_is_closed_leaves_its_sessions_to_others(place: Place) -> None:
    with closing(place):
        old, new = opened(place)
        old.add_session("s", "name", "draft")
        old.close()
        assert new.set_draft("s", "text")


def test_only_the_server_of_a_room_writes_it(place: Place) -> None:
    with closing(place):
        one, other = opened(place)
        one.add_session("s", "name", "draft")
        one.rooms.add(ROOM)
        with pytest.raises(Elsewhere):  # nobody runs it
            one.rooms.answer("r", "poll", "member", 1)
        shared(one).take("r")
        record = one.rooms.take("r", 10)
        assert record is not None
        one.rooms.add_member("r", "member", 1, {})
        one.rooms.answer("r", "poll", "member", 1)
        with pytest.raises(Elsewhere):
            shared(other).take("r")
        place.execute(ENDED)
        shared(other).take("r")
        for write in (
            lambda: one.rooms.write("r", record.epoch, 11, {}, {}),
            lambda: one.rooms.answer("r", "poll", "member", 2),
            lambda: one.rooms.add_member("r", "second", 2, {}),
            lambda: one.rooms.keep_poll("r", "poll", 1, {}),
            lambda: one.rooms.forget_poll("r", "poll"),
            lambda: one.rooms.forget_other_answers("r", None),
        ):
            with pytest.raises(Elsewhere):
                write()
        assert other.rooms.answers("r", "poll") == {"member": 1}


def test_one_server_examines_a_dump_and_the_others_hear_of_it(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leases, "TERM_SECONDS", DAY)
    archive = folders.zipped(folders.write_dump(tmp_path / "dump", [folders.text()] * 2))
    settings: dict[str, Any] = {"store": place.address, "max_active_dumps": 1}
    with serving(place.folder, **settings) as one, serving(place.folder, **settings) as other:
        dump = sent(one, archive)
        path, hash = f"/api/dumps/{dump}", dump_hash(dump)
        assert other.get(path).json()["examination"]["kind"] == "none"
        place.execute(
            "INSERT INTO leases VALUES (:hash, 'a third', 'http://third', 1, extract(epoch FROM now()) + :term)",
            hash=hash, term=DAY,
        )  # fmt: skip
        refused = one.post(f"{path}/examination", json={})
        assert (refused.status_code, refused.json()["error"]["kind"]) == (409, "moved")
        assert "http://third" in refused.json()["error"]["message"]
        place.execute(ENDED)
        found = examined(one, dump)["examination"]
        assert found["kind"] == "done"
        until(lambda: other.get(path).json()["examination"]["sentence"] == found["sentence"])
        # What nobody examines moves on request.
        assert examined(other, dump, seed=7)["examination"]["kind"] == "done"
        until(lambda: one.get(path).json()["examination"]["wishes"]["seed"] == 7)
        assert other.delete(path).status_code == 204
        until(lambda: one.get(path).status_code == 404)


def test_who_has_lost_a_dump_keeps_nothing_of_it(place: Place) -> None:
    with closing(place):
        one, other = opened(place)
        one.dumps.add(
            DumpRecord("d", "dump", "archive", {"modules": [], "files": []}, no_wishes(), None, "b"), 1
        )
        one.dumps.set_wishes("d", no_wishes())
        place.execute(ENDED)
        other.dumps.set_wishes("d", {**no_wishes(), "seed": 7})
        with pytest.raises(Elsewhere):
            one.dumps.set_found("d", cast(ExaminationProgress, {"kind": "done"}))
        kept = other.dumps.find("d")
        assert kept is not None
        assert (kept.wishes["seed"], kept.found) == (7, None)


def test_servers_hear_what_the_others_delete(place: Place) -> None:
    with closing(place):
        one, other = opened(place)
        heard: Queue[tuple[str, str]] = Queue()
        stop = threading.Event()
        listening = threading.Thread(
            target=shared(other).listen, args=(lambda kind, hash: heard.put((kind, hash)), stop)
        )
        listening.start()
        try:
            assert heard.get(timeout=60) == ("all", "")
            other.set_draft("t", "its own changes are no news")
            one.add_session("s", "name", "draft")
            one.rooms.add(ROOM)
            one.view_links.add("link of s", "s")
            one.view_links.withdraw("s")
            one.rooms.delete("r")
            one.delete_session("s")
            expected = [("links", "s"), ("room", "r"), ("session", "s")]
            assert [heard.get(timeout=60) for _ in expected] == expected
        finally:
            stop.set()
            listening.join()


@pytest.mark.parametrize("words", ["\0", "\x01", "\x010", "\0\x01\x011\0" * 3, "é\U0001f600\ufffe"])
def test_every_text_comes_back(words: str, place: Place) -> None:
    with closing(place):
        store = place.open()
        store.add_session("s", words, words)
        store.add_sources("s", {words: words})
        run = store.add_run("s", words, dataclasses.replace(RUN, program=text_hash(words)))
        session = store.session("s")
        assert session is not None
        assert (session.name, store.source("s", words), store.program(run.program)) == (words, words, words)


def test_files_that_another_server_may_be_about_to_bind_stay(tmp_path: Path) -> None:
    for spares_new in (True, False):
        files = InputFiles(tmp_path, spares_new=spares_new)
        name = "a" * 64
        (tmp_path / name).write_bytes(b"data")
        assert files.sweep(set) == (0 if spares_new else 1)


@pytest.mark.parametrize(
    ("address", "sentence"),
    [
        ("sqlite:///x", "the setting store is not an address of a PostgreSQL database"),
        ("hello", "the setting store is not an address of a PostgreSQL database"),
        ("postgresql+psycopg://u:secret@127.0.0.1:1/x", "start the database, or correct the address"),
    ],
)
def test_an_address_that_leads_nowhere_is_told(address: str, sentence: str, tmp_path: Path) -> None:
    with pytest.raises(StartError, match=sentence) as refused:
        open_data(Settings(data_dir=str(tmp_path), store=address))
    assert "secret" not in str(refused.value)


def test_a_database_that_does_not_exist_is_told(tmp_path: Path, postgresql: Cluster) -> None:
    with pytest.raises(StoreError, match="start the database, or correct the address"):
        Store(tmp_path, address=postgresql.address("nowhere"))


def test_a_full_disk_of_the_database_is_told() -> None:
    refused = storage_error(OperationalError("INSERT", {}, DiskFull("could not extend file")))
    assert (refused.status, refused.hint) == (
        507,
        "Free some space on the disk of the database, then try again.",
    )


def test_a_store_of_a_newer_hloscope_is_told(place: Place) -> None:
    with closing(place):
        place.open()
        place.execute("UPDATE meta SET value = '99' WHERE name = 'schema_version'")
        with pytest.raises(StoreError, match="has version 99"):
            place.open()


def test_stepping_goes_on_while_the_database_is_down(
    place: Place, postgresql: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pending_writes, "PAUSE_AFTER_FAILURE", 0.05)
    with serving(place.folder, store=place.address) as client:
        session = new_session(client, ADD)
        settled(client, session)
        run = run_of(client, session)
        values = f"/api/recordings/{run['key']}/values/0.s1.0"
        before = client.get(values).content
        path = f"/api/sessions/{session}/position"
        postgresql.stop()
        try:
            assert client.get(values).content == before
            assert client.get(f"/api/recordings/{run['key']}/values/0.s0.0").status_code == 200
            for step in (1, 2):
                answer = client.put(path, json={"run": 1, "step": step})
                assert answer.status_code == 503
                assert answer.json()["error"]["message"].startswith("The database does not answer")
            assert client.get("/-/health").json() == {"status": "down"}
        finally:
            postgresql.start()
        query = "SELECT step FROM sessions WHERE id_hash = :hash"
        until(lambda: place.execute(query, hash=session_hash(session)) == [(2,)])
        until(lambda: client.get("/-/health").json() == {"status": "ok"})
        assert client.put(path, json={"run": 1, "step": 0}).status_code == 204


def test_a_room_waits_for_the_database(place: Place, postgresql: Cluster) -> None:
    """Another server may take it over after a while, so its teacher moves nobody until it is known to be here."""
    with serving(place.folder, store=place.address) as client:
        room = open_room(client)
        with room.teacher() as teacher, room.line() as student, saying(teacher) as position:
            position["step"] = 1
            student.until(position=dict(position))
            postgresql.stop()
            try:
                while "so this room waits" not in teacher.hear("error")["message"]:
                    pass
                position["step"] = 2
            finally:
                postgresql.start()
            student.until(position=dict(position))


@contextmanager
def saying(teacher: Line) -> Iterator[JSON]:
    """The position that the teacher shows again and again."""
    position: JSON = {**POSITION, "step": 0}
    ending = threading.Event()

    def say() -> None:
        while not ending.wait(0.05):
            teacher.say("state", position=dict(position), lesson_step=None)

    speaker = threading.Thread(target=say)
    speaker.start()
    try:
        yield position
    finally:
        ending.set()
        speaker.join()
