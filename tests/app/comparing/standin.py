"""A worker that takes the verdict from the program's own text: `different algsimp multiply add`, `same`, `die`, `wait FOLDER`.

A program that waits puts an empty file into the folder, named after itself and the worker's process, and is the same once
the folder has the file `go`.

It dies of modules of dumps, unless their texts run in other processes. It imports little, for it starts often.
"""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Sequence
from pathlib import Path
from typing import cast

from hloscope.app.comparing.batch.records import Cause, Record, Verdict
from hloscope.app.processes.framing import Buffer, Channel
from hloscope.app.processes.serving import Outcome, perform_requests
from hloscope.app.wire.events import WorkerError
from hloscope.app.wire.questions import RequestMessage
from hloscope.app.xla.failures import XlaMissing


def serve(connection: socket.socket) -> None:
    """Answer as the texts say."""
    perform_requests(Channel(connection), _perform, _error_of)


def _error_of(error: Exception) -> WorkerError:
    from hloscope.app.comparing.batch.worker import error_of

    return error_of(error)


def _perform(message: RequestMessage, buffers: Sequence[Buffer]) -> Outcome:
    if message["kind"] == "ExamineModule":
        if not message["fields"]["processes"]:
            os._exit(3)
        from hloscope.app.comparing.batch.modules import ExamineModule, examine_in_worker

        return {"result": examine_in_worker(ExamineModule(**message["fields"]), buffers)}, ()
    name, (verdict, *words) = message["fields"]["name"], bytes(buffers[0]).decode().split()
    if verdict == "die":
        os._exit(3)
    if verdict == "wait":
        folder = Path(words[0])
        (folder / f"{name}-{os.getpid()}").touch()
        while not (folder / "go").exists():
            time.sleep(0.02)
        verdict = "same"
    if verdict == "missing":
        raise XlaMissing("python")
    if message["kind"] == "ReduceProgram":
        return {"result": {"issue": f"reduced {name}", "ops": ["stablehlo.add"]}}, ()
    cause = Cause("pass", *words[:3]) if verdict == "different" else None
    record = Record(name, "", cast(Verdict, verdict), f"{name} is {verdict}", "a stand-in", cause=cause)
    return {"result": {**record.as_json(), "size": len(buffers[0])}}, ()
