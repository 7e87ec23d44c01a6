"""Rooms: a teacher leads, a class follows, breaks away, answers; and what each may do."""

from __future__ import annotations

import html
import json
import re
from contextlib import ExitStack
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from hloscope.app.classroom import state
from hloscope.app.web.api import room_live_routes
from tests.app.classroom.classroom import (
    NUMBER,
    SIGNED_IN,
    STRANGER,
    TARGET,
    Line,
    Room,
    open_room,
)
from tests.app.serving import ADD, JSON, serving, settled, until

POSITION = {
    "run": 1, "step": 2, "process": 0, "tab": "index", "value": 1, "path": [], "element": [2], "line": None,
}  # fmt: skip
SETTINGS = {"max_rooms": 1000, "signed_in": False}


@pytest.fixture
def room(client: TestClient) -> Room:
    return open_room(client)


def test_a_class_follows_its_teacher(room: Room) -> None:
    with room.teacher() as teacher, room.line() as student:
        assert (teacher.you["role"], student.you["role"]) == ("owner", "member")
        assert student.room["title"] == "a.mlir"
        assert student.room["code"] == room.told["code"]
        teacher.say("state", position=POSITION, lesson_step="clamped")
        assert student.until(lesson_step="clamped")["position"] == POSITION
        teacher.say("pointer", at={"panel": "tensor", "x": 0.25, "y": 1})
        assert student.hear("pointer") == {
            "type": "pointer", "at": {"panel": "tensor", "x": 0.25, "y": 1}, "by": "teacher",
        }  # fmt: skip
        # Who comes later is told where the class is.
        with room.line() as late:
            assert late.room["position"] == POSITION
            assert late.you["name"] != student.you["name"]


def test_the_session_of_a_room_is_read_by_a_link_without_the_token(room: Room) -> None:
    found = room.ask("GET", "").json()
    assert found["session"].startswith("view-")
    read = room.client.get(f"/api/sessions/{found['session']}", headers=STRANGER).json()
    assert read["read_only"]
    page = room.client.get(f"/room/{room.id}", headers=STRANGER)
    assert page.status_code == 200
    assert found["session"] in page.text
    assert room.told["owner"] not in page.text
    assert room.client.get(f"/api/sessions/{room.session}", headers=STRANGER).status_code == 401
    picture = room.ask("GET", "/qr.svg")
    assert picture.headers["content-type"] == "image/svg+xml"
    assert picture.text.startswith("<svg")


def test_codes_lead_to_rooms(room: Room) -> None:
    code = room.told["code"]
    typed = f" {code[:4].lower()}-{code[4:]} "
    joined = room.client.post("/api/rooms/join", json={"code": typed}, headers=STRANGER)
    assert (joined.status_code, joined.json()["id"]) == (200, room.id)
    assert room.client.get(f"/j/{code}", headers=STRANGER).headers["location"] == f"/room/{room.id}"
    page = room.client.get("/join?code=CCCCCCCC", headers=STRANGER | {"Accept": "text/html"})
    assert page.status_code == 404
    assert "No room has this code" in page.text
    french = STRANGER | {"Accept": "text/html", "Accept-Language": "fr-CH, en;q=0.5"}
    assert "Aucune salle n'a ce code" in html.unescape(
        room.client.get("/join?code=CCCCCCCC", headers=french).text
    )
    german = room.client.get("/join", headers=STRANGER | {"Accept": "text/html", "Accept-Language": "de"})
    assert '<main id="main" tabindex="-1" lang="de">' in german.text
    assert "Der Klasse beitreten" in german.text


def test_a_room_without_a_lesson_speaks_the_language_of_the_browser(room: Room) -> None:
    german, english = (
        room.client.get(f"/room/{room.id}", headers=STRANGER | {"Accept-Language": language}).text
        for language in ("de-AT, en;q=0.5", "en, de;q=0.5")
    )
    # The second is a word of lessons, which the field for an answer has too.
    for word in ("Raum abschlie", "Geh zu der Stelle"):
        assert (word in german, word in english) == (True, False)


