"""topk: against sorting each row element by element."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hloscope.engine.ir.element_types import ELEMENT_TYPES
from hloscope.engine.ir.types import TensorType
from hloscope.engine.ops.checking import first_broken_constraint
from hloscope.engine.ops.core.op import Array
from hloscope.engine.ops.hlo.chlo_forms import HloTopK

from ..cases.drawing import arrays
from .running import f32, results


def program(k: int, largest: str) -> str:
    return f"""
        ENTRY e {{
          p = f32[6] parameter(0)
          ROOT t = (f32[{k}], s32[{k}]) topk(p), k={k}, largest={largest}
        }}"""


def test_zeros_have_an_order_and_equal_elements_keep_theirs() -> None:
    zeros = f32([-0.0, 0.0, -0.0, 0.0, 0.0, -0.0])
    ((_, up),) = results(program(6, "true"), zeros)
    ((_, down),) = results(program(6, "false"), zeros)
    assert up.tolist() == [1, 3, 4, 0, 2, 5]
    assert down.tolist() == [0, 2, 5, 1, 3, 4]


def order(value: Any) -> tuple[int, float, bool]:
    """What elements are sorted by: -NaN, numbers, +NaN; -0 before +0."""
    if value.dtype.kind != "f":
        return 0, int(value), False
    negative = bool(np.signbit(value))
    rank = (-1 if negative else 1) if np.isnan(value) else 0
    return rank, 0.0 if rank else float(value), not negative


@given(data=st.data(), largest=st.booleans(), name=st.sampled_from(["f16", "f32", "i8", "ui32", "i64"]))
def test_each_row_is_sorted_by_itself(data: st.DataObject, largest: bool, name: str) -> None:
    element_type = ELEMENT_TYPES[name]
    shape = (data.draw(st.integers(0, 2)), data.draw(st.integers(0, 5)))
    operand: Array = data.draw(arrays(element_type, shape))
    k = data.draw(st.integers(0, shape[-1]))
    op = HloTopK(TensorType(shape, element_type), k, largest)
    with np.errstate(all="ignore"):
        values, indices = op.evaluate(operand)
    for row in range(shape[0]):
        line = operand[row]
        places = sorted(range(shape[1]), key=lambda place: order(line[place]), reverse=largest)
        if not (operand.dtype.kind == "f" and np.isnan(line).sum() > 1):  # payloads are ordered too
            assert indices[row].tolist() == places[:k]
    for row, column in product(range(shape[0]), range(k)):
        assert values[row, column].tobytes() == operand[row, indices[row, column]].tobytes()


@pytest.mark.parametrize(
    ("operand", "k", "message"),
    [
        (TensorType((), ELEMENT_TYPES["f32"]), 0, "operand has no dimension: its rank must be at least 1"),
        (
            TensorType((2, 3), ELEMENT_TYPES["f32"]),
            4,
            "k is 4: it must be from 0 to 3, the size of the last dimension",
        ),
        (
            TensorType((3,), ELEMENT_TYPES["f32"]),
            -1,
            "k is -1: it must be from 0 to 3, the size of the last dimension",
        ),
    ],
)
def test_broken_rules_are_named(operand: TensorType, k: int, message: str) -> None:
    assert first_broken_constraint(HloTopK(operand, k)) == ("", message)


def test_complex_elements_have_no_order() -> None:
    op = HloTopK(TensorType((3,), ELEMENT_TYPES["complex<f32>"]), 1, largest=False)
    assert op.unrunnable() == "complex<f32> elements have no order to find the smallest by"
