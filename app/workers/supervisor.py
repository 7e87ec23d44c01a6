"""Gives sessions workers when they need one, takes them away, and begins again what died with one.

A worker may be killed at any time: what it knew is recorded again from program and inputs, up to where it
was, and the question is asked once more. What kills a worker twice at the same place is not tried again.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from dataclasses import asdict
from typing import Any, TypeVar

from ..errors import ApiError, over_limit
from ..keys import engine_build
from ..large_texts import encoded
from ..logs import described
from ..memory import Trimmer
from ..settings import Settings
from .checkers import ATTEMPTS, Checkers
from .first_views import FirstViews
from .framing import Frame
from .overdue import overdue
from .places import Left, Places
from .process import Nursery, Worker, WorkerDied
from .replies import crashed, result_of, waiting_in_turn
from .room import Room
from .seat import OpenRequest, Seat, Status, opened_again

JSON = dict[str, Any]
R = TypeVar("R")
Opener = Callable[[], Awaitable[OpenRequest]]
log = logging.getLogger("hloscope")

WATCH_SECONDS = 0.25
PAUSE_SECONDS = 1.0
MOST_DEATHS = 4
MOST_SEATS = 1_000
FORGET_SECONDS = 60
POLL_SECONDS = 0.05
TRIM_SECONDS = 5.0
ABSENT_SECONDS = 10.0
"""For how long a session keeps an idle worker when none of its pages is open."""
STARTING_SECONDS = 5.0
"""For how long a place is kept between its reservation and the start of the worker."""
ENDS_EACH_TIME = "The worker process ended each time that this was recorded."


class Supervisor:
    """All workers of this server; used from one event loop."""

    def __init__(
        self,
        settings: Settings,
        changed: Callable[[str, str, Status], None],
        waiting: Callable[[str, int | None], None],
        present: Callable[[str], bool],
    ) -> None:
        """`changed` and `waiting` are told what happens; `present`: whether a page of the session is open."""
        self.settings = settings
        self._changed, self._present = changed, present
        self._nursery = Nursery(settings.blas_thread_count(), settings.worker_rlimit_as_bytes)
        self.checkers = Checkers(settings, self._worker)
        self._seats: dict[str, Seat] = {}
        self._views = FirstViews(settings.first_views_bytes)
        self.places = Places(settings.max_active_sessions, settings.max_waiting_sessions, self._crowded)
        self._room = Room(self.places, self._views, self._seats, waiting, self._spawn)
        self._build = engine_build()
        self._limits = asdict(settings.limits())
        self._tasks: set[asyncio.Task[Any]] = set()
        self._closed = False

    def start(self) -> None:
        """Begin to watch; the first worker is started now, so that nobody waits for it."""
        self._spawn(self._watch())
        self._spawn(self._trim())
        self._spawn(self.checkers.warm_up())

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

    # Runs.

    async def open(self, session: str, request: OpenRequest) -> JSON:
        """Open a run; its result has `key` if the program may run, and `diagnostics` in any case.

        `Left` if it has to wait for its turn, and nobody waits any more.
        """
        seat = self._seat(session)
        for _ in range(ATTEMPTS):
            async with seat.lock:
                with contextlib.suppress(WorkerDied):
                    return await self._open(seat, request, None)
            if seat.killed:
                break
        raise seat.killed or crashed(None)

    @contextlib.contextmanager
    def asking(self, session: str) -> Iterator[None]:
        """For as long as a request waits: the session keeps its place in the queue."""
        with self._seat(session).asking():
            yield

    async def ask(self, session: str, key: str, opener: Opener, question: str, parameters: JSON) -> Frame:
        """The worker's answer to a question about a recording, which is opened if it has to be."""
        seat = self._seat(session)
        if key not in seat.opened and (kept := self._views.answer(key, question, parameters)) is not None:
            return kept
        seconds = self.settings.request_time_limit_ms / 1000
        try:
            with seat.asking():
                return await asyncio.wait_for(self._ask(session, key, opener, question, parameters), seconds)
        except (TimeoutError, Left):
            raise self._late(seat) from None

    def _late(self, seat: Seat) -> ApiError:
        """Why there is no answer yet."""
        before, limit = self.places.before(seat.session), self.settings.request_time_limit_ms
        if before is not None:
            return waiting_in_turn(self.places.count, before)
        return over_limit(503, "request_time_limit_ms", limit, f"{seat.where()}; ask again later.")

    async def _do(self, seat: Seat, key: str, opener: Opener, what: str, parameters: JSON) -> Frame:
        """Have the worker go on. The session waits for its turn, however long: it is done then, and not refused."""
        status = seat.runs.get(key, Status({}, 0, 0, None))
        status.asked = True
        try:
            with seat.asking(), contextlib.suppress(WorkerDied):
                await self._opened(seat, key, opener)
            return await self.ask(seat.session, key, opener, what, parameters)
        finally:
            status.asked = False

    async def record(self, session: str, key: str, opener: Opener, steps: int | None) -> None:
        """Go on recording for that many more steps, or to the end."""
        seat = self._seat(session)
        result = result_of(await self._do(seat, key, opener, "record", {"steps": steps}))
        seat.runs[key].goal = {"steps": None if steps is None else result["steps"] + steps, "seconds": None}
        self._take(seat, result)

    async def feed(self, session: str, key: str, opener: Opener, feed: JSON) -> None:
        """Put items into a queue of a run, and go on; a worker that comes after puts them in as well."""
        seat = self._seat(session)
        result = result_of(await self._do(seat, key, opener, "feed", {"feed": feed}))
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

    async def opened(self, session: str, key: str, opener: Opener, *, patient: bool) -> Status | None:
        """What is known of a run, which is opened unless that is known; who is not patient waits for no turn."""
        seat = self._seat(session)
        known = seat.runs.get(key)
        if known is None or known.active:
            with contextlib.suppress(WorkerDied, Left):
                await self.until(self._opening(seat, key, opener), session, patient=patient)
        return seat.runs.get(key)

    async def until(
        self, work: asyncio.Task[R], session: str, *, patient: bool, seconds: float | None = None
    ) -> R | None:
        """What `work` for a session comes to; None if it takes too long, or its turn is not now."""
        if seconds is None:
            seconds = self.settings.request_time_limit_ms / 1000
        end = time.monotonic() + seconds
        with self._seat(session).asking():
            while not work.done() and time.monotonic() < end:
                if not patient and self.places.before(session) is not None:
                    return None
                await asyncio.wait([work], timeout=seconds if patient else POLL_SECONDS)
        return work.result() if work.done() else None

    async def _opened(self, seat: Seat, key: str, opener: Opener) -> Worker:
        """The worker, with the run open. Who stops waiting does not stop the opening: others wait too."""
        seat.last_used = time.monotonic()
        if key in seat.opened and seat.alive and seat.worker is not None:
            return seat.worker
        return await asyncio.shield(self._opening(seat, key, opener))

    def _opening(self, seat: Seat, key: str, opener: Opener) -> asyncio.Task[Worker]:
        if (task := seat.opening.get(key)) is None:
            task = seat.opening[key] = self._spawn(self._open_again(seat, key, opener))
            task.add_done_callback(lambda _: seat.opening.pop(key, None))
        return task

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
        seat.keep_opener(key, opened_again(result, request))
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
            self._heard(seat, result["key"])

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
            for name, seat in list(self._seats.items()):
                if not seat.alive and not seat.lock.locked() and seat.last_used < old:
                    del self._seats[name]

    def _all_seats(self) -> list[Seat]:
        return [*self._seats.values(), *self.checkers.seats]

    async def _worker(self, seat: Seat) -> Worker:
        """The seat's worker, started if it has none, when it is its turn; called with the seat locked."""
        if seat.worker is None or not seat.alive:
            counted = seat not in self.checkers.seats
            if counted:
                await self.places.take(seat.session)
                self._room.tell()
            seat.stuck = seat.killed = None
            try:
                seat.worker = await self._nursery.fork(seat.listener(self._heard, self._died))
            except BaseException:
                if counted:
                    self.places.give_back(seat.session)
                raise
            seat.started = time.monotonic()
        return seat.worker

    def _crowded(self) -> None:
        self._room.wanted()

    def _heard(self, seat: Seat, key: str) -> None:
        status = seat.runs[key]
        if status.active or not status.asked:
            self._changed(seat.session, key, status)

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
        if not seat.recording and not seat.lock.locked():
            self.places.give_back(seat.session)

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
            break
        self._consider_place(seat)

    # Watching.

    async def _trim(self) -> None:
        trimmer = Trimmer()
        while True:
            await asyncio.sleep(TRIM_SECONDS)
            await asyncio.to_thread(trimmer.consider)

    async def _watch(self) -> None:
        while True:
            await asyncio.sleep(WATCH_SECONDS)
            self.places.drop_absent(self._awaited)
            for session in self.places.held():
                self._consider_place(self._seats.get(session) or Seat(session))
            for seat in self._all_seats():
                try:
                    await self._consider(seat)
                except Exception:  # one seat's trouble must not leave the others unwatched
                    log.exception("watching a worker failed")

    def _awaited(self, session: str) -> bool:
        """Whether somebody is there for whom a session waits."""
        seat = self._seats.get(session)
        return self._present(session) or (seat is not None and seat.asked)

    async def _consider(self, seat: Seat) -> None:
        if not seat.alive or seat.worker is None:
            return
        quiet = time.monotonic() - seat.worker.last_heard
        if seat.busy:
            if overdue(seat, quiet, self.settings):
                await self._stop_worker(seat)
            return
        unused = time.monotonic() - seat.quiet_since
        longest: float = self.settings.session_idle_release_s
        if not self._present(seat.session):
            longest = min(longest, ABSENT_SECONDS)
        if unused > longest and seat.session in self._seats:
            await self._room.release(seat)

    def _consider_place(self, seat: Seat) -> None:
        """Take back the place of a session whose worker has ended, and which starts no other."""
        starting = seat.lock.locked() or seat.opening or time.monotonic() - seat.last_used < STARTING_SECONDS
        if not seat.alive and not starting:
            self.places.give_back(seat.session)

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

    def _spawn(self, work: Coroutine[Any, Any, R]) -> asyncio.Task[R]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)
        return task

    def _done(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        if error is not None and not isinstance(error, WorkerDied | ApiError | Left):
            log.error("a task failed\n%s", described(error))
