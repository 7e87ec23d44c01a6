"""Numbers as text and as JSON, which has no NaN and, in a browser, no integer above 2^53."""

from decimal import ROUND_HALF_UP, Context
from typing import Any

import numpy as np

LARGEST_EXACT = 2**53
Number = int | float


def json_number(value: Number) -> Number | str:
    """`value`, or text where JSON or JavaScript would change it."""
    if isinstance(value, int):
        return value if abs(value) <= LARGEST_EXACT else str(value)
    if np.isfinite(value):
        return value
    return "NaN" if np.isnan(value) else ("Infinity" if value > 0 else "-Infinity")


def percent_text(part: float) -> str:
    """`12.5 %`, as the page writes it; a share that is neither 0 nor 1 is not rounded to either."""
    if 0 < part < 0.001:
        return "under 0.1 %"
    percent = 100 * part if part >= 1 else min(100 * part, 99.9)
    return f"{percent:,.1f}".removesuffix(".0") + " %"


def short_number(value: Number) -> str:
    """A representative number with at most four digits: `-1.2`, `3.142e-7`; integers have theirs, as elements do: `12288`."""
    if isinstance(value, int):
        return str(value) if abs(value) < 10**9 else _in_short(float(value))
    return _in_short(value) if np.isfinite(value) else _nonfinite_text(value)


_FOUR_DIGITS = Context(prec=4, rounding=ROUND_HALF_UP)


def _in_short(value: float) -> str:
    halves_up = float(_FOUR_DIGITS.create_decimal_from_float(value))  # as the page rounds
    return _with_plain_exponent(f"{halves_up:.4g}")


def _with_plain_exponent(text: str) -> str:
    """The exponent in a browser's form: no plus sign and no leading zeros."""
    mantissa, mark, exponent = text.partition("e")
    return f"{mantissa}e{int(exponent)}" if mark else text


def _nonfinite_text(value: Any) -> str:
    """The only spelling of non-finite numbers: NaN, +Inf, -Inf."""
    return "NaN" if np.isnan(value) else "+Inf" if value > 0 else "-Inf"


def exact_number(value: Any) -> str:
    """One element, in the fewest digits that distinguish it from its neighbours."""
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (complex, np.complexfloating)):
        imaginary = exact_number(value.imag)
        return f"{exact_number(value.real)}{'' if imaginary[0] in '+-' else '+'}{imaginary}i"
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    # NumPy's own text of a float is the shortest that reads back the same in its type.
    return (
        _with_plain_exponent(str(value)).removesuffix(".0") if np.isfinite(value) else _nonfinite_text(value)
    )
