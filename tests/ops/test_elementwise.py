"""Elementwise ops: the specification's own examples, and the numeric edge cases seen on XLA."""

import numpy as np
import pytest

from .building import array, enum, evaluated, same_bits

NAN, INF = np.nan, np.inf
I32_MAX, I32_MIN = 2**31 - 1, -(2**31)

# op, element types, operands, the result's element type, its values. Examples of the specification.
EXAMPLES = [
    ("abs", ["i32"], [[-2, 0, 2]], "i32", [2, 0, 2]),
    ("add", ["i32"] * 2, [[[1, 2], [3, 4]], [[5, 6], [7, 8]]], "i32", [[6, 8], [10, 12]]),
    ("and", ["i32"] * 2, [[[1, 2], [3, 4]], [[5, 6], [7, 8]]], "i32", [[1, 2], [3, 0]]),
    ("atan2", ["f64"] * 2, [[0.0, 1.0, -1.0], [0.0, 0.0, 0.0]], "f64", [0.0, np.pi / 2, -np.pi / 2]),
    ("cbrt", ["f64"], [[0.0, 1.0, 8.0, 27.0]], "f64", [0.0, 1.0, 2.0, 3.0]),
    ("ceil", ["f32"], [[-0.8166, -0.2530, 0.2530, 0.8166, 2.0]], "f32", [-0.0, -0.0, 1.0, 1.0, 2.0]),
    ("clamp", ["i32"] * 3, [[5, 10, 15], [3, 13, 23], [10, 15, 20]], "i32", [5, 13, 20]),
    ("convert", ["i64"], [[-1, 0, 1]], "complex<f64>", [-1, 0, 1]),
    ("exponential", ["f64"], [[0.0]], "f64", [1.0]),
    ("floor", ["f32"], [[-0.8166, -0.2530, 0.2530, 0.8166, 2.0]], "f32", [-1.0, -1.0, 0.0, 0.0, 2.0]),
    ("log", ["f64"], [[1.0]], "f64", [0.0]),
    ("maximum", ["i32"] * 2, [[[1, 2], [7, 8]], [[5, 6], [3, 4]]], "i32", [[5, 6], [7, 8]]),
    ("minimum", ["i32"] * 2, [[[1, 2], [7, 8]], [[5, 6], [3, 4]]], "i32", [[1, 2], [3, 4]]),
    ("multiply", ["i32"] * 2, [[[1, 2], [3, 4]], [[5, 6], [7, 8]]], "i32", [[5, 12], [21, 32]]),
    ("negate", ["i32"], [[0, -2]], "i32", [0, 2]),
    ("negate", ["complex<f32>"], [[2.5]], "complex<f32>", [complex(-2.5, -0.0)]),
    ("not", ["i32"], [[[1, 2], [3, 4]]], "i32", [[-2, -3], [-4, -5]]),
    ("not", ["i1"], [[True, False]], "i1", [False, True]),
    ("or", ["i32"] * 2, [[[1, 2], [3, 4]], [[5, 6], [7, 8]]], "i32", [[5, 6], [7, 12]]),
    (
        "or",
        ["i1"] * 2,
        [[[False, False], [True, True]], [[False, True]] * 2],
        "i1",
        [[False, True], [True, True]],
    ),
    (
        "power",
        ["f64"] * 2,
        [[-2.0, -0.0, -36.0, 5.0, 3.0, 10000.0], [2.0, 2.0, 1.1, 2.0, -1.0, 10.0]],
        "f64",
        [4.0, 0.0, NAN, 25.0, 1 / 3, 1e40],
    ),
    ("remainder", ["i64"] * 2, [[17, -17, 17, -17], [3, 3, -3, -3]], "i64", [2, -2, 2, -2]),
    ("rsqrt", ["f32"], [[[1.0, 4.0], [9.0, 25.0]]], "f32", [[1.0, 0.5], [1 / 3, 0.2]]),
    (
        "select",
        ["i1", "i32", "i32"],
        [[[False, True], [True, False]], [[1, 2], [3, 4]], [[5, 6], [7, 8]]],
        "i32",
        [[5, 2], [3, 8]],
    ),
    ("sign", ["f64"], [[NAN, -1.0, -0.0, 0.0, 1.0]], "f64", [NAN, -1.0, -0.0, 0.0, 1.0]),
    ("sqrt", ["f32"], [[[0.0, 1.0], [4.0, 9.0]]], "f32", [[0.0, 1.0], [2.0, 3.0]]),
    ("subtract", ["f32"] * 2, [[[6, 8], [10, 12]], [[5, 6], [7, 8]]], "f32", [[1, 2], [3, 4]]),
    ("xor", ["i32"] * 2, [[[1, 2], [3, 4]], [[5, 6], [7, 8]]], "i32", [[4, 4], [4, 12]]),
    (
        "xor",
        ["i1"] * 2,
        [[[False, False], [True, True]], [[False, True]] * 2],
        "i1",
        [[False, True], [True, False]],
    ),
]

