"""What a page shows first, kept of sessions that had to give up their worker: a crowd must not record twice.

Only what is complete is kept: it is named by the key of its recording and never changes.
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
from ..wire.program import ProgramInfo
from ..wire.questions import Answer, Question, json_answer
from ..wire.values import ThumbnailInfo
from .process import Worker

A = TypeVar("A")
MOST_STEPS = 128
"""Steps of the first process whose results are kept as thumbnails."""


@dataclass(frozen=True)
class CachedView:
    """The program, the beginning of the outline, and pictures of the first results."""

    program: Answer[ProgramInfo]
    outline: Answer[bytes]
    steps: int
    thumbnails: dict[str, ThumbnailInfo]

    @property
    def size(self) -> int:
        """Bytes that it takes, nearly."""
        bodies = len(self.program.body) + len(self.outline.body)
        return bodies + sum(len(str(item)) for item in self.thumbnails.values())

    def answer(self, question: Question[Any]) -> Answer[Any] | None:
        """The answer to a question about the recording, if it is kept."""
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
        """Addresses of steps that have no result to be shown."""
        return set(_addresses(self.steps)) - self.thumbnails.keys()


class ViewCache:
    """The answers that pages show first, for the recordings looked at last, up to a number of bytes."""

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes, self._bytes = most_bytes, 0
        self._views: OrderedDict[str, CachedView] = OrderedDict()

    def __contains__(self, key: object) -> bool:
        return key in self._views

    def answer(self, key: str, question: Question[A]) -> Answer[A] | None:
        """The kept answer to a question; `None` if there is none."""
        view = self._views.get(key)
        found = view.answer(question) if view else None
        if found is not None:
            self._views.move_to_end(key)
        return cast(Answer[A] | None, found)

    def keep(self, key: str, view: CachedView) -> None:
        """Keep it, and of the others what there is room for."""
        if key in self._views or view.size > self._most_bytes:
            return
        self._views[key] = view
        self._bytes += view.size
        while self._bytes > self._most_bytes:
            self._bytes -= self._views.popitem(last=False)[1].size


async def fetch_view(worker: Worker, key: str) -> CachedView | None:
    """What `worker` answers; None where that may still change. Raises what any question does."""
    program = await worker.ask(key, ProgramQuestion())
    outline = await worker.ask(key, OutlineQuestion(chunk=0))
    if not (program.final and outline.final):
        return None
    steps = min(int(outline.headers["X-Steps"]), MOST_STEPS)
    pictures = await worker.ask(key, ThumbnailsQuestion(",".join(_addresses(steps))))
    return CachedView(program, outline, steps, pictures.json())


def _addresses(steps: int) -> Sequence[str]:
    """The first result of each of the first steps of the first process."""
    return [str(result(step, 0)) for step in range(steps)]
