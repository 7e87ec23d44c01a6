"""A program that states its inputs in its first lines gets them, however it comes in."""

from typing import Any

from hloscope.app.runs.opening import Opening, OpenParameters, open_run
from hloscope.engine.limits import DEFAULT_LIMITS
from hloscope.engine.source import Source

TEXT = """// title: Two
// description: what is stated
// inputs: dense<[5.0, 6.0]>; ones
func.func @main(%x: tensor<2xf32>, %y: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.add %x, %y : tensor<2xf32>
  return %0 : tensor<2xf32>
}
"""


def test_stated_inputs_stand_behind_given_ones() -> None:
    given: list[Any] = [None, {"kind": "zeros", "seed": 0}]
    for inputs, expected in (([], [6, 7]), (given, [5, 6])):
        opened = open_run(Source(TEXT), OpenParameters(None, inputs, ()), DEFAULT_LIMITS, "build", 1)
        assert isinstance(opened, Opening)
        opened.run.recording.record()
        results = opened.run.recording.results()
        assert results is not None
        assert results[0].tolist() == expected
