"""Final answers about recordings, which no longer need a worker.

A recording never changes, and its key names the program, the inputs and the engine's code. An answer about several values
is kept as answers about each: two readers rarely ask for the same ones together.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar

from hloscope.engine.debugger.address import result

from ..answers.program import OutlineQuestion, ProgramWindowQuestion
from ..answers.question import BadQuestion, RecordingQuestion, SeveralQuestion
from ..answers.values import ThumbnailsQuestion
from ..base.cache import drop_about
from ..base.fair_cache import FairCache
from ..processes.worker import Worker
from ..wire.questions import Answer, Question

A = TypeVar("A")
LARGEST_PART = 8
"""Maximum share of the memory for one answer, as a divisor."""
ENTRY_BYTES = 500
"""Approximate bytes of an entry without its answer."""
MOST_STEPS = 128
"""Maximum steps of the first process whose results have thumbnails in the first view."""


class KnownAnswers:
    """Up to `most_bytes` of answers, which principals share; the least recently used of one are dropped first."""

    def __init__(self, most_bytes: int) -> None:
        self._largest = most_bytes // LARGEST_PART
        self._known = FairCache[tuple[str, str], Answer[Any]](most_bytes, _size)

    def find(self, key: str, question: Question[A]) -> Answer[A] | None:
        """The answer to a question about a recording, or None."""
        if not isinstance(question, SeveralQuestion):
            return self._known.get((key, repr(question)))
        try:
            parts = question.parts()
        except BadQuestion:
            return None  # a worker says why
        known = [self._known.get((key, repr(part))) for part in parts]
        found = [answer for answer in known if answer is not None]
        return question.join(found) if len(found) == len(known) else None

    def keep(self, key: str, question: Question[A], answer: Answer[A]) -> None:
        """Keep an answer, if it is final. Those about two recordings are not kept."""
        if not answer.final or not isinstance(question, RecordingQuestion):
            return
        if isinstance(question, SeveralQuestion):
            parts, answers = question.parts(), question.split(answer)
        else:
            parts, answers = [question], [answer]
        for part, known in zip(parts, answers, strict=True):
            if _size(known) <= self._largest:
                self._known[key, repr(part)] = known

    async def keep_first_view(self, worker: Worker, key: str) -> None:
        """Ask a worker what a page asks first, unless it is known; it ends soon, and others wait. Raises as any question."""
        await self._ask(worker, key, ProgramWindowQuestion(0))
        outline = await self._ask(worker, key, OutlineQuestion(chunk=0))
        steps = range(min(int(outline.headers["X-Steps"]), MOST_STEPS))
        await self._ask(worker, key, ThumbnailsQuestion(",".join(str(result(step, 0)) for step in steps)))

    async def _ask(self, worker: Worker, key: str, question: Question[A]) -> Answer[A]:
        known = self.find(key, question)
        if known is None:
            known = await worker.ask(key, question)
            self.keep(key, question, known)
        return known

    def forget(self, recordings: Iterable[str]) -> None:
        """Drop all answers about these recordings."""
        drop_about(self._known, recordings)


def _size(answer: Answer[Any]) -> int:
    return ENTRY_BYTES + len(answer.body)
