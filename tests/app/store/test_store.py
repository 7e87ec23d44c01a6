"""The store: what was written is there after closing it, in whatever way it was closed."""

import dataclasses
from itertools import chain
from pathlib import Path

from hloscope.app.base.keys import engine_build, recording_key, session_hash, text_hash
from hloscope.app.store import Position, RunRecord, Store
from hloscope.app.store.tables import SCHEMA_VERSION, STEPS
from hloscope.app.wire.sessions import Feeds, GeneratedSpec
from hloscope.app.wire.tasks import RunFacts
from tests.app.store.places import Place

INFO: RunFacts = {"arguments": [], "results": [], "diagnostics": []}
ZEROS: GeneratedSpec = {"kind": "zeros", "seed": 0}
RUN = RunRecord(0, text_hash("p"), "main", [ZEROS], INFO, "key", "e", 7, 1.0)


def store_with_session(place: Place) -> Store:
    store = place.open()
    store.add_session("s", "name.mlir", "draft")
    return store


def test_a_session_comes_back(place: Place) -> None:
    store = store_with_session(place)
    run = store.add_run("s", "p", RUN, [3])
    position = Position(run.number, 12, [[1, 0]], [3, 4])
    store.write_progress({"s": position}, {("s", 1): 99})
    store.set_draft("s", "new draft")
    store.close()
    session = place.open().session("s")
    assert session is not None
    assert session.position == position
    assert session.has_draft
    assert place.open().draft("s") == "new draft"
    assert session.current == dataclasses.replace(RUN, number=1, steps=99)
    assert place.open().program(text_hash("p")) == "p"


def test_runs_are_numbered_and_found_by_key(place: Place) -> None:
    store = store_with_session(place)
    store.add_session("t", "other", "draft")
    assert [store.add_run("s", "p", RUN).number for _ in range(2)] == [1, 2]
    assert store.add_run("t", "p", RUN).number == 1
    assert set(store.runs_with_key("key")) == {("s", 1), ("s", 2), ("t", 1)}
    assert store.runs_with_key("other") == []


def test_a_new_run_begins_at_its_first_step(place: Place) -> None:
    store = store_with_session(place)
    store.add_run("s", "p", RUN)
    store.write_progress({"s": Position(1, 12, [[1, 0]], [3])}, {})
    store.add_run("s", "p", RUN)
    session = store.session("s")
    assert session is not None
    assert session.position == Position(2, 0, [], [3])
    assert not session.has_draft
    assert store.draft("s") is None


def test_there_is_no_session_that_was_not_made(place: Place) -> None:
    store = place.open()
    assert store.session("s") is None
    assert not store.set_draft("s", "text")


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


def test_a_run_on_a_grid_comes_back(place: Place) -> None:
    store = store_with_session(place)
    feeds: Feeds = {"mark": "m", "given": [], "later": []}
    store.add_run("s", "p", dataclasses.replace(RUN, grid={"replicas": 2, "partitions": 1}, feeds=feeds))
    later: Feeds = {**feeds, "later": [{"queue": "infeed", "process": None, "items": []}]}
    store.set_feeds("s", 1, later)
    session = store.session("s")
    assert session is not None
    assert session.current is not None
    assert (session.current.grid, session.current.feeds) == ({"replicas": 2, "partitions": 1}, later)


def test_sources_are_kept_with_their_session(place: Place) -> None:
    store = store_with_session(place)
    store.add_sources("s", {"train.py": "x = 1\n", "model.py": ""})
    assert (store.source("s", "train.py"), store.source("s", "model.py")) == ("x = 1\n", "")
    assert store.source("s", "other.py") is store.source("t", "train.py") is None
    store.delete_session("s")
    assert store.source("s", "train.py") is None


def test_stores_of_before_are_brought_up_to_date(tmp_path: Path) -> None:
    back = {
        "7": ["DROP TABLE room_polls"],
        "6": [f"DROP TABLE {name}" for name in ("room_copies", "room_answers", "room_members", "rooms")],
        "5": ["DROP TABLE view_links"],
        "4": ["DROP TABLE dumps"],
        "3": ["DROP TABLE sources"],
        "2": [
            "DROP INDEX sessions_by_visit", "CREATE INDEX sessions_by_age ON sessions (updated)", "DROP TABLE uploads",
            "ALTER TABLE sessions DROP COLUMN visited", "ALTER TABLE sessions DROP COLUMN set_aside",
            "DELETE FROM meta WHERE name = 'clock'",
        ],
        "1": ["ALTER TABLE runs DROP COLUMN grid", "ALTER TABLE runs DROP COLUMN feeds"],
    }  # fmt: skip
    assert STEPS.keys() == back.keys() == {str(version) for version in range(1, SCHEMA_VERSION)}
    for oldest in back:
        folder = tmp_path / oldest
        folder.mkdir()
        place = Place(folder)
        store = store_with_session(place)
        store.add_run("s", "p", RUN)
        store.close()
        shape = place.schema()
        steps = [back[str(version)] for version in range(SCHEMA_VERSION - 1, int(oldest) - 1, -1)]
        place.execute(*chain.from_iterable(steps))
        place.execute("UPDATE meta SET value = :oldest WHERE name = 'schema_version'", oldest=oldest)
        assert place.schema() != shape
        for _ in range(2):
            store = place.open()
            store.prune(30, 7)
            session = store.session("s")
            assert session is not None
            assert session.current == dataclasses.replace(RUN, number=1)
            store.close()
        assert place.schema() == shape
