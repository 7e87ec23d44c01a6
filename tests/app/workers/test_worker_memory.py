"""The memory of a worker: what is freed is returned to the system once nobody asks, and a large one takes huge pages."""

import socket
import threading
from queue import Empty, Queue

import pytest

from hloscope.app.processes.framing import Channel
from hloscope.app.workers import worker
from tests.app.workers.preloaded import open_and_step


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


@pytest.mark.parametrize(("limit", "told"), [(1 << 50, [False]), (0, [False, True])])
def test_a_worker_takes_huge_pages_once_it_is_large(
    monkeypatch: pytest.MonkeyPatch, limit: int, told: list[bool]
) -> None:
    said: list[bool] = []
    monkeypatch.setattr(worker, "use_huge_pages", lambda *, on: said.append(on))
    monkeypatch.setattr(worker, "LARGE_BYTES", limit)
    open_and_step()
    assert said == told
