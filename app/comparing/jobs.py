"""Compare runs with a second engine: separate processes, in sequence, with a time limit."""

import asyncio
import logging
import os
import secrets
import tempfile
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, cast

from ..base.errors import ApiError, not_found
from ..base.large_texts import encode_text
from ..base.settings import Settings
from ..processes.child_process import passed_on
from ..processes.worker import WorkerDied, perform_in_child
from ..sessions.sessions import Sessions
from ..store.files import file_pieces
from ..wire.encoding import encoded
from ..wire.engines import CompareRun, DoingEvent, EngineJob, EngineList
from ..wire.sessions import LaterStart
from ..workers.session_worker import OpenRequest
from ..xla.engine import XlaEngine
from ..xla.failures import XlaFailed
from ..xla.platforms import CPU, DEFAULT

log = logging.getLogger("hloscope")

MODULE = "hloscope.app.comparing.job"
GRACE_SECONDS = 15.0
"""Grace period after the time limit in which a process may report its results."""
MOST_JOBS = 64
"""Maximum number of jobs kept; the oldest finished jobs are evicted first."""
OF_DEVICES = ("CUDA_", "HIP_", "JAX_", "ROCR_", "TPU_", "XLA_")
"""Prefixes of the environment variables that select and configure devices."""
NAMED = (CPU, "gpu", "tpu")
"""The platforms that a comparison can name."""


@dataclass
class _Job:
    session: str
    against: str
    start_at: int | str | None = None
    records: bool = False
    start: LaterStart | None = None
    """The start of a run from its values, once it is done."""
    began: float = field(default_factory=time.monotonic)
    ended: float | None = None
    state: Any = "waiting"
    doing: str = "waiting for its turn"
    file: str | None = None
    message: str = ""
    hint: str = ""
    task: asyncio.Task[None] | None = None

    def end(self, state: str, message: str = "", hint: str = "") -> None:
        self.ended, self.state, self.doing = time.monotonic(), state, ""
        self.message, self.hint = message, hint

    def to_json(self, id: str) -> EngineJob:
        return encoded(
            EngineJob, self, id=id, seconds=round((self.ended or time.monotonic()) - self.began, 1)
        )


