"""Protocol buffers written by hand, for what no file at hand has."""

from __future__ import annotations

from collections.abc import Sequence


def varint(value: int) -> bytes:
    """A number as the wire has it."""
    value &= (1 << 64) - 1
    found = bytearray()
    while value >= 0x80:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*found, value])


def number(field: int, value: int) -> bytes:
    """A field of a number."""
    return varint(field << 3) + varint(value)


def nested(field: int, data: bytes | str) -> bytes:
    """A field of a message, of bytes or of text."""
    data = data.encode() if isinstance(data, str) else data
    return varint(field << 3 | 2) + varint(len(data)) + data


def shape(kind: int, sizes: Sequence[int], minor_to_major: Sequence[int] | None = None) -> bytes:
    """A ShapeProto."""
    order = range(len(sizes) - 1, -1, -1) if minor_to_major is None else minor_to_major
    layout = nested(1, b"".join(map(varint, order)))
    return number(2, kind) + nested(3, b"".join(map(varint, sizes))) + nested(5, layout)


def literal(
    kind: int, sizes: Sequence[int], field: int, data: bytes, order: Sequence[int] | None = None
) -> bytes:
    """A LiteralProto of an array."""
    return nested(1, shape(kind, sizes, order)) + nested(field, data)


def module(name: str = "m") -> bytes:
    """An HloModuleProto, as far as recognition looks at it."""
    instruction = nested(1, "p") + nested(2, "parameter")
    computation = nested(1, "main") + nested(2, instruction)
    return nested(1, name) + nested(2, "main") + nested(3, computation)
