"""Lessons over HTTP: one session for all who open one, which outlives the server, and exercises that are judged."""

from __future__ import annotations

import json
import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from tests.app.lessons.texts import ASK, EVERY_KIND, HEAD, STEP, write
from tests.app.serving import LOOP, ORIGIN, PORT, serving, settled

JSON = dict[str, Any]
STRANGER = {"Host": f"127.0.0.1:{PORT}", "Origin": ORIGIN}
SETTINGS = {"lesson": EVERY_KIND}


def _lesson(client: TestClient, name: str = "every-kind") -> JSON:
    answer = client.get(f"/api/lessons/{name}")
    assert answer.status_code == 200, answer.text
    found: JSON = answer.json()
    return found


def _stranger(client: TestClient, path: str, **more: Any) -> Any:
    """The answer to whoever has not signed in."""
    other = TestClient(client.app, base_url=ORIGIN)  # without a lifespan: the same application
    return other.request(more.pop("method", "GET"), path, headers=STRANGER, **more)


def test_the_list_says_what_there_is(client: TestClient) -> None:
    titles = {title["name"]: title for title in client.get("/api/lessons").json()}
    found = titles["every-kind"]
    assert (found["title"], found["minutes"]) == ("Every kind: a lesson of the tests", 9)
    assert found["steps"] == ["window", "loop", "processes", "mend"]


def test_a_lesson_has_a_session_with_a_run_of_each_program(client: TestClient) -> None:
    lesson = _lesson(client)
    session = lesson["session"]
    runs = [client.get(f"/api/sessions/{session}/runs/{number}").json() for number in (1, 2, 3)]
    assert ["gather" in run["text"] for run in runs] == [True, False, False]
    assert runs[2]["grid"] == {"replicas": 2, "partitions": 1}
    # An address of the lesson is that value in the recording of its run.
    ask = lesson["steps"][0]["blocks"][4]
    value = client.get(f"/api/recordings/{runs[ask['run'] - 1]['key']}/values/{ask['address']}").json()
    assert (value["type"], ask["truth"]) == ("tensor<2x1x2xf32>", "1.8000001")
    place = lesson["steps"][1]["blocks"][0]["place"]
    assert place["step"] <= runs[1]["steps"]


def test_the_runs_of_a_lesson_are_recorded_to_their_end(tmp_path: Path) -> None:
    """However little opening a run records by itself, and though each takes longer than the next takes to be opened."""
    looks = "".join(f"::look program=loop{n} at=start\n" for n in range(1, 5))
    lesson = write(tmp_path / "texts", STEP + looks, FOUR_LOOPS)
    (tmp_path / "texts" / "loop.mlir").write_text(LOOP)
    with serving(tmp_path / "data", lesson=lesson, record_first_steps=1) as client:
        session = _lesson(client, "roots")["session"]
        for number in (1, 2, 3, 4):
            state = settled(client, session, number)["state"]
            assert state["kind"] == "done", state["reason"]


FOUR_LOOPS = HEAD.replace(
    "  roots: {file: roots.mlir, inputs: [iota]}\n",
    "".join(f"  loop{n}: {{file: loop.mlir, inputs: [{n}]}}\n" for n in range(1, 5)),
)


@pytest.mark.more
def test_all_who_open_a_lesson_at_once_read_one_session(tmp_path: Path) -> None:
    with serving(tmp_path, lesson=EVERY_KIND) as client, ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: _lesson(client), range(8)))
        assert len({lesson["session"] for lesson in found}) == 1
        sessions = client.app.app.state.sessions  # type: ignore[attr-defined]
        assert _count_sessions(sessions._store) == 1


def _count_sessions(store: Any) -> int:
    with store._database.read_transaction() as connection:
        return int(connection.exec_driver_sql("select count(*) from sessions").scalar_one())


def test_who_has_the_link_reads_the_recording_and_nothing_else(client: TestClient) -> None:
    lesson = _lesson(client)
    session = lesson["session"]
    assert _stranger(client, f"/api/sessions/{session}").status_code == 200
    for path in ("/api/lessons", "/api/lessons/every-kind", "/lessons", "/lessons/every-kind"):
        assert _stranger(client, path).status_code == 401
    change = {"method": "POST", "json": {"text": "x"}}
    assert _stranger(client, "/api/lessons/every-kind/changes/window", **change).status_code == 401
    assert client.put(f"/api/sessions/{session}/draft", json={"text": "x"}).status_code == 403


@pytest.mark.more
def test_the_link_is_the_same_after_a_restart_and_made_anew_where_it_was_lost(tmp_path: Path) -> None:
    with serving(tmp_path, lesson=EVERY_KIND) as client:
        first = _lesson(client)["session"]
        assert _lesson(client)["session"] == first
    with serving(tmp_path, lesson=EVERY_KIND) as client:
        assert _lesson(client)["session"] == first
        assert client.get(f"/api/sessions/{first}/runs/2").status_code == 200
    with serving(tmp_path / "other", lesson=EVERY_KIND) as client:
        assert client.get(f"/api/sessions/{first}").status_code == 404
        again = _lesson(client)["session"]
        assert again == first  # the same secret and the same programs
        assert client.get(f"/api/sessions/{first}/runs/3").status_code == 200


