"""The protocol buffer wire format as XLA's dumps use it: fields by number, no schema.

Source: the encoding guide of Protocol Buffers, "Message Structure". Damaged data raises `WireError`, whatever
length it claims.
"""

from __future__ import annotations

from collections.abc import Iterator, Set

import numpy as np

VARINT, FIXED64, LENGTH, FIXED32 = 0, 1, 2, 5
_LONGEST_VARINT = 10
_MOST_FIELDS = 1 << 21
"""Maximum number of fields of a message: one per computation of a module or per instruction."""


class WireError(ValueError):
    """The bytes are not a valid message."""


class Message:
    """The fields of one message; numbers and bytes are decoded on access."""

    def __init__(self, data: bytes | memoryview) -> None:
        self._fields: dict[int, list[tuple[int, int | memoryview]]] = {}
        for count, (number, kind, value) in enumerate(read_fields(memoryview(data))):
            if count == _MOST_FIELDS:
                raise WireError(f"a message has more than {_MOST_FIELDS:,} fields")
            self._fields.setdefault(number, []).append((kind, value))

    def text(self, number: int) -> str:
        """A string; empty if the field is missing."""
        return bytes(self.content(number)).decode("utf-8", "replace")

    def content(self, number: int) -> memoryview:
        """The last value of a bytes field; empty if the field is missing."""
        found = [value for _, value in self._fields.get(number, ()) if isinstance(value, memoryview)]
        return found[-1] if found else memoryview(b"")

    def has(self, number: int) -> bool:
        """Whether the field is present."""
        return number in self._fields

    @property
    def numbers_present(self) -> Set[int]:
        """The numbers of the fields that are present."""
        return self._fields.keys()

    def has_only(self, kind: int) -> bool:
        """Whether all fields are of one kind of the wire format, such as `VARINT`."""
        return all(found == kind for values in self._fields.values() for found, _ in values)

    def number(self, number: int) -> int:
        """A signed 64-bit integer; 0 if the field is missing."""
        found = [value for _, value in self._fields.get(number, ()) if isinstance(value, int)]
        return _signed(found[-1]) if found else 0

    def message(self, number: int) -> Message:
        """A nested message; empty if the field is missing."""
        return Message(self.content(number))

    def messages(self, number: int) -> Iterator[Message]:
        """All messages of a repeated field."""
        for _, value in self._fields.get(number, ()):
            if isinstance(value, memoryview):
                yield Message(value)

    def numbers(self, number: int) -> list[int]:
        """The integers of a repeated field, packed or not."""
        found: list[int] = []
        for kind, value in self._fields.get(number, ()):
            if isinstance(value, int):
                found.append(_signed(value))
            elif kind == LENGTH:
                found += _packed(value)
        return found

    def packed_bytes(self, number: int) -> bytes:
        """The bytes of a repeated field of fixed size, packed or not."""
        parts = []
        for kind, value in self._fields.get(number, ()):
            if isinstance(value, memoryview):
                parts.append(bytes(value))
            else:
                parts.append(value.to_bytes(8 if kind == FIXED64 else 4, "little"))
        return b"".join(parts)


def delimited(data: bytes | memoryview) -> tuple[memoryview, memoryview]:
    """The message after its length, and the bytes behind it."""
    size, at = _varint(memoryview(data), 0)
    return _take(memoryview(data), at, size), memoryview(data)[at + size :]


def read_fields(data: memoryview) -> Iterator[tuple[int, int, int | memoryview]]:
    """The numbers, kinds and values of the fields, each when it is needed. Raises `WireError`."""
    at = 0
    while at < len(data):
        key, at = _varint(data, at)
        number, kind = key >> 3, key & 7
        value: int | memoryview
        if kind == VARINT:
            value, at = _varint(data, at)
        elif kind in (FIXED64, FIXED32):
            size = 8 if kind == FIXED64 else 4
            value, at = int.from_bytes(_take(data, at, size), "little"), at + size
        elif kind == LENGTH:
            size, at = _varint(data, at)
            value, at = _take(data, at, size), at + size
        else:
            raise WireError(f"field {number} is of kind {kind}, which does not exist")
        if number == 0:
            raise WireError("a field has number 0")
        yield number, kind, value


def _varint(data: memoryview, at: int) -> tuple[int, int]:
    value = 0
    for place in range(_LONGEST_VARINT):
        if at >= len(data):
            raise WireError("the message is cut off")
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << (7 * place)
        if byte < 0x80:
            return value & (1 << 64) - 1, at
    raise WireError("a number is longer than 64 bits")


def _take(data: memoryview, at: int, size: int) -> memoryview:
    if at + size > len(data):
        raise WireError("the message is cut off")
    return data[at : at + size]


def _packed(data: memoryview) -> list[int]:
    """Decode a packed field, one seven-bit group of all numbers at a time."""
    values = np.frombuffer(data, np.uint8)
    ends = np.flatnonzero(values < 0x80)
    if values.size and (not ends.size or ends[-1] != values.size - 1):
        raise WireError("the message is cut off")
    lengths = np.diff(ends, prepend=-1)
    starts = ends - lengths + 1
    if ends.size and lengths.max() > _LONGEST_VARINT:
        raise WireError("a number is longer than 64 bits")
    found = np.zeros(ends.size, np.uint64)
    for place in range(int(lengths.max(initial=0))):
        there = lengths > place
        bits = (values[starts[there] + place] & 0x7F).astype(np.uint64)
        found[there] |= bits << np.uint64(7 * place)
    signed: list[int] = found.view(np.int64).tolist()
    return signed


def _signed(value: int) -> int:
    return value - (1 << 64) if value >= 1 << 63 else value
