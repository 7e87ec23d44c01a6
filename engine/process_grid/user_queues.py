"""Queues between a run and its user: infeed, and transfers from the host. Both ends only append."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ..entry import is_of
from ..errors import RunError
from ..ir.types import Type
from ..ops.core.exchanges import Array, Arrays
from ..ops.core.values import is_tuple
from .launch import QueueKey


class Queues:
    """Items that the user has put into queues; the run tracks which are taken."""

    def __init__(self, feeds: Mapping[QueueKey, Sequence[Arrays]]) -> None:
        self.items: dict[QueueKey, list[Arrays]] = {key: list(items) for key, items in feeds.items()}

    def add(self, queue: QueueKey, items: Sequence[Arrays]) -> None:
        """Append items to a queue."""
        self.items.setdefault(queue, []).extend(items)

    def queue_for(self, queue: QueueKey) -> QueueKey:
        """The queue that a process takes from: its own if it has one, else the shared one."""
        return queue if queue in self.items else replace(queue, process=None)

    def item(self, queue: QueueKey, number: int, types: Sequence[Type]) -> Arrays | None:
        """Item `number` of a queue, `None` if it is missing; `RunError` if it does not have `types`."""
        items = self.items.get(queue, [])
        if number >= len(items):
            return None
        item = items[number]
        fits = len(item) == len(types) and all(map(is_of, item, types))
        if not fits:
            found = ", ".join(map(_describe, item)) or "nothing"
            wanted = ", ".join(map(str, types)) or "nothing"
            raise RunError(f"item {number} of the {queue} is {found}, but {wanted} is taken from it")
        return item


def _describe(value: Array) -> str:
    if is_tuple(value):
        return "a tuple"
    return f"{value.dtype}{list(value.shape)}"
