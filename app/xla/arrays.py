"""Arrays as XLA's process and ours send them to each other: type and shape in JSON, elements as raw bytes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypedDict

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from ..workers.framing import Buffer

Array = NDArray[Any]


class ArrayHead(TypedDict):
    """What the bytes of an array do not say."""

    dtype: str
    shape: list[int]


def pack_arrays(arrays: Sequence[Array]) -> tuple[list[ArrayHead], list[Buffer]]:
    """Heads and bytes; elements narrower than a byte take one each."""
    heads: list[ArrayHead] = [{"dtype": array.dtype.name, "shape": list(array.shape)} for array in arrays]
    return heads, [np.ascontiguousarray(array).reshape(-1).view(np.uint8).data for array in arrays]


def unpack_arrays(heads: Sequence[ArrayHead], buffers: Sequence[Buffer]) -> list[Array]:
    """The arrays again, over the bytes that came."""
    return [
        np.frombuffer(buffer, np.uint8).view(dtype_of(head["dtype"])).reshape(head["shape"])
        for head, buffer in zip(heads, buffers, strict=True)
    ]


def dtype_of(name: str) -> np.dtype[Any]:
    """NumPy's type of that name, or that of ml_dtypes."""
    return np.dtype(getattr(ml_dtypes, name, name))
