"""Differences of complex functions, which the oracles compose of real ones in the element type itself.

Ours are those of C99's Annex G, checked against numbers of more digits in tests/ops/test_complex_functions.py.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..cases import Case
from ..values import Array
from .known import INTERPRETER, XLA, Known, Mask

Predicate = Callable[..., Mask]
"""Of our result, the oracle's, and the operands."""
HYPERBOLIC = ("sinh", "cosh", "exponential_minus_one")
TRIGONOMETRIC = ("sine", "cosine")
INVERSE = ("acos", "asin", "atan", "acosh", "asinh", "atanh")
PRODUCTS = ("multiply", "square", "divide")
SPOILED = (
    *("abs", "sign", "exponential", "exponential_minus_one", "log", "log_plus_one", "logistic", "sqrt"),
    *("sine", "cosine", "tan", "tanh", "sinh", "cosh", "power", "divide"),
)
ROUNDINGS = 32


def _of(*ops: str, holds: Predicate) -> Callable[[str, Case, Array, Array], Mask | None]:
    """Where `holds`, of the complex results of these ops."""

    def explains(op: str, case: Case, ours: Array, theirs: Array) -> Mask | None:
        if op.removeprefix("broadcast_") not in ops or not np.iscomplexobj(case.operands[0]):
            return None
        operands = np.broadcast_arrays(*case.operands)
        with np.errstate(all="ignore"):
            return np.asarray(holds(ours, theirs, *operands))

    return explains


def _parts(*arrays: Array) -> tuple[Array, ...]:
    return tuple(part for array in arrays for part in ((array.real, array.imag)))


def _eps(array: Array) -> float:
    return float(np.finfo(array.dtype).eps)


def _limits(array: Array) -> tuple[float, float]:
    info = np.finfo(array.dtype)
    return float(info.tiny), float(info.max)


def _larger(array: Array) -> Array:
    return np.asarray(np.maximum(np.abs(array.real), np.abs(array.imag)).astype(np.float64))


def _not_finite(ours: Array, theirs: Array, *operands: Array) -> Mask:
    return np.asarray(np.any([~np.isfinite(operand) for operand in operands], axis=0))


def _spoiled(ours: Array, theirs: Array, *operands: Array) -> Mask:
    """NaN of what is not finite."""
    return np.asarray(_not_finite(ours, theirs, *operands) & (np.isnan(theirs.real) | np.isnan(theirs.imag)))


def _nan(ours: Array, theirs: Array, operand: Array) -> Mask:
    return np.asarray(np.isnan(operand) & np.isnan(ours))


def _negative_zero(part: Array) -> Mask:
    return np.asarray((part == 0) & np.signbit(part))


def _below_the_real_axis(ours: Array, theirs: Array, operand: Array) -> Mask:
    return _negative_zero(operand.imag)


def _left_of_the_imaginary_axis(ours: Array, theirs: Array, operand: Array) -> Mask:
    return _negative_zero(operand.real)


def _cancelled(ours: Array, theirs: Array, operand: Array) -> Mask:
    """Apart by some units of the last place of 1."""
    apart = [np.abs(mine - other) for mine, other in zip(_parts(ours), _parts(theirs), strict=True)]
    return np.asarray(np.max(apart, axis=0) <= ROUNDINGS * _eps(ours))


def _exp_overflows(part: str) -> Predicate:
    def holds(ours: Array, theirs: Array, operand: Array) -> Mask:
        return np.asarray(np.abs(getattr(operand, part)) > np.log(_limits(ours)[1]) - 2)

    return holds


def _square_leaves(array: Array) -> Mask:
    """Where the squared modulus overflows, or is a denormal or 0."""
    tiny, largest = _limits(array)
    size = _larger(array)
    return np.asarray((size > np.sqrt(largest) / 2) | ((size < np.sqrt(tiny) * 2) & (size > 0)))


