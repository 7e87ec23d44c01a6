"""Format of an array file, by its first bytes; and safetensors files.

Source: "Format" in the README of safetensors. A JSON header with types, shapes and offsets, and the bytes behind it;
little-endian, C order.
"""

import json
import re
import struct
import zipfile
from pathlib import Path
from typing import Any, Literal

import ml_dtypes
import numpy as np

from hloscope.engine.errors import InputError
from hloscope.engine.passes.saved_buffers import is_record_file

from ...processes.arrays import Array
from .lists import has_row_of_numbers, open_csv, open_json
from .stored import Header, StoredArray, check_count, check_shape
from .torch_archives import is_torch_archive, open_torch_archive

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
        raise InputError(f"{file} is damaged: its header is not JSON") from None
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


Form = Literal[
    "numpy", "zip", "safetensors", "torch", "old_torch", "pickle", "json", "csv", "saved_buffers", "unknown"
]
_HEAD = 4096
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")
_JSON = re.compile(rb"(?:\xef\xbb\xbf)?\s*[\[{]")
_OLD_TORCH = b"\x80\x02\x8a\x0al\xfc\x9cF\xf9 j\xa8P\x19."
"""First bytes of PyTorch files before version 1.6: a pickled number."""
_MEANT = "Write it with numpy.savez; hloscope also reads safetensors, what torch.save writes, and numbers as JSON or CSV."


def form_of(file: Path) -> Form:
    """The format of the file; `app/runs/npz.py` reads `numpy` and `zip`."""
    with file.open("rb") as stream:
        head = stream.read(_HEAD)
    if head.startswith(b"\x93NUMPY"):
        return "numpy"
    if head.startswith(_ZIP):
        return "torch" if is_torch_archive(file) else "zip"
    if len(head) >= 10 and head[8:9] == b"{":
        (length,) = struct.unpack_from("<Q", head)
        if 2 <= length <= file.stat().st_size - 8:
            return "safetensors"
    if is_record_file(head):
        return "saved_buffers"
    if head.startswith(_OLD_TORCH):
        return "old_torch"
    if head[:1] == b"\x80" and head[1:2] in b"\x02\x03\x04\x05":
        return "pickle"
    if _JSON.match(head):
        return "json"
    return "csv" if has_row_of_numbers(head) else "unknown"


def open_arrays(file: Path, form: Form) -> list[StoredArray]:
    """The arrays of a file in a format other than NumPy's. Raises `InputError` with the cause."""
    if form == "safetensors":
        return open_safetensors(file)
    if form == "torch":
        return open_torch_archive(file)
    if form == "json":
        return open_json(file)
    if form == "csv":
        return open_csv(file)
    if form == "old_torch":
        raise InputError(
            f"{file.name} is in the form that PyTorch wrote before version 1.6",
            hint="Save it anew with torch.save, or as safetensors.",
        )
    if form == "saved_buffers":
        raise InputError(
            f"{file.name} has buffers that XLA saved, whose order of elements only its program states",
            hint="Compare a run of the optimised program with them; inputs cannot be read from them.",
        )
    if form == "pickle":
        raise InputError(
            f"{file.name} is a Python pickle, which is never read: it could run anything",
            hint="Write it with numpy.savez.",
        )
    raise InputError(f"{file.name} is neither .npz nor .npy nor another file of arrays", hint=_MEANT)


DAMAGED = (zipfile.BadZipFile, OSError, ArithmeticError, ValueError, NotImplementedError, EOFError)
"""Exceptions of the reading libraries for a damaged file."""
