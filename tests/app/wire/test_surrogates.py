"""Halves of surrogate pairs are no text: every door refuses them, and what is behind it stays as it was."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.routing import APIRoute
from pydantic import BaseModel
from starlette.testclient import TestClient

import hloscope
from hloscope.app.base.settings import Settings, SettingsError
from hloscope.app.cli.main import main
from hloscope.app.web.routes import LaterRoute
from hloscope.app.wire import requests, room_messages
from hloscope.app.wire.surrogates import all_text, is_text
from tests.app.serving import ADD, JSON, TOKEN, live, new_session, settled
from tests.app.web.test_guard import ROUTES

HALF = "a\ud800b"
PERCENT = "%ED%A0%80"
SPEC = {"kind": "dense", "text": "[1, 2, 3, 4]"}
FILE = {"kind": "file", "file": "0" * 64, "array": "x"}
FEED = {"queue": "infeed", "process": 0, "items": [[SPEC, {"kind": "zeros", "seed": 1}]]}
EVERYTHING = {
    "entry": "main",
    "inputs": [SPEC, FILE, None, {"kind": "same", "base": SPEC}, {"kind": "each", "specs": [SPEC, FILE]},
               {"kind": "apart", "base": {"kind": "normal", "seed": 1}}, {"kind": "stop"}],
    "grid": {"replicas": 1, "partitions": 1},
    "feeds": [FEED],
}  # fmt: skip
POSITION = {
    "run": 1,
    "step": 1,
    "path": [[0, 0], [1, 2]],
    "breakpoints": [2, [3, [0]], {"kind": "op", "at": "a", "log": "b"}],
}
PLAYGROUND = {
    "op": "stablehlo.add",
    "operands": {"lhs": {"shape": [2], "values": ["1"]}},
    "fields": {"x": [{"y": "z"}]},
}
BODIES: dict[str, JSON] = {
    "POST /api/check": {"text": ADD, "name": "a.mlir", "entry": "main"},
    "POST /api/try": {"text": ADD, "name": "a.mlir", "entry": "main"},
    "POST /api/playground": PLAYGROUND,
    "POST /api/lessons/{name}/changes/{step}": {"text": ADD},
    "POST /api/lessons/{name}/result": {"student": "a name", "answers": {"a.1": "8"}, "programs": {"a": ADD}},
    "POST /api/sessions": {
        "text": ADD,
        "example": "mlp",
        "copy_of": "an id",
        "run": 1,
        "name": "a.mlir",
        **EVERYTHING,
    },
    "POST /api/sessions/{session}/check": {"text": ADD, "name": "a.mlir", "entry": "main"},
    "POST /api/sessions/{session}/runs": {"text": ADD, "breakpoints": [2, [3, [0]]], **EVERYTHING},
    "POST /api/sessions/{session}/runs/{number}/feed": FEED,
    "POST /api/sessions/{session}/runs/{number}/engines": {"against": "xla"},
    "PUT /api/sessions/{session}/draft": {"text": ADD},
    "PUT /api/sessions/{session}/position": POSITION,
    "POST /api/sessions/titles": {"sessions": ["an id"]},
    "PUT /api/sessions/{session}/name": {"name": "a name"},
    "PUT /api/dumps/{dump}/name": {"name": "a name"},
    "POST /api/dumps/titles": {"dumps": ["an id"]},
    "POST /api/rooms": {"session": "an id", "run": 1, "lesson": "a lesson"},
    "POST /api/rooms/join": {"code": "CCCCCCCC"},
    "POST /api/rooms/{room}/copies": {"run": 1, "text": ADD},
    "POST /api/rooms/{room}/changes/{step}": {"text": ADD},
    "POST /api/dumps/{dump}/examination": {"seed": 1, "file": "0" * 64, "file_name": "a.npz", "module": 0},
}
"""A body for each route that takes one, with every kind of thing that may stand in it."""
MESSAGES: dict[str, JSON] = {
    "record": {"type": "record", "run": 1, "steps": 1},
    "pause": {"type": "pause", "run": 1},
    "position": {"type": "position", **POSITION},
}


@pytest.fixture(scope="module")
def session(client: TestClient) -> str:
    found = new_session(client)
    settled(client, found)
    return found


def poisoned(value: Any) -> Iterator[Any]:
    """The value with half of a pair in each place: instead of each part, as one part more, as a name."""
    yield HALF
    if isinstance(value, dict):
        yield value | {HALF: 1}
        yield value | {"more": HALF}
        for name, item in value.items():
            yield from ({**value, name: other} for other in poisoned(item))
    elif isinstance(value, list):
        yield [*value, HALF]
        for number, item in enumerate(value):
            yield from ([*value[:number], other, *value[number + 1 :]] for other in poisoned(item))


def state(client: TestClient, session: str) -> Any:
    return client.get(f"/api/sessions/{session}").json()


def filled(path: str, session: str) -> str:
    return re.sub(r"\{\w+\}", "1", path.replace("{session}", session))


def _routes(app: FastAPI) -> Iterator[tuple[str, Any]]:
    """Every route with how it is called."""
    for route in app.routes:
        if isinstance(route, LaterRoute):
            yield from ((f"{method} {route.path}", route.made) for method in route.methods or ())


def test_every_body_is_here(client: TestClient) -> None:
    app: Any = client.app
    taking = {name for name, route in _routes(app.app) if route.body_field is not None}
    assert taking == BODIES.keys()


def test_every_schema_refuses_them() -> None:
    found = [
        item
        for item in [*vars(requests).values(), *vars(room_messages).values()]
        if isinstance(item, type) and issubclass(item, BaseModel)
    ]
    assert [item for item in found if not issubclass(item, requests.Schema) and item is not BaseModel] == []


@pytest.mark.parametrize("route", sorted(BODIES))
def test_no_body_may_hold_them(client: TestClient, session: str, route: str) -> None:
    method, path = route.split()
    before = state(client, session)
    bodies = [json.dumps(body) for body in poisoned(BODIES[route])]
    for body in bodies:
        answer = client.request(
            method, filled(path, session), content=body, headers={"Content-Type": "application/json"}
        )
        assert answer.status_code == 422, body
        assert answer.json()["error"]["kind"] == "request"
    assert len(bodies) > 3
    assert state(client, session) == before


def test_the_sentence_says_what_is_wrong(client: TestClient, session: str) -> None:
    body = json.dumps({"text": HALF})
    answer = client.put(
        f"/api/sessions/{session}/draft", content=body, headers={"Content-Type": "application/json"}
    )
    assert "half of a surrogate pair" in answer.json()["error"]["message"]


def test_no_message_may_hold_them(client: TestClient, session: str) -> None:
    before = state(client, session)
    with live(client, session) as socket:
        for message in MESSAGES.values():
            for wrong in poisoned(message):
                for send in (socket.send_text, lambda text: socket.send_bytes(text.encode())):
                    send(json.dumps(wrong))
                    while (heard := socket.receive_json())["type"] == "state":
                        pass
                    assert heard["type"] == "error", wrong
        socket.send_bytes(b"\xff\xed\xa0\x80")
        assert socket.receive_json()["type"] == "error"
    assert state(client, session) == before


@pytest.mark.parametrize("route", sorted(name for name in ROUTES if name.startswith("GET")))
def test_no_address_may_hold_them(client: TestClient, session: str, route: str) -> None:
    """In an address they are bytes that are not UTF-8, which name nothing."""
    path = route.split()[1]
    places = re.findall(r"\{\w+\}", path)
    for place in places:
        answer = client.get(
            filled(path.replace(place, PERCENT), session), headers={"Accept": "application/json"}
        )
        assert 400 <= answer.status_code < 500, answer.text
        assert answer.json()["error"]["message"]
    answer = client.get(f"{filled(path, session)}?name={PERCENT}&{PERCENT}=1&key={PERCENT}")
    assert answer.status_code < 500


def test_no_parameter_may_hold_them(client: TestClient, session: str) -> None:
    run = state(client, session)["run"]
    base = f"/api/recordings/{run['key']}"
    app: Any = client.app
    asked = 0
    for name, route in _routes(app.app):
        if (
            not isinstance(getattr(route, "original_route", route), APIRoute)
            or "/recordings/{key}" not in name
        ):
            continue
        path = re.sub(r"\{\w+\}", "0", route.path.replace("/api/recordings/{key}", base))
        for parameter in route.dependant.query_params:
            others = "&".join(
                f"{other.alias}=0" for other in route.dependant.query_params if other is not parameter
            )
            answer = client.get(f"{path}?{parameter.alias}={PERCENT}&{others}")
            assert answer.status_code < 500, answer.text
            asked += 1
    assert asked > 20


def test_a_name_of_a_file_may_hold_anything(client: TestClient, session: str) -> None:
    head = b'--b\r\nContent-Disposition: form-data; name="file"; filename="\xed\xa0\x80.npz"\r\n\r\nx\r\n--b--\r\n'
    answer = client.post(
        f"/api/sessions/{session}/files", content=head,
        headers={"Content-Type": "multipart/form-data; boundary=b"},
    )  # fmt: skip
    assert answer.status_code == 422
    assert answer.json()["error"]["kind"] == "input"


ODD = os.fsdecode(b"\xed\xa0\x80\xff")


@pytest.mark.parametrize(
    "arguments",
    [
        ["run", ODD], ["serve", ODD], [ODD], ["check", "FILE", "--entry", ODD], ["run", "FILE", "--input", ODD],
        ["run", "FILE", "--bind", f"%5={ODD}"], ["run", "FILE", "--set", f"token={ODD}"],
        ["run", "FILE", "--outputs", ODD], ["maps", "FILE", "--op", ODD], ["run", "FILE", "--host", f"1={HALF}"],
    ],
)  # fmt: skip
def test_the_command_line_refuses_them(arguments: list[str], tmp_path: Path, capsys: Any) -> None:
    (tmp_path / "add.mlir").write_text(ADD)
    given = [str(tmp_path / "add.mlir") if word == "FILE" else word for word in arguments]
    assert main(given) == 2
    captured = capsys.readouterr()
    assert "is not UTF-8" in captured.err
    assert captured.err.count("\n") == 1


def test_the_command_refuses_bytes_that_are_no_text(tmp_path: Path) -> None:
    command: list[Any] = [sys.executable, "-m", "hloscope", "check", b"\xff.mlir"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.startswith(b"hloscope: the argument '\\udcff.mlir' is not UTF-8")


def test_files_and_programs_may_not_hold_them(tmp_path: Path, capsys: Any) -> None:
    (tmp_path / "p.mlir").write_bytes(b"// \xed\xa0\x80\n" + ADD.encode())
    assert main(["check", str(tmp_path / "p.mlir")]) == 2
    assert "byte 3 is not UTF-8" in capsys.readouterr().err
    [found] = hloscope.check(f"// {HALF}\n{ADD}")
    assert "unpaired surrogate" in found.message


def test_settings_may_not_hold_them() -> None:
    with pytest.raises(SettingsError, match="'token' is not UTF-8"):
        Settings.load(environment={"HLOSCOPE_TOKEN": TOKEN + ODD})


def test_text_is_told_from_halves_at_any_depth() -> None:
    deep: Any = HALF
    for _ in range(100_000):
        deep = [deep]
    assert not all_text(deep)
    whole = deepcopy({"é": ["\N{PILE OF POO}", 1, None, True, 0.5, {"x": ""}]})
    assert all_text(whole)
    assert [is_text(text) for text in ("", "a", "é", "\U0010ffff", "\ud800", "a\udfff")] == [True] * 4 + [
        False
    ] * 2
