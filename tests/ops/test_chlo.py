"""CHLO: special functions at known values, exact neighbours and products, top_k, broadcasting, constants."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hloscope.engine.errors import ConstraintError, VerificationError
from hloscope.engine.ir.attributes import (
    Attribute,
    FloatAttribute,
    IntegerAttribute,
    OpaqueAttribute,
    StringAttribute,
)
from hloscope.engine.ir.element_types import ELEMENT_TYPES, F32
from hloscope.engine.ir.module import Operation
from hloscope.engine.ir.types import ScalarType, TensorType
from hloscope.engine.ops import op_table
from hloscope.engine.ops.checking import check
from hloscope.engine.ops.chlo.chlo_constants import ConstantLike
from hloscope.engine.ops.chlo.chlo_top_k import TopK
from hloscope.engine.ops.core.op import Array
from tests.each import for_each

from .broken.stating import number
from .building import array, bound, enum, evaluated, operation, same_bits
from .cases.drawing import arrays

NAN, INF = np.nan, np.inf
BroadcastAdd: Any = op_table()["chlo.broadcast_add"]
BroadcastShiftLeft: Any = op_table()["chlo.broadcast_shift_left"]


ZETA = [
    (2.0, 1.0, math.pi**2 / 6),
    (4.0, 1.0, math.pi**4 / 90),
    (2.0, 0.5, math.pi**2 / 2),
    (
        2.0,
        -10.5,
        math.pi**2 / 2
        + sum(2 * (k + 0.5) ** -2 for k in range(11))
        - sum((k + 0.5) ** -2 for k in range(11)),
    ),
    (1.0, 3.0, INF),
    (0.5, 3.0, NAN),
    (2.0, 0.0, INF),
    (3.0, -2.0, NAN),
    (2.5, -0.5, NAN),
    (INF, 2.0, NAN),
    (NAN, 2.0, NAN),
]


@pytest.mark.parametrize(("x", "q", "expected"), ZETA)
def test_zeta(x: float, q: float, expected: float) -> None:
    found = evaluated("chlo.zeta", [array([x], "f64"), array([q], "f64")], ["f64"] * 2, "f64")
    np.testing.assert_allclose(found, [expected], rtol=1e-14)


POLYGAMMA = [
    (0.0, 1.0, -0.5772156649015329),
    (1.0, 1.0, math.pi**2 / 6),
    (2.0, 1.0, -2.4041138063191885),
    (3.0, 0.5, math.pi**4),
    (1.0, 0.0, INF),
    (2.0, -1.0, NAN),
    (0.5, 1.0, NAN),
    (-1.0, 1.0, NAN),
    (INF, 1.0, NAN),
    # Only together are the factorial and the sum within f64: computed with 40 decimals.
    (171.0, 2.0, 2.073093314165313e257),
    (200.0, 100.0, -9.125424691096223e-28),
    (171.0, 1000.0, 7.895703658426907e-207),
    (171.0, -0.5, INF),
]


@pytest.mark.parametrize("x", [1.0, 2.0, 2.5, 3.0, 6.0, INF])
def test_zeta_far_below_0_is_the_sum_of_both_sides(x: float) -> None:
    """SciPy's own value, which takes it as many steps as `q` is large, and one that would take it years."""
    from scipy import special

    q = [-1000.25, -5000.3, -12345.75]
    found = evaluated("chlo.zeta", [array([x] * 3, "f64"), array(q, "f64")], ["f64"] * 2, "f64")
    np.testing.assert_allclose(found, special.zeta(x, q), 1e-9)
    far = evaluated("chlo.zeta", [array([2.0], "f64"), array([-1e15 - 0.5], "f64")], ["f64"] * 2, "f64")
    np.testing.assert_allclose(far, [np.pi**2], 1e-12)


@for_each(("n", "x", "expected"), POLYGAMMA)
def test_polygamma(n: float, x: float, expected: float) -> None:
    found = evaluated("chlo.polygamma", [array([n], "f64"), array([x], "f64")], ["f64"] * 2, "f64")
    np.testing.assert_allclose(found, [expected], rtol=1e-9)


FLOATS = [
    name for name, found in ELEMENT_TYPES.items() if found.is_float and name not in ("tf32", "f8E8M0FNU")
]


