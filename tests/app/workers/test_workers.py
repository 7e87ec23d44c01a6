"""Workers are killed, stuck, full and unlucky; sessions go on, each without the others noticing."""

import asyncio
import os
import signal
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from hloscope.app.base.keys import session_hash
from hloscope.app.sessions.sessions import Sessions
from hloscope.app.web.guard import Guard
from hloscope.app.workers.supervisor import Supervisor
from tests.app.serving import (
    ADD,
    ENDLESS,
    JSON,
    LOOP,
    PATIENCE,
    TEDIOUS,
    dense,
    live,
    new_session,
    run_of,
    serving,
    settled,
    slow,
    until,
)

SETTINGS = {"own_fork_server": True, "record_first_steps": 3000}


def sessions_of(client: TestClient) -> Sessions:
    guard = client.app
    assert isinstance(guard, Guard)
    assert isinstance(guard.app, FastAPI)
    found: Sessions = guard.app.state.sessions
    return found


def supervisor(client: TestClient) -> Supervisor:
    return sessions_of(client).supervisor


def worker_of(client: TestClient, session: str) -> int:
    pid = supervisor(client).worker_pid(session_hash(session))
    assert pid is not None
    return pid


def heard(socket: Any, kind: str, steps: int = 0) -> JSON:
    """The first message that says that a run is in such a state, so far."""

    def listen() -> JSON:
        while True:
            message: JSON = socket.receive_json()
            if message["type"] == "state" and message["state"]["kind"] == kind and message["steps"] >= steps:
                return message

    thread = ThreadPoolExecutor(1)
    try:
        return thread.submit(listen).result(PATIENCE)
    finally:
        thread.shutdown(wait=False)


def test_a_killed_worker_costs_a_replay_and_nothing_else(client: TestClient) -> None:
    session = new_session(client, ENDLESS)
    run = settled(client, session)
    paths = ["program", "outline?chunk=0", "frames?chunk=0", "values/0.s2999.0", "values/0.s2994.0"]
    before = [client.get(f"/api/recordings/{run['key']}/{path}") for path in paths]
    first = worker_of(client, session)
    os.kill(first, signal.SIGKILL)
    after = [client.get(f"/api/recordings/{run['key']}/{path}") for path in paths]
    assert [answer.text for answer in after if answer.status_code != 200] == []
    assert [answer.content for answer in before] == [answer.content for answer in after]
    assert worker_of(client, session) != first
    assert settled(client, session) == run


def test_a_run_goes_on_where_its_worker_was_killed(client: TestClient) -> None:
    session = new_session(client, ENDLESS)
    settled(client, session)
    with live(client, session) as socket:
        socket.send_json({"type": "record", "run": 1, "steps": 990_000})
        heard(socket, "recording", 5000)
        os.kill(worker_of(client, session), signal.SIGKILL)
        message = heard(socket, "paused")
    assert message["steps"] == 993_000


def test_an_endless_program_delays_nobody(client: TestClient) -> None:
    endless = new_session(client, TEDIOUS)
    settled(client, endless)
    with live(client, endless) as socket:
        socket.send_json({"type": "record", "run": 1})
        heard(socket, "recording", 4000)
        for _ in range(3):
            other = new_session(client)
            key = settled(client, other)["key"]
            assert client.get(f"/api/recordings/{key}/values/0.s1.0").status_code == 200
            assert client.post("/api/check", json={"text": ADD}).status_code == 200
        assert run_of(client, endless)["state"]["kind"] == "recording"
        socket.send_json({"type": "pause"})
        heard(socket, "paused")


def test_the_session_that_computes_answers_too(client: TestClient) -> None:
    session = new_session(client, TEDIOUS)
    key = settled(client, session)["key"]
    with live(client, session) as socket:
        socket.send_json({"type": "record", "run": 1})
        heard(socket, "recording", 4000)
        assert client.get(f"/api/recordings/{key}/values/0.s4.0").status_code == 200
        assert run_of(client, session)["state"]["kind"] == "recording"
        socket.send_json({"type": "pause"})
        heard(socket, "paused")


def test_two_sessions_may_make_the_same_recording(client: TestClient) -> None:
    one, other = (new_session(client, ENDLESS.replace("%one", "%uno")) for _ in range(2))
    assert settled(client, one)["key"] == settled(client, other)["key"]
    for session in (one, other):
        with live(client, session) as socket:
            assert heard(socket, "paused")["steps"] == 3000
            socket.send_json({"type": "record", "run": 1, "steps": 10})
            assert heard(socket, "paused", 3010)["steps"] == 3010


