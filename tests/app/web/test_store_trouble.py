"""Stores in trouble while sessions step: a database that is stopped for a minute, a disk that is full, clocks that jump.

The full disk is a real one of its own: a small file system in memory, in a namespace of the server. Linux makes it for a user
without rights; where it does not, the test says so.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from hloscope.app.base.keys import session_hash
from hloscope.app.store.leases import TERM_SECONDS
from hloscope.app.store.retention import DAY
from tests.app.classroom.classroom import NUMBER
from tests.app.classroom.test_room_restart import POSITION, hear, line, say
from tests.app.serving import PATIENCE, until
from tests.app.store.places import Place
from tests.app.web.visiting import Visited, entered, new, opened, values, visited
from tests.postgresql import Cluster
from tests.server_process import serving

DOWN_SECONDS = float(os.environ.get("DOWN_SECONDS", "60"))
MEGABYTES = 48
"""Of the disk; the server keeps 8 of them in reserve."""
SMALL_DISK = f"""#!/bin/sh
mount='mount -t tmpfs -o size={MEGABYTES}m none "$HLOSCOPE_DATA_DIR"'
exec unshare --user --map-root-user --mount sh -c "$mount"' && exec "$0" "$@"' {sys.executable} "$@"
"""


JUMPING = """#!{python}
import runpy, sys, time

def jumped(real=time.time):
    with open("{offset}") as file:
        return real() + float(file.read())

