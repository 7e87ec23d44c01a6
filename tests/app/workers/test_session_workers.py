"""More sessions than workers: each gets its turn, nobody loses anything, and there are never more workers."""

import os
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from signal import SIGKILL
from typing import Any
from unittest.mock import patch

import pytest
from starlette.testclient import TestClient

from hloscope.app.answers.values import SummaryQuestion
from hloscope.app.base.keys import session_hash
from hloscope.app.base.memory import Memory
from hloscope.app.base.settings import LEAST_WORKERS, WORKER_BYTES
from hloscope.app.sessions import sessions
from hloscope.app.workers import supervisor as supervisors
from hloscope.app.workers import worker_slots
from hloscope.app.workers.fork_server import ForkServer
from hloscope.app.workers.replies import queue_error
from tests.app.serving import ADD, ENDLESS, JSON, WRONG, live, new_session, run_of, serving, settled, until
from tests.app.workers.test_workers import heard, supervisor
from tests.browser.debugger_page import text_of
from tests.server_process import descendants

CHECKERS = 2
INPUT = {"kind": "dense", "text": "[1, 2, 3, 4]"}


def distinct(number: int) -> str:
    """A program that makes a recording of its own."""
    return ADD.replace("%0", f"%a{number}")


def info(client: TestClient, session: str) -> JSON:
    found: JSON = client.get(f"/api/sessions/{session}?wait=false").json()
    return found


def workers_of(client: TestClient) -> int:
    """Processes that the fork server has started and that have not ended."""
    fork_server = supervisor(client).fork_server._child
    return len(descendants(fork_server.process.pid)) if fork_server else 0


@contextmanager
def counted(client: TestClient) -> Iterator[list[int]]:
    """How many workers there were at each look, while the block runs."""
    found: list[int] = []
    ended = threading.Event()

    def look() -> None:
        while not ended.wait(0.01):
            found.append(workers_of(client))

    thread = threading.Thread(target=look)
    thread.start()
    try:
        yield found
    finally:
        ended.set()
        thread.join()


@contextmanager
def taken(folder: Path, **settings: Any) -> Iterator[tuple[TestClient, Any]]:
    """A server whose only worker records without end; the socket of its session."""
    settings = {"run_step_limit": 10**9, "run_time_limit_ms": 10**9} | settings
    with (
        patch.object(sessions, "TURN_SECONDS", 0.1),
        serving(folder, max_active_sessions=1, record_first_steps=100, **settings) as client,
    ):
        session = new_session(client, ENDLESS)
        settled(client, session)
        with live(client, session) as socket:
            socket.send_json({"type": "record", "run": 1})
            heard(socket, "recording", 100)
            yield client, socket


def answered(client: TestClient, path: str) -> Any:
    """An answer, for which a page asks again while its session is queued."""
    return until(lambda: None if (found := client.get(path)).status_code == 503 else found)


def free(socket: Any) -> None:
    """The only worker has nothing to do any more."""
    socket.send_json({"type": "pause"})
    heard(socket, "paused")


def test_as_many_sessions_have_a_worker_as_memory_has_room_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = [Memory(100 * WORKER_BYTES, 45 * WORKER_BYTES)]
    monkeypatch.setattr(supervisors, "memory", lambda: memory[0])
    with serving(tmp_path) as client:
        slots = supervisor(client).slots
        assert slots.count == 20
        memory[0] = Memory(100 * WORKER_BYTES, 10 * WORKER_BYTES)
        until(lambda: slots.count == LEAST_WORKERS)
        for number in range(LEAST_WORKERS):
            assert slots.reserve(f"session {number}")
        assert slots.full
        error = queue_error(slots, 0)
        assert (error.limit, error.hint) == (
            "max_active_sessions", "The memory of this machine has room for 8 sessions of this server now.",
        )  # fmt: skip


