"""Rights: every message and every route by every role. A student's secret does nothing that only a teacher may."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any, get_args

import pytest
from starlette.testclient import TestClient

from hloscope.app.wire import room_messages
from tests.app.classroom.classroom import NUMBER, SIGNED_IN, STRANGER, Line, Room, open_room
from tests.app.serving import JSON, settled
from tests.app.web.test_guard import ROUTES

POSITION: JSON = {"run": 1, "step": 1, "process": 0, "tab": None, "value": None, "path": [], "element": None}
MESSAGES: dict[str, JSON] = {
    "state": {"position": POSITION},
    "pointer": {"at": {"panel": "tensor", "x": 0, "y": 0}},
    "where": {"following": True, "position": {"run": 1, "step": 1}},
    "hand": {"up": True},
    "hand of another": {"up": False, "member": "NAME"},
    "lost": {"lost": True},
    "progress": {"lesson_step": "a", "right": True},
    "poll": {"poll": NUMBER},
    "answer": {"poll": "POLL", "value": "1"},
    "close_poll": {},
    "reveal_poll": {},
    "discard_poll": {},
    "chalk": {"to": "NAME"},
    "chalk back": {"to": None},
    "settings": {"paused": True},
    "count_all": {},
    "ping": {},
}
"""In this order, by which there is a poll when one is closed."""
OWNER = {"state", "pointer", "hand of another", "poll", "close_poll", "reveal_poll", "discard_poll", "chalk", "chalk back", "settings", "count_all", "ping"}  # fmt: skip
MEMBER = {"where", "hand", "lost", "progress", "answer", "ping"}
WITH_CHALK = MEMBER | {"state", "pointer", "chalk back"}
ALLOWED = {"owner": OWNER, "member": MEMBER, "member with the chalk": WITH_CHALK, "screen": {"ping"}}

BY_ROUTE: dict[str, dict[str, int]] = {
    "GET /api/rooms/{room}": dict.fromkeys(("owner", "member", "stranger"), 200),
    "GET /api/rooms/{room}/qr.svg": dict.fromkeys(("owner", "member", "stranger"), 200),
    "GET /room/{room}": dict.fromkeys(("owner", "member", "stranger"), 200),
    "POST /api/rooms/{room}/copies": {"owner": 201, "member": 201, "stranger": 403},
    "POST /api/rooms/{room}/changes/{step}": {"owner": 404, "member": 404, "stranger": 403},  # no lesson
    "GET /api/rooms/{room}/records.csv": {"owner": 409, "member": 403, "stranger": 403},  # no records
    "GET /api/rooms/{room}/polls": {"owner": 200, "member": 403, "stranger": 403},
    "GET /api/rooms/{room}/polls.csv": {"owner": 200, "member": 403, "stranger": 403},
    "POST /api/rooms": dict.fromkeys(("owner", "member", "stranger"), 401),  # who has signed in alone
    "DELETE /api/rooms/{room}": {"member": 403, "stranger": 403, "owner": 204},
}
BODIES: dict[str, JSON] = {
    "POST /api/rooms/{room}/changes/{step}": {"text": ""},
    "POST /api/rooms": {"session": "SESSION"},
}
SETTINGS = {"max_rooms": 1000, "signed_in": False}


@pytest.fixture
def room(client: TestClient) -> Room:
    room = open_room(client)
    client.headers.update(SIGNED_IN)
    settled(client, room.session)
    for name in SIGNED_IN:
        del client.headers[name]
    return room


def test_every_message_is_in_the_table() -> None:
    types = {get_args(kind.model_fields["type"].annotation)[0] for kind in get_args(room_messages.Message)}
    assert types == {name.split()[0] for name in MESSAGES}
    assert {name for names in ALLOWED.values() for name in names} == MESSAGES.keys()


def test_every_route_is_in_the_table() -> None:
    assert BY_ROUTE.keys() == {
        route for route in ROUTES if "room" in route and not route.startswith("WS")
    } - {"POST /api/rooms/join"}


def filled(message: JSON, name: str, poll: str) -> JSON:
    return {key: {"NAME": name, "POLL": poll}.get(str(value), value) for key, value in message.items()}


def outcome(line: Line, name: str, message: JSON) -> str:
    """`role` or `chalk` where it is refused for who says it; else how the server took it."""
    line.say(name.split(maxsplit=1)[0], **message)
    # What makes no sense is answered behind everything that was said before.
    line.say("nonsense")
    first = line.hear("error")
    if first["kind"] == "request" and first["message"] == "This message is invalid.":
        return "done"
    line.hear("error")
    return str(first["kind"])


@pytest.mark.parametrize("role", sorted(ALLOWED))
def test_messages_by_role(room: Room, role: str) -> None:
    with ExitStack() as stack:
        teacher, other = stack.enter_context(room.teacher()), stack.enter_context(room.line())
        line = teacher if role == "owner" else stack.enter_context(room.line(screen=role == "screen"))
        if role == "member with the chalk":
            teacher.say("chalk", to=line.you["name"])
            line.until(chalk=line.you["name"])
        poll = ""
        for name, message in MESSAGES.items():
            if role != "owner" and name == "answer":
                teacher.say("poll", poll=NUMBER)
                while not other.room["poll"]:
                    other.until()
                poll = other.room["poll"]["id"]
            found = outcome(line, name, filled(message, other.you["name"], poll))
            if name in ALLOWED[role]:
                assert found == "done", name
            else:
                assert found == "role", name
        # Nothing of what was refused has changed anything.
        if role in ("member", "screen"):
            with room.line() as late:
                assert (late.room["position"]["step"], late.room["chalk"], late.room["paused"]) == (
                    0,
                    None,
                    False,
                )
                assert late.room["poll"]["open"]


def test_one_leads_at_a_time(room: Room) -> None:
    with room.teacher() as teacher, room.line() as ana:
        teacher.say("chalk", to=ana.you["name"])
        ana.until(chalk=ana.you["name"])
        for name in ("state", "pointer"):
            assert outcome(teacher, name, MESSAGES[name]) == "chalk"
        teacher.say("chalk", to=None)
        ana.until(chalk=None)
        assert outcome(teacher, "state", MESSAGES["state"]) == "done"


@pytest.mark.parametrize("role", ["stranger", "member", "owner"])
def test_routes_by_role(room: Room, role: str) -> None:
    with room.line() as ana:
        secret = {
            "owner": {"X-Room-Owner": room.told["owner"]},
            "member": {"X-Room-Member": ana.you["member"]},
        }
        for route, statuses in BY_ROUTE.items():
            method, path = route.split()
            address = path.replace("{room}", room.id).replace("{step}", "a")
            body = BODIES.get(route, {}) if method == "POST" else None
            answer = room.client.request(method, address, json=body, headers=STRANGER | secret.get(role, {}))
            assert answer.status_code == statuses[role], (route, answer.text)


def test_one_room_s_secrets_open_no_other(client: TestClient, room: Room) -> None:
    other = open_room(client)
    with room.line() as ana, other.line(member=ana.you["member"]) as elsewhere:
        assert elsewhere.you["member"] != ana.you["member"]
    assert other.ask("DELETE", "", owner=room.told["owner"]).status_code == 403
    assert other.ask("DELETE", "", owner=other.told["id"]).status_code == 403


def test_requests_of_other_sites_are_refused(room: Room) -> None:
    evil: dict[str, Any] = {**STRANGER, "Origin": "https://evil.example"}
    for method, path in (("POST", f"{room.path}/copies"), ("DELETE", room.path), ("POST", "/api/rooms/join")):
        owner = {"X-Room-Owner": room.told["owner"]}
        answer = room.client.request(method, path, headers=evil | owner)
        assert (answer.status_code, answer.json()["error"]["kind"]) == (403, "origin")
    host = room.client.get(f"/room/{room.id}", headers={**STRANGER, "Host": "evil.example"})
    assert host.status_code == 403