def _squares_leave(ours: Array, theirs: Array, *operands: Array) -> Mask:
    return np.asarray(np.any([_square_leaves(operand) for operand in operands], axis=0))


def _square_leaves_beside(*poles: complex) -> Predicate:
    def holds(ours: Array, theirs: Array, operand: Array) -> Mask:
        beside = [_larger(operand - np.asarray(pole, operand.dtype)) < 1 for pole in poles]
        lost = [_square_leaves(operand - np.asarray(pole, operand.dtype)) for pole in poles]
        return np.asarray(np.any(np.logical_and(beside, lost), axis=0))

    return holds


def _near_a_pole(ours: Array, theirs: Array, operand: Array) -> Mask:
    """A result that is large because a small divisor has lost digits."""
    size = np.abs(ours)
    return np.asarray((size > 10) & (np.abs(ours - theirs) <= ROUNDINGS * _eps(ours) * size * size))


def _product_leaves(ours: Array, theirs: Array, lhs: Array, rhs: Array) -> Mask:
    """Where a product of two finite parts overflows or, in f32, loses digits."""
    tiny, largest = _limits(ours)
    mask = np.zeros(ours.shape, np.bool_)
    lossy = tiny / _eps(ours) if ours.dtype == np.complex64 else 0
    for left in _parts(lhs):
        for right in _parts(rhs):
            product = np.abs(left.astype(np.float64) * right)
            product = np.where(np.isfinite(left) & np.isfinite(right), product, 0)
            mask |= (product > largest) | ((product < lossy) & (product > 0))
    return mask


def _product_is_flushed(ours: Array, theirs: Array, lhs: Array, rhs: Array) -> Mask:
    """Where XLA makes 0 of a product, or of a quotient, that is added to another one."""
    smallest = _limits(ours)[0] / _eps(ours)
    products = [np.abs(left * right) for left in _parts(lhs) for right in _parts(rhs)]
    return np.asarray(
        np.any([product < smallest for product in products], axis=0) & (_smaller(ours) < smallest)
    )


def _smaller(array: Array) -> Array:
    return np.asarray(np.minimum(np.abs(array.real), np.abs(array.imag)))


def _infinite_over_large(ours: Array, theirs: Array, lhs: Array, rhs: Array) -> Mask:
    both = np.isinf(lhs.real) & np.isinf(lhs.imag)
    return np.asarray(both | (np.isinf(lhs) & _square_leaves(rhs)))


def _power_of_0(ours: Array, theirs: Array, lhs: Array, rhs: Array) -> Mask:
    return np.asarray((lhs == 0) | (rhs == 0))


def _far_power(ours: Array, theirs: Array, lhs: Array, rhs: Array) -> Mask:
    """What the roundings of `rhs * log(lhs)` make of the result, or where that is beyond exp."""
    exponent = rhs.astype(np.complex128) * np.log(lhs.astype(np.complex128))
    size = np.abs(rhs.astype(np.complex128)) * (1 + np.abs(np.log(lhs.astype(np.complex128))))
    near = np.abs(ours - theirs) <= ROUNDINGS * _eps(ours) * (1 + size) * np.abs(ours)
    return np.asarray(
        near | ~(np.abs(exponent.real) < np.log(_limits(ours)[1]) - 4) | (size * _eps(ours) > 1e-3)
    )


def _factors_leave(ours: Array, theirs: Array, lhs: Array, rhs: Array) -> Mask:
    """Where the power of the modulus, or of e, is beyond the type though their product need not be."""
    logarithm = np.log(lhs.astype(np.complex128))
    largest = np.maximum(np.abs(rhs.real * logarithm.real), np.abs(rhs.imag * logarithm.imag))
    return np.asarray(largest > np.log(_limits(ours)[1]) - 4)


