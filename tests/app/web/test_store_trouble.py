"""Stores in trouble while sessions step: a database that is stopped for a minute, and a disk that is full.

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
from tests.app.serving import PATIENCE, until
from tests.app.store.places import Place
from tests.app.web.test_several_servers import Visited, new, values, visited
from tests.postgresql import Cluster
from tests.server_process import serving

pytestmark = pytest.mark.long
DOWN_SECONDS = float(os.environ.get("DOWN_SECONDS", "60"))
MEGABYTES = 48
"""Of the disk; the server keeps 8 of them in reserve."""
SMALL_DISK = f"""#!/bin/sh
mount='mount -t tmpfs -o size={MEGABYTES}m none "$HLOSCOPE_DATA_DIR"'
exec unshare --user --map-root-user --mount sh -c "$mount"' && exec "$0" "$@"' {sys.executable} "$@"
"""


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
