"""Gives sessions workers when they need one, takes them away, and begins again what died with one.

A worker may be killed at any time: what it knew is recorded again from program and inputs, up to where it
was, and the question is asked once more. What kills a worker twice at the same place is not tried again.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import asdict
from typing import Any, TypeVar

from ..errors import ApiError, over_limit
from ..keys import engine_build
from ..large_texts import encoded
from ..logs import described
from ..settings import Settings
from .framing import Buffer, Frame
from .process import Nursery, Worker, WorkerDied
from .replies import crashed, result_of
from .seat import OpenRequest, Seat, Status, opened_again

JSON = dict[str, Any]
R = TypeVar("R")
Opener = Callable[[], Awaitable[OpenRequest]]
log = logging.getLogger("hloscope")

WATCH_SECONDS = 0.25
PAUSE_SECONDS = 1.0
ATTEMPTS = 2
MOST_DEATHS = 4
PLAYGROUND_FLOPS = 1_000_000_000
"""What one op of the playground may need: its answer must come while one types."""
MOST_SEATS = 1_000
FORGET_SECONDS = 60
ENDS_EACH_TIME = "The worker process ended each time that this was recorded."


class Supervisor:
    """All workers of this server; used from one event loop."""

    def __init__(self, settings: Settings, changed: Callable[[str, str, Status], None]) -> None:
        self.settings = settings
        self._changed = changed
        self._nursery = Nursery(settings.blas_thread_count(), settings.worker_rlimit_as_bytes)
        self._seats: dict[str, Seat] = {}
        self._check_seats = [Seat(f"check {number}") for number in range(max(1, settings.check_workers))]
        self._build = engine_build()
        self._limits = asdict(settings.limits())
        self._tasks: set[asyncio.Task[Any]] = set()
        self._closed = False

    def start(self) -> None:
        """Begin to watch; the first worker is started now, so that nobody waits for it."""
        self._spawn(self._watch())
        self._spawn(self._warm_up())

    async def stop(self) -> None:
        """End every worker."""
        self._closed = True
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await asyncio.gather(*(seat.worker.stop() for seat in self._all_seats() if seat.worker))
        self._nursery.close()

    def status(self, session: str, key: str) -> Status | None:
        """What is known of a run without asking."""
        seat = self._seats.get(session)
        return seat.runs.get(key) if seat else None

    def active_session(self, key: str) -> str | None:
        """A session whose worker has this recording open."""
        return next((s.session for s in self._seats.values() if key in s.opened), None)

    def worker_pid(self, session: str) -> int | None:
        """The process of a session's worker."""
        seat = self._seats.get(session)
        return seat.worker.pid if seat and seat.worker and seat.alive else None

    # Without a session.

    async def check(self, text: str, name: str, entry: str | None) -> JSON:
        """What is wrong with a program."""
        parameters = {"name": name, "entry": entry, "limits": self._limits}
        return await self._ask_checker("check", parameters, [await encoded(text)])

    async def trial(self, text: str, name: str) -> JSON:
        """The steps of a small program that is run at once."""
        settings = self.settings
        memory = min(settings.trial_memory_bytes, settings.session_memory_bytes)
        parameters = {
            "name": name,
            "limits": self._limits | {"session_memory_bytes": memory},
            "steps": settings.trial_step_limit,
            "milliseconds": settings.trial_time_limit_ms,
        }
        return await self._ask_checker("trial", parameters, [await encoded(text)])

    async def playground(self, op: str, operands: JSON, fields: JSON) -> JSON:
        """What the form of an op stands for: its program, values and maps, or what is wrong with it."""
        settings = self.settings
        memory = min(settings.trial_memory_bytes, settings.session_memory_bytes)
        flops = min(PLAYGROUND_FLOPS, settings.op_flops)
        parameters = {
            "op": op,
            "state": {"operands": operands, "fields": fields},
            "limits": self._limits | {"session_memory_bytes": memory, "op_flops": flops},
            "allowed": {
                "elements": settings.playground_elements,
                "values": settings.playground_values,
                "processes": settings.playground_processes,
                "run_elements": settings.playground_run_elements,
            },
            "steps": settings.trial_step_limit,
            "milliseconds": settings.trial_time_limit_ms,
        }
        return await self._ask_checker("playground", parameters, [])

    async def file(self, path: str, name: str, program: OpenRequest | None) -> JSON:
        """The arrays of an uploaded file, which its user calls `name`, and the arguments that they fit."""
        entry = program.entry if program else None
        parameters = {"path": path, "called": name, "name": "", "entry": entry, "limits": self._limits}
        return await self._ask_checker("file", parameters, [await encoded(program.text)] if program else [])

    async def _ask_checker(self, method: str, parameters: JSON, buffers: Sequence[Buffer]) -> JSON:
        seat = min(self._check_seats, key=lambda seat: seat.worker.waiting if seat.worker else 0)
        for _ in range(ATTEMPTS):
            async with seat.lock:
                worker = await self._worker(seat)
            with contextlib.suppress(WorkerDied):
                return result_of(await worker.request(method, parameters, buffers))
            if seat.killed:
                break
        raise seat.killed or crashed(None)

    # Runs.

    async def open(self, session: str, request: OpenRequest) -> JSON:
        """Open a run; its result has `key` if the program may run, and `diagnostics` in any case."""
        seat = self._seat(session)
        for _ in range(ATTEMPTS):
            async with seat.lock:
                with contextlib.suppress(WorkerDied):
                    return await self._open(seat, request, None)
            if seat.killed:
                break
        raise seat.killed or crashed(None)

    async def ask(self, session: str, key: str, opener: Opener, question: str, parameters: JSON) -> Frame:
        """The worker's answer to a question about a recording, which is opened if it has to be."""
        seconds = self.settings.request_time_limit_ms / 1000
        try:
            return await asyncio.wait_for(self._ask(session, key, opener, question, parameters), seconds)
        except TimeoutError:
            where = self._seat(session).where()
            limit = self.settings.request_time_limit_ms
            raise over_limit(503, "request_time_limit_ms", limit, f"{where}; ask again later.") from None

    async def record(self, session: str, key: str, opener: Opener, steps: int | None) -> None:
        """Go on recording for that many more steps, or to the end."""
        seat = self._seat(session)
        frame = await self.ask(session, key, opener, "record", {"steps": steps})
        result = result_of(frame)
        seat.runs[key].goal = {"steps": None if steps is None else result["steps"] + steps, "seconds": None}
        self._take(seat, result)

    async def feed(self, session: str, key: str, opener: Opener, feed: JSON) -> None:
        """Put items into a queue of a run, and go on; a worker that comes after puts them in as well."""
        seat = self._seat(session)
        result = result_of(await self.ask(session, key, opener, "feed", {"feed": feed}))
        seat.runs[key].goal = {"steps": None, "seconds": None}
        if (request := seat.openers.get(key)) is not None and request.feeds is not None:
            request.feeds["later"].append(feed)
        self._take(seat, result)

    async def pause(self, session: str, key: str) -> None:
        """Stop recording. An op that cannot be interrupted is killed with its worker, and begun again later."""
        seat = self._seats.get(session)
        status = seat.runs.get(key) if seat else None
        if seat is None or status is None or not seat.alive or seat.worker is None or not status.active:
            return
        try:
            frame = await asyncio.wait_for(seat.worker.request("pause", {"key": key}), PAUSE_SECONDS)
        except TimeoutError:
            await self._kill_op(seat, key, status)
        except WorkerDied:
            return
        else:
            self._take(seat, result_of(frame))

    async def _ask(self, session: str, key: str, opener: Opener, question: str, parameters: JSON) -> Frame:
        seat = self._seat(session)
        for _ in range(ATTEMPTS):
            with contextlib.suppress(WorkerDied):
                worker = await self._opened(seat, key, opener)
                frame = await worker.request(question, parameters | {"key": key})
                if not frame.message.get("closed"):
                    return frame
                seat.opened.discard(key)
                worker = await self._opened(seat, key, opener)
                return await worker.request(question, parameters | {"key": key})
        raise seat.killed or crashed(seat)

    async def opened(self, session: str, key: str, opener: Opener) -> Status | None:
        """What is known of a run, once its worker has it open."""
        seat = self._seat(session)
        seconds = self.settings.request_time_limit_ms / 1000
        with contextlib.suppress(TimeoutError):
            for _ in range(ATTEMPTS):
                with contextlib.suppress(WorkerDied):
                    await asyncio.wait_for(self._opened(seat, key, opener), seconds)
                    break
        return seat.runs.get(key)

    async def _opened(self, seat: Seat, key: str, opener: Opener) -> Worker:
        """The worker, with the run open. Who stops waiting does not stop the opening: others wait too."""
        seat.last_used = time.monotonic()
        if key in seat.opened and seat.alive and seat.worker is not None:
            return seat.worker
        task = seat.opening.get(key)
        if task is None:
            task = seat.opening[key] = self._spawn(self._open_again(seat, key, opener))
            task.add_done_callback(lambda _: seat.opening.pop(key, None))
        return await asyncio.shield(task)

    async def _open_again(self, seat: Seat, key: str, opener: Opener) -> Worker:
        async with seat.lock:
            if key not in seat.opened or not seat.alive:
                request = seat.openers.get(key) or await opener()
                result = await self._open(seat, request, seat.runs.get(key))
                if result.get("key") != key:
                    raise ApiError(
                        410, "outdated", "This was recorded by another version of hloscope.",
                        hint="Load the page again.",
                    )  # fmt: skip
            assert seat.worker is not None
            return seat.worker

    async def _open(self, seat: Seat, request: OpenRequest, known: Status | None) -> JSON:
        worker = await self._worker(seat)
        goal = known.goal if known else self._first_goal()
        parameters = {
            "name": request.name, "entry": request.entry, "inputs": request.inputs, "previous": request.previous,
            "grid": request.grid, "feeds": request.feeds,
            "limits": self._limits, "blas_threads": self.settings.blas_thread_count(), "goal": goal,
            "build": self._build,
            "replay": known.steps if known else request.steps, "fault": known.fault if known else None,
            "resting": known.resting if known else "",
        }  # fmt: skip
        result = result_of(await worker.request("open", parameters, [await encoded(request.text)]))
        if (key := result.get("key")) is not None:
            seat.opened.add(key)
            self._remember(seat, key, request, result, goal)
        return result

    def _remember(self, seat: Seat, key: str, request: OpenRequest, result: JSON, goal: JSON | None) -> None:
        if key not in seat.runs:
            steps = max(result["steps"], request.steps)
            seat.runs[key] = Status(result["state"], steps, result["frames"], goal, prints=result["prints"])
        seat.openers[key] = opened_again(result, request)
        self._take(seat, result)
        if (early := seat.early.pop(key, None)) is not None:
            self._take(seat, early)

    def _first_goal(self) -> JSON:
        settings = self.settings
        return {"steps": settings.record_first_steps, "seconds": settings.record_first_ms / 1000}

    def _take(self, seat: Seat, result: JSON) -> None:
        status = seat.runs.get(result["key"])
        if status is not None:
            status.take(result)
            self._changed(seat.session, result["key"], status)

    # Seats and workers.

    def _seat(self, session: str) -> Seat:
        if session not in self._seats:
            self._forget_seats()
        seat = self._seats.setdefault(session, Seat(session))
        seat.last_used = time.monotonic()
        return seat

    def _forget_seats(self) -> None:
        """What is known of runs that nobody has looked at for long is in the store as well."""
        if len(self._seats) > MOST_SEATS:
            old = time.monotonic() - self.settings.session_idle_release_s - FORGET_SECONDS
            kept = {name: seat for name, seat in self._seats.items() if seat.alive or seat.last_used > old}
            self._seats = kept

    def _all_seats(self) -> list[Seat]:
        return [*self._seats.values(), *self._check_seats]

    async def _worker(self, seat: Seat) -> Worker:
        """The seat's worker, started if it has none."""
        if seat.worker is None or not seat.alive:
            if seat.session in self._seats:
                await self._make_room()
            seat.stuck = seat.killed = None
            seat.worker = await self._nursery.fork(seat.listener(self._heard, self._died))
        return seat.worker

    async def _make_room(self) -> None:
        """Take the worker of the session that has been idle the longest, when there are too many."""
        alive = sorted((s for s in self._seats.values() if s.alive), key=lambda seat: seat.last_used)
        if len(alive) < self.settings.max_active_sessions:
            return
        idle = next((seat for seat in alive if not seat.busy and not seat.lock.locked()), None)
        if idle is None:
            limit = self.settings.max_active_sessions
            raise over_limit(503, "max_active_sessions", limit, "Too many sessions are computing.")
        await self._release(idle)

    async def _release(self, seat: Seat) -> None:
        worker = seat.leave()
        if worker is not None:
            await worker.stop()

    def _heard(self, seat: Seat, key: str) -> None:
        self._changed(seat.session, key, seat.runs[key])

    def _died(self, seat: Seat) -> None:
        """Begin again what was being recorded, unless it has died here before."""
        if self._closed or seat.session not in self._seats:
            return
        for key, status in seat.runs.items():
            if status.active:
                self._count_death(seat, status)
                if status.deaths <= MOST_DEATHS:
                    self._spawn(self._go_on(seat, key))
                else:
                    status.state = {"kind": "failed", "reason": ENDS_EACH_TIME, "diagnostic": None}
                    self._changed(seat.session, key, status)

    def _count_death(self, seat: Seat, status: Status) -> None:
        stuck = seat.stuck or {}
        status.deaths += 1
        status.reached = max(status.reached, status.steps)
        if status.deaths >= ATTEMPTS and status.fault is None:
            status.steps = stuck.get("step", status.steps)
            message = "The worker process ended twice at this op: it may need more memory than there is."
            status.fault = {"op": stuck.get("op"), "message": message, "limit": None}

    async def _go_on(self, seat: Seat, key: str) -> None:
        request = seat.openers[key]

        async def known() -> OpenRequest:
            return request

        for _ in range(MOST_DEATHS):
            try:
                await self._opened(seat, key, known)
            except WorkerDied:
                continue
            except ApiError as error:
                log.warning("a run could not go on: %s", error.message)
            return

    # Watching.

    async def _watch(self) -> None:
        while True:
            await asyncio.sleep(WATCH_SECONDS)
            for seat in self._all_seats():
                try:
                    await self._consider(seat)
                except Exception:  # one seat's trouble must not leave the others unwatched
                    log.exception("watching a worker failed")

    async def _consider(self, seat: Seat) -> None:
        if not seat.alive or seat.worker is None:
            return
        quiet = time.monotonic() - seat.worker.last_heard
        if seat.busy:
            await self._consider_time(seat, quiet)
            return
        idle = time.monotonic() - seat.last_used > self.settings.session_idle_release_s
        if idle and seat.session in self._seats and not seat.lock.locked():
            await self._release(seat)

    async def _consider_time(self, seat: Seat, quiet: float) -> None:
        settings, stuck = self.settings, seat.stuck or {}
        status = seat.runs.get(stuck.get("key", ""))
        if stuck.get("doing") == "slice" and status is not None:
            limit = settings.op_time_limit_ms
            if limit and quiet > limit / 1000:
                message = f"it took longer than {limit:,} ms"
                status.fault = {"op": stuck["op"], "message": message, "limit": "op_time_limit_ms"}
                status.steps = stuck["step"]
                await self._stop_worker(seat)
        elif quiet > max(settings.check_time_limit_ms, settings.op_time_limit_ms) / 1000:
            limit = settings.check_time_limit_ms
            message = f"This took longer than {limit:,} ms and was stopped."
            seat.killed = over_limit(503, "check_time_limit_ms", limit, message)
            await self._stop_worker(seat)

    async def _stop_worker(self, seat: Seat) -> None:
        """End the worker; `_died` hears of it and begins again what was being recorded."""
        if seat.worker is not None:
            await seat.worker.stop()

    async def _kill_op(self, seat: Seat, key: str, status: Status) -> None:
        """End the worker in the middle of an op; what was recorded before it is recorded again."""
        stuck = seat.stuck or {}
        where = f"the op at line {stuck['line']}" if stuck.get("line") else "an op"
        status.steps = stuck.get("step", status.steps)
        reason = f"Paused by you: {where} was stopped, and starts again when you continue."
        status.goal, status.state = None, {"kind": "paused", "reason": reason, "diagnostic": None}
        await self._stop_worker(seat)
        self._changed(seat.session, key, status)
        self._spawn(self._go_on(seat, key))

    async def _warm_up(self) -> None:
        seat = self._check_seats[0]
        async with seat.lock:
            await self._worker(seat)

    def _spawn(self, work: Coroutine[Any, Any, R]) -> asyncio.Task[R]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)
        return task

    def _done(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        if error is not None and not isinstance(error, WorkerDied | ApiError):
            log.error("a task failed\n%s", described(error))