@for_each("element_type", FLOATS)
def test_next_after_is_the_neighbour(element_type: str) -> None:
    """All numbers of a narrow type, some of a wide one: no other lies between a number and the next."""
    found_type = ELEMENT_TYPES[element_type]
    unsigned = f"u{found_type.dtype.itemsize}"
    step = max(1, (1 << found_type.bits) // 4099)
    patterns = np.array(range(0, 1 << found_type.bits, step), np.uint64).astype(unsigned)
    values = patterns.view(found_type.dtype)
    with np.errstate(invalid="ignore"):
        values = values[np.isfinite(values.astype(np.float64))]
    largest = values[np.argmax(values.astype(np.float64))]
    towards = np.full(values.shape, largest)
    found = evaluated("chlo.next_after", [values, towards], [element_type] * 2, element_type)
    back = evaluated("chlo.next_after", [found, values], [element_type] * 2, element_type)
    wide, after = values.astype(np.float64), found.astype(np.float64)
    assert np.all((after > wide) | (wide == float(largest)))
    assert np.all((back.astype(np.float64) == wide) | (wide == float(largest)))


INTEGERS = [name for name, found in ELEMENT_TYPES.items() if found.is_integer]


@given(st.data(), st.sampled_from(INTEGERS))
def test_mulhi_is_the_upper_half(data: st.DataObject, element_type: str) -> None:
    found_type = ELEMENT_TYPES[element_type]
    lhs, rhs = (data.draw(arrays(found_type, (3,))) for _ in range(2))
    found = evaluated("chlo.mulhi", [lhs, rhs], [element_type] * 2, element_type)
    pairs = zip(lhs.tolist(), rhs.tolist(), strict=True)
    assert [int(value) for value in found.tolist()] == [int(a) * int(b) >> found_type.bits for a, b in pairs]


def top_k(operand: Array, element_type: str, k: int) -> tuple[Array, Array]:
    return TopK(TensorType(operand.shape, ELEMENT_TYPES[element_type]), k).evaluate(operand)


def test_top_k_has_a_total_order() -> None:
    """As on XLA: NaN first, 0 before -0, of equals the lower index."""
    operand = array([1, 3, NAN, 3, -NAN, 2, -0.0, 0.0, -INF], "f32")
    values, indices = top_k(operand, "f32", 9)
    assert indices.tolist() == [2, 1, 3, 5, 0, 7, 6, 8, 4]
    assert same_bits(values, operand[indices])
    assert indices.dtype == np.int32


def test_top_k_of_quantized_elements_orders_what_is_stored() -> None:
    values, indices = bound(operation("chlo.top_k", ["3xq8"], ["2xq8", "2xi32"], k=number(2))).evaluate(
        np.array([1, 5, -3], np.int8)
    )
    assert (values.tolist(), indices.tolist()) == ([5, 1], [1, 0])


def test_unknown_sizes_are_broadcast_as_far_as_they_are_known() -> None:
    unknown, known = TensorType((None, 3), F32), TensorType((1, 3), F32)
    assert BroadcastAdd(unknown, known).infer().shape == (None, 3)
    assert BroadcastAdd(unknown, TensorType((4, 1), F32)).infer().shape == (4, 3)


def test_element_types_that_no_op_takes_cannot_run() -> None:
    found = TensorType((2,), F32)
    assert BroadcastShiftLeft(found, found).unrunnable() == (
        "it stands for stablehlo.shift_left, whose lhs must hold integer elements, not f32"
    )
    assert BroadcastAdd(found, found).unrunnable() is None


def like(value: Attribute, element_type: str) -> Array:
    operand = TensorType((2, 3), F32)
    op = ConstantLike(value, operand, operand.with_element_type(ELEMENT_TYPES[element_type]))
    return op.evaluate(np.zeros((2, 3), np.float32))


def test_constant_like() -> None:
    nan = FloatAttribute(0x7FC1, ScalarType(ELEMENT_TYPES["bf16"]), NAN)
    assert like(nan, "bf16").view(np.uint16).tolist() == [[0x7FC1] * 3] * 2
    assert like(IntegerAttribute(-1, ScalarType(ELEMENT_TYPES["i4"])), "i4").tolist() == [[-1] * 3] * 2
    value = OpaqueAttribute("#complex.number<:f32 1.5, -2.0e+00> : complex<f32>")
    assert like(value, "complex<f32>").tolist() == [[1.5 - 2j] * 3] * 2
    value = OpaqueAttribute("#complex.number<:f64 0x7FF0000000000000, 0.0>")
    assert like(value, "complex<f64>")[0, 0] == INF
    assert like(value, "complex<f64>").strides == (0, 0)


LESS = enum("comparison_direction", "LT")
BROKEN: list[tuple[Operation, str]] = [
    (
        operation("chlo.erf", ["2xcomplex<f32>"], ["2xcomplex<f32>"]),
        "operand must hold floating-point elements, not complex<f32>",
    ),
    (
        operation("chlo.tan", ["2xq8"], ["2xq8"]),
        "operand must hold floating-point or complex elements, not !quant.uniform<i8:f32, 5.000000e-01>",
    ),
    (operation("chlo.is_inf", ["2xf32"], ["2xf32"]), "the result must hold i1, not f32"),
    (operation("chlo.sinh", ["2xf32"], ["3xf32"]), "the result must have shape [2], not [3]"),
    (
        operation("chlo.next_after", ["2xf32", "3xf32"], ["2xf32"]),
        "x is tensor<2xf32>, y is tensor<3xf32>: their types must be equal",
    ),
    (operation("chlo.mulhi", ["2xi1", "2xi1"], ["2xi1"]), "lhs must hold integer elements, not i1"),
    (
        operation("chlo.top_k", ["2x3xf32"], ["2x4xf32", "2x4xi32"], k=number(4)),
        "k is 4: it must be from 0 to 3, the size of the last dimension",
    ),
    (
        operation("chlo.top_k", ["2x3xf32"], ["2x2xf32", "2x2xi64"], k=number(2)),
        "result 1 must hold i32, not i64",
    ),
    (
        operation("chlo.top_k", ["f32"], ["f32", "i32"], k=number(1)),
        "operand has no dimension: its rank must be at least 1",
    ),
    (
        operation("chlo.broadcast_add", ["2x3xf32", "2xf32"], ["2x3xf32"]),
        "shapes [2, 3], [2] do not fit: dimension 1 has sizes [2, 3]",
    ),
    (
        operation("chlo.broadcast_add", ["2xf32", "2xf16"], ["2xf32"]),
        "lhs is tensor<2xf32>, rhs is tensor<2xf16>: their element types must be equal",
    ),
    (
        operation("chlo.broadcast_and", ["2xf32", "2xf32"], ["2xf32"]),
        "lhs must hold boolean or integer elements, not f32",
    ),
    (
        operation("chlo.broadcast_compare", ["2xf32", "2xf32"], ["2xf32"], comparison_direction=LESS),
        "the result must hold i1, not f32",
    ),
    (
        operation("chlo.broadcast_select", ["2xi8", "2xf32", "2xf32"], ["2xf32"]),
        "pred must hold boolean elements, not i8",
    ),
    (
        operation("chlo.constant_like", ["2xf32"], ["2xf32"], value=number(1)),
        "value is of type i64, but the result holds f32",
    ),
    (
        operation("chlo.constant_like", ["2xf32"], ["2xf32"], value=StringAttribute("1")),
        "value is not of a number's type, but the result holds f32",
    ),
]


@for_each(
    ("stated", "message"),
    BROKEN,
    ids=[f"{stated.name}-{number}" for number, (stated, _) in enumerate(BROKEN)],
)
def test_broken_types_are_told(stated: Operation, message: str) -> None:
    with pytest.raises(VerificationError) as raised:
        check(bound(stated), stated)
    assert isinstance(raised.value, ConstraintError)
    assert (raised.value.message, raised.value.label) == (message, None)


DIMENSIONS = [
    ((1, 1), "broadcast_dimensions [1, 1] must be 1, one for each dimension of the lower rank"),
    ((2,), "broadcast_dimensions [2] go outside rank 2"),
    ((-1,), "broadcast_dimensions [-1] go outside rank 2"),
]


@pytest.mark.parametrize(("dimensions", "message"), DIMENSIONS)
def test_wrong_broadcast_dimensions_are_told(dimensions: tuple[int, ...], message: str) -> None:
    op = BroadcastAdd(TensorType((2, 3), F32), TensorType((3,), F32), dimensions)
    assert next(found for _, holds, found in op.constraints() if not holds) == message