def test_members_keep_their_names_and_words(room: Room) -> None:
    with room.teacher() as teacher:
        with room.line() as student:
            name, secret = student.you["name"], student.you["member"]
            student.say("hand", up=True)
            student.say("lost", lost=True)
            student.say("progress", lesson_step="clamped", right=True)
            student.say("where", following=False, position=POSITION, lesson_step="clamped", own=True)
            seen = wait_for(teacher, lambda told: told["counts"]["own"] == 1)
            assert seen["counts"] == {
                "members": 1, "following": 0, "lost": 1, "hand": 1, "away": 0, "own": 1, "uncounted": 0,
            }  # fmt: skip
            [member] = seen["members"]
            assert (member["name"], member["answers"], member["idle"]) == (name, {"clamped": True}, 0)
            assert member["position"] == {**state.position_at(1), **POSITION}
            assert seen["progress"] == [{"lesson_step": "clamped", "here": 1, "right": 1, "wrong": 0}]
        with room.line(member=secret) as again:
            assert (again.you["name"], again.you["hand"], again.you["lost"]) == (name, True, True)
            teacher.say("hand", up=False, member=name)
            assert again.hear("hand") == {"type": "hand", "up": False}
        with room.line(member="x" * 32) as other:
            assert other.you["name"] != name
            assert other.you["member"] != "x" * 32


def wait_for(line: Line, condition: Any) -> JSON:
    while not condition(told := line.hear("class")):
        pass
    return told


def test_the_chalk_is_lent_and_taken_back(room: Room) -> None:
    with room.teacher() as teacher, room.line() as ana, room.line() as ben:
        teacher.say("chalk", to=ana.you["name"])
        ben.until(chalk=ana.you["name"])
        ana.say("state", position=POSITION)
        assert ben.until(position=POSITION)["chalk"] == ana.you["name"]
        assert teacher.refused("state", position=POSITION)["kind"] == "chalk"
        assert ben.refused("chalk", to=None)["kind"] == "role"
        assert ana.refused("chalk", to=ben.you["name"])["kind"] == "role"
        ana.say("chalk", to=None)
        ben.until(chalk=None)
        assert ana.refused("state", position=POSITION)["kind"] == "role"
        assert teacher.refused("chalk", to="nobody 9")["kind"] == "member"


def test_a_poll_is_answered_and_revealed_from_the_recording(room: Room) -> None:
    settled_run(room)
    with ExitStack() as stack:
        teacher = stack.enter_context(room.teacher())
        students = [stack.enter_context(room.line()) for _ in range(6)]
        teacher.say("poll", poll=NUMBER)
        poll = students[0].until()["poll"] or students[0].until()["poll"]
        assert (poll["open"], poll["revealed"], poll["target"]) == (True, False, TARGET)
        typed = ["18", "18.0", "8", " 1.8e1 ", "nan", "8"]
        for student, value in zip(students, typed, strict=True):
            student.say("answer", poll=poll["id"], value=value)
            assert student.hear("answered")["poll"] == poll["id"]
        teacher.say("reveal_poll")
        told = students[0].hear("results")
        assert told["count"] == 6
        assert told["truth"] == {
            "shown": "18", "number_kind": "float", "digits": 15, "options": [], "cells": [], "right": 3,
        }  # fmt: skip
        assert told["histogram"] == {
            "bins": [
                {"label": "8", "count": 2, "right": False},
                {"label": "18", "count": 3, "right": True},
                {"label": "NaN", "count": 1, "right": False},
            ],
            "other": 0,
        }
        error = students[1].refused("answer", poll=poll["id"], value="18")
        assert "closed" in error["message"]
        # Who comes later sees the same.
        late = stack.enter_context(room.line())
        assert late.hear("results") == told
        teacher.say("discard_poll")
        late.until(poll=None)


REPEATED = """\
func.func @main() -> tensor<2x2xi32> {
  %x = stablehlo.constant dense<[1, 2, 3, 400]> : tensor<4xi32>
  %0 = stablehlo.add %x, %x : tensor<4xi32>
  %1 = stablehlo.negate %0 : tensor<4xi32>
  %2 = stablehlo.reshape %0 : (tensor<4xi32>) -> tensor<2x2xi32>
  %3 = stablehlo.clamp %1, %1, %1 : tensor<4xi32>
  return %2 : tensor<2x2xi32>
}
"""
POLLS: list[tuple[JSON, list[str] | None]] = [
    ({"element": [3]}, ["0.s1.0", "0.s3.0"]),  # 800
    ({"element": [0]}, ["0.s1.0", "0.s3.0"]),  # 2, which is common
    ({"address": "0.s2.0", "element": [3]}, ["0.s2.0", "0.s4.0"]),
    ({"element": None}, None),
]


