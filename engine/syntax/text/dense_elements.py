"""Convert the elements of a literal, given as text or bytes, to an array."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...ir.element_types import ELEMENT_TYPES, ElementType, QuantizedType
from .float_text import round_to

_DECIMALS = re.compile(r"[0-9eE+\-.,\s]*+\Z")
_PAIR = re.compile(r"\(([^(),]*+),([^(),]*+)\)")
_INTEGER = re.compile(r"[-+]?(?:[0-9]++|0x[0-9A-Fa-f]++)\Z")
_DECIMAL = re.compile(r"[-+]?(?:[0-9]++(?:\.[0-9]*+)?+|\.[0-9]++)(?:[eE][-+]?[0-9]++)?+\Z")
_BITS = re.compile(r"0x([0-9A-Fa-f]++)\Z")
_BY_HAND = re.compile(r"[-+]?(?:inf|nan)\Z", re.IGNORECASE)
_BOOLEANS = {"true": 1, "false": 0, "0": 0, "1": 1, "-1": 1}
_MAX_DIGITS = 40


@dataclass(frozen=True)
class Elements:
    """Rows of comma-separated elements, and their element type."""

    type: ElementType
    rows: list[str]
    by_hand: bool = False
    """Whether `inf` and `nan` are allowed, as in inputs typed by a user."""


class ElementError(Exception):
    """The text at `start` of row `row` is not an element."""

    def __init__(self, message: str, row: int, start: int, length: int, hint: str | None = None) -> None:
        super().__init__(message)
        self.message, self.row, self.start, self.length, self.hint = message, row, start, length, hint


def read_elements(elements: Elements) -> NDArray[Any]:
    """The elements of all rows, as a flat array in the type's dtype."""
    element_type = elements.type.storage if isinstance(elements.type, QuantizedType) else elements.type
    if element_type.kind == "boolean":
        return np.array([_boolean(item) for item in _items(elements.rows)], dtype=np.bool_)
    if element_type.is_complex:
        return _complexes(elements, element_type)
    if element_type.is_float:
        return _floats(elements.rows, _items, element_type, elements.by_hand)
    return _integers(elements, element_type)


@dataclass(frozen=True)
class _Item:
    text: str
    row: int
    start: int

    def error(self, message: str, hint: str | None = None) -> ElementError:
        return ElementError(message, self.row, self.start, len(self.text), hint)


def _items(rows: list[str]) -> Iterator[_Item]:
    for number, row in enumerate(rows):
        yield from _split(row, number, 0)


def _split(row: str, number: int, start: int) -> Iterator[_Item]:
    for text in row.split(","):
        stripped = text.strip()
        blanks = len(text) - len(text.lstrip()) if stripped else 0
        item = _Item(stripped, number, start + blanks)
        if not stripped:
            raise item.error("expected an element next to ','")
        yield item
        start += len(text) + 1


def _boolean(item: _Item) -> int:
    value = _BOOLEANS.get(item.text, _BOOLEANS.get(item.text.lower()))
    if value is None:
        raise item.error(f"'{item.text[:_MAX_DIGITS]}' is not a boolean", "elements of i1 are true and false")
    return value


# Integers


def _integers(elements: Elements, element_type: ElementType) -> NDArray[Any]:
    values = _read_plain_rows(elements.rows, int) or [
        _integer(item, element_type) for item in _items(elements.rows)
    ]
    low, high = integer_range(element_type)
    if values and (min(values) < low or max(values) > high):
        for item in _items(elements.rows):
            _integer_in_range(item, element_type, low, high)
    return integer_array(values, element_type)


def integer_range(element_type: ElementType) -> tuple[int, int]:
    """The range of integers that literals may state: MLIR accepts 255 for i8, too."""
    if element_type.kind == "unsigned":
        return 0, (1 << element_type.bits) - 1
    return -(1 << (element_type.bits - 1)), (1 << element_type.bits) - 1


def storage_limits(element_type: ElementType) -> tuple[int, int]:
    """The smallest and the largest integer that a type represents."""
    low, high = integer_range(element_type)
    return low, high if element_type.kind == "unsigned" else high >> 1


def integer_array(values: list[int], element_type: ElementType) -> NDArray[Any]:
    """`values`, within `integer_range`, in the type's dtype."""
    bits = element_type.bits
    if element_type.kind == "unsigned":
        return np.array(values, dtype=np.uint64).astype(element_type.dtype)
    if values and max(values) >= 1 << (bits - 1):
        values = [value - (1 << bits) if value >= 1 << (bits - 1) else value for value in values]
    return np.array(values, dtype=np.int64).astype(element_type.dtype)


def _read_plain_rows(rows: list[str], convert: Any) -> list[Any]:
    """The elements of all rows, if all are plain decimals; otherwise an empty list."""
    values: list[Any] = []
    try:
        for row in rows:
            if not _DECIMALS.match(row):
                return []
            values.extend(map(convert, row.split(",")))
    except ValueError:
        return []
    return values


def _integer(item: _Item, element_type: ElementType) -> int:
    if item.text in ("true", "false"):
        hint = "booleans are elements of i1"
        raise item.error(f"'{item.text}' is not an integer, which {element_type} needs", hint)
    if not _INTEGER.match(item.text):
        raise item.error(f"'{item.text[:_MAX_DIGITS]}' is not an integer, which {element_type} needs")
    return parse_integer(item.text)


