"""The memory of this machine and of processes, and the release of freed memory to the system."""

import asyncio
import contextlib
import os
from dataclasses import dataclass
from pathlib import Path

from .libc import libc

PR_SET_THP_DISABLE = 41
GROWN_BYTES = 16 << 20
TRIM_SECONDS = 5.0
MACHINE = Path("/proc/meminfo")
CONTAINER = Path("/sys/fs/cgroup")


@dataclass(frozen=True)
class Memory:
    """Bytes that processes may use in all, and those that are still available."""

    total: int
    available: int


def memory() -> Memory | None:
    """The memory of this machine, or of the container if that has less; None where the system does not report it."""
    try:
        lines = (line.split() for line in MACHINE.read_text("ascii").splitlines())
        sizes = {name: 1024 * int(size) for name, size, *_ in lines}
        found = Memory(sizes["MemTotal:"], sizes["MemAvailable:"])
    except (OSError, ValueError, KeyError):
        return None
    return _within_container(found)


def _within_container(machine: Memory) -> Memory:
    try:
        most = int((CONTAINER / "memory.max").read_text("ascii"))
        used = int((CONTAINER / "memory.current").read_text("ascii"))
        counts = dict(line.split() for line in (CONTAINER / "memory.stat").read_text("ascii").splitlines())
    except (OSError, ValueError):  # `max`, or no such file
        return machine
    free = most - used + int(counts.get("inactive_file", 0))  # cached files, which the system drops first
    return Memory(min(machine.total, most), max(0, min(machine.available, free)))


def resident_bytes(pid: int) -> int | None:
    """Resident memory of a process in bytes, shared pages included; None where the system does not report it."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    return None


def use_huge_pages(*, on: bool) -> None:
    """Whether this process takes new memory by 2 MiB where it asks for huge pages, or by 4 KiB as it needs it."""
    with contextlib.suppress(OSError, AttributeError, TypeError):  # Linux alone has it
        libc().prctl(PR_SET_THP_DISABLE, int(not on), 0, 0, 0)


def trim() -> None:
    """Return freed memory to the system: the C library keeps much of what a large text took."""
    with contextlib.suppress(OSError, AttributeError, TypeError):  # glibc alone has it
        libc().malloc_trim(0)


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
