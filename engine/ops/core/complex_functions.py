"""Functions of complex numbers in f64, with all extremes and both sides of branch cuts, by C99's Annex G.

NumPy's exp, log, sqrt, sin, cos, tan, tanh, sinh, cosh, their inverses and abs are those of the C library, which are
correct. This module has the others. Each has a short formula for ordinary numbers, and handles separately numbers
whose squares or products leave f64, and numbers that are not finite. The error is some units in the last place of the
result's modulus; a part that is much smaller than the other may have fewer digits.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Real = NDArray[np.float64]
Complex = NDArray[np.complex128]
Mask = NDArray[np.bool_]

_LEAST, _MOST = 2.0**-250, 2.0**250
"""Between these, products and squares are normal numbers."""
_TINY, _HUGE = 2.0**-900, 2.0**1000
"""Beyond these a modulus has fewer digits, or overflows."""
_INDEFINITE = complex(np.nan, np.nan)


def divide(lhs: Complex, rhs: Complex) -> Complex:
    """The quotient; infinite over finite is infinite, finite over infinite is 0, and so are signs of zeros."""
    lhs, rhs = np.broadcast_arrays(lhs, rhs)
    value = _quotient(lhs.real, lhs.imag, rhs.real, rhs.imag)
    if not (_is_all_ordinary(lhs) and _is_all_ordinary(rhs)):
        _replace_where(
            value, ~(_is_ordinary(lhs) & _is_ordinary(rhs)) | (rhs == 0), _divide_extremes, lhs, rhs
        )
    return value


def _quotient(a: Real, b: Real, c: Real, d: Real) -> Complex:
    square = c * c
    square += d * d
    real, imaginary = a * c, b * c
    real += b * d
    imaginary -= a * d
    return _from_parts(real / square, imaginary / square)


def _divide_extremes(lhs: Complex, rhs: Complex) -> Complex:
    """Quotients whose parts would overflow or underflow: both are scaled by powers of 2 first."""
    divisor_exponent = _exponent(rhs)
    exponent = np.where(np.isfinite(lhs), _exponent(lhs) - _TOP, 0)
    c, d = np.ldexp(rhs.real, -divisor_exponent), np.ldexp(rhs.imag, -divisor_exponent)
    a, b = np.ldexp(lhs.real, -exponent), np.ldexp(lhs.imag, -exponent)
    scaled = _quotient(a, b, c, d)
    back = exponent - divisor_exponent
    value = _from_parts(np.ldexp(scaled.real, back), np.ldexp(scaled.imag, back))
    return np.where(np.isnan(value.real) & np.isnan(value.imag), _recover_infinities(lhs, rhs, value), value)


_TOP = 1020
"""An exponent that leaves a sum of two products finite."""


def _recover_infinities(lhs: Complex, rhs: Complex, value: Complex) -> Complex:
    """The zeros and infinities that Annex G prescribes in place of two NaNs."""
    by_zero = (rhs == 0) & ~(np.isnan(lhs.real) & np.isnan(lhs.imag))
    infinity = np.copysign(np.inf, rhs.real)
    value = np.where(by_zero, _from_parts(infinity * lhs.real, infinity * lhs.imag), value)
    grows = np.isinf(lhs) & np.isfinite(rhs) & (rhs != 0)
    value = np.where(grows, _scale_direction(_direction(lhs), rhs, np.inf), value)
    return np.where(np.isinf(rhs) & np.isfinite(lhs), _scale_direction(lhs, _direction(rhs), 0.0), value)


def _scale_direction(lhs: Complex, rhs: Complex, factor: float) -> Complex:
    """The direction of `lhs / rhs` times `factor`; only signs matter, so operands are scaled down first."""
    a, b, c, d = (np.copysign(np.minimum(np.abs(part), 1), part) for part in _parts(lhs, rhs))
    by_signs = _from_parts(factor * (a * c + b * d), factor * (b * c - a * d))
    a, b, c, d = (part / 4 for part in _parts(lhs, rhs))
    value = _from_parts(factor * (a * c + b * d), factor * (b * c - a * d))
    return np.where(np.isnan(value.real) | np.isnan(value.imag), by_signs, value)


def _parts(lhs: Complex, rhs: Complex) -> tuple[Real, Real, Real, Real]:
    return lhs.real, lhs.imag, rhs.real, rhs.imag


def _direction(operand: Complex) -> Complex:
    """1 for an infinite part, 0 for another, with their signs."""
    real, imaginary = operand.real, operand.imag
    return _from_parts(
        np.copysign(np.isinf(real).astype(np.float64), real),
        np.copysign(np.isinf(imaginary).astype(np.float64), imaginary),
    )


def square(operand: Complex) -> Complex:
    """The operand times itself; the real part from a product, which loses nothing to cancellation."""
    x, y = operand.real, operand.imag
    equal = (np.abs(x) == np.abs(y)) & np.isfinite(x)
    return _from_parts(np.where(equal, 0.0, (x - y) * (x + y)), 2 * (x * y))


def sign(operand: Complex) -> Complex:
    """The value over its modulus: 0 for 0, and NaN for non-finite values whose quotient is NaN."""
    modulus = np.hypot(operand.real, operand.imag)
    value = _from_parts(operand.real / modulus, operand.imag / modulus)
    _replace_where(value, ~((modulus > _TINY) & (modulus < _HUGE)), _sign_extremes, operand)
    return value


def _sign_extremes(operand: Complex) -> Complex:
    exponent = _exponent(operand)
    x, y = np.ldexp(operand.real, -exponent), np.ldexp(operand.imag, -exponent)
    modulus = np.hypot(x, y)
    unit = np.where(operand == 0, 0, _from_parts(x / modulus, y / modulus))
    return np.where(np.isfinite(operand), unit, _INDEFINITE)


def expm1(operand: Complex) -> Complex:
    """`exp(z) - 1`; where `exp(z)` is near 1, from terms that are small themselves."""
    power_of_e = np.asarray(np.exp(operand))
    value = np.asarray(power_of_e - 1)
    near = (power_of_e.real > 0.5) & (power_of_e.real < 2) & np.isfinite(operand)
    _replace_where(value, near, _expm1_near_0, operand, power_of_e)
    return _from_parts(value.real, power_of_e.imag)


def _expm1_near_0(operand: Complex, power_of_e: Complex) -> Complex:
    x, y = operand.real, operand.imag
    half = np.sin(y / 2)
    return _from_parts(np.expm1(x) * np.cos(y) - 2 * half * half, power_of_e.imag)


def log_plus_one(operand: Complex) -> Complex:
    """`log(hypot(x + 1, y)) + i * atan2(y, x + 1)`; where the modulus is near 1, from its distance to 1."""
    x, y = operand.real, operand.imag
    value = np.asarray(np.log(_from_parts(x + 1, y)))
    near = (x > -3) & (x < 1) & (np.abs(y) < 2) & (np.abs(value.real) < 0.5)
    _replace_where(value, near, _log_near_1, operand, value)
    return value


def _log_near_1(operand: Complex, found: Complex) -> Complex:
    """`log1p(2x + x² + y²) / 2`, the sum with the digits that its terms lose."""
    (first, first_rest), (second, second_rest) = _square(operand.real), _square(operand.imag)
    total, rest = _sum(2 * operand.real, first)
    total, more = _sum(total, second)
    return _from_parts(np.log1p(total + (rest + more + first_rest + second_rest)) / 2, found.imag)


def _square(x: Real) -> tuple[Real, Real]:
    """A square, and what its rounding leaves (Dekker)."""
    product = x * x
    shifted = x * 134217729.0
    high = shifted - (shifted - x)
    low = x - high
    return product, ((high * high - product) + 2 * high * low) + low * low


def _sum(x: Real, y: Real) -> tuple[Real, Real]:
    """A sum, and what its rounding leaves (Knuth)."""
    total = x + y
    other = total - x
    return total, (x - (total - other)) + (y - other)


def logistic(operand: Complex) -> Complex:
    """`1 / (1 + exp(-z))`, by powers of e of at most 1, and sums of positive numbers."""
    x, y = operand.real, operand.imag
    y = np.where(np.isinf(x) & ~np.isfinite(y), np.copysign(0.0, y), y)
    less, decay = np.expm1(-np.abs(x)), np.exp(-np.abs(x))
    half = np.cos(y / 2)
    raised = 2 * half * half  # 1 + cos(y)
    modulus = less * less + 2 * decay * raised  # |1 + exp(-z)|², or of exp(z)
    real = np.where(x < 0, decay * (raised + less), decay * raised - less)
    value = _from_parts(real / modulus, decay * np.sin(y) / modulus)
    return np.where(np.isnan(x), _INDEFINITE, value)


def rsqrt(operand: Complex) -> Complex:
    """One over the principal square root; 0 for infinite values."""
    return divide(np.ones((), np.complex128), np.asarray(np.sqrt(operand)))


def cbrt(operand: Complex) -> Complex:
    """The principal cube root: a third of the angle, the cube root of the modulus."""
    value = _cbrt(operand)
    modulus = np.hypot(operand.real, operand.imag)
    finite = np.isfinite(operand)
    _replace_where(value, finite & ~((modulus > _TINY) & (modulus < _HUGE)), _cbrt_extremes, operand)
    _replace_where(value, ~finite, _cbrt_of_infinite, operand)
    return value


def _cbrt(operand: Complex) -> Complex:
    root = np.cbrt(np.hypot(operand.real, operand.imag))
    angle = np.arctan2(operand.imag, operand.real) / 3
    return _from_parts(root * np.cos(angle), root * np.sin(angle))


def _cbrt_extremes(operand: Complex) -> Complex:
    exponent = _exponent(operand) // 3
    scaled = _cbrt(_from_parts(*(np.ldexp(part, -3 * exponent) for part in (operand.real, operand.imag))))
    return _from_parts(np.ldexp(scaled.real, exponent), np.ldexp(scaled.imag, exponent))


def _cbrt_of_infinite(operand: Complex) -> Complex:
    logarithm = np.log(operand)
    return np.asarray(np.exp(_from_parts(logarithm.real / 3, logarithm.imag / 3)))


def atan2(lhs: Complex, rhs: Complex) -> Complex:
    """`-i * log((rhs + i * lhs) / sqrt(lhs² + rhs²))`, by the arc tangent of the smaller over the larger one.

    At a pole what that formula gives: NaN where the dividend is 0, no angle and minus infinity where the divisor
    alone is. NaN of what is not finite.
    """
    lhs, rhs = np.broadcast_arrays(lhs, rhs)
    # Twice this is the imaginary part of the sum of squares: on the root's cut, its sign tells the sides apart.
    side = np.asarray(lhs.real * lhs.imag + rhs.real * rhs.imag)
    exponent = np.maximum(_exponent(lhs), _exponent(rhs)) - 1
    lhs, rhs = (_from_parts(np.ldexp(z.real, -exponent), np.ldexp(z.imag, -exponent)) for z in (lhs, rhs))
    steep = _largest_part(lhs) > _largest_part(rhs)
    base = np.where(steep, lhs, rhs)
    ratio = divide(np.where(steep, rhs, lhs), base)
    angle, turned = np.asarray(np.arctan(ratio)), _turns_root(base, ratio, side)
    beside = np.asarray(rhs.imag + lhs.real)  # the same on the logarithm's cut
    below = np.where((angle.real == 0) & (beside == 0), np.signbit(beside), ~np.signbit(angle.real))
    flat = np.where(turned, angle.real + np.where(below, -np.pi, np.pi), angle.real)
    upright = np.where(turned, -np.pi / 2, np.pi / 2) - angle.real
    value = _from_parts(np.where(steep, upright, flat), np.where(steep, -angle.imag, angle.imag))
    above, under = (
        _from_parts(rhs.real - lhs.imag, beside),
        _from_parts(rhs.real + lhs.imag, rhs.imag - lhs.real),
    )
    near_pole = np.minimum(np.abs(above), np.abs(under)) < 0.1 * np.maximum(np.abs(above), np.abs(under))
    _replace_where(value, near_pole, _atan2_near_pole, value, above, under)
    value = np.where((above != 0) & (under == 0), complex(np.nan, -np.inf), value)
    return np.where(np.isfinite(lhs) & np.isfinite(rhs) & (above != 0), value, _INDEFINITE)


def _turns_root(base: Complex, ratio: Complex, side: Real) -> Mask:
    """Whether `sqrt(lhs² + rhs²)`, whose real part is not negative, is the negative of `base * sqrt(1 + ratio²)`."""
    x, y = ratio.real, ratio.imag
    root, unit = np.asarray(np.sqrt(_from_parts((1 - y) * (1 + y) + x * x, 2 * x * y))), sign(base)
    real = unit.real * root.real - unit.imag * root.imag
    imaginary = unit.real * root.imag + unit.imag * root.real
    on_cut = (np.abs(real) <= 2.0**-48 * np.abs(imaginary)) & ~np.isnan(side)
    return np.asarray(np.where(on_cut, np.signbit(imaginary) != np.signbit(side), real < 0))


def _atan2_near_pole(found: Complex, above: Complex, under: Complex) -> Complex:
    """Half the difference of two logarithms; `found` says which of the possible angles it is."""
    value = (np.log(above) - np.log(under)) / 2
    turns = np.round((found.real - value.imag) / np.pi)
    return _from_parts(value.imag + turns * np.pi, -value.real)


def power(lhs: Complex, rhs: Complex) -> Complex:
    """`exp(rhs * log(lhs))`; whole powers by products. 1 for an exponent of 0 and a base of 1, as of real numbers.

    A base of 0 gives 0 for exponents of a positive real part, an infinity of no direction for negative ones.
    """
    lhs, rhs = np.broadcast_arrays(lhs, rhs)
    value = _polar_power(lhs, rhs)
    finite = np.isfinite(lhs) & np.isfinite(rhs)
    _replace_where(value, ~finite, _power_by_logarithm, lhs, rhs)
    whole = (rhs.imag == 0) & (np.abs(rhs.real) <= _LARGEST_PRODUCT) & (rhs.real == np.trunc(rhs.real))
    _replace_where(value, finite & whole, _whole_power, lhs, rhs)
    value = np.where((rhs == 1) & ~finite, lhs, value)
    value = np.where(lhs == 0, _power_of_0(rhs), value)
    return np.where((rhs == 0) | ((lhs == 1) & ~finite), 1, value)


_LARGEST_PRODUCT = 64


def _polar_power(lhs: Complex, rhs: Complex) -> Complex:
    modulus, logarithm = np.hypot(lhs.real, lhs.imag), np.asarray(np.log(lhs))
    a, b = rhs.real, rhs.imag
    exponent, angle = a * logarithm.real - b * logarithm.imag, b * logarithm.real + a * logarithm.imag
    exponent = np.asarray(exponent)
    _replace_where(exponent, ~(np.abs(exponent) < _BEYOND_EXP), _large_exponent, lhs, rhs)
    value = np.asarray(np.exp(_from_parts(exponent, angle)))
    # Far from 1, repeated products lose less than a multiplied logarithm.
    size = np.power(modulus, a) * np.exp(-b * logarithm.imag)
    exact = (
        (np.abs(logarithm.real) > 1)
        & (size > _LEAST)
        & (size < _MOST)
        & (modulus < _HUGE)
        & (modulus > _TINY)
    )
    return np.where(exact, _from_parts(size * np.cos(angle), size * np.sin(angle)), value)


_BEYOND_EXP = 1e6


def _large_exponent(lhs: Complex, rhs: Complex) -> Real:
    """An infinity, so that the angle, which may be beyond f64, does not matter."""
    logarithm = np.log(lhs)
    smaller = rhs.real / 2**20 * logarithm.real - rhs.imag / 2**20 * logarithm.imag
    return np.asarray(np.where(np.isnan(smaller), smaller, np.copysign(np.inf, smaller)))


def _power_by_logarithm(lhs: Complex, rhs: Complex) -> Complex:
    logarithm = np.asarray(np.log(lhs))
    a, b, c, d = _parts(rhs, logarithm)
    exponent = _from_parts(a * c - b * d, a * d + b * c)
    # Annex G: a product with an infinite factor is infinite, whatever is NaN.
    infinite = (np.isinf(rhs) | np.isinf(logarithm)) & np.isnan(exponent.real) & np.isnan(exponent.imag)
    a, b = (np.where(np.isnan(part), 0.0, part) for part in _box(rhs))
    c, d = (np.where(np.isnan(part), 0.0, part) for part in _box(logarithm))
    grown = _from_parts(np.inf * (a * c - b * d), np.inf * (a * d + b * c))
    return np.asarray(np.exp(np.where(infinite, grown, exponent)))


def _box(operand: Complex) -> tuple[Real, Real]:
    """The direction of infinite numbers, the number itself of finite ones."""
    direction = _direction(operand)
    infinite = np.isinf(operand)
    return np.where(infinite, direction.real, operand.real), np.where(infinite, direction.imag, operand.imag)


def _power_of_0(exponent: Complex) -> Complex:
    pole = np.where(exponent.real < 0, complex(np.inf, np.nan), _INDEFINITE)
    return np.where(exponent.real > 0, 0, pole)


def _whole_power(lhs: Complex, rhs: Complex) -> Complex:
    """Whole powers by repeated squaring of numbers near 1; exponents of 2 are multiplied separately."""
    count, exponent = np.abs(rhs.real).astype(np.int64), _exponent(lhs)
    factor = _from_parts(np.ldexp(lhs.real, -exponent), np.ldexp(lhs.imag, -exponent))
    value = np.ones_like(factor)
    first = np.ones(count.shape, np.bool_)
    for bit in range(_LARGEST_PRODUCT.bit_length()):
        taken = (count >> bit) & 1 == 1
        value = np.where(taken, np.where(first, factor, value * factor), value)
        first &= ~taken
        factor = square(factor)
    inverted = rhs.real < 0
    _replace_where(value, inverted, lambda found: divide(np.ones((), np.complex128), found), value)
    back = exponent * rhs.real.astype(np.int64)
    return _from_parts(np.ldexp(value.real, back), np.ldexp(value.imag, back))


def _from_parts(real: Real, imaginary: Real) -> Complex:
    value = np.empty(np.broadcast_shapes(np.shape(real), np.shape(imaginary)), np.complex128)
    value.real, value.imag = real, imaginary
    return value


def _replace_where(value: Complex | Real, where: Mask, function: Any, *operands: Complex) -> None:
    """Overwrite the elements selected by `where` with the results of `function`."""
    where = np.asarray(where)
    if where.any():
        value[where] = function(*(np.asarray(operand)[where] for operand in operands))


def _is_ordinary(operand: Complex) -> Mask:
    """Whether squares and products of the parts neither overflow nor lose digits below."""

    def is_fine(part: Real) -> Mask:
        size = np.abs(part)
        return np.asarray((size < _MOST) & ((size > _LEAST) | (size == 0)))

    return is_fine(operand.real) & is_fine(operand.imag)


def _is_all_ordinary(operand: Complex) -> bool:
    """Whether all numbers are ordinary and none is 0; faster than a test of each, and true for most tensors."""
    if not operand.size or not operand.flags.c_contiguous:
        return False
    size = np.abs(operand.reshape(-1).view(np.float64))
    return bool(size.max() < _MOST and size.min() > _LEAST)


def _largest_part(operand: Complex) -> Real:
    return np.asarray(np.maximum(np.abs(operand.real), np.abs(operand.imag)))


def _exponent(operand: Complex) -> NDArray[np.int64]:
    """The binary exponent of the larger part; 0 for zeros and numbers that are not finite."""
    largest = _largest_part(operand)
    return np.where(np.isfinite(largest), np.frexp(largest)[1], 0).astype(np.int64)