@pytest.mark.parametrize(("target", "covered"), POLLS)
@pytest.mark.parametrize("kind", ["number", "choice", "cell"])
def test_a_poll_covers_the_values_that_repeat_what_it_asks_for(
    client: TestClient, kind: str, target: JSON, covered: list[str] | None
) -> None:
    room = open_room(client, REPEATED)
    settled_run(room)
    asked = TARGET | target
    if kind == "cell":
        read_by = {"address": asked["address"], "element": asked["element"]}
        read = "0.s0.0" if asked["address"] == "0.s1.0" else "0.s1.0"
        asked |= {"address": read, "element": None, "read_by": read_by if asked["element"] else None}
    options = ["800", "2"] if kind == "choice" else []
    if kind == "number" and covered is None:
        return  # refused
    with room.teacher() as teacher, room.line() as ana:
        poll = open_poll(teacher, ana, NUMBER | {"kind": kind, "target": asked, "options": options})
        assert poll["cover"] == (covered and {"addresses": covered, "beyond": []})


def settled_run(room: Room) -> None:
    room.client.headers.update(SIGNED_IN)
    settled(room.client, room.session)
    for name in SIGNED_IN:
        del room.client.headers[name]


def open_poll(teacher: Line, student: Line, poll: Any) -> JSON:
    """The poll, once everybody knows of it."""
    teacher.say("poll", poll=poll)
    while not student.room["poll"]:
        student.until()
    found: JSON = student.room["poll"]
    return found


def test_few_answers_are_counted_and_not_shown(room: Room) -> None:
    settled_run(room)
    with room.teacher() as teacher, room.line() as ana:
        poll = open_poll(teacher, ana, NUMBER)
        ana.say("answer", poll=poll["id"], value="3")
        ana.hear("answered")
        while (told := teacher.hear("results"))["count"] == 0:
            pass
        assert told == {"type": "results", "poll": poll["id"], "count": 1}
        # Where the class has fewer than five, they see it once it is revealed.
        teacher.say("reveal_poll")
        assert ana.hear("results")["histogram"]["bins"][0]["label"] == "3"


def test_an_element_is_clicked_on_and_a_choice_is_made(room: Room) -> None:
    settled_run(room)
    with room.teacher() as teacher, room.line() as ana:
        target = TARGET | {
            "address": "0.s0.0", "element": None, "read_by": {"address": "0.s1.0", "element": [3]},
        }  # fmt: skip
        poll = open_poll(teacher, ana, {"kind": "cell", "question": "Which is read?", "target": target})
        assert ana.refused("answer", poll=poll["id"], value=[4])["kind"] == "answer"
        ana.say("answer", poll=poll["id"], value=[3])
        ana.hear("answered")
        teacher.say("reveal_poll")
        told = ana.hear("results")
        assert told["heat"] == [{"element": [3], "count": 1}]
        assert (told["truth"]["cells"], told["truth"]["right"]) == ([[3]], 1)
        teacher.say("discard_poll")
        ana.until(poll=None)
        choice = {"kind": "choice", "question": "Which?", "options": ["9", "18"], "target": TARGET}
        poll = open_poll(teacher, ana, choice)
        ana.say("answer", poll=poll["id"], value=1)
        ana.hear("answered")
        teacher.say("reveal_poll")
        told = ana.hear("results")
        assert (told["choices"], told["truth"]["options"], told["truth"]["right"]) == ([0, 1], [1], 1)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"question": " "}, "needs a question"),
        ({"target": None}, "one element of a recorded value"),
        ({"target": TARGET | {"element": [9]}}, "no element"),
        ({"kind": "choice", "options": ["1"]}, "two options"),
        ({"options": ["1", "2"]}, "has no options"),
        ({"kind": "shape"}, "Only questions of the room's lesson"),
        ({"lesson_ask": "a.1"}, "no lesson"),
    ],
)
def test_polls_that_make_no_sense(room: Room, change: JSON, said: str) -> None:
    settled_run(room)
    with room.teacher() as teacher:
        assert said in teacher.refused("poll", poll=NUMBER | change)["message"]


