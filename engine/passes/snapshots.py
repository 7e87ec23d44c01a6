"""Arrays in XLA's protocol buffers: recorded arguments and constants of modules.

Field numbers follow XLA's `xla_data.proto` and `hlo.proto`: LiteralProto, ShapeProto, HloSnapshot,
HloModuleProto.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from .protocol_buffers import Message, WireError, delimited

Array = NDArray[Any]
_TUPLE = 13
_MOST_ELEMENTS = 1 << 31
_VARINTS = {
    2: (15, "int8"),
    3: (17, "int16"),
    4: (4, "int32"),
    5: (5, "int64"),
    6: (3, "uint8"),
    7: (16, "uint16"),
}
_VARINTS |= {8: (6, "uint32"), 9: (7, "uint64"), 1: (2, "bool")}
_NUMBERED = (4, 5, 8, 9, 1)
"""Element types that are stored as varints; other types are stored as bytes."""
_BYTES: dict[int, tuple[int, str]] = {
    2: (15, "int8"), 3: (17, "int16"), 6: (3, "uint8"), 7: (16, "uint16"),
    10: (11, "float16"), 16: (13, "bfloat16"), 11: (8, "float32"), 12: (9, "float64"),
    15: (12, "complex64"), 18: (18, "complex128"),
    19: (19, "float8_e5m2"), 20: (20, "float8_e4m3fn"), 23: (23, "float8_e4m3b11fnuz"),
    24: (24, "float8_e5m2fnuz"), 25: (25, "float8_e4m3fnuz"), 28: (28, "float8_e4m3"), 29: (29, "float8_e3m4"),
    33: (33, "float8_e8m0fnu"),
}  # fmt: skip
"""XLA element type to field number and dtype; sub-byte types are packed differently."""
_PACKED: dict[int, tuple[int, str, int]] = {
    21: (21, "int4", 4),
    22: (22, "uint4", 4),
    26: (26, "int2", 2),
    27: (27, "uint2", 2),
    32: (32, "float4_e2m1fn", 4),
}
Value = Array | tuple["Value", ...]


@dataclass(frozen=True)
class Snapshot:
    """One execution: the module's name, its arguments, a list for each partition, and its results."""

    module: str
    arguments: tuple[tuple[Array, ...], ...]
    """The arrays of each partition, with tuples flattened."""
    results: tuple[Array, ...] = ()
    """The results as XLA computed them, if they were recorded."""


def read_snapshot(data: bytes, unoptimized: bool = False) -> Snapshot:
    """Read an HloSnapshot or HloUnoptimizedSnapshot; raise `WireError` if it is neither."""
    if unoptimized and not is_plain(data):
        return _read_delimited(data)
    message = Message(data)
    if unoptimized:
        parts = tuple(tuple(_leaves(list(part.messages(1)))) for part in message.messages(2))
        return Snapshot(message.message(1).text(1), parts)
    module = message.message(1).message(1)
    results = tuple(_leaves([message.message(3)])) if message.has(3) else ()
    return Snapshot(module.text(1), (tuple(_leaves(list(message.messages(2)))),), results)


def is_plain(data: bytes) -> bool:
    """Whether it is one message that begins with its module, rather than the length of one and its arrays."""
    return data[:1] == b"\x0a"


def _read_delimited(data: bytes) -> Snapshot:
    """Read a message whose partitions state the sizes of serialised arrays, and the arrays behind it."""
    head, rest = delimited(data)
    message = Message(head)
    parts: list[tuple[Array, ...]] = []
    for part in message.messages(2):
        arrays: list[Array] = []
        for size in (argument.number(2) for argument in part.messages(2)):
            if not 0 <= size <= len(rest):
                raise WireError("the message is cut off")
            arrays += read_serialised(rest[:size])
            rest = rest[size:]
        parts.append(tuple(arrays))
    return Snapshot(message.message(1).text(1), tuple(parts))


