"""Arrays in frames: dtypes and shapes as JSON, and one buffer with the bytes of all arrays.

One buffer rather than one per array, because a frame has few buffers and a program any number of results.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


def pack(arrays: Sequence[Array | None]) -> tuple[list[dict[str, Any] | None], bytes]:
    """The descriptions of arrays, and their concatenated bytes; a missing array has no bytes.

    An element narrower than a byte takes one byte.
    """
    described = [None if array is None else _describe(array) for array in arrays]
    return described, b"".join(_bytes(array) for array in arrays if array is not None)


def _describe(array: Array) -> dict[str, Any]:
    return {"dtype": array.dtype.name, "shape": list(array.shape)}


def _bytes(array: Array) -> memoryview:
    return np.ascontiguousarray(array).reshape(-1).view(np.uint8).data


def unpack(
    described: Sequence[Mapping[str, Any] | None], data: bytes | bytearray | memoryview
) -> list[Array | None]:
    """The arrays that `pack` packed, read-only; `ValueError` if the bytes do not fit the descriptions."""
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
        found.append(np.frombuffer(_piece(view, at, size), dtype).reshape(shape))
        at += size
    if at != len(view):
        raise ValueError("there are more bytes than those of the arrays")
    return found


def _piece(view: memoryview, at: int, size: int) -> memoryview:
    if at + size > len(view):
        raise ValueError("the bytes of the arrays are cut off")
    return view[at : at + size]


def unpack_all(
    described: Sequence[Mapping[str, Any] | None], data: bytes | bytearray | memoryview
) -> list[Array]:
    """The arrays that `pack` packed; none may be missing."""
    return [array for array in unpack(described, data) if array is not None]


def dtype_of(name: str) -> np.dtype[Any]:
    """The dtype with that name, of NumPy or `ml_dtypes`."""
    own = getattr(ml_dtypes, name, None)
    return np.dtype(own if own is not None else name)
