"""Workers of sessions on a Ray cluster: its answers are those of this machine, and what is lost there is replayed."""

from __future__ import annotations

import os
import random
import re
import signal
import socket
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
from tests.app.store.places import Place
from tests.app.web.visiting import LOADED, Load, Visited, visited
from tests.app.workers.test_workers import heard, supervisor
from tests.postgresql import Cluster
from tests.ray_nodes import NODES, Nodes
from tests.server_process import free_port

pytestmark = pytest.mark.cluster
KILLS = int(os.environ.get("KILLS", "6"))
"""Workers, places, nodes and servers that each long test kills."""
LONG = 4_000_000
"""Enough steps that recording still runs when it first reports."""
ABOUT = "program", "outline?chunk=0", "frames?chunk=0"


@contextmanager
def on(nodes: Nodes, folder: Path, **settings: Any) -> Iterator[TestClient]:
    """A server whose workers are on the cluster, once there is a place."""
    with serving(folder, cluster=nodes.address, **settings) as client:
        until(lambda: ready(client))
        yield client


def ready(client: TestClient | httpx.Client) -> bool:
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
    assert line.endswith("anyone who can connect to it can run code there")

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


@pytest.mark.long
def test_nothing_acknowledged_is_lost_when_workers_places_and_nodes_are_killed(
    nodes: Nodes, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    times: dict[str, list[float]] = {"worker": [], "place": [], "node": []}
    with visited(Place(tmp_path), cluster=nodes.address, place_sessions=3, **LOADED) as at:
        until(lambda: ready(at.client))
        with Load([at]) as load:
            kill_at_random([at], nodes, times, NODES, load)
        load.check()
    record_property("measured", load.sentence(times))


@pytest.mark.long
@pytest.mark.postgresql
def test_nothing_acknowledged_is_lost_when_servers_on_one_cluster_are_killed_too(
    nodes: Nodes, tmp_path: Path, postgresql: Cluster, record_property: Callable[[str, object], None]
) -> None:
    place = Place(tmp_path, postgresql.new_database())
    times: dict[str, list[float]] = {"worker": [], "node": [], "server": []}
    nodes.renew(cpus=2)  # each server has a place that its sessions need, and one more
    with ExitStack() as stack:
        stack.callback(nodes.renew, cpus=1)
        running = [stack.enter_context(ExitStack()) for _ in range(2)]
        servers = [ends.enter_context(visited(place, cluster=nodes.address, **LOADED)) for ends in running]

        def replace(number: int) -> None:
            running[number].close()
            servers[number] = running[number].enter_context(visited(place, cluster=nodes.address, **LOADED))

        for at in servers:
            until(lambda at=at: ready(at.client))  # type: ignore[misc]
        with Load(servers) as load:
            kill_at_random(servers, nodes, times, 4, load, replace)
        load.check()
    record_property("measured", load.sentence(times))


def kill_at_random(
    servers: list[Visited], nodes: Nodes, times: dict[str, list[float]], places: int, load: Load,
    replace: Callable[[int], None] = lambda number: None,
) -> None:  # fmt: skip
    """Kill one of each kind in turn, and note the seconds until everything is back."""
    generator = random.Random(31)
    for count in range(KILLS):
        until(lambda: sum(places_of(at.client) for at in servers) == len(nodes.places()) == places)
        load.seconds_after()
        time.sleep(generator.random())
        busy = until(lambda: {pid: workers for pid, workers in nodes.places().items() if workers})
        place, number = generator.choice([*busy]), generator.randrange(len(servers))
        works: dict[str, Callable[[], None]] = {
            "worker": partial(kill, generator.choice([*busy[place]])),
            "place": partial(kill, place),
            "node": lambda place=place: nodes.kill_node(nodes.node_of(place)),  # type: ignore[misc]
            "server": servers[number].kill,
        }
        kind = [*times][count % len(times)]
        times[kind].append(load.seconds_after(works[kind]))
        if kind == "server":
            replace(number)
        nodes.complete()


def places_of(client: httpx.Client) -> int:
    """The places of a server."""
    found = re.search(r"^hloscope_places (\d+)", client.get("/-/metrics").text, re.MULTILINE)
    return int(found[1]) if found else 0


def kill(pid: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
