"""Floating-point numbers as MLIR prints them: the printed text reads back as the same bits."""

from functools import cache
from math import copysign, isfinite
from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from ...ir.element_types import ElementType

SHORT_DIGITS = 6
MAX_PADDING = 3
"""Maximum number of zeros that APFloat pads with before it uses an exponent."""


def float_bits(value: Any, element_type: ElementType) -> int:
    """The bits of `value`, rounded to `element_type`."""
    return int.from_bytes(round_to(np.asarray(value, dtype=np.float64), element_type).tobytes(), "little")


def round_to(values: NDArray[Any], element_type: ElementType) -> NDArray[Any]:
    """The values in `element_type`; f8E8M0FNU has no zero and represents it as 2**-127."""
    if element_type.name == "f8E8M0FNU":
        values = np.where(values == 0, 2.0**-127, values)
    with np.errstate(over="ignore", invalid="ignore"):
        return values.astype(element_type.dtype)


def float_of_bits(bits: int, element_type: ElementType) -> float:
    """The value of a bit pattern in `element_type`."""
    dtype = element_type.dtype
    return float(np.frombuffer(bits.to_bytes(dtype.itemsize, "little"), dtype)[0])


def print_float(bits: int, element_type: ElementType) -> str:
    """`1.000000e+00`, with more digits if needed, or `0x7FC00000` if no decimal reads back as `bits`."""
    value = float_of_bits(bits, element_type)
    if isfinite(value):
        text = _short(value)
        if float_bits(float(text), element_type) == bits:
            return text
        text = _expand_digits(value, _full_digits(element_type))
        if "." in text and float_bits(float(text), element_type) == bits:
            return text
    return f"0x{bits:X}"


@cache
def _full_digits(element_type: ElementType) -> int:
    # APFloat's estimate of the decimal digits that distinguish all values of a type.
    precision: int = ml_dtypes.finfo(element_type.dtype).nmant + 1
    return 2 + precision * 59 // 196


def _digits(value: float, count: int) -> tuple[str, int]:
    """At most `count` significant digits of `value`, and the power of ten of the last digit.

    As in APFloat, digits of the exact number are dropped before rounding, so that 9.99999974E-6 does not
    become 1.0E-5.
    """
    numerator, denominator = abs(value).as_integer_ratio()
    exponent = 1 - denominator.bit_length()
    significand: int = numerator * 5**-exponent
    spare = significand.bit_length() - (count * 196 + 58) // 59
    if spare > 0:
        dropped = spare * 59 // 196
        significand //= 10**dropped
        exponent += dropped
    text = str(significand)
    if len(text) > count:
        rest = text[count:]
        round_to = int(text[:count]) + (rest[0] >= "5")
        text, exponent = str(round_to), exponent + len(rest)
    stripped = text.rstrip("0")
    return stripped, exponent + len(text) - len(stripped)


def _short(value: float) -> str:
    sign = "-" if copysign(1.0, value) < 0 else ""
    if value == 0:
        return f"{sign}0.{'0' * SHORT_DIGITS}e+00"
    digits, exponent = _digits(value, SHORT_DIGITS)
    first = exponent + len(digits) - 1
    return (
        f"{sign}{digits[0]}.{digits[1:].ljust(SHORT_DIGITS, '0')}e{'-' if first < 0 else '+'}{abs(first):02d}"
    )


def _expand_digits(value: float, count: int) -> str:
    """Decimal text, with an exponent under APFloat's conditions."""
    digits, exponent = _digits(value, count)
    sign = "-" if value < 0 else ""
    first = exponent + len(digits) - 1
    if 0 <= exponent <= MAX_PADDING and len(digits) + exponent <= count:
        return sign + digits + "0" * exponent
    if exponent >= 0 or (first < 0 and -first > MAX_PADDING):
        return f"{sign}{digits[0]}.{digits[1:] or '0'}E{first:+d}"
    if first >= 0:
        return f"{sign}{digits[: first + 1]}.{digits[first + 1 :]}"
    return f"{sign}0.{'0' * (-first - 1)}{digits}"