class EngineJobs:
    """The jobs of a server, on one event loop. `serves_others`: not only for the local user."""

    def __init__(self, settings: Settings, sessions: Sessions, *, serves_others: bool) -> None:
        self._settings, self._sessions, self._serves_others = settings, sessions, serves_others
        self._jobs: dict[str, _Job] = {}
        self._found: asyncio.Task[dict[str, list[str]]] | None = None
        self._turn = asyncio.Semaphore(max(1, settings.max_second_engines))

    async def engines(self) -> EngineList:
        """The platforms that jax finds here, detected once; `ApiError` without a second engine."""
        self._check_allowed()
        if self._found is None:
            self._found = asyncio.create_task(asyncio.to_thread(_platforms))
        found = await asyncio.shield(self._found)
        names = sorted(found, key=lambda name: (name != CPU, name))
        return {
            "engines": [
                {"name": "xla" if name == CPU else name, "devices": found[name]}
                for name in names
                if name in NAMED
            ]
        }

    async def start(
        self,
        session: str,
        number: int,
        against: str,
        start_at: int | str | None = None,
        *,
        records: bool = False,
    ) -> EngineJob:
        """Create a job for a session's run: a comparison, a later start, or the values of the whole run.

        `ApiError` if this server has no second engine.
        """
        self._check_allowed()
        request = await self._sessions.request_of(session, number)
        self._forget_ended()
        if len(self._jobs) >= MOST_JOBS:
            raise ApiError(503, "busy", "Too many comparisons with XLA are waiting.", hint="Try again later.")
        id, job = secrets.token_urlsafe(16), _Job(session, against, start_at, records)
        self._jobs[id] = job
        job.task = asyncio.create_task(self._run(job, request))
        return job.to_json(id)

    async def finished(self, session: str, id: str) -> EngineJob:
        """A job of a session once it has ended."""
        task = self._job(session, id).task
        if task is not None:
            await asyncio.wait([task])
        return self.status(session, id)

    def status(self, session: str, id: str) -> EngineJob:
        """The progress of a session's job."""
        return self._job(session, id).to_json(id)

    def start_of(self, session: str, id: str) -> LaterStart:
        """The start of a run from a job's values; `ApiError` if it has computed none."""
        found = self._job(session, id).start
        if found is None or self._job(session, id).state != "done":
            raise not_found("start")
        return found

    def cancel(self, session: str, id: str) -> None:
        """End a job; a finished one stays as it is."""
        job = self._job(session, id)
        if job.task is not None and job.ended is None:
            job.task.cancel()

    async def close(self) -> None:
        """End all of them."""
        tasks = [job.task for job in self._jobs.values() if job.task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _job(self, session: str, id: str) -> _Job:
        job = self._jobs.get(id)
        if job is None or job.session != session:
            raise not_found("comparison")
        return job

    def _check_allowed(self) -> None:
        if self._settings.allows_second_engine(serves_others=self._serves_others):
            return
        raise ApiError(
            403, "setting", "This server does not run programs with XLA.", limit="second_engine",
            hint="The setting second_engine allows it: yes, no, or empty for a server of one's own alone. "
            "`hloscope compare FILE --against xla` does it on the command line.",
        )  # fmt: skip

    def _forget_ended(self) -> None:
        ended = [id for id, job in self._jobs.items() if job.ended is not None]
        for id in ended[: max(0, len(self._jobs) - MOST_JOBS + 1)]:
            del self._jobs[id]

    # One job.

    async def _run(self, job: _Job, request: OpenRequest) -> None:
        try:
            async with self._turn:
                job.state, job.doing = "running", "starting"
                with tempfile.TemporaryDirectory(prefix="hloscope-engine-") as folder:
                    await self._compare(job, request, Path(folder) / "values.npz")
        except asyncio.CancelledError:
            job.end("cancelled", "The comparison was cancelled.")
        except ApiError as error:
            job.end("failed", error.message, error.hint or "")
        except Exception:
            log.exception("a comparison with a second engine failed")
            job.end("failed", "hloscope made a mistake; its log says which.")

    async def _compare(self, job: _Job, request: OpenRequest, file: Path) -> None:
        def hear(event: object) -> None:
            found = cast(DoingEvent, event)
            if found["event"] == "doing":
                job.doing = found["doing"]

        task = self._task(job, request, file)
        try:
            found = await perform_in_child(
                MODULE, task, [await encode_text(request.text)], seconds=task.seconds + GRACE_SECONDS,
                environment=passed_on() | _of_devices(), on_event=hear,
            )  # fmt: skip
        except TimeoutError:
            job.end(
                "failed",
                f"The comparison with XLA took more than {task.seconds:g} s.",
                "The setting second_engine_time_limit_ms says how long it may take.",
            )
        except WorkerDied:
            job.end(
                "failed",
                "The process that compares with XLA has ended: it may need more memory than there is.",
            )
        else:
            job.doing = "keeping the values"
            job.file = kept = await self._sessions.keep_file(job.session, file_pieces(file))
            job.start = found["start"]
            if job.start is not None:
                job.start["values"] = [{**value, "file": kept} for value in job.start["values"]]
            job.end("done", found["sentence"])

    def _task(self, job: _Job, request: OpenRequest, file: Path) -> CompareRun:
        settings = self._settings
        return CompareRun(
            request.name,
            request.entry,
            request.inputs,
            request.grid,
            request.feeds,
            asdict(settings.limits()),
            job.against,
            job.start_at,
            job.records,
            settings.second_engine_time_limit_ms / 1000,
            settings.second_engine_rlimit_as_bytes,
            settings.compilation_cache_bytes,
            min(settings.max_upload_bytes, settings.session_memory_bytes) // 2,
            str(file),
        )


def _of_devices() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name.startswith(OF_DEVICES)}


def _platforms() -> dict[str, list[str]]:
    """The devices of this machine by platform; none without jax."""
    try:
        with XlaEngine(platform=DEFAULT) as engine:
            return engine.platforms()
    except XlaFailed:
        return {}
