"""A server that is killed in the middle of a class: everybody is back where the class was, and no answer is lost."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import httpx
import pytest
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin

from hloscope.app.classroom.kept_room import KeptRoom
from hloscope.app.classroom.service import Rooms
from tests.app.classroom.classroom import INPUT, NUMBER, open_room
from tests.app.serving import ADD, JSON, PATIENCE, serving
from tests.app.web.test_restart import server, settled
from tests.server_process import free_port

POSITION = {
    "run": 1, "step": 2, "process": 0, "tab": None, "value": 1, "path": [], "element": [2], "line": None,
}  # fmt: skip
MEMBERS = 8


@contextmanager
def line(port: int, room: str, **hello: Any) -> Iterator[tuple[ClientConnection, JSON]]:
    """Somebody in the room, and what they were welcomed with."""
    origin = Origin(f"http://127.0.0.1:{port}")
    address = f"ws://127.0.0.1:{port}/api/rooms/{room}/live"
    with connect(address, origin=origin, open_timeout=PATIENCE) as socket:
        say(socket, "hello", **hello)
        yield socket, hear(socket, "welcome")


def say(socket: ClientConnection, type: str, **more: Any) -> None:
    socket.send(json.dumps({"type": type, **more}))


def hear(socket: ClientConnection, type: str) -> JSON:
    while True:
        message: JSON = json.loads(socket.recv(PATIENCE))
        assert message["type"] != "error", message
        if message["type"] == type:
            return message


def room_of(client: httpx.Client) -> JSON:
    made = client.post("/api/sessions", json={"text": ADD, "inputs": INPUT}).json()
    settled(client, made["id"])
    answer = client.post("/api/rooms", json={"session": made["id"]})
    assert answer.status_code == 201, answer.text
    told: JSON = answer.json()
    return told


def kill(process: subprocess.Popen[str]) -> None:
    os.kill(process.pid, signal.SIGKILL)
    process.wait(PATIENCE)


@pytest.mark.more
def test_a_class_survives_a_killed_server(tmp_path: Path) -> None:
    port = free_port()
    with server(tmp_path, port) as (process, client, _), ExitStack() as stack:
        told = room_of(client)
        teacher, _ = stack.enter_context(line(port, told["id"], owner=told["owner"]))
        students = [stack.enter_context(line(port, told["id"])) for _ in range(MEMBERS)]
        say(teacher, "state", position=POSITION, lesson_step="clamped")
        say(teacher, "chalk", to=students[0][1]["you"]["name"])
        say(teacher, "poll", poll=NUMBER)
        while (last := hear(students[-1][0], "room"))["room"]["poll"] is None:
            pass
        poll = last["room"]["poll"]["id"]
        for socket, _ in students:
            say(socket, "answer", poll=poll, value="18")
        for socket, _ in students[:-2]:
            hear(socket, "answered")
        say(students[0][0], "answer", poll=poll, value="8")  # changed, and acknowledged once more
        hear(students[0][0], "answered")
        kill(process)
    welcomes = [welcome for _, welcome in students]
    with server(tmp_path, port) as (_, client, _), ExitStack() as stack:
        teacher, mine = stack.enter_context(
            line(port, told["id"], owner=told["owner"], version=last["version"])
        )
        again = [
            stack.enter_context(line(port, told["id"], member=welcome["you"]["member"]))
            for welcome in welcomes
        ]
        assert [welcome["you"]["name"] for _, welcome in again] == [
            welcome["you"]["name"] for welcome in welcomes
        ]
        for welcome in (mine, *(found for _, found in again)):
            assert welcome["version"] > last["version"]
            room = welcome["room"]
            assert (room["position"], room["lesson_step"]) == (POSITION, "clamped")
            assert room["chalk"] == welcomes[0]["you"]["name"]
            assert (room["poll"]["id"], room["poll"]["open"]) == (poll, True)
            assert (room["code"], room["session"]) == (told["code"], welcomes[0]["room"]["session"])
        # Whoever was told that an answer is kept finds it.
        assert [welcome["you"]["answer"]["value"] for _, welcome in again[:-2]] == [
            "8",
            *["18"] * (MEMBERS - 3),
        ]
        say(teacher, "reveal_poll")
        while "truth" not in hear(teacher, "results"):
            pass
        results = hear(again[0][0], "results")
        assert MEMBERS - 2 <= results["count"] <= MEMBERS
        assert results["truth"]["right"] == results["count"] - 1
        # The code still leads here, and the link is still read.
        assert client.post("/api/rooms/join", json={"code": told["code"]}).json()["id"] == told["id"]
        assert client.get(f"/api/sessions/{mine['room']['session']}").status_code == 200
    with server(tmp_path, port), line(port, told["id"]) as (socket, welcome):
        assert welcome["room"]["poll"]["revealed"]
        assert hear(socket, "results") == results


@pytest.mark.more
def test_answers_that_were_acknowledged_are_there_whenever_the_server_is_killed(tmp_path: Path) -> None:
    port, acknowledged = free_port(), 0
    with server(tmp_path, port) as (process, client, _), ExitStack() as stack:
        told = room_of(client)
        teacher, _ = stack.enter_context(line(port, told["id"], owner=told["owner"]))
        socket, welcome = stack.enter_context(line(port, told["id"]))
        say(teacher, "poll", poll=NUMBER)
        while (found := hear(socket, "room"))["room"]["poll"] is None:
            pass
        poll = found["room"]["poll"]["id"]
        for number in range(50):
            say(socket, "answer", poll=poll, value=str(number))
            if number >= 20:
                acknowledged = int(hear(socket, "answered")["value"])
        os.kill(process.pid, signal.SIGKILL)
    with server(tmp_path, port), line(port, told["id"], member=welcome["you"]["member"]) as (_, again):
        assert int(again["you"]["answer"]["value"]) >= acknowledged >= 20


@pytest.mark.more
def test_a_server_that_is_told_to_end_loses_nothing(tmp_path: Path) -> None:
    port = free_port()
    with server(tmp_path, port) as (process, client, _):
        told = room_of(client)
        with (
            line(port, told["id"], owner=told["owner"]) as (teacher, _),
            line(port, told["id"]) as (socket, _),
        ):
            say(teacher, "state", position=POSITION)
            while hear(socket, "room")["room"]["position"] != POSITION:
                pass
            process.send_signal(signal.SIGTERM)
            process.wait(PATIENCE)
    with server(tmp_path, port), line(port, told["id"]) as (_, again):
        assert again["room"]["position"] == POSITION


class WaitingThread:
    """A store's thread that is busy with something else during the first call."""

    def __init__(self) -> None:
        self.store, self.called = MagicMock(), asyncio.Event()
        self.written: list[JSON] = []

    async def call(self, write: Any, room: str, epoch: int, version: int, state: JSON, said: JSON) -> bool:
        if not self.called.is_set():
            self.called.set()
            await asyncio.Event().wait()
        self.written.append(state)
        return True