@pytest.mark.more
def test_runs_that_are_replayed_at_once_do_not_close_each_other(client: TestClient) -> None:
    session, runs = four_runs(client)
    os.kill(worker_of(client, session), signal.SIGKILL)
    with ThreadPoolExecutor(len(runs)) as pool:
        answers = pool.map(client.get, [some_value(run) for run in runs])
        assert [answer.status_code for answer in answers] == [200] * len(runs)
    for run in runs:
        assert settled(client, session, run["number"]) == run


@pytest.mark.more
def test_a_run_that_is_closed_while_it_is_replayed_loses_no_step(tmp_path: Path) -> None:
    with serving(tmp_path, recording_bytes=1) as client:
        session, runs = four_runs(client)
        os.kill(worker_of(client, session), signal.SIGKILL)
        with ThreadPoolExecutor(len(runs)) as pool:
            answers = list(pool.map(client.get, [some_value(run) for run in runs]))
        errors = [answer.json()["error"] for answer in answers if answer.status_code != 200]
        assert {(error["kind"], error["limit"]) for error in errors} <= {("limit", "recording_bytes")}
        for run in runs:
            assert client.get(some_value(run)).status_code == 200
            assert settled(client, session, run["number"]) == run


def four_runs(client: TestClient) -> tuple[str, list[JSON]]:
    """A session with twice as many runs as a worker keeps, each at its end."""
    session = new_session(client, LOOP, inputs=[dense("0")])
    runs = [settled(client, session)]
    for first in (1, 2, 3):
        more = {"text": LOOP, "inputs": [dense(str(first))]}
        assert client.post(f"/api/sessions/{session}/runs", json=more).json()["run"]["number"] == first + 1
        runs.append(settled(client, session))
    assert {run["state"]["kind"] for run in runs} == {"done"}
    return session, runs


def some_value(run: JSON) -> str:
    return f"/api/recordings/{run['key']}/values/0.s1000.0"


@pytest.mark.more
def test_an_op_that_takes_too_long_fails_by_name(tmp_path: Path) -> None:
    with serving(tmp_path, op_time_limit_ms=700, op_flops=10**15, blas_threads=1) as client:
        session = new_session(client, slow(6_500), inputs=[{"kind": "ones"}])
        run = settled(client, session)
        assert run["state"]["kind"] == "failed"
        diagnostic = run["state"]["diagnostic"]
        assert (diagnostic["line"], diagnostic["label"]) == (3, "op_time_limit_ms")
        assert run["steps"] == 1
        base = f"/api/recordings/{run['key']}"
        assert client.get(f"{base}/values/0.s0.0/window?rows=0&columns=1&at=0,0&from=0,0&size=1,1").is_success


def test_a_question_during_a_long_op_is_told_which(tmp_path: Path) -> None:
    with serving(tmp_path, request_time_limit_ms=400, op_flops=10**15, blas_threads=1) as client:
        session = new_session(client, slow(6_500), inputs=[{"kind": "ones"}])
        key = run_of(client, session)["key"]

        def problem() -> JSON:
            found: JSON = client.get(f"/api/recordings/{key}/grid").json().get("error", {})
            return found

        # The first questions may be answered before the op begins: so they must be of a kind that no cache keeps.
        found = until(lambda: p if "line 3 is still running" in (p := problem()).get("message", "") else None)
        assert found["limit"] == "request_time_limit_ms"

        with live(client, session) as socket:
            socket.send_json({"type": "pause"})
            message = heard(socket, "paused")
        assert "line 3 was stopped" in message["state"]["reason"]
        assert settled(client, session)["steps"] == 1
        assert "line 3 was stopped" in settled(client, session)["state"]["reason"]
        until(lambda: not problem())


@pytest.mark.more
def test_what_kills_its_worker_twice_is_not_tried_again(client: TestClient) -> None:
    session = new_session(client, TEDIOUS)
    key = settled(client, session)["key"]
    with live(client, session) as socket:
        socket.send_json({"type": "record", "run": 1})
        heard(socket, "recording", 4000)
        killed: set[int] = set()

        def killed_twice() -> bool:
            """At the same op: where this test is slow, a worker comes further before it dies, and is no second."""
            pid = supervisor(client).worker_pid(session_hash(session))
            status = supervisor(client).status(session_hash(session), key)
            assert status is not None
            if status.fault is None and pid is not None and pid not in killed:
                killed.add(pid)
                os.kill(pid, signal.SIGKILL)
            return status.fault is not None

        until(killed_twice)
        message = heard(socket, "failed")
    assert len(killed) >= 2
    assert "ended twice" in message["state"]["reason"]
    assert client.get(f"/api/recordings/{message['key']}/values/0.s4.0").status_code == 200


