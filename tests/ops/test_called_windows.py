"""@stablehlo.dynamic_reduce_window: windows that only a run knows, combined by a function of the program."""

from __future__ import annotations

import numpy as np
import pytest

from hloscope.engine.debugger.recording import Recording
from hloscope.engine.ops.core.op import Array
from tests.debugger.programs import recorded

PROGRAM = """
func.func @main(%x: tensor<?xf32>, %window: tensor<1xi32>, %low: tensor<i32>) -> tensor<?xf32> {{
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %one = stablehlo.constant dense<1> : tensor<1xi32>
  %none = stablehlo.constant dense<0> : tensor<i32>
  %a = stablehlo.reshape %low : (tensor<i32>) -> tensor<1x1xi32>
  %b = stablehlo.reshape %none : (tensor<i32>) -> tensor<1x1xi32>
  %padding = stablehlo.concatenate %a, %b, dim = 1 : (tensor<1x1xi32>, tensor<1x1xi32>) -> tensor<1x2xi32>
  %r = stablehlo.custom_call @stablehlo.dynamic_reduce_window(%x, %zero, %window, %one, %one, %one, %padding)
    {{called_computations = [@combine]}} : (tensor<?xf32>, tensor<f32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>,
    tensor<1xi32>, tensor<1x2xi32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}}
func.func private @combine(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {{
  {body}
  return %c : tensor<f32>
}}
"""
ADD = "%c = stablehlo.add %a, %b : tensor<f32>"
# The same in two steps, and by a call, which is run for one lane after the other.
TWO_STEPS = "%m = stablehlo.negate %b : tensor<f32>\n  %c = stablehlo.subtract %a, %m : tensor<f32>"
BY_A_BRANCH = """%t = stablehlo.constant dense<true> : tensor<i1>
  %c = "stablehlo.if"(%t) ({
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }, {
    stablehlo.return %b : tensor<f32>
  }) : (tensor<i1>) -> tensor<f32>"""
X = np.array([1, 2, 3, 4, 5], np.float32)


def ended(body: str, window: int, low: int) -> Recording:
    inputs: list[Array] = [X, np.array([window], np.int32), np.array(low, np.int32)]
    return recorded(PROGRAM.format(body=body), inputs, ends=None)


@pytest.mark.parametrize("body", [ADD, TWO_STEPS, BY_A_BRANCH])
@pytest.mark.parametrize(("window", "low", "wanted"), [(2, 0, [3, 5, 7, 9]), (5, 4, [1, 3, 6, 10, 15])])
def test_windows_are_those_of_the_run(body: str, window: int, low: int, wanted: list[int]) -> None:
    results = ended(body, window, low).results()
    assert results is not None
    assert results[0].tolist() == wanted


def test_windows_that_break_a_rule_stop_the_run() -> None:
    state = ended(ADD, 0, 0).state
    assert state.diagnostic
    assert state.diagnostic.op == "stablehlo.custom_call"
    assert "reduce_window" in state.diagnostic.message
