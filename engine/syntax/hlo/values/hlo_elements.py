"""Convert the elements of HLO literals from text to arrays.

Literals in XLA's own notation are converted as a whole; others, and invalid ones, element by element.
"""

import re
from functools import cache
from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from ....ir.element_types import ELEMENT_TYPES, ElementType
from ...text.dense_elements import ElementError, integer_array, parse_integer, put_bits, storage_limits
from ...text.float_text import float_bits, float_of_bits, round_to
from .decimals import BLANKS, read_floats, read_integers
from .print_shapes import element_type_name

_IN_NUMBERS = b"0123456789+-.eEinfa" + BLANKS
_NO_BRACKETS = bytes.maketrans(b"{}()", b"    ")
_ALL_ONES = bytes.maketrans(b"0", b"1")

_INTEGER = re.compile(r"[-+]?[0-9]++\Z")
_FLOAT = re.compile(r"[-+]?(?:[0-9]++(?:\.[0-9]*+)?+|\.[0-9]++)(?:[eE][-+]?[0-9]++)?+\Z")
_INFINITY = re.compile(r"[-+]?inf\Z")
_NAN = re.compile(r"([-+]?)nan(?:\(0x([0-9A-Fa-f]{1,16})\))?+\Z")
_SHOWN = 40
SMALLEST_POWER = 2.0**-127
"""Smallest power of two of f8E8M0FNU."""


def part_of(element_type: ElementType) -> ElementType:
    """The type of one number in the text: half of a complex element, else the element type."""
    return (
        ELEMENT_TYPES["f32" if element_type.bits == 64 else "f64"]
        if element_type.is_complex
        else element_type
    )


# All at once


def skeleton_length(shape: tuple[int, ...], element_type: ElementType) -> int:
    """Number of brackets, commas and boolean digits of a literal."""
    length = len(_unit(element_type))
    for size in reversed(shape):
        length = 2 + size * length + max(0, size - 1)
    return length


def _unit(element_type: ElementType) -> bytes:
    if element_type.is_complex:
        return b"(,)"
    return b"1" if element_type.kind == "boolean" else b""


def _text_skeleton(shape: tuple[int, ...], element_type: ElementType) -> bytes:
    text = _unit(element_type)
    for size in reversed(shape):
        text = b"{" + b",".join([text] * size) + b"}"
    return text


def read_all(text: bytes, shape: tuple[int, ...], element_type: ElementType) -> NDArray[Any] | None:
    """The elements of a literal of nonzero size, flat; `None` if it must be read element by element."""
    booleans = element_type.kind == "boolean"
    found = text.translate(_ALL_ONES, BLANKS) if booleans else text.translate(None, _IN_NUMBERS)
    if len(found) != skeleton_length(shape, element_type) or found != _text_skeleton(shape, element_type):
        return None
    if booleans:
        digits = np.frombuffer(text.translate(None, b"{}," + BLANKS), np.uint8)
        return (digits - ord("0")).astype(np.bool_)
    return _numbers(text, element_type)


def _numbers(text: bytes, element_type: ElementType) -> NDArray[Any] | None:
    count = text.count(b",") + 1
    plain = text.translate(_NO_BRACKETS)
    if element_type.is_integer:
        return _integers(plain, count, element_type)
    values = read_floats(plain, count)
    if values is None:
        return None
    part = part_of(element_type)
    found = _round(values, part)
    return None if _find_changed_class(values, found, part).any() else found.view(element_type.dtype)


def _integers(plain: bytes, count: int, element_type: ElementType) -> NDArray[Any] | None:
    unsigned = element_type.kind == "unsigned"
    if unsigned and b"-" in plain:
        return None
    low, high = storage_limits(element_type)
    values = read_integers(plain, count, np.uint64 if unsigned else np.int64)
    if values is not None:
        return values.astype(element_type.dtype) if low <= values.min() and values.max() <= high else None
    try:
        numbers = list(map(int, plain.split(b",")))
    except ValueError:
        return None
    return integer_array(numbers, element_type) if low <= min(numbers) and max(numbers) <= high else None


def _round(values: NDArray[Any], element_type: ElementType) -> NDArray[Any]:
    """Round as XLA does: to 16 bits through f32, to 8 bits or fewer directly."""
    with np.errstate(over="ignore", invalid="ignore"):
        if element_type.bits == 16:
            values = values.astype(np.float32)
        elif element_type.bits <= 8:
            values = _round_to_odd(values)
    if element_type.name == "f8E8M0FNU":
        # XLA prints the smallest power as 5.9e-39, which ml_dtypes would round up to the next one.
        values = np.where((values > 0) & (values < 1.5 * SMALLEST_POWER), SMALLEST_POWER, values)
    return round_to(values, element_type)