def parse_integer(text: str) -> int:
    """Parse a decimal or hexadecimal integer; one too long for any type becomes ±2**200."""
    if len(text) > _MAX_DIGITS:
        return -(1 << 200) if text[0] == "-" else 1 << 200
    return int(text, 16 if "x" in text else 10)


def _integer_in_range(item: _Item, element_type: ElementType, low: int, high: int) -> None:
    if not low <= parse_integer(item.text) <= high:
        hint = f"its values are {low} to {high if element_type.kind == 'unsigned' else high // 2}"
        raise item.error(f"{item.text[:_MAX_DIGITS]} does not fit in {element_type}", hint)


# Floats


def _floats(rows: list[str], items: Any, element_type: ElementType, by_hand: bool) -> NDArray[Any]:
    values = _read_plain_rows(rows, float) if items is _items else []
    patterns: list[tuple[int, int]] = []
    if not values:
        for item in items(rows):
            bits = _bit_pattern(item, element_type)
            if bits is not None:
                patterns.append((len(values), bits))
            values.append(0.0 if bits is not None else _decimal(item, element_type, by_hand))
    array = round_to(np.array(values, dtype=np.float64), element_type)
    put_bits(array, patterns)
    return array


def put_bits(array: NDArray[Any], patterns: list[tuple[int, int]]) -> None:
    """Set some elements of a flat array, given by index, to bit patterns."""
    size = array.dtype.itemsize
    raw = array.view(np.uint8).reshape(-1, size)
    for index, bits in patterns:
        raw[index] = np.frombuffer(bits.to_bytes(size, "little"), np.uint8)


def _bit_pattern(item: _Item, element_type: ElementType) -> int | None:
    match = _BITS.match(item.text)
    if not match:
        return None
    if len(match[1].lstrip("0")) * 4 > element_type.bits + 3 or int(match[1], 16) >> element_type.bits:
        raise item.error(f"the bit pattern has more than the {element_type.bits} bits of {element_type}")
    return int(match[1], 16)


def _decimal(item: _Item, element_type: ElementType, by_hand: bool) -> float:
    if by_hand and _BY_HAND.match(item.text):
        return float(item.text)
    if not _DECIMAL.match(item.text):
        hint = None
        if _BY_HAND.match(item.text):
            hint = "write its bits: infinity is 0x7F800000 and NaN 0x7FC00000 in f32"
        raise item.error(f"'{item.text[:_MAX_DIGITS]}' is not a number, which {element_type} needs", hint)
    return float(item.text)


# Complex numbers


def _complexes(elements: Elements, element_type: ElementType) -> NDArray[Any]:
    part = ELEMENT_TYPES["f32" if element_type.bits == 64 else "f64"]
    return _floats(elements.rows, _parts, part, elements.by_hand).view(element_type.dtype)


def _parts(rows: list[str]) -> Iterator[_Item]:
    for number, row in enumerate(rows):
        _check_pairs(row, number)
        for pair in _PAIR.finditer(row):
            yield from _split(pair[1], number, pair.start(1))
            yield from _split(pair[2], number, pair.start(2))


def _check_pairs(row: str, number: int) -> None:
    place = 0
    for rest in _PAIR.sub(lambda pair: "c" * len(pair[0]), row).split(","):
        stripped = rest.strip()
        if not stripped or stripped.strip("c"):
            item = _Item(stripped, number, place + len(rest) - len(rest.lstrip()))
            hint = "a complex element is written (real, imaginary)"
            raise item.error(f"'{stripped[:_MAX_DIGITS]}' is not a complex element", hint)
        place += len(rest) + 1


# Bytes


def from_bytes(data: bytes, element_type: ElementType, count: int) -> NDArray[Any] | None:
    """`count` elements, or one for all, from little-endian bytes; `None` if the length does not match."""
    size = element_type.dtype.itemsize
    if element_type.kind == "boolean":
        return _booleans_from_bytes(data, count)
    if len(data) not in (count * size, size):
        return None
    return _elements_of_bytes(np.frombuffer(data, np.uint8), element_type)


def _booleans_from_bytes(data: bytes, count: int) -> NDArray[Any] | None:
    values = np.frombuffer(data, np.uint8)
    if len(data) in (count, 1):
        return values.astype(np.bool_)
    if len(data) == (count + 7) // 8:  # MLIR packed them before 2025
        return np.unpackbits(values, bitorder="little", count=count).astype(np.bool_)
    return None


def _elements_of_bytes(data: NDArray[np.uint8], element_type: ElementType) -> NDArray[Any]:
    """Bytes as elements; the upper bits of a type narrower than a byte are ignored."""
    if element_type.bits >= 8:
        return data.view(element_type.dtype)
    mask = (1 << element_type.bits) - 1
    low = (data & mask).astype(np.int64)
    if element_type.is_float:
        return low.astype(np.uint8).view(element_type.dtype)
    storage = element_type.storage if isinstance(element_type, QuantizedType) else element_type
    if storage.kind == "signed":
        low = np.where(low > mask >> 1, low - mask - 1, low)
    return low.astype(element_type.dtype)
