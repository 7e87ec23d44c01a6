"""Examinations of dumps: their queue, the progress of each, and its results so far."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import cast

from ...base.errors import ApiError, over_limit
from ...base.settings import Settings
from ...store.dumps import DumpRecord
from ...wire import dumps as wire
from ...wire.dump_questions import ExamineDump
from ...wire.encoding import encoded
from .readers import DumpReaders

log = logging.getLogger("hloscope")
POLL_SECONDS = 10.0
"""Timeout for a request that waits for news, in seconds."""
KEPT = 32
"""Maximum number of finished examinations kept here; the store keeps their results."""
ACTIVE: tuple[wire.ExaminationKind, ...] = ("waiting", "texts", "runs")


class Examination:
    """The progress of one examination. Each change has a higher version than the one before."""

    def __init__(
        self, total: int, wishes: wire.ExaminationWishes, kind: wire.ExaminationKind = "none"
    ) -> None:
        self.total, self.wishes, self.kind = total, wishes, kind
        # In milliseconds, so that versions from before a restart of the server are lower than all later ones.
        self.version = time.time_ns() // 1_000_000
        self.reason = self.sentence = ""
        self.first_wrong: wire.FirstWrong | None = None
        self._found: dict[tuple[int, int], tuple[int, wire.StageFound]] = {}
        self._inputs: dict[int, wire.InputsMade] = {}
        self._problems: dict[int, wire.ModuleProblem] = {}
        self._news = asyncio.Event()

    @classmethod
    def of(cls, kept: wire.ExaminationProgress) -> Examination:
        """Load an examination from the store."""
        found = cls(kept["total"], kept["wishes"], kept["kind"])
        found.sentence, found.first_wrong, found.reason = (
            kept["sentence"],
            kept["first_wrong"],
            kept["reason"],
        )
        found._found = {(each["module"], each["stage"]): (found.version, each) for each in kept["found"]}
        found._inputs = {each["module"]: each for each in kept["inputs"]}
        found._problems = {each["module"]: each for each in kept["problems"]}
        return found

    @property
    def is_active(self) -> bool:
        """Whether more news will come."""
        return self.kind in ACTIVE

    def stage(self, module: int, stage: int) -> wire.StageFound | None:
        """Record the report of a stage."""
        known = self._found.get((module, stage))
        return known[1] if known else None

    def become(self, kind: wire.ExaminationKind, reason: str = "") -> None:
        """Enter another phase, or end."""
        self.kind, self.reason = kind, reason
        self._tell()

    def hear(self, event: wire.DumpEvent) -> None:
        """Handle an event of the examining process."""
        if event["event"] == "stages":
            if self.is_active:
                self.kind = event["phase"]
            self.sentence, self.first_wrong = event["sentence"], event["first_wrong"]
            for each in event["stages"]:
                self._found[each["module"], each["stage"]] = (self.version + 1, each)
        elif event["event"] == "inputs":
            made: wire.InputsMade = {
                "module": event["module"],
                "origin": event["origin"],
                "types": event["types"],
            }
            if "original_values" in event:
                made["original_values"] = event["original_values"]
            self._inputs[event["module"]] = made
        else:
            told: wire.ModuleProblem = {
                "module": event["module"], "message": event["message"], "hint": event["hint"],
            }  # fmt: skip
            self._problems[event["module"]] = told
        self._tell()

    def _tell(self) -> None:
        self.version += 1
        self._news.set()
        self._news = asyncio.Event()

    def progress(self, seen: int = 0) -> wire.ExaminationProgress:
        """All changes since a version."""
        runs = self.kind not in ("texts", "waiting", "none")
        done = sum(found["has_run"] or not runs for _, found in self._found.values())
        return encoded(
            wire.ExaminationProgress,
            self,
            done=done,
            found=[found for version, found in self._found.values() if version > seen],
            inputs=list(self._inputs.values()),
            problems=list(self._problems.values()),
        )

    async def news(self, seen: int) -> wire.ExaminationProgress:
        """The same as soon as there is a change, or after a timeout."""
        if seen > self.version:  # from before a restart, at which the clock was set back
            seen = 0
        if self.version == seen and self.is_active:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._news.wait(), POLL_SECONDS)
        return self.progress(seen)


class Examinations:
    """The examinations of this server: a limited number at a time, the others queued in order."""

    def __init__(
        self, settings: Settings, readers: DumpReaders,
        keep: Callable[[str, wire.ExaminationProgress], Awaitable[None]],
    ) -> None:  # fmt: skip
        """`keep` stores the results of a dump."""
        self.settings, self._readers, self._keep = settings, readers, keep
        self._turn = asyncio.Semaphore(max(1, settings.max_active_dumps))
        self._known: OrderedDict[str, Examination] = OrderedDict()
        self._tasks: dict[str, asyncio.Task[None]] = {}

    def of(self, record: DumpRecord) -> Examination:
        """The examination of a dump: the running one, the stored one, or none."""
        found = self._known.get(record.id_hash)
        if found is None:
            total = sum(len(module["stages"]) for module in record.contents["modules"])
            found = Examination.of(record.found) if record.found else Examination(total, record.wishes)
            self._remember(record.id_hash, found)
        return found

    def _remember(self, dump: str, found: Examination) -> None:
        self._known[dump] = found
        self._known.move_to_end(dump)
        over = [known for known, each in self._known.items() if not each.is_active]
        for known in over[: max(0, len(over) - KEPT)]:
            del self._known[known]

    def start(self, record: DumpRecord, path: Path, inputs: str) -> Examination:
        """Start a new examination of a dump; `ApiError` if the queue is full."""
        waiting = sum(each.kind == "waiting" for each in self._known.values())
        if self._turn.locked() and waiting >= self.settings.max_waiting:
            message = f"{waiting:,} dumps wait to be examined already."
            raise over_limit(503, "max_waiting", self.settings.max_waiting, message)
        total = sum(len(module["stages"]) for module in record.contents["modules"])
        found = Examination(total, record.wishes, "waiting")
        found.version = max(found.version, self.of(record).version + 1)
        self._remember(record.id_hash, found)
        task = asyncio.create_task(self._examine(record, path, inputs, found))
        self._tasks[record.id_hash] = task
        task.add_done_callback(lambda done: self._forget_task(record.id_hash, done))
        return found

    def _forget_task(self, dump: str, task: asyncio.Task[None]) -> None:
        if self._tasks.get(dump) is task:
            del self._tasks[dump]

    async def cancel(self, dump: str) -> None:
        """Cancel a running examination; its processes end."""
        task = self._tasks.get(dump)
        if task is None:
            return
        task.cancel()
        await asyncio.wait([task])
        known = self._known.get(dump)
        if known is not None and known.is_active:
            known.become("stopped", "It was stopped.")

    def runs(self, dump: str) -> bool:
        """Whether one of the dump runs or waits here."""
        return dump in self._tasks

    async def stop(self) -> None:
        """Cancel all."""
        for dump in list(self._tasks):
            await self.cancel(dump)

    def forget(self, dump: str) -> None:
        """Drop the examination of a deleted dump."""
        self._known.pop(dump, None)

    async def _examine(self, record: DumpRecord, path: Path, inputs: str, found: Examination) -> None:
        async with self._turn:
            found.become("texts")
            try:
                found.sentence = await self._run(record, path, inputs, found)
            except ApiError as error:
                found.become("failed", " ".join(part for part in (error.message, error.hint) if part))
                return
            except TimeoutError:
                limit = self.settings.dump_time_limit_s
                found.become(
                    "failed", f"It took longer than {limit:,} s and was stopped (dump_time_limit_s)."
                )
                return
            found.become("done")
            try:
                await self._keep(record.id_hash, found.progress())
            except ApiError as error:
                log.warning("what was found of a dump is not kept: %s", error.message)

    async def _run(self, record: DumpRecord, path: Path, inputs: str, found: Examination) -> str:
        wishes, settings = record.wishes, self.settings
        task = ExamineDump(
            wishes["seed"], inputs, wishes["file_name"], wishes["module"], settings.dump_processes,
            settings.worker_rlimit_as_bytes,
        )  # fmt: skip

        def hear(event: object) -> None:
            if cast(wire.DumpEvent, event)["event"] in ("stages", "inputs", "problem"):
                found.hear(cast(wire.DumpEvent, event))

        async with self._readers.process(path, record.name, hear) as (worker, _):
            return await asyncio.wait_for(worker.do(task), settings.dump_time_limit_s or None)
