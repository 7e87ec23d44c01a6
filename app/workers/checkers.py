"""The few workers without a session, for checks, quick runs, lessons and files."""

from __future__ import annotations

import contextlib
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict
from typing import TypeVar

from ..base.fair_shares import Turns
from ..base.large_texts import encode_text
from ..base.memory import resident_bytes
from ..base.settings import Settings
from ..lessons.runs import Bounds
from ..processes.framing import Buffer
from ..processes.worker import Worker, WorkerDied
from ..wire.lessons import ChangeResult, LessonSource, ResolvedLesson
from ..wire.playground import DerivedElements, FormState, PlaygroundAnswer
from ..wire.program import CheckResult, QuickRun
from ..wire.sessions import FileMatches
from ..wire.tasks import (
    Check,
    CheckChange,
    EvaluateForm,
    LimitValues,
    MatchFile,
    ResolveLesson,
    RunQuickly,
    Task,
)
from .replies import crash_error
from .session_worker import OpenRequest, SessionWorker

R = TypeVar("R")

ATTEMPTS = 2
"""Maximum number of workers that are tried for a request."""
PLAYGROUND_FLOPS = 1_000_000_000
"""Maximum FLOPs of a playground op: its answer must come while the user types."""
LARGE_TEXT = 4 << 20
"""Text bytes after which a checker ends, if the system cannot report its memory."""
KEPT_BYTES = 192 << 20
"""Maximum resident bytes of a checker: a process returns little memory to the system."""


class Checkers:
    """Gives each task a worker of its own, in fair turns; `start` starts the process of a worker."""

    def __init__(self, settings: Settings, start: Callable[[SessionWorker], Awaitable[Worker]]) -> None:
        self.settings, self._start = settings, start
        self.owners = [SessionWorker(f"check {number}") for number in range(max(1, settings.check_workers))]
        self._turns = Turns(self.owners, settings.max_waiting)
        self._limits: LimitValues = asdict(settings.limits())

    async def warm_up(self) -> None:
        """Start the first worker before a request needs it."""
        async with self.owners[0].lock:
            await self._start(self.owners[0])

    async def check(self, text: str, name: str, entry: str | None) -> CheckResult:
        """The diagnostics and entries of a program."""
        return await self._do(Check(name, entry, self._limits), [await encode_text(text)])

    async def quick_run(self, text: str, name: str) -> QuickRun:
        """The steps of a small program, run to its end."""
        settings = self.settings
        memory = min(settings.trial_memory_bytes, settings.session_memory_bytes)
        limits = self._limits | {"session_memory_bytes": memory}
        task = RunQuickly(name, limits, settings.trial_step_limit, settings.trial_time_limit_ms)
        return await self._do(task, [await encode_text(text)])

    async def playground(self, op: str, state: FormState, derive: DerivedElements | None) -> PlaygroundAnswer:
        """The program, values and index maps of an op's form, or its errors."""
        settings = self.settings
        memory = min(settings.trial_memory_bytes, settings.session_memory_bytes)
        flops = min(PLAYGROUND_FLOPS, settings.op_flops)
        limits = self._limits | {"session_memory_bytes": memory, "op_flops": flops}
        task = EvaluateForm(
            op, state, limits, settings.playground_elements, settings.trial_step_limit,
            settings.trial_time_limit_ms, derive,
        )  # fmt: skip
        return await self._do(task, [])

    async def lesson(self, source: LessonSource) -> ResolvedLesson:
        """A lesson with the recordings of its programs, or its errors."""
        bounds = Bounds.of_lesson(self.settings)
        limits: LimitValues = asdict(bounds.limits)
        return await self._do(ResolveLesson(source, limits, bounds.steps, bounds.milliseconds), [])

    async def change(self, source: LessonSource, step: str, text: str) -> ChangeResult:
        """Whether a student's program passes the exercise of a step."""
        bounds = Bounds.of_trial(self.settings)
        task = CheckChange(source, step, asdict(bounds.limits), bounds.steps, bounds.milliseconds)
        return await self._do(task, [await encode_text(text)])

    async def file(self, path: str, name: str, program: OpenRequest | None) -> FileMatches:
        """The arrays of an uploaded file, named `name` in errors, and the arguments they fit."""
        entry = program.entry if program else None
        text = [await encode_text(program.text)] if program else []
        return await self._do(MatchFile(path, name, "", entry, self._limits), text)

    async def _do(self, task: Task[R], buffers: Sequence[Buffer]) -> R:
        async with self._turns.turn() as owner:
            return await self._do_with(owner, task, buffers)

    async def _do_with(self, owner: SessionWorker, task: Task[R], buffers: Sequence[Buffer]) -> R:
        for _ in range(ATTEMPTS):
            async with owner.lock:
                worker = await self._start(owner)
            with contextlib.suppress(WorkerDied):
                try:
                    return await worker.do(task, buffers)
                finally:
                    await self._consider_memory(owner, worker, sum(map(len, buffers)))
            if owner.killed:
                break
        raise owner.killed or crash_error(None)

    async def _consider_memory(self, owner: SessionWorker, worker: Worker, text_bytes: int) -> None:
        """End a worker that holds too much memory; a new one is forked in milliseconds."""
        resident = resident_bytes(worker.pid)
        large = text_bytes > LARGE_TEXT if resident is None else resident > KEPT_BYTES
        if not large:
            return
        async with owner.lock:
            if owner.worker is worker and not worker.waiting:
                owner.leave()
                await worker.stop()