# The same, of what the specification leaves open or what is easily got wrong; the values are XLA's.
EDGES = [
    ("add", ["i1"] * 2, [[True, True, False], [True, False, False]], "i1", [True, True, False]),
    ("multiply", ["i1"] * 2, [[True, True, False], [True, False, False]], "i1", [True, False, False]),
    ("add", ["i8"] * 2, [[127, -128], [1, -1]], "i8", [-128, 127]),
    ("add", ["i4"] * 2, [[7, -8], [1, -1]], "i4", [-8, 7]),
    ("multiply", ["ui2"] * 2, [[3, 2], [3, 2]], "ui2", [1, 0]),
    ("subtract", ["ui8"] * 2, [[0], [1]], "ui8", [255]),
    (
        "divide",
        ["i32"] * 2,
        [[7, -7, 7, -7, 5, 0, I32_MIN], [2, 2, -2, -2, 0, 0, -1]],
        "i32",
        [3, -3, -3, 3, -1, -1, I32_MIN],
    ),
    (
        "remainder",
        ["i32"] * 2,
        [[7, -7, 7, -7, 5, 0, I32_MIN], [2, 2, -2, -2, 0, 0, -1]],
        "i32",
        [1, -1, 1, -1, 5, 0, 0],
    ),
    ("divide", ["ui32"] * 2, [[5, 7], [0, 2]], "ui32", [2**32 - 1, 3]),
    ("divide", ["i4"] * 2, [[-8, 7, 5], [-1, -2, 0]], "i4", [-8, -3, -1]),
    ("divide", ["i64"] * 2, [[-(2**63), 2**62], [-1, 3]], "i64", [-(2**63), 2**62 // 3]),
    (
        "remainder",
        ["f32"] * 2,
        [[5.5, -5.5, 5.5, 1, INF, 3, -0.0], [2, 2, -2, 0, 2, INF, 3]],
        "f32",
        [1.5, -1.5, 1.5, NAN, NAN, 3, -0.0],
    ),
    (
        "power",
        ["i32"] * 2,
        [[2, 2, -2, 0, 1, -1, -1, 3, 0, 2], [3, -1, 3, 0, -5, -3, -2, -2, -1, 40]],
        "i32",
        [8, 0, -8, 1, 1, -1, 1, 0, 0, 0],
    ),
    (
        "power",
        ["f32"] * 2,
        [[0, 0, -8, NAN, 1, 2, INF, -0.0, -1, -1, -0.0], [0, -1, 1 / 3, 0, NAN, -2, 0, -1, INF, -INF, -2]],
        "f32",
        [1, INF, NAN, 1, 1, 0.25, 1, -INF, 1, 1, INF],
    ),
    (
        "maximum",
        ["f32"] * 2,
        [[NAN, 1, -0.0, 0.0, -0.0], [1, NAN, 0.0, -0.0, -0.0]],
        "f32",
        [NAN, NAN, 0, 0, -0.0],
    ),
    (
        "minimum",
        ["f32"] * 2,
        [[NAN, 1, -0.0, 0.0, 0.0], [1, NAN, 0.0, -0.0, 0.0]],
        "f32",
        [NAN, NAN, -0.0, -0.0, 0],
    ),
    ("maximum", ["complex<f32>"] * 2, [[1 + 2j, 2 - 1j], [1 + 3j, 1 + 9j]], "complex<f32>", [1 + 3j, 2 - 1j]),
    (
        "clamp",
        ["f32"] * 3,
        [[0, 0, 5, NAN, 0], [NAN, 7, 3, 1, 1], [1, 6, 2, 2, NAN]],
        "f32",
        [NAN, 6, 2, NAN, NAN],
    ),
    ("clamp", ["i32"] * 3, [0, [-1, 5, 9], 6], "i32", [0, 5, 6]),
    ("select", ["i1", "i32", "i32"], [True, [1, 2], [3, 4]], "i32", [1, 2]),
    ("abs", ["i32"], [[I32_MIN]], "i32", [I32_MIN]),
    ("abs", ["complex<f32>"], [[3 + 4j, complex(INF, NAN)]], "f32", [5, INF]),
    ("negate", ["i32"], [[I32_MIN]], "i32", [I32_MIN]),
    ("negate", ["ui32"], [[1]], "ui32", [2**32 - 1]),
    ("sign", ["i8"], [[-5, 0, 5]], "i8", [-1, 0, 1]),
    (
        "sign",
        ["complex<f64>"],
        [[3 + 4j, 0, complex(NAN, 1)]],
        "complex<f64>",
        [0.6 + 0.8j, 0, complex(NAN, NAN)],
    ),
    (
        "atan2",
        ["f32"] * 2,
        [[-0.0, -0.0, 0.0, INF], [-0.0, 0.0, -0.0, -INF]],
        "f32",
        [-np.pi, -0.0, np.pi, 0.75 * np.pi],
    ),
    ("cbrt", ["f32"], [[-8.0, -0.0, INF, NAN]], "f32", [-2.0, -0.0, INF, NAN]),
    ("rsqrt", ["f32"], [[0.0, -0.0, -1.0]], "f32", [INF, -INF, NAN]),
    ("sqrt", ["f32"], [[-0.0, -1.0]], "f32", [-0.0, NAN]),
    ("log", ["f32"], [[0.0, -1.0]], "f32", [-INF, NAN]),
    ("log_plus_one", ["f32"], [[-1.0, -2.0]], "f32", [-INF, NAN]),
    ("logistic", ["f32"], [[1000.0, -1000.0]], "f32", [1.0, 0.0]),
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

# -NaN, -Inf, -1, -0, 0, 1, Inf, NaN, in their total order.
ORDERED = [-NAN, -INF, -1.0, -0.0, 0.0, 1.0, INF, NAN]


@pytest.mark.parametrize(("name", "element_types", "operands", "result", "expected"), EXAMPLES + EDGES)
def test_values(
    name: str, element_types: list[str], operands: list[object], result: str, expected: list[object]
) -> None:
    values = [array(value, found) for value, found in zip(operands, element_types, strict=True)]
    found = evaluated(name, values, element_types, result)
    assert same_bits(found, array(expected, result)), found


@pytest.mark.parametrize(("source", "operand", "target", "expected"), CONVERSIONS)
def test_convert(source: str, operand: list[object], target: str, expected: list[object]) -> None:
    found = evaluated("convert", [array(operand, source)], [source], target)
    assert same_bits(found, array(expected, target)), found


@pytest.mark.parametrize(
    ("name", "operand", "expected"),
    [
        ("cosine", [0.0, 1.57079632, 3.14159265, 4.71238898], [1, 0, -1, 0]),
        ("sine", [0.0, 1.57079632, 3.14159265, 4.71238898], [0, 1, 0, -1]),
        ("exponential", [1.0, 2.0, 3.0], [2.7182818284590451, 7.3890560989306504, 20.085536923187668]),
        ("exponential_minus_one", [0.0, 1.0], [0.0, 1.71828187]),
        ("log", [2.0, 3.0, 4.0], [0.69314718055994529, 1.0986122886681098, 1.3862943611198906]),
        ("log_plus_one", [0.0, -0.999, 7.0, 6.38905621, 15.0], [0, -6.90776825, 2.07944155, 2.0, 2.77258873]),
        ("logistic", [0.0, 1.0, 2.0, 3.0], [0.5, 0.73105858, 0.88079708, 0.95257413]),
        ("tan", [0.0, 0.78539816, 3.14159265], [0, 1, 0]),
        ("tanh", [-1.0, 0.0, 1.0], [-0.76159416, 0.0, 0.76159416]),
    ],
)
@pytest.mark.parametrize("element_type", ["f32", "f64", "complex<f32>", "complex<f64>"])
def test_functions_of_the_specification(
    name: str, operand: list[float], expected: list[float], element_type: str
) -> None:
    found = evaluated(name, [array(operand, element_type)], [element_type], element_type)
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    ("direction", "expected"),
    [
        ("EQ", [False, False, True]),
        ("NE", [True, True, False]),
        ("LT", [True, False, False]),
        ("LE", [True, False, True]),
        ("GT", [False, False, False]),
        ("GE", [False, False, True]),
    ],
)
def test_compare_directions(direction: str, expected: list[bool]) -> None:
    """1 and 2; NaN and NaN; -0 and 0."""
    operands = [array([1, NAN, -0.0], "f32"), array([2, NAN, 0.0], "f32")]
    properties = {"comparison_direction": enum("comparison_direction", direction)}
    assert evaluated("compare", operands, ["f32", "f32"], "i1", **properties).tolist() == expected


@pytest.mark.parametrize("element_type", ["f64", "f32", "f16", "bf16", "f8E5M2", "f8E4M3", "f8E3M4"])
def test_compare_in_total_order(element_type: str) -> None:
    values = array(ORDERED, element_type)
    operands = [np.repeat(values, len(values)), np.tile(values, len(values))]
    properties = {
        "comparison_direction": enum("comparison_direction", "LT"),
        "compare_type": enum("comparison_type", "TOTALORDER"),
    }
    found = evaluated("compare", operands, [element_type] * 2, "i1", **properties)
    places = np.arange(len(values))
    assert found.reshape(8, 8).tolist() == (places[:, None] < places[None, :]).tolist()


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


def test_chlo_square() -> None:
    found = evaluated("chlo.square", [array([3, -2], "f32")], ["f32"], "f32")
    assert found.tolist() == [9, 4]


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
