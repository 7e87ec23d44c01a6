"""Distances between two tensors, by the measures of StableHLO's test dialect `check`.

Source: the comments of StableHLO's own tests of these checks; the specification has no section on them.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...errors import CheckFailed
from ...ir.element_types import ElementType
from ..core.numeric import widen
from ..core.op import Array
from ..core.quantization import dequantize
from ..core.quiet import quiet
from ..core.rules import format_list

FARTHEST = (1 << 64) - 1
"""The distance in units of the last place where one number is finite, or a NaN, and the other is not."""
Measure = Callable[[Array, Array], tuple[Array, Array]]
"""Whether elements agree, and how far they are apart."""


def equal(left: Array, right: Array) -> tuple[Array, Array]:
    """Equality and distances by IEEE 754: NaN differs from NaN, -0 equals 0; distances are absolute differences."""
    wide = widen(left), widen(right)
    return np.asarray(np.equal(*wide)), _difference(*wide)


def within(tolerance: float) -> Measure:
    """|left - right| <= tolerance in f64; NaN matches NaN, an infinity the same infinity; complex by parts."""

    def measure(left: Array, right: Array) -> tuple[Array, Array]:
        if np.iscomplexobj(left):
            real, imag = measure(left.real, right.real), measure(left.imag, right.imag)
            return real[0] & imag[0], np.fmax(real[1], imag[1])
        wide = [widen(side).astype(np.float64) for side in (left, right)]
        difference = _difference(*wide)
        same = (wide[0] == wide[1]) | (np.isnan(wide[0]) & np.isnan(wide[1]))
        return np.asarray(same | (difference <= tolerance)), difference

    return measure


def close(least: int, most: int) -> Measure:
    """A measure that accepts from `least` to `most` units in the last place; of complex numbers the farther part
    counts.
    """

    def measure(left: Array, right: Array) -> tuple[Array, Array]:
        distance = unit_distance(left, right)
        return np.asarray((distance >= np.uint64(least)) & (distance <= np.uint64(most))), distance

    return measure


def unit_distance(left: Array, right: Array) -> Array:
    """The distance in numbers of the dtype, as u64; for integers, the difference.

    Numbers of opposite signs are as far apart as both are from zero. NaN is 0 from NaN, and anything else that
    is not finite `FARTHEST` from what it does not equal.
    """
    if np.iscomplexobj(left):
        return np.maximum(unit_distance(left.real, right.real), unit_distance(left.imag, right.imag))
    wide = widen(left), widen(right)
    if wide[0].dtype.kind in "biu":
        low, high = np.minimum(*wide), np.maximum(*wide)
        return np.asarray(high.astype(np.uint64) - low.astype(np.uint64))
    ranks = _rank(left, wide[0]), _rank(right, wide[1])
    apart = np.where(
        np.signbit(wide[0]) == np.signbit(wide[1]),
        np.maximum(*ranks) - np.minimum(*ranks),
        ranks[0] + ranks[1],
    )
    finite = np.isfinite(wide[0]) & np.isfinite(wide[1])
    same = (wide[0] == wide[1]) | (np.isnan(wide[0]) & np.isnan(wide[1]))
    return np.asarray(np.where(same, 0, np.where(finite, apart, np.uint64(FARTHEST))))


def _rank(value: Array, wide: Array) -> Array:
    """The number of floats between 0 and the magnitude."""
    unsigned = np.dtype(f"u{value.dtype.itemsize}")
    bits = np.ascontiguousarray(value).view(unsigned).reshape(value.shape).astype(np.uint64)
    # The sign is the highest bit of the type, which may be narrower than its bytes.
    negative = np.signbit(wide) & (wide != 0)
    sign = np.uint64(_sign_bit(value.dtype))
    return np.asarray(np.where(negative, bits & ~sign, np.where(wide == 0, 0, bits)))


def _sign_bit(dtype: np.dtype[Any]) -> int:
    both = np.array([-1.0, 1.0]).astype(dtype)
    if float(both[0]) == float(both[1]) or np.isnan(both.astype(np.float64)[0]):
        return 0  # f8E8M0FNU has none
    minus, plus = both.view(f"u{dtype.itemsize}").tolist()
    return int(minus ^ plus)


def _difference(left: Array, right: Array) -> Array:
    if left.dtype.kind in "biu":
        # Integers of 64 bits may be farther apart than these hold.
        left, right = left.astype(np.float64), right.astype(np.float64)
    return np.asarray(np.abs(left - right))


@dataclass(frozen=True)
class Sides:
    """The names of the two tensors in messages."""

    left: str = "lhs"
    right: str = "rhs"


def require(
    left: Array,
    right: Array,
    element_type: ElementType,
    measure: Measure,
    demand: str,
    sides: Sides | None = None,
) -> None:
    """`CheckFailed` unless every element agrees; names how many do not, the first and the farthest.

    `demand` says what both must be: `must be equal`. Quantized tensors are compared by the numbers they stand for.
    """
    sides = sides or Sides()
    if left.shape != right.shape:
        shapes = f"{format_list(left.shape)} and {format_list(right.shape)}"
        raise CheckFailed(f"{sides.left} and {sides.right} {demand}, but they have the shapes {shapes}")
    left, right = dequantize(left, element_type), dequantize(right, element_type)
    with quiet():
        agrees, distance = measure(left, right)
    if agrees.all():
        return
    wrong = np.argwhere(~agrees.reshape(left.shape))
    first, farthest = tuple(wrong[0]), tuple(wrong[_farthest(distance[tuple(wrong.T)])])
    told = _describe_difference(left, right, distance, first, sides)
    if left.size > 1:
        told = f"{len(wrong):,} of {left.size:,} elements fail: {told}"
        if farthest != first:
            told += f"; the farthest {_describe_difference(left, right, distance, farthest, sides)}"
    raise CheckFailed(f"{sides.left} and {sides.right} {demand}, but {told}")


def _farthest(distances: Array) -> int:
    numbers = distances.astype(np.float64)
    return int(np.argmax(np.where(np.isnan(numbers), np.inf, numbers)))


def _describe_difference(
    left: Array, right: Array, distance: Array, at: tuple[int, ...], sides: Sides
) -> str:
    """`at [1, 2] lhs has 0.5, rhs 0.25 (0.25 apart)`."""
    place = f"at {format_list(at)} " if at else ""
    apart = distance[at]
    units = f"{int(apart):,} ULPs" if distance.dtype == np.uint64 else f"{float(apart):g}"
    return f"{place}{sides.left} has {_number(left[at])}, {sides.right} {_number(right[at])} ({units} apart)"


def _number(value: Any) -> str:
    return str(value).lower() if value.dtype == np.bool_ else str(value)
