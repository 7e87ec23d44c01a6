"""Where the work of a batch runs: what `--workers` means without a cluster, and what a lost seat costs."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hloscope.app.base.cores import cores
from hloscope.app.base.errors import ApiError
from hloscope.app.base.failure import NO_CLUSTER, Failure
from hloscope.app.cli.batches import workers_of
from hloscope.app.cli.main import main, parser
from hloscope.app.comparing.batch.compare import Batch
from hloscope.app.comparing.batch.modules import ExamineModule, examine_in_worker, find_modules
from hloscope.app.comparing.batch.pool import ATTEMPTS, Workers, perform_all
from hloscope.app.comparing.batch.worker import CompareProgram, _Comparer
from hloscope.app.processes.framing import Buffer
from hloscope.app.processes.worker import WorkerDied
from hloscope.app.wire.tasks import Task
from hloscope.app.workers import cluster
from hloscope.engine.limits import DEFAULT_LIMITS
from tests.passes import folders

FULL = {"version": "2.60.0", "nodes": 3, "cpus": 24.0, "free_cpus": 6.0, "asks_token": False}


def workers(*options: str) -> Workers:
    return workers_of(parser("compare").parse_args(["compare", "--batch", "x", *options]))


@pytest.fixture
def found(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What the cluster has; empty: there is none."""
    info: dict[str, Any] = {}

    async def describe(address: str) -> Any:
        if not info:
            raise ApiError(503, "cluster", f"No Ray at '{address}'.", hint="Start one.")
        return info

    monkeypatch.setattr(cluster, "describe", describe)
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    return info


def test_a_number_of_workers_is_that_of_processes_here(found: dict[str, Any]) -> None:
    assert workers() == Workers(cores())
    assert workers("--jobs", "3") == workers("--workers", "3") == Workers(3)


