"""The BLAS libraries loaded in this process: NumPy's, and SciPy's once something imports it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from hloscope.engine.ops.core.blas import THREADS

from .cores import cores

if TYPE_CHECKING:
    from threadpoolctl import LibController

_LATER = "scipy.linalg"
"""Brings another BLAS; the ops that need it import it."""


class _Libraries:
    """All loaded libraries, with one thread count."""

    def __init__(self) -> None:
        self._found: list[LibController] | None = None
        self._knows_later = False

    def number(self) -> int:
        """The thread count."""
        return min((library.get_num_threads() for library in self._load()), default=1)

    def switch(self, threads: int) -> int:
        """Set the thread count, and return the previous one."""
        before = threads
        for library in self._load():
            if (number := library.get_num_threads()) != threads:
                before = number
                library.set_num_threads(threads)
        return before

    def _load(self) -> list[LibController]:
        if self._found is None or (not self._knows_later and _LATER in sys.modules):
            from threadpoolctl import ThreadpoolController  # a command that only checks programs needs none

            self._knows_later = _LATER in sys.modules
            self._found = ThreadpoolController().select(user_api="blas").lib_controllers
        return self._found


_libraries = _Libraries()


def share_products(most: int | None = None) -> None:
    """Let at most `most` threads share each large matrix product, and one thread compute each other one.

    `None`: as many threads as BLAS is configured for, which the user may have set, up to the number of cores.
    """
    THREADS.most = most or min(cores(), _libraries.number())
    THREADS.switch = _libraries.switch
