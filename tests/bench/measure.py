"""Times, the machine they were taken on, and tables."""

from __future__ import annotations

import os
import platform
import resource
import sys
from collections.abc import Callable, Sequence
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np


def times(work: Callable[[], object], repetitions: int) -> list[float]:
    """Seconds of each of `repetitions` runs, after one that warms caches up."""
    work()
    found = []
    for _ in range(repetitions):
        begin = perf_counter()
        work()
        found.append(perf_counter() - begin)
    return found


def typical(work: Callable[[], object], repetitions: int) -> float:
    """The median of the times."""
    return median(times(work, repetitions))


def seconds(value: float | None) -> str:
    """`1.23 s`, `4.56 ms` or `7.89 µs`."""
    if value is None:
        return "-"
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if value >= size:
            return f"{value / size:.3g} {unit}"
    return f"{value * 1e9:.3g} ns"


def machine() -> str:
    """Cores, memory used so far, versions, BLAS."""
    blas: Any = np.show_config(mode="dicts")
    library = blas["Build Dependencies"]["blas"]
    return (
        f"{platform.machine()}, {os.cpu_count()} cores; Python {platform.python_version()}, "
        f"NumPy {np.__version__}, BLAS {library['name']} {library['version']}"
    )


def peak_mebibytes() -> float:
    """The most memory that this process has had."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / (1 << 20)


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Columns as wide as they must be; the first to the left, the others to the right."""
    widths = [max(len(row[k]) for row in (head, *rows)) for k in range(len(head))]
    lines = [head, ["-" * width for width in widths], *rows]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if k == 0 else cell.rjust(width)
            for k, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )
