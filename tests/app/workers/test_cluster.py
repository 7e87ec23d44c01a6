"""Workers of sessions on a Ray cluster: its answers are those of this machine, and what is lost there is replayed."""

from __future__ import annotations

import hashlib
import os
import random
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path
from tempfile import gettempdir
from typing import Any

import httpx
import numpy as np
import pytest
from starlette.testclient import TestClient

from hloscope.app.cli.main import main
from hloscope.app.web.starting import NO_CLUSTER
from hloscope.app.workers import cluster
from hloscope.app.workers.place import SECRET_BYTES
from tests.app.serving import (
    ADD,
    ENDLESS,
    PATIENCE,
    TEDIOUS,
    live,
    new_session,
    run_of,
    serving,
    settled,
    until,
)
from tests.app.sessions.test_api import npz
from tests.app.workers.test_workers import heard, supervisor
from tests.ray_nodes import NODES, Nodes
from tests.server_process import free_port
from tests.server_process import serving as server_process

pytestmark = pytest.mark.cluster
KILLS = int(os.environ.get("KILLS", "6"))
"""Workers, places and nodes that are killed by the long test."""
LONG = 4_000_000
"""Enough steps that recording still runs when it first reports."""
ABOUT = "program", "outline?chunk=0", "frames?chunk=0"


@contextmanager
def on(nodes: Nodes, folder: Path, **settings: Any) -> Iterator[TestClient]:
    """A server whose workers are on the cluster, once there is a place."""
    with serving(folder, cluster=nodes.address, **settings) as client:
        until(lambda: ready(client))
        yield client


def ready(client: TestClient) -> bool:
    return bool(client.get("/-/ready").status_code == 200)


def pids(nodes: Nodes) -> set[int]:
    """The workers on the cluster."""
    return {pid for workers in nodes.places().values() for pid in workers}


def add_of_file(client: TestClient) -> tuple[str, str]:
    """A session whose run has an input from an uploaded file, and the file."""
    session = new_session(client)
    data = npz(x=np.array([1, 2, 3, 5], np.float32))
    file = client.post(f"/api/sessions/{session}/files", files={"file": ("in.npz", data)}).json()["file"]
    spec = {"kind": "file", "file": file, "array": "x"}
    made = client.post(f"/api/sessions/{session}/runs", json={"text": ADD, "inputs": [spec]})
    assert made.status_code == 200, made.text
    settled(client, session)
    return session, file


def answers(client: TestClient) -> list[bytes]:
    """Answers about a run of an endless program, and about one with a file, compared with the values of another."""
    endless = settled(client, new_session(client, ENDLESS))["key"]
    session, _ = add_of_file(client)
    key = run_of(client, session)["key"]
    values = npz(**{"%0": np.zeros(4, np.float32)})
    sent = client.post(f"/api/sessions/{session}/files", files={"file": ("v.npz", values)}).json()["file"]
    paths = [f"{endless}/{path}" for path in (*ABOUT, "values/0.s2999.0", "values/0.s2994.0")]
    paths += [f"{key}/{path}" for path in (*ABOUT, "values/0.s0.0", "values/0.s1.0")]
    found = [client.get(f"/api/recordings/{path}") for path in paths]
    found.append(client.get(f"/api/recordings/{key}/comparison", params={"with": f"values:{sent}"}))
    assert [answer.text for answer in found if answer.status_code != 200] == []
    return [answer.content for answer in found]


