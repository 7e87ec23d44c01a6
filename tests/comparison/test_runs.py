"""Two runs side by side: inputs, grids, programs, values in files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import hloscope
from hloscope.engine.comparison.named_values import values_by_name

F32: Any = np.float32
PROGRAM = """
func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.multiply %x, %y : tensor<4xf32>
  %1 = stablehlo.exponential %0 : tensor<4xf32>
  %2 = stablehlo.subtract %1, %x : tensor<4xf32>
  return %2 : tensor<4xf32>
}
"""
INPUTS: list[Any] = [np.array([1, 2, 3, 4], F32) / 3, np.array([0.1, 0.2, 0.3, 0.4], F32)]


def test_two_inputs() -> None:
    other = [INPUTS[0], INPUTS[1] + F32([0, 0, 1, 0])]
    found = hloscope.compare(PROGRAM, None, INPUTS, other)
    assert found.first is not None
    assert (found.first.name, found.first.origin, found.first.difference.index) == ("%y", "given", (2,))
    assert [value.origin for value in found.values if not value.difference.is_fine] == ["given"] + [
        "carried"
    ] * 3
    assert str(found).startswith("First divergence: input %y, element [2]: 0.3")


def test_a_tolerance_takes_the_place_of_bounds() -> None:
    other = [INPUTS[0] * F32(1.0001), INPUTS[1]]
    assert not hloscope.compare(PROGRAM, None, INPUTS, other).agrees
    assert hloscope.compare(PROGRAM, None, INPUTS, other, tolerance=1e-2).agrees
    assert not hloscope.compare(PROGRAM, None, INPUTS, other, tolerance=1e-6).agrees
    assert hloscope.compare(PROGRAM, None, INPUTS, other, tolerance=hloscope.Tolerance(1e-3, 0)).agrees


def test_the_same_program_in_another_type() -> None:
    found = hloscope.compare(PROGRAM, PROGRAM.replace("f32", "bf16"), INPUTS)
    assert found.agrees, str(found)
    assert found.worst.kind == "rounding"
    assert not hloscope.compare(
        PROGRAM, PROGRAM.replace("f32", "bf16").replace("subtract", "add"), INPUTS
    ).agrees


def test_a_program_of_another_signature() -> None:
    other = "func.func @main(%x: tensor<4xf32>) -> tensor<2xf32> {\n  %0 = stablehlo.slice %x [0:2] : (tensor<4xf32>) -> tensor<2xf32>\n  return %0 : tensor<2xf32>\n}"
    found = hloscope.compare(PROGRAM, other, INPUTS, INPUTS[:1])
    assert [result.kind for result in found.results] == ["shape"]
    assert "The results differ: [4] float32 became [2] float32" in str(found)


def test_a_run_in_a_file(tmp_path: Path) -> None:
    run = hloscope.record(PROGRAM, INPUTS)
    hloscope.save_run(tmp_path / "run.npz", run)
    found = hloscope.compare(PROGRAM, tmp_path / "run.npz", INPUTS)
    assert found.worst.kind == "same_bits"
    assert [value.name for value in found.values] == ["in_0", "in_1", "%0", "%1", "%2"]
    assert len(found.results) == 1


def test_values_of_another_engine_by_name() -> None:
    values = {
        "1": np.exp(INPUTS[0] * INPUTS[1]),
        "out_0": np.exp(INPUTS[0] * INPUTS[1]) - INPUTS[0],
        "z": F32(1),
    }
    found = hloscope.compare(PROGRAM, values, INPUTS)
    assert found.agrees
    assert found.only_after == ("z",)
    values["1"] = values["1"] + F32([0, 1, 0, 0])
    first = hloscope.compare(PROGRAM, values, INPUTS).first
    assert first is not None
    assert (first.name, first.origin, first.difference.index) == ("%1", "open", (1,))


def test_small_floats_are_kept_as_bits(tmp_path: Path) -> None:
    text = PROGRAM.replace("f32", "bf16")
    inputs = [value.astype(ml_dtypes.bfloat16) for value in INPUTS]
    hloscope.save_run(tmp_path / "run.npz", hloscope.record(text, inputs))
    with np.load(tmp_path / "run.npz") as saved:
        assert saved["%2"].dtype == np.uint16
    assert hloscope.compare(text, tmp_path / "run.npz", inputs).worst.kind == "same_bits"


LOOP = """
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %r:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i32>, tensor<f32>
    cond {
      %n = stablehlo.constant dense<4> : tensor<i32>
      %go = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %go : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %j = stablehlo.add %i, %one : tensor<i32>
      %w = stablehlo.cosine %v : tensor<f32>
      stablehlo.return %j, %w : tensor<i32>, tensor<f32>
    }
  return %r#1 : tensor<f32>
}
"""


def test_a_run_in_f64_says_which_result_is_right() -> None:
    found = hloscope.compare(PROGRAM, PROGRAM.replace("stablehlo.subtract", "stablehlo.add"), INPUTS)
    assert found.against_exact is not None
    assert found.against_exact > 1000
    assert "The first run is closer to the result in f64" in str(found)


def test_iterations_are_compared_one_by_one() -> None:
    run = hloscope.record(LOOP, [F32(1)])
    values = values_by_name(run)
    assert {"%w[0]", "%w[3]", "%r#1", "%j[2]"} <= values.keys()
    values["%w[2]"] = values["%w[2]"] + F32(0.5)
    first = hloscope.compare(run, values).first
    assert first is not None
    assert first.name == "%w[2]"


GRID = """
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %e = stablehlo.exponential %x : tensor<2xf32>
  %s = "stablehlo.all_reduce"(%e) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %c = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %c : tensor<f32>
  }) : (tensor<2xf32>) -> tensor<2xf32>
  return %s : tensor<2xf32>
}
"""


def test_processes_are_compared_one_by_one() -> None:
    inputs: list[Any] = [hloscope.Each([np.ones(2, F32), np.full(2, 2, F32)])]
    other = [hloscope.Each([np.ones(2, F32), np.full(2, 2.5, F32)])]
    found = hloscope.compare(GRID, None, inputs, other, replicas=2)
    assert found.first is not None
    assert (found.first.before.process, found.first.name) == (1, "%x")
    assert "in process (1, 0)" in str(found)
    values = values_by_name(hloscope.record(GRID, inputs, replicas=2))
    assert {"in_0@1,0", "%s@0,0", "out_0@1,0"} <= values.keys()


def test_two_grids_have_their_results_in_common() -> None:
    text = "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n  %e = stablehlo.exponential %x : tensor<2xf32>\n  return %e : tensor<2xf32>\n}"
    found = hloscope.compare(text, None, [np.ones(2, F32)], replicas=1, other={"replicas": 2})
    assert [result.kind for result in found.results] == ["same_bits"]


def test_a_run_that_does_not_end_is_an_error() -> None:
    text = "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n  %e = stablehlo.custom_call @f(%x) : (tensor<2xf32>) -> tensor<2xf32>\n  return %e : tensor<2xf32>\n}"
    with pytest.raises(hloscope.ProgramError, match="custom_call"):
        hloscope.compare(text, None, [np.ones(2, F32)])


def test_cancellation_is_said_to_amplify() -> None:
    text = """
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %c = stablehlo.constant dense<1.0e4> : tensor<2xf32>
  %a = stablehlo.exponential %x : tensor<2xf32>
  %b = stablehlo.add %a, %c : tensor<2xf32>
  %d = stablehlo.subtract %b, %c : tensor<2xf32>
  return %d : tensor<2xf32>
}
"""
    x = np.array([0.1, 0.7], F32)
    exact = np.exp(x.astype(np.float64)).astype(F32)
    found = hloscope.compare(text, {"%d": exact}, [x])
    assert found.agrees
    assert "amplified" in str(found)
    assert "subtract %d" in str(found)


SIGN_BEFORE = """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %n = stablehlo.negate %x : tensor<4xf32>
  %e = stablehlo.cosine %n : tensor<4xf32>
  return %e : tensor<4xf32>
}"""
SIGN_BEHIND = """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %n = stablehlo.abs %x : tensor<4xf32>
  %e = stablehlo.cosine %n : tensor<4xf32>
  return %e : tensor<4xf32>
}"""


def test_values_on_the_way_may_differ_where_the_results_do_not() -> None:
    """As behind a pass that moves a negation: the sentence says so."""
    found = hloscope.compare(SIGN_BEFORE, SIGN_BEHIND, [F32([1, 2, 3, 4])])
    assert found.first is not None
    assert found.first.name == "%n"
    assert str(found).endswith("its operands agree. Nevertheless the results have the same bits.")


CALLS_IN_A_LOOP = """
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %end:2 = stablehlo.while(%i = %zero, %s = %x) : tensor<i32>, tensor<2xf32>
  cond {
    %limit = stablehlo.constant dense<8> : tensor<i32>
    %more = stablehlo.compare LT, %i, %limit : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %next = stablehlo.add %i, %one : tensor<i32>
    %late = func.call @step(%s, %i) : (tensor<2xf32>, tensor<i32>) -> tensor<2xf32>
    stablehlo.return %next, %late : tensor<i32>, tensor<2xf32>
  }
  return %end#1 : tensor<2xf32>
}
func.func private @step(%s: tensor<2xf32>, %i: tensor<i32>) -> tensor<2xf32> {
  %five = stablehlo.constant dense<5> : tensor<i32>
  %late = stablehlo.compare GE, %i, %five : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %half = stablehlo.constant dense<0.5> : tensor<2xf32>
  %short = stablehlo.multiply %s, %half : tensor<2xf32>
  %long = stablehlo.add %s, %half : tensor<2xf32>
  %r = stablehlo.select %late, %long, %short : tensor<i1>, tensor<2xf32>
  return %r : tensor<2xf32>
}
"""


def test_the_op_inside_of_a_loop_and_a_call_is_named_with_its_iteration() -> None:
    """The call and the loop only carry what the op does."""
    other = CALLS_IN_A_LOOP.replace("select %late, %long, %short", "select %late, %s, %short")
    found = hloscope.compare(CALLS_IN_A_LOOP, other, [np.array([1, 3], F32)])
    assert found.first is not None
    assert str(found).startswith("First divergence: line 23: stablehlo.select step:%r[5], iteration 5 of")
    assert "iteration 5 of the while in line 4" in str(found)
    lines = {value.line: value.origin for value in found.values if value.difference.is_different}
    assert (lines[4], lines[12]) == ("carried", "carried")


def test_a_file_of_results_alone() -> None:
    """Nothing is said of values that were not compared."""
    results = {"out_0": hloscope.run(PROGRAM, INPUTS)[0]}
    assert str(hloscope.compare(PROGRAM, results, INPUTS)) == "All 1 results have the same bits."
