"""What a page shows first, kept of sessions that had to give up their worker: a crowd must not record twice.

Only what is complete is kept: it is named by the key of its recording and never changes.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any

from .framing import Frame
from .process import Worker

JSON = dict[str, Any]

MOST_STEPS = 128
"""Steps of the first process whose results are kept as thumbnails."""


@dataclass(frozen=True)
class FirstView:
    """The program, the beginning of the outline, and pictures of the first results."""

    program: Frame
    outline: Frame
    steps: int
    thumbnails: JSON

    @property
    def size(self) -> int:
        """Bytes that it takes, nearly."""
        bodies = sum(len(frame.buffers[0]) for frame in (self.program, self.outline))
        return bodies + sum(len(str(item)) for item in self.thumbnails.values())

    def answer(self, question: str, parameters: JSON) -> Frame | None:
        """The answer to a question about the recording, if it is kept."""
        match question:
            case "program":
                return self.program
            case "outline" if (parameters["chunk"], parameters.get("process", 0)) == (0, 0):
                return self.outline
            case "thumbnails" if self.thumbnails.keys() >= set(parameters["addresses"]) - self._empty():
                return self._thumbnails(parameters["addresses"])
        return None

    def _empty(self) -> set[str]:
        """Addresses of steps that have no result to be shown."""
        return set(_addresses(self.steps)) - self.thumbnails.keys()

    def _thumbnails(self, addresses: list[str]) -> Frame:
        found = {address: self.thumbnails[address] for address in addresses if address in self.thumbnails}
        described = {"type": "application/json", "final": True, "headers": {}}
        return Frame({"answer": described}, (json.dumps(found).encode(),))


class FirstViews:
    """Those of the recordings that were looked at last, so many bytes of them."""

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes, self._bytes = most_bytes, 0
        self._views: OrderedDict[str, FirstView] = OrderedDict()

    def __contains__(self, key: object) -> bool:
        return key in self._views

    def answer(self, key: str, question: str, parameters: JSON) -> Frame | None:
        """What is kept as an answer."""
        view = self._views.get(key)
        found = view.answer(question, parameters) if view else None
        if found is not None:
            self._views.move_to_end(key)
        return found

    def keep(self, key: str, view: FirstView) -> None:
        """Keep it, and of the others what there is room for."""
        if key in self._views or view.size > self._most_bytes:
            return
        self._views[key] = view
        self._bytes += view.size
        while self._bytes > self._most_bytes:
            self._bytes -= self._views.popitem(last=False)[1].size


async def first_view(worker: Worker, key: str) -> FirstView | None:
    """What `worker` answers; None where that may still change. `WorkerDied` as for any request."""
    program = await worker.request("program", {"key": key})
    outline = await worker.request("outline", {"key": key, "chunk": 0})
    if not (_final(program) and _final(outline)):
        return None
    steps = min(int(outline.message["answer"]["headers"]["X-Steps"]), MOST_STEPS)
    pictures = await worker.request("thumbnails", {"key": key, "addresses": _addresses(steps)})
    if "answer" not in pictures.message:
        return None
    return FirstView(program, outline, steps, json.loads(bytes(pictures.buffers[0])))


def _addresses(steps: int) -> list[str]:
    return [f"0.s{step}.0" for step in range(steps)]


def _final(frame: Frame) -> bool:
    return bool((frame.message.get("answer") or {}).get("final"))
