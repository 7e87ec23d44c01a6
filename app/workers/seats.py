"""Seats of a batch on a Ray cluster: each has its own place, which runs one child process at a time."""

from __future__ import annotations

import asyncio
import contextlib
from asyncio import FIRST_COMPLETED
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any

from ..base.errors import ApiError
from ..base.failure import NO_CLUSTER, Failure
from ..base.keys import computing_versions
from ..processes.framing import FrameError
from ..processes.worker import Worker, WorkerDied
from .cluster import AGAIN_SECONDS, NoSeat, RemotePlace, driver
from .ray_driver import EndPlace, StartPlace

ATTEMPTS = 3
"""Attempts in a row to reach a place, before the cluster counts as unusable."""


@contextlib.asynccontextmanager
async def seats_on(
    address: str, count: int, module: str, environment: Mapping[str, str]
) -> AsyncIterator[list[ClusterSeat]]:
    """Seats on the cluster, whose children run `serve(connection)` of a module; all ends with the `with` block.

    Raises `Failure` if the cluster cannot be used.
    """
    hello = {"kind": "child", "module": module, "environment": dict(environment)}
    try:
        async with driver(address) as (ray, _):
            seats = [ClusterSeat(ray, number, hello) for number in range(count)]
            try:
                yield seats
            finally:
                for seat in seats:
                    seat.close()
    except ApiError as error:
        raise unusable(error) from error


def unusable(error: ApiError) -> Failure:
    """The failure of a command that cannot use the cluster."""
    return Failure(f"{error.message} {error.hint or ''}".strip(), NO_CLUSTER)


class ClusterSeat:
    """A place that Ray starts when the first worker is wanted, and starts anew, perhaps elsewhere, when it is lost."""

    def __init__(self, ray: Worker, number: int, hello: Mapping[str, Any]) -> None:
        self._ray, self._number, self._hello = ray, number, hello
        self._place = RemotePlace(number, 1)
        self._holding: asyncio.Task[None] | None = None

    @contextlib.asynccontextmanager
    async def worker(self) -> AsyncIterator[Worker]:
        """A new worker, once there is room for the place."""
        worker = await self._begin()
        try:
            yield worker
        finally:
            await worker.stop()

    async def is_lost(self) -> bool:
        """Whether a worker has ended because its place has."""
        return not self._place.is_there or await self._place.versions() is None

    async def leave(self) -> None:
        """Free the place's CPU for others."""
        self.close()
        with contextlib.suppress(ApiError, WorkerDied):
            await self._ray.do(EndPlace(self._number))

    def close(self) -> None:
        """End the worker, if there is one, with the connection to the place."""
        if self._holding is not None:
            self._holding.cancel()

    async def _begin(self) -> Worker:
        for attempt in range(1, ATTEMPTS + 1):
            try:
                await self._have_place()
                return await self._place.fork(lambda event: None, self._hello)
            except WorkerDied:
                break
            except (NoSeat, OSError, FrameError) as error:
                if attempt == ATTEMPTS:
                    message = f"{self._place.title} cannot be reached: {str(error) or 'it does not answer'}. "
                    how = "This machine opens a connection to each node, on a port that the node's system chooses."
                    raise Failure(f"{message}{how}", NO_CLUSTER) from error
                await asyncio.sleep(AGAIN_SECONDS)
        raise Failure(
            "The connection to the Ray cluster is lost. `ray status` says whether it runs; start the batch again, and it "
            "continues.",
            NO_CLUSTER,
        )

    async def _have_place(self) -> None:
        if self._place.is_there:
            return
        if self._holding is not None:
            await asyncio.wait([self._holding])  # its end would close the next line
        address = await self._ray.do(StartPlace(self._number, self._place.secret.hex(), 0, 0))
        there = asyncio.Event()
        waiting = asyncio.create_task(there.wait())
        self._holding = asyncio.create_task(self._place.hold(address, there.set))
        await asyncio.wait([self._holding, waiting], return_when=FIRST_COMPLETED)
        waiting.cancel()
        if self._holding.done():
            try:
                await self._holding
            except ApiError:
                raise self._differs(["hloscope"]) from None
            raise NoSeat
        await self._compare_versions()

    async def _compare_versions(self) -> None:
        if (there := await self._place.versions()) is None:
            raise NoSeat
        other = [name for name, version in computing_versions().items() if there.get(name) != version]
        if other:
            raise self._differs(other)

    def _differs(self, names: Sequence[str]) -> Failure:
        message = f"{self._place.title} has other versions than this machine of: {', '.join(names)}."
        return Failure(f"{message} A batch needs the same on all machines.", NO_CLUSTER)