def test_the_cluster_answers_as_this_machine_does(nodes: Nodes, tmp_path: Path) -> None:
    settings: dict[str, Any] = {"record_first_steps": 3000, "cached_answers_bytes": 0}
    with serving(tmp_path / "local", **settings) as client:
        local = answers(client)
    with on(nodes, tmp_path / "cluster", **settings) as client:
        assert answers(client) == local
        workers = supervisor(client)._owners.values()
        assert {owner.worker.pid for owner in workers if owner.worker} == pids(nodes)

        # A killed worker, and a killed place, cost a replay and nothing else.
        session, file = add_of_file(client)
        path = f"/api/recordings/{run_of(client, session)['key']}/values/0.s1.0"
        value = client.get(path).content
        for to_kill in (pids, Nodes.places):
            before = pids(nodes)
            for pid in to_kill(nodes):
                kill(pid)
            assert until(lambda: answered(client, path)).content == value
            until(lambda before=before: not before & pids(nodes))  # type: ignore[misc]

        # A run goes on at another place where its own was killed.
        endless = new_session(client, ENDLESS)
        settled(client, endless)
        with live(client, endless) as page:
            page.send_json({"type": "record", "run": 1, "steps": LONG})
            heard(page, "recording", 5000)
            for place in nodes.places():
                kill(place)
            assert heard(page, "paused")["steps"] == 3000 + LONG

        # A place says nothing to who does not know its secret.
        [found, *_] = until(lambda: supervisor(client).cluster.places)  # type: ignore[union-attr]
        address = found._address
        assert address is not None
        with socket.create_connection((address["host"], address["port"]), PATIENCE) as stranger:
            stranger.sendall(bytes(SECRET_BYTES))
            assert stranger.recv(1) == b""

        # It has the files of its workers as long as these.
        assert until(lambda: answered(client, path))
        assert list(Path(gettempdir()).glob(f"hloscope-place-*/*/{file}"))
        assert client.delete(f"/api/sessions/{session}").status_code in (200, 204)
        until(lambda: not list(Path(gettempdir()).glob(f"hloscope-place-*/*/{file}")))
        metrics = client.get("/-/metrics").text
        assert "hloscope_places " in metrics
    until(lambda: not nodes.places())  # they end with the server


def answered(client: Any, path: str) -> httpx.Response | None:
    answer: httpx.Response = client.get(path)
    assert answer.status_code in (200, 503), answer.text
    return answer if answer.status_code == 200 else None


def test_what_is_wrong_with_a_cluster_is_said(
    nodes: Nodes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["doctor", "--set", f"cluster={nodes.address}", "--set", f"data_dir={tmp_path}"])
    [line] = [line for line in capsys.readouterr().out.splitlines() if " cluster: " in line]
    assert f"{NODES + 1} nodes" in line
    assert line.endswith("whoever reaches it runs code there")

    nowhere = f"127.0.0.1:{free_port()}"
    assert (
        main(["serve", "--workers", nowhere, "--no-browser", "--set", f"data_dir={tmp_path}"]) == NO_CLUSTER
    )
    assert f"The Ray cluster '{nowhere}' cannot be used: " in capsys.readouterr().err

    monkeypatch.setattr(cluster, "engine_build", lambda: "another")
    with serving(tmp_path, cluster=nodes.address) as client:
        text = "The node 127.0.0.1 has another version of hloscope than this server."
        until(lambda: text in client.get("/-/ready").text)


def test_a_full_cluster_refuses_as_full_places_here_do(nodes: Nodes, tmp_path: Path) -> None:
    settings = {"run_step_limit": 10**9, "run_time_limit_ms": 10**9, "record_first_steps": 100}
    with (
        on(nodes, tmp_path, place_sessions=1, request_time_limit_ms=2000, **settings) as client,
        ExitStack() as stack,
    ):
        waits = new_session(client)
        key = settled(client, waits)["key"]
        for _ in range(NODES):
            session = new_session(client, TEDIOUS)
            until(lambda session=session: run_of(client, session))  # type: ignore[misc]
            settled(client, session)
            page = stack.enter_context(live(client, session))
            page.send_json({"type": "record", "run": 1})
            heard(page, "recording", 100)
        answer = until(lambda: refused(client, f"/api/recordings/{key}/frames?chunk=0"))
        error = answer.json()["error"]
        assert (error["limit"], answer.headers["Retry-After"]) == ("max_active_sessions", "1")
        assert f"room for {NODES} sessions" in error["hint"]
        page.send_json({"type": "pause"})
        heard(page, "paused")
        until(lambda: answered(client, f"/api/recordings/{key}/frames?chunk=0"))


def refused(client: TestClient, path: str) -> Any:
    answer = client.get(path)
    return answer if answer.status_code == 503 else None