time.time, time.time_ns = jumped, lambda: int(jumped() * 10**9)
del sys.argv[:2]
runpy.run_module("hloscope", run_name="__main__", alter_sys=True)
"""
"""A Python in which the date is ahead by the seconds in a file."""
JUMPING_DATABASE = (
    "CREATE TABLE jumped (seconds float)",
    "INSERT INTO jumped VALUES (0)",
    "CREATE FUNCTION clock_timestamp() RETURNS timestamptz LANGUAGE sql AS 'SELECT pg_catalog.clock_timestamp() + "
    "make_interval(secs => (SELECT seconds FROM public.jumped))'",
)
"""A database in which it is ahead by the seconds in a table."""


class Stepper(threading.Thread):
    """A user who steps: reads a value and moves, again and again."""

    def __init__(self, at: Visited, session: str, ending: threading.Event) -> None:
        super().__init__()
        self.session, self._at, self._ending = session, at, ending
        self._key = at.client.get(f"/api/sessions/{session}").json()["run"]["key"]
        self._value = values(at, self._key)
        self.step = self.acknowledged = 0
        self.moves: Counter[int] = Counter()
        """Answers by status."""
        self.wrong: list[str] = []

    def run(self) -> None:
        while not self._ending.wait(0.1):
            self.step += 1
            read = self._at.client.get(f"/api/recordings/{self._key}/values/0.s1.0")
            if read.status_code != 200 or read.content != self._value:
                self.wrong.append(f"value of step {self.step}: {read.status_code} {read.text[:200]}")
            moved = self._at.client.put(
                f"/api/sessions/{self.session}/position", json={"run": 1, "step": self.step}
            )
            self.moves[moved.status_code] += 1
            if moved.status_code == 204:
                self.acknowledged = self.step
            elif moved.status_code not in (503, 507) or not moved.json()["error"]["hint"]:
                self.wrong.append(f"move to step {self.step}: {moved.status_code} {moved.text[:200]}")


@contextmanager
def stepping(servers: Sequence[Visited], each: int) -> Iterator[list[Stepper]]:
    """Users who step until the end of the block."""
    ending = threading.Event()
    steppers = [Stepper(at, new(at), ending) for at in servers for _ in range(each)]
    for stepper in steppers:
        stepper.start()
    try:
        yield steppers
    finally:
        ending.set()
        for stepper in steppers:
            stepper.join()


def all_reach(steppers: Sequence[Stepper], number: Callable[[Stepper], int], more: int = 5) -> None:
    """Wait until this number of each of them has grown."""
    wanted = [number(stepper) + more for stepper in steppers]
    until(lambda: all(number(one) >= least for one, least in zip(steppers, wanted, strict=True)))


@pytest.mark.long
@pytest.mark.postgresql
def test_sessions_step_while_the_database_is_stopped(
    tmp_path: Path, postgresql: Cluster, record_property: Callable[[str, object], None]
) -> None:
    place = Place(tmp_path, postgresql.new_database())
    with visited(place) as one, visited(place) as other, stepping((one, other), 4) as steppers:
        all_reach(steppers, lambda stepper: stepper.acknowledged)
        before = [stepper.step for stepper in steppers]
        postgresql.stop()
        try:
            threading.Event().wait(DOWN_SECONDS)
            all_reach(steppers, lambda stepper: stepper.moves[503])
        finally:
            postgresql.start()
        down = sum(stepper.step for stepper in steppers) - sum(before)
        all_reach(steppers, lambda stepper: stepper.acknowledged)
    query = "SELECT id_hash, step FROM sessions"
    assert [stepper.wrong for stepper in steppers] == [[] for _ in steppers]
    kept = dict(map(tuple, place.execute(query)))
    assert all(kept[session_hash(one.session)] >= one.acknowledged for one in steppers)
    refused = sum(stepper.moves[503] for stepper in steppers)
    record_property(
        "measured",
        f"database stopped for {DOWN_SECONDS:.0f} s, 8 sessions on 2 servers: {down} steps meanwhile, {refused} moves not "
        "acknowledged, all values the same; all sessions are stored again afterwards",
    )


@pytest.mark.long
def test_sessions_step_while_the_disk_is_full(
    tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    (tmp_path / "data").mkdir()
    python = tmp_path / "python"
    python.write_text(SMALL_DISK)
    python.chmod(0o755)
    with serving(tmp_path / "data", settings={"min_free_bytes": 1 << 20}, python=str(python)) as (
        server,
        process,
    ):
        disk = Path(f"/proc/{process.pid}/root") / (tmp_path / "data").relative_to("/")
        assert shutil.disk_usage(disk).total == MEGABYTES << 20, "Linux has refused the server a namespace"
        client = httpx.Client(base_url=server.origin, headers={"Origin": server.origin}, timeout=PATIENCE)
        with client, stepping([at := signed_in(Visited(server, process, client))], 4) as steppers:
            spare = new(at)
            all_reach(steppers, lambda stepper: stepper.acknowledged)
            fill(disk / "filler")
            all_reach(steppers, lambda stepper: stepper.moves[507])
            before = [stepper.step for stepper in steppers]
            assert client.get("/-/health").json() == {"status": "full"}
            assert client.get("/-/ready").status_code == 503
            refused = client.post("/api/sessions", json={"text": "module {}"})
            assert refused.status_code == 507, refused.text
            all_reach(steppers, lambda stepper: stepper.step)
            assert client.delete(f"/api/sessions/{spare}").status_code == 204
            (disk / "filler").unlink()
            all_reach(steppers, lambda stepper: stepper.acknowledged)
            until(lambda: client.get("/-/ready").status_code == 200)
            new(at)
        assert [stepper.wrong for stepper in steppers] == [[] for _ in steppers]
        copy = Place(tmp_path / "copy")
        copy.folder.mkdir()
        for file in disk.glob("hloscope.sqlite*"):
            shutil.copy(file, copy.folder)  # SQLite itself opens no path that leads through /proc
        kept = dict(map(tuple, copy.execute("SELECT id_hash, step FROM sessions")))
        assert all(kept[session_hash(one.session)] >= one.acknowledged for one in steppers)
        assert session_hash(spare) not in kept
        counts = sum((stepper.moves for stepper in steppers), Counter[int]())
        assert sum(stepper.step for stepper in steppers) > sum(before)
    record_property(
        "measured",
        f"disk full, 4 sessions: {counts[507]} moves not acknowledged, {counts[204]} before and after; a session is deleted "
        "meanwhile, and all others are stored again afterwards",
    )


class Clock:
    """The clock of a server, and of its database."""

    def __init__(self, place: Place) -> None:
        self._place, self._offset, self.python = place, place.folder / "offset", place.folder / "python"
        self.python.write_text(JUMPING.format(python=sys.executable, offset=self._offset))
        self.python.chmod(0o755)
        if place.address:
            [[name]] = place.execute("SELECT current_database()")
            place.execute(*JUMPING_DATABASE, f"ALTER DATABASE {name} SET search_path = public, pg_catalog")
        self.set(0)

    def set(self, seconds: float) -> None:
        """Have it go this much ahead of the machine's."""
        (new := self._offset.with_suffix(".new")).write_text(str(seconds))
        new.replace(self._offset)
        if self._place.address:
            self._place.execute("UPDATE jumped SET seconds = :seconds", seconds=seconds)

    def leases(self) -> list[tuple[str, str, int]]:
        """The leases in the database, once all of them have been renewed by its clock."""
        if not self._place.address:
            return []
        left = f"until - extract(epoch FROM clock_timestamp()) BETWEEN 0 AND {TERM_SECONDS}"
        until(lambda: self._place.execute(f"SELECT bool_and({left}) FROM leases") == [(True,)])
        return [(*row,) for row in self._place.execute("SELECT id, owner, epoch FROM leases ORDER BY id")]