def _atan2_near_a_pole(ours: Array, theirs: Array, lhs: Array, rhs: Array) -> Mask:
    """Where the sum of squares, a product of two numbers, has lost digits of the smaller one."""
    sides = np.abs(rhs + 1j * lhs), np.abs(rhs - 1j * lhs)
    lost = ROUNDINGS * _eps(ours) * np.maximum(*sides) / np.minimum(*sides)
    return np.asarray((np.abs(ours - theirs) <= lost) | (lost > 1))


def _atan2_beside_a_cut(ours: Array, theirs: Array, lhs: Array, rhs: Array) -> Mask:
    """Where roundings decide on which side the sum of squares, or the quotient, is of the negative real axis."""
    largest = np.maximum(_larger(lhs), _larger(rhs))
    total = (lhs.astype(np.complex128) / largest) ** 2 + (rhs.astype(np.complex128) / largest) ** 2
    beside = (total.real < 0) & (np.abs(total.imag) <= ROUNDINGS * _eps(ours) * np.abs(total))
    opposite = [np.abs(np.abs(found.real) - np.pi) < 1e-3 for found in (ours, theirs)]
    return np.asarray(beside | (opposite[0] & opposite[1]))


def _modulus_overflows(ours: Array, theirs: Array, operand: Array) -> Mask:
    return np.asarray(np.isfinite(operand) & np.isinf(np.hypot(operand.real, operand.imag)))


