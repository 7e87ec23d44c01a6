"""A worker that nobody asks for a moment returns freed memory to the system, once."""

import socket
import threading
from queue import Empty, Queue

import pytest

from hloscope.app.processes.framing import Channel
from hloscope.app.workers import worker


def test_a_worker_trims_once_after_an_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    trims: Queue[None] = Queue()
    monkeypatch.setattr(worker, "trim", lambda: trims.put(None))
    ours, theirs = socket.socketpair()
    with ours, theirs:
        session = threading.Thread(target=lambda: worker.serve(theirs))
        session.start()
        server = Channel(ours)
        for number in range(2):
            server.send({"id": number, "kind": "OpenQuestion", "key": "none", "fields": {}})
            assert server.receive()
            trims.get()
        ours.shutdown(socket.SHUT_WR)
        session.join()
    with pytest.raises(Empty):
        trims.get_nowait()
