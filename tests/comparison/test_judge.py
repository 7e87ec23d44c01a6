"""The verdict on pairs of values: bits, bounds, the noise of randomly rounded runs, and witnesses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import hloscope
from hloscope.engine.comparison.judge import Judge, judge_by_noise
from hloscope.engine.comparison.random_rounding import RUNS, Noise
from hloscope.engine.debugger.recording import Recording
from tests.debugger import programs
from tests.programs import load_program

Array = Any

SUM = """
func.func @main(%x: tensor<1000xf32>) -> tensor<f32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %sum = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<1000xf32>, tensor<f32>) -> tensor<f32>
  return %sum : tensor<f32>
}
"""
ROWS = """
func.func @main(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xi1>) {
  %e = stablehlo.exponential %x : tensor<8xf32>
  %y = stablehlo.log %e : tensor<8xf32>
  %b = stablehlo.compare LT, %x, %y : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xi1>
  return %e, %b : tensor<8xf32>, tensor<8xi1>
}
"""
PACKED = """
HloModule packed
ENTRY main {
  a = f32[3,3] parameter(0)
  qr = (f32[3,3], f32[3]) custom-call(a), custom_call_target="lapack_sgeqrf_ffi", api_version=API_VERSION_TYPED_FFI
  ROOT r = f32[3,3] get-tuple-element(qr), index=0
}
"""
CHAOS = """
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %count = stablehlo.constant dense<80> : tensor<i32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %r = stablehlo.constant dense<RATE> : tensor<4xf32>
  %ones = stablehlo.constant dense<1.0> : tensor<4xf32>
  %out:2 = stablehlo.while(%v = %x, %i = %zero) : tensor<4xf32>, tensor<i32>
    cond {
      %go = stablehlo.compare LT, %i, %count : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %go : tensor<i1>
    } do {
      %m = stablehlo.subtract %ones, %v : tensor<4xf32>
      %p = stablehlo.multiply %v, %m : tensor<4xf32>
      %n = stablehlo.multiply %r, %p : tensor<4xf32>
      %k = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %n, %k : tensor<4xf32>, tensor<i32>
    }
  return %out#0 : tensor<4xf32>
}
"""


BESIDE_RANDOM = """
func.func @main(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %a = stablehlo.constant dense<0.0> : tensor<f32>
  %b = stablehlo.constant dense<1.0> : tensor<f32>
  %shape = stablehlo.constant dense<8> : tensor<1xi64>
  %drawn = stablehlo.rng %a, %b, %shape, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<8xf32>
  %bits = stablehlo.bitcast_convert %drawn : (tensor<8xf32>) -> tensor<8xi32>
  %mixed = stablehlo.xor %bits, %bits : tensor<8xi32>
  %behind = stablehlo.convert %mixed : (tensor<8xi32>) -> tensor<8xf32>
  %e = stablehlo.exponential %x : tensor<8xf32>
  %first = stablehlo.slice %bits [0:1] : (tensor<8xi32>) -> tensor<1xi32>
  %index = stablehlo.reshape %first : (tensor<1xi32>) -> tensor<i32>
  %chosen = "stablehlo.case"(%index) ({
    stablehlo.return %e : tensor<8xf32>
  }, {
    stablehlo.return %x : tensor<8xf32>
  }) : (tensor<i32>) -> tensor<8xf32>
  %moved = stablehlo.exponential %behind : tensor<8xf32>
  %beside = stablehlo.multiply %e, %e : tensor<8xf32>
  return %beside, %moved, %chosen : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}
