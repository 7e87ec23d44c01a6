"""Randomly rounded runs: results move by the rounding of each op, and by no more."""

from __future__ import annotations

import numpy as np

import hloscope
from hloscope.engine.comparison.random_rounding import RandomRounding
from hloscope.engine.debugger.recording import Recording
from hloscope.engine.ops.core.op import Array
from hloscope.engine.process_grid.launch import Launch

POOLED = """
func.func @main(%x: tensor<6x6xf32>, %slopes: tensor<3x3xf32>) -> tensor<8x8xf32> {
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %padded = stablehlo.pad %x, %least, low = [1, 1], high = [1, 1], interior = [0, 0] : (tensor<6x6xf32>, tensor<f32>) -> tensor<8x8xf32>
  %0 = "stablehlo.select_and_scatter"(%padded, %slopes, %zero) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
  }, {
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %1 : tensor<f32>
  }) {window_dimensions = array<i64: 3, 3>, window_strides = array<i64: 2, 2>} : (tensor<8x8xf32>, tensor<3x3xf32>, tensor<f32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
"""
SUMS = """HloModule sums
add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  c = f32[] parameter(2)
  d = f32[] parameter(3)
  ac = f32[] add(a, c)
  bd = f32[] add(b, d)
  ROOT r = (f32[], f32[]) tuple(ac, bd)
}
ENTRY e {
  x = f32[64] parameter(0)
  zero = f32[] constant(0)
  sums = (f32[], f32[]) reduce(x, x, zero, zero), dimensions={0}, to_apply=add
  s = f32[] get-tuple-element(sums), index=0
  t = f32[] get-tuple-element(sums), index=1
  ROOT r = f32[] add(s, t)
}
"""


def moved(text: str, *inputs: Array) -> tuple[Array, Array]:
    """The result of a program, and that of a randomly rounded run."""
    runs = [
        Recording(hloscope.parse(text), Launch.single_process(inputs), rounding=rounding)
        for rounding in (None, RandomRounding(1))
    ]
    found = []
    for run in runs:
        assert run.record().kind == "done"
        results = run.results()
        assert results
        found.append(results[0])
    return found[0], found[1]


def test_padding_of_infinities_stays_where_it_is() -> None:
    """Else the greatest element of a window could be another one: a wrong factor of 1.25 was called rounding."""
    random = np.random.default_rng(0)
    x, slopes = (random.standard_normal(shape).astype(np.float32) for shape in ((6, 6), (3, 3)))
    exact, found = moved(POOLED, x, slopes)
    assert np.abs(found - exact).max() <= 1e-5 * np.abs(exact).max()


def test_results_in_one_tuple_move() -> None:
    x = np.random.default_rng(0).standard_normal(64).astype(np.float32)
    exact, found = moved(SUMS, x)
    assert 0 < abs(found - exact) <= 1e-4
