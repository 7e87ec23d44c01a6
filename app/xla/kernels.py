"""The target of Triton kernels, whose IR jaxlib reads: Pallas writes such calls for GPUs."""

from __future__ import annotations

from functools import cache, lru_cache
from importlib.util import find_spec

from hloscope.engine.ops.custom_calls.target import Target
from hloscope.engine.ops.custom_calls.triton.target import TRITON, triton_target

_SERVES = f"{__package__}.triton_kernels"
_KEPT = 256
"""Kernels whose descriptions stay in memory."""


@cache
def find_target(name: str) -> Target | None:
    """The target of Triton kernels under its name, where jaxlib is installed."""
    if name != TRITON or find_spec("jaxlib") is None or find_spec("jaxlib.triton") is None:
        return None
    return triton_target(read_kernel)


@lru_cache(_KEPT)
def read_kernel(data: bytes) -> str:
    """The description of a kernel by its MLIR bytecode; `ValueError` says why there is none.

    A separate process reads it. A confined worker starts none, and is itself the process for what strangers send.
    """
    from .engine import XlaEngine
    from .failures import XlaFailed

    try:
        with XlaEngine(serves=_SERVES) as engine:
            return engine.convert("triton_kernel", data)[0]
    except XlaFailed as failed:
        raise ValueError(str(failed)) from None
    except OSError:
        from .triton_kernels import describe_kernel

        return describe_kernel(data)
