"""The resident memory of processes, and the release of freed memory to the system."""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import os
from functools import cache
from pathlib import Path
from typing import Any

GROWN_BYTES = 16 << 20
TRIM_SECONDS = 5.0


def resident_bytes(pid: int) -> int | None:
    """Resident memory of a process in bytes, shared pages included; None where the system does not report it."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    return None


def trim() -> None:
    """Return freed memory to the system: the C library keeps much of what a large text took."""
    if (found := _malloc_trim()) is not None:
        found(0)


@cache
def _malloc_trim() -> Any:
    with contextlib.suppress(OSError, AttributeError, TypeError):
        return ctypes.CDLL(None).malloc_trim
    return None


class Trimmer:
    """Trims this process after it has grown, checked every few seconds off the event loop."""

    def __init__(self) -> None:
        self._after = 0
        """Resident bytes after the last trim, all of them in use then."""

    def consider(self) -> None:
        """Trim if this process has grown enough since the last time."""
        now = resident_bytes(os.getpid())
        if now is not None and now > self._after + GROWN_BYTES:
            trim()
            self._after = resident_bytes(os.getpid()) or 0

    async def run(self) -> None:
        """Check every few seconds until cancelled."""
        while True:
            await asyncio.sleep(TRIM_SECONDS)
            await asyncio.to_thread(self.consider)
