"""A server that is killed, and one that is asked to end: the next one brings every session back."""

import contextlib
import os
import re
import signal
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import httpx

from hloscope.app.base.keys import session_hash
from tests.app.serving import ADD, ENDLESS, JSON, PATIENCE, until
from tests.server_process import descendants, free_port

ROOT = Path(__file__).parents[3]


@contextmanager
def server(folder: Path, port: int, *more: str) -> Iterator[tuple[subprocess.Popen[str], httpx.Client, str]]:
    """A real server in a process of its own, a client that is signed in, and what the server printed."""
    command = [sys.executable, "-m", "hloscope", "serve", *more, "--port", str(port), "--no-browser"]
    environment = {**os.environ, "HLOSCOPE_DATA_DIR": str(folder), "HLOSCOPE_RECORD_FIRST_STEPS": "2000"}
    process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        line = process.stdout.readline()
        found = re.fullmatch(r"hloscope is at ((http://127\.0\.0\.1:\d+)/\?token=[\w-]+)\n", line)
        assert found, line
        with httpx.Client(base_url=found[2], headers={"Origin": found[2]}, timeout=PATIENCE) as client:
            client.get(found[1])
            yield process, client, process.stdout.readline() if more else ""
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def settled(client: httpx.Client, session: str) -> JSON:
    """The run, once it is not being recorded any more."""

    def found() -> JSON | None:
        run: JSON = client.get(f"/api/sessions/{session}").json()["run"]
        return None if run["state"]["kind"] == "recording" else run

    return until(found)


def test_sessions_come_back_where_they_were(tmp_path: Path) -> None:
    """A server that is told to end, and one that is killed while eight clients move as fast as they can."""
    program = tmp_path / "add.mlir"
    program.write_text(ADD)
    port = free_port()
    with server(tmp_path / "data", port, str(program)) as (process, client, printed):
        found = re.fullmatch(r"add\.mlir is at http://127\.0\.0\.1:\d+/s/([\w-]+)\?token=[\w-]+\n", printed)
        assert found
        assert client.get(f"/api/sessions/{found[1]}").json()["text"] == ADD
        endless = client.post("/api/sessions", json={"text": ENDLESS, "name": "endless.mlir"}).json()["id"]
        inputs = [{"kind": "normal", "seed": 7}]
        short = client.post("/api/sessions", json={"text": ADD, "inputs": inputs}).json()["id"]
        run, _ = (settled(client, session) for session in (endless, short))
        position = {"run": 1, "step": 1234, "path": [[0, 0], [5, 246]], "breakpoints": [7, 9]}
        client.put(f"/api/sessions/{short}/draft", json={"text": "a draft"})
        numbers = client.get(f"/api/recordings/{run['key']}/values/0.s1234.0").content
        before = [client.get(f"/api/sessions/{session}").json() for session in (endless, short)]
        before[0] |= {"position": {"step": 1234, "path": position["path"]}, "breakpoints": [7, 9]}
        sessions = [client.post("/api/sessions", json={"text": ADD}).json()["id"] for _ in range(8)]
        assert client.put(f"/api/sessions/{endless}/position", json=position).status_code == 204
        _end(process, signal.SIGTERM)

    def come_back(again: httpx.Client) -> None:
        # The page that is still open asks for values first, with the cookie that it has.
        again.cookies = client.cookies
        assert again.get(f"/api/recordings/{run['key']}/values/0.s1234.0").content == numbers
        after = [again.get(f"/api/sessions/{session}").json() for session in (endless, short)]
        for old, new in zip(before, after, strict=True):
            for field in ("text", "position", "breakpoints", "runs", "name"):
                assert new[field] == old[field]
            assert new["run"]["key"] == old["run"]["key"]
            assert new["run"]["steps"] == old["run"]["steps"]
        assert after[0]["position"] == {"step": 1234, "path": [[0, 0], [5, 246]]}
        assert after[1]["text"] == "a draft"

    with server(tmp_path / "data", port) as (process, again, _):
        come_back(again)
        acknowledged = _killed_while_they_move(process, again, sessions)
    with closing(sqlite3.connect(tmp_path / "data" / "hloscope.sqlite")) as store:
        kept = dict(store.execute("SELECT id_hash, step FROM sessions").fetchall())
    for session, step in acknowledged.items():
        assert kept[session] in (step, step + 1)  # or the one whose answer never came
    with server(tmp_path / "data", port) as (_, again, _):
        come_back(again)


def _end(process: subprocess.Popen[str], ending: signal.Signals) -> None:
    workers = descendants(process.pid)
    process.send_signal(ending)
    process.wait(PATIENCE)
    until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in workers))  # none outlives its server


def _killed_while_they_move(
    process: subprocess.Popen[str], client: httpx.Client, sessions: Sequence[str]
) -> dict[str, int]:
    """The last step of each session that the server has acknowledged."""
    acknowledged: dict[str, int] = {}

    def move(session: str) -> None:
        with contextlib.suppress(httpx.HTTPError):
            for step in range(1, 1_000_000):
                path = f"/api/sessions/{session}/position"
                assert client.put(path, json={"run": 1, "step": step}).status_code == 204
                acknowledged[session_hash(session)] = step

    movers = [threading.Thread(target=move, args=(session,)) for session in sessions]
    for mover in movers:
        mover.start()
    until(lambda: len(acknowledged) == len(sessions) and min(acknowledged.values()) > 20)
    _end(process, signal.SIGKILL)
    for mover in movers:
        mover.join()
    return acknowledged
