"""One action for many who wait for it, such as bringing what all of them have written onto the disk."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable


class BatchedAction:
    """Calls an action; who calls waits for one that has begun after that, and shares it with all who wait by then."""

    def __init__(self, action: Callable[[], Awaitable[None]]) -> None:
        self._action = action
        self._running: asyncio.Task[None] | None = None
        self._next: asyncio.Task[None] | None = None

    async def __call__(self) -> None:
        """Raises what the action raises. Who stops waiting does not stop the action."""
        if self._next is None:
            self._next = asyncio.create_task(self._act(self._running))
        await asyncio.shield(self._next)

    async def _act(self, before: asyncio.Task[None] | None) -> None:
        if before is not None:
            await asyncio.wait({before})
        self._running, self._next = self._next, None
        await self._action()