def test_a_check_that_dies_is_a_typed_error(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    owners = supervisor(client).checkers.owners
    for owner in owners:
        if owner.worker:
            os.kill(owner.worker.pid, signal.SIGKILL)
    assert client.post("/api/check", json={"text": ADD}).json()["diagnostics"] == []


def test_the_fork_server_can_be_lost(client: TestClient) -> None:
    fork_server = supervisor(client).fork_server._started()
    fork_server.kill()
    fork_server.process.wait()

    def created() -> JSON | None:
        answer = client.post("/api/sessions", json={"text": ADD})
        return answer.json() if answer.is_success else None

    session = until(created)["id"]
    assert settled(client, session)["state"]["kind"] == "done"


def test_a_fork_that_is_cancelled_leaves_no_reply_to_the_next(client: TestClient) -> None:
    async def ends_with_its_process() -> bool:
        server = supervisor(client).fork_server
        await (await server.fork(lambda event: None)).stop()  # behind those that the server starts with
        cancelled = asyncio.create_task(server.fork(lambda event: None))
        for _ in range(5):
            await asyncio.sleep(0)  # until it has sent its request
        cancelled.cancel()
        await asyncio.wait([cancelled])
        worker = await server.fork(lambda event: None)
        os.kill(worker.pid, signal.SIGKILL)
        await asyncio.wait([worker._listener], timeout=PATIENCE)
        return not worker.alive

    assert client.portal is not None
    assert client.portal.call(ends_with_its_process)


@pytest.mark.more
def test_only_so_many_sessions_have_workers(tmp_path: Path) -> None:
    with serving(tmp_path, max_active_sessions=2, record_first_steps=100) as client:
        sessions = [new_session(client, ADD.replace("%0", f"%a{n}")) for n in range(5)]
        runs = [settled(client, session) for session in sessions]
        assert len([s for s in sessions if supervisor(client).worker_pid(session_hash(s))]) <= 2
        for run in runs:  # a session that waits for its turn is told to come again
            value = f"/api/recordings/{run['key']}/values/0.s1.0"
            until(lambda value=value: client.get(value).status_code == 200)  # type: ignore[misc]


def test_idle_sessions_lose_their_worker_and_nothing_else(tmp_path: Path) -> None:
    with serving(tmp_path, session_idle_release_s=0, record_first_steps=100) as client:
        session = new_session(client, ENDLESS)
        run = settled(client, session)
        until(lambda: supervisor(client).worker_pid(session_hash(session)) is None)
        assert settled(client, session) == run


def test_workers_may_not_write_and_have_no_secrets(client: TestClient) -> None:
    session = new_session(client, ADD.replace("@main", "@confined"))
    settled(client, session)
    process = Path(f"/proc/{worker_of(client, session)}")
    if not process.exists():
        pytest.skip("this system has no /proc")
    limits = (process / "limits").read_text()
    assert "Max file size             0 " in limits
    assert "Max core file size        0 " in limits
    assert "NoNewPrivs:\t1" in (process / "status").read_text()
    assert b"HLOSCOPE" not in (process / "environ").read_bytes()


@pytest.mark.more
def test_memory_that_a_worker_may_not_have_is_a_typed_failure(tmp_path: Path) -> None:
    with serving(tmp_path, own_fork_server=True, worker_rlimit_as_bytes=700 << 20, blas_threads=1) as client:
        text = ADD.replace("tensor<4xf32>", "tensor<20000x10000xf32>")
        given = client.get(f"/api/sessions/{new_session(client, text, inputs=[{'kind': 'normal'}])}").json()
        [problem] = given["diagnostics"]
        assert (given["run"], problem["label"]) == (None, "worker_rlimit_as_bytes")

        computed = "\n".join(
            f"  %v{n} = stablehlo.sine %v{n - 1} : tensor<5000x5000xf32>" for n in range(1, 9)
        )
        text = "func.func @main(%v0: tensor<5000x5000xf32>) {\n" + computed + "\n  return\n}\n"
        run = settled(client, new_session(client, text, inputs=[{"kind": "normal"}]))
        assert run["state"]["kind"] == "failed"
        assert "memory" in run["state"]["reason"]
        assert settled(client, new_session(client))["state"]["kind"] == "done"


def test_a_step_limit_pauses_and_more_can_be_asked_for(tmp_path: Path) -> None:
    with serving(tmp_path, run_step_limit=1000) as client:
        session = new_session(client, ENDLESS)
        run = settled(client, session)
        assert (run["state"]["kind"], run["steps"]) == ("paused", 1000)
        assert "run_step_limit" in run["state"]["reason"]
        with live(client, session) as socket:
            socket.send_json({"type": "record", "run": 1})
            message = heard(socket, "paused", 1001)
        assert message["steps"] == 2000
