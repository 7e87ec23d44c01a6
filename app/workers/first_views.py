"""The first view of a recording, which answers the first questions of a page without a worker.

It is taken before a worker is evicted, and spares a full server a second recording. Only final answers are kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from hloscope.engine.debugger.address import result

from ..answers.program import OutlineQuestion, ProgramWindowQuestion
from ..answers.question import split_addresses
from ..answers.values import MOST_THUMBNAILS, ThumbnailsQuestion
from ..processes.worker import Worker
from ..wire.program import ProgramWindow
from ..wire.questions import Answer, Question, json_answer
from ..wire.values import ThumbnailInfo

MOST_STEPS = 128
"""Maximum steps of the first process whose results have thumbnails in the view."""


@dataclass(frozen=True)
class FirstView:
    """The first window of the program, the start of the outline, and thumbnails of the first results."""

    program: Answer[ProgramWindow]
    outline: Answer[bytes]
    steps: int
    thumbnails: dict[str, ThumbnailInfo]

    @property
    def size(self) -> int:
        """The approximate size in bytes."""
        bodies = len(self.program.body) + len(self.outline.body)
        return bodies + sum(len(str(item)) for item in self.thumbnails.values())

    def answer(self, question: Question[Any]) -> Answer[Any] | None:
        """The answer to a question about the recording; None if the view does not have it."""
        match question:
            case ProgramWindowQuestion(chunk=0):
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


async def fetch_view(worker: Worker, key: str) -> FirstView | None:
    """The first view from `worker`; None if it may still change. Raises as any question."""
    program = await worker.ask(key, ProgramWindowQuestion(0))
    outline = await worker.ask(key, OutlineQuestion(chunk=0))
    if not (program.final and outline.final):
        return None
    steps = min(int(outline.headers["X-Steps"]), MOST_STEPS)
    pictures = await worker.ask(key, ThumbnailsQuestion(",".join(_addresses(steps))))
    return FirstView(program, outline, steps, pictures.json())


def _addresses(steps: int) -> Sequence[str]:
    """The addresses of the first result of each of the first steps."""
    return [str(result(step, 0)) for step in range(steps)]
