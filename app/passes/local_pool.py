"""A pool that performs tasks in the calling process, for workers that examine whole modules."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..processes.framing import Buffer, Frame
from . import tasks
from .pool import Pool, Reply, Task


class LocalPool(Pool):
    """Perform tasks in this process: faster than a fork for each, but a task that crashes ends the caller too."""

    def __init__(self) -> None:
        super().__init__(1)
        self._kept: dict[str, Frame] = {}

    def keep(self, name: str, message: Mapping[str, Any], buffers: Sequence[Buffer]) -> None:
        self._kept[name] = Frame({**message}, tuple(buffers))

    def run(self, given: Sequence[Task]) -> Iterator[tuple[int, Reply]]:
        for number, task in enumerate(given):
            frame = Frame({"kind": task.kind, "fields": dict(task.fields)}, tuple(task.buffers))
            yield number, Reply(*tasks.perform(frame, self._kept))
