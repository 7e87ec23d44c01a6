"""Inputs of one program for another one."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import hloscope
from hloscope.app.runs.launching import cast_floats

PROGRAM = """func.func @main(%a: tensor<2xbf16>, %b: tensor<2xi32>, %c: tensor<2xcomplex<f32>>, %d: tensor<f64>) -> tensor<f64> {
  return %d : tensor<f64>
}"""


@pytest.mark.parametrize(
    ("number", "given", "dtype"),
    [
        (0, np.ones(2, np.float32), ml_dtypes.bfloat16),
        (0, np.ones(2, ml_dtypes.float8_e4m3fn), ml_dtypes.bfloat16),
        (0, np.ones(2, np.int32), np.int32),
        (0, np.ones(2, ml_dtypes.int4), ml_dtypes.int4),
        (0, np.ones(2, np.complex64), np.complex64),
        (1, np.ones(2, np.float32), np.float32),
        (2, np.ones(2, np.complex128), np.complex128),
        (3, np.float32(1), None),
        (3, 1.0, None),
        (9, np.ones(2, np.float32), np.float32),
    ],
)
def test_floats_are_cast_to_floats_alone(number: int, given: Any, dtype: Any) -> None:
    """What fits no argument is as it is, and refused where arguments are checked."""
    inputs: list[Any] = [None] * number + [given]
    (*before, found) = cast_floats(hloscope.parse(PROGRAM), inputs)
    assert before == inputs[:-1]
    assert found is given if dtype is None else found.dtype == dtype
