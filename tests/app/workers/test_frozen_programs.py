"""What a worker keeps from garbage collection: what it shares with other workers, and large programs while they are open."""

import gc
import socket
from collections.abc import Iterator
from dataclasses import asdict

import pytest

from hloscope.app.base.settings import Settings
from hloscope.app.processes.framing import Channel
from hloscope.app.wire.tasks import MOST_RUNS, OpenRun
from hloscope.app.workers import worker
from tests.app.serving import ADD


@pytest.fixture
def unfrozen(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """An item for each time that collection may look at everything again."""
    found: list[int] = []
    unfreeze = gc.unfreeze
    monkeypatch.setattr(gc, "unfreeze", lambda: found.append(1))
    yield found
    unfreeze()


def open_runs(count: int) -> None:
    """A session's programs, one after the other, in a worker that has no process of its own."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        session = worker._Worker(Channel(theirs))
        for number in range(count):
            task = OpenRun(
                "", None, [], [], None, None, None, limits=asdict(Settings().limits()), blas_threads=1, goal=None,
                build="", replay=0, fault=None, resting="", links=[],
            )  # fmt: skip
            session.open(task, [ADD.replace("%0", f"%a{number}").encode()])
        assert len(session.runs) == MOST_RUNS


def test_small_programs_leave_what_workers_share_out_of_collection(unfrozen: list[int]) -> None:
    open_runs(MOST_RUNS + 2)
    assert not unfrozen


def test_a_large_program_that_was_closed_is_collected(
    unfrozen: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker, "FROZEN_PROGRAM", 1)
    open_runs(MOST_RUNS + 1)
    assert len(unfrozen) == 1
