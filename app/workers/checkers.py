"""The few workers that belong to no session: they check, try and read what has none yet."""

from __future__ import annotations

import contextlib
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict
from typing import Any

from ..large_texts import encoded
from ..memory import resident_bytes
from ..settings import Settings
from .framing import Buffer
from .process import Worker, WorkerDied
from .replies import crashed, result_of
from .seat import OpenRequest, Seat

JSON = dict[str, Any]

ATTEMPTS = 2
PLAYGROUND_FLOPS = 1_000_000_000
"""What one op of the playground may need: its answer must come while one types."""
LARGE_TEXT = 4 << 20
"""Bytes of a text after which a checker ends, where the system does not say how much memory it has kept."""
KEPT_BYTES = 192 << 20
"""Memory with which a checker may go on; of what a large program took, little would go back while it lives."""


class Checkers:
    """Asks whichever worker has the least to do; `start` gives a seat its worker."""

    def __init__(self, settings: Settings, start: Callable[[Seat], Awaitable[Worker]]) -> None:
        self.settings, self._start = settings, start
        self.seats = [Seat(f"check {number}") for number in range(max(1, settings.check_workers))]
        self._limits = asdict(settings.limits())

    async def warm_up(self) -> None:
        """Start one, so that nobody waits for it."""
        async with self.seats[0].lock:
            await self._start(self.seats[0])

    async def check(self, text: str, name: str, entry: str | None) -> JSON:
        """What is wrong with a program."""
        parameters = {"name": name, "entry": entry, "limits": self._limits}
        return await self._ask("check", parameters, [await encoded(text)])

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
        return await self._ask("trial", parameters, [await encoded(text)])

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
        return await self._ask("playground", parameters, [])

    async def file(self, path: str, name: str, program: OpenRequest | None) -> JSON:
        """The arrays of an uploaded file, which its user calls `name`, and the arguments that they fit."""
        entry = program.entry if program else None
        parameters = {"path": path, "called": name, "name": "", "entry": entry, "limits": self._limits}
        return await self._ask("file", parameters, [await encoded(program.text)] if program else [])

    async def _ask(self, method: str, parameters: JSON, buffers: Sequence[Buffer]) -> JSON:
        seat = min(self.seats, key=lambda seat: seat.worker.waiting if seat.worker else 0)
        for _ in range(ATTEMPTS):
            async with seat.lock:
                worker = await self._start(seat)
            with contextlib.suppress(WorkerDied):
                try:
                    return result_of(await worker.request(method, parameters, buffers))
                finally:
                    await self._consider_memory(seat, worker, sum(map(len, buffers)))
            if seat.killed:
                break
        raise seat.killed or crashed(None)

    async def _consider_memory(self, seat: Seat, worker: Worker, text_bytes: int) -> None:
        """End a worker that keeps much of what it took: the next one is forked in milliseconds."""
        resident = resident_bytes(worker.pid)
        large = text_bytes > LARGE_TEXT if resident is None else resident > KEPT_BYTES
        if not large:
            return
        async with seat.lock:
            if seat.worker is worker and not worker.waiting:
                seat.leave()
                await worker.stop()
