"""Search predicates on rows (may an element match?) and on elements (which ones match?)."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, floor, inf, isinf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..ops.core.op import Array
from .value_columns import COMPLEX, CONSTANT, NAN, NEGATIVE_INFINITY, POSITIVE_INFINITY, ZERO, Rows

Mask = NDArray[np.bool_]
Number = int | float


class Predicate:
    """A condition on elements; by default every element matches."""

    @property
    def needs_rows(self) -> bool:
        """Whether the predicate can exclude some rows."""
        return type(self) is not Predicate

    def may_hold(self, rows: Rows) -> Mask:
        """Values in which some element may match; never false if one does."""
        return np.ones(rows.flags.shape, np.bool_)

    def holds(self, numbers: Array, dtype: np.dtype[Any]) -> Mask:
        """Matching elements; `dtype` is that of the value, `numbers` has them in a NumPy dtype."""
        return np.ones(numbers.shape, np.bool_)


@dataclass(frozen=True)
class Nonfinite(Predicate):
    """NaN or infinite elements, according to the flags."""

    flags: int = NAN | POSITIVE_INFINITY | NEGATIVE_INFINITY

    def may_hold(self, rows: Rows) -> Mask:
        return np.asarray((rows.flags & self.flags) != 0)

    def holds(self, numbers: Array, dtype: np.dtype[Any]) -> Mask:
        if numbers.dtype.kind not in "fc":
            return np.zeros(numbers.shape, np.bool_)
        parts = (numbers.real, numbers.imag) if numbers.dtype.kind == "c" else (numbers,)
        found = np.zeros(numbers.shape, np.bool_)
        tests = ((NAN, np.isnan), (POSITIVE_INFINITY, np.isposinf), (NEGATIVE_INFINITY, np.isneginf))
        for flag, test in tests:
            for part in parts if self.flags & flag else ():
                found |= test(part)
        return found


@dataclass(frozen=True)
class AllEqual(Predicate):
    """All elements are equal; with `zero`, they are zero."""

    zero: bool = False

    def may_hold(self, rows: Rows) -> Mask:
        return np.asarray((rows.flags & (ZERO if self.zero else CONSTANT)) != 0)


@dataclass(frozen=True)
class IsNear(Predicate):
    """Within `tolerance` of `number`, or equal to `number` rounded to the value's type."""

    number: Number
    tolerance: float = 0.0

    def may_hold(self, rows: Rows) -> Mask:
        slack = self.tolerance or _slack(self.number)
        return (rows.low <= self.number + slack) & (rows.high >= self.number - slack)

    def holds(self, numbers: Array, dtype: np.dtype[Any]) -> Mask:
        if self.tolerance:
            with np.errstate(all="ignore"):
                wide = numbers.astype(np.complex128 if numbers.dtype.kind == "c" else np.float64)
                return np.asarray(np.abs(wide - self.number) <= self.tolerance)
        rounded = _rounded(self.number, numbers, dtype)
        return np.zeros(numbers.shape, np.bool_) if rounded is None else np.asarray(numbers == rounded)


@dataclass(frozen=True)
class IsWithin(Predicate):
    """Between `low` and `high`, inclusive; never true for complex elements."""

    low: Number = -inf
    high: Number = inf

    def may_hold(self, rows: Rows) -> Mask:
        ordered = (rows.flags & COMPLEX) == 0
        return np.asarray(ordered & (rows.low <= self.high) & (rows.high >= self.low))

    def holds(self, numbers: Array, dtype: np.dtype[Any]) -> Mask:
        if numbers.dtype.kind == "c":
            return np.zeros(numbers.shape, np.bool_)
        if numbers.dtype.kind == "f":
            # Bounds are f64, whatever the elements are.
            wide = numbers.astype(np.float64, copy=False)
            return np.asarray((wide >= float(self.low)) & (wide <= float(self.high)))
        low, high = _integers_between(self.low, self.high, numbers.dtype)
        if low > high:
            return np.zeros(numbers.shape, np.bool_)
        return np.asarray((numbers >= numbers.dtype.type(low)) & (numbers <= numbers.dtype.type(high)))


def _rounded(number: Number, numbers: Array, dtype: np.dtype[Any]) -> Any:
    """`number` rounded to `dtype`; `None` if the type has no close number."""
    if numbers.dtype.kind in "iu":
        integral = not isinstance(number, float) or number.is_integer()
        limits = np.iinfo(numbers.dtype)
        return numbers.dtype.type(int(number)) if integral and limits.min <= number <= limits.max else None
    with np.errstate(all="ignore"):
        found = np.array(float(number)).astype(dtype).astype(numbers.dtype)[()]
    if isinf(number):
        return found if isinf(found) else None
    return found if abs(complex(found) - number) <= _slack(number) else None


def _slack(number: Number) -> float:
    """Maximum change by rounding to a type; narrow types saturate."""
    return 0.0 if isinf(number) else 0.5 * abs(float(number)) + 0.5


def _integers_between(low: Number, high: Number, dtype: np.dtype[Any]) -> tuple[int, int]:
    limits = np.iinfo(dtype)
    lowest = limits.min if low < limits.min else limits.max + 1 if low > limits.max else ceil(low)
    highest = limits.max if high > limits.max else limits.min - 1 if high < limits.min else floor(high)
    return int(lowest), int(highest)
