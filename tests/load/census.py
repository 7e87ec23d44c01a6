"""How many processes a server has, and what memory they take."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.server_process import descendants, memory_of

SAMPLE_SECONDS = 0.5
MEBIBYTE = 1 << 20


@dataclass(frozen=True)
class Count:
    """One look: workers, and bytes; what processes share counts in parts."""

    workers: int
    server_bytes: int
    worker_bytes: int

    @property
    def bytes(self) -> int:
        """Of all processes."""
        return self.server_bytes + self.worker_bytes

    def most(self, other: Count) -> Count:
        """The larger of each."""
        return Count(
            max(self.workers, other.workers),
            max(self.server_bytes, other.server_bytes),
            max(self.worker_bytes, other.worker_bytes),
        )

    def lines(self) -> list[tuple[str, str]]:
        """What to print."""
        return [
            ("worker processes", f"{self.workers}"),
            ("memory of the server", f"{self.server_bytes / MEBIBYTE:,.0f} MiB"),
            ("memory of its workers", f"{self.worker_bytes / MEBIBYTE:,.0f} MiB"),
        ]


class Census:
    """Looks at a server and all processes below it."""

    def __init__(self, server: int) -> None:
        self.server = server

    def now(self) -> Count:
        """What there is; the process that workers are forked from is none of them, but its memory counts."""
        below = descendants(self.server)
        return Count(max(0, len(below) - 1), memory_of(self.server), sum(map(memory_of, below)))

    @property
    def server_seconds(self) -> float:
        """Processor time that the server's own process has used."""
        fields = Path(f"/proc/{self.server}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    @asynccontextmanager
    async def watching(self) -> AsyncIterator[list[Count]]:
        """The most of each until the block ends: the only item of the list, then."""
        found = [self.now()]
        watcher = asyncio.create_task(self._watch(found))
        try:
            yield found
        finally:
            watcher.cancel()
            await asyncio.wait([watcher])
            found[:] = [found[0].most(self.now())]

    async def _watch(self, found: list[Count]) -> None:
        while True:
            await asyncio.sleep(SAMPLE_SECONDS)
            found[:] = [found[0].most(self.now())]
