"""Two servers on one database: what one has, the other gets once nobody uses it there, or once the first one is dead."""

from __future__ import annotations

import contextlib
import os
import random
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection

from tests.app.classroom.classroom import NUMBER
from tests.app.classroom.test_room_restart import POSITION, hear, line, say
from tests.app.serving import PATIENCE, until
from tests.app.store.places import Place
from tests.app.web.visiting import LOADED, Load, entered, new, opened, values, visited
from tests.postgresql import Cluster

pytestmark = pytest.mark.postgresql
KILLS = int(os.environ.get("KILLS", "6"))
"""Servers that are killed by the long test."""


@pytest.fixture
def place(tmp_path: Path, postgresql: Cluster) -> Place:
    return Place(tmp_path, postgresql.new_database())


def closed(socket: ClientConnection) -> int | None:
    """The code with which the server ends a line."""
    with contextlib.suppress(ConnectionClosed):
        while True:
            socket.recv(PATIENCE)
    return socket.close_code


def test_what_a_dead_server_had_moves_to_the_other_one(place: Place) -> None:
    with visited(place) as one, visited(place) as other, ExitStack() as stack:
        session, second = new(one), new(one)
        key = one.client.get(f"/api/sessions/{session}").json()["run"]["key"]
        before = values(one, key)
        position = {"run": 1, "step": 2, "path": [[0, 0]], "breakpoints": [2]}
        path = f"/api/sessions/{session}/position"

        # As long as a page is open on the one, the other one says where; a link is read everywhere.
        stack.enter_context(one.page(session))
        assert one.client.put(path, json=position).status_code == 204
        for answer in (other.client.get(f"/api/sessions/{session}"), other.client.put(path, json=position)):
            assert answer.status_code == 409, answer.text
            assert f":{one.server.port}" in answer.json()["error"]["message"]
        link = one.client.post(f"/api/sessions/{session}/links").json()["id"]
        assert other.client.get(f"/api/sessions/{link}").json()["run"]["key"] == f"{link}.{key}"
        assert values(other, f"{link}.{key}") == before

        # What nobody uses moves on request.
        until(lambda: opened(other, second))
        assert other.client.put(f"/api/sessions/{second}/position", json=position).status_code == 204

        # What one withdraws or deletes ends on the other one.
        reader = stack.enter_context(other.page(link))
        assert one.client.delete(f"/api/sessions/{session}/links").status_code in (200, 204)
        assert closed(reader) == 4404
        assert other.client.get(f"/api/sessions/{link}").status_code == 404
        third = new(one)
        kept = one.client.post(f"/api/sessions/{third}/links").json()["id"]
        reader = stack.enter_context(other.page(kept))
        assert one.client.delete(f"/api/sessions/{third}").status_code in (200, 204)
        assert closed(reader) == 4404

        # A room is where its members are.
        told = one.client.post("/api/rooms", json={"session": session}).json()
        teacher, _ = stack.enter_context(line(one.server.port, told["id"], owner=told["owner"]))
        student, welcome = stack.enter_context(line(one.server.port, told["id"]))
        say(teacher, "state", position=POSITION, lesson_step=None)
        say(teacher, "poll", poll=NUMBER)
        while (last := hear(student, "room"))["room"]["poll"] is None:
            pass
        say(student, "answer", poll=last["room"]["poll"]["id"], value="18")
        hear(student, "answered")
        with pytest.raises(ConnectionClosed), line(other.server.port, told["id"], owner=told["owner"]):
            pass

        one.kill()
        found = until(lambda: opened(other, session))
        assert found["position"] == {"step": 2, "path": [[0, 0]]}
        assert (found["breakpoints"], found["run"]["key"]) == ([2], key)
        assert values(other, key) == before
        teacher, mine = stack.enter_context(entered(other, told["id"], owner=told["owner"]))
        member = welcome["you"]["member"]
        _, again = stack.enter_context(line(other.server.port, told["id"], member=member))
        for room in (mine["room"], again["room"]):
            assert (room["position"], room["poll"]["id"]) == (POSITION, last["room"]["poll"]["id"])
        assert again["you"]["answer"]["value"] == "18"
        assert mine["version"] > last["version"]


@pytest.mark.long
def test_nothing_acknowledged_is_lost_when_servers_are_killed(
    place: Place, record_property: Callable[[str, object], None]
) -> None:
    generator = random.Random(31)
    with ExitStack() as stack:
        running = [stack.enter_context(ExitStack()) for _ in range(2)]
        servers = [ends.enter_context(visited(place, **LOADED)) for ends in running]
        times = []
        with Load(servers) as load:
            for _ in range(KILLS):
                load.seconds_after()
                number = generator.randrange(2)
                times.append(load.seconds_after(servers[number].kill))
                running[number].close()
                servers[number] = running[number].enter_context(visited(place, **LOADED))
        load.check()
        record_property("measured", load.sentence({"server": times}))