"""
EIGHT_BITS = """
func.func @main(%x: tensor<4x8xf32>, %w: tensor<8x6xf32>) -> tensor<4x6xf32> {
  %a = stablehlo.convert %x : (tensor<4x8xf32>) -> tensor<4x8xf8E5M2>
  %b = stablehlo.convert %a : (tensor<4x8xf8E5M2>) -> tensor<4x8xf32>
  %dot = stablehlo.dot_general %b, %w, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  return %dot : tensor<4x6xf32>
}
"""


def recorded(text: str, *inputs: Array) -> Recording:
    return programs.recorded(text, inputs)


def normal(*shape: int) -> Array:
    return np.random.default_rng(0).normal(size=shape).astype(np.float32)


def judged(text: str, scale: float, *inputs: Array, number: int = 0) -> hloscope.Difference:
    """The verdict on a result that another engine makes larger by a factor."""
    run = recorded(text, *inputs)
    ours = (run.results() or ())[number]
    return Judge(run).result_difference(
        0, number, ours, (ours * np.float32(1 + scale)).astype(ours.dtype), None
    )


def test_randomly_rounded_runs_repeat_and_differ_from_each_other() -> None:
    run = recorded(SUM, normal(1000))
    first, again = Noise(run), Noise(run)
    values = [float(value) for value in first.result(0, 0)]
    assert values == [float(value) for value in again.result(0, 0)]
    assert len(set(values)) == RUNS
    (ours,) = run.results() or ()
    assert all(abs(value - float(ours)) < 1e-4 * abs(float(ours)) for value in values)


def test_a_dropped_value_of_a_randomly_rounded_run_is_recomputed_alike() -> None:
    text = CHAOS.replace("RATE", "3.9")
    kept = recorded(text, np.full(4, 0.3, np.float32))
    program, small = kept.program, hloscope.Limits(recording_bytes=2048)
    dropping = Recording(program, (np.full(4, 0.3, np.float32),), small)
    dropping.record()
    one, other = Noise(kept).runs[0], Noise(dropping).runs[0]
    assert other.has_dropped
    addresses = [hloscope.Address(0, "s", step, 0) for step in range(5, one.step_count - 1, 3)]
    same = [np.array_equal(one.value(found), other.value(found)) for found in addresses if _has(one, found)]
    assert len(same) > 10
    assert all(same)


def _has(run: Recording, address: hloscope.Address) -> bool:
    try:
        run.value_number(address)
    except KeyError:
        return False
    return True


@pytest.mark.parametrize(("scale", "verdict"), [(1e-6, "same"), (1e-3, "different"), (1.0, "different")])
def test_a_sum_is_held_against_the_noise_of_its_order(scale: float, verdict: str) -> None:
    found = judged(SUM, scale, normal(1000))
    assert (found.verdict, found.decided_by) == (verdict, "noise")


def test_what_a_comparison_within_rounding_decides_may_be_either() -> None:
    run = recorded(ROWS, normal(8))
    ours = (run.results() or ())[1]
    found = Judge(run).result_difference(0, 1, ours, ~ours, None)
    assert found.verdict == "same"


def test_what_no_comparison_within_rounding_decides_may_not() -> None:
    exact = recorded(ROWS.replace("LT, %x, %y", "LT, %x, %e"), normal(8))
    ours = (exact.results() or ())[1]
    assert Judge(exact).result_difference(0, 1, ours, ~ours, None).verdict == "different"


def test_a_chaotic_result_is_unknown() -> None:
    found = judged(CHAOS.replace("RATE", "3.9"), 0.01, np.full(4, 0.3, np.float32))
    assert (found.verdict, found.decided_by) == ("unknown", "noise")


def test_a_loop_that_forgets_its_errors_is_not() -> None:
    found = judged(CHAOS.replace("RATE", "2.5"), 1e-4, np.full(4, 0.3, np.float32))
    assert found.verdict == "different"


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_what_became_nan_or_infinite_is_never_rounding(value: float) -> None:
    run = recorded(SUM, normal(1000))
    (ours,) = run.results() or ()
    found = Judge(run).result_difference(0, 0, ours, np.asarray(value, np.float32), [np.asarray(np.inf)])
    assert found.verdict == "different"


def test_a_bound_of_infinity_does_not_decide() -> None:
    run = recorded(SUM, normal(1000))
    (ours,) = run.results() or ()
    found = Judge(run).result_difference(0, 0, ours, np.asarray(2 * ours), [np.asarray(np.inf)])
    assert (found.verdict, found.decided_by) == ("different", "noise")


def test_without_randomly_rounded_runs_the_answer_is_unknown() -> None:
    one = np.ones(3, np.float32)
    assert judge_by_noise(one, 2 * one, [(one, [])]).verdict == "unknown"


@pytest.mark.parametrize(
    ("turned", "step", "reach", "verdict"),
    [
        (1, 1.0, 0.01, "same"),
        (1, 1.0, 1e-8, "different"),  # this sign is certain
        (1, 5.0, 1.0, "different"),  # nothing moves as far by rounding
        (20, 1.0, 0.01, "different"),  # in a random run two signs turn
    ],
)
def test_a_sign_may_turn_where_as_many_others_turn_in_random_runs(
    turned: int, step: float, reach: float, verdict: str
) -> None:
    """The step of Adam is as long for a gradient near 0, whose sign is open, as for any other one."""
    ours = (0.2 + 0.1 * np.random.default_rng(0).random(400)).astype(np.float32)
    runs = [ours.copy() for _ in range(4)]
    for number, run in enumerate(runs):
        run[2 * number : 2 * number + 2] += np.float32(0.002)
    theirs, bound = ours.copy(), np.full(400, 1e-8)
    theirs[100 : 100 + turned] += np.float32(0.002 * step)
    bound[100 : 100 + turned] = reach
    assert judge_by_noise(ours, theirs, [(ours, runs)], 2.0**-8, bound).verdict == verdict


def test_two_forms_of_one_function_and_two_functions() -> None:
    text = """
