"""The value of an expression on one line."""

from __future__ import annotations

import numpy as np

from hloscope.engine.expressions import Value
from hloscope.engine.ir.element_types import of_dtype
from hloscope.engine.ir.types import TensorType
from hloscope.engine.ops.core.op import Array

from .numbers import exact_number
from .summary import plain_text, value_text


def line_of(found: Value) -> str:
    """A number, a string, or a tensor's type and range."""
    if isinstance(found, str):
        return found
    if isinstance(found, np.ndarray):
        return tensor_line(found)
    # A Python float is an f64, whatever its original type was.
    return exact_number(found)


def tensor_line(array: Array) -> str:
    """A tensor of which only the array is known: `f32[4]  [0, 1, 2, 3]`."""
    found = of_dtype(array.dtype)
    return value_text(array, TensorType(array.shape, found)) if found else plain_text(array)