def test_a_change_whose_write_has_begun_is_written_when_the_server_ends() -> None:
    async def end_during_a_write() -> list[JSON]:
        thread: Any = WaitingThread()
        room = KeptRoom(thread, "room", 1, {}, lambda: (1, {"position": POSITION}), lambda: None, print)
        room.write_later()
        await thread.called.wait()
        await room.close()
        written: list[JSON] = thread.written
        return written

    assert asyncio.run(end_during_a_write()) == [{"position": POSITION}]


class ThreadInTurn:
    """A store's thread, whose first call takes as long as it is told to."""

    def __init__(self) -> None:
        self.store, self.called, self.goes_on = MagicMock(), asyncio.Event(), asyncio.Event()
        self.written: list[JSON] = []
        self._turn = asyncio.Lock()

    async def call(self, write: Any, room: str, epoch: int, version: int, state: JSON, said: JSON) -> bool:
        async with self._turn:
            self.called.set()
            await self.goes_on.wait()
            self.written.append(state)
        return True


def test_a_change_that_is_being_written_is_not_undone_by_a_deferred_write(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("hloscope.app.classroom.kept_room.LATER_SECONDS", 0.0)

    async def write_during_a_change() -> list[JSON]:
        thread: Any = ThreadInTurn()
        state: JSON = {"poll": None}
        room = KeptRoom(thread, "room", 1, {}, lambda: (1, dict(state)), lambda: None, print)

        async def open_poll() -> None:
            await room.write(2, {"poll": "open"})
            state["poll"] = "open"

        change = asyncio.create_task(open_poll())
        await thread.called.wait()
        room.write_later()
        deferred = room._later
        assert deferred is not None
        for _ in range(5):  # until it waits for its turn
            await asyncio.sleep(0)
        thread.goes_on.set()
        await asyncio.gather(change, deferred)
        written: list[JSON] = thread.written
        return written

    assert asyncio.run(write_during_a_change()) == [{"poll": "open"}, {"poll": "open"}]


@pytest.mark.more
def test_a_room_belongs_to_the_server_that_took_it_last(tmp_path: Path) -> None:
    """Two on one folder, which is a mistake, never write over each other: who has lost the room sends everybody away."""
    ports = free_port(), free_port()
    with server(tmp_path, ports[0]) as (_, client, _), server(tmp_path, ports[1]):
        told = room_of(client)
        with (
            line(ports[0], told["id"], owner=told["owner"]) as (first, before),
            line(ports[1], told["id"], owner=told["owner"]) as (second, after),
        ):
            assert after["version"] > before["version"]
            say(first, "settings", paused=True)
            while True:
                try:
                    first.recv(PATIENCE)
                except Exception:
                    break
            assert first.close_code == 4409
            say(second, "settings", locked=True)
            while not hear(second, "room")["room"]["locked"]:
                pass


def test_a_class_that_comes_at_once_is_in_one_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who has looked the room up before another one has loaded it, and goes on afterwards, must not load it again."""
    with serving(tmp_path, signed_in=False) as client:
        room = open_room(client).id
    with serving(tmp_path, signed_in=False) as client:
        rooms: Rooms = client.app.app.state.rooms  # type: ignore[attr-defined]
        look_up = rooms.record

        async def come() -> bool:
            loaded, looked_up = asyncio.Event(), 0

            async def late(name: str) -> Any:
                nonlocal looked_up
                looked_up += 1
                is_second = looked_up == 2
                found = await look_up(name)
                if is_second:
                    await loaded.wait()
                return found

            monkeypatch.setattr(rooms, "record", late)
            first, second = asyncio.create_task(rooms.live(room)), asyncio.create_task(rooms.live(room))
            found = await first
            loaded.set()
            return looked_up == 2 and await second is found

        assert client.portal is not None
        assert client.portal.call(come)
