"""Functions beyond those of NumPy, from SciPy, with the edge values that XLA gives.

SciPy is slow to import, so it is imported when a program first needs it.
"""

from typing import Any

import numpy as np

from ..core.op import Array


def erf(operand: Array) -> Any:
    """The Gauss error function."""
    from scipy import special

    return special.erf(operand)


def erfc(operand: Array) -> Any:
    """`1 - erf(x)`, exact where that is small."""
    from scipy import special

    return special.erfc(operand)


def erf_inv(operand: Array) -> Any:
    """The inverse of erf: infinite at -1 and 1, NaN beyond; keeps -0."""
    from scipy import special

    return np.where(operand == 0, operand, special.erfinv(operand))


_BESIDE_0 = 1e-30


def lgamma(operand: Array) -> Any:
    """The logarithm of the absolute value of the gamma function: infinite at its poles and at both infinities."""
    from scipy import special

    # Where SciPy divides by a denormal, the gamma function is 1 / x to the last digit.
    beside_0 = (np.abs(operand) < _BESIDE_0) & (operand != 0)
    found = np.where(beside_0, -np.log(np.abs(operand)), special.gammaln(operand))
    return np.where(np.isinf(operand), np.inf, found)


def digamma(operand: Array) -> Any:
    """The derivative of lgamma: -Inf at 0 of either sign, NaN at its other poles."""
    from scipy import special

    return np.where(operand == 0, -np.inf, special.psi(operand))


def bessel_i1e(operand: Array) -> Any:
    """`exp(-|x|)` times the modified Bessel function of order 1; keeps -0."""
    from scipy import special

    return np.where(operand == 0, operand, special.i1e(operand))


def next_after(x: Array, y: Array) -> Any:
    """The next number after `x` on the way to `y`. Of zeros of two signs it is `y`; NumPy's, of f16, is `x`."""
    return np.where(x == y, y, np.nextafter(x, y))


def zeta(x: Array, q: Array) -> Any:
    """The Hurwitz zeta function. A pole in `q` is infinite if both sides are, else NaN, as in CHLO."""
    from scipy import special

    is_pole = (q <= 0) & (q == np.floor(q)) & (x != 1)
    far = (q < _SMALLEST_ADDED) & ~is_pole
    value = special.zeta(x, np.where(is_pole | far, 1, q))
    if np.any(far):
        value = np.where(far, _zeta_of_negative(x, np.where(far, q, -0.5)), value)
    return np.where(is_pole, np.where(x % 2 == 0, np.inf, np.nan), value)


_SMALLEST_ADDED = -1000
"""From here on SciPy adds the terms of negative numbers, one by one: of a number below, they might be 2^52."""


def _zeta_of_negative(x: Array, q: Array) -> Array:
    """The terms of positive numbers, and those of negative ones: of a whole `x`, positive ones and their signs."""
    from scipy import special

    positive = q - np.floor(q)
    above, below = special.zeta(x, positive), special.zeta(x, 1 - positive)
    rest = special.zeta(x, 1 - q)
    value = np.where(x % 2 == 0, above + below - rest, above - below + rest)
    return np.where(
        (x > 1) & np.isfinite(x), np.where(x == np.floor(x), value, np.nan), special.zeta(x, positive - 1)
    )


def polygamma(order: Array, x: Array) -> Any:
    """The derivative of digamma of an order that is a whole number, NaN for any other."""
    from scipy import special

    is_order = (order == np.floor(order)) & (order >= 0) & np.isfinite(order)
    sign = np.where(order % 2 == 0, -1.0, 1.0)
    value = special.gamma(order + 1) * zeta(order + 1, x)
    huge = is_order & (order > _LARGEST_FACTORIAL) & np.isfinite(x)
    if np.any(huge):
        value = np.where(huge, _by_logarithms(order + 1, x), value)
    return np.where(is_order, np.where(order == 0, digamma(x), sign * value), np.nan)


_LARGEST_FACTORIAL = 170
"""Largest integer whose factorial f64 holds."""
_TERMS = 32


def _by_logarithms(exponent: Array, x: Array) -> Any:
    """`gamma(s) * zeta(s, x)`, of which one factor may be beyond f64 and the product not."""
    from scipy import special

    found = zeta(exponent, x)
    logarithm = np.where(x > 0, _logarithm_of_zeta(exponent, np.where(x > 0, x, 1)), np.log(np.abs(found)))
    return np.where(
        np.isnan(found), np.nan, np.copysign(np.exp(special.gammaln(exponent) + logarithm), found)
    )


def _logarithm_of_zeta(s: Array, x: Array) -> Array:
    """log zeta(s, x) for large `s` and positive `x`: terms relative to the first, and the Euler-Maclaurin formula."""
    terms = sum((x / (x + k)) ** s for k in range(1, _TERMS)) + 1
    end = x + _TERMS
    ratio = s / end
    rest = (x / end) ** s * (end / (s - 1) + 0.5 + ratio / 12 - ratio**3 / 720 + ratio**5 / 30240)
    logarithm: Array = np.log(terms + np.where(np.isfinite(rest), rest, 0)) - s * np.log(x)
    return logarithm


def high_product(lhs: Array, rhs: Array, width: int) -> Any:
    """The upper `width` bits of the product of integers of that width, which has twice as many."""
    if width <= 32:
        wide = np.dtype(f"{lhs.dtype.kind}8")
        return (lhs.astype(wide) * rhs.astype(wide) >> wide.type(width)).astype(lhs.dtype)
    high = _unsigned_high_product(lhs.view(np.uint64), rhs.view(np.uint64))
    if lhs.dtype.kind == "i":
        # Taken as unsigned, a negative factor is 2^64 too large.
        high -= np.where(lhs < 0, rhs, 0).view(np.uint64) + np.where(rhs < 0, lhs, 0).view(np.uint64)
    return high.view(lhs.dtype)


def _unsigned_high_product(lhs: Array, rhs: Array) -> Array:
    """The upper half of a product of u64, from four products of 32-bit halves and their carries."""
    half, mask = np.uint64(32), np.uint64(0xFFFFFFFF)
    left_high, left_low = lhs >> half, lhs & mask
    right_high, right_low = rhs >> half, rhs & mask
    first = left_high * right_low + (left_low * right_low >> half)
    second = left_low * right_high + (first & mask)
    product: Array = left_high * right_high + (first >> half) + (second >> half)
    return product
