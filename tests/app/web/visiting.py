"""Servers in processes of their own, who visits them, and a load under which they are killed."""

from __future__ import annotations

import contextlib
import hashlib
import json
import random
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from statistics import median
from subprocess import Popen
from typing import Any

import httpx
from websockets.exceptions import ConnectionClosed, WebSocketException
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin

from tests.app.classroom.classroom import INPUT, NUMBER
from tests.app.classroom.test_room_restart import hear, line, say
from tests.app.serving import ADD, ENDLESS, JSON, PATIENCE, until
from tests.app.store.places import Place
from tests.app.web.test_restart import settled
from tests.server_process import Server, serving

RECORDED = 3000
"""Steps of a session of `Load`."""
LOADED: dict[str, Any] = {"record_first_steps": RECORDED, "cached_answers_bytes": 0}
"""The settings of a server under `Load`."""


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
def visited(place: Place, python: str = sys.executable, **settings: object) -> Iterator[Visited]:
    """A server on the place, in a process of its own."""
    with (
        serving(place.folder, settings={"store": place.address, **settings}, python=python) as (
            server,
            process,
        ),
        httpx.Client(base_url=server.origin, headers={"Origin": server.origin}, timeout=PATIENCE) as client,
    ):
        client.get(server.url)
        yield Visited(server, process, client)


def new(at: Visited, text: str = ADD, inputs: Sequence[JSON] = INPUT) -> str:
    made = at.client.post("/api/sessions", json={"text": text, "inputs": inputs})
    assert made.status_code == 201, made.text
    settled(at.client, made.json()["id"])
    return str(made.json()["id"])


def values(at: Visited, key: str) -> bytes:
    answer = at.client.get(f"/api/recordings/{key}/values/0.s1.0")
    assert answer.status_code == 200, answer.text
    return answer.content


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


@dataclass
class Shared:
    """A session, its recording, and a read-only link to it."""

    id: str
    key: str
    link: str


class Load:
    """Clients that step as fast as they can, each in a session of its own, and a member of a room who answers again and again.

    Each goes to the next server when theirs does not answer, or does not have the session or the room.
    """

    def __init__(self, servers: list[Visited], count: int = 6) -> None:
        """The servers record `RECORDED` steps."""
        self._servers = servers
        self._refusals = (503,) if len(servers) == 1 else (409, 503)
        self._ending = threading.Event()
        self._since = 0.0
        self._back: dict[str, float] = {}
        """When the first question of a session or in a room that was asked since then was answered."""
        self._sessions = [self._shared(servers[number % len(servers)], number) for number in range(count)]
        self._moves = {session.id: [0] for session in self._sessions}
        """The last step that was acknowledged, and those that were not since then."""
        self._room, self._poll = room_with_poll(servers[0], new(servers[0]))
        self._answers = Answers()
        self._digests: dict[tuple[str, int], set[str]] = {}
        self.counts: Counter[str] = Counter()
        self._wrong: list[str] = []
        self._threads = [
            threading.Thread(target=self._step, args=(session, number % len(servers)))
            for number, session in enumerate(self._sessions)
        ]
        self._threads.append(threading.Thread(target=self._answer))

    def _shared(self, at: Visited, number: int) -> Shared:
        session = new(at, ENDLESS.replace("%one", f"%one{number}"), [])
        key = at.client.get(f"/api/sessions/{session}").json()["run"]["key"]
        return Shared(session, key, at.client.post(f"/api/sessions/{session}/links").json()["id"])

    def _step(self, session: Shared, at: int) -> None:
        generator = random.Random(session.id)
        while not self._ending.is_set():
            step, asked = generator.randrange(RECORDED // 5) * 5 + 4, time.monotonic()
            self._moves[session.id].append(step)
            moved = self._ask(
                at, "PUT", f"/api/sessions/{session.id}/position", json={"run": 1, "step": step}
            )
            if moved:
                self._moves[session.id] = [step]
            value = self._ask(at, "GET", f"/api/recordings/{session.key}/values/0.s{step}.0")
            by_link = f"/api/recordings/{session.link}.{session.key}/values/0.s{step}.0"
            for found in (value, self._ask(at - 1, "GET", by_link)):
                if found:
                    digest = hashlib.sha256(found.content).hexdigest()
                    self._digests.setdefault((session.id, step), set()).add(digest)
            if moved and value:
                self._note(session.id, asked)
            else:
                at = (at + 1) % len(self._servers)

    def _ask(self, at: int, method: str, path: str, **more: Any) -> httpx.Response | None:
        """What a server answers; None if it refuses, or has been killed."""
        try:
            answer = self._servers[at].client.request(method, path, **more)
        except (httpx.HTTPError, RuntimeError) as error:
            if len(self._servers) == 1:
                self._wrong.append(repr(error))
            return None
        if not answer.is_success and answer.status_code not in self._refusals:
            self._wrong.append(f"{answer.status_code} {answer.text}")
        self.counts["answers" if answer.is_success else "refusals"] += 1
        return answer if answer.is_success else None

    def _answer(self) -> None:
        at, answers = 0, self._answers
        while not self._ending.is_set():
            with (
                contextlib.suppress(WebSocketException, OSError, EOFError, AssertionError),
                line(self._servers[at].server.port, self._room, member=answers.member) as (socket, welcome),
            ):
                answers.come_back(welcome["you"])
                while not self._ending.wait(0.05):  # no member sends more than forty a second
                    asked = time.monotonic()
                    answers.sent += 1
                    say(socket, "answer", poll=self._poll, value=str(answers.sent))
                    hear(socket, "answered")
                    answers.kept = answers.sent
                    self._note(self._room, asked)
            at = (at + 1) % len(self._servers)

    def _note(self, what: str, asked: float) -> None:
        if asked > self._since:
            self._back.setdefault(what, time.monotonic())

    def __enter__(self) -> Load:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ending.set()
        for thread in self._threads:
            thread.join()

    def seconds_after(self, work: Callable[[], None] = lambda: None) -> float:
        """How long it takes from the beginning of some work until every session and the room answer what is asked since then."""
        self._since, self._back = time.monotonic(), {}
        work()
        until(lambda: len(self._back) == len(self._threads))
        return max(self._back.values()) - self._since

    def check(self) -> None:
        """Whether all that was acknowledged is there at the end, and every value has always been the same."""
        at = self._servers[0]
        for session in self._sessions:
            found = until(lambda session=session: opened(at, session.id))  # type: ignore[misc]
            assert found["position"]["step"] in self._moves[session.id]
        with entered(at, self._room, member=self._answers.member) as (_, welcome):
            self._answers.come_back(welcome["you"])
        assert (self._wrong, self._answers.wrong) == ([], [])
        assert [found for found in self._digests.values() if len(found) > 1] == []

    def sentence(self, times: Mapping[str, Sequence[float]]) -> str:
        """What was measured; `times`: after the kills of each kind."""
        kills = ", ".join(f"{len(found)} of a {kind}" for kind, found in times.items())
        back = ", ".join(
            f"{kind} {median(found):.1f} s, at most {max(found):.1f} s"
            for kind, found in times.items()
            if found
        )
        return (
            f"kills: {kills}; {self.counts['answers']} questions and {self._answers.kept} answers in a room acknowledged, "
            f"none lost and no value changed, {self.counts['refusals']} refused; all sessions and the room were back after "
            f"(median): {back}"
        )
