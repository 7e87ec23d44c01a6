"""The dialects of StableHLO's own tests: checks, probes, prints; and how far numbers are apart."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hloscope.engine.debugger.recording import Recording
from hloscope.engine.errors import CheckFailed
from hloscope.engine.frontend import load
from hloscope.engine.ir.element_types import ELEMENT_TYPES
from hloscope.engine.ops.dialects.agreement import FARTHEST, close, equal, require, unit_distance, within
from hloscope.engine.source import Source
from tests.debugger.programs import recorded
from tests.each import for_each

from .building import same_bits

HEAD = """
func.func @main() {
  %a = stablehlo.constant dense<[1.0, 2.0, 3.5, 0x7FC00000]> : tensor<4xf32>
  %b = stablehlo.constant dense<[1.0, 2.5, 4.5, 0x7FC00000]> : tensor<4xf32>
  %i = stablehlo.constant dense<[[1, 2], [3, -4]]> : tensor<2x2xi64>
  %z = stablehlo.constant dense<(1.0, 2.0)> : tensor<complex<f32>>
  %t = stablehlo.constant dense<true> : tensor<i1>
"""


def ended(*lines: str, functions: str = "") -> Recording:
    """The run of a program of checks, to its end or to the check that fails."""
    return recorded(HEAD + "\n".join(lines) + "\n  return\n}\n" + functions, ends=None)


HOLDING = [
    "check.expect_eq %i, %i : tensor<2x2xi64>",
    '"check.expect_eq"(%z, %z) : (tensor<complex<f32>>, tensor<complex<f32>>) -> ()',
    "check.expect_eq_const %i, dense<[[1, 2], [3, -4]]> : tensor<2x2xi64>",
    '"check.expect_eq_const"(%t) <{value = dense<true> : tensor<i1>}> : (tensor<i1>) -> ()',
    "check.expect_almost_eq %a, %a : tensor<4xf32>",
    "check.expect_almost_eq %a, %b, tolerance = 1.0 : tensor<4xf32>",
    "check.expect_almost_eq %a, %b {tolerance = 1.0 : f64} : tensor<4xf32>",
    "check.expect_almost_eq_const %a, dense<[1.0, 2.00001, 3.5, 0x7FC00000]> : tensor<4xf32>",
    "check.expect_almost_eq_const %z, dense<(1.0, 2.00001)> : tensor<complex<f32>>",
    "check.expect_almost_eq_const %z, dense<(1.5, 2.0)> : tensor<complex<f32>>, tolerance = 0.5",
    "check.expect_almost_eq_const %z, dense<(1.5, 2.0)> : tensor<complex<f32>> {tolerance = 0.5 : f64}",
    "check.expect_close %a, %a : tensor<4xf32>, tensor<4xf32>",
    "check.expect_close %a, %a, max_ulp_difference = 0 : tensor<4xf32>",
    "stablehlo.custom_call @check.expect_eq(%i, %i) : (tensor<2x2xi64>, tensor<2x2xi64>) -> ()",
    "stablehlo.custom_call @check.expect_close(%a, %a) {has_side_effect = true} : (tensor<4xf32>, tensor<4xf32>) -> ()",
    "stablehlo.custom_call @check.expect_almost_eq(%z, %z) : (tensor<complex<f32>>, tensor<complex<f32>>) -> ()",
]


@for_each("line", HOLDING)
def test_checks_that_hold(line: str) -> None:
    assert ended(line).state.kind == "done"


FAILING = [
    (
        "check.expect_eq %a, %b : tensor<4xf32>",
        "lhs and rhs must be equal, but 3 of 4 elements fail: at [1] lhs has 2.0, rhs 2.5 (0.5 apart); "
        "the farthest at [3] lhs has nan, rhs nan (nan apart)",
    ),
    (
        "check.expect_eq_const %i, dense<[[1, 2], [3, 4]]> : tensor<2x2xi64>",
        "the value and the constant must be equal, but 1 of 4 elements fail: "
        "at [1, 1] the value has -4, the constant 4 (8 apart)",
    ),
    (
        "check.expect_eq_const %t, dense<false> : tensor<i1>",
        "the value and the constant must be equal, but the value has true, the constant false (1 apart)",
    ),
    (
        "check.expect_almost_eq %a, %b, tolerance = 0.5 : tensor<4xf32>",
        "lhs and rhs may differ by at most 0.5, but 1 of 4 elements fail: at [2] lhs has 3.5, rhs 4.5 (1 apart)",
    ),
    (
        "check.expect_almost_eq_const %z, dense<(1.0, 2.5)> : tensor<complex<f32>>",
        "the value and the constant may differ by at most 0.0001, but the value has (1+2j), "
        "the constant (1+2.5j) (0.5 apart)",
    ),
    (
        "check.expect_close %a, %b, max_ulp_difference = 3000000 : tensor<4xf32>",
        "lhs and rhs may be 3,000,000 ULPs apart, but 1 of 4 elements fail: "
        "at [2] lhs has 3.5, rhs 4.5 (3,145,728 ULPs apart)",
    ),
    (
        "check.expect_close %a, %a, max_ulp_difference = 4, min_ulp_difference = 2 : tensor<4xf32>",
        "lhs and rhs may be 2 to 4 ULPs apart, but 4 of 4 elements fail: at [0] lhs has 1.0, rhs 1.0 (0 ULPs apart)",
    ),
    (
        "stablehlo.custom_call @check.expect_close(%b, %a) : (tensor<4xf32>, tensor<4xf32>) -> ()",
        "the value and the expected value may be 3 ULPs apart, but 2 of 4 elements fail: "
        "at [1] the value has 2.5, the expected value 2.0 (2,097,152 ULPs apart); "
        "the farthest at [2] the value has 4.5, the expected value 3.5 (3,145,728 ULPs apart)",
    ),
]


@pytest.mark.parametrize(("line", "message"), FAILING)
def test_a_run_stops_at_a_check_that_fails_and_says_where_it_differs(line: str, message: str) -> None:
    found = ended(line, "check.expect_eq %a, %b : tensor<4xf32>")
    diagnostic = found.state.diagnostic
    assert diagnostic is not None
    assert (diagnostic.kind, diagnostic.message) == ("check", message)
    assert found.step_count == 6  # the five constants, and the check


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("check.expect_eq %a, %i : tensor<4xf32>, tensor<2x2xi64>", "lhs and rhs must have one type"),
        (
            "check.expect_eq_const %a, dense<1.0> : tensor<3xf32>",
            "the operand and the constant must have one type",
        ),
        ("check.expect_almost_eq %a, %a, tolerance = -1.0 : tensor<4xf32>", "tolerance must be at least 0"),
        (
            "check.expect_close %a, %a, max_ulp_difference = 1, min_ulp_difference = 2 : tensor<4xf32>",
            "must have 0 <= min <= max",
        ),
        ('"interpreter.run_parallel"() {programs = [[@a], [@a, @a]]} : () -> ()', "one length, not [1, 2]"),
        ('"interpreter.run_parallel"() {programs = [["a"]]} : () -> ()', "must hold function names"),
        ('"interpreter.run_parallel"() {programs = []} : () -> ()', "must be rows of functions"),
        ('"interpreter.run_parallel"() {programs = [[@nobody]]} : () -> ()', "@nobody"),
        (
            '"interpreter.run_parallel"() {programs = [[@main]], infeed = [1]} : () -> ()',
            "infeed must hold function",
        ),
        ('"interpreter.run_parallel"() {programs = [[@main]], infeed = [@nobody]} : () -> ()', "@nobody"),
    ],
)
def test_checks_that_make_no_sense(line: str, message: str) -> None:
    loaded = load(Source(f"{HEAD}{line}\n  return\n}}\n"))
    assert loaded.program is None
    assert message in loaded.diagnostics[0].text


def test_eq_tells_whether_the_second_is_the_first() -> None:
    found = ended(
        "%1 = stablehlo.custom_call @check.eq(%i, %i) : (tensor<2x2xi64>, tensor<2x2xi64>) -> tensor<i1>",
        "check.expect_eq_const %1, dense<true> : tensor<i1>",
        "%2 = stablehlo.custom_call @check.eq(%a, %b) : (tensor<4xf32>, tensor<4xf32>) -> tensor<i1>",
        "check.expect_eq_const %2, dense<false> : tensor<i1>",
    )
    assert found.state.kind == "done"


def test_probes_are_kept_in_order_and_compared() -> None:
    found = ended(
        '%p = interpreter.probe %a, probe_id = "x" : tensor<4xf32>',
        '%q = interpreter.probe %i, probe_id = "y" : tensor<2x2xi64>',
        '%r = interpreter.probe %b, probe_id = "x" : tensor<4xf32>',
        'check.expect_serialized_eq %i, probe_id = "y" : tensor<2x2xi64>',
        'check.expect_serialized_eq %b, probe_id = "x", iteration = 1 : tensor<4xf32>',
    )
    assert [array.tolist()[:2] for array in found.probes["x"]] == [[1.0, 2.0], [1.0, 2.5]]
    assert found.state.diagnostic
    # NaN differs from NaN.
    assert "1 of 4 elements fail: at [3] the value has nan" in found.state.diagnostic.message
    missing = ended('check.expect_serialized_eq %b, probe_id = "x" : tensor<4xf32>').state.diagnostic
    assert missing
    assert missing.message == 'no iteration 0 of probe "x": passed 0 times so far'


def test_a_probe_in_a_replayed_part_of_a_run_is_kept_once() -> None:
    found = ended('%p = interpreter.probe %a, probe_id = "x" : tensor<4xf32>')
    assert len(found.probes["x"]) == 1


def test_prints_are_told_with_the_step() -> None:
    found = ended("interpreter.print %i : tensor<2x2xi64>", "interpreter.print %t : tensor<i1>")
    assert found.tracks[0].prints == [(5, "tensor<2x2xi64> [[ 1,  2],\n [ 3, -4]]"), (6, "tensor<i1> True")]


DOUBLE = """
func.func @double(%x: tensor<2x2xi64>) -> tensor<2x2xi64> {
  %0 = stablehlo.add %x, %x : tensor<2x2xi64>
  return %0 : tensor<2x2xi64>
}
"""


def test_a_grid_of_any_size_runs() -> None:
    one = (
        '%r = "interpreter.run_parallel"(%i) {programs = [[@double]]} : (tensor<2x2xi64>) -> tensor<2x2xi64>'
    )
    checked = "check.expect_eq_const %r, dense<[[2, 4], [6, -8]]> : tensor<2x2xi64>"
    assert ended(one, checked, functions=DOUBLE).state.kind == "done"
    two = (
        '%r:2 = "interpreter.run_parallel"(%i, %i) {programs = [[@double, @double]]} : '
        "(tensor<2x2xi64>, tensor<2x2xi64>) -> (tensor<2x2xi64>, tensor<2x2xi64>)"
    )
    both = "check.expect_eq_const %r#1, dense<[[2, 4], [6, -8]]> : tensor<2x2xi64>"
    assert ended(two, both, functions=DOUBLE).state.kind == "done"


# How far numbers are apart

FLOATS = sorted(name for name, found in ELEMENT_TYPES.items() if found.is_float and name != "tf32")


@for_each("name", FLOATS)
def test_neighbours_are_one_unit_apart(name: str) -> None:
    dtype = ELEMENT_TYPES[name].dtype
    unsigned = np.dtype(f"u{dtype.itemsize}")
    bits = min(ELEMENT_TYPES[name].bits, 16)
    count = 1 << (bits - 1)
    numbers = np.arange(count).astype(unsigned).view(dtype)
    with np.errstate(invalid="ignore"):
        wide = numbers.astype(np.float64)
    finite = np.isfinite(wide[:-1]) & np.isfinite(wide[1:])
    apart = unit_distance(numbers[:-1], numbers[1:])
    assert apart[finite].tolist() == [1] * int(finite.sum())
    assert not unit_distance(numbers, numbers).any()


def of(value: float, dtype: Any) -> Any:
    return np.array([value]).astype(dtype)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, ml_dtypes.bfloat16, ml_dtypes.float8_e5m2])
def test_units_at_zero_and_beyond_the_finite(dtype: Any) -> None:
    tiny = np.array([1], f"u{np.dtype(dtype).itemsize}").view(dtype)
    assert unit_distance(tiny, -tiny).tolist() == [2]
    assert unit_distance(of(0.0, dtype), of(-0.0, dtype)).tolist() == [0]
    assert unit_distance(of(np.nan, dtype), of(np.nan, dtype)).tolist() == [0]
    assert unit_distance(of(np.nan, dtype), of(1.0, dtype)).tolist() == [FARTHEST]
    assert unit_distance(of(np.inf, dtype), of(np.inf, dtype)).tolist() == [0]
    assert unit_distance(of(np.inf, dtype), of(-np.inf, dtype)).tolist() == [FARTHEST]
    assert unit_distance(of(np.inf, dtype), of(1.0, dtype)).tolist() == [FARTHEST]


def test_complex_numbers_are_as_far_apart_as_their_farther_parts() -> None:
    left = np.array([1 + 1j], np.complex64)
    right = np.array([np.nextafter(np.float32(1), np.float32(2)) + 1.0000004j], np.complex64)
    assert unit_distance(left, right).tolist() == [3]


@given(st.lists(st.floats(width=32), min_size=1, max_size=4), st.integers(0, 3))
def test_a_tensor_is_within_any_limit_of_itself(values: list[float], limit: int) -> None:
    array = np.array(values, np.float32)
    for measure in (within(float(limit)), close(0, limit)):
        require(array, array.copy(), ELEMENT_TYPES["f32"], measure, "must be close")
    if np.isnan(array).any():
        with pytest.raises(CheckFailed, match="nan"):
            require(array, array, ELEMENT_TYPES["f32"], equal, "must be equal")


def test_operands_are_not_changed() -> None:
    array = np.array([1.0, -0.0, np.nan], np.float32)
    before = array.copy()
    with pytest.raises(CheckFailed):
        require(array, array + 1, ELEMENT_TYPES["f32"], close(0, 1), "must be close")
    assert same_bits(array, before)
