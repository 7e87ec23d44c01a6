"""More processes for StableHLO's reference interpreter than the machine has processors.

The interpreter runs the processes of `run_parallel` in a thread pool, which has as many threads as LLVM counts
processors: of a larger grid some never begin, and the others wait for them until they give up. LLVM asks the C
library, which the process can be made to answer for: the address that jaxlib calls stands in a table of its own.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

PRETENDED = 64
_SYMBOL = b"sched_getaffinity"
_LIBRARY = "libjax_common.so"
_DYNAMIC = 2
"""The kind of the part of a program that says where its tables are."""
_STRINGS, _SYMBOLS, _TABLES = 5, 6, ((23, 2), (7, 8))
"""Tags of the tables: of names, of symbols, and of what the loader has to fill in, each with the tag of its size."""
_Asked = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int, ctypes.c_size_t, ctypes.c_void_p)


def _answer(process: int, size: int, processors: int) -> int:
    ctypes.memset(processors, 0, size)
    ctypes.memset(processors, 0xFF, min(size, PRETENDED // 8))
    return 0


_ANSWER = _Asked(_answer)


def pretend() -> int:
    """How many threads the interpreter has from now on; to be called once jaxlib is loaded."""
    base = _base()
    places = [] if base is None else list(_places(base))
    for place in places:
        _write(place)
    return PRETENDED if places else os.cpu_count() or 1


def _base() -> int | None:
    """Where the library is in memory."""
    if sys.platform != "linux" or sys.maxsize < 1 << 32:
        return None
    with open("/proc/self/maps", encoding="utf-8") as lines:
        return next((int(line.split("-")[0], 16) for line in lines if _LIBRARY in line), None)


def _table(address: int, size: int, dtype: str) -> NDArray[Any]:
    return np.frombuffer(memoryview((ctypes.c_char * size).from_address(address)), np.dtype(dtype))


def _dynamic(base: int) -> dict[int, int]:
    """What the library's dynamic part says, tag by tag."""
    start, (each, count) = _table(base + 32, 8, "<u8")[0], _table(base + 54, 4, "<u2")
    for number in range(count):
        header = base + int(start) + number * int(each)
        if _table(header, 4, "<u4")[0] == _DYNAMIC:
            place, size = int(_table(header + 16, 8, "<u8")[0]), int(_table(header + 40, 8, "<u8")[0])
            return {int(tag): int(value) for tag, value in _table(base + place, size, "<u8").reshape(-1, 2)}
    return {}


def _places(base: int) -> list[int]:
    """The addresses at which the address of the function stands."""
    found = _dynamic(base)
    places = []
    for table, size in _TABLES:
        if table in found:
            rows = _table(_absolute(base, found[table]), found[size], "<u8").reshape(-1, 3)
            for row in rows[rows[:, 1] >> 32 != 0]:
                symbol = _absolute(base, found[_SYMBOLS]) + 24 * int(row[1] >> np.uint64(32))
                name = _absolute(base, found[_STRINGS]) + int(_table(symbol, 4, "<u4")[0])
                if ctypes.string_at(name) == _SYMBOL:
                    places.append(base + int(row[0]))
    return places


def _absolute(base: int, address: int) -> int:
    """Loaders write the tables' addresses with or without the base."""
    return address if address >= base else base + address


def _write(place: int) -> None:
    page = place - place % mmap.PAGESIZE
    library = ctypes.CDLL(None, use_errno=True)
    library.mprotect(ctypes.c_void_p(page), mmap.PAGESIZE, 3)  # readable and writable
    ctypes.c_void_p.from_address(place).value = ctypes.cast(_ANSWER, ctypes.c_void_p).value