@pytest.mark.more
def test_many_opens_at_once_have_no_more_workers_than_there_may_be(tmp_path: Path) -> None:
    with serving(tmp_path, own_fork_server=True, max_active_sessions=3, check_workers=CHECKERS) as client:
        until(lambda: workers_of(client) == 1)  # the first checker
        with counted(client) as seen, ThreadPoolExecutor(24) as pool:
            opened = list(pool.map(lambda number: new_session(client, distinct(number)), range(24)))
            runs = list(pool.map(lambda session: settled(client, session), opened))
            answers = list(
                pool.map(lambda run: answered(client, f"/api/recordings/{run['key']}/values/0.s1.0"), runs)
            )
        assert max(seen) <= 3 + CHECKERS
        assert [run["state"]["kind"] for run in runs] == ["done"] * 24
        assert len({run["key"] for run in runs}) == 24
        assert {answer.status_code for answer in answers} == {200}
        assert len(supervisor(client).slots.holders()) <= 3


def turn(before: int, of: int) -> JSON:
    """A place in a queue in which nobody had their turn yet: nothing is known of how long that takes."""
    return {"before": before, "of": of, "seconds": None}


def test_who_waits_is_told_the_place_and_goes_on_by_itself(tmp_path: Path) -> None:
    with taken(tmp_path) as (client, recorder):
        first, second = (new_session(client, distinct(n), inputs=[INPUT]) for n in range(2))
        assert [info(client, session)["waiting"] for session in (first, second)] == [turn(0, 2), turn(1, 2)]
        waits = info(client, first)
        assert (waits["run"], waits["runs"], waits["text"]) == (None, [], distinct(0))
        with live(client, second) as socket:
            assert socket.receive_json() == {"type": "waiting", "turn": turn(1, 2)}
            free(recorder)
            said: list[JSON] = []
            while not said or said[-1]["turn"] is not None:
                said += [message for message in [socket.receive_json()] if message["type"] == "waiting"]
            assert said[-1] == {"type": "waiting", "turn": None}
            run = settled(client, second)
        assert (run["number"], run["arguments"][0]["input"]) == (1, INPUT)
        assert info(client, second)["waiting"] is None
        assert settled(client, first)["state"]["kind"] == "done"


def test_a_question_that_waits_says_for_how_many(tmp_path: Path) -> None:
    with taken(tmp_path) as (client, recorder):
        free(recorder)
        session = new_session(client, distinct(1))
        key = settled(client, session)["key"]
        recorder.send_json({"type": "record", "run": 1})
        heard(recorder, "recording", 200)
        answer = client.get(f"/api/recordings/{key}/values/0.s1.0")
        error = answer.json()["error"]
        assert (answer.status_code, error["limit"]) == (503, "max_active_sessions")
        assert "This session is the next one" in error["message"]
        free(recorder)
        found = supervisor(client)
        question = SummaryQuestion("0.s1.0")
        until(lambda: found._answers.find(key, question))  # it has waited on
        settled(client, new_session(client, distinct(2)))
        until(lambda: found.worker_pid(session_hash(session)) is None)
        assert client.get(f"/api/recordings/{key}/values/0.s1.0").status_code == 200
        assert found.worker_pid(session_hash(session)) is None  # nobody had to record it again


def _pending_answer(client: TestClient, recorder: Any) -> tuple[int, bool]:
    """The status of the answer to a question that waits for the recorder's end, and whether it waits on."""
    free(recorder)
    key = settled(client, new_session(client, distinct(1)))["key"]
    recorder.send_json({"type": "record", "run": 1})
    heard(recorder, "recording", 200)
    status = client.get(f"/api/recordings/{key}/values/0.s1.0").status_code
    return status, bool(supervisor(client)._questions._callers)


def test_a_question_is_refused_at_once_if_the_queue_is_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervisors, "QUEUED_SECONDS", 1e6)  # only the first look at the queue counts
    waiting = worker_slots.WorkerSlots.turn
    with taken(tmp_path, request_time_limit_ms=60_000) as (client, recorder):

        def turn(slots: worker_slots.WorkerSlots, session: str) -> Any:
            is_asked = supervisor(client)._questions._callers
            return {"before": 0, "of": 1, "seconds": 5} if is_asked else waiting(slots, session)

        monkeypatch.setattr(worker_slots.WorkerSlots, "turn", turn)
        assert _pending_answer(client, recorder) == (503, True)