def _round_to_odd(values: NDArray[Any]) -> NDArray[np.float32]:
    """Convert to f32, setting the last bit of inexact values, so that a second rounding is correct.

    ml_dtypes converts f64 through f32.
    """
    narrow = values.astype(np.float32)
    lost = np.isfinite(narrow) & (narrow != values)
    if lost.any():
        below = np.where(np.abs(narrow) > np.abs(values), np.nextafter(narrow, np.float32(0)), narrow)
        narrow = np.where(lost, (below.view(np.uint32) | 1).view(np.float32), narrow)
    return narrow


def _find_changed_class(values: NDArray[Any], found: NDArray[Any], element_type: ElementType) -> NDArray[Any]:
    """Mask of values whose class (finite, NaN) differs from that of `found`, the values in their type."""
    wide = found.astype(np.float64)
    changed: NDArray[Any] = np.isfinite(wide) != np.isfinite(values)
    changed |= values <= 0 if element_type.name == "f8E8M0FNU" else np.isnan(wide) != np.isnan(values)
    return changed


# One by one


def read_each(texts: list[str], element_type: ElementType) -> NDArray[Any]:
    """The elements, flat; the row of an `ElementError` is the index of a text.

    A complex element is two texts.
    """
    part = part_of(element_type)
    if part.kind == "boolean":
        return np.array([_boolean(text, row) for row, text in enumerate(texts)], np.bool_)
    if part.is_integer:
        return integer_array([_integer(text, row, part) for row, text in enumerate(texts)], part)
    return _floats(texts, part).view(element_type.dtype)


def _error(message: str, text: str, row: int, hint: str | None = None) -> ElementError:
    return ElementError(message, row, 0, len(text), hint)


def _boolean(text: str, row: int) -> bool:
    if text in ("true", "false"):
        return text == "true"
    if not _INTEGER.match(text):
        hint = "elements of pred are true and false, or 1 and 0"
        raise _error(f"'{text[:_SHOWN]}' is not a boolean", text, row, hint)
    return parse_integer(text) != 0


def _integer(text: str, row: int, element_type: ElementType) -> int:
    name = element_type_name(element_type)
    if not _INTEGER.match(text):
        hint = "booleans are elements of pred" if text in ("true", "false") else None
        raise _error(f"'{text[:_SHOWN]}' is not an integer, which {name} needs", text, row, hint)
    value = parse_integer(text)
    low, high = storage_limits(element_type)
    if not low <= value <= high:
        raise _error(f"{text[:_SHOWN]} does not fit in {name}", text, row, f"its values are {low} to {high}")
    return value


def _floats(texts: list[str], part: ElementType) -> NDArray[Any]:
    values = np.zeros(len(texts))
    patterns: list[tuple[int, int]] = []
    for row, text in enumerate(texts):
        nan = _NAN.match(text)
        if nan is not None and nan[2] is not None:
            patterns.append((row, _pattern(nan, row, part)))
        elif nan is not None or _INFINITY.match(text) or _FLOAT.match(text):
            values[row] = float(text)
        else:
            raise _error(
                f"'{text[:_SHOWN]}' is not a number, which {element_type_name(part)} needs", text, row
            )
    found = _round(values, part)
    _check_range(texts, values, found, part)
    put_bits(found, patterns)
    return found


def _check_range(texts: list[str], values: NDArray[Any], found: NDArray[Any], part: ElementType) -> None:
    changed = _find_changed_class(values, found, part)
    for row in np.flatnonzero(changed | np.isinf(values)).tolist():
        if changed[row] or not _INFINITY.match(texts[row]):
            message = f"{texts[row][:_SHOWN]} does not fit in {element_type_name(part)}"
            limits = ml_dtypes.finfo(part.dtype)
            hint = f"its numbers are {float(limits.min):g} to {float(limits.max):g}"
            raise _error(message, texts[row], row, hint)


def _pattern(nan: re.Match[str], row: int, part: ElementType) -> int:
    """The bits of a NaN with a payload."""
    infinity, name = infinity_bits(part), element_type_name(part)
    if infinity is None:
        raise _error(f"a NaN of {name} has no payload", nan[0], row)
    payload, most = int(nan[2], 16), (1 << mantissa_bits(part)) - 1
    if not 0 < payload <= most:
        raise _error(f"the payload of a NaN of {name} is 0x1 to 0x{most:x}", nan[0], row)
    return infinity | payload | (nan[1] == "-") << (part.bits - 1)


@cache
def infinity_bits(element_type: ElementType) -> int | None:
    """Bit pattern of infinity, to which a NaN adds its payload; `None` for a type without infinities."""
    bits = float_bits(np.inf, element_type)
    return bits if np.isinf(float_of_bits(bits, element_type)) else None


@cache
def mantissa_bits(element_type: ElementType) -> int:
    """Number of mantissa bits of a floating-point type."""
    return int(ml_dtypes.finfo(element_type.dtype).nmant)
