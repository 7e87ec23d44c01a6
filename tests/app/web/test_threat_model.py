"""SECURITY.md says who may do what; every line of its table is tried with every right."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from tests.app.classroom.classroom import open_room
from tests.app.serving import ADD, ORIGIN, PORT, TOKEN, settled

TABLE = re.compile(r"^\| (?P<action>[^|]+?) \| (?P<cells>(?:yes|no)(?: \| (?:yes|no))*) \|$", re.MULTILINE)
HEADING = re.compile(r"^\| who has \| (?P<rights>[^\n]+) \|$", re.MULTILINE)
TEXT = (Path(__file__).parents[3] / "SECURITY.md").read_text()
METRICS_TOKEN = "a-token-that-reads-metrics"
SETTINGS = {"metrics_token": METRICS_TOKEN, "signed_in": False}
MULTIPART = {"file": ("x.npy", b"")}
REFUSED = {401, 403, 404, 4401, 4403, 4404}
SIGNED_IN = {"Cookie": f"hloscope-{PORT}={TOKEN}"}

# How each right names the session, and what its requests carry.
RIGHTS: dict[str, dict[str, str]] = {
    "nothing": {},
    "a read-only link": {},
    "a member's copy": {},
    "the metrics token": {"Authorization": f"Bearer {METRICS_TOKEN}"},
    "the token": SIGNED_IN,
}

# A request for each line; {0} is the session, {1} its recording.
ACTIONS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "ask whether the server is well and ready": ("GET", "/-/ready", {}),
    "read the metrics": ("GET", "/-/metrics", {}),
    "read the settings": ("GET", "/-/settings", {}),
    "check and open programs": ("POST", "/api/sessions", {"json": {"text": ADD}}),
    "open dumps, saved pages and recordings": ("POST", "/api/pages", {"files": MULTIPART}),
    "read the session: program, runs, position": ("GET", "/api/sessions/{0}", {}),
    "read values of its recordings": ("GET", "/api/recordings/{1}/program", {}),
    "copy it": ("POST", "/api/sessions", {"json": {"copy_of": "{0}"}}),
    "edit its program": ("PUT", "/api/sessions/{0}/draft", {"json": {"text": ADD}}),
    "run another program in it": ("POST", "/api/sessions/{0}/runs", {"json": {"text": ADD}}),
    "upload inputs": ("POST", "/api/sessions/{0}/files", {"files": MULTIPART}),
    "make links to it": ("POST", "/api/sessions/{0}/links", {}),
    "withdraw its links": ("DELETE", "/api/sessions/{0}/links", {}),
    "open a room for it": ("POST", "/api/rooms", {"json": {"session": "{0}"}}),
    "delete it": ("DELETE", "/api/sessions/{0}", {}),
}


def rows() -> dict[str, list[bool]]:
    """The table of the document: for each action, whether each right may."""
    return {
        row["action"]: [cell == "yes" for cell in row["cells"].split(" | ")] for row in TABLE.finditer(TEXT)
    }


def test_the_table_has_the_lines_and_rights_that_are_tried() -> None:
    heading = HEADING.search(TEXT)
    assert heading is not None
    assert heading["rights"].split(" | ") == list(RIGHTS)
    assert list(rows()) == list(ACTIONS)
    assert all(len(cells) == len(RIGHTS) for cells in rows().values())


@pytest.fixture
def session(client: TestClient) -> str:
    """A session of who has the token, with a run."""
    answer = client.post("/api/sessions", json={"text": ADD}, headers={"Origin": ORIGIN, **SIGNED_IN})
    return str(answer.json()["id"])


@pytest.mark.parametrize("number", range(len(RIGHTS)), ids=list(RIGHTS))
def test_every_line_holds_for_every_right(client: TestClient, session: str, number: int) -> None:
    right, headers = list(RIGHTS.items())[number]
    named = _named(client, session, right)
    client.headers.update(SIGNED_IN)
    key = settled(client, named)["key"]
    del client.headers["Cookie"]
    recording = key if "." in key or named == session else f"{named}.{key}"
    wrong = []
    for action, allowed in rows().items():
        method, path, more = ACTIONS[action]
        more = {name: _filled(value, named) for name, value in more.items()}
        answer = client.request(
            method, path.format(named, recording), headers={"Origin": ORIGIN, **headers}, **more
        )
        if allowed[number] is (answer.status_code in REFUSED):
            wrong.append(f"{action}: {answer.status_code}")
    assert wrong == []


def _named(client: TestClient, session: str, right: str) -> str:
    """The session's name for who has a right; without one, its own id, as if that had been found out."""
    headers = {"Origin": ORIGIN, **SIGNED_IN}
    if right == "a read-only link":
        return str(client.post(f"/api/sessions/{session}/links", headers=headers).json()["id"])
    if right == "a member's copy":
        room = open_room(client)
        with room.line() as member:
            copy = room.ask("POST", "/copies", {"run": 1}, member=member.you["member"])
        return str(copy.json()["id"])
    return session


def _filled(value: Any, named: str) -> Any:
    if isinstance(value, dict):
        return {name: _filled(item, named) for name, item in value.items()}
    return value.format(named) if value == "{0}" else value