KNOWN_DIFFERENCES: tuple[Known, ...] = (
    Known(
        "Divided by a modulus that overflows, a finite number has the sign 0; here it has that of its direction.",
        (INTERPRETER, XLA),
        _of("sign", holds=_modulus_overflows),
    ),
    Known(
        "Of numbers whose squares overflow or underflow, quotients do so too, or lose the sign of a part that is 0.",
        (INTERPRETER, XLA),
        _of("divide", holds=_squares_leave),
    ),
    Known(
        "Of infinite and NaN parts XLA's formulas make NaN where Annex G knows the result.",
        (XLA,),
        _of(*SPOILED, holds=_spoiled),
    ),
    Known(
        "Of an infinity and a signalling NaN the C library's hypot makes NaN.",
        (INTERPRETER,),
        _of("abs", holds=_spoiled),
    ),
    Known(
        "CHLO's inverse functions choose by comparisons, which of a NaN part give an angle or a number.",
        (INTERPRETER, XLA),
        _of(*INVERSE, holds=_nan),
    ),
    Known(
        "CHLO's inverse functions, and XLA's sqrt, do not look at the sign of a part that is 0: on a branch cut "
        "they take the upper side. So does the interpreter's log_plus_one, which adds 1 + 0i.",
        (INTERPRETER, XLA),
        _of("acos", "asin", "acosh", "atanh", holds=_below_the_real_axis),
    ),
    Known(
        "As above, of cuts on the imaginary axis.",
        (INTERPRETER, XLA),
        _of("asinh", "atan", holds=_left_of_the_imaginary_axis),
    ),
    Known("As above.", (XLA,), _of("sqrt", holds=_below_the_real_axis)),
    Known("As above.", (INTERPRETER,), _of("log_plus_one", holds=_below_the_real_axis)),
    Known(
        "The interpreter subtracts 1 from exp(z), and adds 1 before log; CHLO's sinh and cosh subtract exponentials.",
        (INTERPRETER,),
        _of("exponential_minus_one", "log_plus_one", "sinh", "cosh", holds=_cancelled),
    ),
    Known(
        "XLA's too, and its sine and cosine; its expm1 subtracts 1 from a product.",
        (XLA,),
        _of("sine", "cosine", "sinh", "cosh", "exponential_minus_one", holds=_cancelled),
    ),
    Known(
        "An exponential overflows before it is multiplied by a sine or cosine.",
        (INTERPRETER, XLA),
        _of(*HYPERBOLIC, holds=_exp_overflows("real")),
    ),
    Known("As above.", (XLA,), _of(*TRIGONOMETRIC, holds=_exp_overflows("imag"))),
    Known(
        "CHLO's sinh and cosh of infinite and NaN parts: two exponentials of which one is NaN.",
        (INTERPRETER,),
        _of("sinh", "cosh", holds=_not_finite),
    ),
    Known(
        "The interpreter's cbrt is a power, which makes NaN of what is infinite; its modulus overflows.",
        (INTERPRETER,),
        _of("cbrt", holds=_not_finite),
    ),
    Known("As above.", (INTERPRETER,), _of("cbrt", holds=_squares_leave)),
    Known(
        "The square of the distance to a pole underflows.",
        (XLA,),
        _of("log_plus_one", holds=_square_leaves_beside(-1)),
    ),
    Known("As above.", (XLA,), _of("acos", "acosh", holds=_square_leaves_beside(1, -1))),
    Known("As above.", (INTERPRETER, XLA), _of("atanh", holds=_square_leaves_beside(1, -1))),
    Known("As above.", (INTERPRETER, XLA), _of("atan", holds=_square_leaves_beside(1j, -1j))),
    Known("Near a pole 1 + exp(-z) cancels.", (INTERPRETER, XLA), _of("logistic", holds=_near_a_pole)),
    Known("Near a pole what tan and tanh divide by cancels.", (XLA,), _of("tan", "tanh", holds=_near_a_pole)),
    Known(
        "exp(-z) overflows where the result is a denormal.",
        (INTERPRETER,),
        _of("logistic", holds=_exp_overflows("real")),
    ),
    Known(
        "Products that are beyond f32, where ours are computed in f64; and those beyond f64 of which one is fused "
        "with the sum, another one on each side.",
        (INTERPRETER, XLA),
        _of(*PRODUCTS, holds=lambda ours, theirs, *of: _product_leaves(ours, theirs, of[0], of[-1])),
    ),
    Known(
        "XLA makes 0 of a product that is a denormal.",
        (XLA,),
        _of("multiply", "divide", holds=_product_is_flushed),
    ),
    Known(
        "Of an infinite dividend XLA multiplies parts of a divisor that it has scaled, of which a small one is 0.",
        (XLA,),
        _of("divide", holds=_infinite_over_large),
    ),
    Known(
        "Powers of 0, and of an exponent of 0, are the interpreter's exp of 0 times an infinity; XLA's are NaN "
        "for an exponent that is not real.",
        (INTERPRETER, XLA),
        _of("power", holds=_power_of_0),
    ),
    Known(
        "Errors of rhs * log(lhs), which exp makes relative ones; ours has whole powers by products, and the "
        "modulus by the power of a real number.",
        (INTERPRETER, XLA),
        _of("power", holds=_far_power),
    ),
    Known("XLA multiplies two real powers.", (XLA,), _of("power", holds=_factors_leave)),
    Known(
        "XLA's power squares the base's modulus.",
        (XLA,),
        _of("power", holds=lambda ours, theirs, lhs, rhs: _square_leaves(lhs)),
    ),
    Known(
        "The logarithm of a quotient near 1 leaves an absolute error, where ours is an arc tangent.",
        (INTERPRETER, XLA),
        _of("atan2", holds=lambda ours, theirs, lhs, rhs: _cancelled(ours, theirs, lhs)),
    ),
    Known(
        "Near the poles the sum of squares cancels; at a pole the product with -i makes NaN of infinity.",
        (INTERPRETER, XLA),
        _of("atan2", holds=_atan2_near_a_pole),
    ),
    Known("Squares overflow, or are denormals.", (INTERPRETER, XLA), _of("atan2", holds=_squares_leave)),
    Known(
        "Beside a branch cut of the root or of the logarithm the sign of a zero, or what is much smaller than the "
        "rest, is lost.",
        (INTERPRETER, XLA),
        _of("atan2", holds=_atan2_beside_a_cut),
    ),
)
