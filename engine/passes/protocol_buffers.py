"""The wire format of protocol buffers, as far as XLA's dumps use it: fields by number, without a schema.

Source: the encoding guide of Protocol Buffers, "Message Structure". What is damaged raises `WireError`, whatever it says of
its own length.
"""

from __future__ import annotations

from collections.abc import Iterator

VARINT, FIXED64, LENGTH, FIXED32 = 0, 1, 2, 5
_LONGEST_VARINT = 10


class WireError(ValueError):
    """The bytes are no message."""


class Message:
    """The fields of one message; numbers and bytes are read when they are asked for."""

    def __init__(self, data: bytes | memoryview) -> None:
        self._fields: dict[int, list[tuple[int, int | memoryview]]] = {}
        for number, kind, value in _read_fields(memoryview(data)):
            self._fields.setdefault(number, []).append((kind, value))

    def text(self, number: int) -> str:
        """A string; empty if the field is not there."""
        return bytes(self.content(number)).decode("utf-8", "replace")

    def content(self, number: int) -> memoryview:
        """The last value of a field of bytes; none if the field is not there."""
        found = [value for _, value in self._fields.get(number, ()) if isinstance(value, memoryview)]
        return found[-1] if found else memoryview(b"")

    def has(self, number: int) -> bool:
        """Whether the field is there."""
        return number in self._fields

    def number(self, number: int) -> int:
        """An integer, signed as 64 bits; 0 if the field is not there."""
        found = [value for _, value in self._fields.get(number, ()) if isinstance(value, int)]
        return _signed(found[-1]) if found else 0

    def message(self, number: int) -> Message:
        """A message within; an empty one if the field is not there."""
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


def _read_fields(data: memoryview) -> Iterator[tuple[int, int, int | memoryview]]:
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
            raise WireError(f"field {number} is of kind {kind}, which no message has")
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
    found = []
    at = 0
    while at < len(data):
        value, at = _varint(data, at)
        found.append(_signed(value))
    return found


def _signed(value: int) -> int:
    return value - (1 << 64) if value >= 1 << 63 else value
