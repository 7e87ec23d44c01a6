"""What one stranger takes is not taken from others: sockets, connections, workers, unsent bytes."""

import asyncio
import secrets
import socket
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from hloscope.app.answers.values import ThumbnailsQuestion
from hloscope.app.base.fair_shares import current_principal
from hloscope.app.base.keys import session_hash
from hloscope.app.processes.worker import Worker
from hloscope.app.sessions.view_links import OWN_PREFIX
from hloscope.app.workers import eviction
from hloscope.app.workers.session_worker import AT_ONCE
from tests.app.listening import Listening, listening
from tests.app.serving import (
    ADD,
    ORIGIN,
    PATIENCE,
    TEDIOUS,
    asked,
    new_session,
    run_of,
    serving,
    settled,
    until,
)

STRANGER = "127.0.0.2"
"""Another address of this machine."""


def _line(server: Listening, session: str, headers: dict[str, str] | None = None) -> Any:
    url = f"ws://127.0.0.1:{server.port}/api/sessions/{session}/live"
    return connect(url, additional_headers=headers or {"Origin": server.origin}, compression=None)


def _end_of(line: Any) -> tuple[int, str]:
    """How the server ends a socket: the code and the reason."""
    with pytest.raises(ConnectionClosed) as closed:
        deque(line, 0)
    assert closed.value.rcvd is not None
    return closed.value.rcvd.code, closed.value.rcvd.reason


def _stranger(server: Listening, stack: ExitStack) -> socket.socket:
    """A connection from another address."""
    found = socket.create_connection(("127.0.0.1", server.port), PATIENCE, source_address=(STRANGER, 0))
    return stack.enter_context(found)


def test_sockets_by_one_link_do_not_refuse_the_owner(tmp_path: Path) -> None:
    most = 12
    with listening(tmp_path, max_sockets=most) as server, server.client() as client, ExitStack() as stack:
        session = client.post("/api/sessions", json={"text": ADD}).json()["id"]
        link = client.post(f"/api/sessions/{session}/links").json()["id"]
        lines = [stack.enter_context(_line(server, link)) for _ in range(most)]
        assert all("welcome" in line.recv(PATIENCE) for line in lines)
        late = stack.enter_context(_line(server, link))
        assert _end_of(late)[0] == 4429
        own = stack.enter_context(_line(server, session, server.headers))
        assert "welcome" in own.recv(PATIENCE)
        assert _end_of(lines[-1]) == (4429, "The limit max_sockets of open pages is reached.")
        lines[0].send("?")
        while "This message is invalid" not in str(lines[0].recv(PATIENCE)):
            pass


def _slow_body(server: Listening) -> bytes:
    return server.head("POST /api/check", Content_Length="1000") + b"{"


def _silence(server: Listening) -> bytes:
    return b""


@pytest.mark.parametrize("said", [_slow_body, _silence])
def test_unfinished_requests_of_one_address_leave_others_served(
    said: Callable[[Listening], bytes], tmp_path: Path
) -> None:
    most = 20
    with listening(tmp_path, max_connections=most, receive_time_limit_ms=0) as server, ExitStack() as stack:
        for _ in range(2 * most):
            connection = _stranger(server, stack)
            connection.sendall(said(server))
        until(lambda: server.connections >= most)
        for _ in range(3):
            with server.client() as client:
                assert client.get("/api/examples").status_code == 200
                assert client.get("/-/ready").status_code == 200


@pytest.fixture
def crowded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[TestClient]:
    """A server with three workers that a run may hold for a moment while others wait; the client has the token."""
    monkeypatch.setattr(eviction, "SHARE_SECONDS", 0.1)
    with serving(tmp_path, max_active_sessions=3) as client:
        yield client


def _copy(client: TestClient) -> str:
    """A stranger's empty session, as members of a room make them."""
    identifier = OWN_PREFIX + secrets.token_urlsafe(32)
    client.app.app.state.store_thread.store.add_session(  # type: ignore[attr-defined]
        session_hash(identifier), "copy", ADD
    )
    return identifier


