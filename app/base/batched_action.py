"""One action shared by many callers, such as syncing to disk what all of them have written."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable


class BatchedAction:
    """Callers join the next run of the action, never one already in progress."""

    def __init__(self, action: Callable[[], Awaitable[None]]) -> None:
        self._action = action
        self._running: asyncio.Task[None] | None = None
        self._next: asyncio.Task[None] | None = None

    async def __call__(self) -> None:
        """Await the next run; raises what the action raises. Cancelling the wait does not cancel the action."""
        if self._next is None:
            self._next = asyncio.create_task(self._act(self._running))
        await asyncio.shield(self._next)

    async def _act(self, before: asyncio.Task[None] | None) -> None:
        if before is not None:
            await asyncio.wait({before})
        self._running, self._next = self._next, None
        await self._action()
