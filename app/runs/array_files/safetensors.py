"""safetensors files: a JSON header with types, shapes and offsets, and the bytes behind it.

Source: the format's own description in its README, "Format". Little-endian, C order.
"""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np

from hloscope.engine.errors import InputError

from .stored import Array, Header, StoredArray, check_count, check_shape

MOST_HEADER_BYTES = 16 << 20
_OWN = "__metadata__"
_TYPES: dict[str, np.dtype[Any]] = {
    "BOOL": np.dtype(bool),
    **{f"I{bits}": np.dtype(f"<i{bits // 8}") for bits in (8, 16, 32, 64)},
    **{f"U{bits}": np.dtype(f"<u{bits // 8}") for bits in (8, 16, 32, 64)},
    **{f"F{bits}": np.dtype(f"<f{bits // 8}") for bits in (16, 32, 64)},
    "C64": np.dtype("<c8"),
    "BF16": np.dtype(ml_dtypes.bfloat16),
    "F8_E4M3": np.dtype(ml_dtypes.float8_e4m3fn),
    "F8_E5M2": np.dtype(ml_dtypes.float8_e5m2),
    "F8_E8M0": np.dtype(ml_dtypes.float8_e8m0fnu),
}


def open_safetensors(file: Path) -> list[StoredArray]:
    """The arrays of a file. Raises `InputError` if header and bytes do not match."""
    size = file.stat().st_size
    with file.open("rb") as stream:
        (length,) = struct.unpack("<Q", stream.read(8))
        if length > min(size - 8, MOST_HEADER_BYTES):
            raise InputError(
                f"{file.name} states a header of {length:,} bytes; {MOST_HEADER_BYTES:,} are read"
            )
        header = _header(stream.read(length), file.name)
    check_count(len(header), file.name)
    return [_stored(file, name, about, 8 + length, size) for name, about in header.items() if name != _OWN]


def _header(data: bytes, file: str) -> dict[str, Any]:
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        raise InputError(f"{file} is damaged: its header is no JSON") from None
    if not isinstance(found, dict):
        raise InputError(f"{file} is damaged: its header names no arrays")
    return found


def _stored(file: Path, name: str, about: Any, start: int, size: int) -> StoredArray:
    if not isinstance(about, dict) or len(name) > 1000:
        raise InputError(f"{file.name} is damaged: its header says nothing of {name:.100}")
    dtype = _TYPES.get(str(about.get("dtype")))
    if dtype is None:
        raise InputError(f"{name} has type {about.get('dtype')!s:.40}, which is not read")
    header = Header(name, dtype, check_shape(name, about.get("shape")))
    offsets = about.get("data_offsets")
    if not isinstance(offsets, list) or len(offsets) != 2 or any(type(each) is not int for each in offsets):
        raise InputError(f"{name} has no place in {file.name}")
    begin, end = offsets
    if not 0 <= begin <= end <= size - start or end - begin != header.byte_count:
        raise InputError(
            f"{name} would lie at bytes {begin:,} to {end:,}, {header.byte_count:,} of them, and {file.name} has {size - start:,}"
        )
    return StoredArray(header, lambda: _load(file, header, start + begin))


def _load(file: Path, header: Header, at: int) -> Array:
    with file.open("rb") as stream:
        stream.seek(at)
        data = stream.read(header.byte_count)
    if len(data) != header.byte_count:
        raise InputError(f"{header.name} is cut off: {len(data):,} of {header.byte_count:,} bytes are there")
    return np.frombuffer(data, header.dtype).reshape(header.shape)