def test_copies_that_record_leave_a_step_of_others_answered(crowded: TestClient) -> None:
    stranger = TestClient(crowded.app, base_url=ORIGIN, headers={"Origin": ORIGIN}, client=(STRANGER, 1))
    stranger.portal = crowded.portal  # the same loop
    copies = [_copy(crowded) for _ in range(24)]

    def record(copy: str) -> int:
        inputs = [{"kind": "iota"}]
        return stranger.post(
            f"/api/sessions/{copy}/runs", json={"text": TEDIOUS, "inputs": inputs}
        ).status_code

    slots = crowded.app.app.state.sessions.supervisor.slots  # type: ignore[attr-defined]
    with ThreadPoolExecutor(len(copies)) as pool:
        started = [pool.submit(record, copy) for copy in copies]
        until(lambda: len(slots.waiting) == len(copies) - 3)
        session = new_session(crowded, ADD)
        asked(crowded, until(lambda: run_of(crowded, session)), "memory")
        held = [copy for copy in copies if session_hash(copy) in slots.holders()]
        assert 1 <= len(held) <= 3
        reasons = [reason for copy in copies if (reason := _reason(crowded, copy))]
        assert any(reason.startswith("Paused because others wait for a worker, after ") for reason in reasons)
        for copy in copies:
            assert crowded.delete(f"/api/sessions/{copy}").status_code == 204
        assert all(future.result() in (200, 404, 503) for future in started)


def _reason(client: TestClient, copy: str) -> str:
    sessions = client.app.app.state.sessions  # type: ignore[attr-defined]
    owner = sessions.supervisor._owners.get(session_hash(copy))
    return "".join(str(status.state["reason"]) for status in owner.runs.values()) if owner else ""


def test_the_answers_and_runs_of_a_greedy_reader_push_out_nobody_elses(tmp_path: Path) -> None:
    """What somebody with one session is known to ask stays known, whatever another asks and opens."""
    with serving(tmp_path, cached_answers_bytes=48_000) as client:
        modest = new_session(client, ADD)
        key = settled(client, modest)["key"]
        client.get(f"/api/recordings/{key}/thumbnails?addresses=0.s0.0")
        stranger = TestClient(client.app, base_url=ORIGIN, headers={"Origin": ORIGIN}, client=(STRANGER, 1))
        stranger.portal = client.portal
        supervisor = client.app.app.state.sessions.supervisor  # type: ignore[attr-defined]
        for number in range(4):
            copy = _copy(client)
            started = stranger.post(f"/api/sessions/{copy}/runs", json={"text": f"{ADD}// {number}"})
            assert started.status_code == 200, started.text
            run = settled(client, copy)
            for start in range(4):
                for size in range(1, 5 - start):
                    query = f"window?rows=-1&columns=0&at=0&from=0,{start}&size=1,{size}"
                    path = f"/api/recordings/{run['key']}/values/0.s0.0/{query}"
                    assert stranger.get(path).status_code == 200
        held = supervisor._answers._known
        assert {found[0] for found in held} > {key}
        assert held.size > 10_000
        assert supervisor._answers.find(key, ThumbnailsQuestion("0.s0.0")) is not None


def test_one_user_alone_keeps_recordings(crowded: TestClient) -> None:
    """The fourth session of one user waits as before: nothing is paused for it."""
    sessions = [new_session(crowded, TEDIOUS) for _ in range(3)]
    slots = crowded.app.app.state.sessions.supervisor.slots  # type: ignore[attr-defined]
    until(lambda: all(run_of(crowded, session)["state"]["kind"] == "recording" for session in sessions))
    waits = new_session(crowded, ADD)
    assert slots.waiting == [session_hash(waits)]
    assert slots.in_excess() == []
    assert all(run_of(crowded, session)["state"]["kind"] == "recording" for session in sessions)


def test_questions_by_a_link_leave_those_of_the_owner_answered(
    crowded: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = new_session(crowded, ADD)
    run = settled(crowded, session)
    link = crowded.post(f"/api/sessions/{session}/links").json()["id"]
    stranger = TestClient(crowded.app, base_url=ORIGIN, client=(STRANGER, 1))
    stranger.portal = crowded.portal
    heavy, ask = asyncio.Event(), Worker.ask

    async def slow_for_strangers(worker: Worker, key: str, question: Any) -> Any:
        if not current_principal().is_trusted:
            await heavy.wait()
        return await ask(worker, key, question)

    monkeypatch.setattr(Worker, "ask", slow_for_strangers)
    owner = crowded.app.app.state.sessions.supervisor._owners[session_hash(session)]  # type: ignore[attr-defined]
    path = f"/api/recordings/{link}.{run['key']}/provenance"
    with ThreadPoolExecutor(12) as pool:
        answers = [
            pool.submit(stranger.get, path, params={"address": "0.s1.0", "elements": "3", "more": number})
            for number in range(12)
        ]
        until(lambda: len(owner.turns._queue) == 12 - (AT_ONCE - 1))
        asked(crowded, run, "memory")
        assert len(owner.turns._queue) == 12 - (AT_ONCE - 1)
        assert crowded.portal is not None
        crowded.portal.call(heavy.set)
        assert {answer.result().status_code for answer in answers} == {200}
