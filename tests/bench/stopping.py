"""The time to stop: a pause, a closed session and a cancelled recording on XLA, each in the middle of a long op.

The server and its workers run here, so that only their own time counts. Each ends when the process that computed is gone; a
pause ends when the page hears it too.
"""

from __future__ import annotations

import os
import signal
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from statistics import median

import numpy as np
from starlette.testclient import TestClient

from hloscope.app.xla.engine import XlaEngine
from tests.app.serving import live, new_session, run_of, serving, slow, until

from .measure import seconds, table
from .size import _family

ALLOWED = 0.25
"""Goal: seconds until what was cancelled has ended."""
LONG = """func.func @main(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i64>
  %one = stablehlo.constant dense<1> : tensor<i64>
  %most = stablehlo.constant dense<1000000000000> : tensor<i64>
  %i, %end = stablehlo.while(%i = %zero, %y = %x) : tensor<i64>, tensor<64x64xf32>
    cond {
      %go_on = stablehlo.compare LT, %i, %most, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %go_on : tensor<i1>
    } do {
      %next = stablehlo.add %i, %one : tensor<i64>
      %z = stablehlo.sine %y : tensor<64x64xf32>
      stablehlo.return %next, %z : tensor<i64>, tensor<64x64xf32>
    }
  return %end : tensor<64x64xf32>
}
"""
"""It takes XLA years."""
_SIZE = 6_500
"""A product of matrices of this size takes ten seconds."""
_POLL_SECONDS = 0.002


def lines(repetitions: int) -> Iterator[str]:
    """What to print."""
    measures = {
        "run paused in an op": lambda: _in_server(_paused),
        "session closed in an op": lambda: _in_server(_closed),
        "recording on XLA cancelled": _cancelled,
        "Ctrl+C, in Python": _interrupted,
    }
    found = {name: median(measure() for _ in range(repetitions)) for name, measure in measures.items()}
    yield table(["stopped", "until it has ended"], [[name, seconds(each)] for name, each in found.items()])
    yield f"goal: a cancel within {ALLOWED:g} s"


def _in_server(stop: Callable[[TestClient, str], float]) -> float:
    """The time to stop the run of a session once its product is known to take long."""
    with (
        tempfile.TemporaryDirectory() as folder,
        serving(Path(folder), request_time_limit_ms=400, op_flops=10**15, blas_threads=1) as client,
    ):
        session = new_session(client, slow(_SIZE), inputs=[{"kind": "ones"}])
        path = f"/api/recordings/{run_of(client, session)['key']}/grid"
        until(lambda: "still running" in client.get(path).json().get("error", {}).get("message", "") or None)
        return stop(client, session)


def _paused(client: TestClient, session: str) -> float:
    with live(client, session) as socket:
        begin = time.perf_counter()
        socket.send_json({"type": "pause"})
        while True:
            message = socket.receive_json()
            if message["type"] == "state" and message["state"]["kind"] == "paused":
                return time.perf_counter() - begin


def _closed(client: TestClient, session: str) -> float:
    family = _family(os.getpid())
    begin = time.perf_counter()
    assert client.delete(f"/api/sessions/{session}").status_code < 300
    return _seconds_until_one_is_gone(family, begin)


def _cancelled() -> float:
    """The time until XLA's process has ended, which records for a session."""
    with (
        tempfile.TemporaryDirectory() as folder,
        serving(Path(folder), second_engine="yes", record_first_steps=1) as client,
    ):
        session = new_session(client, LONG, inputs=[{"kind": "ones"}])
        path = f"/api/sessions/{session}"
        begun = client.post(f"{path}/runs/1/engines", json={"against": "xla", "records": True}).json()
        job = f"{path}/engines/{begun['id']}"
        until(lambda: "recording on" in client.get(job).json()["doing"] or None)
        time.sleep(1)
        family = _family(os.getpid())
        begin = time.perf_counter()
        assert client.delete(job).status_code < 300
        return _seconds_until_one_is_gone(family, begin)


def _seconds_until_one_is_gone(family: set[int], begin: float) -> float:
    while _family(os.getpid()) >= family:
        time.sleep(_POLL_SECONDS)
    return time.perf_counter() - begin


def _interrupted() -> float:
    """The time from Ctrl+C in a request that takes years to the end of XLA's process."""
    with XlaEngine() as engine:
        engine.versions()  # starts it
        sent: list[float] = []

        def interrupt() -> None:
            sent.append(time.perf_counter())
            os.kill(os.getpid(), signal.SIGINT)

        threading.Timer(1, interrupt).start()
        with suppress(KeyboardInterrupt):
            engine.run(LONG, [np.ones((64, 64), np.float32)])
        return time.perf_counter() - sent[0]