def test_auto_is_a_cluster_or_this_machine(
    found: dict[str, Any], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert workers("--workers", "auto", "--jobs", "2") == Workers(2)
    assert capsys.readouterr().err == "The batch runs on this machine. No Ray at 'auto'. Start one.\n"
    monkeypatch.setenv("RAY_ADDRESS", "head:6379")
    with pytest.raises(Failure, match=r"^No Ray at 'auto'\. Start one\.$") as failure:
        workers("--workers", "auto")
    assert failure.value.code == NO_CLUSTER
    found.update(FULL)
    assert workers("--workers", "auto") == Workers(24, "auto")
    assert capsys.readouterr().err == "The batch runs on Ray 2.60.0, 3 nodes, 6 of 24 CPUs free\n"
    assert workers("--workers", "head:6379", "--jobs", "2") == Workers(2, "head:6379")


def test_a_cluster_that_cannot_be_used_is_refused(
    found: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = ["passes", "--batch", str(folders.healthy(tmp_path / "dump")), "--workers", "head:6379"]
    assert main(given) == NO_CLUSTER
    assert "No Ray at 'head:6379'. Start one." in capsys.readouterr().err
    found.update(FULL, cpus=0.0)
    assert main(given) == NO_CLUSTER
    assert "has no CPU for workers: `ray start --address=…` adds a node" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (["passes", "dump", "--workers", "auto"], "--workers is an option of --batch: remove --workers"),
        (["compare", "a.mlir", "--workers", "8"], "--workers is an option of --batch: remove --workers"),
        (
            ["passes", "--batch", "dump", "--workers", "8", "--jobs", "2"],
            "--workers 8 is the number of processes too: remove --jobs",
        ),
    ],
)
def test_wrong_options_are_refused(
    options: list[str], problem: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(options) == 2
    assert problem in capsys.readouterr().err


class Number(Task[int]):
    number: int


class _Worker:
    """A worker that answers with the number, unless its seat is lost first."""

    def __init__(self, seat: _Seat) -> None:
        self._seat, self.alive = seat, True

    async def perform(self, task: Number, buffers: Sequence[Buffer]) -> tuple[int, Sequence[Buffer]]:
        self._seat.performed.append(task.number)
        await asyncio.sleep(0)
        if task.number in self._seat.deadly:
            self.alive = False
            raise WorkerDied
        return task.number, [str(task.number).encode()]


class _Seat:
    """A seat that is lost, or whose worker dies, with some numbers; and that has room for some workers, one by one."""

    def __init__(self, *deadly: int, is_lost: bool = True, workers: int = 9) -> None:
        self.deadly, self._is_lost, self._workers = deadly, is_lost, workers
        self.performed: list[int] = []
        self.has_left = False

    @asynccontextmanager
    async def worker(self) -> AsyncIterator[Any]:
        if not self._workers:
            await asyncio.Event().wait()
        self._workers -= 1
        yield _Worker(self)

    async def is_lost(self) -> bool:
        return self._is_lost

    async def leave(self) -> None:
        self.has_left = True


class _Seats(Workers):
    """Workers on given seats."""

    @asynccontextmanager
    async def seats(self, most: int) -> AsyncIterator[Sequence[_Seat]]:
        yield self.given

    def __init__(self, *given: _Seat) -> None:
        object.__setattr__(self, "given", given)

    given: Sequence[_Seat]


def performed(*seats: _Seat, count: int = 4) -> dict[int, int | str]:
    taken: dict[int, int | str] = {}

    def take(number: int, result: int | str, buffers: Sequence[Buffer]) -> None:
        assert number not in taken
        taken[number] = result
        assert list(buffers) == ([] if isinstance(result, str) else [str(number).encode()])

    perform_all(range(count), lambda number: (Number(number), ()), _Seats(*seats), 60.0, take)
    return taken


def test_what_a_lost_seat_was_doing_is_done_at_once_by_the_next_worker() -> None:
    lost, other = _Seat(0, workers=1), _Seat()
    assert performed(lost, other) == {number: number for number in range(4)}
    assert lost.performed == [0]
    assert other.performed == [1, 0, 2, 3]
    assert other.has_left


def test_a_task_is_done_again_a_bounded_number_of_times() -> None:
    seat = _Seat(1)
    found = performed(seat)
    assert found.pop(1) == f"its place on the Ray cluster was lost {ATTEMPTS} times, before it had a result"
    assert found == {0: 0, 2: 2, 3: 3}
    assert seat.performed == [0, *[1] * ATTEMPTS, 2, 3]


def test_a_worker_that_dies_of_its_task_is_not_tried_again() -> None:
    seat = _Seat(1, is_lost=False)
    assert performed(seat)[1] == "the process that compares has ended: memory may have run out"
    assert seat.performed == [0, 1, 2, 3]


def test_a_seat_without_room_holds_nothing_up() -> None:
    assert len(performed(_Seat(workers=0), _Seat())) == 4


def test_a_module_that_is_sent_has_the_record_of_the_one_that_is_read(tmp_path: Path) -> None:
    for name in "ab":
        folders.broken(tmp_path / name)
    module = find_modules(str(tmp_path), None, DEFAULT_LIMITS)[1]
    fields: dict[str, Any] = {
        "seed": 0,
        "limits": DEFAULT_LIMITS.describe(),
        "address_space": 0,
        "processes": 0,
    }
    where = (str(tmp_path), None, 1)
    here = examine_in_worker(ExamineModule(*where, None, **fields), ())
    described = json.loads(json.dumps(asdict(module.module)))
    there = examine_in_worker(ExamineModule("elsewhere", None, 1, described, **fields), [module.packed()])
    assert here["verdict"] == "different"
    assert there == here | {"seconds": there["seconds"]}


def test_files_of_options_go_with_each_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    np.save("a.npy", np.array([1, 2], np.float32))
    np.save("b.npy", np.array([3, 4], np.float32))
    options = dict.fromkeys(("entry", "platform", "replicas", "partitions", "inputs"))
    lists = dict.fromkeys(("size", "bind", "infeed", "host_values"), ())
    options |= lists | {"seed": 0, "input": ["y=b.npy", "a.npy"]}
    batch = Batch("", tmp_path, "xla", options, DEFAULT_LIMITS, Workers(1), 1.0)
    assert list(batch.files) == ["a.npy", "b.npy"]
    text = b"func.func @main(%x: tensor<2xf32>, %y: tensor<2xf32>) -> tensor<2xf32> { return %y : tensor<2xf32> }"
    task = CompareProgram("p.mlir", options, [*batch.files], DEFAULT_LIMITS.describe(), "xla", None, 1.0)
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    with _Comparer() as comparer:
        plan = comparer._plan(task, [text, *batch.files.values()], DEFAULT_LIMITS)
    arrays = [source.specs[0].array for source in plan.inputs]
    assert [None if array is None else array.tolist() for array in arrays] == [[1, 2], [3, 4]]
