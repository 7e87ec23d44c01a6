"""The threads of BLAS, which multiplies matrices: how many take part in a product.

The last bits of a product depend on that number. So it depends on the size of the product, and on a number that is
fixed before the run, and on nothing that is so by chance. Threads wait for each other without sleeping: where one
other process is busy too, a small product takes twenty times as long on two threads as on one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from .op import Array
from .quiet import Flags, Signals, collected_flags, quiet_run
from .ranks import is_finite

THREAD_WORK = 1 << 26
"""Multiplications for each thread at least: a millisecond or two, beside which waiting for the others is little."""


@dataclass
class Threads:
    """The threads that a process may have, and who says so to its BLAS."""

    most: int = 1
    switch: Callable[[int], int] = lambda threads: threads
    """Sets their number, and gives the one before."""

    def shared_by(self, work: int) -> int:
        """How many threads share so many multiplications."""
        return max(1, min(self.most, work // THREAD_WORK))


THREADS = Threads()
"""Those of this process, as the application says. Until it does, BLAS is left as it is."""


@contextmanager
def run_environment(flags: Flags | None = None) -> Iterator[None]:
    """The environment of a run: NumPy's warnings are off, and all but large products use one thread.

    The processor's flags are collected in `flags`.
    """
    with quiet_run(flags), _on(1):
        yield


@contextmanager
def blas_threads(work: int) -> Iterator[None]:
    """Lets BLAS use as many threads as are worth `work` multiplications."""
    with _on(THREADS.shared_by(work)):
        yield


@contextmanager
def _on(threads: int) -> Iterator[None]:
    switch = THREADS.switch
    before = switch(threads)
    try:
        yield
    finally:
        switch(before)


def multiply_matrices(lhs: Array, rhs: Array, out: Array | None = None) -> Array:
    """Products of stacks of matrices, [..., m, k] times [..., k, n], each by one call of BLAS; in `out` if given."""
    work = lhs.shape[-2] * lhs.shape[-1] * rhs.shape[-1]
    if work < 2 * THREAD_WORK:
        return _product(lhs, rhs, out)
    with blas_threads(work):
        found = _product(lhs, rhs, out)
    flags = collected_flags()
    # Of what other threads have computed the processor raises no flags in this one.
    if flags is not None and not is_finite(found):
        flags.add("invalid value", Signals.INVALID)
    return found


def _product(lhs: Array, rhs: Array, out: Array | None) -> Array:
    found: Any = np.matmul(lhs, rhs, out=out)
    return np.asarray(found)
