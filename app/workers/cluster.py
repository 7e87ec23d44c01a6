"""Workers of sessions on a Ray cluster: the server's side of the places that Ray starts for it on other machines."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import math
import os
import secrets
import time
from asyncio import FIRST_COMPLETED
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from ..answers.question import VALUES
from ..base.errors import ApiError
from ..base.keys import engine_build
from ..base.settings import MOST_WORKERS, Settings
from ..processes import framing
from ..processes.child_process import passed_on
from ..processes.framing import Buffer, Frame, FrameError
from ..processes.worker import Listener, Worker, WorkerDied, start_in_child
from ..wire.events import WorkerEvent
from ..wire.input_files import files_in, with_paths
from .place import PIECE_BYTES, SECRET_BYTES, keep_line_alive
from .ray_driver import MODULE, ClusterInfo, ConnectCluster, EndPlace, PlaceAddress, StartPlace

log = logging.getLogger("hloscope")

CONNECT_SECONDS = 30.0
"""Timeout for a connection to a place whose line is open, and for its first answer: its machine may be busy."""
AGAIN_SECONDS = 5.0
"""Pause after a failure, before the next attempt."""
UNUSED_SECONDS = 60.0
"""Time after which a place without sessions ends, beside another one."""
JOIN_SECONDS = 60.0
"""Timeout for connecting to the cluster."""
RAY = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0"}
"""Ray sends no usage statistics, and does not hide accelerators from its actors."""


_Streams: TypeAlias = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class NoSeat(Exception):
    """No place has room for a session."""


class PlacedWorker(Worker):
    """A worker at a place. The files that its requests name are sent to the place first, and deleted when it ends."""

    def __init__(
        self, place: RemotePlace, hello: Mapping[str, Any], streams: _Streams, on_event: Listener
    ) -> None:
        self._place, self._at_place, self._folder = place, int(hello["worker"]), str(hello["folder"])
        self._sent: dict[str, asyncio.Task[None]] = {}
        place.workers.add(self)
        super().__init__(int(hello["pid"]), *streams, self._hear(on_event))

    def _hear(self, on_event: Listener) -> Listener:
        def hear(event: WorkerEvent) -> None:
            if event["event"] == "end":
                self._place.workers.discard(self)
            on_event(event)

        return hear

    def _signal(self, number: int) -> None:
        self._place.tell({"worker": self._at_place, "signal": number})

    def abandon(self) -> None:
        """Count it as ended, because its place is lost."""
        self._writer.transport.abort()

    async def _reply(self, kind: str, key: str, fields: dict[str, Any], buffers: Sequence[Buffer]) -> Frame:
        return await super()._reply(kind, key, await self._with_files(fields), buffers)

    async def _with_files(self, fields: dict[str, Any]) -> dict[str, Any]:
        """The fields with the paths that the files have at the place."""
        paths = {spec["path"] for spec in files_in(fields) if spec.get("path")}
        other = str(fields.get("other", ""))
        values = other.removeprefix(VALUES) if other.startswith(VALUES) else ""
        for path in paths | ({values} - {""}):
            await self._bring(path)
        if values:
            fields = {**fields, "other": f"{VALUES}{self._folder}/{Path(values).name}"}
        return with_paths(fields, lambda file: f"{self._folder}/{file}") if paths else fields

    async def _bring(self, path: str) -> None:
        """Send a file once, also if several requests name it at the same time."""
        if path not in self._sent:
            self._sent[path] = asyncio.create_task(self._send(Path(path)))
        try:
            await asyncio.shield(self._sent[path])
        except (OSError, FrameError, TimeoutError) as error:
            self.abandon()
            await asyncio.wait([self._listener])  # otherwise a retry may get this worker again
            raise WorkerDied("file") from error
        except ApiError:
            self._sent.pop(path, None)
            raise

    async def _send(self, path: Path) -> None:
        with path.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            hello = {"kind": "file", "worker": self._at_place, "name": path.name, "size": size}
            reader, writer = await self._place.connect(hello)
            with contextlib.closing(writer):
                while piece := await asyncio.to_thread(file.read, PIECE_BYTES):
                    writer.write(piece)
                    await writer.drain()
                frame = await framing.read(reader)
        if frame is None:
            raise ConnectionError("the place has ended")
        if (trouble := frame.message["trouble"]) is not None:
            raise ApiError(
                503, "cluster", f"An input file could not be stored on the worker's node: {trouble}."
            )


class RemotePlace:
    """An actor of Ray, as the server knows it."""

    def __init__(self, number: int, seats: int) -> None:
        self.number, self.seats, self.secret = number, seats, secrets.token_bytes(SECRET_BYTES)
        self.workers: set[PlacedWorker] = set()
        self.starting = 0
        self.unused_since = time.monotonic()
        self._address: PlaceAddress | None = None
        self._line: asyncio.StreamWriter | None = None
        self._lost: asyncio.Future[None]

    @property
    def title(self) -> str:
        """The node, in messages."""
        return f"The node {self._address['host']}" if self._address else "The node of a place"

    @property
    def is_there(self) -> bool:
        """Whether it takes sessions."""
        return self._line is not None

    @property
    def free(self) -> int:
        """The number of sessions that it has room for."""
        return self.seats - len(self.workers) - self.starting if self.is_there else 0

    async def connect(self, hello: Mapping[str, Any]) -> _Streams:
        """A new connection to the place, which has read what it is for."""
        assert self._address is not None
        opening = asyncio.open_connection(self._address["host"], self._address["port"])
        reader, writer = await asyncio.wait_for(opening, CONNECT_SECONDS)
        writer.writelines([self.secret, *framing.encode(hello)])
        return reader, writer

    async def hold(self, address: PlaceAddress, changed: Callable[[], None]) -> None:
        """Hold the place until its line ends; raises `ApiError` if the place is of another version."""
        self._address, self._lost = address, asyncio.get_running_loop().create_future()
        reader, writer = await self.connect({"kind": "line"})
        try:
            keep_line_alive(writer.get_extra_info("socket"))
            hello = await asyncio.wait_for(framing.read(reader), CONNECT_SECONDS)
            if hello is None:
                raise ConnectionError("the place has ended")
            if hello.message["build"] != engine_build():
                message = f"{self.title} has another version of hloscope than this server."
                raise ApiError(503, "cluster", message)
            self._line = writer
            changed()
            with contextlib.suppress(ConnectionError, FrameError):
                await framing.read(reader)  # it sends nothing more, and ends
        finally:
            self._lose()
            writer.close()
            for worker in list(self.workers):
                worker.abandon()
            changed()

    def _lose(self) -> None:
        """Take no more sessions, and close the connection to the place."""
        if self._line is not None:
            self._line.transport.abort()
            self._line = None
        if not self._lost.done():
            self._lost.set_result(None)

    def tell(self, message: Mapping[str, Any]) -> None:
        """Send a message on the line."""
        if self._line is not None:
            self._line.writelines(framing.encode(message))

    async def versions(self) -> dict[str, Any] | None:
        """The versions there, which a comparison depends on; `None` if the place is lost."""
        try:
            reader, writer = await self.connect({"kind": "versions"})
            with contextlib.closing(writer):
                frame = await asyncio.wait_for(framing.read(reader), CONNECT_SECONDS)
        except (OSError, FrameError, TimeoutError):
            frame = None
        if frame is None:
            self._lose()
            return None
        return frame.message

    async def fork(self, on_event: Listener, hello: Mapping[str, Any] | None = None) -> PlacedWorker:
        """A new worker of a session, or what `hello` asks for; `NoSeat` if the place is lost meanwhile."""
        self.starting += 1
        beginning = asyncio.create_task(self._begin(on_event, hello or {"kind": "worker"}))
        try:
            either: list[asyncio.Future[Any]] = [beginning, self._lost]
            await asyncio.wait(either, timeout=CONNECT_SECONDS, return_when=FIRST_COMPLETED)
            if beginning.done():
                return beginning.result()
            raise TimeoutError
        except (OSError, FrameError, TimeoutError) as error:
            self._lose()
            raise NoSeat from error
        except asyncio.CancelledError:
            if beginning.done() and beginning.exception() is None:
                beginning.result().abandon()
            raise
        finally:
            self.starting -= 1
            beginning.cancel()

    async def _begin(self, on_event: Listener, asked: Mapping[str, Any]) -> PlacedWorker:
        reader, writer = await self.connect(asked)
        try:
            hello = await framing.read(reader)
            if hello is None:
                raise ConnectionError("the place has ended")
        except BaseException:
            writer.close()
            raise
        return PlacedWorker(self, hello.message, (reader, writer), on_event)


@contextlib.asynccontextmanager
async def driver(address: str) -> AsyncIterator[tuple[Worker, ClusterInfo]]:
    """A process that is connected to the cluster, and what the cluster has; raises the `ApiError` of a failure."""
    given = {name: value for name, value in os.environ.items() if name.startswith("RAY_")}
    async with start_in_child(MODULE, {**RAY, **passed_on(), **given}) as worker:
        try:
            async with asyncio.timeout(JOIN_SECONDS):
                found = await worker.do(ConnectCluster(address))
        except TimeoutError:
            message = f"The Ray cluster '{address}' does not answer within {JOIN_SECONDS:g} s."
            raise ApiError(503, "cluster", message) from None
        except WorkerDied:
            message = f"Ray could not connect to the cluster '{address}', and ended."
            raise ApiError(503, "cluster", message) from None
        yield worker, found


def sentence(found: ClusterInfo) -> str:
    """What a cluster has, for a command's output."""
    nodes = f"{found['nodes']:,} nodes" if found["nodes"] != 1 else "1 node"
    return f"Ray {found['version']}, {nodes}, {found['free_cpus']:g} of {found['cpus']:g} CPUs free"


def places_for(sessions: int, settings: Settings) -> int:
    """Places for these sessions, and one more, which takes those of a place that is lost; each takes a CPU."""
    most = min(sessions, settings.max_active_sessions or MOST_WORKERS)
    return math.ceil(most / max(1, settings.place_sessions)) + 1


async def describe(address: str) -> ClusterInfo:
    """What the cluster has; raises the `ApiError` of a failure."""
    async with driver(address) as (_, found):
        return found


class Cluster:
    """The places of this server; used from one event loop."""

    def __init__(self, settings: Settings, resized: Callable[[int], None]) -> None:
        """`resized` is called with the number of sessions for which there is room."""
        self._settings, self._resized = settings, resized
        self._places: dict[int, tuple[RemotePlace, asyncio.Task[None]]] = {}
        self._number, self._per_place = 0, max(1, settings.place_sessions)
        self._driver: Worker | None = None
        self._joined = asyncio.Event()
        self._first: asyncio.Future[ClusterInfo] = asyncio.get_running_loop().create_future()
        self._task: asyncio.Task[None] | None = None
        self.trouble = ""
        """The reason why there is no place, if it is known."""

    @property
    def places(self) -> list[RemotePlace]:
        """The places that take sessions."""
        return [place for place, _ in self._places.values() if place.is_there]

    @property
    def seats(self) -> int:
        """The number of sessions for which the places have room, taken or not."""
        return sum(place.seats for place in self.places)

    def start(self) -> None:
        """Connect to the cluster, and again whenever it is lost."""
        self._task = asyncio.create_task(self._join())
        self.want(0)

    async def joined(self) -> ClusterInfo:
        """What the cluster has, once the first connection has been tried; raises its `ApiError`."""
        return await asyncio.shield(self._first)

    async def stop(self) -> None:
        """End all places."""
        tasks = [task for _, task in self._places.values()] + [task for task in [self._task] if task]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _join(self) -> None:
        while True:
            try:
                async with driver(self._settings.cluster) as (self._driver, found):
                    if not self._first.done():
                        self._first.set_result(found)
                    self._joined.set()
                    await self._driver.ended()
            except (ApiError, WorkerDied, OSError) as error:
                if not self._first.done():
                    self._first.set_exception(error)
                    self._first.exception()  # marks it as retrieved, or asyncio logs it
                    return
                self._note(error)
            finally:
                self._joined.clear()
            await asyncio.sleep(AGAIN_SECONDS)

    def _note(self, error: Exception) -> None:
        trouble = error.message if isinstance(error, ApiError) else "Ray does not answer."
        if trouble != self.trouble:
            log.warning("%s", trouble)
        self.trouble = trouble

    def want(self, sessions: int) -> None:
        """Request places for these sessions, and one more."""
        wanted = places_for(sessions, self._settings)
        while len(self._places) < wanted:
            self._number += 1
            place = RemotePlace(self._number, self._per_place)
            self._places[self._number] = (place, asyncio.create_task(self._keep(place)))
        self._end_unused(len(self._places) - wanted)

    def _end_unused(self, count: int) -> None:
        """End at most `count` places that have had no session for `UNUSED_SECONDS`."""
        now = time.monotonic()
        for number, (place, task) in list(self._places.items()):
            if place.workers or place.starting:
                place.unused_since = now
            elif count > 0 and now - place.unused_since > UNUSED_SECONDS:
                count -= 1
                del self._places[number]
                task.cancel()

    async def _keep(self, place: RemotePlace) -> None:
        """Have Ray start a place, and use it whenever Ray has restarted it."""
        settings = self._settings
        task = StartPlace(
            place.number, place.secret.hex(), settings.blas_thread_count(), settings.worker_rlimit_as_bytes
        )
        try:
            while True:
                await self._joined.wait()
                assert self._driver is not None
                try:
                    await place.hold(await self._driver.do(task), self._changed)
                except (ApiError, WorkerDied, OSError, FrameError, TimeoutError) as error:
                    self._note(error)
                    await self._end(place)
                    await asyncio.sleep(AGAIN_SECONDS)
        finally:
            await self._end(place)

    async def _end(self, place: RemotePlace) -> None:
        if self._driver is not None:
            with contextlib.suppress(WorkerDied, ApiError):
                await self._driver.do(EndPlace(place.number))

    def _changed(self) -> None:
        if self.places:
            self.trouble = ""
        self._resized(self.seats)

    async def fork(self, on_event: Listener) -> Worker:
        """A new worker at the place with the most room; `NoSeat` if there is none."""
        place = max(self.places, key=lambda place: place.free, default=None)
        if place is None or place.free <= 0:
            raise NoSeat
        return await place.fork(on_event)