def test_a_question_is_refused_soon_though_its_session_joins_the_queue_late(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervisors, "QUEUED_SECONDS", 0.1)
    checks: list[str] = []
    before = worker_slots.WorkerSlots.before

    def late(slots: worker_slots.WorkerSlots, session: str) -> int | None:
        checks.append(session)
        return before(slots, session) if checks.count(session) > 4 else None

    with taken(tmp_path, request_time_limit_ms=60_000) as (client, recorder):
        monkeypatch.setattr(worker_slots.WorkerSlots, "before", late)
        assert _pending_answer(client, recorder) == (503, True)


def test_a_program_with_errors_is_told_as_if_it_had_not_waited(tmp_path: Path) -> None:
    with taken(tmp_path) as (client, recorder):
        session = new_session(client, WRONG)
        assert info(client, session)["waiting"] == turn(0, 1)
        free(recorder)
        found = until(lambda: None if (it := info(client, session))["waiting"] else it)
        assert (found["run"], found["runs"], found["text"]) == (None, [], WRONG)
        assert "%nothing" in found["diagnostics"][0]["message"]
        answer = client.post(f"/api/sessions/{session}/runs", json={"text": ADD})
        assert answer.json()["run"]["state"]["kind"] in ("recording", "done")


def test_a_run_that_is_started_waits_for_its_turn(tmp_path: Path) -> None:
    with taken(tmp_path) as (client, recorder), ThreadPoolExecutor(1) as pool:
        session = new_session(client, distinct(1))
        body = {"text": distinct(2), "inputs": [INPUT]}
        starting = pool.submit(client.post, f"/api/sessions/{session}/runs", json=body)
        until(lambda: info(client, session)["waiting"])
        free(recorder)
        run = starting.result().json()["run"]
        assert (run["number"], run["text"]) == (1, distinct(2))
        assert settled(client, session)["arguments"][0]["input"] == INPUT


def test_what_is_written_meanwhile_stays(tmp_path: Path) -> None:
    with taken(tmp_path) as (client, recorder):
        session = new_session(client, distinct(1))
        client.put(f"/api/sessions/{session}/draft", json={"text": "draft"})
        free(recorder)
        assert settled(client, session)["text"] == distinct(1)
        assert info(client, session)["text"] == "draft"


def test_a_session_that_waited_is_opened_after_a_restart(tmp_path: Path) -> None:
    with taken(tmp_path) as (client, _):
        session = new_session(client, distinct(1), inputs=[INPUT])
        assert info(client, session)["waiting"] == turn(0, 1)
    with serving(tmp_path) as client:
        run = settled(client, session)
        assert (run["number"], run["state"]["kind"]) == (1, "done")
        assert run["arguments"][0]["input"] == INPUT


def test_who_closes_the_page_frees_the_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_slots, "AWAY_SECONDS", 0.5)
    with taken(tmp_path) as (client, recorder):
        gone, stays = (new_session(client, distinct(number)) for number in range(2))
        with live(client, stays):
            until(lambda: supervisor(client).slots.waiting == [session_hash(stays)])
            free(recorder)
            assert settled(client, stays)["state"]["kind"] == "done"
        assert settled(client, gone)["state"]["kind"] == "done"  # when somebody looks again


def test_continuing_waits_for_its_turn(tmp_path: Path) -> None:
    with taken(tmp_path) as (client, recorder):
        free(recorder)
        other = new_session(client, ENDLESS.replace("%one", "%uno"))
        settled(client, other)
        recorder.send_json({"type": "record", "run": 1})
        heard(recorder, "recording", 200)
        with live(client, other) as socket:
            steps = heard(socket, "paused")["steps"]
            socket.send_json({"type": "record", "run": 1, "steps": 10})
            until(lambda: supervisor(client).slots.waiting)
            free(recorder)
            assert heard(socket, "paused", steps + 1)["steps"] == steps + 10


def test_who_goes_away_while_continuing_waits_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker_slots, "AWAY_SECONDS", 0.5)
    with taken(tmp_path) as (client, recorder):
        free(recorder)
        other = new_session(client, ENDLESS.replace("%one", "%uno"))
        settled(client, other)
        recorder.send_json({"type": "record", "run": 1})
        heard(recorder, "recording", 200)
        with live(client, other) as socket:
            socket.send_json({"type": "record", "run": 1, "steps": 10})
            until(lambda: supervisor(client).slots.waiting)
        until(lambda: not supervisor(client).slots.waiting)


