"""Workers of a batch, on this machine or on a Ray cluster: each performs one task at a time, and is replaced if it dies."""

import asyncio
import contextlib
import os
from asyncio import FIRST_EXCEPTION
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from ...base.errors import ApiError
from ...base.failure import Failure
from ...processes.child_process import passed_on
from ...processes.framing import Buffer, FrameError
from ...processes.worker import Worker, WorkerDied, start_in_child
from ...wire.tasks import Task

MODULE = "hloscope.app.comparing.batch.worker"
UNUSABLE = "unusable"
"""The kind of an error that every program of the batch would have."""
ATTEMPTS = 3
"""Maximum attempts at a task whose worker is lost with its machine."""
OF_COMPARISON = ("JAX_", "XLA_")
"""Prefixes of the environment variables that a worker on another machine has from this one."""
T = TypeVar("T")
R = TypeVar("R")
Request = Callable[[T], tuple[Task[R], Sequence[Buffer]]]
Take = Callable[[T, R | str, Sequence[Buffer]], None]


class Seat(Protocol):
    """A place for one worker at a time."""

    def worker(self) -> AbstractAsyncContextManager[Worker]:
        """A new worker, which ends with the `with` block."""

    async def is_lost(self) -> bool:
        """Whether a worker has ended with its machine, and not because of its task."""

    async def leave(self) -> None:
        """Called when nothing is left to do."""


@dataclass(frozen=True)
class Workers:
    """Where the tasks of a batch are performed, and how many at a time."""

    jobs: int
    cluster: str = ""
    """The address of a Ray cluster; empty: in processes of this machine."""

    @contextlib.asynccontextmanager
    async def seats(self, most: int) -> AsyncIterator[Sequence[Seat]]:
        """A seat for each worker, `most` at most."""
        count = min(self.jobs, most)
        if not self.cluster:
            yield [_Here() for _ in range(count)]
            return
        from ...workers.seats import seats_on

        given = {name: value for name, value in os.environ.items() if name.startswith(OF_COMPARISON)}
        async with seats_on(self.cluster, count, MODULE, given) as seats:
            yield seats


class _Here:
    """A seat on this machine."""

    @contextlib.asynccontextmanager
    async def worker(self) -> AsyncIterator[Worker]:
        async with start_in_child(MODULE, {**os.environ, **passed_on()}) as worker:
            yield worker

    async def is_lost(self) -> bool:
        return False

    async def leave(self) -> None:
        pass


def perform_all(
    items: Iterable[T], request: Request[T, R], workers: Workers, seconds: float | None, take: Take[T, R]
) -> None:
    """Perform the task of each item.

    `take` receives each result with its buffers, or the reason why there is none, in order of completion. `seconds`: time
    limit of a task. Raises `Failure` if no program can be compared.
    """
    if given := list(items):
        asyncio.run(_Performance(given, request, seconds, take).perform(workers))


class _Performance(Generic[T, R]):
    """The tasks that are left; whichever worker is free takes the next one."""

    def __init__(
        self, items: Sequence[T], request: Request[T, R], seconds: float | None, take: Take[T, R]
    ) -> None:
        self._waiting = deque((item, 1) for item in items)
        """Each with the number of the attempt."""
        self._request, self._seconds, self._take = request, seconds, take
        self._left = len(items)
        self._without_worker: set[asyncio.Task[None]] = set()
        """Tasks that wait for a worker to start, perhaps for free cores of the cluster, while others do the work."""

    async def perform(self, workers: Workers) -> None:
        """Perform all tasks."""
        async with workers.seats(self._left) as seats:
            tasks = [asyncio.create_task(self._work(seat)) for seat in seats]
            try:
                done, _ = await asyncio.wait(tasks, return_when=FIRST_EXCEPTION)
                for task in done:
                    if not task.cancelled():
                        task.result()
            finally:
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)

    async def _work(self, seat: Seat) -> None:
        task = asyncio.current_task()
        assert task is not None
        while self._waiting:
            self._without_worker.add(task)
            async with seat.worker() as worker:
                self._without_worker.discard(task)
                while self._waiting and worker.alive and await self._perform(worker, seat):
                    pass
        await seat.leave()

    async def _perform(self, worker: Worker, seat: Seat) -> bool:
        """Perform the next task; whether the worker can perform another one."""
        item, attempt = self._waiting.popleft()
        task, buffers = self._request(item)
        try:
            async with asyncio.timeout(self._seconds):
                self._tell(item, *await worker.perform(task, buffers))
        except ApiError as error:
            if error.kind == UNUSABLE:
                raise Failure(error.message) from None
            self._tell(item, error.message)
        except FrameError as error:
            self._tell(item, f"its files cannot be sent to a worker: {error}")
        except TimeoutError:
            self._tell(item, f"the comparison took more than {self._seconds:g} s and was stopped")
            return False
        except WorkerDied:
            if not await seat.is_lost():
                self._tell(item, "the process that compares has ended: memory may have run out")
            elif attempt < ATTEMPTS:
                self._waiting.appendleft((item, attempt + 1))
            else:
                self._tell(
                    item, f"its place on the Ray cluster was lost {attempt} times, before it had a result"
                )
        return True

    def _tell(self, item: T, result: R | str, buffers: Sequence[Buffer] = ()) -> None:
        self._take(item, result, buffers)
        self._left -= 1
        if not self._left:
            for task in self._without_worker:
                task.cancel()
