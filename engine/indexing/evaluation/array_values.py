"""Evaluate expressions on arrays of variable values."""

from collections.abc import Mapping
from math import prod
from operator import floordiv
from typing import Any

import numpy as np
import numpy.typing as npt

from ..core.expressions import Constant, Expression, Operations, apply
from ..core.interval import Interval

Int64Array = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]
Values = Mapping[Expression, Any]
"""For each variable an int64 array [n], or an integer shared by all rows."""


def value_of(expression: Expression, values: Values) -> Any:
    """Values of an expression: an int64 array [n], or an integer if they are the same for all rows.

    If a divisor is 0, the value is meaningless (`IndexMap.divisors`).
    """
    if isinstance(expression, Constant):
        return expression.value
    if not expression.children:
        return values[expression]
    return apply(expression, [value_of(child, values) for child in expression.children], _ARRAYS)


def _or_one(divisor: Any) -> Any:
    """`divisor` with 0 replaced by 1, to avoid errors in rows outside the domain."""
    return np.where(np.asarray(divisor) == 0, 1, divisor)


_ARRAYS = Operations[Any](
    add=sum,
    multiply=prod,
    floor_divide=floordiv,
    ceil_divide=lambda dividend, divisor: -(-dividend // divisor),
    modulo=lambda dividend, divisor: dividend % abs(divisor),
    quotient_by=lambda dividend, divisor: dividend // _or_one(divisor),
    remainder_by=lambda dividend, divisor: dividend % _or_one(abs(divisor)),
    minimum=np.minimum,
    maximum=np.maximum,
)


def lies_in(values: Any, interval: Interval) -> Any:
    """Whether values lie in an interval: bool [n], or one for all rows."""
    return (values >= interval.lower) & (values <= interval.upper)
