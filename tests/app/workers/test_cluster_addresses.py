"""What a server says of a cluster without Ray, and how its slots follow the places that there are."""

from __future__ import annotations

import pytest

from hloscope.app.base.errors import ApiError
from hloscope.app.cli.main import parser
from hloscope.app.workers import ray_driver
from hloscope.app.workers.replies import queue_error
from hloscope.app.workers.worker_slots import WorkerSlots


@pytest.mark.parametrize(
    ("given", "setting"),
    [
        ("12", "max_active_sessions=12"),
        ("auto", "cluster=auto"),
        ("ray://head:10001", "cluster=ray://head:10001"),
    ],
)
def test_workers_are_a_number_here_or_a_cluster(given: str, setting: str) -> None:
    assert parser("serve").parse_args(["serve", "--workers", given]).settings == [setting]


def test_without_ray_its_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ray_driver, "find_spec", lambda name: None)
    with pytest.raises(ray_driver._Refused) as caught:
        ray_driver._connect("auto")
    error = ray_driver._error_json(caught.value)
    assert (error["status"], error["hint"]) == (503, "pip install 'hloscope[cluster]'")


@pytest.mark.anyio
async def test_slots_follow_the_places() -> None:
    slots = WorkerSlots(4, 10, lambda: None)
    slots.resize(0)
    assert slots.full
    slots._join("first")
    slots._join("second")
    slots.resize(1)
    assert (set(slots.holders()), slots.waiting) == ({"first"}, ["second"])
    error: ApiError = queue_error(slots, 0)
    assert (error.status, error.limit) == (503, "max_active_sessions")
    assert error.hint == "The Ray cluster has room for 1 session of this server now."
    slots.resize(8)
    assert (set(slots.holders()), slots.waiting) == ({"first", "second"}, [])
    assert slots.count == 4
    slots.resize(1)  # those that have one keep it
    slots.release("first")
    assert not slots.reserve("third")
    error = queue_error(WorkerSlots(4, 10, lambda: None), 0)
    assert error.hint == "The setting max_active_sessions is 4; /-/settings lists all of them."