class Stepping:
    """Clients that each move in a session of their own, and read a value at each step, as fast as they can."""

    def __init__(self, client: httpx.Client, sessions: dict[str, str]) -> None:
        """`sessions`: the recording of each."""
        self._client, self._sessions = client, sessions
        self._ending = threading.Event()
        self._since = 0.0
        self._back: dict[str, float] = {}
        """When the first question of a session that was asked since then was answered."""
        self.moved = dict.fromkeys(sessions, 0)
        """The last step that was acknowledged."""
        self.digests: dict[tuple[str, int], set[str]] = {}
        self.counts = {"answers": 0, "refusals": 0}
        self.wrong: list[str] = []
        self._threads = [threading.Thread(target=self._step, args=(session,)) for session in sessions]

    def _step(self, session: str) -> None:
        generator = random.Random(session)
        while not self._ending.is_set():
            step = generator.randrange(600) * 5 + 4
            asked = time.monotonic()
            moved = self._client.put(f"/api/sessions/{session}/position", json={"run": 1, "step": step})
            value = self._client.get(f"/api/recordings/{self._sessions[session]}/values/0.s{step}.0")
            self.wrong += [
                answer.text for answer in (moved, value) if answer.status_code not in (200, 204, 503)
            ]
            if moved.status_code == 204:
                self.moved[session] = step
            if value.status_code == 200:
                self.digests.setdefault((session, step), set()).add(hashlib.sha256(value.content).hexdigest())
                if asked > self._since:
                    self._back.setdefault(session, time.monotonic())
            self.counts["answers" if value.status_code == 200 else "refusals"] += 1

    def __enter__(self) -> Stepping:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ending.set()
        for thread in self._threads:
            thread.join()

    def seconds_after(self, work: Callable[[], None]) -> float:
        """How long it takes from the beginning of some work until every session answers what is asked since then."""
        self._since, self._back = time.monotonic(), {}
        work()
        until(lambda: len(self._back) == len(self._sessions))
        return max(self._back.values()) - self._since


@pytest.mark.long
def test_nothing_acknowledged_is_lost_when_workers_places_and_nodes_are_killed(
    nodes: Nodes, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    generator = random.Random(31)
    settings = {
        "cluster": nodes.address,
        "place_sessions": 3,
        "record_first_steps": 3000,
        "cached_answers_bytes": 0,
    }
    times: dict[str, list[float]] = {"worker": [], "place": [], "node": []}
    with (
        server_process(tmp_path, settings=settings) as (server, _),
        httpx.Client(
            base_url=server.origin, headers={"Origin": server.origin}, timeout=PATIENCE,
            limits=httpx.Limits(max_connections=20),
        ) as client,
    ):  # fmt: skip
        client.get(server.url)
        until(lambda: client.get("/-/ready").status_code == 200)
        sessions = {}
        for number in range(6):
            text = ENDLESS.replace("%one", f"%one{number}")
            session = client.post("/api/sessions", json={"text": text}).json()["id"]
            sessions[session] = settled(client, session)["key"]  # type: ignore[arg-type]
        with Stepping(client, sessions) as stepping:
            stepping.seconds_after(lambda: None)
            for number in range(KILLS):
                until(lambda: f"hloscope_places {NODES}.0" in client.get("/-/metrics").text)
                kind = [*times][number % 3]
                time.sleep(generator.random())
                places = until(lambda: {pid: workers for pid, workers in nodes.places().items() if workers})
                place = generator.choice([*places])
                match kind:
                    case "worker":
                        work = partial(kill, generator.choice([*places[place]]))
                    case "place":
                        work = partial(kill, place)
                    case _:
                        work = partial(nodes.kill_node, nodes.node_of(place))
                times[kind].append(stepping.seconds_after(work))
                nodes.complete()
        assert stepping.wrong == []
        assert [found for found in stepping.digests.values() if len(found) > 1] == []
        for session, step in stepping.moved.items():
            assert client.get(f"/api/sessions/{session}").json()["position"]["step"] == step
    longest = ", ".join(f"{kind} {max(found):.1f} s" for kind, found in times.items() if found)
    record_property(
        "measured",
        f"{KILLS} workers, places and nodes killed: {stepping.counts['answers']} answers, none of them changed, "
        f"{stepping.counts['refusals']} refused; all sessions answered again within: {longest}",
    )


def kill(pid: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
