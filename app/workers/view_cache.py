"""Cache of the first views of pages, for sessions whose workers were evicted.

It spares a full server a second recording. Only final answers are cached, by the key of their recording.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from hloscope.engine.debugger.address import result

from ..answers.program import OutlineQuestion, ProgramQuestion
from ..answers.question import split_addresses
from ..answers.values import MOST_THUMBNAILS, ThumbnailsQuestion
from ..processes.worker import Worker
from ..wire.program import ProgramInfo
from ..wire.questions import Answer, Question, json_answer
from ..wire.values import ThumbnailInfo

A = TypeVar("A")
MOST_STEPS = 128
"""Maximum steps of the first process whose results are cached as thumbnails."""


@dataclass(frozen=True)
class CachedView:
    """The program, the start of the outline, and thumbnails of the first results."""

    program: Answer[ProgramInfo]
    outline: Answer[bytes]
    steps: int
    thumbnails: dict[str, ThumbnailInfo]

    @property
    def size(self) -> int:
        """The approximate size in bytes."""
        bodies = len(self.program.body) + len(self.outline.body)
        return bodies + sum(len(str(item)) for item in self.thumbnails.values())

    def answer(self, question: Question[Any]) -> Answer[Any] | None:
        """The cached answer to a question about the recording, or None."""
        match question:
            case ProgramQuestion():
                return self.program
            case OutlineQuestion(chunk=0, process=0):
                return self.outline
            case ThumbnailsQuestion(addresses=text):
                return self._known_thumbnails(split_addresses(text, MOST_THUMBNAILS))
        return None

    def _known_thumbnails(self, addresses: Sequence[str]) -> Answer[dict[str, ThumbnailInfo]] | None:
        if not self.thumbnails.keys() >= set(addresses) - self._empty_addresses():
            return None
        known = (address for address in addresses if address in self.thumbnails)
        return json_answer({address: self.thumbnails[address] for address in known})

    def _empty_addresses(self) -> set[str]:
        """Addresses of steps without a result that can be shown."""
        return set(_addresses(self.steps)) - self.thumbnails.keys()


class ViewCache:
    """First views of the most recently used recordings, up to a number of bytes."""

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes, self._bytes = most_bytes, 0
        self._views: OrderedDict[str, CachedView] = OrderedDict()

    def __contains__(self, key: object) -> bool:
        return key in self._views

    def answer(self, key: str, question: Question[A]) -> Answer[A] | None:
        """The cached answer to a question, or None."""
        view = self._views.get(key)
        found = view.answer(question) if view else None
        if found is not None:
            self._views.move_to_end(key)
        return cast(Answer[A] | None, found)

    def keep(self, key: str, view: CachedView) -> None:
        """Cache a view, and evict the least recently used ones beyond the limit."""
        if key in self._views or view.size > self._most_bytes:
            return
        self._views[key] = view
        self._bytes += view.size
        while self._bytes > self._most_bytes:
            self._bytes -= self._views.popitem(last=False)[1].size


async def fetch_view(worker: Worker, key: str) -> CachedView | None:
    """The first view from `worker`; None if it may still change. Raises as any question."""
    program = await worker.ask(key, ProgramQuestion())
    outline = await worker.ask(key, OutlineQuestion(chunk=0))
    if not (program.final and outline.final):
        return None
    steps = min(int(outline.headers["X-Steps"]), MOST_STEPS)
    pictures = await worker.ask(key, ThumbnailsQuestion(",".join(_addresses(steps))))
    return CachedView(program, outline, steps, pictures.json())


def _addresses(steps: int) -> Sequence[str]:
    """The addresses of the first result of each of the first steps."""
    return [str(result(step, 0)) for step in range(steps)]