def _data(html: str) -> JSON:
    found = re.search(r'<pre hidden id="data">(.*?)</pre>', html, re.DOTALL)
    assert found
    data: JSON = json.loads(unescape(found[1]))
    return data


def test_the_page_has_the_lesson_and_its_session(client: TestClient) -> None:
    data = _data(client.get("/lessons/every-kind").text)
    assert data["lesson"]["name"] == "every-kind"
    assert data["session"] == data["lesson"]["session"]
    assert client.get("/lessons").status_code == 200
    assert client.get("/lessons/nothing").status_code == 404


def test_who_has_the_link_may_be_shown_the_lesson_beside_it(client: TestClient) -> None:
    session = _lesson(client)["session"]
    for page in ("s", "embed"):
        answer = _stranger(client, f"/{page}/{session}?lesson=every-kind")
        assert answer.status_code == 200
        assert _data(answer.text)["lesson"]["title"] == "Every kind: a lesson of the tests"
    own = client.post("/api/sessions", json={"example": "softmax"}).json()["id"]
    link = client.post(f"/api/sessions/{own}/links").json()["id"]
    assert client.get(f"/s/{link}?lesson=every-kind").status_code == 404
    assert client.get(f"/s/{session}?lesson=nothing").status_code == 404


def test_an_exercise_is_judged(client: TestClient) -> None:
    change = next(block for block in _lesson(client)["steps"][0]["blocks"] if block["kind"] == "change")
    path = "/api/lessons/every-kind/changes/window"
    before = client.post(path, json={"text": change["text"]}).json()
    assert (before["passed"], before["values"]) == (
        False,
        [{"text": "%1[1,0,0]", "value": "1.8000001", "expected": "12"}],
    )
    solved = change["text"].replace("dense<0.3>", "dense<2.0>")
    assert client.post(path, json={"text": solved}).json()["passed"] is True
    broken = client.post(path, json={"text": solved.replace("gather", "gathr")}).json()
    assert broken["passed"] is False
    assert broken["diagnostics"][0]["line"] == 4
    assert client.post("/api/lessons/every-kind/changes/loop", json={"text": ""}).status_code == 404
    assert client.post("/api/lessons/nothing/changes/loop", json={"text": ""}).status_code == 404


def test_a_text_that_is_too_long_is_refused_by_its_limit(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    sessions = client.app.app.state.sessions  # type: ignore[attr-defined]
    monkeypatch.setattr(sessions, "settings", replace(sessions.settings, max_program_bytes=1 << 10))
    text = "/" * (sessions.settings.max_program_bytes + 1)
    answer = client.post("/api/lessons/every-kind/changes/window", json={"text": text})
    assert (answer.status_code, answer.json()["error"]["limit"]) == (413, "max_program_bytes")


# A lesson that is being written.


@pytest.mark.more
def test_a_preview_follows_what_is_saved(tmp_path: Path) -> None:
    path = write(tmp_path / "own")
    with serving(tmp_path / "data", lesson=path) as client:
        first = _lesson(client, "roots")
        revision = client.get("/api/lessons/roots/revision").json()["revision"]
        assert revision == first["revision"]
        path.write_text(path.read_text().replace("What is it?", "What will it be?"))
        assert client.get("/api/lessons/roots/revision").json()["revision"] != revision
        second = _lesson(client, "roots")
        assert (second["session"], second["version"]) == (first["session"], first["version"])
        assert "What will it be?" in second["steps"][0]["blocks"][0]["html"]
        program = path.parent / "roots.mlir"
        program.write_text(program.read_text().replace("add", "multiply"))
        third = _lesson(client, "roots")
        assert third["steps"][0]["blocks"][0]["truth"] == "25"
        assert third["session"] != first["session"]


def test_a_preview_says_what_is_wrong_until_it_is_mended(tmp_path: Path) -> None:
    path = write(tmp_path / "own", STEP + ASK + "::look at=7\n")
    with serving(tmp_path / "data", lesson=path) as client:
        answer = client.get("/api/lessons/roots")
        assert (answer.status_code, answer.json()["error"]["kind"]) == (422, "lesson")
        page = client.get("/lessons/roots")
        assert page.status_code == 200
        assert "at=&#34;7&#34; is not a place in a run" in page.text
        assert set(_data(page.text)) == {"name", "revision"}
        assert client.get("/lessons").status_code == 200
        path.write_text(path.read_text().replace("at=7", "at=end"))
        assert _data(client.get("/lessons/roots").text)["lesson"]["name"] == "roots"
        path.unlink()
        assert "cannot be read" in client.get("/lessons/roots").text


def test_only_a_lesson_that_is_being_written_is_followed(client: TestClient) -> None:
    assert client.get("/api/lessons/nothing/revision").status_code == 404
    names = [title["name"] for title in client.get("/api/lessons").json() if title["name"] != "every-kind"]
    assert names
    first, second = (client.get(f"/api/lessons/{names[0]}/revision").json() for _ in range(2))
    assert first == second
    assert "revision" not in _lesson(client, names[0])
    assert "revision" in _lesson(client)
