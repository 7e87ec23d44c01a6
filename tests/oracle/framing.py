"""Messages between a test and its oracle: two lengths, JSON, then the arrays' bytes one after another."""

from __future__ import annotations

import json
import struct
from collections.abc import Sequence
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from hloscope.engine.ir.element_types import DTYPES, of_dtype

Array = NDArray[Any]
_LENGTHS = struct.Struct("<QQ")


def write_message(stream: IO[bytes], head: dict[str, Any], arrays: Sequence[Array] = ()) -> None:
    """Writes one message; the arrays' types and shapes go with `head`."""
    described = [{"type": _type_name(array), "shape": list(array.shape)} for array in arrays]
    text = json.dumps({**head, "arrays": described}).encode("utf-8", "surrogatepass")
    blob = b"".join(np.ascontiguousarray(array).tobytes() for array in arrays)
    stream.write(_LENGTHS.pack(len(text), len(blob)) + text + blob)
    stream.flush()


def _type_name(array: Array) -> str:
    element_type = of_dtype(array.dtype)
    assert element_type is not None, array.dtype
    return element_type.name


def read_message(stream: IO[bytes]) -> tuple[dict[str, Any], list[Array]]:
    """The next message; `EOFError` where there is none."""
    text_length, blob_length = _LENGTHS.unpack(_exactly(stream, _LENGTHS.size))
    head = json.loads(_exactly(stream, text_length))
    blob = _exactly(stream, blob_length)
    arrays = []
    position = 0
    for described in head.pop("arrays"):
        dtype, shape = DTYPES[described["type"]], tuple(described["shape"])
        count = int(np.prod(shape, dtype=np.int64))
        arrays.append(np.frombuffer(blob, dtype, count, position).reshape(shape))
        position += count * dtype.itemsize
    return head, arrays


def _exactly(stream: IO[bytes], count: int) -> bytes:
    found = stream.read(count)
    if len(found) < count:
        raise EOFError
    return found