func.func @main(%x: tensor<64xf32>) -> tensor<64xf32> {{
  %a = stablehlo.constant dense<{0}> : tensor<64xf32>
  %b = stablehlo.{1} %x, %a : tensor<64xf32>
  return %b : tensor<64xf32>
}}
"""
    x = normal(64)
    thirds = hloscope.compare(text.format(3.0, "divide"), text.format(0.3333333432674408, "multiply"), [x])
    assert thirds.verdict == "same"
    close = hloscope.compare(text.format(3.0, "divide"), text.format(3.00001, "divide"), [x])
    assert close.verdict == "different"


def test_inner_values_may_differ_where_the_results_are_unknown() -> None:
    text = CHAOS.replace("RATE", "3.9").replace("f32", "f64").replace("dense<80>", "dense<120>")
    form = text.replace("multiply %v, %m", "multiply %r, %v").replace("multiply %r, %p", "multiply %p, %m")
    found = hloscope.compare(text, form, [np.full(4, 0.3)])
    assert found.verdict == "unknown"
    assert str(found).endswith(
        "Whether the results agree is unknown: rounding alone may change them as much."
    )


@pytest.mark.parametrize("is_first", [True, False])
def test_behind_random_numbers_of_either_program_the_answer_is_unknown(is_first: bool) -> None:
    text = """
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {{
  %a = stablehlo.constant dense<0.0> : tensor<f32>
  %b = stablehlo.constant dense<1.0> : tensor<f32>
  %shape = stablehlo.constant dense<8> : tensor<1xi64>
  %drawn = {} -> tensor<8xf32>
  %sum = stablehlo.add %drawn, %x : tensor<8xf32>
  return %sum : tensor<8xf32>
}}
"""
    drawn = text.format(
        "stablehlo.rng %a, %b, %shape, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1xi64>)"
    )
    spread = text.format("stablehlo.broadcast_in_dim %b, dims = [] : (tensor<f32>)")
    before, after = (drawn, spread) if is_first else (spread, drawn)
    assert hloscope.compare(before, after, [normal(8)]).verdict == "unknown"


@pytest.mark.parametrize(("number", "verdict"), [(0, "different"), (1, "unknown"), (2, "unknown")])
def test_only_what_depends_on_random_numbers_is_unknown(number: int, verdict: str) -> None:
    """Through their bits and by the branch that they choose, too."""
    assert judged(BESIDE_RANDOM, 1.0, normal(8), number=number).verdict == verdict


@pytest.mark.parametrize(("first", "second"), [("tf32", "tf32"), ("tf32", "f32"), ("f32", "tf32")])
def test_verdicts_on_tf32_count_its_units(first: str, second: str) -> None:
    """Not those of f32, of which it has 8,192; and its roundings are no amplification of those of f32."""
    text = """
