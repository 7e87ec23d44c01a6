"""The BLAS libraries that this process has loaded: NumPy's, and SciPy's where something has imported it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from hloscope.engine.ops.core.blas import THREADS

from .cores import cores

if TYPE_CHECKING:
    from threadpoolctl import LibController

_LATER = "scipy.linalg"
"""Has a BLAS of its own, and is imported by the ops that need it."""


class _Libraries:
    """All of them, with one number of threads."""

    def __init__(self) -> None:
        self._found: list[LibController] | None = None
        self._knows_later = False

    def number(self) -> int:
        """Their number of threads."""
        return min((library.get_num_threads() for library in self._load()), default=1)

    def switch(self, threads: int) -> int:
        """Sets their number of threads, and gives the one before."""
        before = threads
        for library in self._load():
            if (number := library.get_num_threads()) != threads:
                before = number
                library.set_num_threads(threads)
        return before

    def _load(self) -> list[LibController]:
        if self._found is None or (not self._knows_later and _LATER in sys.modules):
            from threadpoolctl import ThreadpoolController  # who only checks programs needs none

            self._knows_later = _LATER in sys.modules
            self._found = ThreadpoolController().select(user_api="blas").lib_controllers
        return self._found


_libraries = _Libraries()


def share_products(most: int | None = None) -> None:
    """From now on large products of runs are shared by so many threads at most, and all others done by one.

    Unless it is said otherwise they are as many as BLAS has now, which is what the user may have told it, but no more
    than there are cores.
    """
    THREADS.most = most or min(cores(), _libraries.number())
    THREADS.switch = _libraries.switch
