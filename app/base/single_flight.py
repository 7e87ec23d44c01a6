"""Deduplicate concurrent calls: callers with the same name share one run of the work; nothing is cached."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Hashable
from typing import Any, Generic, TypeVar

R = TypeVar("R")


class SingleFlight(Generic[R]):
    """Work in progress, by name. A failure reaches every waiting caller, and no later one."""

    def __init__(self) -> None:
        self._tasks: dict[Hashable, asyncio.Task[R]] = {}
        self._waiting: dict[asyncio.Task[R], int] = {}

    async def do(self, name: Hashable, work: Callable[[], Coroutine[Any, Any, R]]) -> R:
        """The result of `work`, started unless work with that name is in progress.

        A cancelled caller does not affect the others; when the last one is cancelled, so is the work.
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
        """Forget the task: the next caller starts the work again."""
        self._waiting.pop(task, None)
        if self._tasks.get(name) is task:
            del self._tasks[name]
