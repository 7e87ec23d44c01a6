"""A run that nobody listens to comes to the same results, steps and errors as one that is recorded."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from hloscope.engine.debugger.address import Address, argument, result
from hloscope.engine.debugger.recording import Recording
from hloscope.engine.errors import InputError, LimitError, RunError
from hloscope.engine.events import Listener, Loops
from hloscope.engine.interpreter import Interpreter
from hloscope.engine.limits import DEFAULT_LIMITS
from hloscope.engine.process_grid import results_of
from hloscope.engine.program import BoundProgram
from tests.debugger.programs import recorded
from tests.each import for_each
from tests.programs import load_program

from .ops.building import same_bits


def counting(element_type: str, body: str, condition: str = "") -> str:
    """A loop of 20 iterations over a counter and a value of some type."""
    return f"""
func.func @main(%start: tensor<{element_type}>, %step: tensor<{element_type}>) -> (tensor<i32>, tensor<{element_type}>) {{
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %r:2 = stablehlo.while(%i = %zero, %x = %start) : tensor<i32>, tensor<{element_type}>
  cond {{
    %last = stablehlo.constant dense<20> : tensor<i32>
    %t = stablehlo.compare LT, %i, %last, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %t : tensor<i1>
  }} do {{
    %one = stablehlo.constant dense<1> : tensor<i32>
    %j = stablehlo.add %i, %one : tensor<i32>
    {body}
    stablehlo.return %j, %y : tensor<i32>, tensor<{element_type}>
  }}
  return %r#0, %r#1 : tensor<i32>, tensor<{element_type}>
}}
"""


LOOPS = {
    "i32": "%y = stablehlo.multiply %x, %step : tensor<i32>",
    "i8": "%y = stablehlo.subtract %x, %step : tensor<i8>",
    "ui64": "%y = stablehlo.add %x, %step : tensor<ui64>",
    "i1": "%y = stablehlo.xor %x, %step : tensor<i1>",
    "i4": "%y = stablehlo.add %x, %step : tensor<i4>",
    "f32": "%y = stablehlo.multiply %x, %step : tensor<f32>",
    "bf16": "%y = stablehlo.add %x, %step : tensor<bf16>",
    "f64": """%p = stablehlo.compare GT, %x, %step : (tensor<f64>, tensor<f64>) -> tensor<i1>
    %s = stablehlo.sine %x : tensor<f64>
    %m = stablehlo.maximum %s, %step : tensor<f64>
    %y = stablehlo.select %p, %s, %m : tensor<i1>, tensor<f64>""",
    "complex<f32>": "%y = stablehlo.multiply %x, %step : tensor<complex<f32>>",
}


@for_each("element_type", sorted(LOOPS))
@for_each(("start", "step"), [(3, 7), (1, 1), (0, 5)])
def test_loops_over_scalars(element_type: str, start: int, step: int) -> None:
    found = load_program(counting(element_type, LOOPS[element_type]))
    entry = found.entry
    assert entry is not None
    dtype = entry.function.arguments[0].type.element_type.dtype  # type: ignore[attr-defined]
    inputs = [np.array(value, dtype) for value in (start, step)]
    recording = recorded(found, inputs)
    for mine, wanted in zip(results_of(found, inputs), recording.results() or (), strict=True):
        assert same_bits(mine, wanted)
    assert steps_unheard(found, inputs) == (recording.step_count, recording.frame_count)


@pytest.mark.parametrize("element_type", sorted(LOOPS))
def test_iterations_told_together_are_recorded_like_single_steps(element_type: str) -> None:
    found = load_program(counting(element_type, LOOPS[element_type]))
    dtype = found.entry.function.arguments[0].type.element_type.dtype  # type: ignore[union-attr]
    inputs = [np.array(value, dtype) for value in (3, 7)]
    together, stepwise = Recording(found, inputs), Recording(found, inputs)
    stepwise.tracks[0].loops = Loops.STEP_BY_STEP
    for recording in (together, stepwise):
        assert recording.record().kind == "done"
    for name in ("op", "frame", "depth"):
        columns = (getattr(recording.tracks[0], f"{name}_column") for recording in (together, stepwise))
        assert np.array_equal(*columns), name
    for mine, theirs in zip(
        together.tracks[0].frame_columns(0, 10**6), stepwise.tracks[0].frame_columns(0, 10**6), strict=True
    ):
        assert np.array_equal(mine, theirs)
    for address in every_address(stepwise):
        assert same_bits(together.value(address), stepwise.value(address)), address


def every_address(recording: Recording) -> Iterator[Address]:
    for step, op in enumerate(recording.tracks[0].op_column):
        for index in range(len(recording.program.ops[op].results)):
            yield result(step, index)
    for frame, block in enumerate(recording.tracks[0].frame_block):
        for index in range(len(recording.program.blocks[block].arguments)):
            yield argument(frame, index)


def steps_unheard(found: BoundProgram, inputs: list[np.ndarray]) -> tuple[int, int]:
    interpreter = Interpreter(found, inputs)
    interpreter.run(Listener(), 10**6)
    assert interpreter.finished
    return interpreter.step_count, interpreter.frame_count


@for_each("stop", range(1, 40, 3))
def test_a_hurried_run_goes_on_from_wherever_it_was_stopped(stop: int) -> None:
    found = load_program(counting("i32", LOOPS["i32"]))
    inputs = [np.array(3, np.int32), np.array(7, np.int32)]
    interpreter, listener = Interpreter(found, inputs), Listener()
    while not interpreter.finished:
        before = interpreter.step_count
        interpreter.run(listener, interpreter.step_count + stop)
        assert before < interpreter.step_count
        assert interpreter.step_count <= before + stop
    assert [int(value) for value in listener.returned] == [20, int(np.int32(3 * 7**20 & 0xFFFFFFFF))]


def test_a_loop_that_never_ends_meets_the_limit() -> None:
    text = counting("i32", LOOPS["i32"]).replace("dense<1>", "dense<0>")
    limits = replace(DEFAULT_LIMITS, run_step_limit=10_000)
    with pytest.raises(LimitError, match="run_step_limit = 10,000") as raised:
        results_of(load_program(text), [np.array(3, np.int32)] * 2, limits)
    assert raised.value.label == "run_step_limit"
    assert raised.value.op is not None
    limits = replace(DEFAULT_LIMITS, run_seconds=0.05, run_step_limit=10**12)
    with pytest.raises(LimitError, match=r"run_seconds = 0\.05 s"):
        results_of(load_program(text), [np.array(3, np.int32)] * 2, limits)


DYNAMIC = """
func.func @main(%x: tensor<?x3xf32>, %y: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = stablehlo.add %x, %y : (tensor<?x3xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %1 = stablehlo.concatenate %0, %x, dim = 0 : (tensor<?x?xf32>, tensor<?x3xf32>) -> tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}
"""


def test_sizes_are_found_out_when_the_program_runs() -> None:
    found = load_program(DYNAMIC)
    for rows in (2, 0, 5):
        x, y = np.ones((rows, 3), np.float32), np.full((rows, 3), 2, np.float32)
        (result,) = results_of(found, [x, y])
        assert result.tolist() == [[3.0] * 3] * rows + [[1.0] * 3] * rows


def test_a_rule_that_only_the_run_can_check() -> None:
    with pytest.raises(RunError, match="their types must be equal") as raised:
        results_of(load_program(DYNAMIC), [np.ones((2, 3), np.float32), np.ones((4, 3), np.float32)])
    assert (raised.value.label, raised.value.op) == ("C1", "stablehlo.add")


def test_a_result_must_be_of_the_type_that_the_text_declares() -> None:
    text = """func.func @main(%x: tensor<?x?xf32>) -> tensor<?x4xf32> {
  %0 = stablehlo.negate %x : (tensor<?x?xf32>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}"""
    message = r"is tensor<2x3xf32>, but is declared as tensor<\?x4xf32>"
    with pytest.raises(RunError, match=message):
        results_of(load_program(text), [np.ones((2, 3), np.float32)])


def test_inputs_must_fit_the_sizes_that_are_known() -> None:
    with pytest.raises(InputError, match=r"argument 0 \(%x\) is tensor<\?x3xf32>, not float32\[2, 4\]"):
        results_of(load_program(DYNAMIC), [np.ones((2, 4), np.float32)] * 2)
