"""A room for tests: its teacher, its members, and what each of them is told."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from starlette.testclient import TestClient, WebSocketTestSession

from tests.app.serving import ADD, JSON, ORIGIN, PORT, TOKEN

SIGNED_IN = {"Host": ORIGIN[7:], "Origin": ORIGIN, "Cookie": f"hloscope-{PORT}={TOKEN}"}
STRANGER = {"Host": ORIGIN[7:], "Origin": ORIGIN}
INPUT = [{"kind": "dense", "text": "[1, 2, 3, 4]"}]
"""Of `ADD`, which computes 2 * x * x: [2, 8, 18, 32]."""
TARGET = {"run": 1, "process": 0, "address": "0.s1.0", "element": [2], "read_by": None}
NUMBER = {"kind": "number", "question": "What will it be?", "options": [], "target": TARGET}


@dataclass
class Line:
    """One who is connected."""

    socket: WebSocketTestSession
    you: JSON
    room: JSON
    version: int

    def say(self, type: str, **more: Any) -> None:
        """A message."""
        self.socket.send_json({"type": type, **more})

    def hear(self, type: str) -> JSON:
        """The next message of a type; what else comes before it is skipped."""
        while True:
            message: JSON = self.socket.receive_json()
            if message["type"] == type:
                return message

    def until(self, **wanted: Any) -> JSON:
        """The state of the room, once it is so."""
        while True:
            message = self.hear("room")
            assert message["version"] > self.version
            self.version, self.room = message["version"], message["room"]
            if wanted.items() <= self.room.items():
                return self.room

    def refused(self, type: str, **more: Any) -> JSON:
        """The error that a message gets."""
        self.say(type, **more)
        return self.hear("error")


@dataclass
class Room:
    """A room on a server."""

    client: TestClient
    session: str
    told: JSON

    @property
    def id(self) -> str:
        """Its id."""
        return str(self.told["id"])

    @property
    def path(self) -> str:
        """Where its routes are."""
        return f"/api/rooms/{self.id}"

    @contextmanager
    def line(self, **hello: Any) -> Iterator[Line]:
        """Somebody, after the welcome."""
        with self.client.websocket_connect(f"{self.path}/live", headers=STRANGER) as socket:
            socket.send_json({"type": "hello", **hello})
            first = json.loads(socket.receive_text())
            assert first["type"] == "welcome", first
            yield Line(socket, first["you"], first["room"], first["version"])

    def teacher(self) -> Any:
        """The teacher's line."""
        return self.line(owner=self.told["owner"])

    def ask(self, method: str, part: str, body: Any = None, **headers: str) -> Any:
        """A request of somebody who has not signed in; headers as `owner=` and `member=`."""
        named = {f"X-Room-{name.title()}": value for name, value in headers.items()}
        return self.client.request(method, f"{self.path}{part}", json=body, headers=STRANGER | named)


def open_room(client: TestClient, text: str = ADD, **more: Any) -> Room:
    """A room for a new session."""
    body = {"text": text, "name": "a.mlir", "inputs": INPUT} if text is ADD else {"text": text}
    made = client.post("/api/sessions", json=body, headers=SIGNED_IN)
    assert made.status_code == 201, made.text
    answer = client.post("/api/rooms", json={"session": made.json()["id"], **more}, headers=SIGNED_IN)
    assert answer.status_code == 201, answer.text
    client.cookies.clear()
    return Room(client, made.json()["id"], answer.json())
