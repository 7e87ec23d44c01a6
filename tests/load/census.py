"""How many processes a server has, and what memory they take."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from tests.server_process import descendants, memory_of

SAMPLE_SECONDS = 0.5
LOOK_SHARE = 0.02
"""The share of the time that looks may take: one at 200 workers takes half a second of a core."""
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
        return processor_seconds(self.server)

    def times(self) -> dict[int, float]:
        """Processor time that each process has used: the server's, and those below it."""
        return {pid: processor_seconds(pid) for pid in (self.server, *descendants(self.server))}

    @asynccontextmanager
    async def watching(self) -> AsyncIterator[list[Count]]:
        """The most of each until the block ends: the only item of the list, then."""
        found = [await asyncio.to_thread(self.now)]
        watcher = asyncio.create_task(self._watch(found))
        try:
            yield found
        finally:
            watcher.cancel()
            await asyncio.wait([watcher])
            found[:] = [found[0].most(await asyncio.to_thread(self.now))]

    async def _watch(self, found: list[Count]) -> None:
        while True:
            begin = perf_counter()
            found[:] = [found[0].most(await asyncio.to_thread(self.now))]
            await asyncio.sleep(max(SAMPLE_SECONDS, (perf_counter() - begin) / LOOK_SHARE))


def processor_seconds(pid: int) -> float:
    """Processor time that a process has used; 0 if it has ended."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
