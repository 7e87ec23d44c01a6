"""A server that offers lessons: anybody plays them with their exercises and playgrounds, and does nothing else."""

from __future__ import annotations

from contextvars import copy_context
from pathlib import Path
from typing import Any

from starlette.testclient import TestClient

from hloscope.app.base.errors import ApiError
from hloscope.app.base.fair_shares import Principal, act_for
from hloscope.app.classroom import visitors
from hloscope.app.classroom.visitors import Visitors
from tests.app.lessons.texts import EVERY_KIND
from tests.app.serving import JSON, ORIGIN, serving
from tests.app.web.test_guard import OPEN, ROUTES

STRANGER = {"Host": ORIGIN[7:], "Origin": ORIGIN}
LESSON, EXERCISE = "/api/lessons/every-kind", "/api/lessons/every-kind/changes/window"
OPENED = {
    "GET /lessons", "GET /lessons/{name}", "GET /lessons/{name}/handout", "GET /api/lessons", "GET /api/lessons/{name}",
    "GET /api/lessons/{name}/revision", "POST /api/lessons/{name}/changes/{step}", "POST /api/lessons/{name}/result",
    "GET /api/playground/{op}", "POST /api/playground",
}  # fmt: skip
REVERSE = {"op": "stablehlo.reverse", "operands": [], "fields": {}}


def _status(client: TestClient, method: str, path: str, **more: Any) -> int:
    found: int = client.request(method, path, headers=STRANGER, **more).status_code
    return found


def test_a_stranger_plays_a_lesson_and_does_nothing_else(tmp_path: Path) -> None:
    with serving(tmp_path, lesson=EVERY_KIND, signed_in=False, open_lessons=1) as client:
        assert _status(client, "GET", "/lessons") == 200
        page = client.get("/lessons/every-kind", headers=STRANGER)
        assert (page.status_code, '"signedIn": false' in page.text.replace("&#34;", '"')) == (200, True)
        assert _status(client, "GET", "/lessons/every-kind/handout") == 200
        lesson: JSON = client.get(LESSON, headers=STRANGER).json()
        # What the page of the lesson reads, by its read-only link.
        session = lesson["session"]
        assert _status(client, "GET", f"/api/sessions/{session}") == 200
        assert _status(client, "DELETE", f"/api/sessions/{session}") == 403
        change = next(block for block in lesson["steps"][0]["blocks"] if block["kind"] == "change")
        solved = change["text"].replace("dense<0.3>", "dense<2.0>")
        judged = client.post(EXERCISE, json={"text": solved}, headers=STRANGER)
        assert (judged.status_code, judged.json()["passed"]) == (200, True)
        assert _status(client, "GET", "/api/playground/stablehlo.reverse") == 200
        assert _status(client, "POST", "/api/playground", json=REVERSE) in (200, 422)
        large = client.post(EXERCISE, json={"text": "/" * 8_500_000}, headers=STRANGER)
        assert (large.status_code, large.json()["error"]["limit"]) == (413, "copy_program_bytes")
        # No program of one's own, no session, no room, no run, no other page.
        for method, path, body in (
            ("POST", "/api/sessions", {"text": solved}), ("POST", "/api/try", {"text": solved}),
            ("POST", "/api/check", {"text": solved}), ("POST", "/api/rooms", {"lesson": "every-kind"}),
            ("POST", f"{LESSON}/revision", {}), ("PUT", LESSON, {}), ("DELETE", LESSON, None),
            ("GET", "/", None), ("GET", "/ops", None), ("GET", "/-/settings", None), ("GET", "/playground", None),
            ("GET", "/api/lessons/x/../../sessions", None), ("GET", "/lessons/every-kind/handout/more", None),
        ):  # fmt: skip
            assert _status(client, method, path, json=body) == 401, path
        closed = sorted(
            ROUTES - OPENED - {f"GET {path}" for path in OPEN} - {f"POST {path}" for path in OPEN}
        )
        for route in closed:
            method, path = route.split()
            if method == "WS" or path.startswith(("/static", "/plugins")):
                continue
            named = path.replace("{session}", "x").replace("{room}", "x").replace("{key}", "x")
            assert _status(client, method, named) == 401, route


def test_lessons_are_closed_unless_the_operator_opens_them(tmp_path: Path) -> None:
    with serving(tmp_path, lesson=EVERY_KIND, signed_in=False) as client:
        for path in ("/lessons", "/lessons/every-kind", LESSON, "/api/playground/gather"):
            assert _status(client, "GET", path) == 401
        assert _status(client, "POST", EXERCISE, json={"text": ""}) == 401


def test_visitors_have_turns() -> None:
    turns = Visitors()
    refused: list[int] = []

    def run(*addresses: str) -> None:
        """Runs of these addresses at the same time."""
        copy_context().run(nest, *addresses)

    def nest(*addresses: str) -> None:
        act_for(Principal(f"network {addresses[0]}"))
        try:
            with turns.turn(addresses[0]):
                if addresses[1:]:
                    nest(*addresses[1:])
        except ApiError as error:
            refused.append(error.status)

    of_one, left = visitors.OF_ONE_NETWORK, visitors.MOST_AT_ONCE - visitors.OF_ONE_NETWORK
    run(*["one"] * of_one, *["two"] * left)
    assert refused == []
    run(*["one"] * (of_one + 1))
    assert refused == [503]
    run(*["one"] * of_one, *["two"] * (left + 1))
    assert refused == [503, 503]
    for _ in range(visitors.BY_ADDRESS + 1):
        run("another")
    assert refused == [503, 503, 429]
    run("a third")
    assert len(refused) == 3
