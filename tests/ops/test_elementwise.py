"""Elementwise ops: types that the oracles lack or round otherwise, conversions, blocks and lanes."""

import numpy as np
import pytest

from tests.each import for_each

from .building import array, enum, evaluated, same_bits

NAN, INF = np.nan, np.inf
I32_MAX, I32_MIN = 2**31 - 1, -(2**31)


# The same, of what the specification leaves open or what is easily got wrong; the values are XLA's.
EDGES = [
    ("add", ["i1"] * 2, [[True, True, False], [True, False, False]], "i1", [True, True, False]),
    ("multiply", ["i1"] * 2, [[True, True, False], [True, False, False]], "i1", [True, False, False]),
    ("add", ["i4"] * 2, [[7, -8], [1, -1]], "i4", [-8, 7]),
    ("multiply", ["ui2"] * 2, [[3, 2], [3, 2]], "ui2", [1, 0]),
    ("divide", ["i4"] * 2, [[-8, 7, 5], [-1, -2, 0]], "i4", [-8, -3, -1]),
    ("maximum", ["complex<f32>"] * 2, [[1 + 2j, 2 - 1j], [1 + 3j, 1 + 9j]], "complex<f32>", [1 + 3j, 2 - 1j]),
    ("exponential", ["bf16"], [[1.0, 100.0]], "bf16", [2.71875, INF]),
    ("add", ["bf16"] * 2, [[256.0], [1.0]], "bf16", [256.0]),
    ("add", ["f8E4M3FN"] * 2, [[448.0, 448.0], [16.0, 448.0]], "f8E4M3FN", [448.0, NAN]),
    ("add", ["tf32"] * 2, [[1.0, 2048.0], [2.0**-11, 3.0]], "tf32", [1.0, 2052.0]),
]

CONVERSIONS = [
    ("f32", [1.9, -1.9, NAN, INF, -INF, 3e9, -3e9], "i32", [1, -1, 0, I32_MAX, I32_MIN, I32_MAX, I32_MIN]),
    ("f32", [-1.9, NAN, INF, 5e9, -3e9], "ui32", [0, 0, 2**32 - 1, 2**32 - 1, 0]),
    ("f32", [300, -300, 128], "i8", [127, -128, 127]),
    ("f32", [480], "i4", [7]),
    ("f32", [480], "ui2", [3]),
    ("f64", [1e300, 2.0**63, -1e300], "i64", [2**63 - 1, 2**63 - 1, -(2**63)]),
    ("f32", [0, -0.0, 0.3, NAN], "i1", [False, False, True, True]),
    ("i32", [2, 256, 0], "i1", [True, True, False]),
    ("complex<f32>", [1j, 2], "i1", [False, True]),
    ("complex<f32>", [1.5 + 1j], "f32", [1.5]),
    ("i32", [128, 300, -129], "i8", [-128, 44, 127]),
    ("i32", [-1, 256], "ui8", [255, 0]),
    ("i32", [16777217, 16777219], "f32", [16777216, 16777220]),
    ("i32", [65504, 65519, 65520, 2049], "f16", [65504, 65504, INF, 2048]),
    # Each of these would be wrong after a first rounding to f32.
    ("i32", [0x1010001], "bf16", [0x1020000]),
    ("i64", [(1 << 62) + (1 << 54) + 1], "bf16", [float((1 << 62) + (1 << 55))]),
    ("ui64", [(1 << 63) + (1 << 55) + 1], "bf16", [float((1 << 63) + (1 << 56))]),
    ("f64", [1 + 2**-8 + 2**-40, 1 + 2**-8], "bf16", [1 + 2**-7, 1]),
    ("f32", [464, 480, INF], "f8E4M3FN", [448, NAN, NAN]),
    ("f32", [448.0], "f4E2M1FN", [6.0]),
    ("i1", [True, False], "f32", [1, 0]),
    ("i1", [True, False], "i4", [1, 0]),
    ("i4", [-8, 7], "f8E5M2", [-8, 7]),
]


@pytest.mark.parametrize(("name", "element_types", "operands", "result", "expected"), EDGES)
def test_values(
    name: str, element_types: list[str], operands: list[object], result: str, expected: list[object]
) -> None:
    values = [array(value, found) for value, found in zip(operands, element_types, strict=True)]
    found = evaluated(name, values, element_types, result)
    assert same_bits(found, array(expected, result)), found


@for_each(("source", "operand", "target", "expected"), CONVERSIONS)
def test_convert(source: str, operand: list[object], target: str, expected: list[object]) -> None:
    found = evaluated("convert", [array(operand, source)], [source], target)
    assert same_bits(found, array(expected, target)), found


def test_compare_of_complex_values_is_by_pairs() -> None:
    operands = [array([1 + 5j, 1 + 1j], "complex<f32>"), array([2, 1 + 2j], "complex<f32>")]
    properties = {"comparison_direction": enum("comparison_direction", "LT")}
    assert evaluated("compare", operands, ["complex<f32>"] * 2, "i1", **properties).tolist() == [True, True]


def test_quantized_values_are_dequantized_and_quantized() -> None:
    """q8 has a scale of 0.5, q8b one of 0.25 and a zero point of 3; the result is clamped to the storage type."""
    lhs, rhs = np.array([2, 4, 127], np.int8), np.array([7, 11, 127], np.int8)
    found = evaluated("subtract", [lhs, rhs], ["q8", "q8b"], "q8")
    assert found.tolist() == [0, 0, 65]
    found = evaluated("add", [lhs, lhs], ["q8", "q8"], "q8b")
    assert found.tolist() == [11, 19, 127]
    assert found.dtype == np.int8


def test_repeated_elements_are_computed_once() -> None:
    splat = np.broadcast_to(np.float32(1), (1000, 1000))
    rows = np.broadcast_to(np.arange(1000, dtype=np.float32)[:, None], (1000, 1000))
    found = evaluated("add", [splat, rows], ["f32", "f32"], "f32")
    assert found.strides == (4, 0)
    assert found[5].tolist() == [6] * 1000


def test_blocks_join() -> None:
    operand = np.linspace(-5, 5, 100_001).astype(np.float32)
    found = evaluated("tanh", [operand], ["f32"], "f32")
    np.testing.assert_array_equal(found, np.tanh(operand.astype(np.float64)).astype(np.float32))


def test_scalars_meet_lanes() -> None:
    """A lifted region gives some values as lanes and others as they are."""
    lanes = np.arange(4, dtype=np.float32)
    for name in ("add", "multiply", "maximum"):
        found = evaluated(name, [lanes, np.asarray(np.float32(2))], ["f32", "f32"], "f32")
        assert found.shape == (4,)
