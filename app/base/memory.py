"""How much memory a process has, and how this one gives back what it no longer needs."""

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
    """Bytes of memory that a process has now, shared ones included; None where the system does not say."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    return None


def trim() -> None:
    """Give freed memory back to the system. The C library keeps much of what large texts took for the next one."""
    if (found := _malloc_trim()) is not None:
        found(0)


@cache
def _malloc_trim() -> Any:
    with contextlib.suppress(OSError, AttributeError, TypeError):
        return ctypes.CDLL(None).malloc_trim
    return None


class Trimmer:
    """Trims this process whenever it has grown; asked every few seconds, off the event loop."""

    def __init__(self) -> None:
        self._after = 0
        """Bytes after the last time: what is still there then is in use."""

    def consider(self) -> None:
        """Gives memory back to the system if this process has grown enough since the last time."""
        now = resident_bytes(os.getpid())
        if now is not None and now > self._after + GROWN_BYTES:
            trim()
            self._after = resident_bytes(os.getpid()) or 0

    async def run(self) -> None:
        """Considers it every few seconds, off the event loop, until it is cancelled."""
        while True:
            await asyncio.sleep(TRIM_SECONDS)
            await asyncio.to_thread(self.consider)
