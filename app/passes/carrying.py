"""Arrays and texts between processes, as frames of `workers.framing`: names and shapes in JSON, bytes behind it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
OUT_OF_MEMORY = 71
"""The status with which a task ends that could not have the memory that it asked for."""


def pack(arrays: Sequence[Array | None]) -> tuple[list[dict[str, Any] | None], bytes]:
    """What the arrays are, and the bytes of all of them; nothing of one that is not there."""
    described = [None if array is None else _describe(array) for array in arrays]
    parts = [np.ascontiguousarray(array).tobytes() for array in arrays if array is not None]
    return described, b"".join(parts)


def _describe(array: Array) -> dict[str, Any]:
    return {"dtype": array.dtype.name, "shape": list(array.shape)}


def unpack(
    described: Sequence[Mapping[str, Any] | None], data: bytes | bytearray | memoryview
) -> list[Array | None]:
    """The arrays that `pack` has packed, read-only; `ValueError` if the bytes are not theirs."""
    view = memoryview(data).toreadonly()
    found: list[Array | None] = []
    at = 0
    for item in described:
        if item is None:
            found.append(None)
            continue
        dtype = dtype_of(item["dtype"])
        shape = tuple(int(size) for size in item["shape"])
        size = prod(shape) * dtype.itemsize
        found.append(np.frombuffer(view[at : at + size], dtype).reshape(shape))
        at += size
    if at != len(view):
        raise ValueError("the bytes of the arrays are cut off")
    return found


def number_json(value: Any) -> Any:
    """A number as JSON can carry it: floats as their hexadecimal text, complex numbers as two."""
    if isinstance(value, complex):
        return {"complex": [value.real.hex(), value.imag.hex()]}
    return {"float": value.hex()} if isinstance(value, float) else value


def number_of(found: Any) -> Any:
    """The number that `number_json` wrote."""
    if not isinstance(found, dict):
        return found
    if "complex" in found:
        return complex(*map(float.fromhex, found["complex"]))
    return float.fromhex(found["float"])


def dtype_of(name: str) -> np.dtype[Any]:
    """The dtype of a name, those of `ml_dtypes` among them."""
    own = getattr(ml_dtypes, name, None)
    return np.dtype(own if own is not None else name)
