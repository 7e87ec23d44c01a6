"""Matrix products by BLAS, and the number of its threads.

The last bits of a product depend on the number of threads. It is therefore a function of the product's size and of a
number fixed before the run, never of chance. Threads wait for each other without sleeping: beside one busy process, a
small product takes twenty times as long on two threads as on one.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from .op import Array
from .quiet import Flags, Signals, collected_flags, quiet_run
from .ranks import is_finite

THREAD_WORK = 1 << 26
"""Minimum multiplications per thread: a millisecond or two, so that waiting for other threads costs little."""


@dataclass
class Threads:
    """The number of threads of a process, and the function that sets it in BLAS."""

    most: int = 1
    switch: Callable[[int], int] = lambda threads: threads
    """Sets the number of threads and returns the previous one."""

    def shared_by(self, work: int) -> int:
        """The number of threads that share `work` multiplications."""
        return max(1, min(self.most, work // THREAD_WORK))


THREADS = Threads()
"""The threads of this process, set by the application; before that, BLAS keeps its own setting."""


@contextmanager
def run_environment(flags: Flags | None = None) -> Iterator[None]:
    """The environment of a run: NumPy's warnings off, and one thread for all but large products.

    The processor's flags are collected in `flags`.
    """
    with quiet_run(flags), _on(1):
        yield


@contextmanager
def blas_threads(work: int) -> Iterator[None]:
    """Let BLAS use the number of threads that suits `work` multiplications."""
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
    """Products of stacks of matrices, [..., m, k] by [..., k, n], one BLAS call each; written to `out` if given."""
    work = lhs.shape[-2] * lhs.shape[-1] * rhs.shape[-1]
    if work < 2 * THREAD_WORK:
        return _product(lhs, rhs, out)
    with blas_threads(work):
        found = _product(lhs, rhs, out)
    flags = collected_flags()
    # Results of other threads raise no processor flags in this thread.
    if flags is not None and not is_finite(found):
        flags.add("invalid value", Signals.INVALID)
    return found


def _product(lhs: Array, rhs: Array, out: Array | None) -> Array:
    found: Any = np.matmul(lhs, rhs, out=out)
    return np.asarray(found)