LESSON = """\
---
title: Twice and squared
summary: What comes of a row of four numbers.
minutes: 5
lang: en
programs:
  squares: {file: squares.mlir, inputs: ["[1, 2, 3, 4]"]}
---
A row of four numbers.

## The third {#third}
::look at="%1" tab=tensor value="%1" element="2"

:::ask number of="%1[2]"
What will it be?
- right: It is {{ %1[2] }}.
:::

:::ask cell of="%1[2]" in="%x"
Which is read?
- right: The third.
:::

:::ask shape of="%1"
Which shape?
- right: Four.
:::

:::ask step when="%1[2] == 18"
Where is it made?
- right: Behind the sum.
:::

:::change passes="all(%1 == %x + %x + %x)" solution=squares_solved.mlir
Make it three times the row.
- right: Add.
:::
"""


def _lesson_of(client: TestClient, room: Room, headers: dict[str, str], query: str = "") -> JSON:
    """The lesson in a page of the room."""
    page = client.get(f"/room/{room.id}{query}", headers=headers).text
    found = re.search(r'<pre hidden id="data">(.*?)</pre>', page, re.DOTALL)
    assert found
    lesson: JSON = json.loads(html.unescape(found[1]))["lesson"]
    return lesson


def _write_lesson(folder: Path) -> Path:
    solved = ADD.replace("multiply", "add")
    for name, text in (("a-row.md", LESSON), ("squares.mlir", ADD), ("squares_solved.mlir", solved)):
        (folder / name).write_text(text)
    return folder / "a-row.md"


def test_a_room_has_the_language_that_its_teacher_reads(tmp_path: Path) -> None:
    lesson = _write_lesson(tmp_path)
    (tmp_path / "de").mkdir()
    (tmp_path / "de" / "a-row.md").write_text(LESSON.replace("lang: en", "lang: de"))
    with serving(tmp_path / "data", lesson=lesson, signed_in=False) as client:
        refused = client.post("/api/rooms", json={"lesson": "a-row", "language": "German"}, headers=SIGNED_IN)
        assert refused.status_code == 422
        for language, shown in ((None, "en"), ("fr", "en"), ("de", "de")):
            body = {"lesson": "a-row", "language": language}
            room = Room(client, "", client.post("/api/rooms", json=body, headers=SIGNED_IN).json())
            assert _lesson_of(client, room, STRANGER)["language"] == shown
            assert _lesson_of(client, room, STRANGER, "?screen")["language"] == shown
            assert _lesson_of(client, room, STRANGER, "?language=en")["language"] == "en"
        with room.teacher() as teacher, room.line():
            teacher.say("state", position=POSITION, lesson_step="third")  # the room is written again
    with serving(tmp_path / "data", lesson=lesson, signed_in=False) as client:
        assert _lesson_of(client, room, STRANGER)["language"] == "de"


def test_a_lesson_is_taught_in_a_room(tmp_path: Path) -> None:
    with serving(tmp_path / "data", lesson=_write_lesson(tmp_path), signed_in=False) as client:
        refused = client.post("/api/rooms", json={"lesson": "none"}, headers=SIGNED_IN)
        assert refused.status_code == 404
        begun = client.post("/api/rooms", json={"lesson": "a-row"}, headers=SIGNED_IN)
        assert begun.status_code == 201, begun.text
        room = Room(client, "", begun.json())
        page = client.get(f"/room/{room.id}", headers=STRANGER)
        assert (page.status_code, "What will it be?" in page.text) == (200, True)
        assert ["revision" in _lesson_of(client, room, headers) for headers in (STRANGER, SIGNED_IN)] == [
            False,
            True,
        ]
        with room.teacher() as teacher, room.line() as ana:
            assert (ana.room["lesson"], ana.room["title"]) == ("a-row", "Twice and squared")
            for ask, kind, answer, right in (
                ("third.1", "number", "18", "18"),
                ("third.2", "cell", [2], [[2]]),
                ("third.3", "shape", [4], "(4)"),
                ("third.4", "step", [0, 2], "step 1 or step 2"),
            ):
                poll = open_poll(teacher, ana, {"lesson_ask": ask})
                assert (poll["kind"], poll["lesson_ask"]) == (kind, ask)
                ana.say("answer", poll=poll["id"], value=answer)
                ana.hear("answered")
                teacher.say("reveal_poll")
                told = ana.hear("results")
                truth = told["truth"]
                assert (truth["right"], truth["shown"] or truth["cells"]) == (1, right)
                if kind != "cell":
                    assert [(bar["count"], bar["right"]) for bar in told["histogram"]["bins"]] == [(1, True)]
                teacher.say("discard_poll")
                ana.until(poll=None)
            for ask, wrong in (("third.3", "4"), ("third.4", [3])):
                poll = open_poll(teacher, ana, {"lesson_ask": ask})
                assert ana.refused("answer", poll=poll["id"], value=wrong)["kind"] == "answer"
                teacher.say("discard_poll")
                ana.until(poll=None)
            assert teacher.refused("poll", poll={"lesson_ask": "third.9"})["kind"] == "no_question"
            member = ana.you["member"]
            for text, passed in ((ADD.replace("multiply", "add"), True), (ADD, False)):
                judged = room.ask("POST", "/changes/third", {"text": text}, member=member)
                assert (judged.status_code, judged.json()["passed"]) == (200, passed)
            assert room.ask("POST", "/changes/fourth", {"text": ADD}, member=member).status_code == 404
            assert room.ask("POST", "/changes/third", {"text": ADD}).status_code == 403
        other = open_room(client)
        body = {"lesson": "a-row", "session": other.session}
        assert client.post("/api/rooms", json=body, headers=SIGNED_IN).status_code == 422
        assert client.post("/api/rooms", json={}, headers=SIGNED_IN).status_code == 422


def test_a_locked_room_lets_in_who_was_there(room: Room) -> None:
    with room.teacher() as teacher, room.line() as ana:
        teacher.say("settings", locked=True, paused=True)
        ana.until(locked=True, paused=True)
        assert close_code(room) == 4423
        with room.line(member=ana.you["member"]) as again:
            assert again.you["name"] == ana.you["name"]
        with room.line(screen=True) as screen:
            assert screen.you == {
                "name": "screen", "role": "screen", "member": None, "hand": False, "lost": False, "answer": None,
            }  # fmt: skip


def close_code(room: Room, *, path: str = "", say: Any = None) -> int:
    with room.client.websocket_connect(path or f"{room.path}/live", headers=STRANGER) as socket:
        socket.send_json(say or {"type": "hello"})
        message = socket.receive()
    assert message["type"] == "websocket.close"
    return int(message["code"])


def test_who_is_refused_at_the_door(room: Room) -> None:
    assert close_code(room, say={"type": "ping"}) == 4422
    assert close_code(room, say={"type": "hello", "owner": "x" * 32}) == 4403
    assert close_code(room, path=f"/api/rooms/room-{'x' * 32}/live") == 4404
    assert close_code(room, path="/api/rooms/room-1/live") == 4404


def test_a_room_that_is_over_is_gone_with_what_was_made_in_it(room: Room) -> None:
    with room.teacher() as teacher, room.line() as ana:
        made = room.ask("POST", "/copies", {}, member=ana.you["member"])
        assert made.status_code == 201, made.text
        assert room.ask("DELETE", "", member=ana.you["member"]).status_code == 403
        assert room.ask("DELETE", "", owner="x" * 32).status_code == 403
        assert room.ask("DELETE", "", owner=room.told["owner"]).status_code == 204
        for line in (teacher, ana):
            assert line.hear("ended") == {"type": "ended"}
            with pytest.raises(WebSocketDisconnect) as closed:
                line.hear("nothing")
            assert closed.value.code == 4410
    assert room.ask("GET", "").status_code == 404
    assert room.client.get(f"/api/sessions/{made.json()['id']}", headers=STRANGER).status_code == 404
    assert room.client.get(f"/j/{room.told['code']}", headers=STRANGER).status_code == 404
    assert room.client.get(f"/api/sessions/{room.session}", headers=SIGNED_IN).status_code == 200


def test_links_that_are_withdrawn_are_not_those_of_rooms(room: Room) -> None:
    path = f"/api/sessions/{room.session}/links"
    made = room.client.post(path, headers=SIGNED_IN).json()["id"]
    assert room.client.get(path, headers=SIGNED_IN).json()["links"] == 1
    assert room.client.delete(path, headers=SIGNED_IN).status_code == 204
    assert room.client.get(f"/api/sessions/{made}", headers=STRANGER).status_code == 404
    link = room.ask("GET", "").json()["session"]
    assert room.client.get(f"/api/sessions/{link}", headers=STRANGER).status_code == 200


