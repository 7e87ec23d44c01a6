"""Two servers on one database: what one has, the other gets once nobody uses it there, or once the first one is dead."""

from __future__ import annotations

import contextlib
import json
import os
import random
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from subprocess import Popen
from typing import Any

import httpx
import pytest
from websockets.exceptions import ConnectionClosed, WebSocketException
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin

from hloscope.app.base.keys import session_hash
from tests.app.classroom.classroom import INPUT, NUMBER
from tests.app.classroom.test_room_restart import POSITION, hear, line, say
from tests.app.serving import ADD, JSON, PATIENCE, until
from tests.app.store.places import Place
from tests.app.web.test_restart import settled
from tests.postgresql import Cluster
from tests.server_process import Server, serving

pytestmark = pytest.mark.postgresql
KILLS = int(os.environ.get("KILLS", "6"))
"""Servers that are killed by the long test."""


@dataclass
class Visited:
    """A server, its process, and a client that is signed in."""

    server: Server
    process: Popen[str]
    client: httpx.Client

    @contextmanager
    def page(self, session: str) -> Iterator[ClientConnection]:
        """The line that a page of the session keeps open."""
        address = f"ws://127.0.0.1:{self.server.port}/api/sessions/{session}/live"
        headers = {"Cookie": self.server.cookie}
        origin = Origin(self.server.origin)
        with connect(address, origin=origin, additional_headers=headers, open_timeout=PATIENCE) as socket:
            assert json.loads(socket.recv(PATIENCE)) == {"type": "welcome"}
            yield socket

    def kill(self) -> None:
        """End it as a machine ends that loses its power."""
        self.process.kill()
        self.process.wait(PATIENCE)


@contextmanager
def visited(place: Place, python: str = sys.executable) -> Iterator[Visited]:
    """A server on the place, in a process of its own."""
    with (
        serving(place.folder, settings={"store": place.address}, python=python) as (server, process),
        httpx.Client(base_url=server.origin, headers={"Origin": server.origin}, timeout=PATIENCE) as client,
    ):
        client.get(server.url)
        yield Visited(server, process, client)


@pytest.fixture
def place(tmp_path: Path, postgresql: Cluster) -> Place:
    return Place(tmp_path, postgresql.new_database())


def closed(socket: ClientConnection) -> int | None:
    """The code with which the server ends a line."""
    with contextlib.suppress(ConnectionClosed):
        while True:
            socket.recv(PATIENCE)
    return socket.close_code


def new(at: Visited) -> str:
    made = at.client.post("/api/sessions", json={"text": ADD, "inputs": INPUT})
    assert made.status_code == 201, made.text
    settled(at.client, made.json()["id"])
    return str(made.json()["id"])


def values(at: Visited, key: str) -> bytes:
    answer = at.client.get(f"/api/recordings/{key}/values/0.s1.0")
    assert answer.status_code == 200, answer.text
    return answer.content


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


def opened(at: Visited, session: str) -> JSON | None:
    """The session once this server has it."""
    answer = at.client.get(f"/api/sessions/{session}")
    assert answer.status_code in (200, 409), answer.text
    return answer.json() if answer.status_code == 200 else None


@contextmanager
def entered(at: Visited, room: str, **hello: Any) -> Iterator[tuple[ClientConnection, JSON]]:
    """Somebody in the room, once this server has it."""

    def found() -> ExitStack | None:
        with contextlib.suppress(ConnectionClosed), ExitStack() as stack:
            entries.append(stack.enter_context(line(at.server.port, room, **hello)))
            return stack.pop_all()
        return None

    entries: list[tuple[ClientConnection, JSON]] = []
    with until(found):
        yield entries[-1]


