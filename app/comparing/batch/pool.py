"""Worker processes of a batch: each performs one task after the other, and is replaced if it dies."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from typing import TypeVar

from ...base.errors import ApiError
from ...base.failure import Failure
from ...processes.child_process import passed_on
from ...processes.framing import Buffer
from ...processes.worker import Worker, WorkerDied, start_in_child
from ...wire.tasks import Task

MODULE = "hloscope.app.comparing.batch.worker"
UNUSABLE = "unusable"
"""The kind of an error that every program of the batch would have."""
T = TypeVar("T")
R = TypeVar("R")
Request = Callable[[T], tuple[Task[R], Sequence[Buffer]]]


def perform_all(
    items: Iterable[T],
    request: Request[T, R],
    jobs: int,
    seconds: float,
    take: Callable[[T, R | str], None],
) -> None:
    """Perform the task of each item in one of `jobs` workers.

    `take` receives each result, or the reason why there is none, in order of completion. Raises `Failure` if no program
    can be compared.
    """
    asyncio.run(_perform_all(iter(items), request, jobs, seconds, take))


async def _perform_all(
    items: Iterable[T],
    request: Request[T, R],
    jobs: int,
    seconds: float,
    take: Callable[[T, R | str], None],
) -> None:
    tasks = [asyncio.create_task(_work(items, request, seconds, take)) for _ in range(jobs)]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _work(
    items: Iterable[T], request: Request[T, R], seconds: float, take: Callable[[T, R | str], None]
) -> None:
    """One worker at a time, until the shared iterator of items is exhausted."""
    pending = next(iter(items), None)
    while pending is not None:
        async with _worker() as worker:
            while pending is not None and worker.alive:
                task, buffers = request(pending)
                try:
                    async with asyncio.timeout(seconds):
                        result = await worker.do(task, buffers)
                    take(pending, result)
                except ApiError as error:
                    if error.kind == UNUSABLE:
                        raise Failure(error.message) from None
                    take(pending, error.message)
                except TimeoutError:
                    take(pending, f"the comparison took more than {seconds:g} s and was stopped")
                    pending = next(iter(items), None)
                    break
                except WorkerDied:
                    take(pending, "the process that compares has ended: memory may have run out")
                pending = next(iter(items), None)


@contextlib.asynccontextmanager
async def _worker() -> AsyncIterator[Worker]:
    async with start_in_child(MODULE, {**os.environ, **passed_on()}) as worker:
        yield worker
