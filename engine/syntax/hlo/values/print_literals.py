"""Print constants in HLO's notation; the text reads back as the same bits.

Floats have as many digits as in XLA: the fewer of two precisions, if it distinguishes the number. The only
difference is negative zero, `-0.0` here: XLA prints `-0`, which its own parser reads as an unsigned integer.
"""

from math import ceil, log10, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....errors import StructureError
from ....ir.attributes import ArrayAttribute, Attribute, DenseAttribute, ResourceAttribute, UnitAttribute
from ....ir.element_types import ElementType
from ...text.float_text import round_to
from .decimals import read_floats
from .hlo_elements import SMALLEST_POWER, infinity_bits, mantissa_bits, part_of

_COMMENTS_ABOVE = 3
"""Arrays with more dimensions get a comment with the index of each list."""
_MAX_EMPTY_LISTS = 1 << 16
_FEWER_DIGITS = {"f32": 6, "f64": 15}


def print_literal(attribute: Attribute) -> str:
    """The text between the parentheses of `constant(…)`."""
    match attribute:
        case DenseAttribute():
            return _array(attribute)
        case ArrayAttribute():
            return f"( {', '.join([print_literal(element) for element in attribute.elements])} )"
        case ResourceAttribute():
            return attribute.name
        case UnitAttribute():
            return "token[]"
    raise StructureError(f"{type(attribute).__name__} is not a constant of HLO")


def _array(attribute: DenseAttribute) -> str:
    element_type, shape = attribute.type.element_type, attribute.data.shape
    if not shape and element_type.kind == "boolean":
        return "true" if attribute.data else "false"
    if attribute.is_splat:
        texts = _elements(attribute.data.reshape(-1)[:1], element_type) * attribute.data.size
    else:
        texts = _elements(np.ascontiguousarray(attribute.data).reshape(-1), element_type)
    return _lists(texts, shape) if shape else texts[0]


# Lists


def _lists(texts: list[str], shape: tuple[int, ...]) -> str:
    """The elements as nested lists, with XLA's spacing."""
    if not texts and prod(shape[: shape.index(0)]) > _MAX_EMPTY_LISTS:
        return "{}"
    lists = _rows(texts, shape)
    for level in reversed(range(len(shape) - 1)):
        lists = _group(lists, shape, level)
    return lists[0]


def _rows(texts: list[str], shape: tuple[int, ...]) -> list[str]:
    size = shape[-1]
    blank = " " if len(shape) > 1 and size > 1 else ""
    starts = range(0, len(texts), size) if size else [0] * prod(shape[:-1])
    return [f"{{{blank}{', '.join(texts[start : start + size])}{blank}}}" for start in starts]


def _group(lists: list[str], shape: tuple[int, ...], level: int) -> list[str]:
    """Join the lists of dimension `level + 1` into those of dimension `level`."""
    size, groups = shape[level], []
    for number in range(prod(shape[:level])):
        inside = ", ".join(lists[number * size : (number + 1) * size])
        if level and len(shape) > _COMMENTS_ABOVE:
            comment = f"/*i{level - 1}={number % shape[level - 1]}*/"
            inside = f"{comment} {inside}" if inside else comment
        groups.append(f"{{ {inside} }}")
    return groups


# Elements


def _elements(values: NDArray[Any], element_type: ElementType) -> list[str]:
    if element_type.kind == "boolean":
        return ["1" if value else "0" for value in values.tolist()]
    if element_type.is_complex:
        part = part_of(element_type)
        parts = _floats(values.view(part.dtype), part)
        return [f"({real}, {imaginary})" for real, imaginary in zip(parts[::2], parts[1::2], strict=True)]
    if element_type.is_float:
        return _floats(values, element_type)
    wide = values.astype(np.uint64 if element_type.kind == "unsigned" else np.int64)
    return list(map(str, wide.tolist()))


def _floats(values: NDArray[Any], element_type: ElementType) -> list[str]:
    if not values.size:
        return []
    # Enough digits to distinguish any two numbers of this precision.
    most = ceil(1 + (mantissa_bits(element_type) + 1) * log10(2))
    digits = _FEWER_DIGITS.get(element_type.name, most)
    with np.errstate(invalid="ignore"):  # a signaling NaN
        wide = values.astype(np.float64)
    texts = _format(wide, digits)
    if digits < most:
        read = read_floats(",".join(texts).encode(), len(texts))
        assert read is not None
        inexact = np.flatnonzero((round_to(read, element_type) != wide) & ~np.isnan(wide))
        _put(texts, inexact, _format(wide[inexact], most))
    if element_type.name == "f8E8M0FNU":
        # XLA shortens the smallest number to text that it reads as the next larger one.
        smallest = np.flatnonzero(wide == SMALLEST_POWER)
        _put(texts, smallest, _format(wide[smallest], 17))
    minus_zero = np.flatnonzero((wide == 0) & np.signbit(wide))
    _put(texts, minus_zero, ["-0.0"] * len(minus_zero))
    nan = np.flatnonzero(np.isnan(wide))
    _put(texts, nan, [_nan(bits, element_type) for bits in _bits(values[nan])])
    return texts


def _format(values: NDArray[np.float64], digits: int) -> list[str]:
    if not values.size:
        return []
    return (f"%.{digits}g," * values.size % tuple(values.tolist())).split(",")[:-1]


def _put(texts: list[str], places: NDArray[Any], others: list[str]) -> None:
    for place, text in zip(places.tolist(), others, strict=True):
        texts[place] = text


def _bits(values: NDArray[Any]) -> list[int]:
    bits: list[int] = values.view(f"u{values.itemsize}").tolist()
    return bits


def _nan(bits: int, element_type: ElementType) -> str:
    # f8E8M0FNU has no sign bit; the top bit belongs to its exponent.
    sign = "-" if bits >> (element_type.bits - 1) and element_type.name != "f8E8M0FNU" else ""
    size = mantissa_bits(element_type)
    payload = bits & ((1 << size) - 1)
    if infinity_bits(element_type) is None or payload == 1 << (size - 1):
        return f"{sign}nan"
    return f"{sign}nan(0x{payload:x})"