def test_a_room_ends_with_its_session(room: Room) -> None:
    with room.teacher() as teacher, room.line() as ana:
        room.client.delete(f"/api/sessions/{room.session}", headers=SIGNED_IN)
        teacher.say("settings", paused=True)
        assert ana.hear("ended") == {"type": "ended"}
    assert room.ask("GET", "").status_code == 404


def test_members_have_copies_of_their_own_and_not_too_many(client: TestClient, room: Room) -> None:
    settled_run(room)
    with room.line() as ana, room.line() as ben:
        secret = ana.you["member"]
        changed = ADD.replace("multiply", "add")
        first = room.ask("POST", "/copies", {"run": 1, "text": changed}, member=secret).json()["id"]
        assert first.startswith("own-")
        read = client.get(f"/api/sessions/{first}", headers=STRANGER).json()
        assert (read["text"], read["read_only"]) == (changed, False)
        key = until(lambda: client.get(f"/api/sessions/{first}", headers=STRANGER).json()["run"])["key"]
        assert key.startswith(f"{first}.")
        assert client.get(f"/api/recordings/{key}/program", headers=STRANGER).status_code == 200
        for path in ("api/sessions/{}/ops/stablehlo.add", "s/{}/ops/stablehlo.add"):
            assert client.get(f"/{path.format(first)}", headers=STRANGER).status_code == 200
            assert client.get(f"/{path.format(room.session)}", headers=STRANGER).status_code == 401
        wrong = client.post(f"/api/sessions/{first}/check", json={"text": "?"}, headers=STRANGER)
        assert wrong.json()["diagnostics"]
        assert client.post("/api/check", json={"text": "?"}, headers=STRANGER).status_code == 401
        run = client.post(f"/api/sessions/{first}/runs", json={"text": ADD}, headers=STRANGER)
        assert run.status_code == 200, run.text
        assert run.json()["run"]["key"].startswith(f"{first}.")
        assert client.get(f"/s/{first}", headers=STRANGER).status_code == 200
        # The recording of another session is not read by one's own id.
        other = open_room(client, ADD.replace("add", "subtract"))
        theirs = client.get(f"/api/sessions/{other.session}", headers=SIGNED_IN).json()["run"]["key"]
        assert client.get(f"/api/recordings/{first}.{theirs}/program", headers=STRANGER).status_code == 404
        for _ in range(2):
            assert room.ask("POST", "/copies", {}, member=secret).status_code == 201
        refused = room.ask("POST", "/copies", {}, member=secret)
        assert (refused.status_code, refused.json()["error"]["limit"]) == (429, "copies_per_member")
        assert client.delete(f"/api/sessions/{first}", headers=STRANGER).status_code == 204
        assert room.ask("POST", "/copies", {}, member=secret).status_code == 201
        assert room.ask("POST", "/copies", {}, member=ben.you["member"]).status_code == 201
        assert room.ask("POST", "/copies", {}).status_code == 403


def test_a_copy_takes_no_large_program(tmp_path: Path) -> None:
    with serving(tmp_path, copy_program_bytes=400, max_body_bytes=4000, signed_in=False) as client:
        room = open_room(client)
        with room.line() as ana:
            large = ADD + "//" + "x" * 400
            refused = room.ask("POST", "/copies", {"text": large}, member=ana.you["member"])
            assert refused.json()["error"]["limit"] == "copy_program_bytes"
            own = room.ask("POST", "/copies", {}, member=ana.you["member"]).json()["id"]
        for part, body in (
            ("runs", {"text": large}),
            ("draft", {"text": large}),
            ("runs", {"text": large * 20}),
        ):
            method = "PUT" if part == "draft" else "POST"
            refused = client.request(method, f"/api/sessions/{own}/{part}", json=body, headers=STRANGER)
            assert (refused.status_code, refused.json()["error"]["limit"]) == (413, "copy_program_bytes")


def _saved(array: np.ndarray[Any, Any]) -> bytes:
    stream = BytesIO()
    np.save(stream, array)
    return stream.getvalue()


