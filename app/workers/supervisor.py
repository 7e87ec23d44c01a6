"""Supervisor of workers: assigns, releases and restarts the workers of sessions.

A worker may be killed at any time: its runs are recorded again from program and inputs up to the same step, and the
question is sent once more. An op that kills a worker twice is not tried again.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Iterator
from dataclasses import asdict
from typing import Any, TypeVar

from ..base.errors import ApiError
from ..base.keys import engine_build
from ..base.large_texts import encode_text
from ..base.logs import describe_error
from ..base.memory import Trimmer, memory
from ..base.settings import MOST_WORKERS, Settings
from ..base.shared_work import SharedWork
from ..processes.worker import RunClosed, Worker, WorkerDied
from ..store.files import FOLDER
from ..wire.events import LoopLink, RunReport
from ..wire.questions import Answer, Question
from ..wire.sessions import Feed, Turn, Verifying
from ..wire.tasks import (
    FeedRun,
    GoalInfo,
    LimitValues,
    OpenedRun,
    OpenRun,
    PauseRun,
    RecordRun,
    RefusedRun,
    RunTask,
)
from .checkers import ATTEMPTS, Checkers
from .cluster import Cluster, NoSeat
from .eviction import Eviction
from .fork_server import ForkServer
from .known_answers import KnownAnswers
from .known_runs import KnownRuns
from .replies import MOST_CLOSINGS, crash_error, memory_error, queue_error, timeout_error
from .session_worker import UNKNOWN_STATE, OpenRequest, SessionWorker, Status, first_goal, reopen_request
from .worker_slots import LeftQueue, WorkerSlots

A = TypeVar("A")
R = TypeVar("R")
Opener = Callable[[], Awaitable[OpenRequest]]
log = logging.getLogger("hloscope")

WATCH_SECONDS = 0.25
"""Interval between checks of all workers."""
PAUSE_SECONDS = 1.0
"""Timeout for a pause, after which the op is killed."""
MOST_DEATHS = 4
"""Maximum deaths of workers while recording a run without progress."""
MOST_SESSIONS = 1_000
"""Number of sessions in memory from which old ones are dropped."""
FORGET_SECONDS = 60
"""Additional idle time after which a session without a worker is dropped from memory."""
QUEUED_SECONDS = 0.5
"""Interval between checks whether an impatient question is refused because its session is queued."""
SOON_SECONDS = 1
"""Expected waiting time in the queue above which an impatient question is refused by the first check."""
POLL_SECONDS = 0.05
"""Interval between checks whether an impatient request is queued, time until the first check of a question, and interval
between attempts at a slot."""
ABSENT_SECONDS, READ_SECONDS = 10.0, 60.0
"""Timeouts of an idle worker if the session has no open page, and only link holders."""
NO_PLACE = "The Ray cluster has not started a place for sessions yet: a place takes one CPU."
CLUSTER, MEMORY = "The Ray cluster", "The memory of this machine"
"""What decides the number of slots where the setting does not."""
STARTING_SECONDS = 5.0
"""Timeout of a reserved slot whose worker has not started."""


class Supervisor:
    """All workers of this server; used from one event loop."""

    def __init__(
        self,
        settings: Settings,
        changed: Callable[[str, str, Status], None],
        waiting: Callable[[str, Turn | None], None],
        present: Callable[[str], bool],
        worked_on: Callable[[str], bool],
        verifying: Callable[[str, Verifying], None],
    ) -> None:
        """`changed`, `waiting` and `verifying` are notified; the others query the open pages.

        `present`: whether the session has an open page; `worked_on`: whether one of them is not a link holder's.
        """
        self.settings, self._changed, self._verifying = settings, changed, verifying
        self._present, self._worked_on = present, worked_on
        uploads = str((settings.data_folder() / FOLDER).absolute())
        self.fork_server = ForkServer(settings.blas_thread_count(), settings.worker_rlimit_as_bytes, uploads)
        self.checkers = Checkers(settings, self._worker)
        self._owners: dict[str, SessionWorker] = {}
        self._answers = KnownAnswers(settings.cached_answers_bytes // 4)
        self._known_runs = KnownRuns(settings.cached_answers_bytes // 12)
        self._questions = SharedWork[Answer[Any]](outlives_callers=True)
        self.slots = WorkerSlots(
            settings.max_active_sessions or MOST_WORKERS, settings.max_waiting, self._on_crowd,
            "" if settings.max_active_sessions else CLUSTER if settings.cluster else MEMORY,
        )  # fmt: skip
        self.cluster = Cluster(settings, self.slots.resize) if settings.cluster else None
        """Other machines, on which the workers of sessions run; None: they run on this one."""
        if self.cluster is not None:
            self.slots.resize(0)
        self._fit_memory()
        self._eviction = Eviction(
            self.slots, self._answers, self._owners, waiting, self._spawn, self._pause_for_others
        )
        self.forget = self._eviction.forget
        self._build, self._tasks = engine_build(), set[asyncio.Task[Any]]()
        self._limits: LimitValues = asdict(settings.limits())
        self._closed = False
        self.started_workers = 0
        """The number of worker processes that were started for sessions, those that have ended too."""

    def start(self) -> None:
        """Start watching, and the first checker so that no request waits for it."""
        self._spawn(self._watch())
        self._spawn(Trimmer().run())
        self._spawn(self.checkers.warm_up())
        if self.cluster is not None:
            self.cluster.start()

    async def stop(self) -> None:
        """End every worker."""
        self._closed = True
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._questions.stop()
        await asyncio.gather(*(owner.worker.stop() for owner in self._all_owners() if owner.worker))
        if self.cluster is not None:
            await self.cluster.stop()
        self.fork_server.close()

    def status(self, session: str, key: str) -> Status | None:
        """The known status of a run, or None."""
        owner = self._owners.get(session)
        return owner.runs.get(key) if owner else None

    def is_replaying(self, session: str, key: str) -> bool:
        """Whether a worker still records again what an earlier one had recorded of a run."""
        status = self.status(session, key)
        return status is not None and status.replaying

    def active_session(self, key: str) -> str | None:
        """A session whose worker has this recording open."""
        return next((s.session for s in self._owners.values() if key in s.opened), None)

    @property
    def session_count(self) -> int:
        """The number of sessions in memory."""
        return len(self._owners)

    @property
    def worker_count(self) -> int:
        """The number of worker processes."""
        return sum(owner.alive for owner in self._all_owners())

    async def try_worker(self) -> None:
        """Start a worker and end it; raises `OSError` or `EOFError` if that is impossible, `ApiError` without a place."""
        worker = await self.fork_server.fork(lambda event: None)
        await worker.stop()
        if self.cluster is not None and not self.cluster.places:
            raise ApiError(503, "cluster", self.cluster.trouble or NO_PLACE)

    def worker_pid(self, session: str) -> int | None:
        """The process id of a session's worker, or None."""
        owner = self._owners.get(session)
        return owner.worker.pid if owner and owner.worker and owner.alive else None

    # Runs.

    async def give_up_opening(self, session: str, reason: ApiError) -> None:
        """End the worker that is opening a run of the session; waiting callers get the reason."""
        await self._owner(session).give_up_opening(reason)

    async def open(self, session: str, request: OpenRequest) -> OpenedRun | RefusedRun:
        """Open a run; the result always has `diagnostics`, and a `key` if the program can run.

        `LeftQueue` if the session leaves the queue because no client waits.
        """
        owner = self._owner(session)
        for _ in range(ATTEMPTS):
            async with owner.lock:
                if (known := self._known_run(owner, request)) is not None:
                    return known
                with contextlib.suppress(WorkerDied):
                    opened = await self._open(owner, request, None)
                    if opened["key"] is not None:
                        self._known_runs.opened(request, opened)
                    return opened
            if owner.killed:
                break
        raise owner.killed or crash_error(None)

    def _known_run(self, owner: SessionWorker, request: OpenRequest) -> OpenedRun | None:
        """The run that is requested, if it has ended in another session: a worker opens it when somebody asks about it."""
        found = self._known_runs.find(request)
        if found is None or found["key"] in owner.runs or self._status(owner, found["key"]) is None:
            return None
        if not owner.alive:
            self.slots.release(owner.session)
        return found

    def _status(self, owner: SessionWorker, key: str) -> Status | None:
        """The known status of a run; one that has ended in another session has the same end here."""
        if key not in owner.runs and (end := self._known_runs.end(key)) is not None:
            owner.runs[key] = end
        return owner.runs.get(key)

    @contextlib.contextmanager
    def hold_position(self, session: str) -> Iterator[None]:
        """A context of a waiting request, in which the session keeps its position in the queue."""
        with self._owner(session).hold_position():
            yield

    async def ask(
        self, session: str, key: str, opener: Opener, question: Question[A], *, patient: bool = True
    ) -> Answer[A]:
        """The answer about a recording, which is opened if necessary; equal questions share one.

        A final answer is kept, for all who ask later. An impatient caller is soon told that the session is queued. The
        question waits on, and its answer is there when the caller asks again: the worker may be another session's by then.
        """
        if (known := self._answers.find(key, question)) is not None:
            return known
        owner, name = self._owner(session), (session, key, repr(question))

        async def answer() -> Answer[Any]:
            request = self._request(owner, key, opener, lambda worker: worker.ask(key, question))
            found = await self._in_time(owner, request)
            self._answers.keep(key, question, found)
            return found

        asking = asyncio.ensure_future(self._questions.join(name, answer))
        seconds = None if patient else POLL_SECONDS
        try:
            while not (await asyncio.wait([asking], timeout=seconds))[0]:
                turn = self.slots.turn(session)
                if turn is not None and (seconds == QUEUED_SECONDS or (turn["seconds"] or 0) > SOON_SECONDS):
                    raise queue_error(self.slots, turn["before"])
                seconds = QUEUED_SECONDS  # checked again and again: a session may join the queue late
            return asking.result()
        finally:
            asking.cancel()

    async def _in_time(self, owner: SessionWorker, request: Awaitable[R]) -> R:
        """The result of a request, or an `ApiError` after the timeout."""
        seconds = self.settings.request_time_limit_ms / 1000
        try:
            with owner.hold_position():
                return await asyncio.wait_for(request, seconds)
        except (TimeoutError, LeftQueue):
            raise timeout_error(owner, self.slots, self.settings.request_time_limit_ms) from None

    async def _do(self, owner: SessionWorker, key: str, opener: Opener, task: RunTask) -> RunReport:
        """Perform a task that continues a run; a queued session waits without a timeout."""
        status = owner.runs.get(key) or Status(UNKNOWN_STATE, 0, 0, None)
        status.is_requested = True
        try:
            with owner.hold_position(), contextlib.suppress(WorkerDied):
                await self._open_worker(owner, key, opener)
            return await self._in_time(
                owner, self._request(owner, key, opener, lambda worker: worker.do(task))
            )
        finally:
            status.is_requested = False

    async def record(self, session: str, key: str, opener: Opener, steps: int | None) -> None:
        """Continue recording for `steps` more steps, or to the end."""
        owner = self._owner(session)
        result = await self._do(owner, key, opener, RecordRun(key, steps))
        owner.runs[key].goal = {"steps": None if steps is None else result["steps"] + steps, "seconds": None}
        self._take(owner, result)

    async def feed(self, session: str, key: str, opener: Opener, feed: Feed) -> None:
        """Add items to a queue of a run and continue; later workers replay the items."""
        owner = self._owner(session)
        result = await self._do(owner, key, opener, FeedRun(key, feed))
        owner.runs[key].goal = {"steps": None, "seconds": None}
        if (request := owner.openers.get(key)) is not None and request.feeds is not None:
            request.feeds["later"].append(feed)
        self._take(owner, result)

    async def pause(self, session: str, key: str) -> None:
        """Stop recording; an op that blocks is killed with its worker and restarted later."""
        if (owner := self._owners.get(session)) is not None:
            await self._pause(owner, key, "Paused by you")

    async def _pause(self, owner: SessionWorker, key: str, why: str) -> None:
        status = owner.runs.get(key)
        if status is None or not owner.alive or owner.worker is None or not status.active:
            return
        try:
            report = await asyncio.wait_for(owner.worker.do(PauseRun(key, why)), PAUSE_SECONDS)
        except TimeoutError:
            await self._kill_op(owner, key, status, why)
        except (WorkerDied, RunClosed):
            return
        else:
            self._take(owner, report)

    async def _request(
        self, owner: SessionWorker, key: str, opener: Opener, request: Callable[[Worker], Awaitable[R]]
    ) -> R:
        for _ in range(ATTEMPTS):
            with contextlib.suppress(WorkerDied):
                for _ in range(MOST_CLOSINGS):
                    worker = await self._open_worker(owner, key, opener)
                    with contextlib.suppress(RunClosed):
                        async with owner.turns.turn():
                            return await request(worker)
                    owner.opened.discard(key)
                raise memory_error(self.settings.recording_bytes)
        raise owner.killed or crash_error(owner)

    async def wait_until_open(
        self, session: str, key: str, opener: Opener, *, patient: bool, seconds: float | None = None
    ) -> Status | None:
        """The status of a run, which is opened if necessary; waits in the queue only if `patient`."""
        owner = self._owner(session)
        known = self._status(owner, key)
        if known is None or known.active:
            with contextlib.suppress(WorkerDied, LeftQueue):
                opening = self._opening(owner, key, opener)
                await self.run_in_time(opening, session, patient=patient, seconds=seconds)
        return owner.runs.get(key)

    async def run_in_time(
        self, work: asyncio.Task[R], session: str, *, patient: bool, seconds: float | None = None
    ) -> R | None:
        """The result of `work`; None after the timeout, or if impatient and queued."""
        if seconds is None:
            seconds = self.settings.request_time_limit_ms / 1000
        end = time.monotonic() + seconds
        with self._owner(session).hold_position():
            while not work.done() and time.monotonic() < end:
                if not patient and self.slots.before(session) is not None:
                    return None
                await asyncio.wait([work], timeout=seconds if patient else POLL_SECONDS)
        return work.result() if work.done() else None

    async def _open_worker(self, owner: SessionWorker, key: str, opener: Opener) -> Worker:
        """The worker with the run open; cancelling the caller does not cancel the opening."""
        owner.last_used = time.monotonic()
        if key in owner.opened and owner.alive and owner.worker is not None:
            return owner.worker
        return await asyncio.shield(self._opening(owner, key, opener))

    def _opening(self, owner: SessionWorker, key: str, opener: Opener) -> asyncio.Task[Worker]:
        if (task := owner.opening.get(key)) is None:
            task = owner.opening[key] = self._spawn(self._reopen(owner, key, opener))
            task.add_done_callback(lambda _: owner.opening.pop(key, None))
        return task

    async def _reopen(self, owner: SessionWorker, key: str, opener: Opener) -> Worker:
        async with owner.lock:
            if key not in owner.opened or not owner.alive:
                request = owner.openers.get(key) or await opener()
                result = await self._open(owner, request, owner.runs.get(key), owner.links.get(key))
                if result["key"] != key:
                    raise ApiError(
                        410, "outdated", "This was recorded by another version of hloscope.",
                        hint="Load the page again.",
                    )  # fmt: skip
            assert owner.worker is not None
            return owner.worker

    async def _open(
        self,
        owner: SessionWorker,
        request: OpenRequest,
        known: Status | None,
        links: list[LoopLink] | None = None,
    ) -> OpenedRun | RefusedRun:
        worker = await self._worker(owner)
        goal = known.goal if known else first_goal(self.settings)
        task = OpenRun(
            request.name, request.entry, request.inputs, request.previous, request.grid, request.feeds,
            request.start, limits=self._limits, blas_threads=self.settings.blas_thread_count(), goal=goal, build=self._build,
            replay=known.steps if known else request.steps, fault=known.fault if known else None,
            resting=known.resting if known else "", links=links or [],
        )  # fmt: skip
        result = await worker.do(task, [await encode_text(request.text)])
        if result["key"] is not None:
            owner.opened.add(result["key"])
            self._remember(owner, request, result, goal)
        return result

    def _remember(
        self, owner: SessionWorker, request: OpenRequest, result: OpenedRun, goal: GoalInfo | None
    ) -> None:
        key = result["key"]
        if key not in owner.runs:
            steps = max(result["steps"], request.steps)
            owner.runs[key] = Status(result["state"], steps, result["frames"], goal, prints=result["prints"])
        owner.openers[key] = reopen_request(result, request)
        self._take(owner, result)
        if (early := owner.early.pop(key, None)) is not None:
            self._take(owner, early)

    def _take(self, owner: SessionWorker, result: RunReport) -> None:
        status = owner.runs.get(result["key"])
        if status is not None:
            status.take(result)
            self._on_state(owner, result["key"])

    # Sessions and workers.

    def forget_recordings(self, recordings: Iterable[str]) -> None:
        """Drop what is known of recordings without a worker, when a session that has them is deleted."""
        self._answers.forget(recordings)
        self._known_runs.forget(recordings)

    def _owner(self, session: str) -> SessionWorker:
        owner = self._owners.get(session)
        if owner is None:
            self._forget_owners()
            owner = self._owners[session] = SessionWorker(session, self.settings.max_waiting)
        owner.last_used = time.monotonic()
        return owner

    def _forget_owners(self) -> None:
        """Drop sessions that are unused for long; the store has their runs."""
        if len(self._owners) > MOST_SESSIONS:
            old = time.monotonic() - self.settings.session_idle_release_s - FORGET_SECONDS
            for name, owner in list(self._owners.items()):
                if not owner.alive and not owner.lock.locked() and owner.last_used < old:
                    del self._owners[name]

    def _all_owners(self) -> list[SessionWorker]:
        return [*self._owners.values(), *self.checkers.owners]

    async def _worker(self, owner: SessionWorker) -> Worker:
        """The session's worker, started once it has a slot; the caller holds the lock."""
        if owner.worker is None or not owner.alive:
            if owner in self.checkers.owners:
                owner.worker = await self._fork(owner, self.fork_server)
            else:
                owner.worker = await self._fork_in_slot(owner)
            owner.started = time.monotonic()
        return owner.worker

    async def _fork_in_slot(self, owner: SessionWorker) -> Worker:
        forked: Worker | None = None
        while forked is None:
            await self.slots.take(owner.session)
            self._eviction.notify()
            try:
                forked = await self._fork(owner, self.cluster or self.fork_server)
                self.started_workers += 1
            except NoSeat:  # a place was lost: it waits for another slot
                await asyncio.sleep(POLL_SECONDS)
            finally:
                if forked is None:
                    self.slots.release(owner.session)
        return forked

    async def _fork(self, owner: SessionWorker, origin: ForkServer | Cluster) -> Worker:
        owner.stuck = owner.killed = None
        return await origin.fork(owner.listener(self._on_state, self._on_death, self._verifying))

    def _on_crowd(self) -> None:
        self._eviction.start()

    def _on_state(self, owner: SessionWorker, key: str) -> None:
        status = owner.runs[key]
        if status.state["kind"] == "done":
            self._known_runs.ended(key, status)
        if status.active or not status.is_requested:
            self._changed(owner.session, key, status)

    def _on_death(self, owner: SessionWorker) -> None:
        """Record the active runs again, unless they have died too often."""
        if self._closed or owner.session not in self._owners:
            return
        for key, status in owner.runs.items():
            if status.active:
                owner.count_death(status, ATTEMPTS)
                if status.deaths > MOST_DEATHS:
                    self._changed(owner.session, key, owner.fail(key))
                elif key in owner.openers:  # without a request, the next question opens the run
                    self._spawn(self._go_on(owner, key))
        if not owner.recording and not owner.lock.locked():
            self.slots.release(owner.session)

    async def _go_on(self, owner: SessionWorker, key: str) -> None:
        request = owner.openers[key]

        async def known_request() -> OpenRequest:
            return request

        for _ in range(MOST_DEATHS):
            try:
                await self._open_worker(owner, key, known_request)
            except WorkerDied:
                continue
            except ApiError as error:
                log.warning("a run could not continue: %s", error.message)
            break
        self._consider_slot(owner)

    # Watching.

    async def _watch(self) -> None:
        while True:
            await asyncio.sleep(WATCH_SECONDS)
            self.slots.drop_absent(self._has_visitor)
            self._fit_memory()
            if self.cluster is not None:
                self.cluster.want(len(self.slots.holders()) + len(self.slots.waiting))
            for session in self.slots.holders():
                self._consider_slot(self._owners.get(session) or SessionWorker(session))
            for owner in self._all_owners():
                try:
                    await self._consider(owner)
                except Exception:  # an error in one session must not stop the watch over the others
                    log.exception("watching a worker failed")

    def _fit_memory(self) -> None:
        """Have as many slots as memory has room for, unless the setting or the cluster says how many."""
        if self.slots.follows == MEMORY:
            self.slots.resize(self.settings.worker_count(len(self.slots.holders()), memory()))

    def _has_visitor(self, session: str) -> bool:
        """Whether a page or a request waits for the session."""
        owner = self._owners.get(session)
        return self._present(session) or (owner is not None and owner.is_awaited)

    async def _consider(self, owner: SessionWorker) -> None:
        if not owner.alive or owner.worker is None:
            return
        quiet = time.monotonic() - owner.worker.last_heard
        if owner.busy:
            if owner.exceeds_time_limit(quiet, self.settings):
                await owner.stop()
            return
        unused = time.monotonic() - owner.quiet_since
        longest: float = self.settings.session_idle_release_s
        if not self._worked_on(owner.session):
            longest = min(longest, READ_SECONDS if self._present(owner.session) else ABSENT_SECONDS)
        if unused > longest and owner.session in self._owners:
            await self._eviction.release(owner)

    def _consider_slot(self, owner: SessionWorker) -> None:
        """Release the slot of a session whose worker has ended and is not being restarted."""
        starting = (
            owner.lock.locked() or owner.opening or time.monotonic() - owner.last_used < STARTING_SECONDS
        )
        if not owner.alive and not starting:
            self.slots.release(owner.session)

    async def _pause_for_others(self, owner: SessionWorker) -> None:
        """Pause what a session records, whose principal has more slots than those that wait."""
        for key in [key for key, status in owner.runs.items() if status.active]:
            await self._pause(owner, key, "Paused because others wait for a worker,")

    async def _kill_op(self, owner: SessionWorker, key: str, status: Status, why: str) -> None:
        """End the worker during an op; the steps before it are recorded again."""
        line = owner.stuck.get("line") if owner.stuck else None
        where = f"the op at line {line}" if line else "an op"
        status.steps, _ = owner.stuck_at(status.steps)
        reason = f"{why.rstrip(',')}: {where} was stopped, and starts again when you continue."
        status.goal, status.state = None, {"kind": "paused", "reason": reason, "diagnostic": None}
        await owner.stop()
        self._changed(owner.session, key, status)
        self._spawn(self._go_on(owner, key))

    def _spawn(self, work: Coroutine[Any, Any, R]) -> asyncio.Task[R]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._on_done)
        return task

    def _on_done(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        if error is not None and not isinstance(error, WorkerDied | ApiError | LeftQueue):
            log.error("a task failed\n%s", describe_error(error))