@pytest.mark.long
def test_nothing_acknowledged_is_lost_when_servers_are_killed(
    place: Place, record_property: Callable[[str, object], None]
) -> None:
    """Six clients move as fast as they can, and a member of a room answers a poll again and again.

    Each goes to the other server when theirs does not answer, or does not have the session or the room.
    """
    acknowledged: dict[str, int] = {}
    counts: Counter[tuple[str, bool]] = Counter()
    ending = threading.Event()
    generator = random.Random(31)
    with ExitStack() as stack:
        running = [stack.enter_context(ExitStack()) for _ in range(2)]
        servers = [ends.enter_context(visited(place)) for ends in running]
        sessions = [new(servers[number % 2]) for number in range(6)]
        digests = {session: values_of(servers, session) for session in sessions}

        room, poll = room_with_poll(servers[0], sessions[0])
        answers = Answers()

        def answer() -> None:
            at = 0
            while not ending.is_set():
                with (
                    contextlib.suppress(WebSocketException, OSError, EOFError, AssertionError),
                    line(servers[at].server.port, room, member=answers.member) as (socket, welcome),
                ):
                    answers.come_back(welcome["you"])
                    while not ending.wait(0.05):  # no member sends more than forty a second
                        answers.sent += 1
                        say(socket, "answer", poll=poll, value=str(answers.sent))
                        hear(socket, "answered")
                        acknowledged[room] = answers.kept = answers.sent
                at = 1 - at

        def move(session: str, at: int) -> None:
            step = 0
            while not ending.is_set():
                step += 1
                with contextlib.suppress(httpx.HTTPError, RuntimeError):  # killed, or its client is closed
                    path = f"/api/sessions/{session}/position"
                    answer = servers[at].client.put(path, json={"run": 1, "step": step})
                    assert answer.status_code in (204, 409, 503), answer.text
                    counts[session, answer.status_code == 204] += 1
                    if answer.status_code == 204:
                        acknowledged[session] = step
                        continue
                at = 1 - at

        movers = [
            threading.Thread(target=move, args=(session, number % 2))
            for number, session in enumerate(sessions)
        ]
        movers.append(threading.Thread(target=answer))
        for mover in movers:
            mover.start()
        try:
            for _ in range(KILLS):
                wanted = {one: acknowledged.get(one, 0) + 5 for one in [*sessions, room]}
                until(partial(has_reached, acknowledged, wanted))
                number = generator.randrange(2)
                servers[number].kill()
                running[number].close()
                servers[number] = running[number].enter_context(visited(place))
        finally:
            ending.set()
            for mover in movers:
                mover.join()
        steps = dict(map(tuple, place.execute("SELECT id_hash, step FROM sessions")))
        assert answers.wrong == []
        told = acknowledged.pop(room)
        for session, step in acknowledged.items():
            assert steps[session_hash(session)] >= step  # or of one whose answer never came
        kept, refused = (sum(counts[one, what] for one in sessions) for what in (True, False))
        record_property(
            "measured",
            f"{KILLS} servers killed: {kept} moves and {told} answers in a room acknowledged and none lost; "
            f"{refused} moves refused, and sent to the other server",
        )
        assert {session: values_of(servers, session) for session in sessions} == digests


@dataclass
class Answers:
    """The answers of a member, and what the room had of them whenever the member came back."""

    member: str | None = None
    sent: int = 0
    kept: int = 0
    """The last one that was acknowledged."""
    wrong: list[tuple[int, int, int]] = field(default_factory=list)

    def come_back(self, you: JSON) -> None:
        """Note the room's answer, which is the last acknowledged one or a later one."""
        self.member = you["member"]
        found = int(you["answer"]["value"]) if you["answer"] else 0
        if not self.kept <= found <= self.sent:
            self.wrong.append((self.kept, found, self.sent))


def room_with_poll(at: Visited, session: str) -> tuple[str, str]:
    """A room for the session whose teacher has opened a poll and left, and that poll."""
    told = at.client.post("/api/rooms", json={"session": session}).json()
    with line(at.server.port, told["id"], owner=told["owner"]) as (teacher, _):
        say(teacher, "poll", poll=NUMBER)
        while (last := hear(teacher, "room"))["room"]["poll"] is None:
            pass
    return told["id"], last["room"]["poll"]["id"]


def has_reached(acknowledged: dict[str, int], wanted: dict[str, int]) -> bool:
    """Whether these steps of sessions, or answers in a room, were acknowledged."""
    return all(acknowledged.get(session, 0) >= step for session, step in wanted.items())


def values_of(servers: list[Visited], session: str) -> bytes:
    """The values of a session's first step, from the server that has it."""
    at, found = until(lambda: next(((at, found) for at in servers if (found := opened(at, session))), None))
    return values(at, found["run"]["key"])
