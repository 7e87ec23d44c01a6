"""Small programs for the tests of running and recording, and a way to load them."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from hloscope.engine.debugger.address import Address
from hloscope.engine.debugger.provenance import RecordedRun
from hloscope.engine.debugger.recording import Recording
from hloscope.engine.limits import DEFAULT_LIMITS, Limits
from hloscope.engine.process_grid import Launch
from hloscope.engine.program import BoundProgram
from tests.programs import load_program

CALLS = """
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.negate %x : tensor<4xf32>
  %1 = call @twice(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.add %1, %x : tensor<4xf32>
  return %2 : tensor<4xf32>
}
func.func private @twice(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.add %a, %a : tensor<4xf32>
  return %0 : tensor<4xf32>
}
"""

COUNTDOWN = """
func.func @main(%n: tensor<i32>, %step: tensor<i32>) -> (tensor<i32>, tensor<i32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %0:2 = stablehlo.while(%i = %n, %sum = %zero) : tensor<i32>, tensor<i32>
    cond {
      %1 = stablehlo.compare GT, %i, %zero, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %1 = stablehlo.add %sum, %step : tensor<i32>
      %2 = stablehlo.subtract %i, %one : tensor<i32>
      stablehlo.return %2, %1 : tensor<i32>, tensor<i32>
    }
  return %0#0, %0#1 : tensor<i32>, tensor<i32>
}
"""

ENDLESS_ROWS = """func.func @main() -> tensor<2xf32> {
  %0 = stablehlo.constant dense<1.0> : tensor<2xf32>
  %1 = stablehlo.while(%x = %0) : tensor<2xf32>
    cond {
      %2 = stablehlo.constant dense<true> : tensor<i1>
      stablehlo.return %2 : tensor<i1>
    } do {
      %2 = stablehlo.add %x, %x : tensor<2xf32>
      stablehlo.return %2 : tensor<2xf32>
    }
  return %1 : tensor<2xf32>
}
"""
ENDLESS = """
func.func @main() -> tensor<i32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %true = stablehlo.constant dense<true> : tensor<i1>
  %0 = stablehlo.while(%i = %zero) : tensor<i32>
    cond {
      stablehlo.return %true : tensor<i1>
    } do {
      %1 = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %1 : tensor<i32>
    }
  return %0 : tensor<i32>
}
"""

RECURSIVE = """
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %0 = call @main(%x) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
"""

LIFTED = """
func.func @main(%x: tensor<3x5xf32>, %scale: tensor<f32>) -> tensor<3xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %zero) across dimensions = [1] : (tensor<3x5xf32>, tensor<f32>) -> tensor<3xf32>
    reducer(%a: tensor<f32>, %b: tensor<f32>) {
      %1 = stablehlo.multiply %a, %scale : tensor<f32>
      %2 = stablehlo.multiply %b, %scale : tensor<f32>
      %3 = stablehlo.maximum %1, %2 : tensor<f32>
      stablehlo.return %3 : tensor<f32>
    }
  return %0 : tensor<3xf32>
}
"""

NOT_LIFTABLE = """
func.func @main(%x: tensor<3x4xf32>) -> tensor<3xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %zero) across dimensions = [1] : (tensor<3x4xf32>, tensor<f32>) -> tensor<3xf32>
    reducer(%a: tensor<f32>, %b: tensor<f32>) {
      %1 = func.call @plus(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }
  return %0 : tensor<3xf32>
}
func.func private @plus(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.add %a, %b : tensor<f32>
  return %0 : tensor<f32>
}
"""

BRANCHES = """
func.func @main(%p: tensor<i1>, %i: tensor<i32>, %x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %0 = "stablehlo.if"(%p) ({
    %2 = stablehlo.negate %x : tensor<2xf32>
    stablehlo.return %2 : tensor<2xf32>
  }, {
    stablehlo.return %x : tensor<2xf32>
  }) : (tensor<i1>) -> tensor<2xf32>
  %1 = "stablehlo.case"(%i) ({
    stablehlo.return %x : tensor<2xf32>
  }, {
    %2 = stablehlo.add %x, %x : tensor<2xf32>
    stablehlo.return %2 : tensor<2xf32>
  }) : (tensor<i32>) -> tensor<2xf32>
  return %0, %1 : tensor<2xf32>, tensor<2xf32>
}
"""


def recorded(
    program: BoundProgram | str,
    inputs: Sequence[Any] | Launch = (),
    limits: Limits = DEFAULT_LIMITS,
    *,
    ends: str | None = "done",
    **how: Any,
) -> Recording:
    """A whole run of a program or a text, which `ends` in a way; `how`: the other arguments of `Recording`."""
    bound = load_program(program) if isinstance(program, str) else program
    given = inputs if isinstance(inputs, Launch) else [np.asarray(array) for array in inputs]
    recording = Recording(bound, given, limits, **how)
    assert recording.record().kind == ends or ends is None, recording.state.reason
    return recording


def returned_by(run: RecordedRun) -> Sequence[Address]:
    """The values that the first process of a run has returned."""
    end = run.steps(0).end_of(0)
    assert end is not None
    return run.operands(0, end)
