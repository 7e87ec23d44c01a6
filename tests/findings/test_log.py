"""The log of a recording: one tally for each op and kind, and no step is counted twice."""

from dataclasses import replace

import numpy as np

from hloscope.app.base.blas import share_products
from hloscope.engine.debugger.address import result
from hloscope.engine.limits import DEFAULT_LIMITS

from .finding import found, recorded

BORN = """
func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.exponential %x : tensor<3xf32>
  %1 = stablehlo.subtract %0, %0 : tensor<3xf32>
  %2 = stablehlo.log %x : tensor<3xf32>
  %3 = stablehlo.add %1, %2 : tensor<3xf32>
  return %3 : tensor<3xf32>
}"""
X = np.array([100, -1, 0], np.float32)
LOOP = """
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %i = stablehlo.constant dense<0> : tensor<i32>
  %n = stablehlo.constant dense<40> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %big = stablehlo.constant dense<1.0e38> : tensor<2xf32>
  %0:2 = stablehlo.while(%j = %i, %y = %x) : tensor<i32>, tensor<2xf32> cond {
    %c = stablehlo.compare LT, %j, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %k = stablehlo.add %j, %one : tensor<i32>
    %z = stablehlo.multiply %x, %big : tensor<2xf32>
    stablehlo.return %k, %z : tensor<i32>, tensor<2xf32>
  }
  return %0#1 : tensor<2xf32>
}"""
SCALARS = LOOP.replace("2xf32", "f32")


def test_ops_in_which_something_is_born_are_found_and_those_that_hand_it_on_are_not() -> None:
    findings = found(BORN, X)
    assert [(finding.op, finding.kind, finding.first.fault.index) for finding in findings] == [
        (0, "inf", (0,)),
        (1, "nan", (0,)),
        (2, "nan", (1,)),
        (2, "inf", (2,)),
    ]
    assert [finding.first.fault.from_inf for finding in findings] == [False, True, False, False]


def test_a_run_on_finite_numbers_has_no_findings() -> None:
    assert not found(BORN, np.ones(3, np.float32))


def test_an_op_in_a_loop_is_one_finding_with_the_steps_in_which_it_happened() -> None:
    for text, x in ((LOOP, np.array([1, 10], np.float32)), (SCALARS, np.float32(10))):
        (finding,) = found(text, x)
        assert finding.count == 40
        assert [occurrence.iteration for occurrence in finding.occurrences] == list(range(40))
        steps = [occurrence.step for occurrence in finding.occurrences]
        assert np.all(np.diff(steps) == steps[1] - steps[0])
        assert finding.first.fault.elements == 1


def test_the_steps_of_a_loop_that_ran_at_once_are_those_of_the_op() -> None:
    recording = recorded(SCALARS, np.float32(10))
    (known,) = recording.log.tallies.values()
    for occurrence in known.occurrences:
        assert recording.tracks[0].op_of(occurrence.step) == known.op
        assert np.isinf(recording.value(result(occurrence.step)))


def test_a_value_that_is_computed_again_is_not_found_again() -> None:
    recording = recorded(
        LOOP, np.array([1, 10], np.float32), limits=replace(DEFAULT_LIMITS, recording_bytes=64)
    )
    before = recording.log.count
    for step in range(0, recording.step_count, 9):
        if recording.program.ops[recording.tracks[0].op_of(step)].results:
            recording.value(result(step))
    assert recording.log.count == before
    assert before == 40


def test_a_product_on_several_threads_is_looked_at() -> None:
    """Flags of other threads are invisible; this product is large enough for two threads."""
    size = 512
    text = f"""func.func @main(%x: tensor<{size}x{size}xf32>) -> tensor<{size}x{size}xf32> {{
      %0 = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0] :
        (tensor<{size}x{size}xf32>, tensor<{size}x{size}xf32>) -> tensor<{size}x{size}xf32>
      return %0 : tensor<{size}x{size}xf32> }}"""
    x = np.ones((size, size), np.float32)
    x[-1, -1] = 3e38
    share_products(2)
    try:
        (finding,) = found(text, x)
    finally:
        share_products(1)
    assert (finding.kind, finding.first.fault.elements) == ("inf", 1)