@pytest.mark.more
def test_sessions_and_rooms_go_on_when_clocks_jump(place: Place) -> None:
    clock = Clock(place)
    with visited(place, str(clock.python)) as at, stepping([at], 3) as steppers:
        session = steppers[0].session
        before = at.client.get(f"/api/sessions/{session}").json()["run"]["key"]
        link = at.client.post(f"/api/sessions/{session}/links").json()["id"]
        told = at.client.post("/api/rooms", json={"session": session}).json()
        with (
            line(at.server.port, told["id"], owner=told["owner"]) as (teacher, _),
            line(at.server.port, told["id"]) as (student, welcome),
        ):
            say(teacher, "poll", poll=NUMBER)
            while (last := hear(student, "room"))["room"]["poll"] is None:
                pass
            leases = clock.leases()
            for step, seconds in enumerate((DAY, -DAY, 3600, 0)):
                clock.set(seconds)
                all_reach(steppers, lambda stepper: stepper.acknowledged)
                say(teacher, "state", position=(position := {**POSITION, "step": step}), lesson_step=None)
                while hear(student, "room")["room"]["position"] != position:
                    pass
                say(student, "answer", poll=last["room"]["poll"]["id"], value=str(step))
                assert hear(student, "answered")["value"] == str(step)
                assert at.client.get(f"/api/sessions/{link}").status_code == 200
                joined = at.client.post("/api/rooms/join", json={"code": told["code"]})
                assert joined.json()["id"] == told["id"]
                assert clock.leases() == leases
    assert [stepper.wrong for stepper in steppers] == [[] for _ in steppers]
    clock.set(400 * DAY)  # the next server sweeps at once
    with visited(place, str(clock.python)) as at:
        for stepper in steppers:
            found = until(lambda session=stepper.session: opened(at, session))  # type: ignore[misc]
            assert found["position"]["step"] >= stepper.acknowledged
        assert values(at, before) == values(at, f"{link}.{before}")
        with entered(at, told["id"], member=welcome["you"]["member"]) as (_, again):
            assert (again["you"]["answer"]["value"], again["room"]["position"]) == ("3", position)


def signed_in(at: Visited) -> Visited:
    at.client.get(at.server.url)
    return at


def fill(path: Path) -> None:
    """Take all space that there is."""
    with path.open("wb", buffering=0) as stream:
        for piece in (1 << 20, 1 << 12):
            with contextlib.suppress(OSError):  # this piece has no space any more
                while stream.write(bytes(piece)):
                    pass
