"""What the loads of a class share: a session that its teacher has opened, and the link that everybody gets."""

from __future__ import annotations

import json
import time
import urllib.request
from dataclasses import dataclass
from typing import Any

from tests.programs import known_example
from tests.server_process import Server

JSON = dict[str, Any]
PROGRAM = "mlp_train_step"
"""An MLP's training step: 151 steps, of which one goes over most, and tensors of up to 784 x 256 elements."""
PATIENCE = 60.0


@dataclass(frozen=True)
class Shared:
    """A session, a read-only link to it, and its recording as readers call it."""

    session: str
    link: str
    key: str
    steps: int


def shared_program() -> JSON:
    """The body of the request that opens the program."""
    found = known_example(PROGRAM)
    return {"text": found.text, "name": found.file}


def shared_session(server: Server) -> Shared:
    """Opened and recorded, as a teacher has it before class."""
    session = post_json(server, "/api/sessions", shared_program())["id"]
    end = time.monotonic() + PATIENCE
    while (run := get_json(server, f"/api/sessions/{session}")["run"])["state"]["kind"] == "recording":
        assert time.monotonic() < end, "the program was not recorded in time"
        time.sleep(0.1)
    link = post_json(server, f"/api/sessions/{session}/links", {})["id"]
    return Shared(session, link, f"{link}.{run['key']}", run["steps"])


def get_json(server: Server, path: str) -> Any:
    """What the server answers to its owner."""
    return _ask(server, path, None, {})


def post_json(server: Server, path: str, body: JSON, headers: dict[str, str] | None = None) -> Any:
    """As `get_json`, for what changes something."""
    return _ask(server, path, json.dumps(body).encode(), headers or {})


def _ask(server: Server, path: str, body: bytes | None, more: dict[str, str]) -> Any:
    headers = {"Origin": server.origin, "Cookie": server.cookie, "Content-Type": "application/json", **more}
    request = urllib.request.Request(server.origin + path, data=body, headers=headers)
    with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
        return json.loads(answer.read() or b"null")
