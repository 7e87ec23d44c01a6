"""Buffers that XLA has saved while a module ran on a GPU: a file of records, two for each buffer.

The custom call `__xla_gpu_append_to_file` writes them as TensorFlow's TFRecord file: the name of the instruction whose kernel
wrote the buffer, and the array as `LiteralBase::Serialize` writes it.
"""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np

from .protocol_buffers import WireError
from .snapshots import Array, read_serialised

_LENGTH = struct.Struct("<QI")
"""The length of a record, and the masked CRC-32C of the 8 bytes of the length."""
_CHECKED = 4
"""Bytes of the masked CRC-32C of the record. It is not verified: for gigabytes that would take minutes."""
_LONGEST_NAME = 1000
_POLYNOMIAL = 0x82F63B78
_MASK = 0xA282EAD8


class InMemoryOrder(np.ndarray[Any, Any]):
    """An array with its elements in the order of the memory of a value, whose layout only the program states."""


def is_record_file(head: bytes) -> bool:
    """Whether a file with these first bytes is a TFRecord file."""
    return len(head) >= _LENGTH.size and masked_crc(head[:8]) == _LENGTH.unpack_from(head)[1]


def masked_crc(data: bytes) -> int:
    """The CRC-32C of a few bytes, rotated and offset as TFRecord files have it."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (_POLYNOMIAL if crc & 1 else 0)
    crc ^= 0xFFFFFFFF
    return ((crc >> 15 | crc << 17) + _MASK) & 0xFFFFFFFF


def read_saved_buffers(data: bytes | memoryview) -> Iterator[tuple[str, Array]]:
    """The buffers with their names, in order: of several with a name, `name[0]`, `name[1]`, …; raise `WireError`."""
    records = list(_records(memoryview(data)))
    names = [_name(record) for record in records[::2]]
    count, seen = Counter(names), Counter[str]()
    if len(records) % 2:
        raise WireError(f"the buffer of {names[-1]!r} is missing")
    for name, record in zip(names, records[1::2], strict=True):
        yield name if count[name] == 1 else f"{name}[{seen[name]}]", _array(name, record)
        seen[name] += 1


def _records(data: memoryview) -> Iterator[memoryview]:
    while data:
        if not is_record_file(bytes(data[: _LENGTH.size])):
            raise WireError("the file is cut off, or no TFRecord file")
        end = _LENGTH.size + _LENGTH.unpack_from(data)[0]
        if end + _CHECKED > len(data):
            raise WireError("the file is cut off")
        yield data[_LENGTH.size : end]
        data = data[end + _CHECKED :]


def _name(record: memoryview) -> str:
    try:
        return bytes(record[:_LONGEST_NAME]).decode()
    except UnicodeDecodeError:
        raise WireError("a record is not the name of an instruction") from None


def _array(name: str, record: memoryview) -> Array:
    try:
        (found,) = read_serialised(record)
    except WireError as error:
        raise WireError(f"the record of {name!r} is not an array: {error}") from None
    except ValueError:
        raise WireError(f"the record of {name!r} is not one array") from None
    return found.view(InMemoryOrder)