def test_the_first_view_of_who_lost_the_worker_needs_none(tmp_path: Path) -> None:
    with serving(tmp_path, max_active_sessions=1) as client:
        first, second = (new_session(client, distinct(number)) for number in range(2))
        keys = [settled(client, session)["key"] for session in (first, second)]
        until(lambda: supervisor(client).worker_pid(session_hash(first)) is None)
        base = f"/api/recordings/{keys[0]}"
        paths = ("program/window?chunk=0", "outline?chunk=0", "thumbnails?addresses=0.s0.0,0.s1.0,0.s2.0")
        kept = [client.get(f"{base}/{path}") for path in paths]
        assert supervisor(client).worker_pid(session_hash(first)) is None
        assert client.get(f"{base}/values/0.s1.0").status_code == 200  # has a worker again
        fresh = [client.get(f"{base}/{path}") for path in paths]
        assert [answer.json() for answer in (kept[0], kept[2])] == [
            answer.json() for answer in (fresh[0], fresh[2])
        ]
        assert (kept[1].content, kept[1].headers["X-Steps"]) == (
            fresh[1].content,
            fresh[1].headers["X-Steps"],
        )


def test_a_deadlock_is_found_again_by_another_worker(tmp_path: Path) -> None:
    with serving(tmp_path, max_active_sessions=1) as client:
        deadlocked = new_session(client, text_of("deadlock"), grid={"replicas": 1, "partitions": 4})
        path = f"/api/recordings/{settled(client, deadlocked)['key']}/grid"
        before = client.get(path).json()
        assert before["deadlock"] is not None
        settled(client, new_session(client, distinct(1)))
        until(lambda: supervisor(client).worker_pid(session_hash(deadlocked)) is None)
        assert client.get(path).json() == before


def test_a_worker_ends_soon_when_no_page_is_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hloscope.app.workers.supervisor.ABSENT_SECONDS", 0.3)
    with serving(tmp_path) as client:
        watched, left = (new_session(client, distinct(number)) for number in range(2))
        runs = [settled(client, session) for session in (watched, left)]
        with live(client, watched) as socket:
            heard(socket, "done")
            client.get(f"/api/recordings/{runs[0]['key']}/values/0.s1.0")
            until(lambda: supervisor(client).worker_pid(session_hash(left)) is None)
            assert supervisor(client).worker_pid(session_hash(watched)) is not None
        until(lambda: not supervisor(client).slots.holders())
        assert [run_of(client, session) for session in (watched, left)] == runs


def test_who_reads_by_a_link_holds_no_worker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hloscope.app.workers.supervisor.READ_SECONDS", 0.3)
    with serving(tmp_path) as client:
        session = new_session(client)
        run = settled(client, session)
        link = client.post(f"/api/sessions/{session}/links").json()["id"]
        with live(client, link) as reader:
            heard(reader, "done")
            value = f"/api/recordings/{link}.{run['key']}/values/0.s1.0"
            first = client.get(value)
            until(lambda: supervisor(client).worker_pid(session_hash(session)) is None)
            assert client.get(value).content == first.content
            assert client.get(f"/api/sessions/{link}").json()["run"]["state"]["kind"] == "done"
            assert supervisor(client).worker_pid(session_hash(session)) is None


def test_a_worker_that_cannot_be_started_takes_no_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(tmp_path, own_fork_server=True, max_active_sessions=1) as client:
        fork = ForkServer.fork

        async def fails(self: ForkServer, on_event: Any) -> Any:
            raise OSError("no more processes")

        monkeypatch.setattr(ForkServer, "fork", fails)
        assert client.post("/api/sessions", json={"text": ADD}).status_code == 500
        assert not supervisor(client).slots.holders()
        monkeypatch.setattr(ForkServer, "fork", fork)
        assert settled(client, new_session(client))["state"]["kind"] == "done"


def test_a_killed_worker_gives_its_place_back(tmp_path: Path) -> None:
    with serving(tmp_path, max_active_sessions=1) as client:
        session = new_session(client)
        settled(client, session)
        found = supervisor(client)
        pid = found.worker_pid(session_hash(session))
        assert pid is not None
        os.kill(pid, SIGKILL)
        until(lambda: not found.slots.holders())
        assert settled(client, new_session(client, distinct(1)))["state"]["kind"] == "done"
