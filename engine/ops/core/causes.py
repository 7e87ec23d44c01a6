"""Reasons why an element is not finite, as the end of a sentence: `where {0} is above 88.72`."""

from collections.abc import Sequence
from math import inf, isfinite, isinf, isnan, log
from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from ...ir.element_types import of_dtype
from .ranks import is_finite, is_inexact

Array = NDArray[Any]


def element_at(operand: Array, index: tuple[int, ...]) -> float | None:
    """The element of an operand of an elementwise op at an index of its result; `None` of complex ones."""
    if operand.dtype.kind == "c":
        return None
    return float(operand[index] if operand.ndim else operand[()])


def largest(dtype: np.dtype[Any]) -> float:
    """The largest finite number of a type."""
    return float(ml_dtypes.finfo(dtype).max)


def has_infinity(dtype: np.dtype[Any]) -> bool:
    """Whether a type has infinities: some small ones have NaN for numbers that are too large."""
    return bool(np.isinf(np.array(np.inf, np.float32).astype(dtype).astype(np.float32)))


def short(number: float) -> str:
    """A limit as people know it: `88.72`, `65,504`, `3.403e+38`."""
    if isinf(number) or isnan(number):
        return "NaN" if isnan(number) else ("+Inf" if number > 0 else "-Inf")
    if number == int(number) and abs(number) < 1e7:
        return f"{int(number):,}"
    return f"{number:.4g}"


def exponent_limit(dtype: np.dtype[Any]) -> str:
    """The largest number whose exponential the type can hold, as text."""
    return f"{log(largest(dtype)):.2f}"


def overflow(what: str, result: Array, value: float = 0) -> str:
    """The cause of an overflow of the result's type: `where {0} + {1} is above the largest f32, 3.403e+38`."""
    found = of_dtype(result.dtype)
    limit = largest(result.dtype)
    name = found.name if found else str(result.dtype)
    if not has_infinity(result.dtype):
        return f"where {what} is beyond ±{short(limit)}, the largest {name}, which has no infinity"
    side, sign = ("below", "-") if value < 0 else ("above", "")
    return f"where {what} is {side} {sign}{short(limit)}, the largest {name}"


def is_overflow(value: float, result: Array, *elements: float) -> bool:
    """Whether finite elements have made something too large."""
    finite = not any(isinf(element) or isnan(element) for element in elements)
    return finite and (isinf(value) or (isnan(value) and not has_infinity(result.dtype)))


def sum_cause(terms: Array, result: Array, index: tuple[int, ...]) -> str:
    """The reason why a sum of some elements of operand 0 is not finite."""
    if terms.dtype.kind == "c" or not is_inexact(terms.dtype):
        return ""
    found = terms.astype(np.float32) if terms.dtype.itemsize < 4 else terms
    if np.isfinite(found).all():
        if _has_both_signs(result, index):
            return "where sums of elements of {0} overflow to +Inf and to -Inf"
        return overflow("a sum of elements of {0}", result, float(result[index]))
    if (found == np.inf).any() and (found == -np.inf).any():
        return "where +Inf and -Inf of {0} are added"
    return ""


def brought_cause(values: Sequence[Array], result: Array, index: tuple[int, ...]) -> str:
    """The reason why the sum over the processes is not finite at an index."""
    elements = [element_at(value, index) for value in values]
    numbers = [element for element in elements if element is not None]
    if len(numbers) < len(elements):
        return ""
    if all(map(isfinite, numbers)):
        if _has_both_signs(result, index):
            return "where sums of what the processes bring overflow to +Inf and to -Inf"
        return overflow("the sum of what the processes bring", result, float(result[index]))
    if {inf, -inf} <= set(numbers):
        return "where +Inf and -Inf of different processes are added"
    return ""


def product_cause(operands: tuple[Array, ...], result: Array, index: tuple[int, ...]) -> str:
    """The reason why a sum of products of elements of operands 0 and 1 is not finite."""
    if result.dtype.kind == "c":
        return ""
    if all(is_finite(operand) for operand in operands[:2] if is_inexact(operand.dtype)):
        if _has_both_signs(result, index):
            return "where products overflow to +Inf and to -Inf, which are added"
        return overflow("a sum of products", result, float(result[index]))
    return "where an infinity is multiplied by 0, or infinities of both signs are added"


def _has_both_signs(result: Array, index: tuple[int, ...]) -> bool:
    """Whether a sum of finite terms is NaN although its type has infinities: then both have come up on the way."""
    return isnan(float(result[index])) and has_infinity(result.dtype)


def infinite(*elements: float) -> str:
    """The infinite operands: `where {0} is +Inf`, `where {0} and {1} are both -Inf`."""
    found = [(number, element) for number, element in enumerate(elements) if isinf(element)]
    if not found:
        return ""
    if len(found) == 2:
        (_, first), (_, second) = found
        if first == second:
            return f"where {{0}} and {{1}} are both {short(first)}"
        return f"where {{0}} is {short(first)} and {{1}} is {short(second)}"
    number, element = found[0]
    return f"where {{{number}}} is {short(element)}"
