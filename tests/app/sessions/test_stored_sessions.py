"""Sessions in a list: found again without a visit, renamed, deleted for good."""

import errno
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from hloscope.app.store import Store
from tests.app.serving import ADD, ENDLESS, WRONG, live, new_session, run_of, serving, settled, until
from tests.app.workers.test_workers import supervisor, worker_of

SETTINGS = {"record_first_steps": 3000}


def titles(client: TestClient, *sessions: str) -> list[dict[str, object] | None]:
    answer = client.post("/api/sessions/titles", json={"sessions": sessions})
    assert answer.status_code == 200
    found: list[dict[str, object] | None] = answer.json()
    return found


def test_a_list_has_name_and_place_of_each_session_that_is_kept(client: TestClient) -> None:
    known, wrong = new_session(client, name="add.mlir"), new_session(client, WRONG, name="wrong.mlir")
    settled(client, known)
    place = {"run": 1, "step": 2, "path": [], "breakpoints": []}
    assert client.put(f"/api/sessions/{known}/position", json=place).status_code == 204
    assert titles(client, wrong, "nobody", known) == [
        {"name": "wrong.mlir", "step": 0, "steps": None},
        None,
        {"name": "add.mlir", "step": 2, "steps": 3},
    ]
    assert titles(client) == []


def test_a_page_that_moves_reads_nothing_from_the_store(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = new_session(client)
    settled(client, session)
    with monkeypatch.context() as patch:
        patch.delattr(Store, "session")
        for step in (1, 2):
            place = {"run": 1, "step": step, "path": [], "breakpoints": [5]}
            assert client.put(f"/api/sessions/{session}/position", json=place).status_code == 204
    info = client.get(f"/api/sessions/{session}").json()
    assert (info["position"]["step"], info["breakpoints"]) == (2, [5])


def test_a_list_does_not_visit_sessions(tmp_path: Path) -> None:
    days = [0.0]
    with closing(Store(tmp_path, ticks=lambda: days[0] * 86_400)) as store:
        store.add_session("s", "name.mlir", "draft")
        days[0] = 8
        assert store.session_titles(["s"])["s"].name == "name.mlir"
        assert store.prune(days=7, grace_days=7).set_aside == 1


def test_too_many_or_wrong_ids_are_refused(client: TestClient) -> None:
    for sessions in (["x"] * 101, ["x" * 101], [1], "x"):
        assert client.post("/api/sessions/titles", json={"sessions": sessions}).status_code == 422


def test_a_session_gets_another_name(client: TestClient) -> None:
    session = new_session(client, name="add.mlir")
    assert client.put(f"/api/sessions/{session}/name", json={"name": "my sum"}).status_code == 204
    assert client.get(f"/api/sessions/{session}").json()["name"] == "my sum"
    assert client.put(f"/api/sessions/{session}/name", json={"name": ""}).status_code == 422
    assert client.put("/api/sessions/nobody/name", json={"name": "x"}).status_code == 404


@pytest.mark.parametrize("text", [ADD, ENDLESS, WRONG])
def test_a_deleted_session_is_gone_with_all_that_it_had(client: TestClient, text: str) -> None:
    session, other = new_session(client, text), new_session(client, ADD)
    key = run_of(client, other)["key"]
    pid = worker_of(client, session) if text == ENDLESS else None
    assert client.delete(f"/api/sessions/{session}").status_code == 204
    for answer in (client.get(f"/api/sessions/{session}"), client.delete(f"/api/sessions/{session}")):
        assert answer.status_code == 404
    assert titles(client, session) == [None]
    # Another session with the same program keeps it, and its recording.
    assert run_of(client, other)["key"] == key
    if pid is not None:
        until(lambda: not _alive(pid))


def test_texts_that_no_other_run_has_are_deleted_with_the_session(tmp_path: Path) -> None:
    marked = ADD.replace("@main", "@a_secret_name")
    with serving(tmp_path) as client:
        session = new_session(client, marked)
        settled(client, session)
        assert client.delete(f"/api/sessions/{session}").status_code == 204
    with serving(tmp_path) as client:
        assert client.get(f"/api/sessions/{session}").status_code == 404


def test_a_page_of_a_deleted_session_is_told_so_when_it_saves(client: TestClient) -> None:
    session = new_session(client)
    settled(client, session)
    with live(client, session) as socket:
        assert client.delete(f"/api/sessions/{session}").status_code == 204
        socket.send_json({"type": "position", "run": 1, "step": 1, "path": [], "breakpoints": []})
        while (message := socket.receive_json())["type"] != "error":
            pass
        assert "session" in message["message"]


@pytest.mark.parametrize("is_full", [False, True])
def test_a_large_program_is_read_while_it_is_stored(
    client: TestClient, monkeypatch: pytest.MonkeyPatch, is_full: bool
) -> None:
    """A program that cannot be stored has no worker left."""
    workers, add_run = [], Store.add_run

    def add(store: Store, session: str, *given: Any) -> Any:
        workers.append(until(lambda: supervisor(client).worker_pid(session)))
        if is_full:
            raise OSError(errno.ENOSPC, "No space left on device")
        return add_run(store, session, *given)

    monkeypatch.setattr(Store, "add_run", add)
    text = ADD + "// a long comment\n" * 30_000
    answer = client.post("/api/sessions", json={"text": text})
    if is_full:
        assert (answer.status_code, answer.json()["error"]["kind"]) == (507, "storage")
        until(lambda: not _alive(workers[0]))
    else:
        session = answer.json()["id"]
        assert (settled(client, session)["steps"], worker_of(client, session)) == (3, workers[0])


def _alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state.rpartition(")")[2].split()[0] != "Z"
