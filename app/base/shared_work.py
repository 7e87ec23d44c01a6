"""Work that concurrent callers share, by name. No result is cached: see `Cache`."""

import asyncio
from collections.abc import Callable, Coroutine, Hashable
from typing import Any, Generic, TypeVar

R = TypeVar("R")
Work = Callable[[], Coroutine[Any, Any, R]]


class SharedWork(Generic[R]):
    """Work in progress. A failure reaches every waiting caller, and no later one.

    A cancelled caller does not affect the others. When no caller is left the work is cancelled, unless
    `outlives_callers`.
    """

    def __init__(self, *, outlives_callers: bool = False) -> None:
        self._outlives_callers = outlives_callers
        self._running: dict[Hashable, asyncio.Task[R]] = {}
        self._next: dict[Hashable, asyncio.Task[R]] = {}
        self._callers: dict[asyncio.Task[R], int] = {}

    async def join(self, name: Hashable, work: Work[R]) -> R:
        """The result of the work in progress, or else of `work`."""
        if (task := self._running.get(name)) is None:
            task = self._running[name] = self._begin(name, work())
        return await self._wait(name, task)

    async def join_next(self, name: Hashable, work: Work[R]) -> R:
        """The result of work that starts after this call, once the work in progress has ended.

        For results that change: work in progress may have read what is now out of date.
        """
        if (task := self._next.get(name)) is None:
            task = self._next[name] = self._begin(name, self._after_current(name, work))
        return await self._wait(name, task)

    async def stop(self) -> None:
        """Cancel all work, and wait for its end."""
        tasks = list(self._callers)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _after_current(self, name: Hashable, work: Work[R]) -> R:
        if (current := self._running.get(name)) is not None:
            await asyncio.wait({current})
        self._running[name] = self._next.pop(name)
        return await work()

    def _begin(self, name: Hashable, work: Coroutine[Any, Any, R]) -> asyncio.Task[R]:
        task = asyncio.create_task(work)
        self._callers[task] = 0
        task.add_done_callback(lambda done: self._end(name, done))
        return task

    async def _wait(self, name: Hashable, task: asyncio.Task[R]) -> R:
        self._callers[task] += 1
        try:
            return await asyncio.shield(task)
        finally:
            self._leave(name, task)

    def _leave(self, name: Hashable, task: asyncio.Task[R]) -> None:
        if task not in self._callers:
            return
        self._callers[task] -= 1
        if not self._callers[task] and not self._outlives_callers:
            task.cancel()
            self._end(name, task)

    def _end(self, name: Hashable, task: asyncio.Task[R]) -> None:
        """Forget the task: the next caller starts the work again."""
        self._callers.pop(task, None)
        for tasks in (self._running, self._next):
            if tasks.get(name) is task:
                del tasks[name]