func.func @main(%x: tensor<64xTYPE>, %y: tensor<64xTYPE>) -> tensor<64xTYPE> {
  %0 = stablehlo.multiply %x, ONE : tensor<64xTYPE>
  %1 = stablehlo.multiply %0, OTHER : tensor<64xTYPE>
  return %1 : tensor<64xTYPE>
}
"""
    inputs = list(normal(2, 64).astype(np.float16).astype(np.float32))
    before = text.replace("TYPE", first).replace("ONE", "%x").replace("OTHER", "%y")
    after = text.replace("TYPE", second).replace("ONE", "%y").replace("OTHER", "%x")
    found = hloscope.compare(before, after, inputs)
    (result,) = found.results
    assert (found.verdict, result.decided_by) == ("same", "bound")
    assert 0 < (result.ulps or 0) <= 4
    assert "amplified" not in str(found)


@pytest.mark.parametrize(("feature", "verdict"), [(0, "different"), (1, "different"), (2, "unknown")])
def test_elements_with_a_bound_are_judged_beside_others_without(feature: int, verdict: str) -> None:
    """Rounding may take the variance of the last feature, far from 0 as its elements are, to 0."""
    text = """
func.func @main(%x: tensor<64x3xf32>, %v: tensor<3xf32>) -> tensor<64x3xf32> {
  %r:3 = "stablehlo.batch_norm_training"(%x, %v, %v) <{epsilon = 1.0e-5 : f32, feature_index = 1 : i64}> : (tensor<64x3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<64x3xf32>, tensor<3xf32>, tensor<3xf32>)
  return %r#0 : tensor<64x3xf32>
}
"""
    inputs = [normal(64, 3) * np.array([1, 0.1, 0.01], np.float32) + 10, np.ones(3, np.float32)]
    (right,) = hloscope.run(text, inputs)
    assert hloscope.compare(text, {"out_0": right * np.float32(1 + 1e-7)}, inputs).verdict != "different"
    wrong = right.copy()
    wrong[5, feature] *= 1.5
    found = hloscope.compare(text, {"out_0": wrong}, inputs)
    assert found.verdict == verdict
    assert found.results[0].index == (5, feature)


@pytest.mark.parametrize(("scale", "verdict"), [(1.0, "same"), (1.5, "different")])
def test_excess_precision_is_rounding(scale: float, verdict: str) -> None:
    """XLA keeps f32 where f8 is converted back; rounding moves few elements of f8, by a whole step."""
    text = """
func.func @main(%x: tensor<1000xf32>) -> tensor<1000xf32> {
  %0 = stablehlo.convert %x : (tensor<1000xf32>) -> tensor<1000xf8E5M2>
  %1 = stablehlo.convert %0 : (tensor<1000xf8E5M2>) -> tensor<1000xf32>
  return %1 : tensor<1000xf32>
}
"""
    x = np.abs(normal(1000)) + np.float32(0.1)
    assert hloscope.compare(text, {"out_0": x * np.float32(scale)}, [x]).verdict == verdict


@pytest.mark.parametrize(("scale", "is_different"), [(0.25, False), (1.0, True)])
def test_most_of_some_elements_convict_where_rounding_changes_leading_digits(
    scale: float, is_different: bool
) -> None:
    found = judged(EIGHT_BITS, scale, normal(4, 8), normal(8, 6))
    assert (found.verdict == "different") == is_different, found


def test_two_rates_are_told_apart_before_chaos_hides_them() -> None:
    x = np.full(4, 0.3, np.float32)
    text = CHAOS.replace("dense<80>", "dense<8>")
    same = hloscope.compare(text.replace("RATE", "3.9"), text.replace("RATE", "3.9"), [x])
    assert same.verdict == "same"
    other = hloscope.compare(text.replace("RATE", "3.9"), text.replace("RATE", "3.8"), [x])
    assert other.verdict == "different"


def test_factors_that_are_packed_in_a_tuple_are_moved() -> None:
    program = load_program(PACKED)
    matrix = np.array([[2, 1, 0], [1, 3, 1], [0, 1, 4]], np.float32)
    recording = Recording(program, [matrix])
    recording.record()
    (wanted,) = recording.results() or ()
    noise = Noise(recording)
    found = noise.result(0, 0)
    assert len(found) == RUNS
    for run in found:
        assert 0 < np.abs(run - wanted).max() < 1e-5
    assert not noise.unknown
