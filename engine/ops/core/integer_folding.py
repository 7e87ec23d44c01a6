"""Integers that the program determines, as expressions of index maps: see `facets/folding.py`.

Expressions have Dim(j) for coordinate j of the requested element, and Runtime(k) for values known only in a run. They
are mathematical integers; callers check that nothing wraps.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ...indexing import (
    Constant,
    Expression,
    Interval,
    Runtime,
    add,
    floor_divide,
    interval_of,
    maximum,
    minimum,
    modulo,
    multiply,
    variables_of,
)

MOST_ELEMENTS = 1 << 16
"""Maximum elements of a constant that are searched for a rule."""
Index = tuple[Expression, ...]
Bounds = Mapping[Expression, Interval]
Combine = Callable[[Sequence[Expression], Bounds], Expression | None]
"""The result of an elementwise op on elements of its operands; `None` if it is no such expression."""


class ComparisonDirection(StrEnum):
    """The relation that `compare` tests."""

    EQ = "EQ"
    NE = "NE"
    GE = "GE"
    GT = "GT"
    LE = "LE"
    LT = "LT"


COMPARE = {
    ComparisonDirection.EQ: np.equal,
    ComparisonDirection.NE: np.not_equal,
    ComparisonDirection.GE: np.greater_equal,
    ComparisonDirection.GT: np.greater,
    ComparisonDirection.LE: np.less_equal,
    ComparisonDirection.LT: np.less,
}


def compare(direction: ComparisonDirection, left: int, right: int) -> bool:
    """Whether `left` and `right` satisfy the relation `direction`."""
    return bool(COMPARE[direction](left, right))


@dataclass(frozen=True)
class Comparison:
    """A comparison of two integers, by their difference: `LT` is a difference below 0."""

    direction: ComparisonDirection
    difference: Expression

    def decide(self, bounds: Bounds) -> bool | None:
        """The result of the comparison, if it is the same for all values within the bounds; otherwise `None`."""
        reached = interval_of(self.difference, bounds)
        answers = {self.holds(reached.lower), self.holds(reached.upper)}
        if self.direction in _AT_ONE_POINT and 0 in reached and not reached.is_point:
            return None
        return answers.pop() if len(answers) == 1 else None

    def holds(self, difference: int) -> bool:
        """Whether the comparison is true for operands with this difference."""
        return compare(self.direction, difference, 0)


_AT_ONE_POINT = (ComparisonDirection.EQ, ComparisonDirection.NE)


class OperandElements(Protocol):
    """The elements of an op's operands, as far as the program determines them."""

    @property
    def bounds(self) -> Bounds:
        """The interval of each variable of the expressions."""

    def has_integers(self, operand: int) -> bool:
        """Whether an operand is a tensor of integers with known sizes."""

    def read(self, operand: int, index: Index) -> Expression:
        """An element of an operand of integers."""

    def compare(self, operand: int, index: Index) -> Comparison | None:
        """The comparison that makes an element of an operand true; `None` if unknown."""


def is_runtime(value: Expression) -> bool:
    """Whether a value is known only in a run."""
    return any(isinstance(met, Runtime) for met in variables_of(value))


def fold_literal(values: NDArray[Any], index: Index) -> Expression | None:
    """An element of a constant, if all are equal, if its index is known, or if one rule gives them all."""
    if values.size == 0:
        return None
    if values.strides and any(step == 0 for step in values.strides):
        corner = tuple(slice(0, 1) if step == 0 else slice(None) for step in values.strides)
        values = values[corner]
        index = tuple(
            Constant(0) if size == 1 else each for size, each in zip(values.shape, index, strict=True)
        )
    known = [each.value if isinstance(each, Constant) else None for each in index]
    values = values[tuple(slice(None) if at is None else slice(at, at + 1) for at in known)]
    if values.size == 0 or values.size > MOST_ELEMENTS:
        return None
    first = int(values.flat[0])
    found: Expression = Constant(first)
    expected = np.full(values.shape, first, object)
    for dimension, each in enumerate(index):
        if values.shape[dimension] < 2:
            continue
        second = int(values[tuple(1 if k == dimension else 0 for k in range(values.ndim))])
        step = second - first
        found = add(found, multiply(each, step))
        along = [1] * values.ndim
        along[dimension] = -1
        expected = expected + (np.arange(values.shape[dimension]).astype(object) * step).reshape(along)
    return found if bool(np.all(values.astype(object) == expected)) else None


def fold_sum(values: Sequence[Expression], bounds: Bounds) -> Expression | None:
    return add(*values)


def fold_difference(values: Sequence[Expression], bounds: Bounds) -> Expression | None:
    return add(values[0], -values[1])


def fold_negative(values: Sequence[Expression], bounds: Bounds) -> Expression | None:
    return -values[0]


def fold_product(values: Sequence[Expression], bounds: Bounds) -> Expression | None:
    return multiply(*values) if any(isinstance(each, Constant) for each in values) else None


def fold_quotient(values: Sequence[Expression], bounds: Bounds) -> Expression | None:
    """The quotient, rounded towards zero."""
    dividend, divisor = values
    if not isinstance(divisor, Constant) or divisor.value <= 0:
        return None
    return _divide_towards_zero(dividend, divisor.value, bounds)


def fold_remainder(values: Sequence[Expression], bounds: Bounds) -> Expression | None:
    """The remainder, with the sign of the dividend; `None` if the bounds do not determine it."""
    dividend, divisor = values
    if not isinstance(divisor, Constant) or divisor.value <= 0:
        return None
    if interval_of(dividend, bounds).lower >= 0:
        return modulo(dividend, divisor.value)
    return add(dividend, multiply(_divide_towards_zero(dividend, divisor.value, bounds), -divisor.value))


def _divide_towards_zero(dividend: Expression, divisor: int, bounds: Bounds) -> Expression:
    reached = interval_of(dividend, bounds)
    if reached.lower >= 0:
        return floor_divide(dividend, divisor)
    if reached.upper <= 0:
        return -floor_divide(-dividend, divisor)
    above, below = maximum(dividend, Constant(0)), maximum(-dividend, Constant(0))
    return add(floor_divide(above, divisor), -floor_divide(below, divisor))


def fold_minimum(values: Sequence[Expression], bounds: Bounds) -> Expression | None:
    return minimum(*values)


def fold_maximum(values: Sequence[Expression], bounds: Bounds) -> Expression | None:
    return maximum(*values)
