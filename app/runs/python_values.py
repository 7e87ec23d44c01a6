"""Input specifications for values from Python code."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hloscope.engine.entry import input_count_error
from hloscope.engine.errors import InputError
from hloscope.engine.inputs import InputSpec, needs_value
from hloscope.engine.ir.module import Function
from hloscope.engine.ir.types import TupleType, Type

LOOSE = (list, tuple, bool, int, float, complex)
"""Types without a dtype: numbers take the argument's type, if it represents them."""


@dataclass(frozen=True)
class Each:
    """An input with a separate value for every process of a grid, by number."""

    values: Sequence[Any]


def with_tokens(function: Function, inputs: Sequence[Any]) -> list[Any]:
    """A value for each argument; tokens may be omitted. Raises `InputError` for a wrong count."""
    needed = [needs_value(argument.type) for argument in function.arguments]
    filled = _with_none(inputs, needed)
    if filled is None:
        raise input_count_error(function, sum(needed), len(inputs))
    return filled


def spec_of(value: Any, type: Type | None) -> InputSpec:
    """The specification of an array, a number, lists of numbers, or a tuple of such values."""
    if isinstance(type, TupleType) and _is_sequence(value):
        filled = _with_none(list(value), [needs_value(found) for found in type.types])
        if filled is None:
            raise InputError(f"{len(value)} values are given for {type}")
        parts = (spec_of(part, found) for part, found in zip(filled, type.types, strict=True))
        return InputSpec("array", parts=tuple(parts))
    if value is None:
        return InputSpec("array")
    return InputSpec("array", array=_array(value), exact=not isinstance(value, LOOSE))


def _is_sequence(value: Any) -> bool:
    return isinstance(value, list | tuple) or (isinstance(value, np.ndarray) and value.dtype.hasobject)


def _with_none(values: Sequence[Any], needed: Sequence[bool]) -> list[Any] | None:
    """`values` with `None` for each omitted value that is not needed."""
    if len(values) == len(needed):
        return list(values)
    if len(values) != sum(needed):
        return None
    rest = iter(values)
    return [next(rest) if is_needed else None for is_needed in needed]


def _array(value: Any) -> NDArray[Any]:
    try:
        found = np.asarray(value)
        # NumPy converts integers beyond int64 to floats, beside smaller ones.
        if (
            isinstance(value, list | tuple)
            and found.dtype == np.float64
            and found.size
            and found.max() >= 2**63
        ):
            exact = np.asarray(value, object)
            if all(isinstance(number, int) and 0 <= number < 2**64 for number in exact.flat):
                return exact.astype(np.uint64)
        return found
    except ValueError:
        raise InputError(
            "the lists of a value differ in length", hint="Give a list of numbers, or of lists as long."
        ) from None
