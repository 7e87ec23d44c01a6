"""Replicated values are computed and stored once."""

import numpy as np

from hloscope.engine.debugger.address import result
from hloscope.engine.debugger.recording import Recording
from hloscope.engine.ops.core.process_groups import Grid
from hloscope.engine.process_grid import Launch
from tests.debugger import programs

WHOLE = """
func.func @main(%x: tensor<256x256xf32>) -> (tensor<256x256xf32>, tensor<f32>) {
  %y = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0]
    : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %z = stablehlo.tanh %y : tensor<256x256xf32>
  %id = stablehlo.partition_id : tensor<ui32>
  %number = stablehlo.convert %id : (tensor<ui32>) -> tensor<f32>
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %own = stablehlo.add %number, %one : tensor<f32>
  return %z, %own : tensor<256x256xf32>, tensor<f32>
}
"""
X = np.random.default_rng(1).normal(size=(256, 256)).astype(np.float32)


def recorded(launch: Launch) -> Recording:
    return programs.recorded(WHOLE, launch)


def test_the_same_arrays_are_computed_from_once() -> None:
    alike, alone = recorded(Launch.same_inputs(Grid(1, 8), (X,))), recorded(Launch.single_process([X]))
    first = alike.value(result(1, 0, 0))
    assert all(alike.value(result(1, 0, number)) is first for number in range(8))
    assert alike.kept_bytes < 1.1 * alone.kept_bytes
    np.testing.assert_array_equal(first, alone.value(result(1)))
    assert [float(alike.value(result(5, 0, number))) for number in range(8)] == [*range(1, 9)]


def test_equal_arrays_are_not_taken_for_the_same() -> None:
    apart = recorded(Launch(Grid(1, 2), ((X,), (X.copy(),))))
    assert apart.value(result(1, 0, 0)) is not apart.value(result(1, 0, 1))
    np.testing.assert_array_equal(apart.value(result(1, 0, 0)), apart.value(result(1, 0, 1)))
