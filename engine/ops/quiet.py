"""NumPy's warnings, which runs do without: what overflows and what is not a number are values here."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from typing import Any

import numpy as np

_IN_A_RUN: ContextVar[bool] = ContextVar("in_a_run", default=False)
_NOTHING = nullcontext()


def quiet() -> AbstractContextManager[Any]:
    """Without warnings. Inside of a run that is so already: an `errstate` for each op costs as much as a small op."""
    return _NOTHING if _IN_A_RUN.get() else np.errstate(all="ignore")


@contextmanager
def quiet_run() -> Iterator[None]:
    """Without warnings for all that is computed inside."""
    before = _IN_A_RUN.set(True)
    try:
        with np.errstate(all="ignore"):
            yield
    finally:
        _IN_A_RUN.reset(before)