def test_what_a_copy_holds_is_bounded_and_freed_with_the_room(tmp_path: Path) -> None:
    with serving(tmp_path, copy_bytes=100_000, signed_in=False) as client:
        room = open_room(client)
        with room.line() as ana:
            own = room.ask("POST", "/copies", {}, member=ana.you["member"]).json()["id"]

        def ask(part: str, **request: Any) -> dict[str, Any]:
            answer = client.post(f"/api/sessions/{own}/{part}", headers=STRANGER, **request)
            return {"status": answer.status_code, **answer.json().get("error", {})}

        def upload(number: int) -> dict[str, Any]:
            return ask("files", files={"file": ("x.npy", _saved(np.full(7_000, number, np.float64)))})

        def run(number: int) -> dict[str, Any]:
            return ask("runs", json={"text": f"{ADD}// {number}"})

        assert upload(0)["status"] == 200
        assert (upload(1)["status"], upload(1)["limit"]) == (413, "copy_bytes")
        answers = [run(number) for number in range(4)]
        assert [answer["status"] for answer in answers] == [200, 200, 413, 413]
        assert answers[-1]["limit"] == "copy_bytes"
        assert "Delete it" in answers[-1]["hint"]
        stored = tmp_path / "inputs"
        assert len([*stored.iterdir()]) == 1
        assert room.ask("DELETE", "", owner=room.told["owner"]).status_code == 204
        assert not [*stored.iterdir()]


def test_full_rooms_and_servers_say_which_setting(tmp_path: Path) -> None:
    with serving(tmp_path, max_rooms=1, max_room_members=1, signed_in=False) as client:
        room = open_room(client)
        refused = client.post("/api/rooms", json={"session": room.session}, headers=SIGNED_IN)
        assert (refused.status_code, refused.json()["error"]["limit"]) == (429, "max_rooms")
        with room.line():
            assert close_code(room) == 4429
            with room.teacher() as teacher:
                assert teacher.you["role"] == "owner"


def test_old_rooms_are_deleted_and_old_codes_lead_nowhere(tmp_path: Path) -> None:
    with serving(tmp_path, signed_in=False) as client:
        room = open_room(client)
    with serving(tmp_path, room_code_hours=0, signed_in=False) as client:
        assert client.get(f"/j/{room.told['code']}", headers=STRANGER).status_code == 404
        assert client.get(f"/room/{room.id}", headers=STRANGER).status_code == 200
    with serving(tmp_path, room_hours=0, signed_in=False) as client:
        until(lambda: client.get(f"/room/{room.id}", headers=STRANGER).status_code == 404 or None)


def test_who_says_too_much_is_sent_away(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    """However long the server takes to hear it."""
    monkeypatch.setattr(room_live_routes, "MESSAGES_PER_SECOND", 0)
    with room.line() as ana:
        for _ in range(600):
            ana.say("ping")
        with pytest.raises(WebSocketDisconnect) as closed:
            ana.hear("nothing")
        assert closed.value.code == 4429


THINGS: tuple[JSON, ...] = (
    {"kind": "line", "line": 3, "column": 7},
    {"kind": "cell", "picture": 0, "height": 4, "width": 6, "row": 1.5, "column": 2.25},
    {"kind": "control", "tag": "button", "name": "Numbers", "nth": 0, "x": 0.5, "y": 1},
)


def test_a_pointer_tells_what_it_points_at(room: Room) -> None:
    with room.teacher() as teacher, room.line() as ana:
        for thing in THINGS:
            at = {"panel": "tensor", "x": 0, "y": 0.5, "thing": thing}
            teacher.say("pointer", at=at)
            assert ana.hear("pointer")["at"] == at
        for wrong in ({"line": -1}, {"kind": "wall"}, {"more": 1}):
            at = {"panel": "tensor", "x": 0, "y": 0.5, "thing": THINGS[0] | wrong}
            assert teacher.refused("pointer", at=at)["kind"] == "request"


def test_messages_that_make_no_sense(room: Room) -> None:
    with room.line() as ana:
        assert ana.refused("nonsense")["kind"] == "request"
        assert ana.refused("hand", up=True, more="x" * 20_000)["kind"] == "request"
        ana.socket.send_text("{")
        assert ana.hear("error")["kind"] == "request"
        ana.say("hand", up=True)
