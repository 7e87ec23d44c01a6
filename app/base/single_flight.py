"""The same thing is asked for by many at once: it is found out once, for all of them, and not kept."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Hashable
from typing import Any, Generic, TypeVar

R = TypeVar("R")


class SingleFlight(Generic[R]):
    """What is being found out, by name. Failures are those of all who wait by then, and of nobody who comes after."""

    def __init__(self) -> None:
        self._tasks: dict[Hashable, asyncio.Task[R]] = {}
        self._waiting: dict[asyncio.Task[R], int] = {}

    async def do(self, name: Hashable, work: Callable[[], Coroutine[Any, Any, R]]) -> R:
        """What `work` comes to, begun now unless it is under way by that name.

        Who stops waiting ends nothing for the others; when nobody waits any more, the work is cancelled.
        """
        task = self._tasks.get(name)
        if task is None:
            task = self._tasks[name] = asyncio.create_task(work())
            self._waiting[task] = 0
            task.add_done_callback(lambda done: self._end(name, done))
        self._waiting[task] += 1
        try:
            return await asyncio.shield(task)
        finally:
            self._leave(name, task)

    def _leave(self, name: Hashable, task: asyncio.Task[R]) -> None:
        if task not in self._waiting:
            return
        self._waiting[task] -= 1
        if not self._waiting[task]:
            task.cancel()
            self._end(name, task)

    def _end(self, name: Hashable, task: asyncio.Task[R]) -> None:
        """From now on who asks begins anew."""
        self._waiting.pop(task, None)
        if self._tasks.get(name) is task:
            del self._tasks[name]
