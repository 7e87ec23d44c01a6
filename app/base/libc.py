"""The C library, for calls of Linux that Python has no function for."""

from __future__ import annotations

import ctypes
from functools import cache


@cache
def libc() -> ctypes.CDLL:
    """The library, loaded once: each loading makes a type, whose memory every worker would have for itself."""
    return ctypes.CDLL(None, use_errno=True)