def read_serialised(data: memoryview) -> Iterator[Array]:
    """The arrays of a literal: the length of its ShapeProto in 8 bytes, the shape, and the elements in memory order."""
    end = 8 + int.from_bytes(data[:8], "little")
    data, shapes = data[end:], [Message(data[8:end])]
    while shapes:
        shape = shapes.pop(0)
        kind, sizes = shape.number(2), tuple(shape.numbers(3))
        if kind == _TUPLE:
            shapes[:0] = shape.messages(4)
            continue
        _check_sizes(sizes)
        if kind not in _VARINTS.keys() | _BYTES.keys():
            raise WireError(f"an array has the element type {kind}, which is not read here")
        dtype, count = _dtype({**_VARINTS, **_BYTES}[kind][1]), prod(sizes)
        is_packed = dtype.kind == "b" and len(data) < count
        size = -(-count // 8) if is_packed else count * dtype.itemsize
        if size > len(data):
            raise WireError("the message is cut off")
        flat = np.frombuffer(data[:size], np.uint8 if is_packed else dtype)
        if is_packed:
            flat = np.unpackbits(flat, count=count, bitorder="little").view(bool)
        yield in_logical_order(flat, sizes, shape.message(5).numbers(1))
        data = data[size:]


def read_constants(data: bytes) -> dict[str, Array]:
    """Read the array constants in an HloProto by instruction name."""
    module = Message(data).message(1)
    found: dict[str, Array] = {}
    for computation in module.messages(3):
        for instruction in computation.messages(2):
            if instruction.text(2) == "constant" and instruction.has(8):
                literal = instruction.message(8)
                if literal.message(1).number(2) != _TUPLE:
                    found[instruction.text(1)] = read_literal(literal)
    return found


def _leaves(literals: Sequence[Message]) -> list[Array]:
    found: list[Array] = []
    for literal in literals:
        if literal.message(1).number(2) == _TUPLE:
            found += _leaves(list(literal.messages(10)))
        else:
            found.append(read_literal(literal))
    return found


def read_literal(literal: Message) -> Array:
    """Read the array of a LiteralProto, in the logical order of its elements."""
    shape = literal.message(1)
    kind = shape.number(2)
    sizes = tuple(shape.numbers(3))
    _check_sizes(sizes)
    flat = _elements(literal, kind, prod(sizes))
    return in_logical_order(flat, sizes, shape.message(5).numbers(1))


def _check_sizes(sizes: Sequence[int]) -> None:
    if any(size < 0 for size in sizes) or prod(sizes) > _MOST_ELEMENTS:
        raise WireError(f"an array states the sizes {list(sizes)}")


def _elements(literal: Message, kind: int, count: int) -> Array:
    if kind in _NUMBERED:
        field, dtype = _VARINTS[kind]
        # Decode as unsigned 64-bit integers, then keep the bits of the element type.
        numbers = np.array(literal.numbers(field), np.int64)
        flat = numbers.astype(dtype) if kind != 9 else numbers.view(np.uint64)
    elif kind in _BYTES:
        field, name = _BYTES[kind]
        flat = np.frombuffer(literal.packed_bytes(field), _dtype(name))
    elif kind in _PACKED:
        flat = _unpack(literal, kind, count)
    else:
        raise WireError(f"an array has the unknown element type {kind}")
    if flat.size != count:
        raise WireError(f"an array has {flat.size} of {count} elements")
    return flat


def _unpack(literal: Message, kind: int, count: int) -> Array:
    """Unpack sub-byte elements, the first in the highest bits of each byte."""
    field, name, bits = _PACKED[kind]
    data = np.frombuffer(literal.packed_bytes(field), np.uint8)
    dtype = _dtype(name)
    if data.size == count:
        return data.view(dtype)
    shifts = np.arange(8 - bits, -1, -bits, dtype=np.uint8)
    parts = ((data[:, None] >> shifts) & ((1 << bits) - 1)).reshape(-1)[:count].astype(np.uint8)
    if name.startswith("int"):
        parts = (
            ((parts.astype(np.int16) ^ (1 << (bits - 1))) - (1 << (bits - 1))).astype(np.int8).view(np.uint8)
        )
        return parts.view(np.int8).astype(dtype)
    return parts.astype(dtype) if name.startswith("uint") else parts.view(dtype)


def in_logical_order(flat: Array, sizes: tuple[int, ...], minor_to_major: Sequence[int]) -> Array:
    """Reorder elements from their layout, whose first dimension varies fastest."""
    order = list(minor_to_major)[::-1]
    if sorted(order) != list(range(len(sizes))):
        return flat.reshape(sizes)
    stored = flat.reshape([sizes[dimension] for dimension in order])
    return np.ascontiguousarray(stored.transpose(np.argsort(order))) if sizes else stored


def _dtype(name: str) -> np.dtype[Any]:
    own = getattr(ml_dtypes, name, None)
    return np.dtype(own if own is not None else name)
